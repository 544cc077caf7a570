"""Everybody can use the pages: axe finds nothing in either theme, a phone shows all of it, and keys reach everything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.vote.browser.served import ServedPoll, begin, press, vote
from tests.vote.polls import write_lines
from tests.vote.test_scenario import write_pictures, write_scenario

if TYPE_CHECKING:
    from playwright.sync_api import Page

Visit = Callable[..., "Page"]
Serve = Callable[..., ServedPoll]

SMALLEST = 44  # pixels that a finger needs
SMALL = """smallest => [...document.querySelectorAll("main :is(button, .button, .choice, summary, .plain, input:not([type=hidden], [type=checkbox], [type=radio]), select)")]
  .map(each => [each, each.getBoundingClientRect()])
  .filter(([each, box]) => box.height > 0 && box.height < smallest)
  .map(([each, box]) => `${each.outerHTML} ${box.height}`)"""

NAME = "(each => each.ariaLabel ?? (each.labels?.[0] ?? each).textContent.trim())(document.activeElement)"


def find_violations(page: Page) -> list[str]:
    """Return what axe says against a page: all of it in light, what the theme changes in dark."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate(Axe().axe_script)
    found = []
    for scheme, only in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        page.emulate_media(color_scheme=scheme)
        told = page.evaluate("options => axe.run(options)", {"resultTypes": ["violations"]} | only)
        found += [f"{scheme}: {each['id']}: {node['html']}" for each in told["violations"] for node in each["nodes"]]
    return found


def check(page: Page) -> None:
    """Nothing violated, nothing too small for a finger, nothing beyond the edge of a phone."""
    assert find_violations(page) == []
    assert page.evaluate(SMALL, SMALLEST) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 375


def test_pages_of_a_vote_are_accessible(serve: Serve, visit: Visit, tmp_path: Path) -> None:
    """Pictures at first, then with an undo and all that can be opened, while paused, and a refusal."""
    text = '[vote]\nquestion = "Which logo?"\nintroduction = "Go by your *first* look."\ncandidates = "logos"\n'
    write_pictures(tmp_path, 5)
    poll = serve(source=write_scenario(tmp_path, text))
    page = visit(poll.link("Ann"), width=375)
    check(page)
    vote(page, press("1"))
    for each in page.locator("summary").all():
        each.click()
    page.get_by_text("Your vote is counted").wait_for()
    check(page)
    poll.order(order="pause")
    page.reload()
    check(page)
    page.goto(f"{poll.address}/v/nobody")
    check(page)


def test_pages_of_other_answers_are_accessible(serve: Serve, visit: Visit, tmp_path: Path) -> None:
    """A ranking, best and worst of Markdown, and the first page of an open poll."""
    write_lines(tmp_path)
    for answer in ("ranking", "best-worst"):
        folder = tmp_path / answer
        folder.mkdir()
        entries = "".join(f'[[candidates]]\nmarkdown = "# {word}\\n\\n- a\\n- `{word}`"\n' for word in "abcd")
        poll = serve(folder, source=write_scenario(folder, f'[vote]\nanswer = "{answer}"\n{entries}'))
        page = visit(poll.link("Ann"), width=375)
        page.keyboard.press("2")
        check(page)
    poll = serve(listed=False, source=tmp_path / "names.txt")
    check(visit(poll.address, width=375))


def test_pages_of_waiting_and_of_the_end_are_accessible(serve: Serve, visit: Visit) -> None:
    """Nothing for you now, thank you, and the organiser's: how far it is, links, and the report before and after."""
    poll = serve()
    voter, organiser = visit(poll.link("Ann"), width=375), visit(poll.link(), width=375)
    while voter.locator(".cards").count():
        vote(voter, press("1"))
        voter.goto(f"{poll.link('Ann')}?more=1")
        begin(voter)
    assert "nothing for you now" in voter.locator("main").inner_text()
    check(voter)
    poll.order(order="void", who="Ann")
    organiser.reload()
    check(organiser)
    organiser.goto(f"{poll.link()}/links")
    check(organiser)
    organiser.goto(f"{poll.link()}/report")
    assert find_violations(organiser) == []
    while not poll.machine.done:
        poll.order(order="close")
    for page, link in ((voter, poll.link("Bob")), (organiser, poll.link())):
        page.goto(link)
        check(page)
    organiser.goto(f"{poll.link()}/report")
    assert find_violations(organiser) == []


def test_tab_reaches_everything_in_the_order_of_the_page_and_is_seen(serve: Serve, visit: Visit) -> None:
    """The candidates first, then what else may be said, then undo."""
    poll = serve()
    page = visit(poll.link("Ann"))
    vote(page, press("1"))
    names = []
    for _ in range(9):
        page.keyboard.press("Tab")
        names.append(page.evaluate(NAME))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert names == [
        *(f"Candidate {place} is best" for place in (1, 2, 3)),
        *("A tie T", "None of these N", "Can’t say S", "Undo my last vote U", "A tie between some of them"),
        "Keys do what the buttons say",
    ]


def test_what_became_of_a_vote_is_read_out_and_reading_goes_on_at_the_next(serve: Serve, visit: Visit) -> None:
    """The region is there and empty before it is filled: only then do screen readers say it."""
    poll = serve()
    page = visit(poll.link("Ann"))
    page.evaluate(
        """() => { window.said = []; new MutationObserver(all => all.forEach(each => {
          if (each.target.role === "status") window.said.push(each.target.textContent);
        })).observe(document.body, {subtree: true, childList: true}) }"""
    )
    vote(page, press("1"))
    page.get_by_text("Your vote is counted").wait_for()
    assert page.evaluate("window.said.filter(each => each)") == ["Your vote is counted."]
    assert page.evaluate("document.activeElement.textContent") == "Vote 2 of 3"
    assert page.evaluate("scrollY") == 0


def test_what_is_said_moves_nothing(serve: Serve, visit: Visit) -> None:
    """On a phone, too: who votes fast would hit another button."""
    page = visit(serve().link("Ann"), width=375)
    vote(page, press("1"))
    page.get_by_text("Your vote is counted").wait_for()
    top = "document.querySelector('.cards').getBoundingClientRect().top"
    said = page.evaluate(top)
    assert page.evaluate(f"(document.querySelector('[role=status]').textContent = '', {top})") == said


def test_nothing_moves_for_those_who_do_not_want_it(serve: Serve, visit: Visit) -> None:
    """And for the others only the candidates, when they are new."""
    page = visit(serve().link("Ann"))
    moving = "getComputedStyle(document.querySelector('.cards')).animationName"
    assert page.evaluate(moving) == "none"
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(moving) == "appear"
