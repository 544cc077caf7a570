"""Pulls of a heat → one score per arm, larger is better (the paper's statistic s).

A statistic is a pure function from observations ``(..., pulls, size)`` to scores ``(..., size)``,
so one tournament and ten thousand at once use the same code. Any function of that form will do;
the ones here also carry their name and parameters, so that a run can be written down and repeated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from heats.base.arrays import Array
from heats.base.checks import between, is_bool
from heats.engine.feedback import Kind
from heats.errors import BadFeedback, InvalidArgument

Weights: TypeAlias = Sequence[float] | Callable[[int], Sequence[float]]


class Statistic:
    """A named statistic.

    ``per_pull``: the scores are the mean over pulls of this function of the observations, where that is so.
    ``needs``: what observations must be like, where the statistic is NaN otherwise; refused when told.
    ``check_size``: raises if heats of so many arms cannot be scored.
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
        needs: str = "",
        check_size: Callable[[int], object] = lambda size: None,
        made_by: tuple[Callable[..., Statistic], tuple[Any, ...]] | None = None,
    ) -> None:
        self.name = name
        self.__doc__ = doc
        self.parameters = parameters or {}
        self.per_pull = per_pull
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


def _known(name: str) -> Statistic:
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
    made_by=(_known, ("mean",)),
    doc="Arithmetic mean of an arm's observations, s(O) = Σ x / |O| (Section 2); of winner bits, the win rate.",
)

median = Statistic(
    "median",
    lambda observations: np.median(observations, axis=-2),
    made_by=(_known, ("median",)),
    doc="Median of an arm's observations, the mean of the two middle ones if even (Appendix G).",
)

win_rate = _average(
    "win_rate",
    winner_shares,
    made_by=(_known, ("win_rate",)),
    doc="""Share of the pulls in which the arm had the largest observation of its heat.

    The paper's preference statistic, 1/t Σ 1{o_i = max o} (Appendix G), which turns numbers into preferences.
    Arms that tie in a pull share the win, where the paper's indicator would give each a whole one.
    """,
)


def power_mean(q: float) -> Statistic:
    """Return (1/t Σ x^q)^(1/q), between the mean (q = 1) and the maximum (q → ∞) (Appendix G, with q = 2).

    An even q takes negative rewards by their magnitude, as the paper's definition does; an odd q
    takes the real root with its sign; a q that is no whole number refuses negative rewards.
    """
    if is_bool(q) or not isinstance(q, (int, float, np.number)) or not 0 < q < math.inf:
        raise InvalidArgument(f"q={q!r} must be a number above 0; q=1 is the mean, q=2 the paper's choice.")
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
    if method not in QUANTILE_METHODS:
        raise InvalidArgument(f"method={method!r} is unknown; choose one of {', '.join(QUANTILE_METHODS)}.")
    return Statistic(
        "quantile",
        lambda o: np.quantile(o, share, axis=-2, method=method),  # type: ignore[call-overload]  # checked above
        parameters={"p": share, "method": method},
        made_by=(quantile, (share, method)),
    )


def expected_shortfall(alpha: float) -> Statistic:
    """Return the mean of the worst share ``alpha`` of an arm's observations (Section 2).

    Where alpha·t is no whole number, the observation at the boundary counts with the fraction that is left.
    """
    share = between("alpha", alpha, 0, 1, open_low=True)

    def score(observations: Array) -> Array:
        pulls = observations.shape[-2]
        weights = np.clip(share * pulls - np.arange(pulls), 0.0, 1.0)  # 1 … 1, the fraction, 0 … 0
        worst: Array = (np.sort(observations, axis=-2) * weights[:, None]).sum(axis=-2) / (share * pulls)
        return worst

    return Statistic("expected_shortfall", score, parameters={"alpha": share}, made_by=(expected_shortfall, (share,)))


def linear(r: Callable[[Any], Any]) -> Statistic:
    """Return the mean of r(x): a linear functional ∫ r dF of the empirical distribution (Section 5).

    ``r`` may take whole arrays (fast) or single numbers. Rewards where it is not finite are refused when told.
    """
    if not callable(r):
        raise InvalidArgument(f"r={r!r} must be a function of one number, such as math.sqrt.")
    name = getattr(r, "__qualname__", repr(r))
    needs = f"rewards where {name} is finite"
    return _average("linear", _elementwise(r), parameters={"r": name}, needs=needs, made_by=(linear, (r,)))


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
        return _checked_weights(_as_weights(weights(size)) if callable(weights) else listed, size)

    def per_pull(observations: Array) -> Array:
        size = observations.shape[-1]
        total = np.concatenate([[0.0], np.cumsum(of(size))])  # total[m]: weight of the first m places
        order = np.argsort(-observations, axis=-1, kind="stable")
        ranked = np.take_along_axis(observations, order, axis=-1)
        place = np.arange(size)
        differs = ranked[..., 1:] != ranked[..., :-1]
        edge = np.ones((*differs.shape[:-1], 1), dtype=bool)
        first = np.maximum.accumulate(np.where(np.concatenate([edge, differs], axis=-1), place, 0), axis=-1)
        ends = np.where(np.concatenate([differs, edge], axis=-1), place, size)
        last = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]
        shared = (total[last + 1] - total[first]) / (last + 1 - first)
        result = np.empty_like(observations)
        np.put_along_axis(result, order, shared, axis=-1)
        return result

    shown = getattr(weights, "__qualname__", repr(weights)) if listed is None else listed
    made_by = (positional, (weights if listed is None else listed,))
    return _average("positional", per_pull, parameters={"weights": shown}, check_size=of, made_by=made_by)


def _as_weights(weights: Any) -> list[float]:
    try:
        return [float(weight) for weight in weights]
    except (TypeError, ValueError):
        raise InvalidArgument(
            f"positional weights {weights!r} must be numbers, one per place, the best place first."
        ) from None


def _checked_weights(weights: Any, size: int) -> Array:
    if len(weights) < size:
        raise InvalidArgument(f"positional weights {weights} do not cover a heat of {size} arms; give one per place.")
    array = np.array(weights[:size])
    if not np.isfinite(array).all() or (np.diff(array) > 0).any():
        raise InvalidArgument(
            f"positional weights {weights} must be finite and not increase: the first place is the best."
        )
    return array


def make_statistic(name: str, parameters: dict[str, Any]) -> Statistic | None:
    """Return one of our statistics by name and parameters, as written down; None if it holds a user's function."""
    if name in ("mean", "median", "win_rate"):
        return _known(name)
    factory = {each.__name__: each for each in _FACTORIES}.get(name)
    if factory is None or name == "linear" or isinstance(parameters.get("weights"), str):
        return None
    made: Statistic = factory(**parameters)
    return made


_FACTORIES: tuple[Any, ...] = (power_mean, quantile, expected_shortfall, linear, positional)


def expected_feedback(statistic: object) -> Literal["reward", "winner", "ranking"] | None:
    """Return what a statistic is made for, where that can be said: a hint for planning."""
    if statistic is win_rate:
        return "winner"
    name = statistic.name if isinstance(statistic, Statistic) and statistic.ours else None
    if name == "positional":
        return "ranking"
    return "reward" if name in ("median", "power_mean", "quantile", "expected_shortfall") else None


def as_statistic(statistic: StatisticLike, sizes: Sequence[int]) -> Statistic:
    """Return a named statistic that can score heats of these sizes; a plain function goes by its own name."""
    if not callable(statistic):
        raise InvalidArgument(f"statistic={statistic!r} must be heats.mean, another statistic of heats, or a function.")
    for factory in _FACTORIES:
        if statistic is factory:
            name = f"heats.{factory.__name__}"
            raise InvalidArgument(f"{name} needs its parameter first: pass what {name}(…) returns.")
    if not isinstance(statistic, Statistic):
        statistic = Statistic(
            getattr(statistic, "__qualname__", "custom"), statistic, check_size=partial(_try, statistic)
        )
    for size in sorted(set(sizes)):
        statistic.check_size(size)
    return statistic


def _try(function: Callable[[Array], Array], size: int) -> None:
    """Try a function from outside on two made-up heats, before anything is spent on it."""
    score(Statistic(getattr(function, "__qualname__", "custom"), function), Kind.REWARDS, np.ones((2, 3, size)))


def adapt_to_kind(statistic: Statistic, kind: Kind) -> Statistic:
    """Return the statistic to use for a kind of feedback, or refuse one that makes no sense for it.

    Observations of every kind are numbers, so any statistic of them is defined, but a race is stopped at
    the first finisher: only who won is known, and anything but the win rate would read more into it.
    """
    if kind is Kind.RACE and statistic is not mean and statistic is not win_rate:
        raise BadFeedback(
            f"{statistic!r} makes no sense for a race: the losers were stopped, so only who won is known. "
            "Use heats.mean or heats.win_rate, or tell rewards."
        )
    if statistic is win_rate and kind in (Kind.WINNER, Kind.RACE):
        return mean  # the observations are winner shares already; only so does nobody winning count for nobody
    return statistic


def score(statistic: Statistic, kind: Kind, observations: Array) -> Array:
    """Score heats, checking what a function from outside may get wrong.

    Winner shares are simple fractions whose float sums may differ in the last bit although they are
    equal; they are rounded to twelve decimals, so that a tie is a tie.
    """
    try:
        scores = np.asarray(statistic(observations), dtype=np.float64)
    except (TypeError, ValueError) as error:
        shape = observations.shape
        raise InvalidArgument(
            f"the statistic {statistic!r} failed on observations of shape {shape}: {error}."
        ) from error
    expected = observations.shape[:-2] + observations.shape[-1:]
    if scores.shape != expected:
        raise InvalidArgument(
            f"the statistic {statistic!r} turned observations of shape {observations.shape} into scores of shape "
            f"{scores.shape}; it must average over the pulls, the last axis but one, and return {expected}."
        )
    if not np.isfinite(scores).all():
        raise InvalidArgument(
            f"the statistic {statistic!r} gave scores that are not finite; use one that is defined for this feedback."
        )
    return settle(scores) if statistic is win_rate or (statistic is mean and kind is not Kind.REWARDS) else scores


def settle(values: Array) -> Array:
    """Round sums of simple fractions, so that equal ones compare equal."""
    return np.round(values, 12)
