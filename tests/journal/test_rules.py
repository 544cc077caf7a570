"""A journal is read by its lines, whatever rule dealt what they tell; an older rule's run goes on by this version's.

Here another rule than this version's deals on purpose, or this version's has another number.
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.cli.app import run
from heats.engine.adaptive.winner_stays import WinnerStays
from heats.engine.machine import Query
from heats.errors import BrokenFile, InvalidArgument, OutOfTurn
from heats.journal import Journal, JournalFile, Log
from heats.journal.events import Chain, Event, Finished, Told, decode_event
from heats.journal.fingerprint import keep_challenger
from heats.journal.reader import read_answers
from tests.playing import TRUTH, noisy, recall

FORMAT2 = sorted((Path(__file__).parent / "format2").glob("*.jsonl"))  # dealt by rule 1 before journals told of rules
PEOPLE = ("ann", "bob", "cyd")
MEMORY = Path("/dev/shm")
DEAL = WinnerStays._deal


def deal_otherwise(game: WinnerStays, pulls: int) -> Any:
    """Deal as no version does: everybody's neighbour, or, where sets are limited, by another shuffle."""
    if game.spec.most_per_set is None:
        heats_dealt = DEAL(game, pulls)
        n = game.spec.n_arms
        return np.where(heats_dealt < n, (heats_dealt + 1) % n, heats_dealt)
    luck, roots = game._luck, game._roots
    game._luck, game._roots = luck[:, ::-1].copy(), roots + np.uint64(1)
    try:
        return DEAL(game, pulls)
    finally:
        game._luck, game._roots = luck, roots


def never(*_: Any) -> Any:
    raise AssertionError("what was told needs no dealing")


@contextmanager
def dealing(deal: Callable[..., Any] = DEAL, rule: int = 1) -> Iterator[None]:
    """Within, adaptive play deals so, and its rule has that number."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WinnerStays, "_deal", deal)
        patch.setattr(WinnerStays, "rule", rule)
        yield


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as name:
        yield Path(name)


def make(most: int | None = None) -> heats.Adaptive:
    return heats.Adaptive(7, 2, 16, batches=4, seed=3, most_per_set=most)


def open_journal(path: Path, most: int | None = None) -> Journal:
    return Journal(JournalFile(path, sync="system"), make(most))


def walk(path: Path, draw: random.Random, most: int | None, steps: int = 30) -> tuple[heats.Machine, list[Query]]:
    """Do all that may be done to a run, in any order; return it, and what is out in the end."""
    journal, out = open_journal(path, most), list[Query]()
    moves = {"ask": 8, "tell": 14, "requeue": 1, "extend": 1, "add": 1, "challenge": 1, "stop": 1, "reopen": 1}
    moves |= {"void": 1, "take back": 1, "close": 1, "late": 1}
    told: list[Query] = []
    for _ in range(steps):
        machine = journal.machine
        try:
            match draw.choices(list(moves), list(moves.values()))[0]:
                case "ask":
                    out += machine.ask(draw.randint(1, 3))
                case "tell" if out:
                    query = out.pop(draw.randrange(len(out)))
                    said = heats.NoVerdict("blank") if draw.random() < 0.1 else noisy(query)
                    journal.tell(query, said, by=draw.choice(PEOPLE))
                    told.append(query)
                case "late" if told:
                    journal.late(told[-1], noisy(told[-1]), by="dan", why="somebody was first")
                case "requeue" if out:
                    journal.requeue(out.pop(), "left", by="ann")
                case "take back" if told:
                    journal.take_back(told[-1])
                    out.append(told.pop())
                case "extend":
                    journal.extend(draw.randint(1, 6))
                case "challenge":
                    n = machine.n_arms
                    journal.extend(3, [keep_challenger(each, f"new {each}", None) for each in (n, n + 1)])
                case "add":
                    journal.add()
                case "void":
                    journal.void(draw.choice(PEOPLE[:2]))
                case "stop":
                    journal.stop(0.9)
                case "close":
                    journal.close_stage("nobody is left")
                    out.clear()
                case "reopen":
                    journal.close()
                    journal, out = open_journal(path, most), []
        except (InvalidArgument, OutOfTurn):  # not now
            continue
    out = [query for query in out if not journal.machine.told(query)]
    journal.close()
    return journal.machine, out


def read(path: Path, machine: heats.Machine | None = None) -> Log:
    log = Log(path, machine)
    log.advance()
    return log


def lines(path: Path) -> list[dict[str, Any]]:
    """Return the whole lines: a run that is over leaves alone what was torn off after them."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def list_compared(machine: heats.Machine) -> dict[int, tuple[int, ...]]:
    """Return the arms of every pull that counts, by id."""
    known = [*machine.evidence(), *machine.silence()]
    return {number: tuple(arms) for each in known for number, arms in zip(each.pulls.tolist(), each.arms.tolist())}  # noqa: B905


def list_told(path: Path) -> dict[int, tuple[int, ...]]:
    """Return the arms of every pull that the lines tell, by id, those closed included."""
    told: dict[int, tuple[int, ...]] = {}
    for line in lines(path):
        match line["event"]:
            case "told":
                assert line["id"] not in told
                told[line["id"]] = tuple(line["arms"])
            case "taken back":
                del told[line["id"]]
            case "closed":
                told |= {int(number): tuple(arms) for number, arms in line.get("owed", {}).items()}
    return told


WALKS = given(st.integers(0, 99_999), st.sampled_from([None, 4]), st.sampled_from([(deal_otherwise, 1), (DEAL, 2)]))


@settings(max_examples=40, deadline=None)
@WALKS
def test_a_journal_of_another_rule_is_read_by_its_lines(
    chance: int, most: int | None, now: tuple[Callable[..., Any], int]
) -> None:
    """Whatever was done to the run: what it compared, who won and what it reports is what it was when it was written."""
    deal, rule = now
    with folder() as there:
        path = there / "run.jsonl"
        with dealing(deal):
            written, _ = walk(path, random.Random(chance), most)
        with dealing(never, rule=rule if rule > 1 else 2):  # nothing is dealt, not even what is under way
            machine = read(path).machine
            assert recall(machine) == recall(written)
            assert list_compared(machine) == list_compared(written) == list_told(path)
            seen = machine.stage_sizes, machine.owed, machine.list_owed(), machine.stopped, machine.voided
            assert seen == (written.stage_sizes, written.owed, written.list_owed(), written.stopped, written.voided)
            assert len(read_answers(path, machine)) == sum(line["event"] == "told" for line in lines(path)) - sum(
                line["event"] == "taken back" for line in lines(path)
            )
            machine.report()


@settings(max_examples=60, deadline=None)
@WALKS
def test_it_goes_on_by_this_one(chance: int, most: int | None, now: tuple[Callable[..., Any], int]) -> None:
    """No pull is lost, made twice or taken for another; what was out is late; the budget is spent, and no more."""
    deal, rule = now
    draw = random.Random(chance)
    with folder() as there:
        path = there / "run.jsonl"
        with dealing(deal):
            written, out = walk(path, draw, most)
        before, begun = list_told(path), path.read_bytes()
        with dealing(rule=rule):
            journal = open_journal(path, most)
            machine = journal.machine
            redealt = [line for line in lines(path) if line["event"] == "redealt"]
            if written.done:
                assert path.read_bytes() == begun
                journal.extend(5)
                redealt = [line for line in lines(path) if line["event"] == "redealt"]
            if rule == 2:
                assert [line["rule"] for line in redealt] == [2]
            if redealt and not written.done:
                _answer_late(journal, out)
            out = []
            while not machine.done:
                out += machine.ask(draw.randint(1, 5))
                query = out.pop(draw.randrange(len(out)))
                journal.tell(query, noisy(query), by="eve")
            journal.close()
            told = list_told(path)
            assert before.items() <= told.items()
            assert list_compared(machine) == told
            assert machine.spent == len(told) == machine.budget if machine.stopped is None else machine.spent
            assert recall(read(path).machine) == recall(machine)
        with dealing(never, rule=3):
            assert recall(read(path).machine) == recall(machine)


def _answer_late(journal: Journal, out: list[Query]) -> None:
    """Answer what an older rule had handed out: it is noted, and counts for nothing."""
    machine = journal.machine
    for query in out:
        before, counted = recall(machine), journal.log.late
        assert not machine.counts(query)
        journal.tell(query, noisy(query), by="dan")
        assert (recall(machine), journal.log.late) == (before, counted + 1)
        journal.requeue(query, "he left")
        with pytest.raises(OutOfTurn, match="of another run"):
            journal.tell(msgspec.structs.replace(query, seed=1), noisy(query))


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 99_999))
def test_cut_at_any_byte_it_is_read_and_goes_on(chance: int) -> None:
    """Before, within and after the line that says that another rule deals: once it is there it is replayed."""
    draw = random.Random(chance)
    with folder() as there:
        path = there / "run.jsonl"
        with dealing(deal_otherwise):
            walk(path, draw, None, steps=20)
        with dealing(rule=2):
            _finish(path)
            whole, expected = path.read_bytes(), read(path).machine
            assert sum(line["event"] == "redealt" for line in lines(path)) <= 1
            first = whole.index(b"\n") + 1
            for length in [first, *(draw.randrange(first, len(whole)) for _ in range(8))]:
                path.write_bytes(whole[:length])
                machine = _finish(path)
                assert len(list_told(path)) <= machine.budget
                if b'"event":"redealt"' in whole[: whole.rfind(b"\n", 0, length) + 1]:
                    assert machine.winner == expected.winner
                    assert sum(line["event"] == "redealt" for line in lines(path)) <= 1


def _finish(path: Path) -> heats.Machine:
    with open_journal(path) as journal:
        while query := journal.machine.ask():
            journal.tell(query, noisy(query), by="eve")
    return journal.machine


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 99_999), st.sampled_from([None, 4]))
def test_of_this_rule_nothing_is_dealt_anew(chance: int, most: int | None) -> None:
    """However often the run is resumed, and wherever it was cut."""
    draw = random.Random(chance)
    with folder() as there:
        path = there / "run.jsonl"
        walk(path, draw, most)
        whole = path.read_bytes()
        for _ in range(4):
            path.write_bytes(whole[: draw.randrange(whole.index(b"\n") + 1, len(whole) + 1)])
            open_journal(path, most).close()
            assert not any(line["event"] == "redealt" for line in lines(path))


# Journals of format 2, by today's code and once the rule has changed.


REPORTED = {  # the winner, pulls told, of these without a verdict, pulls owed in the batch under way, and batches
    "eventful": (None, 21, 15, 2, (4, 10, 9, 7, 5, 5)),  # voided, taken back, closed, and no set more than twice
    "extended": (None, 28, 0, 6, (4, 6, 5, 5, 6, 8, 5)),  # over, extended, and added to, twice
    "find-best": (5, 20, 0, 0, (2, 3, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1)),
    "finished": (8, 24, 0, 0, (3, 4, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1)),
    "first-batch": (None, 2, 0, 1, (3, 5, 4)),
    "stopped": (3, 13, 0, 0, (2, 11)),
    "under-way": (None, 13, 0, 6, (3, 9, 7, 6, 5)),
}


@pytest.mark.parametrize("path", FORMAT2, ids=lambda path: path.stem)
@pytest.mark.parametrize("now", [(DEAL, 1), (never, 2)], ids=["rule 1", "rule 2"])
def test_journals_of_format_2_are_read(path: Path, now: tuple[Callable[..., Any], int]) -> None:
    """By their lines; only what a closed batch would have compared is not told in them."""
    with dealing(*now):
        log = read(path)
        machine = log.machine
        assert log.header.format == 2
        found = machine.winner, machine.spent, machine.no_verdicts, machine.owed, machine.stage_sizes
        assert found == REPORTED[path.stem]
        assert list_told(path).items() <= list_compared(machine).items()
        assert machine.report().winner == machine.winner
    assert "rule" not in msgspec.to_builtins(log.header.machine)  # it is 1


@pytest.mark.parametrize("source", FORMAT2, ids=lambda path: path.stem)
@pytest.mark.parametrize("rule", [1, 2])
def test_journals_of_format_2_are_extended(source: Path, rule: int, tmp_path: Path) -> None:
    """Over or not, with more pulls and one more candidate; in the format that they have."""
    path = tmp_path / "run.jsonl"
    shutil.copy(source, path)
    with dealing(rule=rule):
        log = read(path)
        spec = log.machine.spec
        asked = heats.Machine.from_spec(spec, seed=log.machine.seed)
        said = next(line["feedback"] for line in lines(path) if line["event"] == "told")
        answer = noisy if isinstance(said, list) else TRUTH[next(iter(said))]
        with Journal(path, asked, log=log) as journal:
            journal.take()
            journal.extend(9)
            assert journal.add("newest") == spec.n_arms
            while query := journal.machine.ask():
                journal.tell(query, answer(query), by="eve")
        assert journal.machine.spent == spec.budget + 9
        assert any(spec.n_arms in each.arms for each in journal.machine.evidence())
        assert recall(read(path).machine) == recall(journal.machine)
        assert [line["rule"] for line in lines(path) if line["event"] == "redealt"] == [2] * (rule - 1)
        assert lines(path)[0]["format"] == 2


def test_find_best_and_the_command_line_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Reports as before, and more of it by the same call; pages are made, too."""
    path, candidates = tmp_path / "run.jsonl", [{"x": i} for i in range(6)]
    shutil.copy(next(each for each in FORMAT2 if each.stem == "find-best"), path)

    def compare(heat: Any, query: Query) -> list[float]:
        return [each["x"] + random.Random(query.seed).random() for each in heat]

    find = partial(heats.find_best, candidates, heat_size=3, seed=3, strategy="adaptive", journal=path)
    with dealing(never, rule=2):
        assert find(never, budget=20).winner == {"x": 5}
        assert run(["report", str(path), "--html", str(tmp_path / "page.html"), "--json"]) == 0
        assert '"winner":5' in capsys.readouterr().out.replace(" ", "")
    with dealing(rule=2):
        assert run(["extend", str(path), "-B", "+5"]) == 0
        found = find(compare, budget=30)
        assert (found.winner, found.spent) == ({"x": 5}, 30)
        assert run(["report", str(path)]) == 0
        capsys.readouterr()


# Who won.


def test_the_winner_is_whom_the_journal_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where another rule, or the standings, would name somebody else: reports, pages, extensions, all works."""
    path = tmp_path / "run.jsonl"
    _finish(path)
    last = _rewrite_winner(path, lambda machine: machine.standings().rows[-1].arm)
    machine = read(path).machine
    report = machine.report()
    assert machine.winner == machine.leader == report.winner == last
    assert report.standings.rows[0].arm != last
    assert f'"winner":{last}' in report.to_json()
    assert str(report) and report._repr_html_()  # noqa: PT018
    for options in ((), ("--json",), ("--html", str(tmp_path / "page.html"), "--csv", str(tmp_path / "table.csv"))):
        assert run(["report", str(path), *options]) == 0
    with open_journal(path) as journal:
        assert journal.machine.winner == last
        journal.extend(1)
        assert journal.machine.winner is None
        query = journal.machine.ask()
        assert query is not None
        journal.tell(query, noisy(query))
    assert journal.machine.winner == read(path).machine.winner == int(journal.machine.game.winners[0])
    capsys.readouterr()


def test_without_somebodys_answers_the_winner_is_found_anew(tmp_path: Path) -> None:
    """By this version's rule; the file says who."""
    path = tmp_path / "run.jsonl"
    _finish(path)
    last = _rewrite_winner(path, lambda machine: machine.standings().rows[-1].arm)
    with open_journal(path) as journal:
        journal.void("eve")
    assert journal.machine.winner == int(journal.machine.game.winners[0])
    assert [line["winner"] for line in lines(path) if line["event"] == "finished"] == [last, journal.machine.winner]
    assert read(path).machine.winner == journal.machine.winner


@pytest.mark.parametrize("arm", [-1, 7, 99])
def test_a_winner_that_cannot_be_is_refused(tmp_path: Path, arm: int) -> None:
    path = tmp_path / "run.jsonl"
    _finish(path)
    _rewrite_winner(path, lambda _: arm)
    with pytest.raises(BrokenFile, match=f"it says that arm {arm} won, which cannot be"):
        read(path)


def test_a_winner_before_the_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    open_journal(path).close()
    log = read(path)
    with path.open("ab") as file:
        file.write(log.chain.seal(Finished(1, log.header.at)))
    with pytest.raises(BrokenFile, match="arm 1 won, which cannot be"):
        read(path)


def _rewrite(path: Path, change: Callable[[Event], Event]) -> None:
    """Let a journal say something else, as if it had been written so."""
    chain, (first, *rest) = Chain(), path.read_bytes().splitlines()
    sealed = [first]
    assert chain.accept(first)
    sealed += [chain.seal(change(decode_event(line))).removesuffix(b"\n") for line in rest]
    path.write_bytes(b"\n".join([*sealed, b""]))


def _rewrite_winner(path: Path, choose: Callable[[heats.Machine], int]) -> int:
    winner = choose(read(path).machine)
    _rewrite(
        path, lambda event: msgspec.structs.replace(event, winner=winner) if isinstance(event, Finished) else event
    )
    return winner


# What is not known, or not allowed.


@pytest.mark.parametrize("arms", [(1, 1), (0, 7), (-1, 2), (0, 1, 2), (3,), ()])
def test_heats_that_cannot_have_been_are_refused(tmp_path: Path, arms: tuple[int, ...]) -> None:
    """An arm twice, one that there is not, or another number of them."""
    path = tmp_path / "run.jsonl"
    _finish(path)
    _rewrite(path, lambda event: msgspec.structs.replace(event, arms=arms) if type(event) is Told else event)
    with pytest.raises(BrokenFile, match=r"line 2 of .* does not fit the run: pull 0 cannot compare the arms"):
        read(path)


def test_pulls_that_an_older_rule_dealt_are_not_given_to_others(tmp_path: Path) -> None:
    """Nobody is handed their ids; by its id alone an answer to one is refused, with the reason."""
    path = tmp_path / "run.jsonl"
    with dealing(deal_otherwise), open_journal(path) as journal:
        out = journal.machine.ask(3)
        journal.tell(out[1], noisy(out[1]))
    with dealing(rule=2), open_journal(path) as journal:
        machine = journal.machine
        assert lines(path)[-1] | {"at": "", "crc": ""} == {
            "event": "redealt",
            "rule": 2,
            "first": 4,
            "at": "",
            "crc": "",
        }
        query = machine.ask()
        assert query is not None
        assert (query.id, machine.query(0).arms, machine.query(1)) == (4, (), out[1])
        for tell in (journal.tell, machine.tell):
            with pytest.raises(OutOfTurn, match=r"pull 0 was dealt by an earlier rule .* as late"):
                tell(0, [1.0, 2.0])
        journal.tell(out[0], noisy(out[0]))
        assert lines(path)[-1]["event"] == "late"
        assert lines(path)[-1]["arms"] == list(out[0].arms)


def test_who_was_not_dealt_in_the_first_batch_is_dealt_next(tmp_path: Path) -> None:
    """The first batch deals everybody once; what it still owed is dealt before all else."""
    path = tmp_path / "run.jsonl"
    with dealing(deal_otherwise), open_journal(path) as journal:
        [query] = journal.machine.ask(1)
        journal.tell(query, noisy(query))
    with dealing(rule=2), open_journal(path) as journal:
        machine = journal.machine
        assert machine.stage_sizes[:2] == (1, 3)
        assert machine.stage is not None
        assert set(machine.stage.heats.ravel().tolist()) >= set(range(7)) - set(query.arms)


def test_an_older_rules_batch_is_not_dealt_without_its_journal(tmp_path: Path) -> None:
    """Whoever asks the machine that a file gives back is told why not."""
    path = tmp_path / "run.jsonl"
    with dealing(deal_otherwise):
        open_journal(path).close()
    with dealing(never, rule=2):
        machine = read(path).machine
        for ask in (
            machine.ask,
            lambda: machine.query(0),
            lambda: machine.ask_for([0]),
            lambda: machine.tell(0, [1, 2]),
        ):
            with pytest.raises(OutOfTurn, match="dealt by rule 1 of adaptive play"):
                ask()
        assert machine.owed == 4


def test_a_newer_rules_run_is_reported_and_left_alone(tmp_path: Path) -> None:
    """Its lines are all there is to know; to go on with it takes the newer version."""
    path = tmp_path / "run.jsonl"
    with dealing(deal_otherwise, rule=3):
        walk(path, random.Random(1), None, steps=12)
        _finish(path)
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-3]))
        expected = recall(read(path).machine)
    before = path.read_bytes()
    assert recall(read(path).machine) == expected
    with pytest.raises(InvalidArgument, match=r"run.jsonl: the run is dealt by rule 3 .* update heats"):
        open_journal(path)
    assert path.read_bytes() == before


def test_a_closed_batch_tells_what_it_would_have_compared(tmp_path: Path) -> None:
    """So that nothing is dealt to know it; journals of format 2 do not tell it, and do without."""
    path = tmp_path / "run.jsonl"
    with dealing(deal_otherwise), open_journal(path) as journal:
        [query] = journal.machine.ask(1)
        journal.tell(query, noisy(query))
        journal.close_stage("nobody is left")
    with dealing(never, rule=2):
        machine = read(path).machine
        assert recall(machine) == recall(journal.machine)
        assert [each.arms.tolist() for each in machine.silence()] == [
            each.arms.tolist() for each in journal.machine.silence()
        ]
        _rewrite(path, lambda event: msgspec.structs.replace(event, owed={}) if hasattr(event, "owed") else event)
        machine = read(path).machine
        assert (machine.spent, machine.no_verdicts, machine.silence()) == (4, 3, [])
        assert machine.report().spent == 4
    with dealing(rule=2):
        assert _finish(path).spent == 16


def test_a_batch_of_which_nothing_is_known_may_be_closed(tmp_path: Path) -> None:
    """In format 2, without one line told."""
    path = tmp_path / "run.jsonl"
    with dealing(deal_otherwise), open_journal(path) as journal:
        journal.close_stage("nobody came")
    _rewrite(path, lambda event: msgspec.structs.replace(event, owed={}) if hasattr(event, "owed") else event)
    with dealing(rule=2):
        machine = read(path).machine
        assert (machine.spent, machine.no_verdicts, machine.round) == (4, 4, 1)
        machine.report()
        assert _finish(path).spent == 16
        assert json.loads(read(path).machine.report().to_json())["spent"] == 16
