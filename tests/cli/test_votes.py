"""``heats vote``: what is said before, instead of and after the page."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from heats.cli.app import run
from heats.vote.poll.scenario import load_poll
from heats.vote.site import server


@pytest.fixture
def polls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a poll that is not the one we are in, and nobody who waits for voters."""
    (tmp_path / "polls").mkdir()
    (tmp_path / "polls" / "names.txt").write_text("tea\ncoffee\nmilk\nwater\n")
    (tmp_path / "people.csv").write_text("name\nAnn\nBob\n")
    monkeypatch.chdir(tmp_path)

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(server, "serve", interrupt)
    return tmp_path


def test_a_list_of_voters_is_looked_for_where_it_is_typed(polls: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As a shell completes it, not beside the candidates."""
    assert run(shlex.split("vote polls/names.txt -k 2 --voters people.csv --votes-each 3 --check")) == 0
    assert "2 voters: 3 votes each at most" in capsys.readouterr().out


def test_an_open_poll_is_checked_with_a_word_on_voters(polls: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What it takes of each is known only if it is said how many there are."""
    assert run(shlex.split("vote polls/names.txt -k 2 -B 9 --check")) == 0
    assert "with --voters 12 it is said what it takes of each" in capsys.readouterr().out


def test_what_is_said_at_the_end_goes_on(polls: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The line to paste has all that the poll was begun with, from wherever the list was."""
    line = "vote polls/names.txt -k 2 --voters people.csv --votes-each 3 --question 'Which one, then?' --port 0"
    assert run(shlex.split(line)) == 130
    first = capsys.readouterr()
    _, _, again = next(line for line in first.err.splitlines() if "go on with" in line).partition("go on with: heats ")
    assert run(shlex.split(again)) == 130
    second = capsys.readouterr()
    assert first.out.splitlines()[-2] in second.out  # the same journal
    assert again == second.err.partition("go on with: heats ")[2].splitlines()[0]  # the same port, whichever was free


def test_what_voters_say_can_be_chosen_without_a_scenario(polls: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The line to go on with says it again; a scenario that says otherwise is overruled."""
    (polls / "polls" / "poll.toml").write_text('[vote]\ncandidates = "names.txt"\nanswer = "winner"\n')
    for source in ("names.txt", "poll.toml"):
        assert run(shlex.split(f"vote polls/{source} -k 2 -B 9 --answer ranking --port 0")) == 130
        assert " --answer ranking" in capsys.readouterr().err.partition("go on with: heats ")[2]
    assert load_poll(polls / "polls" / "poll.toml", {"budget": 9, "answer": "best-worst"}).table.answer == "best-worst"


def test_one_voter_is_spoken_of_as_one(polls: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There is nobody whom "each" could be."""
    assert run(shlex.split("vote polls/names.txt -k 2 -B 5 --voters 1 --check")) == 0
    assert "1 voter: 5 votes, about 1.7 minutes; they come up to 5 times." in capsys.readouterr().out


def test_what_is_said_at_the_end_serves_where_it_was_served(polls: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Links that voters have stay as they are."""
    served = "--host 0.0.0.0 --port 0 --proxy --address https://tea.example/"
    assert run(shlex.split(f"vote polls/names.txt -k 2 -B 9 {served}")) == 130
    again = capsys.readouterr().err.partition("go on with: heats ")[2].splitlines()[0]
    assert re.search(r" --host 0\.0\.0\.0 --port [1-9]\d* --proxy --address https://tea\.example/$", again)


def test_links_that_nobody_elsewhere_can_open_are_spoken_of(polls: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """0.0.0.0 is no address to send to others, unless it is said how they reach this machine."""
    line = ["vote", "polls/names.txt", "-k", "2", "-B", "9", "--host", "0.0.0.0", "--port", "0"]
    assert run(line) == 130
    assert "work on this machine only" in capsys.readouterr().err
    assert run([*line, "--address", "http://tea.example:8321"]) == 130
    seen = capsys.readouterr()
    assert "everybody,http://tea.example:8321/\n" in seen.out
    assert "work on this machine only" not in seen.err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("", "as --budget 120, or how many people vote, and how often, as --voters 12 with --votes-each 10"),
        ("-B 9 --voters -3", "--voters -3 must be at least 1"),
        ("-B 9 --voters nobody.csv", "nobody.csv cannot be read"),
        ("-B 9 -k 9", "--heat-size 9 is more than the 4 candidates"),
        ("-B 9 --host 203.0.113.7", "--host 203.0.113.7 is no address of this machine; give one that is, or 0.0.0.0"),
        ("-B 9 --host nowhere.invalid", "--host nowhere.invalid is no address of this machine; give one that is"),
        ("-B 9 --address foo --check", "--address foo must be an address that begins with https://"),
        ("-B 9 --port 70000 --check", "--port 70000 must be from 0 to 65535"),
        ("--voters 2 --votes-each 99", "--votes-each 99 makes 198 votes, more than --voters 2 can cast: "),
        ("-B 9 --answer rankng", "--answer rankng is unknown; choose one of winner, ranking, best-worst"),
        ("-B 9 --port 70000", "--port 70000 must be from 0 to 65535"),
        ("-B 9 --address tea.example", "--address tea.example must be an address that begins with https://"),
        ("-B 9 --address https://tea.example/vote/", "without a path"),
    ],
)
def test_a_mistake_is_one_sentence(
    options: str, sentence: str, polls: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """That says what to type instead; nothing is begun."""
    assert run(["vote", "polls/names.txt", *shlex.split(options)]) == 2
    assert sentence in capsys.readouterr().err
    assert not list(polls.rglob("*.jsonl"))


MANY = 5_000


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--voters many.csv --votes-each 3", ""),
        ("--voters many.csv -B 20000", ""),
        ("--voters 100000 -B 50", ""),
        (
            "--voters many.csv --votes-each 5",
            "--votes-each 5 makes 25,000 votes, more than an adaptive poll of 5,000 voters",
        ),
        (
            "--voters 9000 -B 20001",
            "--budget 20001 is more than an adaptive poll of 9,000 voters can deal, which is 20,000",
        ),
        ("-B 3000001", "--budget 3000001 is more than an adaptive poll can deal, which is 3,000,000"),
    ],
)
def test_very_many_voters_vote_or_are_refused_in_the_words_of_a_poll(
    options: str, sentence: str, polls: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It named most_per_set, which nobody can say here; a poll in a plan takes them, as the sentence says."""
    (polls / "many.csv").write_text("\n".join(f"person {number}" for number in range(MANY)))
    line = ["vote", "polls/names.txt", "-k", "2", *shlex.split(options), "--check"]
    assert run(line) == (2 if sentence else 0)
    said = capsys.readouterr()
    assert sentence in said.err
    assert "most_per_set" not in said.err
    if sentence:
        assert 'say strategy = "planned" in a scenario' in said.err
        (polls / "polls" / "poll.toml").write_text('[vote]\ncandidates = "names.txt"\nstrategy = "planned"\n')
        line[1] = "polls/poll.toml"
        assert run(line) == 0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('strategy = "plannd"', "choose one of adaptive, planned, csws, csr, csh."),
        ('questoin = "Which?"', "line 4: vote.questoin: 'questoin' is not known here; 'question' is."),
    ],
)
def test_a_typo_in_a_scenario_is_met_with_what_there_is(
    text: str, sentence: str, polls: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The key that was meant, or all words that may stand there."""
    (polls / "polls" / "poll.toml").write_text(f'[vote]\ncandidates = "names.txt"\nbudget = 9\n{text}\n')
    assert run(["vote", "polls/poll.toml", "--check"]) == 2
    assert sentence in capsys.readouterr().err
