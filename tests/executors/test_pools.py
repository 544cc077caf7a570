"""loky's processes: the same report, also when one of them dies."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

import heats
from tests.journal.runs import find

loky = pytest.importorskip("loky", reason="loky is not installed: pip install loky")


@pytest.mark.parametrize("dies", [False, True], ids=["all live", "one dies"])
def test_loky_gives_the_same_report(dies: bool, tmp_path: Path) -> None:
    """Its pool breaks when a process dies; another one takes its place."""
    once = tmp_path / "died"

    def noisy(heat: tuple[int, ...], query: heats.Query) -> list[float]:
        if dies and query.id == 11 and not once.exists():
            once.touch()
            os._exit(1)
        draw = random.Random(query.seed)
        return [value + draw.gauss(0, 3) for value in heat]

    pool: Any = loky.get_reusable_executor(max_workers=2)
    assert find(compare=noisy, executor=pool).to_json() == find().to_json()
    assert once.exists() == dies
