"""What is asked for next to what a journal holds: the same run, the same one going further, or another."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from heats.base.text import make_printable
from heats.engine.specs import AdaptiveSpec, Spec, TournamentSpec
from heats.errors import InvalidArgument
from heats.journal.events import Header
from heats.journal.reader import Log
from heats.planning.plan import Plan

DECIDING = ("n_arms", "heat_size", "budget", "strategy", "schedule", "record", "blind")  # what a machine is asked for
WAY_OUT = "Give each search its own journal, or none."


def keep_rounds(begun: Spec | None, asked: Plan) -> Plan:
    """Return a plan with the rounds a run began with, if it is for the same: how plans are made may have changed."""
    if not isinstance(begun, TournamentSpec):
        return asked
    is_same = all(getattr(begun.plan, name) == getattr(asked, name) for name in DECIDING)
    return msgspec.structs.replace(asked, rounds=begun.plan.rounds) if is_same else asked


def bring_up_to_date(log: Log) -> Header:
    """Return the header as it would be if the run had begun as large as it is now."""
    spec = log.machine.spec if isinstance(log.header.machine, AdaptiveSpec) else log.header.machine
    return msgspec.structs.replace(log.header, machine=spec, candidates=tuple(log.candidates))


def goes_further(asked: Header, log: Log) -> bool:
    """Whether a run is asked for that goes further than the one in the file."""
    mine, theirs = log.machine.spec, asked.machine
    if not isinstance(mine, AdaptiveSpec) or not isinstance(theirs, AdaptiveSpec):
        return False
    return theirs.budget > mine.budget or theirs.n_arms > mine.n_arms


def leave_out_growth(asked: Header, log: Log) -> Header:
    """Return what is asked for, but no larger than the run is; nor smaller, if that is how it began."""
    mine, theirs = log.machine.spec, asked.machine
    if not isinstance(mine, AdaptiveSpec) or not isinstance(theirs, AdaptiveSpec):
        return asked
    first = log.header.machine
    assert isinstance(first, AdaptiveSpec)
    budget = mine.budget if theirs.budget == first.budget else min(theirs.budget, mine.budget)
    spec = msgspec.structs.replace(theirs, budget=budget, n_arms=min(theirs.n_arms, mine.n_arms))
    return msgspec.structs.replace(asked, machine=spec, candidates=asked.candidates[: mine.n_arms])


def check_same(old: Header, new: Header, path: Path, *, candidates: bool) -> None:
    """Refuse to go on with another run than the one in the file, and say what differs, the rounds last: they follow."""
    if candidates or new.fingerprints:  # else a command goes on with whatever is in the file
        _check_fingerprints(old.fingerprints or {}, new.fingerprints or {}, path)
    differs = _difference(old, new, candidates=candidates)
    if differs:
        raise refuse_other_run(path, differs)


def _check_fingerprints(old: Mapping[str, str], new: Mapping[str, str], path: Path) -> None:
    """Refuse to go on with other data, or whatever else has fingerprints, and name all that differs."""
    if new and not old:
        raise InvalidArgument(
            f"{path} has no fingerprints of data and the like, so its results may be of others. {WAY_OUT}"
        )
    differing = [make_printable(name) for name in {**old, **new} if old.get(name) != new.get(name)]
    if differing:
        raise InvalidArgument(f"{path} holds another search, which differs in: {', '.join(differing)}. {WAY_OUT}")


def refuse_other_run(path: Path, differs: str) -> InvalidArgument:
    """Return the error that says what differs, and the way out."""
    return InvalidArgument(f"{path} holds another run: {differs}. Ask for the same again, or give another journal.")


def _difference(old: Header, new: Header, *, candidates: bool) -> str:
    if type(old.machine) is not type(new.machine):
        return f"its machine is {_kind(old.machine)}, not {_kind(new.machine)}"
    mine, theirs = _problem(old.machine), _problem(new.machine)
    for name in (*DECIDING, "batches", "most_per_set", "early"):
        if mine.get(name) != theirs.get(name):
            return f"its {name} is {mine.get(name)!r}, not {theirs.get(name)!r}"
    if old.seed != new.seed:
        return f"its seed is {old.seed}, not {new.seed}"
    if old.statistic != new.statistic:
        return f"its statistic is {old.statistic}, not {new.statistic}"
    for arm, (known, given) in enumerate(zip(old.candidates, new.candidates, strict=True)):
        if candidates and known.fingerprint != given.fingerprint:
            return f"its candidate #{arm} is {known}, not {given}"
    return "its rounds differ" if mine.get("rounds") != theirs.get("rounds") else ""


def _problem(spec: Spec) -> dict[str, object]:
    plain = msgspec.structs.asdict(spec)
    return plain | msgspec.structs.asdict(spec.plan) if isinstance(spec, TournamentSpec) else plain


def _kind(spec: Spec) -> str:
    return str(msgspec.to_builtins(spec)["machine"])
