"""find_best: any candidates, any executor, and what happens when a comparison goes wrong."""

from __future__ import annotations

import asyncio
import json
import math
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import heats
from heats import BestWorst, Race, Ranking, Winner, find_best
from heats.engine.machine import Query
from heats.environments import PlackettLuce
from heats.errors import BadFeedback, BudgetTooSmall, ComparisonFailed, InvalidArgument


class Thing:
    """A candidate that can neither be hashed nor compared."""

    def __init__(self, value: float) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        raise TypeError("not comparable")

    __hash__ = None  # type: ignore[assignment]


class Point(NamedTuple):
    x: int


THINGS = [Thing(i % 7) for i in range(20)]  # the best value, 6, is shared
THINGS[11].value = 10


def best_first(heat: tuple[Thing, ...]) -> list[Thing]:
    return sorted(heat, key=lambda thing: -thing.value)


@pytest.mark.parametrize(
    "compare",
    [
        lambda heat: [thing.value for thing in heat],
        lambda heat: np.array([thing.value for thing in heat]),
        lambda heat: Winner(best_first(heat)[0]),
        lambda heat: Ranking(best_first(heat)),
        lambda heat: BestWorst(best_first(heat)[0], best_first(heat)[-1]),
        lambda heat: Race([(best_first(heat)[0], 0.5)]),
    ],
)
def test_any_objects_and_any_feedback(compare: Any) -> None:
    """Candidates are named by the very objects that were handed over."""
    found = find_best(THINGS, compare, budget=60, heat_size=4)
    assert found.winner is THINGS[11]
    assert found.runner_up.value < 10
    assert found.report.winner == 11
    assert found.spent == 60


def test_candidates_may_be_named_by_equality() -> None:
    """Strings made anew, numbers, lists: whatever is equal to exactly one of the heat."""
    words = ["aa", "bbb", "c", "dddd", "ee e"]
    assert find_best(words, lambda heat: Winner("".join(max(heat, key=len))), budget=20).winner in ("dddd", "ee e")
    assert find_best([[1], [2], [3]], lambda heat: Ranking([[x] for [x] in sorted(heat)]), budget=9).winner == [1]
    assert find_best(range(10, 20), lambda heat: Winner(max(heat)), budget=20).winner == 19


def test_equal_candidates_must_be_named_by_identity() -> None:
    """Otherwise nobody knows which of the two is meant."""
    ones = [[1], [1], [1]]
    with pytest.raises(BadFeedback, match=r"\[1\] may be any of 3 candidates"):
        find_best(ones, lambda heat: Winner([1]), budget=9)
    assert find_best(ones, lambda heat: Winner(heat[0]), budget=9).winner == [1]
    with pytest.raises(BadFeedback, match="5 may be any of 2 candidates"):
        find_best([5, 5, 3], lambda heat: Winner(5), budget=9)
    with pytest.raises(BadFeedback, match=r"\[2\] is not in this heat"):
        find_best(ones, lambda heat: Winner([2]), budget=9)


def seeded(heat: tuple[int, ...], query: Query) -> list[float]:
    noise = np.random.default_rng(query.seed).normal(size=len(heat))
    return [value + float(each) for value, each in zip(heat, noise, strict=True)]


def by_keyword(heat: tuple[int, ...], scale: float = 1.0, *, query: Query) -> list[float]:
    return seeded(heat, query)


def with_default(heat: tuple[int, ...], scale: float = 1.0) -> list[float]:
    return [scale * value for value in heat]


def test_compare_gets_the_query_if_it_wants_it() -> None:
    """By a parameter called query, or a second positional one without default; not by one with."""
    assert find_best(range(8), seeded, budget=30).to_json() == find_best(range(8), by_keyword, budget=30).to_json()
    assert find_best(range(8), with_default, budget=30).winner == 7
    assert find_best(range(8), lambda query: list(query), budget=30).winner == 7  # the first takes the heat
    assert find_best(range(8), tuple, budget=30).winner == 7  # a built-in that does not say what it takes


@pytest.mark.parametrize(
    "pool", [lambda: ThreadPoolExecutor(4), lambda: ThreadPoolExecutor(1), lambda: ProcessPoolExecutor(2)]
)
def test_executors_change_nothing(pool: Any) -> None:
    """With query.seed a randomised comparison gives the same report in this thread, in threads and in processes."""
    alone = find_best(range(30), seeded, budget=120, seed=3)
    with pool() as executor:
        together = find_best(range(30), seeded, budget=120, seed=3, executor=executor)
    assert alone.to_json() == together.to_json()


def named_winner(heat: tuple[list[int], ...]) -> Winner:
    return Winner(max(heat))


def test_candidates_named_in_another_process() -> None:
    """There they are copies; the name is resolved where the comparison ran."""
    with ProcessPoolExecutor(1) as executor:
        assert find_best([[i] for i in range(6)], named_winner, budget=12, executor=executor).winner == [5]


@pytest.mark.parametrize("pool", [lambda: None, lambda: ThreadPoolExecutor(2)])
def test_a_comparison_that_raises_stops_the_run(pool: Any) -> None:
    """The error says who was compared, and carries the original."""

    def broken(heat: tuple[str, ...]) -> list[float]:
        raise KeyError("no such solver")

    with pytest.raises(
        ComparisonFailed, match=r"comparing (a|b|c), .*\(pull \d\) failed: KeyError: 'no such solver'"
    ) as failure:
        find_best(["a", "b", "c"], broken, budget=9, executor=pool())
    assert isinstance(failure.value.__cause__, KeyError)


def third_letter(text: Any) -> float:
    return float(ord(text.upper()[2]))


FOR_ONE: list[tuple[list[Any], Any]] = [
    ([{"x": 1}, {"x": 2}, {"x": 3}], lambda c: -((c["x"] - 2) ** 2)),
    ([Point(1), Point(2)], lambda c: c.x),
    ([1, 2, 3], lambda c: -((c - 2) ** 2)),
    ([1, 2, 3], lambda c: -c),
    ([1, 2, 3], lambda c: 0.5 * c),
    ([1, 2, 3], lambda c: {1: 1.0, 2: 2.0, 3: 3.0}[c]),
    ([1, 2, 3], math.sqrt),
    ([1, 2, 3], lambda c: c > 1),
    (["abc", "abd"], third_letter),
    ([(1, 2), (3, 4)], lambda c: {(1, 2): 1.0, (3, 4): 2.0}[c]),
    ([1, 2, 3], lambda c: next(w + x + y + z for w, x, y, z in [c])),
    ([len, sum], lambda c: c([1, 2])),
]


@pytest.mark.parametrize(("candidates", "compare"), FOR_ONE)
def test_a_compare_written_for_one_candidate_is_told_that_it_gets_several(candidates: list[Any], compare: Any) -> None:
    """Whoever drives it: what Python says of tuples helps nobody who did not know that there is one."""
    hint = r"compare gets a tuple of candidates, not one: return a number for each, as \[score\(c\) for c in heat\]\.$"

    async def awaited(heat: Any) -> Any:
        return compare(heat)

    runs: list[Callable[[], Any]] = [
        lambda: find_best(candidates, compare, budget=9),
        lambda: find_best(candidates, compare, budget=9, executor=ThreadPoolExecutor(2)),
        lambda: heats.run(heats.RoundRobin(len(candidates), 2, 9), compare, candidates=candidates),
        lambda: asyncio.run(heats.find_best_async(candidates, awaited, budget=9)),
        lambda: asyncio.run(heats.find_best_async(candidates, compare, budget=9)),
    ]
    for run in runs:
        with pytest.raises(ComparisonFailed, match=hint):
            run()


def test_it_is_told_so_by_another_process_too() -> None:
    """The error has travelled."""
    with (
        ProcessPoolExecutor(1) as executor,
        pytest.raises(ComparisonFailed, match="compare gets a tuple of candidates, not one"),
    ):
        find_best(["abc", "abd"], third_letter, budget=9, executor=executor)


@pytest.mark.parametrize(
    "error",
    [TypeError("no such solver"), KeyError("x"), ValueError("a tuple"), RuntimeError("tuple"), OSError("tuple")],
)
def test_other_errors_of_a_compare_get_no_advice(error: Exception) -> None:
    """Nor do those of comparisons after the first: one that was answered was written for several."""

    def broken(heat: tuple[int, ...]) -> list[float]:
        raise error

    def breaks(heat: tuple[int, ...], query: Query) -> Any:
        return heat["x"] if query.id else [1.0] * len(heat)

    for compare in (broken, breaks):
        with pytest.raises(ComparisonFailed) as failure:
            find_best([1, 2, 3], compare, budget=9)
        assert "compare gets" not in str(failure.value)


@pytest.mark.parametrize(
    ("candidates", "compare"),
    [
        ([(1, 2), (2, 3)], lambda heat: [c["x"] for c in heat]),
        ([(1, 2), (2, 3)], lambda heat: [c.x for c in heat]),
        ([(1, 2), (2, 3)], lambda heat: [c[2] for c in heat]),
        ([(1, 2), (2, 3)], lambda heat: [0.5 * c for c in heat]),
        ([(1, 2), (2, 3)], lambda heat: [x + y + z for x, y, z in heat]),
        ([1, (2, 3)], lambda heat: [c + 1 for c in heat]),
        ([Point(1), Point(2)], lambda heat: [c[3] for c in heat]),
        ([[1, 2], [2, 3]], lambda heat: [x + y + z for x, y, z in heat]),
        (["a", "b"], lambda heat: [0.5 * c for c in heat]),
    ],
)
def test_an_error_that_may_be_about_a_candidate_gets_no_advice(candidates: list[Any], compare: Any) -> None:
    """Python says the same of a candidate that is a tuple, or another sequence, as of the heat."""
    with pytest.raises(ComparisonFailed) as failure:
        find_best(candidates, compare, budget=3, heat_size=2)
    assert "compare gets" not in str(failure.value)


@pytest.mark.parametrize("pool", [lambda: None, lambda: ThreadPoolExecutor(2)])
def test_retries(pool: Any) -> None:
    """A comparison that fails twice succeeds with two retries and stops the run with one."""

    def flaky() -> Any:
        failures: dict[int, int] = {}
        lock = threading.Lock()

        def compare(heat: tuple[int, ...], query: Query) -> Any:
            with lock:
                failures[query.id] = failures.get(query.id, 0) + 1
            if failures[query.id] == 1:
                raise TimeoutError
            return [float("nan")] * len(heat) if failures[query.id] == 2 else list(heat)

        return compare

    assert find_best(range(6), flaky(), budget=20, retries=2, backoff=None, executor=pool()).winner == 5
    with pytest.raises(BadFeedback, match="gave feedback that cannot be used: the reward nan"):
        find_best(range(6), flaky(), budget=20, retries=1, backoff=None, executor=pool())


class Recorder(Executor):
    """Runs nothing by itself; counts what waits."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(2)
        self._max_workers = 2
        self.most = 0
        self.flying = 0
        self.lock = threading.Lock()

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Any:
        with self.lock:
            self.flying += 1
            self.most = max(self.most, self.flying)
        future = self.pool.submit(function, *arguments, **options)
        future.add_done_callback(self._landed)
        return future

    def _landed(self, future: Any) -> None:
        with self.lock:
            self.flying -= 1


def test_an_executor_is_kept_busy_but_not_flooded() -> None:
    """At most two pulls per worker are under way."""
    executor = Recorder()
    find_best(range(40), with_default, budget=200, executor=executor)
    assert 2 <= executor.most <= 4


def test_found_tells_names_and_report() -> None:
    """Text for people, JSON for programs; names are made up where there are none."""
    found = find_best(["tea", "coffee", "milk"], lambda heat: Winner(max(heat)), budget=9)
    assert found.names == ("tea", "coffee", "milk")
    assert str(found).startswith("winner:     tea\n")
    assert json.loads(found.to_json())["names"] == ["tea", "coffee", "milk"]
    assert found.rivals == tuple(found.candidates[arm] for arm in found.report.rivals or ())
    assert found.sureness == found.report.sureness
    assert found.rounds == found.report.rounds
    named = find_best([len, sum, Thing(1), {"depth": 3}], lambda heat: [1.0] * len(heat), budget=9)
    assert named.names == ("len", "sum", "#2", "depth=3")
    long = find_best(["a\nb" * 99, "a", "a"], lambda heat: [1.0] * len(heat), budget=9).names
    assert (len(long[0]), long[0][:4], *long[1:]) == (60, "a ba", "a #1", "a #2")


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("abc", max), {}, "must be a list"),
        ((3, max), {}, "must be a list"),
        (([1], max), {}, "candidates holds 1, which leaves nothing to choose"),
        (({1, 2}, max), {}, "a set, which has no fixed order"),
        ((bytearray(b"ab"), max), {}, "must be a list"),
        ((memoryview(b"ab"), max), {}, "must be a list"),
        ((np.array(3), max), {}, "must be a list"),
        (({"x": 1, "y": 2}, max), {}, r"only the keys .* Give list\(d.values\(\)\) with names=list\(d\)"),
        ((Counter("ab"), max), {}, "candidates is a Counter, of which only the keys"),
        (([1, 2], lambda: 1), {}, "must take one tuple"),
        (([1, 2], lambda a, b, c: 1), {}, "must take one tuple"),
        (([1, 2], max), {"names": 5}, "one string per candidate"),
        (([1, 2], max), {"executor": 5}, "executor=5"),
        (([1, 2], max), {"executor": ThreadPoolExecutor}, "such as ThreadPoolExecutor"),
        (([1, 2], max), {"statistic": heats.quantile}, "needs its parameter"),
        (([1, 2], "max"), {}, "compare='max' must be a plain function"),
        (([1, 2], max), {"names": ["a"]}, "one string per candidate, 2 in all"),
        (([1, 2], max), {"names": "ab"}, "one string per candidate"),
        (([1, 2], max), {"retries": -1}, "retries=-1"),
        (([1, 2], max), {"heat_size": 3}, "heat_size=3 is more than the 2 candidates"),
        (([1, 2], max), {"seed": -1}, "seed=-1"),
        (([1, 2], max), {"statistic": 3}, "statistic=3"),
    ],
)
def test_impossible_requests_are_refused(arguments: Any, options: Any, message: str) -> None:
    """Before anything is compared."""
    with pytest.raises(InvalidArgument, match=message):
        find_best(*arguments, budget=10, **options)


def test_the_plan_s_refusals_come_through() -> None:
    """Too small a budget, unless blind."""
    with pytest.raises(BudgetTooSmall, match="at least 8"):
        find_best(range(9), list, budget=7, heat_size=2, strategy="csws")
    assert find_best(range(9), list, budget=1, heat_size=2, blind=True).spent == 1


SCRIPT = """
import os, sys, time
from concurrent.futures import ThreadPoolExecutor
import heats

def slow(heat):
    os.write(1, b"on\\n")
    time.sleep(0.3)
    return [1.0] * len(heat)

pool = ThreadPoolExecutor(2) if sys.argv[1] == "pool" else None
try:
    heats.find_best(range(100), slow, budget=1000, executor=pool)
except KeyboardInterrupt:
    print("stopped cleanly", flush=True)
"""


@pytest.mark.parametrize("where", ["pool", "thread"])
def test_ctrl_c_stops_cleanly(where: str) -> None:
    """Nothing more is handed out; the interrupt reaches the caller as it should."""
    run = subprocess.Popen([sys.executable, "-c", textwrap.dedent(SCRIPT), where], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    for _ in range(5):  # all workers have started by then
        assert run.stdout.readline() == "on\n"
    os.kill(run.pid, signal.SIGINT)
    rest, _ = run.communicate(timeout=60)
    assert "stopped cleanly" in rest
    assert rest.count("on") < 12
    assert run.returncode == 0


def test_a_statistic_s_mistake_is_not_the_comparison_s() -> None:
    """It is not retried, not wrapped, and not paid for."""
    calls = []

    def compare(heat: tuple[int, ...]) -> list[float]:
        calls.append(heat)
        return [1.0] * len(heat)

    with pytest.raises(InvalidArgument, match="must average over the pulls"):
        find_best(range(4), compare, budget=6, heat_size=2, statistic=lambda o: o, retries=5)
    assert calls == []


def test_naming_the_whole_heat_is_explained() -> None:
    """What happens to compare(a, b): a is the heat, b the query."""
    with pytest.raises(BadFeedback, match="compare gets one tuple of candidates"):
        find_best([1, 2, 3], lambda a, b: Winner(a), budget=9, heat_size=2)


def test_only_the_heat_travels_to_a_process() -> None:
    """Not all candidates with every pull."""
    import pickle

    from heats.running.comparison import Comparison

    big = [bytes([i]) * 100_000 for i in range(50)]
    job = Comparison(len, tuple(big), tuple(map(str, range(50)))).job(Query(0, 0, 0, (3, 4), 1))
    assert 200_000 < len(pickle.dumps(job)) < 210_000


def test_a_report_needs_no_clock() -> None:
    """Equal runs give equal bytes."""
    assert (
        find_best(range(9), seeded, budget=40, seed=1).to_json()
        == find_best(range(9), seeded, budget=40, seed=1).to_json()
    )
    assert isinstance(heats.find_best(range(3), list, budget=5), heats.Found)


class Mute(Exception):
    """Neither its repr nor its message can be had."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __str__(self) -> str:
        raise RuntimeError("no message")


def test_answers_that_cannot_be_described(tmp_path: Path) -> None:
    """They end the run with the pull's name, or are tried again, like all others."""

    def fails(heat: tuple[int, ...]) -> list[float]:
        raise Mute

    with pytest.raises(ComparisonFailed, match=r"\(pull 0\) failed: Mute, whose message fails"):
        heats.find_best(range(5), fails, budget=20, retries=2, journal=tmp_path / "run.jsonl")
    for answer in (Mute(), heats.Winner(Mute()), [Mute(), 1.0], "\udcff"):
        with pytest.raises(BadFeedback, match=r"pull 0") as refusal:
            heats.find_best(range(5), lambda heat: answer, heat_size=2, budget=20)  # noqa: B023  # called at once
        str(refusal.value).encode()


def test_a_plan_that_was_looked_at() -> None:
    """It is played as it is, and says it all: anything else about planning is refused, and a plan for others."""
    plan = heats.plan(9, 3, 40, "csr")
    found = heats.find_best(range(9), list, plan=plan, seed=2)
    assert found.winner == 8
    assert found.to_json() == heats.find_best(range(9), list, budget=40, heat_size=3, strategy="csr", seed=2).to_json()
    for said in (
        {"budget": 30},
        {"heat_size": 2},
        {"strategy": "csh"},
        {"record": "off"},
        {"blind": True},
        {"edge": 0.6},
    ):
        with pytest.raises(InvalidArgument, match="next to a plan, which says it all"):
            heats.find_best(range(9), list, plan=plan, **said)
    with pytest.raises(InvalidArgument, match="is for 9 candidates, but there are 8"):
        heats.find_best(range(8), list, plan=plan)
    with pytest.raises(InvalidArgument, match="say how many comparisons may be made"):
        heats.find_best(range(8), list)


@pytest.mark.parametrize("answer", [None, "b", 3.5, {"b": 1}])
def test_what_is_not_feedback_is_called_so(answer: object) -> None:
    """Whatever was planned for, and however wins would be recorded."""
    with pytest.raises(BadFeedback, match="is not feedback: give a sequence of 4 numbers"):
        heats.find_best(range(9), lambda heat: answer, budget=40, feedback="winner")


@pytest.mark.parametrize(
    ("feedback", "answer"),
    [
        ("reward", lambda heat: heats.Winner(heat[0])),
        ("winner", lambda heat: heats.Ranking(heat)),
        ("ranking", lambda heat: heats.Winner(heat[0])),
        ("winner", lambda heat: [1.0] * len(heat)),
    ],
)
def test_another_kind_than_was_planned_for_is_refused(feedback: str, answer: Any) -> None:
    """The plan was made for another model; what a statistic makes of rewards counts."""
    with pytest.raises(BadFeedback, match=r"but \w+ (feedback was|were) told"):
        heats.find_best(range(9), answer, budget=40, feedback=feedback)
    assert heats.find_best(range(9), list, budget=40, feedback="winner", statistic=heats.win_rate).winner == 8


def test_no_statistic_is_passed_over_in_silence() -> None:
    """A fitted record would rank by wins; find_best then keeps another record, all else refuses."""

    def worst(observations: Any) -> Any:
        return -observations.mean(axis=-2)

    plan = heats.plan(12, 4, 80, feedback="winner")
    for make in (
        lambda: heats.Tournament(plan, worst),
        lambda: heats.simulate(plan, PlackettLuce(range(1, 13)), 5, statistic=worst),
    ):
        with pytest.raises(InvalidArgument, match="would be ignored: the plan's record is 'fitted'"):
            make()
    found = heats.find_best(
        range(12), lambda heat: heats.Winner(max(heat)), budget=80, feedback="winner", statistic=worst
    )
    assert found.winner != 11


class Table:
    """What pandas and polars have in common: it yields the names of its columns."""

    columns = ("a", "b", "c")
    shape = (5, 3)

    def __iter__(self) -> Any:
        return iter(self.columns)


def test_candidates_that_would_be_something_else() -> None:
    """A table is not its columns; equal names name nobody; passed or failed is one or nothing."""
    with pytest.raises(InvalidArgument, match="candidates is a table"):
        heats.find_best(Table(), list, budget=9)
    with pytest.raises(InvalidArgument, match="has 'a' 2 times"):
        heats.find_best(range(3), list, budget=9, names=["a", "a", "b"])
    assert heats.find_best(range(5), lambda heat: [each == 3 for each in heat], budget=20).winner == 3


def test_adaptive_play_by_name_or_by_batches() -> None:
    """The report says what was played; what speaks of a planned tournament is refused."""
    found = heats.find_best(range(12), lambda heat: heats.Winner(max(heat)), budget=30, heat_size=3, batches=4, seed=2)
    named = heats.find_best(range(12), lambda heat: heats.Winner(max(heat)), budget=30, strategy="adaptive")
    assert found.machine == {"machine": "adaptive", "n_arms": 12, "heat_size": 3, "budget": 30, "batches": 4, "rule": 2}
    assert (found.winner, named.winner, found.report.algorithm) == (11, 11, "adaptive")
    assert named.machine["batches"] == 15
    for said in (
        {"record": "off"},
        {"blind": True},
        {"strategy": "csh"},
        {"plan": heats.plan(12, 3, 30)},
        {"edge": 0.6},
    ):
        with pytest.raises(InvalidArgument, match="planned tournament"):
            heats.find_best(range(12), lambda heat: heats.Winner(max(heat)), budget=30, batches=4, **said)
    with pytest.raises(InvalidArgument, match="budget=100"):
        heats.find_best(range(12), lambda heat: heats.Winner(max(heat)), strategy="adaptive")


@pytest.mark.parametrize(
    ("feedback", "answers", "refused"),
    [
        ("winner", [lambda heat: heats.Winner(max(heat)), lambda heat: heats.Race({max(heat): 1.0})], "rewards"),
        ("ranking", [lambda heat: heats.Ranking(sorted(heat)[::-1]), lambda heat: heats.NoVerdict()], "winner"),
        ("reward", [lambda heat: list(map(float, heat))], "ranking"),
    ],
)
def test_what_was_said_of_feedback_binds_adaptive_play(feedback: Any, answers: list[Any], refused: str) -> None:
    """As it binds a plan: another kind is refused with the comparison it came from, noted or not."""
    others: dict[str, Any] = {
        "rewards": lambda heat: list(map(float, heat)),
        "winner": lambda heat: heats.Noted(heats.Winner(max(heat)), {"judge": "ann"}),
        "ranking": lambda heat: heats.Ranking(sorted(heat)),
    }
    for answer in answers:
        assert heats.find_best(range(9), answer, budget=20, strategy="adaptive", feedback=feedback).spent == 20
    with pytest.raises(BadFeedback, match=f"feedback='{feedback}' was said, but {refused} feedback was told"):
        heats.find_best(range(9), others[refused], budget=20, strategy="adaptive", feedback=feedback)
    with pytest.raises(InvalidArgument, match="feedback='votes' is unknown"):
        heats.find_best(range(9), answers[0], budget=20, strategy="adaptive", feedback="votes")


def test_numbers_scored_by_who_won_count_as_winners_in_adaptive_play() -> None:
    """As they do for a plan."""
    options: dict[str, Any] = {"budget": 20, "strategy": "Adaptive", "feedback": "winner"}
    assert (
        heats.find_best(range(9), lambda heat: list(map(float, heat)), statistic=heats.win_rate, **options).winner == 8
    )


def test_a_machine_with_pulls_out_is_not_driven() -> None:
    """Nobody would ever tell those."""
    machine = heats.Adaptive(6, 2, 20)
    machine.ask()
    with pytest.raises(InvalidArgument, match="must be a fresh machine"):
        heats.run(machine, max)
    machine = heats.Adaptive(6, 2, 20)
    machine.requeue(machine.ask())
    assert heats.run(machine, lambda heat: heats.Winner(max(heat))).winner == 5
