"""Adaptive play: equal, pull by pull, to the rule in plain Python; and what holds for every run."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import heats
from heats.base.randomness import fold_seed
from heats.engine.adaptive import priorities
from heats.engine.adaptive.batches import divide
from heats.engine.belief import contextual, posterior
from heats.engine.game import Game
from heats.engine.specs import AdaptiveSpec
from heats.errors import InvalidArgument
from tests.engine.plain import Plain, flatten, group
from tests.playing import TIES, TRUTH, noisy, play, play_in_any_order, recall


@settings(max_examples=40)
@given(st.integers(2, 12), st.integers(2, 5), st.integers(1, 60), st.integers(1, 20), st.integers(0, 99), st.booleans())
def test_it_is_the_rule_in_plain_python(n: int, k: int, budget: int, batches: int, seed: int, ranked: bool) -> None:
    """In a contextual world every pull compares the arms that the rule says, and chances are those of the rule."""
    k = min(n, k)
    machine, plain = heats.Adaptive(n, k, budget, batches=batches, seed=seed), Plain(n, k, seed)
    draw = random.Random(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(priorities, "FEW_PULLS", 10_000)  # so nobody asks for strengths
        patch.setattr(posterior, "CONSISTENT_ODDS", 1e-250)
        patch.setattr(contextual, "DECOY_CANDIDATES", n)  # all: equation (3) as it is written
        while not machine.done:
            queries = machine.ask(budget)
            assert [set(query.arms) for query in queries] == plain.deal(len(queries))
            for query in queries:
                values = {arm: arm + draw.gauss(0, 5) for arm in query.arms}
                order = group(values)
                machine.tell(query, heats.Ranking(flatten(order)) if ranked else heats.Winner(order[0][0]))
                plain.tell(query.arms, order if ranked else [order[0], flatten(order[1:])])
        assert machine.spent == budget
        assert machine.game.priorities.scores[0] == pytest.approx(plain.find_scores(), abs=1e-9)
        chances = plain.find_chances()
        assert machine.game.posterior.chances[0] == pytest.approx(chances, abs=1e-9)
        assert machine.winner is not None
        assert chances[machine.winner] == pytest.approx(max(chances), abs=1e-6)


@pytest.mark.parametrize("told", ["winner", "ranking", "reward"])
@pytest.mark.parametrize(("n", "k", "budget"), [(5, 2, 120), (6, 3, 90), (8, 4, 120)])
def test_strengths_are_dealt_by_as_in_plain_python(told: str, n: int, k: int, budget: int) -> None:
    """In a consistent world a batch takes the arms with the largest strengths and exploration bonus."""
    kinds = set()
    for seed in range(3):
        machine, plain = heats.Adaptive(n, k, budget, seed=seed), Plain(n, k, seed)
        draw = random.Random(seed)
        while not machine.done:
            queries, known = machine.ask(budget), machine.game.priorities
            if known.is_consistent[0]:
                dealt = plain.deal_by_strengths(
                    len(queries),
                    known.strengths[0].tolist(),
                    known.precision[0].tolist(),
                    float(known.gain[0, 0]),
                    spent=queries[0].id / budget,
                )
                assert [set(query.arms) for query in queries] == dealt
                kinds.add(True)
            for query in queries:
                luck = {arm: 0.4 * arm - math.log(draw.expovariate(1)) for arm in query.arms}
                order = sorted(luck, key=luck.__getitem__, reverse=True)
                said = {"winner": heats.Winner(order[0]), "ranking": heats.Ranking(order)}
                machine.tell(query, said.get(told, [luck[arm] for arm in query.arms]))
                plain.tell(query.arms, [order[:1], order[1:]])
    assert True in kinds


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 40), st.integers(1, 30), st.integers(1, 40), st.booleans(), st.integers(0, 99))
def test_who_is_always_first_among_all_wins(n: int, budget: int, places: int, is_shuffled: bool, seed: int) -> None:
    """However many places are told, and whether the others come in one order or in any."""
    machine, draw, others = heats.Adaptive(n, n, budget, seed=1), random.Random(seed), list(range(n - 1))
    while not machine.done:
        if is_shuffled:
            draw.shuffle(others)
        machine.tell(machine.ask(), heats.Ranking([n - 1, *others][:places]))
    assert machine.winner == n - 1


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 12),
    st.integers(2, 4),
    st.integers(1, 60),
    st.integers(0, 99),
    st.sampled_from([noisy, *TRUTH.values(), *TIES.values()]),
)
def test_the_winner_is_first_in_the_standings(n: int, k: int, budget: int, seed: int, answer: Any) -> None:
    """The posterior that decides is the one that is reported: so is the chance by which a run stops early."""
    machine = play(heats.Adaptive(n, min(n, k), budget, seed=seed), answer)
    first = machine.standings().rows[0]
    assert machine.winner == first.arm
    chance = machine.find_chance()
    assert chance is None or chance == pytest.approx(first.chance, abs=1e-5)


@settings(max_examples=20)
@given(st.integers(2, 30), st.integers(2, 5), st.integers(1, 60), st.integers(0, 99))
def test_many_runs_at_once_are_dealt_as_one_by_one(n: int, k: int, budget: int, seed: int) -> None:
    """The heap of one run and the partitions of many find the same arms, batch after batch."""
    spec = AdaptiveSpec(n, min(n, k), budget, 5)
    roots = np.array([fold_seed(seed + run) for run in range(3)])
    together = Game.of(spec, heats.mean, roots)
    alone = [Game.of(spec, heats.mean, roots[run : run + 1]) for run in range(3)]
    rng = np.random.default_rng(seed)
    while (stage := together.stage()) is not None:
        rewards = rng.normal(size=(*stage.heats.shape[:2], 1, stage.heats.shape[2]))
        for run, game in enumerate(alone):
            single: Any = game.stage()
            assert np.array_equal(single.heats[0], stage.heats[run])
            game.hear(heats.environments.Kind.REWARDS, rewards[run : run + 1], None)
        together.hear(heats.environments.Kind.REWARDS, rewards, None)
    assert together.winners.tolist() == [int(game.winners[0]) for game in alone]


@given(st.integers(2, 1000), st.integers(2, 10), st.integers(1, 5000), st.integers(1, 60))
def test_batches_add_up_to_the_budget(n: int, k: int, budget: int, batches: int) -> None:
    """None is empty, there are no more than asked for, the first deals everybody once if a third of the budget can."""
    sizes = divide(n, min(n, k), budget, batches)
    assert sum(sizes) == budget
    assert min(sizes) >= 1
    assert len(sizes) <= batches
    if batches > 1:
        assert sizes[0] == min(-(-n // min(n, k)), max(1, budget // 3))


def test_the_batches_of_the_example() -> None:
    """Twenty arms, heats of four, a hundred pulls: five to see everybody, then ever fewer."""
    assert divide(20, 4, 100, 15)[:3] == (5, 19, 16)
    assert divide(20, 4, 100, 1) == (100,)
    assert divide(9, 3, 1, 15) == (1,)


@settings(max_examples=30)
@given(st.integers(2, 40), st.integers(2, 6), st.integers(0, 99), st.sampled_from(list(TRUTH)))
def test_without_noise_the_best_wins(n: int, k: int, seed: int, kind: str) -> None:
    """With default batches and three times the pulls that it takes to see that nobody beats it."""
    k = min(n, k)
    budget = 3 * -(-(n - 1) // (k - 1))
    assert play(heats.Adaptive(n, k, budget, seed=seed), TRUTH[kind]).winner == n - 1


@settings(max_examples=40)
@given(
    st.integers(2, 20),
    st.integers(2, 5),
    st.integers(1, 60),
    st.integers(1, 70),
    st.sampled_from([noisy, *TRUTH.values(), *TIES.values()]),
    st.integers(0, 99),
)
def test_the_order_of_telling_does_not_matter(
    n: int, k: int, budget: int, batches: int, answer: Any, seed: int
) -> None:
    """Nor do requeued pulls; what is spent is the budget; the spec makes the same machine again."""
    straight, shuffled = (heats.Adaptive(n, min(n, k), budget, batches=batches, seed=seed) for _ in range(2))
    play(straight, answer)
    play_in_any_order(shuffled, answer, random.Random(seed))
    assert recall(straight) == recall(shuffled)
    assert straight.spent == budget == straight.total
    again = play(heats.Machine.from_spec(straight.spec, seed=seed), answer)
    assert recall(again) == recall(straight)


@pytest.mark.parametrize("batches", [4, pytest.param(12, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", TIES)
def test_when_all_tie_all_win_equally_often(kind: str, batches: int) -> None:
    """Chi-square over 400 seeds: no index is favoured."""
    wins = [play(heats.Adaptive(6, 3, 12, batches=batches, seed=seed), TIES[kind]).winner for seed in range(400)]
    assert stats.chisquare(np.bincount(wins, minlength=6)).pvalue > 1e-4


def test_pulls_without_a_verdict_add_nothing() -> None:
    """They are spent; the others decide."""
    machine = heats.Adaptive(8, 2, 60, seed=1)
    play(machine, lambda query: heats.NoVerdict() if query.id % 3 == 0 else heats.Winner(max(query.arms)))
    assert machine.winner == 7
    assert machine.no_verdicts == 20


def test_ties_share_the_outcome() -> None:
    """Two that share a win have half a win each; nobody won: nothing."""
    machine, plain = heats.Adaptive(4, 4, 3, batches=3, seed=0), Plain(4, 4, 0)
    machine.tell(machine.ask(), heats.Winner(0, 1))
    plain.tell((0, 1, 2, 3), [[0, 1], [2, 3]])
    scores = machine.game.priorities.scores[0]
    assert scores[0] == scores[1]
    assert scores[2] == scores[3] < scores[0]
    assert scores == pytest.approx(plain.find_scores())
    machine.tell(machine.ask(), heats.Winner(None))
    assert machine.game.priorities.scores[0].tolist() == scores.tolist()


def test_what_cannot_be_played_is_refused() -> None:
    """A statistic that would be passed over, and numbers that make no sense."""
    with pytest.raises(InvalidArgument, match="would be ignored"):
        heats.Adaptive(5, 2, 10, statistic=heats.median)
    with pytest.raises(InvalidArgument, match="batches"):
        heats.Adaptive(5, 2, 10, batches=0)
    with pytest.raises(InvalidArgument, match="play a plan, which can"):
        heats.Adaptive(5, 2, 10**8)
    with pytest.raises(InvalidArgument, match="play a plan, which can"):
        heats.Adaptive(5, 2, 10).extend(10**8)
    for wrong in ((1, 2, 5), (5, 6, 5), (5, 1, 5), (5, 2, 0)):
        with pytest.raises(InvalidArgument):
            heats.Adaptive(*wrong)


def test_the_simulator_plays_it() -> None:
    """Many runs at once find the best as often as they should, and far more often than a plan where that is known."""
    world = heats.environments.Winners(heats.environments.Gaussian(50, gap=0.1, seed=1))
    adaptive = heats.simulate(heats.Adaptive(50, 4, 200), world, reps=500, seed=0)
    planned = heats.simulate(heats.plan(50, 4, 200, feedback="winner"), world, reps=500, seed=0)
    assert adaptive.success_rate > planned.success_rate > 0.9
    assert adaptive.pulls == 200


def test_rewards_scored_by_win_rate_count_as_winners() -> None:
    """Who is often first and else last: by its place it is behind, by its wins ahead, as in the standings."""

    def risky(query: Any) -> list[float]:
        luck = 10.0 if random.Random(query.seed).random() < 0.6 else -10.0
        return [luck if arm == 0 else float(arm) for arm in query.arms]

    winners = [play(heats.Adaptive(6, 3, 80, statistic=each, seed=3), risky) for each in (heats.mean, heats.win_rate)]
    assert winners[0].game.priorities.scores.tolist() != winners[1].game.priorities.scores.tolist()
    assert winners[1].winner == winners[1].standings().rows[0].arm == 0


def test_the_leader_was_seen() -> None:
    """Arms that nobody looked at lead nobody, though those that only tied have smaller scores."""
    machine = heats.Adaptive(100, 2, 10, seed=1)
    assert machine.leader is None
    while machine.round < 2:
        query: Any = machine.ask()
        machine.tell(query, heats.Winner(*query.arms))
    seen = {arm for told in machine.evidence() for arm in told.arms.ravel().tolist()}
    assert machine.leader is None or machine.leader in seen
    decided = heats.Adaptive(9, 3, 20, seed=1)
    while decided.round < 2:
        query = decided.ask()
        decided.tell(query, heats.Winner(max(query.arms)))
    assert decided.leader == 8


def test_an_unfinished_run_says_how_far_it_is() -> None:
    """In pulls: there are no rounds that anybody leaves in."""
    machine = heats.Adaptive(9, 3, 20, seed=1)
    for query in machine.ask(3):
        machine.tell(query, heats.Winner(max(query.arms)))
    assert "not decided yet: 3 of 20 comparisons so far, 1 batch over" in str(machine.report())


@pytest.mark.parametrize("seed", range(9))
def test_the_runner_up_is_second_in_the_standings(seed: int) -> None:
    """Also where two that never won anything are equal but for rounding: which of them is second is said once."""
    machine = heats.Adaptive(3, 2, 10, seed=seed)
    while (query := machine.ask()) is not None:
        machine.tell(query, heats.Winner(1 if 1 in query.arms else None))
    report = machine.report()
    assert [row.arm for row in report.standings.rows][:2] == [report.winner, report.runner_up]
    assert report.head_to_head is not None
    assert report.head_to_head.other == report.runner_up


def test_somebody_is_runner_up_even_if_nobody_was_compared() -> None:
    """And nobody who was not, if others were."""
    silent = heats.Adaptive(3, 2, 2)
    while (query := silent.ask()) is not None:
        silent.tell(query, heats.NoVerdict())
    assert silent.report().runner_up in {0, 1, 2} - {silent.winner}
    few = heats.Adaptive(9, 2, 2)
    while (query := few.ask()) is not None:
        few.tell(query, heats.Winner(query.arms[0]))
    report = few.report()
    assert report.standings.of(report.runner_up).pulls > 0


def test_who_was_never_compared_is_counted() -> None:
    """A budget that sees few of them is played, and the report says what it missed; one that sees all says nothing."""
    few, enough = (play(heats.Adaptive(100, 2, budget, seed=1), TRUTH["winner"]).report() for budget in (3, 150))
    assert "96 of the 100 were never compared: a larger budget would see them" in str(few)
    assert "96 of the 100 were never compared" in few._repr_html_()
    assert "never compared" not in str(enough)


def test_a_journal_of_other_batches_is_refused(tmp_path: Any) -> None:
    """Before anything is written: the pulls to come would be others."""
    path = tmp_path / "run.jsonl"

    def fail_at_two(heat: tuple[int, ...], query: heats.Query) -> heats.Winner:
        if query.id == 2:
            raise ValueError("no")
        return heats.Winner(max(heat))

    with pytest.raises(heats.errors.ComparisonFailed):
        heats.find_best(range(12), fail_at_two, budget=40, strategy="adaptive", journal=path)
    before = path.read_bytes()
    with pytest.raises(InvalidArgument, match="its batches is 15, not 3"):
        heats.find_best(range(12), lambda heat: heats.Winner(max(heat)), budget=40, batches=3, journal=path)
    assert path.read_bytes() == before


def test_a_newcomer_that_beats_everybody_wins() -> None:
    """Also where others are far apart, and settled."""
    for seed in range(10):
        machine = heats.Adaptive(50, 2, 500, seed=seed)
        while machine.round < 10:
            for query in machine.ask(500):
                machine.tell(query, heats.Winner(max(query.arms)))
        machine.add()
        assert play(machine, TRUTH["winner"]).winner == 50


def test_exact_numbers_are_no_worse_than_winners() -> None:
    """Among a hundred that differ by a hundredth of their range."""
    for seed in range(10):
        machine = heats.Adaptive(100, 2, 200, seed=seed)
        assert play(machine, lambda query: [float(arm) for arm in query.arms]).winner == 99
