"""SW-GCP: colour small-world graphs, the instances of the paper's Section 6.

A graph is a ring lattice of which a few edges were replaced by random ones (the type-B morph of Gent, Hoos, Prosser
and Walsh, 1999); its colouring becomes a formula. Everything is a hash of the seed, so that an instance is the same on
every machine and in every version of NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from heats.base import randomness
from heats.base.arrays import Indices, Order, Words
from heats.base.checks import between, refuse, whole
from heats.base.extras import explain_missing
from heats.base.interrupts import hold_interrupts
from heats.base.randomness import Purpose
from heats.base.text import count_things
from heats.errors import InvalidArgument
from heats.journal.draft import write_whole
from heats.sat.dimacs import format_dimacs
from heats.sat.formula import Cnf

Edges: TypeAlias = Indices  # (edges, 2), the smaller vertex first, in ascending order

MOST_CONFLICTS = 1_000_000  # a draw the complete solver has not decided by then is dropped
LOOK_SECONDS = 0.05  # between two looks at whether somebody pressed Ctrl-C
MOST_DRAWS = 1000  # in a family worth its name one in a few can be coloured


class Family(NamedTuple):
    """What instances to draw; the defaults are small enough for many repeated runs."""

    fewest: int = 60  # vertices: drawn uniformly from fewest..most
    most: int = 100
    degree: int = 10
    colours: int = 6
    lp: float = 5  # a share 2^-lp of the lattice's edges that B lacks is replaced


SCALED_DOWN = Family()
FULL_SIZE = Family(100, 500, lp=7)  # as AClib's set


class Instance(NamedTuple):
    """A satisfiable colouring problem, and where it comes from."""

    cnf: Cnf
    edges: Edges
    n_vertices: int
    family: Family
    seed: int
    number: int
    draw: int  # how many draws before this one were dropped

    @property
    def comment(self) -> str:
        """Its origin in a line."""
        f = self.family
        return (
            f"SW-GCP: {self.n_vertices} of {f.fewest}..{f.most} vertices, degree {f.degree}, {f.colours} colours, "
            f"lp {f.lp:g}, seed {self.seed}, number {self.number}, draw {self.draw}; satisfiable"
        )


def make_instances(n: int, seed: int = 0, family: Family = SCALED_DOWN) -> Iterator[Instance]:
    """Yield the satisfiable instances 0..n-1 of a seed."""
    whole("count", n, 1)
    _check_family(family)
    return (make_instance(number, seed, family) for number in range(n))


def make_instance(number: int = 0, seed: int = 0, family: Family = SCALED_DOWN) -> Instance:
    """Return the instance of that number of a seed: the first of its draws that can be coloured."""
    whole("number", number, 0)
    _check_family(family)
    for draw in range(MOST_DRAWS):
        root = randomness.draw_bits(randomness.fold_seed(seed), Purpose.GRAPH, number, draw)
        span = family.most - family.fewest + 1
        n_vertices = family.fewest + int(
            randomness.pick_below(span, randomness.draw_bits(root, Purpose.GRAPH_VERTICES))
        )
        edges = build_morph(n_vertices, family.degree, 2.0**-family.lp, root)
        if _is_colourable(edges, n_vertices, family.colours):
            cnf = encode_colouring(edges, n_vertices, family.colours)
            return Instance(cnf, edges, n_vertices, family, seed, number, draw)
    raise InvalidArgument(
        f"none of {MOST_DRAWS} draws can be coloured with {count_things(family.colours, 'colour')}; allow more, or "
        "lower degree or lp."
    )


def write_instances(
    out: str | Path,
    n: int,
    seed: int = 0,
    family: Family = SCALED_DOWN,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Path]:
    """Write instances 0..n-1 of a seed as DIMACS files into a folder; return where they are."""
    folder = Path(out)
    made = make_instances(n, seed, family)
    if folder.exists() and not folder.is_dir():
        raise InvalidArgument("{out} is a file; give a folder.", out=str(out))
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for each in made:
        path = folder / f"swgcp-{seed}-{each.number:04}.cnf"
        write_whole(path, format_dimacs(each.cnf, [each.comment]).encode())
        written.append(path)
        progress(len(written), n)
    return written


def _check_family(family: Family) -> None:
    whole("colours", family.colours, 1)
    whole("degree", family.degree, 2, why="an even number, half of it on each side")
    if family.degree % 2:
        raise refuse("degree", family.degree, "must be even: half of the neighbours are on each side")
    whole("fewest", family.fewest, family.degree + 1, why="a vertex is not its own neighbour")
    whole("most", family.most, family.fewest)
    between("lp", family.lp, 0, 60)


def build_lattice(n_vertices: int, degree: int) -> Edges:
    """Return the edges of a ring of vertices, each joined to its ``degree`` nearest."""
    starts = np.repeat(np.arange(n_vertices), degree // 2)
    ends = (starts + np.tile(np.arange(1, degree // 2 + 1), n_vertices)) % n_vertices
    return _sort_edges(np.stack([starts, ends], axis=1))


def build_morph(n_vertices: int, degree: int, random_share: float, root: np.uint64 | Words) -> Edges:
    """Return a type-B morph of a ring lattice A and a random graph B with as many edges.

    It keeps what they share and takes a share of the rest from B, the others from A.
    """
    pairs = np.stack(np.triu_indices(n_vertices, 1), axis=1)
    names = pairs[:, 0] * n_vertices + pairs[:, 1]
    in_a = np.zeros(names.size, dtype=bool)
    ring = build_lattice(n_vertices, degree)
    in_a[np.searchsorted(names, ring[:, 0] * n_vertices + ring[:, 1])] = True
    in_b = np.zeros(names.size, dtype=bool)
    in_b[_choose_some(names, len(ring), root, Purpose.GRAPH_RANDOM)] = True
    only_a, only_b = np.flatnonzero(in_a & ~in_b), np.flatnonzero(in_b & ~in_a)
    replaced = round(random_share * only_a.size)
    fresh = only_b[_choose_some(names[only_b], replaced, root, Purpose.GRAPH_NEW)]
    stay = only_a[_choose_some(names[only_a], only_a.size - replaced, root, Purpose.GRAPH_OLD)]
    chosen = np.concatenate([np.flatnonzero(in_a & in_b), fresh, stay])
    edges: Edges = pairs[np.sort(chosen)]
    return edges


def _choose_some(names: Indices, how_many: int, root: np.uint64 | Words, purpose: Purpose) -> Order:
    """Choose that many of the edges at random, without replacement."""
    return randomness.shuffle(root, purpose, 0, names)[:how_many]


def _sort_edges(edges: Edges) -> Edges:
    ascending = np.sort(edges, axis=1)
    return ascending[np.lexsort((ascending[:, 1], ascending[:, 0]))]


def encode_colouring(edges: Edges, n_vertices: int, colours: int) -> Cnf:
    """Return the formula "the graph has a proper colouring"; variable v·colours + c + 1: vertex v has colour c."""

    def variable(vertex: int, colour: int) -> int:
        return vertex * colours + colour + 1

    clauses = [[variable(v, c) for c in range(colours)] for v in range(n_vertices)]
    for v in range(n_vertices):
        clauses += [[-variable(v, c), -variable(v, d)] for c in range(colours) for d in range(c + 1, colours)]
    for v, w in edges.tolist():
        clauses += [[-variable(v, c), -variable(w, c)] for c in range(colours)]
    return Cnf(n_vertices * colours, clauses)


def _is_colourable(edges: Edges, n_vertices: int, colours: int) -> bool:
    """Ask a complete solver; False where it says no, or nothing after MOST_CONFLICTS.

    Vertices of a clique have different colours, and which is which does not matter: fixing them spares the solver all
    renamings of the colours.
    """
    clique = _find_clique(edges, n_vertices)
    if len(clique) > colours:
        return False
    fixed = [[vertex * colours + colour + 1] for colour, vertex in enumerate(clique)]
    return _has_model([*map(list, encode_colouring(edges, n_vertices, colours).clauses), *fixed])


def _has_model(clauses: list[list[int]]) -> bool:
    """Ask a complete solver, apart from Ctrl-C: it would swallow that, or jump out of the middle of its own code."""
    from concurrent.futures import ThreadPoolExecutor, wait

    try:
        from pysat.solvers import Glucose4
    except ImportError as error:
        raise InvalidArgument(explain_missing("instances are checked by python-sat", "sat", error)) from None

    def solve(release_interrupts: Callable[[], None]) -> bool:
        with Glucose4(bootstrap_with=clauses) as solver, ThreadPoolExecutor(1) as thread:
            solver.conf_budget(MOST_CONFLICTS)
            answer = thread.submit(solver.solve_limited, expect_interrupt=True)
            try:
                while wait([answer], LOOK_SECONDS).not_done:
                    release_interrupts()
            except KeyboardInterrupt:
                solver.interrupt()
                raise
            return bool(answer.result())

    with hold_interrupts() as release_interrupts:
        return solve(release_interrupts)


def _find_clique(edges: Edges, n_vertices: int) -> list[int]:
    """Return the longest run of consecutive ring vertices that are all joined."""
    joined = np.zeros((n_vertices, n_vertices), dtype=bool)
    joined[edges[:, 0], edges[:, 1]] = joined[edges[:, 1], edges[:, 0]] = True
    best: list[int] = []
    for start in range(n_vertices):
        run = [start]
        while len(run) < n_vertices and joined[(run[-1] + 1) % n_vertices, run].all():
            run.append((run[-1] + 1) % n_vertices)
        best = max(best, run, key=len)
    return best
