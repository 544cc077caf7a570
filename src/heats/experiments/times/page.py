"""Results → a page that says where times find the smallest mean more often than wins do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from heats.experiments.shared.markdown import make_header, make_row, wrap_prose
from heats.experiments.shared.verdicts import BEYOND_CHANCE, compare
from heats.experiments.times.estimates import LOOKS, WHOLE, WINS
from heats.experiments.times.study import DEALS, HALVING, HEAT_SIZES, PULLS_PER_ARM, SAPS, TimesResult

RIVALS = tuple(look for look in LOOKS if look not in (WINS, WHOLE))  # what a race that stops losers could use


class Mean(NamedTuple):
    """What a way to look came to over several problems, with standard errors."""

    success: float
    success_error: float
    regret: float
    regret_error: float


def make_times_page(results: Sequence[TimesResult], reps: int, seed: int) -> str:
    """Return times.md; every number is from the CSV file beside it."""
    lines = [
        "# Racing for the smallest mean time: do times say more than wins?",
        "",
        *wrap_prose(_explain(results, reps, seed)),
        *_list_looks(),
        "",
        *wrap_prose(_judge(results)),
        *("## All tables together", ""),
        *wrap_prose(
            "Means over all tables and both budgets, ± 1.96 standard errors. Ahead, level, behind: in how many of "
            "these problems the success differs from that of wins beyond chance (test of two shares, 95 % level)."
        ),
        *_tell_together(results),
        "",
        *("## Table by table", ""),
        *wrap_prose(
            f"Success of {HALVING} with {PULLS_PER_ARM[-1]} pulls per arm; in brackets the relative regret. The rest, "
            "with intervals, is in `times.csv`."
        ),
        *_tell_tables(results),
    ]
    return "\n".join(lines) + "\n"


def _explain(results: Sequence[TimesResult], reps: int, seed: int) -> str:
    tables = len({each.cell.table for each in results})
    option = " --table FOLDER" if tables > 1 else ""
    sizes, pulls = (" or ".join(map(str, numbers)) for numbers in (HEAT_SIZES, PULLS_PER_ARM))
    return (
        f"Made by `heats reproduce times --reps {reps} --seed {seed}{option}`: races on {tables} recorded tables of "
        f"times; `{SAPS}` comes with heats (Section 6 of the paper), the others are files that were given, those "
        f"of 8 to 20 arms. Heats of {sizes}; {pulls} pulls per arm; {reps} races each. The first to "
        "finish stops the others, so that of a loser only a lower bound is known; nobody runs beyond the cutoff, which "
        f"counts where nobody finished. Heats are dealt in two ways: {DEALS[0]}, or {DEALS[1]}: in stages of equally "
        "many pulls, after each of which the half stays that looks best, until one heat holds all. At the end the arm "
        "that looks best is taken. Success is to take the one with the smallest mean time of the whole table; the "
        "relative regret is how much longer the one taken needs on average, where an arm taken blindly has 1. An arm "
        "can look good by:"
    )


def _list_looks() -> Iterator[str]:
    said = {
        WINS: "who won, fitted as everywhere in heats (Plackett and Luce; also Cox's partial likelihood)",
        "log-normal": "log-times with an effect of the arm and one of the pull, losers censored (accelerated failure)",
        "own spreads": "the same with a spread of its own for every arm, and the mean time that follows from both",
        "exponential": "finishes per time that the arm ran",
        "paced": "the same, if every pull has a pace of its own, drawn from an exponential law",
        "Kaplan-Meier": "the mean time up to the cutoff from its own runs, as if it had been stopped by chance",
        WHOLE: "its mean time, if all run to their end: not a race any more, but what the same heats would say then",
    }
    return (f"- **{look}**: {said[look]}" for look in LOOKS)


def _judge(results: Sequence[TimesResult]) -> str:
    robust = [look for look in RIVALS if all(_is_ahead(results, look, *each) for each in product(DEALS, HEAT_SIZES))]
    named = ", ".join(robust) or "none"
    gains = "; ".join(f"k = {k}: {_say_gains(results, k)}" for k in HEAT_SIZES)
    return (
        f"**Ahead of wins on average, beyond chance, for every k and both ways of dealing: {named}.** More success "
        f"than by wins, on average over all problems: {gains}."
    )


def _say_gains(results: Sequence[TimesResult], heat_size: int) -> str:
    means = {look: average(_select(results, look, heat_size=heat_size)) for look in LOOKS}
    return ", ".join(f"{look} {means[look].success - means[WINS].success:+.3f}" for look in LOOKS if look != WINS)


def _is_ahead(results: Sequence[TimesResult], look: str, dealt: str, heat_size: int) -> bool:
    mine, wins = (average(_select(results, each, dealt, heat_size)) for each in (look, WINS))
    return compare(mine.success - wins.success, math.hypot(mine.success_error, wins.success_error)) > 0


def _select(
    results: Iterable[TimesResult], look: str, dealt: str | None = None, heat_size: int | None = None
) -> list[TimesResult]:
    return [
        each
        for each in results
        if each.cell.look == look and dealt in (None, each.cell.dealt) and heat_size in (None, each.cell.heat_size)
    ]


def average(results: Sequence[TimesResult]) -> Mean:
    """Return the means over problems, and their standard errors over the races."""
    count = len(results)
    errors = (
        math.sqrt(sum(each.share.rate * (1 - each.share.rate) / each.share.runs for each in results)) / count,
        math.sqrt(sum(each.error**2 for each in results)) / count,
    )
    means = (sum(each.share.rate for each in results) / count, sum(each.regret for each in results) / count)
    return Mean(means[0], errors[0], means[1], errors[1])


def _tell_together(results: Sequence[TimesResult]) -> Iterator[str]:
    yield from make_header("dealt", "k", "look", "success", "regret", "ahead", "level", "behind")
    for dealt, k, look in product(DEALS, HEAT_SIZES, LOOKS):
        group, wins = (_select(results, each, dealt, k) for each in (look, WINS))
        mean = average(group)
        signs = [mine.share.versus(other.share) for mine, other in zip(group, wins, strict=True)]
        counts = ("", "", "") if look == WINS else tuple(signs.count(sign) for sign in (1, 0, -1))
        success = f"{mean.success:.3f} ± {BEYOND_CHANCE * mean.success_error:.3f}"
        regret = f"{mean.regret:.3f} ± {BEYOND_CHANCE * mean.regret_error:.3f}"
        yield make_row(dealt, k, look, success, regret, *counts)


def _tell_tables(results: Sequence[TimesResult]) -> Iterator[str]:
    yield from make_header("table", "n", "k", *LOOKS)
    last = [
        each
        for each in results
        if each.cell.dealt == HALVING and each.cell.budget == PULLS_PER_ARM[-1] * each.cell.n_arms
    ]
    for problem in dict.fromkeys(each.cell[:3] for each in last):
        by_look = {each.cell.look: each for each in last if each.cell[:3] == problem}
        yield make_row(*problem, *(f"{by_look[look].share.rate:.2f} ({by_look[look].regret:.2f})" for look in LOOKS))
