"""Whatever is handed to a world: a world that can be drawn from, or one of our errors."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.environments import (
    Environment,
    Gaussian,
    Normal,
    PlackettLuce,
    Rankings,
    RuntimeTable,
    ScoreTable,
    Sequences,
    Winners,
    play,
    read,
)
from heats.errors import HeatsError, InvalidArgument


class Rude:
    """An object that fails at whatever it is asked."""

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("no")

    def __iter__(self) -> Any:
        raise RuntimeError("no")

    def __repr__(self) -> str:
        raise RuntimeError("no")


odd_things = st.sampled_from(
    [
        *(None, True, "12", b"ab", "", {}, set(), object(), Rude(), Ellipsis, lambda: 1, 10**400, -1, 0, 1, 2, 3),
        *(1e308, -1e308, 5e-324, float("nan"), float("inf"), 1j, Decimal("nan"), Fraction(1, 3), np.float64(0.5)),
        *(np.array(None), np.zeros(0), np.zeros((2, 0)), np.zeros((2, 2, 2)), np.ones((1, 2)), np.array(["1", "2"])),
        *(np.array([None, 1.0]), np.array([[1, "a"]], dtype=object), np.datetime64("2020-01-01"), np.ones((2, 2)) > 0),
        *(np.array([1 + 2j, 3]), np.zeros(2, dtype=[("a", float)]), [[0, 1], [1, 0]], [[0.0, 1.5], [2, 3]]),
        *("winner", "seconds", "ranking", "variance", ["a", "b"], ["a"], [1, 2], [[10**12]], [[1.5]], [["0"]]),
        *([b"a", b"b"], [["a", "b"]], range(2), [[1, 2], [3]], [[]], Gaussian(3), Winners(Gaussian(3))),
    ]
)
numbers = st.one_of(st.integers(), st.floats(), st.text(max_size=3), st.none(), st.booleans())
rows = st.lists(st.lists(numbers, max_size=3), max_size=3)
anything = st.one_of(odd_things, numbers, st.lists(numbers, max_size=4), rows, st.lists(odd_things, max_size=2))


def check_sentence(text: str) -> None:
    assert text.endswith(".")
    assert "\n" not in text


WORLDS: dict[str, tuple[Callable[..., Environment], int]] = {
    "Gaussian": (Gaussian, 6),
    "Normal": (Normal, 2),
    "PlackettLuce": (PlackettLuce, 2),
    "ScoreTable": (ScoreTable, 2),
    "from_losses": (ScoreTable.from_losses, 2),
    "RuntimeTable": (RuntimeTable, 5),
    "Rankings": (Rankings, 4),
    "Sequences": (Sequences, 1),
    "Winners": (Winners, 1),
}
GOOD: dict[str, tuple[Any, ...]] = {
    "Gaussian": (3, 0.1, False, 0, "deviation", False),
    "Normal": ([1.0, 2.0], 0.1),
    "PlackettLuce": ([1.0, 2.0], "winner"),
    "ScoreTable": ([[1.0, 2.0]], None),
    "from_losses": ([[1.0, 2.0]], None),
    "RuntimeTable": ([[1.0, 2.0]], None, None, None, "winner"),
    "Rankings": ([[0, 1]], None, "ranking", False),
    "Sequences": ([[1.0], [2.0]],),
    "Winners": (Gaussian(3),),
}


@pytest.mark.parametrize("name", WORLDS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_wrong_arguments_are_refused_by_our_own_errors(name: str, data: st.DataObject) -> None:
    """One argument, or all of them, may be anything; what is accepted can be drawn from without a warning."""
    make, count = WORLDS[name]
    given_ = list(GOOD[name])
    for place in data.draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=count, unique=True)):
        given_[place] = data.draw(anything)
    try:
        world = make(*given_)
    except HeatsError as error:
        check_sentence(str(error))
        return
    assert world.n_arms >= 2
    assert world.names is None or len(world.names) == world.n_arms
    seen = world.sample(np.array([[0, 1]]), 3, np.random.default_rng(0))
    assert seen.shape == (1, 3, 2)
    assert np.isfinite(seen).all()
    assert np.isfinite(world.sample_mean(np.array([[0, 1]]), 3, np.random.default_rng(0))).all()
    assert world.quality is None or np.isfinite(world.quality[1]).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Gaussian(10**30), "n_arms=1000"),
        (lambda: Gaussian(5, decoy="no"), "decoy='no' must be True or False"),
        (lambda: Normal(None), "at least two numbers"),
        (lambda: Normal([1e300, 2]), "within"),
        (lambda: Normal([1, 2], "wide"), "deviations='wide'"),
        (lambda: PlackettLuce(["1", "2"]), "at least two numbers"),  # text is not taken for numbers
        (lambda: ScoreTable("12"), "scores='12' must be numbers"),
        (lambda: ScoreTable(np.ones((2, 3, 4))), r"shape \(2, 3, 4\)"),
        (lambda: ScoreTable([[1.0, 1e300]]), r"1e\+300 in row 0, arm 1"),
        (lambda: ScoreTable([[1.0, 2.0]], names="ab"), "names='ab' must be a list of texts"),
        (lambda: ScoreTable([[1.0, 2.0]], names=[1, 2]), "must be a list of texts"),
        (lambda: ScoreTable([[1.0, 2.0]], names=["a", "b", "c"]), "3 names were given for 2 arms"),
        (lambda: RuntimeTable([[1.0, 2.0]], [["yes", "no"]]), "solved="),
        (lambda: RuntimeTable([[1.0, 2.0]], [[1, 2]]), "True or False everywhere"),
        (lambda: Rankings([[0, 10**12]]), "too large a table"),
        (lambda: Rankings([[0.5, 1]]), "lists of arms"),
        (lambda: Rankings("01"), "lists of arms"),
        (lambda: Sequences(Rude()), "whose repr fails> must be numbers"),
        (lambda: Winners("world"), "world='world' is not a world"),
        (lambda: play(heats.Tournament(heats.plan(3, 2, 9)), "world"), "environment='world' is not a world"),
        (lambda: read(None), "path=None is not the path"),
        (lambda: read("a\0b.csv"), "not the path|cannot be read|does not exist"),
    ],
)
def test_what_was_wrong_is_said(make: Any, message: str) -> None:
    """The value, and what is due."""
    with pytest.raises(InvalidArgument, match=message):
        make()


@pytest.mark.parametrize("machine", [heats.Tournament(heats.plan(6, 3, 60)), heats.RoundRobin(6, 3, 30)])
def test_a_world_with_too_few_arms_for_the_machine(machine: Any) -> None:
    """It is said before an arm is looked up that is not there; a world with more arms may be played in."""
    with pytest.raises(InvalidArgument, match="the world has only 4 arms, counted from 0; make both"):
        play(machine, Normal([1, 2, 3, 4]))
    assert play(heats.Tournament(heats.plan(3, 2, 9)), Normal([1, 2, 3, 4])).winner == 2


def test_fractions_and_whole_tables_of_truth_values_are_numbers() -> None:
    """What NumPy keeps as objects, too, if every one of them is a number."""
    assert Normal([Fraction(1, 2), Fraction(1, 3)]).best == 0
    assert ScoreTable([[True, False], [True, True]]).best == 0
    assert Rankings(np.array([[1.0, 0.0]])).best == 1
