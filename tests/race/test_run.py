"""Whole races of real programs: the right winner, the exact budget, nothing left running, and a journal that goes on."""

from __future__ import annotations

import csv
import html
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from heats.cli.app import run as heats
from heats.errors import InvalidArgument
from heats.race.outcome import AllCrashed
from heats.race.processes.process_table import list_children
from heats.race.result import read_race
from heats.race.run import begin_race, resume_race
from heats.race.scenario import load_scenario
from tests.cli.test_cli import on_a_terminal
from tests.race.programs import alive, token, wait_until_ended, wait_until_gone
from tests.race.scenarios import NAPS, SLEEPERS, write
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads the process table of Linux")


def told(journal: Path) -> list[dict[str, Any]]:
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    return [event for event in events if event["event"] == "told"]


def the_journal(folder: Path) -> Path:
    (found,) = folder.glob("*.jsonl")
    return found


@pytest.mark.parametrize("mode", ["parallel", "capped"])
def test_a_race_from_the_command_line(tmp_path: Path, mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The fastest wins, the budget is spent to the last heat, and everything measured is in the journal."""
    file = write(tmp_path, SLEEPERS, NAPS)
    assert heats(["race", str(file), "--mode", mode, "--seed", "3", "--json"]) == 0
    seen = capsys.readouterr()
    result = json.loads(seen.out)
    report = result["report"]
    assert result["race"]["winner"] == {
        "arm": 0,
        "name": "nap=0.05",
        "parameters": {"nap": 0.05},
        "command": ["sleep", "0.05"],
        "command_line": f"cd {tmp_path} && sleep 0.05",
    }
    assert (report["spent"], report["budget"], report["done"]) == (6, 6, True)
    journal = the_journal(tmp_path)
    assert journal.name.startswith("race-3-")
    assert str(journal) in seen.err
    heats_run = told(journal)
    assert sorted(each["id"] for each in heats_run) == list(range(6))
    for each in heats_run:
        runs = each["notes"]["runs"]
        assert [run["arm"] for run in runs] == each["arms"]
        assert all(run["wall"] > 0 and run["cpu"] >= 0 for run in runs)
        stopped = [run for run in runs if run["verdict"] == "stopped"]
        assert all(("kill_latency" in run) == (mode == "parallel") for run in stopped)


def test_a_race_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The winner, how sure, what it cost, and a line to paste that runs."""
    assert heats(["race", str(write(tmp_path, SLEEPERS, NAPS))]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("winner:     nap=0.05\nrunner-up:  nap=")
    assert "of CPU in all runs" in shown
    assert subprocess.run(["sh", "-c", shown.splitlines()[-1]], check=False).returncode == 0


def test_a_race_as_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the line to paste, CPU time, and every candidate's runs; the text of the journal says the same."""
    race = SLEEPERS | {"command": ["sh", "-c", "sleep {nap} || {{ echo bad nap; exit 3; }}"], "budget": 8}
    target, table = tmp_path / "race.html", tmp_path / "race.csv"
    file = write(tmp_path, race, [*NAPS, {"nap": "<x>"}])
    assert heats(["race", str(file), "--html", str(target), "--csv", str(table)]) == 0
    said = capsys.readouterr().err
    assert f"the report is {target}" in said
    assert f"the table is {table}" in said
    page = target.read_text()
    runs = [run for event in told(the_journal(tmp_path)) for run in event["notes"]["runs"]]
    for arm, name in enumerate(("nap=0.05", "nap=0.5", "nap=0.7", "nap=&lt;x&gt;")):
        mine = [run for run in runs if run["arm"] == arm]
        crashed = sum(run["verdict"] == "crashed" for run in mine)
        row = rf'<td class="text">{name}</td><td>\d+</td><td>{len(mine)}</td><td>[\d.]+ s</td><td>[\d.]+ s</td><td>{crashed}</td>'
        assert re.search(row, page)
    assert f"<pre>cd {tmp_path} &amp;&amp; sh -c" in page
    assert "CPU time of all runs" in page
    assert heats(["report", str(the_journal(tmp_path)), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["race"]["cpu_seconds"] == pytest.approx(sum(run["cpu"] for run in runs))


def test_a_log_has_a_line_per_round(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where there is no terminal for a board."""
    assert heats(["race", str(write(tmp_path, SLEEPERS, NAPS)), "--strategy", "csh"]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("heats: round")]
    assert len(lines) == 2
    assert "heats 6/6 · leader nap=0.05 · CPU" in lines[-1]


def test_heats_run_side_by_side_where_there_is_room(tmp_path: Path) -> None:
    """As many as the slots allow: each of eight runs ends only once all eight have begun."""
    begun = tmp_path / "begun"
    begun.mkdir()
    script = f"touch {begun}/$$; while [ $(ls {begun} | wc -l) -lt 8 ]; do sleep 0.01; done # {{number}}"
    race = SLEEPERS | {"command": ["sh", "-c", script], "mode": "parallel", "budget": 8, "batches": 1, "isolate": False}
    scenario = load_scenario(write(tmp_path, race | {"slots": 8}, [{"number": number} for number in range(4)]))
    assert scenario.heats_at_once == 4
    found = begin_race(scenario, {}, tmp_path / "run.jsonl").result
    assert found.race is not None
    assert (found.race.heats, found.race.winner is None) == (8, False)


def test_a_journal_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every race begins a new one; one that is there is left alone."""
    file = write(tmp_path, SLEEPERS, NAPS)
    kept = tmp_path / "kept.jsonl"
    assert heats(["race", str(file), "--journal", str(kept)]) == 0
    before = kept.read_bytes()
    assert heats(["race", str(file), "--journal", str(kept)]) == 2
    assert f"heats resume {kept} goes on with it" in capsys.readouterr().err
    assert kept.read_bytes() == before
    for _ in range(2):
        assert heats(["race", str(file), "-B", "3"]) == 0
    assert len(list(tmp_path.glob("*.jsonl"))) == 3


def test_nobody_finishes_any_heat(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Then nobody has won, which is a failure."""
    file = write(tmp_path, SLEEPERS, NAPS)
    assert heats(["race", str(file), "--cutoff", "20ms"]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("no winner: nobody finished any heat; raise the cutoff")
    assert "\nunfinished: nobody finished 6 of 6 heats" in shown
    assert "command line" not in shown
    assert heats(["race", str(file), "--cutoff", "20ms", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["report"]["winner"] is None
    journal, page = str(next(tmp_path.glob("*.jsonl"))), tmp_path / "page.html"
    assert heats(["report", journal, "--html", str(page)]) == 0
    assert "no winner: nobody finished any heat" in capsys.readouterr().out
    assert "nobody: no run finished" in page.read_text()
    assert heats(["report", journal, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["report"]["winner"] is None
    write(tmp_path, SLEEPERS | {"objective": r"cost=(\S+)"}, NAPS)
    assert heats(["race", str(file), "-B", "4"]) == 1
    assert "no winner: nobody printed a value" in capsys.readouterr().out


def test_crashes_stop_a_race_however_long_they_take(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two heats of nothing but crashes in a row are enough, if the first one was fine."""
    (tmp_path / "count").touch()
    code = (
        "echo >> count; test $(wc -l < count) -gt 2 && sleep 1.1 && echo out of disk && exit 7; sleep 0.4; true {nap}"
    )
    race = SLEEPERS | {"command": ["sh", "-c", code], "mode": "capped", "slots": 1}
    assert heats(["race", str(write(tmp_path, race, NAPS))]) == 1
    seen = capsys.readouterr().err
    assert "exit code 7" in seen
    assert "  out of disk\n" in seen
    assert len(told(the_journal(tmp_path))) == 2


def test_a_crash_at_start_does_not_burn_the_budget(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The race stops in its first heat, with command, exit code and last lines, and exit code 1."""
    race = SLEEPERS | {"command": ["sh", "-c", "echo no licence; exit 7 # {nap}"]}
    file = write(tmp_path, race, NAPS)
    assert heats(["race", str(file)]) == 1
    seen = capsys.readouterr()
    assert seen.out == ""
    assert "exit code 7" in seen.err
    assert "  no licence\n" in seen.err
    assert "sh -c 'echo no licence" in seen.err
    assert told(the_journal(tmp_path)) == []
    with pytest.raises(AllCrashed):
        begin_race(load_scenario(file, {"mode": "parallel", "slots": 4}), {}, tmp_path / "again.jsonl")


def test_an_exit_code_that_counts_as_a_crash_is_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the list of codes may be what is wrong."""
    race = SLEEPERS | {"command": ["sh", "-c", "exit 10 # {nap}"], "finished": [0]}
    neither = "exit code 10, which neither finished = [0] nor undecided = [0] has"
    assert heats(["race", str(write(tmp_path, race, NAPS))]) == 1
    assert neither in capsys.readouterr().err
    assert heats(["race", str(tmp_path / "race.toml"), "--check"]) == 1
    assert neither in capsys.readouterr().out


def test_values_that_nobody_prints_do_not_burn_the_budget(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After five heats without any the race stops, with what is looked for and what was printed instead."""
    race = SLEEPERS | {"command": ["echo", "costs: {nap}"], "objective": "cost = (.*)", "budget": 50}
    assert heats(["race", str(write(tmp_path, race, NAPS))]) == 1
    seen = capsys.readouterr().err
    assert "no run of 5 heats printed a number where objective = 'cost = (.*)' looks for one" in seen
    assert "\n  echo 'costs: 0." in seen
    assert "exit code 0, and at the end it printed\n  costs: 0." in seen
    assert len(told(the_journal(tmp_path))) == 4


def test_crashes_of_some_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They lose, and the report says how often and with which words."""
    race = SLEEPERS | {"command": ["sh", "-c", "sleep {nap} || {{ echo bad nap; exit 3; }}"], "budget": 8}
    assert heats(["race", str(write(tmp_path, race, [*NAPS, {"nap": "x"}]))]) == 0
    assert "\ncrashed:    nap=x, " in (shown := capsys.readouterr().out)
    assert "runs (bad nap)" in shown


def test_the_winner_of_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With an objective the feedback is numeric, and the best mean wins."""
    race = SLEEPERS | {"command": ["echo", "cost={nap}"], "objective": r"cost=(\S+)"}
    assert heats(["race", str(write(tmp_path, race, NAPS)), "--strategy", "planned", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["race"]["winner"]["parameters"] == {"nap": 0.05}
    assert report["report"]["sureness"]["quantity"] == "lead"
    assert told(the_journal(tmp_path))[0]["feedback"][0] < 0


@pytest.mark.parametrize(("statistic", "best"), [("rank", 1.0), ("ratio", 1.0)])
def test_values_of_unlike_instances(
    tmp_path: Path, statistic: str, best: float, capsys: pytest.CaptureFixture[str]
) -> None:
    """Made comparable heat by heat: the journal keeps the values, the tournament is told ranks or ratios."""
    race = SLEEPERS | {"command": ["echo", "cost={nap}"], "objective": r"cost=(\S+)", "statistic": statistic}
    assert heats(["race", str(write(tmp_path, race, NAPS)), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["race"]["winner"]["parameters"] == {"nap": 0.05}
    for each in told(the_journal(tmp_path)):
        assert max(each["feedback"]) == best
        assert sorted(run["value"] for run in each["notes"]["runs"])[0] in (0.05, 0.5)


def test_a_value_without_a_ratio_ends_the_race_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was raced before is kept."""
    race = SLEEPERS | {"command": ["echo", "cost={nap}"], "objective": r"cost=(\S+)", "statistic": "ratio"}
    assert heats(["race", str(write(tmp_path, race, [{"nap": -1}, {"nap": -2}]))]) == 1
    shown = capsys.readouterr().err
    assert 'race.statistic = "ratio" needs values of 0 or more' in shown
    assert "Traceback" not in shown


def test_a_race_among_the_best_of_a_space(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Text, page, JSON and the journal state both errors; the leaders are there with all their values, and as CSV."""
    race = SLEEPERS | {"command": ["echo", "cost={nap}"], "objective": r"cost=(\S+)", "budget": 40, "heat_size": 3}
    space = {"top": "30%", "confidence": "90%", "default": True, "nap": {"float": [0, 1], "default": 0.5}}
    file, page, table = write(tmp_path, race, [{"nap": 2}], space=space), tmp_path / "x.html", tmp_path / "x.csv"
    assert heats(["race", str(file), "--html", str(page), "--csv", str(table)]) == 0
    shown = capsys.readouterr().out
    stated = re.search(r"among the best 30% of the space with a chance of at least (\d+)%: unless none of the 7", shown)
    assert stated is not None
    assert int(stated[1]) > 80
    assert "mong the best 30% of the space with a chance of at least" in page.read_text()
    assert heats(["report", str(the_journal(tmp_path)), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    top = result["race"]["top"]
    assert (top["share"], top["candidates"], top["sampling_error"]) == (0.3, 7, pytest.approx(0.7**7, abs=1e-6))
    assert top["chance"] == pytest.approx(1 - top["sampling_error"] - top["tournament_error"], abs=2e-6)
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [row["place"] for row in rows] == [str(place) for place in range(1, 10)]
    assert float(rows[0]["nap"]) == result["race"]["winner"]["parameters"]["nap"]
    leaders = shown[shown.index("the leading candidates in full:") :].splitlines()
    assert [line.split()[0] for line in leaders[1:5]] == ["candidate", "place", "chance", "nap"]
    assert rows[0]["nap"] in leaders[4]


def test_an_odd_place_for_the_table_is_refused_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No journal is begun, and the scenario is not written over."""
    file, journal = write(tmp_path, SLEEPERS, NAPS), str(tmp_path / "x.jsonl")
    before = file.read_text()
    for options, said in (
        (["--csv", str(tmp_path / "no" / "x.csv")], "there is no folder"),
        (["--csv", str(file)], "is there and is not a table that heats wrote"),
        (["--csv", journal, "--journal", journal], "are one file; give each its own"),
    ):
        assert heats(["race", str(file), *options]) == 2
        assert said in " ".join(capsys.readouterr().err.split())
    assert file.read_text() == before
    assert not list(tmp_path.glob("*.jsonl"))


# Interruptions.

SLOW = SLEEPERS | {"command": ["sh", "-c", "sleep {nap}; sleep {mark} & sleep 0.1; exit {code}"], "budget": 10}


def slow(folder: Path, mark: str) -> Path:
    naps = [{"nap": nap, "mark": mark, "code": 0} for nap in (0.01, 0.2, 0.3, 0.4)]
    return write(folder, SLOW, naps)


def start(file: Path, journal: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "heats", "race", str(file), "--journal", str(journal), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_heats(journal: Path, count: int) -> None:
    wait_until(lambda: journal.exists() and len(told(journal)) >= count)


@pytest.mark.parametrize("options", [("--mode", "parallel", "--slots", "8"), ("--mode", "capped", "--slots", "1")])
def test_kill_9_leaves_nothing_running_and_the_race_goes_on(
    tmp_path: Path, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Every heat that was told is kept, none is run twice, and the winner is the same."""
    mark, journal = token(), tmp_path / "race.jsonl"
    file = slow(tmp_path, mark)
    racing = start(file, journal, *options)
    wait_for_heats(journal, 3)
    guardians = list_children(racing.pid)
    assert guardians
    racing.kill()
    racing.communicate()
    assert wait_until_gone(mark) == []
    assert wait_until_ended(guardians) == []
    kept = told(journal)
    assert 3 <= len(kept) < 10
    assert heats(["resume", str(journal), "--json"]) == 0
    report = capsys.readouterr().out
    winner = json.loads(report)["race"]["winner"]
    assert winner["arm"] == 0
    after = told(journal)
    assert after[: len(kept)] == kept
    assert sorted(event["id"] for event in after) == list(range(10))
    assert alive(mark) == []
    for command in ("resume", "report"):  # it is over: told at once
        assert heats([command, str(journal)]) == 0
        shown = capsys.readouterr().out
        assert winner["name"] in shown
        assert shown.endswith(f"the winner's command line:\n  {winner['command_line']}\n")


@pytest.mark.parametrize("how", [{"strategy": "adaptive", "batches": 3}, {"early": True, "record": "off"}])
def test_other_ways_to_play(tmp_path: Path, how: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    """Adaptive play, and heats that end early: raced, reported, cut off and gone on with like any other."""
    file = write(tmp_path, SLEEPERS | {"budget": 12} | how, NAPS)
    assert heats(["race", str(file), "--mode", "capped", "--slots", "2"]) == 0
    journal, page = the_journal(tmp_path), tmp_path / "race.html"
    assert capsys.readouterr().out.startswith("winner:     nap=0.05\n")
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:4]))
    assert heats(["resume", str(journal), "--json", "--html", str(page)]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["race"]["winner"]["arm"] == 0
    report, early = result["report"], "early" in how
    assert (report["saved"] > 0, report["spent"] + report["saved"]) == (early, 12)
    assert ("<dt>pulls saved</dt>" in page.read_text(encoding="utf-8")) == early
    write(tmp_path, SLEEPERS | {"budget": 12} | how | ({"early": False} if early else {"batches": 4}), NAPS)
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:4]))
    with pytest.raises(InvalidArgument, match="its early is True, not False" if early else "its batches is 3, not 4"):
        go_on(journal)


def test_a_race_ends_once_it_is_sure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Long before its budget is spent, where one is always first; the report says what that saved."""
    file = write(tmp_path, SLEEPERS | {"budget": 60}, [{"nap": 0.01}, {"nap": 2}, {"nap": 3}])
    assert heats(["race", str(file), "--sure", "0.8", "--batches", "20", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)["report"]
    assert (report["winner"], report["stopped"]["saved"]) == (0, 60 - report["spent"])
    assert report["stopped"]["chance"] >= 0.8
    assert report["spent"] < 40


def go_on(journal: Path) -> None:
    log, counts = read_race(str(journal))
    assert counts is not None
    resume_race(log, counts)


def test_a_candidate_that_came_later_has_its_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The journal's first line knows nothing of it; text, JSON and page do."""
    journal, page = tmp_path / "run.jsonl", tmp_path / "run.html"
    race = SLEEPERS | {"command": ["sh", "-c", "sleep {nap}", "sh", "{instance}"], "instances": "*.cnf"}
    (tmp_path / "a b.cnf").touch()
    assert heats(["race", str(write(tmp_path, race, NAPS[1:])), "--journal", str(journal)]) == 0
    assert heats(["extend", str(journal), "-B", "+12"]) == 0
    write(tmp_path, race, [*NAPS[1:], {"nap": 0.01}])
    capsys.readouterr()
    assert heats(["resume", str(journal), "--json", "--html", str(page)]) == 0
    winner = json.loads(capsys.readouterr().out)["race"]["winner"]
    line = winner["command_line"]
    assert (winner["arm"], line) == (2, f"cd {tmp_path} && sh -c 'sleep 0.01' sh '{tmp_path}/a b.cnf'")
    assert subprocess.run(["sh", "-c", line], check=False).returncode == 0
    assert html.escape(line) in page.read_text()


def test_a_scenario_that_changed_is_not_resumed(tmp_path: Path) -> None:
    """The first half of a race would not compare with the second."""
    race = SLEEPERS | {"strategy": "planned"}
    file, journal = write(tmp_path, race, NAPS), tmp_path / "race.jsonl"
    begin_race(load_scenario(file), {}, journal)
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:3]))
    write(tmp_path, race | {"cutoff": "1s"}, NAPS)
    with pytest.raises(InvalidArgument, match=r"its cutoff was 20\.0 and is 1\.0"):
        go_on(journal)
    write(tmp_path, race, [*NAPS, {"nap": 9}])
    with pytest.raises(InvalidArgument, match="holds another run: its n_arms is 3, not 4"):
        go_on(journal)


def test_a_race_that_was_planned_goes_on_as_planned(tmp_path: Path) -> None:
    """A race of the time when plans were the default, whose scenario says no strategy; so does one that is adaptive."""
    file, journal = write(tmp_path, SLEEPERS, NAPS), tmp_path / "race.jsonl"
    spec = load_scenario(file, {"strategy": "planned"}).spec
    begin_race(load_scenario(file, begun=spec), {}, journal)
    whole = told(journal)
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:3]))
    go_on(journal)
    assert [(each["id"], each["arms"]) for each in told(journal)] == [(each["id"], each["arms"]) for each in whole]


@pytest.mark.parametrize("slots", ["1", "8"])
def test_ctrl_c_stops_everything(tmp_path: Path, slots: str) -> None:
    """With 130, what was told in the journal, and how to go on; in this thread and with several at work."""
    mark, journal = token(), tmp_path / "race.jsonl"
    racing = start(slow(tmp_path, mark), journal, "--slots", slots, "--mode", "parallel")
    wait_for_heats(journal, 2)
    racing.send_signal(signal.SIGINT)
    out, err = racing.communicate(timeout=60)
    assert racing.returncode == 130
    assert out == ""
    assert f"go on with: heats resume {journal}\nheats: interrupted.\n" in err
    assert "Traceback" not in err
    assert wait_until_gone(mark, 1) == []
    assert len(told(journal)) >= 2


@pytest.mark.parametrize(("cutoff", "code"), [("20s", 0), ("20ms", 1)])
def test_a_race_goes_on_when_nobody_reads_about_it_any_more(tmp_path: Path, cutoff: str, code: int) -> None:
    """As in `heats race … 2>&1 | head -1`: it is run to its end, and the exit code says how it ended."""
    journal = tmp_path / "race.jsonl"
    command = [sys.executable, "-m", "heats", "race", str(write(tmp_path, SLEEPERS, NAPS)), "--journal", str(journal)]
    racing = subprocess.Popen([*command, "--cutoff", cutoff], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert racing.stdout is not None
    racing.stdout.readline()
    racing.stdout.close()
    assert racing.wait(timeout=60) == code
    assert len(told(journal)) == 6


def test_sigterm_stops_everything_in_the_same_words(tmp_path: Path) -> None:
    """And ends the process by the signal, as whoever sent it expects."""
    mark, journal = token(), tmp_path / "race.jsonl"
    racing = start(slow(tmp_path, mark), journal)
    wait_for_heats(journal, 2)
    racing.send_signal(signal.SIGTERM)
    out, err = racing.communicate(timeout=60)
    assert (racing.returncode, out) == (-signal.SIGTERM, "")
    assert err.endswith(f"go on with: heats resume {journal}\n")
    assert "Traceback" not in err
    assert wait_until_gone(mark, 1) == []


def test_the_board(tmp_path: Path) -> None:
    """Batch, heats, leader, wins, pulls, CPU and time left, on a terminal only."""
    file = write(tmp_path, SLEEPERS | {"budget": 8}, NAPS)
    code, shown = on_a_terminal("race", str(file))
    assert code == 0
    for word in ("adaptive: 3 candidates", "batch 1/", "heats 8/8", "leader nap=0.05", "wins", "pulls", "CPU", "left"):
        assert word in shown


# Trying out, and beginning.


def test_check_tries_every_candidate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Once each; no journal, no race."""
    assert heats(["race", str(write(tmp_path, SLEEPERS, NAPS)), "--check"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["finished"] * 3
    assert list(tmp_path.glob("*.jsonl")) == []


def test_check_warns_of_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An undecided solver that exits 0 would win every heat."""
    race = SLEEPERS | {"command": ["echo", "s UNKNOWN {nap}"]}
    assert heats(["race", str(write(tmp_path, race, NAPS)), "--check"]) == 0
    assert "finished = [10, 20]" in capsys.readouterr().out
    assert heats(["race", str(write(tmp_path, race | {"finished": [10, 20]}, NAPS)), "--check"]) == 0
    shown = capsys.readouterr().out
    assert "says 's UNKNOWN'" not in shown
    assert "Warning: nobody finished" in shown


def test_check_fails_if_any_crashes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the words of the first one."""
    assert heats(["race", str(write(tmp_path, SLEEPERS, [*NAPS, {"nap": "zzz"}])), "--check"]) == 1
    seen = capsys.readouterr()
    assert "1 of 4 crashed. nap=zzz: exit code 1" in seen.out
    assert "invalid time interval" in seen.out
    assert "not every candidate runs" in seen.err
    assert heats(["race", str(tmp_path / "race.toml"), "--check", "--json"]) == 1
    tried = json.loads(capsys.readouterr().out)
    assert [(each["name"], each["verdict"]) for each in tried[2:]] == [("nap=0.7", "finished"), ("nap=zzz", "crashed")]
    missing = write(tmp_path, SLEEPERS | {"command": ["{nap}", "0"]}, [{"nap": "sleep"}, {"nap": "no-such"}])
    assert heats(["race", str(missing), "--check"]) == 1
    assert "no-such: No such file" in capsys.readouterr().out


def test_the_template_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As it is written, and it is never written over anything."""
    folder = tmp_path / "new"
    assert heats(["race", "--init", str(folder)]) == 0
    written = capsys.readouterr().out.splitlines()
    assert written[0] == str(folder / "race.toml")
    assert all(Path(path).exists() for path in written)
    assert heats(["race", "--init", str(folder)]) == 2
    assert "is there already; nothing was written" in capsys.readouterr().err
    assert heats(["race", str(folder / "race.toml"), "--check"]) == 0
    assert heats(["race", str(folder / "race.toml"), "-B", "7", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out.splitlines()[-1])["race"]["winner"]["parameters"]) == {
        "noise",
        "restart",
    }


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("race", "say which scenario to race"),
        ("race --init {file}.new --check", "--init writes a scenario and does nothing else"),
        ("race none.toml", "there is no scenario none.toml; heats race --init DIR writes one to begin with."),
        ("race {folder}", "is a folder; its scenario is {file}."),
        ("race /", "/ is a folder; give a scenario, a file in TOML; heats race --init DIR writes one"),
        ("race {file} --batches 0", "heats: --batches 0 must be"),
        ("race {file} --sure 0.3", "heats: --sure 0.3 must be"),
        ("race {file} --sure 0.9 --strategy csh", "is about a planned tournament"),
        ("race {file} --cutoff 0s", "heats: --cutoff 0s must be a time above 0"),
        ("race {file} --mode fast", "heats: --mode fast is unknown; choose one of parallel, capped."),
        ("race {file} -k 9", "heats: --heat-size 9 is more than the 3 candidates"),
        ("race {file} -B 0", "heats: --budget 0 must be from 1 to"),
        ("race {file} --slots -1", "heats: --slots -1 must be from 1 to"),
        ("race {file} --seed -1", "heats: --seed -1 must be at least 0"),
        ("race {file} --instances *.gz", "heats: --instances *.gz matches no file in"),
        ("race {file} --instances *.cnf", "there are instances"),
        ("race {file} --html /nowhere/x.html", "there is no folder /nowhere"),
        ("race {file} --journal /nowhere/x.jsonl", "there is no folder /nowhere"),
        ("race {file} --journal {file}", "race.toml is there already; heats resume "),
        ("race {file} --journal {file}", "--journal /"),
        ("race {file} --journal {folder}", "is there already"),
    ],
)
def test_a_wrong_request_is_one_sentence(
    tmp_path: Path, line: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """And exit code 2."""
    (tmp_path / "a.cnf").touch()
    file = write(tmp_path, SLEEPERS, NAPS)
    assert heats(shlex.split(line.format(file=file, folder=tmp_path))) == 2
    seen = capsys.readouterr()
    assert seen.out == ""
    assert sentence.format(file=file) in seen.err
    assert "The journal is" not in seen.err
    assert "Traceback" not in seen.err


@pytest.mark.skipif(
    shutil.which("minisat") is None, reason="minisat is not installed (Debian: apt-get install minisat)"
)
def test_a_real_solver(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Four option sets of minisat on generated instances: the shipped example, as it is."""
    example = Path(__file__).parents[2] / "examples" / "minisat"
    folder = shutil.copytree(example, tmp_path / "minisat", ignore=shutil.ignore_patterns("instances", "*.jsonl"))
    subprocess.run([sys.executable, str(folder / "instances.py")], check=True)
    assert heats(["race", str(folder / "race.toml"), "--check"]) == 0
    assert capsys.readouterr().out.count("finished ") == 4
    assert heats(["race", str(folder / "race.toml"), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    report = result["report"]
    assert report["spent"] == report["budget"]
    assert "minisat" in result["race"]["winner"]["command_line"]
    verdicts = Counter(run["verdict"] for event in told(the_journal(folder)) for run in event["notes"]["runs"])
    assert verdicts["finished"] >= report["spent"]
    assert verdicts["crashed"] == 0


@pytest.mark.dask
@pytest.mark.filterwarnings("ignore")  # Dask's warnings are its own
def test_a_race_on_a_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Heats run in other processes, with guardians of their own, and leave nothing behind."""
    pytest.importorskip("distributed", reason="Dask is not installed: pip install distributed")
    mark, journal = token(), tmp_path / "race.jsonl"
    assert heats(["race", str(slow(tmp_path, mark)), "--dask", "local", "--journal", str(journal), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["race"]["winner"]["arm"] == 0
    assert sorted(event["id"] for event in told(journal)) == list(range(10))
    assert alive(mark) == []
