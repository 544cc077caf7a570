"""How often a winner is among the best of its space, beside how often its report says so at least.

``python -m tests.race.among_the_best 4000`` draws the candidates of ``top = "5%"`` that often, in spaces of four kinds,
races them, and compares: what a report states is a lower bound, so it should be true more often. The table is in
docs/racing.md.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from typing import NamedTuple

import numpy as np

import heats
from heats.environments import PlackettLuce
from heats.environments.protocol import play
from heats.journal.origin import Drawn
from heats.reports.top import make_claim
from heats.theory import candidates_needed
from tests.theory.places import SPACES

HEAT_SIZE, PULLS_PER_CANDIDATE = 4, 5


class Outcome(NamedTuple):
    """A race: in which kind of space, where its winner stands, and what its report says."""

    space: str
    is_among_best: bool
    stated: float


def race_once(number: int, share: float, confidence: float) -> Outcome:
    """Draw candidates, race them, and read the report."""
    needed = candidates_needed(share, 1 - confidence)
    space = list(SPACES)[number % len(SPACES)]
    places = np.random.default_rng([7, number]).random(needed)
    machine = heats.Adaptive(needed, min(HEAT_SIZE, needed), PULLS_PER_CANDIDATE * needed, seed=number)
    world = PlackettLuce(np.exp(SPACES[space](places)).tolist())
    report = play(machine, world).report()
    claim = make_claim(Drawn(share=share, confidence=confidence, candidates=needed), report)
    assert claim is not None
    assert report.winner is not None
    return Outcome(space, bool(places[report.winner] <= share), claim.chance or 0.0)


def list_lines(outcomes: list[Outcome]) -> Iterator[str]:
    """Yield a line per kind of space, and one for all: runs, stated on average, true."""
    yield f"{'space':<18}{'runs':>7}  at least, as stated    in truth"
    for space in (*SPACES, "all"):
        some = [each for each in outcomes if space in (each.space, "all")]
        stated = sum(each.stated for each in some) / len(some)
        truth = sum(each.is_among_best for each in some) / len(some)
        error = math.sqrt(truth * (1 - truth) / len(some))
        yield f"{space:<18}{len(some):>7}  {stated:>18.1%}  {truth:>7.1%} ± {1.96 * error:.1%}"


def main(runs: int) -> None:
    """Race so often, on all cores, and say what came of it."""
    outcomes: list[Outcome] = []
    with ProcessPoolExecutor() as pool:
        for outcome in pool.map(race_once, range(runs), repeat(0.05), repeat(0.95), chunksize=20):
            outcomes.append(outcome)
            if len(outcomes) % 1000 == 0 or len(outcomes) == runs:
                print("\n".join(list_lines(outcomes)), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
