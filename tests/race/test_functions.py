"""Python functions raced: in processes of their own, with the journal and the report of any race."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from heats import race_functions
from heats.cli.app import run as heats
from heats.errors import InvalidArgument
from heats.race.functions import locate
from heats.race.outcome import AllCrashed
from tests.race.programs import token, wait_until_gone
from tests.race.solvers import double, doze, fail, glance, idle, leave, linger, nap, triple

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads the process table of Linux")


def test_the_first_to_return_wins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The winner is the function itself; heats report says the same of the journal."""
    journal = tmp_path / "race.jsonl"
    found = race_functions(
        [doze, nap, fail], [1, 2.5], budget=3, cutoff=20, heat_size=3, mode="parallel", journal=journal
    )
    assert found.winner is nap
    assert (found.race.heats, found.race.without_winner, found.spent) == (3, 0, 3)
    assert capsys.readouterr().err == ""
    assert "winner:     nap" in str(found)
    assert heats(["report", str(journal), "--html", str(tmp_path / "race.html"), "--json"]) == 0
    assert capsys.readouterr().out == found.to_json() + "\n"
    assert "The best of 3 candidates" in found.to_html()


def test_losers_are_stopped_with_all_they_started() -> None:
    """Nothing is left running."""
    mark = token()
    found = race_functions([linger, glance], [mark], budget=1, cutoff=20, mode="parallel", slots=2)
    assert found.winner is glance
    assert wait_until_gone(mark) == []


@pytest.mark.parametrize(("goal", "best"), [("minimize", double), ("maximize", triple)])
def test_values_are_raced_for(goal: Any, best: object) -> None:
    """The smallest or the largest number that is returned, whatever is printed before."""
    found = race_functions([triple, double], [1, 2], budget=2, cutoff=20, goal=goal)
    assert found.winner is best
    assert (found.race.goal, found.journal) == ("value", None)


def test_functions_may_need_nothing() -> None:
    """Without instances they are called without any; who exits has not returned."""
    assert race_functions([idle, leave], budget=1, cutoff=20).winner is idle


def test_nobody_returns() -> None:
    """Then nobody has won."""
    found = race_functions([doze, leave], [1], budget=1, cutoff="300ms", mode="capped")
    assert (found.winner, found.race.decided) == (None, False)
    assert str(found).startswith("no winner: nobody finished any heat")


def test_functions_that_only_fail_end_the_race() -> None:
    """With their last words."""
    with pytest.raises(AllCrashed, match="ValueError: out of luck"):
        race_functions([fail, leave], [1], budget=9, cutoff=20)


def test_what_is_printed_says_who_failed() -> None:
    """Without a journal, too."""
    found = race_functions([fail, double], [1], budget=2, cutoff=20, goal="minimize")
    assert str(found).endswith("\ncrashed:    fail, 2 of 2 runs (ValueError: out of luck)")


def test_a_race_goes_on_by_its_journal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the same functions, from where it was; the command line leaves that to the program."""
    journal = tmp_path / "race.jsonl"
    whole = race_functions([fail, nap], [1], budget=4, cutoff=20, journal=journal)
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:3]))
    assert heats(["resume", str(journal)]) == 2
    assert "run the program that began it again" in capsys.readouterr().err
    again = race_functions([fail, nap], [1], budget=4, cutoff=20, journal=journal)
    assert (again.winner, again.report.spent) == (whole.winner, 4)
    assert journal.read_bytes().splitlines(keepends=True)[:3] == lines[:3]
    for functions, cutoff in (([fail, nap], 10), ([fail, glance], 20)):
        with pytest.raises(InvalidArgument):
            race_functions(functions, [1], budget=4, cutoff=cutoff, journal=journal)
    (tmp_path / "other.jsonl").write_bytes(journal.read_bytes().splitlines()[1])
    with pytest.raises(InvalidArgument):
        race_functions([fail, nap], [1], budget=4, cutoff=20, journal=tmp_path / "other.jsonl")


def test_what_cannot_be_raced_is_refused() -> None:
    """Functions nobody finds by their name, instances that are no JSON, arguments of the wrong kind."""

    def within(number: int) -> None:
        pass

    for function in (lambda: 0, within, "nap", 3, nap.__call__):
        with pytest.raises(InvalidArgument, match="cannot be raced"):
            race_functions([nap, function], [1], budget=2, cutoff=1)
    for instances in ("letters", {1, 2}, {"a": 1}, 3):
        with pytest.raises(InvalidArgument, match="must be a list of what"):
            race_functions([nap, doze], instances, budget=2, cutoff=1)
    with pytest.raises(InvalidArgument, match=r"instances=\[\] has nothing to call the functions with"):
        race_functions([nap, doze], [], budget=2, cutoff=1)
    for instance in (object(), "x" * 200_000):
        with pytest.raises(InvalidArgument, match="cannot be handed to another process"):
            race_functions([nap, doze], [instance], budget=2, cutoff=1)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"budget": "many"}, "budget='many' must be something else: expected a whole number, got text"),
        ({"cutoff": None}, "cutoff=None must be"),
        ({"cutoff": "soon"}, "must be a time above 0"),
        ({"goal": "win"}, "goal='win' is unknown; choose one of minimize, maximize"),
        ({"mode": "fast"}, "mode='fast' is unknown; choose one of parallel, capped"),
        ({"clock": "sun"}, "clock='sun' is unknown; choose one of wall, cpu"),
        ({"clock": 3}, "clock=3 must be something else: expected text, got a whole number"),
        ({"slots": 0}, "slots"),
        ({"names": ["one"]}, "names"),
    ]
    for arguments, said in wrong:
        given: dict[str, Any] = {"budget": 2, "cutoff": 1} | arguments
        with pytest.raises(InvalidArgument, match=said):
            race_functions([nap, doze], [1], **given)


def test_functions_have_an_address() -> None:
    """That of their module, the library's included."""
    assert locate(nap) == "tests.race.solvers:nap"
    assert locate(json.loads) == "json:loads"


PROGRAM = """\
import time
def nap(number): time.sleep(0.01 * number)
def doze(number): time.sleep(30)
{guard}
    import heats
    print(heats.race_functions([doze, nap], [1], budget=1, cutoff=20, mode="parallel").winner.__name__)
"""


def test_functions_of_the_program_itself(tmp_path: Path) -> None:
    """Are found if the call stands under its guard; else the race ends with a sentence, not in endless imports."""
    file = tmp_path / "a {program}.py"
    file.write_text(PROGRAM.format(guard='if __name__ == "__main__":'))
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("nap\n", 0)
    file.write_text(PROGRAM.format(guard="if True:"))
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=False)
    assert "so that only the program itself makes it" in done.stderr
    typed = PROGRAM.format(guard="if True:")
    done = subprocess.run([sys.executable, "-c", typed], capture_output=True, text=True, check=False)
    assert "typed into a prompt or a notebook" in done.stderr


@pytest.mark.parametrize("seed", [0, 1])
def test_a_function_that_fails_is_behind_one_that_returns_a_number(seed: int) -> None:
    """Also if it is the only other one in the heat."""
    assert race_functions([fail, double], [1, 2], budget=3, cutoff=20, goal="minimize", seed=seed).winner is double


def test_instances_whose_keys_json_would_change_are_refused() -> None:
    """1 would come back as "1"."""
    with pytest.raises(InvalidArgument, match="with texts for keys"):
        race_functions([double, triple], [{1: 2.0}], budget=2, cutoff=3)
