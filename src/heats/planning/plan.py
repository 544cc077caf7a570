"""A tournament as data: every round known and priced before the first pull.

How many arms are left after a round depends only on how many there are, how many fit a heat and
how many a heat keeps, never on feedback. A plan can therefore be printed, checked, compared and
handed around before anything is run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

import msgspec

from heats.base.checks import between, whole
from heats.base.text import format_table
from heats.errors import BudgetTooSmall, InvalidArgument, InvalidPlan, PlanOverspends
from heats.planning.model import FeedbackHint, Model, Priced
from heats.planning.optimise import optimise
from heats.planning.rules import RULES, Rule, find_rule
from heats.planning.schedule import Shape, blind_pulls, cost, exact_pulls, printed_least, printed_pulls, shapes

Record: TypeAlias = Literal["ties", "off", "pooled", "fitted"]
Schedule: TypeAlias = Literal["exact", "paper"]

RECORDS = ("ties", "off", "pooled", "fitted")
SCHEDULES = ("exact", "paper")
MOST_PLANNED = 10**15  # pulls
FEEDBACKS = ("reward", "winner", "ranking")
SHOWN = 30  # of a long plan, so many first and last rounds are printed


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


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All rounds of a tournament. Built by :func:`plan`, by hand or from JSON; checked however it was built."""

    n_arms: int
    heat_size: int
    budget: int
    rounds: tuple[Round, ...]
    strategy: str = "custom"
    schedule: str = "custom"
    record: Record = "ties"
    blind: bool = False
    feedback: FeedbackHint | None = None  # what it was made for

    def __post_init__(self) -> None:
        for name, number in zip(
            ("n_arms", "heat_size", "budget"), check_problem(self.n_arms, self.heat_size, self.budget), strict=True
        ):
            msgspec.structs.force_setattr(self, name, number)  # a plain int, whatever it was
        _check_record(self.record)
        _check_blind(self.blind)
        active = self.n_arms
        for number, each in enumerate(self.rounds, 1):
            _check_round(number, each, self.heat_size, blind=self.blind)
            if each.arms != active:
                raise InvalidPlan(
                    f"round {number} deals {each.arms} arms ({each.heats} heats of {each.size} and "
                    f"{each.byes} byes), but {active} are left; make heats·size + byes equal {active}."
                )
            active = each.survivors
        if active != 1:
            raise InvalidPlan(
                f"the plan ends with {active} arms after {len(self.rounds)} rounds; add rounds until one is left."
            )
        if self.cost > self.budget:
            raise PlanOverspends(
                f"the plan costs {self.cost} pulls, more than its budget of {self.budget}; lower some round's pulls."
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
        """Read a plan and check that it fits together."""
        if not isinstance(text, (str, bytes)):
            raise InvalidPlan(f"a plan is read from JSON text, not from {type(text).__name__}.")
        try:
            return msgspec.json.decode(text, type=cls)
        except msgspec.ValidationError as error:
            if isinstance(error.__cause__, InvalidArgument):
                raise error.__cause__ from None
            raise InvalidPlan(f"this JSON is not a plan: {error}.") from None
        except msgspec.DecodeError as error:
            raise InvalidPlan(f"this is not JSON: {error}.") from None

    def describe(self, columns: Mapping[str, Sequence[object]] | None = None) -> str:
        """Return a table a person can read; ``columns`` adds more, with a value per round."""
        more = columns or {}
        rows = [
            (
                *(i, each.arms, each.heats, each.size, each.keep, each.byes, each.pulls, each.cost),
                *(f"{each.cost / self.budget:.1%}", *(values[i - 1] for values in more.values())),
            )
            for i, each in enumerate(self.rounds, 1)
        ]
        titles = ("round", "arms in", "heats", "size", "keep", "byes", "pulls per heat", "pulls", "share of budget")
        lines = list(format_table((*titles, *more), rows))
        hidden = len(rows) - 2 * SHOWN
        if hidden > SHOWN:
            lines[1 + SHOWN : -SHOWN] = [f"… {hidden} more rounds …"]
        summary = (
            f"{self.strategy}, {self.schedule} schedule: {self.n_arms} candidates, heats of {self.heat_size}, "
            f"{self.cost} of {self.budget} pulls in {len(self.rounds)} rounds"
        )
        return "\n".join([summary, "", *lines])

    def __str__(self) -> str:
        return self.describe()


def plan(
    n_arms: int,
    heat_size: int,
    budget: int,
    strategy: str | Rule = "planned",
    *,
    feedback: FeedbackHint | None = None,
    edge: float | None = None,
    guaranteed: bool = False,
    schedule: Schedule = "exact",
    record: Record | None = None,
    blind: bool = False,
) -> Plan:
    """Lay out every round of a tournament before the first pull.

    Parameters
    ----------
    n_arms, heat_size, budget
        How many candidates there are (the paper's n), how many fit in one comparison (k), and how
        many comparisons may be made in all (B).
    strategy
        ``"planned"`` chooses for every round how many arms stay and how often heats are pulled, so that the best arm
        most likely survives. ``"csws"`` keeps the winner of a heat, ``"csr"`` drops its last, ``"csh"`` keeps its
        better half; or a function f(size) that says how many arms of a heat stay.
    feedback
        What will be told, if you know: ``"reward"``, ``"winner"`` (or races) or ``"ranking"``. Planned makes use of it.
    edge
        How close the race is, if you know: how often the best would beat the second best in a single pull, such as
        0.55 (close) or 0.9 (clear). Planned makes use of it; without, it plans for 0.72 and for a field in which the
        strongest are close.
    guaranteed
        Keep to what the paper's theorems cover: a record of ``"ties"`` or ``"off"``.
    schedule
        ``"exact"`` divides the budget over the rounds that really happen and spends all it can;
        ``"paper"`` uses R, P_r and b_r = ⌊B/(P_r R)⌋ of Section 4.1 as printed.
    record
        What an arm did in earlier rounds decides ties of a heat (``"ties"``), nothing (``"off"``), or, together with
        this round, the whole ranking of a heat: by its mean lead (``"pooled"``) or by a Plackett-Luce fit to all pulls
        (``"fitted"``, for winners and rankings). The last two are outside the paper's guarantees. Left out: ``"ties"``;
        planned takes ``"fitted"`` for winners and rankings of three and more.
    blind
        Allow heats that nobody looks at. Otherwise such a plan is refused.

    Returns
    -------
    Plan
        One ``Round`` per elimination; together they cost at most ``budget`` pulls.

    Raises
    ------
    BudgetTooSmall
        If some heat would be judged without a single pull; the message names the smallest budget that works.
    PlanOverspends
        If the printed schedule would cost more than the budget (CSH with odd heat sizes).

    Examples
    --------
    >>> plan(100, 4, 500, "csh").rounds[0]
    Round(heats=25, size=4, keep=2, pulls=2, byes=0)
    """
    n_arms, heat_size, budget = check_problem(n_arms, heat_size, budget)
    _check_blind(blind)
    if schedule not in SCHEDULES:
        raise InvalidArgument(f"schedule={schedule!r} is unknown; choose one of {', '.join(SCHEDULES)}.")
    is_planned = isinstance(strategy, str) and strategy.lower() == "planned"
    _check_hints(feedback, edge, guaranteed, is_planned=is_planned)
    record = _choose_record(record, feedback, heat_size, guaranteed=guaranteed, is_planned=is_planned)
    if is_planned:
        return _planned(n_arms, heat_size, budget, feedback, edge, schedule, record, blind=blind)
    name, keep = find_rule(strategy)
    rounds = list(shapes(n_arms, heat_size, keep))
    if schedule == "exact":
        pulls = _exact(rounds, budget, keep, blind=blind)
    else:
        pulls = _printed(name, strategy, rounds, n_arms, heat_size, budget, blind=blind)
    return Plan(
        n_arms=n_arms,
        heat_size=heat_size,
        budget=budget,
        rounds=tuple(
            Round(heats=shape.heats, size=shape.size, keep=shape.keep, pulls=each, byes=shape.byes)
            for shape, each in zip(rounds, pulls, strict=True)
        ),
        strategy=name,
        schedule=schedule,
        record=record,
        blind=blind,
        feedback=feedback,
    )


def chances(plan: Plan, feedback: FeedbackHint | None = None, edge: float | None = None) -> tuple[float, ...]:
    """Return the modelled chance that the best arm survives, for every round; their product is that of the whole plan.

    The model is the one that the planned strategy optimises (docs/planning.md); ``feedback`` and ``edge`` as there.
    """
    if not isinstance(plan, Plan):
        raise InvalidArgument(f"plan={plan!r} must be a Plan; make one with heats.plan(n_arms, heat_size, budget).")
    _check_hints(feedback, edge, guaranteed=False, is_planned=True)
    rounds = [Priced(Shape(each.heats, each.size, each.keep, each.byes), each.pulls) for each in plan.rounds]
    model = _model(plan.n_arms, plan.heat_size, plan.budget, feedback, edge, plan.record)
    return tuple(math.exp(log) for log in model.log_chances(rounds))


@lru_cache(maxsize=32)
def _model(
    n_arms: int, heat_size: int, budget: int, feedback: FeedbackHint | None, edge: float | None, record: Record
) -> Model:
    """Return the model of a problem; a record that ranks heats carries evidence on, except that of raw rewards."""
    carry = record == "fitted" or (record == "pooled" and feedback in ("winner", "ranking"))
    return Model(n_arms, heat_size, budget, feedback, edge, carry=carry)


def _planned(
    n_arms: int,
    heat_size: int,
    budget: int,
    feedback: FeedbackHint | None,
    edge: float | None,
    schedule: str,
    record: Record,
    *,
    blind: bool,
) -> Plan:
    if schedule != "exact":
        raise InvalidArgument(f"schedule={schedule!r} is for {', '.join(RULES)}; name one as strategy.")
    if budget > MOST_PLANNED:
        raise InvalidArgument(
            f"budget={budget:.3g} is more than planned can make use of; give at most {MOST_PLANNED:.0e} pulls, or name "
            f"another strategy ({', '.join(RULES)})."
            if budget < 10**300
            else "the budget is more than planned can make use of; name another strategy, such as csh."
        )
    least = -(-(n_arms - 1) // (heat_size - 1))  # a pull drops at most heat_size - 1 arms
    if budget < least and not blind:
        larger = min(2 * heat_size, n_arms)
        fewer = -(-(n_arms - 1) // (larger - 1))
        help_ = f", raise heat_size (with {larger} it takes {fewer})" if fewer < least else ""
        raise BudgetTooSmall(
            f"budget={budget} leaves a heat without a single pull: {n_arms} candidates take at least {least} heats of "
            f"{heat_size}. Give at least {least} pulls{help_}, or allow unseen heats with blind=True."
        )
    return Plan(
        n_arms=n_arms,
        heat_size=heat_size,
        budget=budget,
        rounds=_planned_rounds(n_arms, heat_size, budget, feedback, edge, record, blind=blind),
        strategy="planned",
        schedule="exact",
        record=record,
        blind=blind,
        feedback=feedback,
    )


@lru_cache(maxsize=256)
def _planned_rounds(
    n_arms: int,
    heat_size: int,
    budget: int,
    feedback: FeedbackHint | None,
    edge: float | None,
    record: Record,
    *,
    blind: bool,
) -> tuple[Round, ...]:
    model = _model(n_arms, heat_size, budget, feedback, edge, record)
    return tuple(
        Round(heats=shape.heats, size=shape.size, keep=shape.keep, pulls=pulls, byes=shape.byes)
        for shape, pulls in optimise(model, budget, blind=blind)
    )


def _exact(rounds: list[Shape], budget: int, keep: Rule, *, blind: bool) -> list[int]:
    heats = [shape.heats for shape in rounds]
    least = sum(heats)
    if budget >= least:
        return exact_pulls(heats, budget)
    if blind:
        return blind_pulls(heats, budget)
    arms, size = rounds[0].heats * rounds[0].size + rounds[0].byes, rounds[0].size
    larger = min(2 * size, arms)
    fewer = sum(shape.heats for shape in shapes(arms, larger, keep))
    help_ = f", raise heat_size (with {larger} it takes {fewer})" if fewer < least else ""
    raise BudgetTooSmall(
        f"budget={budget} leaves a heat without a single pull: the {len(heats)} rounds have {least} heats. "
        f"Give at least {least} pulls{help_}, or allow unseen heats with blind=True."
    )


def _printed(
    name: str, strategy: str | Rule, rounds: list[Shape], n_arms: int, heat_size: int, budget: int, *, blind: bool
) -> list[int]:
    if not isinstance(strategy, str):
        raise InvalidArgument(
            f"schedule='paper' exists only for {', '.join(RULES)}, not for the rule {name}; use schedule='exact'."
        )
    heats = [shape.heats for shape in rounds]
    pulls = printed_pulls(name, n_arms, heat_size, len(heats), budget)
    if cost(heats, pulls) > budget:
        raise PlanOverspends(
            f"the printed {name} schedule for n={n_arms}, k={heat_size} would spend {cost(heats, pulls)} pulls of a "
            f"budget of {budget}: its bounds on rounds and heats are too small for odd heats. "
            "Use schedule='exact', which never overspends."
        )
    if 0 in pulls and not blind:
        least = printed_least(name, n_arms, heat_size, heats)
        more = f"Give at least {least} pulls" if least else "No budget helps, it would overspend every one"
        raise BudgetTooSmall(
            f"budget={budget} leaves a heat of the printed {name} schedule without a single pull. {more}, "
            f"use schedule='exact' (which needs {sum(heats)}), or allow unseen heats with blind=True."
        )
    return pulls


def check_problem(n_arms: int, heat_size: int, budget: int) -> tuple[int, int, int]:
    """Return n, k and B as ints, or refuse what makes no problem."""
    n = whole("n_arms", n_arms, 2, why="one candidate needs no comparison")
    k = whole("heat_size", heat_size, 2, why="a comparison needs two")
    if k > n:
        raise InvalidArgument(f"heat_size={k} is more than the {n} candidates; use heat_size={n} or fewer.")
    return n, k, whole("budget", budget, 1, why="without a pull nothing can be found")


def _check_record(record: str) -> None:
    if record not in RECORDS:
        raise InvalidArgument(f"record={record!r} is unknown; choose one of {', '.join(RECORDS)}.")


def _choose_record(
    record: Record | None, feedback: FeedbackHint | None, heat_size: int, *, guaranteed: bool, is_planned: bool
) -> Record:
    if record is None:
        # In pairs a fit gains nothing over deciding ties, and loses where strength depends on the opponent.
        fitted = is_planned and not guaranteed and feedback in ("winner", "ranking") and heat_size > 2
        return "fitted" if fitted else "ties"
    _check_record(record)
    if guaranteed and record not in ("ties", "off"):
        raise InvalidArgument(f"record={record!r} is not covered by the paper's theorems; take ties or off.")
    if record == "fitted" and feedback == "reward":
        raise InvalidArgument("record='fitted' is a model of wins and rankings, not of rewards; take another record.")
    return record


def _check_hints(feedback: str | None, edge: float | None, guaranteed: bool, *, is_planned: bool) -> None:
    if feedback is not None and feedback not in FEEDBACKS:
        raise InvalidArgument(f"feedback={feedback!r} is unknown; choose one of {', '.join(FEEDBACKS)}, or none.")
    if edge is not None:
        if not is_planned:
            raise InvalidArgument(f"edge={edge!r} is used by strategy='planned' only; leave it out.")
        between("edge", edge, 0.501, 0.999, why="at 0.5 the two best cannot be told apart")
    if not isinstance(guaranteed, bool):
        raise InvalidArgument(f"guaranteed={guaranteed!r} must be True or False.")


def _check_blind(blind: bool) -> None:
    if not isinstance(blind, bool):
        raise InvalidArgument(f"blind={blind!r} must be True or False.")


def _check_round(number: int, each: Round, heat_size: int, *, blind: bool) -> None:
    where = f"round {number}: "
    whole(where + "heats", each.heats, 1)
    size = whole(where + "size", each.size, 2, heat_size, "a heat has two to heat_size arms")
    whole(where + "keep", each.keep, 1, size - 1, "a heat keeps at least one arm and drops at least one")
    whole(where + "byes", each.byes, 0)
    if whole(where + "pulls", each.pulls, 0) == 0 and not blind:
        raise InvalidPlan(
            f"round {number} judges its heats without a single pull; give it pulls, or mark the plan blind."
        )
