"""A real server of a poll, started and killed as a user's machine might."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx2 as httpx

from tests.vote.test_app import read_hidden


class Server:
    """``heats vote`` in a process of its own, at a port of its own."""

    def __init__(self, folder: Path, *options: str, source: str = "names.txt") -> None:
        command = [sys.executable, "-m", "heats", "vote", source, "--port", "0", "--journal", "votes.jsonl"]
        self.process = subprocess.Popen(
            [*command, *options],
            cwd=folder,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        assert self.process.stdout is not None
        self.links: dict[str, str] = {}
        for line in self.process.stdout:
            if found := re.fullmatch(r"(.+),(http://\S+)\n", line):
                self.links[found[1]] = found[2]
            if line.startswith("The journal"):
                break
        httpx.get(next(iter(self.links.values())), timeout=30)  # it answers by now

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


def open_page(client: httpx.Client, link: str) -> str:
    """Return a voter's page; begin if it says so."""
    page = client.get(f"{link}?more=1").text
    if "data-begin" not in page:
        return page
    client.post(f"{link}/begin?more=1")
    return client.get(f"{link}?more=1").text


def vote(client: httpx.Client, link: str) -> str | None:
    """Vote once for the first one shown; return the pull, None if there was nothing to vote on or nobody answered."""
    try:
        page = open_page(client, link)
        if 'name="say"' not in page:
            return None
        fields = read_hidden(page)
        answer = client.post(f"{link}/vote", data=fields | {"say": "1"})
        return fields["number"] if answer.headers.get("location", "").endswith("said=counted") else None
    except httpx.TransportError:
        return None
