"""What counts as finishing, and what a heat says."""

from __future__ import annotations

from typing import Any

import pytest

from heats.engine.feedback import Race
from heats.race.outcome import Rule, Run, describe_end, make_race, make_rewards, take_last_lines
from heats.race.processes import End


def end(code: int, output: str = "", stopped: str | None = None, wall: float = 1.0) -> End:
    return End(code=code, stopped=stopped, started=0.0, ended=wall, output=output, printed=len(output))


@pytest.mark.parametrize(
    ("rule", "ended", "verdict"),
    [
        ({}, end(0), "finished"),
        ({}, end(10), "finished"),
        ({}, end(20), "finished"),
        ({}, end(1), "crashed"),
        ({}, end(-11), "crashed"),
        ({}, end(-9), "crashed"),  # by somebody else
        ({"finished": (10, 20)}, end(0), "undecided"),
        ({"finished": (10, 20), "undecided": (0, 1)}, end(1), "undecided"),
        ({"pattern": "^s SAT"}, end(0, "c hello\ns SATISFIABLE\n"), "finished"),
        ({"pattern": "^s SAT"}, end(0, "c s SATISFIABLE\n"), "undecided"),
        ({"pattern": "^s SAT"}, end(1, "s SATISFIABLE\n"), "crashed"),
        ({}, end(-9, stopped="race"), "stopped"),
        ({}, end(-9, stopped="best", wall=1.0), "stopped"),  # at the best time so far
        ({}, end(-9, stopped="limit", wall=5.0), "cutoff"),
        ({}, end(-9, stopped="wall limit", wall=1.0), "cutoff"),
        ({}, end(0, stopped="race"), "finished"),  # it was faster than the kill
        ({}, end(0, wall=5.1), "cutoff"),  # or slower than it should
    ],
)
def test_verdicts(rule: dict[str, Any], ended: End, verdict: str) -> None:
    """By exit code, pattern, and whether we stopped it; the cutoff is 5 seconds."""
    assert Rule(**rule).judge(ended, ended.wall, 5.0) == verdict


def test_the_last_value_counts() -> None:
    """Of those that are numbers."""
    rule = Rule(objective=r"^cost (\S+)$")
    assert rule.find_value("cost 5\ncost 3.5\ncost -1e-3\ncost soon\nx cost 7\n") == -1e-3
    assert rule.find_value("cost inf\n") is None
    assert Rule().find_value("cost 5") is None


def run(arm: int, verdict: str = "finished", value: float | None = None, seconds: float = 1.0) -> Run:
    return Run(arm=arm, verdict=verdict, seconds=seconds, wall=1.0, cpu=0.5, code=0, value=value)


def test_a_heat_in_one_word() -> None:
    """Who finished, and when; or the values, larger is better."""
    assert make_race([run(3), run(1, "stopped"), run(2, seconds=0.5)]) == Race({3: 1.0, 2: 0.5})
    assert make_race([run(3, "cutoff"), run(1, "crashed")]) == Race({})
    runs = [run(3, value=5.0), run(1, "cutoff", value=2.0), run(2, "crashed")]
    assert make_rewards(runs, Rule(objective="(x)")) == [-5.0, -2.0, -5.0]
    assert make_rewards(runs, Rule(objective="(x)", goal="maximize")) == [5.0, 2.0, 2.0]
    assert make_rewards(runs, Rule(objective="(x)", missing=100.0)) == [-5.0, -2.0, -100.0]
    assert make_rewards([run(1), run(2)], Rule(objective="(x)")) == [0.0, 0.0]


def test_an_end_in_words() -> None:
    """Its code or signal, and the last lines."""
    assert describe_end(2, take_last_lines("x\n" * 9 + "a\nb\n")).endswith("  x\n  a\n  b")
    assert describe_end(2, "a\nb") == "exit code 2, and at the end it printed\n  a\n  b"
    assert describe_end(-11, "") == "killed by signal 11, it printed nothing"
