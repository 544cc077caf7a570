"""A real browser, and pages in it that are watched: nothing is asked of anywhere else, nothing is complained about."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.vote.browser.served import ServedPoll, begin

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

PATIENCE = 30_000  # milliseconds, for busy machines


@pytest.fixture(scope="package")  # not longer: while it is there, no other event loop can run in this thread
def browser() -> Iterator[Browser]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("there is no chromium; apt-get install chromium")
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    flags = ["--no-sandbox"] if is_root else []  # root has no sandbox
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=flags)
        yield started
        started.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens a link in a browser of its own: ``visit(link, width=375, script=False)``."""
    contexts: list[BrowserContext] = []
    strange: list[str] = []

    def open_link(link: str, *, width: int = 1200, script: bool = True, **options: Any) -> Page:
        size: Any = {"width": width, "height": 720}
        context = browser.new_context(
            viewport=size, java_script_enabled=script, has_touch=width < 500, reduced_motion="reduce", **options
        )
        context.set_default_timeout(PATIENCE)
        context.on("request", lambda each: strange.append(each.url) if not _is_here(each.url) else None)
        context.on("console", lambda each: strange.append(each.text) if not _is_refusal(each.text) else None)
        context.on("weberror", lambda each: strange.append(str(each.error)))
        contexts.append(context)
        page = context.new_page()
        page.goto(link)
        begin(page)
        return page

    yield open_link
    for context in contexts:
        context.close()
    assert strange == []


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., ServedPoll]]:
    """Serves a poll in a folder of its own, with what is said of it."""
    served: list[ServedPoll] = []

    def begin(folder: Path = tmp_path, **said: Any) -> ServedPoll:
        served.append(ServedPoll(folder, **said))
        return served[-1]

    yield begin
    for poll in served:
        poll.close()


def _is_here(address: str) -> bool:
    return address.startswith(("http://127.0.0.1:", "about:"))


def _is_refusal(text: str) -> bool:
    """Whether the console says no more than that the server refused, or was away, as tests want it to."""
    return text.startswith("Failed to load resource: ")
