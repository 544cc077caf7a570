"""Small-world colouring: the morph has the edges it should, the formula says what it should, instances are satisfiable."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pysat.solvers import Cadical153

from heats.base import randomness
from heats.base.randomness import Purpose
from heats.errors import InvalidArgument
from heats.sat import dimacs, swgcp
from heats.sat.swgcp import Family

SMALL = Family(12, 20, 4, 3, 2)


def as_set(edges: swgcp.Edges) -> set[tuple[int, int]]:
    return {(v, w) for v, w in edges.tolist()}


@pytest.mark.parametrize(("n", "degree"), [(60, 10), (11, 10), (9, 4), (3, 2)])
def test_the_lattice_is_networkx_s(n: int, degree: int) -> None:
    """A circulant graph."""
    import networkx as nx

    graph = nx.circulant_graph(n, range(1, degree // 2 + 1))
    assert as_set(swgcp.build_lattice(n, degree)) == {(min(e), max(e)) for e in graph.edges}


@given(st.integers(11, 60), st.sampled_from([2, 4, 10]), st.floats(0, 1), st.integers(0, 2**64))
def test_a_morph_keeps_the_number_of_edges(n: int, degree: int, share: float, seed: int) -> None:
    """It keeps what A and B share and takes round(q·|A − B|) of B − A; at q = 0 it is A, at q = 1 it is B."""
    root = randomness.fold_seed(seed)
    a, b = as_set(swgcp.build_morph(n, degree, 0, root)), as_set(swgcp.build_morph(n, degree, 1, root))
    mixed = as_set(swgcp.build_morph(n, degree, share, root))
    assert a == as_set(swgcp.build_lattice(n, degree))
    assert len(a) == len(b) == len(mixed) == n * degree // 2
    assert a & b <= mixed <= a | b
    assert len(mixed & (b - a)) == round(share * len(a - b))


def test_random_edges_are_uniform() -> None:
    """Every pair is in B equally often."""
    n, degree, graphs = 12, 4, 3000
    counts = np.zeros((n, n))
    for seed in range(graphs):
        for v, w in as_set(swgcp.build_morph(n, degree, 1, randomness.fold_seed(seed))):
            counts[v, w] += 1
    seen = counts[np.triu_indices(n, 1)]
    share = 24 / 66
    assert np.abs(seen - graphs * share).max() < 4.5 * np.sqrt(graphs * share * (1 - share))


def test_the_encoding() -> None:
    """A path of two vertices in two colours, clause by clause; 6n variables and 46n clauses in the usual family."""
    assert swgcp.encode_colouring(np.array([[0, 1]]), 2, 2).clauses == (
        *((1, 2), (3, 4)),
        *((-1, -2), (-3, -4)),
        *((-1, -3), (-2, -4)),
    )
    made = swgcp.make_instance(0, 1)
    assert made.cnf.n_variables == 6 * made.n_vertices
    assert len(made.cnf.clauses) == 46 * made.n_vertices


def test_instances_are_functions_of_their_arguments() -> None:
    """Whatever else is drawn; other seeds and indices give others; sizes stay in their range."""
    first = list(swgcp.make_instances(6, 3, SMALL))
    again = [swgcp.make_instance(index, 3, SMALL) for index in (5, 2)]
    assert [each.cnf for each in again] == [first[5].cnf, first[2].cnf]
    assert len({each.cnf for each in first}) == 6
    assert swgcp.make_instance(0, 4, SMALL).cnf != first[0].cnf
    assert {each.n_vertices for each in swgcp.make_instances(60, 3, Family(12, 14, 4, 3, 2))} == {12, 13, 14}


def test_exactly_the_satisfiable_draws_are_kept() -> None:
    """Another solver, without colours fixed beforehand, agrees on every draw."""
    dropped = 0
    for index in range(25):
        kept = swgcp.make_instance(index, 9, SMALL)
        for draw in range(kept.draw + 1):
            root = randomness.draw_bits(randomness.fold_seed(9), Purpose.GRAPH, index, draw)
            n = SMALL.fewest + int(randomness.pick_below(9, randomness.draw_bits(root, Purpose.GRAPH_VERTICES)))
            edges = swgcp.build_morph(n, SMALL.degree, 2.0**-SMALL.lp, root)
            with Cadical153(bootstrap_with=[list(c) for c in swgcp.encode_colouring(edges, n, 3).clauses]) as solver:
                assert solver.solve() == (draw == kept.draw)
        dropped += kept.draw
    assert dropped > 5


def test_a_golden_instance() -> None:
    """Seed 1, index 0: the same on every machine and with every version of NumPy."""
    made = swgcp.make_instance(0, 1)
    assert (made.n_vertices, made.draw) == (91, 0)
    assert zlib.crc32(np.ascontiguousarray(made.edges, dtype="<i8").tobytes()) == 212390017
    [text] = dimacs.format_dimacs(made.cnf, [made.comment]).splitlines()[:1]
    assert text == (
        "c SW-GCP: 91 of 60..100 vertices, degree 10, 6 colours, lp 5, seed 1, number 0, draw 0; satisfiable"
    )


@pytest.mark.parametrize(
    ("family", "sentence"),
    [
        (Family(degree=5), "degree=5 must be even"),
        (Family(10, 20), "fewest=10 must be at least 11"),
        (Family(60, 50), "most=50 must be at least 60"),
        (Family(colours=0), "colours=0"),
        (Family(lp=-1), "lp=-1"),
        (Family(20, 20, 6, 2), "none of 1000 draws can be coloured with 2 colours;"),
        (Family(20, 20, 6, 1), "none of 1000 draws can be coloured with 1 colour;"),
    ],
)
def test_bad_families_are_refused(family: Family, sentence: str) -> None:
    """Before anything is drawn."""
    with pytest.raises(InvalidArgument, match=sentence):
        swgcp.make_instance(0, 0, family)
