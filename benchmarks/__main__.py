"""Print all benchmarks."""

from benchmarks import engine


def main() -> None:
    """Print a line per measurement as it is made."""
    print(f"{'measured':>10}  {'asked':>6}  what")
    for row in engine.rows():
        print(f"{row.measured:>10}  {row.asked:>6}  {row.what}", flush=True)


main()
