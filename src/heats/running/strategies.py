"""What is said about how to play → the machine of adaptive play; what does not go together is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heats.engine.adaptive import BATCHES, Adaptive
from heats.engine.statistics import StatisticLike
from heats.errors import InvalidArgument

ADAPTIVE = "adaptive"
DEFAULT_HEAT_SIZE = 4


def is_adaptive(strategy: object, batches: int | None) -> bool:
    """Whether play is to be adaptive: that is said, or in how many batches."""
    return batches is not None or (isinstance(strategy, str) and strategy.lower() == ADAPTIVE)


def choose_heat_size(heat_size: int | None, n_arms: int) -> int:
    """Return how many are compared at once where that was not said: 4, or all if fewer."""
    return min(DEFAULT_HEAT_SIZE, n_arms) if heat_size is None else heat_size


def make_adaptive(
    n_arms: int,
    heat_size: int | None,
    budget: int,
    batches: int | None,
    *,
    planning: Mapping[str, Any],
    statistic: StatisticLike | None = None,
    seed: int = 0,
) -> Adaptive:
    """Return the machine of adaptive play; whatever else ``planning`` says is about a planned tournament: refused."""
    for name, value in planning.items():
        if not (value is None or value is False or (name == "strategy" and is_adaptive(value, None))):
            raise InvalidArgument(
                f"{{{name}}} is about a planned tournament, but play is to be adaptive; leave out one of the two.",
                **{name: value},
            )
    size, asked = choose_heat_size(heat_size, n_arms), BATCHES if batches is None else batches
    return Adaptive(n_arms, size, budget, batches=asked, statistic=statistic, seed=seed)
