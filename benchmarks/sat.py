"""SAPS: steps per second on instances of 400 to 600 variables, and what a call costs beside them."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.sat import slow_saps

from benchmarks.measure import Row, command_seconds, python, seconds
from heats.sat import saps, swgcp
from heats.sat.dimacs import write_dimacs
from heats.sat.formula import Cnf
from heats.sat.parameters import Parameters

OF_2002 = Parameters(1.3, 0.8, 0.05, 0.01)


def rows() -> Iterator[Row]:
    """Measure everything."""
    problems = [swgcp.make_instance(number, 1, swgcp.Family(80, 80)).cnf for number in range(10)]
    fast = _speed(problems, saps.DEFAULT)
    yield Row("SAPS, 480 variables, AClib's parameters: millions of steps a second", f"{fast / 1e6:.1f}", "≥ 5")
    yield Row("the same, those of 2002", f"{_speed(problems, OF_2002) / 1e6:.1f}", "≥ 5")
    slow = seconds(lambda: slow_saps.solve(problems[0], *saps.DEFAULT, 1, 40), 2) / 40
    yield Row("times faster than counting anew at every step, in Python", f"{fast * slow:.0f}", "≥ 1000")
    call = seconds(lambda: [saps.solve(problems[0], cutoff_steps=0) for _ in range(200)]) / 200
    yield Row(f"steps in the time a call takes beside them ({call * 1e6:.0f} µs)", f"{call * fast:.0f}", "≤ 1000")
    yield from _start(problems[0])


def _start(cnf: Cnf) -> Iterator[Row]:
    """Compare a whole run of one step with Python's own start."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.cnf"
        write_dimacs(cnf, path)
        line = [str(Path(sys.executable).with_name("heats")), "saps", str(path), "--cutoff-steps", "1"]
        ours, bare = command_seconds(line, python("pass"))
    yield Row(f"heats saps, one step, over an empty Python program ({ours * 1000:.0f} ms)", f"{ours / bare:.1f}", "≤ 6")


def _speed(problems: list[Cnf], parameters: Parameters) -> float:
    """Return steps per second of CPU time."""
    found = [saps.solve(cnf, *parameters, seed, 200_000) for cnf in problems for seed in range(3)]
    return sum(each.steps for each in found) / sum(each.seconds for each in found)
