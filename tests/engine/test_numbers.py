"""Rewards in any unit and around any level, heats of any size: what differs in the numbers told counts."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.engine.machine import Machine, Query
from tests.playing import play

GRID = 2.0**-20  # of rewards: with levels up to 2^30 and 2^20 of it to each side, all sums are exact floats

EQUIVARIANT = [heats.mean, heats.median, heats.quantile(0.3), heats.expected_shortfall(0.4)]
ORDINAL = [heats.win_rate, heats.positional([3, 1, 0.5, 0])]  # see only who is ahead of whom
HOMOGENEOUS = [*EQUIVARIANT, *ORDINAL, heats.power_mean(3)]

Make = Callable[[Any, int], Machine]  # of a statistic and a seed

MACHINES: dict[str, Make] = {
    **{
        f"tournament, {record}": lambda statistic, seed, record=record: heats.Tournament(
            heats.plan(9, 4, 60, "csh", record=record), statistic, seed
        )
        for record in ("ties", "off", "pooled")
    },
    "round robin": lambda statistic, seed: heats.RoundRobin(6, 3, 50, statistic=statistic, seed=seed),
}
ALONE = {"halving": lambda statistic, seed: heats.SuccessiveHalving(9, 90, statistic=statistic, seed=seed)}
ADAPTIVE = {"adaptive": lambda statistic, seed: heats.Adaptive(9, 3, 90, statistic=statistic, seed=seed)}

CASES = [
    *((name, make, statistic) for name, make in MACHINES.items() for statistic in HOMOGENEOUS),
    *((name, make, statistic) for name, make in ALONE.items() for statistic in [*EQUIVARIANT, heats.power_mean(3)]),
    *((name, make, statistic) for name, make in ADAPTIVE.items() for statistic in (heats.mean, heats.win_rate)),
]


def name_cases(cases: Iterable[tuple[str, Make, Any]]) -> list[str]:
    return [f"{name}, {statistic!r}" for name, _, statistic in cases]


def draw_rewards(query: Query) -> list[float]:
    """Noisy rewards on a grid; some pulls are coarse, so that scores and pulls tie now and then."""
    draw = random.Random(query.seed)
    coarse = 2**19 if draw.random() < 0.3 else 1
    return [(2**17 * arm + draw.randrange(-(2**19), 2**19)) // coarse * coarse * GRID for arm in query.arms]


def describe(machine: Machine) -> tuple[Any, ...]:
    """Return all that was decided: who was compared, who left when, who won, and how everybody stands."""
    told = [(each.round, each.pulls.tolist(), each.heats.tolist(), each.arms.tolist()) for each in machine.evidence()]
    standings = machine.standings()
    rows = [(row.arm, row.pulls, row.chance) for row in standings.rows]
    return told, machine.list_exits(), machine.winner, rows, standings.rivals, standings.method


MOVED = [case for case in CASES if case[2].name != "power_mean"]


@pytest.mark.parametrize("case", MOVED, ids=name_cases(MOVED))
@given(level=st.integers(-(2**50), 2**50), seed=st.integers(0, 2**32))
@settings(max_examples=6)
def test_only_what_rewards_differ_by_counts(case: tuple[str, Make, Any], level: int, seed: int) -> None:
    """A number added to all rewards changes nothing, as long as what is told is exact."""
    _, make, statistic = case
    near = play(make(statistic, seed), draw_rewards)
    far = play(make(statistic, seed), lambda query: [reward + level * GRID for reward in draw_rewards(query)])
    assert describe(far) == describe(near)


@pytest.mark.parametrize("case", CASES, ids=name_cases(CASES))
@given(exponent=st.integers(-900, 300), seed=st.integers(0, 2**32))
@settings(max_examples=6)
def test_the_unit_of_rewards_does_not_count(case: tuple[str, Make, Any], exponent: int, seed: int) -> None:
    """Powers of two, which are exact, from 10^-271 to 10^90; strengths are in the unit of what was told."""
    _, make, statistic = case
    unit = 2.0**exponent
    plain = play(make(statistic, seed), draw_rewards)
    scaled = play(make(statistic, seed), lambda query: [reward * unit for reward in draw_rewards(query)])
    assert describe(scaled) == describe(plain)
    if statistic is heats.mean and plain.standings().method == "effects":
        ours, theirs = scaled.standings().rows, plain.standings().rows
        assert [row.strength / unit for row in ours] == pytest.approx([row.strength for row in theirs], rel=1e-5)
