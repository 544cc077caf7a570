"""A file appears with all of its content, or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from pathlib import Path

from heats.base.worker import is_running


def write_whole(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Write a draft beside the file, bring it to the disk, and put it in its place; ``mode`` is as for ``os.open``."""
    stem = f".{path.name[:200]}"
    _remove_stale_drafts(path.parent, stem)
    draft = path.with_name(f"{stem}.{os.getpid()}-{secrets.token_hex(4)}.new")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)  # never a file that somebody else made
    with os.fdopen(handle, "wb") as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise


def _remove_stale_drafts(folder: Path, stem: str) -> None:
    """Remove what a process left behind that was killed while it wrote."""
    name = re.compile(re.escape(stem) + r"\.(\d+)-[0-9a-f]{8}\.new")
    with contextlib.suppress(OSError):
        for found in folder.iterdir():
            if (match := name.fullmatch(found.name)) and not is_running(int(match[1])):
                found.unlink()
