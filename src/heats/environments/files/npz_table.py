"""Tables as NumPy archives: arrays called runtime, score, loss or rankings, and the arms' names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from heats.base.arrays import AnyArray, Array
from heats.environments.arguments import check_mask, to_numbers
from heats.environments.files.opening import MOST_FILE_BYTES, read_arrays
from heats.environments.files.worlds import make_runtime_world, make_score_world
from heats.environments.protocol import Environment
from heats.environments.tables import Rankings
from heats.errors import BrokenFile

Arrays = dict[str, AnyArray]
NAME_KEYS = ("algorithms", "models", "items", "keys", "configs", "names")
SCORE_KEYS = ("score", "scores", "loss")


def read_npz(path: Path, feedback: Any = None, max_bytes: int = MOST_FILE_BYTES) -> Environment:
    """Read an array called runtime (with solved, cutoff), score, loss or rankings; names from a text array."""
    arrays = read_arrays(path, max_bytes)
    if "runtime" in arrays:
        return _make_runtimes(path, arrays, feedback)
    if "rankings" in arrays:
        orders = to_numbers("rankings", arrays["rankings"])
        told: Any = "ranking" if feedback is None else feedback
        return Rankings(orders, find_names(arrays, orders), told)
    for key in SCORE_KEYS:
        if key in arrays:
            values = to_numbers(key, arrays[key])
            if values.ndim == 3:  # data set, arm, repetition
                values = np.moveaxis(values, 1, -1).reshape(-1, values.shape[1])
            return make_score_world(values, find_names(arrays, values), feedback, losses=key == "loss")
    found = ", ".join(arrays) or "nothing"
    raise BrokenFile(f"{path} has {found}; expected an array called runtime, score, loss or rankings.")


def _make_runtimes(path: Path, arrays: Arrays, feedback: Any) -> Environment:
    times = to_numbers("runtime", arrays["runtime"])
    solved = check_mask("solved", arrays.get("solved", ~np.isnan(times)), times.shape, "runtime")
    cutoff = to_numbers("cutoff", arrays.get("cutoff", times[solved].max(initial=0)))
    if cutoff.size != 1:
        raise BrokenFile(f"{path} has {cutoff.size} numbers called cutoff; expected one.")
    return make_runtime_world(times, solved, cutoff.item(), find_names(arrays, times), feedback)


def find_names(arrays: Arrays, table: Array) -> list[str] | None:
    """Return the names of the table's columns, if one of the arrays has as many."""
    for key in NAME_KEYS:
        if key in arrays and arrays[key].shape == table.shape[-1:]:
            return [str(name) for name in arrays[key]]
    return None
