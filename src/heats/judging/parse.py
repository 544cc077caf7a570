"""A judge's answer → its verdict. What is not exactly that is no verdict, and never a tie."""

from __future__ import annotations

import re
from typing import NamedTuple

from heats.engine.feedback import NoVerdict
from heats.errors import show_value
from heats.judging.show import LETTERS

LONGEST_ANSWER = 1000  # characters of anything that can be a verdict

_AROUND = r"[\s*_`\"'()\[\].:]*"  # what people and models put around a letter
_ONE = r"(?:<[A-Za-z]>|[A-Za-z])"  # as it was asked for, or as outputs are shown
_LETTER = re.compile(rf"{_AROUND}{_ONE}{_AROUND}")
_TIE = re.compile(rf"{_AROUND}TIE{_AROUND}", re.IGNORECASE | re.ASCII)
_RANKING = re.compile(rf"{_AROUND}{_ONE}(?:(?:\s*[>,]\s*|\s+){_ONE})+{_AROUND}")


class Verdict(NamedTuple):
    """Places as they were shown, from 0, best first: one, or all of a ranking; ``tied``: none is better."""

    best: tuple[int, ...]
    tied: bool = False


def parse_answer(answer: str, size: int, *, ranking: bool = False, ties: bool = False) -> Verdict | NoVerdict:
    """Return what an answer about ``size`` outputs says, or that it says nothing that was asked for, and why."""
    if len(answer) > LONGEST_ANSWER:
        return NoVerdict(f"the answer has {len(answer):,} characters, where a letter was asked for")
    if not answer.strip():
        return NoVerdict("the answer is empty")
    if ties and not ranking and _TIE.fullmatch(answer):
        return Verdict((), tied=True)
    found = (_RANKING if ranking else _LETTER).fullmatch(answer)
    if found is None:
        asked = f"a ranking of {size} letters" if ranking else "one letter"
        return NoVerdict(f"the answer is not {asked}: {show_value(answer)}")
    best = tuple(LETTERS.index(letter.upper()) for letter in re.findall("[A-Za-z]", found[0]))
    if max(best) >= size:
        return NoVerdict(f"the answer names {LETTERS[max(best)]}, but only A to {LETTERS[size - 1]} were shown")
    if ranking and sorted(best) != list(range(size)):
        return NoVerdict(f"the answer does not rank every letter once: {show_value(answer)}")
    return Verdict(best)
