"""Results, budgets, regrets and duels → a page that says where planned is ahead, where adaptive, and where not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from heats.experiments.beyond.adaptive import tell_duels
from heats.experiments.beyond.averages import average_regrets, average_success
from heats.experiments.beyond.budgets import BUDGETS, SEARCHED, WANTED, Needed, Search
from heats.experiments.beyond.duels import Outcome
from heats.experiments.beyond.grid import ALGORITHMS, EXACT, PRINTED, SETTINGS
from heats.experiments.beyond.regrets import HEAT_SIZES as TABLE_SIZES
from heats.experiments.beyond.regrets import PULLS_PER_ARM, Regret
from heats.experiments.shared.markdown import make_header, make_row, wrap_prose
from heats.experiments.shared.verdicts import BEYOND_CHANCE
from heats.experiments.synthetic.grid import ARMS, HEAT_SIZES, Cell, Result, list_cells

Pair = tuple[Result, Result]  # planned, and another algorithm on the same problem


def make_beyond_page(
    results: dict[Cell, Result],
    needed: Sequence[Needed],
    regrets: Sequence[Regret],
    duels: Sequence[Outcome],
    reps: int,
    seed: int,
) -> str:
    """Return beyond.md; every number is from the CSV files beside it."""
    lines = [
        "# Beyond the paper: planned beside its algorithms",
        "",
        *wrap_prose(
            f"Made by `heats reproduce beyond --reps {reps} --seed {seed}`: {reps} runs per number, the paper's "
            "synthetic grid (n = 50, 100; k = 2 to 10; B = 50 to 500). The three rules are played with their schedules "
            "as printed and exact, without a record, as in the paper; RoundRobin as there; planned is told what is fed "
            "back (rewards or winners), nothing else. All may leave heats unseen where the budget is too small. Two "
            "success rates count as different only where the difference is beyond chance (test of two shares, 95 % "
            "level)."
        ),
        *_tell_success(results),
        *_tell_problems(results),
        *_tell_budgets(needed),
        *(_tell_regrets(regrets) if regrets else ()),
        *(tell_duels(duels, reps) if duels else ()),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _tell_success(results: dict[Cell, Result]) -> Iterator[str]:
    yield from ("## Mean success over the 50 problems", "", "![Mean success per setting](beyond.png)", "")
    yield from make_header("setting", *ALGORITHMS, "planned less the best exact rule")
    for setting in SETTINGS:
        means = average_success(results, setting)
        gain = means["planned"] - max(means[name] for name in EXACT)
        yield make_row(setting, *(f"{mean:.3f}" for mean in means.values()), f"{gain:+.3f}")
    shown = ", ".join(f"[{setting}](beyond-{setting}.png)" for setting in SETTINGS)
    yield from ("", f"Success over budget, problem by problem: {shown}; numbers and intervals in `beyond.csv`.", "")


def _tell_problems(results: dict[Cell, Result]) -> Iterator[str]:
    yield from ("## Problem by problem", "")
    yield from wrap_prose(
        "Planned against the best of the three exact rules of each problem, and against RoundRobin. The best of three "
        "is picked after the fact, which favours it: of level problems it seems ahead in more than the 2.5 % of chance."
    )
    columns = ("level", "behind", "largest shortfall")
    yield from make_header("setting", "ahead of the best exact rule", *columns, "ahead of RoundRobin", *columns)
    behind: list[Pair] = []
    for setting in SETTINGS:
        row: list[object] = [setting]
        for pairs in _pair_up(results, setting):
            signs = [mine.share.versus(theirs.share) for mine, theirs in pairs]
            row += [signs.count(sign) for sign in (1, 0, -1)]
            row.append(f"{max(0, *(theirs.share.rate - mine.share.rate for mine, theirs in pairs)):.3f}")
            behind += [pair for pair, sign in zip(pairs, signs, strict=True) if sign < 0]
        yield make_row(*row)
    yield from ("", *_tell_behind(behind), "")


def _pair_up(results: dict[Cell, Result], setting: str) -> tuple[list[Pair], list[Pair]]:
    """Pair planned with the best exact rule of every problem, and with RoundRobin."""

    def take(cell: Cell, algorithm: str) -> Result:
        return results[cell._replace(algorithm=algorithm)]

    cells = list_cells(setting, algorithms=("planned",))
    best = [max((take(cell, name) for name in EXACT), key=lambda result: result.share.rate) for cell in cells]
    return (
        [(results[cell], rule) for cell, rule in zip(cells, best, strict=True)],
        [(results[cell], take(cell, "round-robin")) for cell in cells],
    )


def _tell_behind(behind: Sequence[Pair]) -> Iterator[str]:
    if not behind:
        yield "There is no problem in which planned is behind beyond chance."
        return
    yield from ("Problems in which planned is behind beyond chance:", "")
    yield from make_header("setting", "n", "k", "B", "planned", "ahead of it", "its success", "difference")
    for mine, theirs in behind:
        rate, other = mine.share.rate, theirs.share.rate
        rates = (f"{rate:.3f}", theirs.cell.algorithm, f"{other:.3f}", f"{rate - other:+.3f}")
        yield make_row(mine.cell.setting, mine.cell.n_arms, mine.cell.heat_size, mine.cell.budget, *rates)


def _tell_budgets(needed: Sequence[Needed]) -> Iterator[str]:
    budgets = {each.search: each.budget for each in needed}
    yield from (f"## Budget for {WANTED:.0%} success", "", "![Budget over k](beyond-budget.png)", "")
    yield from wrap_prose(
        f"The smallest budget with at least {WANTED:.0%} success, by bisection of {len(BUDGETS)} budgets from "
        f"{BUDGETS[0]} to {BUDGETS[-1]} in steps of about a tenth, as if success rose with the budget; — where none "
        "was enough. Numbers in `beyond-budget.csv`."
    )
    yield from make_header("setting", "n", "k", *ALGORITHMS, "planned over the best exact rule")
    for setting in SEARCHED:
        ratios = []
        for n, k in product(ARMS, HEAT_SIZES):
            row = {name: budgets[Search(setting, n, k, name)] for name in ALGORITHMS}
            ratio = _divide_budgets(row)
            ratios += [ratio] if ratio else []
            shown = f"{ratio:.2f}" if ratio else "—"
            yield make_row(setting, n, k, *(budget or "—" for budget in row.values()), shown)
        mean = f"{math.exp(np.log(ratios).mean()):.2f} (geometric mean)" if ratios else "—"
        yield make_row(setting, "all", "all", *("" for _ in ALGORITHMS), mean)
    yield ""


def _divide_budgets(row: dict[str, int | None]) -> float | None:
    """Return planned's budget over that of the best exact rule, if both were found."""
    exact = [budget for name in EXACT if (budget := row[name])]
    mine = row["planned"]
    return mine / min(exact) if mine and exact else None


def _tell_regrets(regrets: Sequence[Regret]) -> Iterator[str]:
    tables = average_regrets(regrets)
    means = {name: [each.regret for each in regrets if each.cell.algorithm == name] for name in ALGORITHMS}
    overall = {name: float(np.mean(values)) for name, values in means.items()}
    by_table = {name: float(np.mean([row[name] for row in tables.values()])) for name in ALGORITHMS}
    yield from ("## Recorded tables", "", "![Mean relative regret per table](beyond-tables.png)", "")
    yield from wrap_prose(_explain_regrets(len(tables), len(regrets)))
    yield from make_header("mean over", *ALGORITHMS, "planned to the best exact rule", "to the best printed one")
    for title, row in ((f"{len(means['planned'])} problems", overall), (f"{len(tables)} tables", by_table)):
        yield make_row(title, *_format_numbers(row), *(_relate_to_best(row, names) for names in (EXACT, PRINTED)))
    yield from ("", "Table by table, mean over k and B; the best exact rule is that of the table:", "")
    yield from make_header("table", "n", *ALGORITHMS, "planned to the best exact rule", "difference ± 1.96 errors")
    for table, row in tables.items():
        part = [each for each in regrets if each.cell.table == table]
        arms = part[0].cell.n_arms
        yield make_row(table, arms, *_format_numbers(row), _relate_to_best(row, EXACT), _subtract_best(row, part))
    yield ""


def _explain_regrets(n_tables: int, n_cells: int) -> str:
    sizes, times = (", ".join(map(str, numbers)) for numbers in (TABLE_SIZES, PULLS_PER_ARM))
    return (
        f"With `--table PATH` for each of the {n_tables} tables below: every pull draws a row, the best of the heat "
        f"wins (of runtimes the fastest, nobody if none finishes); k = {sizes} (at most n), B = {times} times n. The "
        "relative regret of an arm is its Borda score's distance to the best one, in units of an average arm's; the "
        "Borda score is its share of wins over all heats of k on all rows, counted exactly. Numbers and standard "
        f"errors of all {n_cells} cells in `beyond-tables.csv`."
    )


def _relate_to_best(row: dict[str, float], others: Sequence[str]) -> str:
    """Return how much larger planned's regret is than the best one of the others."""
    best = min(row[name] for name in others)
    return f"{row['planned'] / best - 1:+.1%}" if best else "—"


def _subtract_best(row: dict[str, float], regrets: Sequence[Regret]) -> str:
    """Return planned's regret less that of the best exact rule, and how far off that may be."""
    best = min(EXACT, key=row.__getitem__)
    both = [each for each in regrets if each.cell.algorithm in (best, "planned")]
    reach = BEYOND_CHANCE * math.hypot(*(each.error for each in both)) / (len(both) / 2)
    return f"{row['planned'] - row[best]:+.3f} ± {reach:.3f}"


def _format_numbers(row: dict[str, float]) -> list[str]:
    return [f"{row[name]:.3f}" for name in ALGORITHMS]
