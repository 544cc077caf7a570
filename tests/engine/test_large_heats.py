"""Heats of more than a thousand arms: played, decided and reported like small ones, whatever is told."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

import heats
from heats.engine.machine import Machine
from heats.errors import BadFeedback
from tests.playing import TIES, TRUTH, Answer, play

LARGE = 1100  # arms; a quadrature overflowed from 1036 on
VERY_LARGE = 10_000

PARTIAL: Answer = lambda query: heats.Ranking(sorted(query.arms, reverse=True)[:3])  # noqa: E731  # one of a table
ANSWERS = {**TRUTH, "partial ranking": PARTIAL}


def change_its_mind(query: heats.Query) -> heats.Winner:
    """Name the best, or the two best, or nobody."""
    first, second = sorted(query.arms, reverse=True)[:2]
    return random.Random(query.seed).choice([heats.Winner(first), heats.Winner(first, second), heats.Winner(None)])


def make_machines(size: int) -> dict[str, Callable[[], Machine]]:
    """Return machines that play heats of a size, with all arms in them and with some."""
    return {
        "all at once": lambda: heats.Adaptive(size, size, 1),
        "adaptive": lambda: heats.Adaptive(size, size, 4, batches=3),
        "adaptive, some of all": lambda: heats.Adaptive(2 * size, size, 9, batches=3),
        "round robin": lambda: heats.RoundRobin(size, size - 1, 9),
        "tournament": lambda: heats.Tournament(heats.plan(size, size, 4)),
        "csws": lambda: heats.Tournament(heats.plan(size, size, 4, "csws")),
    }


@pytest.mark.parametrize("kind", ANSWERS)
def test_the_best_of_a_large_heat_is_found(kind: str) -> None:
    """By every kind of feedback, in one comparison of all, and in a few."""
    for budget in (1, 3):
        assert play(heats.Adaptive(LARGE, LARGE, budget), ANSWERS[kind]).winner == LARGE - 1


@pytest.mark.parametrize("answer", [*TIES.values(), change_its_mind])
def test_large_heats_may_say_little(answer: Answer) -> None:
    """Ties, or nobody: somebody wins nevertheless."""
    machine = play(heats.Adaptive(LARGE, LARGE, 4), answer)
    assert machine.winner in range(LARGE)


def test_find_best_takes_all_candidates_at_once() -> None:
    """The call of the report: it named 44, and with two comparisons failed."""
    for budget in (1, 2):
        found = heats.find_best(range(1036), lambda heat: heats.Winner(max(heat)), budget=budget, heat_size=1036)
        assert found.winner == 1035


def test_rankings_of_large_heats_count_in_tournaments() -> None:
    """A fitted record looks at all pairs of a heat."""
    plan = heats.plan(600, 600, 6, feedback="ranking")
    assert plan.record == "fitted"
    assert play(heats.Tournament(plan), TRUTH["ranking"]).winner == 599


@pytest.mark.parametrize(("n_arms", "heat_size"), [(VERY_LARGE, VERY_LARGE), (VERY_LARGE, VERY_LARGE - 1)])
def test_all_sets_but_one_arm_are_numbered_at_once(n_arms: int, heat_size: int) -> None:
    """Large sets out of hardly more arms took forever to list."""
    assert play(heats.RoundRobin(n_arms, heat_size, 2), TRUTH["winner"]).winner in (n_arms - 1, n_arms - 2)


def test_long_rankings_are_checked_like_short_ones() -> None:
    """Who is not there, or twice, is named; arms of the heat as far as a line holds them."""
    machine = heats.RoundRobin(LARGE, LARGE, 1)
    for order, reason in (
        ([*range(20), LARGE], f"^{LARGE} is not in this heat; its arms are .{{100,250}}$"),
        ([*range(20), True], "^True is not in this heat"),
        ([*range(20), 1.5], "^1.5 is not in this heat"),
        ([*range(20), 3], "^arm 3 is named twice"),
    ):
        with pytest.raises(BadFeedback, match=reason):
            machine.tell(0, heats.Ranking(order))
    assert machine.spent == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "size"), [(name, LARGE) for name in make_machines(3)] + [("adaptive", VERY_LARGE), ("csws", VERY_LARGE)]
)
@pytest.mark.parametrize("kind", ANSWERS)
def test_large_heats_are_reported(name: str, size: int, kind: str) -> None:
    """The winner, the standings and the report of every machine."""
    machine = play(make_machines(size)[name](), ANSWERS[kind])
    assert machine.winner == machine.n_arms - 1
    standings = machine.standings()
    chances = [row.chance for row in standings.rows]
    assert None not in chances
    assert sum(chance or 0.0 for chance in chances) == pytest.approx(1.0, abs=1e-3)
    assert standings.of(machine.winner).strength > 0
    assert f"arm {machine.winner}" in str(machine.report())
