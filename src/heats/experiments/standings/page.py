"""Bins → a page that says where the chance stated is right, and where it is not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from heats.experiments.shared.markdown import make_header, make_row, wrap_prose
from heats.experiments.standings.bins import (
    FEWEST,
    HARD_TO_SEE,
    LIMITS,
    MODEST_PAIRS,
    TOO_MODEST,
    TOO_SURE,
    WITHIN,
    Bin,
    Result,
)
from heats.experiments.standings.worlds import ARMS, FAMILY_ARMS, LARGE, LUCK, SHARES, SMALL

WHY_BINS = (
    "A run does not know in which of these worlds it is played, so what it states is right on average over the "
    "worlds it may be in. In a field of equals it is too sure where luck made the strengths look different (sd 0.3, "
    "upper bins), where all differ it is too modest where luck made them look alike (spaced, n = 8, lower bins); to "
    "be more modest in the first would make it too modest in the second. Whether a field of many ends abruptly, as 50 "
    "spaced equally do, where the best is 0.07 ahead of the next, or has a clearer first, is told by the run only in "
    "part."
)

PROBLEM = ("told", "shape", "n", "k", "B")
FURTHEST = 12  # bins shown


class Case(NamedTuple):
    """A group of other worlds: what it is about."""

    title: str
    about: str


CASES = {
    "adaptive": Case(
        "The paper's family, played adaptively",
        "`heats.environments.Gaussian`: every set of arms has means of its own, so the world is contextual. Right is "
        "the winner that leads every heat it is in (the generalised Condorcet winner, `.best`); with a decoy another "
        "arm leads all heats without it. Promised are the limits above, but pairs with B ≤ 5n may be "
        f"{100 * MODEST_PAIRS:.0f} points too modest, and rewards of pairs with a decoy and B ≤ 2n "
        f"{100 * HARD_TO_SEE:.0f} too sure. A run cannot know whether there is a decoy before its best candidates "
        "met nearly all others: so it is too modest where there is none and too sure where there is one.",
    ),
    "family": Case(
        "The paper's family, played by a plan",
        f"The same worlds with n = {FAMILY_ARMS} candidates; a tournament lets only the few that are left meet often.",
    ),
    "near outlier": Case(
        "One arm only 1 above all others, which are equal",
        "A lead that is hard to see, among arms that do not differ at all.",
    ),
    "tiny budget": Case(
        "Tiny budgets",
        "B = n for k = 4, and B = 2n for k = 2: most arms are seen a handful of times.",
    ),
    "round-robin": Case("RoundRobin", "It plays all sets instead of a tournament."),
    "ranking": Case("Rankings told", "The order of the whole heat instead of the winner."),
}


def make_standings_page(results: Sequence[Result], reps: int, seed: int) -> str:
    """Return standings.md; every number is from the CSV file beside it."""
    kept = [each for each in results if each.world.group == "kept"]
    lines = [
        "# Standings: is the chance to be the best as often right as it says?",
        "",
        *wrap_prose(_explain(reps, seed)),
        *wrap_prose(_judge(kept)),
        *wrap_prose(WHY_BINS),
        *("![Chance stated against share right](standings.png)", ""),
        *_tell_worlds(kept),
        *_tell_furthest(kept),
        "## Other worlds",
        "",
        *wrap_prose(
            f"{int(reps * SHARES['adaptive'])} runs per world of the paper's family played adaptively, "
            f"{max(1, reps // 4)} of the others, of which nothing is promised; the difference is the chance said less "
            "the share right."
        ),
        *(line for group in CASES for line in _tell_case(group, results)),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _explain(reps: int, seed: int) -> str:
    return (
        f"Made by `heats reproduce standings --reps {reps} --seed {seed}`: in every run a world is drawn, a tournament "
        "of the planned strategy is played in it, and `machine.standings()` states a chance for the winner; right is "
        "who is truly the best. Winners told: Plackett-Luce choices. Rewards told: normal noise of deviation 1, and a "
        f"luck of deviation {LUCK:g} that the arms of a pull share. (Log-)strengths are normal (sd 0.3, 1, 2), spaced "
        "equally (sd 1), or one outlier is 2 above all others, which are equal. "
        f"{reps} runs per world ({max(1, reps // 2)} for n = {ARMS[-1]}), sorted by the chance stated and cut into "
        f"bins of {FEWEST} or more (one bin, if there are fewer). The limits: the mean chance stated is at most "
        f"{100 * LIMITS.sure:.0f} points above the share right, and at most {100 * LIMITS.modest:.0f} below, each "
        "plus two standard errors. All numbers in `standings.csv`, where bin 0 holds all runs of a world."
    )


def _judge(kept: Sequence[Result]) -> str:
    """Say how many bins are within the limits."""
    bins = [part for each in kept for part in each.bins]
    wholes = [each.whole for each in kept]
    excess = [part.excess for part in bins]
    return (
        f"**{_count(wholes, 'worlds')}** {_count(bins, 'bins')} Over all bins the chance stated less the share right "
        f"is {_points(float(np.mean(excess)))} points on average, from {_points(min(excess))} to "
        f"{_points(max(excess))}."
    )


def _count(bins: Sequence[Bin], what: str) -> str:
    found = Counter(each.verdict for each in bins)
    if found[WITHIN] == len(bins):
        return f"All {len(bins)} {what} are within the limits."
    outside = f"{TOO_SURE}: {found[TOO_SURE]}, {TOO_MODEST}: {found[TOO_MODEST]}"
    return f"{found[WITHIN]} of {len(bins)} {what} are within the limits ({outside})."


def _tell_worlds(kept: Sequence[Result]) -> Iterator[str]:
    yield from ("## World by world", "")
    yield from wrap_prose("Mean chance said / share right; bold where that is outside the limits.")
    yield from make_header("told", "shape", "n", "k", f"B = {SMALL}n", f"B = {LARGE}n")
    wholes = {each.world: each.whole for each in kept}
    for world in wholes:
        if world.budget == SMALL * world.n_arms:
            both = (wholes[world], wholes[world._replace(budget=LARGE * world.n_arms)])
            yield make_row(*world[1:5], *map(_show, both))
    yield ""


def _tell_furthest(kept: Sequence[Result]) -> Iterator[str]:
    bins = [(part.beyond, each.world, number, part) for each in kept for number, part in enumerate(each.bins, 1)]
    yield from (f"## The {min(FURTHEST, len(bins))} bins furthest off", "")
    yield from wrap_prose("Bin 1 is the one of which least was said; room is what is left to the limit, in points.")
    yield from make_header(
        "told", "shape", "n", "k", "B", "bin", "runs", "said", "right", "difference", "room", "verdict"
    )
    for beyond, world, number, part in sorted(bins, reverse=True)[:FURTHEST]:
        numbers = (f"{part.said:.3f}", f"{part.right:.3f}", _points(part.excess), f"{-100 * beyond:.1f}")
        yield make_row(*world[1:], number, part.runs, *numbers, part.verdict)
    yield ""


def _tell_case(group: str, results: Sequence[Result]) -> Iterator[str]:
    mine = [each for each in results if each.world.group == group]
    excess = [each.whole.excess for each in mine]
    yield from (f"### {CASES[group].title}", "")
    yield from wrap_prose(
        f"{CASES[group].about} Measured: {_points(float(np.mean(excess)))} points on average, from "
        f"{_points(min(excess))} to {_points(max(excess))}. {_count([each.whole for each in mine], 'worlds')}"
    )
    yield from make_header(*PROBLEM, "said", "right", "difference", "verdict")
    for world, whole, _ in mine:
        yield make_row(*world[1:], f"{whole.said:.3f}", f"{whole.right:.3f}", _points(whole.excess), whole.verdict)
    yield ""


def _show(each: Bin) -> str:
    shown = f"{each.said:.2f} / {each.right:.2f}"
    return shown if each.verdict == WITHIN else f"**{shown}**"


def _points(difference: float) -> str:
    return f"{round(100 * difference, 1) + 0.0:+.1f}"  # no negative zero
