"""Values → lines of Markdown."""

from __future__ import annotations

import textwrap

WIDTH = 118  # characters of a line


def make_row(*values: object) -> str:
    """Return a row of a table."""
    return f"| {' | '.join(map(str, values))} |"


def make_header(*titles: str) -> tuple[str, str]:
    """Return the first two lines of a table."""
    return make_row(*titles), "|---" * len(titles) + "|"


def wrap_prose(text: str) -> list[str]:
    """Return a paragraph, and the empty line after it."""
    return [*textwrap.wrap(text, WIDTH, break_on_hyphens=False), ""]
