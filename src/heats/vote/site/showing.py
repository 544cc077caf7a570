"""Candidates → HTML: texts are escaped, Markdown is cleaned, files are linked; nothing of it is trusted."""

from __future__ import annotations

from functools import cache, lru_cache
from html import escape

import nh3
from markdown_it import MarkdownIt

from heats.vote.poll.candidates import Shown

TAGS = {"p", "br", "em", "strong", "code", "pre", "blockquote", "ul", "ol", "li", "h1", "h2", "h3", "h4", "h5", "h6"}
TAGS |= {"hr", "table", "thead", "tbody", "tr", "th", "td", "del", "sup", "sub"}  # no links, no pictures from elsewhere


@cache
def _reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


@lru_cache(maxsize=1024)
def render_markdown(text: str) -> str:
    """Return Markdown as HTML of harmless tags only."""
    return nh3.clean(_reader().render(text), tags=TAGS, attributes={}, strip_comments=True)


def render_candidate(shown: Shown, place: int, address: str, *, named: bool) -> str:
    """Return what a voter sees of a candidate; its name and its file's name only if they are wanted."""
    label = escape(shown.name) if named else f"Candidate {place}"
    src = escape(address)
    match shown.kind:
        case "text":
            return f'<p class="said">{escape(shown.text)}</p>'
        case "markdown":
            return f'<div class="said">{render_markdown(shown.text)}</div>'
        case "image":
            return f'<img src="{src}" alt="{label}">'
        case "audio":
            return f'<audio src="{src}" controls preload="auto" aria-label="{label}"></audio>'
    return f'<video src="{src}" controls preload="auto" playsinline aria-label="{label}"></video>'
