"""``HeatsSearchCV``: a search like those of scikit-learn, with a fixed number of fits."""

from __future__ import annotations

import os
import pickle
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("sklearn")
from joblib import parallel_config
from scipy.stats import loguniform
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, RepeatedStratifiedKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import estimator_checks_generator
from sklearn.utils.parallel import Parallel

import heats
from heats.cli.resuming import extend_run
from heats.errors import InvalidArgument
from heats.sklearn import HeatsSearchCV, _choose_splits, _make_all
from tests.journal.runs import lines

X, Y = load_iris(return_X_y=True)
SPACE = {"C": loguniform(1e-3, 1e3), "gamma": loguniform(1e-4, 1e1)}


class Counting(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # they have no types
    """Is as good as ``skill`` says; every fit, and every set it is scored on, is counted."""

    fits: ClassVar[Counter[float]] = Counter()
    scored_on: ClassVar[list[tuple[float, bytes]]] = []
    weighed: ClassVar[list[Any]] = []

    def __init__(self, skill: float = 0.0, fails: bool = False, size: Any = None, verbose: int = 0) -> None:
        self.skill = skill
        self.fails = fails
        self.size = size
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Counting:
        if self.fails:
            raise ValueError("this one cannot be fitted")
        Counting.fits[self.skill] += 1
        self.classes_ = np.unique(y)
        self.weights_ = sample_weight
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        Counting.scored_on.append((self.skill, np.asarray(X).tobytes()))
        Counting.weighed.append(sample_weight)
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


def test_joblib_is_as_it_was() -> None:
    """Before and after a search in processes, and after one that failed there."""
    for options in ({}, {"error_score": "raise"}):
        space = {"C": [1.0, -1.0] if options else [1.0, 2.0]}
        search = HeatsSearchCV(SVC(), space, n_fits=8, n_jobs=2, **options)
        assert len(cross_val_score(SVC(), X, Y, n_jobs=2)) == 5
        if options:
            with pytest.raises(ValueError, match="C"):
                search.fit(X, Y)
        else:
            search.fit(X, Y)
        assert len(cross_val_score(SVC(), X, Y, n_jobs=2)) == 5
    nested = HeatsSearchCV(SVC(), SPACE, n_fits=16, n_jobs=2)
    assert cross_val_score(nested, X, Y, n_jobs=2, cv=2).mean() > 0.5


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_the_backends_of_joblib_give_the_same(tmp_path: Path, backend: str) -> None:
    """Those that yield answers as they come, and those that do not; who worked is in the journal."""
    alone = HeatsSearchCV(SVC(), SPACE, n_fits=24).fit(X, Y)
    with parallel_config(backend=backend, n_jobs=2):
        search = HeatsSearchCV(SVC(), SPACE, n_fits=24, journal=tmp_path / "search.jsonl").fit(X, Y)
    assert search.found_.to_json() == alone.found_.to_json()
    by = {line["by"] for line in lines(tmp_path / "search.jsonl") if line["event"] == "told"}
    assert any(f":{os.getpid()}" in who for who in by) is (backend == "threading")


@pytest.mark.dask
@pytest.mark.filterwarnings("ignore")
def test_dask_gives_the_same() -> None:
    """By the backend of joblib that Dask has."""
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install distributed")
    alone = HeatsSearchCV(SVC(), SPACE, n_fits=24).fit(X, Y)
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster), parallel_config(backend="dask"):
        assert HeatsSearchCV(SVC(), SPACE, n_fits=24).fit(X, Y).found_.to_json() == alone.found_.to_json()


@pytest.mark.ray
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_ray_gives_the_same() -> None:
    """By the backend of joblib that Ray has, which tells a batch when all of it is there."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install ray")
    from ray.util.joblib import register_ray

    alone = HeatsSearchCV(SVC(), SPACE, n_fits=24).fit(X, Y)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        register_ray()  # type: ignore[no-untyped-call]  # it has no types
        with parallel_config(backend="ray", n_jobs=2):
            assert HeatsSearchCV(SVC(), SPACE, n_fits=24).fit(X, Y).found_.to_json() == alone.found_.to_json()
    finally:
        ray.shutdown()


def test_answers_that_came_back_are_told_before_a_failure() -> None:
    """With a backend that gives back a whole batch: what was fitted is not lost because another one failed."""
    jobs: list[Any] = [(int, ("x",)), (int, ("1",)), (int, ("y",)), (int, ("2",))]
    made = list(_make_all(Parallel(1), jobs))
    assert [number for number, _, _ in made] == [1, 3, 0, 2]
    assert [answer.value for _, _, answer in made] == [1, 2, None, None]


def test_one_candidate_is_fitted_and_returned(tmp_path: Path) -> None:
    """On every split once, if there are enough fits; nothing is said of a heat nobody asked for."""
    for n_fits, fits in ((200, 5), (3, 3)):
        Counting.fits.clear()
        search = HeatsSearchCV(Counting(), {"skill": [0.5]}, n_fits=n_fits, journal=tmp_path / "search.jsonl").fit(X, Y)
        assert Counting.fits.total() == fits + 1
        assert (search.best_params_, search.best_score_, search.best_index_) == ({"skill": 0.5}, 0.5, 0)
        assert search.cv_results_["n_fits"].tolist() == [fits]
        assert search.cv_results_["chance"].tolist() == search.cv_results_["rank_test_score"].tolist() == [1]
        assert search.found_ is None
        assert pickle.loads(pickle.dumps(search)).score(X, Y) == 0.5
    several = HeatsSearchCV(Counting(), {"skill": [0.5, 0.6]}, n_fits=8).fit(X, Y)
    assert set(several.cv_results_) == set(search.cv_results_)
    assert (
        len(HeatsSearchCV(Counting(), {"skill": loguniform(1, 9)}, n_candidates=1).fit(X, Y).cv_results_["params"]) == 1
    )
    with pytest.raises(ValueError, match="this one cannot be fitted"):
        HeatsSearchCV(Counting(fails=True), {"skill": [0.5]}).fit(X, Y)
    assert (
        HeatsSearchCV(Counting(fails=True), {"skill": [0.5]}, error_score=0.1, refit=False).fit(X, Y).best_score_ == 0.1
    )


def test_a_function_says_which_candidate_is_refitted() -> None:
    """As in scikit-learn: it gets the results, and there is no best score."""

    def find_worst(results: dict[str, Any]) -> int:
        return int(np.nanargmin(results["mean_test_score"]))

    search = HeatsSearchCV(Counting(), {"skill": [3, 1, 2]}, n_fits=12, refit=find_worst).fit(X, Y)
    assert search.best_params_ == {"skill": 1}
    assert search.best_estimator_.skill == 1
    assert not hasattr(search, "best_score_")
    with pytest.raises(IndexError, match="out of range"):
        search.set_params(refit=lambda results: 3).fit(X, Y)
    with pytest.raises(TypeError, match="not an integer"):
        search.set_params(refit=lambda results: "best").fit(X, Y)


def test_metadata_go_where_they_were_asked_for() -> None:
    """Weights to fits or scores or both, by requests; callbacks, which nothing would call, are refused."""
    weights = np.linspace(1, 2, 150)
    with config_context(enable_metadata_routing=True):
        for fits, scores in ((True, False), (False, True), (True, True)):
            estimator = Counting().set_fit_request(sample_weight=fits).set_score_request(sample_weight=scores)
            search = HeatsSearchCV(estimator, {"skill": [1, 2]}, n_fits=8).fit(X, Y, sample_weight=weights)
            assert (search.best_estimator_.weights_ is not None) is fits
            assert (Counting.weighed[-1] is not None) is scores
        with pytest.raises(ValueError, match="not explicitly set as requested"):
            HeatsSearchCV(Counting(), {"skill": [1, 2]}, n_fits=8).fit(X, Y, sample_weight=weights)
        groups = HeatsSearchCV(Counting(), {"skill": [1, 2]}, n_fits=8, cv=GroupKFold(3))
        assert groups.fit(X, Y, groups=GROUPS).best_params_ == {"skill": 2}
        assert len(cross_validate(groups, X, Y, cv=GroupKFold(2), params={"groups": GROUPS})["test_score"]) == 2
    assert search.set_callbacks() is search
    with pytest.raises(InvalidArgument, match="calls no callbacks"):
        search.set_callbacks(print)


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


@pytest.mark.parametrize("n_fits", [40, 80])
def test_a_journal_goes_further_with_lists_of_values(tmp_path: Path, n_fits: int) -> None:
    """The candidates of fewer fits are the first of those of more, all combinations included."""
    space = {"skill": [*range(8)], "size": [1, 2]}
    few, more = (
        HeatsSearchCV(Counting(), space, n_fits=fits, journal=tmp_path / "search.jsonl").fit(X, Y)
        for fits in (24, n_fits)
    )
    assert few.cv_results_["params"] == more.cv_results_["params"][:6]
    assert len(more.cv_results_["params"]) == min(n_fits // 4, 16)
    assert len({tuple(each.values()) for each in more.cv_results_["params"]}) == min(n_fits // 4, 16)
    assert Counting.fits.total() == n_fits // 6 * 6 + 2  # in heats of six, as it began


def mean_skill(estimator: Counting, X: Any, y: Any) -> float:
    return estimator.skill


def double_skill(estimator: Counting, X: Any, y: Any) -> float:
    return 2 * estimator.skill


WEIGHTS = np.ones(150)
GROUPS = np.arange(150) % 6
OTHERS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("X", {}, {"X": X + 1}),
    ("X", {}, {"X": X.astype(np.float32)}),
    ("X", {}, {"X": X.tolist()}),
    ("X, y", {}, {"X": X[:120], "y": Y[:120]}),
    ("y", {}, {"y": Y[::-1]}),
    ("sample_weight", {}, {"sample_weight": WEIGHTS}),
    ("estimator", {"estimator": Counting(size=1)}, {}),
    ("estimator", {"estimator": Counting(verbose=3)}, {}),
    ("scoring", {"scoring": "accuracy"}, {}),
    ("scoring", {"scoring": mean_skill}, {}),
    ("splits", {"cv": 4}, {}),
    ("splits", {"cv": KFold(5)}, {}),
    ("estimator, scoring, splits", {"estimator": Counting(size=1), "scoring": mean_skill, "cv": 3}, {}),
]


@pytest.mark.parametrize(("differing", "options", "data"), OTHERS)
def test_a_journal_of_another_search_is_refused(
    tmp_path: Path, differing: str, options: dict[str, Any], data: dict[str, Any]
) -> None:
    """By the names of all that differs, before any fit; with more fits, too."""
    mine: dict[str, Any] = {
        "estimator": Counting(),
        "param_distributions": {"skill": [1, 2, 3]},
        "journal": tmp_path / "search.jsonl",
    }
    HeatsSearchCV(**mine, n_fits=12).fit(X, Y)
    made = Counting.fits.total()
    for n_fits in (12, 24):
        message = (
            rf"search.jsonl holds another search, which differs in: {differing}\. Give each search its own journal"
        )
        with pytest.raises(InvalidArgument, match=message):
            HeatsSearchCV(**{**mine, **options}, n_fits=n_fits).fit(**{"X": X, "y": Y, **data})
    assert Counting.fits.total() == made


@pytest.mark.parametrize(
    ("differing", "first", "then"),
    [
        ("groups, splits", {"groups": GROUPS}, {"groups": GROUPS[::-1]}),
        ("sample_weight", {"groups": GROUPS, "sample_weight": WEIGHTS}, {"groups": GROUPS}),
        (
            "sample_weight",
            {"groups": GROUPS, "sample_weight": WEIGHTS},
            {"groups": GROUPS, "sample_weight": WEIGHTS * 2},
        ),
    ],
)
def test_groups_and_weights_are_part_of_a_search(
    tmp_path: Path, differing: str, first: dict[str, Any], then: dict[str, Any]
) -> None:
    """Whether they are others, new, or not there any more."""
    search = HeatsSearchCV(Counting(), {"skill": [1, 2]}, n_fits=8, cv=GroupKFold(3), journal=tmp_path / "search.jsonl")
    search.fit(X, Y, **first)
    assert search.fit(X, Y, **first).best_params_ == {"skill": 2}
    with pytest.raises(InvalidArgument, match=rf"differs in: {differing}\."):
        search.fit(X, Y, **then)


def test_folds_of_a_validation_do_not_take_each_other_s_journal(tmp_path: Path) -> None:
    """The second fold is refused: else it would get the result of the first, fitted to what it is scored on."""
    search = HeatsSearchCV(Counting(), {"skill": [1, 2]}, n_fits=8, journal=tmp_path / "search.jsonl")
    with pytest.raises(InvalidArgument, match=r"differs in: X, y\. Give each search its own journal, or none"):
        cross_validate(search, X, Y, cv=3, error_score="raise")
    assert Counting.fits.total() == 8 + 1
    cross_validate(search.set_params(journal=None), X, Y, cv=3)
    assert Counting.fits.total() == (8 + 1) + 3 * (8 + 1)


def test_a_journal_of_no_search_is_refused(tmp_path: Path) -> None:
    """It may be of any data; and what is no search does not take that of one. A command goes on with either."""
    path, space = tmp_path / "run.jsonl", {"skill": [1, 2, 3]}
    search = HeatsSearchCV(Counting(), space, n_fits=12, journal=path).fit(X, Y)
    found = search.found_
    same: dict[str, Any] = {"budget": 4, "heat_size": 3, "seed": found.played.seed, "journal": path}
    with pytest.raises(
        InvalidArgument, match="holds another search, which differs in: X, y, estimator, scoring, splits"
    ):
        heats.find_best(found.candidates, list, **same)
    extend_run(str(path), "+2")
    assert HeatsSearchCV(Counting(), space, n_fits=18, journal=path).fit(X, Y).found_.spent == 6
    path.unlink()
    heats.find_best(found.candidates, lambda heat: [each["skill"] for each in heat], **same)
    with pytest.raises(InvalidArgument, match="has no fingerprints of data and the like"):
        HeatsSearchCV(Counting(), space, n_fits=12, journal=path).fit(X, Y)


def test_what_does_not_change_the_scores_may_change(tmp_path: Path) -> None:
    """How fits are made, where things lie in memory; and what a failure is worth, once a search stopped at one."""
    path = tmp_path / "search.jsonl"
    kept = heats.JournalFile(path, sync="grouped", fingerprints={"data of": "Tuesday"})
    space = {"skill": [0.4, 0.5], "fails": [True, False]}
    with pytest.raises(ValueError, match="this one cannot be fitted"):
        HeatsSearchCV(Counting(), space, n_fits=20, journal=kept).fit(X, Y)
    again = HeatsSearchCV(Counting(), space, n_fits=20, journal=kept, error_score=0.0, n_jobs=2, refit=False, verbose=1)
    again.fit(np.asfortranarray(X), Y)
    assert again.best_params_ == {"skill": 0.5, "fails": False}
    with pytest.raises(InvalidArgument, match="differs in: data of"):
        again.set_params(journal=path).fit(X, Y)
    other = HeatsSearchCV(Counting(), space, n_fits=20, error_score=0.0, journal=tmp_path / "other.jsonl").fit(X, Y)
    with pytest.raises(InvalidArgument, match="differs in: error_score"):
        other.set_params(error_score=-1.0).fit(X, Y)


def test_what_a_failure_is_worth_stays_once_one_was_told(tmp_path: Path) -> None:
    """Else a later call silently gets scores that it would not give; until then it may change."""
    path, space = tmp_path / "search.jsonl", {"skill": [0.4, 0.5], "fails": [True, False]}
    search = HeatsSearchCV(Counting(), {"skill": [0.4, 0.5]}, n_fits=8, journal=tmp_path / "none fails.jsonl")
    for error_score in ("raise", 0.0, -5.0):
        search.set_params(error_score=error_score).fit(X, Y)
    search = HeatsSearchCV(Counting(), space, n_fits=20, journal=path)
    with pytest.raises(ValueError, match="this one cannot be fitted"):
        search.fit(X, Y)
    worst = search.set_params(error_score=0.0).fit(X, Y).cv_results_["mean_test_score"].min()
    assert worst == 0.0
    for error_score in (-5.0, "raise"):
        message = f"^error_score={error_score!r} differs from 0.0, which .*search.jsonl counts for fits that failed; say error_score=0.0"
        for n_fits in (20, 40):
            with pytest.raises(InvalidArgument, match=message):
                search.set_params(error_score=error_score, n_fits=n_fits).fit(X, Y)
    assert search.set_params(error_score=0).fit(X, Y).found_.spent == 10
    assert {line["notes"]["error_score"] for line in lines(path) if "notes" in line} == {0.0}
    only = HeatsSearchCV(Counting(fails=True), {"skill": [1]}, error_score=0.0, refit=False).fit(X, Y)
    assert only.best_score_ == 0.0


def test_how_scikit_learn_s_own_estimators_work_may_change(tmp_path: Path) -> None:
    """In how many processes, with what output, and where a pipeline keeps its steps."""
    path, space = tmp_path / "search.jsonl", {"logisticregression__C": [0.1, 1.0]}
    for changed in ({}, {"verbose": True, "memory": str(tmp_path / "steps")}):
        pipeline = make_pipeline(StandardScaler(), LogisticRegression(verbose=0), **changed)
        search = HeatsSearchCV(pipeline, space, n_fits=8, journal=path, refit=False).fit(X, Y)
        assert search.found_.spent == 4
    assert sum(line["event"] == "told" for line in lines(path)) == 4


def test_candidates_may_hold_more_than_json_does(tmp_path: Path) -> None:
    """Estimators, functions, arrays: what they hold is what a journal knows them by."""
    path = tmp_path / "search.jsonl"
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    space = {"standardscaler": [StandardScaler(), StandardScaler(with_mean=False), FunctionTransformer(np.log1p)]}
    for n_fits in (12, 24):
        HeatsSearchCV(pipeline, space, n_fits=n_fits, journal=path).fit(X, Y)
    other = {"standardscaler": [*space["standardscaler"][:2], FunctionTransformer(np.sqrt)]}
    with pytest.raises(InvalidArgument, match=r"its candidate #\d is"):
        HeatsSearchCV(pipeline, other, n_fits=24, journal=path).fit(X, Y)
    path.unlink()
    unknown = {"standardscaler": [FunctionTransformer(lambda x: x), FunctionTransformer(lambda x: x + 1)]}
    with pytest.raises(InvalidArgument, match=r"candidate #\d has no fingerprint .* it holds .*<lambda>"):
        HeatsSearchCV(pipeline, unknown, n_fits=24, journal=path).fit(X, Y)
    with pytest.raises(InvalidArgument, match=r"scoring has no fingerprint .* it holds .*<lambda>"):
        HeatsSearchCV(pipeline, space, n_fits=24, journal=path, scoring=lambda *_: 1.0).fit(X, Y)
    assert not path.exists()


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
        ({"refit": "f1"}, "refit='f1' must be True, False, or a function"),
        ({"refit": None}, "refit=None must be True, False, or a function"),
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
