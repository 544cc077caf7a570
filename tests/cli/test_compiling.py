"""Our own solver is compiled before a race, and nobody else's program is taken for it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from heats.cli import compiling
from heats.cli.app import run
from heats.errors import InvalidArgument
from heats.race.scenario import load_scenario
from heats.sat import library
from tests.race.scenarios import write

SAPS = ["saps", "{instance}", "--alpha", "{alpha}"]
ALPHAS = [{"alpha": 1.2}, {"alpha": 1.3}]


def write_race(folder: Path, command: list[Any]) -> Path:
    (folder / "a.cnf").write_text("p cnf 1 1\n1 0\n")
    race = {"command": command, "instances": "*.cnf", "budget": 2, "cutoff": "20s", "heat_size": 2}
    return write(folder, race, ALPHAS)


def forget_kernel(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "OWN_FOLDER", str(folder / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))


@pytest.mark.skipif(not library.list_compilers(), reason="there is no C compiler here")
@pytest.mark.parametrize("command", [["heats", *SAPS], [sys.executable, "-m", "heats", *SAPS]])
def test_a_race_of_saps_compiles_it_first(tmp_path: Path, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """By whichever of its names it is called."""
    forget_kernel(tmp_path, monkeypatch)
    compiling.compile_own_solver(load_scenario(write_race(tmp_path, command)))
    assert len(list((tmp_path / "own").glob("saps-*.so"))) == 1


@pytest.mark.parametrize("command", [["echo", *SAPS], [sys.executable, "-m", "other", *SAPS]])
def test_other_programs_are_left_alone(tmp_path: Path, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled for them."""
    forget_kernel(tmp_path, monkeypatch)
    compiling.compile_own_solver(load_scenario(write_race(tmp_path, command)))
    assert not (tmp_path / "own").exists()


def test_without_a_compiler_no_heat_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One sentence, with the scenario and the way out."""
    forget_kernel(tmp_path, monkeypatch)
    monkeypatch.setattr(library, "list_compilers", list)
    file = write_race(tmp_path, ["heats", *SAPS])
    for options in ([], ["--check"]):
        assert run(["race", str(file), *options]) == 2
        assert f"{file} races heats saps. SAPS is written in C" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.jsonl"))
    with pytest.raises(InvalidArgument, match="pip install ziglang"):
        compiling.compile_own_solver(load_scenario(file))
