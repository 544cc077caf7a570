"""``HeatsSearchCV``: a search like those of scikit-learn, with a fixed number of fits."""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("sklearn")
from scipy.stats import loguniform
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import estimator_checks_generator

import heats
from heats.errors import InvalidArgument
from heats.sklearn import HeatsSearchCV, _choose_splits

X, Y = load_iris(return_X_y=True)
SPACE = {"C": loguniform(1e-3, 1e3), "gamma": loguniform(1e-4, 1e1)}


class Counting(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # they have no types
    """Is as good as ``skill`` says; every fit, and every set it is scored on, is counted."""

    fits: ClassVar[Counter[float]] = Counter()
    scored_on: ClassVar[list[tuple[float, bytes]]] = []

    def __init__(self, skill: float = 0.0, fails: bool = False) -> None:
        self.skill = skill
        self.fails = fails

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Counting:
        if self.fails:
            raise ValueError("this one cannot be fitted")
        Counting.fits[self.skill] += 1
        self.classes_ = np.unique(y)
        self.weights_ = sample_weight
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        Counting.scored_on.append((self.skill, np.asarray(X).tobytes()))
        return self.skill


@pytest.fixture(autouse=True)
def start_counting() -> None:
    Counting.fits.clear()
    Counting.scored_on.clear()


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 40), st.integers(2, 5), st.integers(5, 80))
def test_no_more_fits_are_made_than_allowed(n: int, k: int, fits: int) -> None:
    """One more, to all data, is the last; the best of noiseless candidates is found if the budget suffices."""
    Counting.fits.clear()
    k = min(n, k)
    search = HeatsSearchCV(Counting(), {"skill": list(range(n))}, n_fits=fits, n_candidates=n, heat_size=k).fit(X, Y)
    assert Counting.fits.total() == fits // k * k + 1
    assert search.cv_results_["n_fits"].sum() == fits // k * k
    if fits // k >= 3 * -(-(n - 1) // (k - 1)):
        assert search.best_params_ == {"skill": n - 1}


def test_candidates_of_a_comparison_are_scored_on_the_same_rows() -> None:
    """Fresh ones every time, and after every five comparisons each row was among them."""
    HeatsSearchCV(Counting(), {"skill": list(range(8))}, n_fits=40, heat_size=4, refit=False).fit(X, Y)
    heats_ = [Counting.scored_on[start : start + 4] for start in range(0, 40, 4)]
    assert all(len({rows for _, rows in heat}) == 1 and len({skill for skill, _ in heat}) == 4 for heat in heats_)
    assert len({heat[0][1] for heat in heats_}) == 10
    for start in (0, 5):
        rows = [np.frombuffer(heat[0][1]).reshape(-1, 4) for heat in heats_[start : start + 5]]
        assert np.array_equal(np.sort(np.concatenate(rows), axis=0), np.sort(X, axis=0))


def test_it_is_a_search_like_the_others() -> None:
    """In a pipeline, with names of steps; what it found predicts, and can be pickled and cloned."""
    pipeline = make_pipeline(StandardScaler(), SVC())
    space = {f"svc__{name}": values for name, values in SPACE.items()}
    search = HeatsSearchCV(pipeline, space, n_fits=120, random_state=1)
    assert clone(search).get_params()["n_fits"] == 120
    search.fit(X, Y)
    assert search.best_score_ > 0.9
    assert search.predict(X).shape == Y.shape
    assert search.score(X, Y) > 0.9
    assert list(search.classes_) == [0, 1, 2]
    assert search.n_features_in_ == 4
    assert set(search.best_params_) == set(space)
    again = pickle.loads(pickle.dumps(search))
    assert again.best_params_ == search.best_params_
    assert again.found_.to_json() == search.found_.to_json()
    assert cross_val_score(clone(search).set_params(n_fits=20), X, Y, cv=3).mean() > 0.5


def test_the_results_have_a_row_per_candidate() -> None:
    """Means of the scores that were told; the winner has rank 1; who was never compared has no mean."""
    search = HeatsSearchCV(SVC(), [SPACE, {"kernel": ["linear"]}], n_fits=60, n_candidates=40, batches=3).fit(X, Y)
    results = search.cv_results_
    assert search.best_index_ == search.found_.played.winner == results["rank_test_score"].argmin()
    assert sorted(results["rank_test_score"]) == list(range(1, 41))
    assert search.best_score_ == results["mean_test_score"][search.best_index_]
    assert results["params"] == list(search.found_.candidates)
    assert results["param_kernel"].mask.tolist() == ["kernel" not in each for each in results["params"]]
    assert np.isnan(results["mean_test_score"][results["n_fits"] == 0]).all()
    told = [
        (arm, score)
        for each in search.found_.played.evidence()
        for row, said in zip(each.arms, each.observations, strict=True)
        for arm, score in zip(row.tolist(), said.tolist(), strict=True)
    ]
    for arm in range(40):
        mine = [score for other, score in told if other == arm]
        assert len(mine) == results["n_fits"][arm]
        if mine:
            assert results["mean_test_score"][arm] == pytest.approx(np.mean(mine))
            assert results["std_test_score"][arm] == pytest.approx(np.std(mine))


def test_equal_seeds_give_equal_searches_here_and_in_processes() -> None:
    """And other seeds other ones."""
    searches = [HeatsSearchCV(SVC(), SPACE, n_fits=40, random_state=3, n_jobs=jobs).fit(X, Y) for jobs in (None, 2)]
    assert searches[0].found_.to_json() == searches[1].found_.to_json()
    other = HeatsSearchCV(SVC(), SPACE, n_fits=40, random_state=4).fit(X, Y)
    assert other.found_.candidates != searches[0].found_.candidates


def test_a_journal_goes_on_and_goes_further(tmp_path: Path) -> None:
    """A search that is over is not made again; with more fits, and so more candidates, the rest is."""
    options: dict[str, Any] = {"refit": False, "journal": tmp_path / "search.jsonl", "n_candidates": 10, "heat_size": 4}
    HeatsSearchCV(Counting(), {"skill": loguniform(1, 9)}, n_fits=40, **options).fit(X, Y)
    HeatsSearchCV(Counting(), {"skill": loguniform(1, 9)}, n_fits=40, **options).fit(X, Y)
    assert Counting.fits.total() == 40
    longer = HeatsSearchCV(Counting(), {"skill": loguniform(1, 9)}, n_fits=60, **{**options, "n_candidates": 14}).fit(
        X, Y
    )
    assert Counting.fits.total() == 60
    assert len(longer.cv_results_["params"]) == 14


def test_splits_of_somebody_are_taken_in_turn() -> None:
    """Each once, before any comes again; groups go to the splitter."""
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0)
    splits = _choose_splits(cv, X, Y, {}, classifies=True, seed=7)
    taken = [splits.choose(pull)[1].tobytes() for pull in range(20)]
    assert len(set(taken[:10])) == len(set(taken[10:])) == 10
    assert taken[:10] != taken[10:]
    groups = np.arange(150) % 6
    grouped = _choose_splits(GroupKFold(3), X, Y, {"groups": groups}, classifies=True, seed=7)
    assert not set(groups[grouped.choose(0)[0]]) & set(groups[grouped.choose(0)[1]])
    search = HeatsSearchCV(Counting(), {"skill": [1, 2]}, n_fits=8, cv=GroupKFold(3))
    assert search.fit(X, Y, groups=groups).best_params_ == {"skill": 2}


def test_weights_reach_every_fit() -> None:
    """Those of the rows that are fitted to."""
    search = HeatsSearchCV(Counting(), {"skill": [1, 2]}, n_fits=4).fit(X, Y, sample_weight=np.ones(150))
    assert search.best_estimator_.weights_.shape == (150,)


def test_a_fit_that_fails_stops_the_search_or_is_worth_what_was_said() -> None:
    """Of a parameter that there is not nothing is worth anything: that is a mistake."""
    space = {"skill": [0.4, 0.5], "fails": [True, False]}
    with pytest.raises(ValueError, match="this one cannot be fitted"):
        HeatsSearchCV(Counting(), space, n_fits=20).fit(X, Y)
    search = HeatsSearchCV(Counting(), space, n_fits=20, error_score=0.0).fit(X, Y)
    assert search.best_params_ == {"skill": 0.5, "fails": False}
    with pytest.raises(ValueError, match="Invalid parameter 'skil'"):
        HeatsSearchCV(Counting(), {"skil": [1, 2]}, n_fits=20, error_score=0.0).fit(X, Y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_fits": 3, "heat_size": 4}, "n_fits=3 is less than one comparison of 4 candidates"),
        ({"n_fits": 0}, "n_fits=0 must be at least 1"),
        ({"n_fits": "many"}, "n_fits='many' must be"),
        ({"n_candidates": 0}, "n_candidates=0 must be at least 1"),
        ({"heat_size": 1}, "heat_size=1 must be at least 2"),
        ({"error_score": float("nan")}, "error_score=nan must be 'raise', or a number"),
        ({"scoring": ["accuracy", "f1"]}, "must be one score"),
        ({"sure": 2}, "sure=2 must be"),
    ],
)
def test_what_means_nothing_is_refused(options: dict[str, Any], message: str) -> None:
    """Before any fit, in words."""
    with pytest.raises(InvalidArgument, match=message):
        HeatsSearchCV(Counting(), {"skill": loguniform(1, 9)}, **options).fit(X, Y)
    assert not Counting.fits


def test_folds_know_no_groups() -> None:
    """They would be passed over."""
    with pytest.raises(InvalidArgument, match="know no groups"):
        HeatsSearchCV(Counting(), {"skill": [1, 2]}).fit(X, Y, groups=np.arange(150))


def test_it_stops_when_it_is_sure() -> None:
    """And says what was saved."""
    search = HeatsSearchCV(Counting(), {"skill": [*range(10)]}, n_fits=400, sure=0.95, refit=False).fit(X, Y)
    assert search.best_params_ == {"skill": 9}
    assert search.found_.report.stopped is not None
    assert Counting.fits.total() < 400


@pytest.mark.parametrize(
    ("estimator", "check"),
    [
        pytest.param(estimator, check, id=getattr(check, "func", check).__name__)
        for estimator, check in estimator_checks_generator(
            HeatsSearchCV(LogisticRegression(), {"C": [0.1, 1.0, 10.0]}, n_fits=9, n_candidates=3), mark=None
        )
    ],
)
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_takes_it_for_an_estimator(estimator: Any, check: Any) -> None:
    """By its own checks."""
    check(estimator)


def test_the_room_is_there_when_asked_for() -> None:
    """As all of heats is."""
    assert heats.sklearn.HeatsSearchCV is HeatsSearchCV
