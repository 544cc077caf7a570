"""A real server of a poll, started and killed as a user's machine might."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import httpx2 as httpx

from tests.vote.test_app import read_hidden

ENVIRONMENT = os.environ | {"PYTHONUNBUFFERED": "1", "OPENBLAS_NUM_THREADS": "1"}


class Server:
    """``heats vote`` in a process of its own, at a port of its own."""

    def __init__(self, folder: Path, *options: str, source: str = "names.txt", stderr: int | None = None) -> None:
        command = [sys.executable, "-m", "heats", *_say(source, options)]
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=stderr, text=True, env=ENVIRONMENT
        )
        assert self.process.stdout is not None
        self.links = _read_links(self.process.stdout)
        httpx.get(next(iter(self.links.values())), timeout=30)  # it answers by now

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


class Starter:
    """Starts ``heats vote`` again and again, one at a time, without loading all of it every time."""

    def __init__(self) -> None:
        command, root = [sys.executable, "-m", "tests.vote.starter"], Path(__file__).parents[2]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=root, stdin=pipe, stdout=pipe, text=True, env=ENVIRONMENT)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        self._server: int | None = None

    def start(self, folder: Path, *options: str) -> dict[str, str]:
        """Start a server; return its links."""
        print(json.dumps([str(folder), _say("names.txt", options)]), file=self._input, flush=True)
        self._server = int(next(self._output))
        return _read_links(self._output)

    def kill(self) -> None:
        """End it as a power cut would."""
        assert self._server is not None
        os.kill(self._server, signal.SIGKILL)
        self._server = None
        while next(self._output) != "gone\n":
            pass

    def close(self) -> None:
        """Start no more."""
        if self._server is not None:
            self.kill()
        self._input.close()
        self._process.wait()
        self._output.close()


def _say(source: str, options: Iterable[str]) -> list[str]:
    return ["vote", source, "--port", "0", "--journal", "votes.jsonl", *options]


def _read_links(lines: Iterable[str]) -> dict[str, str]:
    """Return the links that a server prints when it begins."""
    links = {}
    for line in lines:
        if found := re.fullmatch(r"(.+),(http://\S+)\n", line):
            links[found[1]] = found[2]
        if line.startswith("The journal"):
            break
    return links


def open_page(client: httpx.Client, link: str) -> str:
    """Return a voter's page; begin if it says so."""
    page = client.get(f"{link}?more=1").text
    if "data-begin" not in page:
        return page
    client.post(f"{link}/begin?more=1")
    return client.get(f"{link}?more=1").text


def vote(client: httpx.Client, link: str) -> int | None:
    """Vote once for the first one shown; return the pull, None if there was nothing to vote on or nobody answered."""
    try:
        page = open_page(client, link)
        if 'name="say"' not in page:
            return None
        fields = read_hidden(page)
        answer = client.post(f"{link}/vote", data=fields | {"say": "1"})
        return int(fields["number"]) if answer.headers.get("location", "").endswith("said=counted") else None
    except httpx.TransportError:
        return None
