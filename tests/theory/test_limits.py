"""Limits and winners: against brute force, and hand-made tables where the notions of best differ."""

from __future__ import annotations

import itertools
import random
from typing import Any

import numpy as np
import pytest

from heats.errors import InvalidArgument
from heats.theory import (
    Limits,
    Squeezed,
    borda_winners,
    condorcet_winner,
    copeland_winners,
    offending_heat,
    survey,
)
from tests.theory.worlds import random_limits


@pytest.mark.parametrize("seed", range(60))
def test_winners_by_brute_force(seed: int) -> None:
    """The definitions of Section 2 written as loops over all subsets."""
    draw = random.Random(seed)
    n = draw.randint(2, 7)
    k = draw.randint(2, n)
    limits = random_limits(draw, n, k, best=draw.choice([None, 0, n - 1]))
    sets = [set(c) for size in range(2, k + 1) for c in itertools.combinations(range(n), size)]

    def value(arm: int, chosen: set[int]) -> float:
        return limits.of(arm, tuple(sorted(chosen)))

    condorcet = [i for i in range(n) if all(value(i, q) > value(j, q) for q in sets if i in q for j in q if j != i)]
    full = {i: [q for q in sets if len(q) == k and i in q] for i in range(n)}
    borda = [np.mean([value(i, q) for q in full[i]]) for i in range(n)]
    copeland = [np.mean([value(i, q) == max(value(j, q) for j in q) for q in full[i]]) for i in range(n)]
    assert condorcet_winner(limits) == (condorcet[0] if condorcet else None)
    assert borda_winners(limits) == {i for i in range(n) if borda[i] == pytest.approx(max(borda), abs=1e-12)}
    assert copeland_winners(limits) == {i for i in range(n) if copeland[i] == max(copeland)}
    assert not condorcet or copeland_winners(limits) == set(condorcet)
    found = survey(limits)
    assert found.exact
    assert found.heats == len(sets)
    assert found.borda_scores == pytest.approx(borda)
    assert found.copeland_scores == pytest.approx(copeland)
    for arm in range(n):
        against = offending_heat(limits, arm)
        assert (against is None) == (arm in condorcet)
        assert against is None or limits.best(against) != arm


def test_the_condorcet_winner_need_not_be_the_borda_winner() -> None:
    """Arm 0 beats everybody narrowly; arm 1 crushes the rest."""
    pairs = {(0, 1): (0.51, 0.49), (0, 2): (0.51, 0.49), (0, 3): (0.51, 0.49)}
    pairs |= {(1, 2): (1.0, 0.0), (1, 3): (1.0, 0.0), (2, 3): (0.6, 0.4)}
    limits = Limits(4, 2, pairs)
    assert condorcet_winner(limits) == 0
    assert borda_winners(limits) == {1}
    assert copeland_winners(limits) == {0}


def test_borda_and_copeland_winner_may_differ_from_each_other() -> None:
    """No Condorcet winner; arm 0 tops two of its three heats, arm 1 only one, but that one by far.

    (With a Condorcet winner the Copeland winner cannot differ from it: it tops every heat it is in, and nobody else
    can, having to meet it. So the three notions never name three different arms.)
    """
    triples = {
        (0, 1, 2): (0.4, 0.3, 0.3),
        (0, 1, 3): (0.4, 0.3, 0.3),
        (0, 2, 3): (0.3, 0.4, 0.3),
        (1, 2, 3): (1.0, 0.0, 0.0),
    }
    pairs = {(i, j): (0.6, 0.4) for i in range(4) for j in range(i + 1, 4)}
    limits = Limits(4, 3, triples | pairs)
    assert condorcet_winner(limits) is None
    assert offending_heat(limits, 0) == (0, 2, 3)
    assert copeland_winners(limits) == {0}
    assert borda_winners(limits) == {1}


def test_a_cycle_has_no_condorcet_winner() -> None:
    """And everybody is as good as anybody by the other two notions."""
    cycle = Limits(3, 2, {(0, 1): (0.6, 0.4), (1, 2): (0.6, 0.4), (0, 2): (0.4, 0.6)})
    assert condorcet_winner(cycle) is None
    assert copeland_winners(cycle) == {0, 1, 2}
    assert borda_winners(cycle) == {0, 1, 2}


def test_ties_leave_no_condorcet_winner() -> None:
    """It must be strictly on top."""
    tied = Limits(2, 2, {(0, 1): (0.5, 0.5)})
    assert condorcet_winner(tied) is None
    assert offending_heat(tied, 0) == (0, 1)
    assert copeland_winners(tied) == {0, 1}


@pytest.mark.parametrize("scale", [1e-14, 1.0, 1e90])
def test_winners_do_not_depend_on_the_scale(scale: float) -> None:
    """Ties are relative, and sums do not overflow."""
    limits = Limits(4, 2, lambda heat: [scale * (4 - arm) for arm in heat])
    assert (condorcet_winner(limits), borda_winners(limits), copeland_winners(limits)) == (0, {0}, {0})


def test_sources_of_limits() -> None:
    """A dict with lists or dicts, keys in any order or sets; a function; an environment that knows."""
    by_list = Limits(3, 2, {(1, 0): (0.9, 0.1), (0, 2): (0.2, 0.8), (2, 1): (0.3, 0.7)})
    by_dict = Limits(3, 2, {frozenset({0, 1}): {0: 0.1, 1: 0.9}, (0, 2): {0: 0.2, 2: 0.8}, (1, 2): {1: 0.7, 2: 0.3}})
    by_function = Limits(3, 2, lambda heat: by_list.values(heat))
    by_environment = Limits(3, 2, Squeezed(by_list, lambda t: 1 / t))
    for heat in by_list.heats():
        assert by_list.values(heat) == by_dict.values(heat) == by_function.values(heat) == by_environment.values(heat)
    assert by_list.gap(1, 0, (0, 1)) == pytest.approx(0.8)
    assert by_list.rank((0, 1)) == (0.9, 0.1)
    assert by_list.decisive_gap(1, (0, 1), 2) == pytest.approx(0.8)


def test_too_many_heats_are_refused_or_sampled() -> None:
    """C(60, 10) is out of reach; a sample says that it is one."""
    limits = Limits(60, 10, lambda heat: [1.0 if arm == 7 else 0.5 - arm / 1000 for arm in heat])
    with pytest.raises(InvalidArgument, match=r"more than 300000 heats: too many to look at all.*sample"):
        condorcet_winner(limits)
    with pytest.raises(InvalidArgument, match="too many"):
        offending_heat(limits, 3)
    found = survey(limits, sample=300, seed=1)
    assert (found.condorcet, found.exact, found.heats) == (7, False, 9 * 300)
    assert found.borda == found.copeland == {7}
    few = survey(limits, sample=2, seed=1)
    assert few.condorcet is None  # several arms are not contradicted by so few heats
    assert 7 in few.unbeaten
    assert None in few.borda_scores
    for function in (borda_winners, copeland_winners):
        with pytest.raises(InvalidArgument, match="too many"):
            function(Limits(20_000, 10_000, lambda heat: [0.0] * len(heat)))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Limits(3, 4, {}), "heat_size=4"),
        (lambda: Limits(1, 2, {}), "n_arms=1"),
        (lambda: Limits(3, 2, 5), "must be a dict"),
        (lambda: Limits(3, 2, {(0, 1): (1, 2, 3)}), "one value per arm"),
        (lambda: Limits(3, 2, {(0, 1): 5}), "one value per arm"),
        (lambda: Limits(3, 2, {5: (1, 2)}), "one value per arm"),
        (lambda: Limits(3, 2, {(0, 1): (1, 2), (1, 0): (2, 1)}), "twice"),
        (lambda: Limits(2, 2, lambda heat: "ab").values((0, 1)), "finite numbers"),
        (lambda: Limits(2, 2, lambda heat: None).values((0, 1)), "finite numbers"),
        (lambda: Limits(3, 2, lambda heat: [1.0, 2.0]).of(2, (0, 1)), "arm 2 is not in heat"),
        (lambda: Limits(3, 2, lambda heat: [1.0, 2.0]).values((1, 0)), "in increasing order"),
        (lambda: Limits(3, 2, lambda heat: [1.0, 2.0]).decisive_gap(0, (0, 1), 0), "place=0"),
        (lambda: Limits(3, 2, lambda heat: [1.0, 2.0]).decisive_gap(0, (0, 1), 3), "place=3"),
        (lambda: Limits(3, 2, {frozenset({0, 1}): (1, 2)}), "for a set of arms"),
        (lambda: condorcet_winner(Limits(3, 2, {(0, 1): (1, 2)})), r"misses heat \(0, 2\)"),
        (lambda: condorcet_winner(Limits(2, 2, {(0, 1): {0: 1}})), "miss arm 1"),
        (lambda: condorcet_winner(Limits(2, 2, {(0, 1): (1, float("nan"))})), "finite"),
        (lambda: condorcet_winner(Limits(2, 2, lambda heat: [1.0])), "give 2 finite numbers"),
        (lambda: survey(Limits(2, 2, lambda heat: [1.0, 2.0]), sample=0), "sample=0"),
        (lambda: offending_heat(Limits(2, 2, lambda heat: [1.0, 2.0]), 2), "arm=2"),
    ],
)
def test_impossible_tables_are_refused(make: Any, message: str) -> None:
    """One sentence that says what is missing."""
    with pytest.raises(InvalidArgument, match=message):
        make()
