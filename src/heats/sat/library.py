"""``kernel.c`` → a shared library, compiled when it is first needed and kept for the next process.

It is kept beside Python's own compiled files or, where these cannot be written to, in the user's cache folder. This is
on the way of every ``heats saps``, so it imports little before there is something to compile.
"""

from __future__ import annotations

import ctypes
import os
import sys
from binascii import crc32
from os.path import dirname, exists, expanduser, isabs, join

from heats.errors import InvalidArgument

SOURCE = join(dirname(__file__), "kernel.c")
OWN_FOLDER = join(dirname(__file__), "__pycache__")
ROOM = "saps-compiling-"  # a folder to compile in, named by the process
OPTIONS = ("-std=c99", "-O3", "-ffp-contract=off", "-fvisibility=hidden", "-shared", "-fPIC")
ZIG = ("-P", "-m", "ziglang", "cc", "-mcpu=baseline", "-nostdlib", "-ffreestanding")  # half a second; any processor
MISSING = (
    "SAPS is written in C and compiled when it is first used, but no C compiler was found to do it; install one, such "
    "as gcc or clang, or: pip install ziglang"
)


def load_library() -> ctypes.CDLL:
    """Return the compiled kernel; the first time it is compiled."""
    with open(SOURCE, "rb") as file:
        source = file.read()
    machine = os.uname().machine if hasattr(os, "uname") else os.environ.get("PROCESSOR_ARCHITECTURE", "")
    name = f"saps-{sys.platform}-{machine}-{crc32(source + ' '.join(OPTIONS).encode()):08x}.so"
    folders = [OWN_FOLDER, *_find_cache_folder()]
    for folder in folders:
        path = join(folder, name)
        if exists(path) and _is_trusted(folder):
            try:
                return ctypes.CDLL(path)
            except OSError:
                continue  # cut off, or of another kind of machine: it is made again
    return _make_library(name, folders)


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


def _make_library(name: str, folders: list[str]) -> ctypes.CDLL:
    """Compile into the first folder that can be written to; where there is none, for this process only."""
    import tempfile
    from contextlib import suppress

    for folder in folders:
        with suppress(OSError):
            os.makedirs(folder, mode=0o755 if folder == OWN_FOLDER else 0o700, exist_ok=True)
            if _is_trusted(folder):
                _remove_left_rooms(folder)
                with tempfile.TemporaryDirectory(prefix=f"{ROOM}{os.getpid()}-", dir=folder) as room:
                    made = compile_library(join(room, name))
                    os.chmod(made, 0o755)  # whatever the umask: nobody else may change it
                    os.replace(made, join(folder, name))  # whole, or not at all
                return ctypes.CDLL(join(folder, name))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as room:
        return ctypes.CDLL(compile_library(join(room, name)))


def _remove_left_rooms(folder: str) -> None:
    """Remove what processes left behind that were killed while they compiled."""
    import shutil

    from heats.base.worker import is_running

    for name in os.listdir(folder):
        process = name.removeprefix(ROOM).partition("-")[0]
        if name.startswith(ROOM) and process.isdecimal() and not is_running(int(process)):
            shutil.rmtree(join(folder, name), ignore_errors=True)


def compile_library(path: str) -> str:
    """Compile with the first compiler that can; return the path of the library."""
    import subprocess

    for compiler in list_compilers():
        done = subprocess.run([*compiler, *OPTIONS, "-o", path, SOURCE], capture_output=True, check=False)
        if done.returncode == 0:
            return path
    raise InvalidArgument(MISSING)


def list_compilers() -> list[list[str]]:
    """Return the C compilers of this system, as commands; the last is one that comes with pip."""
    from importlib.util import find_spec
    from shutil import which

    found = [[path] for path in map(which, ("cc", "gcc", "clang")) if path]
    return [*found, [sys.executable, *ZIG]] if find_spec("ziglang") else found
