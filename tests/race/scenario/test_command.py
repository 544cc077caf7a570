"""Command lines: what stands where, and no shell anywhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heats.errors import InvalidArgument
from heats.race.scenario.command import check_command, fill_command, has_placeholder, name_candidate


def test_placeholders_are_filled() -> None:
    """Anywhere in an argument, any number of times; doubled braces are braces."""
    command = ["solve", "-x={x}", "{x}{y}", "{{{y}}}", "{instance}"]
    line = fill_command(command, {"x": 1.5, "y": True, "instance": "a b.cnf"})
    assert line == ("solve", "-x=1.5", "1.5true", "{true}", "a b.cnf")
    assert fill_command(command, {"x": 1, "y": 2}, leave=["instance"])[-1] == "{instance}"


@given(st.text())
def test_an_argument_stays_one_argument(value: str) -> None:
    """Whatever a value holds: braces, blanks, quotes, dollar signs."""
    assert fill_command(["solve", "--name={name}"], {"name": value}) == ("solve", f"--name={value}")


def test_inner_lists_are_left_out_without_their_parameter() -> None:
    """For parameters that not every candidate has."""
    command = ["solve", ["--restarts", "{restarts}", "--fast"], ["-v"], "{instance}"]
    assert fill_command(command, {"restarts": 3, "instance": "i"}) == ("solve", "--restarts", "3", "--fast", "-v", "i")
    assert fill_command(command, {"instance": "i"}) == ("solve", "-v", "i")
    check_command(command, [{"restarts": 3}, {}])
    assert has_placeholder(command, "restarts")
    assert not has_placeholder(command, "seed")


@pytest.mark.parametrize(
    ("command", "candidate", "sentence"),
    [
        (["solve", "{x}", "{y}"], {"x": 1}, r"has \{y\}, but candidate #0 \(x=1\) has no y"),
        (["solve", "{x}"], {"x": 1, "y": 2}, r"has y, but the command has no \{y\}"),
        (["solve", "{seed}"], {"seed": 1}, r"called seed, which the race itself gives"),
        (["solve", "{x"], {"x": 1}, r"brace in the argument '\{x'"),
        (["solve", "x}"], {}, r"brace"),
        (["solve", "{}"], {}, r"brace"),
        ([], {}, r"must begin with a program"),
        ([["solve"]], {}, r"must begin with a program"),
    ],
)
def test_commands_and_candidates_that_do_not_fit(command: list[str], candidate: dict[str, int], sentence: str) -> None:
    """Are refused with both names."""
    with pytest.raises(InvalidArgument, match=sentence):
        check_command(command, [candidate])


@pytest.mark.parametrize(
    ("candidates", "sentence"),
    [
        ([{"x": 1}, {"x": 2}, {"x": "1"}], r"candidates #0 and #2 have the same command line"),
        ([{"x": True}, {"x": "true"}], r"candidates #0 and #1 have the same"),
        ([{"x": "a\0b"}], r"candidate #0 .* has a zero byte"),
    ],
)
def test_command_lines_that_make_no_race(candidates: list[dict[str, str | int]], sentence: str) -> None:
    """Equal ones, and those that cannot be run."""
    with pytest.raises(InvalidArgument, match=sentence):
        check_command(["solve", "{x}"], candidates)


def test_candidates_in_words() -> None:
    """Short, in the order given."""
    assert name_candidate({"b": 1.5, "a": False}) == "b=1.5 a=false"
    assert name_candidate({}) == "no parameters"
