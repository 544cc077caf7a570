"""What a journal says of everybody's votes: fed with its events, read or just written, and nothing else."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import Any, NamedTuple

from heats.engine.feedback import Arms
from heats.engine.machine import Query
from heats.journal.events import Event, Late, Requeued, TakenBack, Told
from heats.vote.desk.line import Group

UNDONE = "the voter took it back"


class Vote(NamedTuple):
    """What somebody said about a pull."""

    id: int
    arms: Arms  # as shown
    feedback: list[float] | dict[str, Any]
    took: float | None
    at: datetime
    why: str = ""  # it does not count, if it does not


class Person:
    """All that one voter did."""

    def __init__(self) -> None:
        self.votes: dict[int, Vote] = {}  # that count, the last one last
        self.late: dict[int, Vote] = {}  # that came too late to
        self.skipped: list[int] = []  # pulls given back
        self.undone: list[Vote] = []
        self.seen: Counter[Group] = Counter()  # sets that were voted on, also in vain
        self.known_skipped = 0  # how many of the pulls given back have their sets among them

    @property
    def answered(self) -> int:
        """How many votes there are, those included that came too late: they were as much work."""
        return len(self.votes) + len(self.late)

    @property
    def seconds(self) -> float:
        """Seconds that a vote took, in the median."""
        took = sorted(each.took for each in [*self.votes.values(), *self.late.values()] if each.took is not None)
        return took[len(took) // 2] if took else 0.0


class Ledger:
    """Everybody who voted, by name."""

    def __init__(self) -> None:
        self.people: dict[str, Person] = {}
        self.voted: dict[int, str] = {}  # pull → who answered it

    def note(self, event: Event) -> None:
        """Take in an event of the journal."""
        match event:
            case Late() if event.by is not None:  # before Told: it is one
                person = self.find(event.by)
                person.late[event.id] = _read(event)
                person.seen[frozenset(event.arms)] += 1
            case Told() if event.by is not None:
                person = self.find(event.by)
                person.votes[event.id] = _read(event)
                person.seen[frozenset(event.arms)] += 1
                self.voted[event.id] = event.by
            case Requeued() if event.by is not None:
                self.find(event.by).skipped.append(event.id)
            case TakenBack() if event.id in self.voted:
                self._take_back(self.people[self.voted.pop(event.id)], event.id)

    def _take_back(self, person: Person, number: int) -> None:
        vote = person.votes.pop(number)
        person.undone.append(vote._replace(why=UNDONE))
        group = frozenset(vote.arms)
        person.seen[group] -= 1
        if not person.seen[group]:
            del person.seen[group]

    def find(self, who: str) -> Person:
        """Return somebody, new or not."""
        return self.people.setdefault(who, Person())


def note_shown(query: Query) -> dict[str, Any]:
    """Return the notes of a vote that counts for another pull than the one that was shown: which, and in what order."""
    return {"asked": query.id, "shown": list(query.arms)}


def _read(event: Told) -> Vote:
    why = event.why if isinstance(event, Late) else ""
    shown = (event.notes or {}).get("shown", event.arms)
    return Vote(event.id, tuple(shown), event.feedback, event.took, event.at, why)
