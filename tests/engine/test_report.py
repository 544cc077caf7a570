"""A report says which kind of world the run looked like, and why its winner may not be first in the standings."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import heats
from heats.engine.report import list_reasons
from tests.playing import play

DEPENDED, AVERAGES, ALIKE = "results depended on who was compared", "so strengths are averages", "did alike in any"


def say(machine: heats.Machine) -> str:
    report = machine.report()
    return "\n".join(list_reasons(report, [f"arm {arm}" for arm in range(report.n_arms)]))


def test_a_contextual_world_is_named_and_strength_explained() -> None:
    """The paper's family: the best by far need not be strong, and the report says what a strength is."""
    machine = heats.Adaptive(50, 2, 300, seed=3)
    heats.environments.play(machine, heats.environments.Gaussian(50, gap=0.1, seed=3))
    standings, said = machine.standings(), say(machine)
    assert standings.contextual is not None
    assert standings.contextual > 0.9
    assert DEPENDED in said
    assert AVERAGES in said
    assert ALIKE not in said
    assert "first (" not in said  # the winner is first
    assert standings.rows[0].arm == machine.winner == 6


@pytest.mark.parametrize("make", [heats.Adaptive, heats.RoundRobin])
def test_a_consistent_world_is_named(make: Any) -> None:
    """Choices of Plackett and Luce; there strengths need no explanation."""
    machine = play(
        make(8, 3, 150, seed=1),
        lambda query: heats.Winner(
            max(query.arms, key=lambda arm: arm / 2 + random.Random(f"{query.id} {arm}").random())
        ),
    )
    contextual = machine.standings().contextual
    assert contextual is not None
    assert contextual < 0.5
    said = say(machine)
    assert ALIKE in said
    assert DEPENDED not in said
    assert AVERAGES not in said


@pytest.mark.parametrize(
    "machine",
    [
        heats.Adaptive(3, 3, 20, seed=1),
        heats.RoundRobin(2, 2, 9),
        heats.SuccessiveHalving(4, 40),
        heats.Tournament(heats.plan(4, 2, 60), heats.median),
    ],
    ids=["one set", "one pair", "alone", "median"],
)
def test_nothing_is_said_where_it_is_not_assessed(machine: heats.Machine) -> None:
    """Where only one set was compared, arms were measured alone, or comparisons are resampled."""
    play(machine, lambda query: [arm + random.Random(f"{query.id} {arm}").random() for arm in query.arms])
    assert machine.standings().contextual is None
    said = say(machine)
    assert ALIKE not in said
    assert DEPENDED not in said


def test_the_json_has_the_kind_of_world() -> None:
    """As a chance; what was approximated is gone."""
    machine = play(heats.Adaptive(6, 2, 40, seed=1), lambda query: heats.Winner(max(query.arms)))
    standings = json.loads(machine.report().to_json())["standings"]
    assert standings["contextual"] == machine.standings().contextual
    assert "approximate" not in standings


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (
            lambda seed: heats.Tournament(heats.plan(8, 2, 40, "csh", record="off"), seed=seed),
            "a tournament is decided by its last heat",
        ),
        (lambda seed: heats.RoundRobin(8, 2, 40, seed=seed), "round-robin has a rule of its own"),
        (lambda seed: heats.Adaptive(8, 2, 40, seed=seed), None),
    ],
    ids=["tournament", "round-robin", "adaptive"],
)
def test_another_one_that_is_first_is_named_with_the_reason(make: Any, why: str | None) -> None:
    """In one sentence, and never of adaptive play, whose winner is first."""
    others = 0
    for seed in range(12):
        machine = make(seed)
        while (query := machine.ask()) is not None:
            luck = random.Random(f"{seed} {query.id}")
            machine.tell(query, heats.Winner(max(query.arms, key=lambda arm: arm / 10 + luck.gauss(0, 1))))
        first, said = machine.standings().rows[0], say(machine)
        is_other = first.arm != machine.winner
        others += is_other
        assert (f"all pulls together rank arm {first.arm} first (" in said) == is_other
        assert why is None or (why in said) == is_other
    assert (others > 0) == (why is not None)
