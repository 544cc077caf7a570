"""Pulls of a heat → one score per arm, larger is better (the paper's statistic s).

A statistic is a pure function from observations ``(..., pulls, size)`` to scores ``(..., size)``,
so one tournament and ten thousand at once use the same code. Any function of that form will do;
the ones here also carry their name and parameters, so that a run can be written down and repeated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from heats.base.arrays import Array
from heats.base.checks import between, one_of
from heats.base.text import end_sentence
from heats.errors import InvalidArgument, show_value

LARGEST_WEIGHT = 1e100  # of a place: sums of larger ones may overflow
LARGEST_RESULT = 1e300  # of a function of a reward: means of larger ones may overflow

Weights: TypeAlias = Sequence[float] | Callable[[int], Sequence[float]]


class Statistic:
    """A named statistic.

    ``per_pull``: the scores are the mean over pulls of this function of the observations, where that is so.
    ``equivariant``: a number added to all observations is added to all scores.
    ``needs``: what observations must be like, where the statistic is NaN otherwise; refused when told.
    ``check_size``: raises if heats of that many arms cannot be scored.
    ``made_by``: a function and its arguments that make it again.
    """

    def __init__(
        self,
        name: str,
        score: Callable[[Array], Array],
        *,
        doc: str | None = None,
        parameters: dict[str, Any] | None = None,
        per_pull: Callable[[Array], Array] | None = None,
        equivariant: bool = False,
        needs: str = "",
        check_size: Callable[[int], object] = lambda size: None,
        made_by: tuple[Callable[..., Statistic], tuple[Any, ...]] | None = None,
    ) -> None:
        self.name = name
        self.__doc__ = doc
        self.parameters = parameters or {}
        self.per_pull = per_pull
        self.equivariant = equivariant
        self.needs = needs
        self.check_size = check_size
        self._score = score
        self._made_by = made_by

    @property
    def ours(self) -> bool:
        """Whether its name and parameters say all about it, unless a parameter is a function."""
        return self._made_by is not None

    def __reduce__(self) -> tuple[Callable[..., Statistic], tuple[Any, ...]]:
        """Travel to another process as what made it: functions inside cannot."""
        return self._made_by or (Statistic, (self.name, self._score))

    def __call__(self, observations: Array) -> Array:
        """Return the scores of heats."""
        return self._score(np.asarray(observations, dtype=np.float64))

    def __repr__(self) -> str:
        if not self.parameters:
            return self.name
        return f"{self.name}({', '.join(f'{key}={value!r}' for key, value in self.parameters.items())})"


StatisticLike: TypeAlias = Statistic | Callable[[Array], Array]


def _average(name: str, per_pull: Callable[[Array], Array], **about: Any) -> Statistic:
    return Statistic(name, lambda o: np.mean(per_pull(o), axis=-2), per_pull=per_pull, **about)


def _get_known(name: str) -> Statistic:
    """Return the one mean, median or win_rate there is."""
    statistic: Statistic = globals()[name]
    return statistic


def winner_shares(observations: Array) -> Array:
    """Return 1 for the largest observation of every pull, shared by those that tie."""
    top = observations == observations.max(axis=-1, keepdims=True)
    shares: Array = top / top.sum(axis=-1, keepdims=True)
    return shares


mean = _average(
    "mean",
    lambda observations: observations,
    equivariant=True,
    made_by=(_get_known, ("mean",)),
    doc="Arithmetic mean of an arm's observations, s(O) = Σ x / |O| (Section 2); of winner bits, the win rate.",
)

median = Statistic(
    "median",
    lambda observations: np.median(observations, axis=-2),
    equivariant=True,
    made_by=(_get_known, ("median",)),
    doc="Median of an arm's observations, the mean of the two middle ones if even (Appendix G).",
)


def share_of_wins(observations: Array) -> Array:
    """Return the mean of ``winner_shares`` over the pulls, without building them where nobody ties."""
    pulls = observations.shape[-2]
    top = observations == observations.max(axis=-1, keepdims=True)
    if np.count_nonzero(top) > top[..., 0].size:
        shares: Array = winner_shares(observations).mean(axis=-2)
        return shares
    wins: Array = np.zeros(top[..., 0, :].shape)
    for start in range(0, pulls, 255):  # counted in bytes, which is fastest
        wins += top[..., start : start + 255, :].view(np.uint8).sum(axis=-2, dtype=np.uint8)
    rates: Array = wins / pulls
    return rates


win_rate = Statistic(
    "win_rate",
    share_of_wins,
    per_pull=winner_shares,
    made_by=(_get_known, ("win_rate",)),
    doc="""Share of the pulls in which the arm had the largest observation of its heat.

    The paper's preference statistic, 1/t Σ 1{o_i = max o} (Appendix G), which turns numbers into preferences.
    Arms that tie in a pull share the win, where the paper's indicator would give each a whole one.
    """,
)


def power_mean(q: float) -> Statistic:
    """Return (1/t Σ x^q)^(1/q), between the mean (q = 1) and the maximum (q → ∞) (Appendix G, with q = 2).

    An even q takes negative rewards by their magnitude, as the paper's definition does; an odd q
    takes the real root with its sign; a q that is not a whole number refuses negative rewards.
    """
    number = between("q", q, 0, 1e6, open_low=True, why="q=1 is the mean, q=2 the paper's choice")
    q = q if isinstance(q, (int, float)) else number
    odd = q % 2 == 1

    def score(observations: Array) -> Array:
        largest = np.abs(observations).max(axis=-2, keepdims=True)  # taken out, so that no power overflows
        scale = np.where(largest == 0, 1.0, largest)
        ratio = observations / scale
        with np.errstate(invalid="ignore"):  # a negative number has no such power: NaN, refused when told
            powers = np.sign(ratio) * np.abs(ratio) ** q if odd else ratio**q
        average = powers.mean(axis=-2)
        scores: Array = np.sign(average) * np.abs(average) ** (1 / q) * scale[..., 0, :]
        return scores

    needs = "" if q % 1 == 0 else "non-negative rewards"
    return Statistic("power_mean", score, parameters={"q": q}, needs=needs, made_by=(power_mean, (q,)))


QUANTILE_METHODS = ("linear", "lower", "higher", "midpoint", "inverted_cdf")


def quantile(p: float, method: str = "linear") -> Statistic:
    """Return the p-quantile of an arm's observations (Section 2).

    ``method`` says what lies between two observations, in NumPy's words: ``"linear"`` interpolates,
    ``"lower"``, ``"higher"`` and ``"midpoint"`` do as they say, ``"inverted_cdf"`` is the smallest
    observation that at least a share p do not exceed (the quantile of the empirical distribution).
    """
    share = between("p", p, 0, 1)
    one_of("method", method, QUANTILE_METHODS)
    return Statistic(
        "quantile",
        lambda o: np.quantile(o, share, axis=-2, method=method),  # type: ignore[call-overload]  # checked above
        parameters={"p": share, "method": method},
        equivariant=True,
        made_by=(quantile, (share, method)),
    )


def expected_shortfall(alpha: float) -> Statistic:
    """Return the mean of the worst share ``alpha`` of an arm's observations (Section 2).

    Where alpha·t is not a whole number, the observation at the boundary counts with the fraction that is left.
    """
    share = between("alpha", alpha, 0, 1, open_low=True)

    def score(observations: Array) -> Array:
        pulls = observations.shape[-2]
        count = max(share * pulls, 1.0)
        weights = np.clip(count - np.arange(pulls), 0.0, 1.0)  # 1 … 1, the fraction, 0 … 0
        worst: Array = (np.sort(observations, axis=-2) * weights[:, None]).sum(axis=-2) / count
        return worst

    made_by = (expected_shortfall, (share,))
    return Statistic("expected_shortfall", score, parameters={"alpha": share}, equivariant=True, made_by=made_by)


def linear(r: Callable[[Any], Any]) -> Statistic:
    """Return the mean of r(x): a linear functional ∫ r dF of the empirical distribution (Section 5).

    ``r`` may take whole arrays (fast) or single numbers. Rewards where it is not finite,
    or so large that a mean may overflow, are refused when told.
    """
    if not callable(r):
        raise InvalidArgument("{r} must be a function of one number, such as math.sqrt.", r=r)
    name = str(getattr(r, "__qualname__", None) or show_value(r))
    needs = f"rewards where {name} is finite, and within ±{LARGEST_RESULT:g}"
    return _average("linear", _bound(_elementwise(r)), parameters={"r": name}, needs=needs, made_by=(linear, (r,)))


def _bound(r: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Return NaN where a function is so large that its mean may overflow."""

    def apply(observations: Array) -> Array:
        values = r(observations)
        return np.where(np.abs(values) <= LARGEST_RESULT, values, math.nan)

    return apply


def _elementwise(r: Callable[[Any], Any]) -> Callable[[Array], Array]:
    def apply(observations: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.asarray(r(observations), dtype=np.float64)

    probe = np.array([[0.25, 0.5, 0.75]])
    try:
        if apply(probe).shape == probe.shape:
            return apply
    except Exception:  # whatever it says to an array: it is made for single numbers
        pass

    def one(value: float) -> float:
        try:
            return float(r(value))
        except (ArithmeticError, ValueError, TypeError):
            return math.nan

    return lambda o: np.array([one(value) for value in o.ravel().tolist()]).reshape(o.shape)


def positional(weights: Weights) -> Statistic:
    """Return the mean weight of the places an arm took: a positional scoring rule (Section 2, ranking feedback).

    ``weights`` is a function of the heat's size, or a sequence of which a heat of m arms uses the first m;
    they must not increase from the first place to the last. Arms that share places share their weights.
    """
    listed = None if callable(weights) else _as_weights(weights)

    def of(size: int) -> Array:
        return _checked_weights(_ask_weights(weights, size) if callable(weights) else listed, size)

    def per_pull(observations: Array) -> Array:
        size = observations.shape[-1]
        each = of(size)
        total = np.concatenate([[0.0], np.cumsum(each)])  # total[m]: weight of the first m places
        order = np.argsort(-observations, axis=-1, kind="stable")
        ranked = np.take_along_axis(observations, order, axis=-1)
        place = np.arange(size)
        differs = ranked[..., 1:] != ranked[..., :-1]
        edge = np.ones((*differs.shape[:-1], 1), dtype=bool)
        first = np.maximum.accumulate(np.where(np.concatenate([edge, differs], axis=-1), place, 0), axis=-1)
        ends = np.where(np.concatenate([differs, edge], axis=-1), place, size)
        last = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]
        mean_weight = (total[last + 1] - total[first]) / (last + 1 - first)
        shared = np.where(first == last, each[first], mean_weight)  # alone, without the rounding of sums
        result = np.empty_like(observations)
        np.put_along_axis(result, order, shared, axis=-1)
        return result

    shown = getattr(weights, "__qualname__", "custom") if listed is None else listed
    made_by = (positional, (weights if listed is None else listed,))
    return _average("positional", per_pull, parameters={"weights": shown}, check_size=of, made_by=made_by)


def _ask_weights(weights: Callable[[int], Sequence[float]], size: int) -> list[float]:
    try:
        return _as_weights(weights(size))
    except InvalidArgument:
        raise
    except Exception as error:  # whatever the user's function raises
        raise InvalidArgument(f"positional weights failed for a heat of {size} arms: {end_sentence(error)}") from error


def _as_weights(weights: Any) -> list[float]:
    try:
        return [float(weight) for weight in weights]
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgument(
            f"positional weights {show_value(weights)} must be numbers, one per place, the best place first."
        ) from None


def _checked_weights(weights: Any, size: int) -> Array:
    if len(weights) < size:
        raise InvalidArgument(
            f"positional weights {show_value(weights)} do not cover a heat of {size} arms; give one per place."
        )
    array = np.array(weights[:size])
    if not (np.abs(array) <= LARGEST_WEIGHT).all() or (np.diff(array) > 0).any():
        raise InvalidArgument(
            f"positional weights {show_value(weights)} must be finite, within ±{LARGEST_WEIGHT:g}, and not increase: "
            "the first place is the best."
        )
    return array


FACTORIES: tuple[Any, ...] = (power_mean, quantile, expected_shortfall, linear, positional)


def make_statistic(name: str, parameters: dict[str, Any]) -> Statistic | None:
    """Return one of our statistics by name and parameters, as written down; None if it holds a user's function."""
    if name in ("mean", "median", "win_rate"):
        return _get_known(name)
    factory = {each.__name__: each for each in FACTORIES}.get(name)
    if factory is None or name == "linear" or isinstance(parameters.get("weights"), str):
        return None
    made: Statistic = factory(**parameters)
    return made
