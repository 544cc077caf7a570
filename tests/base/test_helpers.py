"""Helper processes: results and errors come back, and nothing stays when they are ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pytest

from heats.base.helpers import HelperPool
from heats.errors import InvalidArgument
from tests.waiting import wait_until


def double(number: int, *, times: int = 1) -> int:
    print("said on the way")
    return number << times


def refuse(said: str) -> None:
    raise InvalidArgument("{said} will not do.", said=said)


class Odd(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(one + two)


def fail_oddly() -> None:
    raise Odd(1, 2)


def make_unspeakable() -> object:
    return lambda: None


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def tell_process(mark: str | None = None) -> int:
    if mark is not None:
        Path(mark).write_text(str(os.getpid()))
        time.sleep(600)
    return os.getpid()


@pytest.fixture
def pool() -> Iterator[HelperPool]:
    made = HelperPool(2)
    yield made
    made.end()
    made.shutdown()


def test_jobs_return_what_they_would_here(pool: HelperPool) -> None:
    """In any number; what they print is no result."""
    assert [pool.submit(double, each, times=2).result() for each in range(5)] == [0, 4, 8, 12, 16]
    assert pool.submit(tell_process).result() != os.getpid()


def test_errors_come_back(pool: HelperPool) -> None:
    """Those that can travel as they are, others as text; the next job is done all the same."""
    with pytest.raises(InvalidArgument, match="said='x' will not do") as caught:
        pool.submit(refuse, "x").result()
    assert "In a helper process" in caught.value.__notes__[0]
    with pytest.raises(RuntimeError, match="Odd: 3"):
        pool.submit(fail_oddly).result()
    for job in (make_unspeakable, make_unspeakable()):
        with pytest.raises(Exception, match="pickle"):
            pool.submit(job).result()  # neither result nor job can travel
    assert pool.submit(double, 3).result() == 6


def test_a_helper_that_dies_makes_room_for_another(pool: HelperPool) -> None:
    """Its job says so."""
    with pytest.raises(BrokenExecutor):
        pool.submit(die).result()
    assert pool.submit(double, 3).result() == 6


def test_helpers_are_ended_in_the_middle_of_a_job(pool: HelperPool, tmp_path: Path) -> None:
    """Jobs that wait are not begun."""
    futures = [pool.submit(tell_process, str(tmp_path / str(number))) for number in range(3)]
    wait_until(lambda: all((tmp_path / str(number)).exists() for number in (0, 1)))
    pool.end()
    for future in futures:
        with pytest.raises(BrokenExecutor):
            future.result(60)
    assert not (tmp_path / "2").exists()


def test_a_helper_ends_with_its_parent(tmp_path: Path) -> None:
    """Also in the middle of a job, and if the parent is killed."""
    code = (
        "import sys\nfrom heats.base.helpers import HelperPool\nfrom tests.base.test_helpers import tell_process\n"
        "HelperPool(1).submit(tell_process, sys.argv[1]).result()\n"
    )
    mark = tmp_path / "mark"
    with subprocess.Popen([sys.executable, "-c", code, str(mark)], stderr=subprocess.DEVNULL) as parent:
        wait_until(lambda: mark.exists() and mark.read_text() != "")
        parent.kill()
    wait_until(lambda: not is_alive(int(mark.read_text())))


def is_alive(process: int) -> bool:
    """Whether a process is there, and not a zombie that nobody collects."""
    try:
        return Path(f"/proc/{process}/stat").read_text().split(")")[-1].split()[0] != "Z"
    except FileNotFoundError:
        return False
