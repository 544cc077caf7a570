"""Champion and challengers: a race that is over goes on against new candidates, and loses nothing on the way."""

from __future__ import annotations

import csv
import json
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from heats import race_functions
from heats.cli.app import run as heats
from heats.journal import Log
from heats.journal.events import SEAL_BYTES, Chain
from heats.race.result import read_race
from heats.race.run import reload_scenario
from tests.race.programs import token, wait_until_gone
from tests.race.scenarios import SLEEPERS, write
from tests.race.solvers import idle, rest
from tests.race.test_run import told, wait_for_heats

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads the process table of Linux")

VALUES = {
    "command": ["sh", "-c", "echo cost={cost} $0", "{instance}"],
    "objective": r"cost=(\S+)",
    "instances": "*.cnf",
    "budget": 6,
    "cutoff": "20s",
    "heat_size": 3,
}
SPACE: dict[str, Any] = {"sample": 4, "cost": {"float": [0, 1]}}


def begin(folder: Path, *, listed: Any = None, space: Any = SPACE, files: int = 40, **race: Any) -> Path:
    """Return the journal of a race that is over: the smallest cost wins."""
    for number in range(files):
        (folder / f"{number:02}.cnf").touch()
    journal = folder / "run.jsonl"
    assert heats(["race", str(write(folder, VALUES | race, listed, space=space)), "--journal", str(journal)]) == 0
    return journal


def go_on(journal: Path, *options: str) -> int:
    return heats(["race", "--continue", str(journal), *options])


def read(journal: Path) -> Log:
    log, _ = read_race(str(journal))
    return log


def find_best(log: Log) -> int:
    return min(range(len(log.values)), key=lambda arm: log.values[arm]["cost"])


def test_a_better_challenger_wins_on_new_instances(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The best of all that were ever drawn; each heat has an instance that no other had, and reports know the winner."""
    journal, page, table = begin(tmp_path), tmp_path / "run.html", tmp_path / "run.csv"
    champion = read(journal).machine.winner
    capsys.readouterr()
    assert go_on(journal, "--more", "9", "-B", "+12", "--json", "--html", str(page), "--csv", str(table)) == 0
    seen = capsys.readouterr()
    log, result = read(journal), json.loads(seen.out)
    winner = find_best(log)
    assert winner >= 4
    assert champion == min(range(4), key=lambda arm: log.values[arm]["cost"])
    assert (result["report"]["winner"], result["report"]["spent"], log.machine.n_arms) == (winner, 18, 13)
    assert "heats: 9 new candidates, 12 heats to run. The journal is" in seen.err
    assert "one of the 9 new candidates has won" in seen.err
    used = Counter(each["notes"]["instance"] for each in told(journal))
    assert (len(used), max(used.values())) == (18, 1)
    entrant = result["race"]["winner"]
    assert entrant["parameters"] == log.values[winner]
    assert f"echo cost={log.values[winner]['cost']} $0" in entrant["command_line"]
    assert subprocess.run(["sh", "-c", entrant["command_line"]], check=False, capture_output=True).returncode == 0
    assert entrant["name"] in page.read_text()
    assert len(list(csv.DictReader(table.read_text().splitlines()))) == 13


def test_the_champion_stays_if_nobody_is_better(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever challenges it, and however often; a parent may lie outside of the space."""
    journal = begin(tmp_path, listed=[{"cost": -1}], files=9)
    for around in ("0", "0.5", "1"):
        capsys.readouterr()
        assert go_on(journal, "--more", "6", "-B", "+6", "--around", around) == 0
        seen = capsys.readouterr()
        assert seen.out.startswith("winner:     cost=-1\n")
        assert "none of the 6 new candidates has won" in seen.err
    assert "new instances: none of the 9. Then all come again, in a new order" in seen.err
    log = read(journal)
    near = [arm for arm, each in log.challengers.items() if each.parent is not None]
    assert (log.machine.n_arms, len(log.challengers), len(near)) == (23, 18, 9)
    assert all(0 <= each["cost"] <= 1 for each in log.values[1:])
    assert len({each["cost"] for each in log.values}) == 23


def test_mutations_are_no_random_sample(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With them nothing is said about the best 30 %; without, of as many as were drawn in all."""
    journal = begin(tmp_path, space={"top": "30%", "confidence": "90%", "cost": {"float": [0, 1]}})
    capsys.readouterr()
    assert go_on(journal, "--more", "5", "-B", "+9") == 0
    assert re.search(r"among the best 30% of the space .* none of the 12 drawn is", capsys.readouterr().out)
    assert go_on(journal, "--more", "4", "-B", "+9", "--around", "0.25") == 0
    assert "of the space" not in capsys.readouterr().out
    assert heats(["report", str(journal), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["race"]["top"] is None


def test_the_scenario_may_say_how_many_are_near(tmp_path: Path) -> None:
    """At any time: it decides nothing that was raced; the command line has the last word."""
    journal = begin(tmp_path, space=SPACE | {"around": 1})
    assert go_on(journal, "--more", "2", "-B", "+4") == 0
    assert [each.parent is None for each in read(journal).challengers.values()] == [False] * 2
    write(tmp_path, VALUES, space=SPACE)
    assert go_on(journal, "--more", "2", "-B", "+4") == 0
    write(tmp_path, VALUES, space=SPACE | {"around": 0.2})
    assert go_on(journal, "--more", "2", "-B", "+4", "--around", "0.5") == 0
    fresh = [each.parent is None for each in read(journal).challengers.values()]
    assert fresh == [False, False, True, True, False, True]


def test_equal_seeds_draw_equal_challengers(tmp_path: Path) -> None:
    """In the same order, with the same names and parents, and the race that is gone on with is the same."""
    reports = []
    for name in "ab":
        (tmp_path / name).mkdir()
        journal = begin(tmp_path / name)
        assert go_on(journal, "--more", "6", "-B", "+6", "--around", "0.5") == 0
        log = read(journal)
        reports.append((log.candidates, log.machine.report().to_json()))
    assert reports[0] == reports[1]


def test_candidates_of_the_scenario_still_come_in(tmp_path: Path) -> None:
    """After challengers, as before; those that a larger sample has as well are in the race already."""
    journal = begin(tmp_path)
    assert go_on(journal, "--more", "2", "-B", "+4") == 0
    known = read(journal).values
    write(tmp_path, VALUES, space=SPACE | {"sample": 7})
    assert heats(["extend", str(journal), "-B", "+9"]) == 0
    assert heats(["resume", str(journal)]) == 0
    log = read(journal)
    assert log.values[:6] == known
    assert (log.machine.n_arms, list(log.challengers)) == (7, [4, 5])
    assert go_on(journal, "--more", "2", "-B", "+4") == 0
    scenario, _ = reload_scenario(log := read(journal))
    assert list(log.challengers) == [4, 5, 7, 8]
    assert scenario.candidates == log.values
    assert scenario.names == log.names


def test_challengers_can_be_validated_against(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A race that validates does so again for a new champion, and any of them may be named."""
    (tmp_path / "test").mkdir()
    for name in "abc":
        (tmp_path / "test" / name).touch()
    journal = tmp_path / "run.jsonl"
    (tmp_path / "1.cnf").touch()
    file = write(tmp_path, VALUES, space=SPACE, validate={"instances": "test/*", "against": "#1"})
    assert heats(["race", str(file), "--journal", str(journal)]) == 0
    capsys.readouterr()
    assert go_on(journal, "--more", "9", "-B", "+9", "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["report"]["winner"] == result["race"]["validation"]["winner"]["arm"] >= 4
    record = tmp_path / "run.validation.jsonl"
    record.write_bytes(b"".join(record.read_bytes().splitlines(keepends=True)[:-1]))
    assert go_on(journal, "--more", "9", "-B", "+9", "--json") == 0  # its end was torn off: that is all there is to do
    seen = capsys.readouterr()
    assert "are in the race of" in seen.err
    assert json.loads(seen.out)["race"]["validation"] is not None
    assert heats(["validate", str(journal), "--against", "#5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["race"]["validation"]["against"]["arm"] == 5


# Interruptions.


@pytest.mark.parametrize("again", ["same", "resume"])
def test_kill_9_while_it_goes_on_loses_nothing(tmp_path: Path, again: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Doing the same again goes on, and so does heats resume: nobody comes in twice, no heat is run twice."""
    mark, journal = token(), tmp_path / "race.jsonl"
    race = SLEEPERS | {"command": ["sh", "-c", "sleep {nap}; true " + mark], "budget": 2, "slots": 2}
    space = {"sample": 3, "nap": {"float": [0.1, 0.2]}}
    assert heats(["race", str(write(tmp_path, race, space=space)), "--journal", str(journal)]) == 0
    options = ["race", "--continue", str(journal), "--more", "3", "-B", "+6", "--around", "0.4"]
    racing = subprocess.Popen([sys.executable, "-m", "heats", *options], stderr=subprocess.DEVNULL)
    wait_for_heats(journal, 4)
    racing.send_signal(signal.SIGKILL)
    racing.wait()
    assert wait_until_gone(mark) == []
    kept, candidates = told(journal), read(journal).candidates
    assert 4 <= len(kept) < 8
    capsys.readouterr()
    assert heats(options if again == "same" else ["resume", str(journal)]) == 0
    assert ("are in the race of" in capsys.readouterr().err) == (again == "same")
    log = read(journal)
    assert log.candidates == candidates
    assert told(journal)[: len(kept)] == kept
    assert sorted(each["id"] for each in told(journal)) == list(range(8))


def test_a_line_that_was_torn_off_is_written_again(tmp_path: Path) -> None:
    """A crash within the very line that takes them in leaves the race as it was; the same again draws the same."""
    journal = begin(tmp_path)
    options = ["--more", "5", "-B", "+6", "--around", "0.5"]
    assert go_on(journal, *options) == 0
    lines, drawn = journal.read_bytes().splitlines(keepends=True), read(journal).candidates
    at = next(number for number, line in enumerate(lines) if line.startswith(b'{"event":"extended"'))
    for cut in (20, len(lines[at]) - 1):
        journal.write_bytes(b"".join(lines[:at]) + lines[at][:cut])
        assert read(journal).machine.n_arms == 4
        assert go_on(journal, *options) == 0
        assert read(journal).candidates == drawn


def test_a_line_that_only_lost_its_end_is_there(tmp_path: Path) -> None:
    """Also of a race that was under way: who goes on with it has everybody who came in."""
    journal = begin(tmp_path)
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:4]))
    assert go_on(journal, "--more", "5", "-B", "+6") == 0
    lines, drawn = journal.read_bytes().splitlines(keepends=True), read(journal).candidates
    at = next(number for number, line in enumerate(lines) if line.startswith(b'{"event":"extended"'))
    journal.write_bytes(b"".join(lines[: at + 1]).removesuffix(b"\n"))
    assert read(journal).machine.n_arms == 4
    assert heats(["resume", str(journal)]) == 0
    assert read(journal).candidates == drawn
    assert read(journal).machine.spent == 12


def test_a_race_that_was_over_goes_on_by_a_line_that_only_lost_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As if it had its end: heats resume runs its heats, and what it gave counts for heats extend."""
    journal = begin(tmp_path)
    before = journal.read_bytes()
    assert go_on(journal, "--more", "5", "-B", "+6") == 0
    lines, drawn = journal.read_bytes()[len(before) :].splitlines(keepends=True), read(journal).candidates
    at = next(number for number, line in enumerate(lines) if line.startswith(b'{"event":"extended"'))
    torn = before + b"".join(lines[: at + 1]).removesuffix(b"\n")
    journal.write_bytes(torn)
    assert heats(["resume", str(journal)]) == 0
    assert read(journal).candidates == drawn
    assert read(journal).machine.spent == 12
    journal.write_bytes(torn)
    assert heats(["validate", str(journal), "--instances", "*.cnf"]) == 2
    assert "is not over; go on with it first: heats resume" in capsys.readouterr().err
    assert heats(["extend", str(journal), "-B", "15"]) == 0
    assert (read(journal).machine.budget, read(journal).candidates) == (15, drawn)


@pytest.mark.parametrize("known", [b'"other":1', b'"json":[1]', b'"json":{"cost":[1]}', b'"json":{"price":1}'])
def test_challengers_that_no_race_wrote_are_refused(
    tmp_path: Path, known: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    """A journal is somebody's file: without parameters, or with those of another command, nothing is run."""
    journal = begin(tmp_path)
    chain, lines = Chain(), []
    for line in journal.read_bytes().splitlines():
        assert chain.accept(line)
        lines.append(line)
    forged = b'{"event":"extended","pulls":4,"at":"2026-01-01T00:00:00Z","added":[{"name":"x",' + known + b"}]"
    seal = b',"crc":"%08x"}' % chain._sum(forged + b"0" * SEAL_BYTES)
    journal.write_bytes(b"\n".join([*lines, forged + seal]) + b"\n")
    capsys.readouterr()
    assert heats(["resume", str(journal)]) in (1, 2)
    seen = capsys.readouterr().err
    assert "but not its parameters" in seen or "has no cost" in seen
    assert "Traceback" not in seen


# What cannot be.


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("--continue {run}", "--continue draws new candidates; say how many, as in heats race --continue"),
        ("--continue {run} --more 0 -B +3", "--more 0 must be at least 1"),
        ("--continue {run} --more -4 -B +3", "--more -4 must be at least 1"),
        ("--continue {run} --more many -B +3", "--more many must be a whole number"),
        ("--continue {run} --more 3", "say how many heats come with the --more 3 candidates"),
        ("--continue {run} --more 3 -B 50", "--budget 50 must say how many more heats to run, with a plus; say -B +50"),
        ("--continue {run} --more 3 -B +0", "--budget +0 must say how many more heats"),
        ("--continue {run} --more 3 -B -5", "--budget -5 must say how many more heats"),
        ("--continue {run} --more 3 -B some", "--budget some must say how many more heats"),
        ("--continue {run} --more 3 -B +9999999", "more than adaptive play can deal"),
        ("--continue {run} --more 10 -B +3", "--more 10 new candidates do not fit into +3 heats of 3; give them at"),
        ("--continue {run} --more 10000 -B +9999", "--more 10000 new candidates beside the 4 there are too many"),
        ("--continue {run} --more 3 -B +9 --around 2", "--around 2.0 must be a number in [0, 1]"),
        ("--continue {run} --more 3 -B +9 --around nan", "--around nan must be a number in [0, 1]"),
        ("--continue {run} --more 3 -B +9 --cutoff 1s", "as it began; leave out --cutoff 1s"),
        ("--continue {run} --more 3 -B +9 --seed 0", "as it began; leave out --seed 0"),
        ("--continue {run} --more 3 -B +9 --check", "as it began; leave out --check"),
        ("--continue {run} {file} --more 3 -B +9", "as it began; leave out {file}"),
        ("--continue {run}.none --more 3 -B +9", "run.jsonl.none does not exist"),
        ("--continue {file} --more 3 -B +9", "race.toml is not a journal of heats"),
        ("{file} --more 3", "--more 3 is about new candidates of a race that has begun"),
        ("{file} --around 0.5", "--around 0.5 is about new candidates of a race that has begun"),
        ("{file} -B +5", "--budget +5 gives a race that has begun so many more heats"),
        ("{file} -B five", "--budget five must be a whole number: how many heats to run"),
    ],
)
def test_a_wrong_request_is_one_sentence(
    tmp_path: Path, over: Path, line: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With exit code 2, and nothing changes."""
    file, before = over.with_name("race.toml"), over.read_bytes()
    assert heats(["race", *line.format(run=over, file=file).split()]) == 2
    seen = capsys.readouterr()
    assert sentence.format(file=file) in seen.err
    assert (seen.out, "Traceback" in seen.err) == ("", False)
    assert over.read_bytes() == before


@pytest.fixture(scope="module")
def over(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A race that is over, to be left as it is."""
    return begin(tmp_path_factory.mktemp("over"))


@pytest.mark.parametrize("around", ['"half"', "-0.1", "1.5", "true", "nan", "[0.5]"])
def test_a_wrong_share_in_the_scenario_has_its_line(
    tmp_path: Path, around: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything runs."""
    file = write(tmp_path, SLEEPERS)
    file.write_text(f"{file.read_text()}[space]\nsample = 2\nnap = {{ float = [0, 1] }}\naround = {around}\n")
    assert heats(["race", str(file)]) == 2
    assert f"{file}, line 5: space.around=" in (seen := capsys.readouterr().err)
    assert "must be a number in [0, 1]: the share of new candidates" in seen


def test_a_parameter_may_be_called_around(tmp_path: Path) -> None:
    """It is a table then."""
    space = {"sample": 3, "around": {"float": [0, 1]}}
    journal = begin(tmp_path, space=space, command=["echo", "cost={around}"], instances=None)
    assert set(read(journal).values[0]) == {"around"}


def test_a_scenario_that_changed_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the file, what it was and what it is; the journal stays as it is."""
    journal = begin(tmp_path)
    before = journal.read_bytes()
    wider = {"sample": 4, "cost": {"float": [0, 2]}}
    for race, listed, space, sentence in (
        (
            VALUES | {"cutoff": "1s"},
            None,
            SPACE,
            "race.toml has changed since the race of .*: its cutoff was 20.0 and is",
        ),
        (VALUES, None, wider, "run.jsonl holds another run: its candidate #0 is .*, not"),
        (VALUES | {"strategy": "planned"}, None, SPACE, "run.jsonl holds another run: its machine is adaptive, not"),
        (VALUES | {"heat_size": 2}, None, SPACE, "run.jsonl holds another run: its heat_size is 3, not 2"),
        (VALUES, read(journal).values, None, r"race.toml has no \[space\] to draw new candidates from; describe one"),
    ):
        write(tmp_path, race, listed and list(listed), space=space)
        capsys.readouterr()
        assert go_on(journal, "--more", "3", "-B", "+5", "--around", "0.5") == 2
        assert re.search(sentence, capsys.readouterr().err)
        assert journal.read_bytes() == before
    (tmp_path / "race.toml").unlink()
    assert go_on(journal, "--more", "3", "-B", "+5") == 2
    assert "race.toml cannot be read" in capsys.readouterr().err


def test_a_space_that_is_used_up_is_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In words of the command line."""
    journal = begin(tmp_path, space={"sample": 3, "cost": {"int": [1, 5]}})
    for around in ("0", "1"):
        assert go_on(journal, "--more", "3", "-B", "+5", "--around", around) == 2
        assert "--more 3 is more than the space holds" in capsys.readouterr().err


def test_other_runs_have_no_challengers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A plan, a demo, functions, and a race of which no heat was run that could say who is best: each is told why."""
    planned = begin(tmp_path, strategy="planned")
    demo, functions = tmp_path / "demo.jsonl", tmp_path / "functions.jsonl"
    assert heats(["demo", "-B", "9", "--strategy", "adaptive", "--journal", str(demo)]) == 0
    race_functions([idle, rest], budget=1, cutoff=20, journal=functions)
    capsys.readouterr()
    for journal, sentence in (
        (planned, "is a race that was planned, which takes no new candidates"),
        (demo, "is not a race of programs; only these have a space"),
        (functions, "is a race of Python functions, which has no space to draw from; run the program"),
    ):
        assert go_on(journal, "--more", "3", "-B", "+5") == 2
        assert sentence in capsys.readouterr().err


def test_nobody_leads_before_the_first_heat(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """So nobody can be drawn around; without that, new candidates may come in at once."""
    journal = begin(tmp_path)
    journal.write_bytes(journal.read_bytes().splitlines(keepends=True)[0])
    assert go_on(journal, "--more", "3", "-B", "+5", "--around", "0.5") == 2
    assert (
        "no heat was run yet that could say who is; go on with the race first: heats resume" in capsys.readouterr().err
    )
    assert go_on(journal, "--more", "3", "-B", "+5") == 0
    assert (read(journal).machine.spent, read(journal).machine.n_arms) == (11, 7)


def test_nobody_comes_into_a_batch_under_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """If none comes after it the race goes on first, and then they come in; the refusal changes nothing."""
    journal = begin(tmp_path, batches=1)
    journal.write_bytes(begun := b"".join(journal.read_bytes().splitlines(keepends=True)[:3]))
    capsys.readouterr()
    assert go_on(journal, "--more", "9", "-B", "+3") == 2
    seen = capsys.readouterr().err
    assert f"--more 9 new candidates cannot come in now: {journal} is within a batch of heats, after which" in seen
    assert f"there is room for none. Let it end first, with heats resume {journal}, then do the same again" in seen
    assert journal.read_bytes() == begun
    assert heats(["resume", str(journal)]) == 0
    assert go_on(journal, "--more", "9", "-B", "+3") == 0
    assert (read(journal).machine.spent, read(journal).machine.n_arms) == (9, 13)


def test_functions_are_gone_on_with_by_their_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever is asked of their journal: no heats resume would do it."""
    journal = tmp_path / "functions.jsonl"
    race_functions([idle, rest], budget=1, cutoff=20, journal=journal)
    assert heats(["validate", str(journal), "--instances", "x"]) == 2
    assert heats(["extend", str(journal), "-B", "+2"]) == 0
    seen = "".join(capsys.readouterr())
    assert "whose instances only its program has" in seen
    assert "Run the program that began it again, with the same journal" in seen
    assert "heats resume" not in seen
    assert race_functions([idle, rest], budget=1, cutoff=20, journal=journal).spent == 3
