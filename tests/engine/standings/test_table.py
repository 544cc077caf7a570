"""The standings themselves: what they promise of every run, and of runs that say little."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.engine.feedback import Kind
from heats.engine.standings import make_standings, say_chance, tabulate
from tests.engine.standings.pulls import draw_winners, tell
from tests.playing import TIES, TRUTH, noisy, play, play_in_any_order

ROOT = np.uint64(11)


@settings(max_examples=25)
@given(
    st.integers(2, 30), st.integers(2, 5), st.integers(1, 80), st.integers(0, 99), st.sampled_from([*TRUTH, "noisy"])
)
def test_what_holds_for_all_standings(n: int, k: int, pulls: int, seed: int, kind: str) -> None:
    """One row per arm, by chance; chances sum to 1; strengths are 0 on average, in the middle of their intervals."""
    machine = heats.Tournament(heats.plan(n, min(n, k), n + pulls, "csh", blind=True), seed=seed)
    answer = TRUTH.get(kind, noisy)
    for query in machine.ask(pulls):
        machine.tell(query, answer(query))
    standings: Any = machine.standings()
    rows = standings.rows
    assert sorted(row.arm for row in rows) == list(range(n))
    assert [row.place for row in rows] == list(range(1, n + 1))
    chances = [round(row.chance, 6) for row in rows[1:]]  # the first was compared; one that was not may be likelier
    assert chances == sorted(chances, reverse=True)
    assert sum(row.chance for row in rows) == pytest.approx(1, abs=1e-4)
    assert sum(row.strength for row in rows) == pytest.approx(0, abs=1e-3)
    for row in rows:
        if row.low is not None:
            assert row.low < row.strength < row.high
            assert row.strength == pytest.approx(
                (row.low + row.high) / 2, abs=1e-4 * (row.high - row.low) + 1e-5 * abs(row.strength)
            )
    assert standings.contextual is None or 0 <= standings.contextual <= 1
    assert sum(row.pulls for row in rows) == sum(told.arms.size for told in machine.evidence())


@settings(max_examples=12)
@given(
    st.integers(2, 12), st.integers(2, 4), st.integers(1, 60), st.integers(0, 99), st.sampled_from([*TRUTH, "noisy"])
)
def test_the_winner_of_adaptive_play_is_first(n: int, k: int, budget: int, seed: int, kind: str) -> None:
    """Both are whoever has the largest chance; also when a run is looked at in the middle."""
    machine = heats.Adaptive(n, min(n, k), budget + n, seed=seed)
    answer = TRUTH.get(kind, noisy)
    while query := machine.ask():
        machine.tell(query, answer(query))
        if query.id % 20 == 19 and machine.leader is not None and not machine.is_begun:
            assert machine.standings()[0].arm == machine.game.winners[0]
    assert machine.standings()[0].arm == machine.winner
    assert machine.standings()[0].chance == pytest.approx(machine.find_chance(), rel=1e-5)


def test_standings_are_a_sequence_of_their_rows() -> None:
    """With all that a sequence can; in JSON they are what they were, and can be read again."""
    standings = play(heats.Tournament(heats.plan(5, 2, 40), seed=1)).standings()
    rows = standings.rows
    assert list(standings) == [*rows]
    assert len(standings) == 5
    assert (standings[0], standings[-1], standings[1:3]) == (rows[0], rows[4], rows[1:3])
    assert list(reversed(standings)) == [*rows[::-1]]
    assert rows[3] in standings
    assert 3 not in standings
    assert (standings.index(rows[3]), standings.index(rows[3], 2, 4), standings.count(rows[3])) == (3, 3, 1)
    assert isinstance(standings, Sequence)
    first, *others = standings
    assert (first, others) == (rows[0], [*rows[1:]])
    with pytest.raises(IndexError):
        standings[5]
    assert list(msgspec.json.decode(standings.to_json())) == [*standings.__struct_fields__]
    assert msgspec.json.decode(standings.to_json(), type=type(standings)) == standings


def test_what_kind_of_world_it_is_stands_in_the_standings() -> None:
    """Nearly sure where strengths decide, or who is compared with whom; and None where nobody asked."""
    robin: Any = heats.RoundRobin(6, 2, 900, seed=1)
    draw = random.Random(1)
    play(robin, lambda query: heats.Winner(max(query.arms, key=lambda arm: arm / 2 - math.log(draw.expovariate(1)))))
    assert robin.standings().contextual < 0.05
    cycle: Any = heats.RoundRobin(6, 2, 900, seed=1)
    play(cycle, lambda query: heats.Winner(5 if 5 in query.arms else _beat(*sorted(query.arms))))
    assert cycle.standings().contextual > 0.95
    assert cycle.standings()[0].arm == 5
    median = play(heats.Tournament(heats.plan(3, 3, 60, "csws"), heats.median, seed=1))
    assert median.standings().contextual is None


def _beat(one: int, other: int) -> int:
    """Return who always wins of two arms of a cycle of five."""
    return one if (other - one) % 5 in (1, 2) else other


def test_a_judge_without_noise_leaves_no_rival() -> None:
    """The winner met its runner-up and won: no lower limit of the last heat's two pulls hides that."""
    found: Any = heats.find_best(
        range(20), lambda heat: heats.Winner(max(heat)), budget=60, heat_size=3, feedback="winner"
    )
    assert found.winner == 19
    assert found.rivals == ()
    assert found.standings[0].chance > 0.9
    record = found.report.head_to_head
    assert (record.arm, record.won, record.lost) == (19, record.met, 0)
    assert record.met


def test_head_to_head_counts_all_rounds() -> None:
    """In plain Python, over all that was told."""
    machine, seen = heats.Tournament(heats.plan(8, 3, 60), seed=3), []
    while query := machine.ask():
        values = noisy(query)
        seen.append(dict(zip(query.arms, values, strict=True)))
        machine.tell(query, values)
    report: Any = machine.report()
    record = report.head_to_head
    both = [each for each in seen if {record.arm, record.other} <= set(each)]
    assert (record.arm, record.other) == (report.winner, report.runner_up)
    assert record.met == len(both)
    assert record.won == sum(each[record.arm] > each[record.other] for each in both)
    assert record.lost == sum(each[record.arm] < each[record.other] for each in both)


def test_wins_places_and_leads_are_counted() -> None:
    """Each kind of feedback has the measure that suits it."""

    def ours(kind: Kind, rows: list[tuple[float, ...]]) -> Any:
        return make_standings([tell([(0, 1, 2)] * 4, rows)], kind, heats.mean, [None] * 3, None, ROOT)

    votes = ours(Kind.WINNER, [(1, 0, 0), (1, 0, 0), (0.5, 0.5, 0), (0, 0, 0)])
    assert [votes.of(arm).wins for arm in range(3)] == [2.5, 0.5, 0]
    ranks = ours(Kind.RANKING, [(1, 0.5, 0), (1, 0, 0.5), (0.5, 1, 0), (1, 0.25, 0.25)])
    assert [ranks.of(arm).mean_place for arm in range(3)] == [1.25, 2.125, 2.625]
    leads = ours(Kind.REWARDS, [(3, 0, 0), (5, 2, 2), (1, 1, 1), (3, 0, 0)])
    assert [leads.of(arm).mean_lead for arm in range(3)] == [1.5, -0.75, -0.75]


@settings(max_examples=25)
@given(st.integers(0, 999), st.sampled_from(["winner", "reward"]))
def test_permuting_arms_permutes_standings(seed: int, kind: str) -> None:
    """What is said of an arm depends on what it did, not on its number."""
    rng = np.random.default_rng(seed)
    told = draw_winners(rng.normal(size=7), 25, 3, rng)
    if kind == "reward":
        told = told._replace(observations=rng.normal(size=told.arms.shape))
    number = rng.permutation(7)
    what = Kind.WINNER if kind == "winner" else Kind.REWARDS
    ours: Any = make_standings([told], what, heats.mean, [None] * 7, 2, ROOT)
    theirs: Any = make_standings(
        [told._replace(arms=number[told.arms])], what, heats.mean, [None] * 7, int(number[2]), ROOT
    )
    for arm in range(7):
        one, other = ours.of(arm), theirs.of(int(number[arm]))
        assert (one.strength, one.low, one.high, one.chance) == pytest.approx(
            (other.strength, other.low, other.high, other.chance), rel=1e-5, abs=1e-9
        )
    assert set(number[list(ours.rivals)].tolist()) == set(theirs.rivals)  # of equal chances the order may differ


@pytest.mark.parametrize("scale", [1e-90, 1e-12, 1e60])
def test_the_unit_of_rewards_does_not_matter(scale: float) -> None:
    """Chances are the same in any unit, and strengths are in it."""
    rng = np.random.default_rng(3)
    told = draw_winners(rng.normal(size=6), 40, 3, rng)
    told = told._replace(observations=rng.normal(size=told.arms.shape) + told.arms)
    plain, scaled = (
        make_standings(
            [told._replace(observations=told.observations * by)], Kind.REWARDS, heats.mean, [None] * 6, None, ROOT
        )
        for by in (1.0, scale)
    )
    assert [row.chance for row in plain.rows] == [row.chance for row in scaled.rows]
    ours, theirs = ([row.strength or 0.0 for row in each.rows] for each in (plain, scaled))
    assert [value * scale for value in ours] == pytest.approx(theirs, rel=1e-5)


def test_equal_runs_have_equal_standings() -> None:
    """To the byte, whatever the order of telling."""
    plan = heats.plan(9, 3, 50)
    straight = play(heats.Tournament(plan, seed=2), TRUTH["ranking"])
    shuffled = play_in_any_order(heats.Tournament(plan, seed=2), TRUTH["ranking"], random.Random(1))
    assert straight.standings().to_json() == shuffled.standings().to_json()


def test_before_anything_was_told_all_are_alike() -> None:
    """And the report says so."""
    machine = heats.Tournament(heats.plan(5, 2, 20))
    standings: Any = machine.standings()
    assert standings.method == "none"
    assert [row.chance for row in standings] == [0.2] * 5
    assert [row.strength for row in standings] == [0.0] * 5
    assert "all of them are alike" in str(machine.report())


@pytest.mark.parametrize("kind", TIES)
def test_when_all_tie_all_are_alike(kind: str) -> None:
    """Nobody is far ahead, by any kind of feedback, and every other arm stays a rival."""
    machine = play(heats.Tournament(heats.plan(5, 2, 40), seed=1), TIES[kind])
    standings: Any = machine.standings()
    assert all(0.1 < row.chance < 0.3 for row in standings)
    assert set(standings.rivals) == set(range(5)) - {machine.winner}


def test_arms_never_seen_are_alike() -> None:
    """They stand in the middle, with the widest intervals, and have the same chance to the byte."""
    told = tell([(0, 1), (1, 2), (0, 2)] * 4, [(1, 0)] * 12)
    standings: Any = make_standings([told], Kind.WINNER, heats.mean, [None] * 8, None, ROOT)
    unseen = [standings.of(arm) for arm in range(3, 8)]
    assert len({(row.strength, row.low, row.high, row.chance) for row in unseen}) == 1
    assert all(row.pulls == 0 for row in unseen)
    assert standings[0].arm == 0
    assert standings[-1].arm == 2
    assert unseen[0].high - unseen[0].low > standings.of(1).high - standings.of(1).low


def test_a_statistic_that_is_no_mean_is_resampled() -> None:
    """From ten pulls of an arm on; of fewer nothing is said, and nobody is called a rival, or told apart."""
    few = play(heats.Tournament(heats.plan(3, 3, 9, "csws"), heats.median, seed=1))
    assert [(row.strength, row.chance) for row in few.standings().rows] == [(None, None)] * 3
    assert few.report().rivals is None
    many = play(heats.Tournament(heats.plan(3, 3, 60, "csws"), heats.median, seed=1))
    standings: Any = many.standings()
    assert standings.method == "resampling"
    assert sum(row.chance for row in standings) == pytest.approx(1)
    seen: dict[int, list[float]] = {arm: [] for arm in range(3)}
    for told in many.evidence():
        for arms, rewards in zip(told.arms, told.observations, strict=True):
            for arm, reward in zip(arms.tolist(), rewards, strict=True):
                seen[arm].append(reward)
    assert {row.arm: row.strength for row in standings} == pytest.approx(
        {arm: float(np.median(rewards)) for arm, rewards in seen.items()}, rel=1e-5
    )


@pytest.mark.parametrize("kind", ["winner", "reward"])
def test_ten_thousand_arms_with_two_pulls_each(kind: str) -> None:
    """No singular matrix, no warning, chances that sum to 1."""
    n = 10_000
    arms = np.concatenate([np.random.default_rng(seed).permutation(n).reshape(-1, 2) for seed in (1, 2)])
    rng = np.random.default_rng(0)
    won = rng.random(len(arms)) < 0.5
    rows = np.stack([won, ~won], axis=1).astype(float) if kind == "winner" else rng.normal(size=arms.shape)
    told = tell([(0, 1)], [(1.0, 0.0)])._replace(pulls=np.arange(n), heats=np.arange(n), arms=arms, observations=rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        standings: Any = make_standings(
            [told], Kind.WINNER if kind == "winner" else Kind.REWARDS, heats.mean, [None] * n, 5, ROOT
        )
    assert 0 <= standings.contextual <= 1
    assert sum(row.chance for row in standings) == pytest.approx(1, abs=1e-3)
    assert standings.n_rivals > 100
    assert len(standings.rivals) == 10


def test_if_another_arm_is_first_the_report_says_so() -> None:
    """The winner stays the tournament's; the sentence names who is ahead by all pulls together."""
    machine = heats.Tournament(heats.plan(4, 2, 40, "csws", record="off"), seed=2)

    def answer(query: Any) -> heats.Winner:
        if set(query.arms) == {2, 3}:  # level in the last heat: the shuffle decides
            return heats.Winner(2 if query.id % 2 else 3)
        return heats.Winner(min(query.arms) if 2 in query.arms and query.id % 10 >= 6 else max(query.arms))

    report: Any = play(machine, answer).report()
    assert (report.winner, report.standings[0].arm) == (2, 3)
    assert "all pulls together rank arm 3 first" in str(report)


def test_of_candidates_with_one_chance_none_is_said_to_be_first() -> None:
    """The winner and another one won alike: which of them the standings list first says nothing."""
    machine = heats.Tournament(heats.plan(4, 2, 40, "csws", record="off"), seed=0)
    play(machine, lambda query: heats.Winner((min if machine.round and query.id % 2 else max)(query.arms)))
    report = machine.report()
    assert report.winner is not None
    assert report.standings[0].arm != report.winner
    assert report.standings[0].chance == report.standings.of(report.winner).chance
    assert "all pulls together rank" not in str(report)


def test_a_run_keeps_what_it_was_told_and_no_more() -> None:
    """At most eight bytes for each arm of a pull, of every kind of feedback, races included."""
    for kind, answer in TRUTH.items():
        machine = play(heats.Tournament(heats.plan(30, 3, 300), seed=1), answer)
        kept = sum(over.rows.nbytes + (0 if over.heard is None else over.heard.nbytes) for over in machine._past)
        assert kept <= 8 * 3 * machine.spent, kind
        assert all(over.rows.base is None or over.rows.base.nbytes <= over.rows.nbytes for over in machine._past), kind


def test_a_race_told_again_with_other_times_is_refused() -> None:
    """Also when its round is over: times are kept, shares follow from them."""
    machine = heats.Tournament(heats.plan(4, 2, 12, "csws"), seed=1)
    first: Any = machine.ask()
    machine.tell(first, heats.Race({first.arms[0]: 1.5}))
    while machine.round == 0:
        query: Any = machine.ask()
        machine.tell(query, heats.Race({query.arms[1]: 2.0}))
    machine.tell(first, heats.Race({first.arms[0]: 1.5}))
    with pytest.raises(heats.errors.OutOfTurn):
        machine.tell(first, heats.Race({first.arms[0]: 1.25}))


def test_standings_of_the_baselines() -> None:
    """RoundRobin knows no rounds; single arms are compared through the mean of all rewards."""
    robin = play(heats.RoundRobin(6, 2, 40, seed=1), TRUTH["winner"])
    assert robin.report().standings[0].arm == 5
    assert {row.left for row in robin.standings().rows} == {None}
    halving = play(heats.SuccessiveHalving(6, 60, seed=1), lambda query: [float(query.arms[0])])
    rows: Any = halving.standings().rows
    assert [row.arm for row in rows] == [5, 4, 3, 2, 1, 0]
    assert rows[0].left is None
    assert rows[0].strength == pytest.approx(2.5, abs=0.01)


def test_thousands_of_arms_of_which_few_were_seen_and_tied() -> None:
    """Nothing sets anybody apart, and those drawn together may all be unseen."""
    machine = heats.Tournament(heats.plan(2500, 2, 3, "csh", blind=True), seed=0)
    query: Any = machine.ask()
    machine.tell(query, heats.Winner(*query.arms))
    standings: Any = machine.standings()
    assert sum(row.chance for row in standings) == pytest.approx(1, abs=0.01)
    assert max(row.chance for row in standings) < 0.01


@pytest.mark.parametrize(("scale", "shown"), [(0.001, "0.00"), (1.0, "0."), (1e12, "e+")])
def test_strengths_are_shown_with_the_digits_they_have(scale: float, shown: str) -> None:
    """Accuracies that differ in the third decimal are not all 0.00, and huge rewards not a hundred digits."""
    rng = np.random.default_rng(1)
    told = tell([(0, 1, 2)] * 12, (rng.normal(size=(12, 3)) * scale).tolist())
    standings: Any = make_standings([told], Kind.REWARDS, heats.mean, [None] * 3, None, ROOT)
    strengths = [row[3] for row in tabulate(standings, ["a", "b", "c"])[1]]
    assert all(shown in text and len(text) < 12 for text in strengths)
    assert len(set(strengths)) == 3


def test_chances_at_the_borders_are_words() -> None:
    """No 0 %, no 100 %."""
    assert [say_chance(each) for each in (0, 0.005, 0.0051, 0.5, 0.995, 1)] == [
        *("under 1%", "under 1%", "1%", "50%", "over 99%", "over 99%"),
    ]


def test_an_arm_that_is_not_there_is_refused() -> None:
    """In words."""
    with pytest.raises(heats.errors.InvalidArgument, match="arm=99 is not one of the 5 arms"):
        heats.Tournament(heats.plan(5, 2, 20)).standings().of(99)


@pytest.mark.parametrize("n", [200, 201, 300])
def test_who_won_all_of_many_is_surely_the_best(n: int) -> None:
    """However many there are."""
    machine = heats.Adaptive(n, n, 30)
    while not machine.done:
        query = machine.ask()
        machine.tell(query, heats.Winner(7))
    assert machine.standings().of(7).chance > 0.99
