"""What a journal says of everybody's votes: fed with its events, read or just written, and nothing else."""

from __future__ import annotations

from typing import Any, NamedTuple

from heats.engine.feedback import Arms
from heats.journal.events import Event, Late, Requeued, TakenBack, Told


class Vote(NamedTuple):
    """What somebody said about a pull."""

    id: int
    arms: Arms  # as shown
    feedback: list[float] | dict[str, Any]
    took: float | None


class Person:
    """All that one voter did."""

    def __init__(self) -> None:
        self.votes: dict[int, Vote] = {}  # that count, the last one last
        self.late: dict[int, Vote] = {}  # that came too late to
        self.skipped: list[int] = []  # pulls given back

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
        self._voted: dict[int, str] = {}  # pull → who answered it

    def note(self, event: Event) -> None:
        """Take in an event of the journal."""
        match event:
            case Late() if event.by is not None:  # before Told: it is one
                self.find(event.by).late[event.id] = _read(event)
            case Told() if event.by is not None:
                self.find(event.by).votes[event.id] = _read(event)
                self._voted[event.id] = event.by
            case Requeued() if event.by is not None:
                self.find(event.by).skipped.append(event.id)
            case TakenBack():
                who = self._voted.pop(event.id, None)
                if who is not None:
                    self.people[who].votes.pop(event.id, None)

    def find(self, who: str) -> Person:
        """Return somebody, new or not."""
        return self.people.setdefault(who, Person())

    def list_votes(self) -> list[tuple[str, Vote]]:
        """Return all votes that count, with who gave them, in the order of the pulls."""
        votes = [(who, vote) for who, person in self.people.items() for vote in person.votes.values()]
        return sorted(votes, key=lambda pair: pair[1].id)


def _read(event: Told) -> Vote:
    return Vote(event.id, event.arms, event.feedback, event.took)
