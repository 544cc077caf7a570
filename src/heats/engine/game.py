"""What an algorithm is, for many repetitions at once: it deals stages, hears what they said, and names winners.

Every rule is written here once, over a first axis of repetitions. A machine asks and tells on a game of one
repetition; the simulator plays thousands in step. All pulls of a stage are independent: they may be made anywhere, in
any order. Nothing in a game knows who is playing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np

from heats.base.arrays import Array, Indices, Mask, Words
from heats.engine.feedback import Kind
from heats.engine.scoring import Seen, as_statistic, find_level, see
from heats.engine.specs import Spec
from heats.engine.statistics import StatisticLike

Said: TypeAlias = tuple[Array, Mask | None]  # (reps, heats, pulls, size) observed, and which had a verdict, None: all


@dataclass(frozen=True)
class Stage:
    """Heats ``(reps, heats, size)``, each of which is pulled ``pulls`` times, the first ``extra`` of them once more.

    Pulls are counted heat by heat, or, with ``in_turns``, all heats once, then all again.
    """

    heats: Indices
    pulls: int
    extra: int = 0
    in_turns: bool = False

    @property
    def count(self) -> int:
        """How many heats there are."""
        return int(self.heats.shape[1])

    @property
    def size(self) -> int:
        """How many arms a heat has."""
        return int(self.heats.shape[2])

    @property
    def total(self) -> int:
        """How many pulls there are."""
        return self.count * self.pulls + self.extra

    def heat_of(self, pulls: Indices) -> Indices:
        """Return the heat of each pull; both count from 0."""
        return pulls % self.count if self.in_turns else pulls // self.pulls

    def pulls_of(self, heat: int) -> range:
        """Return the pulls of a heat, in order."""
        if self.in_turns:
            return range(heat, self.total, self.count)
        return range(heat * self.pulls, (heat + 1) * self.pulls)

    def take_turns(self) -> Iterator[int]:
        """Yield the pulls, all heats once, then all again."""
        if self.in_turns:
            return iter(range(self.total))
        return (heat * self.pulls + turn for turn in range(self.pulls) for heat in range(self.count))

    def parts(self) -> Iterator[tuple[slice, int]]:
        """Yield heats that are pulled equally often, and how often that is."""
        if self.extra:
            yield slice(self.extra), self.pulls + 1
        if self.pulls and self.extra < self.count:
            yield slice(self.extra, None), self.pulls

    def by_heat(self, observations: Array, heard: Mask | None) -> Said:
        """Bring the observations ``(total, size)`` of one repetition into ``(1, heats, pulls, size)``.

        ``heard`` says which pulls had a verdict, None that all had; it becomes ``(1, heats, pulls)``.
        """
        if not self.in_turns:
            return observations.reshape(1, self.count, self.pulls, self.size), (
                None if heard is None else heard.reshape(1, self.count, self.pulls)
            )
        turns = self.pulls + (self.extra > 0)
        seen = np.zeros((turns * self.count, self.size))
        seen[: self.total] = observations
        known = np.zeros(turns * self.count, dtype=bool)
        known[: self.total] = True if heard is None else heard
        whole = bool(known.all())
        return (
            seen.reshape(1, turns, self.count, self.size).swapaxes(1, 2),
            None if whole else known.reshape(1, turns, self.count).swapaxes(1, 2),
        )


class Watch(Protocol):
    """Hears the heats of a stage pull by pull, each in the order of its ids."""

    def hear(self, heat: int, kind: Kind | None, observations: Array | None) -> bool:
        """Take in the next pull of a heat, arms as dealt, None without a verdict; return whether it is decided."""

    def forget(self, heat: int) -> None:
        """Begin anew with a heat."""


class Game(ABC):
    """Runs of one algorithm, in step; made of its spec, a statistic and ``roots``, the folded seeds of the runs."""

    _by_spec: ClassVar[dict[type, type[Game]]] = {}  # the games there are
    sizes: tuple[int, ...]  # pulls of every stage
    overturned: tuple[int, ...] = ()  # rounds that would have ended with others by what is left of what they were told

    def __init_subclass__(cls, *, spec: type | None = None) -> None:
        if spec is not None:
            Game._by_spec[spec] = cls

    def __init__(self, spec: Any, statistic: StatisticLike, roots: Words, heat_sizes: Sequence[int]) -> None:
        self.spec = spec
        self.statistic = as_statistic(statistic, heat_sizes)
        self.reps = roots.size
        self.n_arms: int = spec.n_arms

    @staticmethod
    def of(spec: Spec, statistic: StatisticLike, roots: Words) -> Game:
        """Begin the game of a spec."""
        make: Callable[..., Game] = Game._by_spec[type(spec)]
        return make(spec, statistic, roots)

    @property
    def pulled(self) -> int:
        """How often the heats of the stage were pulled in earlier ones."""
        return 0

    @property
    @abstractmethod
    def round(self) -> int:
        """How many rounds are over."""

    @property
    def total(self) -> int:
        """How many pulls a run makes in all."""
        return sum(self.sizes)

    @abstractmethod
    def most_values(self, *, by_means: bool) -> int:
        """Return how many numbers the largest stage of a run observes: pull by pull, or heat by heat."""

    @abstractmethod
    def stage(self) -> Stage | None:
        """Return what is to be pulled now; None once the winners are known."""

    def watch(self) -> Watch | None:
        """Return who says which pulls of the stage decide their heats, so that later ones do not count; None: none.

        Only for games that hear any stage: a pull that ended a heat is not taken back.
        """
        return None

    @property
    @abstractmethod
    def winners(self) -> Indices:
        """The best arm of every repetition, once there is nothing left to pull."""

    @abstractmethod
    def hear(self, kind: Kind | None, observations: Array, heard: Mask | None) -> None:
        """Judge the stage by its observations ``(reps, heats, pulls, size)``; ``heard`` says which had a verdict.

        What can go wrong must go wrong before anything is changed.
        """

    @abstractmethod
    def hear_again(self, kind: Kind | None, past: Sequence[tuple[int, Said]]) -> None:
        """Take in what is left of stages that are over, each with its round, now that some answers are void.

        Who left stays away, and what was dealt stays; later stages go by what is left. Only for one repetition, and
        what can go wrong must go wrong before anything is changed.
        """

    @abstractmethod
    def check_kind(self, kind: Kind) -> None:
        """Refuse a kind of feedback that the algorithm cannot use."""


class ScoredGame(Game):
    """A game that needs to know of a heat only its scores and means, however they were found."""

    compares_heats: ClassVar[bool] = False  # whether scores of different heats are compared

    def find_level(self, observations: Array, heard: Mask | None) -> Array | None:
        """Return the level that all heats of a stage are scored by; None: each has its own."""
        return find_level(observations, heard, of_runs=True) if self.compares_heats else None

    @abstractmethod
    def finish(self, kind: Kind | None, seen: Seen) -> None:
        """Judge the stage by what its heats said."""

    def hear(self, kind: Kind | None, observations: Array, heard: Mask | None) -> None:
        """Score the observations, and judge."""
        level = self.find_level(observations, heard)
        self.finish(kind, see(self.statistic, kind, observations, heard, level=level, show=True))
