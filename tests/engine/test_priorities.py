"""What adaptive play deals by: the kind of world it takes a run to be in, strengths, and the exploration bonus."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.engine.adaptive.dealing.keys import make_keys
from heats.engine.adaptive.dealing.many import Deal, deal_many
from heats.engine.adaptive.dealing.one import deal_one
from heats.engine.adaptive.priorities import Priorities
from heats.engine.feedback import Kind
from heats.engine.game import Game
from heats.environments import Environment, Gaussian, PlackettLuce, Winners
from tests.playing import play


def draw_priorities(n: int, runs: int, seed: int) -> Priorities:
    """Return priorities of runs in consistent worlds; the smaller the seed, the closer together strengths are."""
    rng, found = np.random.default_rng(seed), Priorities(runs, n)
    found.is_consistent[:], found.bonus = True, 2.5
    found.strengths = rng.normal(size=(runs, n)).round(3) * seed / 33
    found.precision = rng.uniform(0.5, 3, (runs, n)).round(3)
    found.gain[:] = 0.7 if seed % 2 == 0 else 0.0
    return found


def only(priorities: Priorities, run: int) -> Priorities:
    """Return the priorities of one of the runs."""
    alone = Priorities(1, priorities.strengths.shape[1])
    alone.bonus = priorities.bonus
    for name in ("is_consistent", "scores", "strengths", "precision", "gain"):
        setattr(alone, name, getattr(priorities, name)[run : run + 1])
    return alone


@settings(max_examples=40)
@given(st.integers(2, 8), st.sampled_from([0, 1, 2, 5, 12]), st.integers(1, 30), st.integers(0, 99))
def test_in_a_consistent_world_arms_are_dealt_by_what_they_may_be(k: int, others: int, pulls: int, seed: int) -> None:
    """Strength and standard errors, which shrink with every pending comparison: one, many and plain Python agree."""
    n, runs = k + others, 3
    priorities = draw_priorities(n, runs, seed)
    pulled = np.random.default_rng(seed).integers(0, 2, (1, n)).repeat(runs, axis=0)
    luck = np.arange(n)[None].repeat(runs, axis=0)
    dealt = deal_many(Deal(priorities, pulled, luck, make_keys(priorities.values, pulled, luck), pulls, k)).tolist()
    for run in range(runs):
        alone, mine = only(priorities, run), slice(run, run + 1)
        keys = make_keys(alone.values, pulled[mine], luck[mine])
        assert deal_one(Deal(alone, pulled[mine], luck[mine], keys, pulls, k))[0].tolist() == dealt[run]
        precision, theta = priorities.precision[run].tolist(), priorities.strengths[run].tolist()
        times = pulled[run].tolist()
        for heat in dealt[run]:
            value = [theta[arm] + 2.5 / math.sqrt(precision[arm]) for arm in range(n)]
            assert heat == sorted(range(n), key=lambda arm: (-round(value[arm] * 2**14), times[arm], arm))[:k]
            total = sum(math.exp(theta[arm]) for arm in heat)
            for arm in heat:
                chance = math.exp(theta[arm]) / total
                precision[arm] += priorities.gain[run, 0] or max(chance * (1 - chance), 0.05)
                times[arm] += 1


def test_runs_of_both_kinds_are_dealt_together() -> None:
    """By strengths in a consistent world, by scores in a contextual one."""
    priorities = draw_priorities(4, 2, 50)
    priorities.is_consistent[:] = True, False
    priorities.strengths[:], priorities.scores[:] = (9.0, 8.0, 0.0, 0.0), (0.0, 0.0, 5.0, 6.0)
    pulled, luck = np.full((2, 4), 40), np.arange(4)[None].repeat(2, axis=0)
    dealt = deal_many(Deal(priorities, pulled, luck, make_keys(priorities.values, pulled, luck), 1, 2))
    assert dealt[:, 0].tolist() == [[0, 1], [3, 2]]


def test_the_exploration_bonus_shrinks_as_the_budget_is_spent() -> None:
    """Eight standard errors at first, one and a half in the end; a budget that grows gives arms their chances back."""
    machine = heats.Adaptive(6, 2, 60, batches=4, seed=1)
    while not machine.done:
        spent = sum(machine.stage_sizes[: machine.round])
        query = machine.ask()
        assert query is not None
        assert machine.game.priorities.bonus == pytest.approx(8 - 6.5 * spent / 60)
        machine.tell(query, heats.Winner(max(query.arms)))
    machine.extend(60)
    machine.ask()
    assert machine.game.priorities.bonus == pytest.approx(4.75)


def share_consistent(world: Environment, spec: Any, reps: int = 40) -> tuple[float, float]:
    """Return in how many runs the world is taken to be consistent in the end, and how likely it is contextual."""
    game: Any = Game.of(spec, heats.mean, np.arange(1, reps + 1, dtype=np.uint64))
    worlds, rng = world.block(0, reps), np.random.default_rng(1)
    while (stage := game.stage()) is not None:
        game.hear(world.kind, worlds.sample(stage.heats, stage.pulls, rng), None)
    return float(game.priorities.is_consistent.mean()), float(game.posterior.contextual.mean())


def test_a_run_finds_out_what_kind_of_world_it_is() -> None:
    """Play and posterior alike."""
    spec = heats.Adaptive(40, 2, 400).spec
    share, contextual = share_consistent(Winners(Gaussian(40, redraw=True)), spec)
    assert share < 0.15
    assert contextual > 0.85
    share, contextual = share_consistent(PlackettLuce(np.exp(np.random.default_rng(1).normal(size=40))), spec)
    assert share > 0.85
    assert contextual < 0.15


def test_reading_the_posterior_changes_nothing() -> None:
    """Whoever looks between batches sees who would win now; the next batch is the same."""
    machines = [heats.Adaptive(12, 3, 60, seed=5) for _ in range(2)]
    while not machines[0].done:
        looked = [machine.ask(60) for machine in machines]
        assert looked[0] == looked[1]
        for machine, queries in zip(machines, looked, strict=True):
            for query in queries:
                machine.tell(query, heats.Winner(max(query.arms) if query.seed % 4 else min(query.arms)))
        assert machines[1].game.winners.size == 1
        assert machines[1].standings()
    assert machines[0].winner == machines[1].winner


@settings(max_examples=20)
@given(st.integers(2, 30), st.integers(2, 10), st.integers(1, 6), st.integers(1, 20), st.integers(0, 99))
def test_few_comparisons_do_not_tell_strengths(n: int, k: int, times: int, batches: int, seed: int) -> None:
    """Not before arms had three each, and there were three for every four arms: before, play is contextual."""
    k = min(n, k)
    machine = heats.Adaptive(n, k, times * n, batches=batches, seed=seed)
    while not machine.done:
        if machine.spent * k < 3 * n or machine.spent < 0.75 * n:
            assert not machine.game.priorities.is_consistent.any()
        for query in machine.ask(times * n):
            machine.tell(query, heats.Winner(max(query.arms)))


@pytest.mark.parametrize("k", [2, 4, 8])
def test_enough_comparisons_tell_strengths(k: int) -> None:
    """In a consistent world, with heats of any size."""
    machine, draw = heats.Adaptive(24, k, 480), random.Random(0)
    while not machine.done:
        for query in machine.ask(480):
            machine.tell(query, heats.Winner(max(query.arms, key=lambda arm: arm / 8 - math.log(draw.expovariate(1)))))
    assert machine.game.priorities.is_consistent.all()


@pytest.mark.parametrize(("n", "k", "budget"), [(120, 30, 300), (150, 25, 300), (40, 40, 30)])
def test_the_best_wins_where_rankings_of_many_are_told_without_noise(n: int, k: int, budget: int) -> None:
    """However large the heats: it can do no better than be first in all of them."""
    for seed in range(2):
        machine = heats.Adaptive(n, k, budget, seed=seed)
        while not machine.done:
            for query in machine.ask(budget):
                machine.tell(query, heats.Ranking(sorted(query.arms, reverse=True)))
        assert machine.winner == n - 1


@pytest.mark.parametrize(("n", "k", "budget"), [(120, 8, 153), (200, 5, 450), (200, 16, 252)])
@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_the_best_of_many_wins_where_rewards_have_hardly_any_noise(n: int, k: int, budget: int, noise: float) -> None:
    """However far hopeless ones are behind."""
    for seed in range(2):
        machine, draw = heats.Adaptive(n, k, budget, seed=seed), random.Random(seed)
        while not machine.done:
            for query in machine.ask(budget):
                machine.tell(query, [arm + draw.gauss(0, noise) for arm in query.arms])
        assert machine.winner == n - 1


def test_who_was_first_in_all_its_comparisons_wins() -> None:
    """Rewards without noise: the best of 200 met the winner and was ahead each time."""
    machine = play(heats.Adaptive(200, 16, 252, seed=7), lambda query: [float(arm) for arm in query.arms])
    assert machine.winner == 199


def test_void_answers_do_not_say_what_kind_of_world_it_is() -> None:
    """What is left may be that nobody won: then nothing is known of any arm, and the winner is drawn by luck."""
    winners = set()
    for seed in range(8):
        machine = heats.Adaptive(6, 2, 60, batches=4, seed=seed)
        while not machine.done:
            query = machine.ask()
            assert query is not None
            said = heats.Winner(None) if query.id % 7 == 0 else heats.Winner(max(query.arms))
            machine.tell(query, said, by="ann" if query.id % 7 else "bob")
        assert machine.winner == 5
        machine.void("ann")
        assert machine.game.posterior.chances[0] == pytest.approx(1 / 6)
        winners.add(machine.winner)
    assert len(winners) > 2


@pytest.mark.parametrize(("n", "k", "budget", "batches"), [(10, 3, 1000, 2), (50, 4, 2000, 15)])
def test_long_batches_are_dealt_alike_on_every_machine(n: int, k: int, budget: int, batches: int) -> None:
    """What is expected of hundreds of pulls does not grow from the last bit of a number: one and many deal the same."""
    spec = heats.Adaptive(n, k, budget, batches=batches).spec
    roots = np.arange(1, 4, dtype=np.uint64)
    together, alone = Game.of(spec, heats.mean, roots), [Game.of(spec, heats.mean, roots[i : i + 1]) for i in range(3)]
    rng = np.random.default_rng(1)
    while (stage := together.stage()) is not None:
        keys = rng.normal(size=(3, stage.heats.shape[1], 1, k)) + stage.heats[:, :, None] / n
        shares = (keys == keys.max(axis=-1, keepdims=True)).astype(float)
        for run, game in enumerate(alone):
            single = game.stage()
            assert single is not None
            assert np.array_equal(single.heats[0], stage.heats[run])
            game.hear(Kind.WINNER, shares[run : run + 1], None)
        together.hear(Kind.WINNER, shares, None)


def test_strengths_are_looked_at_in_long_runs_too() -> None:
    """As long as there are not too many different sets: what counts is how many there are, not how often."""
    machine, draw = heats.Adaptive(12, 2, 20_000, batches=6, seed=1), random.Random(0)
    while not machine.done:
        for query in machine.ask(20_000):
            machine.tell(query, heats.Winner(max(query.arms, key=lambda arm: arm / 3 - math.log(draw.expovariate(1)))))
    assert machine.game.priorities.is_consistent.all()
    assert machine.game.priorities.precision.sum() > 0.3 * machine.spent * 2 / 4


def test_new_arms_of_which_little_is_known_make_play_contextual_again() -> None:
    """Strengths that were found before they came say nothing of them."""
    machine, draw = heats.Adaptive(6, 2, 60, batches=4, seed=2), random.Random(0)

    def choose(query: Any) -> heats.Winner:
        return heats.Winner(max(query.arms, key=lambda arm: arm / 3 - math.log(draw.expovariate(1))))

    play(machine, choose)
    assert machine.game.priorities.is_consistent.all()
    machine.extend(90, arms=90)
    for query in machine.ask(machine.stage_sizes[machine.round]):
        machine.tell(query, choose(query))
    assert machine.spent * 2 < 3 * machine.n_arms
    assert not machine.game.priorities.is_consistent.any()


def test_a_world_of_one_set_is_alike_in_every_unit() -> None:
    """Rounding must not choose between the kinds of world."""
    for seed in range(10):
        machines = [heats.Adaptive(5, 5, 30, seed=seed) for _ in range(3)]
        draw = random.Random(seed)
        for _ in range(30):
            rewards = [draw.gauss(arm / 5, 1) for arm in range(5)]
            for machine, unit in zip(machines, (1.0, 3.0, 0.7), strict=True):
                query = machine.ask()
                assert query is not None
                machine.tell(query, [rewards[arm] * unit for arm in query.arms])
        one, *others = (machine.game.posterior for machine in machines)
        for other in others:
            assert other.chances == pytest.approx(one.chances, abs=1e-9)
            assert other.contextual == pytest.approx(one.contextual, abs=1e-9)
