"""Spaces: every way to describe one, and the candidates sampled from it."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heats.errors import BrokenFile, InvalidArgument
from heats.race.scenario.spaces import Parameter, Value, load_space, parse_space

DATA = Path(__file__).parent / "data"
TABLE = {
    "alpha": {"float": [1.01, 1.4]},
    "rate": {"log-float": [1e-4, 1]},
    "depth": {"int": [1, 6]},
    "steps": {"log-int": [1, 1000]},
    "mode": {"categorical": ["fast", "slow", 3]},
}


@given(st.floats(0, 1, exclude_max=True), st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_values_stay_within_their_range(unit: float, low: float, width: float) -> None:
    """Whatever is drawn, on every scale."""
    high = low + width
    assert low <= Parameter("x", "float", low, high).at(unit) <= high
    if low > 0:
        assert low <= Parameter("x", "log-float", low, high).at(unit) <= high
    whole = Parameter("x", "int", math.floor(low), math.ceil(high))
    assert whole.low <= whole.at(unit) <= whole.high
    assert type(whole.at(unit)) is int


def test_samples_are_a_function_of_the_seed() -> None:
    """More of them begin with the same, none comes twice, another seed gives others."""
    space = parse_space(TABLE)
    some = space.sample(20, seed=5)
    assert space.sample(30, seed=5)[:20] == some
    assert space.sample(20, seed=6) != some
    assert all(some.count(candidate) == 1 for candidate in some)
    assert list(some[0]) == list(TABLE)


def test_samples_follow_their_scale() -> None:
    """Even shares of a range, of its logarithm, of whole numbers and of choices."""
    drawn = parse_space(TABLE).sample(3000, seed=1)
    shares = Counter(math.floor(math.log10(candidate["rate"])) for candidate in drawn)
    assert all(abs(shares[power] / 3000 - 1 / 4) < 0.03 for power in (-4, -3, -2, -1))
    choices: dict[str, list[Value]] = {"depth": [1, 2, 3, 4, 5, 6], "mode": ["fast", "slow", 3]}
    for name, values in choices.items():
        counted = Counter(candidate[name] for candidate in drawn)
        assert set(counted) == set(values)
        assert all(abs(counted[value] / 3000 - 1 / len(values)) < 0.03 for value in values)
    assert abs(sum(float(candidate["alpha"]) for candidate in drawn) / 3000 - 1.205) < 0.01
    low = sum(candidate["steps"] <= 31 for candidate in drawn) / 3000
    assert abs(low - math.log(31.5 / 0.5) / math.log(1000.5 / 0.5)) < 0.03


def test_sampled_floats_are_short() -> None:
    """They end up on command lines."""
    assert all(len(str(candidate["alpha"])) <= 8 for candidate in parse_space(TABLE).sample(100, seed=3))


def test_a_space_that_is_used_up_is_refused() -> None:
    """With the number it holds."""
    space = parse_space({"a": {"int": [1, 3]}, "b": {"categorical": [True, False]}})
    assert len(space.sample(6, seed=0)) == 6
    with pytest.raises(InvalidArgument, match="only 6 different"):
        space.sample(7, seed=0)


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ([1, 2], r"must say what it is"),
        ({"real": [1, 2]}, r"known are float"),
        ({"float": [1, 2], "int": [1, 2]}, r"must say what it is"),
        ({"float": [1]}, r"range of two numbers"),
        ({"float": ["1", "2"]}, r"range of two numbers"),
        ({"float": [2, 1]}, r"needs a range \[low, high\]"),
        ({"log-float": [0, 1]}, r"begin above 0"),
        ({"int": [0.5, 2]}, r"whole"),
        ({"categorical": []}, r"no values"),
        ({"categorical": [[1]]}, r"list of values"),
        ({"ordinal": "low"}, r"list of values"),
        ({"default": 1}, r"must say what it is"),
        ({"float": [0, 1], "default": 2}, r"the default 2 of speed is outside its range \[0, 1\]"),
        ({"float": [0, 1], "default": "a"}, r"the default 'a' of speed must be a number"),
        ({"float": [0, 1], "default": True}, r"the default True of speed must be a number"),
        ({"float": [0, 1], "default": [0]}, r"must be one of its values"),
        ({"int": [0, 9], "default": 1.5}, r"must be whole"),
        ({"categorical": ["a"], "default": "b"}, r"the default 'b' of speed is not among its values"),
        ({"categorical": [1, 0], "default": True}, r"the default True of speed is not among its values"),
        ({"float": [0, 1], "when": 3}, r"when = 3 must be a condition as text"),
        ({"float": [0, 1], "when": "speed ="}, r"the condition 'speed =' cannot be read"),
    ],
)
def test_bad_entries_are_refused(entry: object, sentence: str) -> None:
    """With the name, and the way to write it."""
    with pytest.raises(InvalidArgument, match=sentence) as error:
        parse_space({"speed": entry})
    assert "speed" in str(error.value)


def test_conditions_and_clauses_of_a_table() -> None:
    """A parameter counts when its condition holds; what is forbidden is never drawn; the default keeps to both."""
    table = {
        "mode": {"categorical": ["fast", "slow"], "default": "slow"},
        "level": {"ordinal": ["low", "mid", "high"], "default": "high"},
        "rho": {"float": [0, 1], "default": 0.5, "when": "mode == fast || level > mid"},
        "depth": {"int": [1, 9], "default": 3, "when": "rho > 0.5"},
    }
    space = parse_space(table, ["mode == fast && level == low", "rho > 0.9"])
    drawn = space.sample(500, seed=4)
    for each in drawn:
        assert ("rho" in each) == (each["mode"] == "fast" or each["level"] == "high")
        assert ("depth" in each) == (each.get("rho", 0) > 0.5)
        assert (each["mode"], each["level"]) != ("fast", "low")
        assert each.get("rho", 0) <= 0.9
    assert any("depth" in each for each in drawn)
    assert space.make_default() == {"mode": "slow", "level": "high", "rho": 0.5}


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a space be used up sooner."""
    monkeypatch.setattr("heats.race.scenario.spaces.space.MOST_DRAWN_VALUES", 20_000)


@pytest.mark.usefixtures("few_draws")
def test_draws_leave_out_what_is_there_already() -> None:
    """The rest of a space can be drawn to its end."""
    space = parse_space({"a": {"int": [1, 3]}, "b": {"categorical": [True, False]}})
    listed = space.sample(4, seed=0)
    rest = space.sample(2, seed=1, besides=listed)
    assert sorted(map(str, listed + rest)) == sorted(map(str, space.sample(6, seed=2)))
    with pytest.raises(InvalidArgument, match="only 6 different candidates, 4 of which are there"):
        space.sample(3, seed=1, besides=listed)


@pytest.mark.usefixtures("few_draws")
def test_a_space_that_leaves_nothing() -> None:
    """Conditions that wait for each other, and clauses that forbid everything, are said to be the reason."""
    circle = {
        "x": {"categorical": ["a", "b"], "when": "y == a"},
        "y": {"categorical": ["a", "b"], "when": "z == a"},
        "z": {"categorical": ["a", "b"], "when": "y == a && x == a && x == b"},
    }
    with pytest.raises(InvalidArgument, match="its conditions leave out every parameter"):
        parse_space(circle).sample(2, seed=0)
    with pytest.raises(InvalidArgument, match="the space forbids all of them"):
        parse_space({"x": {"int": [1, 9]}}, ["x > 0"]).sample(2, seed=0)
    with pytest.raises(InvalidArgument, match="the space forbids it"):
        parse_space({"x": {"int": [1, 9], "default": 2}}, ["x == 2"]).make_default()


def test_defaults_of_configspace(tmp_path: Path) -> None:
    """Are in its files, as default or default_value; ordinals compare by their place."""
    (tmp_path / "x.json").write_text(
        '{"hyperparameters": [{"type": "uniform_int", "name": "n", "lower": 1, "upper": 9, "default_value": 4}, '
        '{"type": "ordinal", "name": "o", "sequence": ["z", "a"], "default": "a"}, '
        '{"type": "constant", "name": "k", "value": 3}], '
        '"conditions": [{"child": "n", "parent": "o", "type": "GT", "value": "z"}]}'
    )
    space = load_space(tmp_path / "x.json")
    assert space.make_default() == {"n": 4, "o": "a", "k": 3}
    assert all(("n" in each) == (each["o"] == "a") for each in space.sample(10, seed=0))


def test_configspace_json() -> None:
    """As written by ConfigSpace 1.2.2: kinds, conditions (and, or, in, equal, greater), what is forbidden."""
    drawn = load_space(DATA / "configspace.json").sample(400, seed=1)
    for each in drawn:
        assert 0.1 <= each["alpha"] <= 10
        assert each["k"] == 3
        assert ("rho" in each) == (each["mode"] in ("fast", "slow"))
        assert ("steps" in each) == (each["mode"] == "fast" and each["alpha"] > 1)
        assert ("i" in each) == (each["level"] == "low" or each["flag"] is not True)
        assert each["level"] != "mid"
        assert not (each["mode"] == "off" and each["level"] == "high")
    assert {each["mode"] for each in drawn} == {"fast", "slow", "off"}
    assert any("steps" in each for each in drawn)
    assert any("i" not in each for each in drawn)


PCS = """# a solver
heur {vsids, random, off} [vsids]   # categorical
decay [0.5, 0.99] [0.95]
restart [1, 1000] [100]il
noise [1e-4,1][0.01]l
depth [1, 8] [4]i

Conditionals:
decay | heur in {vsids, random}
noise | heur in {random}
depth | heur in {vsids}
depth | restart in {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}

Forbidden:
{heur=off, restart=1}
{heur=random, depth=3}
"""


def test_classic_pcs(tmp_path: Path) -> None:
    """Kinds by their letters, conditions of one child all have to hold."""
    (tmp_path / "solver.pcs").write_text(PCS)
    drawn = load_space(tmp_path / "solver.pcs").sample(400, seed=2)
    for each in drawn:
        assert ("decay" in each) == (each["heur"] != "off")
        assert ("noise" in each) == (each["heur"] == "random")
        assert ("depth" in each) == (each["heur"] == "vsids" and each["restart"] <= 10)
        assert type(each["restart"]) is int
    assert any("depth" in each for each in drawn)
    assert {each["heur"] for each in drawn} == {"vsids", "random", "off"}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("x double [0, 1] [0.5]", r"line 2: .* is none of"),
        ("x [0, 1] [2]", r"line 2: the default 2 of x is outside"),
        ("x {a, b} [c]", r"line 2: the default .c. of x is not among"),
        ("x [1, 0] [0.5]", r"line 2: parameter x needs a range"),
        ("x [0, 1] [0.5]l", r"line 2: parameter x is on a log scale"),
        ("x [0, one] [0.5]", r"line 2: could not convert"),
        ("y | z in {a}", r"line 2: z is not a parameter"),
        ("y {a} [a]", r"line 2: parameter y is there twice"),
        ("z | y in {a}", r"unknown z"),
    ],
)
def test_bad_pcs_lines_are_named(tmp_path: Path, line: str, sentence: str) -> None:
    """With file and line."""
    file = tmp_path / "solver.pcs"
    file.write_text(f"y {{a, b}} [a]\n{line}\n")
    with pytest.raises(BrokenFile, match=sentence) as error:
        load_space(file)
    assert str(file) in str(error.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", r"is not valid JSON: .* line 1"),
        ("[]", r"not what ConfigSpace writes"),
        ('{"hyperparameters": []}', r"has no parameters"),
        (
            '{"hyperparameters": [{"type": "constant", "name": "x", "value": 1}, '
            '{"type": "constant", "name": "x", "value": 2}]}',
            r"there twice",
        ),
        ('{"hyperparameters": [{"type": "normal_float", "name": "x"}]}', r"type normal_float"),
        ('{"hyperparameters": [{"type": "uniform_int", "name": "x"}]}', r"'lower'"),
        (
            '{"hyperparameters": [{"type": "categorical", "name": "x", "choices": [1, 2], "weights": [1, 3]}]}',
            r"x has weights",
        ),
        ('{"hyperparameters": [{"type": "categorical", "name": "x", "choices": [[1], {}]}]}', r"x has \[\[1\], \{\}\]"),
        (
            '{"hyperparameters": [{"type": "categorical", "name": "x", "choices": ["a"]}], '
            '"conditions": [{"child": "x", "parent": "x", "type": "GT", "value": 3}]}',
            r"x > 3 compares what is not a number",
        ),
        (
            '{"hyperparameters": [{"type": "ordinal", "name": "x", "sequence": ["a", "b"]}], '
            '"conditions": [{"child": "x", "parent": "x", "type": "GT", "value": "c"}]}',
            r"x > 'c' compares a number with what is none",
        ),
        (
            '{"hyperparameters": [{"type": "uniform_float", "name": "x", "lower": 0, "upper": 1, "default_value": 3}]}',
            r"the default 3 of x is outside its range \[0, 1\]",
        ),
        (
            '{"hyperparameters": [{"type": "categorical", "name": "x", "choices": ["a"]}], '
            '"conditions": [{"child": "x", "parent": "y", "type": "EQ", "value": 3}]}',
            r"is on 'y', which is not a parameter",
        ),
    ],
)
def test_bad_json_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    """With what is wrong."""
    (tmp_path / "space.json").write_text(text)
    with pytest.raises(BrokenFile, match=sentence):
        load_space(tmp_path / "space.json")
