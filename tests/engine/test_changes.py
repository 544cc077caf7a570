"""Adaptive runs that are extended, added to and stopped: what was played stays, and what comes next follows from it."""

from __future__ import annotations

import random
from itertools import accumulate
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.base.randomness import fold_seed
from heats.engine.adaptive.batches import divide
from heats.engine.game import Game
from heats.engine.machine import Machine
from heats.engine.specs import AdaptiveSpec
from heats.errors import HeatsError, InvalidArgument, OutOfTurn
from tests.playing import TRUTH, noisy, play, recall

PROBLEMS = st.tuples(st.integers(2, 20), st.integers(2, 5), st.integers(1, 60), st.integers(1, 18), st.integers(0, 99))


def make(n: int, k: int, budget: int, batches: int, seed: int) -> heats.Adaptive:
    return heats.Adaptive(n, min(n, k), budget, batches=batches, seed=seed)


def tell_some(machine: Machine, count: int, order: random.Random | None = None) -> None:
    """Tell so many pulls, the first ones or any."""
    for _ in range(count):
        if machine.done:
            return
        out = machine.ask(1 if order is None else order.randint(1, 4))
        keep = out[0] if order is None else order.choice(out)
        for query in out:
            if query is not keep:
                machine.requeue(query)
        machine.tell(keep, noisy(keep))


def look_at(machine: heats.Adaptive) -> tuple[Any, ...]:
    """Return all that decides how a run goes on."""
    heats_dealt = None if machine.stage is None else machine.stage.heats.tolist()
    return recall(machine), machine.stage_sizes, heats_dealt, machine.owed, machine.stopped, machine.total


@settings(max_examples=40)
@given(PROBLEMS, st.integers(1, 80), st.integers(0, 30))
def test_in_the_first_batch_it_is_the_larger_run_from_the_start(
    problem: tuple[int, int, int, int, int], more: int, told: int
) -> None:
    """What was told and handed out stays, with its ids, arms and seeds; the rest is as if it had been so all along."""
    n, k, budget, batches, seed = problem
    small, large = make(*problem), make(n, k, budget + more, batches, seed)
    told = min(told, small.owed - 1)
    tell_some(small, told)
    tell_some(large, told)
    out = small.ask(2)
    small.extend(more)
    assert out == large.ask(len(out))
    for machine in (small, large):
        for query in out:
            machine.tell(query, noisy(query))
    assert look_at(small) == look_at(large)
    assert look_at(play(small)) == look_at(play(large))


@settings(max_examples=40)
@given(PROBLEMS, st.integers(1, 80), st.integers(1, 60))
def test_later_the_batch_under_way_stays_and_the_rest_is_divided_anew(
    problem: tuple[int, int, int, int, int], more: int, told: int
) -> None:
    """The batches to come end where those of the total would, as far as that is beyond the one under way."""
    n, k, budget, batches, _ = problem
    machine = make(*problem)
    tell_some(machine, told)
    if machine.round == 0:
        return
    before, played = machine.stage_sizes, machine.round + (not machine.done)
    dealt = None if machine.stage is None else machine.stage.heats.tolist()
    machine.extend(more)
    if dealt is not None:
        assert machine.stage is not None
        assert machine.stage.heats.tolist() == dealt
    kept = before[:played]
    ends = [end for end in accumulate(divide(n, min(n, k), budget + more, batches)) if end > sum(kept)]
    assert list(accumulate(machine.stage_sizes)) == [*accumulate(kept), *ends]
    play(machine)
    assert machine.spent == machine.total == machine.budget == budget + more


@settings(max_examples=40)
@given(PROBLEMS, st.integers(1, 40), st.integers(1, 40), st.integers(0, 70))
def test_two_extensions_are_one(problem: tuple[int, int, int, int, int], one: int, other: int, told: int) -> None:
    """With nothing asked or told between, whether the run was over before or not."""
    twice, once = make(*problem), make(*problem)
    for machine in (twice, once):
        tell_some(machine, told)
    twice.extend(one)
    twice.extend(other)
    once.extend(one + other)
    assert look_at(twice) == look_at(once)
    assert look_at(play(twice)) == look_at(play(once))


def test_what_was_handed_out_after_an_extension_stays() -> None:
    """A batch that somebody is at work on is not dealt anew, whatever the next extension says."""
    machine = heats.Adaptive(9, 3, 30, seed=2)
    play(machine)
    machine.extend(30)
    out = machine.ask(2)
    size = machine.owed
    machine.extend(5)
    assert machine.owed == size
    for query in out:
        machine.tell(query, noisy(query))
    assert play(machine).spent == 65


@settings(max_examples=40)
@given(PROBLEMS, st.integers(0, 9999))
def test_the_order_of_telling_does_not_matter_between_changes(
    problem: tuple[int, int, int, int, int], chance: int
) -> None:
    """Runs that are changed alike after the same pulls are equal, whoever told them in which order."""
    straight, shuffled = make(*problem), make(*problem)
    draw, order = random.Random(chance), random.Random(chance)
    for _ in range(6):
        if draw.random() < 0.3 or straight.done:
            more = draw.randint(1, 9)
            straight.extend(more)
            shuffled.extend(more)
        elif straight.round and draw.random() < 0.3:
            straight.stop(0.9)
            shuffled.stop(0.9)
            continue
        elif draw.random() < 0.5 and can_add(straight):
            assert straight.add() == shuffled.add() == straight.n_arms - 1
        tell_some(straight, straight.owed)
        tell_some(shuffled, shuffled.owed, order)
        assert look_at(straight) == look_at(shuffled)
        assert straight.spent <= straight.budget


@pytest.mark.parametrize("told", [45, 60, 75])
def test_a_replay_deals_alike_in_a_consistent_world(told: int) -> None:
    """The exploration bonus depends on the budget: a batch was dealt before an extension or after it, as in the run."""
    asked, replayed = (heats.Adaptive(6, 3, 80, seed=3) for _ in range(2))
    for _ in range(told):
        query = asked.ask()
        assert query is not None
        rewards = [arm + luck for arm, luck in zip(query.arms, noisy(query), strict=True)]
        asked.tell(query, rewards)
        replayed.tell(query.id, rewards)
    assert asked.game.priorities.is_consistent.all()
    for machine in (asked, replayed):
        machine.extend(40)
        machine.add()
        play(machine)
    assert look_at(asked) == look_at(replayed)


def can_add(machine: heats.Adaptive) -> bool:
    after = machine.stage_sizes[machine.round + 1 :]
    return bool(sum(after) * machine.game.spec.heat_size > machine._count_places(())[1])


@settings(max_examples=40)
@given(PROBLEMS, st.integers(1, 7), st.integers(0, 30))
def test_new_arms_fill_the_first_pulls_of_the_next_batch(
    problem: tuple[int, int, int, int, int], count: int, told: int
) -> None:
    """In the order of adding, whatever the scores; the batch under way stays, and who is not there wins nothing."""
    machine = make(*problem)
    n, size = machine.n_arms, machine.game.spec.heat_size
    tell_some(machine, told, random.Random(1))
    before = None if machine.stage is None else machine.stage.heats.tolist()
    added = []
    for _ in range(count):
        if machine.done or not can_add(machine):
            state = look_at(machine)
            with pytest.raises(InvalidArgument, match="give the run a larger one"):
                machine.add()
            assert look_at(machine) == state
            break
        added.append(machine.add())
    assert added == list(range(n, n + len(added)))
    assert machine.n_arms == machine.spec.n_arms == machine.report().n_arms == n + len(added)
    if not added:
        return
    assert machine.stage is not None
    assert machine.stage.heats.tolist() == before
    waiting = list(added)
    tell_some(machine, machine.owed)
    while waiting:
        for heat in machine.stage.heats[0].tolist():
            first, waiting = waiting[:size], waiting[size:]
            assert set(first) <= set(heat)
        tell_some(machine, machine.owed)
    pulls = {row.arm: row.pulls for row in play(machine).standings().rows}
    assert all(pulls[arm] for arm in added)


@settings(max_examples=40)
@given(PROBLEMS, st.integers(1, 40), st.integers(1, 9), st.integers(0, 60))
def test_more_pulls_and_new_arms_at_once_are_one_after_another(
    problem: tuple[int, int, int, int, int], more: int, arms: int, told: int
) -> None:
    """Wherever the run is; where there is no room for all of the arms, as is said before, nothing changes."""
    at_once, in_turn = make(*problem), make(*problem)
    for machine in (at_once, in_turn):
        tell_some(machine, told)
    before, room = look_at(at_once), at_once.count_room(more)
    in_turn.extend(more)
    try:
        for _ in range(arms):
            in_turn.add()
    except InvalidArgument:
        assert room < arms
        with pytest.raises(InvalidArgument, match="is left to compare"):
            at_once.extend(more, arms)
        assert look_at(at_once) == before
    else:
        assert room >= arms
        at_once.extend(more, arms)
        assert look_at(at_once) == look_at(in_turn)
        assert look_at(play(at_once)) == look_at(play(in_turn))


def test_a_new_arm_that_is_the_best_wins() -> None:
    """In a run that was over, once it is extended: the next batch has it at once."""
    machine = heats.Adaptive(9, 3, 40, seed=4)
    play(machine, TRUTH["winner"])
    assert machine.winner == 8
    machine.extend(20)
    assert machine.add() == 9
    assert machine.stage is not None
    assert 9 in machine.stage.heats[0, 0]
    play(machine, TRUTH["winner"])
    assert machine.winner == 9
    assert machine.spent == 60
    assert len(machine.report().standings.rows) == 10


@settings(max_examples=20)
@given(st.integers(2, 20), st.integers(2, 5), st.integers(8, 60), st.integers(0, 99))
def test_many_runs_at_once_take_new_arms_in_as_one_by_one(n: int, k: int, budget: int, seed: int) -> None:
    """The heap of one run and the partitions of many put the same arms first."""
    spec = AdaptiveSpec(n, min(n, k), budget, 5)
    roots = np.array([fold_seed(seed + run) for run in range(3)])
    together: Any = Game.of(spec, heats.mean, roots)
    alone: list[Any] = [Game.of(spec, heats.mean, roots[run : run + 1]) for run in range(3)]
    rng = np.random.default_rng(seed)
    while (stage := together.stage()) is not None:
        rewards = rng.normal(size=(*stage.heats.shape[:2], 1, stage.heats.shape[2]))
        for run, game in enumerate(alone):
            assert np.array_equal(game.stage().heats[0], stage.heats[run])
            game.add_arms(1)
            game.hear(heats.environments.Kind.REWARDS, rewards[run : run + 1], None)
        together.add_arms(1)
        together.hear(heats.environments.Kind.REWARDS, rewards, None)


@settings(max_examples=40)
@given(PROBLEMS, st.integers(1, 10))
def test_a_stop_that_is_gone_on_from_changes_nothing(problem: tuple[int, int, int, int, int], batch: int) -> None:
    """Stopped between two batches, the best fit wins; with what was saved the run ends as if it had not been."""
    machine, straight = make(*problem), make(*problem)
    while not machine.done and machine.round < batch:
        tell_some(machine, machine.owed)
    if machine.done:
        return
    machine.stop(0.97)
    assert machine.done
    assert machine.winner == int(machine.game.winners[0])
    assert machine.total == machine.spent
    report = machine.report()
    assert report.stopped is not None
    assert report.stopped.saved == machine.budget - machine.spent
    assert report.stopped.chance == 0.97
    assert f"chance to be the best was 97%: {report.stopped.saved}" in str(report)
    assert '"stopped":{"saved":' in report.to_json()
    machine.extend(0)
    assert machine.stopped is None
    assert look_at(play(machine)) == look_at(play(straight))


def test_a_run_stops_between_batches_only() -> None:
    """Not before the first is over, nor with a pull of the next one out, nor when all is over: nothing changes."""
    begun, out, over = (heats.Adaptive(9, 3, 40, seed=4) for _ in range(3))
    tell_some(begun, 1)
    tell_some(out, out.owed)
    assert out.ask() is not None
    play(over)
    for machine in (begun, out, over):
        before = look_at(machine)
        with pytest.raises(OutOfTurn):
            machine.stop()
        assert look_at(machine) == before
        assert machine.stopped is None


def test_a_stop_need_not_say_why() -> None:
    """Without a chance the report only says what was saved."""
    machine = heats.Adaptive(9, 3, 40, seed=4)
    tell_some(machine, machine.owed)
    machine.stop()
    assert "stopped early: 37 pulls saved" in str(machine.report())
    assert "stopped early: 37 pulls saved" in machine.report()._repr_html_()


def test_the_chance_is_that_of_whoever_would_win() -> None:
    """None before the first batch is over and while a new arm was not seen; then the standings'."""
    machine = heats.Adaptive(6, 3, 60, seed=1)
    assert machine.find_chance() is None
    while machine.round < 4:
        tell_some(machine, machine.owed)
    chance = machine.find_chance()
    assert chance == machine.standings().of(int(machine.game.winners[0])).chance
    machine.add()
    assert machine.find_chance() is None


@pytest.mark.parametrize(
    "machine",
    [heats.Tournament(heats.plan(4, 2, 9)), heats.RoundRobin(4, 2, 9), heats.SuccessiveHalving(4, 9)],
    ids=lambda machine: type(machine).__name__,
)
def test_other_machines_say_why_not(machine: Machine) -> None:
    """They decide everything before the first pull; the way out is in the sentence."""
    for change in (lambda: machine.extend(5), machine.add, machine.stop):
        with pytest.raises(InvalidArgument, match=f"a {type(machine).__name__} cannot be .* before the first pull"):
            change()
    assert machine.is_fresh


@pytest.mark.parametrize("wrong", [0, -3, 2.5, True, "5", None, 10**30])
def test_bad_numbers_are_refused(wrong: Any) -> None:
    """And change nothing."""
    machine = heats.Adaptive(9, 3, 40, seed=4)
    before = look_at(machine)
    with pytest.raises(HeatsError):
        machine.extend(wrong)
    assert look_at(machine) == before
    for chance in (2, -1, "sure", float("nan")):
        with pytest.raises(InvalidArgument, match="chance"):
            machine.stop(chance)


def test_no_room_is_said_with_the_budget_that_was_asked_for() -> None:
    """And with how many wait for a place already."""
    machine = heats.Adaptive(5, 2, 10, seed=1)
    play(machine)
    with pytest.raises(
        InvalidArgument, match="with a budget of 11 no more room for 2 is left to compare 1000 new arms in"
    ):
        machine.extend(1, 1000)
    machine.extend(2)
    machine.add()
    with pytest.raises(
        InvalidArgument, match="with a budget of 13 no more room for 6, of which 1 wait already, is left"
    ):
        machine.extend(1, 6)
