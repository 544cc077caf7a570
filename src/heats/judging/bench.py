"""Whoever judges, one or several: calls to be made → what a pull came to → feedback that names candidates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from heats.engine.feedback import Named, NoVerdict, Ranking, Winner
from heats.engine.machine import Query
from heats.journal.judged import PullNotes
from heats.judging.ask import Steps, make_calls, make_calls_async
from heats.judging.parse import Verdict
from heats.running.outcomes import Noted


@dataclass(frozen=True)
class Judged:
    """What a pull came to: places of its heat, best first, or why there is no verdict; and what to write down."""

    verdict: Verdict | NoVerdict
    notes: PullNotes


class Bench(ABC):
    """Whoever judges: one judge or a panel of them, called as ``compare`` is."""

    varies: bool | int  # whether, asked again about the same pull, it may say something else; or how often at most
    feedback: Literal["winner", "ranking"]
    is_async: bool  # whether what it returns has to be awaited

    def _set_async(self, is_async: bool) -> None:
        self.is_async = is_async
        if is_async:  # whoever looks is to see a coroutine function
            self.__call__ = self._call_async  # type: ignore[method-assign]

    def __call__(self, heat: Sequence[Any], query: Query, attempt: int = 0) -> Noted | Awaitable[Noted]:
        """Compare the candidates of a heat; to be awaited if ``ask`` or ``answer`` is."""
        if self.is_async:
            return self._call_async(heat, query, attempt)
        return self._say(make_calls(self.judge(heat, query, attempt)), heat, query)

    async def _call_async(self, heat: Sequence[Any], query: Query, attempt: int = 0) -> Noted:
        return self._say(await make_calls_async(self.judge(heat, query, attempt)), heat, query)

    @abstractmethod
    def judge(self, heat: Sequence[Any], query: Query, attempt: int) -> Steps[Judged]:
        """Yield the calls to be made, take their answers, and return what the pull came to."""

    @abstractmethod
    def settle(self, query: Query) -> None:
        """Take note that there is an answer to a pull: what is spent from here on is for the next one."""

    def _say(self, judged: Judged, heat: Sequence[Any], query: Query) -> Noted:
        self.settle(query)
        return Noted(self._name_candidates(judged.verdict, heat), judged.notes.to_notes())

    def _name_candidates(self, verdict: Verdict | NoVerdict, heat: Sequence[Any]) -> Named:
        if isinstance(verdict, NoVerdict):
            return verdict
        if self.feedback == "ranking":
            return Ranking(heat[place] for place in verdict.best)
        return Winner(*(heat[place] for place in verdict.best or range(len(heat))))
