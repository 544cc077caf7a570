"""DIMACS files: ``c`` comments, ``p cnf VARIABLES CLAUSES``, then literals, each clause ended by 0."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from heats.base.files import is_missing, read_regular_file
from heats.base.text import make_printable, split_lines
from heats.errors import BrokenFile, InvalidArgument
from heats.sat.formula import MOST_VARIABLES, Cnf

if TYPE_CHECKING:
    from pathlib import Path

MOST_DIMACS_BYTES = 256 << 20
LONGEST_LINE = 78  # of a model

_HEADER = re.compile(r"p\s+cnf\s+([0-9]+)\s+([0-9]+)")
_PLAIN = re.compile(rb"(?:c[^\n]*\n)*p cnf ([0-9]{1,8}) ([0-9]{1,8})\n([-0-9 \n]*)")
_LITERAL = re.compile(r"[+-]?[0-9]{1,18}")


def read_dimacs(path: str | Path, most_bytes: int = MOST_DIMACS_BYTES) -> Cnf:
    """Read a formula. Line breaks carry no meaning; comments may stand anywhere; a ``%`` line ends the file."""
    if is_missing(path):
        raise InvalidArgument(f"{make_printable(str(path))} does not exist; give a DIMACS .cnf file.")
    return parse_content(read_regular_file(path, most_bytes), make_printable(str(path)))


def parse_content(content: bytes, name: str = "formula") -> Cnf:
    """Read what a file called ``name`` holds."""
    plain = parse_plain(content)
    return parse_dimacs(split_lines(content.decode(errors="replace")), name) if plain is None else plain


def parse_plain(content: bytes) -> Cnf | None:
    """Read what most files look like, and fast: comments first, then numbers alone; None if there is more."""
    matched = _PLAIN.fullmatch(content)
    if matched is None:
        return None
    n_variables, n_clauses = int(matched[1]), int(matched[2])
    try:
        row = array("i", map(int, matched[3].split()))
    except (ValueError, OverflowError):
        return None
    in_range = -n_variables <= min(row, default=0) and max(row, default=0) <= n_variables <= MOST_VARIABLES
    if not in_range or row.count(0) != n_clauses or (n_clauses and row[-1] != 0):
        return None
    return Cnf.from_row(n_variables, row)


def parse_dimacs(lines: Iterable[str], name: str = "formula") -> Cnf:
    """Read the lines of a file called ``name``."""
    content = _skip_comments(lines)
    number, header = next(content, (1, ""))
    matched = _HEADER.fullmatch(header)
    if matched is None:
        raise BrokenFile(f"{name}, line {number}: expected 'p cnf VARIABLES CLAUSES', found {_show(header)}.")
    n_variables, n_clauses = (_parse_count(text, name, number) for text in matched.groups())
    clauses: list[list[int]] = []
    open_clause: list[int] = []
    for number, line in content:
        for token in line.split():
            literal = _parse_literal(token, n_variables, name, number)
            if literal:
                open_clause.append(literal)
            elif len(clauses) == n_clauses:
                raise BrokenFile(f"{name}, line {number}: expected the end after {n_clauses} clauses, found another.")
            else:
                clauses.append(open_clause)
                open_clause = []
    if open_clause:
        raise BrokenFile(f"{name}, line {number}: expected 0 at the end of the last clause; the file may be cut off.")
    if len(clauses) < n_clauses:
        raise BrokenFile(
            f"{name}, line {number}: expected {n_clauses} clauses, found {len(clauses)}; the file may be cut off."
        )
    return Cnf(n_variables, clauses)


def _parse_count(text: str, name: str, line: int) -> int:
    if len(text) > 18 or int(text) > MOST_VARIABLES:
        raise BrokenFile(
            f"{name}, line {line}: expected at most {MOST_VARIABLES} variables and clauses, found {_show(text)}."
        )
    return int(text)


def _skip_comments(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines that are neither blank nor comments, up to a ``%``."""
    for number, line in enumerate(lines, 1):
        stripped = line.strip()
        if stripped.startswith("%"):
            return
        if stripped and not stripped.startswith("c"):
            yield number, stripped


def _parse_literal(token: str, n_variables: int, name: str, line: int) -> int:
    if not _LITERAL.fullmatch(token):
        raise BrokenFile(f"{name}, line {line}: expected a literal or 0, found {_show(token)}.")
    literal = int(token)
    if abs(literal) > n_variables:
        raise BrokenFile(
            f"{name}, line {line}: expected variables up to {n_variables}, as its 'p' line says, found {literal}."
        )
    return literal


def _show(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}…") if text else "the end of the file"


def to_literals(assignment: Iterable[object]) -> list[int]:
    """Return an assignment as the literals that are true."""
    return [variable if value else -variable for variable, value in enumerate(assignment, 1)]


def format_model(literals: Iterable[int]) -> list[str]:
    """Return a model as solvers print it: ``v`` lines of at most 78 characters, ended by 0."""
    lines = ["v"]
    for word in map(str, (*literals, 0)):
        if len(lines[-1]) + 1 + len(word) > LONGEST_LINE:
            lines.append("v")
        lines[-1] += f" {word}"
    return lines


def write_dimacs(cnf: Cnf, path: str | Path, comments: Iterable[str] = ()) -> None:
    """Write a formula, with a ``c`` line for every comment."""
    from pathlib import Path

    Path(path).write_text(format_dimacs(cnf, comments), encoding="utf-8")


def format_dimacs(cnf: Cnf, comments: Iterable[str] = ()) -> str:
    """Return a formula as DIMACS text."""
    lines = [f"c {line}".rstrip() for comment in comments for line in comment.splitlines()]
    lines.append(f"p cnf {cnf.n_variables} {len(cnf.clauses)}")
    lines += [" ".join(map(str, (*clause, 0))) for clause in cnf.clauses]
    return "\n".join(lines) + "\n"
