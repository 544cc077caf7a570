"""Formulas of all shapes through every entry point of the kernel, compiled so that the first wrong access ends it.

As a program, ``python -m tests.sat.sanitized LIBRARY SEED COUNT``, it solves them with that library and prints what it
found, a line each.
"""

from __future__ import annotations

import ctypes
import os
import random
import subprocess
import sys
from pathlib import Path

from heats.sat import library
from heats.sat.dimacs import parse_content
from heats.sat.formula import Cnf

FLAGS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
SETTINGS = {
    "PYTHONMALLOC": "malloc",  # every array is watched on its own
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=0",  # Python itself leaks
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
SIZES = [0, 1, 1, 2, 3, 5, 6, 8, 9, 16, 17, 33, 64, 65, 129, 2**12 + 1, 2**17 + 1]


def compile_sanitized(folder: Path) -> tuple[Path, dict[str, str]] | str:
    """Return a sanitized kernel and the environment to load it in, or why there is none."""
    path, why = folder / "sanitized.so", "there is no C compiler here"
    for compiler in library.list_compilers():
        command = [*compiler, *library.OPTIONS, *FLAGS, "-o", str(path), library.SOURCE]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = subprocess.run([*compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=False)
        runtime = found.stdout.strip()
        if done.returncode == 0 and os.path.isabs(runtime):  # noqa: PTH117  # a bare name if there is none
            return path, {**os.environ, **SETTINGS, "LD_PRELOAD": runtime}
        why = f"no compiler here has an address sanitizer: {(done.stderr or runtime).strip()[:200]}"
    return why


def solve_sanitized(made: tuple[Path, dict[str, str]], seed: int, count: int) -> subprocess.CompletedProcess[str]:
    """Solve ``count`` formulas, of this seed and those that follow, with a sanitized kernel."""
    command = [sys.executable, "-m", "tests.sat.sanitized", str(made[0]), str(seed), str(count)]
    here = Path(__file__).parents[2]
    return subprocess.run(command, env=made[1], cwd=here, capture_output=True, text=True, errors="replace", check=False)


def solve_any(seed: int) -> str:
    """Draw a formula and parameters, search in pieces, count again; return where the run stands."""
    from heats.sat import kernel
    from heats.sat.saps import Saps

    draw = random.Random(seed)
    cnf = draw_formula(draw)
    parameters = (
        draw.choice([1, 1.01, 1.189, 1.3, 3, 1000, 1e6]),
        draw.choice([0, 0.5, 0.8, 1]),
        draw.choice([0, 0.05, 0.5, 1]),
        draw.choice([0, 0.01, 0.3, 1]),
    )
    convex = draw.random() < 0.5
    run = Saps(cnf, *parameters, seed=draw.randrange(2**64), smoothing="convex" if convex else "additive")
    for _ in range(draw.randrange(4)):
        found = run.run(draw.choice([0, 1, 7, 1001, 3000]))
    kernel.search(cnf.arrays, run._state, *parameters, convex, 20)  # what Saps spares formulas with an empty clause
    found = run.run(0)
    left = kernel.count_unsatisfied(cnf.arrays, run._state)
    assert (left == 0) == found.solved
    return f"{cnf.n_variables} {cnf.arrays.n_clauses} {found.steps} {found.flips} {left} {found.values.count(1)}"


def draw_formula(draw: random.Random) -> Cnf:
    """Draw a formula: any sizes, long and empty clauses, few variables far apart; as a list, a file or a plain file."""
    n = draw.choice(SIZES) if draw.random() < 0.9 else draw.randrange(300)
    near = sorted({v for v in (1, 2, 3, n // 2, n - 2, n - 1, n) if 1 <= v <= n})  # sparse, and far apart
    lengths = draw.choice([[1], [2], [3], [1, 2, 3], [0, 1, 2, 3], [4, 5, 7], [3, 40]])
    dense = draw.random() < 0.5

    def draw_variable() -> int:
        return draw.randint(1, n) if dense else draw.choice(near)

    def draw_clause() -> list[int]:
        literals = [draw_variable() * draw.choice((1, -1)) for _ in range(draw.choice(lengths) if n else 0)]
        if draw.random() < 0.9:  # else with whatever stands in it twice, in one sign or both
            literals = list({abs(literal): literal for literal in literals}.values())
        return literals

    clauses = [draw_clause() for _ in range(draw.choice([0, 1, 2, 5, 20, 100]) if n else draw.randrange(3))]
    if n and draw.random() < 0.5:  # without a model, so that it is searched for as long as allowed
        clauses += [[one := draw_variable()], [-one]]
    form = draw.randrange(3)
    if form == 0:
        return Cnf(n, clauses)
    rows = [" ".join(map(str, (*clause, 0))) for clause in clauses]
    comment = "c after the header\n" if form == 1 else ""  # not a plain file then
    return parse_content(f"p cnf {n} {len(clauses)}\n{comment}{chr(10).join(rows)}\n".encode())


if __name__ == "__main__":
    path, first, count = sys.argv[1:]
    library.load_library = lambda: ctypes.CDLL(path)
    for seed in range(int(first), int(first) + int(count)):
        print(f"{seed}:", end=" ", flush=True)  # is the last word if that one breaks it
        print(solve_any(seed), flush=True)
