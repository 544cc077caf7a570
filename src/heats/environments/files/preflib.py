"""PrefLib files: orders of alternatives, strict or with ties {…}, complete or not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from heats.environments.files.opening import MOST_FILE_BYTES, check_table_size, read_lines
from heats.environments.tables import Rankings
from heats.errors import BrokenFile

ENDINGS = (".soc", ".soi", ".toc", ".toi")
MOST_VOTERS = 1_000_000

_PLACE = r"\s*(?:\d+|\{\s*\d+(?:\s*,\s*\d+)*\s*\})\s*"


class Vote(NamedTuple):
    """Voters who say the same: alternatives best first, those in a group tied."""

    line: int
    voters: int
    groups: list[list[int]]


def read_preflib(path: Path, feedback: Any = None, max_bytes: int = MOST_FILE_BYTES) -> Rankings:
    """Read .soc, .soi, .toc or .toi: ``# ALTERNATIVE NAME i: …`` lines, then ``count: 1,{2,3},4``."""
    names, votes = parse_votes(path, read_lines(path, max_bytes))
    if not names:
        raise BrokenFile(f"{path} has no '# ALTERNATIVE NAME' line; a PrefLib file has one per alternative.")
    if not votes:
        raise BrokenFile(f"{path} has no orders.")
    counts = [vote.voters for vote in votes]
    if sum(counts) > MOST_VOTERS:
        raise BrokenFile(f"{path} has more than {MOST_VOTERS} voters; split it.")
    check_table_size(path, sum(counts), len(names))
    numbers = sorted(names)
    rows = np.array([_place_vote(path, vote, numbers) for vote in votes])
    told: Any = "ranking" if feedback is None else feedback
    return Rankings(np.repeat(rows, counts, axis=0), [names[number] for number in numbers], told, places=True)


def parse_votes(path: Path, lines: list[str]) -> tuple[dict[int, str], list[Vote]]:
    """Return the names of alternatives by number, and all votes."""
    names: dict[int, str] = {}
    votes: list[Vote] = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if name := re.match(r"#\s*ALTERNATIVE NAME (\d{1,18}):\s*(.*)", text):
            names[int(name[1])] = name[2]
        elif text and not text.startswith("#"):
            if not names and not votes:
                _refuse_old_format(f"{path}, line {number}", text)
            votes.append(_parse_vote(path, number, text))
    return names, votes


def _refuse_old_format(where: str, text: str) -> None:
    """Say so where a file is as PrefLib used to have them: how many candidates, their names, then the votes."""
    if re.fullmatch(r"\d+", text):
        raise BrokenFile(
            f"{where}: a number alone, so this is PrefLib's old format, which is not read; "
            "download the file again from https://www.preflib.org, where all are in the present one, "
            "with '# ALTERNATIVE NAME' lines."
        )


def _parse_vote(path: Path, line: int, text: str) -> Vote:
    count, colon, order = text.partition(":")
    groups = re.findall(r"\{([^{}]*)\}|(\d+)", order)
    try:
        if not colon or not re.fullmatch(f"{_PLACE}(?:,{_PLACE})*", order) or int(count) < 1:
            raise ValueError
        return Vote(line, int(count), [[int(x) for x in (tied or single).split(",")] for tied, single in groups])
    except ValueError:
        raise BrokenFile(f"{path}, line {line}: expected 'count: 1,2,{{3,4}}', found {text[:60]!r}.") from None


def _place_vote(path: Path, vote: Vote, numbers: list[int]) -> list[float]:
    """Return the place of every alternative; a tied group shares its places, those not named share the places left."""
    where = f"{path}, line {vote.line}"
    if path.suffix.lower()[1] == "s" and any(len(group) > 1 for group in vote.groups):
        raise BrokenFile(f"{where}: a tie in a file of strict orders; .toc and .toi may have some.")
    if path.suffix.lower()[3] == "c" and sum(map(len, vote.groups)) != len(numbers):
        raise BrokenFile(f"{where}: not all {len(numbers)} alternatives in a file of complete orders.")
    places: dict[int, float] = {}
    known = set(numbers)
    first = 0
    for group in vote.groups:
        for alternative in group:
            if alternative not in known or alternative in places:
                raise BrokenFile(f"{where}: alternative {alternative} is unknown or is named twice.")
            places[alternative] = first + (len(group) - 1) / 2
        first += len(group)
    left = first + (len(numbers) - first - 1) / 2
    return [places.get(number, left) for number in numbers]
