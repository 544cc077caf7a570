"""Readers: small hand-written files of each format, the awkward ones too, and broken ones with file and line."""

from __future__ import annotations

import contextlib
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heats.cli.app import run
from heats.engine.feedback import Kind
from heats.environments import Rankings, RuntimeTable, ScoreTable, read
from heats.environments.files.opening import MOST_FILE_BYTES
from heats.errors import BrokenFile, InvalidArgument
from tests.environments.test_arguments import check_sentence

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
        (DESCRIPTION.replace("10.0", "abc"), RUNS, "the cutoff 'abc' is not a number"),
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
        (HEADER + "1: 1,2,9\n", "line 6: alternative 9 is unknown or is named twice"),
        (HEADER + "1: 1,1,2\n", "named twice"),
        (HEADER + "1: 1,2\n", "line 6: not all 3 alternatives"),
        (HEADER + "1: {1,2},4\n", "line 6: a tie in a file of strict orders"),
        (HEADER + "-1: 1,2,4\n", "line 6: expected"),
        (HEADER + "1: 1 2,,4\n", "line 6: expected"),
        (HEADER + "999999999999: 1,2,4\n", "more than 1000000 voters"),
        (HEADER, "no orders"),
        ("3\n1,a\n", "line 1: a number alone, so this is PrefLib's old format.*https://www.preflib.org"),
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
        ("x.csv", "a\n3\n", "line 1: 'a' is the only column; a table needs at least two arms"),
        ("x.csv", "a,b\n1,2\n3,1e200\n", "line 3: expected a number within ±1e.100 for 'b', found '1e200'"),
        ("x.csv", "a,b\n1,2\n".encode("utf-16").decode("latin-1"), "zero bytes, as UTF-16 does; save it as UTF-8"),
        ("x.csv", "inst,b\nx1,4\n", "a column of names"),
        ("x.csv", "a,b\n1,x\n", "found 'x'"),
        ("x.csv", "a,b\n\n\n1,inf\n", "line 4: expected a number for 'b', found 'inf'"),
        ("x.npz", "", "not an .npz table"),
        ("x.csv", "a\n1\n", "two arms"),
        ("x.npz", "not a zip", "not an .npz table"),
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


def test_losses_are_replayed_without_a_minus(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From a .csv, from a .npz, from a scenario whose quality is to be small."""
    (tmp_path / "x.csv").write_text("a,b,c\n1,2,9\n1,3,9\n4,3,9\n")
    assert run(["replay", str(tmp_path / "x.csv"), "-k", "2", "-B", "30", "--values", "loss", "--reps", "20"]) == 0
    shown = capsys.readouterr().out
    assert "best by mean loss: a, found in" in shown
    assert "of the best 2" in shown
    assert "-" not in shown.replace("95% interval", "")
    np.savez(tmp_path / "x.npz", loss=np.array([[1.0, 2.0]]))
    about = DESCRIPTION.replace("- runtime\nmaximize", "- quality\nmaximize").replace("- runtime", "- solution_quality")
    for world in (
        read(tmp_path / "x.npz", feedback="winner"),
        read(scenario(tmp_path, about, RUNS.replace("@ATTRIBUTE runtime", "@ATTRIBUTE quality"))),
    ):
        assert world.quality is not None
        assert world.quality[0] == "mean loss"
        assert (world.quality[1] > 0).all()
        assert world.best == world.quality[1].argmin()


def npz(path: Path, **arrays: Any) -> bytes:
    np.savez_compressed(path, **(arrays or {"runtime": np.arange(1.0, 61.0).reshape(20, 3), "cutoff": 70.0}))
    return path.read_bytes()


def patched(archive: bytes, local: int, central: int, value: bytes) -> bytes:
    """Change a field of every header of an archive."""
    content = bytearray(archive)
    for mark, offset in ((b"PK\x03\x04", local), (b"PK\x01\x02", central)):
        at = content.find(mark)
        while at >= 0:
            content[at + offset : at + offset + len(value)] = value
            at = content.find(mark, at + 1)
    return bytes(content)


def header_of(shape: str) -> bytes:
    """A .npy file that promises a shape and has no data."""
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


@pytest.mark.parametrize("damage", ["encrypted", "method", "data", "shape", "negative", "text", "no-array", "empty"])
def test_damaged_archives(tmp_path: Path, damage: str) -> None:
    """Whatever NumPy, zipfile and zlib raise, it is one sentence that names the file."""
    path = tmp_path / "x.npz"
    whole = npz(path)
    if damage in ("shape", "negative", "text", "no-array", "empty"):
        members = {
            "shape": ("runtime.npy", header_of("(1000000000, 1000000000)")),
            "negative": ("runtime.npy", header_of("(-5, 'a')")),
            "text": ("runtime.npy", b"hello"),
            "no-array": ("runtime", b"hello"),
            "empty": ("runtime.npy", b""),
        }
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(*members[damage])
    elif damage == "encrypted":
        path.write_bytes(patched(whole, 6, 8, b"\x01\x00"))
    elif damage == "method":
        path.write_bytes(patched(whole, 8, 10, b"\x63\x00"))
    else:
        start = whole.find(b"runtime.npy") + 40
        path.write_bytes(whole[:start] + bytes(b ^ 0x55 for b in whole[start : start + 60]) + whole[start + 60 :])
    with pytest.raises(BrokenFile, match=r"x\.npz") as caught:
        read(path)
    check_sentence(str(caught.value))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.dictionaries(st.integers(0, 2000), st.integers(0, 255), max_size=6), cut=st.integers(0, 2000))
def test_archives_with_wrong_bytes(tmp_path: Path, changes: dict[int, int], cut: int) -> None:
    """A world, or one of our errors, for any bytes that differ and any end that is missing."""
    path = tmp_path / "x.npz"
    content = bytearray(npz(path))
    for place, byte in changes.items():
        content[place % len(content)] = byte
    path.write_bytes(bytes(content[: len(content) - (cut if cut < len(content) // 4 else 0)]))
    try:
        assert read(path).n_arms >= 2
    except InvalidArgument as error:
        check_sentence(str(error))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(["x.csv", "x.soc", "x.soi", "x.toc", "x.toi", "x.npz", "description.txt"]),
    content=st.one_of(st.binary(max_size=80), st.text("0123456789,:{}#\n \"'ab.-e", max_size=80).map(str.encode)),
)
def test_files_of_any_bytes(tmp_path: Path, name: str, content: bytes) -> None:
    """Nothing but our own errors."""
    (tmp_path / "algorithm_runs.arff").write_bytes(content)
    (tmp_path / name).write_bytes(HEADER.encode() + content if name[2:] in ("soc", "toi") else content)
    for values in (None, "runtime") if name == "x.csv" else (None,):
        with contextlib.suppress(InvalidArgument):
            assert read(tmp_path if name == "description.txt" else tmp_path / name, values).n_arms >= 2


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    """A pipe would never end, nor would a device: refused at once, wherever they are met."""
    os.mkfifo(tmp_path / "x.csv")
    (tmp_path / "x.npz").symlink_to("/dev/zero")
    (tmp_path / "description.txt").write_text(DESCRIPTION)
    os.mkfifo(tmp_path / "algorithm_runs.arff")
    for path in ("/dev/zero", tmp_path / "x.csv", tmp_path / "x.npz", tmp_path):
        with pytest.raises(InvalidArgument, match="is a pipe, a device or the like; give a regular file"):
            read(path)


def test_files_may_be_too_large(tmp_path: Path) -> None:
    """By their own size, or by what is packed into them; max_bytes raises the limit."""
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InvalidArgument, match=r"x\.csv holds 8 bytes or more, and max_bytes=7; raise it"):
        read(tmp_path / "x.csv", max_bytes=7)
    assert read(tmp_path / "x.csv", max_bytes=8).n_arms == 2
    size = len(npz(tmp_path / "x.npz", score=np.zeros((10_000, 10))))
    assert size < 10_000
    with pytest.raises(InvalidArgument, match=r"x\.npz holds 800128 bytes or more, and max_bytes=10000"):
        read(tmp_path / "x.npz", max_bytes=10_000)
    assert read(tmp_path / "x.npz", max_bytes=900_000).n_rows == 10_000
    with pytest.raises(InvalidArgument, match="max_bytes=0"):
        read(tmp_path / "x.csv", max_bytes=0)
    with (tmp_path / "y.csv").open("wb") as file:
        file.truncate(MOST_FILE_BYTES + 1)  # a hole: it takes no space
    with pytest.raises(InvalidArgument, match=r"y\.csv holds 1073741825 bytes"):
        read(tmp_path / "y.csv")


def test_small_files_may_ask_for_large_tables(tmp_path: Path) -> None:
    """A million voters on a thousand alternatives are refused before the table is made."""
    names = "".join(f"# ALTERNATIVE NAME {i}: {i}\n" for i in range(1, 1001))
    (tmp_path / "x.soi").write_text(names + "1000000: 1,2\n")
    with pytest.raises(BrokenFile, match="1000000 rows × 1000 arms, too large"):
        read(tmp_path / "x.soi")


def test_the_old_preflib_format_is_named(tmp_path: Path) -> None:
    """As files were before: how many candidates, their names, how many voters, the votes."""
    (tmp_path / "x.soc").write_text("3\n1,tea\n2,coffee\n3,milk\n4,4,2\n3,1,2,3\n1,3,2,1\n")
    with pytest.raises(BrokenFile, match=r"line 1: .* PrefLib's old format.*again from https://www\.preflib\.org"):
        read(tmp_path / "x.soc")


def test_numbers_that_make_no_world_are_the_file_s_fault(tmp_path: Path) -> None:
    """The file is named; an argument that was wrong is not blamed on it."""
    (tmp_path / "x.csv").write_text("a,b\n1,1e300\n")
    with pytest.raises(BrokenFile, match=r"x\.csv, line 2: expected .* for .b., found .1e300."):
        read(tmp_path / "x.csv")
    (tmp_path / "x.csv").write_bytes(b"\xef\xbb\xbfa,b\n1,2\n")  # as spreadsheets write it
    assert read(tmp_path / "x.csv").names == ("a", "b")
    with pytest.raises(InvalidArgument, match="feedback='seconds' does not go") as caught:
        read(tmp_path / "x.csv", feedback="seconds")
    assert not isinstance(caught.value, BrokenFile)
    np.savez(tmp_path / "x.npz", runtime=np.ones((2, 3)), cutoff=np.ones(2))
    with pytest.raises(BrokenFile, match="2 numbers called cutoff"):
        read(tmp_path / "x.npz")
    np.savez(tmp_path / "x.npz", runtime=np.ones((2, 3)), solved=np.ones((2, 2), bool))
    with pytest.raises(BrokenFile, match="they must be the same"):
        read(tmp_path / "x.npz")


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
