"""Who may vote, and their secret links: a token each, of which only a hash is kept in the journal."""

from __future__ import annotations

import csv
import hashlib
import hmac
import io
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from heats.base.files import read_text_file
from heats.base.text import make_encodable
from heats.errors import BrokenFile, InvalidArgument
from heats.journal.draft import write_whole

TOKEN_BYTES = 16  # 128 bits: nobody guesses one
SECRET_MODE = 0o600  # of files: only their owner can read them
MOST_PEOPLE_BYTES = 16 << 20
MOST_PEOPLE = 100_000
ORGANISER, EVERYBODY = "organiser (secret)", "everybody"  # what stands for a name where links are listed


class Link(NamedTuple):
    """Whose link it is, and the token that is in it."""

    name: str
    link: str
    token: str


def list_links(address: str, names: Sequence[str] | None, tokens: Mapping[str, str]) -> list[Link]:
    """Return the links of voters whose tokens are known; in an open poll (``names`` None) the one that all have."""
    if names is None:
        return [Link(EVERYBODY, address, "")]
    return [Link(name, f"{address}v/{tokens[name]}", tokens[name]) for name in names if name in tokens]


def read_links(path: Path) -> list[Link]:
    """Return the links in a file, as far as it is there; an older one has who, name and token, which is enough."""
    try:
        rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))
    except (OSError, UnicodeDecodeError, csv.Error):
        return []
    name = 1 if rows[:1] == [["who", "name", "token"]] else 0
    return [Link(row[name], row[1], row[2]) for row in rows[1:] if len(row) == 3]


def write_links(path: Path, links: Sequence[Link]) -> None:
    """Write links to a file that nobody else can read, whole or not at all: else tokens would be lost."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([Link._fields, *links])
    try:
        write_whole(path, text.getvalue().encode(), SECRET_MODE)
    except OSError as error:
        raise BrokenFile(f"the secret links cannot be written to {path}: {error.strerror}.") from None


def hash_token(token: str) -> str:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode(errors="surrogateescape")).hexdigest()


def make_token() -> str:
    """Return a new secret."""
    return secrets.token_urlsafe(TOKEN_BYTES)


class Roster:
    """Whose token it is: the organiser's, a listed voter's, or nobody's."""

    def __init__(self, organiser: str, voters: Mapping[str, str] | None) -> None:
        self._organiser = organiser
        self._by_hash = None if voters is None else {digest: name for name, digest in voters.items()}
        self.names = None if voters is None else tuple(voters)

    def is_organiser(self, token: str) -> bool:
        """Whether somebody holds the organiser's link."""
        return hmac.compare_digest(hash_token(token), self._organiser)

    def find_voter(self, token: str) -> str | None:
        """Return the name of a listed voter; hashes are looked up, so the time it takes says nothing of the token."""
        return None if self._by_hash is None else self._by_hash.get(hash_token(token))


def read_people(path: Path) -> tuple[str, ...]:
    """Return the names in a CSV file: its column ``name``, or its first one."""
    text = read_text_file(path, MOST_PEOPLE_BYTES, "the voters in {path} cannot be read: {reason}.")
    rows = [row for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"))) if any(cell.strip() for cell in row)]
    titles = [cell.strip().lower() for cell in rows[0]] if rows else []
    column = titles.index("name") if "name" in titles else 0
    body = rows[1:] if "name" in titles else rows
    names = tuple(make_encodable(row[column].strip()) if column < len(row) else "" for row in body)
    _check_people(names, path)
    return names


def check_newcomer(name: str, names: Sequence[str]) -> str:
    """Return the name of somebody who comes in later, or refuse it."""
    name = make_encodable(name.strip())
    if not name or name in names or len(names) >= MOST_PEOPLE:
        raise InvalidArgument("{who} must be a name of its own: nobody else may be called so.", who=name)
    return name


def _check_people(names: Sequence[str], path: Path) -> None:
    if not 0 < len(names) <= MOST_PEOPLE:
        raise InvalidArgument(f"{path} has {len(names):,} voters; give from 1 to {MOST_PEOPLE:,}, one per line.")
    seen: set[str] = set()
    for number, name in enumerate(names, 1):
        if not name or name in seen:
            why = "has no name" if not name else f"is called {name!r}, like another one"
            raise BrokenFile(f"{path}: voter {number} {why}; give each a name of their own.")
        seen.add(name)
