"""Any value has a SHA-256 that is the same in another process, or is refused in words."""

from __future__ import annotations

import copy
import enum
import functools
import os
import re
import subprocess
import sys
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import loguniform

import heats
from heats.errors import InvalidArgument
from heats.journal.digest import digest

pytest.importorskip("sklearn")
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import RandomForestClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, get_scorer, get_scorer_names, make_scorer
from sklearn.model_selection import KFold, RandomizedSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC

X = np.random.default_rng(0).normal(size=(20, 3))
Y = np.arange(20) % 2
LETTERS = list("abcde") * 4


class Colour(enum.Enum):
    RED = "red"


class Chain:
    """Has no order, no equality, and may hold itself."""

    def __init__(self, next_: Any = None) -> None:
        self.next_ = next_
        self.tags = {"red", "green", "blue"}


def make_circle() -> Chain:
    one = Chain()
    one.next_ = Chain(one)
    return one


def make_values() -> dict[str, Any]:
    """Return values of many kinds, no two of which are the same; sets and texts depend on the hashes of a process."""
    frame = {"a": X[:, 0], "b": LETTERS, "o": [1, "x"] * 10, "i": pd.array([1, None] * 10, dtype="Int64")}
    times = {"t": pd.date_range("2020", periods=20), "z": pd.date_range("2020", periods=20, tz="UTC")}
    return {
        "none": [None, True, 1, 1.0, 1 + 0j, "1", b"1", float("nan"), -0.0, "\udcff", 2**80],
        "nested": [[], [[]], [[], []], (), {}, {"a": {1: (2, [3])}}],
        "set": {"red", "green", "blue"},
        "frozenset": frozenset({"red", "green", "blue"}),
        "array": X,
        "column": X[:, 0],
        "float32": X.astype(np.float32),
        "transposed": X.T,
        "objects": np.array([1, "a", None, (1, 2), {"x": {"y", "z"}}], dtype=object),
        "texts": np.array(["a", "bb"]),
        "dates": np.array(["2020", "2021"], dtype="M8[D]"),
        "fields": np.array([(1, "a")], dtype=[("x", "i4"), ("y", "U3")]),
        "masked": np.ma.array([1, 2], mask=[0, 1]),
        "long": np.longdouble([1, 2]) / 3,
        "empty": np.empty((0, 3)),
        "scalar": np.float64(1),
        "csr": sp.csr_matrix(np.round(X)),
        "csc": sp.csc_array(np.round(X)),
        "dok": sp.dok_array(np.round(X)),
        "frame": pd.DataFrame(frame | times),
        "categories": pd.DataFrame({"c": pd.Categorical(LETTERS)}),
        "more categories": pd.DataFrame({"c": pd.Categorical(LETTERS, categories=list("abcdef"))}),
        "series": pd.Series(X[:, 0]),
        "named series": pd.Series(X[:, 0], name="a"),
        "levels": pd.MultiIndex.from_product([[1, 2], ["a", "b"]]),
        "polars": pl.DataFrame({"a": X[:, 0], "s": ["x", None] * 10, "l": [[1], [2]] * 10}),
        "polars series": pl.Series("a", LETTERS, dtype=pl.Categorical),
        "pipeline": make_pipeline(
            ColumnTransformer(
                [
                    ("n", StandardScaler(), make_column_selector(dtype_include=np.number)),
                    ("f", FunctionTransformer(), [0]),
                ]
            ),
            SVC(class_weight={0: 1, 1: 2}, random_state=np.random.RandomState(3)),
        ),
        "other state": SVC(random_state=np.random.RandomState(4)),
        "vote": VotingClassifier([("a", SVC()), ("b", RandomForestClassifier())]),
        "search": RandomizedSearchCV(SVC(), {"C": loguniform(1, 2)}),
        "kernel": RBF(1.0) + WhiteKernel(),
        "frozen": FrozenEstimator(LogisticRegression().fit(X, Y)),
        "frozen otherwise": FrozenEstimator(LogisticRegression().fit(X + Y[:, None], Y)),
        "scorer": make_scorer(f1_score, average="macro"),
        "named scorer": get_scorer("accuracy"),
        "partial": functools.partial(f1_score, average="macro"),
        "ufunc": FunctionTransformer(np.log1p),
        "ufunc of scipy": FunctionTransformer(expit),
        "dispatched": FunctionTransformer(np.mean),
        "class": SVC,
        "classes": int | None,
        "instance": SVC(),
        "output": StandardScaler().set_output(transform="pandas"),
        "no output": StandardScaler(),
        "method": SVC().fit,
        "module": np.random,
        "generator": np.random.default_rng(3),
        "splitter": KFold(3, shuffle=True, random_state=1),
        "splits": list(KFold(3).split(X)),
        "pattern": re.compile("a"),
        "enum": Colour.RED,
        "others": [Fraction(1, 3), Path("a"), OrderedDict(a=1), Counter("ab"), slice(1), range(3), pd.NA, pd.NaT, ...],
        "circle": make_circle(),
        "line": Chain(Chain()),
    }


def test_it_is_the_same_in_another_process() -> None:
    """Whatever texts hash to there; and no two values have the same."""
    here = {name: digest(name, value) for name, value in make_values().items()}
    assert len(set(here.values())) == len(here)
    program = (
        "from tests.journal.test_digest import digest, make_values\n"
        "print({name: digest(name, value) for name, value in make_values().items()})"
    )
    for seed in ("0", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        told = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=True
        )
        assert eval(told.stdout) == here


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
        | st.sets(st.integers() | st.text(max_size=3), max_size=3)
        | st.builds(Chain, inner)
    ),
    max_leaves=8,
)


def spell(value: Any) -> str:
    """Return plain data with its types, in one order."""
    if isinstance(value, Chain):
        return f"Chain({spell(value.next_)})"
    if isinstance(value, dict):
        return f"dict{sorted((spell(key), spell(each)) for key, each in value.items())}"
    if isinstance(value, set):
        return f"set{sorted(map(spell, value))}"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}{[*map(spell, value)]}"
    return f"{type(value).__name__}{value!r}"


@given(PLAIN, PLAIN)
def test_equal_values_have_equal_digests_and_others_other_ones(one: Any, other: Any) -> None:
    """Copies, and dicts in another order, are equal; types count."""
    assert digest("one", copy.deepcopy(one)) == digest("one", one)
    assert (digest("one", one) == digest("other", other)) is (spell(one) == spell(other))
    assert digest("two", {"a": one, "b": other}) == digest("two", {"b": other, "a": one})


def test_arrays_count_by_their_values(tmp_path: Path) -> None:
    """Not by how they lie in memory, nor by whether that is a file."""
    kept = np.memmap(tmp_path / "X", dtype=X.dtype, mode="w+", shape=X.shape)
    kept[:] = X
    known = digest("X", X)
    for same in (np.asfortranarray(X), X[::-1][::-1], kept, np.repeat(X, 2, axis=0)[::2]):
        assert digest("X", same) == known
    big = np.arange(5_000_000.0).reshape(-1, 2)  # more than is hashed at a time
    assert digest("X", big) == digest("X", np.asfortranarray(big)) != digest("X", big + (big == big.max()))


def test_estimators_count_by_what_is_fitted() -> None:
    """Not by what was fitted before, nor by how: all that clone forgets, and by how many processes."""
    assert digest("e", SVC()) == digest("e", SVC().fit(X, Y)) == digest("e", SVC(verbose=True))
    assert digest("e", RandomForestClassifier(n_jobs=3)) == digest("e", RandomForestClassifier())
    assert digest("e", SVC(C=2)) != digest("e", SVC())


class Echo(BaseEstimator):  # type: ignore[misc]  # it has no types
    """Somebody's own: its results may depend on parameters that scikit-learn uses for other things."""

    def __init__(self, memory: int = 0, verbose: int = 0, n_jobs: int = 0) -> None:
        self.memory = memory
        self.verbose = verbose
        self.n_jobs = n_jobs


class OwnForest(RandomForestClassifier):  # type: ignore[misc]
    """No longer scikit-learn's."""


@pytest.mark.parametrize("name", ["memory", "verbose", "n_jobs"])
def test_all_parameters_of_somebody_s_own_estimator_count(name: str) -> None:
    """Only of scikit-learn's own estimators it is known which ones have no effect on the results."""
    assert digest("e", Echo(**{name: 1})) != digest("e", Echo(**{name: 5}))
    assert digest("e", make_pipeline(Echo(**{name: 1}))) != digest("e", make_pipeline(Echo(**{name: 5})))
    if name != "memory":
        assert digest("e", OwnForest(**{name: 1})) != digest("e", OwnForest(**{name: 5}))


def local() -> Any:
    class Local:
        pass

    return Local()


@functools.wraps(local)
def also_local() -> Any:
    return 1


def test_scorers_of_scikit_learn_have_one() -> None:
    """Each its own: their functions are decorated, and found by their names all the same."""
    assert len({digest(name, get_scorer(name)) for name in get_scorer_names()}) == len(get_scorer_names())


@pytest.mark.parametrize(
    ("make", "held"),
    [
        (lambda: FunctionTransformer(lambda x: x), "<lambda>, a name that several may have"),
        (lambda: FunctionTransformer(also_local), "test_digest.local, a name that several may have"),
        (lambda: make_scorer(also_local), "test_digest.local, a name that several may have"),
        (lambda: functools.partial(also_local), "test_digest.local, a name that several may have"),
        (lambda: functools.cache(also_local), "a _lru_cache_wrapper that cannot be pickled"),
        (lambda: np.frompyfunc(abs, 1, 1), "a ufunc that cannot be pickled"),
        (lambda: [{"a": local()}], "<locals>.Local, a name that several may have"),
        (lambda: threading.Lock(), "a lock that cannot be pickled"),
        (lambda: (each for each in "ab"), "a generator that cannot be pickled"),
    ],
)
def test_what_has_none_is_refused(make: Callable[[], Any], held: str) -> None:
    """With the part of it that would be another one next time."""
    with pytest.raises(InvalidArgument, match=f"estimator has no fingerprint .*: it holds .*{held}"):
        digest("estimator", make())


def test_what_is_too_deep_is_refused() -> None:
    """In words, too."""
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InvalidArgument, match="X is nested too deeply"):
        digest("X", deep)


@pytest.mark.parametrize("fingerprints", ["X", {"X": 1}, {1: "X"}, [("X", "1")]])
def test_fingerprints_are_texts_by_name(fingerprints: Any) -> None:
    """Anything else is refused before a file is begun."""
    with pytest.raises(InvalidArgument, match="must be a dict of texts by name"):
        heats.JournalFile("run.jsonl", fingerprints=fingerprints)
