"""A file appears with all of its content, or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write a draft beside the file, bring it to the disk, and put it in the file's place."""
    draft = path.with_name(f".{path.name[:200]}.{secrets.token_hex(4)}.new")
    with draft.open("xb") as file:  # never a file that somebody else made
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
