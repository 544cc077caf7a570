"""A file of a candidate that is changed while people vote: nobody is shown it, nobody votes on it, and it is said."""

from __future__ import annotations

import os
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.errors import OutOfTurn
from heats.vote.desk.desk import CHANGED, Handed, Nothing, Outcome
from heats.vote.poll import originals
from heats.vote.poll.originals import Originals, hash_file
from tests.vote.polls import Clock, open_desk
from tests.vote.test_app import Poll, read_hidden
from tests.vote.test_scenario import SVG, write_pictures

Change = Callable[[Path], None]


def write_other(path: Path) -> None:
    path.write_text(SVG.format("other"), encoding="utf-8")


def replace(path: Path) -> None:
    """Put another file of the same size in its place, with the old time."""
    found = path.stat()
    other = path.with_name("other")
    other.write_bytes(path.read_bytes()[::-1])
    os.utime(other, ns=(found.st_atime_ns, found.st_mtime_ns))
    other.replace(path)


def overwrite(path: Path) -> None:
    """Write other bytes into the file itself, and set its time back."""
    found = path.stat()
    with path.open("r+b") as file:
        file.write(b"#")
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


def link_elsewhere(path: Path) -> None:
    """Put a link in its place, to a file outside the folder that holds the same."""
    elsewhere = path.parent.parent / "elsewhere"
    elsewhere.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(elsewhere)


def swap_folder(path: Path) -> None:
    """Put a link in the place of its folder, to another one with other files of the same names."""
    other = path.parent.with_name("swapped")
    path.parent.rename(other)
    path.parent.symlink_to(other)
    replace(other / path.name)


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


CHANGES: dict[str, Change] = {
    "other bytes": write_other,
    "another file of the same size and time": replace,
    "the file overwritten, with its old time": overwrite,
    "cut short": lambda path: os.truncate(path, 3),
    "empty": lambda path: os.truncate(path, 0),
    "gone": Path.unlink,
    "a link": link_elsewhere,
    "a folder": make_folder,
    "a link for its folder": swap_folder,
}


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what was changed be looked at again at once."""
    monkeypatch.setattr(originals, "AGAIN_SECONDS", 0.0)


@pytest.fixture
def poll(tmp_path: Path) -> Iterator[Poll]:
    made = Poll(tmp_path, source=write_pictures(tmp_path), batches=1)
    yield made
    made.office.close()


def find_file(poll: Poll, arm: int) -> Path:
    path = poll.office.show(arm).path
    assert path is not None
    return path


def find_warning(poll: Poll) -> str:
    """Return what the organiser reads of changed files, or nothing."""
    found = re.search(r'<p class="warning">(These files .*?)</p>', unescape(poll.client.get(poll.organiser).text))
    return "" if found is None else found[1]


def look(poll: Poll, who: str, arm: int) -> int:
    return int(poll.client.get(f"{poll.base(who)}/media/{arm}").status_code)


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_file_is_not_shown_not_dealt_and_not_voted_on(poll: Poll, change: str) -> None:
    """Its open votes are late, others go on, and the organiser reads of it."""
    page = poll.open("Ann")
    arm = poll.machine.query(int(page["number"])).arms[0]
    assert look(poll, "Ann", arm) == 200
    CHANGES[change](find_file(poll, arm))
    assert look(poll, "Ann", arm) == 404
    answer = poll.client.post(f"{poll.base('Ann')}/vote", data=page | {"say": "1"})
    assert answer.headers["location"].endswith("said=late")
    assert poll.machine.spent == 0
    for who in ("Ann", "Bob", "Cem", "Dan"):
        while 'name="say"' in (shown := poll.get(who, "?more=1")):
            fields = read_hidden(shown)
            assert arm not in poll.machine.query(int(fields["number"])).arms
            sent = poll.client.post(f"{poll.base(who)}/vote?more=1", data=fields | {"say": "1"})
            assert "said=counted" in sent.headers["location"]
    assert not poll.machine.done
    assert poll.office.desk.journal.log.names[arm] in find_warning(poll)
    assert poll.office.desk.ledger.people["Ann"].late[int(page["number"])].why == CHANGED


def test_the_organiser_is_told_and_can_close_the_batch(tmp_path: Path) -> None:
    """By name, with the ways out; a batch that waits for it only is not closed by itself: the file may come back."""
    poll = Poll(tmp_path, source=write_pictures(tmp_path, 3), batches=1, budget=4)
    path = find_file(poll, 1)
    path.unlink()
    name = poll.office.desk.journal.log.names[1]
    assert find_warning(poll).startswith(f"These files were changed while the poll went on, or are gone: {name}.")
    page = poll.client.get(poll.organiser).text
    assert "everybody who came so far has seen all that is owed, but for what shows files that were changed" in page
    assert "nothing for you now" in poll.get("Ann").lower()
    assert not poll.machine.done
    poll.order(order="close")
    assert poll.machine.done
    poll.office.close()


def test_a_file_that_is_put_back_is_voted_on_again(poll: Poll) -> None:
    """What counts is what it holds; a vote that was open meanwhile counts, too, as nobody saw anything else."""
    page = poll.open("Ann")
    arm = poll.machine.query(int(page["number"])).arms[0]
    path = find_file(poll, arm)
    content = path.read_bytes()
    path.unlink()
    assert poll.open("Ann")["number"] != page["number"]
    path.write_bytes(content)
    assert look(poll, "Ann", arm) == 200
    answer = poll.client.post(f"{poll.base('Ann')}/vote", data=page | {"say": "1"})
    assert answer.headers["location"].endswith("said=counted")
    assert find_warning(poll) == ""


def test_a_vote_on_a_changed_file_that_is_taken_back_is_not_asked_again(poll: Poll) -> None:
    """Until the file is there again."""
    poll.send("Ann")
    ((number, vote),) = poll.office.desk.ledger.people["Ann"].votes.items()
    path = find_file(poll, vote.arms[0])
    content = path.read_bytes()
    path.unlink()
    desk = poll.office.desk
    desk.undo("Ann", number)
    assert poll.machine.spent == 0
    handed = desk.hand_out("Ann")
    assert not isinstance(handed, Handed) or handed.query.id != number
    with pytest.raises(OutOfTurn):
        desk.undo("Ann", number)
    path.write_bytes(content)
    assert desk.answer("Ann", number, heats.Winner(vote.arms[0])) is Outcome.COUNTED


def test_a_file_that_nobody_touches_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gigabytes are not hashed at every vote; one that is touched, and is the same, is read once more."""
    path, known, reads = tmp_path / "film.mp4", Originals(), []
    path.write_bytes(b"film" * 1000)
    digest, signature = hash_file(path)

    def count(path: Path) -> Any:
        reads.append(path)
        return hash_file(path)

    monkeypatch.setattr(originals, "hash_file", count)
    for _ in range(5):
        assert not known.is_changed(path, digest, signature)
    assert reads == []
    os.utime(path)
    for _ in range(5):
        assert not known.is_changed(path, digest, signature)
    assert len(reads) == 1
    replace(path)
    for _ in range(5):
        assert known.is_changed(path, digest, signature)
    assert len(reads) == 2
    os.truncate(path, 5)  # of another size: there is nothing to read
    assert known.is_changed(path, digest, signature)
    assert len(reads) == 2


def test_a_change_right_after_a_file_was_read_is_seen(tmp_path: Path) -> None:
    """Though file systems keep no finer times than some milliseconds: a fresh file is waited with."""
    path = tmp_path / "logo.svg"
    for number in range(5):
        path.write_text(f"<svg>{number}</svg>", encoding="utf-8")
        digest, signature = hash_file(path)
        overwrite(path)
        assert Originals().is_changed(path, digest, signature)


def test_a_file_that_cannot_be_read_any_more_is_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fails is nobody's 500."""
    path = tmp_path / "logo.svg"
    path.write_text("<svg/>", encoding="utf-8")
    digest, signature = hash_file(path)
    os.utime(path)

    def fail(_: Path) -> Any:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(originals, "hash_file", fail)
    assert Originals().is_changed(path, digest, signature)


def test_a_file_that_goes_while_it_is_sent_is_no_traceback(poll: Poll, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look and the sending it was taken away: the answer ends."""
    find_file(poll, 0).unlink()
    monkeypatch.setattr(poll.office, "is_changed", lambda _: False)
    with pytest.raises(AssertionError, match="did not receive any response"):
        poll.client.get(f"{poll.base('Ann')}/media/0")


@settings(max_examples=30, deadline=None)
@given(chance=st.integers(0, 10**6), voters=st.sampled_from([None, ("ann", "bob", "cem", "dan")]))
def test_whatever_is_changed_and_put_back_no_changed_file_is_handed_out(
    chance: int, voters: tuple[str, ...] | None
) -> None:
    """Whoever does what in whatever order: votes on what is changed are late, and a poll with all put back ends."""
    draw, changed = random.Random(chance), set[int]()
    with tempfile.TemporaryDirectory() as folder:
        machine = heats.Adaptive(6, 3, 24, batches=3, seed=5, most_per_set=4)
        said = {"voters": voters, "is_changed": changed.__contains__}
        desk = open_desk(Path(folder) / "votes.jsonl", machine, Clock(), **said)
        pages: list[tuple[str, heats.Query]] = []
        for _ in range(60):
            who = draw.choice(("ann", "bob", "cem", "dan"))
            what = draw.random()
            if what < 0.2:
                changed ^= {draw.randrange(6)}
            elif what < 0.6 and isinstance(handed := desk.hand_out(who), Handed):
                assert not changed.intersection(handed.query.arms)
                assert desk.look(who) == handed
                pages.append((who, handed.query))
            elif what < 0.9 and pages:
                who, query = draw.choice(pages)
                before = desk.journal.machine.spent
                outcome = desk.answer(who, query.id, heats.Winner(max(query.arms)))
                assert not (outcome is Outcome.COUNTED and changed.intersection(query.arms))
                assert desk.journal.machine.spent - before == (outcome is Outcome.COUNTED)
            elif desk.can_undo(who) and (last := desk.find_last(who)) is not None:
                desk.undo(who, last)
            desk.settle()
        changed.clear()
        for _ in range(100):
            for who in ("ann", "bob", "cem", "dan"):
                if not isinstance(handed := desk.hand_out(who), Nothing):
                    desk.answer(who, handed.query.id, heats.Winner(max(handed.query.arms)))
            desk.settle()
            if not desk.journal.machine.done and all(
                desk.look(who) is Nothing.WAIT for who in ("ann", "bob", "cem", "dan")
            ):
                desk.journal.close_stage("all have seen all")
        assert desk.journal.machine.done
        desk.journal.close()
