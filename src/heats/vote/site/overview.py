"""What the organiser sees: how far the poll is, who voted how, why it waits, and where everybody stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from heats.engine.specs import name_stage
from heats.engine.standings import tabulate
from heats.journal import Log
from heats.vote.desk.desk import Desk
from heats.vote.desk.ledger import Ledger, Person, Vote
from heats.vote.site.tally import Row, list_votes

MOST_IN_VAIN = 100  # votes that do not count are shown; all are in the files


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

    votes: int  # that count
    no_verdicts: int  # pulls that nobody said anything about, or whose votes are void
    total: int
    stage: str  # what a stage is called, here and in the report: batch, or round
    stages: str
    round: int
    rounds: int
    owed: int
    out: int
    is_done: bool
    is_paused: bool
    waits: str  # why nothing happens, if so
    changed: list[str]  # candidates whose files are others by now
    overturned: tuple[int, ...]
    voters: list[VoterRow]
    titles: Sequence[str]
    standings: list[Sequence[str]]
    winner: str | None
    in_vain: list[Row]  # votes that do not count, the last ones first


class Busy(NamedTuple):
    """What only the desk knows: how many pulls are out, who could vote now, and whose files were changed."""

    out: int
    free: list[str]
    changed: Sequence[int] = ()


def look_round(desk: Desk, listed: Sequence[str]) -> Busy:
    """Return what only the desk knows."""
    everybody = dict.fromkeys([*listed, *desk.ledger.people])
    changed = desk.list_changed()
    return Busy(len(desk.list_holders()), [name for name in everybody if desk.needs(name)], changed)


def survey(log: Log, ledger: Ledger, busy: Busy, listed: Sequence[str] | None) -> Overview:
    """Return what the organiser sees; ``listed`` are those who may vote, None if everybody may."""
    machine, names = log.machine, log.names
    stage = name_stage(machine.spec)
    standings = machine.standings()
    places = {row.arm: row.place for row in standings.rows}
    people = {name: ledger.people.get(name, Person()) for name in dict.fromkeys([*(listed or ()), *ledger.people])}
    titles, cells = tabulate(standings, names)
    return Overview(
        votes=machine.spent - machine.no_verdicts,
        no_verdicts=machine.no_verdicts,
        total=machine.total,
        stage=stage,
        stages="batches" if stage == "batch" else "rounds",
        round=machine.round + (not machine.done),
        rounds=machine.n_rounds,
        owed=machine.owed,
        out=busy.out,
        is_done=machine.done,
        is_paused=log.is_paused,
        waits="" if machine.done or log.is_paused else _say_why(busy, stage, people),
        changed=[names[arm] for arm in busy.changed],
        overturned=machine.overturned,
        voters=[_describe(name, each, places, machine.voided) for name, each in people.items()],
        titles=titles,
        standings=[tuple(map(str, row)) for row in cells],
        winner=None if machine.winner is None else names[machine.winner],
        in_vain=[row for row in reversed(list_votes(log, ledger)) if not row.counts][:MOST_IN_VAIN],
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


def _say_why(busy: Busy, stage: str, people: Mapping[str, Person]) -> str:
    """Say what the poll waits for: those who could vote now, or, if all who came have seen what is owed, others."""
    free = busy.free
    if free:
        return f"these can vote now: {', '.join(free[:20])}{f' and {len(free) - 20} more' if len(free) > 20 else ''}"
    if not people:
        return "nobody has come yet; send them the link"
    but = ", but for what shows files that were changed" if busy.changed else ""
    return f"everybody who came so far has seen all that is owed{but}; new voters are needed, or close the {stage}"
