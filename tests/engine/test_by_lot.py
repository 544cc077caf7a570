"""Where nothing that was told sets candidates apart, the winner is drawn by lot, and every report says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

import heats

DRINKS = ["tea", "coffee", "milk", "water", "juice"]


@pytest.mark.parametrize("strategy", ["adaptive", "planned"])
@pytest.mark.parametrize(
    "compare",
    [
        heats.judging.Judge(lambda _: "I could not say."),
        lambda _: heats.Winner(None),
        lambda _: heats.Race({}),
        lambda heat: [7.0] * len(heat),
    ],
)
def test_a_winner_that_nothing_speaks_for_is_drawn_by_lot(compare: Callable[..., Any], strategy: str) -> None:
    """In the text, on the page and in JSON; nothing else is claimed of it."""
    found = heats.find_best(DRINKS, compare, budget=5, strategy=strategy)
    assert found.report.by_lot
    assert msgspec.json.decode(found.to_json())["report"]["by_lot"]
    assert str(found).startswith(f"winner:     {found.winner}, drawn by lot\nhow sure:   not sure at all: nothing that")
    for untrue in ("runner-up", "never met", "larger budget", "won none", "leads by 0"):
        assert untrue not in str(found)
    assert "Drawn by lot from 5 candidates" in found.to_html()
    assert "drawn by lot" in repr(found)
    assert {heats.find_best(DRINKS, compare, budget=5, strategy=strategy, seed=seed).winner for seed in range(9)} != {
        found.winner
    }


def test_one_verdict_is_enough_for_a_winner() -> None:
    """Who was never seen with a verdict is said to be so, without a promise of a larger budget."""

    def taste(heat: tuple[str, ...]) -> heats.Winner | heats.NoVerdict:
        return heats.Winner("tea") if "juice" not in heat else heats.NoVerdict()

    found = heats.find_best(DRINKS, taste, budget=20)
    assert not found.report.by_lot
    assert found.winner == "tea"
    assert "were never compared, or never with a verdict\n" in str(found)


def test_a_round_robin_may_tell_apart_what_no_pull_does() -> None:
    """It goes by the mean of all rewards, whoever shared them."""
    machine = heats.RoundRobin(5, 3, 10)
    while (query := machine.ask()) is not None:
        machine.tell(query, [float(2 in query.arms)] * 3)
    assert machine.winner == 2
    assert not machine.report().by_lot
