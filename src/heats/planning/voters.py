"""People who vote: no heat is pulled more often than there are of them, since nobody sees the same twice.

A round whose heats want more pulls than that gives them up, and other rounds get them, those with the fewest first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from heats.base.checks import between, whole
from heats.base.text import count_things
from heats.errors import InvalidArgument
from heats.planning.plan import Round, check_problem
from heats.planning.schedule import count_pulls, spend_rest

SECONDS = 20.0  # a vote is taken to take, unless said otherwise
MOST_SECONDS = 86_400.0


class Turnout(msgspec.Struct, frozen=True):
    """What votes take of every voter, at most: so many of them, in so many visits, each open as long as a stage is."""

    voters: int
    votes: int  # of all
    votes_each: int
    visits_each: int
    minutes_each: float

    def __str__(self) -> str:
        minutes = f"{self.minutes_each:.0f}" if self.minutes_each >= 10 else f"{self.minutes_each:.2g}"
        each, who = (" each at most", "each comes") if self.voters > 1 else ("", "they come")
        votes = f"{count_things(self.voters, 'voter')}: {count_things(self.votes_each, 'vote')}{each}"
        visits = "once" if self.visits_each == 1 else f"up to {self.visits_each} times"
        return f"{votes}, about {minutes} {'minute' if minutes == '1' else 'minutes'}; {who} {visits}."


def count_turnout(stages: Sequence[int], voters: int, seconds: float = SECONDS) -> Turnout:
    """Return what so many voters have to do for stages with these numbers of pulls, shared out evenly."""
    between("seconds", seconds, 0, MOST_SECONDS, open_low=True, why="a vote takes that long")
    votes = sum(stages)
    each = -(-votes // voters)
    return Turnout(voters, votes, each, min(each, sum(pulls > 0 for pulls in stages)), round(each * seconds / 60, 3))


def check_voters(voters: int | None, votes_each: int | None) -> int | None:
    """Return how many voters there are, if that is said, or refuse it."""
    if voters is not None:
        return whole("voters", voters, 1)
    if votes_each is not None:
        raise InvalidArgument("{votes_each} are of how many voters? Say that, too.", votes_each=votes_each)
    return None


def find_budget(budget: int | None, voters: int | None, votes_each: int | None) -> int | None:
    """Return the budget that was given, or that all voters have together; or refuse one that is more than that."""
    if voters is None or votes_each is None:
        return budget
    have = voters * whole("votes_each", votes_each, 1)
    if budget is not None and whole("budget", budget, 1) > have:
        raise InvalidArgument(
            f"{{budget}} is more than the {have:,} votes that {{voters}} with {{votes_each}} have; leave it out, or "
            "let them vote more often.",
            budget=budget,
            voters=voters,
            votes_each=votes_each,
        )
    return have if budget is None else budget


def check_sets(n_arms: int, heat_size: int, votes: int, voters: int, votes_each: int | None) -> None:
    """Refuse more comparisons than there are sets that somebody has not seen yet."""
    n, k, pulls = check_problem(n_arms, heat_size, votes)
    sets = math.comb(n, k)
    if sets * voters < pulls:
        asked, said = _spell_votes(pulls, voters, votes_each)
        raise InvalidArgument(
            f"{asked} more than {{voters}} can cast: {n:,} candidates make {count_things(sets, 'set')} of {k}, and "
            f"nobody sees one twice. Give at most {sets * voters:,}, or have more voters.",
            **said,
            voters=voters,
        )


def check_most(votes: int, most: int, voters: int | None, votes_each: int | None, *, play: str, strategy: str) -> None:
    """Refuse more votes than a ``play`` can deal, unless with another ``strategy``; both as they are said."""
    if votes > most:
        asked, said = _spell_votes(votes, voters, votes_each)
        of = "" if voters is None else f" of {count_things(voters, 'voter')}"
        raise InvalidArgument(
            f"{asked} more than {play}{of} can deal, which is {most:,}; ask for fewer votes, or say {strategy}.", **said
        )


def _spell_votes(votes: int, voters: int | None, votes_each: int | None) -> tuple[str, dict[str, int]]:
    """Return the beginning of a sentence on so many votes, in the words in which they were asked for."""
    if voters is not None and votes_each is not None and voters * votes_each == votes:
        return f"{{votes_each}} makes {votes:,} votes,", {"votes_each": votes_each}
    return "{budget} is", {"budget": votes}


def limit_pulls(rounds: Sequence[Round], voters: int, budget: int) -> list[Round]:
    """Return rounds none of whose heats is pulled more often than there are voters; what that frees goes to others."""
    pulls = [min(each.pulls, voters) for each in rounds]
    room = [number for number, many in enumerate(pulls) if 0 < many < voters]
    while room:
        heats, have = [rounds[number].heats for number in room], [pulls[number] for number in room]
        elsewhere = count_pulls([each.heats for each in rounds], pulls) - count_pulls(heats, have)
        more = spend_rest(heats, have, budget - elsewhere)
        too_often = [number for number, many in zip(room, more, strict=True) if many > voters]
        for number, many in zip(room, more, strict=True):
            if many > voters or not too_often:
                pulls[number] = min(many, voters)
        room = [number for number in room if too_often and pulls[number] < voters]  # what is left goes to these
    return [msgspec.structs.replace(each, pulls=many) for each, many in zip(rounds, pulls, strict=True)]


def is_too_often(rounds: Sequence[Round], voters: int | None) -> bool:
    """Whether a heat is pulled more often than there are voters."""
    return voters is not None and any(each.pulls > voters for each in rounds)
