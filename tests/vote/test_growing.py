"""What changes while people vote is in the journal: pauses, new voters, new candidates; a restart finds all of it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

import heats
from heats.vote.desk.office import Office
from heats.vote.poll.scenario import load_poll
from tests.vote.polls import write_lines
from tests.vote.test_app import PEOPLE, Poll
from tests.vote.test_scenario import SVG, write_pictures, write_scenario


def test_a_pause_survives_a_restart(tmp_path: Path) -> None:
    """And so does its end; doing either twice is written once."""
    poll = Poll(tmp_path)
    poll.order(order="pause")
    poll.order(order="pause")
    poll.office.close()
    poll = Poll(tmp_path)
    assert "Voting is paused" in poll.get("Ann")
    assert "Paused." in poll.client.get(poll.organiser).text
    poll.order(order="open")
    poll.office.close()
    poll = Poll(tmp_path)
    assert poll.send("Ann").headers["location"].endswith("said=counted")
    assert poll.office.path.read_text().count('"event":"paused"') == 1
    poll.office.close()


def test_a_voter_can_be_let_in(tmp_path: Path) -> None:
    """By the organiser, with a link of their own that is good after a restart; the journal has a hash of it only."""
    poll = Poll(tmp_path)
    assert poll.order(order="join", who="Eve").status_code == 303
    assert poll.send("Eve").headers["location"].endswith("said=counted")
    assert f"Eve,http://testserver{poll.base('Eve')}" in poll.client.get(f"{poll.organiser}/links.csv").text
    for wrong in ("Eve", "Ann"):
        assert f"“{wrong}” must be a name of its own" in poll.order(order="join", who=wrong).text
    assert poll.office.tokens["Eve"] not in poll.office.path.read_text()
    assert stat.S_IMODE(poll.office.links.stat().st_mode) == 0o600
    link = poll.base("Eve")
    poll.office.close()
    poll = Poll(tmp_path)
    assert poll.base("Eve") == link
    assert poll.send("Eve").headers["location"].endswith("said=counted")
    assert poll.office.roster.names == (*PEOPLE, "Eve")
    poll.office.close()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("0", "0 more votes cannot be had: there are 12, and from 1 to 68 can be added"),
        ("69", "6 candidates make 20 sets of 3, and each is shown 4 times at most"),
        ("100000000000", "100,000,000,000 more votes cannot be had"),
        ("9" * 5000, "as a whole number such as 60"),
        ("many", "as a whole number such as 60"),
    ],
)
def test_more_votes_than_there_can_be_are_refused_in_the_words_of_the_page(tmp_path: Path, said: str, why: str) -> None:
    """With the number that was typed, and how many there can be; as many as that are taken."""
    poll = Poll(tmp_path)
    answer = poll.order(order="extend", pulls=said)
    assert answer.status_code == 400
    assert why in answer.text
    assert "budget" not in answer.text.lower()
    assert poll.order(order="extend", pulls="68").status_code == 303
    assert poll.machine.total == 80
    assert "there are 80, and none can be added" in poll.order(order="extend", pulls="1").text
    poll.office.close()


def test_an_open_poll_takes_many_more_votes_and_says_how_many(tmp_path: Path) -> None:
    """No set is shown too often there: it is not known how many people come."""
    poll = Poll(tmp_path, listed=False)
    assert "from 1 to 2,999,988 can be added" in poll.order(order="extend", pulls="3000000").text
    assert poll.order(order="extend", pulls="30").status_code == 303
    poll.office.close()


@pytest.mark.parametrize("is_over", [False, True])
def test_a_candidate_that_comes_too_late_is_refused_until_there_are_more_votes(tmp_path: Path, is_over: bool) -> None:
    """The page says what to do first, in the last batch and after it."""
    poll = Poll(tmp_path)
    for _ in range(2 + is_over):
        poll.order(order="close")
    assert poll.machine.done == is_over
    assert "give the poll more votes first, and add it then" in poll.order(order="add", text="rum").text
    poll.order(order="extend", pulls="12")
    assert poll.order(order="add", text="rum").status_code == 303
    poll.office.close()


@pytest.mark.parametrize("strategy", ["adaptive", "planned"])
def test_a_list_of_voters_may_grow_before_a_restart(tmp_path: Path, strategy: str) -> None:
    """Whoever is new gets a link; with so many votes each, an adaptive poll grows by theirs, a planned one cannot."""
    source = write_lines(tmp_path)
    people = tmp_path / "people.csv"
    text = f'[vote]\ncandidates = "{source.name}"\nvoters = "people.csv"\nvotes_each = 5\nstrategy = "{strategy}"\n'
    scenario = write_scenario(tmp_path, text)
    people.write_text("\n".join(PEOPLE))
    before = Office(load_poll(scenario), tmp_path / "votes.jsonl")
    total, tokens = before.desk.journal.machine.total, before.tokens
    before.close()
    people.write_text("\n".join(["Zoe", *PEOPLE]))
    after = Office(load_poll(scenario), tmp_path / "votes.jsonl")
    assert after.roster.names == (*PEOPLE, "Zoe")
    assert tokens.items() < after.tokens.items()
    assert after.desk.journal.machine.total == (25 if strategy == "adaptive" else total)
    after.close()
    again = Office(load_poll(scenario), tmp_path / "votes.jsonl")
    assert again.tokens == after.tokens
    again.close()


def test_a_file_can_be_added(tmp_path: Path) -> None:
    """One of the poll's folder, which is among the others after a restart, whatever its name; others are refused."""
    pictures = write_pictures(tmp_path)
    poll = Poll(tmp_path, source=pictures)
    (pictures / "a first one.svg").write_text(SVG.format(77))
    (tmp_path / "secret.svg").write_text(SVG.format(78))
    assert poll.order(order="add", text="a first one.svg").status_code == 303
    assert "77" in poll.client.get(f"{poll.organiser}/media/4").text
    for wrong, why in (
        ("../secret.svg", "is not within"),
        ("gone.svg", "cannot be read"),
        ("a first one.svg", "wo candidates show the same"),
    ):
        assert why in poll.order(order="add", text=wrong).text
    assert poll.machine.n_arms == 5
    poll.office.close()
    poll = Poll(tmp_path, source=pictures)
    assert [each.name for each in poll.office.shown] == ["logo0", "logo1", "logo2", "logo3", "a first one"]
    assert poll.machine.n_arms == 5
    poll.office.close()


def test_a_file_that_was_added_must_stay(tmp_path: Path) -> None:
    """Where candidates stand in the scenario, the journal says which file it was; another one is refused."""
    pictures = write_pictures(tmp_path)
    text = "[vote]\n" + "".join(f'[[candidates]]\nfile = "logos/logo{each}.svg"\n' for each in range(3))
    scenario = write_scenario(tmp_path, text)
    poll = Poll(tmp_path, source=scenario, budget=4)
    poll.order(order="add", text="logos/logo3.svg")
    poll.office.close()
    poll = Poll(tmp_path, source=scenario, budget=4)
    assert poll.office.show(3).name == "logo3"
    poll.office.close()
    (pictures / "logo3.svg").write_text(SVG.format(99))
    with pytest.raises(heats.errors.InvalidArgument, match="another file than was added"):
        Poll(tmp_path, source=scenario, budget=4)


def test_a_candidate_may_join_the_folder_before_a_restart(tmp_path: Path) -> None:
    """It comes last, whatever its name; one that is gone is refused."""
    pictures = write_pictures(tmp_path)
    Poll(tmp_path, source=pictures).office.close()
    (pictures / "a first one.svg").write_text(SVG.format(77))
    poll = Poll(tmp_path, source=pictures)
    assert [each.name for each in poll.office.shown][-1] == "a first one"
    assert poll.office.desk.journal.log.names[-1] == "a first one"
    poll.office.close()
    (pictures / "logo1.svg").unlink()
    with pytest.raises(heats.errors.InvalidArgument, match="holds another run"):
        Poll(tmp_path, source=pictures)
