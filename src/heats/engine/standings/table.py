"""All that was told → the standings: one row per arm, best first, with its strength and its chance to be the best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

import msgspec
import numpy as np

from heats.base.arrays import Array, Indices, Words
from heats.base.frames import Frame, Library, make_frame
from heats.base.markup import make_html_table
from heats.base.randomness import Purpose, draw_bits
from heats.engine.evidence import Told
from heats.engine.feedback import Kind
from heats.engine.standings.choices import find_choices
from heats.engine.standings.effects import find_effects
from heats.engine.standings.posterior import ChoiceModel, EffectModel, Model, explore
from heats.engine.standings.resampling import resample
from heats.engine.standings.row import Standing, list_standings
from heats.engine.standings.words import say_chance, tabulate
from heats.engine.statistics import Statistic, win_rate, winner_shares

CONFIDENCE = 0.95
LEAST_RIVAL_CHANCE = 0.05  # to be stronger than the winner
MOST_RIVALS = 10  # named
DIGITS = 6  # to which all values are settled: what is beyond may differ from machine to machine

Method: TypeAlias = Literal["choices", "effects", "resampling", "none"]


class Standings(msgspec.Struct, frozen=True, dict=True):
    """All arms, best first; ``rivals`` are stronger than the winner (or the first) with a chance of 5 % or more.

    ``method``: strengths are ``"choices"`` (log-strengths of Plackett and Luce: e^strength to 1 are the odds against
    an average arm), ``"effects"`` (in units of reward, the luck that a pull's arms share taken out), ``"resampling"``
    (the run's statistic of all rewards of an arm), or ``"none"``: nothing was told that sets arms apart.
    """

    rows: tuple[Standing, ...]
    method: Method
    spread: float | None  # standard deviation among the strengths of arms, as the run shows it
    approximate: bool  # there were too many arms to draw them all together
    rivals: tuple[int, ...]  # the likeliest to be stronger first, at most ten
    n_rivals: int

    def to_json(self) -> str:
        """Return it as JSON; equal runs give equal bytes."""
        return msgspec.json.encode(self).decode()

    def of(self, arm: int) -> Standing:
        """Return the row of an arm."""
        return next(row for row in self.rows if row.arm == arm)

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


class HeadToHead(msgspec.Struct, frozen=True):
    """How two arms did in the pulls that both were in, over all rounds; the rest of ``met`` were ties."""

    arm: int
    other: int
    met: int
    won: int
    lost: int


class _Strengths(NamedTuple):
    """What is known of all arms; NaN where it is not."""

    method: Method
    strengths: Array
    lows: Array
    highs: Array
    chances: Array
    stronger: Array  # chance to be stronger than the arm of reference
    spread: float | None = None
    approximate: bool = False


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
    known = _find_strengths(told, kind, statistic, n_arms, winner, draw_bits(root, Purpose.STRENGTHS))
    strengths, chances = _settle(known.strengths), _settle(known.chances)
    order = np.lexsort((draw_bits(root, Purpose.DEAL, 0, np.arange(n_arms)), *_last(chances), *_last(strengths)))
    measures = _measure(told, kind, statistic, n_arms)
    columns = [_plain(each) for each in (*measures[1:], strengths, _settle(known.lows), _settle(known.highs), chances)]
    rows = tuple(
        Standing(arm, place, left[arm], int(measures[0][arm]), *(column[arm] for column in columns))
        for place, arm in enumerate(order.tolist(), 1)
    )
    rivals = np.flatnonzero(known.stronger >= LEAST_RIVAL_CHANCE)
    rivals = rivals[np.lexsort((rivals, -known.stronger[rivals]))]
    return Standings(
        rows=rows,
        method=known.method,
        spread=None if known.spread is None else _settle_one(known.spread),
        approximate=known.approximate,
        rivals=tuple(rivals[:MOST_RIVALS].tolist()),
        n_rivals=int(rivals.size),
    )


def count_meetings(told: Sequence[Told], arm: int, other: int) -> HeadToHead:
    """Count how two arms did against each other."""
    met = won = lost = 0
    for each in told:
        both = (each.arms == arm).any(axis=1) & (each.arms == other).any(axis=1)
        arms, observed = each.arms[both], each.observations[both]
        ours, theirs = observed[arms == arm], observed[arms == other]
        met += int(both.sum())
        won += int((ours > theirs).sum())
        lost += int((ours < theirs).sum())
    return HeadToHead(arm, other, met, won, lost)


def _find_strengths(
    told: Sequence[Told], kind: Kind | None, statistic: Statistic, n_arms: int, winner: int | None, seed: Words
) -> _Strengths:
    model: Model | None = None
    method: Method = "none"
    if kind is not None and (kind is not Kind.REWARDS or statistic is win_rate):
        choices = find_choices(kind, told, n_arms)
        model, method = (None, "none") if choices is None else (ChoiceModel(choices), "choices")
    elif kind is not None and statistic.per_pull is not None:
        effects = find_effects(told, statistic.per_pull, n_arms)
        model, method = (None, "none") if effects is None else (EffectModel(effects), "effects")
    elif kind is not None:
        return _resample_strengths(told, statistic, n_arms, winner, seed)
    if model is None:
        return _all_alike(n_arms, winner)
    return _draw_strengths(model, method, n_arms, winner, seed)


def _all_alike(n_arms: int, winner: int | None) -> _Strengths:
    unknown, stronger = np.full(n_arms, np.nan), np.full(n_arms, 0.5)
    if winner is not None:
        stronger[winner] = 0
    return _Strengths("none", np.zeros(n_arms), unknown, unknown, np.full(n_arms, 1 / n_arms), stronger)


def _draw_strengths(model: Model, method: Method, n_arms: int, winner: int | None, seed: Words) -> _Strengths:
    """Return what draws of the posterior say; arms of which the same is known get the mean of what they are given."""
    found = explore(model, n_arms, seed, winner)
    middle = found.strengths.mean()
    draws = found.draws - (middle if found.approximate else found.draws.mean(axis=0))
    strengths = found.strengths - middle
    strengths[found.drawn] = draws.mean(axis=1)
    lows, highs = (found.strengths - middle + z * found.deviations for z in (-1.959964, 1.959964))
    tail = (1 - CONFIDENCE) / 2
    lows[found.drawn], highs[found.drawn] = np.quantile(draws, [tail, 1 - tail], axis=1)
    chances, stronger = np.zeros(n_arms), np.zeros(n_arms)
    chances[found.drawn] = np.bincount(draws.argmax(axis=0), minlength=len(draws)) / draws.shape[1]
    reference = int(strengths.argmax()) if winner is None else winner
    champion = draws[found.drawn == reference]
    stronger[found.drawn] = (draws > champion).mean(axis=1)
    alike = np.unique(np.round([found.strengths, found.deviations], 9), axis=1, return_inverse=True)[1].reshape(-1)
    strengths, lows, highs, chances = (
        (np.bincount(alike, weights=each) / np.bincount(alike))[alike] for each in (strengths, lows, highs, chances)
    )
    return _Strengths(method, strengths, lows, highs, chances, stronger, found.spread, found.approximate)


def _resample_strengths(
    told: Sequence[Told], statistic: Statistic, n_arms: int, winner: int | None, seed: Words
) -> _Strengths:
    found = resample(told, statistic, n_arms, seed)
    strengths, lows, highs, chances, stronger = (np.full(n_arms, np.nan) for _ in range(5))
    if found is not None:
        best = found.draws == found.draws.max(axis=0)
        strengths[found.arms] = found.values
        tail = (1 - CONFIDENCE) / 2
        lows[found.arms], highs[found.arms] = np.quantile(found.draws, [tail, 1 - tail], axis=1)
        chances[found.arms] = (best / best.sum(axis=0)).mean(axis=1)
        reference = int(found.arms[found.values.argmax()]) if winner is None else winner
        if reference in found.arms:
            champion = found.draws[found.arms == reference]
            stronger[found.arms] = (found.draws > champion).mean(axis=1)
    return _Strengths("resampling", strengths, lows, highs, chances, stronger)


def _measure(
    told: Sequence[Told], kind: Kind | None, statistic: Statistic, n_arms: int
) -> tuple[Indices, Array, Array, Array]:
    """Return pulls, wins, mean places and mean leads; NaN for what does not suit the feedback, or was never seen."""
    pulls, total = np.zeros(n_arms, dtype=np.int64), np.zeros(n_arms)
    wins = kind in (Kind.WINNER, Kind.RACE) or statistic is win_rate
    overall = np.mean(np.concatenate([each.observations.ravel() for each in told])) if told else 0.0
    for each in told:
        size = each.arms.shape[1]
        if wins:
            values = winner_shares(each.observations) if kind is Kind.REWARDS else each.observations
        elif kind is Kind.REWARDS:
            luck = each.observations.mean(axis=1, keepdims=True) if size > 1 else overall
            values = each.observations - luck
        else:
            values = size - each.observations * (size - 1)
        pulls += np.bincount(each.arms.ravel(), minlength=n_arms)
        total += np.bincount(each.arms.ravel(), weights=values.ravel(), minlength=n_arms)
    unknown = np.full(n_arms, np.nan)
    if wins or kind is None:
        return pulls, _settle(total), unknown, unknown
    average = _settle(np.divide(total, pulls, out=unknown.copy(), where=pulls > 0))
    return (pulls, unknown, unknown, average) if kind is Kind.REWARDS else (pulls, unknown, average, unknown)


def _settle(values: Array) -> Array:
    """Round to six digits that count."""
    return np.array([_settle_one(value) for value in values.tolist()])


def _settle_one(value: float) -> float:
    return float(f"{value:.{DIGITS}g}") + 0.0  # no negative zero


def _last(values: Array) -> tuple[Array]:
    """Return what sorts the largest first and the unknown last."""
    return (np.where(np.isnan(values), np.inf, -values),)


def _plain(values: Array) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]
