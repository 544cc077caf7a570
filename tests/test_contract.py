"""Every strategy and baseline × statistic × feedback kind: with noiseless feedback the best arm wins, on budget."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import heats
from heats.engine.machine import Machine
from heats.engine.statistics import Statistic
from heats.errors import BadFeedback, HeatsError
from tests.playing import TRUTH, play

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
