"""What judges leave in the notes of a pull, and what that comes to over a run: who said what, calls, cost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import msgspec

KEY = "judging"  # in the notes of a pull
COST_DIGITS = 9


class Heard(msgspec.Struct, frozen=True, omit_defaults=True):
    """One answer of a judge: the arms as it was shown them, and those it put first, best first; ``tied``: all alike."""

    judge: str
    shown: tuple[int, ...]
    best: tuple[int, ...] = ()  # empty: it came to no verdict
    tied: bool = False


class PullNotes(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the journal keeps of a judged pull next to its feedback, or next to why it is asked again."""

    heard: tuple[Heard, ...]
    row: int | None = None  # of the data set
    calls: int = 0  # of judges, those that failed included; earlier versions counted the outputs, too
    hits: int = 0  # answers of judges that the cache had
    retries: int = 0  # after failures, since the last answer to this pull
    cost: float | None = None  # of calls and outputs, as far as somebody said it
    outputs: int = 0  # of candidates, made for this pull
    kept_outputs: int = 0  # those that were made before

    def to_notes(self) -> dict[str, Any]:
        """Return it as the notes of a pull."""
        return {KEY: msgspec.to_builtins(self)}


def add_costs(one: float | None, other: float | None) -> float | None:
    """Return the sum of two costs, each of which may not be known."""
    return one if other is None else round((one or 0.0) + other, COST_DIGITS)


@dataclass
class JudgeCount:
    """What one judge said."""

    answers: int = 0
    no_verdicts: int = 0
    ties: int = 0
    shown: Counter[int] = field(default_factory=Counter)  # answers with a first place, by how many were shown
    first: int = 0  # of these, how often it was the one shown first
    ahead: Counter[tuple[int, int]] = field(default_factory=Counter)  # how often it put an arm ahead of another one


class JudgeCounts:
    """Counts over a run, in all and by judge: of every answer that was told, or given up to ask for another one."""

    def __init__(self) -> None:
        self.pulls = 0
        self.calls = 0
        self.hits = 0
        self.outputs = 0
        self.kept_outputs = 0
        self.retries = 0
        self.cost: float | None = None
        self.judges: dict[str, JudgeCount] = {}

    def add(self, notes: dict[str, Any] | None) -> None:
        """Count a pull; notes that no judge of ours wrote say nothing here."""
        if (pull := _read_notes(notes)) is not None:
            self.pulls += 1
            self._add(pull)

    def add_given_up(self, notes: dict[str, Any] | None) -> None:
        """Count an answer that came to no verdict, after which its pull is asked again."""
        if (pull := _read_notes(notes)) is not None:
            self.retries += 1
            self._add(pull)

    def _add(self, pull: PullNotes) -> None:
        self.calls += pull.calls
        self.hits += pull.hits
        self.outputs += pull.outputs
        self.kept_outputs += pull.kept_outputs
        self.retries += pull.retries
        self.cost = add_costs(self.cost, pull.cost)
        for heard in pull.heard:
            _count(self.judges.setdefault(heard.judge, JudgeCount()), heard)


def _read_notes(notes: dict[str, Any] | None) -> PullNotes | None:
    if not notes or KEY not in notes:
        return None
    try:
        return msgspec.convert(notes[KEY], PullNotes)
    except msgspec.ValidationError:  # somebody else's, under the same name
        return None


def _count(judge: JudgeCount, heard: Heard) -> None:
    judge.answers += 1
    judge.no_verdicts += not heard.best and not heard.tied
    judge.ties += heard.tied
    if heard.tied or not heard.best:
        return
    judge.shown[len(heard.shown)] += 1
    judge.first += heard.best[:1] == heard.shown[:1]
    for place, arm in enumerate(heard.best):
        judge.ahead.update((arm, other) for other in heard.shown if other not in heard.best[: place + 1])
