"""Simulation: many at once are the same tournaments as one by one, and agree with independent arithmetic."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from scipy import stats

import heats
from heats.engine.feedback import Kind
from heats.environments import (
    Environment,
    Gaussian,
    Normal,
    PlackettLuce,
    Rankings,
    RuntimeTable,
    ScoreTable,
    Sequences,
    Winners,
    play,
)
from heats.errors import InvalidArgument
from heats.theory import Limits, Squeezed


class Odd(Environment):
    """A world from outside that gets something wrong."""

    n_arms = 5

    def __init__(self, said: Any, kind: Any = Kind.REWARDS) -> None:
        self.said, self.kind = said, kind

    def sample(self, heats: Any, pulls: int, rng: Any) -> Any:
        return self.said if np.ndim(self.said) else np.full((*heats.shape[:-1], pulls, heats.shape[-1]), self.said)


def test_a_simulation_prints_as_a_sentence() -> None:
    """With the interval; so does a machine."""
    found = heats.simulate(heats.plan(5, 2, 9), Normal([1, 2, 3, 4, 5]), 20)
    assert str(found).startswith("the best arm won 20 of 20 runs of 9 pulls: 100.0% (95% interval")
    assert "arms found most often" in str(heats.simulate(heats.plan(5, 2, 9), NOBODY, 9))
    assert repr(heats.Tournament(heats.plan(5, 2, 9))) == "<Tournament: 0 pulls told, 2 owed>"


@pytest.mark.parametrize("kind", ["winner", "ranking"])
def test_a_fitted_record_is_the_same_as_one_by_one(kind: Any) -> None:
    """Voters who all say the same: nothing is random, and the fit decides every heat."""
    world = Rankings([np.random.default_rng(1).permutation(13)], feedback=kind)
    plan = heats.plan(13, 4, 45, "csr", record="fitted")
    found = heats.simulate(plan, world, 30, seed=5)
    assert found.winners.tolist() == [play(heats.Tournament(plan, seed=5 + i), world).winner for i in range(30)]


NOBODY = Sequences(Squeezed(Limits(5, 2, lambda heat: [1.0, 1.0]), lambda t: 1 / t))  # all equal: no best arm
FIXED = Sequences(np.random.default_rng(1).integers(0, 4, size=(13, 40)))  # many ties, nothing random


@pytest.mark.parametrize("rule", ["csws", "csr", "csh"])
@pytest.mark.parametrize("record", ["off", "ties", "pooled"])
@pytest.mark.parametrize("statistic", [heats.mean, heats.median, heats.win_rate, heats.quantile(0.3)], ids=repr)
def test_the_same_tournaments_as_one_by_one(rule: str, record: Any, statistic: Any) -> None:
    """In a world without chance repetition i has the winner of the tournament with seed + i, ties and byes included."""
    plan = heats.plan(13, 4, 45, rule, record=record, blind=True)
    found = heats.simulate(plan, FIXED, 40, seed=5, statistic=statistic)
    for i, winner in enumerate(found.winners):
        assert play(heats.Tournament(plan, statistic, seed=5 + i), FIXED).winner == winner


def test_the_instances_of_the_theory_can_be_simulated() -> None:
    """As sequences; what Theorem 2 promises holds for every seed, and winners are those of tournaments one by one."""
    limits = Limits(6, 3, lambda heat: [1.0 - arm / 8 for arm in heat])
    safe = Sequences(Squeezed(limits, lambda t: 1 / (40 * t)))
    plan = heats.plan(6, 3, 30)
    assert safe.best == 0
    assert safe.limits((1, 2)) == (0.875, 0.75)
    assert heats.simulate(plan, safe, 50).success_rate == 1
    unsafe = Squeezed(limits, lambda t: 1 / (2 * t))
    found = heats.simulate(plan, Sequences(unsafe), 50)
    assert found.success_rate < 1
    assert found.winners.tolist() == [unsafe.play(heats.Tournament(plan, seed=seed)).winner for seed in range(50)]


@pytest.mark.parametrize("budget", [1, 30, 100, 300])
def test_round_robin_is_the_same_as_one_by_one(budget: int) -> None:
    """Few sets of many and all of few, some turned over more than once."""
    for n, k in ((13, 3), (13, 2)):
        machine = heats.RoundRobin(n, k, budget)
        world = Sequences(np.random.default_rng(2).integers(0, 3, size=(n, 9)))
        found = heats.simulate(machine, world, 25, seed=3)
        for i, winner in enumerate(found.winners):
            assert play(heats.RoundRobin(n, k, budget, seed=3 + i), world).winner == winner


@pytest.mark.parametrize("budget", [3, 60, 200])
def test_successive_halving_is_the_same_as_one_by_one(budget: int) -> None:
    """Also when it is blind."""
    world = Sequences(np.random.default_rng(2).integers(0, 3, size=(13, 9)))
    found = heats.simulate(heats.SuccessiveHalving(13, budget, blind=True), world, 25, seed=3)
    for i, winner in enumerate(found.winners):
        assert play(heats.SuccessiveHalving(13, budget, seed=3 + i, blind=True), world).winner == winner


CHANCE = {
    "gaussian": (Gaussian(12, seed=1), heats.mean),
    "median": (Gaussian(12, seed=1), heats.median),
    "power mean": (Gaussian(12, seed=1), heats.power_mean(2)),
    "win rate": (Gaussian(12, seed=1), heats.win_rate),
    "quantile": (Gaussian(12, seed=1), heats.quantile(0.3)),
    "shortfall": (Gaussian(12, seed=1), heats.expected_shortfall(0.4)),
    "positional": (Gaussian(12, seed=1), heats.positional([3, 1, 0, 0, 0])),
    "winners": (Winners(Gaussian(12, seed=1)), heats.mean),
    "plackett-luce": (PlackettLuce(np.arange(1, 13)), heats.mean),
    "rankings": (Rankings([np.random.default_rng(i).permutation(12) for i in range(9)]), heats.mean),
    "scores": (ScoreTable(np.random.default_rng(3).random((9, 12))), heats.mean),
    "runtimes": (
        RuntimeTable(np.random.default_rng(3).random((9, 12)), np.random.default_rng(4).random((9, 12)) < 0.6),
        heats.mean,
    ),
}


QUICK = ("gaussian", "winners", "runtimes")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in CHANCE]
)
def test_equal_in_distribution_to_one_by_one(name: str) -> None:
    """Chi-square of who wins, over a grid of plans with byes, and for RoundRobin.

    150 tournaments beside 3000 tell as much as 300 beside 300, and those that are simulated cost next to nothing.
    """
    world, statistic = CHANCE[name]
    for k, budget, rule in ((5, 40, "csr"), (2, 30, "csws"), (4, 25, "csh")):
        plan = heats.plan(12, k, budget, rule)
        one_by_one = [play(heats.Tournament(plan, statistic, seed=seed), world).winner for seed in range(150)]
        assert_alike(one_by_one, heats.simulate(plan, world, 3000, seed=1000, statistic=statistic).winners)
    turns = [play(heats.RoundRobin(12, 3, 40, statistic=statistic, seed=seed), world).winner for seed in range(150)]
    assert_alike(
        turns, heats.simulate(heats.RoundRobin(12, 3, 40, statistic=statistic), world, 3000, seed=1000).winners
    )


def assert_alike(one: Any, other: Any) -> None:
    table = np.array([np.bincount(one, minlength=12), np.bincount(other, minlength=12)])
    assert stats.chi2_contingency(table[:, table.sum(axis=0) > 0]).pvalue > 1e-4


def survives(size: int, keep: int, pulls: int, draw: np.random.Generator, tries: int = 100_000) -> float:
    """P(i* is among the kept): independent arithmetic, means and deviations drawn afresh."""
    means = draw.random((tries, size))
    means[:, 0] = means[:, 1:].max(axis=1) + 0.1
    scores = means + draw.uniform(0.05, 0.2, (tries, size)) / math.sqrt(pulls) * draw.standard_normal((tries, size))
    return float(((scores[:, 1:] > scores[:, :1]).sum(axis=1) < keep).mean())


@pytest.mark.parametrize(
    ("n", "k", "budget", "rule"), [(20, 3, 40, "csws"), (23, 4, 60, "csh"), (15, 4, 50, "csr"), (50, 6, 100, "csh")]
)
def test_success_follows_from_survival_round_by_round(n: int, k: int, budget: int, rule: str) -> None:
    """Only i* matters in this family. Who rested plays next; the others share the places that are left."""
    draw = np.random.default_rng(7)
    plan = heats.plan(n, k, budget, rule, record="off")
    rested, playing, resting = 0, 1.0, 0.0  # byes of the round before; P(i* is in and did not rest), P(in and rested)
    for each in plan.rounds:
        places = each.heats * each.size
        chance = (places - rested) / (each.arms - rested)
        plays = resting + playing * chance
        playing, resting = plays * survives(each.size, each.keep, each.pulls, draw), playing * (1 - chance)
        rested = each.byes
    found = heats.simulate(plan, Gaussian(n, redraw=True), 20_000)
    assert abs(found.success_rate - playing) < 4 * math.sqrt(playing * (1 - playing) / 20_000) + 0.005


def test_results_depend_on_nothing_but_the_seed() -> None:
    """Not on workers, threads or processes."""
    plan, world = heats.plan(60, 4, 300), Winners(Gaussian(60))
    alone = heats.simulate(plan, world, 2500, seed=2)
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(2) as processes:
        for executor in (threads, processes):
            assert np.array_equal(heats.simulate(plan, world, 2500, seed=2, executor=executor).winners, alone.winners)
    assert not np.array_equal(heats.simulate(plan, world, 2500, seed=3).winners, alone.winners)


def test_every_repetition_may_have_a_world_of_its_own() -> None:
    """With redraw the same heat has other means in every repetition, the best arm stays; blocks change nothing."""
    world = Gaussian(20, seed=3, redraw=True)
    heats_ = np.tile(np.array([1, 2, 3]), (5, 4, 1))
    means, _ = world.block(10, 5).parameters(heats_)
    assert len(np.unique(means)) == 5 * 3
    assert np.array_equal(world.block(12, 1).parameters(heats_[:1])[0][0], means[2])
    assert world.block(0, 5).best == world.best
    assert np.ptp(Gaussian(20, seed=3).block(0, 5).parameters(heats_)[0], axis=0).max() == 0


def test_repetitions_are_independent() -> None:
    """Success counts of 30 seeds scatter as binomial ones do: worlds of their own, deals of their own."""
    plan = heats.plan(20, 2, 60)
    rates = [heats.simulate(plan, Gaussian(20, redraw=True, seed=s), 200, seed=1000 * s).successes for s in range(30)]
    share = np.mean(rates) / 200
    spread = np.var(rates, ddof=1) / (200 * share * (1 - share))
    assert stats.chi2.ppf(1e-3, 29) / 29 < spread < stats.chi2.ppf(1 - 1e-3, 29) / 29


def test_intervals_are_exact() -> None:
    """Clopper-Pearson of the successes."""
    found = heats.simulate(heats.plan(20, 4, 60), Gaussian(20), 300)
    expected = stats.binomtest(found.successes, 300).proportion_ci(0.95, "exact")
    assert found.interval == pytest.approx((expected.low, expected.high))
    assert found.success_rate == found.successes / 300
    assert sum(found.counts.values()) == 300
    assert found.pulls == 60


def test_memory_is_bounded_whatever_the_repetitions() -> None:
    """Measured, for winners drawn pull by pull with a large budget; one that cannot fit is refused; a million arms work."""
    import tracemalloc

    plan = heats.plan(100, 4, 20_000)
    for reps in (4, 12):
        tracemalloc.start()
        assert heats.simulate(plan, Winners(Gaussian(100)), reps, max_bytes=20_000_000).winners.size == reps
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 20_000_000
    with pytest.raises(InvalidArgument, match="needs 16,000 bytes and max_bytes=1000 is not enough"):
        heats.simulate(plan, Gaussian(100), 10**9, max_bytes=1000)
    large = heats.plan(10**6, 10, 200_002)
    assert heats.simulate(large, Gaussian(10**6, gap=3.0), 1).success_rate == 1


def test_costs_are_summed_up() -> None:
    """Pulls times what a pull of each heat costs."""
    plan, world = heats.plan(12, 4, 40), Normal(np.arange(12.0))
    found = heats.simulate(plan, world, 10, cost=lambda sets: np.full(sets.shape[:-1], 2.0))
    assert found.costs is not None
    assert found.costs.tolist() == [80.0] * 10
    machine = heats.RoundRobin(12, 4, 40)
    counted = heats.simulate(machine, world, 10, cost=lambda sets: np.full(sets.shape[:-1], 2.0)).costs
    assert counted is not None
    assert counted.tolist() == [80.0] * 10
    seen: list[tuple[int, int]] = []
    heats.simulate(plan, world, 2100, watch=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (2100, 2100)
    assert all(a < b for (a, _), (b, _) in itertools.pairwise(seen))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: heats.simulate(heats.plan(5, 2, 9), Gaussian(5), 0), "reps=0"),
        (lambda: heats.simulate(heats.plan(5, 2, 9), Gaussian(6)), "5 arms, but the world's n_arms is 6"),
        (lambda: heats.simulate(heats.plan(5, 2, 9), Gaussian(5), seed=-1), "seed=-1"),
        (lambda: heats.simulate(heats.plan(5, 2, 9), Gaussian(5), seed=2**64), "no room"),
        (lambda: heats.simulate(heats.plan(5, 2, 9), Gaussian(5), 10**20), "reps=1.* must be from 1 to 1000000000"),
        (lambda: heats.simulate(heats.RoundRobin(5, 2, 10**11), Gaussian(5)), "budget=100000000000 is more than a run"),
        (lambda: heats.simulate("csh", Gaussian(5)), "cannot be simulated"),
        (lambda: heats.simulate(heats.plan(5, 2, 10**17, "csh"), Gaussian(5)), "below 2\\^53"),
        (
            lambda: heats.simulate(heats.plan(5, 2, 10**12), Winners(Gaussian(5))),
            "lower the budget \\(in Python, max_bytes",
        ),
        (lambda: heats.simulate(heats.plan(5, 2, 9), Odd(np.nan)), "not finite"),
        (lambda: heats.simulate(heats.plan(5, 2, 9), Odd(np.zeros(3))), "returned shape"),
        (lambda: heats.simulate(heats.plan(5, 2, 9), Odd(1.0, kind="winner")), "one of heats.environments.Kind"),
        (
            lambda: heats.simulate(heats.RoundRobin(5, 2, 9), Gaussian(5), statistic=heats.mean),
            "brings its own statistic",
        ),
        (lambda: heats.simulate(heats.plan(5, 2, 9), Gaussian(5), statistic=heats.quantile), "needs its parameter"),
        (lambda: heats.simulate(heats.SuccessiveHalving(5, 50), Winners(Gaussian(5))), "takes numbers only"),
        (lambda: heats.simulate(heats.plan(5, 2, 9), NOBODY, 9).success_rate, "does not know its best arm"),
        (lambda: heats.simulate(heats.plan(5, 2, 9), "world"), "not a world to simulate in"),
    ],
)
def test_impossible_simulations_are_refused(call: Any, message: str) -> None:
    """One sentence each."""
    with pytest.raises(InvalidArgument, match=message):
        call()


def test_pulls_that_could_be_saved_are_played() -> None:
    """The same arms win, so there is nothing to leave out."""
    plan = heats.plan(9, 3, 60, "csh", record="off")
    world = heats.environments.PlackettLuce(np.arange(1, 10))
    early, whole = (heats.simulate(heats.Tournament(plan, early=each), world, 50) for each in (True, False))
    assert early.winners.tolist() == whole.winners.tolist()
    assert early.pulls == whole.pulls == plan.cost


def test_a_machine_that_grew_is_simulated_as_large_as_it_is() -> None:
    """Its game knows how it began, its spec what it is now: more to spend, and one more arm."""
    machine = heats.Adaptive(9, 3, 20)
    machine.extend(30)
    grown = heats.simulate(machine, Gaussian(9, gap=0.3), 20, cost=lambda sets: np.ones(sets.shape[:-1]))
    begun = heats.simulate(heats.Adaptive(9, 3, 50), Gaussian(9, gap=0.3), 20)
    assert grown.costs is not None
    assert grown.costs.tolist() == [grown.pulls] * 20 == [50] * 20
    assert grown.winners.tolist() == begun.winners.tolist()
    machine.add()
    last_is_best = Normal(np.arange(10.0))
    assert heats.simulate(machine, last_is_best, 5).winners.tolist() == [9] * 5
