"""What judges did: whether who is shown first has an advantage, how far each agrees with the standings, the cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec
import numpy as np

from heats.base.intervals import binomial_interval
from heats.base.text import count_things, format_table, make_printable
from heats.engine.feedback import Kind
from heats.engine.machine import Machine
from heats.engine.report import Report
from heats.journal.judged import JudgeCount, JudgeCounts

DIGITS = 6
ALARM_CONFIDENCE = 0.99  # every run is looked at: 95 % would accuse one in forty that nothing is wrong with
SHOWN = (Kind.WINNER, Kind.RANKING, Kind.BEST_WORST)  # kinds of feedback of those who see candidates side by side

JUDGE_TITLES = ("judge", "answers", "no verdict", "ties", "first shown won", "95% interval", "agrees")


class FirstShown(msgspec.Struct, frozen=True):
    """How often the candidate won that was shown first; the order is shuffled, so by chance it is one in all shown."""

    answers: int  # that named one to be best
    ties: int  # besides these
    share: float | None  # won by the one shown first
    low: float | None  # 95 % interval
    high: float | None
    by_chance: float | None
    is_more: bool = False  # than chance, which would be that much more in less than one of 100 runs


class JudgeFacts(msgspec.Struct, frozen=True):
    """What one judge said."""

    name: str
    answers: int
    no_verdicts: int
    shown: FirstShown
    pairs: int  # of candidates that it put one ahead of the other, as often as it did
    agrees: float | None  # share of these in which the standings do, too


class JudgingFacts(msgspec.Struct, frozen=True):
    """What was asked of judges, and what it took."""

    pulls: int
    calls: int  # questions that went to judges, those that failed included
    cache_hits: int  # questions that the cache had an answer to
    retries: int  # of pulls, after a failure or an answer without a verdict
    cost: float | None  # of calls and outputs, in the unit in which it was reported
    judges: tuple[JudgeFacts, ...]
    outputs: int = 0  # that candidates were asked to make, those that failed included
    kept_outputs: int = 0  # that had been made before


def count_first(machine: Machine, judged: JudgeCounts | None) -> FirstShown | None:
    """Return how often who was shown first won: by every answer of judges, or else by what was told."""
    if judged is not None and judged.judges:
        everybody = JudgeCount()
        for each in judged.judges.values():
            everybody.ties += each.ties
            everybody.first += each.first
            everybody.shown.update(each.shown)
        return _measure_first(everybody.first, everybody.ties, everybody.shown)
    return _count_told(machine) if machine.kind in SHOWN else None


def _count_told(machine: Machine) -> FirstShown:
    first, ties, shown = 0, 0, Counter[int]()
    for told in machine.evidence():
        best = told.observations == told.observations.max(axis=1, keepdims=True)
        winners = best.sum(axis=1)
        size = told.arms.shape[1]
        decided = winners == 1
        ties += int(np.count_nonzero((winners > 1) & (told.observations.max(axis=1) > 0)))  # nobody won: no tie
        shown[size] += int(np.count_nonzero(decided))
        first += int(np.count_nonzero(best[:, 0] & decided))
    return _measure_first(first, ties, shown)


def _measure_first(first: int, ties: int, shown: Counter[int]) -> FirstShown:
    answers = shown.total()
    if not answers:
        return FirstShown(0, ties, None, None, None, None)
    low, high = binomial_interval(first, answers)
    by_chance = sum(count / size for size, count in shown.items()) / answers
    is_more = binomial_interval(first, answers, ALARM_CONFIDENCE)[0] > by_chance
    share, low, high, by_chance = (round(each, DIGITS) for each in (first / answers, low, high, by_chance))
    return FirstShown(answers, ties, share, low, high, by_chance, is_more)


def collect_judging(counts: JudgeCounts, report: Report) -> JudgingFacts | None:
    """Return what judges did; None if there were none."""
    if not counts.pulls:
        return None
    places = {row.arm: row.place for row in report.standings.rows}
    judges = tuple(_describe_judge(name, each, places) for name, each in sorted(counts.judges.items()))
    return JudgingFacts(
        pulls=counts.pulls,
        calls=counts.calls,
        cache_hits=counts.hits,
        retries=counts.retries,
        cost=counts.cost,
        judges=judges,
        outputs=counts.outputs,
        kept_outputs=counts.kept_outputs,
    )


def _describe_judge(name: str, count: JudgeCount, places: dict[int, int]) -> JudgeFacts:
    known = {pair: times for pair, times in count.ahead.items() if pair[0] in places and pair[1] in places}
    pairs = sum(known.values())
    same = sum(times for (ahead, behind), times in known.items() if places[ahead] < places[behind])
    return JudgeFacts(
        name=name,
        answers=count.answers,
        no_verdicts=count.no_verdicts,
        shown=_measure_first(count.first, count.ties, count.shown),
        pairs=pairs,
        agrees=round(same / pairs, DIGITS) if pairs else None,
    )


def list_judging(judging: JudgingFacts | None, shown: FirstShown | None) -> list[str]:
    """Say it in sentences; of a run without judges only what is a reason to worry."""
    said = [] if judging is None else [_say_calls(judging)]
    if shown is not None and shown.share is not None and (judging is not None or shown.is_more):
        said.append(_say_first(shown))
    if shown is not None and shown.is_more:
        way_out = "" if judging is None else ", unless both orders are asked"
        said.append(f"that is more than chance: who is shown first has an advantage{way_out}")
    return said


def describe_judging(judging: JudgingFacts | None, shown: FirstShown | None) -> Iterator[str]:
    """Yield it as lines of text, with a row per judge."""
    said = list_judging(judging, shown)
    if not said:
        return
    yield ""
    for number, line in enumerate(said):
        yield f"{('judged:' if judging is not None else 'shown:') if number == 0 else '':12}{line}"
    if judging is not None:
        yield ""
        yield from format_table(JUDGE_TITLES, tabulate_judges(judging), words=(0,))


def tabulate_judges(judging: JudgingFacts) -> list[tuple[str, ...]]:
    """Return a row per judge, under ``JUDGE_TITLES``."""
    return [
        (
            make_printable(each.name),
            f"{each.answers:,}",
            f"{each.no_verdicts:,}",
            f"{each.shown.ties:,}",
            "–" if each.shown.share is None else f"{each.shown.share:.0%}",
            "–" if each.shown.share is None else _say_interval(each.shown),
            "–" if each.agrees is None else f"{each.agrees:.0%} of {each.pairs:,}",
        )
        for each in judging.judges
    ]


def _say_calls(judging: JudgingFacts) -> str:
    made = f" and {count_things(judging.outputs, 'output')}" if judging.outputs else ""
    cost = "" if judging.cost is None else f", which cost {judging.cost:,.6g}"
    again = f"; {count_things(judging.kept_outputs, 'output')} used again" if judging.kept_outputs else ""
    return (
        f"{count_things(judging.pulls, 'pull')} by {count_things(len(judging.judges), 'judge')}: "
        f"{count_things(judging.calls, 'call')}{made}{cost}; {count_things(judging.cache_hits, 'answer')} from the "
        f"cache, {judging.retries:,} tried again{again}"
    )


def _say_first(shown: FirstShown) -> str:
    ties = f"; {count_things(shown.ties, 'tie')} besides" if shown.ties else ""
    return (
        f"the first shown won {shown.share:.0%} of {count_things(shown.answers, 'answer')} "
        f"(95% interval {_say_interval(shown)}; {shown.by_chance:.0%} by chance){ties}"
    )


def _say_interval(shown: FirstShown) -> str:
    return f"{shown.low:.0%} to {shown.high:.0%}"
