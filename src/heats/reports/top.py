"""How good the winner of a race is among all that its space holds: what drawing and what racing may have missed."""

from __future__ import annotations

import msgspec

from heats.engine.report import Report
from heats.journal.origin import Drawn
from heats.theory.sampling import sampling_error

DIGITS = 6  # behind the point


class TopClaim(msgspec.Struct, frozen=True):
    """The winner is among the best ``share`` of the space, unless one of two things went wrong.

    ``sampling_error``: nothing drawn is among them. ``tournament_error``: another candidate is better than the winner,
    by the standings; None if they cannot say. The chance is at least what both leave.
    """

    share: float
    confidence: float  # asked for: at most what sampling leaves
    candidates: int  # drawn
    sampling_error: float
    tournament_error: float | None
    chance: float | None  # at least, to be among the best


def make_claim(drawn: Drawn, report: Report) -> TopClaim | None:
    """Return what can be said of a winner, if there is one, and if a journal says what makes sense."""
    if report.winner is None or not (1e-12 <= drawn.share < 1 and drawn.candidates >= 0):
        return None
    missed = sampling_error(drawn.share, drawn.candidates)
    best = report.standings.of(report.winner).chance
    lost = None if best is None else round(1 - best, DIGITS)
    chance = None if lost is None else round(max(0.0, 1 - missed - lost), DIGITS)
    return TopClaim(drawn.share, drawn.confidence, drawn.candidates, round(missed, DIGITS), lost, chance)


def say_claim(claim: TopClaim) -> str:
    """Say it in a sentence, with both errors."""
    best = f"among the best {100 * claim.share:.3g}% of the space"
    drawn = f"none of the {claim.candidates:,} drawn is, with a chance of {claim.sampling_error:.1%}"
    if claim.chance is None or claim.tournament_error is None:
        return f"{best}, if the winner is the best candidate, which too few pulls can say; and unless {drawn}"
    raced = f"another candidate is better than the winner, with {claim.tournament_error:.1%}"
    return f"{best} with a chance of at least {claim.chance:.0%}: unless {drawn}, or {raced}"
