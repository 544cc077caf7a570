"""Many runs at once: one NumPy program over repetitions, with the very games that machines play.

Repetition i is the run with seed ``seed + i``. Worlds draw from their own generators, one per block of repetitions;
blocks do not depend on workers, nor do results.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from heats.base.arrays import Array, Indices, Mask
from heats.base.checks import whole
from heats.base.intervals import binomial_interval
from heats.base.markup import make_html_table, make_paragraph
from heats.base.randomness import draw_bits, fold_seed
from heats.base.text import count_things, end_sentence
from heats.engine.feedback import LARGEST, Kind
from heats.engine.game import Game, ScoredGame, Stage
from heats.engine.machine import Machine
from heats.engine.scoring import Seen, adapt_to_kind, see, settle
from heats.engine.specs import TournamentSpec
from heats.engine.statistics import StatisticLike, mean
from heats.environments.protocol import Environment, Rng
from heats.errors import BadFeedback, InvalidArgument
from heats.planning.plan import Plan

if TYPE_CHECKING:
    from concurrent.futures import Executor

Cost: TypeAlias = Callable[[Indices], Array]
Algorithm: TypeAlias = Plan | Machine

BLOCK_BYTES = 80_000_000  # a block of repetitions takes about this much memory
LARGEST_RUN_BYTES = 4_000_000_000  # a run that takes more is refused, unless max_bytes allows it
MOST_BLOCK_RUNS = 1024
KEPT_BYTES = 33_000_000  # of memory that is free; of more than 32 MiB the C library of Linux would take no hint
MOST_REPS = 1_000_000_000
ROWS_IN_NOTEBOOK = 20  # of the arms that won


class Simulation:
    """What all runs found: ``winners`` by repetition, and how often the best arm was among them."""

    def __init__(self, winners: Indices, best: int | None, pulls: int, costs: Array | None = None) -> None:
        self.winners = winners
        self.best = best
        self.pulls = pulls  # per run
        self.costs = costs  # per run, where a cost of pulls was given

    def __str__(self) -> str:
        if self.best is None:
            return f"{self.winners.size} runs of {self._length}; arms found most often: {self.counts}"
        low, high = self.interval
        return (
            f"the best arm won {self.successes} of {self.winners.size} runs of {self._length}: "
            f"{self.success_rate:.1%} (95% interval {low:.1%} to {high:.1%})"
        )

    def __repr__(self) -> str:
        arm, wins = next(iter(self.counts.items()))
        found = f"arm {arm} most often ({wins})" if self.best is None else f"the best arm in {self.success_rate:.1%}"
        return f"<Simulation: {self.winners.size} runs of {self._length} found {found}>"

    def _repr_html_(self) -> str:
        rows = [(arm, count, f"{count / self.winners.size:.1%}") for arm, count in self.counts.items()]
        table = make_html_table(("arm", "found", "share of runs"), rows, most=ROWS_IN_NOTEBOOK)
        said = f"{self.winners.size} runs of {self._length}" if self.best is None else str(self)
        return f"<div>{make_paragraph([said])}{table}</div>"

    @property
    def _length(self) -> str:
        """How many pulls a run has, in words."""
        return count_things(self.pulls, "pull")

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
        """Share of the runs that the best arm won."""
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
    """Play a plan, or a machine made for the purpose, ``reps`` times in a world.

    Parameters
    ----------
    algorithm
        A plan, or a fresh machine, such as Adaptive or RoundRobin: only its spec and its statistic are used.
    environment
        Any world of ``heats.environments``. Where it knows the law of its means they are drawn at once.
    reps, seed
        Repetition i deals as the machine with seed ``seed + i``.
    statistic
        For a plan, default ``heats.mean``; a machine brings its own.
    executor
        Blocks of repetitions are handed to it; results are the same.
    max_bytes
        About how much memory may be used at a time (default: 80 MB); it never depends on ``reps``. What is drawn
        depends on it, as on the seed.
    cost
        A function from heats ``(..., size)`` to what a pull of each costs, ``(...)``; summed up per run.
    watch
        Called with (runs done, all of them) after every block.
    """
    whole("reps", reps, 1, MOST_REPS)
    fold_seed(seed)
    if not isinstance(environment, Environment):
        raise InvalidArgument(
            "{environment} is not a world to simulate in; take one of heats.environments.", environment=environment
        )
    if seed + reps >= 2**64:
        raise InvalidArgument(f"{{seed}} leaves no room for {reps} seeds below 2^64; take a smaller one.", seed=seed)
    runner = Runner(_as_game(algorithm, statistic), environment, cost)
    most = BLOCK_BYTES if max_bytes is None else whole("max_bytes", max_bytes, 1)
    if runner.bytes > (LARGEST_RUN_BYTES if max_bytes is None else most):
        needs = f"a single tournament needs {runner.bytes:,} bytes"
        if max_bytes is None:
            raise InvalidArgument(f"{needs}; lower the budget (in Python, max_bytes allows more).")
        raise InvalidArgument(f"{needs} and {{max_bytes}} is not enough; raise it.", max_bytes=max_bytes)
    block = max(1, min(MOST_BLOCK_RUNS, most // runner.bytes))
    jobs = [(seed, start, min(block, reps - start)) for start in range(0, reps, block)]
    parts = []
    for part in executor.map(runner, jobs) if executor is not None else map(runner, jobs):
        parts.append(part)
        watch(min(len(parts) * block, reps), reps)
    winners = np.concatenate([winners for winners, _ in parts])
    costs = np.concatenate([costs for _, costs in parts]) if cost is not None else None
    return Simulation(winners, environment.best, runner.pulls, costs)


def _as_game(algorithm: Algorithm, statistic: StatisticLike | None) -> Game:
    """Return the game to play, for its numbers only."""
    root = np.array([fold_seed(0)])
    if isinstance(algorithm, Plan):
        return Game.of(TournamentSpec(algorithm), mean if statistic is None else statistic, root)
    if not isinstance(algorithm, Machine):
        raise InvalidArgument(
            "{algorithm} cannot be simulated; give a Plan, or a machine such as RoundRobin.", algorithm=algorithm
        )
    if statistic is not None:
        raise InvalidArgument("a machine brings its own statistic; make it with one instead of giving it to simulate.")
    return Game.of(algorithm.spec, algorithm.statistic, root)  # its own game only knows how it began


class Runner:
    """Plays blocks of repetitions; can travel to another process."""

    def __init__(self, game: Game, environment: Environment, cost: Cost | None = None) -> None:
        known = getattr(environment, "n_arms", None)
        if game.n_arms != known:
            raise InvalidArgument(
                f"the plan is for {game.n_arms} arms, but the world's n_arms is {known}; make them equal."
            )
        if not isinstance(environment.kind, Kind):
            raise InvalidArgument(
                f"the world's kind is {environment.kind!r}; it must be one of heats.environments.Kind."
            )
        try:
            game.check_kind(environment.kind)
            adapted = adapt_to_kind(game.statistic, environment.kind)
        except BadFeedback as error:
            raise InvalidArgument(f"this world cannot be simulated in: {end_sentence(error)}") from None
        if game.total >= 2**53:
            raise InvalidArgument(f"{game.total} pulls are too many to simulate; take a budget below 2^53.")
        self.pulls = game.total
        self._spec, self._statistic = game.spec, game.statistic
        self._environment, self._cost = environment, cost
        has_means = environment.at_once or environment.kind is not Kind.REWARDS  # else see() averages with more care
        self._by_means = isinstance(game, ScoredGame) and adapted is mean and not environment.silent and has_means
        values = game.most_values(by_means=self._by_means and environment.at_once)
        self.bytes = 40 * max(values, 4 * game.n_arms)  # per repetition: observations, and what is sorted with them

    def __call__(self, job: tuple[int, int, int]) -> tuple[Indices, Array]:
        """Return winners and costs of a block of repetitions."""
        seed, start, reps = job
        roots = draw_bits(0, np.arange(reps, dtype=np.uint64) + np.uint64(seed + start))
        rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence([seed, start])))
        world = self._environment.block(start, reps)
        game = Game.of(self._spec, self._statistic, roots)
        if not isinstance(game, ScoredGame):  # others do not take long enough to notice
            _keep_memory()
        costs = np.zeros(reps)
        while (stage := game.stage()) is not None:
            if isinstance(game, ScoredGame):
                game.finish(world.kind, self._see(world, stage, rng, game))
            else:
                game.hear(world.kind, *self._observe(world, stage.heats, game.pulled, stage.pulls, rng))
            if self._cost is not None:
                costs += sum(pulls * self._price(stage.heats[:, heats]) for heats, pulls in stage.parts())
        return game.winners, costs

    def _see(self, world: Environment, stage: Stage, rng: Rng, game: ScoredGame) -> Seen:
        """Pull the heats of a stage, or draw what their means would be."""
        parts = [(stage.heats[:, heats], pulls) for heats, pulls in stage.parts()]
        if self._by_means:
            return _join([self._see_means(world, *part, rng) for part in parts], stage)
        told = [self._observe(world, heats, 0, pulls, rng) for heats, pulls in parts]
        level = game.find_level(*told[0])
        return _join([see(self._statistic, world.kind, *each, level=level) for each in told], stage)

    def _see_means(self, world: Environment, heats: Indices, pulls: int, rng: Rng) -> Seen:
        means = self._check_seen(world.sample_mean(heats, pulls, rng), heats.shape)
        return Seen(means if world.kind is Kind.REWARDS else settle(means), means, pulls)

    def _observe(
        self, world: Environment, heats: Indices, before: int, pulls: int, rng: Rng
    ) -> tuple[Array, Mask | None]:
        """Pull heats that were pulled ``before``: in a world where nothing is random they go on where they stopped."""
        skipped = before if world.fixed else 0
        expected = (*heats.shape[:-1], skipped + pulls, heats.shape[-1])
        seen = world.sample(heats, skipped + pulls, rng)
        if not world.silent:
            return self._check_seen(seen, expected)[..., skipped:, :], None
        heard = ~np.atleast_1d(np.isnan(seen).all(axis=-1))
        self._check_seen(np.where(heard[..., None], seen, 0), expected)
        return seen[..., skipped:, :], heard[..., skipped:]

    def _check_seen(self, seen: Array, expected: tuple[int, ...]) -> Array:
        """Refuse what a world from outside may get wrong."""
        world = type(self._environment).__name__
        if np.shape(seen) != expected:
            raise InvalidArgument(f"the world {world} returned shape {np.shape(seen)} where {expected} was due.")
        if not (np.abs(seen) <= LARGEST).all():
            raise InvalidArgument(
                f"the world {world} returned observations that are not finite numbers within ±{LARGEST:g}."
            )
        return seen

    def _price(self, heats: Indices) -> Array:
        """Return what a pull of every heat costs, summed up by repetition."""
        assert self._cost is not None
        try:
            prices = np.asarray(self._cost(heats), dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise InvalidArgument(f"cost did not return numbers: {end_sentence(error)}") from error
        if prices.shape != heats.shape[:-1]:
            raise InvalidArgument(
                f"cost turned heats of shape {heats.shape} into shape {prices.shape}; it must return a price per heat, "
                f"{heats.shape[:-1]}."
            )
        total: Array = prices.sum(axis=-1)
        return total


def _keep_memory() -> None:
    """Free a large array: from then on the C library of Linux keeps what smaller ones had for those that follow.

    Else it hands their memory back and takes it again page by page, which takes adaptive play half as long again.
    """
    np.empty(KEPT_BYTES, dtype=np.uint8)


def _join(parts: list[Seen], stage: Stage) -> Seen:
    """Put the parts of a stage together."""
    if len(parts) == 1 and parts[0].scores.shape == stage.heats.shape:
        return parts[0]
    shape = stage.heats.shape
    unseen = shape[1] - sum(part.scores.shape[1] for part in parts)
    rest = [np.zeros((shape[0], unseen, shape[2]))]
    verdicts = [np.broadcast_to(part.verdicts, part.scores.shape[:2]) for part in parts]
    return Seen(
        np.concatenate([part.scores for part in parts] + rest, axis=1),
        np.concatenate([part.means for part in parts] + rest, axis=1),
        np.concatenate([*verdicts, np.zeros((shape[0], unseen), dtype=np.int64)], axis=1),
    )
