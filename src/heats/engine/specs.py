"""An algorithm as data: all that must be known of a run, next to its seed, its statistic and what it was told."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from heats.base.text import end_sentence
from heats.errors import InvalidArgument
from heats.planning.plan import Plan


class TournamentSpec(msgspec.Struct, frozen=True, tag_field="machine", tag="tournament", omit_defaults=True):
    """A tournament, with its plan; ``early``: without the pulls that cannot change who stays in their heat."""

    plan: Plan
    early: bool = False

    @property
    def n_arms(self) -> int:
        """How many arms it chooses among."""
        return self.plan.n_arms

    @property
    def heat_size(self) -> int:
        """How many arms are compared at once."""
        return self.plan.heat_size

    @property
    def budget(self) -> int:
        """How many pulls it may make."""
        return self.plan.budget


class RoundRobinSpec(msgspec.Struct, frozen=True, tag_field="machine", tag="round-robin"):
    """All sets of arms in turn."""

    n_arms: int
    heat_size: int
    budget: int


class HalvingSpec(msgspec.Struct, frozen=True, tag_field="machine", tag="successive-halving"):
    """Single arms, halved round by round."""

    n_arms: int
    budget: int
    blind: bool = False


class AdaptiveSpec(msgspec.Struct, frozen=True, tag_field="machine", tag="adaptive", omit_defaults=True):
    """The winner stays, batch by batch; no set of arms is dealt more often than ``most_per_set``, if that is said.

    ``rule`` is the number of the rule that deals: a later version may deal otherwise (``WinnerStays.rule``).
    """

    n_arms: int
    heat_size: int
    budget: int
    batches: int = msgspec.field(default_factory=lambda: 15)  # always written: only a plain default is left out
    most_per_set: int | None = None
    rule: int = 1


Spec: TypeAlias = TournamentSpec | RoundRobinSpec | HalvingSpec | AdaptiveSpec


def parse_spec(spec: Spec | str | bytes | dict[str, object]) -> Spec:
    """Return a spec that may also be given as JSON text or as the dict that was read from it."""
    if isinstance(spec, Spec):
        return spec
    try:
        if isinstance(spec, (str, bytes)):
            return msgspec.json.decode(spec, type=Spec)  # type: ignore[no-any-return]  # msgspec knows unions
        return msgspec.convert(spec, Spec)  # type: ignore[no-any-return]
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, InvalidArgument):
            raise error.__cause__ from None
        raise InvalidArgument(f"this is not the spec of a machine: {end_sentence(error)}") from None
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise InvalidArgument(f"this spec is not valid JSON: {end_sentence(error)}") from None


def name_strategy(spec: Spec) -> str:
    """Return what an algorithm is called: a tournament by how it is planned."""
    return spec.plan.strategy if isinstance(spec, TournamentSpec) else str(spec.__struct_config__.tag)


def name_stage(spec: Spec) -> str:
    """Return what a stage of an algorithm is called."""
    return "batch" if isinstance(spec, AdaptiveSpec) else "round"


def outline(spec: Spec) -> dict[str, object]:
    """Return a spec as plain data, without the rounds of a plan, which may be many and follow from the rest."""
    plain: dict[str, object] = msgspec.to_builtins(spec)
    if isinstance(plan := plain.get("plan"), dict):
        del plan["rounds"]
    return plain
