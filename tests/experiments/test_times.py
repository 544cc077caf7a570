"""Times of races: heats say no more than a race would, every way to look is what it is called, and pages follow."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from heats.environments import RuntimeTable, read
from heats.errors import BrokenFile
from heats.experiments import reproduce
from heats.experiments.saps.runs_table import SHIPPED
from heats.experiments.shared.verdicts import Share
from heats.experiments.times import lognormal, study
from heats.experiments.times.estimates import LOOKS, WHOLE, WINS
from heats.experiments.times.lognormal import average_up_to
from heats.experiments.times.page import make_times_page
from heats.experiments.times.raced import Raced, Track, choose, deal, list_stages
from heats.experiments.times.study import DEALS, SAPS, TimesCell, TimesResult, find_tables, list_times_cells, play_cell

ROOT = Path(__file__).parents[2] / "docs" / "reproduction"
CUTOFF = 5.0


def make_table(rows: int = 400) -> RuntimeTable:
    """Nine arms, each twice as slow as the one before; hard rows are hard for all."""
    rng = np.random.default_rng(3)
    times = 2.0 ** np.arange(9) * rng.exponential(size=(rows, 1)) * rng.exponential(size=(rows, 9)) / 10
    return RuntimeTable(np.minimum(times, CUTOFF), times < CUTOFF, CUTOFF)


def make_raced(arms: list[list[int]], times: list[float], winners: list[int | None], n_arms: int) -> Raced:
    """One race, told heat by heat: who met, how long it took, and who finished."""
    met = np.array([arms])
    done = np.array([[[arm == winner for arm in heat] for heat, winner in zip(arms, winners, strict=True)]])
    shown = np.broadcast_to(np.array(times)[None, :, None], met.shape)
    return Raced(met, shown, done, shown, n_arms, CUTOFF)


@given(n_arms=st.integers(2, 30), size=st.integers(2, 8), pulls=st.integers(0, 40), seed=st.integers(0, 2**32))
def test_arms_take_turns(n_arms: int, size: int, pulls: int, seed: int) -> None:
    """As many heats as pulls, nobody twice in one, and nobody one turn ahead of what all others could have had."""
    size = min(size, n_arms)
    left = np.tile(np.arange(n_arms), (3, 1))
    dealt = deal(left, size, pulls, np.random.default_rng(seed))
    assert dealt.shape == (3, pulls, size)
    assert all(len(set(heat)) == size for race in dealt.tolist() for heat in race)
    turns = -(-pulls // (n_arms // size))
    counts = [np.bincount(race.ravel(), minlength=n_arms) for race in dealt]
    assert all(count.max(initial=0) <= turns for count in counts)


@given(n_arms=st.integers(2, 100), size=st.integers(2, 8))
def test_halving_ends_with_one_heat(n_arms: int, size: int) -> None:
    """From all arms down to a heat, never below, and never fewer than half at a time."""
    counts = list_stages(n_arms, size)
    assert counts[0] == n_arms
    assert counts[-1] <= size or n_arms <= size
    assert all(size <= after < before <= 2 * after for before, after in pairwise(counts))


def test_a_heat_says_who_was_first_and_bounds_of_the_others() -> None:
    """All times shown are those of the first, or the cutoff; only who needed no more has finished."""
    world = make_table()
    raced = Track(world).race_all(20, 3, 40, np.random.default_rng(1))
    assert (raced.times <= raced.alone).all()
    assert (raced.times == raced.times[..., :1]).all()
    assert (raced.alone[raced.done] == raced.times[raced.done]).all()
    unfinished = ~raced.done.any(axis=-1)
    assert unfinished.any()
    assert (raced.times[unfinished] == CUTOFF).all()
    assert (raced.alone[~raced.done] >= raced.times[~raced.done]).all()


@settings(max_examples=30, deadline=None)
@given(
    pulls=st.lists(
        st.tuples(st.permutations(range(5)), st.floats(0.1, CUTOFF), st.integers(-1, 2)), min_size=3, max_size=12
    )
)
def test_kaplan_meier_by_hand(pulls: list[tuple[list[int], float, int]]) -> None:
    """The area below the share of runs not over yet, counted run by run, for every arm; unseen ones are last."""
    heats = [list(order[:3]) for order, _, _ in pulls]
    winners = [heat[won] if won >= 0 else None for heat, (_, _, won) in zip(heats, pulls, strict=True)]
    raced = make_raced(heats, [time for _, time, _ in pulls], winners, 5)
    found = LOOKS["Kaplan-Meier"](raced)[0]
    for arm in range(5):
        runs = sorted(
            (time, winner != arm)
            for heat, (_, time, _), winner in zip(heats, pulls, winners, strict=True)
            if arm in heat
        )
        share, area, before = 1.0, 0.0, 0.0
        for place, (time, stopped) in enumerate(runs):
            area, before = area + share * (time - before), time
            share *= 1 if stopped else 1 - 1 / (len(runs) - place)
        expected = -(area + share * (CUTOFF - before)) if runs else -np.inf
        assert found[arm] == pytest.approx(expected, abs=1e-6)


def test_rates_are_finishes_per_time_run() -> None:
    """With half a finish at the pace of all; a slow heat that an arm does not win counts more than a quick one."""
    raced = make_raced([[0, 1], [0, 1], [1, 2]], [1.0, 1.0, 10.0], [0, 1, 2], 3)
    finishes, ran, pace = np.array([1, 1, 1]), np.array([2, 12, 10]), 24 / 3
    assert LOOKS["exponential"](raced)[0] == pytest.approx((finishes + 0.5) / (ran + 0.5 * pace))


def test_wins_are_the_fit_of_plackett_and_luce() -> None:
    """Strengths at which every arm has won as often as expected, the imaginary pair included."""
    heats = [[0, 1, 2], [1, 2, 3], [0, 3, 2], [3, 1, 0], [0, 1, 3]]
    raced = make_raced(heats, [1.0] * 5, [0, 1, 0, 3, None], 4)
    strengths = LOOKS[WINS](raced)[0]
    for arm, won in enumerate((2, 1, 0, 1)):
        expected = sum(strengths[arm] / strengths[heat].sum() for heat in heats[:4] if arm in heat)
        assert won + 0.5 == pytest.approx(expected + strengths[arm] / (strengths[arm] + 1), rel=0.02)


def test_a_mean_up_to_the_cutoff_is_an_integral() -> None:
    """As SciPy integrates it, however far the cutoff is."""
    for mean, deviation in ((0.0, 1.0), (3.0, 0.5), (5.0, 2.0), (-2.0, 3.0)):
        law = norm(mean, deviation)
        below = law.expect(np.exp, lb=-np.inf, ub=np.log(CUTOFF))
        found = average_up_to(CUTOFF, np.array([[mean]]), np.array([[deviation**2]]))
        assert found[0, 0] == pytest.approx(below + CUTOFF * law.sf(np.log(CUTOFF)), rel=1e-5)


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("dealt", DEALS)
def test_a_clear_order_is_found_by_every_look(look: str, dealt: str) -> None:
    """The fastest of nine, or nearly so, and always the same races for the same seed."""
    world = make_table()
    cell = TimesCell("made-up", 9, 2, 180, dealt, look)
    found = play_cell(cell, world, 10, 1)
    assert found == play_cell(cell, world, 10, 1)
    assert found.regret < 0.1
    assert found.share.successes >= 4


def test_log_normal_times_are_fitted_though_most_are_cut_off() -> None:
    """Medians a factor of e apart, in heats whose rows differ by more: the order of all arms comes out."""
    rng = np.random.default_rng(5)
    logs = np.arange(6) + 2 * rng.standard_normal((3000, 1)) + rng.standard_normal((3000, 6))
    track = Track(RuntimeTable(np.exp(logs), cutoff=3000))
    looks = LOOKS["log-normal"](track.race_all(2, 3, 3000, rng))
    assert (np.argsort(-looks, axis=1) == np.arange(6)).all()
    far = np.log(-looks[:, :4])  # from the cutoff, which brings the last ones together
    assert np.diff(far, axis=1) == pytest.approx(np.ones((2, 3)), abs=0.3)


def test_who_looks_best_is_chosen_among_those_left() -> None:
    """Not among all."""
    looks = np.array([[9.0, 1, 5, 7], [1.0, 2, 3, 4]])
    assert choose(looks, np.array([[1, 2, 3], [0, 1, 2]]), 2).tolist() == [[3, 2], [2, 1]]


def test_only_tables_of_times_are_raced_on(tmp_path: Path) -> None:
    """With arms enough for every heat; the one that comes with heats always."""
    world = make_table(20)
    times = np.minimum(world.seconds, CUTOFF)
    np.savez(tmp_path / "nine.npz", runtime=times, solved=world.seconds < CUTOFF, cutoff=CUTOFF)
    np.savez(tmp_path / "four.npz", runtime=times[:, :4], solved=times[:, :4] < CUTOFF, cutoff=CUTOFF)
    np.savez(tmp_path / "scores.npz", score=times)
    assert find_tables(sorted(tmp_path.iterdir())) == {SAPS: SHIPPED, "nine": tmp_path / "nine.npz"}


def test_what_was_played_is_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is made of the CSV; a row that is none is named."""
    monkeypatch.setattr(lognormal, "STEPS", 2)
    ticks: list[tuple[int, int]] = []
    written = reproduce(["times"], tmp_path, reps=1, workers=1, progress=lambda *at: ticks.append(at))
    assert [path.name for path in written] == ["times.csv", "times.md"]
    total = len(list_times_cells(SAPS, 20))
    assert ticks[-1] == (total, total)
    page = (tmp_path / "times.md").read_text()
    monkeypatch.setattr(study, "run_jobs", lambda job, jobs, workers: iter(()))
    reproduce(["times"], tmp_path, reps=1, workers=1)
    assert (tmp_path / "times.md").read_text() == page
    (tmp_path / "times.csv").write_text("table,n\nsaps,x\n")
    with pytest.raises(BrokenFile, match="line 2: not a result of heats reproduce times"):
        study.TIMES.read(tmp_path / "times.csv")


def test_the_page_says_which_look_is_ahead_everywhere() -> None:
    """Made-up numbers in which one is."""
    hits = dict.fromkeys(LOOKS, 100) | {"paced": 200, WHOLE: 400}
    results = [TimesResult(cell, Share(hits[cell.look], 500), 0.5, 0.01) for cell in list_times_cells(SAPS, 20)]
    page = " ".join(make_times_page(results, 500, 0).split())
    assert "for every k and both ways of dealing: paced.**" in page
    assert "paced +0.200" in page
    level = [each._replace(share=Share(100, 500)) for each in results]
    assert "both ways of dealing: none.**" in " ".join(make_times_page(level, 500, 0).split())


def test_the_committed_page_is_made_of_the_committed_table() -> None:
    """And a cell of it can be played again, from its name and the seed."""
    known = study.TIMES.read(ROOT / "times.csv")
    [(reps, seed)] = {key[1:] for key in known}
    results = [known[key] for key in sorted(known)]
    assert make_times_page(results, reps, seed) == (ROOT / "times.md").read_text(encoding="utf-8")
    world = read(SHIPPED)
    assert isinstance(world, RuntimeTable)
    for cell in (TimesCell(SAPS, 20, 2, 60, DEALS[0], "exponential"), TimesCell(SAPS, 20, 4, 60, DEALS[1], WINS)):
        assert play_cell(cell, world, reps, seed) == known[cell, reps, seed]
