"""Any value → a SHA-256 that is the same in another process: no id, no hash and no repr of an object goes into it.

Numbers, texts, arrays and tables count by their values, functions and classes by module and qualified name, estimators
by their class and parameters, everything else by the state that pickle would keep. What has no such state is refused.
"""

from __future__ import annotations

import copyreg
import hashlib
import pickle
import sys
from collections.abc import Iterable, Mapping, Sequence
from types import FunctionType, ModuleType, NoneType
from typing import Any

import numpy as np

from heats.base.text import describe_error, make_encodable
from heats.errors import InvalidArgument
from heats.journal.fingerprint import Candidate, qualify, take_fingerprints

BLOCK_BYTES = 1 << 24  # of an array are copied at a time
PLAIN_KINDS = "biufcmMSU"  # of arrays, which are nothing but the bytes of their values
LONG_DOUBLES = "gG"  # but for these, some of whose bytes mean nothing
CLONED_TOO = ("_metadata_request", "_sklearn_output_config")  # with an estimator, besides its parameters
WITHOUT_EFFECT = ("n_jobs", "verbose", "memory")  # parameters of scikit-learn's own estimators that change no result


def digest(name: str, value: Any) -> str:
    """Return the SHA-256 of a value, or refuse it by its name, with the part of it that has none."""
    try:
        return _digest(value, {}, whole=False)
    except _NoState as error:
        raise InvalidArgument(
            f"{name} has no fingerprint that would be the same in another run: it holds {error}. Use functions and "
            "classes that a module defines, and objects that can be pickled; or keep no journal."
        ) from None
    except RecursionError:
        raise InvalidArgument(
            f"{name} is nested too deeply to have a fingerprint; make it flatter, or keep no journal."
        ) from None


def take_digests(candidates: Sequence[Any], names: Sequence[str]) -> tuple[Candidate, ...]:
    """Return what candidates are known by: their JSON, else the SHA-256 of all that they hold."""
    return tuple(_identify(arm, each, name) for arm, (each, name) in enumerate(zip(candidates, names, strict=True)))


def _identify(arm: int, candidate: Any, name: str) -> Candidate:
    try:
        return take_fingerprints([candidate], [name], named=False)[0]
    except InvalidArgument:
        return Candidate(make_encodable(name), sha256=digest(f"candidate #{arm}", candidate))


class _NoState(Exception):  # it never leaves this file
    """Says what would not be the same in another process."""


def _digest(value: Any, around: dict[int, int], *, whole: bool) -> str:
    parts = _Parts(around, whole=whole)
    parts.add(value)
    return parts.sha256.hexdigest()


class _Parts:
    """Hashes a value part by part; every part says its kind and its length, so no two values have the same parts."""

    def __init__(self, around: dict[int, int], *, whole: bool) -> None:
        self.sha256 = hashlib.sha256()
        self._around = around  # values that are being added, by id, as each of them may hold itself
        self._whole = whole  # whether estimators count by their state: those that clone leaves as they are

    def add(self, value: Any) -> None:
        """Add any value."""
        if type(value) in (NoneType, bool, int):
            self._put(type(value).__name__, str(value))
        elif type(value) in (float, complex):
            self._put(type(value).__name__, f"{value.real.hex()} {value.imag.hex()}")
        elif type(value) is str:
            self._put("str", value)
        elif type(value) in (bytes, bytearray):
            self._put_bytes(type(value).__name__, value)
        elif id(value) in self._around:
            self._put("around", str(len(self._around) - self._around[id(value)]))
        else:
            self._around[id(value)] = len(self._around)
            self._add_parts(value)
            del self._around[id(value)]

    def _add_parts(self, value: Any) -> None:
        if type(value) in (list, tuple):
            self._add_all(type(value).__name__, value)
        elif type(value) is dict:
            self._add_dict("dict", value)
        elif type(value) in (set, frozenset):
            self._add_all(type(value).__name__, sorted(self._digest(each) for each in value))
        elif isinstance(value, (np.ndarray, np.generic)):
            self._add_array(value)
        elif (table := _take_table_apart(value)) is not None:
            self._add_all(type(value).__name__, table)
        elif isinstance(value, ModuleType):
            self._put("module", value.__name__)
        elif name := qualify(value):
            self._put("name", name)
        elif isinstance(value, (type, FunctionType)):
            raise _NoState(f"{value.__module__}.{value.__qualname__}, a name that several may have")
        elif value is np.random.mtrand._rand:
            self._put("name", "numpy.random")
        elif not self._whole and callable(getattr(value, "get_params", None)):
            self._add_estimator(value)
        else:
            self._add_state(value)

    def _digest(self, value: Any) -> str:
        return _digest(value, self._around, whole=self._whole)

    def _put(self, kind: str, text: str) -> None:
        self._put_bytes(kind, text.encode("utf-8", "surrogatepass"))

    def _put_bytes(self, kind: str, content: bytes) -> None:
        self.sha256.update(f"{kind} {len(content)} ".encode())
        self.sha256.update(content)

    def _add_all(self, kind: str, values: Iterable[Any]) -> None:
        held = list(values)
        self._put(kind, str(len(held)))
        for each in held:
            self.add(each)

    def _add_dict(self, kind: str, values: Mapping[Any, Any]) -> None:
        """Add a dict, whatever order it is in."""
        self._add_all(kind, sorted((self._digest(key), self._digest(value)) for key, value in values.items()))

    def _add_array(self, value: np.ndarray[Any, Any] | np.generic) -> None:
        """Add an array, whatever its order in memory; a part of a file is an array like others."""
        array = np.asarray(value)
        kind = "array" if type(value) in (np.ndarray, np.memmap) else type(value).__name__
        self._put(kind, f"{array.dtype.str} {array.shape}")
        if isinstance(value, np.ma.MaskedArray):
            self.add(np.ma.getmaskarray(value))
        if array.dtype.names is not None:
            for name in array.dtype.names:
                self._put("field", name)
                self._add_array(array[name])
        elif array.dtype.char in LONG_DOUBLES:
            self._add_all("long", [str(each) for each in array.ravel()])
        elif array.dtype.kind in PLAIN_KINDS:
            self._add_bytes(np.atleast_1d(array))
        else:
            self._add_all("objects", array.ravel().tolist())

    def _add_bytes(self, array: np.ndarray[Any, Any]) -> None:
        rows = max(1, BLOCK_BYTES * len(array) // max(array.nbytes, 1))
        for start in range(0, len(array) if array.nbytes else 0, rows):
            self.sha256.update(np.ascontiguousarray(array[start : start + rows]).reshape(-1).view(np.uint8).data)

    def _add_estimator(self, value: Any) -> None:
        """Add what ``clone`` keeps of an estimator: its parameters; all of one that clones itself in its own way."""
        clones = getattr(type(value), "__sklearn_clone__", None)
        if clones is not None and clones.__module__ != "sklearn.base":
            state = _Parts(self._around, whole=True)
            state._add_state(value)
            self._put("whole", state.sha256.hexdigest())
            return
        ignored = WITHOUT_EFFECT if type(value).__module__.startswith(("sklearn.", "heats.")) else ()
        parameters = {name: each for name, each in value.get_params(deep=False).items() if name not in ignored}
        self.add(type(value))
        self._add_dict("parameters", parameters)
        self._add_dict("cloned too", {name: getattr(value, name, None) for name in CLONED_TOO})

    def _add_state(self, value: Any) -> None:
        """Add what pickle would keep of an object."""
        try:
            reduce = copyreg.dispatch_table.get(type(value))
            state = value.__reduce_ex__(4) if reduce is None else reduce(value)
            if isinstance(state, str):
                pickle.dumps(value)  # refuses what its module does not hold by that name
        except RecursionError:
            raise
        except Exception as error:  # whatever an object raises that cannot be pickled
            raise _NoState(f"a {type(value).__name__} that cannot be pickled ({describe_error(error)})") from None
        if isinstance(state, str):
            self._put("name", f"{getattr(value, '__module__', None)}.{state}")
            return
        function, arguments, *more = state
        self._add_all("state", [function, *arguments])
        for part, each in zip(("attributes", "items", "pairs"), more, strict=False):
            if part == "attributes" or each is None:
                self._put(part, "")
                self.add(each)
            else:
                self._add_all(part, each)


def _take_table_apart(value: Any) -> list[Any] | None:
    """Return a sparse matrix, or a table or column of pandas or polars, as arrays and plain data; None of all else."""
    sparse, pandas, polars = (sys.modules.get(name) for name in ("scipy.sparse", "pandas", "polars"))
    if sparse is not None and sparse.issparse(value):
        entries = value.tocoo()
        return [value.shape, *getattr(entries, "coords", (entries.row, entries.col)), entries.data]
    if pandas is not None:
        if isinstance(value, pandas.DataFrame):
            return [value.index, value.columns, *(_take_column_apart(column) for _, column in value.items())]
        if isinstance(value, pandas.Series):
            return [value.name, value.index, _take_column_apart(value)]
        if isinstance(value, pandas.MultiIndex):
            return [value.get_level_values(level) for level in range(value.nlevels)]
        if isinstance(value, pandas.Index):
            return [value.name, _take_column_apart(value)]
    if polars is not None:
        if isinstance(value, polars.DataFrame):
            return list(value.get_columns())
        if isinstance(value, polars.Series):
            has_numbers = value.dtype.is_numeric() and not value.null_count()
            return [value.name, str(value.dtype), value.to_numpy() if has_numbers else value.to_list()]
    return None


def _take_column_apart(column: Any) -> list[Any]:
    """Return the values of a column of pandas, with their type: categories have an order, and may not all be there."""
    kind = str(column.dtype)
    if kind == "category":
        held = column.array
        return [kind, held.categories, held.ordered, held.codes]
    return [kind, column.to_numpy() if isinstance(column.dtype, np.dtype) else column.to_numpy(dtype=object)]
