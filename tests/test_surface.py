"""No public name is ever lost: every one that was there is there, with the same signature or a superset."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import heats

# The names of version 0.1 before the rooms, and some since, with the parameters they took, in order.
BEFORE = {
    "BestWorst": ("best", "worst"),
    "Found": ("candidates", "names", "report"),
    "Journal": ("file", "tournament", "names", "candidates"),
    "JournalFile": ("path", "sync", "command", "fingerprints"),
    "Noted": ("feedback", "notes"),
    "Plan": ("n_arms", "heat_size", "budget", "rounds", "strategy", "schedule", "record", "blind"),
    "Query": ("id", "round", "heat", "arms", "seed"),
    "Race": ("finished",),
    "Ranking": ("order",),
    "Report": (
        *("algorithm", "n_arms", "budget", "spent", "done", "winner", "runner_up", "rivals", "sureness", "rounds"),
    ),
    "Round": ("heats", "size", "keep", "pulls", "byes"),
    "RoundReport": ("heats", "scores", "keep", "pulls", "byes", "survivors"),
    "RoundRobin": ("n_arms", "heat_size", "budget", "statistic", "seed"),
    "Statistic": ("name", "score", "doc", "parameters", "per_pull", "needs", "check_size", "made_by"),
    "SuccessiveHalving": ("n_arms", "budget", "statistic", "seed", "blind"),
    "Sureness": ("quantity", "estimate", "low", "high", "confidence", "method", "pulls"),
    "Tournament": ("plan", "statistic", "seed"),
    "Winner": ("arms",),
    "chances": ("plan", "feedback", "edge"),
    "environments": (),
    "errors": (),
    "expected_shortfall": ("alpha",),
    "find_best": (
        *("candidates", "compare", "budget", "heat_size", "strategy", "feedback", "statistic", "seed", "executor"),
        *("journal", "progress", "retries", "timeout", "names", "edge", "guaranteed", "schedule", "record", "blind"),
    ),
    "find_best_async": (
        *(
            "candidates",
            "compare",
            "budget",
            "heat_size",
            "strategy",
            "batches",
            "sure",
            "plan",
            "feedback",
            "statistic",
        ),
        *("seed", "concurrency", "journal", "progress", "retries", "backoff", "timeout", "names", "edge", "guaranteed"),
        *("schedule", "record", "blind", "early"),
    ),
    "linear": ("r",),
    "mean": ("observations",),
    "median": ("observations",),
    "plan": (
        *("n_arms", "heat_size", "budget", "strategy", "feedback", "edge", "guaranteed", "schedule", "record", "blind"),
    ),
    "positional": ("weights",),
    "power_mean": ("q",),
    "quantile": ("p", "method"),
    "simulate": ("algorithm", "environment", "reps", "seed", "statistic", "executor", "max_bytes", "cost", "watch"),
    "theory": (),
    "win_rate": ("observations",),
}


@pytest.mark.parametrize("name", BEFORE)
def test_nothing_is_lost(name: str) -> None:
    """It is there, and takes all it took, in the same order, with whatever came after."""
    assert name in heats.__all__
    thing = getattr(heats, name)
    if not BEFORE[name]:
        assert inspect.ismodule(thing)
        return
    if name == "Found":  # made by find_best only: what counts is what can be read of it
        assert all(each in vars(thing) or each in thing.__annotations__ for each in BEFORE[name])
        return
    parameters = [each for each in inspect.signature(thing).parameters if each in BEFORE[name]]
    assert tuple(parameters) == BEFORE[name]


def test_methods_of_machines_are_all_there() -> None:
    """Asked and told as ever, and each machine has the one face."""
    for machine in (
        heats.Tournament(heats.plan(4, 2, 9)),
        heats.RoundRobin(4, 2, 9),
        heats.SuccessiveHalving(4, 9),
    ):
        for name in ("ask", "ask_for", "tell", "requeue", "query", "told", "report"):
            assert callable(getattr(machine, name))
        assert (machine.done, machine.spent, machine.winner, machine.leader) == (False, 0, None, None)
        assert machine.total
        assert machine.n_arms == 4
        assert type(heats.Machine.from_spec(machine.spec)) is type(machine)


@pytest.mark.parametrize("first", ["from heats import Machine", "from heats.journal.reader import Machine"])
def test_all_kinds_of_machines_are_known_by_their_specs(first: str) -> None:
    """Whatever was imported before: nobody has to name a class to go on with a run of it."""
    spec = '{"machine": "adaptive", "n_arms": 4, "heat_size": 2, "budget": 8, "batches": 3}'
    program = f"{first}; print(type(Machine.from_spec({spec!r})).__name__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "Adaptive"
