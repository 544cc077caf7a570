"""What ``heats saps`` does: a formula from a file, the answer in lines and exit codes as solvers have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heats.base.interrupts import exit_on_interrupt
from heats.sat.dimacs import format_model, read_dimacs, to_literals
from heats.sat.parameters import Parameters

DEFAULT = Parameters()
KINDS: dict[str, Any] = {  # of what can be said in a plain line
    **dict.fromkeys(Parameters._fields, float),
    "smoothing": str,
    "seed": int,
    "cutoff_steps": int,
}


def solve_file(
    path: str,
    alpha: float = DEFAULT.alpha,
    rho: float = DEFAULT.rho,
    ps: float = DEFAULT.ps,
    wp: float = DEFAULT.wp,
    smoothing: str = "additive",
    seed: int = 0,
    cutoff_steps: int = 100_000_000,
    *,
    json: bool = False,
) -> int:
    """Print what SAPS finds; return 10 for a model, 20 for a formula that has none, 0 if that is not known."""
    with exit_on_interrupt():  # there is nothing to put in order, and to import a compiler takes a while
        from heats.sat import saps

        cnf = read_dimacs(path)
        found = saps.solve(cnf, alpha, rho, ps, wp, seed, cutoff_steps, smoothing)  # type: ignore[arg-type]  # checked
    status, code = (
        ("SATISFIABLE", 10) if found.solved else ("UNSATISFIABLE", 20) if cnf.arrays.n_empty else ("UNKNOWN", 0)
    )
    literals = to_literals(found.values) if found.solved else None
    if json:
        import msgspec

        counts = {name: getattr(found, name) for name in ("solved", "steps", "flips", "null_steps", "seconds")}
        print(msgspec.json.encode({"path": path, "status": status, **counts, "model": literals}).decode(), flush=True)
    else:
        print(f"c {found.steps} steps, {found.flips} flips, {found.null_steps} null steps, {found.seconds:.3f} s")
        print("\n".join([f"s {status}", *([] if literals is None else format_model(literals))]), flush=True)
    return code


def solve_at_once(arguments: Sequence[str]) -> int | None:
    """Run a plain line, without the time it takes to load all that others could need; None for any other."""
    options = parse_plain_options(arguments)
    return None if options is None else solve_file(**options)


def parse_plain_options(arguments: Sequence[str]) -> dict[str, Any] | None:
    """Return the options of a line like ``FILE --alpha 1.3 --seed 7``; None for any other, which a real parser reads.

    A race starts this command hundreds of times, and loading that parser takes longer than most runs.
    """
    names = [name.removeprefix("--").replace("-", "_") for name in arguments[1::2]]
    if not arguments or arguments[0].startswith("-") or not all(name.startswith("--") for name in arguments[1::2]):
        return None
    if len(set(names)) < len(names):
        return None
    try:
        values = {name: KINDS[name](value) for name, value in zip(names, arguments[2::2], strict=True)}
    except (KeyError, ValueError):
        return None
    return {"path": arguments[0], **values}
