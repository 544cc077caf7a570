"""The organiser in a real browser: pauses, voids, extends, adds, closes, and reads how it ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.vote.browser.served import ServedPoll, begin, click, follow, lead_on, press, vote

if TYPE_CHECKING:
    from playwright.sync_api import Page

Visit = Callable[..., "Page"]
Serve = Callable[..., ServedPoll]


def test_voters_are_told_of_a_pause(serve: Serve, visit: Visit) -> None:
    """A vote that was on its way is not counted, and they are told so; afterwards they go on where they were."""
    poll = serve()
    voter, organiser = visit(poll.link("Ann")), visit(poll.link())
    organiser.get_by_role("button", name="Pause").click()
    organiser.get_by_text("paused", exact=False).first.wait_for()
    voter.keyboard.press("1")
    voter.get_by_text("your vote was not counted").wait_for()
    assert voter.get_by_role("button").count() == 0
    organiser.get_by_role("button", name="Open again").click()
    organiser.get_by_role("button", name="Pause").wait_for()
    lead_on(voter, follow("Look again"))
    begin(voter)
    vote(voter, press("1"))
    assert poll.machine.spent == 1


def test_a_voter_is_left_out(serve: Serve, visit: Visit) -> None:
    """Their votes count for nothing from then on, both sides are told, and nobody can be left out twice."""
    poll = serve()
    voter = visit(poll.link("Ann"))
    vote(voter, press("1"))
    organiser = visit(poll.link())
    organiser.get_by_label("Leave out all votes of").select_option("Ann")
    lead_on(organiser, click("Void"))
    organiser.get_by_text("void: counts for nothing").wait_for()
    assert organiser.get_by_role("option").all_inner_texts() == [""]
    voter.reload()
    assert "has left your votes out" in voter.locator("main").inner_text()
    assert voter.get_by_role("button").count() == 0
    assert poll.machine.voided == ("Ann",)


def test_a_poll_gets_more_votes_and_another_candidate(serve: Serve, visit: Visit) -> None:
    """The new one is in the standings; what is no number is stopped in the browser already."""
    poll = serve()
    organiser = visit(poll.link())
    organiser.get_by_label("More votes").fill("many")
    organiser.get_by_role("button", name="Extend").click()
    assert organiser.get_by_label("More votes").evaluate("field => field.validity.patternMismatch")
    organiser.get_by_label("More votes").fill("5")
    organiser.get_by_role("button", name="Extend").click()
    organiser.get_by_text("0 of 17 votes so far").wait_for()
    organiser.get_by_label("New candidate").fill("<b>cocoa</b>")
    organiser.get_by_role("button", name="Add").click()
    organiser.get_by_role("cell", name="<b>cocoa</b>").wait_for()
    assert (poll.machine.n_arms, poll.machine.total) == (7, 17)


def test_rounds_are_closed_until_the_poll_is_over(serve: Serve, visit: Visit) -> None:
    """Missing votes are no verdicts; then there is a winner, a report, and nothing to close any more."""
    poll = serve()
    voter, organiser = visit(poll.link("Ann")), visit(poll.link())
    vote(voter, click("Candidate 1 is best"))
    for number in range(1, 4):
        organiser.get_by_text(f"Batch {number} of 3.").wait_for()
        organiser.get_by_label("Close this batch, because").fill("it is late")
        lead_on(organiser, click("Close the batch"))
    organiser.get_by_text("The best:").wait_for()
    assert organiser.get_by_role("button", name="Close the batch").count() == 0
    lead_on(organiser, follow("The report"))
    assert "The best of 6 candidates" in organiser.locator("body").inner_text()
    voter.keyboard.press("2")
    voter.get_by_text("too late to count").wait_for()
    assert "Thank you" in voter.locator("main").inner_text()


def test_another_voter_is_let_in(serve: Serve, visit: Visit) -> None:
    """Their link is among the others at once, and they can vote."""
    poll = serve()
    organiser = visit(poll.link())
    organiser.get_by_label("New voter").fill("Eve")
    lead_on(organiser, click("Let in"))
    organiser.get_by_text("Done.").wait_for()
    organiser.goto(f"{poll.link()}/links")
    assert organiser.locator(".codes strong").all_inner_texts()[-1] == "Eve"
    vote(visit(poll.link("Eve")), press("1"))


def test_numbers_are_fresh_by_themselves(serve: Serve, visit: Visit) -> None:
    """Whom there is to leave out, too; what the organiser is writing meanwhile stays."""
    poll = serve()
    organiser = visit(poll.link())
    organiser.clock.install()
    organiser.reload()
    organiser.get_by_label("New candidate").fill("coc")
    poll.send("Bob")
    poll.order(order="extend", pulls="5")
    organiser.clock.run_for(6_000)
    organiser.get_by_text("1 of 17 votes so far").wait_for()
    assert organiser.get_by_role("option").all_inner_texts() == ["", "Bob"]
    assert organiser.get_by_label("New candidate").input_value() == "coc"


def test_links_are_shown_to_be_printed(serve: Serve, visit: Visit) -> None:
    """A code each; the way back is there, and is not printed."""
    poll = serve()
    organiser = visit(poll.link())
    lead_on(organiser, follow("Links and codes"))
    assert organiser.locator(".codes svg").count() == 4
    assert poll.link("Dan") in organiser.locator("main").inner_text()
    organiser.emulate_media(media="print")
    assert not organiser.get_by_role("link", name="Back to the overview").is_visible()
    organiser.emulate_media(media="screen")
    lead_on(organiser, follow("Back to the overview"))
    organiser.get_by_role("heading", name="Standings").wait_for()
