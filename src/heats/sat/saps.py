"""SAPS, Scaling and Probabilistic Smoothing (Hutter, Tompkins and Hoos, 2002): local search for a model of a formula.

A step flips the variable of an unsatisfied clause that lowers the weight of the unsatisfied clauses most. Where none
lowers it, a random variable is flipped (with probability ``wp``), or the weights change and nothing is flipped: with
probability ``ps`` all move towards their mean, and those of the unsatisfied clauses are multiplied by ``alpha``.
"""

from __future__ import annotations

import time
from ctypes import string_at
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

from heats.base import seeds
from heats.base.checks import between, one_of, whole
from heats.sat import kernel
from heats.sat.formula import Cnf
from heats.sat.parameters import Parameters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Smoothing: TypeAlias = Literal["additive", "convex"]

DEFAULT = Parameters()
SLICE_SECONDS = 0.05  # between two looks at whether somebody pressed Ctrl-C
MOST_STEPS = 2**62
FIRST_SLICE_STEPS = 100


class Result(NamedTuple):
    """How a run ended: steps = flips + null steps; the assignment is the model if solved, else where the run stands."""

    solved: bool
    steps: int
    flips: int
    null_steps: int
    values: bytes  # the assignment, a byte per variable: 1 true, 0 false
    seconds: float  # of CPU time

    @property
    def assignment(self) -> NDArray[np.bool_]:
        """The truth values of the variables."""
        import numpy as np

        return np.frombuffer(self.values, dtype=np.bool_)


def solve(
    cnf: Cnf,
    alpha: float = DEFAULT.alpha,
    rho: float = DEFAULT.rho,
    ps: float = DEFAULT.ps,
    wp: float = DEFAULT.wp,
    seed: int = 0,
    cutoff_steps: int = 1_000_000,
    smoothing: Smoothing = "additive",
) -> Result:
    """Search for a model for up to ``cutoff_steps`` steps. Equal seeds give equal runs, on every machine.

    ``smoothing="additive"`` adds (1 − rho)·mean to every weight; ``"convex"`` also multiplies it by rho first.
    """
    whole("cutoff_steps", cutoff_steps, 0, MOST_STEPS)
    return Saps(cnf, alpha, rho, ps, wp, seed, smoothing).run(cutoff_steps)


class Saps:
    """A run that can be continued: ``run(1000)`` twice is ``run(2000)``."""

    def __init__(
        self,
        cnf: Cnf,
        alpha: float = DEFAULT.alpha,
        rho: float = DEFAULT.rho,
        ps: float = DEFAULT.ps,
        wp: float = DEFAULT.wp,
        seed: int = 0,
        smoothing: Smoothing = "additive",
    ) -> None:
        one_of("smoothing", smoothing, get_args(Smoothing))
        self.cnf = cnf
        self.parameters = Parameters(
            between("alpha", alpha, 1, 1e6, why="weights of unsatisfied clauses must not fall"),
            between("rho", rho, 0, 1),
            between("ps", ps, 0, 1),
            between("wp", wp, 0, 1),
        )
        self._convex = smoothing == "convex"
        self._formula, word = cnf.arrays, seeds.fold_seed(seed)  # worked out before the clock starts, if need be
        started = time.thread_time()
        self._state = kernel.start_search(self._formula, word)
        self._seconds = time.thread_time() - started

    def run(self, steps: int) -> Result:
        """Take up to that many further steps and return where the run stands; a solved one stays as it is."""
        whole("steps", steps, 0, MOST_STEPS)
        started = time.thread_time()
        left = 0 if self._formula.n_empty else steps  # there is nothing to search for
        slice_steps = FIRST_SLICE_STEPS
        while left > 0 and self._state.n_unsatisfied:
            began = time.thread_time()
            kernel.search(self._formula, self._state, *self.parameters, self._convex, min(left, slice_steps))
            left -= slice_steps
            slice_steps = max(1, int(slice_steps * min(10.0, SLICE_SECONDS / max(time.thread_time() - began, 1e-9))))
        self._seconds += time.thread_time() - started
        return self._make_result()

    def _make_result(self) -> Result:
        state = self._state
        solved = state.n_unsatisfied == 0
        if solved and kernel.count_unsatisfied(self._formula, state):
            raise AssertionError("SAPS took for a model what is not one: a bug in heats, please report it.")
        values = string_at(state.truth, 2 * self.cnf.n_variables)[::2]
        return Result(solved, state.flips + state.null_steps, state.flips, state.null_steps, values, self._seconds)
