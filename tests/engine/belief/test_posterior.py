"""What the whole posterior promises of every run, and of runs that say little or very much."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heats.engine.belief.data import Comparisons, collect, group_sets, join
from heats.engine.belief.evidence import Evidence, gather, take_runs
from heats.engine.belief.posterior import Posterior, find_posterior, weigh_worlds
from heats.engine.belief.settings import CONSISTENT_ODDS
from heats.engine.feedback import Kind
from tests.engine.belief.plain import KINDS, Comparison, Run, draw_run, gather_runs

SIZES = [2, 3, 3, 2, 3, 2, 2, 3, 3, 2, 3, 3, 2, 2, 3, 3, 2, 3]


def draw(kind: Kind, n: int, seed: int, times: int = 1) -> list[Comparison]:
    return draw_run(kind, n, [min(n, size) for size in SIZES * times], np.random.default_rng(seed), ties=0.2)


def believe(kind: Kind, runs: list[Any], n: int) -> Posterior:
    return find_posterior(gather_runs(kind, runs, n))


def check(found: Posterior) -> None:
    """Chances are chances."""
    assert np.isfinite(found.strengths).all()
    assert found.chances.sum(axis=1) == pytest.approx(1)
    assert (found.chances >= 0).all()
    assert (found.chances <= 1 + 1e-12).all()
    assert ((found.contextual >= 0) & (found.contextual <= 1)).all()
    assert found.strengths.mean(axis=1) == pytest.approx(0, abs=1e-6 * max(1, np.abs(found.strengths).max()))


@settings(max_examples=24)
@given(st.sampled_from(KINDS), st.integers(2, 7), st.integers(0, 99))
def test_permuting_arms_permutes_the_posterior(kind: Kind, n: int, seed: int) -> None:
    """What is known of an arm depends on what it did, not on its number."""
    number = np.random.default_rng(seed + 1).permutation(n)
    run = draw(kind, n, seed)
    renamed = [each._replace(arms=tuple(number[list(each.arms)].tolist())) for each in run]
    ours, theirs = believe(kind, [run], n), believe(kind, [renamed], n)
    check(ours)
    assert theirs.chances[0, number] == pytest.approx(ours.chances[0], abs=1e-4)
    assert theirs.strengths[0, number] == pytest.approx(ours.strengths[0], abs=1e-3)
    assert theirs.contextual == pytest.approx(ours.contextual, abs=1e-4)


@settings(max_examples=12)
@given(st.integers(2, 6), st.sampled_from([2.0**-500, 2.0**-20, 2.0**30]), st.integers(0, 99))
def test_the_unit_of_rewards_does_not_matter(n: int, unit: float, seed: int) -> None:
    """Chances are equal to the last bit, and so are strengths in units of the run."""
    run = draw(Kind.REWARDS, n, seed)
    scaled = [each._replace(row=tuple(unit * (reward - 100) for reward in each.row or ())) for each in run]
    plain = [each._replace(row=tuple(reward - 100 for reward in each.row or ())) for each in run]
    ours, theirs = believe(Kind.REWARDS, [plain], n), believe(Kind.REWARDS, [scaled], n)
    assert ours.chances.tolist() == theirs.chances.tolist()
    assert ours.strengths.tolist() == theirs.strengths.tolist()


@pytest.mark.parametrize("shift", [2.0**20, -(2.0**33)])
def test_what_is_added_to_all_rewards_does_not_matter(shift: float) -> None:
    """Where the sum is exact: rewards of few binary places."""
    run = draw(Kind.REWARDS, 5, 3)
    plain = [each._replace(row=tuple(round(reward * 1024) / 1024 for reward in each.row or ())) for each in run]
    shifted = [each._replace(row=tuple(reward + shift for reward in each.row or ())) for each in plain]
    ours, theirs = believe(Kind.REWARDS, [plain], 5), believe(Kind.REWARDS, [shifted], 5)
    assert ours.chances.tolist() == theirs.chances.tolist()


@settings(max_examples=16)
@given(st.sampled_from(KINDS), st.integers(2, 6), st.integers(0, 99))
def test_the_order_of_comparisons_and_of_their_arms_does_not_matter(kind: Kind, n: int, seed: int) -> None:
    """Up to rounding."""
    rng, run = np.random.default_rng(seed), draw(kind, n, seed)
    shuffled = []
    for at in rng.permutation(len(run)).tolist():
        arms, row = run[at]
        order = rng.permutation(len(arms)).tolist()
        assert row is not None
        shuffled.append(Comparison(tuple(arms[place] for place in order), tuple(row[place] for place in order)))
    ours, theirs = believe(kind, [run], n), believe(kind, [shuffled], n)
    assert ours.chances == pytest.approx(theirs.chances, abs=1e-6)
    assert ours.contextual == pytest.approx(theirs.contextual, abs=1e-6)


@settings(max_examples=12)
@given(st.sampled_from(KINDS), st.integers(2, 6), st.integers(0, 99))
def test_runs_in_step_are_what_they_are_alone(kind: Kind, n: int, seed: int) -> None:
    """And some of them, taken out of all, are the same evidence."""
    runs = [draw(kind, n, seed + at) for at in range(4)]
    evidence = gather_runs(kind, runs, n)
    together = find_posterior(evidence)
    check(together)
    some = np.array([1, 3])
    taken = find_posterior(take_runs(evidence, some))
    for place, at in enumerate(some.tolist()):
        alone = believe(kind, [runs[at]], n)
        for one in (taken, place), (alone, 0):
            assert one[0].chances[one[1]] == pytest.approx(together.chances[at], abs=1e-9)
            assert one[0].strengths[one[1]] == pytest.approx(together.strengths[at], abs=1e-9)
            assert one[0].contextual[one[1]] == pytest.approx(together.contextual[at], abs=1e-9)


@settings(max_examples=16)
@given(st.sampled_from(KINDS), st.integers(2, 6), st.integers(0, 99))
def test_comparisons_without_a_verdict_are_as_if_they_were_never_made(kind: Kind, n: int, seed: int) -> None:
    """Void ones, too, which had a verdict once."""
    rng, run = np.random.default_rng(seed), draw(kind, n, seed)
    void = [each._replace(row=None) if rng.random() < 0.3 else each for each in run]
    void[0] = run[0]
    void[1] = run[1]
    left = [each for each in void if each.row is not None]
    ours, theirs = believe(kind, [void], n), believe(kind, [left], n)
    assert ours.chances == pytest.approx(theirs.chances, abs=1e-9)
    assert ours.contextual == pytest.approx(theirs.contextual, abs=1e-9)


def test_verdicts_may_be_voided_later() -> None:
    """What is kept is what was told without them."""
    run = draw(Kind.WINNER, 4, 5)
    arms, rows = (np.array([[getattr(each, name) for each in run if len(each.arms) == 2]]) for name in ("arms", "row"))
    told = np.arange(arms.shape[1])[None] % 3 > 0
    whole = collect(arms, rows, np.ones(told.shape, dtype=bool))
    kept, fewer = whole.keep(told), collect(arms, rows, told)
    assert all((one == other).all() for one, other in zip(kept, fewer, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_arms_never_compared_are_alike(kind: Kind) -> None:
    """In chance and strength, though only some of them are checked exactly for a decoy beside them."""
    found = believe(kind, [draw(kind, 5, 1)], 14)
    check(found)
    assert found.chances[0, 5:] == pytest.approx(found.chances[0, 5], abs=1e-9)
    assert found.strengths[0, 5:] == pytest.approx(found.strengths[0, 5], abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_told_is_no_evidence(kind: Kind) -> None:
    """No verdict at all, and what sets nobody apart; one winner is evidence."""
    run = draw(kind, 4, 1)
    assert not gather_runs(kind, [run], 4).is_empty
    assert gather_runs(kind, [[each._replace(row=None) for each in run]], 4).is_empty
    alike = 0.0 if kind is Kind.WINNER else 0.5
    assert gather_runs(kind, [[each._replace(row=(alike,) * len(each.arms)) for each in run]], 4).is_empty


def test_a_run_of_which_nothing_is_known_may_stand_beside_others() -> None:
    """Its arms are alike, and nothing says what kind of world it is."""
    for kind in KINDS:
        run = draw(kind, 4, 1)
        found = believe(kind, [run, [each._replace(row=None) for each in run]], 4)
        check(found)
        assert found.chances[1] == pytest.approx(0.25)
        assert found.chances[0] == pytest.approx(believe(kind, [run], 4).chances[0], abs=1e-9)


def test_the_kinds_of_world_are_weighed_by_their_evidence() -> None:
    """(7); log evidence that is beyond all numbers does not overflow."""
    found = weigh_worlds(np.array([0.0, 3.0, 5000.0, -5000.0]), np.zeros(4))
    expected = [1 / (1 + CONSISTENT_ODDS), 1 / (1 + CONSISTENT_ODDS * np.exp(-3)), 1, 0]
    assert found == pytest.approx(expected)


def gather_one(kind: Kind, arms: Any, rows: Any, n: int) -> Evidence:
    arms = np.asarray(arms)[None]
    return gather(kind, [collect(arms, np.asarray(rows, dtype=float)[None], np.ones(arms.shape[:2], dtype=bool))], n)


EXTREMES: dict[str, Any] = {
    "one set of 500": lambda rng: (Kind.WINNER, [range(500)] * 20, np.eye(500)[rng.integers(0, 3, 20)], 500),
    "rankings of 500": lambda rng: (
        Kind.RANKING,
        [range(500)] * 5,
        rng.permuted([np.arange(500) / 499] * 5, axis=1),
        500,
    ),
    "rewards of 500": lambda rng: (Kind.REWARDS, [range(500)] * 5, rng.normal(size=(5, 500)), 500),
    "2000 arms": lambda rng: (Kind.WINNER, rng.permutation(2000).reshape(-1, 2), [(1, 0)] * 1000, 2000),
    "2000 rewarded": lambda rng: (Kind.REWARDS, rng.permutation(2000).reshape(-1, 2), rng.normal(size=(1000, 2)), 2000),
    "one pair 10⁵ times": lambda rng: (Kind.WINNER, [(0, 1)] * 100_000, np.eye(2)[rng.integers(0, 2, 100_000)], 3),
    "rewards 10⁵ times": lambda rng: (Kind.REWARDS, [(0, 1)] * 100_000, rng.normal(size=(100_000, 2)), 3),
    "no noise": lambda rng: (Kind.REWARDS, np.argsort(rng.random((60, 9)))[:, :3], None, 9),
    "all rewards equal but one": lambda rng: (Kind.REWARDS, [(0, 1), (1, 2), (0, 2)] * 9, [(1, 1)] * 26 + [(2, 1)], 3),
    "all tie": lambda rng: (Kind.WINNER, [(0, 1), (1, 2), (0, 2)] * 9, [(0.5, 0.5)] * 27, 3),
    "one wins all": lambda rng: (Kind.WINNER, [(0, 1 + at % 9) for at in range(5000)], [(1, 0)] * 5000, 10),
    "one wins all by far": lambda rng: (
        Kind.REWARDS,
        [(0, 1 + at % 9) for at in range(5000)],
        [(1e100, -1e100)] * 5000,
        10,
    ),
    "tiny": lambda rng: (Kind.REWARDS, np.argsort(rng.random((60, 9)))[:, :3], rng.normal(size=(60, 3)) * 1e-160, 9),
    "huge": lambda rng: (Kind.REWARDS, np.argsort(rng.random((60, 9)))[:, :3], rng.normal(size=(60, 3)) * 1e99, 9),
    "one comparison": lambda rng: (Kind.REWARDS, [(0, 1)], [(1.0, 0.0)], 2),
    "cycle": lambda rng: (Kind.WINNER, [(0, 1), (1, 2), (2, 0)] * 3000, [(1, 0)] * 9000, 3),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_extreme_runs_give_chances(name: str) -> None:
    """Finite ones that sum to 1, without a warning."""
    kind, arms, rows, n = EXTREMES[name](np.random.default_rng(1))
    found = find_posterior(gather_one(kind, arms, np.asarray(arms) if rows is None else rows, n))
    check(found)
    winner = {"no noise": 8, "one wins all": 0, "one wins all by far": 0, "one comparison": 0}
    if name in winner:
        assert int(found.chances[0].argmax()) == winner[name]
    if name in ("all tie", "cycle"):
        assert found.chances[0] == pytest.approx(1 / 3, abs=1e-3)


@settings(max_examples=40)
@given(st.integers(2, 9), st.integers(2, 4), st.integers(1, 40), st.integers(0, 99))
def test_comparisons_of_the_same_set_are_found(n: int, k: int, pulls: int, seed: int) -> None:
    """Run by run, whatever the order of their arms."""
    size = min(n, k)
    heats = np.argsort(np.random.default_rng(seed).random((2, pulls, n)), axis=-1)[..., :size]
    arms = collect(heats, np.zeros(heats.shape), np.ones(heats.shape[:2], dtype=bool)).arms
    sets = group_sets(arms)
    for pull, which in enumerate(sets.which.ravel().tolist()):
        assert sets.arms[:, which].tolist() == sorted(heats.reshape(-1, size)[pull].tolist())
        assert sets.runs[which] == pull // pulls
    different = {(run, *some) for run, some in zip(sets.runs.tolist(), sets.arms.T.tolist(), strict=True)}
    assert len(different) == sets.runs.size


def test_batches_are_joined_in_their_order() -> None:
    """What is known does not depend on where one ended."""
    run = [each for each in draw(Kind.WINNER, 4, 2) if len(each.arms) == 2]

    def take(some: Run) -> Comparisons:
        arms, rows = np.array([[each.arms for each in some]]), np.array([[each.row for each in some]])
        return collect(arms, rows, np.ones(arms.shape[:2], dtype=bool))

    ours = find_posterior(gather(Kind.WINNER, [join([take(run[:3]), take(run[3:])])], 4))
    theirs = find_posterior(gather(Kind.WINNER, [take(run)], 4))
    assert ours.chances.tolist() == theirs.chances.tolist()
