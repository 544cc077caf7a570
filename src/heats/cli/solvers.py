"""``heats saps`` and ``heats swgcp``: the SAT solver of the paper's experiment, and its instances."""

from __future__ import annotations

from typing import Annotated

import typer

from heats.cli import options
from heats.cli.plans import encode
from heats.cli.root import app
from heats.running.progress import count_progress
from heats.sat.parameters import Parameters


@app.command(epilog="Example: heats saps instance.cnf --alpha 1.3 --rho 0.8 --ps 0.05 --wp 0.01 --seed 7")
def saps(
    path: Annotated[str, typer.Argument(help="A DIMACS .cnf file.")],
    alpha: Annotated[float, typer.Option(help="Scaling factor.")] = Parameters().alpha,
    rho: Annotated[float, typer.Option(help="Smoothing factor.")] = Parameters().rho,
    ps: Annotated[float, typer.Option(help="Smoothing probability.")] = Parameters().ps,
    wp: Annotated[float, typer.Option(help="Random walk probability.")] = Parameters().wp,
    smoothing: Annotated[str, typer.Option(help="additive or convex.")] = "additive",
    seed: options.Seed = 0,
    cutoff_steps: Annotated[int, typer.Option(help="Give up after this many steps.")] = 100_000_000,
    json: options.Json = False,
) -> None:
    """Search for a model of a formula with SAPS.

    Exit code 10 if one is found, 20 if an empty clause rules it out, 0 if it gave up.
    """
    from heats.sat.command import solve_file

    raise typer.Exit(solve_file(path, alpha, rho, ps, wp, smoothing, seed, cutoff_steps, json=json))


@app.command(epilog="Example: heats swgcp --count 20 --seed 1 --out instances")
def swgcp(
    count: Annotated[int, typer.Option(help="How many instances to write.")] = 20,
    out: Annotated[str, typer.Option(help="Folder to write them to.")] = "instances",
    fewest: Annotated[int, typer.Option(help="Fewest vertices of a graph.")] = 60,
    most: Annotated[int, typer.Option(help="Most vertices of a graph.")] = 100,
    degree: Annotated[int, typer.Option(help="Neighbours of a vertex on the ring.")] = 10,
    colours: Annotated[int, typer.Option(help="Colours to colour with.")] = 6,
    lp: Annotated[float, typer.Option(help="A share 2^-lp of the edges is random.")] = 5,
    seed: options.Seed = 0,
    json: options.Json = False,
) -> None:
    """Write satisfiable instances of colouring small-world graphs, as DIMACS files."""
    from heats.sat.swgcp import Family, write_instances

    with count_progress("instances") as tick:
        written = write_instances(out, count, seed, Family(fewest, most, degree, colours, lp), tick)
    typer.echo(encode([str(path) for path in written]) if json else "\n".join(map(str, written)))
