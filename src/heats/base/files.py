"""Files that somebody names → what they hold; a pipe, a device or a file beyond all bounds is refused, not awaited."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from heats.base.text import make_printable
from heats.errors import BrokenFile, InvalidArgument

if TYPE_CHECKING:
    from pathlib import Path

MOST_FILE_BYTES = 256 << 20

UNREADABLE = "{path} cannot be read: {reason}."

_KINDS = (
    (stat.S_ISDIR, os.strerror(errno.EISDIR)),
    (stat.S_ISFIFO, "it is a pipe; write what comes out of it to a file"),
    (stat.S_ISSOCK, "it is a socket; a regular file is needed"),
    (lambda mode: not stat.S_ISREG(mode), "it is a device; a regular file is needed"),
)


def is_missing(path: str | Path) -> bool:
    """Whether there is nothing of that name: not where it only cannot be looked at, which reading it will explain."""
    try:
        os.stat(path)  # noqa: PTH116  # pathlib is slow to import
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        return False
    return False


def is_folder(path: str | Path) -> bool:
    """Whether it is a folder that can be looked at; not for names that no file can have."""
    return os.path.isdir(path)  # noqa: PTH112  # pathlib raises for some of those


def read_regular_file(path: str | Path, most_bytes: int = MOST_FILE_BYTES, sentence: str = UNREADABLE) -> bytes:
    """Return the bytes of a regular file, and raise ``InvalidArgument`` for anything else.

    ``sentence`` is what the error says; ``{path}`` and ``{reason}`` in it are filled in. A file of more than
    ``most_bytes`` is refused before it is read.
    """
    try:
        _refuse_other_kinds(os.stat(path).st_mode)  # noqa: PTH116  # pathlib is slow to import; opening a device may already do something
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # never wait for a writer
        with open(descriptor, "rb") as file:  # noqa: PTH123  # not a path
            found = os.fstat(descriptor)
            _refuse_other_kinds(found.st_mode)
            content = b"" if found.st_size > most_bytes else file.read(most_bytes + 1)
    except OSError as error:
        raise _refuse_file(path, error.strerror or str(error), sentence) from None
    except ValueError:  # from the name itself
        raise _refuse_file(path, "its name has a zero byte", sentence) from None
    if max(found.st_size, len(content)) > most_bytes:
        raise _refuse_file(path, f"it has more than {_format_bytes(most_bytes)}", sentence)
    return content


def read_text_file(
    path: str | Path, most_bytes: int = MOST_FILE_BYTES, sentence: str = UNREADABLE, encoding: str = "utf-8"
) -> str:
    """Return the text of a regular file, with its line ends as they are."""
    try:
        return read_regular_file(path, most_bytes, sentence).decode(encoding)
    except UnicodeDecodeError as error:
        reason = f"it is not text in UTF-8 (byte {error.start})"
        raise BrokenFile(_fill_sentence(sentence, path, reason)) from None


def _refuse_other_kinds(mode: int) -> None:
    for is_kind, reason in _KINDS:
        if is_kind(mode):
            raise OSError(errno.EINVAL, reason)


def _refuse_file(path: str | Path, reason: str, sentence: str) -> InvalidArgument:
    return InvalidArgument(_fill_sentence(sentence, path, reason))


def _fill_sentence(sentence: str, path: str | Path, reason: str) -> str:
    return sentence.replace("{reason}", reason).replace("{path}", make_printable(str(path)))


def _format_bytes(size: int) -> str:
    """Return a size in the largest unit that leaves it whole."""
    for shift, unit in ((30, "GB"), (20, "MB"), (10, "KB")):
        if size >= 1 << shift and size % (1 << shift) == 0:
            return f"{size >> shift} {unit}"
    return f"{size} bytes"
