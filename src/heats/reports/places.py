"""Files to write results to: checked before anything is spent, written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from heats.errors import InvalidArgument
from heats.journal.draft import write_whole
from heats.journal.reader import OPENING, resolve_path

LOOKED_AT_BYTES = 200  # of a file that is there, to see what it is


def check_place(argument: str, path: str) -> bytes:
    """Refuse a place where no file can be written; return how the file begins that is there, if there is one."""
    target = resolve_path(path)
    if not target.parent.is_dir():
        raise _refuse(argument, path, f"cannot be written: there is no folder {target.parent}.")
    if target.is_dir():
        raise _refuse(argument, path, "is a folder; give the name of a file.")
    try:
        begin = _read_beginning(target)
    except OSError as error:
        raise _refuse(argument, path, f"is there and cannot be read ({error.strerror}); give another file.") from None
    if begin.startswith(OPENING):
        raise _refuse(argument, path, "is the journal of a run; give another file.")
    return begin


def _read_beginning(path: Path) -> bytes:
    if not path.is_file():  # nothing, or a pipe or a device
        return b""
    with path.open("rb") as file:
        return file.read(LOOKED_AT_BYTES)


def check_different(**places: str | None) -> None:
    """Refuse two files in one place; pipes and devices take any number."""
    seen: dict[Path, str] = {}
    for argument, path in places.items():
        if path is None or (Path(path).exists() and not Path(path).is_file()):
            continue
        other = seen.setdefault(resolve_path(path), argument)
        if other != argument:
            raise InvalidArgument(
                f"{{{argument}}} and {{{other}}} are one file; give each its own.",
                **{argument: path, other: places[other]},
            )


def save_file(argument: str, path: str, content: bytes) -> None:
    """Write a file, whole or not at all; or into a pipe or a device."""
    try:
        if Path(path).exists() and not Path(path).is_file():  # a pipe or a device: there is nothing to replace
            Path(path).write_bytes(content)
        else:
            write_whole(resolve_path(path), content)
    except OSError as error:
        raise _refuse(argument, path, f"cannot be written: {error.strerror}.") from None


def _refuse(argument: str, path: str, why: str) -> InvalidArgument:
    return InvalidArgument(f"{{{argument}}} {why}", **{argument: path})
