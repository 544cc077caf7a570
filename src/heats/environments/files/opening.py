"""A path → what is in the file, or one sentence why it cannot be read."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import numpy as np

from heats.base.arrays import AnyArray
from heats.base.text import describe_error
from heats.errors import BrokenFile, InvalidArgument

MOST_FILE_BYTES = 1 << 30  # unless max_bytes says otherwise: 1 GiB
MOST_TABLE_VALUES = 200_000_000  # rows × arms that a small file may ask for: 1.6 GB


def check_regular(path: Path, max_bytes: int) -> None:
    """Refuse what is not a plain file (a pipe would never end, nor would a device), and what is too large."""
    try:
        status = path.stat()
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        raise InvalidArgument(f"{path} cannot be read: {_say_why(error)}.") from None
    if not stat.S_ISREG(status.st_mode):
        raise InvalidArgument(f"{path} is a pipe, a device or the like; give a regular file.")
    _check_size(path, status.st_size, max_bytes)


def read_lines(path: Path, max_bytes: int) -> list[str]:
    """Return the lines of a text file."""
    check_regular(path, max_bytes)
    try:
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except OSError as error:
        raise InvalidArgument(f"{path} cannot be read: {_say_why(error)}.") from None
    _check_size(path, len(content), max_bytes)
    if b"\0" in content:
        raise BrokenFile(f"{path} is not text in UTF-8: it has zero bytes, as UTF-16 does; save it as UTF-8.")
    try:
        return content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        return content.decode("latin-1").splitlines()  # older files of the field are


def read_arrays(path: Path, max_bytes: int) -> dict[str, AnyArray]:
    """Return the arrays of a .npz file by name; nothing in it is unpickled."""
    check_regular(path, max_bytes)
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        _check_size(path, unpacked, max_bytes)
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
    except InvalidArgument:
        raise
    except Exception as error:  # a damaged or encrypted archive makes NumPy, zipfile and zlib raise almost anything
        why = f"{path} is not an .npz table that can be read without pickles: {_say_why(error)}."
        raise BrokenFile(why) from None
    return {key: array for key, array in arrays.items() if isinstance(array, np.ndarray)}


def check_table_size(path: Path, rows: int, arms: int) -> None:
    """Refuse a file that is small itself, but whose table would not fit into memory."""
    if rows * arms > MOST_TABLE_VALUES:
        raise BrokenFile(f"{path} makes a table of {rows} rows × {arms} arms, too large to hold in memory; split it.")


def _check_size(path: Path, size: int, max_bytes: int) -> None:
    if size > max_bytes:
        raise InvalidArgument(
            f"{path} holds {size} bytes or more, and {{max_bytes}}; raise it if this is the file you mean.",
            max_bytes=max_bytes,
        )


def _say_why(error: Exception) -> str:
    """Return somebody else's error on one line, without a full stop."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else describe_error(error)
    return " ".join(text.split()).rstrip(".")
