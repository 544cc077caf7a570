"""RoundRobin and Successive Halving: their definitions by brute force, and what they refuse."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import heats
from heats.base.randomness import fold_seed
from heats.engine.sets import random_sets, unrank
from heats.errors import BadFeedback, BudgetTooSmall, InvalidArgument, OutOfTurn
from tests.playing import TIES, TRUTH, noisy, play, play_in_any_order


@given(st.integers(2, 9), st.integers(1, 9))
def test_unranking_lists_every_set_once(n: int, size: int) -> None:
    """0..C(n, k)-1 are all sets, arms ascending; also for k close to n, where binomials in between are larger."""
    size = min(n, size)
    sets = unrank(np.arange(math.comb(n, size)), n, size)
    assert sorted(map(tuple, sets.tolist())) == list(itertools.combinations(range(n), size))
    assert unrank(np.array([69]), 70, 69).tolist() == [[*range(1, 70)]]


@pytest.mark.parametrize(
    ("n", "k", "most"), [(8, 3, 56), (8, 3, 30), (8, 3, 20), (30, 4, 3000), (1000, 10, 50), (60, 59, 7)]
)
def test_sets_are_drawn_without_repetition(n: int, k: int, most: int) -> None:
    """Few of many or all of few: distinct sets of distinct arms, each seed's the same as on its own."""
    roots = np.array([fold_seed(1), fold_seed(2)])
    both = random_sets(roots, n, k, most)
    for sets, root in zip(both, roots, strict=True):
        assert len(sets) == min(most, math.comb(n, k)) == len(set(map(tuple, sets.tolist())))
        assert (np.diff(sets, axis=1) > 0).all()
        assert sets.min() >= 0
        assert sets.max() < n
        assert np.array_equal(random_sets(np.array([root]), n, k, most)[0], sets)


@pytest.mark.parametrize("most", [12, 4])
def test_every_set_comes_first_equally_often(most: int) -> None:
    """Chi-square over the C(6, 3) = 20 sets and 4000 seeds, for both ways of drawing."""
    roots = np.array([fold_seed(seed) for seed in range(4000)])
    first = [tuple(sets[0]) for sets in random_sets(roots, 6, 3, most).tolist()]
    counts = [first.count(each) for each in itertools.combinations(range(6), 3)]
    assert sum(counts) == 4000
    assert stats.chisquare(counts).pvalue > 1e-3


@settings(max_examples=40)
@given(st.integers(3, 6), st.integers(2, 4), st.integers(1, 90), st.integers(0, 99))
def test_round_robin_by_brute_force(n: int, k: int, budget: int, seed: int) -> None:
    """Borda is the mean over the sets an arm was seen in of its mean there; Copeland the share of them it tops."""
    k = min(n, k)
    machine = heats.RoundRobin(n, k, budget, seed=seed)
    told: dict[frozenset[int], list[dict[int, float]]] = {}
    while query := machine.ask():
        answer = noisy(query)
        told.setdefault(frozenset(query.arms), []).append(dict(zip(query.arms, answer, strict=True)))
        machine.tell(query, answer)
    counts = [len(pulls) for pulls in told.values()]
    assert sum(counts) == budget
    assert max(counts) - min(counts) <= 1
    assert len(told) == min(budget, math.comb(n, k))
    means = {heat: {arm: np.mean([pull[arm] for pull in pulls]) for arm in heat} for heat, pulls in told.items()}
    borda = [[scores[arm] for heat, scores in means.items() if arm in heat] for arm in range(n)]
    tops = [[scores[arm] == max(scores.values()) for heat, scores in means.items() if arm in heat] for arm in range(n)]
    report = machine.report()
    assert list(report.borda) == [pytest.approx(np.mean(each)) if each else None for each in borda]
    assert list(report.copeland) == [pytest.approx(np.mean(each)) if each else None for each in tops]
    assert report.winner == max((arm for arm in range(n) if borda[arm]), key=lambda arm: np.mean(borda[arm]))


def test_round_robin_starts_at_once_however_many_sets_there_are() -> None:
    """C(1000, 10) is about 2.6e23; an arm that was never seen has no score and cannot win."""
    machine = heats.RoundRobin(1000, 10, 5)
    report = play(machine, lambda query: [-1.0] * len(query.arms)).report()
    assert report.spent == 5
    seen = [arm for arm, score in enumerate(report.borda) if score is not None]
    assert len(seen) <= 50
    assert report.winner in seen
    assert report.runner_up in seen


def test_round_robin_reports_the_copeland_winner_too() -> None:
    """Arm 0 wins most sets narrowly, arm 1 has the larger mean."""
    scores = {(0, 1): (0.6, 0.5), (0, 2): (0.6, 0.5), (1, 2): (9.0, 0.0)}

    def answer(query: Any) -> list[float]:
        pair = dict(zip(sorted(query.arms), scores[tuple(sorted(query.arms))], strict=True))
        return [pair[arm] for arm in query.arms]

    report = play(heats.RoundRobin(3, 2, 6), answer).report()
    assert report.winner == 1
    assert report.copeland_winner == 0


def test_round_robin_asks_a_statistic_about_real_heats_only() -> None:
    """Also when every set had equally many turns, where a careless split leaves an empty part."""

    def by_column(observations: Any) -> Any:
        return np.apply_along_axis(np.median, -2, observations)  # refuses empty arrays

    assert play(heats.RoundRobin(4, 2, 12, statistic=by_column), TRUTH["rewards"]).winner == 3
    assert play(heats.RoundRobin(4, 2, 13, statistic=by_column), TRUTH["rewards"]).winner == 3


@pytest.mark.parametrize("seed", range(5))
def test_baselines_do_not_care_about_the_order_of_telling(seed: int) -> None:
    """Reports are equal to the byte."""
    import random

    for make in (lambda: heats.RoundRobin(9, 3, 100, seed=seed), lambda: heats.SuccessiveHalving(9, 100, seed=seed)):
        straight, shuffled = play(make()), play_in_any_order(make(), noisy, random.Random(seed))
        assert straight.report().to_json() == shuffled.report().to_json()


def test_round_robin_with_only_ties() -> None:
    """Chi-square over 1200 seeds: no arm is favoured, whether all are seen or not."""
    for budget in (1, 60):
        wins = [play(heats.RoundRobin(6, 3, budget, seed=seed), TIES["winner"]).winner for seed in range(1200)]
        assert stats.chisquare(np.bincount(wins, minlength=6)).pvalue > 1e-4


def test_successive_halving_follows_its_definition() -> None:
    """20 arms, 200 pulls: ⌊200/(|S_r|·5)⌋ pulls each, the better half stays, all pulls so far count."""
    machine = heats.SuccessiveHalving(20, 200, seed=4)
    told: dict[int, list[float]] = {arm: [] for arm in range(20)}
    left = list(range(20))
    for number in range(5):
        queries = machine.ask(1000)
        assert len(queries) == 200 // (len(left) * 5) * len(left)
        for query in queries:
            assert query.round == number
            [arm] = query.arms
            told[arm].append(noisy(query)[0])
            machine.tell(query, told[arm][-1])
        left = sorted(sorted(left, key=lambda arm: np.mean(told[arm]))[len(left) // 2 :])
        assert list(machine.report().rounds[number].survivors) == left
    assert [machine.winner] == left
    assert machine.leader == machine.winner


def test_successive_halving_with_only_ties() -> None:
    """Chi-square over 1200 seeds."""
    wins = [play(heats.SuccessiveHalving(6, 20, seed=seed), TIES["rewards"]).winner for seed in range(1200)]
    assert stats.chisquare(np.bincount(wins, minlength=6)).pvalue > 1e-4


def test_successive_halving_and_small_budgets() -> None:
    """Without a pull per arm and round it refuses, and names the number; blind it takes what it gets."""
    with pytest.raises(BudgetTooSmall, match="at least 100 pulls"):
        heats.SuccessiveHalving(20, 99)
    assert play(heats.SuccessiveHalving(20, 99, blind=True)).spent <= 99
    blind = heats.SuccessiveHalving(20, 1, blind=True)
    assert blind.done
    assert blind.report().winner is not None


def test_successive_halving_takes_numbers_only() -> None:
    """Preferences need company."""
    machine = heats.SuccessiveHalving(4, 20)
    with pytest.raises(BadFeedback, match="numbers only"):
        machine.tell(0, heats.Winner(0))
    for statistic in (heats.win_rate, heats.positional([1])):
        with pytest.raises(InvalidArgument, match="pulled alone"):
            heats.SuccessiveHalving(4, 20, statistic=statistic)


@pytest.mark.parametrize("make", [lambda *a: heats.RoundRobin(*a), lambda *a: heats.SuccessiveHalving(a[0], a[2])])
@pytest.mark.parametrize("arguments", [(1, 2, 10), (10, 2, 0), (True, 2, 10), (10, 2, 1.5)])
def test_impossible_problems_are_refused(make: Any, arguments: tuple[Any, ...]) -> None:
    """As a plan refuses them."""
    with pytest.raises(InvalidArgument):
        make(*arguments)


def test_the_first_answer_counts_in_round_robin() -> None:
    """The same machine serves all algorithms: same ids, same refusals."""
    machine = heats.RoundRobin(6, 3, 10)
    query = machine.ask()
    assert query is not None
    machine.tell(query, [1.0, 2.0, 3.0])
    machine.tell(query.id, [1, 2, 3])
    with pytest.raises(OutOfTurn):
        machine.tell(query, [1.0, 2.0, 4.0])
    assert machine.leader == query.arms[2]
    assert play(machine, TRUTH["rewards"]).winner is not None
    assert machine.leader == machine.winner
