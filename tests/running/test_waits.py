"""Waiting before a comparison that failed is made again: how long, and that nobody else waits with it."""

from __future__ import annotations

import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from email.message import Message
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heats.engine.machine import Query
from heats.errors import BadFeedback, ComparisonFailed, InvalidArgument
from heats.running.waits import LONGEST_WAIT, Backoff, check_backoff, choose_wait, read_retry_after
from tests.journal.runs import find, noisy


def pull(seed: int) -> Query:
    return Query(id=3, round=0, heat=0, arms=(0, 1), seed=seed)


@given(
    first=st.floats(0, 100),
    more=st.floats(0, 1000),
    seed=st.integers(0, 2**63),
    failures=st.integers(1, 5000),
)
def test_a_wait_doubles_and_ends(first: float, more: float, seed: int, failures: int) -> None:
    """It lies between a half and all of what the doubling says, never above the longest, and is the same every time."""
    backoff = Backoff(first, first + more)
    wait = choose_wait(backoff, pull(seed), failures, OSError())
    longest = min(backoff.most, first * 2 ** min(failures - 1, 64))
    assert longest / 2 <= wait <= longest
    assert wait == choose_wait(backoff, pull(seed), failures, OSError())


def test_pulls_that_failed_together_come_back_apart() -> None:
    """Their waits differ, since their seeds do."""
    waits = {choose_wait(Backoff(1, 30), pull(seed), 1, OSError()) for seed in range(100)}
    assert len(waits) == 100


def test_feedback_that_cannot_be_used_waits_for_nothing() -> None:
    """Whoever gave it is there."""
    assert choose_wait(Backoff(1, 30), pull(1), 1, BadFeedback("nan")) == 0
    assert choose_wait(None, pull(1), 1, OSError()) == 0


def with_attribute(said: Any) -> Exception:
    error = RuntimeError("too many requests")
    error.retry_after = said
    return error


def with_header(name: str, said: str) -> Exception:
    error = RuntimeError("too many requests")
    error.response = SimpleNamespace(headers={name: said})
    return error


def of_urllib(said: str) -> Exception:
    headers = Message()
    headers["Retry-After"] = said
    return HTTPError("http://x", 429, "too many requests", headers, None)


@pytest.mark.parametrize(
    "error",
    [with_attribute(2), with_attribute("2"), with_header("Retry-After", "2"), with_header("retry-after", "2.0")],
)
def test_what_a_service_says_is_waited_for(error: Exception) -> None:
    """As an attribute or as a header, whatever the backoff says."""
    assert read_retry_after(error) == 2
    assert choose_wait(Backoff(10, 30), pull(1), 3, error) == 2
    assert choose_wait(None, pull(1), 3, error) == 2


@pytest.mark.parametrize("said", [0, "0", "0.0"])
def test_at_once_is_no_time_to_wait(said: Any) -> None:
    """A service that is too busy to say more is not called three times in a row: the backoff counts."""
    assert 5 <= choose_wait(Backoff(10, 30), pull(1), 1, with_attribute(said)) <= 10
    assert choose_wait(None, pull(1), 1, with_attribute(said)) == 0


def test_dates_and_errors_of_the_standard_library_are_read() -> None:
    """As HTTP has them; a date that is over waits for nothing."""
    from datetime import UTC, datetime, timedelta

    later = format_datetime(datetime.now(UTC) + timedelta(seconds=50), usegmt=True)
    assert 40 < (read_retry_after(of_urllib(later)) or 0) <= 50
    assert read_retry_after(of_urllib("Wed, 21 Oct 2015 07:28:00 GMT")) == 0
    assert read_retry_after(of_urllib("7")) == 7


class Rude(Exception):
    """Raises when it is looked at."""

    def __getattr__(self, name: str) -> Any:
        raise OSError(name)


@pytest.mark.parametrize("said", [-1, "soon", float("nan"), float("inf"), True, [3], b"3", None])
def test_what_is_no_time_is_not_waited_for(said: Any) -> None:
    """Then the backoff counts; so it does for an error that cannot be looked at."""
    assert read_retry_after(with_attribute(said)) is None
    assert read_retry_after(Rude()) is None


def test_nobody_is_waited_for_longer_than_a_day() -> None:
    """Whatever it says."""
    assert read_retry_after(with_attribute(1e12)) == LONGEST_WAIT


@pytest.mark.parametrize("backoff", [3, (1,), (1, 2, 3), (30, 0.5), (-1, 2), ("1", "2"), (1, float("nan")), "ab"])
def test_impossible_backoffs_are_refused(backoff: Any) -> None:
    """With the value, and how it should look."""
    with pytest.raises(InvalidArgument, match="backoff="):
        check_backoff(backoff)
    with pytest.raises(InvalidArgument, match="backoff="):
        find(backoff=backoff)


class Busy(Exception):
    """A service that says when to come back."""

    retry_after = 0.2


@pytest.mark.parametrize("where", ["here", "threads"])
def test_others_go_on_while_one_waits(where: str) -> None:
    """The pull that failed is made again last, on time, and the report is the same."""
    made: list[tuple[int, float]] = []

    def compare(heat: tuple[int, ...], query: Query) -> list[float]:
        made.append((query.id, time.monotonic()))
        if query.id == 0 and [number for number, _ in made].count(0) == 1:
            raise Busy
        return noisy(heat, query)

    with ThreadPoolExecutor(1) as pool:
        found = find(compare=compare, retries=1, executor=None if where == "here" else pool)
    assert found.to_json() == find().to_json()
    first, again = (when for number, when in made if number == 0)
    assert again - first >= 0.2
    assert [number for number, _ in made].index(0, 1) > 1


def busy_elsewhere(heat: tuple[int, ...]) -> list[float]:
    class Local(Exception):  # cannot travel
        retry_after = 3600

    raise Local


def test_a_wait_travels_home() -> None:
    """Also of an error that cannot: nothing is tried again before its time."""
    from heats.running.calls import _portable

    class Local(Exception):
        retry_after = 7

    assert read_retry_after(_portable(Local())) == 7
    with ProcessPoolExecutor(1) as pool, pytest.raises(ComparisonFailed, match="Local"):
        find(compare=busy_elsewhere, executor=pool)


def test_a_failure_says_how_to_go_on(tmp_path: Any) -> None:
    """By retries, and with a journal by doing the same again."""

    def compare(heat: tuple[int, ...]) -> list[float]:
        raise KeyError("no such model")

    with pytest.raises(ComparisonFailed, match=r"It failed 3 times, and retries=2 allows no more; a larger") as alone:
        find(compare=compare, retries=2, backoff=None)
    assert "do the same again" not in str(alone.value)
    path = tmp_path / "run.jsonl"
    with pytest.raises(ComparisonFailed, match=r"retries=0 .* kept in .*run.jsonl: do the same again and the run goes"):
        find(path, compare=compare)
    assert find(path).to_json() == find().to_json()
