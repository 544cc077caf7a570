"""A poll served by a thread of this process, for real browsers, and how people use its pages."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn

from heats.vote.site.app import make_app
from tests.vote.test_app import Poll
from tests.waiting import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Page


class ServedPoll(Poll):
    """A poll that browsers on this machine can reach; it counts what they asked for and were sent."""

    def __init__(self, folder: Path, **said: Any) -> None:
        super().__init__(folder, **said)
        self.sent: Counter[str] = Counter()
        app = make_app(self.office)

        async def count(scope: Any, receive: Any, send: Any) -> None:
            await app(scope, receive, send)
            self.sent[scope["path"]] += 1

        self._server = uvicorn.Server(uvicorn.Config(count, port=0, lifespan="off", log_level="warning"))
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        wait_until(lambda: self._server.started)
        self.address = f"http://127.0.0.1:{self._server.servers[0].sockets[0].getsockname()[1]}"

    def link(self, who: str = "") -> str:
        """Return the secret link of a voter, or the organiser's."""
        return f"{self.address}{self.base(who) if who else self.organiser}"

    def wait_until_sent(self, paths: list[str]) -> None:
        """Wait until browsers have been sent all of that."""
        wait_until(lambda: self.sent.keys() >= set(paths))

    def close(self) -> None:
        """End the server, and let others write the journal."""
        self._server.should_exit = True
        self._thread.join()
        self.office.close()


def begin(page: Page) -> None:
    """Begin if the page says so: it does so by itself where there is script, else there is a button."""
    form = page.locator("form[data-begin]")
    if page.evaluate("typeof show") == "function":
        form.wait_for(state="detached")
    elif form.count():
        lead_on(page, click("Begin"))


def lead_on(page: Page, act: Callable[[Page], None]) -> None:
    """Do something that leads to another page, and wait until all of that is there."""
    with page.expect_navigation():
        act(page)


def follow(name: str) -> Callable[[Page], None]:
    """Return what follows the link with that name."""
    return lambda page: page.get_by_role("link", name=name).click()


def count_votes(page: Page) -> int:
    """Return how many votes a page says somebody gave."""
    text = page.locator("main").inner_text()
    if found := re.search(r"Vote (\d+)", text):
        return int(found[1]) - 1
    found = re.search(r"You gave (\d+) vote", text)
    assert found is not None, text
    return int(found[1])


def vote(page: Page, act: Callable[[Page], None]) -> None:
    """Do something that counts as a vote, and wait until the page says that it did."""
    given = count_votes(page) + 1
    act(page)
    page.get_by_text(re.compile(rf"Vote {given + 1}\b|You gave {given} vote")).wait_for()
    page.wait_for_load_state()  # without script the rest of the page may still be coming


def take_turn(page: Page, act: Callable[[Page], None]) -> bool:
    """Vote if there is something to vote on, if need be after looking again, and return whether there was."""
    for name in ("Look again", "Give some more"):
        if page.get_by_role("link", name=name).count():
            lead_on(page, follow(name))
            begin(page)
    if not page.locator(".cards").count():
        return False
    vote(page, act)
    return True


def click(name: str) -> Callable[[Page], None]:
    """Return what clicks the button with that name."""
    return lambda page: page.get_by_role("button", name=name).click()


def press(key: str) -> Callable[[Page], None]:
    """Return what presses a key, wherever one is on the page."""
    return lambda page: page.keyboard.press(key)
