"""Columns become frames of pandas or polars, each value of the kind it is, or one sentence says what to install."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heats.base.frames import Column, guess_kind, make_frame
from heats.errors import InvalidArgument

TABLE = [
    Column("whole", int, [1, None, 3]),
    Column("counted", int, np.array([1, 2, 3])),
    Column("number", float, [0.5, None, 2.0]),
    Column("seen", float, np.array([0.5, np.nan, 2.0])),
    Column("text", str, ["a", None, "\udcff"]),
    Column("nothing", str, [None, None, None]),
    Column("mixed", object, [1, "a", None]),
    Column("lists", object, [[1, 2], [3], None]),
    Column("truths", object, [True, None, False]),
]


def test_a_frame_of_pandas_has_whole_numbers_whole() -> None:
    """Also beside missing ones, which pandas would turn into floats."""
    import pandas

    frame = make_frame(TABLE, "pandas")
    assert isinstance(frame, pandas.DataFrame)
    assert [str(frame[title].dtype) for title in ("whole", "counted", "number", "seen")] == [
        *("Int64", "int64", "float64", "float64"),
    ]
    assert frame["text"].tolist()[::2] == ["a", "\\udcff"]
    assert frame["mixed"].tolist()[:2] == [1, "a"]
    assert frame["lists"].tolist()[:2] == [[1, 2], [3]]
    assert frame.isna().sum().tolist() == [1, 0, 1, 1, 1, 3, 1, 1, 1]


def test_a_frame_of_polars_has_nulls_and_types() -> None:
    """Not NaN; what is of many kinds becomes text."""
    import polars

    frame = make_frame(TABLE, "polars")
    assert isinstance(frame, polars.DataFrame)
    types = [polars.Int64, polars.Int64, polars.Float64, polars.Float64, polars.String, polars.String, polars.String]
    assert frame.dtypes[:7] == types
    assert frame["seen"].null_count() == 1
    assert frame["mixed"].to_list() == ["1", "a", None]
    assert frame["lists"].to_list() == [[1, 2], [3], None]
    assert frame["truths"].to_list() == [True, None, False]


def test_pandas_is_taken_first_and_polars_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever is installed, if none is asked for."""
    import pandas
    import polars

    assert isinstance(make_frame(TABLE), pandas.DataFrame)
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(make_frame(TABLE), polars.DataFrame)
    with pytest.raises(
        InvalidArgument,
        match=r"a frame needs pandas, which cannot be imported \(.*pandas.*\); install it with: pip install pandas",
    ):
        make_frame(TABLE, "pandas")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(
        InvalidArgument,
        match=r"a frame needs pandas or polars, which cannot .*; .*polars.*\); install it with: pip install pandas",
    ):
        make_frame(TABLE)


def test_an_unknown_library_is_refused() -> None:
    """By its name."""
    with pytest.raises(InvalidArgument, match="library='excel' is unknown; choose one of pandas, polars"):
        make_frame(TABLE, "excel")


ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.lists(st.integers())


@settings(max_examples=25)
@given(st.lists(ANYTHING | st.builds(object), max_size=6))
def test_any_values_become_a_column_of_either_library(values: list[Any]) -> None:
    """With as many rows, whatever somebody put into the parameters of candidates."""
    for library in ("pandas", "polars"):
        assert len(make_frame([Column("any", guess_kind(values), values)], library)) == len(values)
