"""Print all benchmarks."""

from itertools import chain

from benchmarks import engine, journal, race, sat, simulation


def main() -> None:
    """Print a line per measurement as it is made."""
    print(f"{'measured':>10}  {'asked':>6}  what")
    for row in chain(engine.rows(), journal.rows(), race.rows(), sat.rows(), simulation.rows()):
        print(f"{row.measured:>10}  {row.asked:>6}  {row.what}", flush=True)


main()
