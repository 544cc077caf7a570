"""Candidates near others, as irace draws them: every parameter moved a little on its own scale, or drawn anew.

A parent is drawn by its place, the first most often. Numbers and ordinal values move by a normal distribution that is
cut off at the ends of the range; a category stays or is drawn anew. How far depends on how densely the candidates so
far fill the space: n of them in d dimensions lie about n^(-1/d) apart. What is forbidden, and what is known already, is
drawn again, from a little farther away.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from heats.base import randomness
from heats.base.randomness import Purpose
from heats.errors import InvalidArgument
from heats.race.scenario.spaces.parameter import Candidate, Parameter, Value, candidate_key
from heats.race.scenario.spaces.space import Space

DEVIATION = 0.5  # of a number that moves, in distances between candidates
WIDER = 1.1  # is the distance after every draw that gave nothing new
LEAST_DRAWS = 100  # of each candidate
FEWER_DRAWS = 20  # times fewer than of a sample: they take longer, and spread out soon
LAST_UNIT = math.nextafter(1, 0)
_STANDARD = NormalDist()


def count_parents(space: Space) -> int:
    """Return how many candidates others are drawn near: as many as irace has elites."""
    return 2 + int(math.log2(max(1, len(space.parameters))))


def mutate(
    space: Space, parents: Sequence[Candidate], how_many: int, seed: int, known: Sequence[Candidate]
) -> list[tuple[int, Candidate]]:
    """Return that many different candidates near ``parents``, best first, each with the place of its own.

    None of them is ``known``. They are a pure function of all that is given.
    """
    space.check_left(how_many, known, "more")
    root = randomness.draw_bits(randomness.fold_seed(seed), Purpose.MUTATION, len(known))
    taken, distance = set(map(candidate_key, known)), _find_distance(space, len(known))
    places, wider = np.arange(1 + 2 * len(space.parameters)), 1.0
    found: list[tuple[int, Candidate]] = []
    for number in range(draws := max(how_many * LEAST_DRAWS, space.count_draws(how_many) // FEWER_DRAWS)):
        units = randomness.to_unit(randomness.draw_more_bits(root, number, places)).tolist()
        place = _choose_place(units[0], len(parents))
        candidate = _move(space, parents[place], min(1.0, distance * wider), units[1:])
        if candidate is None or (key := candidate_key(candidate)) in taken:
            wider *= WIDER if wider * distance < 1 else 1
            continue
        taken.add(key)
        found.append((place, candidate))
        wider = 1.0
        if len(found) == how_many:
            return found
    raise InvalidArgument(
        f"{{more}} is more than the space holds: {draws} draws found only {len(found)} new candidates around the best "
        f"of the {len(known)} there are; ask for fewer, or widen the space.",
        more=how_many,
    )


def _find_distance(space: Space, candidates: int) -> float:
    """Return how far so many candidates lie apart, as a share of every range."""
    dimensions = sum(each.size > 1 for each in space.parameters)
    return float(max(2, candidates) ** (-1 / max(1, dimensions)))


def _choose_place(unit: float, parents: int) -> int:
    """Return a place by chance: of three parents the first has 3 parts of 6, the second 2, the third 1."""
    left = unit * parents * (parents + 1) / 2
    for place in range(parents):
        left -= parents - place
        if left < 0:
            return place
    return parents - 1


def _move(space: Space, parent: Candidate, distance: float, units: Sequence[float]) -> Candidate | None:
    """Return a candidate near another, or None if it would be forbidden."""
    pairs = zip(units[::2], units[1::2], strict=True)
    return space.complete(
        {
            each.name: _move_value(each, parent.get(each.name), distance, stays, unit)
            for each, (stays, unit) in zip(space.parameters, pairs, strict=True)
        }
    )


def _move_value(parameter: Parameter, value: Value | None, distance: float, stays: float, unit: float) -> Value:
    """Return a value near another; one that the parent lacks, or that is none of the parameter's, is drawn anew."""
    place = None if value is None else parameter.locate(value)
    if value is None or place is None:
        return parameter.at(unit)
    if parameter.kind == "categorical":
        return parameter.at(unit) if stays < distance else value
    return parameter.at(_move_unit(place, DEVIATION * distance, unit))


def _move_unit(place: float, deviation: float, unit: float) -> float:
    """Return a number between 0 and 1, normal around ``place``, at that share of its distribution."""
    low, high = (_STANDARD.cdf((end - place) / deviation) for end in (0, 1))
    share = min(max(low + unit * (high - low), math.ulp(0)), LAST_UNIT)
    return min(max(place + deviation * _STANDARD.inv_cdf(share), 0.0), LAST_UNIT)
