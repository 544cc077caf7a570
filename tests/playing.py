"""Ways to play a machine to its end, shared by the tests."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import heats
from heats.engine.machine import Machine, Query

Answer = Callable[[Query], Any]

# The larger its index, the better the arm: noiseless feedback of every kind.
TRUTH: dict[str, Answer] = {
    "rewards": lambda query: [float(arm + 1) for arm in query.arms],
    "winner": lambda query: heats.Winner(max(query.arms)),
    "ranking": lambda query: heats.Ranking(sorted(query.arms, reverse=True)),
    "best-worst": lambda query: heats.BestWorst(max(query.arms), min(query.arms)),
    "race": lambda query: heats.Race({max(query.arms): 1.0}),
}

# Everybody is equal.
TIES: dict[str, Answer] = {
    "rewards": lambda query: [1.0] * len(query.arms),
    "winner": lambda query: heats.Winner(*query.arms),
    "nobody": lambda query: heats.Winner(None),
    "ranking": lambda query: heats.Ranking([]),
    "race": lambda query: heats.Race({}),
}


def noisy(query: Query) -> list[float]:
    """Rewards that depend on the arm and, by the query's seed, on chance."""
    draw = random.Random(query.seed)
    return [arm / 10 + draw.gauss(0, 1) for arm in query.arms]


def recall(machine: Machine) -> tuple[Any, ...]:
    """Return all that a report is made of: as good to compare, and faster to have."""
    told = [(each.round, *(part.tobytes() for part in each[1:])) for each in machine.evidence()]
    return machine.spec, machine.seed, machine.winner, machine.spent, machine.no_verdicts, machine.list_exits(), told


def play(machine: Machine, answer: Answer = noisy) -> Machine:
    """Ask and tell one pull after the other."""
    while query := machine.ask():
        machine.tell(query, answer(query))
    return machine


def play_in_any_order(machine: Machine, answer: Answer, order: random.Random) -> Machine:
    """Ask for many pulls, requeue some, tell the rest shuffled, by query or by id, some twice."""
    while not machine.done:
        queries = machine.ask(order.randint(1, 7))
        order.shuffle(queries)
        for query in queries:
            if order.random() < 0.1:
                machine.requeue(query)
                continue
            for _ in range(order.choice((1, 1, 2))):
                machine.tell(order.choice((query, query.id)), answer(query), by="someone")
    return machine
