"""The journal of a run whose heats end early: what came in vain is written down, and the run comes back the same."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import heats
from heats.errors import InvalidArgument, OutOfTurn
from heats.journal import Journal, JournalFile, Log
from tests.journal.runs import find, lines
from tests.playing import play, recall


def make() -> heats.Tournament:
    """A machine that saves some of its pulls."""
    return heats.Tournament(heats.plan(6, 2, 40, "csws", record="off"), seed=2, early=True)


def answer(query: heats.Query) -> Any:
    """Winners that depend on the arm and, by the query's seed, on chance; now and then none."""
    draw = random.Random(query.seed)
    return (
        heats.NoVerdict()
        if draw.random() < 0.1
        else heats.Winner(max(query.arms, key=lambda arm: arm + draw.gauss(0, 2)))
    )


def finish(journal: Journal) -> None:
    while query := journal.machine.ask():
        journal.tell(query, answer(query))


def write_in_any_order(path: Path, order: random.Random) -> None:
    """Tell all that was handed out, needed or not, as many workers would."""
    with Journal(JournalFile(path, sync="system"), make()) as journal:
        while not journal.machine.done:
            queries = journal.machine.ask(30)
            order.shuffle(queries)
            for query in queries:
                journal.tell(query, answer(query), by="worker", notes={"pull": query.id})


def test_what_does_not_count_is_written_as_late(tmp_path: Path) -> None:
    """Every answer is in the file; reading it gives the report of a run that was told one by one."""
    path, expected = tmp_path / "run.jsonl", play(make(), answer)
    write_in_any_order(path, random.Random(4))
    late = [line for line in lines(path) if line["event"] == "late"]
    assert late
    assert all(line["notes"] == {"pull": line["id"]} for line in late)
    log = Log(path)
    log.advance()
    assert log.late == len(late)
    assert not any(log.machine.counts(line["id"]) for line in late)
    assert log.machine.report().to_json() == expected.report().to_json()


@pytest.mark.parametrize("order", range(2))
def test_cut_after_every_line(tmp_path: Path, order: int) -> None:
    """Written in any order and gone on with one by one, the run is the same."""
    path, expected = tmp_path / "run.jsonl", play(make(), answer)
    write_in_any_order(path, random.Random(order))
    whole = path.read_bytes().splitlines(keepends=True)
    for length in range(1, len(whole) + 1):
        path.write_bytes(b"".join(whole[:length]))
        with Journal(JournalFile(path, sync="system"), make()) as journal:
            finish(journal)
            assert recall(journal.machine) == recall(expected)
            assert journal.machine.saved == expected.saved


def test_what_the_tournament_is_told_alone_ends_the_journal(tmp_path: Path) -> None:
    """Also where as many answers were taken out as came in."""
    rounds = (heats.Round(2, 2, 1, 9), heats.Round(1, 2, 1, 9))
    machine = heats.Tournament(heats.Plan(4, 2, 27, rounds, record="off"), early=True)
    with Journal(tmp_path / "run.jsonl", machine) as journal:
        mine = [query for query in machine.ask(18) if query.heat == 0]
        for query in [*mine[1:5], mine[-1]]:
            journal.tell(query, heats.Winner(max(query.arms)))
        before = machine.spent
        machine.tell(mine[0], heats.Winner(max(mine[0].arms)))
        assert machine.spent == before
        with pytest.raises(OutOfTurn, match="tell all of them to the journal"):
            journal.tell(mine[5], heats.Winner(max(mine[5].arms)))


def test_with_and_without_early_are_two_runs(tmp_path: Path) -> None:
    """A journal of one is refused by the other; one that says nothing of it was begun without."""
    path = tmp_path / "run.jsonl"
    options: dict[str, Any] = {"compare": lambda heat: heats.Winner(max(heat)), "record": "off", "strategy": "csh"}
    found = find(path, **options)
    assert "early" not in lines(path)[0]["machine"]
    with pytest.raises(InvalidArgument, match="its early is False, not True"):
        find(path, early=True, **options)
    assert find(path, **options).to_json() == found.to_json()
