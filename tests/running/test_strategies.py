"""What is played if nobody says it: adaptive play, unless something that is said means a plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heats
from heats.engine.adaptive.machine import MOST_BUDGET
from heats.engine.specs import AdaptiveSpec, Spec
from heats.errors import InvalidArgument
from heats.running.strategies import ADAPTIVE, STRATEGIES, Said, choose_strategy, is_adaptive
from tests.journal.runs import lines

PLANNING: dict[str, Any] = {
    "edge": 0.6,
    "guaranteed": True,
    "schedule": "exact",
    "record": "off",
    "blind": True,
    "early": True,
}


def largest(heat: tuple[int, ...]) -> heats.Winner:
    return heats.Winner(max(heat))


def say(**said: Any) -> Said:
    """Return what is said of 12 candidates and 30 comparisons."""
    nothing = dict.fromkeys(("heat_size", "feedback", "strategy", "batches", "sure", "statistic"))
    return Said(**({"n_arms": 12, "budget": 30, "planning": {}} | nothing | said))


def spec_of(**options: Any) -> Spec:
    """Return what find_best plays."""
    return heats.find_best(range(12), largest, **({"budget": 30} | options)).played.spec


@pytest.mark.parametrize("feedback", [None, "winner"])
def test_nothing_said_is_adaptive_play(feedback: Any) -> None:
    """Whatever was said of feedback, and with statistics that it takes; the report says so, in text and JSON."""
    for statistic in (None, heats.mean, heats.win_rate):
        assert spec_of(feedback=feedback, statistic=statistic) == AdaptiveSpec(12, 4, 30, rule=2)
    found = heats.find_best(range(12), largest, budget=30)
    assert found.machine["machine"] == "adaptive"
    assert f"\nplayed:     adaptive, {len(found.report.batches)} batches\n" in str(found)
    assert "\nplayed:     csh, " in str(heats.find_best(range(12), largest, budget=30, strategy="csh"))


@pytest.mark.parametrize("name", PLANNING)
def test_whatever_speaks_of_a_plan_means_one(name: str) -> None:
    """Each alone."""
    options = {name: PLANNING[name]} | ({"record": "off"} if name == "early" else {})
    assert spec_of(**options).__class__.__name__ == "TournamentSpec"
    with pytest.raises(InvalidArgument, match=rf"batches=4 means adaptive play, but {name}=.* a planned tournament"):
        spec_of(batches=4, **{name: PLANNING[name]})


def test_what_adaptive_play_would_refuse_is_planned() -> None:
    """A statistic that it would pass over, more comparisons than it can deal."""
    assert choose_strategy(say(statistic=heats.median)) == "planned"
    assert choose_strategy(say(budget=MOST_BUDGET)) == ADAPTIVE
    assert choose_strategy(say(budget=MOST_BUDGET + 1)) == "planned"
    assert choose_strategy(say(n_arms=10**9)) == "planned"
    found = heats.find_best(range(12), lambda heat: list(map(float, heat)), budget=30, statistic=heats.median)
    assert found.report.algorithm == "planned"


@given(
    strategy=st.sampled_from([None, *STRATEGIES]),
    batches=st.sampled_from([None, 4]),
    sure=st.sampled_from([None, 0.9]),
    planning=st.dictionaries(st.sampled_from(list(PLANNING)), st.sampled_from([None, False, True]), max_size=3),
)
def test_what_is_said_is_played_or_refused(
    strategy: str | None, batches: int | None, sure: float | None, planning: dict[str, Any]
) -> None:
    """Never something else: nothing that was said is passed over."""
    adaptive = is_adaptive(strategy) or batches is not None or sure is not None
    planned = any(planning.values()) or (strategy is not None and not is_adaptive(strategy))
    said = say(strategy=strategy, batches=batches, sure=sure, planning=planning)
    if adaptive and planned:
        with pytest.raises(InvalidArgument, match="leave out one of the two"):
            choose_strategy(said)
        return
    chosen = choose_strategy(said)
    assert is_adaptive(chosen) == (not planned)
    assert strategy in (None, chosen)


@pytest.mark.parametrize("wrong", ["best", 3, ["csh"]])
def test_an_unknown_strategy_is_told_all_there_are(wrong: Any) -> None:
    """Adaptive play included."""
    with pytest.raises(
        InvalidArgument, match=r"strategy=.* adaptive, planned, csws, csr, csh, or .* function f\(size\)"
    ):
        spec_of(strategy=wrong)


@pytest.mark.parametrize(
    "begun",
    [
        {"strategy": "planned"},
        {"strategy": "csr"},
        {"strategy": "adaptive"},
        {"strategy": "planned", "record": "off"},
        {"batches": 4},
        {"plan": heats.plan(12, 4, 30, "csh"), "budget": None},
    ],
)
def test_a_journal_goes_on_as_what_it_is(tmp_path: Path, begun: dict[str, Any]) -> None:
    """If no strategy is said: that of the run it holds, in as many batches; cut anywhere, it ends the same."""
    path = tmp_path / "run.jsonl"
    whole = heats.find_best(range(12), largest, **({"budget": 30, "journal": path} | begun))
    written = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(written[:9]))
    again = {"record": "off"} if "record" in begun else {}
    gone_on = heats.find_best(range(12), largest, budget=30, journal=path, **again)
    assert gone_on.to_json() == whole.to_json()


def test_what_contradicts_a_journal_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    """A strategy that was said, or what means another one."""
    planned, adaptive = tmp_path / "planned.jsonl", tmp_path / "adaptive.jsonl"
    heats.find_best(range(12), largest, budget=30, strategy="planned", journal=planned)
    heats.find_best(range(12), largest, budget=30, journal=adaptive)
    before = planned.read_bytes(), adaptive.read_bytes()
    for path, said, why in (
        (planned, {"strategy": "adaptive"}, "its machine is tournament, not adaptive"),
        (planned, {"batches": 15}, "its machine is tournament, not adaptive"),
        (planned, {"strategy": "csh"}, "its strategy is 'planned', not 'csh'"),
        (adaptive, {"strategy": "planned"}, "its machine is adaptive, not tournament"),
        (adaptive, {"record": "off"}, "its machine is adaptive, not tournament"),
        (adaptive, {"statistic": heats.median}, "its machine is adaptive, not tournament"),
        (adaptive, {"batches": 4}, "its batches is 15, not 4"),
    ):
        options: dict[str, Any] = said
        with pytest.raises(InvalidArgument, match=f"holds another run: {why}"):
            heats.find_best(range(12), largest, budget=30, journal=path, **options)
    assert (planned.read_bytes(), adaptive.read_bytes()) == before
    assert lines(adaptive)[0]["machine"]["machine"] == "adaptive"


def test_more_than_adaptive_play_can_deal_is_refused_as_such_where_it_is_what_a_journal_plays(tmp_path: Path) -> None:
    """Not as another run: the journal says what is played."""
    path = tmp_path / "run.jsonl"
    heats.find_best(range(9), lambda heat: heats.Winner(max(heat)), budget=12, heat_size=3, journal=path)
    with pytest.raises(InvalidArgument, match="budget=3000001 is more than adaptive play can deal"):
        heats.find_best(range(9), lambda heat: heats.Winner(max(heat)), budget=3_000_001, journal=path)
