"""Names of candidates that are tables of parameters: all keys, few digits, no two equal."""

from __future__ import annotations

import enum
import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from heats.base.naming import LEAST_DIGITS, LONGEST_TEXT, tabulate_parameters, tell_apart
from heats.running.candidates import name_candidates

plain = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=60))
values = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner), max_leaves=4
)
candidates = st.lists(st.dictionaries(st.text(min_size=1, max_size=5), values, max_size=4), min_size=2, max_size=6)


class Colour(enum.StrEnum):
    """A choice that is a text."""

    RED = "red"


class Thing:
    """Has a repr that only says where it lies in memory."""


def name(*given: Any) -> tuple[str, ...]:
    """Return the names of candidates, as ``find_best`` gives them."""
    return name_candidates(None, given)


@given(candidates)
def test_no_two_names_are_equal_and_all_keys_are_there(given: list[dict[str, Any]]) -> None:
    """Whatever the values are; every name is one line."""
    names = name(*given)
    assert len(set(names)) == len(given)
    for said, candidate in zip(names, given, strict=True):
        assert "\n" not in said
        for key, value in candidate.items():
            title = " ".join(key.split())
            assert f" {title}." in f" {said}" if isinstance(value, dict) and value else f" {title}=" in f" {said}"


@given(st.lists(st.floats(0.001, 999), min_size=2, max_size=6, unique=True))
def test_numbers_have_as_few_digits_as_keep_them_apart(numbers: list[float]) -> None:
    """Counted by another way: the first number of digits, from three on, with which rounded numbers differ."""
    texts = [row[0] or "" for row in tabulate_parameters([{"x": number} for number in numbers]).rows]
    digits = next(d for d in range(LEAST_DIGITS, 18) if len({float(f"{x:.{d}g}") for x in numbers}) == len(numbers))
    assert len({float(text) for text in texts}) == len(numbers)
    for text, number in zip(texts, numbers, strict=True):
        assert float(text) == float(f"{number:.{digits}g}")
        assert len(text) <= len(repr(number))


@example([0.0, -0.0])
@given(st.lists(st.floats(allow_nan=False) | st.integers(-(10**18), 10**18), min_size=2, max_size=8))
def test_different_numbers_have_different_texts_and_equal_ones_the_same(numbers: list[float]) -> None:
    """Small and large, whole or not, finite or not."""
    rows = tabulate_parameters([{"x": number} for number in numbers]).rows
    pairs = sorted(zip(numbers, rows, strict=True), key=lambda pair: pair[0])
    for (one, first), (other, second) in pairwise(pairs):
        assert (one == other) == (first == second)


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (
            [{"C": 90.909090, "gamma": 0.000420001}, {"C": 0.1, "gamma": 0.3}],
            ("C=90.9 gamma=0.00042", "C=0.1 gamma=0.3"),
        ),
        ([{"C": 90.91}, {"C": 90.92}, {"C": 1 / 3}], ("C=90.91", "C=90.92", "C=0.3333")),
        ([{"x": 0.1 + 0.2}, {"x": 0.3}], ("x=0.30000000000000004", "x=0.3")),
        ([{"x": 100000.0}, {"x": 123456.7}, {"x": 1e7}], ("x=100000", "x=123457", "x=1e+07")),
        ([{"x": 3}, {"x": 3.0}], ("x=3 #0", "x=3 #1")),
        ([{"a": 1, "b": 2}, {"b": 2, "a": 1}], ("a=1 b=2 #0", "a=1 b=2 #1")),
        ([{"a": 1}, {"b": None}, {}], ("a=1", "b=none", "no parameters")),
        ([{"x": 1}, {"x": "1"}, {"x": True}, {"x": "true"}], ("x=1", "x='1'", "x=true", "x='true'")),
        ([{"x": np.float64(0.25)}, {"x": np.int64(7)}, {"x": np.True_}], ("x=0.25", "x=7", "x=true")),
        ([{"x": np.float32(0.1)}, {"x": math.inf}, {"x": math.nan}], ("x=0.1", "x=inf", "x=nan")),
        ([{"opt": {"name": "adam", "lr": 1e-3}}, {"opt": {}}], ("opt.name=adam opt.lr=0.001", "opt={}")),
        ([{"l": [64, 1 / 3]}, {"l": (1, [2, "a b"])}], ("l=[64,0.333]", "l=[1,[2,'a b']]")),
        ([{"f": len}, {"f": Thing()}, {"f": Colour.RED}], ("f=len", "f=Thing", "f=red")),
        ([{"x": {"b", "a"}}, {"x": Fraction(1, 3)}, {"x": 10**5000}], None),
        ([{1: 2, (3, 4): 5}, {None: 6}], ("1=2 [3,4]=5", "none=6")),
        ([{"a.b": 1, "a": {"b": 2}}, {"a.b": 2, "a": {"b": 1}}], ("a.b=1 a.b=2", "a.b=2 a.b=1")),
    ],
)
def test_names(given: list[Any], names: tuple[str, ...] | None) -> None:
    """Of every kind of value, alone and side by side."""
    made = name(*given)
    assert len(set(made)) == len(given)
    assert names is None or made == names


def test_long_texts_keep_both_ends() -> None:
    """And differ by number where they differ in the middle only."""
    one, other = "x" * 500 + "1" + "y" * 500, "x" * 500 + "2" + "y" * 500
    names = name({"prompt": one, "t": 0.5}, {"prompt": other, "t": 0.5}, {"prompt": "short", "t": 0.5})
    assert names[0].endswith("y t=0.5 #0")
    assert names[1].endswith("y t=0.5 #1")
    assert all(len(each) < LONGEST_TEXT + 30 for each in names)
    table = tabulate_parameters([{"prompt": one}], exactly=True)
    assert table.rows == ((one,),)


def test_tables_that_contain_themselves_and_rude_ones_have_names() -> None:
    """They are described by other means."""

    class Rude(dict[str, int]):
        def items(self) -> Any:
            raise RuntimeError("no")

    endless: dict[str, Any] = {"n": 1}
    endless["self"] = endless
    assert name(endless, {"n": 2})[0].startswith("n=1 self.n=1")
    assert len(set(name(Rude(a=1), Rude(a=2), {"a": 3}))) == 3


@given(st.lists(st.sampled_from(["a", "a #0", "a #1", "a #2", "a #0 #0", "b"]), min_size=1, max_size=8))
def test_equal_names_are_numbered_until_all_differ(names: list[str]) -> None:
    """Also beside names that look as if they had been."""
    told = tell_apart(names)
    assert len(set(told)) == len(names)
    for before, after in zip(names, told, strict=True):
        assert after.startswith(before)
        assert (
            after == before
            or names.count(before) > 1
            or any(each != before and before.startswith(each) for each in names)
        )
