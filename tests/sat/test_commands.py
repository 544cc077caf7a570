"""``heats saps`` and ``heats swgcp``: files, lines and exit codes as solvers have them."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from heats.base.extras import advise_install
from heats.cli.app import run
from heats.sat import dimacs, swgcp
from heats.sat.command import parse_plain_options
from heats.sat.formula import Cnf


@pytest.fixture
def easy(tmp_path: Path) -> Path:
    dimacs.write_dimacs(swgcp.make_instance(1, 5, swgcp.Family(20, 24, 4, 3, 2)).cnf, tmp_path / "easy.cnf")
    return tmp_path / "easy.cnf"


def test_a_model_is_printed_as_solvers_do(easy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An s line, v lines of at most 78 characters that hold a model, exit code 10; equal seeds, equal output but for time."""
    assert run(["saps", str(easy), "--alpha", "1.3", "--rho", "0.8", "--seed", "4"]) == 10
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("c ")
    assert lines[1] == "s SATISFIABLE"
    assert all(line.startswith("v ") and len(line) <= 78 for line in lines[2:])
    *literals, end = [int(word) for line in lines[2:] for word in line[2:].split()]
    assert end == 0
    assert dimacs.read_dimacs(easy).is_model([literal > 0 for literal in literals])
    assert run(["saps", str(easy), "--alpha", "1.3", "--rho", "0.8", "--seed", "4"]) == 10
    assert capsys.readouterr().out.splitlines()[1:] == lines[1:]


def test_json(easy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The counts, and the model as literals."""
    assert run(["saps", str(easy), "--json"]) == 10
    told = json.loads(capsys.readouterr().out)
    assert told["status"] == "SATISFIABLE"
    assert told["steps"] == told["flips"] + told["null_steps"]
    assert dimacs.read_dimacs(easy).is_model([literal > 0 for literal in told["model"]])
    assert run(["saps", str(easy), "--json", "--cutoff-steps", "0"]) == 0
    assert json.loads(capsys.readouterr().out)["model"] is None


@pytest.mark.parametrize(
    "line",
    [
        "--alpha 1.3 --seed 4",
        "--cutoff-steps 10 --smoothing convex",
        "--seed 4 --seed 5",
        "--alpha 0.5",
        "--alpha x",
        "--seed 1.5",
        "--seed",
        "--path y",
        "--no 1",
        "alpha 1",
    ],
)
def test_without_a_parser_it_says_the_same(
    easy: Path, line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The short way to what a race starts over and over, and the long one."""
    seen = []
    for _ in range(2):
        code = run(["saps", str(easy), *line.split()])
        said = capsys.readouterr()
        seen.append((code, said.out.splitlines()[1:], said.err))
        monkeypatch.setattr("heats.sat.command.parse_plain_options", lambda arguments: None)
    assert seen[0] == seen[1]


def test_the_short_way_is_taken() -> None:
    """By plain lines only."""
    assert parse_plain_options(["x.cnf", "--alpha", "1.3", "--cutoff-steps", "7"]) == {
        "path": "x.cnf",
        "alpha": 1.3,
        "cutoff_steps": 7,
    }
    for other in ([], ["--help"], ["x.cnf", "--json"], ["x.cnf", "--json", "1"], ["--alpha", "1", "x.cnf"]):
        assert parse_plain_options(other) is None


def test_undecided_and_unsatisfiable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Undecided is no failure, exit code 0; an empty clause is decided, exit code 20."""
    dimacs.write_dimacs(Cnf(1, [[1], [-1]]), tmp_path / "x.cnf")
    assert run(["saps", str(tmp_path / "x.cnf"), "--cutoff-steps", "100"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["s UNKNOWN"]
    dimacs.write_dimacs(Cnf(1, [[]]), tmp_path / "x.cnf")
    assert run(["saps", str(tmp_path / "x.cnf")]) == 20
    assert capsys.readouterr().out.splitlines()[1:] == ["s UNSATISFIABLE"]
    dimacs.write_dimacs(Cnf(0, []), tmp_path / "x.cnf")
    assert run(["saps", str(tmp_path / "x.cnf")]) == 10
    assert capsys.readouterr().out.splitlines()[1:] == ["s SATISFIABLE", "v 0"]


def test_instances_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """So many files, each what the library makes of its number and seed."""
    line = f"swgcp --count 3 --seed 2 --fewest 12 --most 20 --degree 4 --colours 3 --lp 2 --out {tmp_path}/new/er"
    assert run(shlex.split(line)) == 0
    paths = [Path(shown) for shown in capsys.readouterr().out.splitlines()]
    assert [path.name for path in paths] == ["swgcp-2-0000.cnf", "swgcp-2-0001.cnf", "swgcp-2-0002.cnf"]
    for number, path in enumerate(paths):
        assert dimacs.read_dimacs(path) == swgcp.make_instance(number, 2, swgcp.Family(12, 20, 4, 3, 2)).cnf
    before = [path.read_bytes() for path in paths]
    assert run([*shlex.split(line), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [str(path) for path in paths]
    assert [path.read_bytes() for path in paths] == before


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("saps no.cnf", "no.cnf does not exist"),
        ("saps {folder}/bad.cnf", "bad.cnf, line 2: expected a literal or 0, found 'x'"),
        ("saps {folder}/good.cnf --alpha 0.5", "--alpha 0.5"),
        ("saps {folder}/good.cnf --smoothing no", "choose one of additive, convex"),
        ("saps {folder}/good.cnf --cutoff-steps -1", "heats: --cutoff-steps -1 must be from 0"),
        ("swgcp --count 0", "--count 0"),
        ("swgcp --degree 5", "--degree 5 must be even"),
        ("swgcp --out {folder}/good.cnf", "is a file; give a folder"),
    ],
)
def test_mistakes_are_one_sentence(
    line: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On standard error, exit code 2."""
    (tmp_path / "bad.cnf").write_text("p cnf 1 1\nx 0\n")
    (tmp_path / "good.cnf").write_text("p cnf 1 1\n1 0\n")
    assert run(shlex.split(line.format(folder=tmp_path))) == 2
    seen = capsys.readouterr()
    assert seen.out == ""
    assert sentence in seen.err
    assert seen.err.count("\n") == 1


def test_a_missing_extra_is_named(tmp_path: Path) -> None:
    """In one sentence, with the command that installs it."""
    code = "import sys; sys.modules['pysat'] = None; from heats.cli.app import run; sys.exit(run(['swgcp']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.endswith(f"{advise_install('sat')}\n")
    assert done.stderr.count("\n") == 1


def test_the_help_of_saps_has_all_its_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    """Those of a formula without a model, too."""
    assert run(["saps", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Exit code 10 if one is found, 20 if an empty clause rules it out, 0 if it gave up." in shown
