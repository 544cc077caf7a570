"""``kill -9`` while people vote: what they were told is counted is counted, once, and the journal is all it takes."""

from __future__ import annotations

import contextlib
import itertools
import random
import signal
import subprocess
import threading
import time
from pathlib import Path

import httpx2 as httpx
import pytest

from heats.cli.app import run
from heats.journal import Log
from heats.journal.events import Event, Told
from heats.reports.result import summarise
from tests.vote.polls import write_lines
from tests.vote.servers import Server, Starter, vote

KILLS = 100
MOST_VOTES = 8  # between two kills, as far as they are waited for
PEOPLE = [f"person {number}" for number in range(12)]
OPTIONS = ["-k", "3", "-B", "120", "--voters", "people.csv"]

Shown = tuple[str, int]  # somebody, and a pull that was shown to them


class Crowd:
    """Everybody on the list, each voting as fast as can be; it remembers which votes were said to be counted."""

    def __init__(self, client: httpx.Client, links: dict[str, str]) -> None:
        self.counted: list[Shown] = []
        self._ended: list[str] = []  # who has nothing to vote on, or nobody to ask
        self._client, self._news = client, threading.Semaphore(0)
        self._threads = [threading.Thread(target=self._vote, args=(name, links[name])) for name in PEOPLE]
        for thread in self._threads:
            thread.start()

    def wait_for(self, votes: int) -> None:
        """Wait until so many votes are counted, or nobody has anything to vote on."""
        for _ in range(votes):
            self._news.acquire()

    def join(self) -> list[Shown]:
        """Wait until everybody has seen that the server is gone."""
        for thread in self._threads:
            thread.join()
        return self.counted

    def _vote(self, name: str, link: str) -> None:
        while (pull := vote(self._client, link)) is not None:
            self.counted.append((name, pull))
            self._news.release()
        self._ended.append(name)
        if len(self._ended) == len(PEOPLE):
            self._news.release(MOST_VOTES)


def kill_over_and_over(starter: Starter, folder: Path, draw: random.Random, most: int) -> tuple[int, list[Shown]]:
    """Let people vote and kill the server, until nobody can vote any more; return how often, and what was counted."""
    counted: list[Shown] = []
    with httpx.Client(timeout=60, limits=httpx.Limits(max_keepalive_connections=0)) as client:
        for kills in range(most):
            crowd = Crowd(client, starter.start(folder, *OPTIONS))
            began, votes = time.monotonic(), draw.randint(1, MOST_VOTES)
            crowd.wait_for(votes)
            time.sleep(draw.uniform(0, 1 / votes) * (time.monotonic() - began))  # so that it is not always after a vote
            starter.kill()
            gained = crowd.join()
            counted += gained
            if not gained:
                return kills, counted
    return most, counted


def test_sigterm_says_how_to_go_on(tmp_path: Path) -> None:
    """Also after the organiser looked, with what was read in a process of its own: nothing else is said."""
    write_lines(tmp_path)
    server = Server(tmp_path, "-k", "2", "-B", "9", stderr=subprocess.PIPE)
    httpx.get(server.links["organiser (secret)"], timeout=30)
    server.process.send_signal(signal.SIGTERM)
    _, err = server.process.communicate(timeout=60)
    assert server.process.returncode == -signal.SIGTERM
    assert err.startswith("heats: all votes are kept; go on with: heats vote names.txt --heat-size 2 --budget 9")
    assert err.count("\n") == 1


@pytest.mark.slow
def test_no_vote_is_lost_or_counted_twice(tmp_path: Path) -> None:
    """After a hundred kills at any moment; a vote that came through without its voter being told may be there, too."""
    draw, kills = random.Random(7), 0
    with contextlib.closing(Starter()) as starter:
        for number in itertools.count():
            if kills == KILLS:
                break
            folder = tmp_path / str(number)
            folder.mkdir()
            write_lines(folder, [f"candidate {number}" for number in range(12)])
            (folder / "people.csv").write_text("\n".join(PEOPLE))
            more, counted = kill_over_and_over(starter, folder, draw, KILLS - kills)
            kills += more
            links = starter.start(folder, *OPTIONS)
            result = httpx.get(f"{links['organiser (secret)']}/result.json", timeout=60).text
            starter.kill()
            check_journal(folder / "votes.jsonl", counted, more, result)


def check_journal(path: Path, counted: list[Shown], kills: int, result: str) -> None:
    """Check that a journal has all votes that were said to be counted, each once, and says what the server said."""
    told: list[tuple[int, Shown]] = []

    def note(event: Event) -> None:
        if type(event) is Told:
            told.append((event.id, (event.by or "", (event.notes or {}).get("asked", event.id))))

    log = Log(path, on_event=note)
    log.advance()
    machine, shown = log.machine, {each for _, each in told}
    assert len(counted) >= kills
    assert len(set(counted)) == len(counted)
    assert set(counted) <= shown
    assert len({pull for pull, _ in told}) == len(shown) == len(told) == machine.spent
    assert machine.spent == sum(machine.answered.values()) <= len(counted) + (kills + 1) * len(PEOPLE)
    assert result == summarise(machine, log.names, log).to_json()
    assert run(["report", str(path), "--json"]) == 0


def test_a_server_serves_and_a_second_one_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the same journal, and on the same port; both in a sentence."""
    write_lines(tmp_path)
    server = Server(tmp_path, "-k", "3", "-B", "30", "--voters", "4")
    try:
        link = server.links["everybody"]
        assert "Begin" in httpx.get(link).text
        port = link.rstrip("/").rpartition(":")[2]
        scenario, journal = str(tmp_path / "names.txt"), str(tmp_path / "votes.jsonl")
        said = ["vote", scenario, "-k", "3", "-B", "30", "--voters", "4"]
        assert run([*said, "--port", "0", "--journal", journal]) == 2
        assert "is writing to" in capsys.readouterr().err
        assert run([*said, "--port", port, "--journal", str(tmp_path / "other.jsonl")]) == 2
        assert f"--port {port} cannot be had on 127.0.0.1: Address already in use" in capsys.readouterr().err
    finally:
        server.kill()


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["nothing.txt"], "is not there; give a scenario"),
        (["names.txt"], "say how many votes there are"),
        (["names.txt", "-B", "0"], "--budget 0 must be"),
        (["names.txt", "-B", "9", "-k", "9"], "--heat-size 9"),
        (["names.txt", "-B", "9", "--port", "70000"], "--port 70000 must be"),
        (["names.txt", "-B", "9", "--voters", "gone.csv"], "gone.csv cannot be read"),
        (["names.txt", "-B", "9", "--host", "nowhere.invalid"], "--host nowhere.invalid is no address"),
    ],
)
def test_a_wrong_request_is_one_sentence(
    tmp_path: Path, options: list[str], why: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With exit code 2 and no traceback, and no journal is begun."""
    write_lines(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run(["vote", *options]) == 2
    said = capsys.readouterr().err
    assert why in said
    assert said.count("\n") == 1
    assert not list(tmp_path.glob("*.jsonl*"))


def test_check_says_what_it_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And serves nothing."""
    write_lines(tmp_path)
    assert run(["vote", str(tmp_path / "names.txt"), "-k", "3", "--voters", "12", "--votes-each", "5", "--check"]) == 0
    assert "6 candidates, 3 at a time, 60 votes.\n12 voters: 5 votes each at most" in capsys.readouterr().out
