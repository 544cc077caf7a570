"""Worlds: what they say of themselves is what they do, pull by pull or drawn at once."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats

import heats
from heats.engine.feedback import Kind
from heats.environments import (
    Environment,
    Gaussian,
    Normal,
    Orders,
    PlackettLuce,
    Rankings,
    RuntimeTable,
    ScoreTable,
    Sequences,
    Winners,
    play,
)
from heats.errors import InvalidArgument
from heats.theory import Limits, borda_winners, condorcet_winner, survey


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_of_rewards_only_the_order_may_be_seen() -> None:
    """As rankings where nobody ties, and as the shares of the others behind, told as rewards, where somebody may."""
    world, heat = Orders(Gaussian(6, seed=2)), np.array([0, 3, 5])
    rewards = world.world.sample(heat, 7, np.random.default_rng(1))
    seen = world.sample(heat, 7, np.random.default_rng(1))
    assert world.kind is Kind.RANKING
    assert seen.tolist() == [[sum(one > other for other in row) / 2 for one in row] for row in rewards]
    tied = Orders(ScoreTable([[3.0, 1.0, 1.0, 2.0]]))
    assert tied.kind is Kind.REWARDS
    assert tied.sample(np.arange(4), 1, np.random.default_rng(1)).tolist() == [[1, 1 / 6, 1 / 6, 2 / 3]]
    with pytest.raises(InvalidArgument, match="only rewards can be reduced to their order, not winner feedback"):
        Orders(Winners(Gaussian(6)))


def test_a_gaussian_world_is_a_function_of_seed_and_set() -> None:
    """The same set has the same parameters in any order, any shape and any run; another seed has others."""
    world = Gaussian(30, seed=4)
    means, spreads = world.parameters(np.array([3, 8, 21]))
    again, _ = Gaussian(30, seed=4).parameters(np.array([[[21, 3, 8]]]))
    assert again[0, 0].tolist() == means[[2, 0, 1]].tolist()
    assert Gaussian(30, seed=5).parameters(np.array([3, 8, 21]))[0].tolist() != means.tolist()
    assert world.limits((3, 8, 21)) == means.tolist()
    assert ((spreads >= 0.05) & (spreads <= 0.2)).all()
    assert Gaussian(30, seed=4, spread="variance").parameters(np.array([3, 8, 21]))[1] == pytest.approx(
        np.sqrt(spreads)
    )


@pytest.mark.parametrize("seed", range(8))
def test_the_best_arm_leads_every_heat_by_the_gap(seed: int) -> None:
    """(A2) holds; the lead is exactly the gap, and a decoy leads every heat without it by twice that."""
    plain, decoy = Gaussian(9, gap=0.125, seed=seed), Gaussian(9, gap=0.125, decoy=True, seed=seed)
    limits = Limits(9, 4, plain)
    assert condorcet_winner(limits) == plain.best
    for heat in limits.heats(containing=plain.best):
        assert limits.decisive_gap(plain.best, heat, 2) == pytest.approx(0.125)
    apart = Limits(9, 3, decoy)
    assert condorcet_winner(apart) == decoy.best != decoy.decoy
    assert decoy.decoy is not None
    for heat in apart.heats(containing=decoy.decoy):
        if decoy.best not in heat:
            assert apart.decisive_gap(decoy.decoy, heat, 2) == pytest.approx(0.25)


def test_means_of_other_arms_are_uniform() -> None:
    """Kolmogorov-Smirnov over 5000 heats; spreads too, and neither is correlated with the other."""
    world = Gaussian(1000, seed=1)
    heats_ = rng().choice(1000, size=(5000, 3))
    heats_ = heats_[(heats_ != world.best).all(axis=1) & (np.diff(np.sort(heats_)) > 0).all(axis=1)]
    means, spreads = world.parameters(heats_)
    assert stats.kstest(means.ravel(), "uniform").pvalue > 1e-3
    assert stats.kstest((spreads.ravel() - 0.05) / 0.15, "uniform").pvalue > 1e-3
    assert abs(np.corrcoef(means.ravel(), spreads.ravel())[0, 1]) < 0.03


def test_the_best_arm_may_be_any() -> None:
    """Chi-square over seeds."""
    counts = np.bincount([Gaussian(7, seed=seed).best for seed in range(2000)], minlength=7)
    assert stats.chisquare(counts).pvalue > 1e-3


TABLE = rng(3).uniform(1, 9, size=(40, 6)).round(1)
SOLVED = rng(4).random((40, 6)) < 0.7
PLACES = np.array([np.random.default_rng(i).permutation(6) for i in range(30)])

WORLDS: dict[str, Environment] = {
    "gaussian": Gaussian(6, seed=2),
    "normal": Normal([0.1, 0.5, 0.2, 0.9, 0.3, 0.4], 0.3),
    "winners of gaussian": Winners(Gaussian(6, seed=2)),
    "orders of gaussian": Orders(Gaussian(6, seed=2)),
    "plackett-luce": PlackettLuce([1, 2, 3, 4, 5, 6]),
    "plackett-luce ranking": PlackettLuce([1, 2, 3, 4, 5, 6], "ranking"),
    "scores": ScoreTable(TABLE),
    "runtimes": RuntimeTable(TABLE, SOLVED, 9.0),
    "seconds": RuntimeTable(TABLE, SOLVED, 9.0, feedback="seconds"),
    "rankings": Rankings(PLACES),
    "rankings winner": Rankings(PLACES, feedback="winner"),
    "sequences": Sequences(rng(5).normal(size=(6, 50))),
}


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("heat", [(0, 3), (1, 2, 5), (0, 1, 2, 3, 4, 5)])
def test_the_protocol(name: str, heat: tuple[int, ...]) -> None:
    """Shapes; the mean of many pulls comes near the limits; what is drawn at once has the law of what is drawn one by one."""
    world = WORLDS[name]
    many = np.tile(np.array(heat), (2, 3, 1))
    assert world.sample(many, 5, rng()).shape == (2, 3, 5, len(heat))
    assert world.sample_mean(many, 5, rng()).shape == (2, 3, len(heat))
    if name == "sequences":
        return
    one_by_one = world.sample(np.tile(np.array(heat), (4000, 1)), 7, rng(1)).mean(axis=-2)
    at_once = world.sample_mean(np.tile(np.array(heat), (4000, 1)), 7, rng(2))
    for arm in range(len(heat)):
        samples = (one_by_one[:, arm].round(9), at_once[:, arm].round(9))
        assert stats.ks_2samp(*samples, method="asymp").pvalue > 1e-3  # the exact method may fail where many tie
    try:
        limits = np.array(world.limits(heat))
    except InvalidArgument:
        assert name in ("winners of gaussian", "orders of gaussian")
        return
    error = at_once.std(axis=0) / np.sqrt(4000) + 1e-9
    assert (np.abs(at_once.mean(axis=0) - limits) < 4.5 * error).all()


@pytest.mark.parametrize("name", WORLDS)
def test_a_machine_can_be_played_in_any_world(name: str) -> None:
    """Pull by pull, told in the world's own kind of feedback; the same seed gives the same run."""
    world = WORLDS[name]
    runs = [play(heats.Tournament(heats.plan(6, 3, 60), seed=8), world) for _ in range(2)]
    assert runs[0].report() == runs[1].report()
    assert runs[0].spent == 60
    assert runs[0]._kind is world.kind


def test_runtime_limits_by_enumeration() -> None:
    """The winner of a row has the smallest time among those that solved it; ties share; nobody if nobody did."""
    times = np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 9.0], [9.0, 9.0, 9.0], [9.0, 4.0, 9.0]])
    solved = times < 9
    world = RuntimeTable(times, solved, 9.0, names=["a", "b", "c"])
    assert world.limits((0, 1)) == pytest.approx([(1 + 0.5) / 4, (0.5 + 1) / 4])
    assert world.limits((0, 2)) == pytest.approx([2 / 4, 0])
    assert world.best == 1
    assert world.mean_seconds.tolist() == [5.25, 4.25, 7.5]
    assert world.parallel_seconds(np.array([[0, 1], [0, 2]])).tolist() == [(1 + 2 + 9 + 4) / 4, (1 + 2 + 9 + 9) / 4]
    assert world.feedback((0, 1), (0.0, 0.0)) == heats.Winner(None)
    assert world.feedback((0, 1), (0.5, 0.5)) == heats.Winner(0, 1)
    assert RuntimeTable(times, solved, 9.0, feedback="seconds").limits((0,)) == [-5.25]
    assert RuntimeTable([[12.0, 11.0], [12.0, 5.0]], cutoff=10).limits((0, 1)) == [
        0,
        0.5,
    ]  # beyond the cutoff is unsolved


def test_ranking_limits_by_enumeration() -> None:
    """Borda shares over all voters; partial and tied orders share places."""
    orders = [[0, 1, 2], [2, 0, 1], [1]]
    world = Rankings(orders)
    shares = [
        [np.mean([heats.Ranking([a for a in order if a in heat]).row(heat)[i] for order in orders]) for i in range(3)]
        for heat in [(0, 1, 2)]
    ]
    assert world.limits((0, 1, 2)) == pytest.approx(shares[0])
    assert Rankings(orders, feedback="winner").limits((0, 2)) == pytest.approx([(1 + 0 + 0.5) / 3, (0 + 1 + 0.5) / 3])
    tied = Rankings([[0.0, 0.0, 1.0]], places=True)
    assert tied.limits((0, 1, 2)) == [0.75, 0.75, 0]
    assert tied.kind is Kind.REWARDS  # no ranking says it: the shares are told
    assert play(heats.Tournament(heats.plan(3, 3, 2)), tied).winner in (0, 1)


@pytest.mark.parametrize("size", [2, 3, 5, 6])
def test_win_shares_by_enumeration(size: int) -> None:
    """The mean over every heat an arm can be in, where many tie and nobody may finish."""
    numbers = rng(size).integers(0, 4, size=(30, 6))
    numbers[0], solved = 2, rng(size).random((30, 6)) < 0.5
    worlds = (
        RuntimeTable(numbers, solved, cutoff=3),
        Winners(ScoreTable(numbers)),
        Rankings(numbers, feedback="winner", places=True),
    )
    for world in worlds:
        table = world.world if isinstance(world, Winners) else world
        total, count = np.zeros(6), np.zeros(6)
        for heat in itertools.combinations(range(6), size):
            shares = table.limits(heat)
            if isinstance(world, Winners):
                rows = numbers[:, heat]
                tops = rows == rows.max(axis=1, keepdims=True)
                shares = (tops / tops.sum(axis=1, keepdims=True)).mean(axis=0)
            total[list(heat)] += shares
            count[list(heat)] += 1
        assert world.win_shares(size) == pytest.approx(total / count)


def test_win_shares_are_refused_where_they_make_no_sense() -> None:
    """Heats of one or of more than all, and worlds that are no tables."""
    for size in (1, 4):
        with pytest.raises(InvalidArgument, match=f"heat_size={size} must be from 2 to 3"):
            ScoreTable([[1, 2, 3]]).win_shares(size)
    with pytest.raises(InvalidArgument, match="Gaussian does not know its win shares"):
        Winners(Gaussian(5)).win_shares(2)


def test_plackett_luce_ranking_limits() -> None:
    """Pairwise u_i/(u_i + u_j), whatever else is in the heat."""
    world = PlackettLuce([1.0, 3.0, 4.0], "ranking")
    assert world.limits((0, 1)) == pytest.approx([0.25, 0.75])
    assert world.limits((0, 1, 2)) == pytest.approx([(0.25 + 0.2) / 2, (0.75 + 3 / 7) / 2, (0.8 + 4 / 7) / 2])
    assert survey(Limits(3, 3, world)).condorcet == 2
    assert borda_winners(Limits(3, 3, PlackettLuce([1.0, 3.0, 4.0]))) == {2}


@pytest.mark.parametrize("utilities", [[1e308, 1.2e308, 1.7e308], [1e-308, 1.2e-308, 1.7e-308], [5e-324, 1.0, 1.7e308]])
def test_plackett_luce_utilities_of_any_size(utilities: list[float]) -> None:
    """Their sum overflows, their ratios do not: the same winners as with small ones."""
    world, ranking = PlackettLuce(utilities), PlackettLuce(utilities, "ranking")
    shares = np.exp(np.log(utilities) - np.log(utilities[2]))
    expected = shares / shares.sum()
    assert world.limits((0, 1, 2)) == pytest.approx(expected.tolist())
    assert ranking.limits((0, 2)) == pytest.approx([shares[0] / (shares[0] + 1), 1 / (shares[0] + 1)])
    for seen in (
        world.sample(np.array([0, 1, 2]), 40_000, rng()).mean(axis=0),
        world.sample_mean(np.array([0, 1, 2]), 40_000, rng()),
    ):
        assert seen == pytest.approx(expected, abs=0.015)


def test_losses_are_shown_as_they_are() -> None:
    """The smallest mean is the best; what is observed is negated, as larger is better everywhere."""
    world = ScoreTable.from_losses([[1.0, 3.0], [2.0, 2.0]], ["a", "b"])
    assert world.quality is not None
    assert (world.quality[0], world.quality[1].tolist()) == ("mean loss", [1.5, 2.5])
    assert (world.best, world.names) == (0, ("a", "b"))
    assert world.limits((0, 1)) == [-1.5, -2.5]
    assert world.win_shares(2).tolist() == [0.75, 0.25]
    assert Winners(world).quality is world.quality
    with pytest.raises(InvalidArgument, match=r"losses=.*nan in row 0, arm 1"):
        ScoreTable.from_losses([[1.0, float("nan")]])


def test_sequences_are_what_was_given() -> None:
    """The t-th observation of each arm, the last one for ever after."""
    world = Sequences([[1, 2, 3], [4, 5, 6]])
    assert world.sample(np.array([1, 0]), 4, rng()).tolist() == [[4, 1], [5, 2], [6, 3], [6, 3]]
    assert (world.best, world.limits((0, 1))) == (1, [3, 6])


def test_winners_share_ties() -> None:
    """Rewards from a table with equal entries, in heats of two and of more."""
    world = Winners(ScoreTable([[1.0, 1.0, 0.0]]))
    for heat in ((0, 1, 2), (0, 1)):
        assert world.sample_mean(np.array([heat]), 3, rng())[0, :2].tolist() == [0.5, 0.5]
    assert world.kind is Kind.WINNER
    with pytest.raises(InvalidArgument, match="only rewards"):
        Winners(world)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Gaussian(1), "n_arms=1"),
        (lambda: Gaussian(5, gap=-1), "gap=-1"),
        (lambda: Gaussian(2, decoy=True), "third arm"),
        (lambda: Gaussian(5, spread="x"), "one of deviation, variance"),
        (lambda: Gaussian(5).sample(np.array([[1]]), 1, rng()), "two and more"),
        (lambda: Normal([1.0]), "at least two"),
        (lambda: Normal([1.0, 2.0], -1), "not below 0"),
        (lambda: PlackettLuce([1, 0]), "above 0"),
        (lambda: PlackettLuce([1]), "at least two"),
        (lambda: PlackettLuce([1, 2], "vote"), "one of winner, ranking"),
        (lambda: ScoreTable([[1.0, float("nan")]]), "nan in row 0, arm 1"),
        (lambda: ScoreTable([[1.0, float("inf")]]), "inf in row 0, arm 1"),
        (lambda: RuntimeTable([[1.0, 2.0]], cutoff=-5), "cutoff=-5"),
        (lambda: RuntimeTable([[1.0, 2.0]], cutoff=float("nan")), "cutoff=nan"),
        (lambda: Rankings(5), "lists of arms"),
        (lambda: Rankings([["a"]]), "lists of arms"),
        (lambda: Normal([1, 2], [1, 2, 3]), "one per mean"),
        (lambda: PlackettLuce(["a", 1]), "at least two numbers"),
        (lambda: ScoreTable([[1.0], [2.0]]), "two arms"),
        (lambda: ScoreTable([[1.0, 2.0], [3.0]]), "equal length"),
        (lambda: ScoreTable([[1.0, 2.0]], names=["a"]), "1 names were given for 2 arms"),
        (lambda: RuntimeTable([[1.0, -2.0]]), "-2 in row 0, arm 1"),
        (lambda: RuntimeTable([[1.0, 2.0]], [[True]]), "must be the same"),
        (lambda: RuntimeTable([[1.0, 2.0]], feedback="x"), "one of winner, seconds"),
        (lambda: Rankings([[0, 0]]), "at most once"),
        (lambda: Rankings([[0, -1]]), "at most once"),
        (lambda: Rankings([[0, 1]], feedback="x"), "one of ranking, winner"),
        (lambda: Winners(Gaussian(5)).limits((0, 1)), "does not know its limits"),
    ],
)
def test_impossible_worlds_are_refused(make: Any, message: str) -> None:
    """NaN, negative or missing times, one arm, unequal lengths."""
    with pytest.raises(InvalidArgument, match=message):
        make()


def test_all_pairs_of_worlds_know_their_best() -> None:
    """The arm to find is the one their own definition names."""
    assert ScoreTable(TABLE).best == TABLE.mean(axis=0).argmax()
    assert Rankings(PLACES).best == np.argsort(PLACES, axis=1).mean(axis=0).argmin()
    for one, other in itertools.pairwise([Normal([1, 2, 3]).best, PlackettLuce([1, 2, 3]).best]):
        assert one == other == 2
