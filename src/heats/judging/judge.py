"""A judge: somebody who reads outputs side by side and says which is best, as the ``compare`` of ``find_best``."""

from __future__ import annotations

import inspect
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Literal
from uuid import uuid4

import msgspec

from heats.base.checks import one_of, true_or_false
from heats.base.seeds import fold_seed
from heats.base.text import make_encodable
from heats.engine.feedback import Arms, NoVerdict
from heats.engine.machine import Query
from heats.errors import InvalidArgument, show_value
from heats.journal.fingerprint import take_fingerprints
from heats.journal.judged import Heard, PullNotes
from heats.judging.ask import Call, Spending, Steps, Turns, has_own_name, name_function
from heats.judging.bench import Bench, Judged
from heats.judging.cache import Cache, Memory, Store, make_key
from heats.judging.limit import Limit
from heats.judging.parse import Verdict, parse_answer
from heats.judging.rows import choose_row, take_rows
from heats.judging.show import QUESTION, check_size, show_outputs
from heats.running.comparison import is_coroutine_function

MOST_REMEMBERED = 10_000  # pulls that may be tried again
MOST_ARRIVED = 8  # judges that travelled to this process, and stay for the next pull


@dataclass
class Tried:
    """How often each text of a pull was answered without a verdict coming of it; what was spent since it last came."""

    of_no_use: Counter[str] = field(default_factory=Counter)
    elsewhere: int = 0  # attempts that another process made: all answers they got may have been of no use
    spending: Spending = field(default_factory=Spending)
    tries: int = 0  # all but the last failed; 0: the last one came to an end


class Judge(Bench):
    """Compares candidates by asking somebody: ``ask(text)`` returns an answer, and may be ``async``.

    Parameters
    ----------
    ask
        Your own client: a function from the text of a question to the text of the answer. It may return
        ``heats.Noted(text, {"cost": 0.002})`` to say what the call cost. What it raises is a failure, which
        ``find_best(..., retries=...)`` tries again.
    rows
        A data set: every pull is judged on one of its rows, all in a seeded order, then all again in another one.
    answer
        ``answer(candidate, row)`` makes the output of a candidate on a row, once for each, sync or async; left out,
        the candidates are texts, and these are compared.
    show
        ``show(outputs, row)`` makes the text to ask, if the one of :func:`show_outputs` will not do. It has to ask for
        one letter, A for the first output, B for the second, and so on; or for a ranking.
    question
        What the text begins with, if ``show`` is left out.
    feedback
        ``"winner"`` asks for one letter, ``"ranking"`` for all of them, best first.
    ties
        True lets the judge say that none is better.
    both_orders
        True asks twice, the second time in reversed order; if the two differ there is no verdict.
    limit
        A :class:`Limit`: how many calls may be made within a minute, and at once. What the cache has is not a call.
    cache
        A file that keeps answers, by ``name`` and text; it is made if it is not there. Failures are not kept.
    name
        What the judge is called in reports, and in the cache; left out, it is the name of ``ask``.
    seed
        Of the order of the rows.
    varies
        Whether the same text may get another answer: then a pull without a verdict is asked again, up to ``retries``
        times. Left out: unless answers are kept.

    Examples
    --------
    >>> import heats
    >>> judge = heats.judging.Judge(lambda text: "A" if text.count("!") else "B", name="fake")
    >>> heats.find_best(["good", "bad", "ugly"], judge, budget=9, heat_size=2).spent
    9
    """

    def __init__(
        self,
        ask: Callable[[str], Any],
        *,
        rows: Iterable[Any] | None = None,
        answer: Callable[[Any, Any], Any] | None = None,
        show: Callable[..., str] | None = None,
        question: str = QUESTION,
        feedback: Literal["winner", "ranking"] = "winner",
        ties: bool = False,
        both_orders: bool = False,
        limit: Limit | None = None,
        cache: str | os.PathLike[str] | Cache | None = None,
        name: str | None = None,
        seed: int = 0,
        varies: bool | None = None,
    ) -> None:
        self._rows = take_rows(rows)
        self._rebuild = partial(
            Judge,
            ask,
            rows=self._rows,
            answer=answer,
            show=show,
            question=question,
            feedback=feedback,
            ties=ties,
            both_orders=both_orders,
            limit=limit,
            cache=cache,
            name=name,
            seed=seed,
            varies=varies,
        )
        self._ask = _check_function("ask", ask)
        self._answer = None if answer is None else _check_function("answer", answer)
        one_of("feedback", feedback, ("winner", "ranking"))
        self.feedback = feedback
        self._ties = true_or_false("ties", ties)
        if ties and feedback == "ranking":
            raise InvalidArgument("{ties} is for winners: a ranking puts every candidate in a place.", ties=ties)
        self._both_orders = true_or_false("both_orders", both_orders)
        if limit is not None and not isinstance(limit, Limit):
            raise InvalidArgument("{limit} must be a Limit, such as Limit(calls=60, at_once=4).", limit=limit)
        self._limit = limit
        self.varies = cache is None if varies is None else true_or_false("varies", varies)
        self.name = _choose_name(name, ask, is_kept=cache is not None)
        self._show = _choose_show(show, question, ranking=feedback == "ranking", ties=ties)
        self._seed = seed
        fold_seed(seed)
        self._cache: Store | None = cache if isinstance(cache, Cache) or cache is None else Cache(cache)
        if self._cache is not None and answer is not None:
            _check_own_name("answer", answer)
        self._outputs: Store = self._cache or Memory()
        self._met: dict[int, Any] = {}  # candidates and rows that are known by nothing but themselves
        self._turns = Turns()
        self._tried: dict[tuple[int, int], Tried] = {}  # pulls that may be tried again, by id and seed
        self._guard = threading.Lock()
        self._token = uuid4().hex  # by which a process knows a judge that travelled there again
        self._set_async(is_coroutine_function(ask) or is_coroutine_function(answer))

    def __reduce__(self) -> tuple[Callable[..., Judge], tuple[str, partial[Judge]]]:
        return _arrive, (self._token, self._rebuild)  # locks and connections do not travel

    def __repr__(self) -> str:
        return f"<Judge {self.name}>"

    def judge(self, heat: Sequence[Any], query: Query, attempt: int) -> Steps[Judged]:
        """Yield the calls to be made for a pull, and return its verdict."""
        check_size(len(heat))
        tried = self._recall(query, attempt)
        number = None if self._rows is None else choose_row(len(self._rows), self._seed, query.id)
        row = None if self._rows is None or number is None else self._rows[number]
        outputs = yield from self._make_outputs(heat, row, tried.spending)
        verdict, heard = yield from self._ask_in_all_orders(outputs, row, query.arms, tried)
        return Judged(verdict, PullNotes(heard, number, retries=tried.tries - 1, **asdict(tried.spending)))

    def _ask_in_all_orders(
        self, outputs: list[str], row: Any, arms: Arms, tried: Tried
    ) -> Steps[tuple[Verdict | NoVerdict, tuple[Heard, ...]]]:
        """Ask once for every order, until one brings no verdict; return what all agree in, and what was heard."""
        verdicts: list[Verdict | NoVerdict] = []
        heard, asked = [], []
        for order in self._orders(len(arms)):
            asked.append(text := self._make_text([outputs[place] for place in order], row))
            [answer] = yield [self._question(text, tried)]
            found = parse_answer(answer, len(arms), ranking=self.feedback == "ranking", ties=self._ties)
            shown = tuple(arms[place] for place in order)
            if isinstance(found, NoVerdict):
                heard.append(Heard(self.name, shown))
                verdicts = [found]
                break
            heard.append(Heard(self.name, shown, tuple(shown[place] for place in found.best), found.tied))
            verdicts.append(Verdict(tuple(order[place] for place in found.best), found.tied))
        verdict = _agree(verdicts)
        if isinstance(verdict, NoVerdict):
            tried.of_no_use.update(asked)
        return verdict, tuple(heard)

    def settle(self, query: Query) -> None:
        """Take note that there is an answer to a pull."""
        with self._guard:
            if (tried := self._tried.get((query.id, query.seed))) is not None:
                tried.tries, tried.spending = 0, Spending()

    def _orders(self, size: int) -> list[range]:
        return [range(size), range(size)[::-1]] if self._both_orders else [range(size)]

    def _make_outputs(self, heat: Sequence[Any], row: Any, spending: Spending) -> Steps[list[str]]:
        """Return what is compared: the candidates, if these are texts, or what they make of the row."""
        if self._answer is None:
            for each in heat:
                if not isinstance(each, str):
                    raise InvalidArgument(
                        f"the candidate {show_value(each)} is not a text; give answer=, a function of a candidate and "
                        "a row that makes one."
                    )
            return [make_encodable(each) for each in heat]
        calls = [
            Call(
                function=self._answer,
                arguments=(candidate, row),
                is_question=False,
                spending=spending,
                kept=self._outputs,
                key=make_key(f"answer {name_function(self._answer)}", self._identify(candidate, row)),
                number=0,
                limit=self._limit,
                turns=self._turns,
            )
            for candidate in heat
        ]
        return list((yield calls))

    def _identify(self, candidate: Any, row: Any) -> str:
        """Return text by which a candidate on a row is known, in other runs, too, if their answers are kept."""
        try:
            known = take_fingerprints((candidate, row), ("", ""), named=False)
        except InvalidArgument:
            if self._cache is None:
                self._met |= {id(each): each for each in (candidate, row)}  # so that no other gets its number
                return f"{id(candidate)} {id(row)}"
            raise InvalidArgument(
                "answers are kept by candidate and row, so both must be JSON, or functions with a name of their own; "
                f"{show_value((candidate, row))} is not."
            ) from None
        return msgspec.json.encode(known).decode()

    def _make_text(self, outputs: list[str], row: Any) -> str:
        text = self._show(outputs, row)
        if not isinstance(text, str):
            raise InvalidArgument(f"show must return text, not {show_value(text)}.")
        return make_encodable(text)

    def _question(self, text: str, tried: Tried) -> Call:
        return Call(
            function=self._ask,
            arguments=(text,),
            is_question=True,
            spending=tried.spending,
            kept=self._cache,
            key=make_key(self.name, text),
            number=tried.of_no_use[text] + tried.elsewhere if self.varies else 0,
            limit=self._limit,
            turns=self._turns,
        )

    def _recall(self, query: Query, attempt: int) -> Tried:
        """Return what earlier tries of a pull came to; after an answer, a first attempt begins anew."""
        with self._guard:
            pull = query.id, query.seed
            tried = self._tried.get(pull)
            if tried is None or (attempt == 0 and not tried.tries):
                tried = self._tried[pull] = Tried(elsewhere=attempt)
                if len(self._tried) > MOST_REMEMBERED:
                    del self._tried[next(iter(self._tried))]
            tried.tries += 1
            return tried


_ARRIVED: dict[str, Judge] = {}
_ARRIVING = threading.Lock()


def _arrive(token: str, rebuild: Callable[[], Judge]) -> Judge:
    """Return the one judge of this process for all copies of one: so it remembers what candidates made of rows."""
    with _ARRIVING:
        judge = _ARRIVED.pop(token, None) or rebuild()
        judge._token = token
        _ARRIVED[token] = judge
        if len(_ARRIVED) > MOST_ARRIVED:
            del _ARRIVED[next(iter(_ARRIVED))]
        return judge


def _agree(verdicts: Sequence[Verdict | NoVerdict]) -> Verdict | NoVerdict:
    """Return the verdict on all orders shown, if it is the same."""
    first = verdicts[0]
    if all(each == first for each in verdicts):
        return first
    return NoVerdict("the verdict changed with the order in which they were shown")


def _check_function(argument: str, function: Callable[..., Any]) -> Callable[..., Any]:
    if not callable(function):
        raise InvalidArgument(f"{{{argument}}} must be a function.", **{argument: function})
    return function


def _check_own_name(argument: str, function: Callable[..., Any]) -> None:
    if not has_own_name(function):
        raise InvalidArgument(
            f"{{{argument}}} has no name of its own to keep answers by; write it as a function at the top of a module.",
            **{argument: function},
        )


def _choose_name(name: str | None, ask: Callable[..., Any], *, is_kept: bool) -> str:
    if name is None:
        if is_kept and not has_own_name(ask):
            raise InvalidArgument(
                "{ask} has no name of its own to keep answers by: those of another one would be taken for its; give "
                "name=, such as the name of a model.",
                ask=ask,
            )
        return make_encodable(name_function(ask))
    if not isinstance(name, str) or not name.strip():
        raise InvalidArgument("{name} must be a text: what to call the judge.", name=name)
    return make_encodable(name)


def _choose_show(show: Callable[..., str] | None, question: str, *, ranking: bool, ties: bool) -> Callable[..., str]:
    """Return a function of outputs and row; the user's may do without the row."""
    if show is None:
        if not isinstance(question, str) or not question.strip():
            raise InvalidArgument("{question} must be a text: what to ask about the outputs.", question=question)
        return partial(show_outputs, question=question, ranking=ranking, ties=ties)
    _check_function("show", show)
    if is_coroutine_function(show):
        raise InvalidArgument("{show} must be a plain function.", show=show)
    try:
        inspect.signature(show).bind([], None)
    except TypeError:
        return partial(_leave_row_out, show)
    except ValueError:  # a built-in that does not say what it takes
        pass
    return show


def _leave_row_out(show: Callable[..., str], outputs: list[str], row: Any) -> str:
    return show(outputs)
