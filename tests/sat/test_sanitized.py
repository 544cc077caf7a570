"""The kernel never touches what is not its own: compiled with sanitizers, on formulas of all shapes."""

from __future__ import annotations

from pathlib import Path

import pytest

from heats.errors import InvalidArgument
from heats.sat.formula import MOST_VARIABLES, Cnf
from heats.sat.saps import solve
from tests.sat.sanitized import compile_sanitized, solve_any, solve_sanitized

FORMULAS = 3000


@pytest.mark.slow
def test_no_formula_reaches_beyond_the_arrays(tmp_path: Path) -> None:
    """Nor overflows a number; and what is found is what the usual kernel finds."""
    made = compile_sanitized(tmp_path)
    if isinstance(made, str):
        pytest.skip(made)
    done = solve_sanitized(made, 0, FORMULAS)
    assert (done.returncode, done.stderr[:3000]) == (0, ""), done.stdout[-200:]
    assert done.stdout.splitlines() == [f"{seed}: {solve_any(seed)}" for seed in range(FORMULAS)]


@pytest.mark.parametrize("n", [6, 2**10 + 1, 2**20 + 1])
def test_many_true_literals_of_large_variables(n: int) -> None:
    """Their exclusive or is no variable; where it was taken for one, a search ended with a segmentation fault."""
    pairs = [(a * n, b * (n - 1)) for a in (1, -1) for b in (1, -1)]
    cnf = Cnf(n, [[*pair, i] for i in range(2, min(12, n - 1)) for pair in pairs] + [[1], [-1]])
    for seed in range(5):
        found = solve(cnf, seed=seed, cutoff_steps=5000)
        assert (found.solved, found.steps) == (False, 5000)


def test_more_variables_than_fit_are_refused() -> None:
    """As in a file, so that what is written can be read."""
    assert Cnf(MOST_VARIABLES, []).n_variables == MOST_VARIABLES
    with pytest.raises(InvalidArgument, match=f"n_variables={2**30} must be from 0 to {MOST_VARIABLES}"):
        Cnf(2**30, [])
