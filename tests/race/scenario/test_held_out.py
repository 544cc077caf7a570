"""What a [validate] table may say: instances that are new, a candidate that exists, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from heats.errors import InvalidArgument
from heats.race.scenario import HeldOut, ValidateTable, hold_out, load_scenario
from tests.race.scenarios import write

RACE = {"command": ["cat", "{x}", "{instance}"], "instances": "seen/*", "budget": 4, "cutoff": 1, "heat_size": 2}


def load(folder: Path, table: Any, **race: Any) -> HeldOut | None:
    for name in ("seen/a", "seen/b", "new/a", "new/c"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    candidates = [{"x": 1}, {"x": "default"}, {"x": 3}]
    return load_scenario(write(folder, RACE | race, candidates, validate=table)).held_out


@pytest.mark.parametrize(
    ("against", "arm"), [("default", 1), ("x=default", 1), ("x=3", 2), ("3", 2), ("#0", 0), ("runner-up", None)]
)
def test_opponents_go_by_name_number_or_place(tmp_path: Path, against: str, arm: int | None) -> None:
    """Or by a value that only one candidate has."""
    found = load(tmp_path, {"instances": "new/*", "against": against})
    assert found is not None
    assert found.against == arm
    assert found.instances == (str(tmp_path / "new/a"), str(tmp_path / "new/c"))


def test_the_default_of_a_space_comes_first(tmp_path: Path) -> None:
    """Whoever else has that word among its values; without one, it is a candidate like any other."""
    for name in ("a", "b"):
        (tmp_path / name).touch()
    table, candidates = ValidateTable(instances=["b"]), [{"x": "default"}, {"x": 2}]
    raced = [str(tmp_path / "a")]
    of_space = hold_out(table, tmp_path, raced, candidates, ["x=default", "x=2"], default=1)
    assert (of_space.against, of_space.called) == (1, "default")
    assert hold_out(table, tmp_path, raced, candidates, ["x=default", "x=2"]).against == 0


@pytest.mark.parametrize(("listed", "arm"), [([{"x": 1}, {"x": 3}], 2), ([{"x": 1}, {"x": 0.5}], 1)])
def test_the_default_of_a_space_is_found(tmp_path: Path, listed: list[dict[str, Any]], arm: int) -> None:
    """After those listed, or where it is listed itself."""
    for name in ("seen", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").touch()
    space = {"sample": 2, "default": True, "x": {"float": [0, 1], "default": 0.5}}
    scenario = load_scenario(write(tmp_path, RACE, listed, space=space, validate={"instances": "new/*"}))
    assert scenario.held_out is not None
    assert (scenario.held_out.against, scenario.held_out.called, scenario.default) == (arm, "default", arm)
    assert scenario.candidates[arm] == {"x": 0.5}
    with pytest.raises(InvalidArgument, match=r"that does not race; take it along with default = true"):
        load_scenario(write(tmp_path, RACE, listed, validate={"instances": "new/*"}))


def test_validation_is_a_choice(tmp_path: Path) -> None:
    """Without the table there is none."""
    assert load(tmp_path, None) is None


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (
            {"instances": "new/*", "against": "best"},
            r"against='best' is no candidate; name one of x=1, x=default, x=3",
        ),
        ({"instances": 3}, r"validate.instances: expected text or a list, got a whole number"),
        ({}, r"line 3: validate: missing .*instances"),
        ({"instances": "new/*", "with": "x"}, r"'with' is not known here"),
        ({"instances": "none/*"}, r"validate.instances: instances='none/\*' matches no file"),
        ({"instances": []}, r"validate.instances: instances is empty"),
        ({"instances": ["new/*", "seen/b"]}, r"the race itself runs on .*/seen/b, so"),
        ({"instances": "../*/seen/*"}, r"the race itself runs on .* and \d more, so"),
        ("new/*", r"line 3: validate: expected a table, got text 'new"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, table: Any, said: str) -> None:
    """With the file, the line where it is known, and what was expected; before any budget is spent."""
    with pytest.raises(InvalidArgument, match=said) as refused:
        load(tmp_path, table)
    assert str(tmp_path / "race.toml") in str(refused.value)


def test_mistakes_within_the_table_have_a_line(tmp_path: Path) -> None:
    """As those of other tables."""
    file = write(tmp_path, RACE, [{"x": 1}, {"x": 2}])
    file.write_text(f'{file.read_text()}\n[validate]\ninstances = "new/*"\nagainst = 3\n')
    with pytest.raises(InvalidArgument, match=r"line 6: validate.against: expected text, got a whole number"):
        load_scenario(file)
    (tmp_path / "seen").mkdir()
    (tmp_path / "seen" / "a").touch()
    file.write_text(file.read_text().replace("against = 3", 'against = "best"'))
    with pytest.raises(InvalidArgument, match=r"line 5: validate.instances: instances=.* matches no file"):
        load_scenario(file)
    file.write_text(file.read_text().replace("new/*", "race.t?ml"))
    with pytest.raises(InvalidArgument, match=r"line 6: validate.against: against='best' is no candidate"):
        load_scenario(file)


def test_links_to_instances_of_the_race_are_these(tmp_path: Path) -> None:
    """Another name does not make a file new."""
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "link").symlink_to(tmp_path / "seen" / "a")
    with pytest.raises(InvalidArgument, match=r"the race itself runs on .*/new/link"):
        load(tmp_path, {"instances": "new/*"})


def test_names_that_are_no_text_are_refused(tmp_path: Path) -> None:
    """A record could not hold them."""
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / os.fsdecode(b"z\xff")).touch()
    with pytest.raises(InvalidArgument, match="cannot be written down"):
        load(tmp_path, {"instances": "new/*"})


def test_a_race_without_instances_cannot_be_validated(tmp_path: Path) -> None:
    """There is nothing that could be held out."""
    with pytest.raises(InvalidArgument, match="this race has none"):
        load(tmp_path, {"instances": "new/*"}, command=["cat", "{x}"], instances=None)
