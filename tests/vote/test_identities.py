"""Who is who in an open poll: only what the server issued is an identity, whatever else somebody sends."""

from __future__ import annotations

import ipaddress
import os
import re
import stat
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.testclient import TestClient
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from heats.cli.app import run
from heats.errors import BrokenFile
from heats.vote.poll.identities import KEY_BYTES, Identities, name_holder, open_key
from heats.vote.site.app import make_app
from heats.vote.site.guard import Rate, find_network
from tests.vote.polls import write_lines
from tests.vote.test_app import Poll, read_hidden

IDENTITIES = Identities(b"k" * KEY_BYTES)


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no time go by for rates: what is spent is spent."""
    monkeypatch.setattr("heats.vote.site.booth.Rate", partial(Rate, clock=lambda: 0.0))


@pytest.fixture
def poll(tmp_path: Path) -> Iterator[Poll]:
    made = Poll(tmp_path, listed=False)
    yield made
    made.office.close()


def begin(client: TestClient, **fields: str) -> str:
    """Begin as a newcomer; return the cookie as it is sent."""
    begun = client.post("/begin", data=fields)
    assert begun.status_code == 303
    return str(begun.headers["set-cookie"]).partition(";")[0]


def find_identities(poll: Poll) -> Identities:
    assert poll.office.identities is not None
    return poll.office.identities


def say_cookie(poll: Poll, value: str) -> dict[str, str]:
    return {"cookie": f"{find_identities(poll).cookie}={value}"}


def find_rate(client: TestClient, path: str, cookies: list[str]) -> list[int]:
    """Return what becomes of a POST with each of the cookies, none of which the client keeps."""
    statuses = []
    for cookie in cookies:
        client.cookies.clear()
        statuses.append(client.post(path, headers={"cookie": cookie}).status_code)
    client.cookies.clear()
    return statuses


@pytest.mark.parametrize("path", ["/begin", "/vote", "/undo"])
def test_invented_identities_pay_as_newcomers_do(poll: Poll, path: str) -> None:
    """1200 of 1200 invented cookies were taken in three seconds from one address."""
    name = find_identities(poll).cookie
    cookies = [f"{name}=invented{number}; heats_voter=invented{number}" for number in range(300)]
    statuses = find_rate(poll.client, path, cookies)
    assert statuses == [303 if path == "/begin" else 403] * 100 + [429] * 200
    assert not poll.office.desk.ledger.people


@given(st.text(alphabet=st.characters(max_codepoint=0x2FF), max_size=120), st.integers(0, 120), st.integers(0, 255))
def test_only_what_was_issued_is_an_identity(text: str, place: int, other: int) -> None:
    """Not what is invented, cut short, longer, changed in one place, or issued with another key."""
    issued = IDENTITIES.issue("abc123")
    assert IDENTITIES.check(issued)
    assert not IDENTITIES.check(text)
    assert not IDENTITIES.check(issued[:place]) or place >= len(issued)
    assert not IDENTITIES.check(issued + text) or not text
    assert not IDENTITIES.check(text + issued) or not text
    place %= len(issued)
    changed = issued[:place] + chr(other) + issued[place + 1 :]
    assert IDENTITIES.check(changed) == (changed == issued)
    assert not Identities(b"x" * KEY_BYTES).check(issued)


@given(st.text(max_size=80))
def test_a_participant_is_named_so_only_if_a_panel_could_have(participant: str) -> None:
    """Whatever else is said in the form makes a stranger, and cannot forge another name."""
    identity = IDENTITIES.issue(participant)
    assert IDENTITIES.check(identity)
    is_plain = re.fullmatch(r"[A-Za-z0-9_-]{1,64}", participant) is not None
    name = name_holder(identity)
    assert name == f"participant {participant}" if is_plain else re.fullmatch(r"voter [0-9a-f]{16}", name)


def test_an_identity_is_good_after_a_restart(tmp_path: Path) -> None:
    """Votes go on under the same name; the key lies beside the journal, its owner's alone."""
    poll = Poll(tmp_path, listed=False)
    cookie = begin(poll.client)
    fields = read_hidden(poll.client.get("/").text) | {"say": "1"}
    assert stat.S_IMODE(poll.office.key.stat().st_mode) == 0o600
    assert poll.office.key.read_bytes().hex() not in poll.office.path.read_text()
    poll.office.close()
    again = Poll(tmp_path, listed=False)
    assert again.client.post("/vote", data=fields, headers={"cookie": cookie}).headers["location"] == "/?said=counted"
    again.client.cookies.clear()
    assert 'name="say"' in again.client.get("/", headers={"cookie": cookie}).text
    assert list(again.office.desk.ledger.people) == [name_holder(cookie.partition("=")[2])]
    again.office.close()


def test_an_identity_of_another_poll_is_a_newcomers(tmp_path: Path) -> None:
    """Two polls on one machine share cookies: their names differ, and a renamed one is not signed here."""
    polls = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        polls.append(Poll(tmp_path / name, listed=False))
    cookie = begin(polls[0].client)
    identity = cookie.partition("=")[2]
    assert find_identities(polls[0]).cookie != find_identities(polls[1]).cookie
    for headers in ({"cookie": cookie}, say_cookie(polls[1], identity)):
        assert "data-begin" not in polls[1].client.get("/", headers=headers).text
        assert polls[1].client.post("/vote", data={"number": "0"}, headers=headers).status_code == 403
    for poll in polls:
        poll.office.close()


def test_a_poll_from_before_there_were_keys_goes_on(tmp_path: Path) -> None:
    """And so does one whose key was removed: a new key is made, and whoever has an old cookie begins anew."""
    poll = Poll(tmp_path, listed=False)
    cookie = begin(poll.client)
    poll.client.post("/vote", data=read_hidden(poll.client.get("/").text) | {"say": "1"})
    poll.office.close()
    key = poll.office.key.read_bytes()
    poll.office.key.unlink()
    again = Poll(tmp_path, listed=False)
    assert again.machine.spent == 1
    assert again.office.key.read_bytes() != key
    for old in (cookie, "heats_voter=" + "x" * 22, "heats_voter=" + "x" * 22 + "~abc123"):
        assert again.client.post("/vote", data={"number": "0"}, headers={"cookie": old}).status_code == 403
    again.client.cookies.clear()
    begin(again.client)
    assert 'name="say"' in again.client.get("/").text
    again.office.close()


def test_a_key_that_goes_while_it_is_used_changes_nothing(poll: Poll) -> None:
    """Until the next start."""
    begin(poll.client)
    poll.office.key.unlink()
    fields = read_hidden(poll.client.get("/").text) | {"say": "1"}
    assert poll.client.post("/vote", data=fields).headers["location"] == "/?said=counted"


def test_a_new_poll_in_the_place_of_an_old_one_has_a_new_key(tmp_path: Path) -> None:
    """What was handed out before, for a trial say, is of no use."""
    poll = Poll(tmp_path, listed=False)
    key = poll.office.key.read_bytes()
    poll.office.close()
    poll.office.path.unlink()
    again = Poll(tmp_path, listed=False)
    assert again.office.key.read_bytes() != key
    again.office.close()


def test_listed_voters_need_no_key(tmp_path: Path) -> None:
    """They have their links."""
    poll = Poll(tmp_path)
    assert not poll.office.key.exists()
    poll.office.close()


@pytest.mark.parametrize("size", [0, 1, KEY_BYTES - 1, KEY_BYTES + 1, 10_000])
def test_a_damaged_key_is_refused_and_left_alone(tmp_path: Path, size: int) -> None:
    """It may be put back."""
    path = tmp_path / "key"
    path.write_bytes(b"k" * size)
    path.chmod(0o600)
    with pytest.raises(BrokenFile, match=r"is damaged\. Put it back, or remove it"):
        open_key(path)
    assert path.stat().st_size == size


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620, 0o666])
def test_a_key_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    """Whoever has it makes identities."""
    path = tmp_path / "key"
    open_key(path)
    path.chmod(mode)
    with pytest.raises(BrokenFile, match=r"others can read .* chmod 600"):
        open_key(path)
    path.chmod(0o600)
    assert len(open_key(path)) == KEY_BYTES


def test_what_is_no_file_is_no_key(tmp_path: Path) -> None:
    """A link, a folder and a pipe are refused in a sentence, and nothing waits."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "target").write_bytes(b"k" * KEY_BYTES)
    (tmp_path / "link").symlink_to(tmp_path / "target")
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe", 0o600)
    for name in ("folder", "link", "dangling", "pipe"):
        with pytest.raises(BrokenFile, match="the key"):
            open_key(tmp_path / name)
    assert not (tmp_path / "nothing").exists()


def test_a_key_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full: the next start makes one."""

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("heats.vote.poll.identities.os.fsync", fail)
        with pytest.raises(BrokenFile, match="cannot be written: No space left on device"):
            open_key(tmp_path / "key")
    assert not (tmp_path / "key").exists()
    assert len(open_key(tmp_path / "key")) == KEY_BYTES


def test_a_wrong_key_is_one_sentence_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And the journal is not locked by it."""
    poll = Poll(tmp_path, listed=False)
    poll.office.close()
    poll.office.key.chmod(0o644)
    asked = ["vote", str(write_lines(tmp_path)), "-k", "3", "-B", "12", "--port", "0"]
    assert run([*asked, "--journal", str(poll.office.path)]) == 2
    said = capsys.readouterr().err
    assert "others can read" in said
    assert said.count("\n") == 1
    poll.office.key.chmod(0o600)
    Poll(tmp_path, listed=False).office.close()


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_one_house_is_one_newcomer_to_the_rate(network: int, one: int, other: int) -> None:
    """Of IPv6 it has 64 bits of addresses; IPv4 within IPv6 is IPv4, and what is no address is one of all."""

    def find(host: str | None) -> str:
        client = None if host is None else (host, 1)
        return find_network(Request({"type": "http", "headers": [], "client": client}))

    first, second = (str(ipaddress.IPv6Address(network << 64 | house)) for house in (one, other))
    if not ipaddress.IPv6Address(first).ipv4_mapped and not ipaddress.IPv6Address(second).ipv4_mapped:
        assert find(first) == find(second)
    assert find(first) != find(str(ipaddress.IPv6Address((network ^ 1) << 64 | one)))
    assert find("::ffff:192.0.2.1") == find("192.0.2.1") != find("192.0.2.2")
    assert find(None) == find("") == find("unix:") == find("1.2.3.4.5") == find("x" * 300)


def test_what_a_client_says_of_its_address_is_not_believed(tmp_path: Path) -> None:
    """Without --proxy nothing of it is; with it, the proxy's word is the last one, whatever the client wrote before."""
    poll = Poll(tmp_path, listed=False)
    behind = ProxyHeadersMiddleware(make_app(poll.office), trusted_hosts="127.0.0.1,::1")
    for app, client, sent in (
        (make_app(poll.office), ("192.0.2.1", 1), "{}"),
        (behind, ("192.0.2.1", 1), "{}"),
        (behind, ("127.0.0.1", 1), "10.0.0.{}, 192.0.2.1"),
    ):
        asked = TestClient(app, follow_redirects=False, client=client)
        statuses = []
        for number in range(110):
            asked.cookies.clear()
            statuses.append(asked.post("/begin", headers={"x-forwarded-for": sent.format(number)}).status_code)
        assert statuses[-10:] == [429] * 10
    poll.office.close()


def test_what_is_remembered_of_newcomers_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has nothing any more is forgotten once there are too many."""
    monkeypatch.setattr("heats.vote.desk.leases.MOST_REMEMBERED", 20)
    poll = Poll(tmp_path, listed=False, budget=2)
    desk = poll.office.desk
    for number in range(2_000):
        desk.hand_out(f"bot {number}")
        desk.look(f"bot {number}")
        desk.peek(f"bot {number}")
        poll.clock.now += 5
    assert len(desk._leases._shown) <= 20 + 3 * len(desk._leases._held)
    assert len(desk._leases._held) <= 2 * 600 / 5
    assert not desk.ledger.people
    poll.office.close()
