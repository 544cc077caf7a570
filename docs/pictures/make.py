"""Draw the pictures of the documentation: ``python docs/pictures/make.py``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import heats

COLUMN, TOP, DOT, GAP = 132, 78, 9, 16


def draw_plan(plan: heats.Plan) -> str:
    """Return a plan as SVG: a column per round, a box per heat, a dark dot per arm that stays."""
    height = max(_column_height(each) for each in plan.rounds)
    width = COLUMN * len(plan.rounds) + 130
    total = TOP + height + 64
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {total}" width="{width}" height="{total}" '
        'font-family="system-ui, sans-serif" font-size="13" fill="#1f2933">',
        f'<rect width="{width}" height="{total}" fill="#ffffff"/>',
        f'<text x="24" y="34" font-size="17" font-weight="600">{plan.n_arms} candidates, heats of {plan.heat_size}, '
        f"{plan.cost} pulls: the whole tournament, before the first pull</text>",
    ]
    for number, each in enumerate(plan.rounds):
        lines += _column(number, each, 24 + number * COLUMN, height)
    x, y = 24 + len(plan.rounds) * COLUMN, TOP + height / 2
    lines.append(f'<circle cx="{x + 16}" cy="{y}" r="{DOT + 3}" fill="#c2410c"/>')
    lines.append(f'<text x="{x + 36}" y="{y + 5}" font-weight="600">winner</text>')
    return "\n".join([*lines, "</svg>", ""])


def _column_height(each: heats.Round) -> int:
    return each.heats * (2 * DOT + GAP + 12) + (2 * DOT + GAP if each.byes else 0) - GAP


def _column(number: int, each: heats.Round, x: int, height: int) -> Iterator[str]:
    yield f'<text x="{x}" y="{TOP - 14}" fill="#52606d">round {number + 1}</text>'
    y = TOP + (height - _column_height(each)) / 2
    box = each.size * (2 * DOT + 5) + 11
    for _ in range(each.heats):
        yield (
            f'<rect x="{x}" y="{y:g}" width="{box}" height="{2 * DOT + 12}" rx="8" fill="#f5f7fa" stroke="#9aa5b1"/>'
        )
        for arm in range(each.size):
            fill = "#c2410c" if arm < each.keep else "#cbd2d9"
            yield f'<circle cx="{x + 17 + arm * (2 * DOT + 5)}" cy="{y + DOT + 6:g}" r="{DOT - 1}" fill="{fill}"/>'
        y += 2 * DOT + GAP + 12
    for arm in range(each.byes):
        yield (
            f'<circle cx="{x + 17 + arm * (2 * DOT + 5)}" cy="{y + DOT:g}" r="{DOT - 1}" '
            'fill="#ffffff" stroke="#c2410c" stroke-width="2"/>'
        )
    if each.byes:
        yield f'<text x="{x + 12 + each.byes * (2 * DOT + 5)}" y="{y + DOT + 5:g}" fill="#52606d">rest</text>'
    heat = "heat" if each.heats == 1 else "heats"
    yield f'<text x="{x}" y="{TOP + height + 24}">{each.heats} {heat} × {each.pulls} pulls</text>'
    yield f'<text x="{x}" y="{TOP + height + 42}" fill="#52606d">{each.arms} arms → {each.survivors}</text>'


PICTURES = {"plan.svg": draw_plan(heats.plan(18, 4, 100, feedback="winner"))}

if __name__ == "__main__":
    for name, picture in PICTURES.items():
        (Path(__file__).parent / name).write_text(picture, encoding="utf-8")
