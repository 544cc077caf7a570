"""The shapes of data that every room shares."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]  # of arms, heats or pulls
Mask: TypeAlias = NDArray[np.bool_]
Words: TypeAlias = NDArray[np.uint64]  # random bits
Order: TypeAlias = NDArray[np.intp]  # positions, as argsort returns them
AnyArray: TypeAlias = NDArray[Any]
