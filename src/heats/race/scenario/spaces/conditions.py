"""What must hold of a candidate, for conditions and for what is forbidden.

A parameter that is left out is neither this nor that: a comparison with it is unknown (None), and so is what hangs on
it, as in SQL and in R. Only what is true counts: an unknown condition does not hold, an unknown clause forbids nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from heats.errors import InvalidArgument, show_value
from heats.race.scenario.spaces.parameter import Parameter, Value, format_value, value_key

Number: TypeAlias = Callable[[Mapping[str, Value]], float | None]  # what an expression comes to in a candidate

SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


class Test(NamedTuple):
    """Whether a candidate is what it should be: true, false, or None where that is unknown."""

    judge: Callable[[Mapping[str, Value]], bool | None]
    size: int = 1  # comparisons it takes

    def __call__(self, candidate: Mapping[str, Value]) -> bool | None:
        """Judge a candidate."""
        return self.judge(candidate)


def is_one_of(parameter: Parameter, values: Sequence[Value]) -> Test:
    """Return the test whether a parameter has one of the values."""
    name, keys = parameter.name, set(map(value_key, values))
    return Test(lambda candidate: value_key(candidate[name]) in keys if name in candidate else None)


def compares(parameter: Parameter, sign: str, value: Value) -> Test:
    """Return the test how a parameter compares with one of its values, or with a number."""
    if sign in ("==", "!="):
        same = is_one_of(parameter, [value])
        return same if sign == "==" else negate(same)
    if not parameter.has_order:
        raise InvalidArgument(
            f"{parameter.name} {sign} {format_value(value)} compares what is not a number; say == or in, or make "
            f"{parameter.name} ordinal."
        )
    limit = parameter.order(value)
    if limit is None:
        raise InvalidArgument(f"{parameter.name} {sign} {show_value(value)} compares a number with what is none.")
    return compares_numbers(take_number(parameter), sign, lambda _: limit)


def take_number(parameter: Parameter) -> Number:
    """Return how to find the number that a parameter is in a candidate, or its place, if it is ordinal."""
    name = parameter.name
    return lambda candidate: parameter.order(candidate[name]) if name in candidate else None


def compares_numbers(left: Number, sign: str, right: Number) -> Test:
    """Return the test how two numbers compare."""

    def test(candidate: Mapping[str, Value]) -> bool | None:
        ours, theirs = left(candidate), right(candidate)
        return None if ours is None or theirs is None else SIGNS[sign](ours, theirs)

    return Test(test)


def compares_texts(left: Parameter, right: Parameter) -> Test:
    """Return the test whether two parameters are written the same."""
    names = (left.name, right.name)

    def test(candidate: Mapping[str, Value]) -> bool | None:
        if any(name not in candidate for name in names):
            return None
        return format_value(candidate[left.name]) == format_value(candidate[right.name])

    return Test(test)


def negate(test: Test) -> Test:
    """Return the test that fails where this one is passed."""

    def opposite(candidate: Mapping[str, Value]) -> bool | None:
        passed = test(candidate)
        return None if passed is None else not passed

    return Test(opposite, test.size)


def all_of(tests: Sequence[Test]) -> Test:
    """Return the test that all tests are passed: one that fails decides, then one that is unknown."""

    def test(candidate: Mapping[str, Value]) -> bool | None:
        passed = [each(candidate) for each in tests]
        return False if False in passed else None if None in passed else True

    return Test(test, sum(each.size for each in tests))


def any_of(tests: Sequence[Test]) -> Test:
    """Return the test that any of the tests is passed: one that is decides, then one that is unknown."""

    def test(candidate: Mapping[str, Value]) -> bool | None:
        passed = [each(candidate) for each in tests]
        return True if True in passed else None if None in passed else False

    return Test(test, sum(each.size for each in tests))
