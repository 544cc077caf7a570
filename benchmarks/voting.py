"""A poll with 100 voters at once, on localhost: how long a vote takes until it is on the disk and answered."""

from __future__ import annotations

import asyncio
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from benchmarks.measure import Row

VOTERS = 100
VOTES = 10_000
THINKING = 1.0  # seconds, in the mean: faster than people are
LOOKING = 5.0  # seconds between two looks of the organiser
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')
FORM = "application/x-www-form-urlencoded"


class Voter:
    """A browser that is as cheap as can be, so that the server is measured and not the voters."""

    def __init__(self, link: str, number: int) -> None:
        self._address = urlsplit(link)
        self._draw = random.Random(number)
        self.votes: list[float] = []  # seconds that each took
        self.pages: list[float] = []

    async def vote(self, thinking: float, most: int = VOTES) -> None:
        """Vote until the poll is over, or so often."""
        path = self._address.path
        await self._connect()
        while len(self.votes) < most:
            await asyncio.sleep(thinking * self._draw.uniform(0.5, 1.5))
            begun = time.perf_counter()
            page = await self._ask("GET", f"{path}?more=1")
            self.pages.append(time.perf_counter() - begun)
            if "The poll is over" in page:
                break
            if 'name="say"' not in page:
                await self._ask("POST", f"{path}/begin?more=1")
                continue
            fields = dict(HIDDEN.findall(page.partition("</form>")[0])) | {"say": self._draw.choice("1123")}
            begun = time.perf_counter()
            answer = await self._ask("POST", f"{path}/vote?more=1", urlencode(fields))
            if "said=counted" in answer:
                self.votes.append(time.perf_counter() - begun)

    async def look_on(self) -> None:
        """Look every few seconds, as the organiser's page does."""
        await self._connect()
        while True:
            begun = time.perf_counter()
            await self._ask("GET", self._address.path)
            self.pages.append(time.perf_counter() - begun)
            await asyncio.sleep(LOOKING)

    async def _connect(self) -> None:
        self._reader, self._writer = await asyncio.open_connection(self._address.hostname, self._address.port)

    async def _ask(self, method: str, path: str, body: str = "") -> str:
        head = f"{method} {path} HTTP/1.1\r\nHost: {self._address.netloc}\r\nContent-Type: {FORM}\r\n"
        self._writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        said = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        size = re.search(r"content-length: (\d+)", said, re.IGNORECASE)
        return said + (await self._reader.readexactly(int(size[1]) if size else 0)).decode()


def rows() -> Iterator[Row]:
    """Measure everything, beside what a line takes to the same disk; the organiser looks on every few seconds."""
    with tempfile.TemporaryDirectory() as folder:
        links, server = serve(Path(folder), VOTES, VOTERS)
        organiser, *voters = (Voter(link, number) for number, link in enumerate(links))
        try:
            asyncio.run(voters[0].vote(0.0, most=10))  # what is loaded when it is first needed
            before = read_memory(server.pid)
            disk, looks = asyncio.run(_vote_together(voters, organiser, Path(folder)))
            after = read_memory(server.pid)
        finally:
            server.kill()
            server.wait()
    votes, pages = ([took for voter in voters for took in each(voter)] for each in (_list_votes, _list_pages))
    what = f"{VOTERS} voters at once, {len(votes):,} votes, {THINKING:g} s between two of a voter"
    yield Row(f"{what}: ms of a vote at 50%, 99% and 99.9%", _say(votes, 0.5, 0.99, 0.999), "≤ 100 at 99%")
    yield Row("the same of a page", _say(pages, 0.5, 0.99, 0.999), "")
    yield Row("meanwhile: ms of a line written and brought to the same disk", _say(disk, 0.5, 0.99, 0.999), "")
    yield Row(f"meanwhile: ms of the organiser's page, {len(looks)} times", _say(looks, 0.5, 0.99), "")
    yield Row("memory of the server after all votes over that before, MB", f"{after >> 20} / {before >> 20}", "")


async def _vote_together(voters: list[Voter], organiser: Voter, folder: Path) -> tuple[list[float], list[float]]:
    """Let everybody vote to the end; return how long the disk took meanwhile, and the organiser's page."""
    voting = asyncio.gather(*(voter.vote(THINKING) for voter in voters))
    disk: list[float] = []
    looking = asyncio.create_task(organiser.look_on())
    with (folder / "other").open("wb", buffering=0) as file:
        while not voting.done():
            disk.append(await asyncio.to_thread(_write_line, file.fileno()))
            await asyncio.sleep(0.5)
    await voting
    looking.cancel()
    return disk, organiser.pages


def _write_line(handle: int) -> float:
    begun = time.perf_counter()
    os.write(handle, b"x" * 200 + b"\n")
    os.fsync(handle)
    return time.perf_counter() - begun


def _list_votes(voter: Voter) -> list[float]:
    return voter.votes


def _list_pages(voter: Voter) -> list[float]:
    return voter.pages


def _say(times: list[float], *shares: float) -> str:
    ordered = sorted(times)
    return ", ".join(f"{1e3 * ordered[min(int(share * len(ordered)), len(ordered) - 1)]:.0f}" for share in shares)


def serve(folder: Path, votes: int, voters: int) -> tuple[list[str], subprocess.Popen[str]]:
    """Start a server of a poll; return the links of the organiser and of all voters, and the process."""
    (folder / "names.txt").write_text("\n".join(f"candidate {number}" for number in range(40)))
    (folder / "people.csv").write_text("\n".join(f"person {number}" for number in range(voters)))
    options = ["-k", "3", "-B", str(votes), "--voters", "people.csv", "--port", "0", "--journal", "votes.jsonl"]
    server = subprocess.Popen(
        [sys.executable, "-m", "heats", "vote", "names.txt", *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    links = []
    assert server.stdout is not None
    for line in server.stdout:
        if found := re.fullmatch(r".+,(http://\S+)\n", line):
            links.append(found[1])
        if line.startswith("The journal"):
            break
    return links, server


def read_memory(process: int) -> int:
    """Return how much memory a process has, in bytes."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    assert found is not None
    return 1024 * int(found[1])
