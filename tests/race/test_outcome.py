"""What counts as finishing, and what a heat says."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heats.engine.feedback import Race
from heats.race.outcome import NoRatio, Rule, Run, describe_end, make_race, make_rewards, take_last_lines
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


def test_values_are_made_comparable() -> None:
    """By their places in the heat, ties sharing theirs and no value being last; or by their ratios to its best."""
    runs = [run(0, value=10.0), run(1, value=40.0), run(2, value=10.0), run(3, "crashed"), run(4, value=20.0)]
    assert make_rewards(runs, Rule(objective="(x)", statistic="rank")) == [7 / 8, 1 / 4, 7 / 8, 0.0, 1 / 2]
    assert make_rewards(runs, Rule(objective="(x)", statistic="ratio")) == [1.0, 0.25, 1.0, 0.25, 0.5]
    best = Rule(objective="(x)", statistic="ratio", goal="maximize", missing=0.0)
    assert make_rewards(runs, best) == [0.25, 1.0, 0.25, 0.0, 0.5]
    assert make_rewards([run(1), run(2)], Rule(objective="(x)", statistic="ratio")) == [1.0, 1.0]
    assert make_rewards([run(1), run(2)], Rule(objective="(x)", statistic="rank")) == [0.5, 0.5]
    with pytest.raises(NoRatio, match='candidate #4 came to -3; say statistic = "rank"'):
        make_rewards([run(1, value=2.0), run(4, value=-3.0)], Rule(objective="(x)", statistic="ratio"))


@given(
    st.lists(st.integers(0, 10**6).map(float) | st.none(), min_size=2, max_size=6), st.floats(0.01, 100), st.booleans()
)
def test_ranks_and_ratios_do_not_know_the_scale(values: list[float | None], scale: float, is_gain: bool) -> None:
    """An instance on which all values are larger says the same; better values are never worth less."""
    goal: Any = "maximize" if is_gain else "minimize"
    runs = [run(arm, value=value) for arm, value in enumerate(values)]
    scaled = [run(arm, value=None if value is None else value * scale) for arm, value in enumerate(values)]
    for statistic in ("rank", "ratio"):
        rule = Rule(objective="(x)", goal=goal, statistic=statistic)
        rewards = make_rewards(runs, rule)
        assert all(0 <= reward <= 1 for reward in rewards)
        if statistic == "ratio":
            assert rewards == pytest.approx(make_rewards(scaled, rule), abs=1e-9)
        known = sorted((reward, value) for reward, value in zip(rewards, values, strict=True) if value is not None)
        ordered = [value for _, value in known] if is_gain else [-value for _, value in known]
        assert all(one <= other or known[i][0] == known[i + 1][0] for i, (one, other) in enumerate(pairwise(ordered)))


def test_an_end_in_words() -> None:
    """Its code, with why that is a crash, or the signal, and the last lines."""

    def describe(code: int, last: str | None, verdict: Any = "crashed") -> str:
        run = Run(arm=0, verdict=verdict, seconds=1.0, wall=1.0, cpu=1.0, code=code, last=last)
        return describe_end(run, Rule(finished=(0,)))

    neither = ", which neither finished = [0] nor undecided = [0] has"
    assert describe(2, take_last_lines("x\n" * 9 + "a\nb\n")).endswith("  x\n  a\n  b")
    assert describe(10, "a\nb") == f"exit code 10{neither}, and at the end it printed\n  a\n  b"
    assert describe(-11, "") == "killed by signal 11, it printed nothing"
    assert describe(0, None, "finished") == "exit code 0, it printed nothing"
    assert describe(-9, None, "cutoff") == "stopped at the cutoff, it printed nothing"
