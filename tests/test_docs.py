"""The documentation tells the truth: its code runs, its commands print what is shown, its words and links exist."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import shlex
from pathlib import Path
from typing import Any

import pytest

import heats
from heats.cli.app import app, run

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


def pages_with(language: str) -> list[Any]:
    return [pytest.param(page, id=page.name) for page in PAGES if blocks(page, language)]


@pytest.mark.parametrize("page", pages_with("python"))
def test_code_blocks_run(page: Path) -> None:
    """All of a page, in order, in one namespace."""
    namespace: dict[str, Any] = {"__name__": "docs"}
    with contextlib.redirect_stdout(io.StringIO()) as shown:
        for number, block in enumerate(blocks(page, "python"), 1):
            exec(compile(block, f"{page.name}, block {number}", "exec"), namespace)
    assert namespace["heats"] is heats
    assert shown.getvalue()


@pytest.mark.parametrize("page", pages_with("console"))
def test_commands_print_what_is_shown(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`$ heats …` is run and compared with the lines below it; `$ make …` must be a target."""
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    checked = 0
    for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", "".join(blocks(page, "console")), re.MULTILINE):
        program, *arguments = shlex.split(command, comments=True)
        if program == "make":
            assert set(arguments) <= targets
        else:
            assert program == "heats"
            assert run(arguments) == 0
            assert capsys.readouterr().out == output
        checked += 1
    assert checked


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Files that pages point to exist, tests they name too."""
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (page.parent / target).exists(), target
    for path, name in re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text):
        assert f"def {name}" in (ROOT / path).read_text(encoding="utf-8"), (path, name)


def test_the_glossary_s_words_exist() -> None:
    """Every name in its Code column is one of ours."""
    rows = re.findall(r"^\|[^|]*\|([^|]*)\|", (ROOT / "docs/glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
    names = {name for row in rows for name in re.findall(r"`([\w.]+)`", row)}
    assert len(names) > 15
    known = " ".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    for name in names:
        assert re.search(rf"\b{name.split('.')[-1]}\b", known), name


def test_public_names_are_documented() -> None:
    """Each has a docstring and is mentioned somewhere in the docs or is a part of what is."""
    text = " ".join(page.read_text(encoding="utf-8") for page in PAGES)
    for name in heats.__all__:
        assert getattr(heats, name).__doc__
        assert name in text or name in ("Found", "Report", "RoundReport", "Sureness"), name


def test_commands_are_documented() -> None:
    """Every command of the command line stands in the README or the changelog."""
    text = " ".join(page.read_text(encoding="utf-8") for page in PAGES)
    for command in app.registered_commands:
        assert command.callback is not None
        assert f"heats {command.callback.__name__}" in text


def test_pictures_are_up_to_date() -> None:
    """What is committed is what the script draws."""
    made = runpy.run_path(str(ROOT / "docs/pictures/make.py"), run_name="pictures")["PICTURES"]
    for name, picture in made.items():
        assert (ROOT / "docs/pictures" / name).read_text(encoding="utf-8") == picture


@pytest.mark.parametrize(
    "module",
    [
        "heats",
        "heats.planning.plan",
        "heats.planning.build",
        "heats.engine.tournament.machine",
        "heats.engine.adaptive.machine",
        "heats.running.find_best",
        "heats.journal.writer",
        "heats.judging.judge",
        "heats.race.functions",
    ],
)
def test_docstring_examples_run(module: str) -> None:
    """Doctest finds some and they hold."""
    import doctest
    import importlib

    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0
    assert result.failed == 0
