"""What candidates are drawn from: parameters, conditions under which each counts, and what is forbidden.

A candidate is a pure function of the seed and its number. A parameter whose conditions do not hold is left out of it;
what is forbidden, and what was drawn before, is drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import count, islice

import msgspec
import numpy as np

from heats.base import randomness
from heats.base.randomness import Purpose
from heats.errors import InvalidArgument
from heats.race.scenario.spaces.conditions import Test
from heats.race.scenario.spaces.parameter import Candidate, Parameter, candidate_key

MOST_DRAWN_VALUES = 2_000_000  # a second or two; after that a space counts as used up
LEAST_DRAWS_PER_CANDIDATE = 20
DRAWS_AT_ONCE = 256


class Space(msgspec.Struct, frozen=True):
    """Parameters, the conditions under which each counts, and what must not come together."""

    parameters: tuple[Parameter, ...]
    conditions: tuple[tuple[str, Test], ...] = ()  # (parameter, what must hold)
    forbidden: tuple[Test, ...] = ()

    @property
    def size(self) -> float:
        """At most how many different candidates there are."""
        conditional = {name for name, _ in self.conditions}  # may also be left out
        return math.prod(each.size + (each.name in conditional) for each in self.parameters)

    @property
    def _effort(self) -> int:
        """How many values to draw and comparisons to make it takes for a candidate."""
        tests = [*(test for _, test in self.conditions), *self.forbidden]
        return len(self.parameters) + sum(test.size for test in tests)

    def count_draws(self, how_many: int) -> int:
        """Return how many draws are made at most to find that many candidates."""
        return max(LEAST_DRAWS_PER_CANDIDATE * how_many, MOST_DRAWN_VALUES // max(10, self._effort))

    def sample(
        self, how_many: int, seed: int, besides: Sequence[Candidate] = (), asked: str = "sample"
    ) -> list[Candidate]:
        """Return that many different candidates, none of them one of those ``besides``.

        ``asked`` is how people say how many they want.
        """
        self.check_left(how_many, besides, asked)
        draws = self.count_draws(how_many + len(besides))
        taken = set(map(candidate_key, besides))
        found: dict[object, Candidate] = {}
        for candidate in islice(self._draw_candidates(randomness.fold_seed(seed)), draws):
            if candidate is not None and (key := candidate_key(candidate)) not in taken:
                found.setdefault(key, candidate)
            if len(found) == how_many:
                return list(found.values())
        raise _refuse_sample(asked, how_many, f"{draws} draws found only {_say_found(list(found.values()), taken)}")

    def check_left(self, how_many: int, known: Sequence[Candidate], asked: str) -> None:
        """Refuse more candidates than there can be beside those that are known."""
        if math.isfinite(self.size):
            there = sum(map(self._holds, known))
            if how_many > self.size - there:
                but = f", {there} of which are there" if there else ""
                raise _refuse_sample(asked, how_many, f"there are only {int(self.size)} different candidates{but}")

    def make_default(self) -> Candidate:
        """Return the default candidate: every parameter as it is if nobody says otherwise."""
        without = [each.name for each in self.parameters if each.default is None]
        if without:
            more = f" and {len(without) - 1} more" if len(without) > 1 else ""
            raise InvalidArgument(
                f"default = true takes the default candidate along, but {without[0]}{more} of the space has none; "
                f"give it one, as {without[0]} = {{ float = [0, 1], default = 0.5 }}, or list the candidate itself."
            )
        candidate = self.complete({each.name: each.default for each in self.parameters if each.default is not None})
        if candidate is None:
            raise InvalidArgument("default = true takes the default candidate along, but the space forbids it.")
        return candidate

    def _draw_candidates(self, root: np.uint64) -> Iterator[Candidate | None]:
        """Yield candidates for ever, None for each that is forbidden."""
        places = np.arange(len(self.parameters))
        for first in count(0, DRAWS_AT_ONCE):
            numbers = np.arange(first, first + DRAWS_AT_ONCE)[:, None]
            for units in randomness.to_unit(randomness.draw_bits(root, Purpose.SAMPLE, numbers, places)).tolist():
                yield self.complete(
                    {each.name: each.at(unit) for each, unit in zip(self.parameters, units, strict=True)}
                )

    def complete(self, values: Candidate) -> Candidate | None:
        """Return the candidate with these values, but for those that do not count; None if it is forbidden."""
        candidate = self._leave_out_idle(values)
        return None if any(test(candidate) is True for test in self.forbidden) else candidate

    def _holds(self, candidate: Candidate) -> bool:
        """Whether a candidate is one of the space."""
        filled = {each.name: candidate.get(each.name, each.at(0)) for each in self.parameters}
        are_values = all(each.locate(filled[each.name]) is not None for each in self.parameters)
        return are_values and self.complete(filled) == candidate

    def _leave_out_idle(self, candidate: Candidate) -> Candidate:
        """Leave out parameters whose conditions do not hold, and those that depend on them."""
        while idle := {name for name, test in self.conditions if name in candidate and test(candidate) is not True}:
            candidate = {name: value for name, value in candidate.items() if name not in idle}
        return candidate


def _say_found(found: list[Candidate], taken: set[frozenset[tuple[str, object]]]) -> str:
    """Say how many candidates were found, and why there are no more, where that is plain."""
    if not found and not taken:
        return "0 different candidates, since the space forbids all of them"
    if found == [{}]:
        return "1 different candidate, since its conditions leave out every parameter"
    return f"{len(found)} different candidates{' beside those listed' if taken else ''}"


def _refuse_sample(asked: str, how_many: int, why: str) -> InvalidArgument:
    message = f"{{{asked}}} is more than the space holds: {why}; sample fewer, or widen the space."
    return InvalidArgument(message, **{asked: how_many})
