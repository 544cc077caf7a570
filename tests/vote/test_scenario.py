"""Scenarios: a TOML file, a folder or a text file; what is wrong with one is said in a sentence."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from heats.engine.specs import AdaptiveSpec
from heats.errors import InvalidArgument
from heats.vote.poll.scenario import load_poll
from tests.vote.polls import write_lines

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle r="{}"/></svg>'


def write_scenario(folder: Path, text: str) -> Path:
    path = folder / "poll.toml"
    path.write_text(text, encoding="utf-8")
    return path


def write_pictures(folder: Path, count: int = 4) -> Path:
    pictures = folder / "logos"
    pictures.mkdir()
    for number in range(count):
        (pictures / f"logo{number}.svg").write_text(SVG.format(number), encoding="utf-8")
    return pictures


def test_a_text_file_has_a_candidate_per_line(tmp_path: Path) -> None:
    """Blank lines are left out; what else is said comes from the command line."""
    poll = load_poll(write_lines(tmp_path, ["tea", "", " coffee ", "milk"]), {"heat_size": 2, "budget": 9})
    assert [each.text for each in poll.candidates] == ["tea", "coffee", "milk"]
    assert (poll.heat_size, poll.budget, poll.people, poll.share) == (2, 9, None, None)


def test_a_folder_has_a_candidate_per_file(tmp_path: Path) -> None:
    """Pictures are shown, texts read, hidden files left out."""
    pictures = write_pictures(tmp_path, 2)
    (pictures / ".hidden").write_text("no")
    (pictures / "words.md").write_text("*words*")
    poll = load_poll(pictures, {"budget": 9})
    assert [(each.name, each.kind) for each in poll.candidates] == [
        ("logo0", "image"),
        ("logo1", "image"),
        ("words", "markdown"),
    ]


def test_listed_voters_play_in_three_batches_and_no_set_more_often_than_they_are(tmp_path: Path) -> None:
    """The budget is what all of them have together."""
    (tmp_path / "people.csv").write_text("name,mail\nAnn,a@b\nBob,b@b\nCem,\n")
    write_lines(tmp_path)
    text = '[vote]\ncandidates = "names.txt"\nvoters = "people.csv"\nvotes_each = 5\nheat_size = 3\n'
    poll = load_poll(write_scenario(tmp_path, text))
    assert poll.people == ("Ann", "Bob", "Cem")
    assert poll.make_machine().spec == AdaptiveSpec(6, 3, 15, 3, 3, 2)
    assert poll.share == 5
    assert str(poll.turnout) == "3 voters: 5 votes each at most, about 1.7 minutes; each comes up to 3 times."


def test_candidates_may_stand_in_the_scenario(tmp_path: Path) -> None:
    """Each with a text, Markdown or a file, and a name if it needs one."""
    write_pictures(tmp_path, 1)
    text = '[vote]\nbudget = 9\n[[candidates]]\ntext = "a"\n[[candidates]]\nmarkdown = "**b**"\nname = "bold"\n'
    poll = load_poll(write_scenario(tmp_path, text + '[[candidates]]\nfile = "logos/logo0.svg"\n'))
    assert [(each.name, each.kind) for each in poll.candidates] == [
        ("a", "text"),
        ("bold", "markdown"),
        ("logo0", "image"),
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[vote]\nbudget = 9\n", "say what people choose among"),
        ('[vote]\nbudget = "9"\ncandidates = "names.txt"\n', "line 2: vote.budget: expected a whole number"),
        ('[vote]\nbudgets = 9\ncandidates = "names.txt"\n', "line 2: vote.budgets: 'budgets' is not known here"),
        ('[vote]\ncandidates = "names.txt"\n', "say how many votes there are"),
        ('[vote]\nbudget = 9\ncandidates = "nothing.txt"\n', "cannot be read: No such file"),
        ('[vote]\nbudget = 9\ncandidates = "empty"\n', "has 0 candidates"),
        ('[vote]\nbudget = 9\nanswer = "loudest"\ncandidates = "names.txt"\n', "expected 'winner' or 'ranking'"),
        (
            '[vote]\nbudget = 9\nvoters = "nobody.csv"\ncandidates = "names.txt"\n',
            "voters in .*nobody.csv cannot be read",
        ),
        ('[vote]\nbudget = 9\nvoters = 0\ncandidates = "names.txt"\n', "voters=0 must be at least 1"),
        ('[vote]\nbudget = 900\nvoters = 2\ncandidates = "names.txt"\n', "budget=900 is more than voters=2 can cast"),
        ('[vote]\nbudget = 9\nlease = 0\ncandidates = "names.txt"\n', "lease=0.0 must be a number"),
        ('[vote]\nbudget = 9\ndone_url = "javascript:1"\ncandidates = "names.txt"\n', "https://"),
        ("[vote]\nbudget = 9\n[[candidates]]\ntext = 'a'\nfile = 'b'\n", "candidate #0 must have either"),
        ("[vote]\nbudget = 9\n[[candidates]]\nfile = 'gone.png'\n", "gone.png cannot be read"),
        ("[vote]\nbudget = 9\n[[candidates]]\nfile = '../x.png'\n", "cannot be read|not within"),
        ("[vote]\nbudget = 9\n[[candidates]]\ntext = 'a'\n[[candidates]]\ntext = 'a'\n", "show the same: 'a' and 'a'"),
        ("[vote", "is not valid TOML"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(tmp_path: Path, text: str, why: str) -> None:
    """With the file, and the line where there is one."""
    write_lines(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidArgument, match=why):
        load_poll(write_scenario(tmp_path, text))


def test_files_beyond_the_folder_are_refused(tmp_path: Path) -> None:
    """A link that leads out of it, too."""
    pictures = write_pictures(tmp_path)
    (tmp_path / "secret.svg").write_text(SVG.format(99))
    (pictures / "link.svg").symlink_to(tmp_path / "secret.svg")
    with pytest.raises(InvalidArgument, match=r"link\.svg is not within"):
        load_poll(pictures, {"budget": 9})


def test_a_huge_video_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """Nobody waits for five gigabytes."""
    pictures = write_pictures(tmp_path)
    with (pictures / "film.mp4").open("wb") as file:
        os.truncate(file.fileno(), 5 << 30)
    with pytest.raises(InvalidArgument, match=r"film\.mp4 has 5,369 MB"):
        load_poll(pictures, {"budget": 9})


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("x.exe", b"x", "of no kind that can be shown"),
        ("x.png", b"", "is empty"),
        ("x.txt", b"\xff", "not text in UTF-8"),
    ],
)
def test_a_file_nobody_could_look_at_is_refused(tmp_path: Path, name: str, content: bytes, why: str) -> None:
    """Unknown kinds, empty files, texts that are none."""
    pictures = write_pictures(tmp_path)
    (pictures / name).write_bytes(content)
    with pytest.raises(InvalidArgument, match=why):
        load_poll(pictures, {"budget": 9})


@pytest.mark.parametrize(
    ("text", "why"), [("", "has 0 voters"), ("Ann\nAnn\n", "like another one"), ("name,x\n,1\n", "no name")]
)
def test_people_have_names_of_their_own(tmp_path: Path, text: str, why: str) -> None:
    """Two Anns could not be told apart in the journal."""
    (tmp_path / "people.csv").write_text(text)
    with pytest.raises(InvalidArgument, match=why):
        load_poll(write_lines(tmp_path), {"budget": 9, "voters": "people.csv"})


def test_what_is_not_there_is_said_to_be(tmp_path: Path) -> None:
    """With what could be given instead."""
    said: Any = tmp_path / "nothing"
    with pytest.raises(InvalidArgument, match="is not there; give a scenario"):
        load_poll(said)
