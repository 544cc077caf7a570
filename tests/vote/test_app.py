"""The pages: what voters and the organiser see and do, and everything that must not work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import heats
from heats.errors import JournalFailed
from heats.journal import Log
from heats.vote.desk.desk import PATIENCE, UNANSWERABLE
from heats.vote.desk.office import Office
from heats.vote.poll.scenario import load_poll
from heats.vote.site.app import make_app
from heats.vote.site.guard import make_ticket
from tests.vote.polls import Clock, list_votes, write_lines
from tests.vote.test_scenario import write_pictures, write_scenario

PEOPLE = ("Ann", "Bob", "Cem", "Dan")


class Poll:
    """A poll with pages, to be used as people do."""

    def __init__(self, folder: Path, **said: Any) -> None:
        source = said.pop("source", None) or write_lines(folder)
        if said.pop("listed", True):
            (folder / "people.csv").write_text("name\n" + "\n".join(PEOPLE))
            said["voters"] = str(folder / "people.csv")
        self.clock = Clock()
        asked = load_poll(source, {"budget": 12, "heat_size": 3} | said)
        self.office = Office(asked, folder / "votes.jsonl", clock=self.clock)
        self.client = TestClient(make_app(self.office), follow_redirects=False)

    @property
    def machine(self) -> heats.Machine:
        return self.office.desk.journal.machine

    def base(self, who: str) -> str:
        return f"/v/{self.office.tokens[who]}"

    @property
    def organiser(self) -> str:
        return f"/o/{self.office.tokens['']}"

    def get(self, who: str, asked: str = "") -> str:
        """Return a voter's page; begin if it says so, as a browser does by itself or people by the button."""
        page = self.client.get(f"{self.base(who)}{asked}").text
        if "data-begin" in page:
            begun = self.client.post(f"{self.base(who)}/begin{asked}", data=read_hidden(page))
            page = self.client.get(begun.headers["location"]).text
        return page

    def open(self, who: str) -> dict[str, str]:
        """Open a voter's page; return the hidden fields of its first form."""
        return read_hidden(self.get(who))

    def send(self, who: str, say: str = "1", **fields: Any) -> Any:
        """Open a voter's page and vote; fields may be others than the page's."""
        return self.client.post(f"{self.base(who)}/vote", data=self.open(who) | {"say": say} | fields)

    def order(self, **fields: str) -> Any:
        page = self.client.get(self.organiser)
        return self.client.post(f"{self.organiser}/do", data=read_hidden(page.text) | fields)


def read_hidden(page: str) -> dict[str, str]:
    """Return the hidden fields of the first form of a page."""
    form = re.search(r"<form.*?</form>", page, re.DOTALL)
    assert form is not None, page
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form[0]))


@pytest.fixture
def poll(tmp_path: Path) -> Iterator[Poll]:
    made = Poll(tmp_path)
    yield made
    made.office.close()


def test_a_whole_poll_is_voted_without_script(poll: Poll) -> None:
    """Everybody comes back until it is over; then all are thanked, and the report has a winner."""
    for _ in range(30):
        for who in PEOPLE:
            page = poll.get(who, "?more=1")
            if 'name="say"' in page:
                answer = poll.client.post(f"{poll.base(who)}/vote?more=1", data=read_hidden(page) | {"say": "1"})
                assert answer.headers["location"] == f"{poll.base(who)}?said=counted&more=1"
    assert poll.machine.done
    assert "The poll is over" in poll.client.get(poll.base("Ann")).text
    assert "The best:" in poll.client.get(poll.organiser).text
    assert poll.client.get(f"{poll.organiser}/report").status_code == 200


def test_the_page_says_how_far_one_is_and_shows_the_keys(poll: Poll) -> None:
    """Vote 1 of 3, three candidates, no names of files, a tie, none, can't say."""
    page = poll.get("Ann")
    assert "Vote 1 of 3" in page
    assert re.findall(r"<kbd>(\w)</kbd>", page) == ["1", "2", "3", "T", "N", "S"]
    poll.send("Ann")
    page = poll.get("Ann")
    assert "Vote 2 of 3" in page
    assert "<kbd>U</kbd>" in page


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"say": "2"}, lambda arms: {"winner": [arms[1]]}),
        ({"say": "tie"}, lambda arms: {"winner": list(arms)}),
        ({"say": "tie", "tied": ["1", "3"]}, lambda arms: {"winner": [arms[0], arms[2]]}),
        ({"say": "none"}, lambda arms: {"winner": []}),
    ],
)
def test_what_is_chosen_is_told(poll: Poll, fields: dict[str, Any], told: Any) -> None:
    """By its place on the page, whichever candidate stood there."""
    poll.send("Ann", **fields)
    ((who, vote),) = list_votes(poll.office.desk.ledger)
    assert (who, vote.feedback) == ("Ann", told(vote.arms))


def test_rankings_and_best_and_worst_are_told(tmp_path: Path) -> None:
    """Where the scenario says so; what is no ranking is refused in a sentence."""
    text = '[vote]\nanswer = "ranking"\ncandidates = "names.txt"\nlease = 60\n'
    write_lines(tmp_path)
    poll = Poll(tmp_path, source=write_scenario(tmp_path, text))
    assert "every place from 1 to 3" in poll.send("Ann", "send", **{"place-1": "1", "place-2": "1"}).text.lower()
    poll.send("Ann", "send", **{"place-1": "2", "place-3": "1"})
    ((_, vote),) = list_votes(poll.office.desk.ledger)
    assert vote.feedback == {"ranking": [vote.arms[2], vote.arms[0]]}
    poll.office.close()
    (tmp_path / "votes.jsonl").unlink()
    poll = Poll(tmp_path, source=write_scenario(tmp_path, text.replace("ranking", "best-worst")))
    assert "cannot be the same" in poll.send("Ann", "send", best="1", worst="1").text
    poll.send("Ann", "send", best="3", worst="1")
    ((_, vote),) = list_votes(poll.office.desk.ledger)
    assert vote.feedback == {"best": vote.arms[2], "worst": vote.arms[0]}
    poll.office.close()


def test_a_vote_can_be_undone_and_the_same_is_asked_again(poll: Poll) -> None:
    """By the form that the page has for it."""
    before = poll.open("Ann")
    poll.send("Ann")
    page = poll.get("Ann")
    undo = page[page.index("/undo") - 60 :]
    answer = poll.client.post(f"{poll.base('Ann')}/undo", data=read_hidden(undo))
    assert answer.headers["location"].endswith("said=undone")
    assert poll.machine.spent == 0
    assert poll.open("Ann") == before
    assert poll.client.post(f"{poll.base('Ann')}/undo", data=read_hidden(undo)).status_code == 400


def test_a_double_post_counts_once(poll: Poll) -> None:
    """And so does another vote from a second tab: the first one counts, and that is said."""
    fields = poll.open("Ann")
    first, second, third = (
        poll.client.post(f"{poll.base('Ann')}/vote", data=fields | {"say": say}) for say in ("1", "1", "2")
    )
    assert [each.headers["location"][-8:] for each in (first, second, third)] == ["=counted", "repeated", "repeated"]
    assert poll.machine.spent == 1


def test_looking_changes_nothing(poll: Poll) -> None:
    """Programs that preview links vote for nobody and take nothing: it is handed out to whoever begins."""
    before = poll.office.path.read_bytes()
    for path in ("", "/vote", "/undo", "/begin", "?more=1"):
        poll.client.get(f"{poll.base('Ann')}{path}")
        poll.client.head(f"{poll.base('Ann')}{path}")
    poll.client.get(poll.organiser)
    assert poll.client.get(f"{poll.base('Ann')}/vote").status_code == 405
    assert poll.office.path.read_bytes() == before
    assert poll.office.desk.list_holders() == {}


def test_what_was_handed_out_stays_on_the_page(tmp_path: Path) -> None:
    """However often it is loaded, on another device, too, and after its time ran out, until somebody else has it."""
    poll = Poll(tmp_path, batches=1)
    fields = poll.open("Ann")
    for who in ("Bob", "Cem"):
        poll.send(who)
    assert read_hidden(poll.client.get(poll.base("Ann")).text) == fields
    poll.clock.now += 601
    assert read_hidden(poll.client.get(poll.base("Ann")).text) == fields
    poll.office.close()


def test_a_vote_hands_out_the_next_one(poll: Poll) -> None:
    """Nobody has to begin twice, and the seconds of a vote are those since then."""
    poll.send("Ann")
    poll.clock.now += 3
    page = poll.client.get(poll.base("Ann")).text
    poll.client.get(poll.base("Ann"))
    poll.clock.now += 4
    poll.client.post(f"{poll.base('Ann')}/vote", data=read_hidden(page) | {"say": "1"})
    assert [vote.took for _, vote in list_votes(poll.office.desk.ledger)] == [0.0, 7.0]


def test_nobody_can_make_a_ticket_of_their_link(poll: Poll) -> None:
    """Who knows their own token cannot vote on what was not handed to them."""
    poll.open("Ann")
    held = {number for number, _ in poll.office.desk.list_holders().items()}
    number = next(each for each in poll.machine.list_owed() if each not in held)
    forged = make_ticket(poll.office.tokens["Ann"], "vote", number, poll.machine.query(number).arms)
    fields = {"number": str(number), "ticket": forged, "say": "1"}
    assert poll.client.post(f"{poll.base('Ann')}/vote", data=fields).status_code == 403
    assert poll.machine.spent == 0


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_forms_of_other_sites_are_refused(poll: Poll, headers: dict[str, str]) -> None:
    """Of the organiser's, too."""
    fields = poll.open("Ann") | {"say": "1"}
    assert poll.client.post(f"{poll.base('Ann')}/vote", data=fields, headers=headers).status_code == 403
    orders = read_hidden(poll.client.get(poll.organiser).text) | {"order": "pause"}
    assert poll.client.post(f"{poll.organiser}/do", data=orders, headers=headers).status_code == 403
    assert poll.machine.spent == 0
    assert not poll.office.desk.is_paused


def test_our_own_form_is_taken(poll: Poll) -> None:
    """As browsers send it."""
    headers = {"origin": "http://testserver", "sec-fetch-site": "same-origin"}
    fields = poll.open("Ann") | {"say": "1"}
    assert poll.client.post(f"{poll.base('Ann')}/vote", data=fields, headers=headers).status_code == 303


def test_a_vote_needs_the_ticket_of_its_page(poll: Poll) -> None:
    """Another voter's, another heat's or none is refused, and so is a link that is nobody's."""
    ann, bob = poll.open("Ann"), poll.open("Bob")
    for fields in (bob, ann | {"number": bob["number"]}, {"number": ann["number"]}, ann | {"number": "x"}):
        assert poll.client.post(f"{poll.base('Ann')}/vote", data=fields | {"say": "1"}).status_code in (400, 403)
    assert poll.client.post(f"{poll.base('Ann')}/vote", data=ann | {"say": "1", "number": "999"}).status_code == 400
    for path in ("/v/nobody", "/o/nobody", "/o/nobody/report", "/v/nobody/media/0", f"/o{poll.base('Ann')[2:]}"):
        assert poll.client.get(path).status_code == 404
    assert poll.machine.spent == 0


@pytest.mark.parametrize("say", ["0", "4", "-1", "1e3", "", "skipp", "²", "9" * 30])
def test_a_choice_of_nothing_shown_is_refused(poll: Poll, say: str) -> None:
    """In a sentence, and nothing is told."""
    answer = poll.send("Ann", say)
    assert answer.status_code == 400
    assert "Nothing was chosen" in answer.text
    assert poll.machine.spent == 0


def test_a_form_of_10_mb_is_refused(poll: Poll) -> None:
    """Also one that does not say how long it is."""
    fields = poll.open("Ann")
    path = f"{poll.base('Ann')}/vote"
    assert poll.client.post(path, data=fields | {"say": "1", "more": "x" * 10_000_000}).status_code == 413
    assert poll.client.post(path, content=(b"x" * 1000 for _ in range(10_000))).status_code == 413
    assert poll.client.post(path, content=b"\xff\xfe").status_code in (400, 403)
    assert poll.machine.spent == 0


def test_too_many_posts_are_slowed_down(poll: Poll) -> None:
    """For a while only, and for one voter only."""
    answers = [poll.client.post(f"{poll.base('Ann')}/vote", data={}).status_code for _ in range(60)]
    assert answers.count(429) > 10
    assert poll.send("Bob").status_code == 303


def test_a_late_vote_is_said_to_be_late(tmp_path: Path) -> None:
    """The round was closed meanwhile, and the next one compares others: it is kept, and does not count."""
    poll = Poll(tmp_path, strategy="planned")
    fields = poll.open("Ann") | {"say": "1"}
    poll.order(order="close", why="time is up")
    answer = poll.client.post(f"{poll.base('Ann')}/vote", data=fields)
    assert answer.headers["location"].endswith("said=late")
    assert "came too late to count" in poll.client.get(answer.headers["location"]).text
    assert poll.office.desk.journal.log.late == 1
    poll.office.close()


def test_a_vote_of_a_closed_round_counts_if_the_next_one_asks_the_same(poll: Poll) -> None:
    """After a round without votes the same sets are dealt: whoever has one on their page has voted on it."""
    fields = poll.open("Ann") | {"say": "1"}
    poll.order(order="close")
    answer = poll.client.post(f"{poll.base('Ann')}/vote", data=fields)
    assert answer.headers["location"].endswith("said=counted")
    ((_, vote),) = list_votes(poll.office.desk.ledger)
    assert vote.id != int(fields["number"])
    assert vote.arms == poll.machine.query(int(fields["number"])).arms
    assert poll.client.post(f"{poll.base('Ann')}/vote", data=fields).headers["location"].endswith("said=repeated")
    assert poll.machine.answered == {"Ann": 1}


def test_a_vote_after_the_end_is_late(tmp_path: Path) -> None:
    """Also after a restart."""
    poll = Poll(tmp_path, budget=4)
    fields = poll.open("Ann") | {"say": "1"}
    while not poll.machine.done:
        poll.order(order="close")
    poll.office.close()
    poll = Poll(tmp_path, budget=4)
    spent = poll.machine.spent
    answer = poll.client.post(f"{poll.base('Ann')}/vote", data=fields)
    assert answer.headers["location"].endswith("said=late")
    assert poll.machine.spent == spent
    poll.office.close()


def test_a_lease_runs_out(tmp_path: Path) -> None:
    """Who has seen it does not get it; its own page's vote counts if nobody else took it."""
    poll = Poll(tmp_path, source=write_lines(tmp_path, ["tea", "milk"]), heat_size=2, budget=4, batches=1)
    pages = {who: poll.open(who) for who in ("Ann", "Bob", "Cem", "Dan")}
    assert len({each["number"] for each in pages.values()}) == 4
    for who in ("Cem", "Dan"):
        poll.client.post(f"{poll.base(who)}/vote", data=pages[who] | {"say": "1"})
    poll.client.post(f"{poll.base('Bob')}/vote", data=pages["Bob"] | {"say": "skip"})
    poll.clock.now += 601
    for who in ("Bob", "Cem", "Dan"):
        assert "nothing for you now" in poll.get(who, "?more=1").lower()
    assert "You have given all the votes that were asked of you" in poll.get("Cem")
    assert poll.client.post(f"{poll.base('Ann')}/vote", data=pages["Ann"] | {"say": "1"}).status_code == 303
    assert poll.office.desk.ledger.people["Ann"].votes
    poll.office.close()


@pytest.mark.parametrize("strategy", ["adaptive", "planned", "csh"])
def test_a_poll_that_nobody_says_anything_in_ends(tmp_path: Path, strategy: str) -> None:
    """Everybody says that they cannot say, whatever is asked: it is over without a verdict, not stuck."""
    poll = Poll(tmp_path, strategy=strategy)
    for _ in range(60):
        for who in PEOPLE:
            if 'value="skip"' in poll.get(who):
                poll.send(who, "skip")
    assert poll.machine.done
    assert f"0 of {poll.machine.total} votes; {poll.machine.total} came to no verdict" in (
        poll.client.get(poll.organiser).text
    )
    assert poll.client.get(f"{poll.organiser}/report").status_code == 200
    poll.office.close()


def test_what_nobody_can_answer_any_more_is_closed_and_the_poll_goes_on(tmp_path: Path) -> None:
    """All listed voters have dealt with the only pair: nobody waits for ever, the journal says why, the page how many."""
    poll = Poll(tmp_path, source=write_lines(tmp_path, ["tea", "milk"]), heat_size=2, budget=4, batches=1)
    poll.send("Ann", "skip")
    for who in ("Bob", "Cem"):
        poll.send(who)
        assert not poll.machine.done
    assert "Yours is the last vote that is waited for" in poll.get("Dan")
    poll.send("Dan")
    assert poll.machine.done
    assert f'"event":"closed","why":"{UNANSWERABLE}"' in poll.office.path.read_text()
    assert "3 of 4 votes; 1 came to no verdict" in poll.client.get(poll.organiser).text
    poll.office.close()


def test_a_poll_that_nobody_can_go_on_with_is_not_closed_while_it_pauses(tmp_path: Path) -> None:
    """When it is opened again, it is; so is one that comes to be so by leaving somebody out."""
    poll = Poll(tmp_path, source=write_lines(tmp_path, ["tea", "milk"]), heat_size=2, budget=4, batches=1)
    for who in ("Ann", "Bob", "Cem"):
        poll.send(who)
    poll.order(order="pause")
    poll.office.do(lambda desk: desk.journal.void("Dan")).result()
    assert not poll.machine.done
    poll.order(order="open")
    assert poll.machine.done
    poll.office.close()


def test_more_votes_are_shared_by_all_who_have_so_many_each(tmp_path: Path) -> None:
    """Everybody had given theirs: they have more now, as many as it takes."""
    poll = Poll(tmp_path, budget=None, votes_each=2)
    while not poll.machine.done:
        for who in PEOPLE:
            poll.send(who) if 'name="say"' in poll.get(who) else None
    poll.order(order="extend", pulls="5")
    assert not poll.machine.done
    assert "Vote 3 of 4" in poll.get("Ann")
    poll.office.close()


def test_a_form_survives_a_restart(tmp_path: Path) -> None:
    """What a page shows can be voted on when the server comes back: nothing but the journal is needed for that."""
    poll = Poll(tmp_path)
    fields = poll.open("Ann")
    poll.office.close()
    again = Poll(tmp_path)
    assert again.client.post(f"{again.base('Ann')}/vote", data=fields | {"say": "1"}).status_code == 303
    assert again.machine.spent == 1
    again.office.close()


def test_tokens_are_in_no_journal(poll: Poll) -> None:
    """Only hashes are; the links are in a file that nobody else can read."""
    poll.send("Ann")
    text = poll.office.path.read_text()
    assert not [token for token in poll.office.tokens.values() if token in text]
    assert poll.office.links.stat().st_mode & 0o077 == 0


def test_names_and_texts_cannot_write_html(tmp_path: Path) -> None:
    """Neither on the voters' page nor on the organiser's nor in the report, as text or as Markdown."""
    evil = "<script>alert(1)</script>"
    text = f"[vote]\nquestion = '{evil}'\nbudget = 12\nshow_names = true\nheat_size = 3\nintroduction = '{evil} [x](javascript:1)'\n"
    for number in range(3):
        text += f"[[candidates]]\nname = '{evil}{number}'\nmarkdown = '{evil} *{number}* ![x](http://x/y.png)'\n"
    poll = Poll(tmp_path, source=write_scenario(tmp_path, text), budget=4)
    poll.open("Ann")
    for path in (poll.base("Ann"), poll.organiser, f"{poll.organiser}/links", f"{poll.organiser}/report"):
        page = poll.client.get(path)
        assert page.status_code == 200
        assert "<script>alert" not in page.text
        assert 'href="javascript:' not in page.text
        assert "http://x/" not in page.text
    assert "<em>1</em>" in poll.get("Ann")
    poll.office.close()


def test_pages_have_a_strict_policy_and_no_inline_script(poll: Poll) -> None:
    """And ask nothing of anywhere else; the first page is small."""
    first = poll.client.get(poll.base("Ann"))
    poll.open("Ann")
    paths = (poll.base("Ann"), poll.organiser, "/nothing", f"{poll.organiser}/links")
    pages = [first, *(poll.client.get(path) for path in paths)]
    for page in pages:
        assert "default-src 'none'; script-src 'self'" in page.headers["content-security-policy"]
        assert not re.search(r"<script(?! src=\"/static/vote.js\")|\son\w+=|<style|\sstyle=", page.text)
        assert not re.search(r'(src|href)="(https?:)?//', page.text)
    static = [poll.client.get(f"/static/{name}").text for name in ("vote.css", "vote.js")]
    assert not re.search(r"//[a-z]|url\(|@import|import\(", "".join(static).replace("// ", ""))
    for page in pages[:2]:
        assert sum(map(len, static)) + len(page.content) < 100_000


def test_media_come_from_the_scenario_only(tmp_path: Path) -> None:
    """By number, for those who may vote; a file that became a link since is not shown."""
    pictures = write_pictures(tmp_path)
    poll = Poll(tmp_path, source=pictures)
    page = poll.get("Ann")
    assert "logo" not in page.replace("/logos", "")
    shown = poll.client.get(f"{poll.base('Ann')}/media/0")
    assert shown.headers["content-type"] == "image/svg+xml"
    assert "sandbox" in shown.headers["content-security-policy"]
    part = poll.client.get(f"{poll.base('Ann')}/media/0", headers={"Range": "bytes=1-3"})
    assert (part.status_code, part.content) == (206, shown.content[1:4])
    for path in (
        "media/9",
        "media/..%2f..%2fpeople.csv",
        "media/../people.csv",
        "media/-1",
        "media/0/../../people.csv",
    ):
        assert poll.client.get(f"{poll.base('Ann')}/{path}").status_code in (404, 405)
    (pictures / "logo0.svg").unlink()
    (pictures / "logo0.svg").symlink_to(tmp_path / "people.csv")
    assert poll.client.get(f"{poll.base('Ann')}/media/0").status_code == 404
    poll.office.close()


def test_an_open_poll_knows_people_by_a_cookie(tmp_path: Path) -> None:
    """It is set by a button, not by looking; who is sent by a panel is known by their number there."""
    poll = Poll(tmp_path, listed=False)
    assert "under a name made up for you. A cookie" in poll.client.get("/").text
    page = poll.client.get("/?PROLIFIC_PID=abc123")
    assert "under the participant id of your link, abc123" in page.text
    assert "set-cookie" not in page.headers
    begun = poll.client.post("/begin", data=read_hidden(page.text))
    assert {"HttpOnly", "SameSite=lax"} <= set(begun.headers["set-cookie"].split("; "))
    poll.client.post("/vote", data=read_hidden(poll.client.get("/").text) | {"say": "1"})
    other = TestClient(make_app(poll.office), follow_redirects=False)
    assert other.post("/vote", data={"number": "0"}).status_code == 403
    poll.clock.now += PATIENCE
    other.post("/begin", data={})
    other.post("/vote", data=read_hidden(other.get("/").text) | {"say": "1"})
    names = sorted(poll.office.desk.ledger.people)
    assert names[0] == "participant abc123"
    assert re.fullmatch(r"voter [0-9a-f]{16}", names[1])
    poll.office.close()


def test_the_organiser_pauses_voids_extends_and_adds(poll: Poll) -> None:
    """And hears why something cannot be."""
    poll.send("Ann")
    poll.order(order="pause")
    assert "paused" in poll.client.get(poll.base("Bob")).text
    poll.order(order="open")
    poll.order(order="void", who="Ann")
    assert poll.machine.voided == ("Ann",)
    assert "void: counts for nothing" in poll.client.get(poll.organiser).text
    poll.order(order="extend", pulls="8")
    assert poll.machine.total == 20
    poll.order(order="add", text="<b>wine</b>")
    assert poll.machine.n_arms == 7
    assert "as a whole number" in poll.order(order="extend", pulls="no").text
    assert poll.order(order="void", who="Zoe").status_code == 400
    assert poll.order(order="dance").status_code == 400


def test_a_poll_that_grew_goes_on_after_a_restart(tmp_path: Path) -> None:
    """The scenario has fewer candidates and votes than the journal by then."""
    poll = Poll(tmp_path)
    poll.order(order="extend", pulls="8")
    poll.order(order="add", text="wine")
    poll.send("Ann")
    poll.office.close()
    again = Poll(tmp_path)
    assert (again.machine.n_arms, again.machine.total, again.machine.spent) == (7, 20, 1)
    assert again.office.show(6).text == "wine"
    again.office.close()


def test_the_organiser_sees_progress_and_everybody(poll: Poll) -> None:
    """No winner before the end, votes and agreement of each, why it waits, and all as files."""
    poll.send("Ann")
    poll.clock.now += PATIENCE
    page = unescape(poll.client.get(poll.organiser).text)
    assert "1 of 12 votes so far" in page
    assert "The best:" not in page
    assert "can vote now: Ann, Bob, Cem, Dan" in page
    assert poll.client.get(f"{poll.organiser}/votes.csv").text.count("Ann") >= 1
    assert poll.client.get(f"{poll.organiser}/standings.csv").text.count("\n") == 7
    assert poll.client.get(f"{poll.organiser}/result.json").json()["report"]["spent"] == 1
    links = poll.client.get(f"{poll.organiser}/links.csv").text
    assert f"Ann,http://testserver{poll.base('Ann')}" in links
    assert poll.client.get(f"{poll.organiser}/links").text.count("<svg") == 4
    report = poll.client.get(f"{poll.organiser}/report").text
    assert "1 of 12 comparisons so far" in report


def test_who_has_done_their_share_is_thanked_and_may_go_on(tmp_path: Path) -> None:
    """With votes_each that is the end; without, others may be missing. A way back to a panel is shown."""
    write_lines(tmp_path)
    text = '[vote]\ncandidates = "names.txt"\nthanks = "Great!"\ndone_url = "https://panel.example/done"\n'
    poll = Poll(tmp_path, source=write_scenario(tmp_path, text), budget=4)
    poll.send("Ann")
    thanked = poll.client.get(poll.base("Ann"))
    assert "Great!" in thanked.text
    assert "You have given all the votes that were asked of you." in thanked.text
    assert 'href="https://panel.example/done"' in thanked.text
    assert "Give some more" in thanked.text
    assert 'name="say"' in poll.get("Ann", "?more=1")
    poll.office.close()


def test_the_thank_you_page_leads_on_after_a_while(tmp_path: Path) -> None:
    """To the panel that sent somebody, unless they want to stay; who answered is known by their number there."""
    write_lines(tmp_path)
    text = '[vote]\ncandidates = "names.txt"\nvotes_each = 1\nvoters = 4\ndone_url = "https://panel.example/done?c=1"\n'
    poll = Poll(tmp_path, source=write_scenario(tmp_path, text), listed=False, budget=4)
    poll.client.post("/begin", data=read_hidden(poll.client.get("/?PROLIFIC_PID=abc123").text))
    assert "refresh" not in poll.client.get("/").headers
    poll.client.post("/vote", data=read_hidden(poll.client.get("/").text) | {"say": "1"})
    assert poll.client.get("/").headers["refresh"] == "10; url=https://panel.example/done?c=1"
    assert "refresh" not in poll.client.get("/?stay=1").headers
    assert list(poll.office.desk.ledger.people) == ["participant abc123"]
    poll.office.close()


def test_a_vote_that_cannot_be_written_is_not_counted(poll: Poll, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full: the voter is told so, and can vote once there is room again."""
    fields = poll.open("Ann") | {"say": "1"}

    def fail(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("os.write", fail)
        answer = poll.client.post(f"{poll.base('Ann')}/vote", data=fields)
    assert answer.status_code == 503
    assert "NOT counted" in answer.text
    assert poll.client.post(f"{poll.base('Ann')}/vote", data=fields).headers["location"].endswith("said=counted")
    log = Log(poll.office.path)
    log.advance()
    assert log.machine.spent == 1
    assert log.machine.answered == {"Ann": 1}


def test_a_second_poll_on_the_same_journal_is_refused(poll: Poll, tmp_path: Path) -> None:
    """While the first one goes on."""
    with pytest.raises(heats.errors.JournalLocked, match="is writing to"):
        Office(poll.office.poll, poll.office.path)
    assert not issubclass(heats.errors.JournalLocked, JournalFailed)


def test_other_voters_or_another_run_are_refused(poll: Poll, tmp_path: Path) -> None:
    """Who may vote cannot change once it began; a journal of something else is no poll."""
    poll.office.close()
    (tmp_path / "people.csv").write_text("name\nAnn\nZoe\n")
    said = {"budget": 8, "heat_size": 3, "voters": str(tmp_path / "people.csv")}
    changed = load_poll(tmp_path / "names.txt", said)
    with pytest.raises(heats.errors.InvalidArgument, match="other voters: 'Bob' is not listed any more"):
        Office(changed, poll.office.path)
    with pytest.raises(heats.errors.InvalidArgument, match="holds a poll of listed voters"):
        Office(load_poll(tmp_path / "names.txt", {"budget": 8, "heat_size": 3}), poll.office.path)
    other = tmp_path / "other.jsonl"
    heats.Journal(other, heats.RoundRobin(3, 2, 3)).close()
    with pytest.raises(heats.errors.InvalidArgument, match="not the journal of a poll"):
        Office(changed, other)
