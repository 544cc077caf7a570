"""Beyond the paper: budgets are found, tables judged and restarted, and the page says what the numbers say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heats
from heats.environments import Rankings, ScoreTable, read
from heats.errors import BrokenFile, InvalidArgument
from heats.experiments import reproduce
from heats.experiments.beyond import budgets, grid
from heats.experiments.beyond.averages import average_regrets
from heats.experiments.beyond.duels import LASTING, Duel, list_duels
from heats.experiments.beyond.fights import read_duels
from heats.experiments.beyond.page import make_beyond_page
from heats.experiments.beyond.regrets import TableCell, find_cells, measure_regrets, read_regrets, run_tables
from heats.experiments.experiment import Context
from heats.experiments.shared.verdicts import Share
from heats.experiments.synthetic.cells import CELLS
from heats.experiments.synthetic.grid import Cell, Result, list_cells, make_algorithm
from heats.experiments.writers import beyond as write
from tests.experiments.figures import is_drawn
from tests.experiments.reading import read_budgets

ROOT = Path(__file__).parents[2] / "docs" / "reproduction"
RATES = {"csws": 0.5, "csr": 0.4, "csh": 0.6, "round-robin": 0.3, "planned": 0.8}


def made_up(cells: list[Cell]) -> dict[Cell, Result]:
    """Results that grow with the budget, up to 100 % at 500, and never do for csr."""
    found = {}
    for cell in cells:
        rule = cell.algorithm.removesuffix("-paper").removesuffix("-exact")
        rate = RATES[rule] if rule == "csr" else min(1, RATES[rule] + cell.budget / 1000)
        found[cell] = Result(cell, Share(round(1000 * rate), 1000))
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two small tables and the rest of a folder."""
    numbers = np.random.default_rng(1)
    times = numbers.random((40, 5)) * [1, 2, 2, 3, 3]
    (tmp_path / "data").mkdir()
    np.savez(tmp_path / "data" / "fast.npz", runtime=times, solved=times < 2, cutoff=2.0)
    np.savez(tmp_path / "data" / "votes.npz", score=numbers.integers(0, 3, size=(20, 3)))
    (tmp_path / "data" / "README").write_text("not a table\n")
    return tmp_path / "data"


def test_the_grid_is_the_paper_s_and_one_more() -> None:
    """Every cell of the paper's figures is one of these, so that none is run twice."""
    for setting in grid.SETTINGS:
        cells = set(grid.list_setting(setting))
        assert cells > set(list_cells(setting))
        assert {cell.algorithm for cell in cells - set(list_cells(setting))} == {"planned"}
    steps = budgets.STEPS * len(budgets.list_searches())
    points = write.count_points(Context(Path(), 1, 0, 1))
    played = sum(len(grid.list_setting(setting)) for setting in grid.SETTINGS)
    assert played + steps + len(list_duels()) == points


def test_the_smallest_sufficient_budget_is_found() -> None:
    """Against looking at all budgets; a rule that never gets there has none."""
    asked: list[int] = []

    def run(cells: list[Cell]) -> dict[Cell, Result]:
        asked.append(len(cells))
        return made_up(cells)

    for search, budget, rate in budgets.find_budgets(run):
        rates = {b: made_up([search.at(b)])[search.at(b)].share.rate for b in budgets.BUDGETS}
        enough = [b for b in budgets.BUDGETS if rates[b] >= budgets.WANTED]
        assert budget == (enough[0] if enough else None)
        assert rate == (rates[enough[0]] if enough else None)
    assert asked == [len(budgets.list_searches())] * budgets.STEPS


def test_planned_is_told_what_is_fed_back() -> None:
    """Winners of three and more are fitted; rewards are not."""
    fitted = make_algorithm("planned", 50, 4, 100, winners=True)
    assert fitted == heats.plan(50, 4, 100, feedback="winner", blind=True)
    assert make_algorithm("planned", 50, 4, 100, winners=False) == heats.plan(50, 4, 100, feedback="reward", blind=True)


def test_tables_are_found_by_path(folder: Path, tmp_path: Path) -> None:
    """A file, or a folder of them; heats have at most n arms; names are unique; a folder of something else is no table."""
    found = find_cells([folder])
    assert [path.name for path in found] == ["fast.npz", "votes.npz"]
    assert {cell[:4] for cell in found[folder / "fast.npz"]} == {("fast", 5, k, b) for k in (2, 4) for b in (5, 15, 50)}
    assert {cell.heat_size for cell in found[folder / "votes.npz"]} == {2}
    assert find_cells([folder / "fast.npz", folder]) == found
    np.savez(tmp_path / "fast.npz", score=np.eye(3))
    with pytest.raises(InvalidArgument, match="two tables are called fast"):
        find_cells([folder, tmp_path / "fast.npz"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(BrokenFile, match="no description"):
        find_cells([tmp_path / "empty"])


def test_the_best_arm_has_regret_0_and_arms_have_1_on_average(folder: Path) -> None:
    """Also where nobody is better than anybody."""
    world = read(folder / "fast.npz", feedback="winner")
    for k in (2, 4):
        assert measure_regrets(world, k).mean() == pytest.approx(1)
        assert measure_regrets(world, k).argmin() == world.win_shares(k).argmax()
    assert measure_regrets(world, 2).min() == 0
    assert measure_regrets(ScoreTable(np.ones((4, 3))), 2).tolist() == [0, 0, 0]


def test_regret_of_rankings_goes_by_places() -> None:
    """Who is first most often need not have the best mean place, which rankings are told for."""
    orders = [[0, 1, 2], [0, 1, 2], [1, 2, 0], [1, 2, 0], [0, 1, 2]]  # mean places 1.8, 1.6 and 2.6
    assert measure_regrets(Rankings(orders), 3) == pytest.approx([0.2 / 0.4, 0, 1 / 0.4])
    assert measure_regrets(Rankings(orders, feedback="winner"), 3).argmin() == 0


def test_tables_are_played_once(folder: Path, tmp_path: Path) -> None:
    """One worker or two, at once or after a restart: the same file; what it has is not run again, and is kept."""
    cells = find_cells([folder])
    whole = run_tables(cells, tmp_path / "a.csv", 20, 3, 1, lambda more: None)
    assert {each.cell for each in whole} == {cell for part in cells.values() for cell in part}
    first = dict(list(cells.items())[:1])
    run_tables(first, tmp_path / "b.csv", 20, 3, 2, lambda more: None)
    ticks: list[int] = []
    assert run_tables(cells, tmp_path / "b.csv", 20, 3, 2, ticks.append) == whole
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert ticks[0] == len(next(iter(cells.values())))
    assert sum(ticks) == len(whole)
    assert run_tables({}, tmp_path / "b.csv", 20, 3, 2, ticks.append) == whole
    lines = (tmp_path / "b.csv").read_text().splitlines(keepends=True)
    (tmp_path / "b.csv").write_text("".join(line for line in lines if not line.startswith("fast,5,2,5,planned,")))
    left = run_tables({}, tmp_path / "b.csv", 20, 3, 2, ticks.append)  # a problem that not all have played is left out
    assert [each for each in whole if each not in left] == [
        each for each in whole if each.cell[:4] == ("fast", 5, 2, 5)
    ]
    (tmp_path / "b.csv").write_text("table,n\nx,y\n")
    with pytest.raises(BrokenFile, match="line 2: not a result"):
        run_tables(cells, tmp_path / "b.csv", 20, 3, 1, ticks.append)


def test_a_clear_winner_is_found(tmp_path: Path) -> None:
    """With a first arm that always wins, ten pulls per arm leave no regret; one row of all ties leaves none at all."""
    np.savez(tmp_path / "clear.npz", score=np.tile([9, 1, 2, 3, 0], (7, 1)))
    found = run_tables(find_cells([tmp_path / "clear.npz"]), tmp_path / "x.csv", 10, 0, 1, lambda more: None)
    for each in found:
        if each.cell.budget == 50 and each.cell.algorithm in ("planned", "csh-exact"):
            assert (each.regret, each.error) == (0, 0)


def test_figures_and_page(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All are written, none is blank; a second run without tables keeps what was played on them."""
    drawn: list[str] = []

    def briefly(setting: str, spread: str, results: dict[Cell, Result], algorithms: tuple[str, ...]) -> Any:
        from matplotlib.figure import Figure

        drawn.append(setting)
        assert all(Cell(setting, spread, 50, 2, 50, name) in results for name in algorithms)
        return Figure(figsize=(1, 1))

    monkeypatch.setattr(write, "draw_success", briefly)  # it has a test of its own, and takes long
    monkeypatch.setattr("heats.experiments.experiment.run_cells", lambda cells, *rest: made_up(cells))
    few = [Duel(LASTING, "", "winner", 5, 3, 10)]
    monkeypatch.setattr("heats.experiments.beyond.duels.list_duels", lambda: few)
    written = reproduce(["beyond"], tmp_path, reps=10, workers=1, tables=[folder])
    assert drawn == list(grid.SETTINGS)
    for name in ("beyond", "beyond-budget", "beyond-tables"):
        assert is_drawn(tmp_path / f"{name}.png")
    assert {path.suffix for path in written} == {".csv", ".png", ".svg", ".md"}
    assert all(path == tmp_path / "cells.csv" or path.exists() for path in written)
    page = (tmp_path / "beyond.md").read_text()
    assert page.count("| fast | 5 |") == page.count("| votes | 3 |") == 1
    assert page.count("| lasting strengths | winner | 1 |") == page.count("| recorded tables | winner | 9 |") == 1
    assert tmp_path / "beyond-adaptive.csv" in written
    assert "no problem in which planned is behind beyond chance" in page
    assert "| reward | 50 | 2 | 402 | — | 329 | 402 | — | 329 | 600 | 110 | 0.33 |" in page
    assert str(tmp_path) not in page
    monkeypatch.setattr(write, "save_figure", lambda *figure: [])
    reproduce(["beyond"], tmp_path, reps=10, workers=1)
    assert (tmp_path / "beyond.md").read_text() == page


def test_the_page_says_where_planned_is_behind() -> None:
    """One problem is made worse: it is listed, with the rule that is better."""
    cells = [cell for setting in grid.SETTINGS for cell in grid.list_setting(setting)]
    worse = Cell("preference", "deviation", 50, 4, 100, "planned")
    results = made_up(cells) | {worse: Result(worse, Share(100, 1000))}
    page = make_beyond_page(results, budgets.find_budgets(made_up), [], [], 1000, 0)
    assert "| preference | 50 | 4 | 100 | 0.100 | csh-exact | 0.700 | -0.600 |" in page
    assert "| preference | 39 | 10 | 1 | 0.600 |" in page
    assert "Recorded tables" not in page
    assert "Adaptive play" not in page


def test_the_committed_page_is_that_of_the_committed_numbers() -> None:
    """Every number of it is computed anew from the CSV files beside it."""
    results = {cell: result for (cell, _, _), result in CELLS.read(ROOT / "beyond.csv").items()}
    kept = {cell: result for (cell, _, _), result in CELLS.read(ROOT / "cells.csv").items()}
    assert results == {cell: kept[cell] for setting in grid.SETTINGS for cell in sorted(grid.list_setting(setting))}
    needed = read_budgets(ROOT / "beyond-budget.csv")
    for search, budget, rate in needed:
        assert budget is None or kept[search.at(budget)].share.rate == rate
    found = read_regrets(ROOT / "beyond-tables.csv", 1000, 0)
    duels = read_duels(ROOT / "beyond-adaptive.csv", 1000, 0)
    assert (ROOT / "beyond.md").read_text() == make_beyond_page(results, needed, found, duels, 1000, 0)
    assert {len(row) for row in average_regrets(found).values()} == {len(grid.ALGORITHMS)}
    assert all(isinstance(each.cell, TableCell) and each.regret >= 0 for each in found)
    for name in ("beyond", "beyond-budget", "beyond-tables", *(f"beyond-{each}" for each in grid.SETTINGS)):
        assert (ROOT / f"{name}.png").exists()
        assert (ROOT / f"{name}.svg").exists()
