"""Pulls as they are handed out, and what they said, read back: both follow from a run's seed and the pulls' ids.

Every pull shows the arms of its heat in an order of its own, since people and judges favour what comes first. What was
said is kept as it was shown, and brought into the order of dealing where a game hears it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress, repeat

import msgspec
import numpy as np

from heats.base.arrays import Array, Indices, Order
from heats.base.checks import whole
from heats.base.randomness import Purpose, draw_bits, draw_more_bits, sort_order
from heats.engine.feedback import Arms, Kind, share_by_times
from heats.engine.game import Said
from heats.engine.machine.stages import Opened
from heats.errors import OutOfTurn

CHUNK_PULLS = 65_536  # are brought into dealt order at a time


class Query(msgspec.Struct, frozen=True, gc=False):
    """One pull that is owed: compare ``arms``; ``seed``, fixed by the run's seed and the id, is for randomness."""

    id: int
    round: int
    heat: int
    arms: Arms
    seed: int


class Queries:
    """The queries of a run, which ``root``, its folded seed, decides; pulls are counted from 0 within a stage."""

    def __init__(self, root: np.uint64) -> None:
        self._seeds, self._orders = (draw_bits(root, purpose) for purpose in (Purpose.QUERY, Purpose.PRESENT))

    def make(self, opened: Opened, pulls: Indices) -> Iterator[Query]:
        """Return the queries of pulls of a stage."""
        heats, arms = self.show(opened, pulls)
        ids = pulls + opened.first
        seeds = draw_more_bits(self._seeds, ids) >> np.uint64(1)  # fits a signed 64-bit integer
        return map(Query, ids.tolist(), repeat(opened.round), heats.tolist(), map(tuple, arms.tolist()), seeds.tolist())

    def show(self, opened: Opened, pulls: Indices) -> tuple[Indices, Indices]:
        """Return the heat of each pull of a stage, and its arms ``(pulls, size)`` as they are shown."""
        heats = opened.stage.heat_of(pulls)
        return heats, np.take_along_axis(opened.stage.heats[0, heats], self._shuffle(opened, pulls), axis=-1)

    def restore(self, opened: Opened, pulls: Indices, shown: Indices) -> Indices:
        """Return the heats of pulls, arms as dealt, that are shown so."""
        heats = np.empty_like(shown)
        np.put_along_axis(heats, self._shuffle(opened, pulls), shown, axis=-1)
        return heats

    def observe(self, kind: Kind | None, opened: Opened, pulls: Indices, said: Array) -> Array:
        """Return what pulls of a stage observed, arms as dealt; ``said`` has them as shown, of races their times."""
        observations = np.empty(said.shape)
        for start in range(0, pulls.size, CHUNK_PULLS):
            part = slice(start, start + CHUNK_PULLS)
            shown = share_by_times(said[part]) if kind is Kind.RACE else said[part]
            np.put_along_axis(observations[part], self._shuffle(opened, pulls[part]), shown, axis=-1)
        return observations

    def arrange(self, kind: Kind | None, opened: Opened, pulls: Indices, said: Array) -> Said:
        """Return what those pulls of a stage that had a verdict said, heat by heat."""
        observations = self.observe(kind, opened, pulls, said)
        if pulls.size == opened.total:
            return opened.stage.by_heat(observations, None)
        heard = np.zeros(opened.total, dtype=bool)
        heard[pulls] = True
        everything = np.zeros((opened.total, opened.size))
        everything[pulls] = observations
        return opened.stage.by_heat(everything, heard)

    def _shuffle(self, opened: Opened, pulls: Indices) -> Order:
        """Return in which order each pull shows the arms of its heat."""
        return sort_order(draw_more_bits(self._orders, (pulls + opened.first)[:, None], np.arange(opened.size)))


def read_rows(kind: Kind | None, opened: Opened, rows: Sequence[bytes | None]) -> tuple[Indices, Array]:
    """Return the pulls of a stage that said something so far, and what, arms as shown; of a race, its times."""
    pulls = np.array(list(compress(range(len(rows)), rows)), dtype=np.int64)
    said = np.frombuffer(b"".join(filter(None, rows)))
    if kind is Kind.RACE:
        return pulls, said.reshape(-1, 2, opened.size)[:, 1].copy()
    return pulls, said.reshape(-1, opened.size)


def check_known(query: Query) -> None:
    """Refuse a pull of which nobody knows any more what it compared."""
    if not query.arms:
        raise OutOfTurn(
            f"pull {query.id} was dealt by an earlier rule and is not owed any more; which arms it compared is "
            "forgotten. Tell it by the Query that was handed out, and a journal notes the answer as late."
        )


def number_of(query: Query | int | None) -> int:
    """Return the id of a pull, which may be given by its query; or refuse what is neither."""
    if query is None:
        raise OutOfTurn("ask() returned None: all pulls that are owed are out; tell or requeue one of them first.")
    return query.id if isinstance(query, Query) else whole("query", query, 0)
