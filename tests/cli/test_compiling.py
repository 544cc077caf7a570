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


def test_a_race_that_is_gone_on_with_compiles_it_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where that cannot be, neither heats resume nor --continue runs a heat or writes a line."""
    (tmp_path / "a.cnf").write_text("p cnf 1 1\n1 0\n")
    race = {"command": ["heats", *SAPS], "instances": "*.cnf", "budget": 2, "cutoff": "20s", "heat_size": 2}
    file, journal = write(tmp_path, race, space={"sample": 2, "alpha": {"float": [1.1, 1.4]}}), tmp_path / "run.jsonl"
    assert run(["race", str(file), "--journal", str(journal)]) == 0
    journal.write_bytes(begun := journal.read_bytes().splitlines(keepends=True)[0])
    forget_kernel(tmp_path, monkeypatch)
    monkeypatch.setattr(library, "list_compilers", list)
    for command in (["resume", str(journal)], ["race", "--continue", str(journal), "--more", "2", "-B", "+2"]):
        capsys.readouterr()
        assert run(command) == 2
        assert f"{file} races heats saps. SAPS is written in C" in capsys.readouterr().err
        assert journal.read_bytes() == begun


@pytest.mark.skipif(not library.list_compilers(), reason="there is no C compiler here")
@pytest.mark.filterwarnings("ignore")  # those of Dask are its own
def test_the_workers_of_a_cluster_compile_it_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of them, since it is there that the programs run; what one cannot do is said as if it were here."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install distributed")
    forget_kernel(tmp_path, monkeypatch)
    scenario = load_scenario(write_race(tmp_path, ["heats", *SAPS]))
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
        executor = client.get_executor()
        compiling.compile_own_solver(scenario, executor)
        assert len(list((tmp_path / "own").glob("saps-*.so"))) == 1
        monkeypatch.setattr(library, "OWN_FOLDER", str(tmp_path / "other"))
        monkeypatch.setattr(library, "list_compilers", list)
        with pytest.raises(InvalidArgument, match=r"race\.toml races heats saps\. SAPS is written in C"):
            compiling.compile_own_solver(scenario, executor)


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
