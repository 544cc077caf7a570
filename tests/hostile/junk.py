"""Whatever a caller may hand over by mistake, shared by the tests."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st


class Rude:
    """Raises whatever it is asked."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    __hash__ = None  # type: ignore[assignment]


JUNK: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    2,
    3,
    2**63,
    2**64,
    10**16,
    10**5000,
    -(10**5000),
    0.5,
    float("nan"),
    float("inf"),
    1e308,
    "",
    "x",
    "a\0b",
    "\udcff",
    b"x",
    [],
    [1, 2],
    ["a", 1],
    [[]],
    {},
    {"a": 1},
    (),
    set(),
    np.array([]),
    np.array([1, 2, 3]),
    np.array([[1.0, 2.0]]),
    np.array(["a", "b"]),
    np.float32(1.5),
    np.int64(3),
    np.bool_(True),
    Fraction(1, 3),
    1j,
    object(),
    Rude(),
    int,
    len,
    lambda *_: None,
]

junk = st.sampled_from(JUNK)
