"""What adaptive play makes of what it was told: company, lasting strengths, and which of the two it is."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from heats.engine.adaptive.outlook.choices import Choices, Effort, group_first
from heats.engine.adaptive.outlook.company import Company, gather_company, share
from heats.engine.adaptive.outlook.determinants import MOST_TOGETHER
from heats.engine.adaptive.outlook.effects import fit_effects
from heats.engine.adaptive.outlook.heard import Heard, hear_pulls
from heats.engine.adaptive.outlook.lasting import fit_first, take_likeliest
from heats.engine.adaptive.outlook.meetings import measure_lead
from heats.engine.adaptive.outlook.outlook import LAST_EFFORT, Outlook
from heats.engine.adaptive.outlook.pairs import group_pairs
from heats.engine.adaptive.outlook.rewards import RATIOS, center_rewards, find_noise, group_rewards
from heats.engine.adaptive.outlook.sets import group_sets
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.engine.adaptive.dealing.keys import make_keys
from heats.engine.adaptive.dealing.many import Deal, deal_many
from heats.engine.adaptive.dealing.one import deal_one
from heats.engine.feedback import Kind
from heats.engine.game import Game
from heats.environments import Environment, Gaussian, PlackettLuce, Winners


def hear(kind: Kind, n: int, k: int, pulls: int, seed: int, reps: int = 2) -> Heard:
    """Return pulls of random sets with random answers."""
    rng = np.random.default_rng(seed)
    heats_ = np.argsort(rng.random((reps, pulls, n)), axis=-1)[..., :k]
    keys = rng.normal(size=heats_.shape) + heats_ / n
    if kind is Kind.WINNER:
        rows = (keys == keys.max(axis=-1, keepdims=True)).astype(float)
    elif kind is Kind.RANKING:
        rows = np.argsort(np.argsort(keys, axis=-1), axis=-1) / (k - 1)
    else:
        rows = keys * 3 + 100 * rng.normal(size=(reps, pulls, 1))
    return hear_pulls(kind, heats_, rows, rng.random((reps, pulls)) < 0.9)


def first_of(heard: Heard) -> Choices:
    return group_first(heard, group_sets(heard.heats))


def log_posterior(heard: Heard, run: int, theta: Any, prior: float) -> float:
    """Return the logarithm of p(who was first | θ) p(θ), in plain Python."""
    found = 0.0
    each = heard.heats[:, run].T.tolist(), heard.rows[:, run].T.tolist(), heard.told[run]
    for arms, row, told in zip(*each, strict=True):
        if told:
            best = arms[row.index(max(row))]
            found += theta[best] - math.log(sum(math.exp(theta[arm]) for arm in arms))
    beta = 2 * math.lgamma(prior) - math.lgamma(2 * prior)
    found += sum(prior * each - 2 * prior * math.log1p(math.exp(each)) - beta for each in theta)
    return float(found)


@pytest.mark.parametrize("kind", [Kind.WINNER, Kind.RANKING, Kind.REWARDS])
def test_strengths_are_the_most_likely_ones(kind: Kind) -> None:
    """No small step makes who was first likelier, and the sharpness is the curvature, by differences."""
    heard = hear(kind, 5, 3, 30, 1)
    (found,) = fit_first(first_of(heard), (3.0,), np.ones((1, 2, 5)), LAST_EFFORT)
    theta = np.log(found.strengths[1])
    here, step = log_posterior(heard, 1, theta, 3.0), 0.01
    for arm in range(5):
        up, down = (log_posterior(heard, 1, theta + sign * step * (np.arange(5) == arm), 3.0) for sign in (1, -1))
        assert abs(up - down) / (2 * step) < 0.02
        assert (2 * here - up - down) / step**2 == pytest.approx(found.sharpness[1, arm], rel=1e-3)


@pytest.mark.parametrize("prior", [1.5, 10.0])
def test_the_likelihood_of_lasting_strengths_is_an_integral(prior: float) -> None:
    """Of two arms it is summed up on a grid; Laplace's method is off by little."""
    heard = hear(Kind.WINNER, 2, 2, 12, 3, reps=1)
    (found,) = fit_first(first_of(heard), (prior,), np.ones((1, 1, 2)), LAST_EFFORT)
    grid = np.linspace(-8, 8, 321)
    total = sum(math.exp(log_posterior(heard, 0, (one, two), prior)) for one in grid for two in grid)
    assert float(found.likely[0]) == pytest.approx(math.log(total * 0.05**2), abs=0.1)


def test_the_likeliest_prior_counts() -> None:
    """Run by run; arms that differ much are further apart than arms that are alike."""
    heard = hear(Kind.WINNER, 6, 2, 200, 5, reps=3)
    first = first_of(heard)
    each = fit_first(first, (1.5, 10.0), np.ones((2, 3, 6)), LAST_EFFORT)
    both = take_likeliest(each)
    assert both.likely == pytest.approx(np.maximum(each[0].likely, each[1].likely), abs=1e-3)


def test_many_arms_are_taken_for_nearly_independent() -> None:
    """Those that were pulled least: the determinant then is a little too large, never too small."""
    heard = hear(Kind.WINNER, 40, 3, 60, 2)
    exact = fit_first(first_of(heard), (3.0,), np.ones((1, 2, 40)), LAST_EFFORT)[0].likely
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("heats.engine.adaptive.outlook.determinants.MOST_TOGETHER", 20)
        nearly = fit_first(first_of(heard), (3.0,), np.ones((1, 2, 40)), LAST_EFFORT)[0].likely
    assert MOST_TOGETHER > 40
    assert (nearly <= exact + 1e-9).all()
    assert (exact - nearly < 0.1 * np.abs(exact)).all()


def test_determinants_of_large_heats_are_those_of_small_ones() -> None:
    """By a product of matrices instead of pair by pair: it needs no memory for all pairs."""
    heard = hear(Kind.WINNER, 60, 40, 30, 2)
    exact = fit_first(first_of(heard), (3.0,), np.ones((1, 2, 60)), LAST_EFFORT)[0].likely
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("heats.engine.adaptive.outlook.determinants.LARGE_COLUMN", 100)
        assert fit_first(first_of(heard), (3.0,), np.ones((1, 2, 60)), LAST_EFFORT)[0].likely == pytest.approx(exact)


def test_a_likelihood_is_found_however_far_strengths_are_apart() -> None:
    """Where rounding leaves a matrix that has no root; other runs at once are as they are alone."""
    shares = np.array([[9.0, 5.0, 4.0], [0.0, 4.0, 5.0]])
    choices = Choices(np.array([[0, 0, 1], [1, 1, 2]]), np.array([0, 1, 1]), shares, np.array([9.0, 9.0, 9.0]))
    apart, close = np.exp([[90.0, -90.0, 0.0]]), np.ones((1, 3))
    (both,) = fit_first(choices, (3.0,), np.stack([np.concatenate([apart, close])]), Effort(0, 1e-3))
    assert np.isfinite(both.likely).all()
    alone = Choices(choices.arms[:, 1:], np.array([0, 0]), shares[:, 1:], choices.times[1:])
    assert both.likely[1] == pytest.approx(fit_first(alone, (3.0,), close[None], Effort(0, 1e-3))[0].likely[0])


def test_effects_of_rewards_are_the_likeliest_of_a_dense_model() -> None:
    """Rewards of a run as one normal vector: its effects and its likelihood by dense algebra, whoever decides."""
    heard = hear(Kind.REWARDS, 6, 3, 40, 4)
    grouped = group_sets(heard.heats)
    effects, likely = fit_effects(group_rewards(heard, grouped), grouped, 6)
    rewards, heats_ = (each[:, 1, heard.told[1]].T for each in (center_rewards(heard), heard.heats))
    basis = np.linalg.svd(np.eye(3) - 1 / 3)[0][:, :2]  # of three rewards less their mean two are free
    values = (rewards @ basis).ravel()
    arms = np.concatenate([basis.T @ np.eye(6)[heat] for heat in heats_])
    sets = sorted({tuple(sorted(heat)) for heat in heats_.tolist()})
    own = np.concatenate([basis.T @ np.eye(3)[np.argsort(np.argsort(heat))] @ _pick(sets, heat) for heat in heats_])

    def weigh(ratio: float, design: Any) -> float:
        covariance = np.eye(values.size) + ratio * design @ design.T
        left = max(values @ np.linalg.solve(covariance, values), 1e-6 * (values @ values))
        return float(-values.size / 2 * np.log(left) - np.linalg.slogdet(covariance)[1] / 2)

    best = max(RATIOS, key=lambda ratio: weigh(ratio, arms))
    solution = np.linalg.solve(arms.T @ arms + np.eye(6) / best, arms.T @ values)
    assert effects.strengths[1] == pytest.approx(solution, abs=1e-4)
    assert likely[1] == pytest.approx(weigh(best, arms), abs=1e-4)
    company = gather_company(heard, 6)
    assert company.rewards is not None
    tops = company.weigh_size(company.rewards)[1] - max(weigh(ratio, own) for ratio in RATIOS)
    assert tops == pytest.approx(_log_mean_tops(company, 1))


def _pick(sets: list[tuple[int, ...]], heat: Any) -> Any:
    """Return where in a row of the effects of all sets those of the set of a heat are."""
    return np.eye(3 * len(sets))[3 * sets.index(tuple(sorted(heat.tolist()))) :][:3]


def _log_mean_tops(company: Company, run: int) -> float:
    """Return the logarithm of how much likelier it is, in the mean over arms, that one tops all its sets."""
    shares = share(company._gains) + math.log(3)
    tops = [shares[(company.sets.runs == run) & (company.sets.arms == arm)].sum() for arm in range(6)]
    return math.log(sum(map(math.exp, tops)) / 6)


def test_scores_of_rewards_are_by_their_size() -> None:
    """Odds of the normal law, set by set, with the noise of sets that were pulled again; in plain Python.

    Arms are behind by 2, 1.5, 0.5 and 8, of which 1.5 is usual: the last counts as 4.5.
    """
    heats_ = np.array([[[0, 1], [1, 0], [0, 2], [2, 1]]])
    rows = np.array([[[3.0, 1.0], [0.5, 2.0], [5.0, 5.5], [1.0, 9.0]]])
    company = gather_company(hear_pulls(Kind.REWARDS, heats_, rows, np.ones((1, 4), dtype=bool)), 3)
    scores = company.score()[0]
    scale = math.sqrt((2 * 1.0**2 + 2 * 0.75**2 + 2 * 0.25**2 + 2 * 2.25**2) / 4)
    within = (1.0**2 + 0.75**2) * 2 - (1.75**2) * 2 / 2
    noise = math.sqrt((within / scale**2 + 1 / 2) / (1 + 1))
    assert company.rewards is not None
    assert find_noise(company.rewards, company.sets)[0] == pytest.approx(noise)

    def top(ahead: float, pulls: int) -> float:
        t = ahead / scale * math.sqrt(pulls / 2) / noise
        return 1 / (1 + math.exp(-(1.5976 * t + 0.07056 * t**3)))

    chances = {0: [top(1.75, 2), top(-0.5, 1)], 1: [top(-1.75, 2), top(4.5, 1)], 2: [top(0.5, 1), top(-4.5, 1)]}
    for arm, (one, two) in chances.items():
        assert scores[arm] == pytest.approx(math.log(one * two / explain_as_another(one, two)), abs=1e-6)


def explain_as_another(one: float, two: float) -> float:
    """Return how likely two sets are if an arm tops them with a chance that may be anything, on a fine grid."""
    q = (np.arange(10_000) + 0.5) / 10_000
    return float(((q * one + (1 - q) * (1 - one)) * (q * two + (1 - q) * (1 - two))).mean())


def test_an_arm_that_always_loses_to_another_is_behind_it() -> None:
    """However many others it has beaten: strong arms are not the best."""
    heats_ = [(0, 1)] * 20 + [(1, other) for other in range(2, 402)]
    told = np.ones((1, len(heats_)), dtype=bool)
    heard = hear_pulls(Kind.WINNER, np.array([heats_]), np.array([[(1.0, 0.0)] * len(heats_)]), told)
    scores = gather_company(heard, 402).score()[0]
    assert scores[0] > scores[1]


@given(st.integers(2, 9), st.integers(2, 4), st.integers(1, 40), st.integers(0, 99))
def test_pulls_of_the_same_set_are_found(n: int, k: int, pulls: int, seed: int) -> None:
    """Run by run, whatever the order of their arms."""
    k = min(n, k)
    heats_ = hear(Kind.WINNER, n, k, pulls, seed).heats
    sets = group_sets(heats_)
    for pull, which in enumerate(sets.which.ravel().tolist()):
        assert sets.arms[:, which].tolist() == heats_.reshape(k, -1)[:, pull].tolist()
        assert sets.runs[which] == pull // pulls
    assert (
        len({(run, *arms) for run, arms in zip(sets.runs.tolist(), sets.arms.T.tolist(), strict=True)})
        == sets.runs.size
    )


def choose_views(n: int, runs: int, seed: int) -> Outlook:
    """Return how good arms look to runs in which strengths last; the smaller the seed, the closer together they are."""
    rng, view = np.random.default_rng(seed), Outlook(runs, n)
    view.lasts[:], view.ahead = True, 2.5
    view.strengths, view.sharpness = rng.normal(size=(runs, n)).round(3), rng.uniform(0.5, 3, (runs, n)).round(3)
    view.strengths *= seed / 33
    view.sharper[:] = 0.7 if seed % 2 == 0 else 0.0
    return view


def only(view: Outlook, run: int) -> Outlook:
    """Return how good arms look to one of the runs."""
    alone = Outlook(1, view.strengths.shape[1])
    alone.ahead = view.ahead
    for name in ("lasts", "scores", "strengths", "sharpness", "sharper"):
        setattr(alone, name, getattr(view, name)[run : run + 1])
    return alone


@settings(max_examples=60)
@given(
    st.integers(2, 8),
    st.sampled_from([0, 1, 2, 5, 12]),
    st.integers(1, 30),
    st.integers(0, 99),
    st.sampled_from([0, 16]),
)
def test_lasting_strengths_are_dealt_by_what_they_may_be(
    k: int, others: int, pulls: int, seed: int, often: int
) -> None:
    """Strength and standard errors, which shrink with every pull dealt, and guests: one, many and plain Python agree."""
    n, runs = k + others, 3
    view = choose_views(n, runs, seed)
    pulled = often + np.random.default_rng(seed).integers(0, 2, (1, n)).repeat(runs, axis=0)
    luck = np.arange(n)[None].repeat(runs, axis=0)
    dealt = deal_many(Deal(view, pulled, luck, make_keys(view.values, pulled, luck), pulls, k)).tolist()
    for run in range(runs):
        alone, mine = only(view, run), slice(run, run + 1)
        keys = make_keys(alone.values, pulled[mine], luck[mine])
        assert deal_one(Deal(alone, pulled[mine], luck[mine], keys, pulls, k))[0].tolist() == dealt[run]
        sharp, theta = view.sharpness[run].tolist(), view.strengths[run].tolist()
        times = pulled[run].tolist()
        rivals = sum(theta[arm] + 1 / math.sqrt(sharp[arm]) >= max(theta) for arm in range(n)) if often else k
        rivals = min(max(rivals, 2), k)
        for heat in dealt[run]:
            value = [theta[arm] + 2.5 / math.sqrt(sharp[arm]) for arm in range(n)]
            order = sorted(range(n), key=lambda arm: (-round(value[arm] * 2**14), times[arm], arm))
            best = order[:rivals]
            rare = sorted(set(range(n)) - set(best), key=lambda arm: (times[arm], arm))
            assert heat == best + rare[: k - rivals]
            total = sum(math.exp(theta[arm]) for arm in heat)
            for arm in heat:
                chance = math.exp(theta[arm]) / total
                sharp[arm] += view.sharper[run, 0] or max(chance * (1 - chance), 0.05)
                times[arm] += 1


def test_runs_of_both_kinds_are_dealt_together() -> None:
    """Guests come where strengths last, and where company decides the best have all places."""
    view = choose_views(6, 2, 50)
    view.lasts[:] = True, False
    view.strengths[:] = (9.0, 8.0, 0.0, 0.0, 0.0, 0.0)
    view.scores[:] = (9.0, 8.0, 7.0, 6.0, 5.0, 4.0)
    pulled, luck = np.array([[40, 40, 12, 12, 10, 11]] * 2), np.arange(6)[None].repeat(2, axis=0)
    heats_ = deal_many(Deal(view, pulled, luck, make_keys(view.values, pulled, luck), 1, 4))
    assert heats_[:, 0].tolist() == [[0, 1, 4, 5], [0, 1, 2, 3]]


def test_the_more_is_spent_the_less_may_an_arm_be_better_than_it_looks() -> None:
    """Six standard errors in the beginning, one in the end; a budget that grows gives arms their chances back."""
    machine = heats.Adaptive(6, 2, 60, batches=4, seed=1)
    while not machine.done:
        spent = sum(machine.stage_sizes[: machine.round])
        query = machine.ask()
        assert query is not None
        assert machine.game.outlook.ahead == pytest.approx(6 - 5 * spent / 60)
        machine.tell(query, heats.Winner(max(query.arms)))
    machine.extend(60)
    machine.ask()
    assert machine.game.outlook.ahead == pytest.approx(3.5)


def share_of_lasting(world: Environment, spec: Any, reps: int = 40) -> float:
    """Return in how many runs strengths are taken to last, in the end."""
    game: Any = Game.of(spec, heats.mean, np.arange(1, reps + 1, dtype=np.uint64))
    worlds, rng = world.block(0, reps), np.random.default_rng(1)
    while (stage := game.stage()) is not None:
        game.hear(world.kind, worlds.sample(stage.heats, stage.pulls, rng), None)
    return float(game.verdict.lasts.mean())


def test_a_run_finds_out_what_kind_of_world_it_is() -> None:
    """Where company decides, and where strengths last."""
    spec = heats.Adaptive(40, 2, 400).spec
    assert share_of_lasting(Winners(Gaussian(40, redraw=True)), spec) < 0.1
    assert share_of_lasting(PlackettLuce(np.exp(np.random.default_rng(1).normal(size=40))), spec) > 0.9


def test_reading_the_verdict_changes_nothing() -> None:
    """Whoever looks between batches sees who would win now; the next batch is the same."""
    machines = [heats.Adaptive(12, 3, 60, seed=5) for _ in range(2)]
    while not machines[0].done:
        looked = [machine.ask(60) for machine in machines]
        assert looked[0] == looked[1]
        for machine, queries in zip(machines, looked, strict=True):
            for query in queries:
                machine.tell(query, heats.Winner(max(query.arms) if query.seed % 4 else min(query.arms)))
        assert machines[1].game.winners.size == 1
    assert machines[0].winner == machines[1].winner


@settings(max_examples=30)
@given(st.integers(2, 30), st.integers(2, 10), st.integers(1, 6), st.integers(1, 20), st.integers(0, 99))
def test_few_pulls_do_not_tell_strengths(n: int, k: int, times: int, batches: int, seed: int) -> None:
    """Not before arms had three each, and there were three for every four arms: before, company decides."""
    k = min(n, k)
    machine = heats.Adaptive(n, k, times * n, batches=batches, seed=seed)
    while not machine.done:
        if machine.spent * k < 3 * n or machine.spent < 0.75 * n:
            assert not machine.game.outlook.lasts.any()
        for query in machine.ask(times * n):
            machine.tell(query, heats.Winner(max(query.arms)))


@pytest.mark.parametrize("k", [2, 4, 8])
def test_enough_pulls_tell_strengths(k: int) -> None:
    """Where they last, with heats of any size."""
    machine, draw = heats.Adaptive(24, k, 480), random.Random(0)
    while not machine.done:
        for query in machine.ask(480):
            machine.tell(query, heats.Winner(max(query.arms, key=lambda arm: arm / 8 - math.log(draw.expovariate(1)))))
    assert machine.game.outlook.lasts.all()


@settings(max_examples=40)
@given(st.integers(2, 9), st.integers(2, 6), st.integers(1, 30), st.integers(0, 99))
def test_pairs_are_who_was_ahead_of_whom(n: int, k: int, pulls: int, seed: int) -> None:
    """One by one, each counted in part: those of an arm say as much of its strength as a ranking of equals does."""
    k = min(n, k)
    heard = hear(Kind.RANKING, n, k, pulls, seed)
    counted: Counter[tuple[int, ...]] = Counter()
    for run, pull in np.argwhere(heard.told).tolist():
        said = dict(zip(heard.heats[:, run, pull].tolist(), heard.rows[:, run, pull].tolist(), strict=True))
        counted.update((run, one, other) for one, other in permutations(said, 2) if said[one] > said[other])
    pairs = group_pairs(heard, n)
    found = dict(zip(zip(pairs.runs.tolist(), *pairs.arms.tolist(), strict=True), pairs.times.tolist(), strict=True))
    say = sum((1 / m) * (1 - 1 / m) * (m / k) for m in range(2, k + 1))  # each choice out of m, of which one is in m/k
    assert found == pytest.approx({pair: times * say / ((k - 1) / 4) for pair, times in counted.items()})
    assert pairs.shares[0].tolist() == pairs.times.tolist()
    assert not pairs.shares[1].any()
    assert (np.diff(pairs.runs) >= 0).all()


@pytest.mark.parametrize(("n", "k", "budget"), [(120, 30, 300), (150, 25, 300), (200, 25, 400), (40, 40, 30)])
def test_the_best_wins_where_rankings_of_many_are_told_without_noise(n: int, k: int, budget: int) -> None:
    """However large the heats: it can do no better than be first in all of them."""
    for seed in range(3):
        machine = heats.Adaptive(n, k, budget, seed=seed)
        while not machine.done:
            for query in machine.ask(budget):
                machine.tell(query, heats.Ranking(sorted(query.arms, reverse=True)))
        assert machine.winner == n - 1


@settings(max_examples=40)
@given(
    st.integers(2, 9), st.integers(2, 5), st.integers(1, 40), st.integers(0, 99), st.sampled_from([1e-300, 1, 1e300])
)
def test_a_lead_is_that_of_the_meetings(n: int, k: int, pulls: int, seed: int, unit: float) -> None:
    """Its mean over its standard error, by what such differences vary by in all meetings; rewards of any size."""
    k = min(n, k)
    heard = hear(Kind.REWARDS, n, k, pulls, seed)
    heard = heard._replace(rows=heard.rows / 1000 * unit)
    other = np.array([seed % n, 0])
    found = measure_lead(heard, other, n)
    for run in range(2):
        differences: dict[int, list[float]] = {arm: [] for arm in range(n)}
        for pull in np.flatnonzero(heard.told[run]).tolist():
            got = dict(zip(heard.heats[:, run, pull].tolist(), (heard.rows[:, run, pull] / unit).tolist(), strict=True))
            if other[run] in got:
                its = got.pop(int(other[run]))
                for arm, reward in got.items():
                    differences[arm].append(reward - its)
        left = sum((each - np.mean(one)) ** 2 for one in differences.values() for each in one)
        noise = math.sqrt(left / max(1, sum(max(len(one) - 1, 0) for one in differences.values())))
        leads = [np.mean(one) * math.sqrt(len(one)) / noise if len(one) >= 3 else 0 for one in differences.values()]
        assert found[run] == pytest.approx(leads, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize(("n", "k", "budget"), [(120, 8, 153), (200, 5, 450), (200, 16, 252)])
@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_the_best_of_many_wins_where_rewards_have_hardly_any_noise(n: int, k: int, budget: int, noise: float) -> None:
    """Although how far hopeless ones are behind counts up to a limit."""
    for seed in range(4):
        machine, draw = heats.Adaptive(n, k, budget, seed=seed), random.Random(seed)
        while not machine.done:
            for query in machine.ask(budget):
                machine.tell(query, [arm + draw.gauss(0, noise) for arm in query.arms])
        assert machine.winner == n - 1


def test_void_answers_do_not_say_what_kind_of_world_it_is() -> None:
    """What is left may be that nobody won: then nothing is known of any arm, and the winner is drawn by luck."""
    winners = set()
    for seed in range(8):
        machine = heats.Adaptive(6, 2, 60, batches=4, seed=seed)
        while not machine.done:
            query = machine.ask()
            assert query is not None
            said = heats.Winner(None) if query.id % 7 == 0 else heats.Winner(max(query.arms))
            machine.tell(query, said, by="ann" if query.id % 7 else "bob")
        assert machine.winner == 5
        machine.void("ann")
        assert not machine.game.verdict.lasts.any()
        assert not machine.game.outlook.lasts.any()
        winners.add(machine.winner)
    assert len(winners) > 2


@pytest.mark.parametrize(("n", "k", "budget", "batches"), [(10, 3, 1000, 2), (50, 4, 2000, 15)])
def test_long_batches_are_dealt_alike_on_every_machine(n: int, k: int, budget: int, batches: int) -> None:
    """What is expected of hundreds of pulls does not grow from the last bit of a number: one and many deal the same."""
    spec = heats.Adaptive(n, k, budget, batches=batches).spec
    roots = np.arange(1, 4, dtype=np.uint64)
    together, alone = Game.of(spec, heats.mean, roots), [Game.of(spec, heats.mean, roots[i : i + 1]) for i in range(3)]
    rng = np.random.default_rng(1)
    while (stage := together.stage()) is not None:
        keys = rng.normal(size=(3, stage.heats.shape[1], 1, k)) + stage.heats[:, :, None] / n
        shares = (keys == keys.max(axis=-1, keepdims=True)).astype(float)
        for run, game in enumerate(alone):
            single = game.stage()
            assert single is not None
            assert np.array_equal(single.heats[0], stage.heats[run])
            game.hear(Kind.WINNER, shares[run : run + 1], None)
        together.hear(Kind.WINNER, shares, None)


def test_strengths_are_looked_at_in_long_runs_too() -> None:
    """As long as there are not too many different sets: what counts is how many there are, not how often."""
    machine, draw = heats.Adaptive(12, 2, 100_000, batches=6, seed=1), random.Random(0)
    while not machine.done:
        for query in machine.ask(100_000):
            machine.tell(query, heats.Winner(max(query.arms, key=lambda arm: arm / 3 - math.log(draw.expovariate(1)))))
        if machine.round > 3:
            assert machine.game.outlook.lasts.all()
            assert machine.game.outlook.sharpness.sum() > 0.3 * machine.spent * 2 / 4


def test_new_arms_of_which_little_is_known_bring_company_back() -> None:
    """Strengths that were found before they came say nothing of them."""
    machine = heats.Adaptive(6, 2, 60, batches=4, seed=2)
    while not machine.done:
        query = machine.ask()
        assert query is not None
        machine.tell(query, heats.Winner(max(query.arms)))
    assert machine.game.outlook.lasts.all()
    machine.extend(40, arms=40)
    for query in machine.ask(20):
        machine.tell(query, heats.Winner(max(query.arms)))
    assert not machine.game.outlook.lasts.any()


def test_a_world_of_one_set_is_told_alike_in_every_unit() -> None:
    """Both models are the same there, and rounding must not choose between them."""
    for seed in range(40):
        machines = [heats.Adaptive(5, 5, 30, seed=seed) for _ in range(3)]
        draw = random.Random(seed)
        for _ in range(30):
            rewards = [draw.gauss(arm / 5, 1) for arm in range(5)]
            for machine, unit in zip(machines, (1.0, 3.0, 0.7), strict=True):
                query = machine.ask()
                assert query is not None
                machine.tell(query, [rewards[arm] * unit for arm in query.arms])
        assert not any(machine.game.verdict.lasts.any() for machine in machines)
