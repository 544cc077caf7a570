"""Voters in real browsers: by mouse, by keys, without script, on a phone, on two devices, without a connection."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from heats.vote.desk.desk import PATIENCE
from tests.vote.browser.served import ServedPoll, click, count_votes, lead_on, press, take_turn, vote
from tests.vote.polls import list_votes, write_lines
from tests.vote.test_scenario import write_pictures, write_scenario

if TYPE_CHECKING:
    from playwright.sync_api import Page

Visit = Callable[..., "Page"]
Serve = Callable[..., ServedPoll]


def test_three_voters_vote_a_whole_poll(serve: Serve, visit: Visit, tmp_path: Path) -> None:
    """By mouse, by keys, and without script on a phone, each in a browser of their own, until it is over."""
    (tmp_path / "three.csv").write_text("name\nAnn\nBob\nCem\n")
    poll = serve(listed=False, voters=str(tmp_path / "three.csv"), budget=6)
    voters = [
        (visit(poll.link("Ann")), [click("Candidate 2 is best"), click("A tie T"), click("None of these")]),
        (visit(poll.link("Bob")), [press("3"), press("t"), press("n"), press("1")]),
        (visit(poll.link("Cem"), width=375, script=False), [click("Candidate 1 is best")]),
    ]
    for turn in range(20):
        poll.clock.now += PATIENCE
        voted = [take_turn(page, ways[turn % len(ways)]) for page, ways in voters]
        if poll.machine.done:
            break
        if not any(voted):  # all have seen all that is owed: then the organiser goes on without those votes
            poll.order(order="close", why="nobody is left")
    for page, _ in voters:
        page.reload()
        assert "Thank you" in page.locator("main").inner_text()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    people = poll.office.desk.ledger.people
    assert {who: count_votes(page) for who, (page, _) in zip("ABC", voters, strict=True)} == {
        who[0]: each.answered for who, each in people.items()
    }
    assert all(each.votes for each in people.values())


@pytest.mark.parametrize("script", [True, False])
def test_the_last_vote_is_undone_and_the_same_is_asked_again(serve: Serve, visit: Visit, script: bool) -> None:
    """By the key where there is script, else by the button."""
    poll = serve()
    page = visit(poll.link("Ann"), script=script)
    shown = page.locator(".shown").all_inner_texts()
    vote(page, click("Candidate 1 is best"))
    assert page.locator(".shown").all_inner_texts() != shown
    (press("u") if script else click("Undo"))(page)
    page.get_by_text("Your last vote is taken back").wait_for()
    page.wait_for_load_state()
    assert page.locator(".shown").all_inner_texts() == shown
    assert poll.machine.spent == 0


def test_the_same_link_goes_on_on_another_device(serve: Serve, visit: Visit) -> None:
    """With what was asked on the first one, which then is asked about the next."""
    poll = serve()
    desk, phone = visit(poll.link("Ann")), visit(poll.link("Ann"), width=375)
    vote(desk, press("1"))
    phone.reload()
    assert phone.locator(".shown").all_inner_texts() == desk.locator(".shown").all_inner_texts()
    vote(phone, click("Candidate 2 is best"))
    desk.reload()
    assert count_votes(desk) == 2


def test_who_cannot_say_is_asked_something_else(serve: Serve, visit: Visit) -> None:
    """And it is no vote."""
    poll = serve()
    page = visit(poll.link("Ann"))
    shown = page.locator(".shown").all_inner_texts()
    page.keyboard.press("s")
    page.get_by_text("Somebody else is asked").wait_for()
    assert page.locator(".shown").all_inner_texts() != shown
    assert (count_votes(page), poll.machine.spent) == (0, 0)


def test_some_may_tie(serve: Serve, visit: Visit) -> None:
    """Those that are ticked; with one alone the page says what is wrong, and keeps what was ticked."""
    poll = serve()
    page = visit(poll.link("Ann"), width=375)
    page.get_by_text("A tie between some").click()
    page.get_by_label("1", exact=True).check()
    page.get_by_role("button", name="A tie between these").click()
    assert "two or more" in page.get_by_role("alert").inner_text()
    page.get_by_label("3", exact=True).check()
    vote(page, click("A tie between these"))
    ((_, told),) = list_votes(poll.office.desk.ledger)
    assert told.feedback == {"winner": [told.arms[0], told.arms[2]]}


def _serve_answer(serve: Serve, folder: Path, answer: str) -> ServedPoll:
    write_lines(folder)
    return serve(source=write_scenario(folder, f'[vote]\nanswer = "{answer}"\ncandidates = "names.txt"\n'))


@pytest.mark.parametrize("script", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_ranking_is_given_by_keys_or_by_clicks(serve: Serve, visit: Visit, tmp_path: Path, script: bool) -> None:
    """Keys give the next place, a key pressed again takes it away; clicks give any, and nobody shares one."""
    poll = _serve_answer(serve, tmp_path, "ranking")
    page = visit(poll.link("Ann"), width=375, script=script)
    if script:
        for key in "12123":  # the first two lose their places, and get others
            page.keyboard.press(key)
        page.locator('input[name="place-1"][value="2"]').check()
        assert not page.locator('input[name="place-2"][value="2"]').is_checked()
        page.keyboard.press("r")
        for key in "31":
            page.keyboard.press(key)
        vote(page, press("Enter"))
    else:
        page.locator('input[name="place-3"][value="1"]').check()
        page.locator('input[name="place-1"][value="2"]').check()
        vote(page, click("Send"))
    ((_, told),) = list_votes(poll.office.desk.ledger)
    assert told.feedback == {"ranking": [told.arms[2], told.arms[0]]}


@pytest.mark.parametrize("script", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_best_and_worst_are_given_by_keys_or_by_clicks(
    serve: Serve, visit: Visit, tmp_path: Path, script: bool
) -> None:
    """The first key is the best, the next the worst; what is one cannot be the other."""
    poll = _serve_answer(serve, tmp_path, "best-worst")
    page = visit(poll.link("Ann"), script=script)
    if script:
        page.locator('input[name="worst"][value="2"]').check()
        page.keyboard.press("2")
        assert not page.locator('input[name="worst"][value="2"]').is_checked()
        page.keyboard.press("1")
        vote(page, press("Enter"))
    else:
        page.locator('input[name="best"][value="2"]').check()
        page.locator('input[name="worst"][value="1"]').check()
        vote(page, click("Send"))
    ((_, told),) = list_votes(poll.office.desk.ledger)
    assert told.feedback == {"best": told.arms[1], "worst": told.arms[0]}


def test_what_comes_next_is_loaded_before(serve: Serve, visit: Visit, tmp_path: Path) -> None:
    """The pictures of the next heat are there when it is shown, and none is asked for twice."""
    poll = serve(source=write_pictures(tmp_path, 9))
    page = visit(poll.link("Ann"))
    for _ in range(2):
        ahead = page.locator("link[rel=prefetch]").evaluate_all(
            "found => found.map(each => new URL(each.href).pathname)"
        )
        assert len(ahead) == 3
        poll.wait_until_sent(ahead)
        vote(page, press("1"))
        shown = page.locator(".shown img")
        assert shown.evaluate_all("found => found.map(each => new URL(each.src).pathname)") == ahead
        shown.evaluate_all("found => Promise.all(found.map(each => each.decode()))")
    assert max(count for path, count in poll.sent.items() if "/media/" in path) == 1


def test_a_vote_without_a_connection_is_said_to_be_open_and_can_be_sent_again(serve: Serve, visit: Visit) -> None:
    """The page stays as it is, and the vote counts once."""
    poll = serve()
    page = visit(poll.link("Ann"))
    page.context.set_offline(True)
    shown = page.locator(".shown").all_inner_texts()
    page.keyboard.press("1")
    assert "Try again" in page.get_by_role("alert").inner_text()
    assert page.locator(".shown").all_inner_texts() == shown
    page.context.set_offline(False)
    vote(page, press("1"))
    assert page.get_by_role("alert").count() == 0
    assert poll.machine.spent == 1


def test_clicks_and_keys_in_a_row_are_one_vote(serve: Serve, visit: Visit) -> None:
    """Whoever clicks twice, or once more while a vote is on its way, has not voted on what comes next."""
    poll = serve()
    page = visit(poll.link("Ann"))
    vote(page, lambda page: page.get_by_role("button", name="Candidate 1 is best").dblclick())
    page.get_by_role("button", name="Candidate 1 is best").dispatch_event("click", {"detail": 2})
    page.evaluate(
        "() => { for (const key of '21') document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true})) }"
    )
    page.get_by_text("Vote 3").wait_for()
    first, second = (told for _, told in list_votes(poll.office.desk.ledger))
    assert (first.feedback, second.feedback) == ({"winner": [first.arms[0]]}, {"winner": [second.arms[1]]})


def test_keys_are_left_alone_where_they_mean_something_else(serve: Serve, visit: Visit) -> None:
    """With Ctrl, Alt or Meta they are the browser's, held down they come once, and others do nothing."""
    poll = serve()
    page = visit(poll.link("Ann"))
    for key in ("Control+1", "Alt+2", "Shift", "Escape", "4", "x", "Enter"):
        page.keyboard.press(key)
    vote(page, press("1"))
    assert poll.machine.spent == 1


def test_keys_can_be_turned_off(serve: Serve, visit: Visit) -> None:
    """For good, until they are turned on again; buttons work all the time."""
    poll = serve()
    page = visit(poll.link("Ann"))
    page.get_by_label("Keys do what").uncheck()
    page.keyboard.press("1")
    page.reload()
    page.keyboard.press("1")
    vote(page, click("Candidate 1 is best"))
    page.keyboard.press("u")
    page.get_by_label("Keys do what").check()
    vote(page, press("2"))
    assert poll.machine.spent == 2


def test_who_waits_sees_by_themselves_when_there_is_something_again(serve: Serve, visit: Visit) -> None:
    """No button has to be pressed after a pause; it is said aloud."""
    poll = serve()
    poll.order(order="pause")
    page = visit(poll.link("Ann"))
    page.clock.install()
    page.reload()
    page.get_by_text("Voting is paused").wait_for()
    poll.order(order="open")
    page.clock.run_for(6_000)
    page.get_by_role("button", name="Begin").wait_for()
    page.clock.run_for(1_000)
    page.get_by_text("There is something for you again").wait_for()
    page.get_by_role("button", name="Begin").click()
    page.locator(".cards").wait_for()
    vote(page, press("1"))


def test_who_waits_sees_by_themselves_that_the_poll_is_over(serve: Serve, visit: Visit) -> None:
    """And is thanked."""
    poll = serve()
    poll.order(order="pause")
    page = visit(poll.link("Ann"))
    page.clock.install()
    page.reload()
    while not poll.machine.done:
        poll.order(order="close")
    page.clock.run_for(6_000)
    page.get_by_text("The poll is over").wait_for()
    assert "Thank you" in page.locator("main").inner_text()


def test_an_open_poll_begins_with_a_button(serve: Serve, visit: Visit) -> None:
    """Whoever comes with another browser is somebody else; no script is needed."""
    poll = serve(listed=False, budget=6)
    for script in (True, False):
        poll.clock.now += PATIENCE
        page = visit(poll.address, script=script)
        lead_on(page, click("Begin"))
        vote(page, click("Candidate 1 is best"))
    assert len({who for who, _ in list_votes(poll.office.desk.ledger)}) == 2
