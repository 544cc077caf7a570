"""The smallest budget: the same as by trying every share, and an answer or a refusal for every size."""

from __future__ import annotations

import random
from typing import Any

import pytest

from heats.errors import InvalidArgument
from heats.planning.schedule import share_budget
from heats.theory import plan_for_gap, query_sets, sets_needed, smallest_budget, winner_rate
from heats.theory.search import find_smallest_budget
from heats.theory.tables import bounds, paper_tables


def try_budgets(heats: list[int], needed: int) -> int:
    """Return the smallest budget that gives every heat enough, from the least on."""
    budget = sum(heats)
    while min(share_budget(heats, budget)) < needed:
        budget += 1
    return budget


@pytest.mark.parametrize("seed", range(200))
def test_the_search_finds_what_trying_finds(seed: int) -> None:
    """Also for rounds that no rule would give, with widths that divide each other and widths that do not."""
    draw = random.Random(seed)
    widths = draw.choice([range(1, 6), range(1, 30), [1, 2, 4, 8, 16], [6, 12, 18, 36], [7, 11, 13]])
    heats = [draw.choice(widths) for _ in range(draw.randint(1, 12))]
    needed = draw.choice([1, 2, 3, draw.randint(1, 12)])
    assert find_smallest_budget(heats, needed) == try_budgets(heats, needed)


@pytest.mark.parametrize("n", [2, 3, 1000, 20_000, 10**6, 10**12])
@pytest.mark.parametrize("call", [bounds, paper_tables])
def test_every_size_is_answered_or_refused(n: int, call: Any) -> None:
    """From pairs to all in one heat, gaps and confidences as extreme as they may be; none of it takes long."""
    for k in {2, min(n, 1000), max(2, n // 2), n}:
        for gap, delta in ((0.1, 0.05), (1.0, 0.9), (1e-7, 1e-300), (1e-50, 1e-300)):
            try:
                assert call(n, k, gap, delta, "winner")
            except InvalidArgument as error:
                why = str(error)
                assert "take" in why or "ask for a larger gap" in why


def test_huge_problems_with_an_answer() -> None:
    """All in one heat, where every round has a single heat; and pairs of a million millions."""
    [_, one_by_one, _] = bounds(20_000, 20_000, 0.1, 0.05, "winner")
    rounds = 20_000 - 1
    assert one_by_one.exact % rounds == 0
    assert bounds(10**12, 2, 0.1, 0.05, "winner")[0].exact > 10**12
    assert plan_for_gap(10**6, 1000, "csr", 0.1, lambda t: 1 / t).cost <= 10**18


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sets_needed(10**12, 5 * 10**11), "thousand digits"),
        (lambda: query_sets("csr", 10**12, 10**12), "heat_size=1000000000000 takes more than 250000 rounds"),
        (lambda: smallest_budget(10**12, 10**12, "csr", 0.1, winner_rate(0.1, 3)), "rounds"),
        (lambda: smallest_budget(10**12, 2, "csws", 1e-8, winner_rate(0.1, 3)), "ask for a larger gap"),
    ],
)
def test_what_would_take_for_ever_is_refused(make: Any, message: str) -> None:
    """With a way out."""
    with pytest.raises(InvalidArgument, match=message):
        make()
