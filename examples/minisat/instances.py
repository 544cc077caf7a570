"""Write 40 random 3-SAT formulas, about half of them satisfiable, into the folder instances beside this file."""

import random
from pathlib import Path

VARIABLES, CLAUSES, COUNT = 170, 724, 40  # 4.26 clauses per variable: where random formulas are hardest


def formula(seed: int) -> str:
    """Return a formula in DIMACS format; equal seeds give equal formulas."""
    draw = random.Random(seed)
    clauses = [
        " ".join(str(draw.choice((-1, 1)) * variable) for variable in draw.sample(range(1, VARIABLES + 1), 3)) + " 0"
        for _ in range(CLAUSES)
    ]
    return "\n".join([f"p cnf {VARIABLES} {CLAUSES}", *clauses]) + "\n"


def main() -> None:
    """Write all of them."""
    folder = Path(__file__).parent / "instances"
    folder.mkdir(exist_ok=True)
    for seed in range(1, COUNT + 1):
        (folder / f"random-{seed:02}.cnf").write_text(formula(seed))


if __name__ == "__main__":
    main()
