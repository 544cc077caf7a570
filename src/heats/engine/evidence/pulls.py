"""All that was told → a table of all pulls: a row for every pull and arm, in the order of the ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from heats.base.arrays import AnyArray
from heats.base.frames import Column
from heats.engine.evidence.told import Told


class Answer(NamedTuple):
    """Who answered a pull, and after how many seconds, as far as it was written down."""

    by: str | None = None
    seconds: float | None = None


UNKNOWN = Answer()


def list_pulls(told: Sequence[Told], names: Sequence[str], answers: Mapping[int, Answer] | None = None) -> list[Column]:
    """Return the columns; rounds and heats count from 0, as in a Query, and arms stand as they were shown.

    The observation of an arm in a pull without a verdict is not known, nor are ``answers`` where no journal was kept.
    """
    pulls = _join(told, [np.repeat(each.pulls, each.arms.shape[1]) for each in told], np.int64)
    order = np.argsort(pulls, kind="stable")
    pulls = pulls[order]
    rounds = _join(told, [np.full(each.arms.size, each.round) for each in told], np.int64)[order]
    heats = _join(told, [np.repeat(each.heats, each.arms.shape[1]) for each in told], np.int64)[order]
    arms = _join(told, [each.arms.ravel() for each in told], np.int64)[order]
    observations = _join(told, [each.observations.ravel() for each in told], np.float64)[order]
    said = [UNKNOWN] * pulls.size if not answers else [answers.get(pull, UNKNOWN) for pull in pulls.tolist()]
    return [
        Column("round", int, rounds),
        Column("heat", int, heats),
        Column("pull", int, pulls),
        Column("arm", int, arms),
        Column("name", str, [names[arm] for arm in arms.tolist()]),
        Column("observation", float, observations),
        Column("by", str, [each.by for each in said]),
        Column("seconds", float, [each.seconds for each in said]),
    ]


def _join(told: Sequence[Told], parts: Sequence[AnyArray], kind: type) -> AnyArray:
    return np.concatenate(parts) if told else np.empty(0, dtype=kind)
