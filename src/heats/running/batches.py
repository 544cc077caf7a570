"""Run a machine to its end, one batch at a time: whoever makes the pulls of a batch gets all of them in one call.

That is how joblib works, behind which may be processes, threads or a cluster: it has no executor to hand pulls to.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from typing import TypeAlias

from heats.running.calls import Answer, Job
from heats.running.lookout import Lookout
from heats.running.outcomes import Outcomes
from heats.running.preparing import Prepared

MakeAll: TypeAlias = Callable[[Iterable[Job]], Generator[tuple[int, str, Answer], None, None]]


def drive_in_batches(run: Prepared, make_all: MakeAll) -> None:
    """Have ``make_all`` make the pulls of each batch; tell its answers, which it numbers, as they come, in any order.

    A pull that fails stops the run, and what ``make_all`` has under way.
    """
    machine = run.machine
    outcomes, lookout = Outcomes(machine, run.task, run.keeper, None), Lookout(machine, run.keeper, run.sure)
    lookout.look()
    while not machine.done:
        queries = machine.ask(machine.owed)
        with closing(make_all(outcomes.job(query) for query in queries)) as made:
            for number, by, answer in made:
                outcomes.settle(queries[number], answer, by)
                run.watch()
        lookout.look()
