"""Many voters at once, a full disk and a huge film, with a real server: what is answered is true."""

from __future__ import annotations

import asyncio
import resource
from collections import Counter
from pathlib import Path

import httpx2 as httpx
import pytest

from heats.journal import Log
from heats.vote.desk.ledger import Ledger
from tests.vote.polls import list_votes, write_lines
from tests.vote.servers import Server, open_page
from tests.vote.test_app import read_hidden
from tests.vote.test_scenario import write_pictures

PEOPLE = [f"person {number}" for number in range(100)]


async def vote_all(client: httpx.AsyncClient, link: str, counted: list[str]) -> None:
    """Vote until the poll is over, and remember what was said to be counted."""
    while True:
        page = (await client.get(f"{link}?more=1")).text
        if 'name="say"' in page:
            fields = read_hidden(page)
            answer = await client.post(f"{link}/vote?more=1", data=fields | {"say": "1"})
            if "said=counted" in answer.headers["location"]:
                counted.append(fields["number"])
        elif "The poll is over" in page:
            return
        else:
            await client.post(f"{link}/begin?more=1")
            await asyncio.sleep(0.05)


@pytest.mark.slow
def test_100_voters_at_once_give_every_vote_once(tmp_path: Path) -> None:
    """All that were said to be counted are in the journal, nobody saw the same twice, and nothing else was counted."""
    write_lines(tmp_path, [f"candidate {number}" for number in range(20)])
    (tmp_path / "people.csv").write_text("\n".join(PEOPLE))
    server, counted = Server(tmp_path, "-k", "3", "-B", "1000", "--voters", "people.csv"), list[str]()

    async def vote() -> None:
        async with httpx.AsyncClient(timeout=120, limits=httpx.Limits(max_connections=100)) as client:
            await asyncio.gather(*(vote_all(client, server.links[name], counted) for name in PEOPLE))

    try:
        asyncio.run(vote())
    finally:
        server.kill()
    ledger = Ledger()
    log = Log(tmp_path / "votes.jsonl", on_event=ledger.note)
    log.advance()
    assert log.machine.done
    assert sorted(map(int, counted)) == list(range(1000))
    assert max(Counter((who, frozenset(vote.arms)) for who, vote in list_votes(ledger)).values()) == 1


@pytest.mark.slow
def test_a_full_disk_is_said_and_votes_go_on_when_there_is_room(tmp_path: Path) -> None:
    """The journal may grow by a few bytes only: what does not get through is not counted, and nothing is torn."""
    write_lines(tmp_path)
    (tmp_path / "people.csv").write_text("Ann\nBob\n")
    server, journal = Server(tmp_path, "-k", "3", "-B", "12", "--voters", "people.csv"), tmp_path / "votes.jsonl"
    _, most = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    link = server.links["Ann"]
    try:
        with httpx.Client(timeout=60) as client:
            fields = read_hidden(open_page(client, link)) | {"say": "1"}
            before = journal.read_bytes()
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (len(before) + 20, most))
            for _ in range(2):
                answer = client.post(f"{link}/vote", data=fields)
                assert (answer.status_code, "NOT counted" in answer.text) == (503, True)
            assert "Nothing can be counted now" in client.get(link).text
            assert journal.read_bytes() == before
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (most, most))
            assert client.post(f"{link}/vote", data=fields).headers["location"].endswith("said=counted")
    finally:
        server.kill()
    log = Log(journal)
    log.advance()
    assert log.machine.answered == {"Ann": 1}


@pytest.mark.slow
def test_a_film_of_2_gb_is_sent_in_parts(tmp_path: Path) -> None:
    """As browsers ask for them; the server never has much of it in memory."""
    pictures = write_pictures(tmp_path)
    with (pictures / "film.mp4").open("wb") as film:
        film.truncate(2 << 30)
        film.seek(-4, 2)
        film.write(b"last")
    (tmp_path / "people.csv").write_text("Ann\nBob\n")
    server = Server(tmp_path, "-k", "2", "-B", "6", "--voters", "people.csv", source="logos")
    status = Path(f"/proc/{server.process.pid}/status")
    film_address = f"{server.links['Ann']}/media/0"
    try:
        with httpx.Client(timeout=60) as client:
            part = client.get(film_address, headers={"Range": "bytes=-4"})
            assert (part.status_code, part.content) == (206, b"last")
            assert part.headers["content-range"] == f"bytes {(2 << 30) - 4}-{(2 << 30) - 1}/{2 << 30}"
            before = read_peak(status)
            with client.stream("GET", film_address) as answer:
                assert int(answer.headers["content-length"]) == 2 << 30
                got = 0
                for chunk in answer.iter_bytes():
                    got += len(chunk)
                    if got > 100 << 20:
                        break
            assert read_peak(status) - before < 50 << 20
            assert client.get(film_address, headers={"Range": f"bytes={2 << 30}-"}).status_code == 416
    finally:
        server.kill()


def read_peak(status: Path) -> int:
    """Return the most memory that a process ever had, in bytes."""
    (line,) = [each for each in status.read_text().splitlines() if each.startswith("VmHWM")]
    return 1024 * int(line.split()[1])
