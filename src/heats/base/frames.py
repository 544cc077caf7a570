"""A table as columns → a frame of pandas or polars, whichever is there; nothing else in heats needs either."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from heats.base.arrays import AnyArray
from heats.base.checks import is_bool, one_of
from heats.base.naming import write_value
from heats.base.text import make_encodable
from heats.errors import InvalidArgument

Library: TypeAlias = Literal["pandas", "polars"]
Frame: TypeAlias = Any  # of either library
Kind: TypeAlias = type[int] | type[float] | type[str] | type[object]


class Column(NamedTuple):
    """A title and a value per row; None, and NaN in an array, is not known. ``kind`` object: values of any kind."""

    title: str
    kind: Kind
    values: Sequence[Any] | AnyArray

    @property
    def plain(self) -> list[Any]:
        """The values as Python's own, None where they are not known, text as any file takes it."""
        if isinstance(self.values, np.ndarray):
            plain: list[Any] = self.values.tolist()
            return [None if value != value else value for value in plain] if self.values.dtype.kind == "f" else plain
        if self.kind is str:
            made = {value: None if value is None else make_encodable(value) for value in set(self.values)}
            return [made[value] for value in self.values]
        return list(self.values)


def guess_kind(values: Sequence[Any]) -> Kind:
    """Return what values, each of which may be None, have in common."""
    known = [value for value in values if value is not None]
    if known and all(isinstance(value, str) for value in known):
        return str
    if not known or not all(isinstance(value, (int, float)) and not is_bool(value) for value in known):
        return object
    if all(isinstance(value, int) for value in known):
        return int if all(-(2**63) <= value < 2**63 for value in known) else object
    return float


def make_frame(columns: Sequence[Column], library: Library | None = None) -> Frame:
    """Return the table as a frame of ``library``; if none is asked for, of pandas or else of polars."""
    asked = tuple(_MAKERS) if library is None else (one_of("library", library, tuple(_MAKERS)),)
    failures: list[str] = []
    for name in asked:
        try:
            module = import_module(name)
        except ImportError as error:
            failures.append(str(error))
            continue
        return _MAKERS[name](module, columns)
    raise InvalidArgument(
        f"a frame needs {' or '.join(asked)}, which cannot be imported ({'; '.join(failures)}); install it with: "
        f"pip install {asked[0]}"
    )


def _make_pandas(pandas: Any, columns: Sequence[Column]) -> Frame:
    return pandas.DataFrame({each.title: _make_pandas_series(pandas, each) for each in columns})


def _make_pandas_series(pandas: Any, column: Column) -> Any:
    values = column.values if isinstance(column.values, np.ndarray) else column.plain
    if column.kind is int:
        is_whole = isinstance(values, np.ndarray) or None not in values
        return pandas.Series(values, dtype="int64" if is_whole else "Int64")
    if column.kind is float:
        return pandas.Series(values, dtype="float64")
    if column.kind is str and any(value is not None for value in values):
        return pandas.Series(values)
    things = np.empty(len(values), dtype=object)  # else pandas would look into lists
    things[:] = values
    return pandas.Series(things).infer_objects()


def _make_polars(polars: Any, columns: Sequence[Column]) -> Frame:
    return polars.DataFrame([_make_polars_series(polars, each) for each in columns])


def _make_polars_series(polars: Any, column: Column) -> Any:
    values = column.plain
    if column.kind is not object:
        kinds = {int: polars.Int64, float: polars.Float64, str: polars.String}
        return polars.Series(column.title, values, dtype=kinds[column.kind])
    try:
        made = polars.Series(column.title, values)
        if made.dtype != polars.Object:
            return made
    except Exception:  # somebody else's values, of kinds that polars does not put into one column
        pass
    texts = [None if value is None else make_encodable(write_value(value)) for value in values]
    return polars.Series(column.title, texts, dtype=polars.String)


_MAKERS: dict[str, Callable[[Any, Sequence[Column]], Frame]] = {"pandas": _make_pandas, "polars": _make_polars}
