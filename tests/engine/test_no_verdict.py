"""A pull without a verdict is spent and says nothing: the heat's other pulls decide, and where there are none, the record."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import heats
from heats.environments import Gaussian, Kind, Winners, play
from heats.environments.protocol import Environment
from heats.errors import BadFeedback
from tests.playing import TRUTH
from tests.playing import play as play_machine


def test_nothing_but_no_verdicts() -> None:
    """All is spent, nobody is credited, the seeded shuffle decides."""
    machine = heats.Tournament(heats.plan(9, 3, 30), seed=4)
    play_machine(machine, lambda query: heats.NoVerdict("the judge was ill"))
    report = machine.report()
    assert machine.done
    assert report.no_verdicts == report.spent == machine.total
    assert report.sureness is None
    assert set(report.rivals or ()) == set(range(9)) - {report.winner}
    assert report.standings.method == "none"
    assert all(scores == () for each in report.rounds for scores in each.scores or ())
    winners = {
        play_machine(heats.Tournament(heats.plan(9, 3, 30), seed=seed), lambda query: heats.NoVerdict()).winner
        for seed in range(60)
    }
    assert len(winners) > 6


@given(
    st.integers(0, 10_000),
    st.sampled_from(["csws", "csr", "csh"]),
    st.sampled_from(["off", "ties", "pooled", "fitted"]),
)
def test_the_statistic_sees_the_other_pulls(seed: int, rule: str, record: str) -> None:
    """Scores of every heat are those of its pulls that had a verdict, in plain Python; records count these only."""
    plan = heats.plan(11, 3, 60, rule, record=record)
    machine = heats.Tournament(plan, seed=seed)
    draw = random.Random(seed)
    told: dict[tuple[int, int], list[dict[int, float]]] = {}
    silent = 0
    while query := machine.ask():
        winner = draw.choice(query.arms)
        if draw.random() < 0.4:
            machine.tell(query, heats.NoVerdict())
            silent += 1
        else:
            machine.tell(query, heats.Winner(winner))
            told.setdefault((query.round, query.heat), []).append({arm: float(arm == winner) for arm in query.arms})
    report = machine.report()
    assert report.no_verdicts == silent
    for number, each in enumerate(report.rounds):
        by_arms = {frozenset(pulls[0]): pulls for (round_, _), pulls in told.items() if round_ == number}
        for arms, scores in zip(each.heats, each.scores or (), strict=True):
            pulls = by_arms.get(frozenset(arms), [])
            expected = [sum(pull[arm] for pull in pulls) / len(pulls) for arm in arms] if pulls else []
            assert list(scores) == pytest.approx(expected)


def test_a_heat_without_a_verdict_is_decided_by_the_record() -> None:
    """Arm 2 led before; the last heat says nothing."""
    rounds = (heats.Round(1, 3, 2, 4), heats.Round(1, 2, 1, 3))
    for record in ("ties", "pooled", "fitted"):
        for seed in range(10):
            plan = heats.Plan(n_arms=3, heat_size=3, budget=7, rounds=rounds, record=record)
            machine = heats.Tournament(plan, seed=seed)
            for query, winner in zip(machine.ask(4), (2, 2, 1, 2), strict=True):
                machine.tell(query, heats.Winner(winner))
            for query in machine.ask(3):
                machine.tell(query, heats.NoVerdict())
            assert machine.winner == 2


def test_it_stands_beside_any_kind_and_is_told_once() -> None:
    """It is no kind of its own, equal to itself whatever the reason, and not a tie."""
    for kind, answer in TRUTH.items():
        machine = heats.Tournament(heats.plan(9, 3, 30), seed=1)
        first, second, third = machine.ask(3)
        machine.tell(first, heats.NoVerdict("why"))
        machine.tell(first, heats.NoVerdict("another reason"))
        machine.tell(second, answer(second))
        machine.tell(third, heats.NoVerdict())
        assert machine.spent == 3, kind
        with pytest.raises(heats.errors.OutOfTurn, match="told before, and differently"):
            machine.tell(first, answer(first))
    with pytest.raises(BadFeedback, match="takes the reason as text"):
        heats.NoVerdict(3)


@pytest.mark.parametrize(
    "make", [lambda: heats.RoundRobin(6, 3, 47, seed=2), lambda: heats.SuccessiveHalving(7, 60, seed=2)]
)
def test_the_baselines_take_it_too(make: Any) -> None:
    """What was not seen does not count; with the rest noiseless the best arm wins."""
    machine = make()
    play_machine(machine, lambda query: heats.NoVerdict() if query.id % 4 == 1 else TRUTH["rewards"](query))
    assert machine.winner == machine.n_arms - 1
    assert machine.report().no_verdicts == machine.no_verdicts > 5
    assert play_machine(make(), lambda query: heats.NoVerdict()).winner is not None


class Moody(Environment):
    """Rewards of a world, of which a third is never heard: which one depends on the pull and the heat alone."""

    silent = True
    fixed = True

    def __init__(self, kind: Kind) -> None:
        self.n_arms, self.kind = 12, kind
        self._values = np.random.default_rng(3).normal(np.arange(12) / 8, 1, size=(50, 12))

    def sample(self, heats: Any, pulls: int, rng: Any) -> Any:
        seen = self._values[np.arange(pulls)[:, None], heats[..., None, :]]
        if self.kind is Kind.WINNER:
            seen = (seen == seen.max(axis=-1, keepdims=True)).astype(float)
        quiet = (heats.sum(axis=-1)[..., None] + np.arange(pulls)) % 3 == 0
        return np.where(quiet[..., None], np.nan, seen)


@pytest.mark.parametrize("kind", [Kind.REWARDS, Kind.WINNER])
@pytest.mark.parametrize("record", ["off", "ties", "pooled", "fitted"])
def test_the_simulator_has_the_same_mask(kind: Kind, record: str) -> None:
    """Ten repetitions at once are the ten machines, one by one."""
    if kind is Kind.REWARDS and record == "fitted":
        pytest.skip("a fitted record is a model of wins")
    plan = heats.plan(12, 3, 70, "csr", record=record)
    world = Moody(kind)
    found = heats.simulate(plan, world, reps=10, seed=5)
    one_by_one = [play(heats.Tournament(plan, seed=5 + rep), world).winner for rep in range(10)]
    assert found.winners.tolist() == one_by_one
    machine = heats.RoundRobin(12, 3, 50)
    singles = [play(heats.RoundRobin(12, 3, 50, seed=rep), world).winner for rep in range(5)]
    assert heats.simulate(machine, world, reps=5).winners.tolist() == singles


def test_a_world_without_silence_must_not_be_silent() -> None:
    """NaN is refused where it is not announced."""
    world = Moody(Kind.REWARDS)
    world.silent = False
    with pytest.raises(heats.errors.InvalidArgument, match="not finite"):
        heats.simulate(heats.plan(12, 3, 70), world, reps=2)
    assert Winners(Gaussian(5)).silent is False
