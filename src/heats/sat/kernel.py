"""The inner loop of SAPS, compiled. All state is in arrays held by the caller, so a run can stop anywhere and go on.

What makes a step cheap: of every clause the number of its true literals is known and, where it is one, which; of
every variable the score (the weight that flipping it would break less the weight it would make), and of how many
clauses each is. Then a flip touches the clauses of one variable only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from heats.errors import InvalidArgument
from heats.sat.formula import Arrays

try:
    import numba
    from numba import types
except ImportError:
    raise InvalidArgument("SAPS is compiled by numba; install it with: pip install numba") from None

LEAST_IMPROVEMENT = -0.1  # a flip that lowers the weight by no more than 0.1 does not count as an improvement
HEAVIEST_WEIGHT = 1000.0  # where an unsatisfied clause weighs more, all are divided by this before they are scaled
REFRESH_STEPS = 1000  # after these, scores are summed up again, because rounding errors gather
TIE = 1e-13  # scores that differ relatively by less are equal except for rounding

UNSATISFIED, OPEN, FLIPS, NULL_STEPS = range(4)  # places in ``counts``


class State(NamedTuple):
    """Where a run stands."""

    values: NDArray[np.int8]  # by variable: 1 true, 0 false
    scores: NDArray[np.float64]
    makes: NDArray[np.int32]  # unsatisfied clauses it is in
    breaks: NDArray[np.int32]  # clauses that only it satisfies
    opened: NDArray[np.int32]  # the variables of unsatisfied clauses, in the first places
    place_opened: NDArray[np.int32]
    ties: NDArray[np.int32]  # room for the best of them
    weights: NDArray[np.float64]  # by clause
    true: NDArray[np.int32]  # how many of its literals are
    keeper: NDArray[np.int32]  # exclusive or of the variables of its true literals: where it is one, that variable
    unsatisfied: NDArray[np.int32]  # the unsatisfied clauses, in the first places
    place_unsatisfied: NDArray[np.int32]
    counts: NDArray[np.int64]
    total: NDArray[np.float64]  # weight of all clauses
    random: NDArray[np.uint64]

    @classmethod
    def allocate(cls, n_variables: int, n_clauses: int, seed: np.uint64) -> State:
        """Return room for a run; ``start_search`` fills it."""

        def by_variable() -> NDArray[np.int32]:
            return np.zeros(n_variables, dtype=np.int32)

        def by_clause() -> NDArray[np.int32]:
            return np.zeros(n_clauses, dtype=np.int32)

        return cls(
            values=np.zeros(n_variables, dtype=np.int8),
            scores=np.zeros(n_variables),
            makes=by_variable(),
            breaks=by_variable(),
            opened=by_variable(),
            place_opened=by_variable(),
            ties=by_variable(),
            weights=np.ones(n_clauses),
            true=by_clause(),
            keeper=by_clause(),
            unsatisfied=by_clause(),
            place_unsatisfied=by_clause(),
            counts=np.zeros(4, dtype=np.int64),
            total=np.zeros(1),
            random=np.array([seed], dtype=np.uint64),
        )


F = TypeVar("F", bound=Callable[..., Any])


def _compile(*signature: Any) -> Callable[[F], F]:
    """Compile at once, and keep the machine code for the next process where there is a place to write it to."""

    def compile_function(function: F) -> F:
        try:
            made: F = numba.njit(*signature, cache=True, nogil=True)(function)
        except RuntimeError:  # neither beside this file nor in the user's cache folder
            made = numba.njit(*signature, nogil=True)(function)
        return made

    return compile_function


_READ_ONLY = types.Array(numba.int32, 1, "C", readonly=True)
_ARRAYS = types.NamedUniTuple(_READ_ONLY, 4, Arrays)
_STATE = numba.typeof(State.allocate(1, 1, np.uint64(0)))


@_compile()
def _draw_word(random: NDArray[np.uint64]) -> Any:
    """Return the next 64 random bits (splitmix64)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    word = random[0]
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@_compile()
def _draw_unit(random: NDArray[np.uint64]) -> Any:
    """Return a random number in [0, 1)."""
    return np.float64(_draw_word(random) >> np.uint64(11)) * 2.0**-53


@_compile()
def _draw_below(limit: int, random: NDArray[np.uint64]) -> Any:
    """Return a random whole number in 0..limit-1."""
    return np.int64(_draw_unit(random) * limit)


@_compile()
def _sum_scores(formula: Arrays, state: State) -> None:
    """Sum up the scores and the total weight from the weights."""
    state.scores[:] = 0.0
    state.total[0] = 0.0
    for clause in range(state.weights.size):
        weight = state.weights[clause]
        state.total[0] += weight
        if state.true[clause] == 0:
            for at in range(formula.starts[clause], formula.starts[clause + 1]):
                state.scores[formula.literals[at] >> 1] -= weight
        elif state.true[clause] == 1:
            state.scores[state.keeper[clause]] += weight


@_compile()
def _add_unsatisfied(formula: Arrays, state: State, clause: int) -> None:
    """Put a clause on the list of the unsatisfied, and its variables on theirs."""
    size = state.counts[UNSATISFIED]
    state.unsatisfied[size] = clause
    state.place_unsatisfied[clause] = size
    state.counts[UNSATISFIED] = size + 1
    weight = state.weights[clause]
    for at in range(formula.starts[clause], formula.starts[clause + 1]):
        variable = formula.literals[at] >> 1
        state.scores[variable] -= weight
        if state.makes[variable] == 0:
            state.opened[state.counts[OPEN]] = variable
            state.place_opened[variable] = state.counts[OPEN]
            state.counts[OPEN] += 1
        state.makes[variable] += 1


@_compile()
def _remove_unsatisfied(formula: Arrays, state: State, clause: int) -> None:
    """Take a clause off the list; the last of a list fills the gap."""
    size = state.counts[UNSATISFIED] - 1
    last = state.unsatisfied[size]
    gap = state.place_unsatisfied[clause]
    state.unsatisfied[gap] = last
    state.place_unsatisfied[last] = gap
    state.counts[UNSATISFIED] = size
    weight = state.weights[clause]
    for at in range(formula.starts[clause], formula.starts[clause + 1]):
        variable = formula.literals[at] >> 1
        state.scores[variable] += weight
        state.makes[variable] -= 1
        if state.makes[variable] == 0:
            state.counts[OPEN] -= 1
            last = state.opened[state.counts[OPEN]]
            gap = state.place_opened[variable]
            state.opened[gap] = last
            state.place_opened[last] = gap


@_compile()
def _flip(formula: Arrays, state: State, variable: int) -> None:
    """Flip a variable: count again in its clauses, first those it makes true, then those it no longer does."""
    fresh = 2 * variable + state.values[variable]  # the literal that becomes true
    stale = fresh ^ 1
    state.values[variable] ^= 1
    for at in range(formula.uses[fresh], formula.uses[fresh + 1]):
        clause = formula.clauses[at]
        if state.true[clause] == 0:
            _remove_unsatisfied(formula, state, clause)
            state.breaks[variable] += 1
            state.scores[variable] += state.weights[clause]
        elif state.true[clause] == 1:
            keeper = state.keeper[clause]
            state.breaks[keeper] -= 1
            state.scores[keeper] -= state.weights[clause]
        state.true[clause] += 1
        state.keeper[clause] ^= variable
    for at in range(formula.uses[stale], formula.uses[stale + 1]):
        clause = formula.clauses[at]
        state.true[clause] -= 1
        state.keeper[clause] ^= variable
        if state.true[clause] == 0:
            state.breaks[variable] -= 1
            state.scores[variable] -= state.weights[clause]
            _add_unsatisfied(formula, state, clause)
        elif state.true[clause] == 1:
            keeper = state.keeper[clause]
            state.breaks[keeper] += 1
            state.scores[keeper] += state.weights[clause]


@_compile()
def _choose_greedily(state: State) -> Any:
    """Return a variable with the best score of those in unsatisfied clauses, or -1 if none improves."""
    best = 0.0
    for at in range(state.counts[OPEN]):
        best = min(best, state.scores[state.opened[at]])
    if best >= LEAST_IMPROVEMENT:
        return -1
    limit = best - TIE * best
    found = 0
    for at in range(state.counts[OPEN]):
        state.ties[found] = state.opened[at]
        found += state.scores[state.opened[at]] <= limit
    return state.ties[0] if found == 1 else state.ties[_draw_below(found, state.random)]


@_compile()
def _smooth(state: State, rho: float, convex: bool) -> None:
    """Move all weights towards their mean."""
    mean = state.total[0] / state.weights.size
    factor = rho if convex else 1.0
    more = (1.0 - rho) * mean
    for clause in range(state.weights.size):
        state.weights[clause] = factor * state.weights[clause] + more
    for variable in range(state.scores.size):
        change = more * (state.breaks[variable] - state.makes[variable])
        state.scores[variable] = factor * state.scores[variable] + change
    state.total[0] = factor * state.total[0] + more * state.weights.size


@_compile()
def _scale(formula: Arrays, state: State, alpha: float) -> None:
    """Multiply the weights of the unsatisfied clauses, after a division of all where one is too heavy."""
    heaviest = 0.0
    for at in range(state.counts[UNSATISFIED]):
        heaviest = max(heaviest, state.weights[state.unsatisfied[at]])
    if heaviest > HEAVIEST_WEIGHT:
        for clause in range(state.weights.size):
            state.weights[clause] /= HEAVIEST_WEIGHT
        _sum_scores(formula, state)
    for place in range(state.counts[UNSATISFIED]):
        clause = state.unsatisfied[place]
        more = (alpha - 1.0) * state.weights[clause]
        state.weights[clause] += more
        state.total[0] += more
        for at in range(formula.starts[clause], formula.starts[clause + 1]):
            state.scores[formula.literals[at] >> 1] -= more


@_compile(types.void(_ARRAYS, _STATE))
def start_search(formula: Arrays, state: State) -> None:
    """Set every variable to true or false with equal chances, and count."""
    for variable in range(state.values.size):
        state.values[variable] = _draw_word(state.random) >> np.uint64(63)
    for clause in range(state.weights.size):
        for at in range(formula.starts[clause], formula.starts[clause + 1]):
            literal = formula.literals[at]
            if state.values[literal >> 1] != (literal & 1):
                state.true[clause] += 1
                state.keeper[clause] ^= literal >> 1
        if state.true[clause] == 0:
            _add_unsatisfied(formula, state, clause)
        elif state.true[clause] == 1:
            keeper = state.keeper[clause]
            state.breaks[keeper] += 1
            state.scores[keeper] += state.weights[clause]
    state.total[0] = state.weights.size


@_compile(types.void(_ARRAYS, _STATE, *[types.float64] * 4, types.boolean, types.int64))
def search(
    formula: Arrays, state: State, alpha: float, rho: float, ps: float, wp: float, convex: bool, steps: int
) -> None:
    """Take up to that many steps, until no clause is unsatisfied."""
    counts = state.counts
    begin = counts[FLIPS] + counts[NULL_STEPS]
    for step in range(begin, begin + steps):
        if counts[UNSATISFIED] == 0:
            return
        if step % REFRESH_STEPS == REFRESH_STEPS - 1:
            _sum_scores(formula, state)
        variable = _choose_greedily(state)
        if variable < 0 and _draw_unit(state.random) < wp:
            variable = _draw_below(state.values.size, state.random)
        if variable >= 0:
            counts[FLIPS] += 1
            _flip(formula, state, variable)
        else:
            counts[NULL_STEPS] += 1
            if _draw_unit(state.random) < ps:
                _smooth(state, rho, convex)
            _scale(formula, state, alpha)
