"""A tournament as data: every round known and priced before the first pull.

How many arms are left after a round depends only on how many there are, how many fit a heat and
how many a heat keeps, never on feedback. A plan can therefore be printed, checked, compared and
handed around before anything is run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Literal, NamedTuple, TypeAlias, cast

import msgspec

from heats.base.checks import one_of, true_or_false, whole
from heats.base.markup import make_html_table, make_paragraph
from heats.base.naming import shorten
from heats.base.text import count_things, end_sentence, format_table
from heats.errors import InvalidArgument, InvalidPlan, PlanOverspends
from heats.planning.schedule import MOST_ROUNDS, Shape

Record: TypeAlias = Literal["ties", "off", "pooled", "fitted"]
Schedule: TypeAlias = Literal["exact", "paper"]
FeedbackHint: TypeAlias = Literal["reward", "winner", "ranking"]

SCHEDULES: tuple[Schedule, ...] = ("exact", "paper")
FEEDBACKS: tuple[FeedbackHint, ...] = ("reward", "winner", "ranking")
MOST_ARMS = 10**12
MOST_BUDGET_PULLS = 10**18  # fits the 64 bits of integers in JSON and in arrays
MOST_CARRIED_PULLS = 100  # earlier rounds count as up to this many: what an arm did in other company never decides
ROUNDS_SHOWN = 30  # at the beginning and at the end of a long plan


class RecordRule(NamedTuple):
    """What an arm's record over all rounds decides, and what is known about that; who breaks ties, the engine knows."""

    ranks_heats: bool = False  # instead of the scores of the heat itself
    is_fitted: bool = False  # it is a Plackett-Luce fit to all pulls, else the mean lead over the heats an arm was in
    guaranteed: bool = False  # covered by the theorems of the paper
    carries: frozenset[FeedbackHint | None] = frozenset()  # feedback (None: any) that still says something later
    refuses: frozenset[FeedbackHint] = frozenset()  # feedback it cannot be made of


RECORDS: dict[Record, RecordRule] = {
    "ties": RecordRule(guaranteed=True),
    "off": RecordRule(guaranteed=True),
    # Raw rewards carry nothing: their means change from set to set.
    "pooled": RecordRule(ranks_heats=True, carries=frozenset(["winner", "ranking"])),
    "fitted": RecordRule(
        ranks_heats=True,
        is_fitted=True,
        carries=frozenset([None, *FEEDBACKS]),
        refuses=frozenset(["reward"]),
    ),
}


class Problem(NamedTuple):
    """What a tournament is for: n, k and B of the paper."""

    n_arms: int
    heat_size: int
    budget: int


class Round(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``heats`` heats of ``size`` arms; each is pulled ``pulls`` times and keeps ``keep``; ``byes`` arms rest."""

    heats: int  # P_r, without the resting arms
    size: int  # |A_{r,j}|
    keep: int  # f(|A_{r,j}|)
    pulls: int  # b_r
    byes: int = 0

    @property
    def arms(self) -> int:
        """How many arms enter the round."""
        return self.heats * self.size + self.byes

    @property
    def survivors(self) -> int:
        """How many arms leave it for the next one."""
        return self.heats * self.keep + self.byes

    @property
    def cost(self) -> int:
        """Pulls of all heats together."""
        return self.heats * self.pulls


def price_rounds(shapes: Sequence[Shape], pulls: Sequence[int]) -> list[Round]:
    """Return rounds with their numbers of pulls per heat."""
    return [
        Round(heats=shape.heats, size=shape.size, keep=shape.keep, pulls=many, byes=shape.byes)
        for shape, many in zip(shapes, pulls, strict=True)
    ]


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All rounds of a tournament. Built by :func:`heats.plan`, by hand or from JSON; checked however it was built.

    Examples
    --------
    >>> own = Plan(n_arms=4, heat_size=4, budget=9, rounds=(Round(1, 4, 2, pulls=5), Round(1, 2, 1, pulls=4)))
    >>> own.cost
    9
    """

    n_arms: int
    heat_size: int
    budget: int
    rounds: tuple[Round, ...]
    strategy: str = "custom"
    schedule: str = "custom"
    record: Record = "ties"
    blind: bool = False
    feedback: FeedbackHint | None = None  # what it was made for, where that was said

    def __post_init__(self) -> None:
        problem = check_problem(self.n_arms, self.heat_size, self.budget)
        true_or_false("blind", self.blind)
        checked = {
            **problem._asdict(),  # plain ints, whatever they were
            "rounds": _check_rounds(self.rounds, problem, blind=self.blind),
            "record": check_record_name(self.record),
            "feedback": check_feedback(self.feedback),
            "strategy": _check_text("strategy", self.strategy),
            "schedule": _check_text("schedule", self.schedule),
        }
        for name, value in checked.items():
            msgspec.structs.force_setattr(self, name, value)
        if self.cost > self.budget:
            raise PlanOverspends(
                f"the plan costs {self.cost} pulls, more than {{budget}}; lower some round's pulls.", budget=self.budget
            )

    @property
    def cost(self) -> int:
        """Total pulls; never more than ``budget``."""
        return sum(each.cost for each in self.rounds)

    def to_json(self) -> str:
        """Return the plan as JSON; :meth:`from_json` gives it back."""
        return msgspec.json.encode(self).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Plan:
        """Read a plan, also as the command line prints it, and check that it fits together."""
        if not isinstance(text, (str, bytes)):
            raise InvalidPlan(f"a plan is read from JSON text, not from {type(text).__name__}.")
        try:
            return msgspec.json.decode(text, type=_PrintedPlan).plan
        except msgspec.ValidationError as error:
            if isinstance(error.__cause__, InvalidArgument):
                raise error.__cause__ from None
            _refuse_wrong_words(text)
            raise InvalidPlan(f"this JSON is not a plan: {end_sentence(error)}") from None
        except (msgspec.DecodeError, UnicodeError) as error:
            raise InvalidPlan(f"this is not valid JSON: {end_sentence(error)}") from None

    def describe(self, columns: Mapping[str, Sequence[object]] | None = None) -> str:
        """Return a table a person can read; ``columns`` adds more, with a value per round."""
        titles, rows = self._tabulate(columns or {})
        lines = list(format_table(titles, rows))
        hidden = len(rows) - 2 * ROUNDS_SHOWN
        if hidden > ROUNDS_SHOWN:
            lines[1 + ROUNDS_SHOWN : -ROUNDS_SHOWN] = [f"… {hidden} more rounds …"]
        return "\n".join([self._summary, "", *lines])

    def _tabulate(self, more: Mapping[str, Sequence[object]]) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
        titles = ("round", "arms in", "heats", "size", "keep", "byes", "pulls per heat", "pulls", "share of budget")
        rows = [
            (
                *(i, each.arms, each.heats, each.size, each.keep, each.byes, each.pulls, each.cost),
                *(f"{each.cost / self.budget:.1%}", *(values[i - 1] for values in more.values())),
            )
            for i, each in enumerate(self.rounds, 1)
        ]
        return (*titles, *more), rows

    @property
    def _summary(self) -> str:
        return (
            f"{self.strategy}, {self.schedule} schedule: {self.n_arms} candidates, heats of {self.heat_size}, "
            f"{self.cost} of {self.budget} pulls in {count_things(len(self.rounds), 'round')}"
        )

    def __repr__(self) -> str:
        return (
            f"<Plan: {shorten(self.strategy, 20)}, {self.n_arms} candidates, heats of {self.heat_size}, "
            f"{self.cost} of {self.budget} pulls in {count_things(len(self.rounds), 'round')}>"
        )

    def _repr_html_(self) -> str:
        return f"<div>{make_paragraph([self._summary])}{make_html_table(*self._tabulate({}))}</div>"

    def __str__(self) -> str:
        return self.describe()


def check_problem(n_arms: int, heat_size: int, budget: int) -> Problem:
    """Return n, k and B as ints, or refuse what makes no problem."""
    n = whole("n_arms", n_arms, 2, why="one candidate needs no comparison")
    k = whole("heat_size", heat_size, 2, why="a comparison needs two")
    if n > MOST_ARMS:
        raise InvalidArgument(f"{{n_arms}} is too many; take at most {MOST_ARMS} candidates.", n_arms=n)
    if k > n:
        raise InvalidArgument(f"{{heat_size}} is more than the {n} candidates; take {n} or fewer.", heat_size=k)
    pulls = whole("budget", budget, 1, why="without a pull nothing can be found")
    if pulls > MOST_BUDGET_PULLS:
        raise InvalidArgument(f"{{budget}} is too many; take at most {MOST_BUDGET_PULLS} pulls.", budget=pulls)
    return Problem(n, k, pulls)


def check_record_name(record: object) -> Record:
    """Return the name of a record, or refuse what is none."""
    return cast(Record, str(one_of("record", record, tuple(RECORDS))))


def check_feedback(feedback: object) -> FeedbackHint | None:
    """Return the kind of feedback that is expected, or refuse what is none; None is any."""
    if feedback is None:
        return None
    return cast(FeedbackHint, str(one_of("feedback", feedback, FEEDBACKS, ", or leave it out")))


class _Words(msgspec.Struct):
    record: object = "ties"
    feedback: object = None


class _PrintedPlan(Plan, frozen=True, forbid_unknown_fields=True):
    """A plan as the command line prints it, with what is modelled of it and can be worked out again."""

    chance: float | None = None
    chances: tuple[float, ...] | None = None

    @property
    def plan(self) -> Plan:
        return Plan(*(getattr(self, name) for name in Plan.__struct_fields__))


def _refuse_wrong_words(text: str | bytes) -> None:
    """Say which words there are, where JSON that is not a plan has another one."""
    with suppress(msgspec.DecodeError):
        words = msgspec.json.decode(text, type=_Words)
        check_record_name(words.record)
        check_feedback(words.feedback)


def _check_text(name: str, text: object) -> str:
    if not isinstance(text, str):
        raise InvalidPlan(f"{{{name}}} must be text.", **{name: text})
    return str(text)


def _check_rounds(rounds: object, problem: Problem, *, blind: bool) -> tuple[Round, ...]:
    """Return rounds that follow from each other, from all arms to one, or refuse them."""
    if not isinstance(rounds, (tuple, list)) or not all(isinstance(each, Round) for each in rounds):
        raise InvalidPlan("{rounds} must be a tuple of heats.Round.", rounds=rounds)
    if len(rounds) > MOST_ROUNDS:
        raise InvalidPlan(f"the plan has {len(rounds)} rounds; a plan has at most {MOST_ROUNDS}.")
    active, checked = problem.n_arms, []
    for number, each in enumerate(rounds, 1):
        checked.append(_check_round(number, each, problem.heat_size, blind=blind))
        if checked[-1].arms != active:
            raise InvalidPlan(
                f"round {number} deals {checked[-1].arms} arms ({each.heats} heats of {each.size} and "
                f"{each.byes} byes), but {active} are left; make heats·size + byes equal {active}."
            )
        active = checked[-1].survivors
    if active != 1:
        raise InvalidPlan(f"the plan ends with {active} arms after {len(rounds)} rounds; add rounds until one is left.")
    return tuple(checked)


def _check_round(number: int, each: Round, heat_size: int, *, blind: bool) -> Round:
    where = f"round {number}: "
    heats = whole(where + "heats", each.heats, 1, MOST_ARMS)
    size = whole(where + "size", each.size, 2, heat_size, "a heat has two to heat_size arms")
    keep = whole(where + "keep", each.keep, 1, size - 1, "a heat keeps at least one arm and drops at least one")
    byes = whole(where + "byes", each.byes, 0, MOST_ARMS)
    pulls = whole(where + "pulls", each.pulls, 0, MOST_BUDGET_PULLS)
    if pulls == 0 and not blind:
        raise InvalidPlan(
            f"round {number} judges its heats without a single pull; give it pulls, or mark the plan {{blind}}.",
            blind=True,
        )
    return Round(heats=heats, size=size, keep=keep, pulls=pulls, byes=byes)
