"""Rows are drawn as the instances of a race are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heats
from heats.judging.rows import choose_row, take_rows


@given(count=st.integers(1, 30), seed=st.integers(0, 2**70), time=st.integers(0, 5))
def test_every_row_comes_once_before_any_comes_again(count: int, seed: int, time: int) -> None:
    """However many fewer rows there are than pulls, and whoever asks for which pull first."""
    pulls = range(time * count, (time + 1) * count)
    assert sorted(choose_row(count, seed, pull) for pull in reversed(pulls)) == list(range(count))


def test_other_seeds_give_other_orders() -> None:
    """And a second time round is another order as well."""
    orders = {tuple(choose_row(50, seed, pull + time * 50) for pull in range(50)) for seed in (1, 2) for time in (0, 1)}
    assert len(orders) == 4


class Table:
    columns, shape = ("q",), (3, 1)


@pytest.mark.parametrize("rows", [[], (), iter(()), "text", {"a": 1}, {1, 2}, 7, Table()])
def test_what_is_no_list_of_rows_is_refused(rows: Any) -> None:
    """Nothing at all, a text, a table, something without an order."""
    with pytest.raises(heats.errors.InvalidArgument, match="rows"):
        take_rows(rows)
