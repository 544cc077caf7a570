"""The example runs offline, and goes on for nothing."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "judge" / "judge.py"


def test_the_example_finds_the_best_prompt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a table and a page at the end; with its journal gone, everything is in the cache."""
    example = runpy.run_path(str(EXAMPLE), run_name="example")
    example["main"](tmp_path)
    text = capsys.readouterr().out
    assert text.startswith("winner:     Think step by step, check your result")
    assert "who is shown first has an advantage" in text
    assert "The judges" in (tmp_path / "judge.html").read_text(encoding="utf-8")
    (tmp_path / "run.jsonl").unlink()
    example["main"](tmp_path)
    assert ": 0 calls; " in capsys.readouterr().out
