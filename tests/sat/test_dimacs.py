"""DIMACS files: what is written is read again, what real files have is tolerated, mistakes are named with their line."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heats.base.text import split_lines
from heats.errors import BrokenFile, InvalidArgument
from heats.sat import dimacs
from heats.sat.formula import Cnf

literals = st.integers(1, 6).flatmap(lambda v: st.sampled_from([v, -v]))
clauses = st.lists(st.lists(literals, max_size=5), max_size=12)


@given(clauses)
def test_what_is_written_is_read_again(given_clauses: list[list[int]]) -> None:
    """Clauses, empty ones included."""
    cnf = Cnf(6, given_clauses)
    assert dimacs.parse_dimacs(dimacs.format_dimacs(cnf, ["two\nlines", ""]).splitlines()) == cnf


def test_files(tmp_path: Path) -> None:
    """Through a real file."""
    cnf = Cnf(3, [[1, -2], [3]])
    dimacs.write_dimacs(cnf, tmp_path / "x.cnf", ["from a test"])
    assert (tmp_path / "x.cnf").read_text() == "c from a test\np cnf 3 2\n1 -2 0\n3 0\n"
    assert dimacs.read_dimacs(tmp_path / "x.cnf") == cnf


def test_what_real_files_have() -> None:
    """Comments and blank lines anywhere, tabs, clauses over several lines or many on one, a % and a 0 at the end."""
    text = "c hello\r\n\r\np  cnf\t4   3 \r\n 1 -2\r\nc between\r\n 0 3 4 0\r\n\t-1 +4 0\r\n%\r\n0\r\n\r\n"
    assert dimacs.parse_dimacs(text.splitlines()) == Cnf(4, [[1, -2], [3, 4], [-1, 4]])


def test_duplicates_go_and_tautologies_too() -> None:
    """The number of clauses on the 'p' line counts them nevertheless."""
    cnf = dimacs.parse_dimacs(["p cnf 2 3", "1 1 -2 1 0", "1 -1 0", "0"])
    assert cnf.clauses == ((1, -2), ())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1: expected 'p cnf VARIABLES CLAUSES', found the end of the file"),
        ("c\n1 2 0", "line 2: expected 'p cnf VARIABLES CLAUSES', found '1 2 0'"),
        ("p cnf 3\n1 0", "line 1: expected 'p cnf"),
        ("p cnf -3 1\n1 0", "line 1: expected 'p cnf"),
        ("p dnf 3 1\n1 0", "line 1: expected 'p cnf"),
        ("p cnf 1000000000 1\n1 0", "line 1: expected at most 10000000 variables and clauses, found '1000000000'"),
        (f"p cnf {'9' * 5000} 1\n1 0", "line 1: expected at most 10000000 variables"),
        ("p cnf 3 1\n1 4 0", "line 2: expected variables up to 3, as its 'p' line says, found 4"),
        ("p cnf 3 1\n1 x 0", "line 2: expected a literal or 0, found 'x'"),
        ("p cnf 3 1\n1 2.5 0", "line 2: expected a literal or 0, found '2.5'"),
        ("p cnf 3 1\n1_0 0", "line 2: expected a literal or 0, found '1_0'"),
        ("p cnf 3 2\n1 0\n2", "line 3: expected 0 at the end of the last clause"),
        ("p cnf 3 2\n1 0\n", "line 2: expected 2 clauses, found 1"),
        ("p cnf 3 1\n1 0\n2 0", "line 3: expected the end after 1 clauses"),
    ],
)
def test_mistakes_are_named(text: str, sentence: str) -> None:
    """File, line and what was expected."""
    with pytest.raises(BrokenFile) as error:
        dimacs.parse_dimacs(text.splitlines(), "a.cnf")
    assert str(error.value).startswith("a.cnf, line ")
    assert sentence in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """Missing, a folder, or bytes of something else."""
    with pytest.raises(InvalidArgument, match=r"no\.cnf does not exist"):
        dimacs.read_dimacs(tmp_path / "no.cnf")
    with pytest.raises(InvalidArgument, match="cannot be read"):
        dimacs.read_dimacs(tmp_path)
    (tmp_path / "x.cnf").write_bytes(b"\x7fELF\xff\xfe\x00")
    with pytest.raises(BrokenFile, match="line 1: expected 'p cnf"):
        dimacs.read_dimacs(tmp_path / "x.cnf")


def test_literals_out_of_range() -> None:
    """A formula made by hand is checked as well."""
    with pytest.raises(InvalidArgument, match=r"literal -4 is none of ±1\.\.±3"):
        Cnf(3, [[1, -4]])
    with pytest.raises(InvalidArgument, match="literal 0"):
        Cnf(3, [[0]])


@given(clauses, st.lists(st.booleans(), min_size=6, max_size=6))
def test_models(given_clauses: list[list[int]], values: list[bool]) -> None:
    """Every clause, tautologies included, has a true literal; flat arrays and lists agree."""
    cnf = Cnf(6, given_clauses)
    expected = all(any(values[abs(x) - 1] == (x > 0) for x in clause) for clause in given_clauses)
    assert cnf.is_model(values) == expected
    arrays = cnf.arrays
    spans = [(arrays.starts[c], arrays.starts[c + 1]) for c in range(len(cnf.clauses))]
    assert [arrays.literals[begin:end] for begin, end in spans] == [
        [2 * (abs(x) - 1) + (x < 0) for x in clause] for clause in cnf.clauses
    ]
    assert arrays.n_empty == cnf.clauses.count(())
    for code in range(12):
        literal = (code // 2 + 1) * (-1 if code % 2 else 1)
        uses = arrays.uses[arrays.firsts[code] : arrays.firsts[code + 1]]
        inside = [(c, clause) for c, clause in enumerate(cnf.clauses) if literal in clause]
        assert [use.clause for use in uses] == [c for c, _ in inside]
        for use, (_, clause) in zip(uses, inside, strict=True):
            others = [2 * (abs(x) - 1) + (x < 0) for x in clause if x != literal]
            assert use.other == (others[0] if len(others) == 1 else -1)


@given(clauses, st.text("p cnf6 10-\n%+\t\0", max_size=8), st.integers(0, 200))
def test_the_fast_way_to_read_is_the_slow_one(given_clauses: list[list[int]], junk: str, place: int) -> None:
    """Whatever is in a file: the same formula, with the same arrays, or the same complaint."""
    rows = "".join(" ".join(map(str, (*clause, 0))) + "\n" for clause in given_clauses)  # as given, not cleaned
    text = f"c from a test\np cnf 6 {len(given_clauses)}\n{rows}"
    text = text[:place] + junk + text[place:]
    seen = []
    for read in (dimacs.parse_content, lambda content, name: dimacs.parse_dimacs(split_lines(content.decode()), name)):
        try:
            cnf = read(text.encode(), "a.cnf")
            seen.append((cnf, cnf.arrays.n_clauses, cnf.arrays.literals[: sum(map(len, cnf.clauses))]))
        except BrokenFile as error:
            seen.append(str(error))
    assert seen[0] == seen[1]


def test_plain_files_are_read_the_fast_way() -> None:
    """What heats writes is plain."""
    cnf = Cnf(3, [[1, -2], [], [3]])
    assert dimacs.parse_plain(dimacs.format_dimacs(cnf, ["from a test"]).encode()) == cnf
    assert dimacs.parse_plain(b"p cnf 1 1\n1 +0\n") is None


def test_formulas_travel() -> None:
    """To another process, without the arrays that belong to this one."""
    cnf = Cnf(3, [[1, -2], [3]])
    assert cnf.arrays.n_clauses == 2
    assert pickle.loads(pickle.dumps(cnf)) == cnf
