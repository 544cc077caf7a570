"""The compiled kernel: made once, kept where it may be, made again where it is damaged, and never taken from others."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from heats.errors import InvalidArgument
from heats.sat import library

pytestmark = pytest.mark.skipif(not library.list_compilers(), reason="there is no C compiler here")


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A folder beside the package and the user's cache folder, both new."""
    own, cache = tmp_path / "own", tmp_path / "cache"
    monkeypatch.setattr(library, "OWN_FOLDER", str(own))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return own, cache / "heats"


def forbid_compilers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "list_compilers", list)


def test_it_is_compiled_once(folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing else is left beside it."""
    assert library.load_library().search
    (made,) = folders[0].iterdir()
    forbid_compilers(monkeypatch)
    assert library.load_library().search
    assert list(folders[0].iterdir()) == [made]


def test_a_compile_that_was_killed_leaves_nothing_for_good(folders: tuple[Path, Path]) -> None:
    """The next one clears up, but not after processes that still compile."""
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    for process in (dead.pid, os.getpid()):
        (folders[0] / f"{library.ROOM}{process}-abc").mkdir(parents=True)
        (folders[0] / f"{library.ROOM}{process}-abc" / "half.so").touch()
    library.load_library()
    left = [path.name for path in folders[0].iterdir() if path.is_dir()]
    assert left == [f"{library.ROOM}{os.getpid()}-abc"]


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="rights are those of POSIX")
def test_nobody_else_may_change_it(folders: tuple[Path, Path]) -> None:
    """Whatever the umask is."""
    before = os.umask(0)
    try:
        library.load_library()
    finally:
        os.umask(before)
    (made,) = folders[0].iterdir()
    assert made.stat().st_mode & 0o777 == 0o755


def test_no_folder_depends_on_where_we_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative cache folder is passed over."""
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    assert library._find_cache_folder() == []


def compile_other(folder: Path) -> bytes:
    """Return a library that loads and is not ours."""
    (folder / "other.c").write_text("int search(void) { return 7; }\n")
    command = [
        *library.list_compilers()[0],
        "-shared",
        "-fPIC",
        "-o",
        str(folder / "other.so"),
        str(folder / "other.c"),
    ]
    subprocess.run(command, check=True)
    return (folder / "other.so").read_bytes()


DAMAGES: dict[str, Callable[[bytes, Path], bytes]] = {
    "empty": lambda whole, folder: b"",
    "a byte": lambda whole, folder: whole[:1],
    "its header": lambda whole, folder: whole[:64],
    "a page": lambda whole, folder: whole[:4096],
    "half": lambda whole, folder: whole[: len(whole) // 2],
    "all but a byte": lambda whole, folder: whole[:-1],
    "a byte more": lambda whole, folder: whole + b"x",
    "zeros, as after a power cut": lambda whole, folder: bytes(len(whole)),
    "zeros behind a page": lambda whole, folder: whole[:4096].ljust(len(whole), b"\0"),
    "another byte": lambda whole, folder: whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:],
    "garbage": lambda whole, folder: random.Random(1).randbytes(len(whole)),
    "text": lambda whole, folder: b"not a library\n",
    "another library": lambda whole, folder: compile_other(folder),
    "another library as long": lambda whole, folder: compile_other(folder).ljust(len(whole), b"\0")[: len(whole)],
}


@pytest.mark.parametrize("place", [0, 1], ids=["beside the package", "in the cache folder"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_one_is_made_again(folders: tuple[Path, Path], tmp_path: Path, damage: str, place: int) -> None:
    """Whatever it holds, and nobody has to find out and delete it; it would end the process, so it is not this one."""
    if place:
        folders[0].write_text("not a folder")
    library.load_library()
    (kept,) = folders[place].iterdir()
    whole = kept.read_bytes()
    kept.unlink()  # this process has loaded it: to write into it would damage that
    kept.write_bytes(DAMAGES[damage](whole, tmp_path))
    kept.chmod(0o755)
    for _ in range(2):
        done = run_saps(tmp_path, folders)
        assert (done.returncode, done.stderr) == (10, "")
        assert done.stdout.splitlines()[1:] == ["s SATISFIABLE", "v -1 2 0"]
    assert [path.name for path in folders[place].iterdir()] == [kept.name]
    assert kept.read_bytes() == whole


def run_saps(folder: Path, folders: tuple[Path, Path], **more: Any) -> subprocess.CompletedProcess[str]:
    """Run ``heats saps`` in a process that keeps its library in other folders."""
    return subprocess.run(command_of(folder, folders), capture_output=True, text=True, check=False, **more)


def command_of(folder: Path, folders: tuple[Path, Path]) -> list[str]:
    (folder / "x.cnf").write_text("p cnf 2 2\n1 2 0\n-1 0\n")
    code = (
        "import sys\n"
        "from heats.cli import main\n"
        "from heats.sat import library\n"
        f"library.OWN_FOLDER = {str(folders[0])!r}\n"
        f"sys.argv = ['heats', 'saps', {str(folder / 'x.cnf')!r}]\n"
        "main()\n"
    )
    return [sys.executable, "-c", code]


def test_a_folder_or_a_pipe_in_its_place_is_passed_over(folders: tuple[Path, Path]) -> None:
    """It is neither waited for nor a reason to fail."""
    library.load_library()
    (kept,) = folders[0].iterdir()
    kept.unlink()
    kept.mkdir()
    assert library.load_library().count_unsatisfied
    if hasattr(os, "mkfifo"):
        kept.rmdir()
        os.mkfifo(kept)
        assert library.load_library().count_unsatisfied
        assert kept.is_file()


def test_processes_that_compile_at_once_do_not_harm_each_other(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """Also where a damaged library is there: each has its own, and one whole library is left."""
    library.load_library()
    (kept,) = folders[0].iterdir()
    kept.unlink()
    kept.write_bytes(b"\x7fELF")
    command = command_of(tmp_path, folders)
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(6)]
    for process in started:
        printed, complaints = process.communicate()
        assert (process.returncode, complaints) == (10, ""), printed
    assert [path.name for path in folders[0].iterdir()] == [kept.name]


def test_it_is_kept_where_it_can_be(folders: tuple[Path, Path]) -> None:
    """Beside the package, else in the user's cache folder, else nowhere."""
    own, cache = folders
    own.write_text("not a folder")
    assert library.load_library().search
    assert [path.suffix for path in cache.iterdir()] == [".so"]
    (made,) = cache.iterdir()
    made.unlink()
    cache.rmdir()
    cache.write_text("not a folder")
    assert library.load_library().search


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="rights are those of POSIX")
def test_what_others_may_have_laid_there_is_not_loaded(folders: tuple[Path, Path]) -> None:
    """A cache folder that anybody can write to is left alone."""
    own, cache = folders
    own.write_text("not a folder")
    library.load_library()
    cache.chmod(0o777)
    (made,) = cache.iterdir()
    made.unlink()
    made.write_bytes(b"laid there")
    assert library.load_library().search
    assert made.read_bytes() == b"laid there"


def test_a_compiler_that_fails_is_passed_over(tmp_path: Path) -> None:
    """Whether it cannot be started, fails, is killed, writes nothing or what is no library: the next one is tried."""
    for number, line in enumerate(["exit 1", "kill -9 $$", "exit 0", 'touch "$last"', 'echo junk > "$last"']):
        broken = [["/no/compiler"], [str(write_compiler(tmp_path, line))]]
        assert library.compile_library(str(tmp_path / f"{number}.so"), [*broken, *library.list_compilers()]).search


def write_compiler(folder: Path, line: str) -> Path:
    """Write a compiler that does that; ``$last`` is where the library should be."""
    path = folder / "broken-cc"
    path.write_text(
        f'#!/bin/sh\nfor each; do test "$last_but_one" = -o && last=$each; last_but_one=$each; done\n{line}\n'
    )
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "echo 'kernel.c:13: fatal error: stdint.h' >&2; exit 3",
            "ended with exit code 3: kernel.c:13: fatal error: stdint.h; correct that, or install another compiler, such as gcc or clang, or: pip install ziglang",
        ),
        ("echo; for i in 1 2 3 4; do echo line $i; done; exit 1", "exit code 1: line 1 / line 2 / line 3; correct"),
        ("printf '\\033[2Jcleared' >&2; exit 1", "exit code 1: \\x1b[2Jcleared; correct"),
        ("exit 1", "exit code 1: it said nothing; correct"),
        ("kill -9 $$", "ended with signal 9: it said nothing; correct"),
        (
            "echo 'cc1: error writing to x.s: No space left on device' >&2; exit 1",
            "No space left on device; make room on that disk",
        ),
        ("exit 0", "made a library that cannot be loaded: "),
        ('echo junk > "$last"', "made a library that cannot be loaded: "),
    ],
)
def test_what_a_compiler_does_is_said(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str, sentence: str
) -> None:
    """Which command, how it ended, the first lines of what it said, and the way out; nothing is left behind."""
    compiler = write_compiler(tmp_path, line)
    monkeypatch.setattr(library, "list_compilers", lambda: [[str(compiler)], ["/no/compiler"]])
    with pytest.raises(InvalidArgument) as raised:
        library.load_library()
    said = str(raised.value)
    assert said.startswith(f"SAPS is written in C and compiled when it is first used, but {compiler} -std=c99 -O3 ")
    assert sentence in said
    assert "\n" not in said
    assert not [path for folder in folders for path in folder.iterdir()]


def test_a_compiler_that_cannot_be_started_is_named(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With the reason of the system."""
    (tmp_path / "cc").write_bytes(b"\x7fELF of another machine")
    for mode, reason in ((0o755, "Exec format error"), (0o644, "Permission denied")):
        (tmp_path / "cc").chmod(mode)
        monkeypatch.setattr(library, "list_compilers", lambda: [[str(tmp_path / "cc")]])
        with pytest.raises(InvalidArgument, match=rf"cannot be started: {reason} \(errno \d+\); correct that, or"):
            library.load_library()


def test_without_a_compiler_it_is_said_how_to_get_one(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no folder is made in vain."""
    forbid_compilers(monkeypatch)
    with pytest.raises(InvalidArgument, match=r"no C compiler was found.* or: pip install ziglang$"):
        library.load_library()
    assert not any(folder.exists() for folder in folders)


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EACCES])
def test_folders_that_cannot_be_used_are_named(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """Each with its reason; that a compiler is missing is not said."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(tempfile, "TemporaryDirectory", refuse)
    with pytest.raises(InvalidArgument, match="no folder can be written to for that") as raised:
        library.load_library()
    assert str(raised.value).count(f": {os.strerror(code)} (errno {code})") == 3
    assert all(str(folder) in str(raised.value) for folder in folders)


@pytest.mark.parametrize("name", ["fsync", "replace", "chmod"])
def test_a_library_that_cannot_be_kept_is_used_all_the_same(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """By this process; nothing is left, least of all half a library."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, name, refuse)
    assert library.load_library().search
    assert not list(folders[0].iterdir())


def test_it_is_on_the_disk_before_it_has_its_name(folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a power cut leaves a whole library, or none."""
    done: list[str] = []
    for name in ("fsync", "replace"):
        original = getattr(os, name)

        def note(*given: Any, name: str = name, original: Callable[..., Any] = original) -> Any:
            done.append(name)
            return original(*given)

        monkeypatch.setattr(os, name, note)
    library.load_library()
    assert done == ["fsync", "replace"]


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="to root every folder can be written")
def test_folders_without_rights_are_passed_over(folders: tuple[Path, Path]) -> None:
    """Nothing is kept then."""
    for folder in folders:
        folder.mkdir(parents=True)
        folder.chmod(0o500)
    assert library.load_library().search
    assert not [path for folder in folders for path in folder.iterdir()]


@pytest.mark.skipif(sys.platform == "win32", reason="limits are those of POSIX")
def test_a_full_disk_is_said_to_be_full(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """A limit on the size of files stands for one, and everything that is written is under it: no traceback."""
    import resource

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    done = run_saps(tmp_path, folders, preexec_fn=limit)
    assert done.returncode == 2
    assert done.stderr.startswith("heats: SAPS is written in C and compiled when it is first used, but ")
    assert "ended with" in done.stderr
    assert "no C compiler" not in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(folders[0].iterdir())


def test_a_run_from_the_command_line_loads_little(tmp_path: Path) -> None:
    """Neither NumPy nor the parser of the command line nor msgspec: that would take longer than many a run."""
    (tmp_path / "x.cnf").write_text("p cnf 2 2\n1 2 0\n-1 0\n")
    code = (
        "import sys; sys.argv = ['heats', 'saps', 'x.cnf', '--seed', '7']\n"
        "from heats.cli import main\n"
        "try: main()\n"
        "finally: print({'numpy', 'typer', 'rich', 'msgspec', 'inspect', 'pathlib'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 10
    assert done.stdout.splitlines()[1:] == ["s SATISFIABLE", "v -1 2 0", "set()"]
