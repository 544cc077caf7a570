"""The tournament: order does not matter, a refused tell changes nothing, nobody is favoured."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import heats
from heats.engine.machine import Query
from heats.errors import BadFeedback, HeatsError, InvalidArgument, OutOfTurn
from tests.playing import TIES, TRUTH, noisy, play, play_in_any_order, recall


@st.composite
def plans(draw: st.DrawFn) -> heats.Plan:
    n = draw(st.integers(2, 40))
    k = draw(st.integers(2, min(n, 6)))
    rule = draw(st.sampled_from(["csws", "csr", "csh"]))
    record = draw(st.sampled_from(["off", "ties", "pooled"]))
    return heats.plan(n, k, draw(st.integers(1, 200)), rule, record=record, blind=True)


@settings(max_examples=150)
@given(plans(), st.integers(0, 2**70), st.sampled_from([noisy, *TRUTH.values(), *TIES.values()]), st.integers(0, 999))
def test_the_order_of_telling_does_not_matter(plan: heats.Plan, seed: int, answer: Any, order: int) -> None:
    """What reports are made of is equal to the byte, and exactly the plan is spent."""
    straight = play(heats.Tournament(plan, seed=seed), answer)
    shuffled = play_in_any_order(heats.Tournament(plan, seed=seed), answer, random.Random(order))
    assert recall(straight) == recall(shuffled)
    assert straight.spent == shuffled.spent == plan.cost


@settings(max_examples=20)
@given(st.integers(2, 2000), st.integers(2, 64), st.sampled_from(["csws", "csr", "csh"]), st.integers(0, 99))
def test_nor_does_it_in_a_large_field(n: int, k: int, rule: str, seed: int) -> None:
    """The same for up to 2000 arms in heats of up to 64."""
    plan = heats.plan(n, min(n, k), n, rule, blind=True)
    straight = play(heats.Tournament(plan, seed=seed), TRUTH["winner"])
    shuffled = play_in_any_order(heats.Tournament(plan, seed=seed), TRUTH["winner"], random.Random(seed))
    assert recall(straight) == recall(shuffled)
    assert straight.spent == plan.cost


def test_equal_runs_have_equal_reports() -> None:
    """To the byte, whatever the order of telling."""
    plan = heats.plan(12, 3, 60, "csh")
    straight = play(heats.Tournament(plan, seed=5))
    shuffled = play_in_any_order(heats.Tournament(plan, seed=5), noisy, random.Random(8))
    assert straight.report().to_json() == shuffled.report().to_json()


@given(plans(), st.integers(0, 99))
def test_a_run_follows_its_plan(plan: heats.Plan, seed: int) -> None:
    """Every pull is owed once, ids count up, heats are disjoint, survivors add up, nobody rests twice in a row."""
    tournament = heats.Tournament(plan, seed=seed)
    asked: list[Query] = []
    while query := tournament.ask():
        asked.append(query)
        tournament.tell(query, noisy(query))
    assert [query.id for query in asked] == list(range(plan.cost))
    report = tournament.report()
    active, rested = set(range(plan.n_arms)), set[int]()
    for number, (planned, played) in enumerate(zip(plan.rounds, report.rounds, strict=True)):
        assert [len(heat) for heat in played.heats] == [planned.size] * planned.heats
        assert sorted([*(arm for heat in played.heats for arm in heat), *played.byes]) == sorted(active)
        assert not rested & set(played.byes)
        for query in asked:
            if query.round == number:
                assert sorted(query.arms) == sorted(played.heats[query.heat])
        active, rested = set(played.survivors), set(played.byes)
        assert len(active) == planned.survivors
    assert active == {tournament.winner} == {report.winner}


def some_tournament(**options: Any) -> heats.Tournament:
    return heats.Tournament(heats.plan(12, 4, 40), seed=5, **options)


BAD: list[Any] = [
    [1.0, 2.0, 3.0],
    [1.0, 2.0, 3.0, float("nan")],
    [1.0, 2.0, 3.0, float("inf")],
    [1.0, True, 3.0, 4.0],
    None,
    "abcd",
    heats.Winner(99),
    heats.Winner(True),
    heats.Ranking([0, 0]),
    heats.BestWorst(99, 98),
    heats.Race({99: 1.0}),
]


@pytest.mark.parametrize("feedback", BAD, ids=repr)
@pytest.mark.parametrize("told", [0, 5, 39])
def test_a_refused_tell_changes_nothing(feedback: Any, told: int) -> None:
    """At the first pull, in the middle and at the very last one: the full report and what is owed are as before."""
    tournament = some_tournament()
    for _ in range(told):
        query = tournament.ask()
        assert query is not None
        tournament.tell(query, noisy(query))
    query = tournament.ask()
    assert query is not None
    before = tournament.report().to_json()
    with pytest.raises(BadFeedback):
        tournament.tell(query, feedback)
    assert tournament.report().to_json() == before
    tournament.tell(query, noisy(query))
    assert play(tournament).report().to_json() == play(some_tournament()).report().to_json()


@pytest.mark.parametrize("silent", [0, 2])
@pytest.mark.parametrize(
    "make",
    [
        lambda pulls, statistic: heats.Tournament(heats.plan(2, 2, pulls), statistic),
        lambda pulls, statistic: heats.RoundRobin(2, 2, pulls, statistic=statistic),
    ],
)
def test_a_kind_that_was_refused_was_not_told(make: Any, silent: int) -> None:
    """The pull that ends a stage may fail in the statistic; then another kind of feedback is as welcome as before."""

    def average_logs(observations: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.log(observations).mean(axis=-2)

    machine, fresh = (make(silent + 1, average_logs) for _ in range(2))
    for pull in range(silent):
        machine.tell(pull, heats.NoVerdict())
        fresh.tell(pull, heats.NoVerdict())
    with pytest.raises(InvalidArgument, match="gave scores that are not finite"):
        machine.tell(silent, heats.Winner(0))  # the loser has log 0
    assert machine.kind is None
    for each in (machine, fresh):
        each.tell(silent, [1.0, 2.0] if each.query(silent).arms == (0, 1) else [2.0, 1.0])
    assert machine.winner == 1
    assert machine.report().to_json() == fresh.report().to_json()


def test_what_is_not_owed_is_refused() -> None:
    """Ids of later rounds and of no round, queries of other runs, numbers that are none."""
    tournament = some_tournament()
    query = tournament.ask()
    assert query is not None
    other = heats.Tournament(heats.plan(12, 4, 40), seed=6).ask()
    assert other is not None
    with pytest.raises(OutOfTurn, match="another run"):
        tournament.requeue(other)
    with pytest.raises(OutOfTurn, match=r"ask\(\) returned None"):
        tournament.tell(None, [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(InvalidArgument, match="by="):
        tournament.tell(query, [1.0, 2.0, 3.0, 4.0], by=["ann"])
    for stranger in (39, 40, 10**9, other):
        with pytest.raises(OutOfTurn):
            tournament.tell(stranger, [1.0, 2.0, 3.0, 4.0])
    for nonsense in (-1, True, 1.5, "0"):
        with pytest.raises(InvalidArgument, match="query"):
            tournament.tell(nonsense, [1.0, 2.0, 3.0, 4.0])
    assert tournament.spent == 0


def test_the_first_answer_counts() -> None:
    """The same again is a no-op, something else is refused: in this round, in a finished one and at the end."""
    tournament = some_tournament()
    first = tournament.ask()
    assert first is not None
    tournament.tell(first, [1.0, 2.0, 3.0, 4.0])
    for _ in range(2):
        before = tournament.report().to_json()
        tournament.tell(first, (1, 2, 3, 4))
        tournament.tell(first.id, [1.0, 2.0, 3.0, 4.0])
        assert tournament.report().to_json() == before
        with pytest.raises(OutOfTurn, match="pull 0 was told before, and differently"):
            tournament.tell(first, [1.0, 2.0, 3.0, 5.0])
        with pytest.raises(BadFeedback):
            tournament.tell(first, [1.0, 2.0, 3.0])
        assert tournament.report().to_json() == before
        play(tournament)
    assert tournament.spent == 40
    minus_one, minus_two = [-1.0, 0.0, 0.0, 0.0], [-2.0, 0.0, 0.0, 0.0]  # Python hashes -1 and -2 alike
    tournament = some_tournament()
    tournament.tell(0, minus_one)
    play(tournament)
    with pytest.raises(OutOfTurn):
        tournament.tell(0, minus_two)


def test_a_race_told_again_with_other_times_differs() -> None:
    """The winner is the same, what was told is not."""
    tournament = heats.Tournament(heats.plan(4, 2, 10))
    query = tournament.ask()
    assert query is not None
    tournament.tell(query, heats.Race({query.arms[0]: 1.0}))
    tournament.tell(query, heats.Race([(query.arms[0], 1)]))
    with pytest.raises(OutOfTurn, match="differently"):
        tournament.tell(query, heats.Race({query.arms[0]: 2.0}))


def test_kinds_of_feedback_do_not_mix() -> None:
    """The first tell decides, but a refused one does not."""
    tournament = some_tournament()
    with pytest.raises(BadFeedback):
        tournament.tell(0, heats.Winner(99))
    tournament.tell(0, [1.0, 2.0, 3.0, 4.0])
    query = tournament.ask()
    assert query is not None
    with pytest.raises(BadFeedback, match="winner feedback was told in a run of rewards feedback"):
        tournament.tell(query, heats.Winner(query.arms[0]))


def test_asking_and_requeueing() -> None:
    """None while all that is owed is out; a requeued pull comes first, unless an answer came after all."""
    tournament = heats.Tournament(heats.plan(4, 2, 3))
    first, second = tournament.ask(5)
    assert tournament.ask() is None
    assert tournament.ask(3) == []
    tournament.requeue(first)
    with pytest.raises(OutOfTurn, match="not out with anyone"):
        tournament.requeue(first)
    assert tournament.ask() == first
    tournament.requeue(first.id)
    tournament.tell(first, [1.0, 2.0])  # the worker was slow, not dead
    assert tournament.ask() is None
    with pytest.raises(OutOfTurn):
        tournament.requeue(first)
    tournament.tell(second.id, [1.0, 2.0])
    assert tournament.round == 1
    for wrong in (0, -1, True, "1"):
        with pytest.raises(InvalidArgument):
            tournament.ask(wrong)
    with pytest.raises(InvalidArgument):
        tournament.requeue(True)
    play(tournament)
    assert tournament.ask() is None
    assert tournament.ask(2) == []


def test_told_without_being_asked() -> None:
    """A journal replays ids alone; ask() then hands out the rest."""
    tournament, told = some_tournament(), some_tournament()
    for query in tournament.ask(100):
        told.tell(query.id, noisy(query))
        tournament.tell(query, noisy(query))
    assert told.report() == tournament.report()
    assert play(told).report() == play(tournament).report()


def test_queries_survive_a_trip_through_json() -> None:
    """From a worker in another process a Query comes back equal, not identical."""
    import msgspec

    tournament = some_tournament()
    query = tournament.ask()
    assert query is not None
    copy = msgspec.json.decode(msgspec.json.encode(query), type=Query)
    tournament.tell(copy, noisy(query))
    assert tournament.spent == 1


def test_who_answered_is_counted_but_not_reported() -> None:
    """A report holds nothing of the workers."""
    tournament = some_tournament()
    for query in tournament.ask(3):
        tournament.tell(query, noisy(query), by="zoe")
    assert tournament.answered == {"zoe": 3}
    assert "zoe" not in tournament.report().to_json()


@pytest.mark.parametrize("kind", TIES)
@pytest.mark.parametrize("record", ["off", "ties", "pooled"])
@pytest.mark.parametrize("rule", ["csws", *(pytest.param(rule, marks=pytest.mark.slow) for rule in ("csr", "csh"))])
def test_with_only_ties_everybody_wins_equally_often(kind: str, record: Any, rule: str) -> None:
    """Chi-square over 600 seeds: no position and no index is favoured."""
    plan = heats.plan(7, 3, 12, rule, record=record, blind=True)
    wins = [play(heats.Tournament(plan, seed=seed), TIES[kind]).winner for seed in range(600)]
    assert stats.chisquare(np.bincount(wins, minlength=7)).pvalue > 1e-4


@pytest.mark.parametrize("reward", [0.1, 0.35, 0.7, 1e90, 1e-90])
def test_rounding_decides_nothing(reward: float) -> None:
    """Four arms, one rests, all equal: it wins the final of two as often as not, whatever the reward's last bit."""
    plan = heats.plan(4, 3, 6, "csws")
    rested = 0
    for seed in range(400):
        machine = play(heats.Tournament(plan, seed=seed), lambda query: [reward] * len(query.arms))
        rested += machine.winner in machine.game.rounds[0].byes
    assert 150 < rested < 250


@pytest.mark.parametrize("statistic", [heats.median, heats.power_mean(2), heats.mean, heats.quantile(0.3)])
def test_equal_arms_are_seldom_told_apart(statistic: Any) -> None:
    """Two equal arms, few pulls: few pairs lose their rival; a statistic that is no mean does not say from so few."""
    rng = np.random.default_rng(3)
    told_apart = 0
    for _ in range(100):
        tournament = heats.Tournament(heats.plan(2, 2, 6, "csws"), statistic)
        for query in tournament.ask(6):
            tournament.tell(query, rng.normal(5, 1, 2))
        told_apart += tournament.report().rivals == ()
    assert told_apart / 100 < 0.09


def test_arms_are_shown_in_every_position_equally_often() -> None:
    """People and judges favour what they see first, so no arm may always be first."""
    tournament = heats.Tournament(heats.plan(4, 4, 4000, "csws"))
    shown = np.array([query.arms for query in tournament.ask(4000)])
    counts = np.array([[(shown[:, place] == arm).sum() for arm in range(4)] for place in range(4)])
    assert stats.chi2_contingency(counts).pvalue > 1e-3


def test_query_seeds_are_fixed_and_distinct() -> None:
    """By seed and id, whoever asks when; they fit a signed 64-bit integer."""
    one, two = heats.Tournament(heats.plan(12, 4, 999), seed=5), heats.Tournament(heats.plan(12, 4, 999, "csr"), seed=5)
    seeds = [query.seed for query in one.ask(50)]
    assert seeds == [query.seed for query in two.ask(50)]
    assert len(set(seeds)) == 50
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_the_record_decides_ties() -> None:
    """In the last heat the two tie; the one with more wins before goes first, with "ties" but not with "off"."""
    rounds = (heats.Round(1, 3, 2, 4), heats.Round(1, 2, 1, 2))
    wins = {"ties": 0, "off": 0}
    for record in ("ties", "off"):
        for seed in range(200):
            plan = heats.Plan(n_arms=3, heat_size=3, budget=6, rounds=rounds, record=record)
            tournament = heats.Tournament(plan, seed=seed)
            for number, query in enumerate(tournament.ask(4)):
                tournament.tell(query, heats.Winner(2 if number == 0 else 1))
            for query, winner in zip(tournament.ask(2), (1, 2), strict=True):
                tournament.tell(query, heats.Winner(winner))
            wins[record] += tournament.winner == 1
    assert wins["ties"] == 200
    assert 60 < wins["off"] < 140


def test_the_pooled_record_outranks_the_heat() -> None:
    """Arm 1 won four of four before; losing two of three to arm 2 in the last heat does not cost it the title."""
    rounds = (heats.Round(1, 3, 2, 4), heats.Round(1, 2, 1, 3))
    winners = {}
    for record in ("ties", "pooled"):
        plan = heats.Plan(n_arms=3, heat_size=3, budget=7, rounds=rounds, record=record)
        tournament = heats.Tournament(plan)
        for query in tournament.ask(4):
            tournament.tell(query, heats.Ranking([1, 2, 0]))
        for query, order in zip(tournament.ask(3), ([1, 2], [2, 1], [2, 1]), strict=True):
            tournament.tell(query, heats.Ranking(order))
        winners[record] = tournament.winner
    assert winners == {"ties": 2, "pooled": 1}


def test_the_record_by_hand() -> None:
    """Credit is the observation minus the pull's mean; the record is its mean over the pulls an arm was in."""
    tournament = heats.Tournament(heats.plan(3, 3, 6, "csr"))
    for query, winner in zip(tournament.ask(3), (0, 0, None), strict=True):
        tournament.tell(query, heats.Winner(winner))
    assert tournament.leader == 0
    credit, pulled = tournament._leads.credits()
    assert (credit / pulled)[0].tolist() == pytest.approx([(2 / 3 + 2 / 3) / 3, -2 / 9, -2 / 9])


def test_a_report_in_the_middle() -> None:
    """What is finished is there, what is not is not."""
    tournament = some_tournament()
    assert tournament.leader is None
    for query in tournament.ask(100):
        tournament.tell(query, [float(arm) for arm in query.arms])
    report = tournament.report()
    assert (report.done, report.winner, report.runner_up, report.sureness, report.rivals) == (
        False,
        None,
        None,
        None,
        (),
    )
    assert len(report.rounds) == 1
    assert tournament.leader == 11
    assert "not decided yet" in str(report)


def test_a_blind_tournament_needs_no_pull_at_all() -> None:
    """The paper's grid has such cells; the winner is drawn by lot."""
    tournament = heats.Tournament(heats.plan(100, 10, 50, "csr", schedule="paper", blind=True), seed=3)
    report = tournament.report()
    assert tournament.done
    assert report.spent == 0
    assert report.winner == tournament.winner is not None
    assert report.rounds[0].scores is None
    assert report.sureness is None
    assert report.rivals is not None
    assert report.winner not in report.rivals


def test_a_tournament_needs_a_plan() -> None:
    """And says how to get one."""
    with pytest.raises(InvalidArgument, match=r"heats\.plan"):
        heats.Tournament("csh")
    with pytest.raises(HeatsError, match="do not cover a heat of 4"):
        some_tournament(statistic=heats.positional([2, 1]))


def final(answers: list[Any], statistic: Any = heats.mean, n: int = 2) -> heats.Report:
    """Play one heat of n arms; answers are functions of the query."""
    tournament = heats.Tournament(heats.plan(n, n, len(answers), "csws"), statistic)
    for query, answer in zip(tournament.ask(len(answers)), answers, strict=True):
        tournament.tell(query, answer(query))
    return tournament.report()


def test_how_sure_a_vote_is() -> None:
    """9 of 10 votes: the exact interval, and the loser is ruled out; 6 of 10 rule out nobody."""
    clear = final([lambda q: heats.Winner(1)] * 9 + [lambda q: heats.Winner(0)])
    assert clear.sureness is not None
    expected = stats.binomtest(9, 10).proportion_ci(0.95, "exact")
    assert (clear.sureness.low, clear.sureness.high) == pytest.approx((expected.low, expected.high))
    assert (clear.winner, clear.runner_up, clear.rivals) == (1, 0, ())
    close = final([lambda q: heats.Winner(1)] * 6 + [lambda q: heats.Winner(0)] * 4)
    assert close.rivals == (0,)


def test_how_sure_a_lead_is() -> None:
    """Rewards are compared pull by pull: the interval of the mean difference, as SciPy computes it."""
    differences = [1.0, 2.0, 0.5, 1.5, 1.0, 1.5, 1.25, 1.25]
    report = final([lambda q, d=d: [d * arm for arm in q.arms] for d in differences])
    assert report.sureness is not None
    low, high = stats.ttest_1samp(differences, 0).confidence_interval()
    assert (report.sureness.quantity, report.sureness.estimate) == ("lead", 1.25)
    assert (report.sureness.low, report.sureness.high) == pytest.approx((low, high))
    assert report.rivals == ()


def test_how_sure_a_ranking_is() -> None:
    """In a heat of two it says what winners say: two of two is no certainty, and the loser stays a rival."""
    report = final([lambda q: heats.Ranking([1, 0])] * 2)
    votes = final([lambda q: heats.Winner(1)] * 2)
    assert report.sureness is not None
    assert votes.sureness is not None
    assert (report.sureness.quantity, report.sureness.low, report.sureness.high) == ("ahead", votes.sureness.low, 1.0)
    assert report.rivals == votes.rivals == (0,)
    assert "ahead of the runner-up in 100% of the 2 pulls" in str(report)
    same = final([lambda q: [float(arm) for arm in q.arms]] * 2)
    assert "leads by 1 in every one of the 2 pulls" in str(same)
    assert final([lambda q: [float(arm) for arm in q.arms]] * 2, heats.win_rate).rivals == (0,)


def test_one_pull_makes_nobody_sure() -> None:
    """Rewards of a single pull have no spread; everybody else stays a rival."""
    report = final([lambda q: [float(arm) for arm in q.arms]], n=3)
    assert report.sureness is None
    assert set(report.rivals) == {0, 1}


def test_how_sure_a_median_is() -> None:
    """By resampling, seeded: it covers the lead seen and is repeatable."""
    answers = [lambda q, d=d: [d + arm for arm in q.arms] for d in range(12)]
    assert final(answers[:9], heats.median).sureness is None  # too few to resample
    report = final(answers, heats.median)
    assert report.sureness is not None
    assert report.sureness.method == "bootstrap"
    assert report.sureness.low <= report.sureness.estimate <= report.sureness.high
    assert report == final(answers, heats.median)


def test_a_report_is_plain_data() -> None:
    """JSON with the names of its fields, and a text for people."""
    report = play(some_tournament(), TRUTH["winner"]).report()
    data = json.loads(report.to_json())
    assert data["winner"] == 11
    assert data["spent"] == 40
    assert len(data["rounds"]) == len(report.rounds)
    assert str(report).startswith(
        "winner:     arm 11\nrunner-up:  arm 10\nhow sure:   the best of all 12 with a chance of "
    )
    assert "met the runner-up, arm 10, " in str(report)
    assert "won 100% of the 20 pulls of the last heat" in str(report)


def test_pulls_may_be_asked_for_by_id() -> None:
    """They are then out, and handed out to nobody else; pulls of other rounds, and none at all, are refused."""
    t = heats.Tournament(heats.plan(9, 3, 30, "csh"), seed=1)
    total = t.owed
    third, first = t.ask_for([2, 0])
    assert (third.id, first.id) == (2, 0)
    assert [query.id for query in t.ask(2)] == [1, 3]
    assert t.ask_for([2]) == [third] == [t.query(2)]
    assert not t.told(third)
    t.tell(third, [1.0, 2.0, 3.0])
    assert t.told(2)
    assert t.owed == total - 1
    assert t.ask_for([2]) == [third]  # it is known, but not owed any more
    assert 2 not in [query.id for query in t.ask(100)]
    for numbers in ([], [total], [0, total], [-1]):
        with pytest.raises(OutOfTurn, match="of the round under way"):
            t.ask_for(numbers)
    t.requeue(0)
    t.ask_for([0])
    assert t.ask() is None  # it waited to be asked again, and was
