"""Several judges are asked as one."""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import heats
from heats.judging import Judge, panel
from tests.judging.test_judge import HEAT, QUERY, WORDS, longest, longest_async, rank


def voting(*letters: str) -> list[Judge]:
    """Return judges that always say the same."""
    return [Judge(partial(say, letter), name=f"judge {n}") for n, letter in enumerate(letters)]


def say(letter: str, text: str) -> str:
    return letter


def test_they_take_turns_by_pull() -> None:
    """So all of them judge equally often, and equal runs ask the same ones."""
    found = heats.find_best(WORDS, panel(voting("A", "B", "A")), budget=30, heat_size=2)
    assert found.judging is not None
    assert [each.answers for each in found.judging.judges] == [10, 10, 10]


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        ("AAB", heats.Winner("dddd")),
        ("BBA", heats.Winner("bb")),
        ("AB?", heats.Winner("dddd", "bb")),
        ("C??", heats.Winner("ccc")),
        ("ABC", heats.Winner(*HEAT)),
    ],
)
def test_the_majority_counts(letters: str, expected: heats.Winner) -> None:
    """Equal votes are a tie, and who has no verdict has no vote."""
    said: Any = panel(voting(*letters), by="majority")(HEAT, QUERY)
    assert said.feedback == expected
    assert len(said.notes["judging"]["heard"]) == 3
    assert said.notes["judging"]["calls"] == 3


def test_who_has_no_verdict_hands_the_pull_to_the_next() -> None:
    """All calls of the pull are counted; after all had their turn it is the first one's again."""
    both = panel([Judge(partial(say, "?"), name="silent"), Judge(partial(say, "B"), name="other")])
    found = heats.find_best(WORDS, both, budget=30, heat_size=2, retries=1)
    assert not found.played.silence()
    assert found.judging is not None
    assert (found.judging.calls, found.judging.retries) == (45, 15)  # every second pull is asked twice
    answers = {each.name: (each.answers, each.no_verdicts) for each in found.judging.judges}
    assert answers == {"silent": (15, 15), "other": (30, 0)}  # whoever said nothing is not left out


def test_nobody_whose_answers_are_kept_is_asked_twice(tmp_path: Path) -> None:
    """However many retries there are: after all were heard there is nobody left; one that varies goes on alone."""
    asked: Counter[str] = Counter()

    def ask(name: str, text: str) -> str:
        asked[name] += 1
        return f"{name} cannot say"

    kept = [Judge(partial(ask, name), name=name, cache=tmp_path / "c.db") for name in ("a", "b")]
    options: dict[str, Any] = {"budget": 1, "heat_size": 2, "retries": 5, "strategy": "csws"}
    found = heats.find_best(WORDS[:2], panel(kept), **options)
    assert found.report.no_verdicts == 1
    assert asked == {"a": 1, "b": 1}
    heats.find_best(WORDS[:2], panel([*kept, Judge(partial(ask, "c"), name="c")]), **options)
    assert asked == {"a": 1, "b": 1, "c": 4}
    heats.find_best(WORDS[:2], panel([*kept, Judge(partial(ask, "d"), name="d")], by="majority"), **options)
    assert asked == {"a": 1, "b": 1, "c": 4, "d": 6}


def test_a_majority_is_asked_at_once() -> None:
    """Where they are awaited: nobody waits for the others before it is asked."""
    asked, all_asked = [], asyncio.Event()

    async def ask(text: str) -> str:
        asked.append(text)
        if len(asked) == 3:
            all_asked.set()
        await all_asked.wait()
        return longest(text)

    three = panel([Judge(ask, name=name, both_orders=name == "b") for name in "abc"], by="majority")
    said: Any = asyncio.run(asyncio.wait_for(three(HEAT, QUERY), 20))
    assert said.feedback == heats.Winner("dddd")
    assert len(asked) == said.notes["judging"]["calls"] == 4


def test_without_any_verdict_there_is_none() -> None:
    """And each says why."""
    said: Any = panel(voting("?", "AB"), by="majority")(HEAT, QUERY)
    assert isinstance(said.feedback, heats.NoVerdict)
    assert said.feedback.why.count("not one letter") == 2


def test_what_a_failure_left_unpaid_is_not_forgotten() -> None:
    """Calls of those who had answered before another one failed are counted."""
    answers = iter([OSError("503"), "B"])

    def ask(text: str) -> str:
        said = next(answers)
        if isinstance(said, OSError):
            raise said
        return said

    both = panel([*voting("B"), Judge(ask, name="busy")], by="majority")
    with pytest.raises(OSError, match="503"):
        both(HEAT, QUERY)
    said: Any = both(HEAT, QUERY)
    assert said.feedback == heats.Winner("bb")
    assert said.notes["judging"]["calls"] == 4
    assert said.notes["judging"]["retries"] == 1


def test_one_that_is_awaited_makes_the_panel_so() -> None:
    """The others are asked beside it."""
    both = panel([Judge(longest), Judge(longest_async)], by="majority")
    assert inspect.iscoroutinefunction(both.__call__)
    said: Any = asyncio.run(both(HEAT, QUERY))
    assert said.feedback == heats.Winner("dddd")


def test_the_report_says_how_far_each_agrees_with_the_standings() -> None:
    """One that reads more than one that guesses."""
    judges = [Judge(longest, name="reader"), Judge(lambda text: "AB"[len(text) % 7 % 2], name="guesser")]
    found = heats.find_best(WORDS, panel(judges), budget=120, heat_size=2)
    assert found.judging is not None
    guesser, reader = found.judging.judges
    assert (guesser.name, reader.name) == ("guesser", "reader")
    assert guesser.agrees is not None
    assert reader.agrees is not None
    assert reader.agrees >= 0.9 > guesser.agrees + 0.1
    assert "reader" in str(found)


@pytest.mark.parametrize(
    ("judges", "by", "word"),
    [
        (list, "turns", "at least two"),
        (lambda: voting("A"), "turns", "at least two"),
        (lambda: 7, "turns", "judges=7"),
        (lambda: [longest, longest], "turns", "at least two"),
        (lambda: voting("A", "B"), "lot", "by='lot'"),
        (lambda: [Judge(longest), Judge(longest)], "turns", "name="),
        (lambda: [Judge(longest), Judge(rank, feedback="ranking")], "turns", "feedback="),
        (lambda: [Judge(rank, feedback="ranking", name=n) for n in "ab"], "majority", "by='majority'"),
    ],
)
def test_panels_that_make_no_sense_are_refused(judges: Any, by: Any, word: str) -> None:
    """With the reason."""
    with pytest.raises(heats.errors.InvalidArgument) as refused:
        panel(judges(), by=by)
    assert word in str(refused.value)
