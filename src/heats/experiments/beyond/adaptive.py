"""Outcomes of duels → a section that says where adaptive play is ahead of planned, and where not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heats.experiments.beyond.averages import Average, average_duels, group_duels
from heats.experiments.beyond.duels import LASTING_ARMS, LASTING_SIZES, LASTING_TIMES, RANKED_SIZE, TABLES, Outcome
from heats.experiments.beyond.fights import count_looks
from heats.experiments.shared.markdown import make_header, make_row, wrap_prose
from heats.experiments.shared.verdicts import BEYOND_CHANCE


def tell_duels(outcomes: Sequence[Outcome], reps: int) -> Iterator[str]:
    """Yield the lines of the section; every number is from the CSV file beside the page."""
    yield from ("## Adaptive play beside planned", "")
    yield from wrap_prose(_explain(outcomes, reps))
    columns = ("problems", "adaptive", "planned", "gain ± 1.96 errors", "ahead", "level", "behind")
    yield from make_header("family", "told", *columns)
    for (family, told), group in group_duels(outcomes, lambda duel: (duel.family, duel.told)).items():
        signs = [each.sign for each in group]
        counts = (signs.count(sign) for sign in (1, 0, -1))
        yield make_row(family, told, len(group), *_show_average(average_duels(group)), *counts)
    tables = group_duels([each for each in outcomes if each.duel.family == TABLES], lambda duel: duel[1:4])
    wholes = {key: average_duels(group) for key, group in tables.items()}
    yield from ("", *wrap_prose(_count_tables(wholes)), *_tell_behind(outcomes, wholes), "")


def _explain(outcomes: Sequence[Outcome], reps: int) -> str:
    once, again = count_looks(reps)
    twice = sum(each.runs == again for each in outcomes)
    arms, sizes, times = (", ".join(map(str, numbers)) for numbers in (LASTING_ARMS, LASTING_SIZES, LASTING_TIMES))
    return (
        f"[Adaptive play](../adaptive.md) is told nothing beforehand. {once} runs of each per problem, apart from each "
        f"other; where adaptive play seemed behind, {again} fresh runs of each count instead ({twice} of "
        f"{len(outcomes)} problems{_tell_owed(outcomes, again)}). "
        f"The paper's family is that of the grid above (rankings: k = {RANKED_SIZE}). "
        "Lasting strengths are a consistent world: the log-strengths are normal with deviation 1, drawn anew in every "
        "run, and rewards are these in Gumbel noise, so that winners and rankings are those of Plackett and Luce; "
        f"n = {arms}, k = {sizes} (rankings: not 2), B = {times} times n. On recorded tables the numbers are relative "
        "regrets, in shares of wins or, where rankings are told, in mean places, and the gain is how much smaller they "
        "are; else they are shares of runs that found the best arm. "
        "Ahead and behind are differences beyond chance (test of two shares, or on tables of two means; 99.9 % "
        "level). Numbers in `beyond-adaptive.csv`."
    )


def _tell_owed(outcomes: Sequence[Outcome], again: int) -> str:
    """Say how many still seem behind by the first look alone."""
    owed = sum(each.sign < 0 and each.runs < again for each in outcomes)
    return f"; of {owed} more that seem behind these are still to be played" if owed else ""


def _show_average(average: Average) -> tuple[str, ...]:
    gain = f"{average.gain:+.3f} ± {BEYOND_CHANCE * average.error:.3f}"
    return f"{average.adaptive:.3f}", f"{average.planned:.3f}", gain


def _count_tables(wholes: dict[tuple[str, str, int], Average]) -> str:
    if not wholes:
        return "No recorded tables were played on; with `--table PATH` they are."
    signs = [average.sign for average in wholes.values()]
    ahead, level, behind = (signs.count(sign) for sign in (1, 0, -1))
    return (
        f"Of the {len(wholes)} tables as a whole (the mean over k and B, by what is told) adaptive play is ahead "
        f"beyond chance on {ahead}, level on {level}, behind on {behind}."
    )


def _tell_behind(outcomes: Sequence[Outcome], wholes: dict[tuple[str, str, int], Average]) -> Iterator[str]:
    """Name every problem, and every table as a whole, that adaptive play is behind on."""
    tables = [(table, told, n, "all", "all", "", mean) for (table, told, n), mean in wholes.items() if mean.sign < 0]
    problems = [
        (each.duel.table or each.duel.family, *each.duel[2:], each.runs, average_duels([each]))
        for each in outcomes
        if each.sign < 0
    ]
    if not tables and not problems:
        yield "There is no problem, and no table as a whole, on which adaptive play is behind beyond chance."
        return
    yield from ("Adaptive play is behind beyond chance in:", "")
    yield from make_header("world", "told", "n", "k", "B", "runs", "adaptive", "planned", "gain ± 1.96 errors")
    for *names, average in (*tables, *problems):
        yield make_row(*names, *_show_average(average))
