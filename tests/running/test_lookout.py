"""Runs that end once they are sure: after a batch, by the standings, as sure as was asked for."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import heats
from heats.errors import InvalidArgument


def clear(heat: tuple[int, ...], query: heats.Query) -> heats.Winner:
    """The largest wins nearly always."""
    return heats.Winner(max(heat) if random.Random(query.seed).random() < 0.9 else min(heat))


def equal(heat: tuple[int, ...], query: heats.Query) -> heats.Winner:
    """Chance alone decides."""
    return heats.Winner(random.Random(query.seed).choice(heat))


def rewards(heat: tuple[int, ...], query: heats.Query) -> list[float]:
    draw = random.Random(query.seed)
    return [value + draw.gauss(0, 0.3) for value in heat]


@pytest.mark.parametrize("compare", [clear, rewards])
def test_a_clear_winner_ends_the_run_early(compare: Any) -> None:
    """With the chance that the standings give it, which is at least what was asked for; the rest is saved."""
    found = heats.find_best(range(8), compare, budget=200, heat_size=4, sure=0.95, seed=3)
    stopped = found.report.stopped
    assert found.winner == 7
    assert stopped is not None
    assert stopped.chance is not None
    assert stopped.chance >= 0.95
    assert stopped.chance == found.standings.of(7).chance
    assert found.spent + stopped.saved == 200
    assert stopped.saved > 50
    for shown in (str(found), found.to_html().lower(), found._repr_html_()):
        assert "stopped early once the winner" in shown
        assert f"{stopped.saved} pulls saved" in shown
    assert f'"stopped":{{"saved":{stopped.saved},"chance":' in found.to_json()
    assert f"{found.spent} of 200" in found.to_html()


def test_equal_candidates_spend_it_all() -> None:
    """Nobody is ever sure; the run is the same as one that does not look."""
    asked: dict[str, Any] = {"budget": 60, "heat_size": 4, "seed": 3}
    looked = heats.find_best(range(8), equal, sure=0.99, **asked)
    assert looked.spent == 60
    assert looked.report.stopped is None
    assert looked.to_json() == heats.find_best(range(8), equal, strategy="adaptive", **asked).to_json()


def test_it_stops_after_a_batch_and_not_before_it_could() -> None:
    """At the end of the first batch after which the chance is large enough."""
    found = heats.find_best(range(8), clear, budget=200, heat_size=4, sure=0.9, seed=3)
    machine = heats.Adaptive(8, 4, 200, seed=3)
    looks: list[tuple[int, float | None]] = []
    while not looks or (looks[-1][1] or 0) < 0.9:
        for query in machine.ask(machine.owed):
            machine.tell(query, clear(query.arms, query))
        looks.append((machine.spent, machine.find_chance()))
    assert looks[-1] == (found.spent, found.report.stopped.chance)  # type: ignore[union-attr]


def test_any_machine_that_can_stop_is_driven_so() -> None:
    """heats.run takes it as well, with any number of workers; of a machine that cannot stop it is refused."""
    with ThreadPoolExecutor(3) as pool:
        found = heats.run(heats.Adaptive(8, 4, 200, seed=3), clear, sure=0.9, executor=pool)
    assert found.to_json() == heats.run(heats.Adaptive(8, 4, 200, seed=3), clear, sure=0.9).to_json()
    with pytest.raises(InvalidArgument, match=r"sure=0.9 needs adaptive play"):
        heats.run(heats.RoundRobin(8, 4, 200), clear, sure=0.9)


@pytest.mark.parametrize("wrong", [0.5, 1, 1.2, -1, "95%", True, float("nan")])
def test_no_chance_worth_stopping_at_is_refused(wrong: Any) -> None:
    """Before anything is compared."""
    with pytest.raises(InvalidArgument, match=r"must be a number in \(0.5, 1\)"):
        heats.find_best(range(8), lambda heat: 1 / 0, budget=200, sure=wrong)


def test_it_means_adaptive_play() -> None:
    """Next to what speaks of a plan it is refused."""
    with pytest.raises(InvalidArgument, match="adaptive"):
        heats.find_best(range(8), clear, budget=200, sure=0.9, strategy="csr")
