"""Polls for the tests of the room: scenarios in a folder, desks with a clock that is set by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import heats
from heats.journal import Journal, JournalFile, Log
from heats.vote.desk.desk import Desk
from heats.vote.desk.ledger import Ledger, Vote


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def open_desk(path: Path, machine: heats.Machine, clock: Clock, lease: float = 600.0, **said: Any) -> Desk:
    """Begin a journal, or go on with it, with a desk before it."""
    if not path.exists():
        Journal(path, machine).close()
        machine = heats.Machine.from_spec(machine.spec, machine.statistic, machine.seed)
    ledger = Ledger()
    log = Log(path, on_event=ledger.note)
    log.advance()
    return Desk(Journal(JournalFile(path, sync="system"), machine, log=log), ledger, lease=lease, clock=clock, **said)


def list_votes(ledger: Ledger) -> list[tuple[str, Vote]]:
    """Return all votes that count, with who gave them, in the order of the pulls."""
    votes = [(who, vote) for who, person in ledger.people.items() for vote in person.votes.values()]
    return sorted(votes, key=lambda pair: pair[1].id)


def write_lines(folder: Path, lines: Sequence[str] = ("tea", "coffee", "milk", "water", "juice", "cola")) -> Path:
    """Write a file with a candidate per line."""
    path = folder / "names.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path
