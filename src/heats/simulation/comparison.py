"""All strategies on a recorded table: which one to take for data like these, by budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec
import numpy as np

from heats.base.arrays import Array
from heats.base.checks import whole
from heats.engine.adaptive import Adaptive
from heats.engine.baselines import RoundRobin, SuccessiveHalving
from heats.engine.feedback import Kind
from heats.environments import Environment, RuntimeTable, ScoreTable
from heats.errors import BudgetTooSmall, InvalidArgument
from heats.planning.build import plan
from heats.planning.plan import check_problem
from heats.planning.rules import PLANNED, RULES
from heats.simulation.replay import hint_feedback
from heats.simulation.simulate import Algorithm, Simulation, simulate

Player: TypeAlias = tuple[str, int, Algorithm | str]  # a strategy, a budget, and how it plays or a word why not

STRATEGIES = (PLANNED, "adaptive", *RULES, "round-robin", "successive-halving")
PULLS_PER_ARM = (1, 3, 10)
MOST_REPS = 1000
LEAST_REPS = 20
OBSERVATIONS = 3 * 10**7  # of all runs together: some seconds
TELLING_ERRORS = 2  # standard errors: two regrets this far apart differ


class Score(msgspec.Struct, frozen=True):
    """How a strategy did with a budget; where it could not play, a word says why and there are no numbers."""

    strategy: str
    budget: int
    why_not: str | None = None
    pulls: int | None = None
    success: float | None = None  # how often the best arm was found
    low: float | None = None
    high: float | None = None
    regret: float | None = None  # how much worse the arm found is on average, in what the best is best by
    error: float | None = None  # its standard error
    leads: bool = False  # nobody with the same budget has less regret, as far as these runs tell


class Comparison(msgspec.Struct, frozen=True):
    """What all strategies found on a table. ``best_by`` says what the best arm is best by, and regrets are of."""

    rows: int
    arms: int
    feedback: str
    reps: int
    best: str
    best_by: str
    best_value: float
    blind_regret: float  # of an arm drawn at random
    scores: tuple[Score, ...]


def compare_strategies(
    world: Environment,
    heat_size: int,
    budgets: Sequence[int] | None = None,
    reps: int | None = None,
    seed: int = 0,
    *,
    blind: bool = False,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> Comparison:
    """Play every strategy on a recorded world with every budget: 1, 3 and 10 pulls per arm unless others are given.

    Without ``reps`` there are as many runs as take some seconds. Successive Halving, which pulls single arms,
    gets heat_size times the budget, as in the paper.
    """
    if world.best is None or world.quality is None:
        raise InvalidArgument(f"{type(world).__name__} is not a recorded world; use heats.simulate.")
    wanted = [times * world.n_arms for times in PULLS_PER_ARM] if budgets is None else list(budgets)
    for budget in wanted:
        check_problem(world.n_arms, heat_size, budget)
    best_by, values = world.quality
    many = _choose_reps(heat_size, wanted) if reps is None else whole("reps", reps, 1)
    players = [_enter(world, heat_size, budget, name, blind=blind) for budget in wanted for name in STRATEGIES]
    scores = _play_all(world, players, many, seed, watch)
    return Comparison(
        rows=world.n_rows,
        arms=world.n_arms,
        feedback=hint_feedback(world),
        reps=many,
        best=world.names[world.best] if world.names else f"arm {world.best}",
        best_by=best_by,
        best_value=float(values[world.best]),
        blind_regret=float(_list_regrets(world).mean()),
        scores=tuple(_mark_leader(each, scores) for each in scores),
    )


def _play_all(
    world: Environment, players: Sequence[Player], reps: int, seed: int, watch: Callable[[int, int], None]
) -> list[Score]:
    """Return the scores of all players, each of which plays the same tournaments."""
    total = reps * sum(not isinstance(player, str) for _, _, player in players)
    scores: list[Score] = []
    done = 0

    def watch_one(some: int, _: int) -> None:
        watch(done + some, total)

    for name, budget, player in players:
        if isinstance(player, str):
            scores.append(Score(name, budget, why_not=player))
            continue
        found = simulate(player, world, reps, seed, watch=watch_one)
        scores.append(_score(name, budget, found, _list_regrets(world)))
        done += reps
    return scores


def _score(name: str, budget: int, found: Simulation, regrets: Array) -> Score:
    """Return how far the arms found are from the best."""
    lost = regrets[found.winners]
    low, high = found.interval
    error = float(lost.std(ddof=1) / np.sqrt(lost.size)) if lost.size > 1 else 0.0
    return Score(name, budget, None, found.pulls, found.success_rate, low, high, float(lost.mean()), error)


def _list_regrets(world: Environment) -> Array:
    """Return how much worse than the best every arm is, over the whole table."""
    assert world.quality is not None
    _, values = world.quality
    regrets: Array = np.abs(values - values[world.best])
    return regrets


def _enter(world: Environment, heat_size: int, budget: int, name: str, *, blind: bool) -> Player:
    """Return a strategy ready to play, or in a word why it cannot."""
    try:
        return name, budget, _make_player(world, heat_size, budget, name, blind=blind)
    except BudgetTooSmall:
        return name, budget, "too few pulls"
    except InvalidArgument as error:  # the numbers are checked: what is left is a run too large, or without end
        return name, budget, "too many pulls" if error.argument == "budget" else "too many rounds"


def _make_player(world: Environment, heat_size: int, budget: int, name: str, *, blind: bool) -> Algorithm | str:
    n = world.n_arms
    if name == "adaptive":
        return Adaptive(n, heat_size, budget)
    if name == "round-robin":
        return RoundRobin(n, heat_size, budget)
    if name == "successive-halving":
        if world.kind is not Kind.REWARDS or not isinstance(world, (ScoreTable, RuntimeTable)):
            return "needs numbers"
        return SuccessiveHalving(n, heat_size * budget, blind=blind)
    return plan(n, heat_size, budget, name, feedback=hint_feedback(world), blind=blind)


def _choose_reps(heat_size: int, budgets: Sequence[int]) -> int:
    """Return how many tournaments all strategies together play in some seconds."""
    observations = heat_size * len(STRATEGIES) * sum(budgets)
    return max(LEAST_REPS, min(MOST_REPS, OBSERVATIONS // observations))


def _mark_leader(score: Score, scores: Sequence[Score]) -> Score:
    """Say of a score whether another with the same budget is better by more than chance."""
    if score.regret is None or score.error is None:
        return score
    for other in scores:
        if other.budget == score.budget and other.regret is not None and other.error is not None:
            noise = TELLING_ERRORS * float(np.hypot(score.error, other.error))
            if other.regret < score.regret - noise:
                return score
    return msgspec.structs.replace(score, leads=True)
