"""Tuning with a fixed number of fits: parameters of a scikit-learn estimator, compared a few at a time on one split.

All candidates of a comparison are fitted to the same part of the data and scored on the same rest, so what makes a
split easy or hard is the same for all of them. Fits go to the candidates that look best, where a search over a grid
gives as many to the hopeless ones.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from heats.base.arrays import AnyArray, Array, Indices
from heats.base.checks import whole
from heats.base.extras import explain_missing
from heats.base.randomness import Purpose, draw_bits, draw_in_turn
from heats.engine.machine import Query
from heats.errors import ComparisonFailed, InvalidArgument, show_value
from heats.journal import JournalFile
from heats.journal.digest import digest, take_digests
from heats.journal.events import Header, Told
from heats.journal.reader import Log, read_header
from heats.running.batches import drive_in_batches
from heats.running.calls import Answer, Job, make_pull
from heats.running.candidates import name_candidates
from heats.running.found import Found
from heats.running.outcomes import Noted
from heats.running.preparing import prepare_search

try:
    from sklearn.base import clone, is_classifier
    from sklearn.metrics import check_scoring
    from sklearn.model_selection import (
        KFold,
        ParameterGrid,
        ParameterSampler,
        StratifiedKFold,
        check_cv,
    )
    from sklearn.model_selection._search import BaseSearchCV
    from sklearn.utils import check_random_state, indexable
    from sklearn.utils.metaestimators import _safe_split
    from sklearn.utils.parallel import Parallel, delayed
    from sklearn.utils.validation import _check_method_params
except ImportError as error:
    raise ImportError(explain_missing("heats.sklearn needs scikit-learn", "sklearn", error)) from error

__all__ = ["HeatsSearchCV"]

HEAT_SIZE = 8  # if nobody says another: pairs do worse, heats of four as well as far as was measured
ERROR_SCORE = "error_score"  # its name among the fingerprints of a journal, and in the notes of failed fits
FITS_EACH = 4  # for a candidate, if nobody says how many there are

Split = tuple[Indices, Indices]  # rows to fit to, rows to score on


class HeatsSearchCV(BaseSearchCV):  # type: ignore[misc]  # it has no types
    """Find the best parameters of an estimator with at most ``n_fits`` fits, and one more to all data.

    It is used as the searches of scikit-learn are: in pipelines, with ``predict`` and ``score`` of the best estimator,
    ``best_params_``, ``best_score_``, ``best_index_`` and ``cv_results_``. ``found_`` is what ``heats.find_best``
    returns: how sure it is, standings, tables, and a page by ``found_.to_html()``. An only candidate is scored on every
    split once; then ``found_`` is None.

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
        Whether to fit the best parameters to all data; or a function that gets ``cv_results_`` and returns the row to
        fit, and then there is no ``best_score_``.
    n_jobs
        How many comparisons are made at a time, by joblib: in processes, unless ``joblib.parallel_config`` says
        otherwise; -1: as many as there are cores.
    random_state
        Equal numbers give equal searches.
    error_score
        What a fit that fails is worth, on the scale of the scores; ``"raise"`` stops the search.
    journal
        A file that keeps this search: the same call goes on where it stopped, and with more fits it goes further.
        Other data, another estimator, scoring or splits are refused.
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

    found_: Any  # Found; None where there was but one candidate

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

        ``groups`` goes to a splitter that is given as ``cv``, all else, as ``sample_weight``, where the searches of
        scikit-learn send it: to the estimator's fit, and to scores that take it, or by its metadata routing.
        """
        X, y = indexable(X, y)
        self.scorer_, self.multimetric_ = _check_one_score(self.estimator, self.scoring), False
        _check_refit(self.refit, self.scoring)
        error_score = _check_error_score(self.error_score)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        fits = whole("n_fits", self.n_fits, 1)
        candidates = self._draw_candidates(fits, seed)
        given = _check_method_params(X, params if groups is None else {**params, "groups": groups})
        routed = self._get_routed_params_for_fit(given)
        splits = _choose_splits(self.cv, X, y, routed.splitter.split, is_classifier(self.estimator), seed)
        task = _Fits(
            candidates=candidates,
            names=name_candidates(None, tuple(candidates)),
            estimator=self.estimator,
            X=X,
            y=y,
            scorer=self.scorer_,
            splits=splits,
            fit_params=routed.estimator.fit,
            score_params=routed.scorer.score,
            error_score=error_score,
        )
        self.found_ = None if len(candidates) == 1 else self._search(task, given, fits, seed)
        if self.found_ is None:
            self.cv_results_ = _tabulate_one(candidates[0], self._score_one(task, fits))
        else:
            self.cv_results_ = _tabulate(self.found_)
        self.best_index_ = int(self._select_best_index(self.refit, "score", self.cv_results_))
        self.best_params_ = candidates[self.best_index_]
        if not callable(self.refit):
            self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        if self.refit:
            self._refit(X, y, routed.estimator.fit)
        return self

    def set_callbacks(self, *callbacks: Any) -> HeatsSearchCV:
        """Refuse callbacks of scikit-learn, which this search would never call."""
        if callbacks:
            raise InvalidArgument("HeatsSearchCV calls no callbacks; verbose=1 shows a live bar.")
        return self

    def _draw_candidates(self, fits: int, seed: int) -> list[dict[str, Any]]:
        """Return the parameters that are compared; those of fewer are the first of those of more."""
        spaces = self.param_distributions
        wanted = max(2, fits // FITS_EACH) if self.n_candidates is None else whole("n_candidates", self.n_candidates, 1)
        each = [spaces] if isinstance(spaces, Mapping) else list(spaces)
        if any(hasattr(value, "rvs") for space in each for value in space.values()):
            return list(ParameterSampler(each, wanted, random_state=seed))
        grid = ParameterGrid(each)
        draw, places = random.Random(seed), dict[int, None]()
        while len(places) < min(wanted, len(grid)):
            places[draw.randrange(len(grid))] = None
        return [grid[place] for place in places]

    def _search(self, task: _Fits, given: Mapping[str, Any], fits: int, seed: int) -> Found:
        """Compare the candidates; what was not said is as in a search that its journal holds."""
        journal = self.journal
        file = journal if journal is None or isinstance(journal, JournalFile) else JournalFile(journal)
        begun = None if file is None else read_header(file.path)
        size = getattr(begun and begun.machine, "heat_size", None) if self.heat_size is None else self.heat_size
        size = min(HEAT_SIZE, len(task.candidates)) if size is None else size
        if fits < whole("heat_size", size, 2):
            raise InvalidArgument(f"{{n_fits}} is less than one comparison of {size} candidates.", n_fits=fits)
        try:
            with (
                prepare_search(
                    task.candidates,
                    task,
                    seed=seed,
                    budget=fits // size,
                    heat_size=size,
                    batches=self.batches,
                    sure=self.sure,
                    feedback="reward",
                    journal=None if file is None else _mark_journal(file, begun, self._list_causes(task, given)),
                    known=None if file is None else take_digests(task.candidates, task.names),
                    progress=self.verbose > 0,
                ) as prepared,
                self._make_parallel() as parallel,
            ):
                drive_in_batches(prepared, lambda jobs: _make_all(parallel, jobs))
        except ComparisonFailed as failed:
            raise _find_error(failed) from failed
        return prepared.found

    def _score_one(self, task: _Fits, fits: int) -> list[float]:
        """Return the scores of the only candidate, on every split once if there are enough fits."""
        jobs = [task.lay_out((0,), number) for number in range(min(fits, task.splits.count))]
        with self._make_parallel() as parallel:
            answers = {number: answer for number, _, answer in _make_all(parallel, jobs)}
        for answer in answers.values():
            if answer.error is not None:
                raise answer.error
        values = [answers[number].value for number in range(len(jobs))]
        return [(value.feedback if isinstance(value, Noted) else value)[0] for value in values]

    def _make_parallel(self) -> Any:
        """Return what makes many calls at once, by the backend of joblib that is chosen."""
        try:
            return Parallel(self.n_jobs, return_as="generator_unordered")
        except ValueError:  # a backend that tells nothing before all is over, as that of Ray
            return Parallel(self.n_jobs)

    def _list_causes(self, task: _Fits, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all that scores depend on, besides the candidates and the seed, by name."""
        causes = {"X": task.X, "y": task.y} | {name: value for name, value in given.items() if value is not None}
        causes |= {"estimator": self.estimator, "scoring": self.scoring, "splits": task.splits.known_by}
        return causes if task.error_score is None else causes | {ERROR_SCORE: task.error_score}

    def _refit(self, X: Any, y: Any, params: Mapping[str, Any]) -> None:
        self.best_estimator_ = _set_up(self.estimator, self.best_params_)
        start = time.perf_counter()
        _fit(self.best_estimator_, X, y, params)
        self.refit_time_ = time.perf_counter() - start
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_


@dataclass(frozen=True, kw_only=True)
class _Fits:
    """Candidates and data as a task: all candidates of a pull are fitted to the same part of the data."""

    candidates: list[dict[str, Any]]
    names: Sequence[str]
    estimator: Any
    X: Any
    y: Any
    scorer: Any
    splits: _FreshFolds | _GivenSplits
    fit_params: Mapping[str, Any]
    score_params: Mapping[str, Any]
    error_score: float | None  # None: a fit that fails stops the search

    def may_vary(self, answers: int) -> bool:
        """Return False: every pull has a verdict."""
        return False

    def job(self, query: Query, attempt: int = 0) -> Job:
        """Return the fits of a pull."""
        return self.lay_out(query.arms, query.id)

    def describe(self, query: Query) -> str:
        """Name the candidates of the pull."""
        return ", ".join(self.names[arm] for arm in query.arms)

    def explain(self, query: Query, error: BaseException) -> str:
        """Return nothing: it is the estimator's error."""
        return ""

    def lay_out(self, arms: Sequence[int], number: int) -> Job:
        """Return what a worker needs to fit and score; data on their own, for clusters hand out large ones once."""
        chosen = [self.candidates[arm] for arm in arms]
        split, params = self.splits.choose(number), (self.fit_params, self.score_params)
        return _score_all, (chosen, self.estimator, self.X, self.y, self.scorer, split, *params, self.error_score)


def _mark_journal(file: JournalFile, begun: Header | None, causes: Mapping[str, Any]) -> JournalFile:
    """Return the journal with fingerprints of what scores depend on.

    A search that stopped at a fit that failed may go on with an ``error_score``. Its first line cannot say so; the
    notes of the scores that depend on it do.
    """
    known = {name: digest(name, value) for name, value in causes.items()}
    if begun is not None and begun.fingerprints and ERROR_SCORE not in begun.fingerprints:
        known.pop(ERROR_SCORE, None)
        _check_counted_failures(file.path, causes.get(ERROR_SCORE, "raise"))
    return replace(file, fingerprints={**(file.fingerprints or {}), **known})


def _check_counted_failures(path: str | os.PathLike[str], error_score: float | str) -> None:
    """Refuse another ``error_score`` than the one that a journal counts for fits that failed."""
    notes = (event.notes or {} for event in Log(path).events() if isinstance(event, Told))
    counted = {each[ERROR_SCORE] for each in notes if ERROR_SCORE in each} - {error_score}
    if counted:
        known = counted.pop()
        raise InvalidArgument(
            f"{{error_score}} differs from {known}, which {path} counts for fits that failed; say error_score={known}, "
            "or give another journal.",
            error_score=error_score,
        )


def _make_all(parallel: Any, jobs: Iterable[Job]) -> Generator[tuple[int, str, Answer], None, None]:
    """Make all pulls, and yield their answers as they come; those that failed last, where all come together."""
    home = os.getpid()
    made = parallel(
        delayed(make_pull)(home, number, function, *arguments) for number, (function, arguments) in enumerate(jobs)
    )
    yield from sorted(made, key=lambda one: one[2].error is not None) if isinstance(made, list) else made


def _score_all(
    candidates: Sequence[Mapping[str, Any]],
    estimator: Any,
    X: Any,
    y: Any,
    scorer: Any,
    split: Split,
    fit_params: Mapping[str, Any],
    score_params: Mapping[str, Any],
    error_score: float | None,
) -> list[float] | Noted:
    """Fit candidates to the same rows, and score them on the same others; note what is counted for a failed fit."""
    train, test = split
    fitted_with = _check_method_params(X, fit_params, train)
    scored_with = _check_method_params(X, score_params, test)
    scores = []
    for candidate in candidates:
        model = _set_up(estimator, candidate)
        X_train, y_train = _safe_split(model, X, y, train)
        X_test, y_test = _safe_split(model, X, y, test, train)
        try:
            _fit(model, X_train, y_train, fitted_with)
            said = scorer(model, X_test, **scored_with) if y is None else scorer(model, X_test, y_test, **scored_with)
        except Exception:  # whatever somebody's estimator raises
            if error_score is None:
                raise
            said = np.nan
        scores.append(_take_number(said))
    if error_score is None or np.isfinite(scores).all():
        return scores
    return Noted([score if np.isfinite(score) else error_score for score in scores], {ERROR_SCORE: error_score})


def _fit(estimator: Any, X: Any, y: Any, params: Mapping[str, Any]) -> None:
    if y is None:
        estimator.fit(X, **params)
    else:
        estimator.fit(X, y, **params)


def _take_number(said: Any) -> float:
    try:
        return float(said)
    except (TypeError, ValueError):
        raise InvalidArgument(f"scoring must return one number, not {show_value(said)}.") from None


@dataclass(frozen=True)
class _FreshFolds:
    """Folds that are shuffled anew whenever each of them was scored on."""

    folds: KFold | StratifiedKFold
    targets: Any
    seed: int

    @property
    def count(self) -> int:
        """How many splits score on every row once."""
        return int(self.folds.n_splits)

    @property
    def known_by(self) -> Any:
        """What the splits depend on besides targets and seed."""
        return type(self.folds), self.count

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

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.splits)

    @property
    def known_by(self) -> Any:
        """The splits themselves."""
        return self.splits

    def choose(self, pull: int) -> Split:
        """Return the split of a pull."""
        return self.splits[draw_in_turn(self.seed, Purpose.ROW, pull, len(self.splits))]


def _choose_splits(
    cv: Any, X: Any, y: Any, params: Mapping[str, Any], classifies: bool, seed: int
) -> _FreshFolds | _GivenSplits:
    checked = check_cv(5 if cv is None else cv, y, classifier=classifies)
    if cv is not None and not isinstance(cv, (int, np.integer)):
        return _GivenSplits(list(checked.split(X, y, **params)), seed)
    if params.get("groups") is not None:
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


def _check_refit(refit: Any, scoring: Any) -> None:
    is_known = isinstance(refit, (bool, np.bool_)) or callable(refit) or (isinstance(refit, str) and refit == scoring)
    if not is_known:
        raise InvalidArgument(
            "{refit} must be True, False, or a function that takes cv_results_ and returns the row to fit.", refit=refit
        )


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


def _tabulate(found: Found) -> dict[str, Any]:
    """Return a row per candidate, as ``cv_results_`` of scikit-learn has them, with chances and strengths."""
    n_arms = len(found.candidates)
    told = found.played.evidence()
    arms = np.concatenate([each.arms.ravel() for each in told])
    scores = np.concatenate([each.observations.ravel() for each in told])
    rows = sorted(found.standings.rows, key=lambda row: (row.arm != found.played.winner, row.place))
    ranks = np.empty(n_arms, dtype=np.int64)
    ranks[[row.arm for row in rows]] = np.arange(1, n_arms + 1)
    by_arm = sorted(rows, key=lambda row: row.arm)
    return _make_table(found.candidates, arms, scores, ranks) | {
        name: np.array([np.nan if (value := getattr(row, name)) is None else value for row in by_arm])
        for name in ("chance", "strength", "low", "high")
    }


def _tabulate_one(candidate: Mapping[str, Any], scores: Sequence[float]) -> dict[str, Any]:
    """Return the same of an only candidate: it is the best, and no stronger than any other."""
    arms, unknown = (
        np.zeros(len(scores), dtype=np.int64),
        dict.fromkeys(("strength", "low", "high"), np.array([np.nan])),
    )
    return _make_table([candidate], arms, np.array(scores), np.ones(1, dtype=np.int64)) | {
        "chance": np.ones(1),
        **unknown,
    }


def _make_table(
    candidates: Sequence[Mapping[str, Any]], arms: Indices, scores: Array, ranks: Indices
) -> dict[str, Any]:
    """Return parameters, means, numbers of fits and ranks of candidates, ``scores`` being those of ``arms``."""
    fits = np.bincount(arms, minlength=len(candidates))
    with np.errstate(invalid="ignore"):
        means = np.bincount(arms, scores, len(candidates)) / fits
        spread: Array = np.sqrt(np.bincount(arms, (scores - means[arms]) ** 2, len(candidates)) / fits)
    names = dict.fromkeys(name for parameters in candidates for name in parameters)
    return {
        **{f"param_{name}": _gather(candidates, name) for name in names},
        "params": list(candidates),
        "mean_test_score": means,
        "std_test_score": spread,
        "n_fits": fits,
        "rank_test_score": ranks,
    }


def _gather(candidates: Sequence[Mapping[str, Any]], name: str) -> AnyArray:
    """Return the values of a parameter; masked where a candidate has none."""
    values = np.empty(len(candidates), dtype=object)
    values[:] = [parameters.get(name) for parameters in candidates]
    gathered: AnyArray = np.ma.MaskedArray(values, [name not in parameters for parameters in candidates])
    return gathered
