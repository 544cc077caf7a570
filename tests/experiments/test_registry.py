"""The table of experiments: one entry each, and what several need is played once."""

from __future__ import annotations

from pathlib import Path

import pytest

from heats.errors import InvalidArgument
from heats.experiments import EXPERIMENTS, list_experiments, live, reproduce
from heats.experiments.experiment import Context, Experiment
from heats.experiments.registry import choose_experiments
from heats.experiments.synthetic.grid import Cell

CELLS = [Cell("reward", "deviation", 50, 4, 50, name) for name in ("csh-exact", "round-robin", "csr-exact")]


def test_every_experiment_says_in_one_line_what_it_is_about() -> None:
    """In the order in which they are made."""
    listed = list_experiments()
    assert " ".join(listed) == (
        "fig-budgets fig-reward fig-reward-decoy fig-preference-decoy fig-preference fig-median fig-power-mean "
        "fig-race tables claims beyond standings sure times race-table"
    )
    assert len(set(listed.values())) == len(listed)
    assert all(0 < len(about) <= 80 and about.isprintable() for about in listed.values())


def test_all_leaves_out_what_takes_long() -> None:
    """No name is all of them; a name beside all adds to it; nobody is made twice."""
    everything = [name for name in EXPERIMENTS if name not in ("standings", "sure", "times", "race-table")]
    assert list(choose_experiments([])) == list(choose_experiments(["all"])) == everything
    assert list(choose_experiments(["race-table", "all", "tables"])) == [
        *("race-table", "tables"),
        *(name for name in everything if name != "tables"),
    ]


def test_an_experiment_is_one_entry_and_shared_cells_are_played_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two new ones that want some of the same cells: each gets all of its own; progress counts every cell once."""
    seen: dict[str, list[Cell]] = {}

    def entry(name: str, cells: list[Cell], own: int) -> Experiment:
        def write(context: Context) -> list[Path]:
            seen[name] = [context.results[cell].cell for cell in cells]
            context.tick(own)
            (context.out / name).write_text(str(context.asked))
            return [context.cells_file, context.out / name]

        return Experiment("a test", write, cells=lambda: cells, points=lambda context: own)

    monkeypatch.setitem(EXPERIMENTS, "one", entry("one", CELLS[:2], 4))
    monkeypatch.setitem(EXPERIMENTS, "two", entry("two", CELLS[1:], 0))
    ticks: list[tuple[int, int]] = []
    written = reproduce(["two", "one"], tmp_path, reps=2, workers=1, progress=lambda *at: ticks.append(at))
    assert [path.name for path in written] == ["cells.csv", "two", "one"]
    assert seen == {"one": CELLS[:2], "two": CELLS[1:]}
    assert ticks == [(0, 7), (3, 7), (3, 7), (7, 7)]
    ticks.clear()
    reproduce(["one"], tmp_path, reps=2, workers=1, progress=lambda *at: ticks.append(at))
    assert ticks == [(2, 6), (6, 6)]  # all cells are known


def test_what_cannot_be_made_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    """Tables that nobody plays on, tables that are none, seeds and counts."""
    for refused in (
        lambda: reproduce(["claims"], tmp_path, tables=["x.npz"]),
        lambda: reproduce(["beyond"], tmp_path, tables=[tmp_path / "x.npz"]),
        lambda: reproduce(["tables"], tmp_path, seed=-1),
        lambda: live(["fig-race"], tmp_path, seed=-1),
        lambda: live(["fig-race"], tmp_path, reps=0),
        lambda: live([], tmp_path),
    ):
        with pytest.raises(InvalidArgument):
            refused()
    assert not list(tmp_path.iterdir())
