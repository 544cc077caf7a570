"""DIMACS files: ``c`` comments, ``p cnf VARIABLES CLAUSES``, then literals, each clause ended by 0."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import wrap

from heats.base.files import read_regular_file
from heats.base.text import make_printable, split_lines
from heats.errors import BrokenFile, InvalidArgument
from heats.sat.formula import Cnf

MOST_VARIABLES = MOST_CLAUSES = 10_000_000  # more would not fit into memory
MOST_DIMACS_BYTES = 256 << 20

_HEADER = re.compile(r"p\s+cnf\s+([0-9]+)\s+([0-9]+)")
_LITERAL = re.compile(r"[+-]?[0-9]{1,18}")


def read_dimacs(path: str | Path, most_bytes: int = MOST_DIMACS_BYTES) -> Cnf:
    """Read a formula. Line breaks carry no meaning; comments may stand anywhere; a ``%`` line ends the file."""
    if not os.path.exists(path):  # noqa: PTH110  # also of names that no file can have
        raise InvalidArgument(f"{make_printable(str(path))} does not exist; give a DIMACS .cnf file.")
    text = read_regular_file(path, most_bytes).decode(errors="replace")
    return parse_dimacs(split_lines(text), make_printable(str(path)))


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


def to_literals(assignment: Iterable[bool]) -> list[int]:
    """Return an assignment as the literals that are true."""
    return [variable if value else -variable for variable, value in enumerate(assignment, 1)]


def format_model(literals: Iterable[int]) -> list[str]:
    """Return a model as solvers print it: ``v`` lines, ended by 0."""
    return wrap(
        " ".join(map(str, (*literals, 0))), 78, initial_indent="v ", subsequent_indent="v ", break_on_hyphens=False
    )


def write_dimacs(cnf: Cnf, path: str | Path, comments: Iterable[str] = ()) -> None:
    """Write a formula, with a ``c`` line for every comment."""
    Path(path).write_text(format_dimacs(cnf, comments), encoding="utf-8")


def format_dimacs(cnf: Cnf, comments: Iterable[str] = ()) -> str:
    """Return a formula as DIMACS text."""
    lines = [f"c {line}".rstrip() for comment in comments for line in comment.splitlines()]
    lines.append(f"p cnf {cnf.n_variables} {len(cnf.clauses)}")
    lines += [" ".join(map(str, (*clause, 0))) for clause in cnf.clauses]
    return "\n".join(lines) + "\n"
