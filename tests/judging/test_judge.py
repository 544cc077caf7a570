"""A judge is asked about the outputs of a heat, and what it says becomes feedback."""

from __future__ import annotations

import asyncio
import functools
import inspect
import itertools
import pickle
import random
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import heats
from heats.judging import Judge

WORDS = ["a", "bb", "ccc", "dddd", "eeeee", "ffffff"]
QUERY = heats.Query(id=5, round=0, heat=0, arms=(3, 1, 2), seed=9)
HEAT = ("dddd", "bb", "ccc")


def outputs_in(text: str) -> list[str]:
    """Return what a judge is shown, in order."""
    return [text.split(f"<{letter}>\n")[1].split(f"\n</{letter}>")[0] for letter in "ABCD" if f"<{letter}>" in text]


def longest(text: str) -> str:
    """Prefer the longest output: a judge without faults."""
    shown = outputs_in(text)
    return "ABCD"[shown.index(max(shown, key=len))]


async def longest_async(text: str) -> str:
    await asyncio.sleep(0)
    return longest(text)


def rank(text: str) -> str:
    shown = outputs_in(text)
    return " > ".join("ABCD"[shown.index(each)] for each in sorted(shown, key=len, reverse=True))


def run_on(candidate: str, row: dict[str, int]) -> str:
    return candidate * row["times"]


def make_ask(letter: str) -> Callable[[str], str]:
    def ask(text: str) -> str:
        return letter

    return ask


def call(judge: Judge, attempt: int = 0) -> Any:
    said: Any = judge(HEAT, query=QUERY, attempt=attempt)
    return asyncio.run(said) if inspect.isawaitable(said) else said


@pytest.mark.parametrize("ask", [longest, longest_async])
def test_the_best_is_named_as_a_candidate(ask: Callable[..., Any]) -> None:
    """Asked plainly or with await."""
    assert call(Judge(ask)).feedback == heats.Winner("dddd")


def test_a_ranking_names_all() -> None:
    """Best first."""
    assert call(Judge(rank, feedback="ranking")).feedback == heats.Ranking(["dddd", "ccc", "bb"])


def test_find_best_takes_a_judge() -> None:
    """In this thread, in threads, and in processes; the same bytes everywhere."""
    expected = heats.find_best(WORDS, Judge(longest), budget=20, heat_size=3)
    assert expected.winner == "ffffff"
    judge = Judge(longest, answer=run_on, rows=[{"times": 2}, {"times": 3}])
    with ThreadPoolExecutor(4) as threads, ProcessPoolExecutor(1) as processes:
        for pool in (None, threads, processes):
            found = heats.find_best(WORDS, judge, budget=20, heat_size=3, executor=pool)
            assert found.to_json() == expected.to_json()


def test_a_judge_that_is_awaited_looks_like_it() -> None:
    """To whoever has to know before calling it."""
    assert inspect.iscoroutinefunction(Judge(longest_async).__call__)
    assert not inspect.iscoroutinefunction(Judge(longest).__call__)
    assert Judge(longest, answer=longest_async).is_async


@pytest.mark.parametrize("is_awaited", [False, True])
def test_candidates_are_run_on_the_row_once(is_awaited: bool) -> None:
    """By candidate and row: pulls on the same row share what their candidates made of it, also if at the same time."""
    made: Counter[tuple[str, int]] = Counter()

    def answer(candidate: str, row: int) -> str:
        made[candidate, row] += 1
        return candidate * row

    async def answer_async(candidate: str, row: int) -> str:
        await asyncio.sleep(0.001)
        return answer(candidate, row)

    if is_awaited:
        judge = Judge(longest_async, rows=[1, 2], answer=answer_async)

        async def call_all() -> None:
            await asyncio.gather(*(judge(HEAT, heats.Query(pull, 0, 0, (3, 1, 2), pull)) for pull in range(20)))

        asyncio.run(call_all())
    else:
        heats.find_best(WORDS, Judge(longest, rows=[1, 2], answer=answer), budget=40, heat_size=3)
    assert set(made.values()) == {1}
    assert {row for _, row in made} == {1, 2}


def test_a_process_remembers_what_candidates_made(tmp_path: Path) -> None:
    """A judge that comes there again, with every task, is the same one."""
    made = tmp_path / "made.txt"
    judge = Judge(longest, rows=[{"times": 1}, {"times": 2}], answer=partial_answer(made))
    with ProcessPoolExecutor(2) as processes:
        found = heats.find_best(WORDS, judge, budget=40, heat_size=3, executor=processes)
    assert found.winner == "ffffff"
    assert max(Counter(made.read_text().splitlines()).values()) <= 2  # once in each process


def partial_answer(made: Path) -> Callable[[str, dict[str, int]], str]:
    return functools.partial(write_and_run_on, str(made))


def write_and_run_on(made: str, candidate: str, row: dict[str, int]) -> str:
    with open(made, "a") as file:  # noqa: PTH123
        file.write(f"{candidate} {row['times']}\n")
    return run_on(candidate, row)


def test_candidates_and_rows_may_be_anything(tmp_path: Path) -> None:
    """Each is known by being itself; not if answers are to outlive it."""
    made: Counter[int] = Counter()

    class Model:
        def __init__(self, size: int) -> None:
            self.size = size

        def __repr__(self) -> str:
            return "a model"

    def answer(candidate: Model, row: object) -> str:
        made[candidate.size] += 1
        return "x" * candidate.size

    models, options = [Model(size) for size in range(1, 6)], {"budget": 20, "heat_size": 2}
    judge = Judge(longest, rows=[object()], answer=answer)
    assert heats.find_best(models, judge, **options).winner is models[-1]
    assert set(made.values()) == {1}
    assert heats.find_best([Model(9), Model(8)], judge, **options).winner.size == 9  # no two are taken for each other
    kept = Judge(longest, rows=[object()], answer=run_on, cache=tmp_path / "c.db")
    with pytest.raises(heats.errors.ComparisonFailed, match="JSON"):
        heats.find_best(models, kept, **options)


def test_one_judge_works_for_several_loops() -> None:
    """In threads of a server, say, at the same time."""
    failures = []

    async def answer(candidate: str, row: int) -> str:
        await asyncio.sleep(0.005)
        return candidate * row

    judge = Judge(longest_async, rows=[1], answer=answer)

    def find() -> None:
        try:
            asyncio.run(heats.find_best_async(WORDS[:3], judge, budget=12, heat_size=2))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=find) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_plain_ask_beside_an_awaited_answer_has_a_thread_of_its_own() -> None:
    """As many as there are places, not as few as a loop keeps for everybody."""
    places = 40  # more than any loop has threads
    together = threading.Barrier(places, timeout=20)

    def ask(text: str) -> str:
        together.wait()
        return longest(text)

    async def answer(candidate: str, row: Any) -> str:
        return candidate

    async def find() -> heats.Found:
        judge, plan = Judge(ask, answer=answer), heats.plan(2, 2, places, "csws")
        return await heats.find_best_async(WORDS[:2], judge, plan=plan, concurrency=places)

    assert asyncio.run(find()).winner == "bb"


def test_both_orders_must_agree() -> None:
    """A judge that sees only places never does, one that reads always does; both answers are in the notes."""
    fair, blind = (call(Judge(ask, both_orders=True)) for ask in (longest, lambda text: "A"))
    assert fair.feedback == heats.Winner("dddd")
    assert isinstance(blind.feedback, heats.NoVerdict)
    assert "order" in blind.feedback.why
    heard = blind.notes["judging"]["heard"]
    assert [each["shown"] for each in heard] == [[3, 1, 2], [2, 1, 3]] or [each["shown"] for each in heard] == [
        (3, 1, 2),
        (2, 1, 3),
    ]
    assert [tuple(each["best"]) for each in heard] == [(3,), (2,)]


def test_pulls_without_a_verdict_are_in_the_text() -> None:
    """Where every answer could be read and yet no two agreed, nothing else would say why nobody is ahead."""
    found = heats.find_best(WORDS, Judge(lambda text: "A", both_orders=True), budget=20, heat_size=2)
    assert "pulls:      20 of 20, 20 of them without a verdict" in str(found)
    assert "20 of them without a verdict" in found._repr_html_()


def test_a_ranking_must_be_the_same_in_both_orders() -> None:
    """All of it."""
    assert call(Judge(rank, feedback="ranking", both_orders=True)).feedback == heats.Ranking(["dddd", "ccc", "bb"])
    assert isinstance(
        call(Judge(lambda text: "A > B > C", feedback="ranking", both_orders=True)).feedback, heats.NoVerdict
    )


@pytest.mark.parametrize("answer", ["", "I'd say A", "A and B", "D", "Réponse A", "A" * 1_000_000, "\x1b]0;A\x07A"])
def test_an_answer_that_cannot_be_read_is_no_verdict(answer: str, tmp_path: Path) -> None:
    """The pull is spent, nobody gains, and the journal and the report take it."""
    found = heats.find_best(WORDS, Judge(lambda _: answer), budget=12, heat_size=3, journal=tmp_path / "run.jsonl")
    assert found.report.no_verdicts == 12
    assert (tmp_path / "run.jsonl").stat().st_size < 20_000
    assert "\x1b" not in str(found)
    assert found.judging is not None
    assert found.judging.judges[0].no_verdicts == 12


def test_a_tie_is_shared_where_it_may_be_said() -> None:
    """Else it is no verdict."""
    assert call(Judge(lambda text: "TIE", ties=True)).feedback == heats.Winner(*HEAT)
    assert isinstance(call(Judge(lambda text: "TIE")).feedback, heats.NoVerdict)


def test_asked_again_it_answers_anew_and_that_is_kept_too(tmp_path: Path) -> None:
    """An answer of no use is not given twice; another run finds all of them, in their order, without a call."""
    answers = iter(["what?", "again?", "B"])

    def ask(text: str) -> str:
        return next(answers)

    judge = Judge(ask, cache=tmp_path / "c.db", name="x", varies=True)
    said = [call(judge, attempt) for attempt in range(3)]
    assert [isinstance(each.feedback, heats.NoVerdict) for each in said] == [True, True, False]
    assert [each.notes["judging"]["calls"] for each in said] == [1, 1, 1]
    again = Judge(ask, cache=tmp_path / "c.db", name="x", varies=True)
    assert [call(again, attempt).feedback for attempt in range(3)] == [each.feedback for each in said]


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    """It is raised, and what was kept before it is not asked for again; its calls are counted with those after it."""
    asked: list[str] = []

    def ask(text: str) -> str:
        asked.append(text)
        if len(asked) == 2:
            raise OSError("503")
        return longest(text)

    judge = Judge(ask, cache=tmp_path / "c.db", name="x", both_orders=True)
    with pytest.raises(OSError, match="503"):
        call(judge)
    said = call(judge)
    assert said.feedback == heats.Winner("dddd")
    assert len(asked) == 3
    assert asked[1] == asked[2] != asked[0]
    notes = said.notes["judging"]
    assert (notes["calls"], notes["hits"], notes["retries"]) == (3, 1, 1)


def test_the_cache_is_by_judge_and_text(tmp_path: Path) -> None:
    """Another one is asked for itself."""
    calls: Counter[str] = Counter()

    def ask(text: str) -> str:
        calls[text] += 1
        return "A"

    for name in ("one", "one", "two"):
        call(Judge(ask, cache=tmp_path / "c.db", name=name))
    assert list(calls.values()) == [2]


def test_what_it_cost_is_added_up() -> None:
    """Of all calls that say so, those of candidates among them."""

    def answer(candidate: str, row: Any) -> Any:
        return heats.Noted(candidate, {"cost": 0.25})

    judge = Judge(lambda text: heats.Noted(longest(text), {"cost": 1}), answer=answer)
    assert call(judge).notes["judging"]["cost"] == 1.75


def test_show_is_the_user_s() -> None:
    """With the row or without, called with the outputs in the order shown."""
    seen = []

    def ask(text: str) -> str:
        seen.append(text)
        return "A"

    call(Judge(ask, show=lambda outputs: "/".join(outputs)))
    call(Judge(ask, show=lambda outputs, row: f"{row}: {outputs[0]}", rows=["r"]))
    call(Judge(ask, question="Which is shortest?"))
    assert seen[:2] == ["dddd/bb/ccc", "r: dddd"]
    assert seen[2].startswith("Which is shortest?")


def test_answers_of_no_use_are_counted_as_any_other(tmp_path: Path) -> None:
    """With their calls and their cost; a run that is read from its journal says the same."""
    said = itertools.cycle(["well", "hm", "A"])
    judge = Judge(lambda text: heats.Noted(next(said), {"cost": 1}), name="x")
    path = tmp_path / "run.jsonl"
    options: dict[str, Any] = {"budget": 6, "heat_size": 2, "retries": 2}
    found = heats.find_best(WORDS[:3], judge, journal=path, **options)
    facts = found.judging
    assert facts is not None
    assert (facts.pulls, facts.calls, facts.retries, facts.cost) == (6, 18, 12, 18)
    assert [(each.answers, each.no_verdicts) for each in facts.judges] == [(18, 12)]
    assert heats.find_best(WORDS[:3], judge, **options).judging == facts
    assert heats.find_best(WORDS[:3], judge, journal=path, **options).judging == facts


def test_an_answer_that_is_no_text_is_asked_for_again() -> None:
    """Clients have None where a model said nothing; at once, since somebody is there."""
    said = itertools.chain([None], itertools.repeat("A"))
    found = heats.find_best(WORDS[:3], Judge(lambda text: next(said)), budget=6, heat_size=2, retries=1)
    assert found.judging is not None
    assert (found.judging.calls, found.judging.retries) == (7, 1)


def test_it_says_whether_it_may_vary(tmp_path: Path) -> None:
    """So that a pull without a verdict is asked again, or not: what is kept will not change."""
    assert Judge(longest).varies is True
    assert Judge(longest, varies=False).varies is False
    assert Judge(longest, cache=tmp_path / "c.db").varies is False
    assert Judge(longest, cache=tmp_path / "c.db", varies=True).varies is True


@pytest.mark.parametrize(("varies", "asked"), [(True, 3), (False, 1)])
def test_a_pull_without_a_verdict_is_asked_again_only_where_that_may_help(varies: bool, asked: int) -> None:
    """As often as retries allow; then it is spent, and says nothing."""
    texts: list[str] = []

    def ask(text: str) -> str:
        texts.append(text)
        return "who knows"

    found = heats.find_best(["a", "b"], Judge(ask, varies=varies), budget=4, heat_size=2, retries=2)
    assert found.spent == 4
    assert len(texts) == 4 * asked
    assert found.judging is not None
    assert found.judging.calls == len(texts)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"ask": 7}, "ask=7"),
        ({"answer": "x"}, "answer='x'"),
        ({"show": 3}, "show=3"),
        ({"show": longest_async}, "show="),
        ({"question": ""}, "question=''"),
        ({"feedback": "reward"}, "feedback='reward'"),
        ({"feedback": "ranking", "ties": True}, "ties=True"),
        ({"both_orders": 1}, "both_orders=1"),
        ({"limit": 60}, "limit=60"),
        ({"rows": []}, "rows is empty"),
        ({"name": ""}, "name=''"),
        ({"seed": -1}, "seed=-1"),
        ({"ask": lambda text: "A", "cache": "CACHE"}, "name="),
        ({"ask": make_ask("A"), "cache": "CACHE"}, "name="),
        ({"ask": "text".join, "cache": "CACHE"}, "name="),
        ({"answer": lambda candidate, row: "A", "cache": "CACHE"}, "answer="),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, Any], word: str, tmp_path: Path) -> None:
    """With what to do instead."""
    options = {key: str(tmp_path / "c.db") if value == "CACHE" else value for key, value in options.items()}
    with pytest.raises(heats.errors.InvalidArgument) as refused:
        Judge(**{"ask": longest, **options})
    assert word in str(refused.value)


@pytest.mark.parametrize(
    ("judge", "words"),
    [
        (lambda: Judge(lambda text: None), "must return text, an empty one if there is none, not None"),
        (lambda: Judge(lambda text: longest_async(text)), "async def"),
        (lambda: Judge(longest, show=lambda outputs: 7), "show must return text"),
        (lambda: Judge(longest, answer=lambda candidate, row: b"x"), "must return text"),
        (lambda: Judge(lambda text: heats.Noted("A", {"cost": "much"})), "cost"),
    ],
)
def test_what_does_not_fit_is_said_in_the_words_of_the_judge(judge: Callable[[], Judge], words: str) -> None:
    """Not as somebody's type error."""
    with pytest.raises((heats.errors.ComparisonFailed, heats.errors.BadFeedback), match=words):
        heats.find_best(WORDS, judge(), budget=10, heat_size=2)


def test_candidates_that_are_no_texts_need_answer() -> None:
    """It is said which."""
    with pytest.raises(heats.errors.ComparisonFailed, match="answer="):
        heats.find_best([1, 2, 3], Judge(longest), budget=6, heat_size=2)


def test_a_judge_travels_with_its_cache(tmp_path: Path) -> None:
    """Locks and connections stay behind."""
    judge = Judge(longest, cache=tmp_path / "c.db")
    assert call(pickle.loads(pickle.dumps(judge))).feedback == heats.Winner("dddd")
    assert call(judge).notes["judging"]["hits"] == 1


def test_equal_runs_give_equal_bytes_whatever_the_cache_had(tmp_path: Path) -> None:
    """Calls and hits are beside the report, not in it."""

    def ask(text: str) -> str:
        return random.Random(text).choice("ABCX")

    with_cache, again, without = (
        heats.find_best(
            WORDS, Judge(ask, name="x", **options), budget=30, heat_size=3, journal=tmp_path / f"{number}.jsonl"
        )
        for number, options in enumerate([{"cache": tmp_path / "c.db"}, {"cache": tmp_path / "c.db"}, {}])
    )
    assert with_cache.to_json() == again.to_json() == without.to_json()
    assert with_cache.judging != again.judging
    resumed = heats.find_best(WORDS, Judge(ask, name="x"), budget=30, heat_size=3, journal=tmp_path / "0.jsonl")
    assert resumed.judging == with_cache.judging
