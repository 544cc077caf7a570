"""Print all benchmarks."""

import sys
from itertools import chain
from types import ModuleType

from benchmarks import adaptive, engine, journal, race, sat, simulation, standings, tuning, voting, waiting


def main() -> None:
    """Print a line per measurement as it is made: of all parts, or of those named."""
    print(f"{'measured':>10}  {'asked':>6}  what")
    parts = (engine, adaptive, standings, journal, waiting, voting, race, sat, simulation, tuning)
    for row in chain.from_iterable(part.rows() for part in parts if not sys.argv[1:] or _name(part) in sys.argv[1:]):
        print(f"{row.measured:>10}  {row.asked:>6}  {row.what}", flush=True)


def _name(part: ModuleType) -> str:
    return part.__name__.rpartition(".")[2]


main()
