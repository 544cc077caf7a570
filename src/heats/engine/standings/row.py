"""Where one arm stands; and all of them as the columns of a table."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from heats.base.frames import Column


class Standing(msgspec.Struct, frozen=True):
    """Where an arm stands. Of wins, mean place and mean lead there is the one that suits the feedback."""

    arm: int
    place: int  # 1 is the best
    left: int | None  # the round it left in, from 1; None: it never did
    pulls: int  # with a verdict, that it was in
    wins: float | None  # pulls won, shared ones by their share
    mean_place: float | None  # in its pulls
    mean_lead: float | None  # over the mean of its pulls
    strength: float | None  # 0 is the mean of all arms; None: too few pulls to say
    low: float | None  # of a 95 % interval
    high: float | None
    chance: float | None  # to be the best


MEASURES = ("wins", "mean_place", "mean_lead")


def list_standings(rows: Sequence[Standing], names: Sequence[str] | None = None) -> list[Column]:
    """Return a row per arm, as the standings have them; measures that no arm has are left out."""
    named = [] if names is None else [Column("name", str, [names[row.arm] for row in rows])]
    measures = [each for each in MEASURES if any(getattr(row, each) is not None for row in rows)]
    return [
        *(_column(rows, title, int) for title in ("place", "arm")),
        *named,
        *(_column(rows, title, float) for title in ("chance", "strength", "low", "high")),
        _column(rows, "pulls", int),
        *(_column(rows, title, float) for title in measures),
        _column(rows, "left", int),
    ]


def _column(rows: Sequence[Standing], title: str, kind: type[int] | type[float]) -> Column:
    return Column(title, kind, [getattr(row, title) for row in rows])
