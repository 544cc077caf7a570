"""The compiled kernel: made once, kept where it may be, made again where it is damaged, and never taken from others."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

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


def test_one_that_was_cut_off_is_made_again(folders: tuple[Path, Path]) -> None:
    """Nobody has to find out and delete it."""
    own, cache = folders
    library.load_library()
    (whole,) = own.iterdir()
    cut = cache / whole.name
    cache.mkdir(parents=True, mode=0o700)
    cut.write_bytes(whole.read_bytes()[:100])
    whole.unlink()
    own.rmdir()
    own.write_text("not a folder")
    assert library.load_library().search
    assert cut.stat().st_size > 1000


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


def test_a_compiler_that_fails_is_passed_over(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The next one is asked; where there is none, the sentence says how to get one."""
    known = library.list_compilers()
    monkeypatch.setattr(library, "list_compilers", lambda: [[sys.executable, "-c", "raise SystemExit(1)"], *known])
    assert ctypes.CDLL(library.compile_library(str(tmp_path / "x.so"))).search
    forbid_compilers(monkeypatch)
    with pytest.raises(InvalidArgument, match=r"no C compiler was found.* or: pip install ziglang$"):
        library.load_library()
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
