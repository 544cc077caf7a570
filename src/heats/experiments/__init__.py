"""The paper's experiments by one command.

``sweeps`` (what is run), ``run`` (on all cores, restartable), ``figures`` and ``claims`` (what came of it); for
Section 6, ``race_table`` (runs of a solver), ``race`` (tournaments on them), ``race_claims`` and ``race_live`` (runs
made when they are asked for). Beyond the paper, ``beyond`` (planned beside its algorithms), ``regrets`` (on recorded
tables), ``beyond_figures`` and ``beyond_page``.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from heats.base import randomness
from heats.base.checks import whole
from heats.errors import InvalidArgument
from heats.experiments import beyond, claims, figures, race, race_claims, race_live, race_table, regrets, sweeps
from heats.experiments import beyond_figures as draw
from heats.experiments.beyond_page import beyond_page
from heats.experiments.run import run_cells, write_cells
from heats.theory.tables import paper_tables

FIGURES = {f"fig-{name}": name for name in sweeps.SETTINGS}
NAMES = ("fig-budgets", *FIGURES, "fig-race", "tables", "claims", "beyond")
ASKED = ("race-table",)  # takes long, so it is not among all; its result comes with heats


def reproduce(
    names: Sequence[str],
    out: Path,
    reps: int = 1000,
    seed: int = 0,
    workers: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    tables: Sequence[str | Path] = (),
) -> list[Path]:
    """Make the figures and tables called ``names`` (or all) under ``out``; return the files written.

    ``tables`` are recorded ones, files or folders, on which ``beyond`` plays as well.
    """
    whole("reps", reps, 1)
    randomness.fold_seed(seed)
    if workers is not None:
        whole("workers", workers, 1)
    everything = NAMES if "all" in names or not names else ()
    wanted = [name for name in dict.fromkeys([*names, *everything]) if name != "all"]
    unknown = [name for name in names if name not in (*NAMES, *ASKED, "all")]
    if unknown:
        known = ", ".join((*NAMES, *ASKED))
        raise InvalidArgument(f"there is no {unknown[0]!r} to reproduce; choose among all, {known}.")
    if tables and "beyond" not in wanted:
        raise InvalidArgument("recorded tables are for beyond; name it as well, or leave them out.")
    recorded = regrets.find_cells(tables)
    settings = list(FIGURES.values()) if "claims" in wanted else [FIGURES[name] for name in wanted if name in FIGURES]
    grid = [cell for setting in settings for cell in sweeps.cells(setting)]
    if "claims" in wanted:
        grid += [cell for setting in list(sweeps.SETTINGS)[:4] for cell in sweeps.cells(setting, "variance")]
    races = list(race.cells()) if "claims" in wanted or "fig-race" in wanted else []
    points = len(grid) + len(races)
    if "beyond" in wanted:
        points += beyond.POINTS + sum(map(len, recorded.values()))
    if any(name.startswith(("fig", "beyond")) for name in wanted):
        figures.check_matplotlib()
    cores = workers or os.cpu_count() or 1
    if "race-table" in wanted:
        race_table.make(out, seed, cores, progress)
    done = 0

    def tick(more: int) -> None:
        nonlocal done
        done += more
        progress(done, points)

    results = run_cells(grid, out / "cells.csv", reps, seed, cores, tick) if grid else {}
    written = [out / "cells.csv"] if grid else []
    runs = _runs(out)
    raced = race.run_race(runs, reps, seed, cores, tick) if races else {}
    if raced:
        race.write_race(out / "fig-race.csv", raced.values(), seed)
        written += [] if "fig-race" in wanted else [out / "fig-race.csv"]
    for name in wanted:
        if name in FIGURES:
            shown = {cell: results[cell] for cell in sweeps.cells(FIGURES[name])}
            figures.save(figures.success_figure(FIGURES[name], "deviation", shown), out / name)
            write_cells(out / f"{name}.csv", shown, seed)
        elif name == "fig-budgets":
            figures.save(figures.budget_figure(), out / name)
            _write_budgets(out / f"{name}.csv")
        elif name == "fig-race":
            figures.save(figures.race_figure(raced), out / name)
        elif name == "race-table":
            written.append(out / race_table.NAME)
        elif name == "beyond":
            written += _make_beyond(out, recorded, reps, seed, cores, tick)
        elif name == "tables":
            written.append(_write_tables(out / "tables.csv"))
        else:
            command = f"heats reproduce {' '.join(names) or 'all'} --reps {reps} --seed {seed}"
            page = claims.claims_page(results, reps, seed, command)
            section = race_claims.section(raced, race_table.load(runs))
            (out / "claims.md").write_text(f"{page}\n{section}", encoding="utf-8")
            written.append(out / "claims.md")
        if name.startswith("fig"):
            written += [out / f"{name}.{ending}" for ending in ("png", "svg", "csv")]
    return written


def _make_beyond(
    out: Path,
    recorded: dict[Path, list[regrets.TableCell]],
    reps: int,
    seed: int,
    cores: int,
    tick: Callable[[int], None],
) -> list[Path]:
    """Play planned beside the paper's algorithms; draw and write what came of it, with all tables ever played."""

    def run(cells: list[sweeps.Cell]) -> dict[sweeps.Cell, sweeps.Result]:
        return run_cells(cells, out / "cells.csv", reps, seed, cores, tick)

    results = run([cell for setting in beyond.SETTINGS for cell in beyond.cells(setting)])
    needed = beyond.find_budgets(run)
    found = regrets.run_tables(recorded, out / "beyond-tables.csv", reps, seed, cores, tick)
    write_cells(out / "beyond.csv", results, seed)
    beyond.write_budgets(out / "beyond-budget.csv", needed, reps, seed)
    made = {"beyond": draw.means_figure(results), "beyond-budget": draw.budgets_figure(needed)}
    for setting in beyond.SETTINGS:
        made[f"beyond-{setting}"] = figures.success_figure(setting, "deviation", results, beyond.ALGORITHMS)
    if found:
        made["beyond-tables"] = draw.regrets_figure(found)
    for name, figure in made.items():
        figures.save(figure, out / name)
    page = out / "beyond.md"
    page.write_text(beyond_page(results, needed, found, reps, seed), encoding="utf-8")
    numbers = [out / name for name in ("cells.csv", "beyond.csv", "beyond-budget.csv")]
    numbers += [out / "beyond-tables.csv"] if found else []
    return [*numbers, *(out / f"{name}.{ending}" for name in made for ending in ("png", "svg")), page]


def live(
    names: Sequence[str],
    out: Path,
    reps: int = race_live.REPS,
    seed: int = 0,
    workers: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[str, Path]:
    """Race Section 6 for real; return what came of it in words, and the file with every tournament."""
    if list(names) != ["fig-race"]:
        raise InvalidArgument("--live goes with fig-race alone; make the other figures without it.")
    whole("reps", reps, 1)
    cores = whole("workers", workers, 1) if workers is not None else os.cpu_count() or 1
    done = 0

    def tick(more: int) -> None:
        nonlocal done
        done += more
        progress(done, reps * len(race.ALGORITHMS))

    found = race_live.run_live(_runs(out), reps, seed, cores, tick)
    race_live.write_live(out / "fig-race-live.csv", found, seed)
    return race_live.describe(found), out / "fig-race-live.csv"


def _runs(out: Path) -> Path:
    """Return the table of runs to use: one in the folder, or the one that comes with heats."""
    return out / race_table.NAME if (out / race_table.NAME).exists() else race_table.SHIPPED


def _write_budgets(path: Path) -> None:
    """Write the numbers of the figure of sufficient budgets."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("algorithm", "k", "n", "R", "R P_1"))
        for rule in ("csws", "csr", "csh"):
            for k in figures.BUDGET_SIZES:
                table.writerows((rule, k, *row) for row in figures.budget_rows(rule, k))


def _write_tables(path: Path) -> Path:
    """Write Tables 1-4 for the grid's n and k, gap 0.1 and δ = 0.05."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("table", "feedback", "n", "k", "algorithm", "quantity", "value"))
        for n in sweeps.ARMS:
            for k in sweeps.HEAT_SIZES:
                for feedback in ("winner", "reward"):
                    for title, rows in paper_tables(n, k, sweeps.GAP, 0.05, feedback, 0.2).items():
                        for row in rows:
                            for quantity, value in row.values.items():
                                table.writerow(
                                    (title.partition(":")[0], feedback, n, k, row.algorithm, quantity, value)
                                )
    return path
