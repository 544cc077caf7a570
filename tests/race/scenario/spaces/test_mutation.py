"""Candidates near others: of the space, new, near, and the same for the same seed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heats.errors import InvalidArgument
from heats.race.scenario.drawing import Source, draw_more
from heats.race.scenario.spaces import Parameter, candidate_key, count_parents, load_space, mutate, parse_space
from heats.race.scenario.spaces import space as space_file
from heats.race.scenario.spaces.parameter import KINDS

DATA = Path(__file__).parent / "data"
FILES = {path.name: load_space(path) for path in sorted(DATA.iterdir()) if path.suffix in (".pcs", ".txt")}
SPACE = parse_space(
    {
        "alpha": {"float": [0, 10]},
        "rate": {"log-float": [1e-6, 1]},
        "depth": {"int": [1, 50]},
        "steps": {"log-int": [1, 100_000], "when": "mode == fast"},
        "mode": {"categorical": ["fast", "slow", 3, True]},
        "level": {"ordinal": ["low", "mid", "high"], "when": "alpha < 8"},
    },
    ["mode == slow && depth > 40", "level == low && alpha > 5"],
)
FILES["table"] = SPACE


@st.composite
def parameters(draw: st.DrawFn) -> Parameter:
    kind = draw(st.sampled_from(KINDS))
    if kind in ("categorical", "ordinal"):
        return Parameter("x", kind, choices=tuple(draw(st.lists(st.integers(), min_size=1, unique=True, max_size=9))))
    low = draw(st.integers(1, 1000)) if "log" in kind or "int" in kind else draw(st.floats(-1e6, 1e6))
    return Parameter("x", kind, low, low + draw(st.integers(0, 1000)))


@given(parameters(), st.floats(0, 1, exclude_max=True))
def test_a_value_is_located_where_it_stands(parameter: Parameter, unit: float) -> None:
    """On every scale, and back again up to the digits that are kept."""
    value = parameter.at(unit)
    place = parameter.locate(value)
    assert place is not None
    assert 0 <= place <= 1
    back = parameter.at(min(place, math.nextafter(1, 0)))
    assert back == (value if parameter.is_chosen or parameter.is_whole else pytest.approx(value, rel=1e-5, abs=1e-5))


@pytest.mark.parametrize("value", ["fast", True, -1, 11, math.inf])
def test_what_is_no_value_is_nowhere(value: Any) -> None:
    """A listed candidate may lie outside of the space."""
    assert Parameter("x", "float", 0, 10).locate(value) is None
    assert Parameter("x", "categorical", choices=("slow", 1)).locate(value) is None


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(FILES)),
    st.integers(0, 2**70),
    st.integers(2, 12),
    st.integers(1, 9),
    st.sampled_from([0, 0.3, 0.5, 1]),
)
def test_new_candidates_are_legal_new_and_the_same_again(
    name: str, seed: int, there: int, more: int, around: float
) -> None:
    """Of spaces with conditions and clauses; a share of them is near the leaders, and the seed decides which."""
    space = FILES[name]
    known = space.sample(there, seed)
    source = Source(space, seed, around)
    leaders = known[::-1][: count_parents(space)]
    drawn = draw_more(source, more, around, leaders, known)
    assert draw_more(source, more, around, leaders, known) == drawn
    places = [place for place, _ in drawn if place is not None]
    assert len(places) == round(around * more)
    assert all(0 <= place < len(leaders) for place in places)
    keys = [candidate_key(each) for each in (*known, *(candidate for _, candidate in drawn))]
    assert len(set(keys)) == there + more
    by_name = {each.name: each for each in space.parameters}
    for _, candidate in drawn:
        assert all(by_name[key].locate(value) is not None for key, value in candidate.items())
        assert space.complete(candidate) == candidate
        assert not any(test(candidate) is True for test in space.forbidden)
        needed = {each.name for each in space.parameters} - {key for key, _ in space.conditions}
        assert needed <= set(candidate)


def test_without_mutations_the_first_draws_go_on() -> None:
    """Sampling 20 and then 10 more is sampling 30."""
    first, all_of_them = SPACE.sample(20, seed=4), SPACE.sample(30, seed=4)
    more = draw_more(Source(SPACE, 4, 0), 10, 0, first, first)
    assert [candidate for _, candidate in more] == all_of_them[20:]


def test_mutations_are_near_on_the_scale_of_each() -> None:
    """Normal in the logarithm where the scale is one; a category mostly stays; the denser, the nearer."""
    space = parse_space({"rate": {"log-float": [1e-8, 1]}, "mode": {"categorical": list("abcdefgh")}})
    parent: dict[str, Any] = {"rate": 1e-4, "mode": "c"}
    spread = {}
    for there in (16, 400):
        known = [parent, *space.sample(there - 1, seed=1)]
        drawn: list[dict[str, Any]] = [each for _, each in mutate(space, [parent], 300, 1, known)]
        logs = [(math.log10(each["rate"]) + 8) / 8 for each in drawn]
        spread[there] = math.sqrt(sum((each - 0.5) ** 2 for each in logs) / 300)
        assert abs(sum(logs) / 300 - 0.5) < 0.03
        stays, moves = sum(each["mode"] == "c" for each in drawn) / 300, there**-0.5
        assert abs(stays - (1 - moves * 7 / 8)) < 0.1
    assert spread[16] == pytest.approx(0.5 * 16**-0.5, rel=0.15)
    assert spread[400] == pytest.approx(0.5 * 400**-0.5, rel=0.15)


def test_the_best_has_most_children() -> None:
    """Three parts of six, two, and one."""
    known = SPACE.sample(3, seed=2)
    places = [place for place, _ in mutate(SPACE, known, 600, 7, known)]
    shares = [places.count(place) / 600 for place in range(3)]
    assert shares == pytest.approx([3 / 6, 2 / 6, 1 / 6], abs=0.06)


def test_a_parent_that_is_none_of_the_space_has_children_that_are() -> None:
    """What it lacks, and what lies outside, is drawn anew."""
    odd: dict[str, Any] = {"alpha": 99, "extra": 1, "mode": "other"}
    for _, child in mutate(SPACE, [odd], 50, 3, [odd, {}]):
        assert "extra" not in child
        assert 0 <= float(child["alpha"]) <= 10
        assert child["mode"] in ("fast", "slow", 3, True)


@pytest.mark.parametrize("around", [0, 1])
def test_a_space_that_is_used_up_is_refused(around: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the last one was found, however far from the leaders."""
    space = parse_space({"x": {"int": [1, 40]}, "y": {"categorical": ["a", "b"]}}, ["x == 40"])
    known = space.sample(60, seed=1)
    source = Source(space, 1, around)
    assert len(draw_more(source, 18, around, known[:2], known)) == 18
    with pytest.raises(
        InvalidArgument, match=r"more=21 is more .* only 80 different candidates, 60 of which are there"
    ):
        draw_more(source, 21, around, known[:2], known)
    monkeypatch.setattr(space_file, "MOST_DRAWN_VALUES", 100_000)
    with pytest.raises(InvalidArgument, match=r"more=19 is more than the space holds: \d+ draws found only 18"):
        draw_more(source, 19, around, known[:2], known)
