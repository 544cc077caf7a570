"""Section 6: the table of runs can be made again, entry by entry; races on it cost what they should; claims follow."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import heats
from heats.base import randomness
from heats.base.randomness import Purpose
from heats.environments import read
from heats.errors import BrokenFile, InvalidArgument
from heats.experiments import live, reproduce
from heats.experiments.saps import equal, race, runs_table
from heats.experiments.saps import live as races_for_real
from heats.experiments.saps.checks import RaceView
from heats.experiments.saps.claims import CLAIMS
from heats.experiments.saps.equal import (
    ALONE,
    EqualCell,
    EqualResult,
    find_budget,
    list_equal_cells,
    play_equal,
)
from heats.experiments.saps.equal_page import tell_equal
from heats.experiments.saps.figure import draw_races
from heats.experiments.saps.live_report import describe_live, write_live
from heats.experiments.saps.page import make_race_section
from heats.experiments.saps.race import Price, RaceCell, RaceResult, list_races, make_racer, run_race
from heats.experiments.saps.runs_table import ARMS, CUTOFF_STEPS, RunsTable, load_table, make_table, run_row
from heats.experiments.shared.csv_files import read_rows, write_rows
from heats.experiments.shared.verdicts import Share
from heats.sat import saps, swgcp
from heats.sat.parameters import Parameters
from heats.sat.swgcp import Family, write_instances
from tests.experiments.figures import is_drawn
from tests.experiments.reading import read_equal, read_races

ROOT = Path(__file__).parents[2] / "docs" / "reproduction"


@pytest.fixture(scope="module")
def table() -> RunsTable:
    return load_table()


def test_the_shipped_table_is_complete(table: RunsTable) -> None:
    """Twenty arms, two thousand instances, censored at the cutoff, in a small file without pickles."""
    assert table.runtime.shape == table.solved.shape == (runs_table.INSTANCES, ARMS)
    assert (table.cutoff, table.seed) == (CUTOFF_STEPS, 0)
    assert (table.runtime[~table.solved] == table.cutoff).all()
    assert table.runtime.min() >= 0
    assert table.runtime.max() <= table.cutoff
    assert table.parameters.tolist() == [list(Parameters.sample(0, arm)) for arm in range(ARMS)]
    assert runs_table.SHIPPED.stat().st_size < 400_000


def test_shipped_entries_can_be_made_again(table: RunsTable) -> None:
    """Some rows, all arms of one and a few of others, exactly."""
    for row, arms in ((0, range(ARMS)), (1234, (3, 6)), (runs_table.INSTANCES - 1, (0, 14, 19))):
        steps = run_row(row, arms, table.seed, table.cutoff)
        expected = [int(table.runtime[row, arm]) if table.solved[row, arm] else -1 for arm in arms]
        assert steps == expected


def test_a_stopped_table_goes_on(tmp_path: Path) -> None:
    """One worker or two, in one go or after a stop that cut a line: the same table."""
    first = load_table(make_table(tmp_path / "a", 3, 1, instances=4, cutoff=200))
    made: list[tuple[int, int]] = []
    (tmp_path / "b").mkdir()
    kept = tmp_path / "b" / "race-table-3-200.part"
    kept.write_text(" ".join(map(str, (2, *run_row(2, range(ARMS), 3, 200)))) + "\n" + "3 17 18")
    second = load_table(make_table(tmp_path / "b", 3, 2, lambda *at: made.append(at), instances=4, cutoff=200))
    assert first.runtime.tolist() == second.runtime.tolist()
    assert first.solved.tolist() == second.solved.tolist()
    assert made[-1] == (4, 4)
    assert not kept.exists()
    world = read(tmp_path / "b" / "race-table.npz")  # as heats replay does
    assert world.names is not None
    assert world.names[0].startswith("alpha=1.")


def test_files_of_something_else_are_refused(tmp_path: Path) -> None:
    """Neither overwritten nor read."""
    (tmp_path / "race-table-0-200.part").write_text("hello\n")
    with pytest.raises(BrokenFile, match="not an unfinished table"):
        make_table(tmp_path, 0, 1, instances=1, cutoff=200)
    (tmp_path / "race-table.npz").write_text("hello")
    with pytest.raises(BrokenFile, match="not a table of heats reproduce race-table"):
        load_table(tmp_path / "race-table.npz")
    (tmp_path / "fig-race.csv").write_text("k,B\nx,y\n")
    with pytest.raises(BrokenFile, match="line 2: not a result"):
        read_races(tmp_path / "fig-race.csv")


def parse_rows(path: Path) -> list[tuple[str, float]]:
    return read_rows(path, lambda row: (row["name"], float(row["value"])), "some")


def test_what_was_cut_off_is_refused(tmp_path: Path) -> None:
    """A number that lacks its last digits would be another number; nothing cut off is ever written."""
    path = tmp_path / "some.csv"
    write_rows(path, ("name", "value"), [("a", 1.25), ("b", 2.5)])
    whole = path.read_bytes()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    for size in range(len("name,value\n"), len(whole)):
        path.write_bytes(whole[:size])
        if whole[:size].endswith(b"\n"):
            assert parse_rows(path) == [("a", 1.25), ("b", 2.5)][: whole[:size].count(b"\n") - 1]
        else:
            with pytest.raises(BrokenFile, match="not a result of heats some; move the file away"):
                parse_rows(path)


def test_a_table_that_was_cut_off_or_cannot_be_read(tmp_path: Path, table: RunsTable) -> None:
    """Each for its own reason; and the new one is whole before it takes the place of the old one."""
    path = tmp_path / "race-table.npz"
    table.save(path)
    whole = path.read_bytes()
    assert (load_table(path).runtime == table.runtime).all()
    for size in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(BrokenFile, match="not a table of heats reproduce race-table"):
            load_table(path)
    with pytest.raises(InvalidArgument, match=r"none\.npz cannot be read: No such file or directory"):
        load_table(tmp_path / "none.npz")
    (tmp_path / "race-table-0-200.part").write_bytes(b"\xff\n")
    with pytest.raises(BrokenFile, match="not text in UTF-8"):
        make_table(tmp_path, 0, 1, instances=1, cutoff=200)


@pytest.mark.parametrize("write", ["rows", "table", "instances"])
def test_nothing_is_half_written(tmp_path: Path, table: RunsTable, monkeypatch: pytest.MonkeyPatch, write: str) -> None:
    """What is read later is on the disk before it has its name; a failure leaves what was there."""
    writers: dict[str, Callable[[Path], object]] = {
        "rows": lambda path: write_rows(path, ("a",), [(1,)]),
        "table": table.save,
        "instances": lambda path: write_instances(path.parent, 1, 7, Family(20, 20)),
    }
    path = tmp_path / "swgcp-7-0000.cnf"
    path.write_text("before")

    def fail(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="No space left"):
            writers[write](path)
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [(path.name, "before")]
    writers[write](path)
    assert path.read_bytes() != b"before"


def test_prices(table: RunsTable) -> None:
    """Until the first has finished, or the cutoff; for all runs, so often as there are runs; the second look is equal."""
    price = Price(table)
    heats_of = np.array([[[3, 6, 9], [9, 3, 6]], [[0, 1, 2], [17, 18, 19]]])
    expected = [[table.runtime[:, heat].min(axis=1).mean() for heat in row] for row in heats_of]
    for _ in range(2):
        assert price.until_first(heats_of) == pytest.approx(np.array(expected))
        assert price.of_all(heats_of) == pytest.approx(3 * np.array(expected))
    assert price.of_all(np.array([[4]])) == pytest.approx(table.runtime[:, 4].mean())


def test_successive_halving_runs_every_pull_to_its_end(table: RunsTable) -> None:
    """So its two runtimes are the same, and it may make k·B pulls."""
    result = run_race(RaceCell(4, 50, "successive-halving"), table, Price(table), 20, 1)
    assert result.cpu == result.finishers
    machine = make_racer(result.cell)
    assert isinstance(machine, heats.SuccessiveHalving)
    assert machine.budget == 200


@pytest.mark.slow
def test_fig_race(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written as PNG, SVG and CSV, which can be read again; a table in the folder is preferred."""
    monkeypatch.setattr(equal, "CPU_TIMES", (300_000, 600_000))
    monkeypatch.setattr(equal, "RACERS", ("csh-exact", "adaptive"))
    monkeypatch.setattr(equal, "PILOT_REPS", 4)
    few = load_table()
    few._replace(runtime=few.runtime[:50], solved=few.solved[:50]).save(tmp_path / "race-table.npz")
    written = reproduce(["fig-race"], tmp_path, reps=4, workers=1)
    names = {f"{stem}.{ending}" for stem in ("fig-race", "fig-race-cpu") for ending in ("png", "svg", "csv")}
    assert {path.name for path in written} == names
    for stem in ("fig-race", "fig-race-cpu"):
        assert is_drawn(tmp_path / f"{stem}.png")
    results = read_races(tmp_path / "fig-race.csv")
    assert list(results) == list(list_races())
    figure = draw_races(results)
    assert [panel.get_title() for panel in figure.axes[:3]] == ["k = 2", "k = 4", "k = 8"]
    over_times = read_equal(tmp_path / "fig-race-cpu.csv")
    assert list(over_times) == list_equal_cells()
    section = make_race_section(results, over_times, load_table(tmp_path / "race-table.npz"))
    assert "50 satisfiable SW-GCP instances" in section
    assert "| algorithm | k | 0.3 million steps | 0.6 million steps |" in section


def test_a_committed_race_can_be_run_again(table: RunsTable) -> None:
    """Some points, from their names and the seed; a plan that changed would show here."""
    committed = read_races(ROOT / "fig-race.csv")
    for cell in (RaceCell(2, 100, "csh-exact"), RaceCell(4, 50, "round-robin"), RaceCell(8, 100, "planned")):
        again = run_race(cell, table, Price(table), 1000, 0)
        assert (again.share, again.favourites) == (committed[cell].share, committed[cell].favourites)
        assert again.cpu == pytest.approx(committed[cell].cpu, abs=0.1)


@given(time=st.floats(1, 1e6), price=st.floats(0.01, 1e3), step=st.integers(1, 40))
def test_a_budget_never_takes_more_than_the_time(time: float, price: float, step: int) -> None:
    """Whether what pulls take rises evenly or in steps; a single pull is always made, whatever it takes."""

    def spend(pulls: int) -> float:
        return price * (pulls // step) * step

    pulls = find_budget(time, spend)
    assert pulls == 1 or spend(pulls) <= time
    if step == 1 and time > 100 * price:
        assert spend(pulls) >= 0.9 * time


def test_a_committed_point_at_equal_times_can_be_played_again(table: RunsTable) -> None:
    """From its name and the seed, its budget included."""
    committed = read_equal(ROOT / "fig-race-cpu.csv")
    assert list(committed) == list_equal_cells()
    for cell in (EqualCell(2_000_000, 4, "csh-exact"), EqualCell(4_000_000, ALONE, "successive-halving")):
        again = play_equal(cell, table, Price(table), 1000, 0)
        assert (again.budget, again.share) == (committed[cell].budget, committed[cell].share)
        assert again.cpu == pytest.approx(committed[cell].cpu, abs=0.1)
    assert all(each.cpu <= 1.1 * each.cell.time for each in committed.values())


def equal_results(races: int, halving: int) -> dict[EqualCell, EqualResult]:
    """Results in which all races have the same successes of 1000, and Successive Halving its own."""
    return {
        cell: EqualResult(
            cell, 100, Share(halving if cell.heat_size == ALONE else races, 1000), 9000.0, float(cell.time)
        )
        for cell in list_equal_cells()
    }


@pytest.mark.parametrize(
    ("races", "halving", "counts", "said"),
    [
        (600, 500, "24, 0, 0", "behind it at none of these times"),
        (500, 500, "0, 24, 0", "at none of these times, and all of them behind it at none of these times"),
        (400, 500, "0, 0, 24", "behind it at 1, 2, 4, 8, 16 million steps"),
    ],
)
def test_what_holds_at_equal_times_follows_the_numbers(races: int, halving: int, counts: str, said: str) -> None:
    """Races ahead of Successive Halving, level with it, or behind."""
    section = "\n".join(tell_equal(equal_results(races, halving)))
    assert f"| races ahead, level, behind |  | {' | '.join([counts] * 5)} |" in section
    assert said in " ".join(section.split())


def test_races_for_real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every algorithm, equal for one worker and two, within the budget, beside the table."""
    monkeypatch.setattr(races_for_real, "TABLE_REPS", 10)
    one, two = (races_for_real.run_live(runs_table.SHIPPED, 1, 3, n, lambda more: None, budget=6) for n in (1, 2))
    assert [each.played for each in one.values()] == [each.played for each in two.values()]
    assert list(one) == list(race.ALGORITHMS)
    for name, each in one.items():
        assert each.recorded.cell == RaceCell(4, 6, name)
        (played,) = each.played
        assert played.winner in range(ARMS)
        assert played.finishers <= played.cpu <= 4 * played.finishers
        assert played.finishers <= 4 * 6 * CUTOFF_STEPS
    write_live(tmp_path / "live.csv", one, 3)
    assert len((tmp_path / "live.csv").read_text().splitlines()) == 1 + len(one)
    assert "k = 4, B = 6, 1 of each algorithm" in describe_live(one)
    with pytest.raises(InvalidArgument, match="only fig-race can be raced live, and alone"):
        live(["fig-race", "claims"], tmp_path)


def test_a_live_heat_is_won_by_who_needs_fewest_steps(table: RunsTable) -> None:
    """Though each run is stopped at the best so far, in whatever order they come."""
    cnf = swgcp.make_instance(0, 9).cnf
    query = heats.Tournament(heats.plan(ARMS, 4, 100, "csh"), seed=5).ask()
    assert query is not None
    alone: dict[int, int] = {}
    for arm in query.arms:
        key = int(randomness.draw_bits(query.seed, Purpose.LIVE_RUN, arm))
        found = saps.solve(cnf, *Parameters(*table.parameters[arm].tolist()), key, CUTOFF_STEPS)
        alone |= {arm: found.steps} if found.solved else {}
    fastest = min(alone.values())
    assert races_for_real.race_heat(table, query, cnf) == {
        arm: steps for arm, steps in alone.items() if steps == fastest
    }


def made_up(values: dict[str, tuple[int, float]]) -> dict[RaceCell, RaceResult]:
    """Results in which every algorithm has the same successes of 1000 everywhere, and a cost per budget and size."""
    return {
        cell: RaceResult(
            cell, Share(hits, 1000), hits, 1.0, cost * cell.budget * scale, 1.0, cost * cell.budget * scale
        )
        for cell in list_races()
        for hits, cost in [values[cell.algorithm.removesuffix("-paper").removesuffix("-exact")]]
        for scale in [cell.heat_size if cell.algorithm == "successive-halving" else 1]
    }


@pytest.mark.parametrize(
    ("values", "verdicts"),
    [
        (
            {
                "csws": (700, 1),
                "csr": (700, 1),
                "csh": (700, 1),
                "round-robin": (600, 2),
                "successive-halving": (600, 9),
                "planned": (500, 1),
            },
            [True, True, True, True, True, True, True, True, True],
        ),
        (
            {
                "csws": (300, 9),
                "csr": (300, 9),
                "csh": (300, 9),
                "round-robin": (400, 2),
                "successive-halving": (400, 0),
                "planned": (500, 1),
            },
            [False, False, False, False, False, False, False, False, False],
        ),
        (
            {
                "csws": (300, 1),
                "csr": (700, 12),
                "csh": (700, 1),
                "round-robin": (400, 2),
                "successive-halving": (600, 9),
                "planned": (500, 1),
            },
            [None, None, None, None, None, None, None, True, None],
        ),
    ],
)
def test_claims_follow_the_numbers(values: dict[str, tuple[int, float]], verdicts: list[bool | None]) -> None:
    """Made-up results that fulfil the claims, contradict them, or do neither."""
    view = RaceView(made_up(values), "exact")
    assert [claim.check(view)[0] for claim in CLAIMS] == verdicts
