"""Looks at figures that were written."""

from __future__ import annotations

from pathlib import Path


def is_drawn(path: Path) -> bool:
    """Whether a picture is more than one colour and a few strokes."""
    import matplotlib.image  # here: only some tests look at pictures

    return bool(matplotlib.image.imread(path).std() > 0.05)
