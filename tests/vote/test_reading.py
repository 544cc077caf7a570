"""The organiser's look at the journal: in a process of its own, which no voter waits for and which outlives nobody."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from functools import partial
from pathlib import Path

import pytest

from heats.journal import Log
from heats.vote.desk.ledger import Ledger
from heats.vote.desk.office import Office
from heats.vote.desk.reading import read_in_process
from heats.vote.poll.scenario import load_poll
from heats.vote.site.overview import Busy, survey
from tests.vote.polls import write_lines

LOOK = partial(survey, busy=Busy(0, []), listed=None)


def say_where(log: Log, ledger: Ledger) -> int:
    """Return in which process that is."""
    return os.getpid()


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    """A poll that is read as a served one is."""
    poll = load_poll(write_lines(tmp_path), {"budget": 12, "heat_size": 3})
    with contextlib.closing(Office(poll, tmp_path / "votes.jsonl", reader=read_in_process)) as office:
        yield office


def test_a_process_of_its_own_sees_what_is_on_the_disk(office: Office) -> None:
    """The same as here, and what came in since its last look; killed, it makes room for another."""
    assert office.reading.do(LOOK).result() == survey(office.desk.journal.log, Ledger(), Busy(0, []), None)
    office.do(lambda desk: desk.journal.pause()).result()
    assert office.reading.do(LOOK).result().is_paused
    there = office.reading.do(say_where).result()
    assert there != os.getpid()
    os.kill(there, signal.SIGKILL)
    with contextlib.suppress(BrokenExecutor):  # until it is known that it is gone
        office.reading.do(say_where).result()
    assert office.reading.do(LOOK).result().is_paused
    assert office.reading.do(say_where).result() != there


def test_it_ends_with_whoever_began_it(tmp_path: Path) -> None:
    """Even if that one is killed."""
    program = (
        "import sys, time\nfrom pathlib import Path\nfrom tests.vote.test_reading import *\n"
        "office = Office(load_poll(write_lines(Path(sys.argv[1])), {'budget': 12, 'heat_size': 3}),"
        " Path(sys.argv[1]) / 'votes.jsonl', reader=read_in_process)\n"
        "print(office.reading.do(say_where).result(), flush=True)\ntime.sleep(600)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    for _ in range(600):
        if not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text().split(")")[-1]:
            return
        time.sleep(0.05)
    pytest.fail("it goes on")
