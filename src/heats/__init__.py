"""Find the best of n candidates when you can only afford B trials, each comparing up to k of them.

>>> import heats
>>> plan = heats.plan(n_arms=100, heat_size=4, budget=500)
>>> t = heats.Tournament(plan, seed=7)
>>> while not t.done:
...     query = t.ask()
...     t.tell(query, [float(arm) for arm in query.arms])
>>> t.report().winner
99

The rooms of the house, in the order of the data flow; an inner one never imports an outer one:

errors        what goes wrong, by blame, with the arguments it is about
base          shared types, checks, randomness, text, intervals
planning      candidates + budget → a plan: every round, known and priced before the first pull
engine        what a pull says → scores → who stays → a winner: games, and machines to ask and tell
theory        the paper's definitions, theorems and tables as functions
environments  worlds to play in: synthetic, recorded, read from files
simulation    a machine + a world → thousands of runs at once
journal       a run → a file that survives anything → the run
reports       what was found → one result, as text, JSON, tables and a page
executors     clusters and other engines → executors that pulls are handed to
running       candidates + compare → all comparisons made, here or on any executor
judging       somebody to ask, a data set → comparisons; cached, limited
sklearn       an estimator of scikit-learn + a number of fits → its best parameters
vote          a scenario → a page where people vote, and who gets what
race          a scenario → programs raced side by side, and nothing left running
sat           the solver SAPS, colouring instances, DIMACS files
experiments   the paper's experiments, and those beyond it
cli           all of it from the command line
"""

from heats.base import startup as _startup  # noqa: F401  # first: the command imports nothing from the current folder

# isort: split
from heats.base import interrupts as _interrupts  # noqa: F401  # from here on Ctrl-C ends the command line
from heats.base.version import __version__ as __version__

TYPE_CHECKING = False  # type checkers take it for true; to import it would be to look for typing first
if TYPE_CHECKING:  # imported when first asked for, see below
    from heats import environments, errors, executors, judging, theory
    from heats.engine.adaptive import Adaptive
    from heats.engine.baselines import RoundRobin, SuccessiveHalving
    from heats.engine.feedback import BestWorst, NoVerdict, Race, Ranking, Winner
    from heats.engine.kinds import Machine
    from heats.engine.machine import Query
    from heats.engine.report import BatchReport, Report, RoundReport, Stop, Sureness
    from heats.engine.standings import HeadToHead, Standing, Standings
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
    from heats.race.functions import race_functions
    from heats.running.find_best import find_best, find_best_async, run
    from heats.running.found import Found
    from heats.running.outcomes import Noted
    from heats.simulation.simulate import simulate

_HOMES = {  # where public names live, each imported when it is first asked for: a command may need none of them
    "heats.engine.adaptive": "Adaptive",
    "heats.engine.baselines": "RoundRobin SuccessiveHalving",
    "heats.engine.feedback": "BestWorst NoVerdict Race Ranking Winner",
    "heats.engine.kinds": "Machine",
    "heats.engine.machine": "Query",
    "heats.engine.report": "BatchReport Report RoundReport Stop Sureness",
    "heats.engine.standings": "HeadToHead Standing Standings",
    "heats.engine.statistics": (
        "Statistic expected_shortfall linear mean median positional power_mean quantile win_rate"
    ),
    "heats.engine.tournament": "Tournament",
    "heats.journal": "Journal JournalFile",
    "heats.planning.build": "chances plan",
    "heats.planning.plan": "Plan Round",
    "heats.race.functions": "race_functions",
    "heats.running.find_best": "find_best find_best_async run",
    "heats.running.found": "Found",
    "heats.running.outcomes": "Noted",
    "heats.simulation.simulate": "simulate",
}


def __getattr__(name: str) -> object:
    """Import a public name, or a room, when it is first asked for."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names.split():
            found = globals()[name] = getattr(import_module(home), name)
            return found
    try:
        if not name.startswith("_"):
            return import_module(f"heats.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"heats.{name}":  # a room that lacks something
            raise
    raise AttributeError(f"module 'heats' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, those included that are imported when first asked for."""
    return sorted(__all__)


__all__ = [
    "Adaptive",
    "BatchReport",
    "BestWorst",
    "Found",
    "HeadToHead",
    "Journal",
    "JournalFile",
    "Machine",
    "NoVerdict",
    "Noted",
    "Plan",
    "Query",
    "Race",
    "Ranking",
    "Report",
    "Round",
    "RoundReport",
    "RoundRobin",
    "Standing",
    "Standings",
    "Statistic",
    "Stop",
    "SuccessiveHalving",
    "Sureness",
    "Tournament",
    "Winner",
    "chances",
    "environments",
    "errors",
    "executors",
    "expected_shortfall",
    "find_best",
    "find_best_async",
    "judging",
    "linear",
    "mean",
    "median",
    "plan",
    "positional",
    "power_mean",
    "quantile",
    "race_functions",
    "run",
    "simulate",
    "theory",
    "win_rate",
]
