"""How good a winner is among all of its space, and who leads: what reports say, and what they leave out."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heats
from heats.journal.origin import Drawn
from heats.reports.leaders import MOST_LEADERS, describe_leaders, find_leaders
from heats.reports.top import make_claim, say_claim

FIFTY_NINE = Drawn(share=0.05, confidence=0.95, candidates=59)


def play(n_arms: int = 12, budget: int = 60, noise: float = 0.0) -> heats.Report:
    """Return the report of a tournament in which low numbers are better."""
    machine = heats.Tournament(heats.plan(n_arms, 3, budget, "csr", blind=True), seed=1)
    while query := machine.ask():
        machine.tell(query, [-arm + noise * math.sin(7 * arm + query.id) for arm in query.arms])
    return machine.report()


def test_both_errors_are_stated() -> None:
    """The exact one of drawing, and what the standings leave of the winner's chance."""
    report = play()
    claim = make_claim(FIFTY_NINE, report)
    assert claim is not None
    assert report.winner is not None
    assert claim.sampling_error == round(0.95**59, 6)
    chance = report.standings.of(report.winner).chance
    assert claim.tournament_error == pytest.approx(1 - chance, abs=1e-6)
    assert claim.chance == pytest.approx(chance - 0.95**59, abs=2e-6)
    said = say_claim(claim)
    assert said.startswith("among the best 5% of the space with a chance of at least 9")
    assert "none of the 59 drawn is, with a chance of 4.8%" in said


def test_what_too_few_pulls_cannot_say() -> None:
    """Without a chance of the winner only drawing has a number."""
    machine = heats.Tournament(heats.plan(2, 2, 3), statistic=heats.median)
    while query := machine.ask():
        machine.tell(query, [float(arm) for arm in query.arms])
    claim = make_claim(FIFTY_NINE, machine.report())
    assert claim is not None
    assert (claim.tournament_error, claim.chance) == (None, None)
    assert "which too few pulls can say; and unless none of the 59 drawn is" in say_claim(claim)


@given(st.floats(), st.floats(), st.integers(-5, 10**6))
def test_forged_journals_claim_nothing_impossible(share: float, confidence: float, candidates: int) -> None:
    """Whatever is written there: nothing, or a chance between 0 and 1."""
    claim = make_claim(Drawn(share=share, confidence=confidence, candidates=candidates), DECIDED)
    assert claim is None or (claim.chance is not None and 0 <= claim.chance <= 1 and say_claim(claim))


DECIDED = play()


def test_leaders_are_the_last_round_and_whoever_may_be_better() -> None:
    """Best first; those that are clearly worse are not among them."""
    report = play(noise=20.0)
    leaders = [row.arm for row in find_leaders(report)]
    assert report.winner in leaders
    assert {arm for heat in report.rounds[-1].heats for arm in heat} <= set(leaders)
    assert set(report.rivals or ()) <= set(leaders)
    places = [report.standings.of(arm).place for arm in leaders]
    assert places == sorted(places)


def test_leaders_have_all_their_values() -> None:
    """A column each, as many as fit; the others are counted."""
    report = play(30, 90, noise=60.0)
    parameters = [{"C": 1 / (arm + 1), "mode": "x\ty"} for arm in range(30)]
    lines = list(describe_leaders(report, [f"C={each['C']}" for each in parameters], parameters))
    leaders = find_leaders(report)
    assert len(leaders) > MOST_LEADERS
    assert lines[1].split() == ["candidate", *(f"#{row.arm}" for row in leaders[:MOST_LEADERS])]
    assert str(parameters[leaders[0].arm]["C"]) in "\n".join(lines)
    assert lines[-1] == f"  … and {len(leaders) - MOST_LEADERS} more"
    assert all(line.isprintable() for line in lines[1:])
    assert not list(describe_leaders(report, ["?"] * 30, [None] * 30))
