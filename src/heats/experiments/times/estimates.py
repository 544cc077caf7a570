"""Heats → how good every arm looks, larger is better: by who won, or by times of which most are lower bounds.

Let a run of arm i in pull p end at rate λ_i·w_p. If nothing is known of the pace w_p of a pull, times say no more than
who won: that is the fit of Plackett and Luce (and Cox's partial likelihood). If w_p = 1, an arm's rate is its finishes
per time it ran. In between w_p is drawn from an exponential law.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from heats.base.arrays import Array
from heats.experiments.times.lognormal import look_at_logs
from heats.experiments.times.raced import Look, Raced

STEPS = 25  # of a fit; more change no choice
BELIEF = 0.5  # finishes that an arm is thought to have had before the first heat, at the pace of all arms


def look_at_wins(raced: Raced) -> Array:
    """Return strengths of Plackett and Luce, each arm with half a win in one imaginary pair."""
    finishers = raced.done.sum(axis=-1)
    won = raced.add_up(raced.done / np.maximum(finishers, 1)[..., None]) + BELIEF
    strengths = np.ones_like(won)
    for _ in range(STEPS):
        expected = (finishers > 0) / raced.look_up(strengths).sum(axis=-1)
        strengths = won / (1 / (strengths + 1) + raced.add_up(expected[..., None]))
    return strengths


def look_at_rates(raced: Raced) -> Array:
    """Return finishes per time run: the rate of an exponential law."""
    finishes, ran = raced.add_up(raced.done), raced.add_up(raced.times)
    return (finishes + BELIEF) / (ran + BELIEF * _pace(finishes, ran))


def look_at_paced_rates(raced: Raced) -> Array:
    """Return rates that are multiplied by the pace of every pull, which has an exponential law with mean 1."""
    finishes, finishers = raced.add_up(raced.done), raced.done.sum(axis=-1)
    usual = _pace(finishes, raced.add_up(raced.times))
    rates = look_at_rates(raced)
    for _ in range(STEPS):
        paces = (1 + finishers) / (1 + (raced.look_up(rates) * raced.times).sum(axis=-1))
        rates = (finishes + BELIEF) / (raced.add_up(paces[..., None] * raced.times) + BELIEF * usual)
    return rates


def look_at_survival(raced: Raced) -> Array:
    """Return the negative mean time up to the cutoff by Kaplan and Meier, as if arms were stopped by chance."""
    order, arms = raced.sort_runs()
    times, done = raced.times.ravel()[order], raced.done.ravel()[order]
    first = np.flatnonzero(np.r_[True, arms[1:] != arms[:-1]])  # runs of every arm that was seen
    last = np.r_[first[1:], arms.size]
    group = np.repeat(np.arange(first.size), last - first)
    running = last[group] - np.arange(arms.size)  # how many are not over before this one
    hazards = np.log(np.maximum(1 - done / running, 1e-30))
    logs = np.cumsum(hazards) - hazards  # of the chance to get as far as this run
    reached = np.exp(logs - logs[first][group])
    waited = times - np.where(np.arange(arms.size) == first[group], 0, np.roll(times, 1))
    means = np.add.reduceat(reached * waited, first)
    means += np.exp(logs + hazards - logs[first][group])[last - 1] * (raced.cutoff - times[last - 1])
    looks = np.full(len(raced.arms) * raced.n_arms, -np.inf)
    looks[arms[first]] = -means
    return looks.reshape(-1, raced.n_arms)


def look_at_whole_times(raced: Raced) -> Array:
    """Return the negative mean of what every run would have taken, had nobody been stopped."""
    seen = raced.add_up(np.ones(raced.arms.shape))
    means = raced.add_up(raced.alone) / np.maximum(seen, 1)
    looks: Array = np.where(seen > 0, -means, -np.inf)
    return looks


def _pace(finishes: Array, ran: Array) -> Array:
    """Return the time per finish of all arms together."""
    pace: Array = ran.sum(axis=1, keepdims=True) / np.maximum(finishes.sum(axis=1, keepdims=True), 1)
    return pace


WINS, WHOLE = "wins", "nobody stopped"
LOOKS: dict[str, Look] = {
    WINS: look_at_wins,
    "log-normal": look_at_logs,
    "own spreads": partial(look_at_logs, own_spreads=True),
    "exponential": look_at_rates,
    "paced": look_at_paced_rates,
    "Kaplan-Meier": look_at_survival,
    WHOLE: look_at_whole_times,
}
