"""Ctrl-C at any moment, while a command is being loaded or deep in compiled code: exit code 130, one word, no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from heats.sat.dimacs import write_dimacs
from heats.sat.formula import Cnf

# Interrupts itself when a module is about to be imported, as if Ctrl-C was pressed right there.
INTERRUPTED_IMPORT = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
sys.argv = ["heats", *{arguments!r}]
from heats.cli import main
main()
"""

READY = """
import sys
from heats.cli import main

print("ready", flush=True)
sys.argv = ["heats", *{arguments!r}]
main()
"""

# Colours a graph that cannot be, which a solver takes for ever to find out: 12 vertices, all joined, with 11 colours.
HARD_TO_COLOUR = """
import numpy as np
from heats.sat import swgcp

swgcp._find_clique = lambda edges, n_vertices: []
swgcp.MOST_CONFLICTS = 10**9
print("ready", flush=True)
try:
    swgcp._is_colourable(np.array([(v, w) for w in range(12) for v in range(w)]), 12, 11)
except KeyboardInterrupt:
    print("interrupted")
"""

pytestmark = pytest.mark.slow  # a process for every moment


def run_python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def interrupt(code: str, folder: Path, seconds: float) -> tuple[int, str, str]:
    """Run code and press Ctrl-C that many seconds after it said that it is ready."""
    command = [sys.executable, "-c", code]
    running = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        time.sleep(seconds)
        running.send_signal(signal.SIGINT)
        try:
            out, err = running.communicate(timeout=60)
        finally:
            running.kill()
    return running.returncode, out, err


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a formula that has no model, so that one looks for it for ever, and a large one."""
    write_dimacs(Cnf(2, [[1, 2], [1, -2], [-1, 2], [-1, -2]]), tmp_path / "hard.cnf")
    n = 100_000
    clauses = [[v + 1, -((v * 7 + 1) % n + 1), (v * 13 + 5) % n + 1] for v in range(n)]
    write_dimacs(Cnf(n, [*clauses, [1], [-1]]), tmp_path / "large.cnf")
    return tmp_path


SAPS = ["saps", "hard.cnf", "--cutoff-steps", str(10**15)]
SWGCP = ["swgcp", "--count", "100000", "--out", "new"]


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("heats.sat.command", SAPS),
        ("ctypes", SAPS),
        ("heats.sat.kernel", SAPS),
        ("numpy", SWGCP),
        ("heats.cli.app", SWGCP),
        ("typer", SWGCP),
        ("heats.sat.swgcp", SWGCP),
        ("pysat.solvers", SWGCP),
        ("pysolvers", SWGCP),
    ],
)
def test_while_something_is_imported(folder: Path, module: str, arguments: list[str]) -> None:
    """Whatever that is."""
    done = run_python(INTERRUPTED_IMPORT.format(module=module, arguments=arguments), folder)
    assert done.stderr == "heats: interrupted.\n"
    assert (done.returncode, done.stdout) == (130, "")


@pytest.mark.parametrize("name", ["hard.cnf", "large.cnf"])
@pytest.mark.parametrize("seconds", [0.05, 0.15, 0.5, 1.5, 3])  # earlier it may not even have called main
def test_while_saps_searches(folder: Path, name: str, seconds: float) -> None:
    """However large the formula is."""
    code = READY.format(arguments=["saps", name, "--cutoff-steps", str(10**15)])
    assert interrupt(code, folder, seconds) == (130, "", "heats: interrupted.\n")


@pytest.mark.parametrize("seconds", [0.05, 0.3, 1.5])
def test_while_instances_are_made(folder: Path, seconds: float) -> None:
    """In our code or in a solver's."""
    assert interrupt(READY.format(arguments=SWGCP), folder, seconds) == (130, "", "heats: interrupted.\n")


def test_while_a_solver_solves(folder: Path) -> None:
    """It has an error of its own for that."""
    assert interrupt(HARD_TO_COLOUR, folder, 1) == (0, "interrupted\n", "")


def test_a_module_is_run(folder: Path) -> None:
    """``python -m heats`` is the command line, too: here from the first moment it can be."""
    command = [sys.executable, "-v", "-m", "heats", *SAPS]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        for line in running.stderr:
            if "import 'heats.base.interrupts'" in line:
                running.send_signal(signal.SIGINT)
                break
        rest = running.stderr.read()
    assert running.returncode == 130
    assert "Traceback" not in rest
    assert rest.endswith("heats: interrupted.\n")


def test_a_command_in_the_background_stays(folder: Path) -> None:
    """Where interrupts are ignored, they are: shells start background jobs this way."""
    code = "import os, signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    code += READY.format(arguments=["saps", "hard.cnf", "--cutoff-steps", "100000"])
    status, out, err = interrupt(code, folder, 0.1)
    assert (status, out.splitlines()[-1], err) == (0, "s UNKNOWN", "")


def test_libraries_are_left_alone() -> None:
    """To import heats changes nothing about signals."""
    code = "import signal; old = signal.getsignal(signal.SIGINT); import heats; print(signal.getsignal(signal.SIGINT) is old)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
    environment = os.environ | {"PYTHONSTARTUP": ""}
    done = subprocess.run([sys.executable, "-m", "timeit", "-n", "1", "-r", "1", "-s", code, "pass"], env=environment, capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout.startswith("True\n")
