"""What they race on: the instances of a scenario, from a glob, a list, or a file that lists them."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from heats.base.files import read_text_file
from heats.base.text import split_lines
from heats.errors import InvalidArgument, show_value

MOST_INSTANCES = 1_000_000  # more than anyone races on, so a slip
MOST_LIST_BYTES = 64 << 20


def find_instances(listed: str | Sequence[str] | None, folder: Path) -> tuple[str, ...]:
    """Return the instances: of a glob, a list of paths and globs, or a file with one of these per line."""
    if listed is None:
        return ()
    if not isinstance(listed, str):
        found = [path for entry in listed for path in _match_files(entry, "{instances}", folder)]
    elif glob.has_magic(listed) and not _exists(folder / listed):
        found = _match_files(listed, "{instances}", folder)
    else:
        found = _load_list(folder / listed, folder)
    if not found:
        raise InvalidArgument("instances is empty; give a glob, a list of files, or a file that lists them.")
    return tuple(dict.fromkeys(found))


def _exists(path: Path) -> bool:
    return os.path.exists(path)  # noqa: PTH110  # False also for names that no file can have


def _load_list(path: Path, folder: Path) -> list[str]:
    """Read a list of files, which are relative to it or to the scenario."""
    sentence = (
        'instances = "{path}" must be a glob, such as "instances/*.cnf", or a file that lists instances: {reason}.'
    )
    lines = split_lines(read_text_file(path, MOST_LIST_BYTES, sentence))
    entries = [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]
    try:
        return [
            match
            for number, entry in entries
            if not entry.startswith("#")
            for match in _match_files(entry, f"{path}, line {number}: {entry}", path.parent, folder)
        ]
    except InvalidArgument as error:
        raise InvalidArgument(f'{error} If {path.name} is itself an instance, write it as a list: ["..."].') from None


def _match_files(entry: str, where: str, *folders: Path) -> list[str]:
    """Return the files an entry stands for, in the first of the folders that has any, in order of their names.

    ``where`` begins what is said of it; ``{instances}`` in it is the entry.
    """
    if "\0" in entry:
        raise InvalidArgument(f"the name {show_value(entry)} among the instances has a zero byte; take it out.")
    for folder in folders:
        if _exists(folder / entry):  # whatever its name looks like
            found = [str(folder / entry)]
        else:
            paths = glob.iglob(entry, root_dir=folder, recursive=True)  # noqa: PTH207  # it may be absolute
            found = sorted(str(folder / path) for path in islice(paths, MOST_INSTANCES + 1))
        if len(found) > MOST_INSTANCES:
            why = f"{where} matches more than {MOST_INSTANCES} files; name those that are instances."
            raise InvalidArgument(why, instances=entry)
        if found:
            return found
    raise InvalidArgument(
        f"{where} matches no file in {folders[0]}; instances are a glob, a list of files, or a file that lists them.",
        instances=entry,
    )
