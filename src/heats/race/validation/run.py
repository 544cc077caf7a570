"""A race that is over → its winner validated: pair by pair, each on disk before it counts, from where it was left."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from heats.base.text import quote_argument
from heats.errors import InvalidArgument
from heats.journal import Log
from heats.journal.events import now
from heats.journal.fingerprint import take_fingerprints
from heats.race.outcome import AllCrashed, Run, describe_end, have_all_crashed
from heats.race.scenario import HeldOut, Scenario
from heats.race.validation.pairs import PairOrder, order_pair, run_pair
from heats.race.validation.record import Asked, Paired, Record, read_record
from heats.race.workers import find_workers

if TYPE_CHECKING:
    from concurrent.futures import Executor


class Request(msgspec.Struct, frozen=True):
    """Whom to run on which instances."""

    winner: int
    against: int
    instances: tuple[str, ...]
    called: str = ""  # what the opponent is called, if not by its name


def make_request(log: Log, held_out: HeldOut) -> Request | None:
    """Return what to run for a race; None if nobody won it, or only who it is to be compared with."""
    report = log.machine.report()
    against = report.runner_up if held_out.against is None else held_out.against
    if report.winner is None or against is None or against == report.winner:
        return None
    return Request(report.winner, against, held_out.instances, held_out.called)


def find_open_request(log: Log) -> Request | None:
    """Return what was asked for last, if some of it is still to be run and the winner is the same."""
    kept = read_record(log)
    asked = kept.asked
    if asked is None or asked.winner != log.machine.winner or not kept.list_owed():
        return None
    return Request(asked.winner, asked.against, asked.instances, asked.called)


def validate(
    scenario: Scenario,
    log: Log,
    request: Request,
    watch: Callable[[int, int], None],
    executor: Executor | None = None,
) -> None:
    """Run what is asked for, but for what was run before, and keep it beside the journal."""
    _check_candidates(scenario, log)
    asked = Asked(request.winner, request.against, request.instances, now(), request.called)
    with Record(log) as record:
        if record.kept.asked is None or not record.kept.asked.asks_the_same(asked):
            record.add(asked)
        orders = [
            order_pair(scenario, request.winner, request.against, number, instance)
            for number, instance in record.kept.list_owed()
        ]
        total = len(request.instances)
        watch(total - len(orders), total)
        with closing(_run_pairs(orders, scenario.slots, executor)) as pairs:
            for done, (order, runs) in enumerate(pairs, total - len(orders) + 1):
                _refuse_crashes(record, order, runs)
                record.add(Paired(request.winner, request.against, order.instance, runs, now()))
                watch(done, total)


def _check_candidates(scenario: Scenario, log: Log) -> None:
    """Refuse a scenario whose candidates are not those of the journal."""
    known = take_fingerprints(scenario.candidates, scenario.names, named=True)
    if [each.fingerprint for each in known] != [each.fingerprint for each in log.candidates]:
        raise InvalidArgument(
            f"{scenario.path} has changed since the race of {log.path} began: its candidates are others now. Change "
            "them back to validate the winner."
        )


def _refuse_crashes(record: Record, order: PairOrder, runs: Sequence[Run]) -> None:
    """Stop before all instances are wasted, if the very first time both do nothing but crash."""
    if have_all_crashed(runs) and not record.kept.list_pairs():
        line = " ".join(map(quote_argument, order.runs[0].lines[0]))
        raise AllCrashed(
            "the validation was stopped: on the first held-out instance both crashed. The first run was\n"
            f"  {line}\n{describe_end(runs[0], order.runs[0].terms.rule)}"
        )


def _run_pairs(
    orders: Sequence[PairOrder], at_once: int, executor: Executor | None
) -> Generator[tuple[PairOrder, tuple[Run, Run]], None, None]:
    """Yield what came of the orders, as they are done."""
    with find_workers(min(at_once, max(1, len(orders))), executor) as (workers, guardians):
        if workers is None:
            for order in orders:
                yield order, run_pair(order, guardians)
            return
        from concurrent.futures import as_completed

        futures = {workers.submit(run_pair, order, guardians): order for order in orders}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            for future in futures:
                future.cancel()
