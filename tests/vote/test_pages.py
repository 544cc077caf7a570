"""What is open on pages while the server is away: everybody's vote on it counts, whoever comes back first."""

from __future__ import annotations

import contextlib
import random
import time
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from heats.journal import Log
from heats.vote.desk.pages import OpenPages
from tests.vote.polls import Clock, write_lines
from tests.vote.servers import Starter, open_page
from tests.vote.test_app import Poll, read_hidden

PEOPLE = [f"person {number}" for number in range(6)]
KILLS = 20


def open_poll(folder: Path, **said: Any) -> Poll:
    """Begin the poll of examples/vote, or go on with it: six people, ten votes each, sets that are owed once or twice."""
    (folder / "six.csv").write_text("\n".join(PEOPLE))
    source = write_lines(folder, [f"candidate {number}" for number in range(12)])
    return Poll(folder, source=source, listed=False, **{"voters": str(folder / "six.csv"), "budget": 60} | said)


def send(poll: Poll, who: str, fields: dict[str, str]) -> str:
    """Vote on a page as it is; return what became of it."""
    answer = poll.client.post(f"{poll.base(who)}/vote?more=1", data=fields | {"say": "1"})
    return str(answer.headers["location"]).partition("said=")[2].partition("&")[0]


def find_page(poll: Poll, who: str) -> dict[str, str] | None:
    page = poll.get(who, "?more=1")
    return read_hidden(page) if 'name="say"' in page else None


@pytest.mark.parametrize("chance", range(4))
def test_no_vote_is_late_for_a_restart(tmp_path: Path, chance: int) -> None:
    """Those who are back first get something else: of 60 votes four came too late, on pages of before."""
    draw, poll, become = random.Random(chance), open_poll(tmp_path), []
    pages: dict[str, dict[str, str] | None] = {who: find_page(poll, who) for who in PEOPLE}
    while not poll.machine.done:
        if draw.random() < 0.3:
            poll.office.close()
            poll = open_poll(tmp_path)
        who = draw.choice(PEOPLE)
        page = pages[who]
        if page is not None:
            become.append(send(poll, who, page))
        pages[who] = find_page(poll, who)
        if all(page is None for page in pages.values()) and all(find_page(poll, each) is None for each in PEOPLE):
            break
    assert set(become) == {"counted"}
    assert poll.office.desk.journal.log.late == 0
    assert poll.machine.spent >= 55  # those who were fast may have none left for the last batch
    poll.office.close()


def test_a_page_is_as_old_as_it_was(tmp_path: Path) -> None:
    """A lease does not begin anew, and the seconds of a vote are those since the page was opened."""
    path, wall = tmp_path / "open", Clock()
    first = OpenPages(path, wall)
    first.note("Ann", 3, 0.0)
    wall.now = 100.0
    first.note("Bob", 4, 0.0)
    first.note("Ann", 5, 40.0)
    first.write()
    wall.now = 150.0
    assert OpenPages(path, wall).read() == [("Ann", 5, 90.0), ("Bob", 4, 50.0)]
    wall.now = 0.0  # the clock was set back
    assert OpenPages(path, wall).read() == [("Ann", 5, 0.0), ("Bob", 4, 0.0)]


def test_pages_that_were_open_for_longer_than_a_lease_are_others(tmp_path: Path) -> None:
    """After a night nobody waits for who left."""
    write_lines(tmp_path, ["tea", "milk"])
    said = {"source": tmp_path / "names.txt", "heat_size": 2, "budget": 1, "batches": 1}
    poll = Poll(tmp_path, **said)
    assert poll.open("Ann")
    poll.office.close()
    old = OpenPages(Path(f"{poll.office.path}.open"), lambda: time.time() - 601)
    old.note("Ann", 0, 0.0)
    old.begin()
    again = Poll(tmp_path, **said)
    assert again.office.desk.list_holders() == {}
    assert again.open("Bob")
    again.office.close()


@pytest.mark.parametrize(
    "content",
    [None, b"", b"\xff\xfe\x00", b'["Ann"]\n', b'["Ann",0,0', b'["Zoe",0,1e999]\n["Ann",99999,0]\n["Bob",-1,0]\n{}\n'],
)
def test_a_file_that_is_gone_or_damaged_is_as_good_as_none(tmp_path: Path, content: bytes | None) -> None:
    """The poll goes on, pages included."""
    poll = Poll(tmp_path)
    fields = poll.open("Ann")
    poll.office.close()
    path = Path(f"{poll.office.path}.open")
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    again = Poll(tmp_path)
    assert again.office.desk.list_holders() == {}
    assert again.client.post(f"{again.base('Ann')}/vote", data=fields | {"say": "1"}).status_code == 303
    assert again.machine.spent == 1
    again.office.close()


def test_a_poll_in_the_place_of_another_has_no_open_pages(tmp_path: Path) -> None:
    """People of the same names have begun nothing there."""
    poll = Poll(tmp_path)
    poll.open("Ann")
    poll.office.close()
    poll.office.path.unlink()
    again = Poll(tmp_path)
    assert again.office.desk.list_holders() == {}
    again.office.close()


def test_a_full_disk_keeps_no_pages_and_stops_no_vote(tmp_path: Path) -> None:
    """A folder is where the file should be: who holds what is known to the server only."""
    poll = Poll(tmp_path)
    poll.office.close()
    Path(f"{poll.office.path}.open").unlink()
    Path(f"{poll.office.path}.open").mkdir()
    again = Poll(tmp_path)
    assert again.send("Ann").headers["location"].endswith("said=counted")
    again.office.close()


def test_what_could_not_be_written_leaves_pages_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal is read again after that, and nobody else is handed what is on somebody's page."""
    poll = Poll(tmp_path, batches=1)
    fields = {who: poll.open(who) | {"say": "1"} for who in ("Ann", "Bob", "Cem")}
    before = poll.office.desk.list_holders()

    def fail(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("os.write", fail)
        assert poll.client.post(f"{poll.base('Ann')}/vote", data=fields["Ann"]).status_code == 503
    assert poll.office.do(lambda desk: desk.list_holders()).result() == before
    poll.office.close()


@pytest.mark.slow
def test_no_vote_is_late_for_a_kill(tmp_path: Path) -> None:
    """``kill -9`` with everybody's page open, again and again: who votes on an old page first, last or never is not late."""
    draw = random.Random(5)
    write_lines(tmp_path, [f"candidate {number}" for number in range(12)])
    (tmp_path / "people.csv").write_text("\n".join(PEOPLE))
    become: list[str] = []
    with contextlib.closing(Starter()) as starter, httpx.Client(timeout=60) as client:
        pages: dict[str, dict[str, str]] = {}
        for _ in range(KILLS):
            links = starter.start(tmp_path, "-k", "3", "-B", "60", "--voters", "people.csv")
            for _ in range(draw.randint(3, 10)):
                who = draw.choice(PEOPLE)
                link = links[who]
                if who in pages:
                    answer = client.post(f"{link}/vote?more=1", data=pages.pop(who) | {"say": "1"})
                    become.append(answer.headers["location"].partition("said=")[2].partition("&")[0])
                page = open_page(client, link)
                if 'name="say"' in page:
                    pages[who] = read_hidden(page)
            starter.kill()
    assert len(become) > 20
    assert set(become) == {"counted"}
    log = Log(tmp_path / "votes.jsonl")
    log.advance()
    assert log.late == 0
    assert log.machine.spent == len(become)
