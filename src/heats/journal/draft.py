"""A file appears with all of its content, or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from pathlib import Path

from heats.base.worker import is_running


def write_whole(path: Path, data: bytes) -> None:
    """Write a draft beside the file, bring it to the disk, and put it in the file's place."""
    stem = f".{path.name[:200]}"
    _remove_stale_drafts(path.parent, stem)
    draft = path.with_name(f"{stem}.{os.getpid()}-{secrets.token_hex(4)}.new")
    with draft.open("xb") as file:  # never a file that somebody else made
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
