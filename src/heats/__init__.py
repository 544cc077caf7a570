"""Find the best of n candidates when you can only afford B trials, each comparing up to k of them.

>>> import heats
>>> plan = heats.plan(n_arms=100, heat_size=4, budget=500)
>>> t = heats.Tournament(plan, seed=7)
>>> while not t.done:
...     query = t.ask()
...     t.tell(query, [float(arm) for arm in query.arms])
>>> t.report().winner
99
"""

from typing import TYPE_CHECKING

from heats import errors
from heats.engine.baselines import RoundRobin, SuccessiveHalving
from heats.engine.feedback import BestWorst, Race, Ranking, Winner
from heats.engine.machine import Query
from heats.engine.report import Report, RoundReport, Sureness
from heats.engine.statistics import (
    Statistic,
    expected_shortfall,
    linear,
    mean,
    median,
    positional,
    power_mean,
    quantile,
    win_rate,
)
from heats.engine.tournament import Tournament
from heats.journal import Journal, JournalFile
from heats.planning.build import chances, plan
from heats.planning.plan import Plan, Round
from heats.running.find_best import Found, find_best
from heats.running.outcomes import Noted

if TYPE_CHECKING:  # imported when first asked for, see below
    from heats import environments, theory
    from heats.simulation.simulate import simulate

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Import what not everybody needs when it is first asked for, so that ``import heats`` stays light."""
    from importlib import import_module

    if name == "simulate":
        return import_module("heats.simulation.simulate").simulate
    if name in ("environments", "theory"):
        return import_module(f"heats.{name}")
    raise AttributeError(f"module 'heats' has no attribute {name!r}")


__all__ = [
    "BestWorst",
    "Found",
    "Journal",
    "JournalFile",
    "Noted",
    "Plan",
    "Query",
    "Race",
    "Ranking",
    "Report",
    "Round",
    "RoundReport",
    "RoundRobin",
    "Statistic",
    "SuccessiveHalving",
    "Sureness",
    "Tournament",
    "Winner",
    "chances",
    "environments",
    "errors",
    "expected_shortfall",
    "find_best",
    "linear",
    "mean",
    "median",
    "plan",
    "positional",
    "power_mean",
    "quantile",
    "simulate",
    "theory",
    "win_rate",
]
