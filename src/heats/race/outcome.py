"""What counts as finishing, and what the ends of a heat's runs say together."""

from __future__ import annotations

import math
import re
import signal
import warnings
from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from heats.base.text import end_sentence, make_printable
from heats.engine.feedback import Race
from heats.errors import HeatsError, InvalidArgument, show_value
from heats.race.processes import End

Verdict: TypeAlias = Literal["finished", "undecided", "crashed", "cutoff", "stopped"]
Goal: TypeAlias = Literal["minimize", "maximize"]
Comparable: TypeAlias = Literal["value", "rank", "ratio"]  # how values of different instances are made comparable

LAST_LINES = 5
UNKNOWN = "s UNKNOWN"  # what a SAT solver says that gives up
KILLED = -signal.SIGKILL
LEAST_CODE, MOST_CODE = -64, 255  # ends by signals are below 0


class AllCrashed(HeatsError):
    """Every run crashed, in the first heat or in two in a row: the command is wrong, not the candidates slow."""


class NoRatio(HeatsError):
    """A value has no ratio to the best of its heat, since it is below 0."""


class NoValues(HeatsError):
    """No run printed a value in any of the first heats: the pattern is wrong, not the candidates bad."""


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """When a run has finished: its exit code, and a pattern in its output; or which value of it counts."""

    finished: tuple[int, ...] = (0, 10, 20)
    undecided: tuple[int, ...] = (0,)  # gave up in good order, if not finished; any other code is a crash
    pattern: str | None = None
    objective: str | None = None  # a pattern with one group: the value; the last one printed counts
    goal: Goal = "minimize"
    missing: float | None = None  # what a run without a value counts as; None: as the worst of its heat
    statistic: Comparable = "value"

    def __post_init__(self) -> None:
        for name, default in _ABOUT_VALUES.items():
            if self.objective is None and getattr(self, name) != default:
                raise InvalidArgument(
                    f"race.{name} = {show_value(getattr(self, name))} is about values, but the race is for time; say "
                    f"which value, as objective = 'cost = (\\S+)', or leave {name} out."
                )
        _check_codes("finished", self.finished)
        _check_codes("undecided", self.undecided)
        if not self.finished:
            raise InvalidArgument("race.finished = [] leaves no exit code that counts as finishing; name one, as [0].")
        if self.missing is not None and not math.isfinite(self.missing):
            raise InvalidArgument(f"race.missing = {self.missing} must be a finite number.")
        if self.statistic == "ratio" and self.missing is not None and self.missing < 0:
            raise InvalidArgument(f'race.missing = {self.missing} must be 0 or more with statistic = "ratio".')
        _count_groups("pattern", self.pattern)
        if _count_groups("objective", self.objective) not in (None, 1):
            raise InvalidArgument(
                f"race.objective = {show_value(self.objective)} must have one group, round the value, such as "
                "'cost = (\\S+)'."
            )

    def judge(self, end: End, seconds: float, cutoff: float) -> Verdict:
        """Return how a run ended that took that many seconds of its clock."""
        if end.stopped and end.code == KILLED:
            return "cutoff" if end.stopped in ("limit", "wall limit") else "stopped"
        if end.code in self.finished and self._has_pattern(end.output):
            return "finished" if seconds <= cutoff else "cutoff"
        return "undecided" if end.code in (*self.finished, *self.undecided) else "crashed"

    @property
    def patterns(self) -> tuple[str, ...]:
        """What to look for in the output, however long it is."""
        return tuple(each for each in (self.pattern, self.objective, UNKNOWN) if each is not None)

    def _has_pattern(self, output: str) -> bool:
        return self.pattern is None or re.search(self.pattern, output, re.MULTILINE) is not None

    def find_value(self, output: str) -> float | None:
        """Return the last objective value printed, if there is one."""
        if self.objective is None:
            return None
        for found in reversed(re.findall(self.objective, output, re.MULTILINE)):
            try:
                value = float(found)
            except ValueError:
                continue
            if math.isfinite(value):
                return value
        return None


_ABOUT_VALUES = {"goal": "minimize", "missing": None, "statistic": "value"}  # keys, and what they are if left out


def _check_codes(name: str, codes: Sequence[int]) -> None:
    for code in codes:
        if not LEAST_CODE <= code <= MOST_CODE:
            raise InvalidArgument(
                f"race.{name} has {code}, with which no program ends: exit codes are 0 to {MOST_CODE}, and -15, say, "
                "is the end by signal 15."
            )


def _count_groups(name: str, pattern: str | None) -> int | None:
    """Return how many groups a pattern has; refuse one that is not a regular expression."""
    if pattern is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what a later Python may read differently
            return re.compile(pattern).groups
    except (re.error, OverflowError, RecursionError) as error:
        raise InvalidArgument(
            f"race.{name} = {show_value(pattern)} is not a valid regular expression: {end_sentence(error)}"
        ) from None


class Run(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One run of a heat, as it is written down. The seconds of a run that was stopped are a lower bound."""

    arm: int
    verdict: Verdict
    seconds: float  # by the clock of the race
    wall: float
    cpu: float  # of all it started
    code: int
    memory: int | None = None  # peak, kilobytes on Linux
    kill_latency: float | None = None  # seconds from the end of the first finisher to that of this run
    value: float | None = None
    last: str | None = None  # the last lines it printed, if it crashed or has no value
    unknown: bool = False  # it printed "s UNKNOWN"


def make_race(runs: Sequence[Run]) -> Race:
    """Return who finished, and when. Nobody: the heat counts, and nobody gets a point for it."""
    return Race([(run.arm, run.seconds) for run in runs if run.verdict == "finished"])


def make_rewards(runs: Sequence[Run], rule: Rule) -> list[float]:
    """Return what the objective values are worth, larger is better, in the order of the runs.

    If nobody has a value all are worth the same, which leaves the heat undecided.
    """
    sign = -1.0 if rule.goal == "minimize" else 1.0
    known = [rule.missing if run.value is None else run.value for run in runs]
    rewards = [None if value is None else sign * value for value in known]
    worst = min((reward for reward in rewards if reward is not None), default=0.0)
    if rule.statistic == "rank":
        return _rank([-math.inf if reward is None else reward for reward in rewards])
    filled = [worst if reward is None else reward for reward in rewards]
    return filled if rule.statistic == "value" else _take_ratios([sign * reward for reward in filled], runs, rule)


def _rank(rewards: Sequence[float]) -> list[float]:
    """Return of each the share of the others that it is better than; those that are equal count half."""
    others = max(1, len(rewards) - 1)
    return [(sum(x < mine for x in rewards) + (sum(x == mine for x in rewards) - 1) / 2) / others for mine in rewards]


def _take_ratios(values: Sequence[float], runs: Sequence[Run], rule: Rule) -> list[float]:
    """Return how close each comes to the best of its heat: 1 is the best, ½ is twice the cost or half the gain."""
    if min(values) < 0:
        run = runs[list(values).index(min(values))]
        raise NoRatio(
            f'race.statistic = "ratio" needs values of 0 or more, but candidate #{run.arm} came to {min(values):g}; '
            'say statistic = "rank" and begin a new race.'
        )
    if rule.goal == "minimize":
        best = min(values)
        return [1.0 if value == best else best / value for value in values]
    best = max(values)
    return [1.0 if value == best else value / best for value in values]


def have_all_crashed(runs: Sequence[Run]) -> bool:
    """Whether a heat tells nothing but that something is wrong."""
    return all(run.verdict == "crashed" for run in runs)


def take_last_lines(output: str) -> str:
    """Return what a program printed at the end."""
    return "\n".join(line[:200] for line in output.strip().splitlines()[-LAST_LINES:])


def describe_end(run: Run, rule: Rule) -> str:
    """Return how a run ended, and its last lines of output, for people."""
    how = f"exit code {run.code}" if run.code >= 0 else f"killed by signal {-run.code}"
    if run.verdict == "cutoff":
        how = "stopped at the cutoff"
    elif run.verdict == "crashed" and run.code >= 0:
        how += f", which neither finished = {list(rule.finished)} nor undecided = {list(rule.undecided)} has"
    lines = (run.last or "").splitlines()
    said = "and at the end it printed" if lines else "it printed nothing"
    return "\n".join([f"{how}, {said}", *(f"  {make_printable(line)}" for line in lines)])
