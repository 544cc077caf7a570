"""Conditions as text: ``mode == fast && (alpha > 1 || level in {low, mid})`` → what must hold of a candidate.

``==``, ``!=``, ``<``, ``>``, ``<=``, ``>=``, ``in``; ``&&``, ``||`` and ``!``, which bind in this order: ``!``, ``&&``,
``||``; numbers may be added, subtracted, multiplied and divided. R's ``&``, ``|``, ``%in%`` and ``c(...)`` mean the
same, and so do ``and``, ``or`` and ``not``. Values need quotes only where they have spaces or look like a sign.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from heats.errors import InvalidArgument, show_value
from heats.race.scenario.spaces.conditions import (
    Number,
    Test,
    all_of,
    any_of,
    compares,
    compares_numbers,
    compares_texts,
    is_one_of,
    negate,
    take_number,
)
from heats.race.scenario.spaces.parameter import Parameter, Value, format_value, parse_number

LONGEST = 20_000  # characters
DEEPEST = 40  # parentheses within each other
MOST_COMPUTED = 200  # numbers, each of which is one more step down when a candidate is judged

_SIGNS = r"==|!=|<=|>=|&&|\|\||[<>=!&|(){}\[\],]"
_QUOTED = r"\"[^\"]*\"|'[^']*'"
LOOSE = re.compile(rf"\s*({_QUOTED}|{_SIGNS}|[^\s\"'<>=!&|(){{}}\[\],]+)")  # a-b is one name; a - b a difference
STRICT = re.compile(rf"\s*({_QUOTED}|{_SIGNS}|%in%|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[\w.]+|[-+*/])")  # as in R

_AND, _OR, _NOT, _IN = ("&&", "&", "and"), ("||", "|", "or"), ("!", "not"), ("in", "%in%")
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_CLOSING = {"(": ")", "{": "}", "[": "]"}
_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}


class Operand(NamedTuple):
    """What stands on a side of a comparison: a parameter, a value as it is written, or a number that is computed."""

    text: str
    parameter: Parameter | None
    number: Number | None
    is_quoted: bool = False


Part: TypeAlias = Test | Operand


def parse_expression(text: str, parameters: Mapping[str, Parameter], words: re.Pattern[str] = LOOSE) -> Test:
    """Return the condition that a text is, on these parameters; refuse what is none."""
    try:
        return _Parser(_split_words(text, words), parameters).parse()
    except InvalidArgument as error:
        raise InvalidArgument(f"the condition {show_value(text.strip())} cannot be read: {error}") from None


def _split_words(text: str, words: re.Pattern[str]) -> list[str]:
    if len(text) > LONGEST:
        raise InvalidArgument(f"it has {len(text)} letters; up to {LONGEST} are read.")
    found, place, end = [], 0, len(text.rstrip())
    while place < end:
        match = words.match(text, place)
        if match is None:
            raise InvalidArgument(f"{show_value(text[place:].strip()[:20])} is not closed, or not known.")
        found.append(match[1])
        place = match.end()
    return found


class _Parser:
    """Reads words from the left; each method takes what it stands for, and goes on behind it."""

    def __init__(self, words: list[str], parameters: Mapping[str, Parameter]) -> None:
        self._words = words
        self._parameters = parameters
        self._place = 0
        self._depth = 0
        self._computed = 0

    def parse(self) -> Test:
        test = _as_test(self._either())
        if self._next is not None:
            raise InvalidArgument(f"expected a sign such as == or && before {show_value(self._next)}.")
        return test

    @property
    def _next(self) -> str | None:
        return self._words[self._place] if self._place < len(self._words) else None

    def _take(self, *expected: str) -> str | None:
        """Return the next word and go on, if it is one of these."""
        if self._next not in expected:
            return None
        self._place += 1
        return self._words[self._place - 1]

    def _either(self) -> Part:
        self._depth += 1
        if self._depth > DEEPEST:
            raise InvalidArgument("it is nested too deeply.")
        parts = [self._both()]
        while self._take(*_OR):
            parts.append(self._both())
        self._depth -= 1
        return parts[0] if len(parts) == 1 else any_of([_as_test(part) for part in parts])

    def _both(self) -> Part:
        parts = [self._negated()]
        while self._take(*_AND):
            parts.append(self._negated())
        return parts[0] if len(parts) == 1 else all_of([_as_test(part) for part in parts])

    def _negated(self) -> Part:
        times = 0
        while self._take(*_NOT):
            times += 1
        part = self._comparison()
        if not times:
            return part
        return negate(_as_test(part)) if times % 2 else _as_test(part)

    def _comparison(self) -> Part:
        left = self._sum()
        if self._take(*_IN):
            return self._membership(_as_operand(left))
        sign = self._take("==", "=", "!=", *_FLIPPED)
        if sign is None:
            return left
        return _compare(_as_operand(left), "==" if sign == "=" else sign, _as_operand(self._sum()))

    def _membership(self, left: Operand) -> Test:
        self._take("c")
        opening = self._take(*_CLOSING)
        if opening is None:
            raise InvalidArgument(f"expected a list such as {{a, b}} behind {left.text} in.")
        values = [self._value()]
        while self._take(","):
            values.append(self._value())
        if not self._take(_CLOSING[opening]):
            raise InvalidArgument(f"the list behind {left.text} in is not closed.")
        if left.parameter is not None and left.parameter.is_chosen:
            return is_one_of(left.parameter, [left.parameter.find_choice(value.text) for value in values])
        return any_of([_compare(left, "==", value) for value in values])

    def _value(self) -> Operand:
        return _as_operand(self._sum())

    def _sum(self) -> Part:
        part = self._product()
        while sign := self._take("+", "-"):
            part = self._compute(part, sign, self._product())
        return part

    def _product(self) -> Part:
        part = self._signed()
        while sign := self._take("*", "/"):
            part = self._compute(part, sign, self._signed())
        return part

    def _compute(self, left: Part, sign: str, right: Part) -> Operand:
        self._computed += 1
        if self._computed > MOST_COMPUTED:
            raise InvalidArgument(f"it computes more than {MOST_COMPUTED} numbers.")
        return _compute(left, sign, right)

    def _signed(self) -> Part:
        times = 0
        while self._take("-"):
            times += 1
        part = self._atom()
        if not times:
            return part
        zero = Operand("0", None, lambda _: 0.0)
        operand = _as_operand(part)
        if operand.parameter is None and parse_number(operand.text) is not None and times == 1:
            return _read_word(f"-{operand.text}", {})
        return _compute(zero, "-", operand) if times % 2 else operand

    def _atom(self) -> Part:
        if self._take("("):
            inner = self._either()
            if not self._take(")"):
                raise InvalidArgument("a parenthesis is not closed.")
            return inner
        word = self._next
        if word is None or word[0] in "<>=!&|(){}[],":
            found = "it ends" if word is None else f"found {show_value(word)}"
            raise InvalidArgument(f"expected a parameter or a value, but {found}.")
        self._place += 1
        return _read_word(word, self._parameters)


def _read_word(word: str, parameters: Mapping[str, Parameter]) -> Operand:
    if word[0] in "\"'":
        return Operand(word[1:-1], None, _make_constant(word[1:-1]), is_quoted=True)
    parameter = parameters.get(word)
    if parameter is None:
        return Operand(word, None, _make_constant(word))
    return Operand(word, parameter, take_number(parameter) if parameter.has_order else None)


def _make_constant(text: str) -> Number | None:
    number = parse_number(text)
    return None if number is None else lambda _: number


def _as_test(part: Part) -> Test:
    if isinstance(part, Operand):
        raise InvalidArgument(f"{show_value(part.text)} alone is no condition; compare it, as in {part.text} == 1.")
    return part


def _as_operand(part: Part) -> Operand:
    if not isinstance(part, Operand):
        raise InvalidArgument("a comparison cannot be compared; put && or || between two of them.")
    return part


def _compute(left: Part, sign: str, right: Part) -> Operand:
    ours, theirs = _take_number(_as_operand(left)), _take_number(_as_operand(right))

    def number(candidate: Mapping[str, Value]) -> float | None:
        first, second = ours(candidate), theirs(candidate)
        if first is None or second is None:
            return None
        try:
            return _ARITHMETIC[sign](first, second)
        except (ZeroDivisionError, OverflowError):
            return None

    return Operand(f"… {sign} …", None, number)


def _take_number(operand: Operand) -> Number:
    if operand.number is None or (operand.parameter is not None and operand.parameter.kind == "ordinal"):
        raise InvalidArgument(f"{_say(operand)} is not a number, so it cannot be computed or compared with one.")
    return operand.number


def _compare(left: Operand, sign: str, right: Operand) -> Test:
    """Return the test of a comparison; a word that is a value of the other side's parameter is that value."""
    if left.parameter is not None and left.parameter.is_chosen and _is_value(left.parameter, right):
        return compares(left.parameter, sign, left.parameter.find_choice(right.text))
    if right.parameter is not None and right.parameter.is_chosen and _is_value(right.parameter, left):
        return compares(right.parameter, _FLIPPED.get(sign, sign), right.parameter.find_choice(left.text))
    has_numbers = left.number is not None and right.number is not None
    if sign in ("==", "!=") and left.parameter is not None and right.parameter is not None and not has_numbers:
        same = compares_texts(left.parameter, right.parameter)
        return same if sign == "==" else negate(same)
    return compares_numbers(_take_number(left), sign, _take_number(right))


def _is_value(parameter: Parameter, other: Operand) -> bool:
    if other.parameter is None:
        return other.number is None or parse_number(other.text) is not None or other.is_quoted
    return other.text in map(format_value, parameter.choices)


def _say(operand: Operand) -> str:
    if operand.parameter is None and not operand.is_quoted:
        return f"{show_value(operand.text)}, which is no parameter,"
    return show_value(operand.text)
