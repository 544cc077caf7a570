"""What a request may do: tickets say what a page was made for, and others' pages, sizes and rates are refused."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import time
from collections.abc import Callable
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect, Request

MOST_FORM_BYTES = 64 * 1024
MOST_FIELDS = 1_000
MOST_REMEMBERED = 10_000  # whose rates are

PAGE_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
        "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers would not say where a form comes from
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
REPORT_HEADERS = PAGE_HEADERS | {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"
}
MEDIA_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, max-age=3600",
}


class Refused(Exception):
    """A request that is not obeyed: a status, and why in a sentence."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def make_ticket(token: str, *parts: object) -> str:
    """Return what only the page made for this voter and purpose has; no server has to remember it."""
    said = "\0".join(map(str, parts)).encode(errors="surrogateescape")
    return hmac.new(token.encode(errors="surrogateescape"), said, hashlib.sha256).hexdigest()[:32]


def check_ticket(ticket: str, token: str, *parts: object) -> None:
    """Refuse a form that was not made for this voter and purpose."""
    if not hmac.compare_digest(ticket.encode(errors="replace"), make_ticket(token, *parts).encode()):
        raise Refused(403, "This form is not of this page, or of another time; go back and load it again.")


def check_source(request: Request) -> None:
    """Refuse forms on pages of others, as browsers say where a request comes from."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    is_ours = site in (None, "same-origin", "none")
    if not is_ours or (origin is not None and origin.partition("://")[2] != request.headers.get("host")):
        raise Refused(403, "This form was sent from another site; it was not counted.")


def find_network(request: Request) -> str:
    """Return where a request comes from: an address, of IPv6 the 64 bits that one house has all addresses of."""
    try:
        address = ipaddress.ip_address(request.client.host if request.client else "")
    except ValueError:
        return ""  # a socket of this machine, or a proxy that says nothing of use: all of them together
    if address.version == 4:
        return str(address)
    return str(address.ipv4_mapped or ipaddress.ip_network((int(address) >> 64 << 64, 64)))


def read_number(said: str, most_digits: int = 15) -> int | None:
    """Return a whole number that was typed or stands in an address, None if it is none."""
    return int(said) if said.isascii() and said.isdigit() and len(said) <= most_digits else None


async def read_form(request: Request) -> dict[str, list[str]]:
    """Return the fields of a form of a size that makes sense."""
    body = b""
    too_large = Refused(413, "This form is too large; nothing was counted.")
    try:
        if int(request.headers.get("content-length", "0")) > MOST_FORM_BYTES:
            raise too_large
    except ValueError:
        raise Refused(400, "This form does not say how long it is.") from None
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_FORM_BYTES:
                raise too_large
    except ClientDisconnect:
        raise Refused(400, "This form did not arrive as a whole; nothing was counted.") from None
    try:
        return parse_qs(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise Refused(400, "This form cannot be read.") from None


class Rate:
    """So many at once and so many a second, for everybody."""

    def __init__(self, at_once: float, a_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._a_second, self._clock = at_once, a_second, clock
        self._left: dict[str, tuple[float, float]] = {}  # who → how many, and when that was

    def spend(self, who: str) -> None:
        """Count a request, or refuse it."""
        now = self._clock()
        left, then = self._left.get(who, (self._most, now))
        left = min(self._most, left + (now - then) * self._a_second)
        if left < 1:
            raise Refused(429, "Too many requests at once; wait a moment and try again. Nothing was counted.")
        if who not in self._left and len(self._left) >= MOST_REMEMBERED:
            self._forget(now)
        self._left[who] = left - 1, now

    def _forget(self, now: float) -> None:
        """Forget those who may do as much as anybody; if that is nobody, the oldest half."""
        full = self._most / self._a_second
        self._left = {who: each for who, each in self._left.items() if now - each[1] < full}
        if len(self._left) >= MOST_REMEMBERED:
            self._left = dict([*self._left.items()][MOST_REMEMBERED // 2 :])
