"""Whatever stands in a scenario and the files it names: it is a race, or one sentence that says why not."""

from __future__ import annotations

import datetime
import json
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heats.engine.machine import Query
from heats.errors import HeatsError, InvalidArgument
from heats.race.heat import make_order
from heats.race.scenario import list_warnings, load_scenario
from heats.race.scenario.file import RaceTable
from heats.race.scenario.spaces import load_space
from heats.sat.dimacs import read_dimacs

PLAIN = {"command": ["echo", "{x}"], "budget": 9, "cutoff": 2, "heat_size": 2}
CANDIDATES = [{"x": 1}, {"x": 2}, {"x": 3}]
SPACE = {"sample": 3, "x": {"float": [0, 1]}}

words = st.sampled_from(
    ["", " ", "\0", "a\0b", "{x}", "{", "}", "{y}", "{instance}", "*", "[", "~", "..", ".", "a\nb", "é", "\u2028", "10s", "-1s",
     "1e30 GB", "1e999 s", "٣s", "1 XB", "nan", "planned", "csh", "pooled", "fitted", "wall", "cpu", "capped", "(", "(a)", "[[a]",
     "a{99999999999}", "x.csv", "race.toml", "x.pcs", "/dev/zero", "/", "x" * 5000]
)  # fmt: skip
numbers = st.one_of(
    st.sampled_from([0, 1, 2, -1, 10**9, 10**30, -(10**400), 2**53, 2**63, 0.0, -0.0, 1e308, -1e308, 1e-320, math.inf, math.nan]),
    st.integers(-5, 50),
    st.floats(),
)  # fmt: skip
scalars = st.one_of(words, st.text(max_size=8), numbers, st.booleans(), st.just(datetime.date(2000, 1, 1)))
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=3), max_leaves=8
)
kinds_of_ranges = st.sampled_from(["float", "log-float", "int", "log-int", "categorical", "ordinal"])
ranges = st.builds(
    lambda kind, ends, more: {kind: ends, **more},
    kinds_of_ranges,
    st.lists(numbers | scalars, max_size=3),
    st.dictionaries(
        st.sampled_from(["default", "when"]), values | st.sampled_from(["x > 1", "y == a", "x"]), max_size=2
    ),
)


def to_toml(value: Any) -> str:
    """Return a value as TOML; what TOML cannot write becomes text."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{to_toml(str(key))} = {to_toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(to_toml, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    return json.dumps(value).replace("\x7f", "\\u007f")


def write_scenario(folder: Path, content: dict[str, Any]) -> Path:
    (folder / "race.toml").write_text("".join(f"{key} = {to_toml(each)}\n" for key, each in content.items()))
    (folder / "x.csv").write_text("x\n1\n2\n")
    (folder / "x.pcs").write_text("x {1, 2} [1]\n")
    return folder / "race.toml"


@contextmanager
def only_sentences() -> Iterator[None]:
    """Let nothing out but heats' own errors, each a sentence on one line."""
    try:
        yield
    except HeatsError as error:
        sentence = str(error)
    else:
        return
    assert len(sentence) > 10
    assert "\n" not in sentence


def load_or_refuse(file: Path) -> None:
    """Load a scenario and use it a little, or see it refused in a sentence, and soon."""
    started = time.process_time()
    with only_sentences():
        scenario = load_scenario(file)
        assert all(len(warning) > 10 for warning in list_warnings(scenario))
        assert len(make_order(scenario, Query(0, 0, 0, (0, 1), 7)).lines) == 2
    assert time.process_time() - started < 10


fuzz = settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@fuzz
@given(st.dictionaries(st.sampled_from(RaceTable.__struct_fields__), values, min_size=1, max_size=3))
def test_any_value_of_any_key(tmp_path: Path, changes: dict[str, Any]) -> None:
    """One to three keys of the [race] table are anything."""
    load_or_refuse(write_scenario(tmp_path, {"race": PLAIN | changes, "candidates": CANDIDATES}))


@pytest.mark.parametrize("key", RaceTable.__struct_fields__)
def test_every_key_with_every_oddity(tmp_path: Path, key: str) -> None:
    """One key at a time."""
    odd = [
        0,
        -1,
        10**30,
        -(10**400),
        1e308,
        math.inf,
        -math.inf,
        math.nan,
        True,
        "",
        "\0",
        "x" * 5000,
        [],
        {},
        [[]],
        [0],
        ["\0"],
    ]
    for value in [*odd, datetime.date(2000, 1, 1), ["a", ["b"]], "1e30 GB", "1e30 s", [10**30]]:
        load_or_refuse(write_scenario(tmp_path, {"race": PLAIN | {key: value}, "candidates": CANDIDATES}))


@fuzz
@given(st.one_of(values, st.lists(st.dictionaries(words, scalars, max_size=3), max_size=4)))
def test_any_candidates(tmp_path: Path, candidates: Any) -> None:
    """Tables of anything, or no tables."""
    load_or_refuse(write_scenario(tmp_path, {"race": PLAIN, "candidates": candidates}))


@fuzz
@given(
    st.dictionaries(
        st.sampled_from(["sample", "seed", "file", "default", "top", "confidence", "forbidden", "x", "y"]),
        values | ranges | st.sampled_from(["5%", "0%", "1e400%", "-5 %", "%"]),
        max_size=4,
    )
)
def test_any_space(tmp_path: Path, space: dict[str, Any]) -> None:
    """Ranges of anything to anything, choices of anything, shares, defaults and clauses of anything."""
    load_or_refuse(write_scenario(tmp_path, {"race": PLAIN, "space": SPACE | space}))


@fuzz
@given(ranges, ranges)
def test_any_ranges(tmp_path: Path, first: dict[str, Any], second: dict[str, Any]) -> None:
    """Whose numbers are beyond all floats, the wrong way round, or not numbers."""
    race = PLAIN | {"command": ["echo", "{x}", ["{y}"]]}
    load_or_refuse(write_scenario(tmp_path, {"race": race, "space": {"sample": 2, "x": first, "y": second}}))


text = st.lists(
    st.sampled_from(
        ["[race]", "\n", "=", "x", " ", '"', "'", "[", "]", "{", "}", ",", "|", "in", "1", "-", ".", "e9", "i", "l", "#", "p cnf", "c",
         "0", "%", "\f", "&&", "==", "(", ")", 'x "" i (1, 9)', "integer", "real [0,1] [0]", "ordinal", "[forbidden]", "log", "hyperparameters", "type", "uniform_int", "name", "lower", "upper", ":", "null", "true", "é", "\0"]
    ),
    max_size=60,
).map("".join)  # fmt: skip


@fuzz
@given(st.one_of(text.map(str.encode), st.binary(max_size=80)))
def test_any_bytes(tmp_path: Path, content: bytes) -> None:
    """As a scenario, a table of candidates, a space of either format, a list of instances, a formula."""
    for name in ("race.toml", "x.csv", "x.pcs", "x.json", "list.txt", "x.cnf"):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "table.toml").write_text(_TABLE)
    (tmp_path / "list.toml").write_text(_LIST)
    for name in ("race.toml", "table.toml", "list.toml"):
        with only_sentences():
            load_scenario(tmp_path / name)
    for name in ("x.pcs", "x.json"):
        with only_sentences():
            load_space(tmp_path / name).sample(2, 0)
    with only_sentences():
        read_dimacs(tmp_path / "x.cnf")


_TABLE = '[race]\ncommand = ["echo", "{x}"]\nbudget = 9\ncutoff = 2\ncandidates = "x.csv"\n'
_LIST = (
    '[race]\ncommand = ["echo", "{instance}"]\nbudget = 9\ncutoff = 2\ninstances = "list.txt"\ncandidates = "x.csv"\n'
)


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, words),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)
fields = st.sampled_from(
    ["name", "type", "lower", "upper", "log", "choices", "sequence", "weights", "value", "values", "child", "parent", "conditions"]
)  # fmt: skip
kinds = st.sampled_from(
    ["uniform_int", "uniform_float", "categorical", "ordinal", "constant", "AND", "OR", "EQ", "IN", "NEQ", "LT", "GT"]
)
entries = st.builds(
    lambda kind, name, more: {"type": kind, "name": name, "child": name, "parent": name, **more},
    kinds | json_values, st.sampled_from(["x", "y"]), st.dictionaries(fields, json_values, max_size=5),
)  # fmt: skip


@fuzz
@given(
    st.lists(entries | json_values, max_size=3),
    st.lists(entries | json_values, max_size=2),
    st.lists(entries, max_size=2),
)
def test_any_configspace(tmp_path: Path, parameters: list[Any], conditions: list[Any], forbidden: list[Any]) -> None:
    """Files that look like ConfigSpace's and are not."""
    whole = [{"type": "constant", "name": "z", "value": 1}, *parameters]
    data = {"hyperparameters": whole, "conditions": conditions, "forbiddens": forbidden}
    (tmp_path / "x.json").write_text(json.dumps(data))
    with only_sentences():
        load_space(tmp_path / "x.json").sample(2, 0)


@pytest.mark.parametrize(
    ("space", "sentence"),
    [
        ({"sample": 1000, "x": {"categorical": ["a"]}}, "there are only 1 different candidates"),
        ({"sample": 10_000, "x": {"int": [1, 9999]}}, "there are only 9999 different candidates"),
        ({"sample": 1000, "x": {"float": [1, 1.00001]}}, "draws found only 2 different candidates"),
        ({"sample": 1000, "x": {"categorical": [1, 1.0, 1, "a"]}}, "there are only 2 different candidates"),
        ({"sample": 2, "x": {"int": [-1e308, 1e308]}}, "needs a range"),
        ({"sample": 2, "x": {"int": [-(10**30), 10**30]}}, "within ±9007199254740992"),
        ({"sample": 2, "x": {"float": [-1e308, 1e308]}}, "needs a range"),
        ({"sample": 2, "x": {"int": [0, 10**400]}}, "needs a range"),
    ],
)
def test_spaces_that_hold_too_little_or_too_much(tmp_path: Path, space: dict[str, Any], sentence: str) -> None:
    """Are refused, and in seconds of work, not in hours."""
    file = write_scenario(tmp_path, {"race": PLAIN, "space": space})
    started = time.process_time()
    with pytest.raises(InvalidArgument, match=sentence):
        load_scenario(file)
    assert time.process_time() - started < 10


def test_a_space_of_which_everything_is_forbidden(tmp_path: Path) -> None:
    """Nothing is ever drawn from it."""
    (tmp_path / "x.pcs").write_text("x {a, b} [a]\ny {a, b} [a]\n{x=a}\n{x=b}\n")
    started = time.process_time()
    with pytest.raises(InvalidArgument, match="found only 0 different"):
        load_space(tmp_path / "x.pcs").sample(2, 0)
    assert time.process_time() - started < 10


@pytest.mark.parametrize(("kind", "size"), [("int", 1000), ("log-int", 300)])
def test_a_space_can_be_used_up(kind: str, size: int, tmp_path: Path) -> None:
    """Every candidate of it can be had."""
    space = {"sample": size, "x": {kind: [1, size]}}
    scenario = load_scenario(write_scenario(tmp_path, {"race": PLAIN | {"budget": 9999}, "space": space}))
    assert sorted(candidate["x"] for candidate in scenario.candidates) == list(range(1, size + 1))
