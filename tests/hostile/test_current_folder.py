"""Nothing is imported from the current folder, nor from that of a scenario: whoever can write there runs no code of theirs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from heats.base.helpers import HelperPool
from heats.base.python import list_fixed_folders
from heats.sat.library import compile_library, list_compilers
from tests.hostile import traps
from tests.hostile.traps import CONSOLE, MODULE

PROGRAMS = pytest.mark.parametrize("program", [CONSOLE, MODULE], ids=["heats", "python -m heats"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a scenario and other files, in which everything that can be imported is a trap."""
    traps.lay_files(tmp_path)
    traps.lay_traps(tmp_path)
    return tmp_path


def release(program: tuple[str, ...], folder: Path) -> None:
    """Take out the traps that Python itself would step into for ``-m``, before any of heats runs."""
    for name in traps.list_needed_by_option_m() if program is MODULE else ():
        (folder / f"{name}.py").unlink(missing_ok=True)


@pytest.mark.slow
@PROGRAMS
def test_no_command_imports_what_lies_where_it_runs(program: tuple[str, ...], folder: Path) -> None:
    """All commands, with all they start: guardians and watchers of races, helpers, our own solver in a scenario."""
    release(program, folder)
    for said in traps.COMMANDS:
        done = traps.run_command(program, said, folder)
        assert done.returncode == (10 if said.startswith("saps") else 0), (said, done.stderr)
        assert traps.list_sprung(folder) == [], said


@PROGRAMS
def test_nor_does_the_process_that_reads_for_an_organiser(program: tuple[str, ...], folder: Path) -> None:
    """It is a helper, begun when the page is opened first."""
    release(program, folder)
    assert traps.look_as_organiser(program, folder) == 200
    assert traps.list_sprung(folder) == []


def test_the_folder_of_a_scenario_is_not_looked_into_either(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Although programs that are raced run there."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    said = f"race {folder / 'race.toml'} --journal race.jsonl"
    assert traps.run_command(CONSOLE, said, elsewhere).returncode == 0
    assert traps.list_sprung(folder) == []


def test_the_command_leaves_alone_what_the_user_puts_on_the_path(tmp_path: Path) -> None:
    """Only what ``python -m`` adds is taken off it, and only from that of the command."""
    code = "import heats, sys; print(sys.path[0])"
    for arguments, first in (
        (["-c", code], ""),
        (["-m", "program"], str(tmp_path)),
        ([str(tmp_path / "program.py")], str(tmp_path)),
    ):
        (tmp_path / "program.py").write_text(code)
        done = subprocess.run([sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout == f"{first}\n"


def test_helpers_start_without_the_current_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However it is on the path of whoever starts them; packages of jobs are found even so."""
    monkeypatch.chdir(folder)
    for entry in ("", ".", str(folder)):
        monkeypatch.setattr(sys, "path", [entry, *sys.path])
        pool = HelperPool(2)
        try:
            found = [pool.submit(list_fixed_folders).result() for _ in range(3)]
        finally:
            pool.shutdown()
        assert not any(Path(each).resolve() == folder for path in found for each in path)
    assert traps.list_sprung(folder) == []


RACING = """\
import json, sys
from pathlib import Path

def tell(number):
    import numpy  # that of the program's path
    print(json.dumps(sys.path))
    Path(number).write_text(json.dumps(sys.path))

def tell_too(number):
    tell(number)

if __name__ == "__main__":
    sys.path += sys.argv[1:]
    import heats
    heats.race_functions([tell, tell_too], ["path.json"], budget=1, cutoff=60)
    print(json.dumps(sys.path))
"""


@pytest.mark.parametrize("is_named", [False, True])
def test_functions_of_a_race_import_from_where_their_program_does(
    is_named: bool, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """From the same folders in the same order: one that the program puts last does not come first here."""
    program = tmp_path_factory.mktemp("program") / "program.py"
    program.write_text(RACING)
    if is_named:  # then it is looked into for what is nowhere else
        for trap in folder.glob("*.py"):
            if trap.stem not in ("json", "numpy", "multiprocessing", "inspect"):
                trap.unlink()
    command = [sys.executable, str(program), *([str(folder)] if is_named else [])]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads((folder / "path.json").read_text()) == json.loads(done.stdout.splitlines()[-1])
    assert traps.list_sprung(folder) == []


def test_the_compiler_is_started_without_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that comes with pip is a module of Python, which a file here must not be taken for."""
    made = folder / "made"
    made.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(shutil, "which", lambda *_: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: object())
    compilers = list_compilers()
    assert any("ziglang" in compiler for compiler in compilers)
    with pytest.raises(Exception, match="compile"):
        compile_library(os.fspath(made / "kernel.so"), compilers)
    assert traps.list_sprung(folder) == []
