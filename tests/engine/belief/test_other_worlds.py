"""Worlds that are neither consistent nor contextual as the model has it: a report must not be sure and wrong.

Of 1000 runs in a world, those that state a chance above 0.9 must be right in four of five, wherever at least 20 do, less
two standard errors.
Where that is not so, ``docs/model.md`` names the world, and it stands in ``KNOWN_TO_BE_WRONG`` here.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product

import numpy as np
import pytest

from heats.base.randomness import draw_bits
from heats.base.threads import use_one_thread
from heats.engine.adaptive.winner_stays import WinnerStays
from heats.engine.belief.data import join
from heats.engine.feedback import Kind
from heats.engine.specs import AdaptiveSpec
from heats.engine.statistics import mean

RUNS = 1000
SURE, LEAST_RIGHT, FEWEST = 0.9, 0.8, 20

Rng = np.random.Generator
Tell = Callable[[np.ndarray], np.ndarray]  # heats (reps, pulls, size) → rows
World = Callable[[int, Rng], tuple[Kind, Tell, np.ndarray]]  # n → what is told, by whom, and who is right (reps, n)


def find_first(values: np.ndarray) -> np.ndarray:
    """Tell who had the largest value."""
    first: np.ndarray = values == values.max(axis=-1, keepdims=True)
    return first.astype(float)


def take(values: np.ndarray, heats: np.ndarray) -> np.ndarray:
    """Return the values ``(reps, n)`` of the arms of heats."""
    taken: np.ndarray = np.take_along_axis(values[:, None], heats, axis=2)
    return taken


def is_largest(values: np.ndarray) -> np.ndarray:
    largest: np.ndarray = values == values.max(axis=1, keepdims=True)
    return largest


def differ_in_noise(kind: Kind) -> World:
    """Means are normal; the noise of each arm has a deviation of its own, from 0.3 to 3."""

    def make(n: int, rng: Rng) -> tuple[Kind, Tell, np.ndarray]:
        means, deviations = rng.normal(size=(RUNS, n)), np.exp(rng.uniform(np.log(0.3), np.log(3), (RUNS, n)))

        def tell(heats: np.ndarray) -> np.ndarray:
            values = take(means, heats) + take(deviations, heats) * rng.normal(size=heats.shape)
            return values if kind is Kind.REWARDS else find_first(values)

        return kind, tell, is_largest(means)

    return make


def add_noise(draw: Callable[[Rng, tuple[int, ...]], np.ndarray]) -> World:
    """Means are normal; noise is not."""

    def make(n: int, rng: Rng) -> tuple[Kind, Tell, np.ndarray]:
        means = rng.normal(0, 0.5, (RUNS, n))
        return Kind.REWARDS, lambda heats: take(means, heats) + draw(rng, heats.shape), is_largest(means)

    return make


def toss_coins(n: int, rng: Rng) -> tuple[Kind, Tell, np.ndarray]:
    """Rewards are 0 or 1."""
    chances = rng.uniform(0.2, 0.8, (RUNS, n))
    return (
        Kind.REWARDS,
        lambda heats: (rng.random(heats.shape) < take(chances, heats)).astype(float),
        is_largest(chances),
    )


def take_time(*, is_logarithm: bool) -> World:
    """Log-normal times, of arms, of what all arms of a comparison share, and of noise; told as rewards."""

    def make(n: int, rng: Rng) -> tuple[Kind, Tell, np.ndarray]:
        speeds = rng.normal(0, 0.5, (RUNS, n))

        def tell(heats: np.ndarray) -> np.ndarray:
            shared = 1.5 * rng.normal(size=(*heats.shape[:-1], 1))
            log_times: np.ndarray = shared + 0.5 * rng.normal(size=heats.shape) - take(speeds, heats)
            return -log_times if is_logarithm else -np.exp(log_times)

        return Kind.REWARDS, tell, is_largest(speeds)

    return make


def cycle_below_the_best(n: int, rng: Rng) -> tuple[Kind, Tell, np.ndarray]:
    """Arm 0 wins 64 % of its pulls; of the others each beats with 80 % those that come next in a circle."""

    def tell(heats: np.ndarray) -> np.ndarray:
        holders = heats[..., 0]
        for place in range(1, heats.shape[-1]):
            rival = heats[..., place]
            ahead = 0.2 + 0.6 * ((rival - holders) % (n - 1) < n // 2)
            holders = np.where(rng.random(holders.shape) < ahead, holders, rival)
        others = np.where(holders == 0, np.where(heats[..., 0] == 0, heats[..., 1], heats[..., 0]), holders)
        wins = (heats == 0).any(axis=-1) & (rng.random(holders.shape) < 0.64)
        winner: np.ndarray = np.where(wins, 0, others)[..., None]
        return np.where(heats == winner, 1.0, 0.0)

    return Kind.WINNER, tell, np.broadcast_to(np.arange(n) == 0, (RUNS, n))


def depend_on_company_if_weak(n: int, rng: Rng) -> tuple[Kind, Tell, np.ndarray]:
    """The best third is as strong in any company; how strong another arm is depends on whom it meets first."""
    strong = np.arange(n) < max(2, n // 3)
    strengths = np.where(strong, rng.normal(2, 1, (RUNS, n)), 0.0)
    company = rng.normal(0, 1, (RUNS, n, n))

    def tell(heats: np.ndarray) -> np.ndarray:
        lowest = heats.min(axis=-1, keepdims=True)
        runs = np.arange(RUNS)[:, None, None]
        values = np.where(strong[heats], take(strengths, heats), company[runs, heats, lowest])
        return find_first(values + rng.gumbel(size=heats.shape))

    return Kind.WINNER, tell, is_largest(np.where(strong, strengths, -np.inf))


def have_two_best(n: int, rng: Rng) -> tuple[Kind, Tell, np.ndarray]:
    """Arms 0 and 1 are equally strong, and stronger than all others."""
    strengths = np.where(np.arange(n) < 2, 1.5, np.minimum(rng.normal(0, 1, (RUNS, n)), 1.0))
    right = np.broadcast_to(np.arange(n) < 2, (RUNS, n))
    return Kind.WINNER, lambda heats: find_first(take(strengths, heats) + rng.gumbel(size=heats.shape)), right


def be_noiseless(n: int, rng: Rng) -> tuple[Kind, Tell, np.ndarray]:
    """The best is 0.001 ahead in every comparison; everything else depends on company."""
    seeds = rng.integers(0, 2**60, (RUNS, 1, 1)).astype(np.uint64)

    def tell(heats: np.ndarray) -> np.ndarray:
        key = np.sort(heats, axis=-1) @ (n ** np.arange(heats.shape[-1]))
        bits = draw_bits(0, (key[..., None] * n + heats).astype(np.uint64) + seeds)
        values = bits.astype(float) / 2**64
        top = np.where(heats == 0, -np.inf, values).max(axis=-1, keepdims=True)
        return np.where(heats == 0, top + 1e-3, values)

    return Kind.REWARDS, tell, np.broadcast_to(np.arange(n) == 0, (RUNS, n))


WORLDS: dict[str, World] = {
    "noise of its own, winners": differ_in_noise(Kind.WINNER),
    "noise of its own, rewards": differ_in_noise(Kind.REWARDS),
    "cycle below the best": cycle_below_the_best,
    "two best": have_two_best,
    "company among the weak": depend_on_company_if_weak,
    "Student t with 3": add_noise(lambda rng, shape: rng.standard_t(3, shape)),
    "exponential": add_noise(lambda rng, shape: rng.exponential(size=shape)),
    "0 or 1": toss_coins,
    "noiseless": be_noiseless,
    "times": take_time(is_logarithm=False),
    "logarithms of times": take_time(is_logarithm=True),
}
CELLS = [(n, k, times * n) for n, k, times in product((10, 20), (2, 4), (5, 15))]
KNOWN_TO_BE_WRONG = {
    ("0 or 1", 20, 4, 100): 0.6,
    **{("times", 20, k, times * 20): 0.5 for k in (2, 4) for times in (5, 15)},
}
MOST_DOMINATED, MOST_OF_TIMES = 0.01, 0.03  # of runs; in most worlds none


def play(world: World, n: int, k: int, budget: int) -> tuple[WinnerStays, np.ndarray]:
    """Play all runs, and return the game and whether each winner is right."""
    rng = np.random.default_rng([n, k, budget])
    kind, tell, right = world(n, rng)
    game = WinnerStays(AdaptiveSpec(n, k, budget), mean, draw_bits(0, np.arange(RUNS, dtype=np.uint64)))
    with use_one_thread():
        while (stage := game.stage()) is not None:
            game.hear(kind, tell(stage.heats)[:, :, None], None)
    return game, np.take_along_axis(right, game.winners[:, None], axis=1)[:, 0]


def find_dominated(game: WinnerStays) -> np.ndarray:
    """Return which winners were behind some other arm in five comparisons or more and never ahead of it.

    Only where there is an arm of which that is not so.
    """
    (arms, rows, _), runs = join(game._told), np.arange(RUNS)[:, None]
    ahead = np.zeros((RUNS, game.n_arms, game.n_arms))
    for one, other in permutations(range(len(arms)), 2):
        np.add.at(ahead, (runs, arms[one], arms[other]), rows[one] > rows[other])
    dominated = ((ahead.swapaxes(1, 2) >= 5) & (ahead == 0)).any(axis=2)
    found: np.ndarray = dominated[runs[:, 0], game.winners] & ~dominated.all(axis=1)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", WORLDS)
def test_no_report_is_sure_and_wrong(name: str) -> None:
    """In every size and with every budget; and hardly ever does one win that never beat another in five comparisons.

    Now and then one does: by luck in a consistent world, where all other comparisons count too, or against a best that
    wins no more than 64 %.
    """
    for cell in CELLS:
        game, right = play(WORLDS[name], *cell)
        assert game.posterior is not None
        sure = game.posterior.take_chances(game.winners) > SURE
        if sure.sum() >= FEWEST:
            share, least = right[sure].mean(), KNOWN_TO_BE_WRONG.get((name, *cell), LEAST_RIGHT)
            assert share >= least - 2 * (least * (1 - least) / sure.sum()) ** 0.5, cell
        assert find_dominated(game).mean() <= (MOST_OF_TIMES if name == "times" else MOST_DOMINATED), cell
