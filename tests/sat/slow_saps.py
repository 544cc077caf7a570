"""SAPS again, straight from its description: everything is counted anew at every step, nothing is kept up to date."""

from __future__ import annotations

import random
from typing import NamedTuple

from heats.sat.formula import Cnf


class SlowResult(NamedTuple):
    solved: bool
    steps: int
    null_steps: int


def solve(
    cnf: Cnf, alpha: float, rho: float, ps: float, wp: float, seed: int, cutoff: int, smoothing: str = "additive"
) -> SlowResult:
    rng = random.Random(seed)
    clauses = cnf.clauses
    true = {x if rng.random() < 0.5 else -x for x in range(1, cnf.n_variables + 1)}  # literals
    weights = [1.0] * len(clauses)
    near: dict[int, list[int]] = {x: [] for x in range(1, cnf.n_variables + 1)}  # the clauses of a variable
    for c, clause in enumerate(clauses):
        for literal in clause:
            near[abs(literal)].append(c)

    def satisfied(c: int) -> bool:
        return not true.isdisjoint(clauses[c])

    def flip(x: int) -> None:
        true.symmetric_difference_update((x, -x))

    def score(x: int) -> float:
        """Change of the weight of the unsatisfied clauses if x is flipped."""
        before = {c: satisfied(c) for c in near[x]}
        flip(x)
        after = {c: satisfied(c) for c in near[x]}
        flip(x)
        broken = sum(weights[c] for c in near[x] if before[c] and not after[c])
        made = sum(weights[c] for c in near[x] if after[c] and not before[c])
        return broken - made

    steps = null_steps = 0
    while True:
        unsatisfied = [c for c in range(len(clauses)) if not satisfied(c)]
        if not unsatisfied or steps == cutoff:
            return SlowResult(not unsatisfied, steps, null_steps)
        steps += 1
        scores = {x: score(x) for x in sorted({abs(literal) for c in unsatisfied for literal in clauses[c]})}
        best = min(scores.values())
        if best < -0.1:
            flipped = rng.choice([x for x in scores if abs(scores[x] - best) < 1e-9])
        elif rng.random() < wp:
            flipped = rng.randrange(1, cnf.n_variables + 1)
        else:
            null_steps += 1
            if rng.random() < ps:
                mean = sum(weights) / len(weights)
                factor = rho if smoothing == "convex" else 1.0
                weights = [factor * w + (1 - rho) * mean for w in weights]
            if max(weights[c] for c in unsatisfied) > 1000:
                weights = [w / 1000 for w in weights]
            for c in unsatisfied:
                weights[c] *= alpha
            continue
        flip(flipped)
