"""What the organiser sees: how far the poll is, who voted how, why it waits, and where everybody stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from heats.engine.standings import tabulate
from heats.vote.desk import Desk
from heats.vote.ledger import Person, Vote
from heats.vote.office import Office


class VoterRow(NamedTuple):
    """What one voter did."""

    name: str
    votes: int
    late: int
    skipped: int
    seconds: float
    agrees: float | None  # share of the pairs they put in an order in which the standings do, too
    is_void: bool


class Overview(NamedTuple):
    """All that the organiser's page says."""

    spent: int
    total: int
    round: int
    rounds: int | None
    owed: int
    out: int
    is_done: bool
    is_paused: bool
    waits: str  # why nothing happens, if so
    overturned: tuple[int, ...]
    voters: list[VoterRow]
    titles: Sequence[str]
    standings: list[Sequence[str]]
    winner: str | None


def survey(office: Office, desk: Desk) -> Overview:
    """Return what the organiser sees now."""
    machine, names = desk.journal.machine, desk.journal.log.names
    standings = machine.standings()
    places = {row.arm: row.place for row in standings.rows}
    listed = office.roster.names or ()
    people = {name: desk.ledger.people.get(name, Person()) for name in dict.fromkeys([*listed, *desk.ledger.people])}
    rows = [_describe(name, each, places, machine.voided) for name, each in people.items()]
    titles, cells = tabulate(standings, names)
    return Overview(
        spent=machine.spent,
        total=machine.total or 0,
        round=machine.round + (not machine.done),
        rounds=machine.n_rounds,
        owed=machine.owed,
        out=len(desk.list_holders()),
        is_done=machine.done,
        is_paused=desk.is_paused,
        waits=_say_why(office, desk, rows),
        overturned=machine.overturned,
        voters=rows,
        titles=titles,
        standings=[tuple(map(str, row)) for row in cells],
        winner=None if machine.winner is None else names[machine.winner],
    )


def _describe(name: str, person: Person, places: dict[int, int], voided: Sequence[str]) -> VoterRow:
    pairs = [pair for vote in person.votes.values() for pair in _list_pairs(vote)]
    agreeing = sum(places[better] < places[worse] for better, worse in pairs)
    agrees = agreeing / len(pairs) if pairs else None
    late, skipped = len(person.late), len(person.skipped)
    return VoterRow(name, len(person.votes), late, skipped, person.seconds, agrees, name in voided)


def _list_pairs(vote: Vote) -> list[tuple[int, int]]:
    """Return the pairs that a vote put in an order, the better one first."""
    said: Any = vote.feedback
    if not isinstance(said, dict):
        return []
    if len(said.get("winner", ())) == 1:
        (best,) = said["winner"]
        return [(best, other) for other in vote.arms if other != best]
    if "ranking" in said:
        order = said["ranking"]
        rest = [arm for arm in vote.arms if arm not in order]
        return [(one, other) for place, one in enumerate(order) for other in [*order[place + 1 :], *rest]]
    if "best" in said:
        best, worst = said["best"], said["worst"]
        middle = [arm for arm in vote.arms if arm not in (best, worst)]
        return [(best, worst), *((best, arm) for arm in middle), *((arm, worst) for arm in middle)]
    return []


def _say_why(office: Office, desk: Desk, rows: Sequence[VoterRow]) -> str:
    """Say why the poll waits, if everybody who is listed has seen all that is owed or has not come."""
    machine = desk.journal.machine
    if machine.done or desk.is_paused:
        return ""
    missing = [row.name for row in rows if desk.needs(row.name)]
    if missing:
        return f"can vote now: {', '.join(missing[:20])}{f' and {len(missing) - 20} more' if len(missing) > 20 else ''}"
    if office.roster.names is None:
        return "everybody who came so far has seen all that is owed; new voters are needed, or close the round"
    return "all voters have seen all that is owed; close the round to go on: votes that miss count as no verdict"
