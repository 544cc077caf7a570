"""What a form says about the candidates shown → feedback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heats.engine.feedback import Arms, BestWorst, Named, Ranking, Winner
from heats.errors import BadFeedback
from heats.vote.poll.scenario import VoteTable
from heats.vote.site.guard import read_number

PLACE_DIGITS = 3  # of a place on the page, at most
Fields = Mapping[str, Sequence[str]]  # of a form; a name may come several times


def read_answer(fields: Fields, arms: Arms, table: VoteTable) -> Named:
    """Return what a form says, candidates named by their place on the page, from 1; or refuse it in a sentence."""
    said = fields.get("say", [""])[0]
    if table.answer == "ranking":
        return _read_ranking(fields, arms)
    if table.answer == "best-worst":
        best, worst = (_find(fields.get(name, [""])[0], arms) for name in ("best", "worst"))
        if best == worst:
            raise BadFeedback("the best and the worst cannot be the same; choose two.")
        return BestWorst(best, worst)
    if said == "tie" and table.ties:
        return Winner(*_read_tied(fields.get("tied", []), arms))
    if said == "none" and table.none:
        return Winner(None)
    return Winner(_find(said, arms))


def _read_tied(tied: Sequence[str], arms: Arms) -> list[int]:
    """Return those that share the first place: the ones ticked, or all of them."""
    chosen = list(dict.fromkeys(_find(each, arms) for each in tied)) or list(arms)
    if len(chosen) < 2:
        raise BadFeedback("a tie is between two or more; tick those that are equally good, or none for all of them.")
    return chosen


def _read_ranking(fields: Fields, arms: Arms) -> Ranking:
    """Return the order that the places chosen make; who has none comes after the others."""
    places: dict[int, int] = {}
    for shown, arm in enumerate(arms, 1):
        said = fields.get(f"place-{shown}", [""])[0]
        if not said:
            continue
        place = read_number(said, PLACE_DIGITS) or 0
        if not 1 <= place <= len(arms) or place in places:
            raise BadFeedback(f"every place from 1 to {len(arms)} can be given to one candidate only; choose again.")
        places[place] = arm
    if 1 not in places:
        raise BadFeedback("say at least which is first.")
    return Ranking([places[place] for place in sorted(places)])


def _find(said: str, arms: Arms) -> int:
    """Return the candidate at a place on the page."""
    place = read_number(said, PLACE_DIGITS) or 0
    if not 1 <= place <= len(arms):
        raise BadFeedback("nothing was chosen; choose one of those shown.")
    return int(arms[place - 1])
