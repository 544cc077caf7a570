"""Conditions as text: the same as Python says, for all that are there; unknown where a parameter is left out."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heats.errors import InvalidArgument
from heats.race.scenario.spaces.expression import DEEPEST, STRICT, parse_expression
from heats.race.scenario.spaces.parameter import Parameter, Value

SPACE = {
    each.name: each
    for each in (
        Parameter("a", "int", -5, 5),
        Parameter("b", "float", -5, 5),
        Parameter("mode", "categorical", choices=("fast", "slow", "b")),
        Parameter("level", "ordinal", choices=("low", "mid", "high")),
        Parameter("flag", "categorical", choices=(True, False)),
        Parameter("size", "categorical", choices=("1", "2", "10")),
        Parameter("max-depth", "int", 0, 9),
    )
}
ALL: dict[str, Value] = {"a": 2, "b": -1.5, "mode": "fast", "level": "mid", "flag": True, "size": "10", "max-depth": 4}


def judge(text: str, candidate: Mapping[str, Value] = ALL) -> bool | None:
    return parse_expression(text, SPACE)(candidate)


numbers = st.integers(-9, 9).map(str)
sums = st.recursive(
    numbers | st.sampled_from(["a", "b"]),
    lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda parts: f"({' '.join(parts)})"),
    max_leaves=4,
)
signs = st.sampled_from(["==", "!=", "<", ">", "<=", ">="])
comparisons = st.tuples(sums, signs, sums).map(" ".join)
conditions = st.recursive(
    comparisons,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(" ".join),
        inner.map(lambda each: f"({each})"),
        inner.map(lambda each: f"not ({each})"),
    ),
    max_leaves=6,
)


@given(conditions, st.integers(-5, 5), st.sampled_from([-2.5, 0.0, 1.0, 3.25]), st.booleans())
def test_a_condition_means_what_it_means_in_python(text: str, a: int, b: float, is_signed: bool) -> None:
    """With the same precedence, in words or in signs."""
    spelled = text.replace("and", "&&").replace("or", "||").replace("not", "!") if is_signed else text
    expected = eval(text, {"a": a, "b": b})  # of a text made above, as the independent judge
    assert judge(spelled, {"a": a, "b": b}) is expected
    assert parse_expression(spelled, SPACE, STRICT)({"a": a, "b": b}) is expected


@given(conditions)
def test_what_is_left_out_is_unknown_and_never_turns_into_its_opposite(text: str) -> None:
    """Leaving a parameter out makes a verdict unknown, or leaves it as it was."""
    whole, partly = judge(text, {"a": 1, "b": 2.0}), judge(text, {"a": 1})
    assert partly in (whole, None)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("mode == fast", True),
        ("mode != 'fast'", False),
        ('"slow" == mode', False),
        ("mode in {slow, fast}", True),
        ("mode %in% c('slow', 'b')", False),
        ("mode in [slow]", False),
        ("mode == b", False),  # the value b, not the parameter
        ("level > low", True),
        ("level >= high", False),
        ("mid <= level", True),
        ("flag == true", True),
        ("flag = false", False),
        ("size == 10.0", True),
        ("size > 2", True),
        ("a in (1, 2, 3)", True),
        ("a < size", True),
        ("mode == level", False),
        ("max-depth == 4", True),
        ("max-depth - a == 2", True),
        ("- a == -2 && b > -2", True),
        ("!mode == slow", True),  # as in R
        ("a / 0 == 1", None),
    ],
)
def test_examples(text: str, verdict: bool | None) -> None:
    """Values with or without quotes, sets in all brackets, order by place."""
    assert judge(text) is verdict


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("mode == fsat", "mode has no value 'fsat'; it may be fast, slow, b"),
        ("mode > fast", "mode > fast compares what is not a number"),
        ("speed == 1", "'speed', which is no parameter, is not a number"),
        ("a == fast", "'fast', which is no parameter, is not a number"),
        ("a", "'a' alone is no condition"),
        ("a == 1 b == 2", "expected a sign such as == or && before 'b'"),
        ("a == (1", "a parenthesis is not closed"),
        ("mode in fast", "expected a list such as {a, b}"),
        ("mode in {fast", "is not closed"),
        ("a == 'x", "is not closed, or not known"),
        ("a ==", "but it ends"),
        ("", "but it ends"),
        ("&& a == 1", "expected a parameter or a value, but found '&&'"),
        ("(a == 1) == (a == 2)", "a comparison cannot be compared"),
        ("mode + 1 == 2", "'mode' is not a number"),
        ("(" * (DEEPEST + 1), "nested too deeply"),
        ("a == 1 && " * 5000, "letters; up to"),
        ("a + " * 4000 + "a > 1", "it computes more than 200 numbers"),
    ],
)
def test_what_is_no_condition_is_refused(text: str, sentence: str) -> None:
    """With the text itself, and what was expected."""
    with pytest.raises(InvalidArgument) as error:
        judge(text)
    assert sentence in str(error.value)


def test_long_conditions_are_judged_all_the_same() -> None:
    """As many as fit, and as deep as is allowed."""
    assert judge(" || ".join(["a == 9"] * 1900 + ["a == 2"]))
    assert judge("! " * 999 + "a == 9")
    assert judge("(" * (DEEPEST - 1) + "a + " * 199 + "a == 400" + ")" * (DEEPEST - 1))


@given(st.text("ab12.=<>!&|(){}[],'\" +-*/%inc", max_size=40))
def test_any_text_is_a_condition_or_refused_in_a_sentence(text: str) -> None:
    """And a condition has a verdict."""
    try:
        found = str(judge(text))
    except InvalidArgument as error:
        found = str(error)
    assert found in ("True", "False", "None") or "cannot be read" in found
