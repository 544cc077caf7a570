"""Readers: small hand-written files of each format, the awkward ones too, and broken ones with file and line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from heats.cli.app import run
from heats.engine.feedback import Kind
from heats.environments import Rankings, RuntimeTable, ScoreTable, read
from heats.errors import BrokenFile, InvalidArgument

DESCRIPTION = """scenario_id: TINY
performance_measures:
  - runtime
maximize:
  - false
performance_type:
  - runtime
algorithm_cutoff_time: 10.0   # seconds
"""

RUNS = """@RELATION ALGORITHM_RUNS_TINY
% a comment
@ATTRIBUTE instance_id STRING
@ATTRIBUTE repetition NUMERIC
@ATTRIBUTE algorithm STRING
@ATTRIBUTE runtime NUMERIC
@ATTRIBUTE runstatus {ok, timeout, memout}

@DATA
'a, with comma.cnf',1,fast,1.5,ok
'a, with comma.cnf',1,slow,9,ok
'a, with comma.cnf',2,fast,2.5,ok
'a, with comma.cnf',2,slow,10.0,timeout
b.cnf,1,fast,?,memout
b.cnf,1,slow,12.0,ok
c.cnf,1,fast,3,ok
"""


def scenario(folder: Path, description: str = DESCRIPTION, runs: str = RUNS) -> Path:
    (folder / "description.txt").write_text(description)
    (folder / "algorithm_runs.arff").write_text(runs)
    return folder


def test_aslib(tmp_path: Path) -> None:
    """Quoted commas, repetitions, a time-out, a value that is missing, a run beyond the cutoff, a run that is not there."""
    world = read(scenario(tmp_path))
    assert isinstance(world, RuntimeTable)
    assert world.names == ("fast", "slow")
    assert (world.n_rows, world.cutoff, world.kind) == (4, 10.0, Kind.WINNER)
    assert world.mean_seconds.tolist() == [(1.5 + 2.5 + 10 + 3) / 4, (9 + 10 + 10 + 10) / 4]
    assert world.limits((0, 1)) == [0.75, 0.0]
    assert read(tmp_path, feedback="seconds").kind is Kind.REWARDS


def test_aslib_with_qualities(tmp_path: Path) -> None:
    """Solution quality, to be maximised: larger is better; what failed counts as the worst seen."""
    about = DESCRIPTION.replace("- runtime\nmaximize:\n  - false", "- quality\nmaximize:\n  - true").replace(
        "- runtime", "- solution_quality"
    )
    runs = RUNS.replace("@ATTRIBUTE runtime", "@ATTRIBUTE quality")
    world = read(scenario(tmp_path, about, runs))
    assert isinstance(world, ScoreTable)
    assert world.limits((0, 1))[0] == pytest.approx((1.5 + 2.5 + 1.5 + 3) / 4)


@pytest.mark.parametrize(
    ("description", "runs", "message"),
    [
        (
            DESCRIPTION,
            RUNS.replace("1.5,ok", "quick,ok"),
            r"algorithm_runs.arff, line 10: expected a number for runtime, found 'quick'",
        ),
        (DESCRIPTION, RUNS.replace("fast,1.5,ok", "fast,1.5"), r"line 10: expected 5 values \(instance_id"),
        (DESCRIPTION, RUNS.replace("@DATA", ""), "no @DATA"),
        (DESCRIPTION, RUNS.replace("runstatus", "status"), "no column 'runstatus'"),
        (DESCRIPTION, RUNS.split("@DATA")[0] + "@DATA\n", "has no runs"),
        (DESCRIPTION, RUNS + "c.cnf,1,fast,4,ok\n", "line 17: a second run of fast on c.cnf"),
        (DESCRIPTION.replace("10.0", "abc"), RUNS, "the cutoff 'abc' is no number"),
        (DESCRIPTION, RUNS.split("@DATA")[0] + "@DATA\na,1,x,?,ok\nb,1,y,?,ok\n", "no runtime at all"),
    ],
)
def test_broken_aslib(tmp_path: Path, description: str, runs: str, message: str) -> None:
    """File, line, what was expected."""
    with pytest.raises(BrokenFile, match=message):
        read(scenario(tmp_path, description, runs))


def test_a_folder_that_is_no_scenario(tmp_path: Path) -> None:
    """Says what is missing."""
    with pytest.raises(BrokenFile, match=r"no description\.txt"):
        read(tmp_path)
    (tmp_path / "description.txt").write_text(DESCRIPTION)
    with pytest.raises(BrokenFile, match=r"no algorithm_runs\.arff"):
        read(tmp_path)


HEADER = "# FILE NAME: x\n# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: tea, black\n# ALTERNATIVE NAME 2: coffee\n# ALTERNATIVE NAME 4: milk\n"


def test_preflib_complete_orders(tmp_path: Path) -> None:
    """Counts multiply voters; alternatives need not be numbered without gaps."""
    (tmp_path / "x.soc").write_text(HEADER + "2: 1,2,4\n1: 4,1,2\n")
    world = read(tmp_path / "x.soc")
    assert isinstance(world, Rankings)
    assert world.names == ("tea, black", "coffee", "milk")
    assert world.n_rows == 3
    assert world.limits((0, 1, 2)) == pytest.approx([(1 + 1 + 0.5) / 3, (0.5 + 0.5 + 0) / 3, 1 / 3])
    assert read(tmp_path / "x.soc", feedback="winner").limits((0, 2)) == pytest.approx([2 / 3, 1 / 3])


def test_preflib_ties_and_partial_orders(tmp_path: Path) -> None:
    """{…} shares its places; those not ranked share the places left."""
    (tmp_path / "x.toi").write_text(HEADER + "1: {1,2},4\n1: 4\n")
    world = read(tmp_path / "x.toi")
    assert world.limits((0, 1, 2)) == pytest.approx([(0.75 + 0.25) / 2, (0.75 + 0.25) / 2, (0 + 1) / 2])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEADER + "1: 1,2,4\nx: 1\n", "line 7: expected 'count: 1,2,"),
        (HEADER + "1 1,2,4\n", "line 6: expected"),
        (HEADER + "1: 1,{2,4\n", "line 6: expected"),
        (HEADER + "1: 1,2,9\n", "line 6: alternative 9 is unknown or stands twice"),
        (HEADER + "1: 1,1,2\n", "stands twice"),
        (HEADER + "1: 1,2\n", "line 6: not all 3 alternatives"),
        (HEADER + "1: {1,2},4\n", "line 6: a tie in a file of strict orders"),
        (HEADER + "-1: 1,2,4\n", "line 6: expected"),
        (HEADER + "1: 1 2,,4\n", "line 6: expected"),
        (HEADER + "999999999999: 1,2,4\n", "more than 1000000 voters"),
        (HEADER, "no orders"),
        ("3\n1,a\n", "line 1: expected"),
        ("1: 1,2\n", "no '# ALTERNATIVE NAME' line"),
    ],
)
def test_broken_preflib(tmp_path: Path, text: str, message: str) -> None:
    """File, line, what was expected."""
    (tmp_path / "x.soc").write_text(text)
    with pytest.raises(BrokenFile, match=message):
        read(tmp_path / "x.soc")


def test_tables(tmp_path: Path) -> None:
    """CSV of scores, losses or runtimes; an empty runtime did not finish."""
    (tmp_path / "x.csv").write_text('"a, the first",b\n1,2\n3,\n')
    with pytest.raises(BrokenFile, match=r"line 3: expected a number for 'b', found ''"):
        read(tmp_path / "x.csv")
    times = read(tmp_path / "x.csv", values="runtime")
    assert isinstance(times, RuntimeTable)
    assert times.names == ("a, the first", "b")
    assert times.limits((0, 1)) == [1.0, 0.0]
    (tmp_path / "y.csv").write_text("a,b\n1,2\n")
    assert read(tmp_path / "y.csv").best == 1
    assert read(tmp_path / "y.csv", values="loss").best == 0
    np.savez(
        tmp_path / "t.npz",
        runtime=np.ones((2, 3)),
        solved=np.ones((2, 3), bool),
        cutoff=9.0,
        algorithms=["a", "b", "c"],
    )
    assert read(tmp_path / "t.npz").names == ("a", "b", "c")
    np.savez(tmp_path / "s.npz", score=np.arange(24.0).reshape(2, 3, 4))
    assert (read(tmp_path / "s.npz").n_arms, read(tmp_path / "s.npz").best) == (3, 2)
    np.savez(tmp_path / "r.npz", rankings=np.array([[2, 0, 1], [2, 1, 0]]), items=["x", "y", "z"])
    assert read(tmp_path / "r.npz").best == 2
    np.savez(tmp_path / "l.npz", loss=np.array([[1.0, 2.0]]))
    assert read(tmp_path / "l.npz").best == 0


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv", "a,b\n", "at least one line of numbers"),
        ("x.csv", "a,b\n1\n", "line 2: expected 2 values, found 1"),
        ("x.csv", "1,2\n3,4\n", "line 1: only numbers"),
        ("x.csv", "a,a\n3,4\n", "the same name"),
        ("x.csv", "a;b\n3;4\n", "separated by ';'"),
        ("x.csv", "inst,b\nx1,4\n", "a column of names"),
        ("x.csv", "a,b\n1,x\n", "found 'x'"),
        ("x.csv", "a,b\n\n\n1,inf\n", "line 4: expected a number for 'b', found 'inf'"),
        ("x.npz", "", "no .npz table"),
        ("x.csv", "a\n1\n", "two arms"),
        ("x.npz", "not a zip", "no .npz table"),
        ("x.txt", "1", "ends in .txt; known are .soc"),
        ("x", "1", "ends in nothing"),
    ],
)
def test_broken_tables(tmp_path: Path, name: str, content: str, message: str) -> None:
    """Unknown types and malformed tables."""
    (tmp_path / name).write_text(content)
    with pytest.raises(InvalidArgument, match=message):
        read(tmp_path / name)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """And arrays under other names."""
    with pytest.raises(InvalidArgument, match="does not exist"):
        read(tmp_path / "x.csv")
    np.savez(tmp_path / "x.npz", other=np.ones(3))
    with pytest.raises(BrokenFile, match="has other; expected an array called"):
        read(tmp_path / "x.npz")
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InvalidArgument, match="values='speed'"):
        read(tmp_path / "x.csv", values="speed")


def test_awkward_files(tmp_path: Path) -> None:
    """Latin-1 names, truncated and odd archives, winners of scores, options that do not apply."""
    (tmp_path / "l.soc").write_bytes(HEADER.replace("milk", "café").encode("latin-1") + b"1: 1,2,4\n")
    assert read(tmp_path / "l.soc").names == ("tea, black", "coffee", "café")
    np.savez(tmp_path / "t.npz", runtime=np.ones((2, 3)))
    (tmp_path / "cut.npz").write_bytes((tmp_path / "t.npz").read_bytes()[:60])
    np.save(tmp_path / "a.npy", np.ones(3))
    (tmp_path / "a.npy").rename(tmp_path / "a.npz")
    np.savez(tmp_path / "text.npz", runtime=np.array([["a", "b"]]))
    np.savez(tmp_path / "scalar.npz", runtime=np.float64(3))
    np.savez(tmp_path / "vector.npz", rankings=np.array([1, 2, 3]))
    for name in ("cut", "a", "text", "scalar", "vector"):
        with pytest.raises(InvalidArgument):
            read(tmp_path / f"{name}.npz")
    np.savez(tmp_path / "nan.npz", runtime=np.array([[1.0, np.nan]]), solved=np.array([[True, False]]))
    assert read(tmp_path / "nan.npz").limits((0, 1)) == [1.0, 0.0]
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    assert read(tmp_path / "x.csv", feedback="winner").kind is Kind.WINNER
    with pytest.raises(InvalidArgument, match="does not go with scores"):
        read(tmp_path / "x.csv", feedback="banana")
    with pytest.raises(InvalidArgument, match=r"for \.csv tables"):
        read(tmp_path / "t.npz", values="runtime")
    (tmp_path / "x.csv").write_text("a,b\n,\n")
    with pytest.raises(BrokenFile, match="no runtime at all"):
        read(tmp_path / "x.csv", values="runtime")
    (tmp_path / "x.csv").write_text("a,b\n1,-2\n")
    with pytest.raises(BrokenFile, match="line 2: expected a time for 'b', found '-2'"):
        read(tmp_path / "x.csv", values="runtime")


def test_replay_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How often which arm is found, and what that costs."""
    (tmp_path / "x.csv").write_text("a,b,c\n1,2,9\n1,3,9\n4,3,9\n")
    assert run(["replay", str(tmp_path / "x.csv"), "-k", "2", "-B", "30", "--values", "runtime", "--reps", "200"]) == 0
    shown = capsys.readouterr().out
    assert "best by mean seconds: a, found in" in shown
    assert "winner feedback" in shown
    assert "seconds of a tournament, its heats run in parallel" in shown
    assert run(["replay", str(tmp_path / "x.csv"), "-k", "2", "-B", "30", "--strategy", "round-robin", "--json"]) == 0
    assert '"best":"c"' in capsys.readouterr().out
    assert run(["replay", str(tmp_path / "none.csv"), "-k", "2", "-B", "30"]) == 2
    assert "does not exist" in capsys.readouterr().err


SHARED = Path(__file__).parents[3] / "shared" / "data"


@pytest.mark.skipif(not SHARED.exists(), reason="the recorded tables are not here")
def test_real_tables() -> None:
    """Every recorded table can be read, and knows its best arm."""
    import json

    facts: Any = json.loads((SHARED / "facts.json").read_text())
    files = [
        file for file in sorted(SHARED.glob("*.npz")) if file.stem not in ("llm_llmfao_pairs", "hpo_sklearn_mlp_curves")
    ]
    assert len(files) > 40
    for file in files:
        world = read(file)
        assert world.best is not None
        assert world.n_arms > 1
    assert facts
    qbf = read(SHARED / "aslib_qbf_2016.npz")
    assert isinstance(qbf, RuntimeTable)
    assert qbf.names is not None
    assert qbf.names[qbf.best or 0] == "xb-bid-qsts"
    assert round(float(qbf.mean_seconds.min()), 1) == 387.4
