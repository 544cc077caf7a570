"""Several judges as one: they take turns, or all are asked and the majority counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Literal

from heats.base.checks import one_of
from heats.engine.feedback import NoVerdict
from heats.engine.machine import Query
from heats.errors import InvalidArgument
from heats.journal.judged import PullNotes, add_costs
from heats.judging.ask import Steps, take_together
from heats.judging.bench import Bench, Judged
from heats.judging.judge import Judge
from heats.judging.parse import Verdict


class Panel(Bench):
    """Several judges, asked as one is; see :func:`panel`."""

    def __init__(self, judges: tuple[Judge, ...], by: Literal["turns", "majority"]) -> None:
        self.judges = judges
        self.by = by
        may_vary = any(each.varies for each in judges)
        self.varies = may_vary or (len(judges) if by == "turns" else False)  # asked again, it is another one's turn
        self.feedback = judges[0].feedback
        self._set_async(any(each.is_async for each in judges))

    def __repr__(self) -> str:
        return f"<Panel of {', '.join(each.name for each in self.judges)}, by {self.by}>"

    def judge(self, heat: Sequence[Any], query: Query, attempt: int) -> Steps[Judged]:
        """Ask the judge whose turn it is, or all of them."""
        if self.by == "turns":
            whose, before = self._find_turn(query, attempt)
            return (yield from whose.judge(heat, query, before))
        judged = yield from take_together([each.judge(heat, query, attempt) for each in self.judges])
        votes = _count_votes([each.verdict for each in judged], len(heat))
        return Judged(votes, _merge([each.notes for each in judged]))

    def _find_turn(self, query: Query, attempt: int) -> tuple[Judge, int]:
        """Return whose turn it is, and how often that one was asked about this pull before.

        After a pull came to no verdict it is the next one's; once all were asked, only those are whose answers vary.
        """
        first = query.id % len(self.judges)
        turns = self.judges[first:] + self.judges[:first]
        if attempt < len(turns):
            return turns[attempt], 0
        varying = [each for each in turns if each.varies] or turns
        again, place = divmod(attempt - len(turns), len(varying))
        return varying[place], again + 1

    def settle(self, query: Query) -> None:
        """Take note, on behalf of all, that a pull came to an end."""
        for each in self.judges:
            each.settle(query)


def panel(judges: Iterable[Judge], by: Literal["turns", "majority"] = "turns") -> Panel:
    """Return several judges as one, to hand to ``find_best``.

    By ``"turns"`` pull 0 is for the first, pull 1 for the second, and so on; a pull without a verdict is asked again of
    the next. By ``"majority"`` all are asked, and who has the most votes wins; equal votes are a tie, and who has no
    verdict has no vote. Reports say how far each judge agrees with the standings.
    """
    taken = tuple(judges) if isinstance(judges, Iterable) else ()
    if len(taken) < 2 or not all(isinstance(each, Judge) for each in taken):
        raise InvalidArgument("{judges} must be a list of at least two judges.", judges=judges)
    one_of("by", by, ("turns", "majority"))
    name, count = Counter(each.name for each in taken).most_common(1)[0]
    if count > 1:
        raise InvalidArgument(
            f"{count} judges are called {name!r}; give each its own name=, so reports can tell them apart."
        )
    kinds = {each.feedback for each in taken}
    if len(kinds) > 1:
        raise InvalidArgument("some judges name a winner and others rank; give all of them the same feedback=.")
    if by == "majority" and kinds == {"ranking"}:
        raise InvalidArgument("{by} is for judges that name a winner; let judges that rank take turns.", by=by)
    return Panel(taken, by)


def _count_votes(verdicts: Sequence[Verdict | NoVerdict], size: int) -> Verdict | NoVerdict:
    """Return who has the most votes, all of them where several have; a tie is a vote shared by all."""
    votes: Counter[int] = Counter()
    for each in verdicts:
        if isinstance(each, Verdict):
            named = each.best or range(size)
            votes.update({place: Fraction(1, len(named)) for place in named})
    if not votes:
        return NoVerdict("; ".join(each.why for each in verdicts if isinstance(each, NoVerdict)))
    most = max(votes.values())
    best = tuple(place for place in range(size) if votes[place] == most)
    return Verdict(best, tied=len(best) > 1)


def _merge(notes: Sequence[PullNotes]) -> PullNotes:
    """Return the notes of all judges of a pull as those of one."""
    cost = None
    for each in notes:
        cost = add_costs(cost, each.cost)
    return PullNotes(
        heard=tuple(heard for each in notes for heard in each.heard),
        row=notes[0].row,
        calls=sum(each.calls for each in notes),
        hits=sum(each.hits for each in notes),
        outputs=sum(each.outputs for each in notes),
        kept_outputs=sum(each.kept_outputs for each in notes),
        retries=notes[0].retries,
        cost=cost,
    )
