"""``kernel.c`` → a shared library, compiled when it is first needed and kept for the next process.

It is kept beside Python's own compiled files or, where these cannot be written to, in the user's cache folder. Its name
ends with its size and checksum, and a file that does not match its name is not loaded: a truncated library would end
the process with a bus error. This is on the way of every ``heats saps``, so it imports little before there is something
to compile, and no slower hash.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from binascii import crc32
from os.path import dirname, expanduser, isabs, join

from heats.base.files import read_regular_file
from heats.errors import InvalidArgument

SOURCE = join(dirname(__file__), "kernel.c")
OWN_FOLDER = join(dirname(__file__), "__pycache__")
ROOM = "saps-compiling-"  # a folder to compile in, named by the process
OPTIONS = ("-std=c99", "-O3", "-ffp-contract=off", "-fvisibility=hidden", "-shared", "-fPIC")
ZIG = ("-P", "-m", "ziglang", "cc", "-mcpu=baseline", "-nostdlib", "-ffreestanding")  # for any processor; half a second
WRITTEN_IN_C = "SAPS is written in C and compiled when it is first used, but"
OTHERS = "install {one}, such as gcc or clang, or: pip install ziglang"
FULL_DISK = tuple(map(os.strerror, (errno.ENOSPC, errno.EDQUOT)))
LINES_SHOWN = 3  # of what a compiler says


def load_library() -> ctypes.CDLL:
    """Return the compiled kernel; the first time it is compiled."""
    with open(SOURCE, "rb") as file:
        source = file.read()
    machine = os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "")
    stem = f"saps-{sys.platform}-{machine}-{crc32(source + ' '.join(OPTIONS).encode()):08x}-"
    folders = [OWN_FOLDER, *_find_cache_folder()]
    for folder in folders:
        if library := _load_kept(folder, stem):
            return library
    return _make_library(folders, stem)


def _load_kept(folder: str, stem: str) -> ctypes.CDLL | None:
    """Load the library that is kept in a folder, if there is one and it is whole."""
    try:
        names = os.listdir(folder) if _is_trusted(folder) else []
    except OSError:
        return None
    for name in names:
        if name.startswith(stem):
            try:
                if name == _name_library(stem, read_regular_file(join(folder, name))):
                    return ctypes.CDLL(join(folder, name))
            except (OSError, InvalidArgument):
                continue  # of another kind of machine, or unreadable
    return None


def _name_library(stem: str, content: bytes) -> str:
    return f"{stem}{len(content)}-{crc32(content):08x}.so"


def _find_cache_folder() -> list[str]:
    """Return the user's cache folder, if there is one; never one that depends on where we are."""
    folder = join(os.environ.get("XDG_CACHE_HOME") or join(expanduser("~"), ".cache"), "heats")
    return [folder] if isabs(folder) else []


def _is_trusted(folder: str) -> bool:
    """Whether nobody else can lay code there that we would run."""
    if not hasattr(os, "getuid") or folder == OWN_FOLDER:  # whoever writes there writes our code anyway
        return True
    found = os.stat(folder)
    return found.st_uid in (0, os.getuid()) and not found.st_mode & 0o022


def _make_library(folders: list[str], stem: str) -> ctypes.CDLL:
    """Compile in the first folder where that works and keep the library there; in a temporary one, keep nothing."""
    compilers = list_compilers()
    if not compilers:
        raise InvalidArgument(f"{WRITTEN_IN_C} no C compiler was found to do it; {OTHERS.format(one='one')}")
    unusable: list[str] = []
    failed: InvalidArgument | None = None
    for folder in (*folders, ""):
        try:
            return _compile_in(folder, stem, compilers)
        except InvalidArgument as error:
            failed = failed or error  # another folder may be on another disk
        except OSError as error:
            unusable.append(f"{folder or 'temporary files'}: {_describe_error(error)}")
    raise failed or InvalidArgument(
        f"{WRITTEN_IN_C} no folder can be written to for that ({'; '.join(unusable)}). Make room in one of them, or "
        "make it writable."
    )


def _compile_in(folder: str, stem: str, compilers: list[list[str]]) -> ctypes.CDLL:
    import tempfile
    from contextlib import suppress

    if folder:
        os.makedirs(folder, mode=0o755 if folder == OWN_FOLDER else 0o700, exist_ok=True)
        if not _is_trusted(folder):
            raise OSError(errno.EPERM, "others can write to it")
        _remove_left_rooms(folder)
    with tempfile.TemporaryDirectory(
        prefix=f"{ROOM}{os.getpid()}-", dir=folder or None, ignore_cleanup_errors=True
    ) as room:
        library = compile_library(path := join(room, "saps.so"), compilers)
        with suppress(OSError):  # it is loaded: this process needs no more
            if folder:
                _keep_library(path, folder, stem)
    return library


def _keep_library(path: str, folder: str, stem: str) -> None:
    """Move a library to its name: whole, or not at all, and also after a power cut."""
    with open(path, "rb+") as file:
        content = file.read()
        os.fsync(file.fileno())
    os.chmod(path, 0o755)  # whatever the umask: nobody else may change it
    os.replace(path, join(folder, _name_library(stem, content)))


def _remove_left_rooms(folder: str) -> None:
    """Remove what processes left behind that were killed while they compiled."""
    import shutil

    from heats.base.worker import is_running

    for name in os.listdir(folder):
        process = name.removeprefix(ROOM).partition("-")[0]
        if name.startswith(ROOM) and process.isdecimal() and not is_running(int(process)):
            shutil.rmtree(join(folder, name), ignore_errors=True)


def compile_library(path: str, compilers: list[list[str]]) -> ctypes.CDLL:
    """Compile with the first of the ``compilers`` that can, and load the library."""
    from heats.base.text import quote_argument

    failures: list[str] = []
    for compiler in compilers:
        command = [*compiler, *OPTIONS, "-o", path, SOURCE]
        failure = _run_compiler(command, dirname(path))
        if failure is None:
            try:
                return ctypes.CDLL(path)
            except OSError as error:
                failure = f"made a library that cannot be loaded: {_describe_error(error)}"
        failures.append(f"{' '.join(map(quote_argument, command))} {failure}")
    is_full = any(reason in failures[0] for reason in FULL_DISK)
    way_out = "make room on that disk" if is_full else f"correct that, or {OTHERS.format(one='another compiler')}"
    raise InvalidArgument(f"{WRITTEN_IN_C} {failures[0]}; {way_out}")


def _run_compiler(command: list[str], room: str) -> str | None:
    """Return what went wrong, if anything did. All that a compiler writes goes to the ``room``."""
    import subprocess

    from heats.base.text import make_printable

    surroundings = {**os.environ, "TMPDIR": room, "LC_ALL": "C"}
    try:
        done = subprocess.run(command, env=surroundings, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        return f"cannot be started: {_describe_error(error)}"
    if done.returncode == 0:
        return None
    lines = [line.strip() for line in (done.stderr or done.stdout).decode(errors="replace").splitlines()]
    said = make_printable(" / ".join([line for line in lines if line][:LINES_SHOWN]))
    ended = f"exit code {done.returncode}" if done.returncode > 0 else f"signal {-done.returncode}"
    return f"ended with {ended}: {said or 'it said nothing'}"


def _describe_error(error: OSError) -> str:
    return str(error) if error.errno is None else f"{error.strerror} (errno {error.errno})"


def list_compilers() -> list[list[str]]:
    """Return the C compilers of this system, as commands; the last is one that comes with pip."""
    from importlib.util import find_spec
    from shutil import which

    found = [[path] for path in map(which, ("cc", "gcc", "clang")) if path]
    return [*found, [sys.executable, *ZIG]] if find_spec("ziglang") else found
