"""Reproduction: same numbers for the same seed, restartable, figures that show what they say, claims with verdicts."""

from __future__ import annotations

import csv
import os
import re
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from heats.cli.app import run
from heats.errors import BrokenFile, InvalidArgument
from heats.experiments import EXPERIMENTS, reproduce
from heats.experiments.beyond.grid import SETTINGS as BEYOND_SETTINGS
from heats.experiments.saps import claims as race_claims
from heats.experiments.saps.page import make_race_section
from heats.experiments.saps.runs_table import load_table
from heats.experiments.shared.drawing import make_label, save_figure
from heats.experiments.shared.verdicts import Share, judge
from heats.experiments.synthetic import grid
from heats.experiments.synthetic.cells import run_cells
from heats.experiments.synthetic.checks import View
from heats.experiments.synthetic.claims import CLAIMS
from heats.experiments.synthetic.figures import draw_success
from heats.experiments.synthetic.grid import Cell, Result, list_cells, run_cell
from heats.experiments.synthetic.page import make_claims_page
from tests.experiments.figures import is_drawn
from tests.experiments.reading import read_equal, read_races

ROOT = Path(__file__).parents[2] / "docs" / "reproduction"


def some_cells() -> list[Cell]:
    return [cell for cell in list_cells("preference") if cell.budget <= 100 and cell.heat_size in (2, 10)]


def test_the_grid_is_the_paper_s() -> None:
    """Two n, five k, five B, seven algorithms; every cell has its own name."""
    cells = [cell for setting in grid.SETTINGS for cell in list_cells(setting)]
    assert len(cells) == 6 * 2 * 5 * 5 * 7
    assert len({cell.id for cell in cells}) == len(cells)


def test_numbers_do_not_depend_on_workers_or_restarts(tmp_path: Path) -> None:
    """One worker, two, and a run that finds half of its cells done: the same file."""
    cells = some_cells()
    seen: list[int] = []
    run_cells(cells, tmp_path / "one.csv", 20, 3, 1, seen.append)
    run_cells(cells[:10], tmp_path / "two.csv", 20, 3, 2, lambda more: None)
    run_cells(cells, tmp_path / "two.csv", 20, 3, 2, lambda more: None)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    assert sum(seen) == len(cells)
    again: list[int] = []
    run_cells(cells, tmp_path / "two.csv", 20, 3, 2, again.append)
    assert again == [len(cells)]  # nothing was run anew
    other = run_cells(cells, tmp_path / "two.csv", 20, 4, 1, lambda more: None)
    assert any(other[cell] != run_cell(cell, 20, 3) for cell in cells)  # another seed, other numbers
    kept = (tmp_path / "two.csv").read_text().splitlines()
    assert set((tmp_path / "one.csv").read_text().splitlines()) < set(kept)  # what was there before is still there
    assert len(kept) == 1 + 2 * len(cells)


def test_a_file_of_something_else_is_not_overwritten(tmp_path: Path) -> None:
    """It is refused with its line."""
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(BrokenFile, match="line 2: not a result of heats reproduce"):
        run_cells(some_cells(), tmp_path / "x.csv", 20, 3, 1, lambda more: None)
    assert (tmp_path / "x.csv").read_text() == "a,b\n1,2\n"


@pytest.mark.slow
def test_figures_show_what_they_say(tmp_path: Path) -> None:
    """PNG and SVG exist, are not blank, and name axes, panels and every line."""
    written = reproduce(["fig-reward", "fig-budgets", "tables"], tmp_path, reps=10)
    assert {path.name for path in written} >= {
        "cells.csv",
        "fig-reward.png",
        "fig-reward.svg",
        "fig-reward.csv",
        "fig-budgets.csv",
        "tables.csv",
    }
    for name in ("fig-reward", "fig-budgets"):
        assert is_drawn(tmp_path / f"{name}.png")
    results = run_cells(list_cells("reward"), tmp_path / "cells.csv", 10, 0, 1, lambda more: None)
    figure = draw_success("reward", "deviation", results)
    titles = {panel.get_title() for panel in figure.axes}
    assert titles == {f"n = {n}, k = {k}" for n in grid.ARMS for k in grid.HEAT_SIZES}
    assert figure.get_supxlabel() == "budget B"
    assert figure.get_supylabel() == "share of runs that found the best arm"
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [make_label(name) for name in grid.ALGORITHMS]
    line = next(line for line in figure.axes[0].lines if line.get_label() == "csh, exact")
    assert np.asarray(line.get_ydata())[0] == results[Cell("reward", "deviation", 50, 2, 50, "csh-exact")].share.rate
    save_figure(figure, tmp_path / "again")
    assert (tmp_path / "again.svg").read_bytes() == (tmp_path / "fig-reward.svg").read_bytes()


def test_unknown_names_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They list what there is."""
    with pytest.raises(InvalidArgument, match="no 'fig-9' to reproduce; choose among all, fig-budgets"):
        reproduce(["fig-9"], tmp_path)
    with pytest.raises(InvalidArgument, match="reps=0"):
        reproduce(["tables"], tmp_path, reps=0)
    with pytest.raises(InvalidArgument, match="no 'fig-9'"):
        reproduce(["all", "fig-9"], tmp_path)
    with pytest.raises(InvalidArgument, match="workers=-1"):
        reproduce(["tables"], tmp_path, workers=-1)
    assert run(["reproduce", "tables", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/tables.csv\n"
    assert not list(tmp_path.glob("cells*"))


def test_the_committed_results_are_complete() -> None:
    """Every figure, every cell, every claim with a verdict, and the command that made them."""
    with (ROOT / "cells.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {int(row["reps"]) for row in rows} == {1000}
    for row in rows:
        assert float(row["low"]) <= float(row["rate"]) <= float(row["high"])
    for name in EXPERIMENTS:
        if name.startswith("fig"):
            assert (ROOT / f"{name}.png").exists()
            assert (ROOT / f"{name}.svg").exists()
            assert len((ROOT / f"{name}.csv").read_text().splitlines()) > 100
    page = (ROOT / "claims.md").read_text()
    wanted = [Cell(r["setting"], r["spread"], int(r["n"]), int(r["k"]), int(r["B"]), r["algorithm"]) for r in rows]
    results = {cell: Result(cell, Share(int(row["successes"]), 1000)) for cell, row in zip(wanted, rows, strict=True)}
    parts = [*product(grid.SETTINGS, ["deviation"]), *product(BEYOND_SETTINGS, ["variance"])]
    in_order = {cell: results[cell] for each in parts for cell in list_cells(*each)}
    assert len(in_order) == (6 + 4) * 350
    synthetic = make_claims_page(in_order, 1000, 0, "heats reproduce all --reps 1000 --seed 0")
    races, equal = read_races(ROOT / "fig-race.csv"), read_equal(ROOT / "fig-race-cpu.csv")
    section = make_race_section(races, equal, load_table())
    assert page == f"{synthetic}\n{section}"
    verdicts = re.findall(r"\*\*(confirmed|mixed|not confirmed)\*\*", page)
    assert len(verdicts) == len(CLAIMS) + len(race_claims.CLAIMS)


def made_up(rates: dict[str, float], reps: int = 1000) -> dict[Cell, Result]:
    """Results in which every rule has the same success everywhere."""
    cells = [cell for s in grid.SETTINGS for spread in grid.SPREADS for cell in list_cells(s, spread)]
    hits = {name: round(reps * rates[name.removesuffix("-paper").removesuffix("-exact")]) for name in grid.ALGORITHMS}
    return {cell: Result(cell, Share(hits[cell.algorithm], reps)) for cell in cells}


@pytest.mark.parametrize(
    ("rates", "verdicts"),
    [
        ({"csws": 0.3, "csr": 0.6, "csh": 0.7, "round-robin": 0.1}, [True, True, True, True, True]),
        ({"csws": 0.7, "csr": 0.2, "csh": 0.3, "round-robin": 0.8}, [False, False, False, False, False]),
        ({"csws": 0.3, "csr": 0.2, "csh": 0.3, "round-robin": 0.1}, [None, None, True, True, True]),
    ],
)
def test_claims_follow_the_numbers(rates: dict[str, float], verdicts: list[bool | None]) -> None:
    """Made-up results that fulfil the claims, contradict them, or do neither."""
    view = View(made_up(rates), "deviation", "exact")
    checks = {claim.sentence[:24]: claim.check for claim in CLAIMS}
    asked = (
        "In particular for the ch",
        "Especially CSH has overa",
        "Except where k is large ",
        "Our methods outperform R",
        "With a small budget, man",
    )
    assert [checks[each](view)[0] for each in asked] == verdicts


def test_differences_count_only_beyond_chance() -> None:
    """510 against 500 of 1000 is level; 600 is not."""
    assert Share(510, 1000).versus(Share(500, 1000)) == 0
    assert Share(600, 1000).versus(Share(500, 1000)) == 1
    assert Share(500, 1000).versus(Share(600, 1000)) == -1
    assert Share(0, 10).versus(Share(0, 10)) == 0
    assert [judge(each) for each in ([True, True], [True, None], [None, False], [False, False])] == [
        "confirmed",
        "mixed",
        "mixed",
        "not confirmed",
    ]


@pytest.mark.slow
def test_an_interrupted_run_keeps_what_is_finished(tmp_path: Path) -> None:
    """Ctrl-C ends it soon, and going on takes only what is missing."""
    code = "import sys; from heats.cli.app import run; sys.exit(run(['reproduce', 'fig-median', '--reps', '300', '--out', sys.argv[1]]))"
    started = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stderr=subprocess.PIPE, start_new_session=True
    )
    while not (tmp_path / "cells.csv").exists() and started.poll() is None:
        time.sleep(0.1)
    os.kill(started.pid, signal.SIGINT)
    begun = time.monotonic()
    started.communicate(timeout=60)
    assert started.returncode == 130
    assert time.monotonic() - begun < 30
    assert 1 < len((tmp_path / "cells.csv").read_text().splitlines()) < 351


def test_a_committed_number_can_be_made_again() -> None:
    """Some cells, from their names and the seed; a plan that changed would show here."""
    with (ROOT / "cells.csv").open() as file:
        rows = {tuple(row.values())[:6]: int(row["successes"]) for row in csv.DictReader(file)}
    for cell in (
        Cell("reward", "deviation", 50, 4, 100, "csh-exact"),
        Cell("preference-decoy", "deviation", 50, 6, 50, "round-robin"),
        Cell("preference", "deviation", 50, 4, 100, "planned"),
        Cell("reward-decoy", "deviation", 100, 6, 50, "planned"),
    ):
        assert run_cell(cell, 1000, 0).share.successes == rows[tuple(map(str, cell))]
