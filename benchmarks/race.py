"""Races of real programs: what running them costs on top of the programs themselves."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row, seconds
from heats.race.processes import Guardian, Job
from heats.race.run import begin_race
from heats.race.scenario import load_scenario

HEATS = 50
SCENARIO = """
[race]
command = ["PROGRAM", "{nap}"]
budget = HEATS
cutoff = "10s"
mode = "parallel"
heat_size = 2
slots = 2
[[candidates]]
nap = 0.1
[[candidates]]
nap = 5
"""


def rows() -> Iterator[Row]:
    """Measure everything."""
    elapsed, fastest, latencies = _race("sleep")
    what = f"wall time of a race over the sum of its fastest runs: {HEATS} heats, k = 2, 100 ms"
    yield Row(f"{what} ({os.cpu_count()} cores)", f"{elapsed / fastest:.3f}", "≤ 1.05")
    yield Row(f"from the first finisher's end to the last loser's, median of {len(latencies)}: ms",
              f"{1000 * sorted(latencies)[len(latencies) // 2]:.2f}", "")  # fmt: skip
    yield Row("a heat of programs that do nothing: ms", f"{1000 * _race('true')[0] / HEATS:.1f}", "≤ 10")
    yield Row("a racing program printing 1 GB, over the same into cat", f"{_printing():.2f}", "≤ 1.2")


def _race(program: str) -> tuple[float, float, list[float]]:
    """Return how long a race took, the sum of its fastest runs, and how long losers lived on."""
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / "race.toml"
        scenario.write_text(SCENARIO.replace("PROGRAM", program).replace("HEATS", str(HEATS)))
        journal = Path(folder) / "race.jsonl"
        found = begin_race(load_scenario(scenario), {}, journal).result
        fastest, latencies = _measured(journal)
    assert found.report.spent == HEATS
    assert found.run is not None
    return found.run.elapsed_seconds, fastest, latencies


def _printing() -> float:
    """Return how much longer a program takes to print when it races."""
    script = "head -c 1000000000 /dev/zero"
    job = Job(argv=("sh", "-c", script), cwd="/", limit=60, wall_limit=60, clock="wall", keep=10_000, memory=None,
              patterns=("s UNKNOWN",))  # fmt: skip
    guardian = Guardian(0)
    try:
        ours = seconds(lambda: guardian.run([job]), tries=3)
        theirs = seconds(lambda: subprocess.run(["sh", "-c", f"({script}) | cat > /dev/null"], check=True), tries=3)
    finally:
        guardian.close()
    return ours / theirs


def _measured(journal: Path) -> tuple[float, list[float]]:
    """Return the sum of the fastest times, and the kill latencies."""
    import msgspec

    events = [msgspec.json.decode(line) for line in journal.read_bytes().splitlines()]
    runs = [event["notes"]["runs"] for event in events if event["event"] == "told"]
    fastest = sum(min(run["seconds"] for run in heat if run["verdict"] == "finished") for heat in runs)
    return fastest, [run["kill_latency"] for heat in runs for run in heat if "kill_latency" in run]
