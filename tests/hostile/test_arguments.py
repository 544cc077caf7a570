"""Wrong objects to any public function: one of our errors, or an answer; never a raw error from within."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats import theory
from heats.environments import Gaussian, play
from heats.errors import HeatsError
from tests.hostile.junk import JUNK, Rude, junk

PLAN = heats.plan(6, 3, 20)


def only_our_errors(call: Callable[[], Any]) -> None:
    """Call, and let nothing pass but an answer or one of our errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(HeatsError):
            call()


def machine() -> heats.Tournament:
    return heats.Tournament(PLAN, seed=1)


CALLS: dict[str, tuple[Callable[..., Any], int]] = {
    "plan": (lambda *a: heats.plan(*a), 4),
    "chances": (lambda *a: heats.chances(*a), 3),
    "Plan.from_json": (lambda a: heats.Plan.from_json(a), 1),
    "Tournament": (lambda *a: heats.Tournament(*a), 3),
    "Tournament of a plan": (lambda *a: heats.Tournament(PLAN, *a), 2),
    "RoundRobin": (lambda *a: heats.RoundRobin(*a), 3),
    "SuccessiveHalving": (lambda *a: heats.SuccessiveHalving(*a), 2),
    "Machine.from_spec": (lambda *a: heats.Machine.from_spec(*a), 3),
    "ask": (lambda a: machine().ask(a), 1),
    "ask_for": (lambda a: machine().ask_for(a), 1),
    "tell": (lambda *a: machine().tell(*a), 2),
    "tell a pull": (lambda a: machine().tell(0, a), 1),
    "tell by": (lambda a: machine().tell(0, [1.0, 2.0, 3.0], by=a), 1),
    "requeue": (lambda a: machine().requeue(a), 1),
    "query": (lambda a: machine().query(a), 1),
    "told": (lambda a: machine().told(a), 1),
    "Winner": (lambda a: machine().tell(0, heats.Winner(a)), 1),
    "Ranking": (lambda a: machine().tell(0, heats.Ranking(a)), 1),
    "BestWorst": (lambda *a: machine().tell(0, heats.BestWorst(*a)), 2),
    "Race": (lambda a: machine().tell(0, heats.Race(a)), 1),
    "NoVerdict": (lambda a: machine().tell(0, heats.NoVerdict(a)), 1),
    "power_mean": (lambda a: heats.power_mean(a), 1),
    "quantile": (lambda *a: heats.quantile(*a), 2),
    "expected_shortfall": (lambda a: heats.expected_shortfall(a), 1),
    "linear": (lambda a: heats.linear(a), 1),
    "positional": (lambda a: heats.Tournament(PLAN, heats.positional(a)), 1),
    "find_best": (lambda *a: heats.find_best(*a, budget=5), 2),
    "find_best budget": (lambda *a: heats.find_best(range(3), list, budget=a[0], heat_size=a[1]), 2),
    "find_best options": (
        lambda *a: heats.find_best(range(3), list, budget=5, strategy=a[0], feedback=a[1], statistic=a[2]),
        3,
    ),
    "find_best more": (lambda *a: heats.find_best(range(3), list, budget=5, seed=a[0], executor=a[1], names=a[2]), 3),
    "find_best rest": (
        lambda *a: heats.find_best(range(3), list, budget=5, retries=a[0], timeout=a[1], plan=a[2]),
        3,
    ),
    "find_best_async": (
        lambda *a: asyncio.run(
            heats.find_best_async(range(3), list, budget=5, concurrency=a[0], retries=a[1], timeout=a[2])
        ),
        3,
    ),
    "find_best_async compare": (lambda a: asyncio.run(heats.find_best_async(range(3), a, budget=5)), 1),
    "find_best_async answers": (
        lambda *a: asyncio.run(heats.find_best_async(range(3), lambda heat: a[0], budget=5, feedback=a[1])),
        2,
    ),
    "find_best backoff": (lambda a: heats.find_best(range(3), list, budget=5, retries=1, backoff=a), 1),
    "find_best answers": (lambda a: heats.find_best(range(3), lambda heat: a, budget=5), 1),
    "run": (lambda *a: heats.run(*a), 2),
    "simulate": (lambda *a: heats.simulate(*a), 2),
    "simulate reps": (lambda *a: heats.simulate(PLAN, Gaussian(6), *a), 2),
    "simulate cost": (lambda a: heats.simulate(PLAN, Gaussian(6), 3, cost=lambda _: a), 1),
    "simulate bytes": (lambda a: heats.simulate(PLAN, Gaussian(6), 3, max_bytes=a), 1),
    "play": (lambda *a: play(*a), 2),
    "JournalFile": (lambda *a: heats.JournalFile(*a), 3),
    "Journal": (lambda *a: heats.Journal(*a), 2),
}


def slow(name: str, arguments: tuple[Any, ...]) -> bool:
    """Whether a call would be right, and take long or a lot of memory."""
    return name in ("RoundRobin", "SuccessiveHalving", "simulate reps", "find_best budget") and any(
        isinstance(each, (int, np.integer)) and each > 1000 for each in arguments
    )


@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=60)
@given(data=st.data())
def test_only_our_errors_come_out(name: str, data: Any) -> None:
    """Of one call, with junk in every place."""
    call, places = CALLS[name]
    arguments = tuple(data.draw(junk) for _ in range(places))
    if not slow(name, arguments):
        only_our_errors(lambda: call(*arguments))


THEORY = [getattr(theory, name) for name in theory.__all__ if inspect.isfunction(getattr(theory, name))]


@pytest.mark.parametrize("function", THEORY, ids=lambda function: function.__name__)
@settings(max_examples=40)
@given(data=st.data())
def test_theory_refuses_wrong_objects(function: Any, data: Any) -> None:
    """With junk in every place that has no default."""
    required = [
        each
        for each in inspect.signature(function).parameters.values()
        if each.default is each.empty and each.name != "kwargs"
    ]
    places = [each for each in required if each.kind is not each.VAR_POSITIONAL]
    small = st.sampled_from([value for value in JUNK if not (isinstance(value, int) and value > 1000)])
    positional = [data.draw(small) for each in places if each.kind is not each.KEYWORD_ONLY]
    named = {each.name: data.draw(small) for each in places if each.kind is each.KEYWORD_ONLY}
    only_our_errors(lambda: function(*positional, **named))


def test_candidates_may_be_as_rude_as_they_like() -> None:
    """They are described by other means."""
    found = heats.find_best([Rude(), Rude(), Rude()], lambda heat: [1.0] * len(heat), budget=4)
    assert found.names[0]
    assert str(found)
