"""Whatever is sent, a request is answered with a page or refused in a sentence: never a 500, never a traceback."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlencode

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from heats.vote.site.app import make_app
from heats.vote.site.guard import Rate, make_ticket
from tests.vote.test_app import Poll
from tests.vote.test_scenario import write_pictures

Message = dict[str, Any]

ODD = [
    *("", " ", "[", "]", "http://[", "http://[::1", "https://[v1.x]/", "null", "//", "http://", "://", "a:b:c", ":80", "x:99999"),
    *("http://testserver", "http://testserver/", "HTTP://TESTSERVER", "http://testserver:80", "http://a@testserver", "\xff\xfe"),
    *("testserver", "testserver:x", "[::1]:8321", "0", "-1", "+5", "1_0", "1e3", "٣", "²", "9" * 20, "9" * 5_000, "0x10", "5, 5"),
    *("bytes=0-1", "bytes=-", "bytes=0-", "bytes=-1", "bytes=5-2", "bytes=x", "bytes", "bytes=0-1,2-3,0-1", "lines=0-1", "bytes=-0"),
    *("bytes=" + ",".join(["0-"] * 200), "bytes=" + "9" * 5_000 + "-", "bytes=0-" + "9" * 5_000, "bytes=1--1"),
    *("W/\"x\"", "*", "Mon, 99 Foo 9999 99:99:99 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "same-origin", "cross-site"),
    *("a=b; c", ";;;", "=", "a=\"", "a=\"\\777\"", "heats_voter=x; heats_voter=y", "\x00", "\r\nx: y", "127.0.0.1", "::1", "unix:"),
    *("[::1", "1.2.3.4:x", "fe80::1%eth0", "multipart/form-data", "text/plain; charset=nothing", "application/x-www-form-urlencoded"),
    *("https", "ftp", "chunked", "gzip"),
]  # fmt: skip
HEADERS = (
    *("origin", "host", "cookie", "content-type", "content-length", "content-encoding", "transfer-encoding", "range"),
    *("if-range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "sec-fetch-site", "referer"),
    *("x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-forwarded-port", "forwarded", "accept", "accept-encoding"),
    *("connection", "upgrade", "authorization", "x-http-method-override", "user-agent"),
)  # fmt: skip
texts = st.one_of(st.sampled_from(ODD), st.text(max_size=20))
headers = st.lists(st.tuples(st.sampled_from(HEADERS), texts), max_size=4)
numbers = st.one_of(st.integers(-2, 30).map(str), texts)
fields = st.dictionaries(
    st.one_of(
        st.sampled_from(["say", "number", "ticket", "tied", "best", "worst", "place-1", "place-2", "participant"]),
        st.sampled_from(["order", "who", "why", "pulls", "text"]),
        texts,
    ),
    st.one_of(
        texts, numbers, st.sampled_from(["add", "join", "void", "extend", "tie", "skip", "logo0.svg", "..", "/", "."])
    ),
    max_size=5,
)
bodies = st.one_of(fields.map(lambda each: urlencode(each).encode()), st.binary(max_size=50))
steps = st.one_of(
    st.sampled_from(
        ["", "begin", "vote", "undo", "media", "do", "links", "report", "votes.csv", "links.csv", "static"]
    ),
    texts,
)


class Site:
    """The pages of a poll as a server has them before it, without what a client would put right."""

    def __init__(self, folder: Path, *, listed: bool) -> None:
        folder.mkdir()
        self.poll = Poll(folder, source=write_pictures(folder), listed=listed)
        self.app = ProxyHeadersMiddleware(make_app(self.poll.office), trusted_hosts="127.0.0.1")
        self.places = [self.poll.organiser, "", "/static"] + ([self.poll.base("Ann")] if listed else [])
        self.tickets = {"order": make_ticket(self.poll.office.tokens[""], "order")}

    def send(
        self,
        method: str,
        target: str,
        said: list[tuple[str, str]],
        body: bytes = b"",
        *,
        leaves: bool = False,
    ) -> list[Message]:
        """Send a request as uvicorn hands it over; return all that was answered. Who leaves sends half of the body."""
        path, _, query = quote(target, safe="/?&=%").partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode("latin-1", "replace")) for name, value in said],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8321),
        }
        half = len(body) // 2
        end: Message = {"type": "http.disconnect"} if leaves else {"type": "http.request", "body": body[half:]}
        arriving = iter([{"type": "http.request", "body": body[:half], "more_body": True}, end])
        answered: list[Message] = []

        async def receive() -> Message:
            return next(arriving, {"type": "http.disconnect"})

        async def answer(message: Any) -> None:
            answered.append(message)

        asyncio.run(self.app(scope, receive, answer))
        return answered


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[bool, Site]]:
    """A poll of listed voters and an open one, with pictures, and with no rate that would refuse before all else."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("heats.vote.site.booth.Rate", lambda *_: Rate(1e9, 1e9))
        made = {
            listed: Site(tmp_path_factory.mktemp("polls") / f"listed {listed}", listed=listed)
            for listed in (True, False)
        }
        yield made
        for each in made.values():
            each.poll.office.close()


def check(answered: list[Message], *, leaves: bool = False) -> int:
    """Check that a request was answered once, and not with a fault of ours; return the status."""
    starts = [each for each in answered if each["type"] == "http.response.start"]
    assert len(starts) == 1 or (leaves and not starts)
    status = int(starts[0]["status"]) if starts else 400
    assert status < 500
    return status


SETTINGS = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@SETTINGS
@given(
    listed=st.booleans(),
    method=st.sampled_from(["GET", "POST", "HEAD", "PUT", "OPTIONS"]),
    place=st.integers(0, 3),
    path=st.lists(steps, max_size=3),
    asked=st.dictionaries(st.sampled_from(["more", "said", "stay", "PROLIFIC_PID"]), texts, max_size=2),
    said=headers,
    body=bodies,
    leaves=st.booleans(),
)
@example(True, "POST", 3, ["vote"], {}, [("origin", "http://[")], b"", False)
@example(False, "POST", 1, ["begin"], {}, [("origin", "http://[")], b"", False)
@example(False, "POST", 1, ["begin"], {}, [("host", "[")], b"", False)
@example(False, "POST", 1, ["begin"], {}, [], b"a=b", True)
@example(True, "POST", 3, ["vote"], {}, [], b"a=b", True)
@example(True, "GET", 3, ["media", "9" * 5_000], {}, [], b"", False)
@example(True, "GET", 0, ["media", "9" * 5_000], {}, [], b"", False)
@example(True, "GET", 3, ["media", "0"], {}, [("range", "bytes=" + "9" * 5_000 + "-")], b"", False)
@example(True, "GET", 0, ["media", "0"], {}, [("if-range", "x"), ("range", "bytes=0-1")], b"", False)
@example(True, "GET", 0, [], {}, [("host", "[")], b"", False)
@example(True, "GET", 0, ["links"], {}, [("host", "\xff[")], b"", False)
@example(True, "GET", 2, ["\x00"], {}, [], b"", False)
@example(True, "GET", 2, ["..", "pages", "vote.css"], {}, [], b"", False)
def test_no_request_is_a_fault_of_ours(
    sites: dict[bool, Site],
    listed: bool,
    method: str,
    place: int,
    path: list[str],
    asked: dict[str, str],
    said: list[tuple[str, str]],
    body: bytes,
    leaves: bool,
) -> None:
    """Whatever headers, paths, queries and bodies hold, also if the client leaves before its form has arrived."""
    site = sites[listed]
    base = site.places[place % len(site.places)]
    target = "/".join([base, *path]) or "/"
    if asked:
        target = f"{target.replace('?', '')}?{urlencode(asked)}"
    check(site.send(method, target, said, body, leaves=leaves), leaves=leaves)


@SETTINGS
@given(listed=st.booleans(), what=st.sampled_from(["vote", "undo", "begin", "order"]), form=fields, said=headers)
@example(True, "order", {"order": "add", "text": "\x00"}, [])
@example(True, "order", {"order": "add", "text": "x" * 5_000}, [])
@example(True, "order", {"order": "void", "who": " Ann "}, [])
def test_no_form_with_a_right_ticket_is_a_fault_of_ours(
    sites: dict[bool, Site], listed: bool, what: str, form: dict[str, str], said: list[tuple[str, str]]
) -> None:
    """Of voters with something on their page, and of the organiser, fields may hold anything."""
    site, poll = sites[listed], sites[listed].poll
    if what == "order":
        orders = form | {"ticket": site.tickets["order"]}
        check(site.send("POST", f"{poll.organiser}/do", said, urlencode(orders).encode()))
        return
    machine = poll.machine
    base, secret = (poll.base("Ann"), poll.office.tokens["Ann"]) if listed else ("", "")
    if not listed:
        assert poll.office.identities is not None
        secret = poll.office.identities.issue()
        said = [*said, ("cookie", f"{poll.office.identities.cookie}={secret}")]
    site.send("POST", f"{base}/begin", said)
    number = next(iter(machine.list_owed()), 0)
    parts = (number, machine.query(number).arms) if what == "vote" else (number,)
    ticket = make_ticket(f"{poll.office.origin.organiser} {secret}", what, *parts)
    sent = form | {"number": str(number), "ticket": ticket}
    check(site.send("POST", f"{base}/{what}", said, urlencode(sent).encode()))


@pytest.mark.parametrize("source", ["http://[", "http://[::1", "http://]", "[", "null", "", "http://testserver:99999"])
def test_a_source_that_is_no_address_is_another_site(sites: dict[bool, Site], source: str) -> None:
    """It was a 500, and a traceback per request, before any rate."""
    site = sites[False]
    sent = site.send("POST", "/begin", [("origin", source), ("host", "testserver")])
    assert check(sent) == 403
    assert b"another site" in sent[1]["body"]
