"""The command line: what it prints, its exit codes, and never a traceback for a user's mistake."""

from __future__ import annotations

import json
import math
import os
import pty
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import heats
from heats.cli import plans
from heats.cli.app import explain, run

HEATS = [sys.executable, "-m", "heats"]


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*HEATS, *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_plan_prints_the_plan(capsys: pytest.CaptureFixture[str]) -> None:
    """As a table, or as the JSON that from_json reads."""
    assert run(shlex.split("plan -n 100 -k 4 -B 500 --feedback winner")) == 0
    shown = capsys.readouterr().out
    made = heats.plan(100, 4, 500, feedback="winner")
    assert shown.startswith(str(made).splitlines()[0])
    survives = [float(line.split()[-1].rstrip("%")) / 100 for line in shown.splitlines()[3 : 3 + len(made.rounds)]]
    assert survives == pytest.approx(heats.chances(made, "winner"), abs=1e-3)
    rows = [line.split() for line in shown.splitlines()[-4:]]
    assert [row[0] for row in rows] == ["planned", "csws", "csr", "csh"]
    for strategy, rounds, pulls, record, chance in rows:
        other = heats.plan(100, 4, 500, strategy, feedback="winner")
        assert (int(rounds), int(pulls), record) == (len(other.rounds), 500, other.record)
        assert float(chance.rstrip("%")) / 100 == pytest.approx(math.prod(heats.chances(other, "winner")), abs=1e-3)
    assert (
        run(
            [
                "plan",
                "-n",
                "100",
                "-k",
                "4",
                "-B",
                "500",
                "--strategy",
                "csr",
                "--schedule",
                "paper",
                "--record",
                "off",
                "--blind",
                "--json",
            ]
        )
        == 0
    )
    told = capsys.readouterr().out
    printed = heats.Plan.from_json(told)
    assert printed == heats.plan(100, 4, 500, "csr", schedule="paper", record="off", blind=True)
    assert tuple(json.loads(told)["chances"]) == heats.chances(printed)
    assert json.loads(told)["chance"] == math.prod(heats.chances(printed))


def test_plan_finds_the_budget_for_a_chance(capsys: pytest.CaptureFixture[str]) -> None:
    """The plan as always, and a sentence; as JSON the plan with its budget and chance."""
    made = heats.plan(12, 3, chance=0.9, feedback="winner")
    chance = math.prod(heats.chances(made, "winner"))
    assert run(shlex.split("plan -n 12 -k 3 --chance 0.9 --feedback winner")) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith(str(made).splitlines()[0])
    smallest = f"{made.budget} pulls are the smallest budget with a modelled chance of at least 0.9"
    assert shown.out.endswith(f"\n\n{smallest}; theirs is {chance:.5f}.\n")
    assert shown.err == ""
    assert run(shlex.split("plan -n 12 -k 3 --chance 0.9 --feedback winner --json")) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["wanted"], told["chance"], told["budget"]) == (0.9, chance, made.budget)
    assert heats.Plan.from_json(json.dumps(told["plan"])) == made
    assert run(shlex.split("plan -n 12 -k 3 --chance 0.9 --strategy csh --delta 0.05 --json")) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["budget"] == told["plan"]["budget"] == heats.plan(12, 3, strategy="csh", chance=0.9).budget
    assert len(told["gaps"]) == len(told["plan"]["rounds"])


def test_a_search_shows_a_bar_once_it_takes_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts ranges of budgets; in no time at all it is never shown, nor off a terminal."""
    ticks: list[tuple[int, int]] = []

    @contextmanager
    def count(what: str) -> Iterator[Callable[[int, int], None]]:
        yield lambda done, total: ticks.append((done, total))

    monkeypatch.setattr(plans, "count_progress", count)
    for seconds, shown in ((1000.0, False), (-1.0, True)):
        monkeypatch.setattr(plans, "SLOW_SECONDS", seconds)
        assert run(shlex.split("plan -n 5 -k 3 --chance 0.9")) == 0
        assert bool(ticks) is shown
    assert all(done <= total for done, total in ticks)


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    """Every command has help with an example."""
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"heats {heats.__version__}\n"
    assert run([]) == 0
    overview = capsys.readouterr().out
    for command in ("plan", "bounds", "simulate", "replay", "reproduce", "demo", "report", "resume"):
        assert command in overview
        assert run([command, "--help"]) == 0
        assert f"Example: heats {command}" in capsys.readouterr().out


def test_bounds_and_tables(capsys: pytest.CaptureFixture[str]) -> None:
    """Budgets per strategy, as text and JSON; the paper's tables; the gap each round of a plan resolves."""
    assert run(shlex.split("bounds -n 100 -k 4 --gap 0.1 --delta 0.05 --feedback winner")) == 0
    shown = capsys.readouterr().out
    assert "strategy  paper's formula  exact constant  exact plan  tight constants  lower bound" in shown
    assert run(shlex.split("bounds -n 100 -k 4 --gap 0.1 --delta 0.05 --feedback reward --sigma 0.2 --json")) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["gap"], told["sigma"]) == (0.1, 0.2)
    rows = told["bounds"]
    assert [row["strategy"] for row in rows] == ["csws", "csr", "csh"]
    assert all(str(row["exact"]) not in shown for row in rows)
    assert run(shlex.split("bounds -n 1000 -k 10 --tables")) == 0
    assert "263409560461970212832400" in capsys.readouterr().out
    assert run(shlex.split("bounds -n 1000 -k 10 --tables --json")) == 0
    assert len(json.loads(capsys.readouterr().out)["tables"]) == 4
    assert run(shlex.split("plan -n 100 -k 4 -B 50000 --delta 0.05 --feedback reward --sigma 0.1")) == 0
    shown = capsys.readouterr().out
    assert "gap resolved" in shown
    assert "With probability 0.95 the best candidate wins" in shown
    assert run(shlex.split("plan -n 100 -k 4 -B 500 --delta 0.05")) == 0
    shown = capsys.readouterr().out
    assert "this promises nothing yet" in shown
    assert "for one of rewards say --feedback reward" in shown
    assert run(shlex.split("plan -n 100 -k 4 -B 500 --strategy csh --delta 0.05 --json")) == 0
    assert len(json.loads(capsys.readouterr().out)["gaps"]) == 7


def test_simulate(capsys: pytest.CaptureFixture[str]) -> None:
    """A sentence with the interval, or JSON; every algorithm, feedback and statistic."""
    assert (
        run(shlex.split("simulate -n 30 -k 4 -B 100 --reps 200 --strategy round-robin --statistic median --decoy")) == 0
    )
    assert "round-robin found the best of 30 arms in" in capsys.readouterr().out
    assert (
        run(
            shlex.split(
                "simulate -n 30 -k 4 -B 100 --reps 200 --feedback winner --strategy csh --schedule paper --blind --json"
            )
        )
        == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert told["low"] <= told["success_rate"] == told["successes"] / 200 <= told["high"]


def test_simulate_compares_all_strategies(capsys: pytest.CaptureFixture[str]) -> None:
    """Each plays as it does alone; who cannot play says why in a word."""
    asked = "simulate -n 12 -k 3 -B 20 --reps 100 --strategy"
    assert run(shlex.split(f"{asked} all")) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[3:]]
    assert [row[0] for row in rows] == ["planned", "csws", "csr", "csh", "adaptive", "round-robin"]
    for strategy, _, share, *_ in rows:
        assert run(shlex.split(f"{asked} {strategy} --json")) == 0
        assert share == f"{json.loads(capsys.readouterr().out)['success_rate']:.1%}"
    assert run(shlex.split("simulate -n 12 -k 3 -B 4 --reps 10 --strategy all --json")) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each.get("why_not") for each in told["scores"]] == [*["too few pulls"] * 4, None, None]
    assert run(shlex.split(f"{asked} all --record off")) == 2


def test_an_interval_has_digits_enough(capsys: pytest.CaptureFixture[str]) -> None:
    """Of 10 000 runs that all found the best, the lower end is not 100 %."""
    assert run(shlex.split("simulate -n 2 -k 2 -B 100 --gap 0.9 --reps 10000")) == 0
    assert "10000 of 10000 runs of 100 pulls: 100.0% (95% interval 99.96% to 100.00%)" in capsys.readouterr().out


def test_experiments_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """One per line, and nothing is wrong with asking."""
    assert run(["reproduce"]) == 0
    assert capsys.readouterr().out.startswith("all\nfig-budgets\n")


def test_replay_takes_batches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of adaptive play; what has none refuses them."""
    (tmp_path / "x.csv").write_text("a,b,c,d\n1,2,9,4\n1,3,9,2\n4,3,9,8\n")
    asked = ["replay", str(tmp_path / "x.csv"), "-k", "2", "-B", "20", "--reps", "20", "--json"]
    assert run([*asked, "--strategy", "adaptive", "--batches", "3"]) == 0
    assert json.loads(capsys.readouterr().out)["batches"] == 3
    assert run([*asked, "--batches", "3"]) == 2
    assert run([*asked, "--strategy", "all", "--batches", "3"]) == 2


def test_simulate_rankings(capsys: pytest.CaptureFixture[str]) -> None:
    """They say more than winners, so the best is found more often; with the share of wins they make no sense."""
    rates = []
    for feedback in ("winner", "ranking"):
        assert run(shlex.split(f"simulate -n 20 -k 4 -B 60 --reps 1000 --feedback {feedback} --json")) == 0
        rates.append(json.loads(capsys.readouterr().out)["success_rate"])
    assert rates[0] < rates[1]
    for more in ("--strategy round-robin --decoy", "--strategy csr --record pooled", "--statistic median"):
        assert run(shlex.split(f"simulate -n 20 -k 4 -B 60 --reps 50 --feedback ranking {more}")) == 0
        assert "found the best of 20 arms" in capsys.readouterr().out


def test_replay_compares_all_strategies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One table, with three budgets or the one given; who cannot play says why in a word; as JSON the same numbers."""
    (tmp_path / "x.csv").write_text("a,b,c,d,e,f\n1,2,9,4,5,7\n1,3,9,2,2,1\n4,3,9,8,6,7\n")
    asked = ["replay", str(tmp_path / "x.csv"), "-k", "3", "--strategy", "all", "--values", "loss", "--reps", "50"]
    assert run(asked) == 0
    seen = capsys.readouterr()
    assert seen.err == ""
    rows = [line.split() for line in seen.out.splitlines() if line.strip()[:1].isdigit()]
    assert [row[0] for row in rows] == ["6"] * 7 + ["18"] * 7 + ["60"] * 7
    names = ["planned", "adaptive", "csws", "csr", "csh", "round-robin", "successive-halving"]
    assert [row[1] for row in rows] == 3 * names
    assert "-" not in "".join(cell for row in rows for cell in row[2:])
    assert run([*asked, "--json", "-B", "2"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["best_by"] == "mean loss"
    assert [each["why_not"] for each in told["scores"]] == [
        *("too few pulls", None, "too few pulls", "too few pulls", "too few pulls", None, "too few pulls"),
    ]
    assert told["scores"][5]["regret"] >= 0


def test_replay_of_all_says_who_cannot_play_so_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Adaptive play; the others are played."""
    (tmp_path / "x.csv").write_text("a,b,c\n1,2,9\n4,3,8\n")
    asked = ["replay", str(tmp_path / "x.csv"), "-k", "2", "--strategy", "all", "--reps", "1", "-B", "3000001"]
    assert run([*asked, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    unable = [each["strategy"] for each in told["scores"] if each["why_not"] == "too many pulls"]
    assert unable == ["adaptive"]


def test_words_are_those_of_the_options_and_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Reward, as it is typed; one pull, not 1 pulls; one round, not 1 rounds."""
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3,1\n")
    asked = ["replay", str(tmp_path / "x.csv"), "-k", "2", "-B", "1", "--reps", "9", "--feedback", "reward"]
    assert run(asked) == 0
    assert "2 arms, reward feedback, 9 runs of 1 pull\n" in capsys.readouterr().out
    assert run([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["feedback"] == "reward"
    assert run(shlex.split("plan -n 2 -k 2 -B 5")) == 0
    assert "5 of 5 pulls in 1 round\n" in capsys.readouterr().out


def test_a_demo_of_few_takes_all_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where it was not said how many; its page and its standings are written, as other commands do."""
    page, table = tmp_path / "page.html", tmp_path / "table.csv"
    assert run(shlex.split(f"demo -n 3 -B 20 --html {page} --csv {table}")) == 0
    assert capsys.readouterr().out.startswith("3 simulated solvers raced 3 at a time")
    assert page.read_text().startswith("<!doctype html>")
    assert len(table.read_text().splitlines()) == 4
    assert run(shlex.split("demo -n 3 -k 4 -B 20")) == 2


def test_demo_ends_with_a_report(capsys: pytest.CaptureFixture[str]) -> None:
    """Silent on the way when nobody watches; JSON holds the report."""
    assert run(["demo", "--seed", "1"]) == 0
    seen = capsys.readouterr()
    assert "winner:     solver" in seen.out
    assert "Truly fastest: solver" in seen.out
    assert seen.err == ""
    assert run(["demo", "--seed", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["report"]["done"] is True


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("plan -n 100 -k 4 -B 32", "Give at least 33 pulls"),
        ("plan -n 1 -k 2 -B 50", "--n-arms 1 must be at least 2"),
        ("plan -n 12 -k 3", "as --budget 100, or how likely the best shall be found, as --chance 0.95"),
        ("plan -n 12 -k 3 -B 9 --chance 0.5", "--budget 9 and --chance 0.5 were both given"),
        ("plan -n 12 -k 3 --chance 1.5", "--chance 1.5 must be a number in (0, 1)"),
        ("plan -n 12 -k 3 --chance x", "--chance x must be a number"),
        ("simulate -n 12 -k 3 -B 50 --feedback votes", "choose one of reward, winner, ranking"),
        ("simulate -n 9 -k 3 -B 50 --feedback ranking --statistic win_rate", "take --feedback winner"),
        ("replay README.md -k 3", "README.md ends in .md"),
        ("plan -n 10 -k 20 -B 50", "--heat-size 20 is more than the 10 candidates"),
        ("plan -n 10 -k 2 -B 50 --strategy best", "--strategy best is unknown"),
        ("plan -n 10 -k 2 -B 50 --schedule x", "--schedule x is unknown"),
        ("plan -n 379 -k 3 -B 50 --strategy csh --schedule paper", "would spend 127 pulls"),
        ("plan -n 379 -k 3 -B 50 --schedule paper", "is for csws, csr, csh; name one as strategy"),
        ("plan -n 30 -k 3 -B 50 --edge 2", "--edge 2.0 must be a number in [0.501, 0.999]"),
        ("plan -n 30 -k 3 -B 50 --feedback votes", "--feedback votes is unknown"),
        ("plan -n ten -k 2 -B 50", "--n-arms ten must be a whole number"),
        ("plan -n 10", "Missing option"),
        ("plam", "Did you mean 'plan', 'replay'? See 'heats --help'."),
        ("plan -n 100 -k 4 -B 32", "take --heat-size 8 (with which it takes"),
        ("plan -n 10 -k 2 -B 50 --feedback none", "choose one of reward, winner, ranking, or leave it out."),
        ("plan --frobnicate", "--frobnicate"),
        ("plan -n 10", "See 'heats plan --help'"),
        ("plan -n 100 -k 4 -B 32", "or allow unseen heats with --blind"),
        ("bounds -n 10 -k 3 --gap 0", "--gap 0"),
        ("bounds -n 10 -k 3 --delta 2", "--delta 2"),
        ("bounds -n 10 -k 3 --feedback votes", "choose one of winner, reward"),
        ("bounds -n 10 -k 3 --feedback reward --sigma 0", "--sigma 0"),
        ("plan -n 100 -k 4 -B 500 --delta 0.1 --record pooled", "--record pooled"),
        ("plan -n 100 -k 4 -B 40 --strategy csh --blind --delta 0.1", "makes no pull"),
        ("simulate -n 30 -k 4 -B 100 --reps 0", "--reps 0"),
        ("simulate -n 30 -k 4 -B 100 --statistic mode", "choose one of mean, median"),
        ("simulate -n 30 -k 4 -B 100 --feedback vote", "choose one of reward, winner"),
        ("reproduce fig-x", "choose among all, fig-budgets"),
        ("reproduce claims --table x.npz", "recorded tables are for beyond"),
        ("reproduce beyond --table x.npz", "x.npz does not exist"),
        ("reproduce all --out /dev/null", "--out /dev/null is a file"),
        ("simulate -n 18 -k 4 -B 1e3", "heats: --budget 1e3 must be a whole number in digits, such as 12. See"),
        ("simulate -n 18 -k 4 -B 500 --record fitted", "is a model of wins and rankings, not of rewards"),
        ("simulate -n 18 -k 4 -B 2000000000000 --feedback winner", "a single tournament needs"),
        ("bounds -n 100 -k 4 --sigma 3", "--sigma 3.0 is of rewards: say --feedback reward, too, or leave it out"),
        ("plan -n 100 -k 4 -B 500 --sigma 3", "--sigma 3.0 is of rewards: say --delta 0.05 and --feedback reward, too"),
        (
            "plan -n 300 -k 3 -B 25000 --voters 6000 --strategy adaptive",
            "--budget 25000 is more than adaptive play of 6,000 voters can deal, which is 20,000; ask for fewer votes",
        ),
        (
            "plan -n 20 -k 3 --voters 5000 --votes-each 10 --strategy adaptive",
            "--votes-each 10 makes 50,000 votes, more than adaptive play of 5,000 voters can deal, which is 20,000; ask "
            "for fewer votes, or say --strategy planned.",
        ),
        (
            "plan -n 20 -k 3 --voters 10 --votes-each 2000 --strategy adaptive",
            "--votes-each 2000 makes 20,000 votes, more than --voters 10 can cast: 20 candidates make 1,140 sets of 3, and "
            "nobody sees one twice. Give at most 11,400",
        ),
        ("plan -n 100 -k 4 -B 500 --seconds -4", "--seconds -4.0 are a vote's; say --voters 12, too, or leave it out"),
        ("plan -n 100 -k 4 -k 5 -B 500", "--heat-size is given 2 times; give it once. See 'heats plan --help'"),
        ("demo -n 6 -B 99999999999", "--budget 99999999999 is more than a run can hold, up to 100,000,000 pulls"),
        ("simulate -n 99 -k 3 -B 99999999999 --strategy round-robin", "--budget 99999999999 is more than a run"),
        ("demo --seed -1", "--seed -1"),
        ("demo --pause -1", "--pause -1"),
        ("demo --pause x", "heats: --pause x must be a number, such as 0.5. See"),
        ("replay x.csv -k 3 --strategy foo", "adaptive, round-robin, all."),
        ("demo -B 3 --strategy planned", "Give at least"),
        ("demo --strategy best", "--strategy best is unknown; choose one of adaptive, planned, csws, csr, csh"),
        ("demo --strategy adaptive --blind", "--strategy adaptive means adaptive play, but --blind is about a planned"),
        ("demo --sure 0.9 --strategy csh", "--sure 0.9 means adaptive play, but --strategy csh is about a planned"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(
    line: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """On standard error, nothing on standard output, no traceback."""
    assert run(line.split()) == 2
    seen = capsys.readouterr()
    assert seen.out == ""
    assert seen.err.startswith("heats: ")
    assert sentence in seen.err
    assert seen.err.count("\n") == 1


def test_too_little_memory_is_one_sentence(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it runs out."""

    def run_out(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(plans, "lay_out", run_out)
    assert run(shlex.split("plan -n 100 -k 4 -B 500")) == 2
    assert capsys.readouterr().err.startswith("heats: this takes more memory than there is; take a smaller budget")


def test_a_closed_pipe_is_no_traceback() -> None:
    """As in `heats plan … | head -1`."""
    shown = subprocess.Popen(
        [*HEATS, *["plan", "-n", "5000", "-k", "64", "-B", "100000", "--strategy", "csr"]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert shown.stdout is not None
    assert shown.stderr is not None
    shown.stdout.readline()
    shown.stdout.close()
    assert shown.stderr.read() == ""
    shown.stderr.close()
    assert shown.wait(timeout=30) == 0


def test_what_cannot_be_printed_is_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    """Without the number of an error; an empty value is quoted."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*HEATS, "schema"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "heats: nothing more can be printed: No space left on device.\n")
    assert run(["plan", "-n", "", "-k", "3", "-B", "9"]) == 2
    assert "--n-arms '' must be a whole number" in capsys.readouterr().err


def on_a_terminal(*arguments: str, interrupt: bool = False) -> tuple[int, str]:
    """Run a command on a pseudo-terminal; return its exit code and everything it showed."""
    pid, screen = pty.fork()
    if pid == 0:  # the command itself
        os.environ |= {"COLUMNS": "120", "TERM": "xterm"}
        os.execv(sys.executable, [*HEATS, *arguments])
    shown = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            piece = os.read(screen, 65536)
        except OSError:  # Linux says so when the other side has closed
            break
        if not piece:
            break
        shown += piece
        if interrupt and b" 1/" in shown:
            os.kill(pid, signal.SIGINT)
            interrupt = False
    os.close(screen)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), shown.decode()


def test_progress_on_a_terminal() -> None:
    """A live bar with round, heats and leader."""
    code, shown = on_a_terminal("demo", "-n", "8", "-B", "40", "--strategy", "csh", "--pause", "0.02")
    assert code == 0
    assert "round 1/3 · 2 heats of 4" in shown
    assert "leader solver" in shown
    assert "40/40" in shown


def test_ctrl_c_exits_with_130() -> None:
    """And says so in a word."""
    code, shown = on_a_terminal("demo", "--pause", "0.05", interrupt=True)
    assert code == 130
    assert "heats: interrupted." in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize("strategy", ["--strategy csh", "--strategy adaptive", ""])
def test_report_and_resume(tmp_path: Path, strategy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that the command line began is reported at any time, and resumed by its journal alone."""
    path = tmp_path / "run.jsonl"
    asked = shlex.split(f"demo -n 9 -k 3 -B 30 --seed 4 {strategy}")
    assert run([*asked, "--json"]) == 0
    expected = json.loads(capsys.readouterr().out)
    assert run([*asked, "--json", "--journal", str(path)]) == 0
    assert json.loads(capsys.readouterr().out) == expected
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:14]))
    assert run(["report", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "not decided yet" in shown
    assert "pulls:      13 of 30" in shown
    assert "comparisons so far" in shown
    assert "winner" not in shown
    assert "leader" not in shown
    assert run(["resume", str(path)]) == 0
    shown = capsys.readouterr().out
    assert f"winner:     {expected['names'][expected['report']['winner']]}" in shown
    assert "workers:    1" in shown
    for command in ("report", "resume"):
        assert run([command, str(path), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert {**told, "run": None} == expected
        assert sum(told["run"]["workers"].values()) == 30
    page = tmp_path / "page.html"
    assert run(["report", str(path), "--html", str(page)]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["page.html", "run.jsonl"]


def test_report_refuses_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong path, a file that is no journal, a page that cannot be written; nothing is overwritten."""
    path, other = tmp_path / "run.jsonl", tmp_path / "other.txt"
    heats.find_best(range(4), list, budget=6, journal=path)
    other.write_text("hello")
    for arguments, message in [
        (["report", str(tmp_path)], "is a folder"),
        (["report", str(tmp_path / "none")], "does not exist"),
        (["report", str(other)], "is not a journal of heats"),
        (["resume", str(other)], "is not a journal of heats"),
        (["report", str(path), "--html", str(path)], "is the journal of a run; give another file"),
        (["report", str(path), "--html", str(other)], "is not an HTML page; give another file"),
        (["report", str(path), "--html", str(tmp_path)], "is a folder; give the name of a file"),
        (["report", str(path), "--html", str(tmp_path / "no" / "page.html")], "cannot be written: there is no folder"),
        (["demo", "--journal", str(path)], "holds another run: its candidate #0 is 0, not"),
        (["demo", "--journal", str(other)], "is not a journal of heats"),
    ]:
        assert run(arguments) == 2
        captured = capsys.readouterr()
        assert message in captured.err
        assert captured.err.count("\n") == 1
    assert other.read_text() == "hello"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["other.txt", "run.jsonl"]


def test_resume_says_what_it_cannot_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A library's run is resumed by its program; a finished one is reported; an unknown command is a newer one's."""
    path = tmp_path / "run.jsonl"
    heats.find_best(range(4), list, budget=6, journal=path)
    assert run(["resume", str(path)]) == 0
    assert "winner:     3" in capsys.readouterr().out
    assert run(["resume", str(path), "--dask", "tcp://127.0.0.1:1"]) == 0  # it is over: nobody is asked to help
    assert "winner:     3" in capsys.readouterr().out
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    assert run(["resume", str(path)]) == 2
    assert "run that program again, with the same journal" in capsys.readouterr().err
    for command, message in [({"name": "fly"}, "begun by 'heats fly'"), ({"name": "demo", "x": 1}, "but not how")]:
        path.unlink()
        with heats.Journal(heats.JournalFile(path, command=command), heats.Tournament(heats.plan(4, 2, 9))):
            pass
        assert run(["resume", str(path)]) == 2
        assert message in capsys.readouterr().err


def test_follow_watches_to_the_end(tmp_path: Path) -> None:
    """While another process writes; then the report is printed."""
    path = tmp_path / "run.jsonl"
    tournament = heats.Tournament(heats.plan(4, 2, 9), seed=1)
    with heats.Journal(path, tournament) as journal:
        watcher = subprocess.Popen([*HEATS, "report", "--follow", str(path)], stdout=subprocess.PIPE, text=True)
        while query := tournament.ask():
            time.sleep(0.1)
            journal.tell(query, list(query.arms))
    shown, _ = watcher.communicate(timeout=60)
    assert "winner:     arm 3" in shown
    assert watcher.returncode == 0


def test_ctrl_c_says_how_to_resume(tmp_path: Path) -> None:
    """Exit code 130, and what is kept where; heats resume goes on."""
    path = tmp_path / "run.jsonl"
    command = [*HEATS, "demo", "--pause", "0.2", "--journal", str(path)]
    main, seen = pty.openpty()  # a terminal, for pauses
    demo = subprocess.Popen(command, stderr=seen, stdout=subprocess.PIPE, env={**os.environ, "TERM": "dumb"})
    os.close(seen)
    while not path.exists() or path.read_bytes().count(b"\n") < 5:
        time.sleep(0.01)
    demo.send_signal(signal.SIGINT)
    said = b""
    try:
        while part := os.read(main, 4096):
            said += part
    except OSError:
        pass  # the other end is closed
    assert demo.wait(timeout=30) == 130
    assert demo.stdout is not None
    demo.stdout.close()
    os.close(main)
    assert f"go on with: heats resume {path}\r\n".encode() in said
    again = call("resume", str(path))
    assert again.returncode == 0
    assert "pulls:      300 of 300" in again.stdout


@pytest.mark.parametrize("command", ["", "plan", "race", "reproduce"])
def test_help_by_h(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """-h is --help, for all commands."""
    shown = []
    for option in ("-h", "--help"):
        assert run([*filter(None, [command]), option]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    assert "Usage: " in shown[0]


def test_shells_complete_commands_and_options() -> None:
    """What a shell asks after ``heats --install-completion``."""
    environment = {**os.environ, "_HEATS_COMPLETE": "complete_bash", "COMP_CWORD": "1"}
    for words, expected in (("heats re", {"replay", "report", "reproduce", "resume"}), ("heats pl", {"plan"})):
        done = subprocess.run(
            [Path(sys.executable).parent / "heats"],
            env=environment | {"COMP_WORDS": words},
            capture_output=True,
            text=True,
            check=True,
        )
        assert set(done.stdout.split()) == expected


def test_errors_carry_their_arguments() -> None:
    """In Python as Python spells them, as a command as options, which one place spells; it ends as a mistake does."""
    with pytest.raises(heats.errors.BudgetTooSmall) as caught:
        heats.plan(100, 4, 30)
    assert caught.value.argument == "budget"
    assert caught.value.arguments["blind"] is True
    assert "budget=30" in str(caught.value)
    assert "blind=True" in str(caught.value)
    done = call("plan", "-n", "100", "-k", "4", "-B", "30")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "--budget 30" in done.stderr
    assert "--blind." in done.stderr
    assert "=" not in done.stderr


def test_a_path_is_spelled_as_it_was_typed(capsys: pytest.CaptureFixture[str]) -> None:
    """Not as Python shows it, whatever the library made of it."""
    assert explain(heats.errors.InvalidArgument("give another {journal}.", journal=Path("run.jsonl"))) == 2
    assert capsys.readouterr().err == "heats: give another --journal run.jsonl.\n"


def test_simulate_takes_batches_of_adaptive_play_only(capsys: pytest.CaptureFixture[str]) -> None:
    """In capitals, too; they are in the JSON."""
    problem = "simulate -n 12 -k 3 -B 40 --feedback winner --reps 20 --json"
    assert run(shlex.split(f"{problem} --strategy Adaptive --batches 4")) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["strategy"], found["batches"], found["pulls"]) == ("adaptive", 4, 40)
    assert run(shlex.split(f"{problem} --strategy csh --batches 4")) == 2
    assert capsys.readouterr().err == "heats: --batches 4 is for --strategy adaptive only; leave it out.\n"
