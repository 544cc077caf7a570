"""A path → the world in it, whatever its format."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from heats.base.checks import one_of, refuse, whole
from heats.base.files import is_missing
from heats.base.text import end_sentence
from heats.environments.files.aslib import read_aslib
from heats.environments.files.csv_table import VALUES, Values, read_csv
from heats.environments.files.npz_table import read_npz
from heats.environments.files.opening import MOST_FILE_BYTES, check_regular
from heats.environments.files.preflib import ENDINGS, read_preflib
from heats.environments.protocol import Environment
from heats.errors import BrokenFile, InvalidArgument

Reader = Callable[[Path, Any, int], Environment]
READERS: dict[str, Reader] = {**dict.fromkeys(ENDINGS, read_preflib), ".npz": read_npz, ".csv": read_csv}


def read(
    path: str | Path, values: Values | None = None, feedback: Any = None, *, max_bytes: int = MOST_FILE_BYTES
) -> Environment:
    """Read an ASlib folder, a PrefLib file, or a table (.npz, .csv) as a world of recorded rows.

    ``values`` says what the numbers of a .csv are: scores (default), losses or runtimes; other files say it
    themselves. ``feedback`` is handed to the world ("winner", "ranking", "seconds"). A file of more than ``max_bytes``
    is refused before it is read.
    """
    file = _check_path(path)
    whole("max_bytes", max_bytes, 1)
    reader = _choose_reader(file, values, max_bytes)
    try:
        return reader(file, feedback, max_bytes)
    except BrokenFile:
        raise
    except InvalidArgument as error:
        if error.argument in ("feedback", "max_bytes"):
            raise
        raise BrokenFile(f"{file}: {end_sentence(error)}") from None  # its numbers make no world


def _choose_reader(file: Path, values: Values | None, max_bytes: int) -> Reader:
    ending = file.suffix.lower()
    if values is not None:
        one_of("values", values, VALUES)
        if ending != ".csv" or file.is_dir():
            raise refuse("values", values, f"is for .csv tables; {file.name} says itself what it holds")
    if file.is_dir():
        return read_aslib
    check_regular(file, max_bytes)
    if ending not in READERS:
        raise InvalidArgument(
            f"{file} ends in {ending or 'nothing'}; known are {', '.join(READERS)} and ASlib folders."
        )
    return READERS[ending] if values is None else partial(read_csv, values=values)


def _check_path(path: Any) -> Path:
    try:
        file = Path(os.fsdecode(path))
        there = file.exists() or not is_missing(file)
    except (TypeError, ValueError, OSError) as error:
        raise refuse("path", path, f"is not the path of a file or a folder ({error})") from None
    if not there:
        raise InvalidArgument(f"{file} does not exist; give an ASlib folder, a PrefLib file, or a .npz or .csv table.")
    return file
