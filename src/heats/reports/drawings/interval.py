"""How sure the last heat is, as a drawing."""

from __future__ import annotations

from html import escape

from heats.engine.report import Sureness


def draw_interval(sure: Sureness) -> str:
    """Draw an interval on its axis: from 0 to 1 for shares, around zero for a lead."""
    share = sure.quantity in ("share", "ahead")
    low, high = (0.0, 1.0) if share else (min(0.0, sure.low), max(0.0, sure.high))
    space = (high - low) or 1.0
    zero = 0.5 if sure.quantity == "ahead" else 0.0

    def x(value: float) -> float:
        return 10 + 340 * (value - low) / space

    words = {
        "share": "share of wins",
        "ahead": "share of pulls ahead of the runner-up",
        "lead": "lead over the runner-up",
    }
    title = f"{words[sure.quantity]}, {sure.confidence:.0%} interval ({escape(sure.method)})"
    parts = [
        '<svg class="interval drawing" viewBox="0 0 360 74" role="img" aria-label="The interval">',
        f'<text x="10" y="14" class="out">{title}</text>',
        f'<path class="axis" d="M10 40H350M{x(zero):.1f} 28V52"/>',
        f'<path class="span" d="M{x(sure.low):.1f} 40H{x(sure.high):.1f}"/>',
        f'<circle class="best" cx="{x(sure.estimate):.1f}" cy="40" r="6"/>',
        f'<text x="10" y="68" class="out">{low:.3g}</text>',
        f'<text x="180" y="68" text-anchor="middle">{sure.estimate:.3g} ({sure.low:.3g} to {sure.high:.3g})</text>',
        f'<text x="350" y="68" class="out" text-anchor="end">{high:.3g}</text></svg>',
    ]
    return "".join(parts)
