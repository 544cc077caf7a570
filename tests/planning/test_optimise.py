"""What planned tournaments spend pulls on."""

from __future__ import annotations

import numpy as np
import pytest

import heats
from heats.base.arrays import Array
from heats.planning import optimise


def test_gains_look_a_quarter_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gain of a pull is that of a quarter more evidence, or of two pulls: of one pull the tables hardly say it."""
    asked: list[tuple[float, ...]] = []
    interpolate = optimise.interpolate_rows

    def record(table: Array, at_pulls: Array, at: Array) -> Array:
        asked.append(tuple(np.asarray(at).tolist()))
        return interpolate(table, at_pulls, at)

    monkeypatch.setattr(optimise, "interpolate_rows", record)
    heats.plan(30, 3, 1234, feedback="winner")
    pairs = list(zip(asked[::2], asked[1::2], strict=True))
    assert max(now[0] for now, _ in pairs) > 8  # else all would look two pulls ahead
    for now, then in pairs:
        assert then == pytest.approx([each + max(2.0, each / 4) for each in now])
