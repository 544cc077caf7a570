"""Every strategy and baseline × statistic × feedback kind: with noiseless feedback the best arm wins, on budget."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import heats
from heats.engine.machine import Machine
from heats.engine.statistics import Statistic
from heats.errors import BadFeedback, HeatsError, InvalidArgument
from heats.journal import Log
from heats.reports.page import render_page
from heats.reports.result import summarise
from tests.playing import TRUTH, play, recall

N, K = 13, 4

STATISTICS: list[Statistic] = [
    heats.mean,
    heats.median,
    heats.win_rate,
    heats.power_mean(2),
    heats.power_mean(3),
    heats.power_mean(1.5),
    heats.quantile(0.3),
    heats.quantile(0.5, "inverted_cdf"),
    heats.expected_shortfall(0.4),
    heats.linear(np.log1p),
    heats.positional(lambda size: range(size, 0, -1)),
]

Make = Callable[[Statistic], Machine]


def tournament(**options: object) -> Make:
    return lambda statistic: heats.Tournament(heats.plan(N, K, 90, **options), statistic, seed=3)


MACHINES: dict[str, Make] = {
    f"{rule}-{record}": tournament(strategy=rule, record=record)
    for rule in ("csws", "csr", "csh")
    for record in ("off", "ties", "pooled")
}
MACHINES["two thirds"] = tournament(strategy=lambda size: max(1, 2 * size // 3))
MACHINES["csh-paper"] = tournament(strategy="csh", schedule="paper", blind=True)
MACHINES["csws-paper"] = tournament(strategy="csws", schedule="paper")
MACHINES["round-robin"] = lambda statistic: heats.RoundRobin(N, K, 715, statistic=statistic, seed=3)
MACHINES["successive-halving"] = lambda statistic: heats.SuccessiveHalving(N, 90, statistic=statistic, seed=3)


def makes_sense(machine: str, statistic: Statistic, kind: str) -> bool:
    """Single arms take numbers that do not compare; of a race only who won is known."""
    if machine == "successive-halving":
        return kind == "rewards" and statistic.name not in ("win_rate", "positional")
    return kind != "race" or statistic in (heats.mean, heats.win_rate)


@pytest.mark.parametrize("kind", TRUTH)
@pytest.mark.parametrize("statistic", STATISTICS, ids=repr)
@pytest.mark.parametrize("machine", MACHINES)
def test_contract(machine: str, statistic: Statistic, kind: str) -> None:
    """It ends, spends no more than its budget, finds the best arm, reports it; or refuses with one of our errors."""
    if not makes_sense(machine, statistic, kind):
        with pytest.raises(HeatsError):
            play(MACHINES[machine](statistic), TRUTH[kind])
        return
    run = play(MACHINES[machine](statistic), TRUTH[kind])
    report = run.report()
    assert run.done
    assert run.spent == report.spent <= report.budget
    assert run.winner == report.winner == N - 1
    assert report.runner_up != report.winner
    assert f'"winner":{N - 1}' in report.to_json()
    assert str(report)


@pytest.mark.parametrize("machine", MACHINES)
def test_every_machine_refuses_alike(machine: str) -> None:
    """NaN is refused and changes nothing, whoever is asked."""
    run = MACHINES[machine](heats.mean)
    query = run.ask()
    assert query is not None
    before = run.report().to_json()
    with pytest.raises(BadFeedback):
        run.tell(query, [float("nan")] * len(query.arms))
    assert run.report().to_json() == before


# Every machine × journal × executor: the same bytes, whatever happens on the way.

SMALL: dict[str, Callable[[], Machine]] = {
    "planned": lambda: heats.Tournament(heats.plan(6, 3, 14, feedback="winner"), seed=3),
    "csr-pooled": lambda: heats.Tournament(heats.plan(5, 3, 12, "csr", record="pooled"), seed=3),
    "early": lambda: heats.Tournament(heats.plan(5, 3, 16, "csws", record="off"), seed=3, early=True),
    "round-robin": lambda: heats.RoundRobin(5, 3, 12, seed=3),
    "successive-halving": lambda: heats.SuccessiveHalving(4, 12, seed=3),
    "adaptive": lambda: heats.Adaptive(5, 3, 12, batches=4, seed=3),
}
EXECUTORS: dict[str, Callable[[], Any]] = {
    "here": contextlib.nullcontext,
    "threads": lambda: ThreadPoolExecutor(3),
    "processes": lambda: ProcessPoolExecutor(2),
}


def choose(arms: tuple[int, ...], query: heats.Query) -> Any:
    """Answer by the query's seed: a reward for one arm, who won of several, now and then nothing."""
    draw = random.Random(query.seed)
    if draw.random() < 0.2:
        return heats.NoVerdict("cannot say")
    if len(arms) == 1:
        return [arms[0] + draw.gauss(0, 2)]
    return heats.Winner(max(arms, key=lambda arm: arm + draw.gauss(0, 2)))


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("machine", SMALL)
def test_any_machine_runs_anywhere_and_is_kept(machine: str, executor: str, tmp_path: Path) -> None:
    """Equal bytes on every executor, with a journal and without, and read back from it by its file alone."""
    expected = heats.run(SMALL[machine](), choose).to_json()
    path = tmp_path / "run.jsonl"
    with EXECUTORS[executor]() as pool:
        assert heats.run(SMALL[machine](), choose, executor=pool, journal=path).to_json() == expected
        assert heats.run(SMALL[machine](), never, executor=pool, journal=path).to_json() == expected
    log = Log(path)
    log.advance()
    assert log.finished is not None
    assert summarise(log.machine, log.names, values=log.values).to_json() == expected
    assert render_page(log, summarise(log.machine, log.names, log)).count("<h1>") == 1


def never(arms: tuple[int, ...]) -> None:
    raise AssertionError("a finished run compares nothing")


@pytest.mark.parametrize(
    "machine",
    [
        "round-robin",
        pytest.param("early", marks=pytest.mark.slow),
        pytest.param("successive-halving", marks=pytest.mark.slow),
        pytest.param("adaptive", marks=pytest.mark.slow),
        pytest.param("planned", marks=pytest.mark.slow),
        pytest.param("csr-pooled", marks=pytest.mark.slow),
    ],
)
def test_any_machine_goes_on_from_any_byte(machine: str, tmp_path: Path) -> None:
    """Cut after every byte: the run goes on to the same report, and no comparison is made twice."""
    straight = heats.run(SMALL[machine](), choose)
    expected = recall(straight.played)
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(dir=memory)) if memory.is_dir() else tmp_path
    path = folder / "run.jsonl"
    kept = heats.JournalFile(path, sync="system")
    heats.run(SMALL[machine](), choose, journal=kept)
    whole = path.read_bytes()
    for length in range(whole.index(b"\n") + 1, len(whole)):
        path.write_bytes(whole[:length])
        found = heats.run(SMALL[machine](), choose, journal=kept)
        assert recall(found.played) == expected
        told = [line for line in path.read_bytes().splitlines() if line.startswith(b'{"event":"told"')]
        assert len({json.loads(line)["id"] for line in told}) == len(told) == straight.spent
    assert found.to_json() == straight.to_json()
    shutil.rmtree(folder)


@pytest.mark.parametrize("machine", SMALL)
def test_specs_make_the_machine_again(machine: str) -> None:
    """From the struct, from JSON text, from what was read of it; anything else is refused in a sentence."""
    made = SMALL[machine]()
    text = msgspec.json.encode(made.spec)
    for spec in (made.spec, text, text.decode(), json.loads(text)):
        again = heats.Machine.from_spec(spec, seed=3)
        assert again.spec == made.spec
        assert play(again, lambda query: choose(query.arms, query)).report() == (
            play(SMALL[machine](), lambda query: choose(query.arms, query)).report()
        )
    for wrong in ("{", b"[]", {"machine": "carousel"}, {"machine": "round-robin", "n_arms": 1, "heat_size": 2}, 5):
        with pytest.raises(InvalidArgument):
            heats.Machine.from_spec(wrong)
