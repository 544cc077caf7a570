"""Candidates are known again by their values, or else by their names."""

from __future__ import annotations

import functools
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import heats
from heats.errors import InvalidArgument
from heats.journal.fingerprint import qualify
from tests.journal.runs import NASTY, lines, never, one


def test_other_candidates_are_refused(path: Path) -> None:
    """By value, not by name: 1 is not 1.0 and not "1"."""
    options: dict[str, Any] = {"budget": 9, "journal": path}
    heats.find_best([1, 2, 3], list, **options)
    for other in ([1, 2, 4], [1, 3, 2], [1, 2, 3.0], [1, 2, "3"]):
        with pytest.raises(InvalidArgument, match=r"its candidate #\d is \d, not "):
            heats.find_best(other, never, **options)
    assert heats.find_best([1, 2, 3], never, names=["other", "names", "only"], **options).winner == 3


@dataclass
class Config:
    depth: int
    tags: frozenset[str]


def local() -> Callable[[], int]:
    def number() -> int:
        return 1

    return number


class Opaque:
    """Nothing that lasts."""


def test_fingerprints(path: Path) -> None:
    """JSON in one order, dataclasses too; functions by name; long ones by hash; else the names given, or nothing."""
    field = [
        {"b": 1, "a": [2]},
        Config(3, frozenset({"y", "x"})),
        one,
        max,
        Opaque,
        "é" * 500,
        (1, "two"),
        None,
        "odd \udcff name",
        "é" * 20_000,
    ]
    heats.find_best(field, one, budget=30, journal=path)
    known = [{key: value for key, value in each.items() if key != "name"} for each in lines(path)[0]["candidates"]]
    assert known[:5] == [
        {"json": {"a": [2], "b": 1}},
        {"json": {"depth": 3, "tags": ["x", "y"]}},
        {"function": "tests.journal.runs.one"},
        {"function": "builtins.max"},
        {"function": "tests.journal.test_fingerprints.Opaque"},
    ]
    assert known[5] == {"json": field[5]}
    assert len(lines(path)[0]["candidates"][9]["sha256"]) == 64
    assert known[6:8] == [{"json": [1, "two"]}, {"json": None}]
    again = [{"a": [2], "b": 1}, Config(3, frozenset({"x", "y"})), *field[2:]]
    assert heats.find_best(again, never, budget=30, journal=path).report.done


def accuracy(number: int = 0) -> int:
    return number


@functools.wraps(accuracy)
def negated(number: int = 0) -> int:
    return -accuracy(number)


class Shadowed:
    """Loses its name below."""

    def method(self) -> int:
        return 1


OldShadowed = Shadowed


class Shadowed:  # type: ignore[no-redef]
    """Has the name of the one before."""


@pytest.mark.parametrize(
    "candidate",
    [Opaque(), lambda: 1, local(), float("nan"), np.zeros(2), "x".join, negated, OldShadowed, OldShadowed.method],
)
def test_a_candidate_without_fingerprint_needs_a_name(path: Path, candidate: Any) -> None:
    """Its repr holds an address, or says too little, and would never match again."""
    with pytest.raises(InvalidArgument, match=r"candidate #1, a \w+, has no fingerprint .* Give names="):
        heats.find_best(["a", candidate], one, budget=3, journal=path)
    assert not path.exists()
    heats.find_best(["a", candidate], one, budget=3, journal=path, names=["a", "b"])
    assert heats.find_best(["a", candidate], never, budget=3, journal=path, names=["a", "b"]).report.done
    with pytest.raises(InvalidArgument, match="its candidate #1 is 'b', not 'c'"):
        heats.find_best(["a", candidate], never, budget=3, journal=path, names=["a", "c"])


def test_a_journal_of_one_function_is_not_taken_for_another_of_its_name(path: Path) -> None:
    """functools.wraps gives a function the module and the name of another one."""
    heats.find_best([accuracy, one], one, budget=3, journal=path)
    with pytest.raises(InvalidArgument, match=r"candidate #0, a function, has no fingerprint .* a name of its own"):
        heats.find_best([negated, one], never, budget=3, journal=path)


@pytest.mark.parametrize(
    "candidate", [accuracy, one, Path.exists, Config.__eq__, Opaque, Path, np.float64, len, math.sqrt]
)
def test_what_its_module_holds_by_that_name_is_known_by_it(candidate: Any) -> None:
    """Functions, functions of classes, classes, and those written in C."""
    assert qualify(candidate) == f"{candidate.__module__}.{candidate.__qualname__}"


def test_what_a_worker_has_a_copy_of_is_known_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers get a program's own functions and classes by value: their __main__ does not hold them."""

    def copied() -> None: ...

    monkeypatch.setattr(copied, "__module__", "__main__")
    monkeypatch.setattr(copied, "__qualname__", "copied")
    assert qualify(copied) == "__main__.copied"
    monkeypatch.setattr(sys.modules["__main__"], "copied", accuracy, raising=False)
    assert qualify(copied) == ""


def test_a_module_that_fails_to_give_a_name_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lazy modules import when they are asked, which may fail."""

    class Lazy(ModuleType):
        def __getattr__(self, name: str) -> Any:
            raise ImportError(name)

    def lazy() -> None: ...

    monkeypatch.setitem(sys.modules, "lazy_module", Lazy("lazy_module"))
    monkeypatch.setattr(lazy, "__module__", "lazy_module")
    monkeypatch.setattr(lazy, "__qualname__", "lazy")
    assert qualify(lazy) == ""


def test_functions_of_a_program_are_known_in_its_next_run(path: Path) -> None:
    """Its module is called __main__, whatever its file is."""
    program = path.with_suffix(".py")
    program.write_text(
        "import heats\n"
        "def one(): return 1\n"
        "def two(): return 2\n"
        f"found = heats.find_best([one, two], lambda heat: [f() for f in heat], budget=3, journal={str(path)!r})\n"
        "assert found.winner is two\n"
    )
    for _ in range(2):
        subprocess.run([sys.executable, program], check=True)
    assert [each["function"] for each in lines(path)[0]["candidates"]] == ["__main__.one", "__main__.two"]
    assert sum(line["event"] == "told" for line in lines(path)) == 3


def test_nasty_names_are_safe(path: Path) -> None:
    """A name cannot end a line, nor be mistaken for anything else."""
    heats.find_best(NASTY, one, budget=30, journal=path, names=NASTY)
    assert len(lines(path)) == 1 + 30 + 1
    assert [each["name"] for each in lines(path)[0]["candidates"]] == [*NASTY[:5], "\\udcff", ""]
    assert heats.find_best(NASTY, never, budget=30, journal=path, names=NASTY).report.done


def test_numbers_of_numpy_are_numbers(path: Path) -> None:
    """Known by their value, alone or within other things."""
    heats.find_best(np.arange(3), one, budget=9, journal=path)
    assert heats.find_best([0, 1, 2], never, budget=9, journal=path).report.done
    path.unlink()
    heats.find_best([*np.linspace(0, 1, 3), {"a": np.float32(0.5)}, np.bool_(True)], one, budget=20, journal=path)
    assert heats.find_best([0.0, 0.5, 1.0, {"a": 0.5}, True], never, budget=20, journal=path).report.done
