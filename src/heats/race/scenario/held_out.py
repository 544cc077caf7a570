"""What a race is validated on: the [validate] table → instances that it never saw, and whom its winner has to beat."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import msgspec

from heats.base.text import LONE_SURROGATE, make_printable
from heats.errors import InvalidArgument, show_value
from heats.race.scenario.file import ValidateTable
from heats.race.scenario.instances import find_instances
from heats.race.scenario.spaces import Candidate
from heats.race.scenario.spaces.parameter import format_value

DEFAULT = "default"
RUNNER_UP = "runner-up"
MOST_NAMES_LISTED = 10


class HeldOut(msgspec.Struct, frozen=True):
    """Instances that the race does not use, and a candidate; None for whoever comes second."""

    instances: tuple[str, ...]
    against: int | None
    table: ValidateTable  # that says so

    @property
    def called(self) -> str:
        """What people call the candidate, if that says more than its parameters do."""
        return DEFAULT if self.table.against == DEFAULT else ""


def hold_out(
    table: ValidateTable,
    folder: Path,
    raced: Sequence[str],
    candidates: Sequence[Candidate],
    names: Sequence[str],
    default: int | None = None,
    where: str = "",
) -> HeldOut:
    """Return what to validate on, or refuse instances that are ``raced`` on and a candidate that does not exist.

    ``default`` is the candidate that is the default one of a space, if it races. What is wrong is said to be ``where``.
    """
    with _blame_key("instances", where):
        if not raced:
            raise InvalidArgument(
                "validation needs instances that the race has not seen, but this race has none: its command has no "
                "{instance}. Leave [validate] out."
            )
        held_out = find_instances(table.instances, folder)
        _refuse_odd_names(held_out)
        _refuse_overlap(held_out, raced)
    if table.against == DEFAULT and default is not None:
        return HeldOut(held_out, default, table)
    with _blame_key("against", where):
        return HeldOut(held_out, find_opponent(table.against, candidates, names), table)


@contextmanager
def _blame_key(key: str, where: str) -> Iterator[None]:
    """Begin what is wrong with the key it is about, if it stands in a table."""
    try:
        yield
    except InvalidArgument as error:
        if not where:
            raise
        raise type(error)(f"{where}.{key}: {error}") from None


def find_opponent(said: str, candidates: Sequence[Candidate], names: Sequence[str]) -> int | None:
    """Return the candidate that is called so, or has that number or, alone, that value; None for the runner-up."""
    if said == RUNNER_UP:
        return None
    called = [arm for arm, name in enumerate(names) if said in (name, f"#{arm}")]
    found = called[:1] or [arm for arm, each in enumerate(candidates) if said in map(format_value, each.values())]
    if len(found) == 1:
        return found[0]
    if said == DEFAULT and not found:
        raise InvalidArgument(
            "{against} is the default candidate of the space, but that does not race; take it along with "
            f'default = true in [space], or name another candidate, as "#0" or "{RUNNER_UP}".',
            against=said,
        )
    there = ", ".join(make_printable(name) for name in islice(names, MOST_NAMES_LISTED))
    more = f" and {len(names) - MOST_NAMES_LISTED} more" if len(names) > MOST_NAMES_LISTED else ""
    raise InvalidArgument(
        f"{{against}} is {'no candidate' if not found else 'not one candidate alone'}; name one of "
        f'{there}{more}, or its number, from "#0" on, or "{RUNNER_UP}".',
        against=said,
    )


def _refuse_odd_names(instances: Sequence[str]) -> None:
    for path in instances:
        if LONE_SURROGATE.search(path):
            raise InvalidArgument(f"{show_value(path)} cannot be written down, for it is no text; rename it.")


def _refuse_overlap(held_out: Sequence[str], raced: Sequence[str]) -> None:
    known = {_identify(path): path for path in raced}
    both = [path for path in held_out if _identify(path) in known]
    if both:
        others = f" and {len(both) - 1} more" if len(both) > 1 else ""
        raise InvalidArgument(
            f"the race itself runs on {make_printable(both[0])}{others}, so how good the winner is there "
            "says nothing about others; validate on instances that are not among those of the race."
        )


def _identify(path: str) -> object:
    """Return what is the same for one file under two names."""
    try:
        found = os.stat(path)  # noqa: PTH116  # also of names that pathlib would rewrite
    except OSError:
        return path
    return found.st_dev, found.st_ino
