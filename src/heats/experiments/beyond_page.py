"""Results of ``beyond`` and ``regrets`` → a page that says where planned is ahead, and where not."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

import numpy as np

from heats.experiments.beyond import ALGORITHMS, BUDGETS, EXACT, PRINTED, SEARCHED, SETTINGS, WANTED, Needed, Search
from heats.experiments.claims import Share
from heats.experiments.regrets import HEAT_SIZES as TABLE_SIZES
from heats.experiments.regrets import PULLS_PER_ARM, Regret
from heats.experiments.sweeps import ARMS, HEAT_SIZES, Cell, Result, cells


def beyond_page(
    results: dict[Cell, Result], needed: Sequence[Needed], regrets: Sequence[Regret], reps: int, seed: int
) -> str:
    """Return beyond.md; every number is from the CSV files beside it."""
    lines = [
        "# Beyond the paper: planned beside its algorithms",
        "",
        *_prose(
            f"Made by `heats reproduce beyond --reps {reps} --seed {seed}`: {reps} runs per number, the paper's "
            "synthetic grid (n = 50, 100; k = 2 to 10; B = 50 to 500). The three rules are played with their schedules "
            "as printed and exact, without a record, as in the paper; RoundRobin as there; planned is told what is fed "
            "back (rewards or winners), nothing else. All may leave heats unseen where the budget is too small. Two "
            "success rates count as different only where the difference is beyond chance (test of two shares, 95 % "
            "level)."
        ),
        *_success(results),
        *_cell_by_cell(results),
        *_budgets(needed),
        *(_regrets(regrets) if regrets else ()),
    ]
    return "\n".join(lines).rstrip() + "\n"


def mean_success(results: dict[Cell, Result], setting: str) -> dict[str, float]:
    """Return the mean success of every algorithm over the 50 problems of a setting."""
    return {
        name: float(np.mean([results[cell].rate for cell in cells(setting, algorithms=(name,))])) for name in ALGORITHMS
    }


def _success(results: dict[Cell, Result]) -> Iterator[str]:
    yield from ("## Mean success over the 50 problems", "", "![Mean success per setting](beyond.png)", "")
    yield from _header("setting", *ALGORITHMS, "planned less the best exact rule")
    for setting in SETTINGS:
        means = mean_success(results, setting)
        gain = means["planned"] - max(means[name] for name in EXACT)
        yield _row(setting, *(f"{mean:.3f}" for mean in means.values()), f"{gain:+.3f}")
    shown = ", ".join(f"[{setting}](beyond-{setting}.png)" for setting in SETTINGS)
    yield from ("", f"Success over budget, problem by problem: {shown}; numbers and intervals in `beyond.csv`.", "")


def _cell_by_cell(results: dict[Cell, Result]) -> Iterator[str]:
    yield from ("## Problem by problem", "")
    yield from _prose(
        "Planned against the best of the three exact rules of each problem, and against RoundRobin. The best of three "
        "is picked after the fact, which favours it: of level problems it seems ahead in more than the 2.5 % of chance."
    )
    columns = ("level", "behind", "largest shortfall")
    yield from _header("setting", "ahead of the best exact rule", *columns, "ahead of RoundRobin", *columns)
    behind = []
    for setting in SETTINGS:
        planned = [results[cell] for cell in cells(setting, algorithms=("planned",))]
        best = [max((_instead(results, mine, name) for name in EXACT), key=lambda r: r.rate) for mine in planned]
        robin = [_instead(results, mine, "round-robin") for mine in planned]
        row: list[object] = [setting]
        for others in (best, robin):
            pairs = list(zip(planned, others, strict=True))
            signs = [_share(mine).versus(_share(theirs)) for mine, theirs in pairs]
            row += [signs.count(sign) for sign in (1, 0, -1)]
            row.append(f"{max(0, *(theirs.rate - mine.rate for mine, theirs in pairs)):.3f}")
            behind += [pair for pair, sign in zip(pairs, signs, strict=True) if sign < 0]
        yield _row(*row)
    yield ""
    if not behind:
        yield from ("There is no problem in which planned is behind beyond chance.", "")
        return
    yield from ("Problems in which planned is behind beyond chance:", "")
    yield from _header("setting", "n", "k", "B", "planned", "ahead of it", "its success", "difference")
    for mine, theirs in behind:
        rates = (f"{mine.rate:.3f}", theirs.cell.algorithm, f"{theirs.rate:.3f}", f"{mine.rate - theirs.rate:+.3f}")
        yield _row(mine.cell.setting, mine.cell.n_arms, mine.cell.heat_size, mine.cell.budget, *rates)
    yield ""


def _budgets(needed: Sequence[Needed]) -> Iterator[str]:
    budgets = {each.search: each.budget for each in needed}
    yield from (f"## Budget for {WANTED:.0%} success", "", "![Budget over k](beyond-budget.png)", "")
    yield from _prose(
        f"The smallest budget with at least {WANTED:.0%} success, by bisection of {len(BUDGETS)} budgets from "
        f"{BUDGETS[0]} to {BUDGETS[-1]} in steps of about a tenth, as if success rose with the budget; — where none "
        "was enough. Numbers in `beyond-budget.csv`."
    )
    yield from _header("setting", "n", "k", *ALGORITHMS, "planned over the best exact rule")
    for setting in SEARCHED:
        ratios = []
        for n, k in product(ARMS, HEAT_SIZES):
            row = {name: budgets[Search(setting, n, k, name)] for name in ALGORITHMS}
            exact = [budget for name in EXACT if (budget := row[name])]
            mine = row["planned"]
            ratios += [mine / min(exact)] if mine and exact else []
            ratio = f"{ratios[-1]:.2f}" if mine and exact else "—"
            yield _row(setting, n, k, *(budget or "—" for budget in row.values()), ratio)
        mean = f"{math.exp(np.log(ratios).mean()):.2f} (geometric mean)" if ratios else "—"
        yield _row(setting, "all", "all", *("" for _ in ALGORITHMS), mean)
    yield ""


def mean_regrets(regrets: Iterable[Regret]) -> dict[str, dict[str, float]]:
    """Return the mean regret over k and B, by table and algorithm."""
    parts: dict[str, dict[str, list[float]]] = {}
    for (table, *_, name), regret, _ in regrets:
        parts.setdefault(table, {each: [] for each in ALGORITHMS})[name].append(regret)
    return {table: {name: float(np.mean(part)) for name, part in row.items()} for table, row in parts.items()}


def _regrets(regrets: Sequence[Regret]) -> Iterator[str]:
    tables = mean_regrets(regrets)
    arms = {each.cell.table: each.cell.n_arms for each in regrets}
    means = {name: [each.regret for each in regrets if each.cell.algorithm == name] for name in ALGORITHMS}
    overall = {name: float(np.mean(values)) for name, values in means.items()}
    by_table = {name: float(np.mean([row[name] for row in tables.values()])) for name in ALGORITHMS}
    sizes, times = (", ".join(map(str, numbers)) for numbers in (TABLE_SIZES, PULLS_PER_ARM))
    yield from ("## Recorded tables", "", "![Mean relative regret per table](beyond-tables.png)", "")
    yield from _prose(
        f"With `--table PATH` for each of the {len(tables)} tables below: every pull draws a row, the best of the heat "
        f"wins (of runtimes the fastest, nobody if none finishes); k = {sizes} (at most n), B = {times} times n. The "
        "relative regret of an arm is its Borda score's distance to the best one, in units of an average arm's; the "
        "Borda score is its share of wins over all heats of k on all rows, counted exactly. Numbers and standard "
        f"errors of all {len(regrets)} cells in `beyond-tables.csv`."
    )
    yield from _header("mean over", *ALGORITHMS, "planned to the best exact rule", "to the best printed one")
    for title, row in ((f"{len(means['planned'])} problems", overall), (f"{len(tables)} tables", by_table)):
        yield _row(title, *_numbers(row), *(_lower(row, names) for names in (EXACT, PRINTED)))
    yield from ("", "Table by table, mean over k and B; the best exact rule is that of the table:", "")
    yield from _header("table", "n", *ALGORITHMS, "planned to the best exact rule", "difference ± 1.96 errors")
    for table, row in tables.items():
        best = min(EXACT, key=row.__getitem__)
        both = [each for each in regrets if each.cell.table == table and each.cell.algorithm in (best, "planned")]
        reach = 1.96 * math.hypot(*(each.error for each in both)) / (len(both) / 2)
        difference = f"{row['planned'] - row[best]:+.3f} ± {reach:.3f}"
        yield _row(table, arms[table], *_numbers(row), _lower(row, EXACT), difference)
    yield ""


def _lower(row: dict[str, float], others: Sequence[str]) -> str:
    best = min(row[name] for name in others)
    return f"{row['planned'] / best - 1:+.1%}" if best else "—"


def _numbers(row: dict[str, float]) -> list[str]:
    return [f"{row[name]:.3f}" for name in ALGORITHMS]


def _instead(results: dict[Cell, Result], of: Result, algorithm: str) -> Result:
    return results[of.cell._replace(algorithm=algorithm)]


def _share(result: Result) -> Share:
    return Share(result.successes, result.reps)


def _prose(text: str) -> list[str]:
    return [*textwrap.wrap(text, 118, break_on_hyphens=False), ""]


def _header(*titles: str) -> tuple[str, str]:
    return _row(*titles), "|---" * len(titles) + "|"


def _row(*values: object) -> str:
    return f"| {' | '.join(map(str, values))} |"
