"""Who is who in an open poll: identities that the server issued, signed with a key that lies beside the journal."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import stat
from pathlib import Path

from heats.errors import BrokenFile
from heats.vote.poll.people import SECRET_MODE, hash_token, make_token

KEY_BYTES = 32
PARTICIPANT = re.compile(r"[A-Za-z0-9_-]{1,64}")  # as panels of paid raters name people


class Identities:
    """Issues identities, and knows those that it issued: what somebody else made up, cut or changed is nobody's."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.cookie = f"heats_voter_{self._sign('cookie')[:8]}"  # a name of its own: browsers send cookies to all ports

    def issue(self, participant: str = "") -> str:
        """Return what a newcomer is known by from now on; of a panel's participant it has the name there."""
        said = make_token() + (f"~{participant}" if PARTICIPANT.fullmatch(participant) else "")
        return f"{said}.{self._sign(said)}"

    def check(self, identity: str) -> bool:
        """Whether it was issued here."""
        said, _, signature = identity.rpartition(".")
        return hmac.compare_digest(signature.encode(errors="replace"), self._sign(said).encode())

    def _sign(self, said: str) -> str:
        return hmac.new(self._key, said.encode(errors="replace"), hashlib.sha256).hexdigest()


def name_holder(identity: str) -> str:
    """Return what the holder of an identity is called: the panel's participant, or else a name made up of its hash."""
    said = identity.rpartition(".")[0]
    token, _, participant = said.partition("~")
    return f"participant {participant}" if participant else f"voter {hash_token(token)[:16]}"


def open_key(path: Path) -> bytes:
    """Return the key in a file that only its owner can read; make one if there is none."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return _make_key(path)
    except OSError as error:
        raise _refuse(path, f"cannot be read: {error.strerror}") from None
    try:
        mode = os.fstat(handle).st_mode
        key = os.read(handle, KEY_BYTES + 1) if stat.S_ISREG(mode) else b""
    finally:
        os.close(handle)
    if stat.S_ISREG(mode) and mode & 0o077:
        raise BrokenFile(
            f"others can read {path}, the key that tells the voters of an open poll apart. If nobody did, say "
            "chmod 600 to it; else remove it: a new key is made, and everybody is a newcomer."
        )
    if len(key) != KEY_BYTES:
        raise _refuse(path, "is damaged")
    return key


def _make_key(path: Path) -> bytes:
    key = secrets.token_bytes(KEY_BYTES)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, SECRET_MODE)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(key)
                file.flush()
                os.fsync(handle)
        except OSError:
            path.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise BrokenFile(f"the key {path} cannot be written: {error.strerror}.") from None
    return key


def _refuse(path: Path, why: str) -> BrokenFile:
    return BrokenFile(
        f"{path}, the key that tells the voters of an open poll apart, {why}. Put it back, or remove it: a new key is "
        "made, and everybody is a newcomer."
    )
