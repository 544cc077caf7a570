"""Stopping early, calibrated: runs are what they are called, and the committed table keeps what is asked for."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from heats.errors import BrokenFile
from heats.experiments import reproduce
from heats.experiments.standings import parts
from heats.experiments.standings.worlds import World
from heats.experiments.sure.page import make_sure_page
from heats.experiments.sure.results import OUTCOMES, run_worlds
from heats.experiments.sure.runs import Outcome, add_up, list_worlds, play_runs

ROOT = Path(__file__).parents[2] / "docs" / "reproduction"
CLEAR, ALIKE = World("kept", "reward", "outlier", 8, 4, 80), World("kept", "reward", "sd 0.3", 8, 2, 80)


def test_it_is_about_84_worlds() -> None:
    """Two kinds, five shapes, three n, two k; of the paper's family two kinds, with a decoy or not, two n, three k."""
    worlds = list_worlds()
    assert Counter(world.group for world in set(worlds)) == {"kept": 60, "adaptive": 24}
    assert all(world.budget == 10 * world.n_arms for world in worlds)


def test_runs_in_a_clear_world_stop_and_are_right() -> None:
    """And in one of near equals hardly any does; parts add up to the whole."""
    clear = play_runs(CLEAR, range(4), 0)
    assert clear == add_up([play_runs(CLEAR, range(2), 0), play_runs(CLEAR, range(2, 4), 0)])
    assert clear.stopped == clear.successes == 4
    assert clear.saved / clear.runs > 0.5
    assert play_runs(ALIKE, range(4), 0).stopped <= 2


def test_worlds_that_are_kept_are_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was read from the file is what was played."""
    path = tmp_path / "sure.csv"
    ticks: list[int] = []
    first = run_worlds([CLEAR, ALIKE], path, 2, 0, 1, ticks.append)
    assert sum(ticks) == 4
    monkeypatch.setattr(parts, "run_jobs", lambda job, jobs, workers: iter(()))
    assert run_worlds([CLEAR, ALIKE], path, 2, 0, 1, ticks.append) == first
    path.write_text(path.read_text().replace("80", "eighty"))
    with pytest.raises(BrokenFile, match="reproduce sure"):
        OUTCOMES.read(path)


def test_the_page_says_where_it_is_too_sure() -> None:
    """A family that is right less often than asked for, beyond chance, is called so."""
    page = make_sure_page({CLEAR: Outcome(100, 90, 90, 50.0, 55.0), ALIKE: Outcome(100, 80, 60, 20.0, 20.0)}, 100, 0)
    assert "| reward | outlier | 100 | 90% | 90 of 90 (100.0%)" in page
    assert page.count("| within |") == 1
    assert page.count("| too sure |") == 1
    assert "1 of 2 are within" in page


def test_the_committed_page_is_made_of_the_committed_table(tmp_path: Path) -> None:
    """And keeps what is asked for: 94 % right over all, and no family in which that cannot be.

    In the paper's family it saves .9 of what it would save if the kind of world were known.
    """
    known = OUTCOMES.read(ROOT / "sure.csv")
    [(reps, seed)] = {key[1:] for key in known}
    (tmp_path / "sure.csv").write_bytes((ROOT / "sure.csv").read_bytes())
    reproduce(["sure"], tmp_path, reps=reps, seed=seed, workers=1)
    page = (tmp_path / "sure.md").read_text(encoding="utf-8")
    assert page == (ROOT / "sure.md").read_text(encoding="utf-8")
    assert "| too sure |" not in page
    assert add_up(list(known.values())).right >= 0.94
    family = add_up([outcome for (world, *_), outcome in known.items() if world.group == "adaptive"])
    assert family.saved >= 0.9 * family.known
