"""``kill -9`` while people vote: what they were told is counted is counted, once, and the journal is all it takes."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import httpx2 as httpx
import pytest

from heats.cli.app import run
from heats.journal import Log
from heats.reports.result import summarise
from tests.vote.polls import write_lines
from tests.vote.servers import Server, vote

KILLS = 100
PEOPLE = [f"person {number}" for number in range(12)]


def keep_voting(link: str, counted: list[str]) -> None:
    """Vote until the server is gone, and remember what was said to be counted."""
    with httpx.Client(timeout=10) as client:
        while (pull := vote(client, link)) is not None:
            counted.append(pull)


@pytest.mark.slow
def test_no_vote_is_lost_or_counted_twice(tmp_path: Path) -> None:
    """After a hundred kills at any moment; a vote that came through without its voter being told may be there, too."""
    write_lines(tmp_path, [f"candidate {number}" for number in range(12)])
    (tmp_path / "people.csv").write_text("\n".join(PEOPLE))
    draw, counted = random.Random(7), list[str]()
    options = ["-k", "3", "-B", "1200", "--voters", "people.csv"]
    for _ in range(KILLS):
        server = Server(tmp_path, *options)
        links = [server.links[name] for name in PEOPLE]
        threads = [threading.Thread(target=keep_voting, args=(link, counted)) for link in links]
        for thread in threads:
            thread.start()
        goal = len(counted) + draw.randint(1, 8)
        while len(counted) < goal and any(thread.is_alive() for thread in threads):
            threads[0].join(0.002)
        server.kill()
        for thread in threads:
            thread.join()
    server = Server(tmp_path, *options)
    result = httpx.get(f"{server.links['organiser (secret)']}/result.json", timeout=60).text
    server.kill()
    log = Log(tmp_path / "votes.jsonl")
    log.advance()
    machine = log.machine
    assert len(counted) >= KILLS
    assert len(set(counted)) == len(counted)
    assert all(machine.told(int(pull)) for pull in counted)
    assert len(counted) <= machine.spent == sum(machine.answered.values()) <= len(counted) + KILLS * len(PEOPLE)
    assert result == summarise(machine, log.names, log).to_json()
    assert run(["report", str(tmp_path / "votes.jsonl"), "--json"]) == 0


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
