"""The example runs offline, and goes on for nothing."""

from __future__ import annotations

import asyncio
import importlib.util
import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "judge" / "judge.py"


class Completions:
    """Answers as the clients of a vendor do: nothing at times, an error that says when to come back at times.

    No text gets that error twice: however calls fall in with each other, no comparison fails more often than it may.
    """

    def __init__(self) -> None:
        self.calls = 0
        self._judged: set[str] = set()

    def create(self, *, model: str, messages: list[dict[str, str]]) -> Any:
        self.calls += 1
        text = messages[0]["content"]
        said = "B" if "<B>" in text else text
        if "<B>" in text and text not in self._judged:
            self._judged.add(text)
            if len(self._judged) % 10 == 3:
                raise Busy
        message = SimpleNamespace(content=None if self.calls % 10 == 5 else said)
        return SimpleNamespace(choices=[SimpleNamespace(message=message)], usage=SimpleNamespace(total_tokens=7))

    async def create_soon(self, **options: Any) -> Any:
        await asyncio.sleep(0)
        return self.create(**options)


class Busy(Exception):
    """429, as the usual clients have it."""

    response = SimpleNamespace(headers={"retry-after": "0.001"})


@pytest.fixture
def completions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Completions:
    """Put a vendor in the place of the real one, whose answers are counted; nothing is written but here."""
    vendor = Completions()

    def make(create: Callable[..., Any]) -> Callable[..., Any]:
        return lambda **_: SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))

    clients = SimpleNamespace(OpenAI=make(vendor.create), AsyncOpenAI=make(vendor.create_soon))
    monkeypatch.setitem(sys.modules, "openai", clients)
    monkeypatch.chdir(tmp_path)
    return vendor


def test_the_two_minutes_of_the_docs_are_enough(completions: Completions, capsys: pytest.CaptureFixture[str]) -> None:
    """With a client that is awaited, is busy at times and says nothing at times."""
    [program] = re.findall(r"```py\n(.*?)```", (ROOT / "docs" / "judging.md").read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(program, "judging.md", "exec"), {"__name__": "__main__"})
    text = capsys.readouterr().out
    assert f"60 pulls by 1 judge: {completions.calls} calls" in text
    assert completions.calls > 60
    assert Path("run.jsonl").exists()


def test_the_real_client_takes_a_few_lines(
    completions: Completions, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They run as they stand, into a folder that need not be there."""
    spec = importlib.util.spec_from_file_location("judge", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    monkeypatch.setitem(sys.modules, "judge", example := importlib.util.module_from_spec(spec))
    spec.loader.exec_module(example)
    runpy.run_path(str(EXAMPLE.with_name("real.py")))
    assert "which cost" in capsys.readouterr().out
    assert Path("real/judge.html").exists()
    assert completions.calls


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
