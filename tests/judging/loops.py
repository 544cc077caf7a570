"""A judge that is awaited, driven to the end of a run in a loop as plain as can be."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import heats
from heats.journal import Journal

AT_ONCE = 6


async def play(machine: heats.Machine, candidates: Sequence[str], judge: Any, journal: Path) -> None:
    """Make all comparisons of a run that is kept in a journal, several at once."""
    with Journal(journal, machine) as keeper:

        async def compare(query: heats.Query) -> None:
            heat = tuple(candidates[arm] for arm in query.arms)
            noted = await judge(heat, query=query)
            arms = dict(zip(heat, query.arms, strict=True))
            keeper.tell(query, noted.feedback.rename(arms.__getitem__), notes=noted.notes)

        while not machine.done:
            await asyncio.gather(*map(compare, machine.ask(AT_ONCE)))
