"""Tuning with a fixed number of fits: parameters of a scikit-learn estimator, compared a few at a time on one split.

All candidates of a comparison are fitted to the same part of the data and scored on the same rest, so what makes a
split easy or hard is the same for all of them. Fits go to the candidates that look best, where a search over a grid
gives as many to the hopeless ones.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from heats.base.arrays import AnyArray, Array, Indices
from heats.base.checks import whole
from heats.base.extras import explain_missing
from heats.base.randomness import Purpose, draw_bits, draw_in_turn
from heats.engine.machine import Query
from heats.errors import ComparisonFailed, InvalidArgument
from heats.journal import JournalFile
from heats.running.find_best import find_best
from heats.running.found import Found

try:
    from sklearn.base import clone, is_classifier
    from sklearn.metrics import check_scoring
    from sklearn.model_selection import (
        KFold,
        ParameterGrid,
        ParameterSampler,
        StratifiedKFold,
        check_cv,
        cross_validate,
    )
    from sklearn.model_selection._search import BaseSearchCV
    from sklearn.utils import check_random_state, indexable
except ImportError as error:
    raise ImportError(explain_missing("heats.sklearn needs scikit-learn", "sklearn", error)) from error

__all__ = ["HeatsSearchCV"]

HEAT_SIZE = 8  # if nobody says another: pairs do worse, heats of four as well as far as was measured
FITS_EACH = 4  # for a candidate, if nobody says how many there are

Split = tuple[Indices, Indices]  # rows to fit to, rows to score on


class HeatsSearchCV(BaseSearchCV):  # type: ignore[misc]  # it has no types
    """Find the best parameters of an estimator with at most ``n_fits`` fits, and one more to all data.

    It is used as the searches of scikit-learn are: in pipelines, with ``predict`` and ``score`` of the best estimator,
    ``best_params_``, ``best_score_``, ``best_index_`` and ``cv_results_``. ``found_`` is what ``heats.find_best``
    returns: how sure it is, standings, tables, and a page by ``found_.to_html()``.

    Parameters
    ----------
    estimator
        What is tuned.
    param_distributions
        A dict from names of parameters to lists or distributions of ``scipy.stats``, or a list of such dicts.
    n_fits
        How many fits may be made: ``n_fits // heat_size`` comparisons of ``heat_size`` candidates.
    n_candidates
        How many candidates are drawn from ``param_distributions``. Left out: one for every four fits. Of lists only,
        all combinations are taken if they are no more.
    heat_size
        How many candidates are compared on the same split; 8, or all if fewer.
    batches, sure
        As for ``heats.find_best``: in how many batches it is decided whom to compare next, and the chance to be the
        best at which it is enough.
    scoring
        A name or a callable, as for scikit-learn, or None for the estimator's own; only one.
    cv
        A number of folds (default 5): the data are shuffled anew whenever each fold was the one to score on, so no two
        comparisons see the same split. Or a splitter, or a list of splits, which are taken in a random order, again and
        again; then let there be many, as of ``RepeatedStratifiedKFold``, for a split seen again tells nothing new.
    refit
        Whether to fit the best parameters to all data.
    n_jobs
        How many comparisons are made at a time, in processes of their own; -1: as many as there are cores.
    random_state
        Equal numbers give equal searches.
    error_score
        What a fit that fails is worth, on the scale of the scores; ``"raise"`` stops the search.
    journal
        A file that keeps the search: the same call goes on where it stopped, and with more fits it goes further.
    verbose
        Above 0 shows a live bar on a terminal or in a notebook.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> space = {"C": loguniform(0.01, 1000), "gamma": loguniform(1e-4, 10)}
    >>> search = HeatsSearchCV(SVC(), space, n_fits=120).fit(X, y)
    >>> search.best_score_ > 0.9
    True
    """

    def __init__(
        self,
        estimator: Any,
        param_distributions: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        n_fits: int = 200,
        n_candidates: int | None = None,
        heat_size: int | None = None,
        batches: int | None = None,
        sure: float | None = None,
        scoring: Any = None,
        cv: Any = None,
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: Any = 0,
        error_score: float | str = "raise",
        journal: str | os.PathLike[str] | JournalFile | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            error_score=error_score,
            return_train_score=False,
        )
        self.param_distributions = param_distributions
        self.n_fits = n_fits
        self.n_candidates = n_candidates
        self.heat_size = heat_size
        self.batches = batches
        self.sure = sure
        self.random_state = random_state
        self.journal = journal

    def fit(self, X: Any, y: Any = None, *, groups: Any = None, **params: Any) -> HeatsSearchCV:
        """Search, and fit the best parameters to all data.

        ``groups`` goes to a splitter that is given as ``cv``; all else, as ``sample_weight``, to the estimator's fit.
        """
        X, y = indexable(X, y)
        self.scorer_, self.multimetric_ = _check_one_score(self.estimator, self.scoring), False
        error_score = _check_error_score(self.error_score)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        fits = whole("n_fits", self.n_fits, 1)
        candidates = self._draw_candidates(fits, seed)
        size = min(HEAT_SIZE, len(candidates)) if self.heat_size is None else self.heat_size
        if fits < whole("heat_size", size, 2):
            raise InvalidArgument(f"{{n_fits}} is less than one comparison of {size} candidates.", n_fits=fits)
        splits = _choose_splits(self.cv, X, y, groups, is_classifier(self.estimator), seed)
        try:
            self.found_ = find_best(
                candidates,
                _Comparison(self.estimator, X, y, self.scorer_, splits, params, error_score),
                budget=fits // size,
                heat_size=size,
                batches=self.batches,
                sure=self.sure,
                feedback="reward",
                seed=seed,
                executor=_open_executor(self.n_jobs),
                journal=self.journal,
                progress=self.verbose > 0,
            )
        except ComparisonFailed as failed:
            raise _find_error(failed) from failed
        self.cv_results_ = _tabulate(self.found_)
        self.best_index_ = int(self.cv_results_["rank_test_score"].argmin())
        self.best_params_ = candidates[self.best_index_]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        if self.refit:
            self._refit(X, y, params)
        return self

    def _draw_candidates(self, fits: int, seed: int) -> list[dict[str, Any]]:
        """Return the parameters that are compared."""
        spaces = self.param_distributions
        wanted = max(2, fits // FITS_EACH) if self.n_candidates is None else self.n_candidates
        whole("n_candidates", wanted, 2, why="one candidate needs no comparison")
        each = [spaces] if isinstance(spaces, Mapping) else list(spaces)
        if not any(hasattr(value, "rvs") for space in each for value in space.values()):
            grid = ParameterGrid(each)
            if len(grid) <= wanted:
                return list(grid)
        return list(ParameterSampler(each, wanted, random_state=seed))

    def _refit(self, X: Any, y: Any, params: Mapping[str, Any]) -> None:
        self.best_estimator_ = _set_up(self.estimator, self.best_params_)
        start = time.perf_counter()
        if y is None:
            self.best_estimator_.fit(X, **params)
        else:
            self.best_estimator_.fit(X, y, **params)
        self.refit_time_ = time.perf_counter() - start
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_


@dataclass(frozen=True)
class _Comparison:
    """Fits candidates to the same part of the data; can travel to another process."""

    estimator: Any
    X: Any
    y: Any
    scorer: Any
    splits: _FreshFolds | _GivenSplits
    params: Mapping[str, Any]
    error_score: float | None  # None: a fit that fails stops the search

    def __call__(self, candidates: Sequence[Mapping[str, Any]], query: Query) -> list[float]:
        split = self.splits.choose(query.id)
        return [self._score(_set_up(self.estimator, each), split) for each in candidates]

    def _score(self, estimator: Any, split: Split) -> float:
        options = {"cv": [split], "scoring": self.scorer, "params": dict(self.params), "error_score": "raise"}
        try:
            score = float(cross_validate(estimator, self.X, self.y, **options)["test_score"][0])
        except Exception:  # whatever somebody's estimator raises
            if self.error_score is None:
                raise
            return self.error_score
        return score if self.error_score is None or np.isfinite(score) else self.error_score


@dataclass(frozen=True)
class _FreshFolds:
    """Folds that are shuffled anew whenever each of them was scored on."""

    folds: KFold | StratifiedKFold
    targets: Any
    seed: int

    def choose(self, pull: int) -> Split:
        """Return the split of a pull."""
        shuffle, fold = divmod(pull, self.folds.n_splits)
        state = int(draw_bits(np.uint64(self.seed), Purpose.ROW, shuffle) >> np.uint64(32))
        shuffled = type(self.folds)(self.folds.n_splits, shuffle=True, random_state=state)
        split: Split = list(shuffled.split(self.targets, self.targets))[fold]
        return split


@dataclass(frozen=True)
class _GivenSplits:
    """Splits that somebody made, in a random order, then in another one."""

    splits: list[Split]
    seed: int

    def choose(self, pull: int) -> Split:
        """Return the split of a pull."""
        return self.splits[draw_in_turn(self.seed, Purpose.ROW, pull, len(self.splits))]


def _choose_splits(cv: Any, X: Any, y: Any, groups: Any, classifies: bool, seed: int) -> _FreshFolds | _GivenSplits:
    checked = check_cv(5 if cv is None else cv, y, classifier=classifies)
    if cv is not None and not isinstance(cv, (int, np.integer)):
        return _GivenSplits(list(checked.split(X, y, groups)), seed)
    if groups is not None:
        raise InvalidArgument("{cv} folds know no groups; give a splitter that does, as cv=GroupKFold(5).", cv=cv or 5)
    targets = np.zeros(X.shape[0] if hasattr(X, "shape") else len(X)) if y is None else y
    return _FreshFolds(checked, targets, seed)


def _set_up(estimator: Any, parameters: Mapping[str, Any]) -> Any:
    """Return a fresh estimator with these parameters."""
    return clone(estimator).set_params(**{name: clone(value, safe=False) for name, value in parameters.items()})


def _check_one_score(estimator: Any, scoring: Any) -> Any:
    if scoring is not None and not isinstance(scoring, str) and not callable(scoring):
        raise InvalidArgument("{scoring} must be one score, by its name or as a callable.", scoring=scoring)
    return check_scoring(estimator, scoring)


def _check_error_score(error_score: Any) -> float | None:
    if error_score == "raise":
        return None
    if isinstance(error_score, (int, float)) and np.isfinite(error_score):
        return float(error_score)
    raise InvalidArgument(
        "{error_score} must be 'raise', or a number: what a fit that fails is worth, as 0.0 where scores are "
        "accuracies.",
        error_score=error_score,
    )


def _find_error(failed: ComparisonFailed) -> BaseException:
    """Return what a fit raised, as those who know scikit-learn expect it; heats' own words are a note."""
    error = failed.__cause__ or failed
    error.add_note(str(failed))
    return error


def _open_executor(n_jobs: int | None) -> Any:
    """Return processes to make comparisons in; None for this one."""
    from joblib import effective_n_jobs
    from joblib.externals.loky import get_reusable_executor

    jobs = effective_n_jobs(n_jobs)
    return None if jobs == 1 else get_reusable_executor(jobs)


def _tabulate(found: Found) -> dict[str, Any]:
    """Return a row per candidate, as ``cv_results_`` of scikit-learn has them, with chances and strengths."""
    n_arms = len(found.candidates)
    told = found.played.evidence()
    arms = np.concatenate([each.arms.ravel() for each in told])
    scores = np.concatenate([each.observations.ravel() for each in told])
    fits = np.bincount(arms, minlength=n_arms)
    with np.errstate(invalid="ignore"):
        means = np.bincount(arms, scores, n_arms) / fits
        spread: Array = np.sqrt(np.bincount(arms, (scores - means[arms]) ** 2, n_arms) / fits)
    rows = sorted(found.standings.rows, key=lambda row: (row.arm != found.played.winner, row.place))
    ranks = np.empty(n_arms, dtype=np.int64)
    ranks[[row.arm for row in rows]] = np.arange(1, n_arms + 1)
    by_arm = sorted(rows, key=lambda row: row.arm)
    names = dict.fromkeys(name for parameters in found.candidates for name in parameters)
    return {
        **{f"param_{name}": _gather(found.candidates, name) for name in names},
        "params": list(found.candidates),
        "mean_test_score": means,
        "std_test_score": spread,
        "n_fits": fits,
        "rank_test_score": ranks,
        **{
            name: np.array([np.nan if (value := getattr(row, name)) is None else value for row in by_arm])
            for name in ("chance", "strength", "low", "high")
        },
    }


def _gather(candidates: Sequence[Mapping[str, Any]], name: str) -> AnyArray:
    """Return the values of a parameter; masked where a candidate has none."""
    values = np.empty(len(candidates), dtype=object)
    values[:] = [parameters.get(name) for parameters in candidates]
    gathered: AnyArray = np.ma.MaskedArray(values, [name not in parameters for parameters in candidates])
    return gathered
