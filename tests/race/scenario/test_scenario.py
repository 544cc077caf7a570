"""Scenarios: what a file may say, and one sentence for everything it may not."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from heats.engine.specs import AdaptiveSpec, TournamentSpec
from heats.errors import InvalidArgument
from heats.race.scenario import list_warnings, load_scenario
from heats.race.scenario.drawing import draw_candidates
from heats.race.scenario.file import RaceTable
from tests.race.scenarios import NAPS, SLEEPERS, write

CORES = len(os.sched_getaffinity(0))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "instances").mkdir()
    for name in ("c.cnf", "a.cnf", "b.cnf", "notes.txt"):
        (tmp_path / "instances" / name).write_text("p cnf 1 1\n1 0\n")
    return tmp_path


SOLVER = {"command": ["cat", "-{x}", "{instance}"], "budget": 9, "cutoff": 2, "instances": "instances/*.cnf"}
FOUR = [{"x": "n"}, {"x": "b"}, {"x": "s"}, {"x": "E"}]


def test_the_example_of_the_manual(folder: Path) -> None:
    """Every key of it means what it says."""
    (folder / "race.toml").write_text("""
[race]
command = ["cat", "-rinc={rinc}", "{instance}"]
instances = "instances/*.cnf"      # or a list, or a file that lists them
heat_size = 2
budget = 200                       # heats to run
cutoff = "10s"                     # per run
mode = "capped"
clock = "cpu"
slots = 1
[[candidates]]
rinc = 1.5
[[candidates]]
rinc = 3
""")
    scenario = load_scenario(folder / "race.toml")
    assert scenario.candidates == ({"rinc": 1.5}, {"rinc": 3})
    assert [Path(each).name for each in scenario.instances] == ["a.cnf", "b.cnf", "c.cnf"]
    assert (scenario.spec.heat_size, scenario.spec.budget, scenario.cutoff) == (2, 200, 10.0)
    assert (scenario.mode, scenario.clock, scenario.slots, scenario.heats_at_once) == ("capped", "cpu", 1, 1)
    assert scenario.names == ("rinc=1.5", "rinc=3")
    assert scenario.folder == folder


def test_names_are_short_unless_a_journal_needs_them_whole(tmp_path: Path) -> None:
    """An infinity is no JSON, so a journal knows such a candidate by its name only."""
    naps = [{"nap": 0.123456, "more": 1.0}, {"nap": 0.2, "more": 2.0}]
    race = SLEEPERS | {"command": ["sleep", "{nap}", "{more}"]}
    assert load_scenario(write(tmp_path, race, naps)).names == ("nap=0.123 more=1", "nap=0.2 more=2")
    file = write(tmp_path, race, naps)
    file.write_text(file.read_text().replace("2.0", "inf"))
    assert load_scenario(file).names == ("nap=0.123456 more=1.0", "nap=0.2 more=inf")


def test_every_key_is_in_the_manual() -> None:
    """One row each, in one table."""
    manual = (Path(__file__).parents[3] / "docs" / "racing.md").read_text(encoding="utf-8")
    table = manual[manual.index("| key of `[race]` |") :].split("\n\n")[0]
    assert sorted(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == sorted(RaceTable.__struct_fields__)


def test_the_spaces_of_the_manual() -> None:
    """Can be drawn from, with all that is said about them."""
    manual = (Path(__file__).parents[3] / "docs" / "racing.md").read_text(encoding="utf-8")
    tables = [tomllib.loads(block)["space"] for block in re.findall(r"```toml\n(\[space\].*?)```", manual, re.DOTALL)]
    drawn = [draw_candidates(table, Path(), 0, []).candidates for table in tables]
    assert [len(each) for each in drawn] == [21, 59]
    assert drawn[0][0] == {"alpha": 1.3, "restarts": 2, "mode": "safe", "level": "mid"}
    assert all(("rho" in each) == (each["mode"] == "fast" and each["alpha"] < 1.3) for each in drawn[0])


def test_what_is_played(folder: Path) -> None:
    """Adaptive play, in as many batches as said, unless something that is said means a plan."""
    asked: list[dict[str, Any]] = [
        {"strategy": "planned"},
        {"early": True, "record": "off"},
        {"strategy": "adaptive"},
        {"batches": 4, "budget": 50, "heat_size": 3},
        {"sure": 0.9},
        {},
    ]
    scenarios = [load_scenario(write(folder, SOLVER | each, FOUR)) for each in asked]
    planned, early, adaptive, batches, sure, left_out = (each.spec for each in scenarios)
    assert isinstance(planned, TournamentSpec)
    assert isinstance(early, TournamentSpec)
    assert (planned.early, early.early, scenarios[0].heats) == (False, True, planned.plan.cost)
    assert adaptive == AdaptiveSpec(4, planned.heat_size, planned.budget, rule=2)
    assert batches == AdaptiveSpec(4, 3, 50, 4, rule=2)
    assert scenarios[3].heats == 50
    assert (sure, scenarios[4].sure) == (adaptive, 0.9)
    assert left_out == adaptive
    for said in ({"record": "off"}, {"edge": 0.6}, {"blind": True}, {"budget": 3_000_001}):
        assert isinstance(load_scenario(write(folder, SOLVER | said, FOUR)).spec, TournamentSpec)


@pytest.mark.parametrize("said", [{"batches": 8}, {"sure": 0.9}])
def test_a_strategy_over_a_file_that_means_another_names_what_does_not_fit(folder: Path, said: dict[str, Any]) -> None:
    """The key of the file, not only the option."""
    name, value = next(iter(said.items()))
    with pytest.raises(
        InvalidArgument, match=rf"{name}={value} means adaptive play, but strategy='csh' is about a plan"
    ):
        load_scenario(write(folder, SOLVER | said, FOUR), {"strategy": "csh"})


def test_a_race_goes_on_as_what_it_is(folder: Path) -> None:
    """Whatever would be played now; a strategy that was said stays."""
    file = write(folder, SOLVER, FOUR)
    begun = {name: load_scenario(file, {"strategy": name}).spec for name in ("planned", "csr", "adaptive")}
    assert load_scenario(file).spec == begun["adaptive"]
    for spec in begun.values():
        assert load_scenario(file, begun=spec).spec == spec
        assert load_scenario(file, {"strategy": "csr"}, begun=spec).spec == begun["csr"]


def test_flags_override_the_file(folder: Path) -> None:
    """Where they are given."""
    file = write(folder, SOLVER, FOUR)
    scenario = load_scenario(file, {"budget": 30, "cutoff": "500ms", "seed": 4, "mode": None, "heat_size": 3})
    assert (scenario.spec.budget, scenario.cutoff, scenario.seed, scenario.spec.heat_size) == (30, 0.5, 4, 3)


@pytest.mark.parametrize(
    ("listed", "names"),
    [
        ("instances/*.cnf", ["a.cnf", "b.cnf", "c.cnf"]),
        (["instances/c.cnf", "instances/[ab].cnf", "instances/c.cnf"], ["c.cnf", "a.cnf", "b.cnf"]),
        ("instances/list.txt", ["c.cnf", "a.cnf"]),
    ],
)
def test_instances(folder: Path, listed: Any, names: list[str]) -> None:
    """A glob, a list, or a file that lists them, relative to itself or to the scenario; each once."""
    (folder / "instances/list.txt").write_text("# two\nc.cnf\n\n  instances/a.cnf\n")
    scenario = load_scenario(write(folder, SOLVER | {"instances": listed}, FOUR))
    assert [Path(each).name for each in scenario.instances] == names
    assert all(Path(each).is_absolute() for each in scenario.instances)


def test_candidates_from_a_csv(folder: Path) -> None:
    """Numbers only where they are written back the same; an empty cell leaves the parameter out."""
    (folder / "field.csv").write_text("x,y\n1,0.50\n2.5,\n n ,3\n")
    race = SOLVER | {"command": ["cat", "-{x}", ["-y", "{y}"], "{instance}"], "heat_size": 2}
    candidates = load_scenario(write(folder, race, "field.csv")).candidates
    assert candidates == ({"x": 1, "y": "0.50"}, {"x": 2.5}, {"x": "n", "y": 3})
    assert load_scenario(write(folder, race | {"candidates": "field.csv"})).candidates == candidates


def test_candidates_from_a_space(folder: Path) -> None:
    """Sampled by the seed of the race, or by one of its own; from a table or a file."""
    table = {"sample": 5, "x": {"float": [0, 1]}}
    first = load_scenario(write(folder, SOLVER, space=table))
    assert len(first.candidates) == 5
    assert load_scenario(write(folder, SOLVER, space=table), {"seed": 1}).candidates != first.candidates
    fixed = write(folder, SOLVER, space=table | {"seed": 0})
    assert load_scenario(fixed, {"seed": 1}).candidates == first.candidates
    (folder / "x.pcs").write_text("x [0, 1] [0.5]\n")
    assert load_scenario(write(folder, SOLVER, space={"sample": 5, "file": "x.pcs"})).candidates == first.candidates


def test_listed_default_and_drawn_candidates_race_together(folder: Path) -> None:
    """In this order, none of them twice."""
    space = {"sample": 5, "default": True, "x": {"int": [1, 7], "default": 2}}
    both = load_scenario(write(folder, SOLVER, [{"x": 7}, {"x": "n"}], space=space)).candidates
    assert both[:3] == ({"x": 7}, {"x": "n"}, {"x": 2})
    assert sorted(each["x"] for each in both[3:]) == [1, 3, 4, 5, 6]
    listed = load_scenario(write(folder, SOLVER, [{"x": 2}, {"x": "n"}], space=space)).candidates
    assert listed[:2] == ({"x": 2}, {"x": "n"})
    assert len(listed) == 7
    alone = {"default": True, "x": {"int": [1, 7], "default": 2}}
    assert load_scenario(write(folder, SOLVER, [{"x": 7}], space=alone)).candidates == ({"x": 7}, {"x": 2})
    (folder / "field.csv").write_text("x\n9\n")
    assert load_scenario(write(folder, SOLVER, "field.csv", space=alone)).candidates == ({"x": 9}, {"x": 2})


def test_a_parameter_may_be_called_like_a_setting(folder: Path) -> None:
    """Settings are never tables."""
    race = SOLVER | {"command": ["cat", "{top}", "{default}", "{instance}"]}
    table = {"sample": 4, "top": {"int": [1, 9]}, "default": {"float": [0, 1]}}
    assert {tuple(each) for each in load_scenario(write(folder, race, space=table)).candidates} == {("top", "default")}


@pytest.mark.parametrize(("top", "how_many"), [("5%", 59), (0.05, 59), (" 10 % ", 29), ("60%", 4)])
def test_as_many_are_drawn_as_it_takes_for_one_of_the_best(folder: Path, top: Any, how_many: int) -> None:
    """95 % sure, if nothing else is said; the default comes on top."""
    table = {"top": top, "default": True, "x": {"float": [0, 1], "default": 0.5}}
    scenario = load_scenario(write(folder, SOLVER | {"budget": 200}, space=table))
    assert scenario.drawn is not None
    assert (len(scenario.candidates), scenario.drawn.candidates) == (how_many + 1, how_many)
    surer = load_scenario(write(folder, SOLVER | {"budget": 900}, space=table | {"confidence": "99%"}))
    assert len(surer.candidates) > len(scenario.candidates)


def test_brackets_in_paths(folder: Path) -> None:
    """Are no pattern in the folder of the scenario, nor in the name of a file that is there."""
    odd = folder / "a[1]"
    odd.mkdir()
    for name in ("x[1].cnf", "y.cnf"):
        (odd / name).touch()
    found = (str(odd / "x[1].cnf"), str(odd / "y.cnf"))
    assert load_scenario(write(odd, SOLVER | {"instances": "*.cnf"}, FOUR)).instances == found
    assert load_scenario(write(odd, SOLVER | {"instances": ["x[1].cnf"]}, FOUR)).instances == found[:1]


def test_mode_is_chosen_from_the_machine(folder: Path) -> None:
    """Side by side where every run has a core of its own."""
    assert load_scenario(write(folder, SOLVER | {"slots": 3}, FOUR)).mode == "capped"
    scenario = load_scenario(write(folder, SOLVER | {"slots": 9}, FOUR))
    assert (scenario.mode, scenario.heats_at_once) == ("parallel", 2)
    assert load_scenario(write(folder, SOLVER, FOUR)).slots == CORES


def test_the_cpu_clock_is_for_one_after_another(folder: Path) -> None:
    """Side by side, the first to finish wins."""
    assert load_scenario(write(folder, SOLVER | {"clock": "cpu", "mode": "parallel", "slots": 4}, FOUR)).clock == "wall"
    scenario = load_scenario(write(folder, SOLVER | {"clock": "cpu", "mode": "capped"}, FOUR))
    assert (scenario.clock, scenario.wall_limit) == ("cpu", 20.0)


def test_warnings(folder: Path) -> None:
    """Too many slots, too many side by side, more heats than instances."""
    assert list(list_warnings(load_scenario(write(folder, SOLVER | {"budget": 3, "slots": 1}, FOUR)))) == []
    many_more = [{"x": x} for x in range(CORES + 4)]
    crowd = {"budget": 30, "slots": CORES + 1, "mode": "parallel", "heat_size": CORES + 2}
    many, shared, again = list_warnings(load_scenario(write(folder, SOLVER | crowd, many_more)))
    assert many.startswith(f"slots={CORES + 1} is more than the {CORES} cores")
    assert "side by side share" in shared
    assert again.startswith("budget=30 is more than the 3 instances: each is used up to 10 times, in a new order")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"command": ["cat", "{x}"]}, "there are instances, but the command has no {instance}"),
        ({"instances": None}, "the command has {instance}, but there are no instances"),
        ({"instances": "*.gz"}, "instances='*.gz' matches no file in"),
        ({"instances": ["a.cnf"]}, "instances='a.cnf' matches no file in"),
        ({"instances": []}, "instances is empty"),
        ({"instances": "instances"}, "or a file that lists instances: Is a directory"),
        ({"instances": "instances/a.cnf"}, "instances/a.cnf, line 1: p cnf 1 1 matches no file"),
        ({"cutoff": 0}, "cutoff=0 must be a time above 0"),
        ({"cutoff": "-1s"}, "cutoff='-1s' must be a time above 0"),
        ({"cutoff": "10 parsecs"}, "cutoff='10 parsecs' must be a time above 0, such as"),
        ({"memory": "lots"}, "memory='lots'"),
        ({"budget": 0}, "budget=0"),
        ({"budget": 10**12}, "budget=1000000000000"),
        ({"budget": 1, "strategy": "csh"}, "Give at least"),
        ({"budget": "many"}, "race.budget: expected a whole number, got text 'many'."),
        ({"heat_size": 1}, "heat_size=1"),
        ({"heat_size": 9}, "heat_size=9 is more than the 4 candidates"),
        ({"slots": 0}, "slots=0"),
        ({"seed": -1}, "seed=-1"),
        ({"mode": "fast"}, "race.mode: 'fast' is unknown, expected 'parallel' or 'capped'"),
        ({"clock": "sun"}, "race.clock: 'sun' is unknown, expected 'wall' or 'cpu'"),
        ({"strategy": "best"}, "strategy='best' is unknown"),
        (
            {"strategy": "csh", "batches": 4},
            "batches=4 means adaptive play, but strategy='csh' is about a planned tournament",
        ),
        ({"sure": 0.3}, "sure=0.3 must be"),
        ({"sure": 0.9, "strategy": "csh"}, "strategy='csh' is about a planned tournament"),
        ({"strategy": "adaptive", "record": "off"}, "record='off' is about a planned tournament"),
        ({"strategy": "adaptive", "edge": 0.6}, "edge=0.6 is about a planned tournament"),
        ({"strategy": "adaptive", "blind": True}, "blind=True is about a planned tournament"),
        ({"strategy": "adaptive", "early": True}, "early=True is about a planned tournament"),
        ({"batches": 0}, "batches=0"),
        ({"batches": "many"}, "race.batches: expected a whole number, got text 'many'"),
        ({"early": True}, "plan with record='off', or leave out early"),
        ({"early": True, "record": "off", "objective": "(.*)"}, "early=True saves nothing with rewards"),
        ({"early": 1}, "race.early: expected true or false, got a whole number"),
        ({"heatsize": 3}, "race.heatsize: 'heatsize' is not known here; 'heat_size' is"),
        ({"command": None}, "race: missing 'command'"),
        ({"command": ["no-such-solver", "-{x}", "{instance}"]}, "'no-such-solver' is not found on the PATH"),
        ({"command": ["./solver", "-{x}", "{instance}"]}, "'./solver' is not found in"),
        ({"command": "cat"}, "race.command: expected a list, got text"),
        ({"pattern": "("}, "race.pattern = '(' is not a valid regular expression"),
        ({"objective": "cost"}, "must have one group"),
        ({"statistic": "rank"}, "race.statistic = 'rank' is about values, but the race is for time"),
        ({"goal": "maximize"}, "race.goal = 'maximize' is about values, but the race is for time; say which value"),
        ({"missing": 9}, "race.missing = 9.0 is about values, but the race is for time"),
        ({"statistic": "mean", "objective": "(.*)"}, "'mean' is unknown, expected 'value' or 'rank' or 'ratio'"),
        ({"statistic": 3, "objective": "(.*)"}, "race.statistic: expected"),
        ({"statistic": "ratio", "objective": "(.*)", "missing": -1}, "race.missing = -1.0 must be 0 or more"),
        ({"candidates": "more.csv"}, "give the candidates in one way"),
        ({"finished": []}, "race.finished = [] leaves no exit code"),
        ({"finished": [0, 300]}, "race.finished has 300, with which no program ends: exit codes are 0 to 255"),
        ({"undecided": [-100]}, "race.undecided has -100, with which no program ends"),
        ({"finished": ["ten"]}, "race.finished: expected a whole number, got text"),
    ],
)
def test_a_mistake_is_one_sentence(folder: Path, changes: dict[str, Any], sentence: str) -> None:
    """That names the file and the value."""
    file = write(folder, SOLVER | {"heat_size": 4} | changes, FOUR)
    with pytest.raises(InvalidArgument) as error:
        load_scenario(file)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
    assert str(file) in str(error.value) or "instances/a.cnf" in sentence


@pytest.mark.parametrize(
    ("candidates", "tables", "sentence"),
    [
        ([{"x": 1}], {}, "1 candidate in all"),
        ([{"x": 1}, {"x": 2}, {"x": 1.0}], {}, "candidates #0 and #2 are equal (x=1.0)"),
        ([{"x": 1}, {"y": 1}], {}, "the command has {x}, but candidate #1 (y=1) has no x"),
        ([{"x": 1}, {"x": 2, "y": 1}], {}, "has y, but the command has no {y}"),
        (None, {}, "give the candidates in one way"),
        (FOUR, {"space": {"sample": 3}}, "space has no parameters"),
        (FOUR, {"space": {"x": {"int": [1, 9]}}}, "space.sample is missing; say how many candidates to draw"),
        (None, {"space": {"sample": 1, "x": {"int": [1, 9]}}}, "space.sample=1 must be from 2"),
        (None, {"space": {"sample": 3, "default": 1, "x": {"int": [1, 9]}}}, "space.default=1 must be true"),
        (None, {"space": {"sample": 3, "default": True, "x": {"int": [1, 9]}}}, "but x of the space has none"),
        (None, {"space": {"default": True, "x": {"int": [1, 9], "default": 1}}}, "1 candidate in all"),
        (None, {"space": {"sample": 3, "top": "5%", "x": {"int": [1, 9]}}}, "space has both sample and top"),
        (None, {"space": {"sample": 3, "confidence": "5%", "x": {"int": [1, 9]}}}, 'say top = "5%", too'),
        (None, {"space": {"top": "0%", "x": {"float": [1, 9]}}}, "space.top='0%' must be a share above 0% and below"),
        (None, {"space": {"top": "100%", "x": {"float": [1, 9]}}}, "space.top='100%' must be a share above 0%"),
        (None, {"space": {"top": 5, "x": {"float": [1, 9]}}}, "space.top=5 must be a share above 0%"),
        (None, {"space": {"top": "5", "x": {"float": [1, 9]}}}, "space.top='5' must be a share above 0%"),
        (None, {"space": {"top": "5%", "confidence": "all", "x": {"float": [1, 9]}}}, "space.confidence='all' must"),
        (None, {"space": {"top": "0.01%", "x": {"float": [1, 9]}}}, "takes 29956 candidates to be 0.95 sure"),
        (None, {"space": {"top": "5%", "x": {"int": [1, 9]}}}, "space.top = '5%' asks for 59 candidates: sample=59"),
        (None, {"space": {"sample": 3, "forbidden": "x", "x": {"int": [1, 9]}}}, "space.forbidden: 'x' must be a"),
        (None, {"space": {"sample": 3, "forbidden": ["y > 1"], "x": {"int": [1, 9]}}}, "'y', which is no parameter"),
        (None, {"space": {"sample": 2, "file": "x.pcs", "forbidden": ["x > 1"]}}, "has both a file and forbidden"),
        (None, {"space": {"sample": 2, "file": 3}}, "space.file=3 must be the name of a .pcs or .json file"),
        (None, {"space": {"x": {"int": [1, 9]}}}, "space.sample is missing"),
        (None, {"space": {"sample": 20, "x": {"int": [1, 9]}}}, "sample=20 is more than the space holds"),
        (None, {"space": {"sample": 2, "file": "x.pcs"}}, "x.pcs cannot be read"),
        (None, {"space": {"sample": 2, "file": "x.pcs", "x": {"int": [1, 9]}}}, "has both a file and x"),
        ("none.csv", {}, "none.csv cannot be read"),
        ("bad.csv", {}, "bad.csv, line 3: expected 1 value, found 2"),
        ("titles.csv", {}, "titles.csv, line 1: expected a different name for every column"),
        ([{"x": [1]}], {}, "candidates: expected true or false or a whole number or a number or text, got a list"),
        (FOUR, {"extra": 1}, "'extra' is not known here; known are race, "),
    ],
)
def test_bad_candidates(folder: Path, candidates: Any, tables: dict[str, Any], sentence: str) -> None:
    """Equal ones, single ones, and those that do not fit the command."""
    (folder / "bad.csv").write_text("x\n1\n2,3\n")
    (folder / "titles.csv").write_text("x,x\n1,2\n")
    with pytest.raises(InvalidArgument) as error:
        load_scenario(write(folder, SOLVER | {"heat_size": 2}, candidates, **tables))
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[race\n", "is not valid TOML: line 1, column 6: Expected ']'"),
        ("[race]\nbudget = \n", "is not valid TOML: line 2, column 10: Invalid value"),
        ("", "it has no [race] table, with which a scenario begins."),
        (
            "[race]\ncommand = ['x']\n# budget\nbudget = 2.5\ncutoff = 1\n",
            "line 4: race.budget: expected a whole number, got a number",
        ),
    ],
)
def test_broken_toml(folder: Path, text: str, sentence: str) -> None:
    """With the line, and what was expected."""
    (folder / "race.toml").write_text(text)
    with pytest.raises(InvalidArgument) as error:
        load_scenario(folder / "race.toml")
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("key", "sentence"),
    [
        ('top = "0%"', "line 6: space.top='0%' must be a share above 0% and below 100%"),
        ("default = 3", "line 6: space.default=3 must be true"),
        ('rho = { float = [0, 1], default = "a" }', "line 6: space.rho: the default 'a' of rho must be a number"),
        ('rho = { float = [0, 1], when = "x > " }', "line 6: space.rho: the condition 'x >' cannot be read"),
        ('forbidden = ["z == 1"]', "line 6: space.forbidden: the condition 'z == 1' cannot be read"),
    ],
)
def test_mistakes_in_a_space_have_their_line(folder: Path, key: str, sentence: str) -> None:
    """With the file, and what was expected."""
    race = "command = ['echo', '{x}']\nbudget = 9\ncutoff = 1\n"
    (folder / "race.toml").write_text(f"[race]\n{race}[space]\n{key}\nx = {{ int = [1, 9] }}\n")
    with pytest.raises(InvalidArgument) as error:
        load_scenario(folder / "race.toml")
    assert f"race.toml, {sentence}" in str(error.value)


def test_a_file_that_is_not_there(folder: Path) -> None:
    """Or no text."""
    with pytest.raises(InvalidArgument, match=r"none\.toml cannot be read: No such file"):
        load_scenario(folder / "none.toml")
    (folder / "race.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidArgument, match="not text in UTF-8"):
        load_scenario(folder / "race.toml")


@pytest.mark.parametrize(("memory", "amount"), [("2GB", 2 << 30), ("512 MiB", 512 << 20), (1000, 1000), ("1.5K", 1536)])
def test_amounts_of_memory(folder: Path, memory: Any, amount: int) -> None:
    """With or without a unit."""
    assert load_scenario(write(folder, SLEEPERS | {"memory": memory}, NAPS)).memory == amount
