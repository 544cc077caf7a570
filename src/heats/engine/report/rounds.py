"""What rounds and batches came to, one by one: as data, and as rows of a table."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from heats.base.arrays import Indices
from heats.base.text import set_off
from heats.engine.evidence.told import Told

ROUND_TITLES = ("round", "arms", "pulls each", "stay")
BATCH_TITLES = ("batch", "pulls", "candidates", "most often")


class RoundReport(msgspec.Struct, frozen=True):
    """One finished round: heats with their arms best first, their scores (None if nobody looked), who rested."""

    heats: tuple[tuple[int, ...], ...]
    scores: tuple[tuple[float, ...], ...] | None
    keep: int
    pulls: int
    byes: tuple[int, ...] = ()
    survivors: tuple[int, ...] = ()  # the arms of the next round, in increasing order; follows from the rest
    counted: tuple[int, ...] | None = None  # pulls of every heat, where heats may end early; None: all of them

    def pulls_of(self, heat: int) -> int:
        """Return how many pulls of a heat count."""
        return self.pulls if self.counted is None else self.counted[heat]

    def __post_init__(self) -> None:
        kept = [arm for heat in self.heats for arm in heat[: self.keep]]
        msgspec.structs.force_setattr(self, "survivors", tuple(sorted([*kept, *self.byes])))


class BatchReport(msgspec.Struct, frozen=True):
    """One finished batch of adaptive play: how many pulls it had, of how many arms, and which arm was in most."""

    pulls: int
    arms: int
    most: int | None  # None: several were in equally many
    most_pulls: int


def report_batches(told: Sequence[Told]) -> tuple[BatchReport, ...]:
    """Return what the batches that pulls are of came to; pulls without a verdict belong to them as well."""
    batches: dict[int, list[Indices]] = {}
    for each in told:
        batches.setdefault(each.round, []).append(each.arms)
    return tuple(_report_batch(np.concatenate(batches[number])) for number in sorted(batches))


def _report_batch(heats: Indices) -> BatchReport:
    arms, counts = np.unique(heats, return_counts=True)
    most = int(counts.max())
    alone = np.flatnonzero(counts == most)
    return BatchReport(len(heats), len(arms), int(arms[alone[0]]) if alone.size == 1 else None, most)


def list_rounds(rounds: Sequence[RoundReport]) -> list[tuple[object, ...]]:
    """Return a row per round: its number, how many arms it had, pulls of each heat, and how many arms stay."""
    return [_row(number, each) for number, each in enumerate(rounds, 1)]


def _row(number: int, each: RoundReport) -> tuple[object, ...]:
    arms = sum(map(len, each.heats)) + len(each.byes)
    return number, arms, each.pulls if each.counted is None else say_pulls(each), len(each.survivors)


def say_pulls(each: RoundReport) -> str:
    """Say how many pulls the heats of a round took: one number, or from which to which where some ended early."""
    fewest, most = (each.pulls, each.pulls) if each.counted is None else (min(each.counted), max(each.counted))
    return f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"


def list_batches(batches: Sequence[BatchReport], names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return a row per batch: its number, its pulls, how many candidates were in them, and which one most often."""
    return [
        (
            f"{number:,}",
            f"{each.pulls:,}",
            f"{each.arms:,}",
            _say_most(each, names),
        )
        for number, each in enumerate(batches, 1)
    ]


def _say_most(batch: BatchReport, names: Sequence[str]) -> str:
    if batch.most is None:
        return f"several, in {batch.most_pulls:,} each"
    return f"{set_off(names[batch.most])}, in {batch.most_pulls:,}"
