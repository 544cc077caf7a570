"""Every vote that was given, whether it counts, and why not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from heats.base.frames import Column
from heats.journal import Log
from heats.reports.frames import write_csv
from heats.vote.desk.desk import NEEDLESS, VOID
from heats.vote.desk.ledger import Ledger, Vote


class Row(NamedTuple):
    """A vote, in words."""

    pull: int
    round: int  # from 1
    voter: str
    shown: list[str]  # in that order
    answer: str
    seconds: float | None
    at: str
    counts: bool
    why_not: str


def list_votes(log: Log, ledger: Ledger) -> list[Row]:
    """Return all votes in the order in which they were given, those that do not count included."""
    found = [
        (vote, _describe(log, name, vote))
        for name, person in ledger.people.items()
        for vote in [*person.votes.values(), *person.late.values(), *person.undone]
    ]
    return [row for _, row in sorted(found, key=lambda pair: (pair[0].at, pair[0].id))]


def write_votes_csv(rows: Sequence[Row]) -> bytes:
    """Return all votes as a table for spreadsheets."""
    kinds: dict[str, type] = {"pull": int, "round": int, "seconds": float}
    cells = {
        title: [" | ".join(each) if isinstance(each, list) else each for each in (row[place] for row in rows)]
        for place, title in enumerate(Row._fields)
    }
    cells["counts"] = ["yes" if each else "no" for each in cells["counts"]]
    columns = [Column(title, kinds.get(title, str), values) for title, values in cells.items()]
    return write_csv(columns, spreadsheet=True)


def write_votes_json(rows: Sequence[Row]) -> bytes:
    """Return all votes as a list of objects."""
    return msgspec.json.format(msgspec.json.encode([row._asdict() for row in rows]), indent=1)


def _describe(log: Log, name: str, vote: Vote) -> Row:
    machine = log.machine
    why = vote.why
    if not why and name in machine.voided:
        why = VOID
    elif not why and not machine.counts(vote.id):
        why = NEEDLESS
    return Row(
        pull=vote.id,
        round=machine.query(vote.id).round + 1,
        voter=name,
        shown=[log.names[arm] for arm in vote.arms],
        answer=_say(vote.feedback, log.names),
        seconds=vote.took,
        at=vote.at.isoformat(timespec="seconds"),
        counts=not why,
        why_not=why,
    )


def _say(feedback: list[float] | dict[str, Any], names: Sequence[str]) -> str:
    """Say what an answer was; what cannot be read is shown as it was kept."""
    match feedback:
        case {"winner": []}:
            return "none of these"
        case {"winner": [*arms]}:
            return f"{'a tie: ' if len(arms) > 1 else ''}{' | '.join(names[arm] for arm in arms)}"
        case {"ranking": [*arms]}:
            return " > ".join(names[arm] for arm in arms)
        case {"best": best, "worst": worst}:
            return f"best: {names[best]} | worst: {names[worst]}"
    return str(feedback)
