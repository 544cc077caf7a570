"""SAPS: its bookkeeping against count_progress anew, its distribution against a slow second one, and all special formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from heats.errors import InvalidArgument
from heats.sat import kernel, saps, swgcp
from heats.sat.formula import Cnf
from heats.sat.parameters import Parameters
from heats.sat.saps import Saps, solve
from tests.sat import slow_saps

SMALL = [swgcp.make_instance(index, 5, swgcp.Family(20, 24, 4, 3, 2)).cnf for index in range(3)]
CASES = {
    "AClib's default": (1.189, 0.5, 0.1, 0.03),
    "the default of 2002": (1.3, 0.8, 0.05, 0.01),
    "smoothed always, to the mean": (1.4, 0.0, 1.0, 0.0),
    "hardly scaled": (1.01, 0.0, 0.2, 0.06),
    "never smoothed": (1.4, 1.0, 0.5, 0.0),
    "scaled by much, walking often": (3.0, 0.2, 0.5, 0.3),
}


def formulas() -> st.SearchStrategy[Cnf]:
    """Random formulas; most have a model, some none, some an empty clause."""
    literals = st.integers(1, 8).flatmap(lambda v: st.sampled_from([v, -v]))
    clause = st.lists(literals, min_size=1, max_size=4)
    return st.lists(clause, max_size=30).map(lambda clauses: Cnf(8, clauses))


def parameters() -> st.SearchStrategy[tuple[float, float, float, float]]:
    unit = st.floats(0, 1)
    return st.tuples(st.floats(1, 5), unit, unit, unit)


@given(formulas(), parameters(), st.sampled_from(["additive", "convex"]), st.lists(st.integers(0, 300), max_size=4))
def test_the_books_are_right(
    cnf: Cnf, chosen: tuple[float, float, float, float], smoothing: saps.Smoothing, parts: list[int]
) -> None:
    """Counts, lists and scores are what count_progress from the assignment and the weights gives, wherever a run stops."""
    run = Saps(cnf, *chosen, seed=len(parts), smoothing=smoothing)
    for steps in parts:
        run.run(steps)
        check_books(cnf, run._state)


def check_books(cnf: Cnf, state: kernel.State) -> None:
    n, m = cnf.n_variables, len(cnf.clauses)
    values = [bool(value) for value in state.truth[: 2 * n : 2]]
    assert [not value for value in state.truth[1 : 2 * n : 2]] == values
    weights = np.array(state.weights[:m])
    true = [[abs(x) - 1 for x in clause if values[abs(x) - 1] == (x > 0)] for clause in cnf.clauses]
    makes, breaks, scores = [0] * n, [0] * n, np.zeros(n)
    for c, clause in enumerate(cnf.clauses):
        if not true[c]:
            for x in clause:
                makes[abs(x) - 1] += 1
                scores[abs(x) - 1] -= weights[c]
        if len(true[c]) == 1:
            breaks[true[c][0]] += 1
            scores[true[c][0]] += weights[c]
    variables, counts = state.variables[:n], state.counts[:m]
    assert [each.makes for each in variables] == makes
    assert [each.breaks for each in variables] == breaks
    found_scores = [each.score for each in variables]
    assert np.allclose(found_scores, scores, rtol=1e-9, atol=1e-9 * max(1.0, weights.max(initial=0)))
    for clause, count, found in zip(cnf.clauses, counts, true, strict=True):
        if len(clause) != 2:  # of two literals, the truth of the other one is looked at instead
            assert count.true_literals == len(found)
            assert len(found) != 1 or count.keeper == found[0]
    unsatisfied = state.unsatisfied[: state.n_unsatisfied]
    opened = state.open[: state.n_open]
    assert sorted(unsatisfied) == [c for c, found in enumerate(true) if not found]
    assert sorted(opened) == np.flatnonzero(makes).tolist()
    assert all(unsatisfied[state.places[c]] == c for c in unsatisfied)
    assert all(opened[variables[v].place] == v for v in opened)
    assert np.isclose(state.total, weights.sum())
    assert (weights > 0).all()


def test_the_books_stay_right_on_a_long_run() -> None:
    """With weights divided many times, on a formula without a model."""
    cnf = Cnf(9, [[a, b] for i in range(3) for a, b in ((3 * i + 1, 3 * i + 2), (-3 * i - 1, -3 * i - 2))] + [[1], [2]])
    run = Saps(cnf, 1.4, 0.5, 0.05, 0.01)
    for _ in range(50):
        assert not run.run(997).solved
        check_books(cnf, run._state)


@pytest.mark.parametrize("smoothing", ["additive", "convex"])
@pytest.mark.parametrize("case", CASES)
def test_it_is_the_algorithm(case: str, smoothing: saps.Smoothing) -> None:
    """Steps and shares of null steps are distributed as those of the slow one (Kolmogorov-Smirnov)."""
    chosen, cutoff = CASES[case], 200
    slow = [slow_saps.solve(cnf, *chosen, seed, cutoff, smoothing) for cnf in SMALL for seed in range(30)]
    fast = [solve(cnf, *chosen, seed, cutoff, smoothing) for cnf in SMALL for seed in range(500)]
    for ours, theirs in (
        ([r.steps for r in fast], [r.steps for r in slow]),
        ([r.null_steps / max(r.steps, 1) for r in fast], [r.null_steps / max(r.steps, 1) for r in slow]),
    ):
        assert stats.ks_2samp(ours, theirs).pvalue > 0.002
    solved = sum(r.solved for r in slow), sum(r.solved for r in fast)
    assert stats.fisher_exact([[solved[0], 90 - solved[0]], [solved[1], 1500 - solved[1]]]).pvalue > 0.002


def test_both_ways_never_to_smooth_agree() -> None:
    """With rho = 1 and ps = 0: the same distribution of steps; smoothing does change it."""
    runs = {
        name: [solve(cnf, 1.3, rho, ps, 0.01, seed, 5000).steps for cnf in SMALL for seed in range(400)]
        for name, rho, ps in (("rho", 1.0, 0.5), ("ps", 0.0, 0.0), ("smoothed", 0.2, 0.5))
    }
    assert stats.ks_2samp(runs["rho"], runs["ps"]).pvalue > 0.01
    assert stats.ks_2samp(runs["rho"], runs["smoothed"]).pvalue < 1e-6


def test_additive_smoothing_is_convex_smoothing_with_another_rho() -> None:
    """additive(rho) acts like convex(1/(2 − rho)): only ratios of weights matter, but for the bounds."""
    additive = [solve(cnf, 1.3, 0.5, 0.3, 0.01, seed, 5000).steps for cnf in SMALL for seed in range(400)]
    convex = [solve(cnf, 1.3, 1 / 1.5, 0.3, 0.01, seed, 5000, "convex").steps for cnf in SMALL for seed in range(400)]
    same_rho = [solve(cnf, 1.3, 0.5, 0.3, 0.01, seed, 5000, "convex").steps for cnf in SMALL for seed in range(400)]
    assert stats.ks_2samp(additive, convex).pvalue > 0.01
    assert stats.ks_2samp(additive, same_rho).pvalue < 0.01


def test_seeds_reproduce_and_runs_go_on() -> None:
    """The same seed, the same run, in one go or in pieces; another seed, another run."""
    cnf = swgcp.make_instance(3, 1).cnf
    whole = solve(cnf, seed=7, cutoff_steps=50_000)
    run = Saps(cnf, seed=7)
    for steps in (0, 1, 10, 999, 1000, 48_000):
        part = run.run(steps)
        assert part.steps == part.flips + part.null_steps
    assert (part.steps, part.flips, part.solved) == (whole.steps, whole.flips, whole.solved)
    assert part.assignment.tolist() == whole.assignment.tolist()
    assert run.run(10**6).steps == run.run(10**6).steps  # solved runs stay as they are
    assert len({solve(cnf, seed=seed, cutoff_steps=500).flips for seed in range(5)}) == 5


def test_golden_steps() -> None:
    """Fixed seeds on the first small instance and on a usual one: the same on every machine."""
    assert [solve(SMALL[0], seed=seed, cutoff_steps=10**5).steps for seed in range(6)] == [
        16559,
        7668,
        12390,
        316,
        261,
        30,
    ]
    found = [solve(swgcp.make_instance(0, 1).cnf, seed=seed, cutoff_steps=10**5) for seed in range(3)]
    assert [(each.steps, each.null_steps) for each in found] == [(100000, 38021), (100000, 37623), (6493, 1462)]


@given(formulas(), st.integers(0, 100))
@settings(max_examples=50)
def test_models_are_models(cnf: Cnf, seed: int) -> None:
    """And a formula with a model is solved, found by brute force over 8 variables."""
    found = solve(cnf, seed=seed, cutoff_steps=20_000)
    every = (np.arange(256)[:, None] >> np.arange(8)) & 1
    assert found.solved == any(cnf.is_model(values) for values in every)
    assert cnf.is_model(found.assignment) == found.solved


@pytest.mark.parametrize(
    ("cnf", "solved", "most"),
    [
        (Cnf(0, []), True, 0),
        (Cnf(3, []), True, 0),
        (Cnf(3, [[]]), False, 0),
        (Cnf(0, [[]]), False, 0),
        (Cnf(2, [[1], [-2]]), True, 2),
        (Cnf(1, [[1, -1], [-1, 1]]), True, 0),
        (Cnf(2, [[1, 1, 1], [-2, -2]]), True, 2),
        (Cnf(1, [[1], [-1]]), False, 500),
    ],
)
def test_trivial_and_unsatisfiable_formulas(cnf: Cnf, solved: bool, most: int) -> None:
    """Solved at once, after a flip per variable, or never."""
    for seed in range(10):
        found = solve(cnf, seed=seed, cutoff_steps=500)
        assert found.solved == solved
        assert found.steps <= most
        assert found.assignment.shape == (cnf.n_variables,)
    assert solved or found.steps == most


def test_random_walks_visit_all_variables() -> None:
    """Those that stand in no clause as well: with wp = 1 a contradiction is walked away from for ever."""
    run = Saps(Cnf(4, [[1], [-1]]), wp=1.0, seed=2)
    seen = {tuple(run.run(1).assignment.tolist()) for _ in range(400)}
    assert len(seen) == 16
    assert run.run(0).null_steps == 0


def test_parameters_are_drawn_from_their_ranges() -> None:
    """That is, alpha log-uniformly from [1.01, 1.4], the others uniformly."""
    drawn = np.array([Parameters.sample(1, index) for index in range(2000)])
    units = (np.log(drawn[:, 0] / 1.01) / np.log(1.4 / 1.01), drawn[:, 1], drawn[:, 2] / 0.2, drawn[:, 3] / 0.06)
    for unit in units:
        assert stats.kstest(unit, "uniform").pvalue > 0.01
    assert np.abs(np.corrcoef(units) - np.eye(4)).max() < 0.08
    assert Parameters.sample(1, 3) == Parameters.sample(1, 3) != Parameters.sample(2, 3)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"alpha": 0.9}, "alpha=0.9 must be a number in"),
        ({"rho": 1.5}, "rho=1.5"),
        ({"ps": float("nan")}, "ps=nan"),
        ({"wp": -0.1}, "wp=-0.1"),
        ({"cutoff_steps": -1}, "cutoff_steps=-1"),
        ({"seed": -1}, "seed=-1"),
        ({"smoothing": "none"}, "smoothing='none' is unknown; choose one of additive, convex"),
    ],
)
def test_wrong_arguments_are_refused(wrong: dict[str, object], sentence: str) -> None:
    """With the value and what it may be."""
    with pytest.raises(InvalidArgument, match=sentence):
        solve(Cnf(1, [[1]]), **wrong)
