"""What is said about how to play → the strategy that is played; what does not go together is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from heats.base.checks import refuse
from heats.engine.adaptive import BATCHES, Adaptive
from heats.engine.adaptive.dealing.keys import MOST_ARMS
from heats.engine.adaptive.machine import MOST_BUDGET
from heats.engine.specs import AdaptiveSpec, Spec, TournamentSpec
from heats.engine.statistics import StatisticLike, mean, win_rate
from heats.errors import InvalidArgument
from heats.planning.plan import FeedbackHint
from heats.planning.rules import PLANNED, RULES, Rule

ADAPTIVE = "adaptive"
STRATEGIES = (ADAPTIVE, PLANNED, *RULES)
DEFAULT_HEAT_SIZE = 4


@dataclass(frozen=True, kw_only=True)
class Said:
    """All that is said about how to play, next to how much there is to play with; None, or False, says nothing.

    ``planning`` is what only planned tournaments know: a ``plan``, or how to make one.
    """

    n_arms: int
    heat_size: int | None
    budget: int | None
    feedback: FeedbackHint | None
    strategy: str | Rule | None = None
    batches: int | None
    sure: float | None
    statistic: StatisticLike | None = None
    planning: Mapping[str, Any]


def choose_strategy(said: Said, begun: Spec | None = None) -> str | Rule:
    """Return the strategy that is played: the one said, else that of a run that has ``begun``, else the better one.

    The better one is adaptive play, unless something that was said means a planned tournament.
    """
    _check_together(said)
    if said.strategy is not None:
        return said.strategy
    if _list_adaptive(said):
        return ADAPTIVE
    if isinstance(begun, TournamentSpec):
        return begun.plan.strategy if begun.plan.strategy in RULES else PLANNED
    can_deal = isinstance(begun, AdaptiveSpec) or _can_deal(said)
    return ADAPTIVE if can_deal and _takes_statistic(said) and not _list_planned(said) else PLANNED


def is_adaptive(strategy: object) -> bool:
    """Whether a strategy is adaptive play."""
    return isinstance(strategy, str) and strategy.lower() == ADAPTIVE


def choose_heat_size(heat_size: int | None, n_arms: int) -> int:
    """Return how many are compared at once where that was not said: 4, or all if fewer."""
    return min(DEFAULT_HEAT_SIZE, n_arms) if heat_size is None else heat_size


def make_adaptive(said: Said, budget: int, begun: Spec | None = None, seed: int = 0) -> Adaptive:
    """Return the machine of adaptive play; what was not said is as in a run that has ``begun``."""
    size, batches = said.heat_size, said.batches
    if isinstance(begun, AdaptiveSpec):
        size = begun.heat_size if size is None else size
        batches = begun.batches if batches is None else batches
    size, batches = choose_heat_size(size, said.n_arms), BATCHES if batches is None else batches
    return Adaptive(said.n_arms, size, budget, batches=batches, statistic=said.statistic, seed=seed)


def _takes_statistic(said: Said) -> bool:
    """Whether adaptive play takes this statistic."""
    return any(said.statistic is each for each in (None, mean, win_rate))


def _can_deal(said: Said) -> bool:
    """Whether adaptive play can deal so many candidates and comparisons."""
    is_large = isinstance(said.budget, Integral) and said.budget > MOST_BUDGET
    return said.n_arms <= MOST_ARMS and not is_large


def _list_planned(said: Said) -> dict[str, Any]:
    """Return what was said that means a planned tournament, but the strategy."""
    return {name: value for name, value in said.planning.items() if not (value is None or value is False)}


def _list_adaptive(said: Said) -> dict[str, Any]:
    """Return what was said that means adaptive play, but the strategy."""
    return {name: value for name, value in (("batches", said.batches), ("sure", said.sure)) if value is not None}


def _check_together(said: Said) -> None:
    """Refuse an unknown strategy, and adaptive play and a planned tournament said at once."""
    strategy = {} if said.strategy is None else {"strategy": _check_known(said.strategy)}
    if is_adaptive(said.strategy):
        adaptive, planned = strategy | _list_adaptive(said), _list_planned(said)
    else:
        adaptive, planned = _list_adaptive(said), strategy | _list_planned(said)
    if not adaptive or not planned:
        return
    (one, ours), (other, theirs) = next(iter(adaptive.items())), next(iter(planned.items()))
    raise InvalidArgument(
        f"{{{one}}} means adaptive play, but {{{other}}} is about a planned tournament; leave out one of the two.",
        **{one: ours, other: theirs},
    )


def _check_known(strategy: str | Rule) -> str | Rule:
    names = ", ".join(STRATEGIES)
    if isinstance(strategy, str) and strategy.lower() not in STRATEGIES:
        why = f"is unknown; choose one of {names}, or give a function f(size) that says how many arms of a heat stay"
        raise refuse("strategy", strategy, why)
    if not isinstance(strategy, str) and not callable(strategy):
        raise refuse("strategy", strategy, f"must be one of {names}, or a function f(size)")
    return strategy
