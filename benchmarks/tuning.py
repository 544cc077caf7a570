"""Tuning: how far what was found is behind the best candidate, beside a random search with as many fits.

Every candidate is fitted to every split first; then hundreds of searches are played on that table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import loguniform, randint, uniform
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import KFold, ParameterSampler, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import heats
from benchmarks.measure import Row
from heats.base.arrays import Array
from heats.environments import ScoreTable
from heats.environments.protocol import play
from heats.sklearn import FITS_EACH, HEAT_SIZE

CANDIDATES, FOLDS, SHUFFLES, SEARCHES = 150, 5, 12, 150
FITS = (100, 200, 400)


class Problem(NamedTuple):
    """What is tuned, in which space, on which data."""

    name: str
    estimator: Any
    space: dict[str, Any]
    data: tuple[Any, Any]
    folds: type


def rows() -> Iterator[Row]:
    """Measure everything."""
    for problem in list_problems():
        table = fit_all(problem)
        for fits in FITS:
            ours, theirs = (
                np.array([find_regret(search, table, fits, number) for number in range(SEARCHES)])
                for search in (search_by_heats, search_at_random)
            )
            ratio = ours.mean() / theirs.mean()
            error = ratio * np.hypot(*(each.std() / each.mean() / SEARCHES**0.5 for each in (ours, theirs)))
            what = f"regret of HeatsSearchCV over a random search with {FOLDS} folds, {fits} fits, {problem.name}"
            yield Row(f"{what} ({ours.mean():.5f} over {theirs.mean():.5f})", f"{ratio:.2f} ± {error:.2f}", "")


def list_problems() -> Iterator[Problem]:
    """Yield problems; heat size and fits for a candidate were chosen on the first three, and not on the last two."""
    digits, cancer, diabetes = (load(return_X_y=True) for load in (load_digits, load_breast_cancer, load_diabetes))
    space = {"C": loguniform(1e-2, 1e3), "gamma": loguniform(1e-5, 1e0)}
    yield Problem("SVC on 500 digits", SVC(), space, (digits[0][:500], digits[1][:500]), StratifiedKFold)
    scaled = make_pipeline(StandardScaler(), SVC())
    steps = {f"svc__{name}": values for name, values in space.items()}
    yield Problem("SVC on breast cancer", scaled, steps, cancer, StratifiedKFold)
    ridge = {"alpha": loguniform(1e-4, 1e1), "gamma": loguniform(1e-2, 1e2)}
    yield Problem("kernel ridge on diabetes", KernelRidge(kernel="rbf"), ridge, diabetes, KFold)
    yield Problem("SVC on wine", scaled, steps, load_wine(return_X_y=True), StratifiedKFold)
    branches = {"max_depth": randint(2, 20), "min_samples_leaf": randint(1, 20), "max_features": uniform(0.05, 0.95)}
    tree = DecisionTreeClassifier(random_state=0)
    yield Problem("tree on 500 digits", tree, branches, (digits[0][:500], digits[1][:500]), StratifiedKFold)


def fit_all(problem: Problem) -> Array:
    """Return the scores of all splits, fold by fold and shuffle by shuffle, × candidates."""
    candidates = list(ParameterSampler(problem.space, CANDIDATES, random_state=1))
    splitters = [problem.folds(FOLDS, shuffle=True, random_state=number) for number in range(SHUFFLES)]
    scores = Parallel(n_jobs=-1)(
        delayed(cross_val_score)(clone(problem.estimator).set_params(**each), *problem.data, cv=splitter)
        for splitter in splitters
        for each in candidates
    )
    table: Array = np.array(scores).reshape(SHUFFLES, CANDIDATES, FOLDS).swapaxes(1, 2).reshape(-1, CANDIDATES)
    return table


def find_regret(search: Any, table: Array, fits: int, number: int) -> float:
    """Return by how much the mean score of what a search finds is behind the best one's."""
    rng = np.random.default_rng([number, fits])
    means = table.mean(axis=0)
    return float(means.max() - means[search(table, fits, rng)])


def search_at_random(table: Array, fits: int, rng: np.random.Generator) -> int:
    """Give every candidate that there are fits for the folds of one shuffle."""
    some = rng.permutation(CANDIDATES)[: fits // FOLDS]
    shuffle = rng.integers(SHUFFLES) * FOLDS
    return int(some[table[shuffle : shuffle + FOLDS, some].mean(axis=0).argmax()])


def search_by_heats(table: Array, fits: int, rng: np.random.Generator) -> int:
    """Compare candidates on one split at a time, as HeatsSearchCV does."""
    some = rng.permutation(CANDIDATES)[: fits // FITS_EACH]
    machine = heats.Adaptive(some.size, HEAT_SIZE, fits // HEAT_SIZE, seed=int(rng.integers(2**31)))
    winner = play(machine, ScoreTable(table[:, some])).winner
    assert winner is not None
    return int(some[winner])


if __name__ == "__main__":
    for row in rows():
        print(row.measured, row.what)
