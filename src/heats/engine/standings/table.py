"""All that was told → the standings: one row per arm, best first, with its strength and its chance to be the best."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import overload

import msgspec
import numpy as np

from heats.base.arrays import Array
from heats.base.frames import Frame, Library, make_frame
from heats.base.markup import make_html_table
from heats.base.randomness import Purpose, draw_bits
from heats.engine.evidence.told import Told
from heats.engine.feedback import Kind
from heats.engine.standings.assessment import Method, assess_arms
from heats.engine.standings.measures import take_measures
from heats.engine.standings.row import Standing, list_standings
from heats.engine.standings.words import say_chance, tabulate
from heats.engine.statistics import Statistic
from heats.errors import InvalidArgument

LEAST_RIVAL_CHANCE = 0.05  # to be stronger than the winner
MOST_RIVALS = 10  # named
DIGITS = 6  # to which all values are settled: what is beyond may differ from machine to machine
MOST_DIGITS = 16  # that a float has
FAR = 3  # orders of magnitude that values may be from zero, beside what they differ by, before they get more digits


class Standings(msgspec.Struct, frozen=True, dict=True):
    """All arms, best first; ``rivals`` are better than the winner (or the first) with a chance of 5 % or more.

    ``method``: strengths are ``"choices"`` (log-strengths of Plackett and Luce: e^strength to 1 are the odds against
    an average arm), ``"effects"`` (in units of reward, the luck that a pull's arms share taken out), ``"resampling"``
    (the run's statistic of all rewards of an arm), or ``"none"``: nothing was told that sets arms apart.

    They are a sequence of their rows: ``standings[0]`` is the first, ``for row in standings`` goes through all.
    """

    rows: tuple[Standing, ...]
    method: Method
    spread: float | None  # standard deviation among the strengths of arms, as the run shows it
    contextual: float | None  # chance that results depend on who is compared with whom; None: only one set was compared
    rivals: tuple[int, ...] | None  # the likeliest to be stronger first, at most ten; None: too few pulls to say
    n_rivals: int | None

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Standing: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Standing, ...]: ...

    def __getitem__(self, place: int | slice) -> Standing | tuple[Standing, ...]:
        return self.rows[place]

    def __iter__(self) -> Iterator[Standing]:
        return iter(self.rows)

    def __reversed__(self) -> Iterator[Standing]:
        return reversed(self.rows)

    def __contains__(self, row: object) -> bool:
        return row in self.rows

    def index(self, row: Standing, *between: int) -> int:
        """Return where a row is, from 0; ``between`` two places if they are given."""
        return self.rows.index(row, *between)

    def count(self, row: Standing) -> int:
        """Return how often there is such a row."""
        return self.rows.count(row)

    def to_json(self) -> str:
        """Return it as JSON; equal runs give equal bytes."""
        return msgspec.json.encode(self).decode()

    def of(self, arm: int) -> Standing:
        """Return the row of an arm."""
        for row in self.rows:
            if row.arm == arm:
                return row
        raise InvalidArgument(f"{{arm}} is not one of the {len(self.rows)} arms, which count from 0.", arm=arm)

    def find_next(self, winner: int) -> int:
        """Return who is first of all others, and of those that were compared if any was."""
        return min((row for row in self.rows if row.arm != winner), key=lambda row: (not row.pulls, row.place)).arm

    def to_frame(self, library: Library | None = None) -> Frame:
        """Return a row per arm, best first, as a frame of pandas or polars; see docs/results.md."""
        return make_frame(list_standings(self.rows), library)

    def remember(self, told: Sequence[Told]) -> None:
        """Keep what these standings were made of; it is lost in JSON."""
        self.__dict__["told"] = tuple(told)

    def recall(self) -> tuple[Told, ...] | None:
        """Return what these standings were made of; None if they were read from JSON."""
        return self.__dict__.get("told")

    def __repr__(self) -> str:
        first = self.rows[0]
        chance = "" if first.chance is None else f", with a chance of {say_chance(first.chance)}"
        return f"<Standings: {len(self.rows)} arms, arm {first.arm} first{chance}>"

    def _repr_html_(self) -> str:
        titles, rows = tabulate(self, [f"arm {arm}" for arm in range(len(self.rows))])
        return make_html_table(titles, rows, words=(1,))


Sequence.register(Standings)  # a base class of its own kind cannot be a base of a struct


def make_standings(
    told: Sequence[Told],
    kind: Kind | None,
    statistic: Statistic,
    left: Sequence[int | None],
    winner: int | None,
    root: np.uint64,
) -> Standings:
    """Return the standings of all arms, as many as ``left`` says the round they left in of."""
    n_arms = len(left)
    luck = np.argsort(np.argsort(draw_bits(root, Purpose.DEAL, 0, np.arange(n_arms))))
    known = assess_arms(told, kind, statistic, n_arms, winner, luck, draw_bits(root, Purpose.STRENGTHS))
    counted = take_measures(told, kind, statistic, n_arms)
    counts = [counted.wins, counted.mean_places, counted.mean_leads]
    lifted = [_lift(each, known.level) for each in (known.strengths, known.lows, known.highs)]
    columns = [None if each is None else _settle(each) for each in counts] + [*lifted, _settle(known.chances)]
    plain = [[None] * n_arms if column is None else _make_plain(column) for column in columns]
    rows = tuple(
        Standing(arm, place, left[arm], int(counted.pulls[arm]), *(column[arm] for column in plain))
        for place, arm in enumerate(known.order.tolist(), 1)
    )
    rivals = _find_rivals(known.better)
    return Standings(
        rows=rows,
        method=known.method,
        spread=None if known.spread is None else settle_value(known.spread),
        contextual=None if known.contextual is None else settle_value(known.contextual),
        rivals=None if rivals is None else tuple(rivals[:MOST_RIVALS]),
        n_rivals=None if rivals is None else len(rivals),
    )


def settle_value(value: float, digits: int = DIGITS) -> float:
    """Round to the digits that the standings show."""
    return float(f"{value:.{digits}g}") + 0.0  # no negative zero


def _find_rivals(better: Array) -> list[int] | None:
    """Return the arms that may be stronger, the likeliest first; None where nothing is known of any."""
    if np.isnan(better).all():
        return None
    rivals = np.flatnonzero(better >= LEAST_RIVAL_CHANCE)
    found: list[int] = rivals[np.argsort(-better[rivals], kind="stable")].tolist()
    return found


def _lift(values: Array, level: float) -> Array:
    """Return values and their level together, settled; far from zero with more digits, which they differ by."""
    apart = np.nanmax(np.abs(values), initial=0.0)
    more = math.log10(abs(level) / apart) - FAR if level and apart else 0.0
    return _settle(values + level, DIGITS + math.ceil(np.clip(more, 0, MOST_DIGITS - DIGITS)))


def _settle(values: Array, digits: int = DIGITS) -> Array:
    """Round to so many digits that count."""
    return np.array([settle_value(value, digits) for value in values.tolist()])


def _make_plain(values: Array) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]
