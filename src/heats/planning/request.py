"""Arguments → what is asked for, checked: everything about a plan but how much it may cost."""

from __future__ import annotations

from typing import NamedTuple

from heats.base.checks import between, one_of, true_or_false
from heats.errors import InvalidArgument
from heats.planning.plan import (
    RECORDS,
    SCHEDULES,
    FeedbackHint,
    Problem,
    Record,
    Schedule,
    check_feedback,
    check_problem,
    check_record_name,
)
from heats.planning.rules import PLANNED, Rule, is_planned

LOWEST_EDGE, HIGHEST_EDGE = 0.501, 0.999


class Hints(NamedTuple):
    """What is known about the feedback: its kind, and how often the best would beat the second best in a pull."""

    feedback: FeedbackHint | None
    edge: float | None


class Request(NamedTuple):
    """All that is said about a plan but how much it may cost."""

    problem: Problem  # its budget is still to be said
    strategy: str | Rule
    hints: Hints
    record: Record
    schedule: Schedule
    blind: bool
    voters: int | None = None


def check_request(
    n_arms: int,
    heat_size: int,
    strategy: str | Rule = PLANNED,
    *,
    feedback: FeedbackHint | None = None,
    edge: float | None = None,
    guaranteed: bool = False,
    schedule: Schedule = "exact",
    record: Record | None = None,
    blind: bool = False,
    voters: int | None = None,
) -> Request:
    """Return what is asked for, or refuse what makes no plan whatever the budget; arguments as for :func:`plan`."""
    problem = check_problem(n_arms, heat_size, 1)
    true_or_false("blind", blind)
    one_of("schedule", schedule, SCHEDULES)
    hints = check_hints(feedback, edge)
    if edge is not None and not is_planned(strategy):
        raise InvalidArgument("{edge} is used by {strategy} only; leave it out.", edge=edge, strategy=PLANNED)
    record = _choose_record(record, hints, problem, guaranteed=guaranteed, optimised=is_planned(strategy))
    return Request(problem, strategy, hints, record, schedule, blind, voters)


def check_hints(feedback: object, edge: object) -> Hints:
    """Return the hints, or refuse what cannot be one."""
    why = "at 0.5 the two best cannot be told apart"
    share = None if edge is None else between("edge", edge, LOWEST_EDGE, HIGHEST_EDGE, why=why)
    return Hints(check_feedback(feedback), share)


def _choose_record(record: object, hints: Hints, problem: Problem, *, guaranteed: bool, optimised: bool) -> Record:
    """Return the record that was asked for, or else the one that suits, or refuse it."""
    true_or_false("guaranteed", guaranteed)
    if record is None:
        # In pairs a fit gains nothing over deciding ties, and loses where strength depends on the opponent.
        fits = hints.feedback in ("winner", "ranking") and problem.heat_size > 2
        return "fitted" if optimised and fits and not guaranteed else "ties"
    name = check_record_name(record)
    if guaranteed and not RECORDS[name].guaranteed:
        raise InvalidArgument("{record} is not covered by the paper's theorems; take ties or off.", record=name)
    if hints.feedback in RECORDS[name].refuses:
        raise InvalidArgument(
            "{record} is a model of wins and rankings, not of rewards; take another record.", record=name
        )
    return name
