"""Success over processor times → a table, and in words what holds at equal processor time."""

from __future__ import annotations

from collections.abc import Iterator

from heats.experiments.saps.equal import ALONE, EqualCell, EqualResult, list_racers, list_times
from heats.experiments.saps.race import HALVING
from heats.experiments.shared.drawing import make_label
from heats.experiments.shared.markdown import make_header, make_row, wrap_prose
from heats.experiments.shared.verdicts import BEYOND_CHANCE, BEYOND_MANY

Results = dict[EqualCell, EqualResult]


def tell_equal(results: Results) -> Iterator[str]:
    """Yield the lines of the section; every number is from the CSV file beside the page."""
    times = list_times(results)
    yield from ("### On equal terms: the same processor time", "")
    yield from wrap_prose(_explain(results))
    yield from make_header("algorithm", "k", *(f"{_show(time)} million steps" for time in times))
    for k, name in [(ALONE, HALVING), *list_racers(results)]:
        found = [results[EqualCell(time, k, name)] for time in times]
        yield make_row(make_label(name), "–" if k == ALONE else k, *(f"{each.share.rate:.3f}" for each in found))
    for label, level in (("races ahead, level, behind", BEYOND_MANY), ("the same, 95 % level", BEYOND_CHANCE)):
        yield make_row(label, "", *(_count(results, time, level) for time in times))
    yield from ("", *wrap_prose(_judge(results)))


def _explain(results: Results) -> str:
    most, least = (pick(each.share.runs for each in results.values()) for pick in (max, min))
    spent = [each.cpu / each.cell.time for each in results.values()]
    return (
        "A pull of a race costs k times as long as its fastest run takes, a pull of Successive Halving one run to its "
        "end; pulls of a round can go side by side either way. So here everybody gets the largest budget that takes "
        "no more than a given processor time on average. Shares of runs that found the smallest mean, "
        f"{most:,} runs each ({least:,} of adaptive play). In truth they took {min(spent):.2f} to {max(spent):.2f} "
        "times the time of their column: budgets have steps, those of printed schedules and of Successive Halving "
        "large ones. Ahead, level and behind are meant against Successive Halving, beyond chance (99.9 % level, since "
        "there are many comparisons). Numbers, with intervals and budgets, in `fig-race-cpu.csv`; "
        "[figure](fig-race-cpu.png)."
    )


def _compare(results: Results, time: int, level: float = BEYOND_MANY) -> list[int]:
    """Return for every race whether it is ahead of Successive Halving beyond chance: 1, 0 or -1."""
    single = results[EqualCell(time, ALONE, HALVING)].share
    return [results[EqualCell(time, k, name)].share.versus(single, level) for k, name in list_racers(results)]


def _count(results: Results, time: int, level: float) -> str:
    signs = _compare(results, time, level)
    return ", ".join(str(signs.count(sign)) for sign in (1, 0, -1))


def _judge(results: Results) -> str:
    times = list_times(results)
    ahead = [time for time in times if 1 in _compare(results, time)]
    behind = [time for time in times if set(_compare(results, time)) == {-1}]
    return (
        f"In words: races are ahead of Successive Halving beyond chance (some of them) at {_list(ahead)}, and all of "
        f"them behind it at {_list(behind)}. {' '.join(_name_best(results, time) for time in (times[0], times[-1]))}"
    )


def _name_best(results: Results, time: int) -> str:
    races = [results[EqualCell(time, k, name)] for k, name in list_racers(results)]
    best = max(races, key=lambda each: each.share.rate)
    single = results[EqualCell(time, ALONE, HALVING)]
    return (
        f"With {_show(time)} million steps the best race, picked after the fact ({make_label(best.cell.algorithm)}, "
        f"k = {best.cell.heat_size}), finds the smallest mean in {best.share.rate:.1%} of its runs, Successive Halving "
        f"in {single.share.rate:.1%}; what they find takes {best.found:,.0f} and {single.found:,.0f} steps on average."
    )


def _list(times: list[int]) -> str:
    return f"{', '.join(map(_show, times))} million steps" if times else "none of these times"


def _show(time: int) -> str:
    return f"{time / 1e6:g}"
