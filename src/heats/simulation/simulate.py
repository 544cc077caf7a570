"""Many tournaments at once: one NumPy program over repetitions, with the deals, scores and rules of the engine.

Repetition i is the tournament with seed ``seed + i``. Worlds draw from their own generators, one per block of
repetitions; blocks do not depend on workers, nor do results.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from heats.base import randomness
from heats.base.arrays import Array, Indices, Words
from heats.base.checks import whole
from heats.base.intervals import binomial_interval
from heats.base.randomness import Purpose
from heats.engine.baselines import RoundRobin, SuccessiveHalving
from heats.engine.elimination import best_first, check_record, deal, in_pairs
from heats.engine.evidence import Fit
from heats.engine.feedback import Kind
from heats.engine.sets import random_sets
from heats.engine.statistics import Statistic, StatisticLike, adapt_to_kind, as_statistic, mean, score, settle
from heats.environments.protocol import Environment
from heats.errors import BadFeedback, InvalidArgument
from heats.planning.plan import Plan, Round

if TYPE_CHECKING:
    from concurrent.futures import Executor

Cost: TypeAlias = Callable[[Indices], Array]
Algorithm: TypeAlias = Plan | RoundRobin | SuccessiveHalving

BLOCK_BYTES = 80_000_000  # a block of repetitions takes about so much memory
LARGEST_BYTES = 4_000_000_000  # a tournament that takes more is refused, unless max_bytes allows it
MOST_BLOCK = 1024  # repetitions


class Simulation:
    """What so many tournaments found: ``winners`` by repetition, and how often the best arm was among them."""

    def __init__(self, winners: Indices, best: int | None, pulls: int, costs: Array | None = None) -> None:
        self.winners = winners
        self.best = best
        self.pulls = pulls  # per tournament
        self.costs = costs  # per tournament, where a cost of pulls was given

    def __str__(self) -> str:
        if self.best is None:
            return f"{self.winners.size} tournaments of {self.pulls} pulls; arms found most often: {self.counts}"
        low, high = self.interval
        return (
            f"the best arm won {self.successes} of {self.winners.size} tournaments of {self.pulls} pulls: "
            f"{self.success_rate:.1%} (95% interval {low:.1%} to {high:.1%})"
        )

    @cached_property
    def counts(self) -> dict[int, int]:
        """How often each arm won, the most frequent first."""
        arms, counts = np.unique(self.winners, return_counts=True)
        return {int(arms[i]): int(counts[i]) for i in np.argsort(-counts, kind="stable")}

    @property
    def successes(self) -> int:
        """How often the best arm won."""
        if self.best is None:
            raise InvalidArgument("this world does not know its best arm, so there is no success rate; see counts.")
        return self.counts.get(self.best, 0)

    @property
    def success_rate(self) -> float:
        """Share of the tournaments that the best arm won."""
        return self.successes / self.winners.size

    @property
    def interval(self) -> tuple[float, float]:
        """Exact 95 % interval of the success rate (Clopper-Pearson)."""
        return binomial_interval(self.successes, self.winners.size)


def simulate(
    algorithm: Algorithm,
    environment: Environment,
    reps: int = 10_000,
    seed: int = 0,
    statistic: StatisticLike | None = None,
    *,
    executor: Executor | None = None,
    max_bytes: int | None = None,
    cost: Cost | None = None,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> Simulation:
    """Play a plan, or a fresh RoundRobin or SuccessiveHalving, ``reps`` times in a world.

    Parameters
    ----------
    algorithm
        A plan, or a baseline made for the purpose: only its numbers are used.
    environment
        Any world of ``heats.environments``. Where it knows the law of its means they are drawn at once.
    reps, seed
        Repetition i deals as the tournament with seed ``seed + i``.
    statistic
        As for a tournament, default ``heats.mean``; a baseline brings its own.
    executor
        Blocks of repetitions are handed to it; results are the same.
    max_bytes
        About how much memory may be used at a time (default: 80 MB); it never depends on ``reps``. What is drawn
        depends on it, as on the seed.
    cost
        A function from heats ``(..., size)`` to what a pull of each costs, ``(...)``; summed up per tournament.
    watch
        Called with (tournaments done, all of them) after every block.
    """
    whole("reps", reps, 1)
    randomness.fold_seed(seed)
    if not isinstance(environment, Environment):
        raise InvalidArgument(f"{environment!r} is no world to simulate in; take one of heats.environments.")
    if seed + reps >= 2**64:
        raise InvalidArgument(f"seed={seed} leaves no room for {reps} seeds below 2^64; take a smaller one.")
    runner = _runner(algorithm, environment, statistic, cost)
    most = BLOCK_BYTES if max_bytes is None else whole("max_bytes", max_bytes, 1)
    if runner.bytes > (LARGEST_BYTES if max_bytes is None else most):
        given = "" if max_bytes is None else f" and max_bytes={max_bytes} is not enough"
        raise InvalidArgument(
            f"a single tournament needs {runner.bytes} bytes{given}; lower the budget or raise max_bytes."
        )
    block = max(1, min(MOST_BLOCK, most // runner.bytes))
    starts = range(0, reps, block)
    jobs = [(seed, start, min(block, reps - start)) for start in starts]
    parts = []
    for part in executor.map(runner, jobs) if executor is not None else map(runner, jobs):
        parts.append(part)
        watch(min(len(parts) * block, reps), reps)
    winners = np.concatenate([winners for winners, _ in parts])
    costs = np.concatenate([costs for _, costs in parts]) if cost is not None else None
    return Simulation(winners, environment.best, runner.pulls, costs)


class _Runner(ABC):
    """Plays one block of repetitions; can travel to another process."""

    def __init__(self, n_arms: int, pulls: int, values: int, environment: Environment, statistic: Statistic) -> None:
        known = getattr(environment, "n_arms", None)
        if n_arms != known:
            raise InvalidArgument(f"the plan is for {n_arms} arms, but the world's n_arms is {known}; make them equal.")
        if not isinstance(environment.kind, Kind):
            raise InvalidArgument(
                f"the world's kind is {environment.kind!r}; it must be one of heats.environments.Kind."
            )
        if pulls >= 2**53:
            raise InvalidArgument(f"{pulls} pulls are too many to simulate; take a budget below 2^53.")
        self.n_arms = n_arms
        self.pulls = pulls
        self.bytes = 40 * max(values, 4 * n_arms)  # per repetition: observations, and what is sorted with them
        self.environment = environment
        self.statistic = adapt_to_kind(statistic, environment.kind)

    def __call__(self, job: tuple[int, int, int]) -> tuple[Indices, Array]:
        seed, start, reps = job
        roots = randomness.draw_bits(0, np.arange(reps, dtype=np.uint64) + np.uint64(seed + start))
        rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence([seed, start])))
        return self.play(roots, self.environment.block(start, reps), rng)

    @abstractmethod
    def play(self, roots: Words, world: Environment, rng: np.random.Generator) -> tuple[Indices, Array]:
        """Return winners and costs."""

    def pull(self, world: Environment, heats: Indices, pulls: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return scores and mean observations of the heats."""
        if self.statistic is mean:
            means = self._checked(world.sample_mean(heats, pulls, rng), heats.shape)
            return (means if world.kind is Kind.REWARDS else settle(means)), means
        expected = (*heats.shape[:-1], pulls, heats.shape[-1])
        observations = self._checked(world.sample(heats, pulls, rng), expected)
        return score(self.statistic, world.kind, observations), observations.mean(axis=-2)

    def _checked(self, seen: Array, expected: tuple[int, ...]) -> Array:
        """Refuse what a world from outside may get wrong."""
        world = type(self.environment).__name__
        if np.shape(seen) != expected:
            raise InvalidArgument(f"the world {world} returned shape {np.shape(seen)} where {expected} was due.")
        if not np.isfinite(seen).all():
            raise InvalidArgument(f"the world {world} returned observations that are not finite.")
        return seen


class _PlanRunner(_Runner):
    def __init__(self, plan: Plan, environment: Environment, statistic: StatisticLike, cost: Cost | None) -> None:
        chosen = as_statistic(statistic, [each.size for each in plan.rounds])
        direct = chosen is mean and environment.at_once
        values = max(each.heats * each.size * (1 if direct else max(1, each.pulls)) for each in plan.rounds)
        super().__init__(plan.n_arms, plan.cost, values, environment, chosen)
        try:
            check_record(plan.record, environment.kind, chosen)
        except BadFeedback as error:
            raise InvalidArgument(str(error)) from None
        self.plan = plan
        self.cost = cost

    def play(self, roots: Words, world: Environment, rng: np.random.Generator) -> tuple[Indices, Array]:
        """Algorithm 1, all repetitions in step."""
        reps = roots.size
        arms = np.broadcast_to(np.arange(self.n_arms), (reps, self.n_arms))
        rested = np.zeros((reps, self.n_arms), dtype=bool)
        record = _Records(reps, self.n_arms, self.plan.record, world.kind)
        costs = np.zeros(reps)
        for number, each in enumerate(self.plan.rounds):
            heats, byes = deal(roots[:, None], number, arms, rested, each.heats, each.size)
            order = self._ranked(each, heats, record, world, rng)
            if self.cost is not None and each.pulls:
                costs += each.pulls * np.sum(self.cost(heats), axis=-1)
            kept = np.take_along_axis(heats, order[..., : each.keep], axis=-1).reshape(reps, -1)
            arms = np.concatenate([kept, byes], axis=-1)
            rested = np.zeros(arms.shape, dtype=bool)
            rested[:, kept.shape[-1] :] = True
        return arms[:, 0], costs

    def _ranked(
        self, each: Round, heats: Indices, record: _Records, world: Environment, rng: np.random.Generator
    ) -> NDArray[np.intp]:
        if not each.pulls:
            return best_first(np.zeros(heats.shape), lambda: record.of(heats))
        scores, means = self.pull(world, heats, each.pulls, rng)
        if self.plan.record in ("pooled", "fitted"):
            fitted_rewards = self.plan.record == "fitted" and world.kind is Kind.REWARDS
            record.add(heats, scores if fitted_rewards else means, each.pulls)  # of rewards, their win rates
            return best_first(record.of(heats), lambda: scores)
        order = best_first(scores, lambda: record.of(heats))
        record.add(heats, means, each.pulls)
        return order


class _Records:
    """The records of all arms in all repetitions."""

    def __init__(self, reps: int, n_arms: int, mode: str, kind: Kind) -> None:
        self._off = mode == "off"
        self._fit = Fit(reps, n_arms) if mode == "fitted" else None
        self._pairs = in_pairs(kind)
        self._strengths = np.zeros((reps, n_arms))
        if not self._off and self._fit is None:
            self._credit = np.zeros((reps, n_arms))
            self._pulled = np.zeros((reps, n_arms))
            self._largest = np.ones((reps, 1, 1))

    def add(self, heats: Indices, means: Array, pulls: int) -> None:
        """Credit every arm with pulls × (mean − mean of its heat), or fit its strength anew."""
        if self._off:
            return
        if self._fit is not None:
            self._fit.add(heats, means, pulls, pairs=self._pairs)
            self._strengths = settle(np.log(self._fit.strengths()))
            return
        rows = np.arange(len(heats))[:, None]
        flat = heats.reshape(len(heats), -1)
        relative = means - means.mean(axis=-1, keepdims=True)
        self._credit[rows, flat] += pulls * relative.reshape(flat.shape)
        self._pulled[rows, flat] += pulls
        self._largest = np.maximum(self._largest, np.abs(means).max(axis=(1, 2), keepdims=True))

    def of(self, heats: Indices) -> Array:
        """Return the records of the arms of heats, to compare."""
        if self._off:
            return np.zeros(heats.shape)
        rows = np.arange(len(heats))[:, None, None]
        if self._fit is not None:
            return self._strengths[rows, heats]
        return settle(self._credit[rows, heats] / np.maximum(self._pulled[rows, heats], 1) / self._largest)


class _RoundRobinRunner(_Runner):
    def __init__(self, machine: RoundRobin, environment: Environment, cost: Cost | None) -> None:
        self.machine_budget, self.size = machine.budget, machine.heat_size
        super().__init__(
            machine.n_arms, machine.budget, machine.budget * machine.heat_size, environment, machine.statistic
        )
        self.cost = cost

    def play(self, roots: Words, world: Environment, rng: np.random.Generator) -> tuple[Indices, Array]:
        """Draw the sets of every repetition, pull them in turn, average each arm over its sets."""
        sets = random_sets(roots, self.n_arms, self.size, self.machine_budget)
        count = sets.shape[1]
        full, extra = divmod(self.machine_budget, count)
        scores = np.empty(sets.shape)
        if extra:
            scores[:, :extra], _ = self.pull(world, sets[:, :extra], full + 1, rng)
        if extra < count:
            scores[:, extra:], _ = self.pull(world, sets[:, extra:], full, rng)
        reps = roots.size
        flat = (sets + np.arange(reps)[:, None, None] * self.n_arms).ravel()
        seen = np.bincount(flat, minlength=reps * self.n_arms)
        total = np.bincount(flat, weights=scores.ravel(), minlength=reps * self.n_arms)
        borda = np.where(seen > 0, total / np.maximum(seen, 1), -np.inf).reshape(reps, self.n_arms)
        if world.kind is not Kind.REWARDS:
            borda = settle(borda)
        lots = randomness.draw_bits(roots[:, None], Purpose.DEAL, 0, np.arange(self.n_arms))
        tied = borda == borda.max(axis=-1, keepdims=True)
        winners = np.where(tied, lots, np.uint64(2**64 - 1)).argmin(axis=-1)
        costs = np.zeros(reps)
        if self.cost is not None:
            turns = np.full(count, full) + (np.arange(count) < extra)
            costs = (self.cost(sets) * turns).sum(axis=-1)
        return winners, costs


class _HalvingRunner(_Runner):
    def __init__(self, machine: SuccessiveHalving, environment: Environment, cost: Cost | None) -> None:
        if environment.kind is not Kind.REWARDS:
            raise InvalidArgument(
                "SuccessiveHalving pulls single arms and needs a world of rewards (feedback='seconds' of runtimes)."
            )
        self.budget, self.halvings = machine.budget, (machine.n_arms - 1).bit_length()
        super().__init__(machine.n_arms, machine.budget, machine.budget, environment, machine.statistic)
        self.cost = cost

    def play(self, roots: Words, world: Environment, rng: np.random.Generator) -> tuple[Indices, Array]:
        """Halve all repetitions in step."""
        reps = roots.size
        arms = np.broadcast_to(np.arange(self.n_arms), (reps, self.n_arms))
        seen = np.empty((reps, self.n_arms, 0))
        costs = np.zeros(reps)
        for number in range(self.halvings):
            order = randomness.shuffle(roots[:, None], Purpose.DEAL, number, arms)
            arms = np.take_along_axis(arms, order, axis=-1)
            seen = np.take_along_axis(seen, order[..., None], axis=1)
            pulls = self.budget // (arms.shape[1] * self.halvings)
            if pulls:
                before = seen.shape[-1] if world.fixed else 0  # there, an arm's pulls go on where they stopped
                fresh = world.sample(arms[..., None], before + pulls, rng)[..., before:, 0]
                seen = np.concatenate([seen, fresh], axis=-1)
                if self.cost is not None:
                    costs += pulls * np.sum(self.cost(arms[..., None]), axis=-1)
            scores = self.statistic(seen[..., None])[..., 0] if seen.shape[-1] else np.zeros(arms.shape)
            kept = np.argsort(-scores, axis=-1, kind="stable")[:, : -(-arms.shape[1] // 2)]
            arms = np.take_along_axis(arms, kept, axis=-1)
            seen = np.take_along_axis(seen, kept[..., None], axis=1)
        return arms[:, 0], costs


def _runner(
    algorithm: Algorithm, environment: Environment, statistic: StatisticLike | None, cost: Cost | None
) -> _Runner:
    if isinstance(algorithm, Plan):
        return _PlanRunner(algorithm, environment, mean if statistic is None else statistic, cost)
    if statistic is not None:
        raise InvalidArgument("a baseline brings its own statistic; make it with one instead of giving it to simulate.")
    if isinstance(algorithm, RoundRobin):
        return _RoundRobinRunner(algorithm, environment, cost)
    if isinstance(algorithm, SuccessiveHalving):
        return _HalvingRunner(algorithm, environment, cost)
    raise InvalidArgument(f"{algorithm!r} cannot be simulated; give a Plan, a RoundRobin or a SuccessiveHalving.")
