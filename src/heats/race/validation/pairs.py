"""Winner and opponent on one instance: each alone, with the whole cutoff and the same seed, in alternating order."""

from __future__ import annotations

import os

import msgspec

from heats.base import randomness
from heats.base.randomness import Purpose
from heats.race.heat import LARGEST_SEED, Order, fill_command_line, run_commands
from heats.race.outcome import Run
from heats.race.processes import GuardianPool, get_process_pool
from heats.race.scenario import Scenario


class PairOrder(msgspec.Struct, frozen=True):
    """Two runs to make, in the order in which they are made."""

    instance: str
    runs: tuple[Order, Order]


def order_pair(scenario: Scenario, winner: int, against: int, number: int, instance: str) -> PairOrder:
    """Return the two runs on the instance of that number; every other one begins with the opponent."""
    alone = msgspec.structs.replace(scenario, mode="capped").terms
    bits = randomness.draw_bits(randomness.fold_seed(scenario.seed), Purpose.VALIDATION, number)
    seed = 1 + int(randomness.pick_below(LARGEST_SEED, bits))
    first, second = (
        Order(
            arms=(arm,),
            lines=(fill_command_line(scenario, arm, instance, seed),),
            turns=(0,),
            instance=instance,
            terms=alone,
        )
        for arm in ((winner, against) if number % 2 == 0 else (against, winner))
    )
    return PairOrder(instance, (first, second))


def run_pair(order: PairOrder, guardians: GuardianPool | None) -> tuple[Run, Run]:
    """Make the two runs, wherever this is, and return them in the order in which they were made."""
    pool = guardians or get_process_pool(os.getpid())
    (first,), (second,) = (run_commands(each, pool) for each in order.runs)
    return first, second
