"""What reports count, beside counts by hand: sessions, workers, calls of judges, retries."""

from __future__ import annotations

import asyncio
import json
import threading
import zlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import heats
from heats.cli.app import run
from heats.journal import Log
from heats.journal.origin import VoteOrigin
from tests.journal.runs import lines
from tests.race.scenarios import write

DEMO = ["demo", "-n", "6", "-k", "3", "-B", "30", "--strategy", "adaptive", "--seed", "3"]
RACE = {"command": ["sh", "-c", "sleep {nap}"], "budget": 12, "cutoff": "20s", "heat_size": 2, "slots": 4}
RACE |= {"mode": "parallel", "batches": 3}
SPACE = {"sample": 6, "nap": {"float": [0, 0.05]}}


def interrupt(journal: Path, told: int) -> None:
    """Leave of a journal what a run had written that was killed after so many answers."""
    kept, left = [], told
    for line in journal.read_bytes().splitlines(keepends=True):
        left -= json.loads(line)["event"] == "told"
        if left < 0:
            break
        kept.append(line)
    journal.write_bytes(b"".join(kept))


def read_run(journal: Path, capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], str]:
    """Return what a report says of a run, as JSON and in a line."""
    capsys.readouterr()
    assert run(["report", str(journal), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["run"]
    assert run(["report", str(journal), "--html", str(journal.with_suffix(".html"))]) == 0
    (line,) = [each for each in capsys.readouterr().out.splitlines() if each.startswith(("workers:", "voters:"))]
    said = line.split(":")[1].strip()
    assert f"<dd>{said}</dd>" in journal.with_suffix(".html").read_text()
    return told, said


def test_sessions_of_a_race_are_what_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two heats at a time; resumed three times, extended, and continued with new candidates: each is counted once."""
    journal = tmp_path / "run.jsonl"
    assert run(["race", str(write(tmp_path, RACE, space=SPACE)), "--journal", str(journal)]) == 0
    told, said = read_run(journal, capsys)
    assert (told["resumed"], told["extended"], told["most_workers"], said) == (0, 0, 2, "2")
    for pulls in (3, 5, 9):
        interrupt(journal, pulls)
        assert run(["resume", str(journal)]) == 0
    assert run(["extend", str(journal), "-B", "+6"]) == 0
    assert read_run(journal, capsys)[1] == "2; the run was resumed 3 times and extended once"
    assert run(["race", "--continue", str(journal), "--more", "2", "-B", "+6"]) == 0
    told, said = read_run(journal, capsys)
    assert (told["resumed"], told["extended"], told["most_workers"]) == (3, 2, 2)
    assert said == "2; the run was resumed 3 times and extended twice"
    assert sum(told["workers"].values()) == 24


def test_a_run_that_was_extended_is_resumed_when_it_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By another command, even where nothing had interrupted it; the extension itself resumes nothing."""
    journal = tmp_path / "run.jsonl"
    assert run([*DEMO, "--journal", str(journal)]) == 0
    for number in (1, 2):
        assert run(["extend", str(journal), "-B", "+5"]) == 0
        assert run(["resume", str(journal)]) == 0
        told, _ = read_run(journal, capsys)
        assert (told["resumed"], told["extended"], told["most_workers"]) == (number, number, 1)
    interrupt(journal, 33)
    told, _ = read_run(journal, capsys)
    resumed = told["resumed"]
    assert run(["extend", str(journal), "-B", "+5"]) == 0
    assert read_run(journal, capsys)[0]["resumed"] == resumed


def test_a_call_that_asks_for_more_extends(tmp_path: Path) -> None:
    """A run that was over is not resumed by it; one that was interrupted is both."""
    path = tmp_path / "run.jsonl"

    def find(budget: int) -> Log:
        heats.find_best(range(6), lambda heat: list(map(float, heat)), budget=budget, heat_size=3, journal=path)
        log = Log(path)
        log.advance()
        return log

    log = find(20)
    assert (log.resumed, log.extensions) == (0, 0)
    log = find(30)
    assert (log.resumed, log.extensions) == (0, 1)
    interrupt(path, 25)
    log = find(40)
    assert (log.resumed, log.extensions) == (1, 2)


def test_a_run_in_which_nothing_was_told_has_nothing_to_resume(tmp_path: Path) -> None:
    """As that of a poll, whose journal is there before it is opened."""
    path = tmp_path / "run.jsonl"
    for expected in (0, 0, 1, 2):
        with heats.Journal(path, machine := heats.Adaptive(4, 2, 20)) as journal:
            assert journal.log.resumed == expected
            if expected or lines(path)[-1]["event"] == "resumed":
                query = machine.ask()
                assert query is not None
                journal.tell(query, heats.Winner(query.arms[0]))


def test_workers_are_those_of_a_session(tmp_path: Path) -> None:
    """The most of any: threads of a process that comes later are others by name, but not more at work."""
    path = tmp_path / "run.jsonl"
    for budget, workers in ((20, 3), (40, 2), (60, 3)):
        with ThreadPoolExecutor(workers) as pool:
            heats.find_best(range(9), list, budget=budget, heat_size=3, journal=path, executor=pool)
    log = Log(path)
    log.advance()
    assert log.most_workers <= 3 < len(log.machine.answered)


def test_people_are_counted_over_all_sessions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are voters, who stay the same whatever process serves them."""
    path = tmp_path / "votes.jsonl"
    origin = VoteOrigin(scenario="names.txt", organiser="", voters=None)
    for people in (("ann", "bob", "ann"), ("bob", "cem")):
        with heats.Journal(heats.JournalFile(path, command=origin), machine := heats.Adaptive(4, 2, 20)) as journal:
            for who in people:
                query = machine.ask()
                assert query is not None
                journal.tell(query, heats.Winner(query.arms[0]), by=who)
    told, said = read_run(path, capsys)
    assert (told["workers"], said) == ({"ann": 2, "bob": 2, "cem": 1}, "3; the run was resumed once")


class Service:
    """A judge that counts what it is asked: some calls fail, some answers are no verdict."""

    def __init__(self) -> None:
        self.asked = 0
        self.failed = 0
        self.silent = 0
        self.made: Counter[tuple[str, int]] = Counter()
        self._met: Counter[str] = Counter()
        self._guard = threading.Lock()

    def ask(self, text: str) -> Any:
        with self._guard:
            self.asked += 1
            self._met[text] += 1
            first = self._met[text] == 1
            kind = zlib.crc32(text.encode()) % 4
            self.failed += first and kind == 0
            self.silent += first and kind == 1
        if first and kind == 0:
            raise ConnectionError("busy")
        said = "well, well" if first and kind == 1 else "A"
        return heats.Noted(said, {"cost": 1})

    def answer(self, candidate: str, row: int) -> Any:
        with self._guard:
            self.made[candidate, row] += 1
        return heats.Noted(f"{candidate} on {row}", {"cost": 100})


def judge(service: Service, **options: Any) -> heats.judging.Judge:
    return heats.judging.Judge(
        service.ask, rows=range(30), answer=service.answer, name="service", varies=True, **options
    )


ASKED: dict[str, Any] = {"budget": 40, "heat_size": 3, "retries": 6, "backoff": (0.001, 0.001)}
WORDS = ["one", "two", "three", "four", "five", "six"]


@pytest.mark.parametrize("how", ["here", "threads", "awaited", "journal"])
def test_calls_are_questions_to_the_judge(how: str, tmp_path: Path) -> None:
    """Outputs that candidates make are counted apart, and those that were made before; costs are those of both."""
    service = Service()
    if how == "awaited":
        found = asyncio.run(heats.find_best_async(WORDS, judge(service), concurrency=4, **ASKED))
    elif how == "threads":
        with ThreadPoolExecutor(4) as pool:
            found = heats.find_best(WORDS, judge(service), executor=pool, **ASKED)
    else:
        journal = tmp_path / "run.jsonl" if how == "journal" else None
        found = heats.find_best(WORDS, judge(service), journal=journal, **ASKED)
    facts = found.judging
    assert facts is not None
    assert (facts.pulls, facts.calls, facts.cache_hits) == (40, service.asked, 0)
    assert facts.calls == 40 + service.failed + service.silent
    assert facts.retries == service.failed + service.silent
    assert set(service.made.values()) == {1}
    assert facts.outputs == len(service.made)
    assert facts.outputs + facts.kept_outputs == 3 * facts.calls  # whose pull was tried again made nothing anew
    assert facts.cost == 100 * facts.outputs + facts.calls - service.failed
    assert service.failed > 0 < service.silent
    said = f"40 pulls by 1 judge: {facts.calls} calls and {facts.outputs} outputs, which cost {facts.cost:,.6g}; "
    assert f"{said}0 answers from the cache, {facts.retries} tried again; {facts.kept_outputs} outputs used" in str(
        found
    )


def make(candidate: str, row: int) -> str:
    return f"{candidate} on {row}"


def test_what_the_cache_had_is_no_call(tmp_path: Path) -> None:
    """Neither a question nor an output; both are counted as what they are, also in a run that goes on."""
    asked: list[str] = []

    def ask(text: str) -> str:
        asked.append(text)
        return "A"

    def find(journal: Path) -> Any:
        reader = heats.judging.Judge(ask, rows=range(30), answer=make, name="x", cache=tmp_path / "answers.db")
        return heats.find_best(WORDS, reader, budget=40, heat_size=3, journal=journal).judging

    first, again = find(tmp_path / "1.jsonl"), find(tmp_path / "2.jsonl")
    assert (first.calls + first.cache_hits, first.outputs + first.kept_outputs) == (40, 120)
    assert first.calls == len(asked)
    assert (again.calls, again.cache_hits, again.outputs, again.kept_outputs) == (0, 40, 0, 120)
    interrupt(tmp_path / "1.jsonl", 25)
    gone_on = find(tmp_path / "1.jsonl")
    assert (gone_on.calls + gone_on.cache_hits, gone_on.outputs + gone_on.kept_outputs) == (40, 120)
    assert gone_on.calls <= first.calls


def test_what_is_tried_again_is_counted_once_for_every_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And once for every answer without a verdict after which another one was asked for; also in a run that goes on."""
    journal, met, failures = tmp_path / "run.jsonl", Counter[int](), []

    def compare(heat: tuple[int, ...], query: heats.Query) -> Any:
        met[query.id] += 1
        if query.id % 5 == 0 and met[query.id] <= 2:
            failures.append(query.id)
            raise ValueError("not yet")
        return [float(arm) for arm in heat]

    for _ in range(2):
        heats.find_best(range(9), compare, budget=40, heat_size=3, retries=3, backoff=(0.001, 0.001), journal=journal)
        interrupt(journal, 30)
    told, _ = read_run(journal, capsys)
    kept = [each["id"] for each in lines(journal) if each["event"] == "requeued"]
    assert told["requeued"] == len(kept) > 0
    assert Counter(kept) == Counter(each for each in failures if each in kept)
    assert sum(told["workers"].values()) == 30
    assert told["resumed"] == 1


def test_runs_of_a_race_are_those_that_were_started(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By what the programs themselves write down; crashes and heats that nobody won are counted, too."""
    started, journal = tmp_path / "started.txt", tmp_path / "run.jsonl"
    command = ["sh", "-c", f"echo {{n}} >> {started}; sleep 0.0{{n}}; exit $(({{n}} == 3 ? 9 : 0))"]
    race = {"command": command, "budget": 9, "cutoff": "20s", "heat_size": 2, "mode": "parallel"}
    scenario = write(tmp_path, race, [{"n": number} for number in (1, 3, 5)])
    assert run(["race", str(scenario), "--journal", str(journal)]) == 0
    assert run(["extend", str(journal), "-B", "+3"]) == 0
    assert run(["resume", str(journal)]) == 0
    capsys.readouterr()
    assert run(["report", str(journal), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["race"]
    runs = Counter(started.read_text().split())
    assert told["heats"] == 12
    assert {each["arm"]: each["runs"] for each in told["candidates"]} == {0: runs["1"], 1: runs["3"], 2: runs["5"]}
    crashes = {each["arm"]: each["crashes"] for each in told["candidates"]}
    assert crashes[0] == crashes[2] == 0 < crashes[1] <= runs["3"]
    assert sum(each["wins"] for each in told["candidates"]) + told["without_winner"] == 12
