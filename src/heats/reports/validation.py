"""A winner on instances that its race never saw, beside another candidate: what came of it, and how it is said."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

import msgspec

from heats.base.text import make_printable
from heats.base.times import say_seconds

Bound: TypeAlias = Literal["exact", "at least", "at most", "roughly"]

PENALTY = 10  # cutoffs that an instance counts which was not solved: PAR10


class Estimate(msgspec.Struct, frozen=True):
    """A number and its 95 % interval, by instances; none where there is but one instance."""

    estimate: float
    low: float | None
    high: float | None


class Side(msgspec.Struct, frozen=True):
    """How one of the two did."""

    arm: int
    name: str
    solved: int  # instances that it finished or, in a race for a value, printed one on
    crashed: int
    mean: float | None  # seconds, with the cutoff for what was not solved; or the values printed
    par10: float | None  # seconds, with ten cutoffs for what was not solved; None in a race for a value
    last_words: str | None  # the last line of the first run that crashed


class Meeting(msgspec.Struct, frozen=True):
    """Both on one instance: verdicts, and the seconds or values they came to."""

    instance: str
    winner: str
    against: str
    winner_result: float | None
    against_result: float | None


class Validation(msgspec.Struct, frozen=True):
    """What the winner of a race and another candidate did on the same held-out instances."""

    goal: str  # what counts: the time to "finish", or the "value"
    asked: int  # instances
    done: int
    winner: Side
    against: Side
    called: str | None  # what that one is called, if not by its name: "default"
    both: int  # instances that both solved
    only_winner: int
    only_against: int
    neither: int
    wins: int  # instances on which the winner was the better one
    ties: int
    compared: int  # instances that the estimates are of: where neither crashed or, for values, both have one
    bound: Bound  # of the ratios: times of runs that were cut off are lower bounds
    ratio_of_means: Estimate | None  # how many times as fast as the other one
    ratio_of_geometric_means: Estimate | None
    difference: Estimate | None  # of values, above 0 where the winner's are better
    meetings: tuple[Meeting, ...]


def describe_validation(validation: Validation | None) -> Iterator[str]:
    """Yield the lines that say it."""
    if validation is None or not validation.done:
        return
    first, *others = list_findings(validation)
    yield ""
    yield f"validated:  {first}"
    yield from (f"            {line}" for line in others)


def list_findings(validation: Validation) -> list[str]:
    """Return what was found, the most important first."""
    times = validation.goal == "finish"
    return [
        f"on {_count(validation)}: {_say_ratio(validation) if times else _say_difference(validation)}",
        *(_list_times(validation) if times else _list_values(validation)),
        *_list_crashes(validation),
    ]


def _count(validation: Validation) -> str:
    instances = f"{validation.done} held-out instance{'' if validation.done == 1 else 's'}"
    return instances if validation.done == validation.asked else f"{instances} of {validation.asked} so far"


def _name(side: Side) -> str:
    return make_printable(side.name)


def name_opponent(validation: Validation) -> str:
    """Return what to call the one that the winner is compared with."""
    return _name(validation.against) if validation.called is None else f"the {make_printable(validation.called)}"


def _say_ratio(validation: Validation) -> str:
    ratio, other = validation.ratio_of_means, name_opponent(validation)
    if ratio is None:
        return f"nothing can be said of the speed beside {other}"
    bound = "" if validation.bound == "exact" else f"{validation.bound} "
    return f"{bound}{_say_times(ratio.estimate)} times as fast as {other}{_say_interval(ratio, _say_times, '95 % ')}"


def _say_difference(validation: Validation) -> str:
    difference, other = validation.difference, name_opponent(validation)
    losses = validation.done - validation.wins - validation.ties
    record = f"better than {other} on {validation.wins}, worse on {losses}, equal on {validation.ties}"
    if difference is None:
        return record
    interval = _say_interval(difference, _say_value, "95 % ")
    return f"{record}; on average better by {_say_value(difference.estimate)}{interval}"


def _say_times(ratio: float) -> str:
    return f"{ratio:.{2 if ratio < 10 else 1 if ratio < 100 else 0}f}"


def _say_value(value: float) -> str:
    return f"{value:.4g}"


def _say_interval(estimate: Estimate, say: Callable[[float], str], title: str = "") -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f" ({title}{say(estimate.low)} to {say(estimate.high)})"


def _list_times(validation: Validation) -> Iterator[str]:
    winner, other, opponent = validation.winner, validation.against, name_opponent(validation)
    middle = validation.ratio_of_geometric_means
    if middle is not None:
        yield f"{_say_times(middle.estimate)} times by geometric means{_say_interval(middle, _say_times)}"
    if validation.both == validation.done:
        yield "both solved all of them"
    else:
        yield (
            f"solved: {winner.solved} beside {other.solved}; both {validation.both}, only the winner "
            f"{validation.only_winner}, only {opponent} {validation.only_against}, neither {validation.neither}"
        )
    if winner.mean is not None and other.mean is not None and winner.par10 is not None and other.par10 is not None:
        yield (
            f"mean {say_seconds(winner.mean)} beside {say_seconds(other.mean)}, PAR10 {say_seconds(winner.par10)} "
            f"beside {say_seconds(other.par10)}"
        )
    why = {
        "at least": f"runs of {opponent} were cut off: what they would have taken is not known",
        "at most": "runs of the winner were cut off: what they would have taken is not known",
        "roughly": "runs of both were cut off: what they would have taken is not known",
    }
    if middle is not None and validation.bound in why:
        yield why[validation.bound]


def _list_values(validation: Validation) -> Iterator[str]:
    winner, other = validation.winner, validation.against
    if winner.mean is not None and other.mean is not None:
        yield f"mean {_say_value(winner.mean)} beside {_say_value(other.mean)}"
    if validation.compared < validation.done:
        yield f"a value on {winner.solved} beside {other.solved}; both {validation.both}"


def _list_crashes(validation: Validation) -> Iterator[str]:
    for side, name in ((validation.winner, _name(validation.winner)), (validation.against, name_opponent(validation))):
        if side.crashed:
            last = f" ({make_printable(side.last_words)})" if side.last_words else ""
            yield f"crashed: {name}, on {side.crashed} of {validation.done}{last}"
