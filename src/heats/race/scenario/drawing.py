"""The [space] table → who races: those listed, the default one of the space, and as many drawn from it as asked for.

``top = "5%"`` asks for as many as it takes to have one of the best 5 % of the space among them, 95 % sure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from heats.base.checks import between, refuse, whole
from heats.errors import InvalidArgument
from heats.journal.origin import Drawn
from heats.race.scenario.amounts import parse_share
from heats.race.scenario.spaces import Candidate, Space, candidate_key, load_space, mutate, parse_space
from heats.theory.sampling import candidates_needed

MOST_CANDIDATES = 10_000  # more than anyone races, so a slip
USUAL_CONFIDENCE = "95%"

_ALWAYS_SETTINGS = ("sample", "seed", "file")
# These are settings unless they are tables, which are parameters of that name.
_SETTINGS = ("default", "top", "confidence", "forbidden", "around")


class Source(msgspec.Struct, frozen=True):
    """Where candidates come from; of those drawn later, which share is drawn around the best so far."""

    space: Space
    seed: int
    around: float


class Lineup(msgspec.Struct, frozen=True):
    """Who races; how many were drawn to be among the best of their space; its default candidate; and the space."""

    candidates: tuple[Candidate, ...]
    drawn: Drawn | None = None
    default: int | None = None
    source: Source | None = None


def draw_candidates(table: Mapping[str, Any], folder: Path, seed: int, listed: Sequence[Candidate]) -> Lineup:
    """Return the candidates listed and those of a [space] that are not listed anyway, its default one first."""
    settings = {key: value for key, value in table.items() if _is_setting(key, value)}
    parameters = {key: value for key, value in table.items() if key not in settings}
    space = _find_space(settings, parameters, folder)
    seed = whole("space.seed", settings.get("seed", seed), 0)
    how_many, drawn = _choose_number(settings, bool(listed))
    taken, default = _take_default(space, listed) if _wants_default(settings) else ([*listed], None)
    try:
        sampled = space.sample(how_many, seed, besides=taken) if how_many else []
    except InvalidArgument as error:
        if drawn is None:
            raise
        raise InvalidArgument(f"space.top = {settings['top']!r} asks for {how_many} candidates: {error}") from None
    around = check_around("space.around", settings.get("around", 0))
    return Lineup((*taken, *sampled), drawn, default, Source(space, seed, around))


def check_around(name: str, around: object) -> float:
    """Return the share of new candidates that are drawn around the best, or refuse what is none."""
    return between(name, around, 0, 1, why="the share of new candidates that is drawn around the best, as 0.5")


def draw_more(
    source: Source, how_many: int, around: float, leaders: Sequence[Candidate], known: Sequence[Candidate]
) -> list[tuple[int | None, Candidate]]:
    """Return that many new candidates, a share of them ``around`` the leaders, best first, each with its place there.

    The others go on with the sequence that the first ones were drawn from, and have no place.
    """
    near = round(around * how_many)
    found: list[tuple[int | None, Candidate]] = []
    found += mutate(source.space, leaders, near, source.seed, known) if near else []
    besides = [*known, *(candidate for _, candidate in found)]
    more = how_many - near
    fresh = source.space.sample(more, source.seed, besides, asked="more") if more else []
    return [*found, *((None, candidate) for candidate in fresh)]


def _take_default(space: Space, listed: Sequence[Candidate]) -> tuple[list[Candidate], int]:
    """Return the candidates with the default one of the space among them, and where that is."""
    default, keys = space.make_default(), [candidate_key(each) for each in listed]
    key = candidate_key(default)
    return ([*listed], keys.index(key)) if key in keys else ([*listed, default], len(listed))


def _is_setting(key: str, value: object) -> bool:
    return key in _ALWAYS_SETTINGS or (key in _SETTINGS and not isinstance(value, dict))


def _find_space(settings: Mapping[str, Any], parameters: Mapping[str, Any], folder: Path) -> Space:
    if "file" not in settings:
        if not parameters:
            raise InvalidArgument(
                "space has no parameters; describe them, as alpha = { float = [0, 1] }, or name a file that does."
            )
        return parse_space(parameters, settings.get("forbidden", ()))
    file = settings["file"]
    if not isinstance(file, str):
        raise refuse("space.file", file, "must be the name of a .pcs or .json file, or of a parameter file of irace")
    described = [*parameters, *(key for key in ("forbidden",) if key in settings)]
    if described:
        raise InvalidArgument(f"space has both a file and {', '.join(described)}; describe the space in one of them.")
    return load_space(folder / file)


def _choose_number(settings: Mapping[str, Any], has_others: bool) -> tuple[int, Drawn | None]:
    """Return how many candidates to draw, and what for, if that is said."""
    if "top" in settings:
        return _count_for_top(settings)
    if "confidence" in settings:
        raise refuse(
            "space.confidence", settings["confidence"], 'says how sure to be of something; say top = "5%", too'
        )
    if "sample" not in settings and _wants_default(settings):
        return 0, None
    if "sample" not in settings:
        raise InvalidArgument('space.sample is missing; say how many candidates to draw, as sample = 20 or top = "5%".')
    least = 1 if has_others or _wants_default(settings) else 2
    sample = whole("space.sample", settings["sample"], least, MOST_CANDIDATES, why="how many candidates to draw")
    return sample, None


def _count_for_top(settings: Mapping[str, Any]) -> tuple[int, Drawn]:
    if "sample" in settings:
        raise InvalidArgument("space has both sample and top, which says how many to draw; leave one of them out.")
    share = parse_share("space.top", settings["top"])
    confidence = parse_share("space.confidence", settings.get("confidence", USUAL_CONFIDENCE))
    needed = candidates_needed(share, 1 - confidence)
    if needed > MOST_CANDIDATES:
        raise refuse(
            "space.top",
            settings["top"],
            f"takes {needed} candidates to be {confidence:.4g} sure; a race takes up to {MOST_CANDIDATES}: give a "
            "larger top, or be less sure",
        )
    return max(needed, 2), Drawn(share=share, confidence=confidence, candidates=max(needed, 2))


def _wants_default(settings: Mapping[str, Any]) -> bool:
    default = settings.get("default", False)
    if not isinstance(default, bool):
        raise refuse("space.default", default, "must be true, to take the default candidate along, or false")
    return default
