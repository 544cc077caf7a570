"""The user's compare: what it may return bare, what it is asked again, and what it must not be."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.engine.machine import Query
from heats.errors import BadFeedback, InvalidArgument
from tests.journal.runs import find, lines, noisy
from tests.playing import recall

STRATEGIES = ["planned", "adaptive"]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    "candidates", [range(9), ["a", "bb", "ccc", "dddd", "eeeee"], [(0.0, i) for i in range(6)], [[i] for i in range(5)]]
)
def test_a_bare_winner_or_ranking_is_enough(candidates: Any, strategy: str) -> None:
    """Where it was said what is meant: the candidate itself, or a list of them, whatever candidates look like."""
    options: dict[str, Any] = {"budget": 30, "heat_size": 3, "strategy": strategy}
    one = heats.find_best(candidates, max, feedback="winner", **options)
    two = heats.find_best(candidates, lambda heat: heats.Winner(max(heat)), feedback="winner", **options)
    assert recall(one.played) == recall(two.played)
    for bare in (lambda heat: sorted(heat)[::-1], lambda heat: tuple(sorted(heat)[:0:-1])):
        named = heats.find_best(candidates, lambda heat, b=bare: heats.Ranking(b(heat)), feedback="ranking", **options)
        found = heats.find_best(candidates, bare, feedback="ranking", **options)
        assert recall(found.played) == recall(named.played)


def test_a_plan_says_what_is_meant_as_well() -> None:
    """A plan for winners takes bare ones, in find_best and in run."""
    plan = heats.plan(9, 3, 30, feedback="winner")
    assert heats.find_best(range(9), max, plan=plan).winner == 8
    assert heats.run(heats.Tournament(plan), max).winner == 8


def test_notes_go_with_a_bare_answer(tmp_path: Path) -> None:
    """As with any other."""
    path = tmp_path / "run.jsonl"
    find(path, compare=lambda heat: heats.Noted(max(heat), {"cents": 2}), feedback="winner")
    assert lines(path)[1]["notes"] == {"cents": 2}


def test_rows_stay_numbers_where_numbers_are_meant() -> None:
    """A statistic that makes winners of rewards takes them as before, even if they look like a candidate."""
    pairs = [(0.0, 1.0), (1.0, 0.0), (2.0, 2.0)]
    options: dict[str, Any] = {"budget": 12, "heat_size": 2, "statistic": heats.win_rate, "feedback": "winner"}
    assert heats.find_best(pairs, lambda heat: (0.0, 1.0), **options).rounds is not None
    assert heats.find_best(range(9), list, budget=40, feedback="winner", statistic=heats.win_rate).winner == 8


@pytest.mark.parametrize(
    ("feedback", "answer", "message"),
    [
        ("winner", "tea", r"'tea' is not feedback: .* Here the winner itself will do, too, out of \("),
        ("winner", None, "None is not feedback"),
        ("winner", [1.0, 2.0, 3.0], "reward"),
        ("winner", np.ones(3), "reward"),
        ("ranking", 5, "Here a list of candidates will do"),
        ("ranking", [], "0 rewards for a heat"),
        ("ranking", ["tea"], "Here a list of candidates"),
        ("reward", 5, "5 is not feedback"),
    ],
)
def test_what_names_nobody_is_refused(feedback: Any, answer: Any, message: str) -> None:
    """With what would do."""
    with pytest.raises(BadFeedback, match=message):
        heats.find_best(range(100, 109), lambda heat: answer, budget=24, heat_size=3, feedback=feedback)


def test_a_list_with_a_stranger_is_refused() -> None:
    """It is named."""
    with pytest.raises(BadFeedback, match="'tea' is not in this heat; name one of"):
        heats.find_best(range(9), lambda heat: [heat[0], "tea"], budget=24, heat_size=3, feedback="ranking")


def test_nothing_is_bare_where_nothing_was_said() -> None:
    """A list of candidates that are numbers is a list of numbers."""
    assert heats.find_best(range(9), lambda heat: sorted(heat), budget=24, heat_size=9).report.rivals
    with pytest.raises(BadFeedback, match="is not feedback"):
        heats.find_best(["abc", "def", "ghi"], max, budget=24, heat_size=3)


class Judge:
    """Comes to a verdict at some later attempt only, and keeps count."""

    def __init__(self, *, varies: Any, verdict_at: int) -> None:
        self.varies = varies
        self.verdict_at = verdict_at
        self.asked: Counter[int] = Counter()

    def __call__(self, heat: tuple[int, ...], query: Query, attempt: int) -> Any:
        assert attempt == self.asked[query.id]
        self.asked[query.id] += 1
        return noisy(heat, query) if attempt >= self.verdict_at else heats.NoVerdict("unreadable")


@settings(max_examples=40)
@given(varies=st.booleans(), verdict_at=st.integers(0, 4), retries=st.integers(0, 4), pool=st.booleans())
def test_a_judge_that_varies_is_asked_again(varies: bool, verdict_at: int, retries: int, pool: bool) -> None:
    """At most retries times, then the pull is spent without an observation; another judge is asked once."""
    judge = Judge(varies=varies, verdict_at=verdict_at)
    with ThreadPoolExecutor(2) as threads:
        found = find(compare=judge, retries=retries, executor=threads if pool else None)
    asked = 1 + (min(verdict_at, retries) if varies else 0)
    assert set(judge.asked.values()) == {asked}
    assert found.spent == 24
    if verdict_at < asked:
        assert found.to_json() == find().to_json()
    else:
        assert found.report.no_verdicts == 24
        assert found.played.evidence() == []


def test_only_true_says_that_a_judge_varies() -> None:
    """A function that happens to have an attribute of that name is no reason to ask it again."""
    judge = Judge(varies="yes", verdict_at=1)
    find(compare=judge, retries=3)
    assert set(judge.asked.values()) == {1}


@pytest.mark.parametrize("judges", [1, 2, 3])
def test_a_number_says_how_many_answers_may_differ(judges: int) -> None:
    """As of so many judges: after that nothing new can be heard, however many retries there are."""
    judge = Judge(varies=judges, verdict_at=9)
    find(compare=judge, retries=5)
    assert set(judge.asked.values()) == {judges}


def test_notes_of_what_is_asked_again_are_in_the_journal(tmp_path: Path) -> None:
    """Of every answer, not of the last one alone: somebody paid for all of them."""

    def compare(heat: tuple[int, ...], query: Query, attempt: int) -> Any:
        return heats.Noted(heats.NoVerdict("unreadable"), {"cents": attempt})

    compare.varies = True
    path = tmp_path / "run.jsonl"
    find(path, compare=compare, retries=2)
    of_one = [line for line in lines(path)[1:] if line.get("id") == 5]
    assert [(line["event"], line["notes"]) for line in of_one] == [
        ("requeued", {"cents": 0}),
        ("requeued", {"cents": 1}),
        ("told", {"cents": 2}),
    ]


def test_notes_that_cannot_be_written_are_a_failure_there_too(tmp_path: Path) -> None:
    """As those of a verdict are."""

    def compare(heat: tuple[int, ...]) -> Any:
        return heats.Noted(heats.NoVerdict("unreadable"), {"cents": object()})

    compare.varies = True
    with pytest.raises(BadFeedback, match="the notes cannot be written as JSON"):
        find(tmp_path / "run.jsonl", compare=compare, retries=2)


def test_what_heats_refuses_is_not_tried_again() -> None:
    """It would be refused again, and paid for again."""
    asked = []

    def compare(heat: tuple[int, ...]) -> Any:
        asked.append(heat)
        raise InvalidArgument("{show} must return text.", show=7)

    with pytest.raises(heats.errors.ComparisonFailed, match=r"show=7 must return text\.$"):
        find(compare=compare, retries=3)
    assert len(asked) == 1


def test_a_judge_of_another_kind_is_refused_before_it_is_asked() -> None:
    """If it says what it returns, as those of heats do."""

    def compare(heat: tuple[int, ...]) -> Any:
        raise AssertionError

    compare.feedback = "ranking"
    for said in ("winner", "reward"):
        with pytest.raises(InvalidArgument, match=f"feedback='{said}' was said, but .* feedback='ranking'"):
            find(compare=compare, feedback=said, strategy="adaptive")


def test_asking_again_is_in_the_journal(tmp_path: Path) -> None:
    """With the reason; it is not a failure, so nobody waits."""
    path = tmp_path / "run.jsonl"
    assert find(path, compare=Judge(varies=True, verdict_at=1), retries=1).to_json() == find().to_json()
    again = [line for line in lines(path) if line["event"] == "requeued"]
    assert {line["why"] for line in again} == {"no verdict: unreadable"}
    assert len(again) == 24


def test_the_attempt_counts_no_failures() -> None:
    """Else an accident would change what a pull says."""
    failed: set[int] = set()

    def compare(heat: tuple[int, ...], query: Query, *, attempt: int) -> list[float]:
        assert attempt == 0
        if query.id not in failed:
            failed.add(query.id)
            raise OSError
        return noisy(heat, query)

    assert find(compare=compare, retries=1, backoff=None).to_json() == find().to_json()


def test_the_attempt_goes_where_it_is_wanted() -> None:
    """By its name, next to the query by its name or its place; a first parameter takes the heat, whatever it is called."""
    made = [
        lambda heat, attempt: [float(x + attempt) for x in heat],
        lambda heat, query, attempt=9: [float(x + attempt) for x in heat],
        lambda heat, attempt, query: [float(x + attempt) for x in heat],
        lambda attempt: [float(x) for x in attempt],
        lambda heat, **others: [float(x + len(others)) for x in heat],
    ]
    assert {find(compare=compare).to_json() for compare in made} == {find(compare=list).to_json()}


async def coroutine(heat: tuple[int, ...]) -> list[float]:
    return [float(x) for x in heat]


class Awaited:
    async def __call__(self, heat: tuple[int, ...]) -> list[float]:
        return [float(x) for x in heat]


@pytest.mark.parametrize(
    "compare",
    [coroutine, Awaited(), Awaited().__call__, functools.partial(coroutine), functools.partial(Awaited())],
)
def test_find_best_says_which_function_awaits(compare: Any) -> None:
    """Before anything is compared."""
    with pytest.raises(InvalidArgument, match=r"is a coroutine function.* await heats\.find_best_async\("):
        find(compare=compare)
    with pytest.raises(InvalidArgument, match=r"await heats\.find_best_async\("):
        heats.run(heats.RoundRobin(4, 2, 8), compare)


def test_find_best_does_not_take_a_coroutine_for_an_answer() -> None:
    """A plain function that returns one is told the same, and Python does not complain about it."""
    with pytest.raises(BadFeedback, match=r"something to await, .*: .* await heats\.find_best_async\("):
        find(compare=lambda heat: coroutine(heat))


@pytest.mark.parametrize(
    ("compare", "said"),
    [
        (lambda heat: [math.nan] * len(heat), "the reward nan of {} is not a number"),
        (lambda heat: heats.Ranking([heat[0], heat[0]]), "{} is named twice; name everybody at most once"),
        (lambda heat: heats.Race([(heat[0], -3)]), "the time -3 of {} must be a number of seconds"),
    ],
)
def test_candidates_are_called_by_their_names(compare: Callable[..., Any], said: str) -> None:
    """Nobody who compares drinks knows of arms."""
    with pytest.raises(BadFeedback) as caught:
        heats.find_best(["tea", "coffee", "milk"], compare, budget=5)
    first = str(caught.value).removeprefix("comparing ").partition(",")[0]
    assert said.format(first) in str(caught.value)
    assert "arm" not in str(caught.value)
