"""An earlier version beside the present one, in one run: ``python -m benchmarks.against REVISION`` (default: HEAD~1).

Each measurement runs in turn in a copy of the earlier tree and in this one; the shortest CPU time of each counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TURNS = 3
ROOT = Path(__file__).parents[1]

# What is measured, by public names that both versions have; every line prints a name and CPU seconds.
SCRIPT = """
import json, time
import heats
from heats.environments import Gaussian, Winners

REWARDS = {size: [i / 7 for i in range(size)] for size in range(2, 11)}

def play(plan):
    return finish(heats.Tournament(plan, seed=1))

def finish(machine):
    while query := machine.ask():
        machine.tell(query, REWARDS[len(query.arms)])
    return machine

def measure(work, tries):
    best = float("inf")
    for _ in range(tries):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best

plan, world, fifty = heats.plan(100, 4, 500, "csh"), Gaussian(100), Gaussian(50)
fitted = heats.Plan.from_json(PLAN)
least = sum(each.heats for each in heats.plan(10**6, 10, 10**9, "csh").rounds)
million = heats.plan(10**6, 10, least, "csh")
small = heats.plan(500, 4, 2000, "csh")
played = finish(heats.Adaptive(50, 4, 500))

def measure_saps():
    try:
        from heats.sat import saps, swgcp
    except heats.errors.HeatsError:  # versions before the kernel was in C need numba for it
        return {}
    cnfs = [swgcp.make_instance(i, 1, swgcp.Family(n, n)).cnf for n in (60, 80, 100) for i in range(3)]
    names = {"AClib": (1.189, 0.5, 0.1, 0.03), "2002": (1.3, 0.8, 0.05, 0.01)}
    return {
        f"SAPS, colouring graphs of 60 to 100 vertices, parameters of {name}":
            measure(lambda: [saps.solve(cnf, *chosen, 0, 100_000) for cnf in cnfs], 3)
        for name, chosen in names.items()
    }

print(json.dumps(measure_saps() | {
    "ask + tell, n = 500, k = 4, B = 2000": measure(lambda: play(small), 15),
    "ask + tell, n = 10^6, k = 10, each heat once": measure(lambda: play(million), 1),
    "ask + tell, adaptive, n = 50, k = 4, B = 500": measure(lambda: finish(heats.Adaptive(50, 4, 500)), 5),
    "standings of a tournament, n = 500, B = 2000": measure(lambda: play(small).standings(), 3),
    "standings of adaptive play": measure(lambda: played.standings(), 9),
    "simulate, adaptive: rewards": measure(lambda: heats.simulate(heats.Adaptive(50, 4, 500), fifty, 256), 2),
    "simulate, adaptive: winners": measure(lambda: heats.simulate(heats.Adaptive(50, 4, 500), Winners(fifty), 256), 2),
    "simulate, n = 100, k = 4, B = 500: means of rewards": measure(lambda: heats.simulate(plan, world, 2048), 4),
    "simulate: winners of rewards": measure(lambda: heats.simulate(plan, Winners(world), 2048), 4),
    "simulate: rewards scored by win_rate":
        measure(lambda: heats.simulate(plan, world, 1024, statistic=heats.win_rate), 4),
    "simulate: planned with a fitted record": measure(lambda: heats.simulate(fitted, Winners(world), 1024), 3),
}))
"""


def main(revision: str) -> None:
    """Print how many times as fast this version is."""
    import heats

    fields = json.loads(heats.plan(100, 4, 500, feedback="winner").to_json())
    fields.pop("feedback", None)  # an earlier version does not know it
    script = SCRIPT.replace("PLAN", repr(json.dumps(fields)))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "worktree", "add", "--detach", folder, revision], cwd=ROOT, check=True)
        try:
            pairs = [(_run(Path(folder), script), _run(ROOT, script)) for _ in range(TURNS)]
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", folder], cwd=ROOT, check=True)
    print(f"{'times as fast':>13}  {'before':>9}  {'now':>9}  CPU seconds of")
    for name in pairs[0][0]:
        before, now = (min(pair[side][name] for pair in pairs) for side in (0, 1))
        print(f"{before / now:13.2f}  {before:9.4f}  {now:9.4f}  {name}")


def _run(tree: Path, script: str) -> dict[str, float]:
    environment = {**os.environ, "PYTHONPATH": str(tree / "src")}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "HEAD~1")
