"""Calibration of standings: worlds are what they are called, bins are judged, and the committed table is within limits."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import heats
from heats.cli.app import run
from heats.environments import Gaussian, PlackettLuce, Winners
from heats.errors import BrokenFile
from heats.experiments import reproduce
from heats.experiments.standings import runs
from heats.experiments.standings.bins import FEWEST, TOO_MODEST, TOO_SURE, WITHIN, Bin, Result, find_limits, make_result
from heats.experiments.standings.page import make_standings_page
from heats.experiments.standings.results import read_results, run_worlds
from heats.experiments.standings.runs import Run, play_runs
from heats.experiments.standings.worlds import (
    LUCK,
    PROMISED,
    SHAPES,
    LuckyNormal,
    World,
    draw_world,
    list_worlds,
)
from tests.experiments.figures import is_drawn

ROOT = Path(__file__).parents[2] / "docs" / "reproduction"
KEPT = World("kept", "winner", "sd 1", 8, 4, 24)
KNOWN_TO_BE_OUTSIDE = {  # docs/standings.md says by how much, and why
    World("kept", "winner", "outlier", 8, 2, 24),
    World("kept", "winner", "outlier", 20, 2, 60),
    World("kept", "winner", "spaced", 8, 4, 120),
    World("kept", "winner", "spaced", 50, 4, 150),
    World("adaptive", "winner", "paper, decoy", 50, 2, 100),
    World("adaptive", "winner", "paper, decoy", 100, 2, 200),
}
FEW = [
    KEPT,
    KEPT._replace(budget=120),
    World("kept", "reward", "outlier", 8, 2, 24),
    World("kept", "reward", "outlier", 8, 2, 120),
    World("family", "winner", "paper, decoy", 50, 4, 100),
    World("adaptive", "reward", "paper", 50, 4, 100),
    World("near outlier", "reward", "near outlier", 8, 4, 24),
    World("tiny budget", "winner", "sd 0.3", 8, 4, 8),
    World("round-robin", "reward", "sd 1", 8, 4, 24),
    World("ranking", "ranking", "sd 2", 8, 4, 24),
]


def made_up(world: World, said: float, right: float, runs: int = 600) -> Result:
    """Runs of which the same was said; those that were right are spread evenly."""
    return make_result(world, [Run(said, int(number * right) < int((number + 1) * right)) for number in range(runs)])


def test_the_promise_is_about_120_worlds() -> None:
    """Two kinds, five shapes, three n, two k, two budgets; nobody is listed twice."""
    worlds = list_worlds()
    assert len(set(worlds)) == len(worlds)
    kept = [world for world in worlds if world.group == "kept"]
    assert len(kept) == 120
    counts = [Counter(column) for column in list(zip(*kept, strict=True))[1:5]]
    assert counts == [
        {"winner": 60, "reward": 60},
        dict.fromkeys(PROMISED, 24),
        {8: 40, 20: 40, 50: 40},
        {2: 60, 4: 60},
    ]
    assert Counter(world.budget / world.n_arms for world in kept) == {3: 60, 15: 60}


def test_the_paper_s_family_is_played_adaptively_in_72_worlds() -> None:
    """Winners and rewards, with a decoy and without, two n, three k, three budgets; 400 runs where 600 are asked for."""
    adaptive = [world for world in list_worlds() if world.group == "adaptive"]
    assert len(adaptive) == 72
    counts = [Counter(column) for column in list(zip(*adaptive, strict=True))[1:]]
    assert counts == [
        {"winner": 36, "reward": 36},
        {"paper": 36, "paper, decoy": 36},
        {50: 36, 100: 36},
        {2: 24, 4: 24, 8: 24},
        {100: 24, 200: 24, 500: 24},
    ]
    assert {world.count_runs(600) for world in adaptive} == {400}


def test_runs_in_step_are_those_of_a_machine() -> None:
    """The same winner with the same chance as one run that is played alone; cut anywhere."""
    world = World("adaptive", "winner", "paper, decoy", 50, 2, 100)
    together = play_runs(world, range(6), 0)
    assert play_runs(world, range(3), 0) + play_runs(world, range(3, 6), 0) == together
    for number, found in enumerate(together[:2]):
        seed = runs._draw_seed(world, number, 0)
        rng = np.random.default_rng(seed)
        drawn, machine = draw_world(world, seed, rng), heats.Adaptive(50, 2, 100, seed=seed)
        while (stage := machine.stage) is not None:
            heats_of_batch = stage.heats[0]
            rows = drawn.sample(heats_of_batch, 1, rng)[:, 0]
            for query, heat, row in zip(machine.ask(len(rows)), heats_of_batch.tolist(), rows.tolist(), strict=True):
                told = dict(zip(heat, row, strict=True))
                machine.tell(query, drawn.feedback(query.arms, [told[arm] for arm in query.arms]))
        assert found == Run(pytest.approx(machine.find_chance(), abs=2e-6), machine.winner == drawn.best)


def test_more_is_allowed_where_little_can_be_known() -> None:
    """Of pairs with few comparisons."""
    family = World("adaptive", "reward", "paper, decoy", 50, 2, 100)
    assert find_limits(family) == (0.10, 0.20)
    assert find_limits(family._replace(shape="paper")) == (0.05, 0.20)
    assert find_limits(family._replace(kind="winner")) == (0.05, 0.20)
    assert find_limits(family._replace(budget=200)) == (0.05, 0.20)
    assert find_limits(family._replace(budget=251)) == find_limits(family._replace(heat_size=4)) == (0.05, 0.10)
    assert find_limits(KEPT) == (0.05, 0.10)


def test_worlds_have_the_shape_they_are_called() -> None:
    """Log-strengths and means alike; the same for the same numbers."""
    rng = np.random.default_rng(1)
    for shape, deviation in (("sd 0.3", 0.3), ("sd 1", 1), ("sd 2", 2)):
        assert SHAPES[shape](100_000, rng).std() == pytest.approx(deviation, rel=0.02)
    assert SHAPES["spaced"](10_001, rng).std() == pytest.approx(1, abs=1e-3)
    for shape, lead in (("outlier", 2), ("near outlier", 1)):
        assert sorted(SHAPES[shape](8, rng)) == [0] * 7 + [lead]
    assert isinstance(draw_world(KEPT, 3, rng), PlackettLuce)
    assert isinstance(draw_world(FEW[4], 3, rng), Winners)
    family = draw_world(FEW[4]._replace(kind="reward", shape="paper"), 3, rng)
    assert isinstance(family, Gaussian)
    assert family.decoy is None


def test_the_arms_of_a_pull_share_its_luck() -> None:
    """It is gone from differences within a pull, and no other pull has the same."""
    world = LuckyNormal([0.0, 1.0], 1.0)
    drawn = world.sample(np.array([[0, 1]] * 20_000), 2, np.random.default_rng(5)).reshape(-1, 2)
    assert (drawn[:, 1] - drawn[:, 0]).std() == pytest.approx(2**0.5, rel=0.03)
    assert drawn.std(axis=0) == pytest.approx([(1 + LUCK**2) ** 0.5] * 2, rel=0.03)
    assert np.corrcoef(drawn[::2, 0], drawn[1::2, 0])[0, 1] == pytest.approx(0, abs=0.03)


def test_a_run_depends_on_its_own_number_only() -> None:
    """Together or alone, it says the same; another run, seed or world is another."""
    together = play_runs(KEPT, range(4), 0)
    assert [play_runs(KEPT, range(number, number + 1), 0)[0] for number in range(4)] == together
    assert len(set(together)) > 1
    assert play_runs(KEPT, range(4), 1) != together
    assert play_runs(KEPT._replace(group="ranking"), range(4), 0) != together


@given(st.integers(1, 2000), st.integers(0, 9))
def test_bins_hold_all_runs_in_the_order_of_what_was_said(runs: int, seed: int) -> None:
    """None has fewer than 300 unless the world has; together they are the whole."""
    rng = np.random.default_rng(seed)
    said = rng.random(runs)
    found = make_result(
        KEPT, [Run(*each) for each in zip(said.tolist(), (rng.random(runs) < said).tolist(), strict=True)]
    )
    assert found.whole.runs == runs == sum(each.runs for each in found.bins)
    assert found.whole.successes == sum(each.successes for each in found.bins)
    assert min(each.runs for each in found.bins) >= min(FEWEST, runs)
    assert max(each.runs for each in found.bins) < max(2 * FEWEST, runs + 1)
    assert [each.said for each in found.bins] == sorted(each.said for each in found.bins)


@given(st.floats(0, 1), st.integers(0, 400))
def test_a_bin_is_within_the_limits_or_says_on_which_side_it_is_not(said: float, successes: int) -> None:
    """By the sentence of the promise, in independent arithmetic: 5 points above, 10 below, two standard errors."""
    part = Bin(400, said, successes)
    share = np.mean([1] * successes + [0] * (400 - successes))
    reach = 2 * np.std([1] * successes + [0] * (400 - successes)) / 20
    if said > share + 0.05 + reach + 1e-9:
        assert part.verdict == TOO_SURE
    elif said < share - 0.10 - reach - 1e-9:
        assert part.verdict == TOO_MODEST
    elif share - 0.10 - reach + 1e-9 < said < share + 0.05 + reach - 1e-9:
        assert part.verdict == WITHIN


def test_a_forged_table_is_flagged() -> None:
    """Who says 95 % and is right in 80 %; who is right on the whole but too sure where he is surest; who is modest."""
    assert made_up(KEPT, 0.95, 0.80).whole.verdict == TOO_SURE
    assert made_up(KEPT, 0.70, 0.90).whole.verdict == TOO_MODEST
    assert made_up(KEPT, 0.84, 0.90).whole.verdict == made_up(KEPT, 0.94, 0.90).whole.verdict == WITHIN
    spread_out = [Run(0.2 if number % 2 else 0.9, number % 4 < 2) for number in range(1200)]  # says much, knows nothing
    found = make_result(KEPT, spread_out)
    assert found.whole.verdict == WITHIN
    assert {each.verdict for each in found.bins} == {TOO_SURE, TOO_MODEST}
    page = make_standings_page([found, made_up(KEPT._replace(budget=120), 0.9, 0.5), *_outside()], 1200, 0)
    assert "**1 of 2 worlds are within the limits (too sure: 1, too modest: 0).**" in page
    assert "0 of 6 bins are within the limits (too sure: 4, too modest: 2)." in " ".join(page.split())
    assert "| winner | sd 1 | 8 | 4 | 0.55 / 0.50 | **0.90 / 0.50** |" in page
    assert "| winner | sd 1 | 8 | 4 | 120 | 2 | 300 | 0.900 | 0.500 | +40.0 | -29.2 | too sure |" in page


def _outside() -> list[Result]:
    return [made_up(world, 0.5, 0.5, 300) for world in FEW if world.group != "kept"]


def test_a_page_of_what_is_right_says_so() -> None:
    """All within, and how far off on average."""
    page = make_standings_page([*(made_up(world, 0.5, 0.5, 300) for world in FEW[:4]), *_outside()], 1200, 0)
    assert "**All 4 worlds are within the limits.** All 4 bins are within the limits." in page
    assert "Measured: +0.0 points on average, from +0.0 to +0.0" in page
    assert "too sure |" not in page


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Sequence[World]:
    """One world of each group, and what the page needs beside it."""
    monkeypatch.setattr("heats.experiments.writers.standings.list_worlds", lambda: FEW)
    return FEW


def test_the_command_writes_the_same_with_one_worker_and_two(few: Sequence[World], tmp_path: Path) -> None:
    """CSV, picture and page; every world of the list is in the CSV."""
    for workers in (1, 2):
        out = tmp_path / str(workers)
        assert run(shlex.split(f"reproduce standings --reps 8 --seed 3 --workers {workers} --out {out}")) == 0
    names = ["standings.csv", "standings.md", "standings.png", "standings.svg"]
    assert sorted(path.name for path in (tmp_path / "1").iterdir()) == names
    for name in names:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
    found = read_results(tmp_path / "1" / "standings.csv")
    assert set(found) == {(world, 8, 3) for world in few}
    assert [each.whole.runs for each in found.values()] == [world.count_runs(8) for world in sorted(few)]
    assert "--reps 8 --seed 3" in (tmp_path / "1" / "standings.md").read_text()
    assert is_drawn(tmp_path / "1" / "standings.png")


def test_what_was_played_is_kept_and_not_played_again(
    few: Sequence[World], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second command goes on from the file; other reps are added to it; a broken line is named."""
    monkeypatch.setattr("heats.experiments.writers.standings.save_figure", lambda *figure: [])
    path = tmp_path / "standings.csv"
    run_worlds(few[:2], path, 4, 0, 1, lambda more: None)
    ticks: list[tuple[int, int]] = []
    reproduce(["standings"], tmp_path, reps=4, workers=1, progress=lambda *at: ticks.append(at))
    assert (ticks[0], ticks[-1]) == ((8, 23), (23, 23))
    before = read_results(path)
    run_worlds(few[:1], path, 2, 0, 1, lambda more: None)
    after = read_results(path)
    assert {key: after[key] for key in before} == before
    assert set(after) - set(before) == {(KEPT, 2, 0)}
    path.write_text("group,kind\nkept,winner\n")
    with pytest.raises(BrokenFile, match="line 2: not a result of heats reproduce standings"):
        read_results(path)


def test_the_committed_chances_are_within_the_limits() -> None:
    """In nearly all worlds of kept strengths and of the paper's family, and hardly outside them in the others.

    A bin has 300 runs or more.
    """
    kept, adaptive = (
        [each for each in read_committed()[0] if each.world.group == name] for name in ("kept", "adaptive")
    )
    outside = {each.world for each in kept + adaptive if each.whole.verdict != WITHIN}
    assert outside <= KNOWN_TO_BE_OUTSIDE
    assert max(each.whole.beyond for each in kept + adaptive) < 0.04
    bins = [part for each in kept for part in each.bins]
    assert sum(part.verdict == WITHIN for part in bins) >= 0.94 * len(bins)
    assert max(part.beyond for part in bins) < 0.1
    assert min(part.runs for part in bins) >= FEWEST


def test_the_committed_page_is_that_of_the_committed_numbers() -> None:
    """Every number of it is computed anew from the CSV file beside it."""
    page = make_standings_page(*read_committed())
    assert (ROOT / "standings.md").read_text() == page
    assert (ROOT / "standings.png").exists()
    assert (ROOT / "standings.svg").exists()


def read_committed() -> tuple[list[Result], int, int]:
    """Results of all worlds, and the one number of runs and seed they were made with."""
    found = read_results(ROOT / "standings.csv")
    assert len({key[1:] for key in found}) == 1, "made by heats reproduce standings --reps 600 --out docs/reproduction"
    reps, seed = next(iter(found))[1:]
    assert len(found) == len(list_worlds())
    return [found[world, reps, seed] for world in list_worlds()], reps, seed
