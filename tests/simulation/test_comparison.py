"""All strategies on one table: the same tournaments as each of them alone, and words where one cannot play."""

from __future__ import annotations

import numpy as np
import pytest

import heats
from heats.environments import Gaussian, Rankings, RuntimeTable, ScoreTable, Winners
from heats.errors import InvalidArgument
from heats.simulation.comparison import STRATEGIES, compare_strategies

TABLE = np.random.default_rng(5).normal(np.linspace(0, 1, 9), 0.5, size=(40, 9))


def test_every_strategy_plays_as_it_would_alone() -> None:
    """Success, pulls and regret are those of a simulation with the same seed."""
    world = ScoreTable(TABLE)
    found = compare_strategies(world, 3, [40], reps=200, seed=7)
    machines = [
        heats.plan(9, 3, 40, feedback="reward"),
        heats.Adaptive(9, 3, 40),
        *(heats.plan(9, 3, 40, name, feedback="reward") for name in ("csws", "csr", "csh")),
        heats.RoundRobin(9, 3, 40),
        heats.SuccessiveHalving(9, 120),
    ]
    means = TABLE.mean(axis=0)
    for each, machine in zip(found.scores, machines, strict=True):
        alone = heats.simulate(machine, world, 200, 7)
        assert (each.success, each.pulls) == (alone.success_rate, alone.pulls)
        assert each.regret == pytest.approx(means.max() - means[alone.winners].mean())
    assert found.blind_regret == pytest.approx(means.max() - means.mean())
    assert min(found.scores, key=lambda each: each.regret or 0).leads


def test_budgets_are_multiples_of_the_arms() -> None:
    """One, three and ten pulls per arm, every strategy with each; all of it is watched to the end."""
    ticks: list[tuple[int, int]] = []
    found = compare_strategies(ScoreTable(TABLE), 3, reps=5, watch=lambda *tick: ticks.append(tick))
    assert [each.budget for each in found.scores] == [9] * 7 + [27] * 7 + [90] * 7
    assert [each.strategy for each in found.scores] == 3 * list(STRATEGIES)
    played = sum(each.why_not is None for each in found.scores)
    assert ticks == sorted(ticks)
    assert ticks[-1] == (5 * played, 5 * played)


@pytest.mark.parametrize(
    "world", [Winners(ScoreTable(TABLE)), RuntimeTable(TABLE - TABLE.min()), Rankings(-TABLE, places=True)]
)
def test_who_cannot_play_says_why_in_a_word(world: heats.environments.Environment) -> None:
    """Single arms have numbers only where numbers are told; three pulls are too few for nine arms in threes."""
    words = {each.strategy: each.why_not for each in compare_strategies(world, 3, [3], reps=5).scores}
    assert words.pop("successive-halving") == "needs numbers"
    assert words.pop("round-robin") is words.pop("adaptive") is None
    assert set(words.values()) == {"too few pulls"}
    blindly = compare_strategies(world, 3, [3], reps=5, blind=True).scores
    assert [each.why_not for each in blindly] == [None] * 6 + ["needs numbers"]


@pytest.mark.slow
def test_large_tables_are_played_less_often() -> None:
    """So that it takes seconds, whatever the table."""
    assert compare_strategies(ScoreTable(TABLE), 2, [8]).reps == 1000
    assert compare_strategies(Winners(ScoreTable(TABLE)), 9, [6000]).reps < 100


def test_what_makes_no_sense_is_refused() -> None:
    """In the words of every plan."""
    with pytest.raises(InvalidArgument, match="Gaussian is not a recorded world"):
        compare_strategies(Gaussian(5), 2)
    with pytest.raises(InvalidArgument, match="heat_size=10 is more than the 9 candidates"):
        compare_strategies(ScoreTable(TABLE), 10)
    with pytest.raises(InvalidArgument, match="budget=0 must be at least 1"):
        compare_strategies(ScoreTable(TABLE), 2, [0])
    with pytest.raises(InvalidArgument, match="reps=0 must be at least 1"):
        compare_strategies(ScoreTable(TABLE), 2, reps=0)
