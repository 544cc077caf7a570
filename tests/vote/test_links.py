"""The file of secret links beside the journal, and what the organiser downloads of it."""

from __future__ import annotations

import csv
import io
import stat
from pathlib import Path

import pytest

from heats.vote.desk.office import Office
from heats.vote.poll.people import read_links
from heats.vote.poll.scenario import load_poll
from tests.vote.polls import write_lines
from tests.vote.test_app import PEOPLE, Poll


def open_office(folder: Path, address: str, *, listed: bool = True) -> Office:
    (folder / "people.csv").write_text("name\n" + "\n".join(PEOPLE))
    said = {"budget": 12, "heat_size": 3} | ({"voters": str(folder / "people.csv")} if listed else {})
    return Office(load_poll(write_lines(folder), said), folder / "votes.jsonl", address=address)


def read_rows(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_the_file_has_name_link_and_token_and_is_its_owners_alone(tmp_path: Path) -> None:
    """Each link is the one that the page is at, and holds its token."""
    office = open_office(tmp_path, "http://tea.example/")
    tokens = office.tokens
    office.close()
    title, organiser, *voters = read_rows(office.links)
    assert title == ["name", "link", "token"]
    assert organiser == ["organiser (secret)", f"http://tea.example/o/{tokens['']}", tokens[""]]
    assert voters == [[name, f"http://tea.example/v/{tokens[name]}", tokens[name]] for name in PEOPLE]
    assert stat.S_IMODE(office.links.stat().st_mode) == 0o600


def test_an_open_poll_has_one_link_for_everybody(tmp_path: Path) -> None:
    """And the organiser's."""
    office = open_office(tmp_path, "http://tea.example/", listed=False)
    office.close()
    assert read_rows(office.links)[2] == ["everybody", "http://tea.example/", ""]


def test_another_address_changes_links_and_no_token(tmp_path: Path) -> None:
    """Equal ones leave the file as it is; one that others could read is its owner's again."""
    office = open_office(tmp_path, "http://tea.example/")
    office.close()
    before = office.links.stat()
    again = open_office(tmp_path, "http://tea.example/")
    again.close()
    assert (office.links.stat().st_ino, office.links.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    office.links.chmod(0o644)
    moved = open_office(tmp_path, "https://milk.example/")
    moved.close()
    assert moved.tokens == office.tokens
    assert all(
        row[1].startswith("https://milk.example/") and row[1].endswith(row[2]) for row in read_rows(moved.links)[1:]
    )
    assert stat.S_IMODE(office.links.stat().st_mode) == 0o600


def test_a_file_of_an_earlier_version_is_read_and_written_anew(tmp_path: Path) -> None:
    """It had who, name and token."""
    office = open_office(tmp_path, "http://tea.example/")
    office.close()
    now = office.links.read_bytes()
    rows = [("voter" if name else "organiser", name, token) for name, token in office.tokens.items()]
    text = io.StringIO(newline="")
    csv.writer(text).writerows([("who", "name", "token"), *rows])
    office.links.write_text(text.getvalue(), newline="")
    again = open_office(tmp_path, "http://tea.example/")
    again.close()
    assert again.tokens == office.tokens
    assert office.links.read_bytes() == now


@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", b"name,link,token\nAnn,x,forged\n", b"a,b\n\0,\n"])
def test_a_file_that_is_gone_or_of_others_is_left_alone(tmp_path: Path, content: bytes | None) -> None:
    """Tokens that are not the journal's are nobody's; those who have their links can vote."""
    office = open_office(tmp_path, "/")
    office.close()
    if content is None:
        office.links.unlink()
    else:
        office.links.write_bytes(content)
    again = open_office(tmp_path, "/")
    again.close()
    assert again.tokens == {}
    assert again.roster.find_voter(office.tokens["Ann"]) == "Ann"
    assert (office.links.read_bytes() if office.links.exists() else None) == content


def test_a_file_that_cannot_be_written_keeps_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full while somebody is let in: no token is lost, and they are not let in."""
    poll = Poll(tmp_path)
    before = poll.office.links.read_bytes()

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("heats.journal.draft.os.fsync", fail)
        assert "No space left on device" in poll.order(order="join", who="Eve").text
    assert poll.office.links.read_bytes() == before
    assert "Eve" not in (poll.office.roster.names or ())
    poll.office.close()


def test_what_the_organiser_downloads_is_no_formula(tmp_path: Path) -> None:
    """Names of voters and candidates are what others typed; the file beside the journal has them as they are."""
    evil = "=HYPERLINK(1)"
    poll = Poll(tmp_path, source=write_lines(tmp_path, [evil, "-luby", "+1+1"]), heat_size=2)
    poll.order(order="join", who=evil)
    poll.send(evil)
    for name in ("links.csv", "votes.csv", "standings.csv"):
        text = poll.client.get(f"{poll.organiser}/{name}").text
        cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
        assert f"'{evil}" in cells
        assert not [cell for cell in cells if cell.startswith(("=", "@", "-l", "+1+"))]
    assert evil in [each.name for each in read_links(poll.office.links)]
    poll.office.close()
