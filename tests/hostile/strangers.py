"""Attacks of ``make soak`` with what is somebody else's: formulas, journals, cookies, units, files in the current folder.

An attack is a function of a source of randomness and an empty folder; what breaks is an exception.
"""

from __future__ import annotations

import functools
import random
import tempfile
import warnings
from fractions import Fraction
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest import SkipTest

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import heats
from heats.errors import HeatsError, InvalidArgument
from heats.sklearn import HeatsSearchCV
from heats.vote.site.guard import Rate
from tests.hostile import traps
from tests.hostile.traps import CONSOLE, MODULE
from tests.vote.polls import write_lines
from tests.vote.test_app import Poll

FORMULAS = 25  # in a process
NEWCOMERS = 100  # that an address may bring at once
REQUESTS = 150
UNITS = (0.0, 1.0, -1.0, 1e6, -1e9, 1e9, 1e12, 2.0**60)


def solve_sanitized(draw: random.Random, folder: Path) -> None:
    """Solve formulas of all shapes with a kernel that ends at the first wrong access."""
    sanitized = import_module("tests.sat.sanitized")
    _, made = _compile_sanitized()
    done = sanitized.solve_sanitized(made, draw.randrange(2**31), FORMULAS)
    assert done.returncode == 0, done.stdout[-200:] + done.stderr[-3000:]


@functools.cache
def _compile_sanitized() -> tuple[tempfile.TemporaryDirectory[str], Any]:
    """Return a sanitized kernel, and the folder it is in, which goes with the last who holds it."""
    room = tempfile.TemporaryDirectory(prefix="heats-soak-")
    made = import_module("tests.sat.sanitized").compile_sanitized(Path(room.name))
    if isinstance(made, str):
        raise SkipTest(made)
    return room, made


def take_journal_of_another(draw: random.Random, folder: Path) -> None:
    """Hand the journal of a search to another one: it is refused, and stays as it is; to the same one it is not."""
    path, table = folder / "search.jsonl", np.random.default_rng(draw.randrange(2**32))
    said: dict[str, Any] = {
        "X": table.normal(size=(24, 3)),
        "y": table.permutation([0, 1] * 12),
        "estimator": KNeighborsClassifier(n_neighbors=draw.choice([2, 3])),
        "scoring": draw.choice(["accuracy", "balanced_accuracy"]),
        "cv": StratifiedKFold(draw.choice([2, 3]), shuffle=True, random_state=draw.randrange(100)),
    }
    found = _search(said, path)
    kept = path.read_bytes()
    assert _search(said, path) == found
    assert path.read_bytes() == kept
    changed = draw.choice(list(said))
    other = said | {changed: _change(changed, said[changed], draw)}
    try:
        why = f"it was taken, and {_search(other, path)} found"
    except InvalidArgument as error:
        why = str(error)
    assert f"{path.name} holds another" in why, f"the journal of a search with another {changed}: {why}"
    assert path.read_bytes() == kept, f"a journal was written by a search with another {changed}"


def _search(said: dict[str, Any], path: Path) -> tuple[Any, float]:
    rest = {name: value for name, value in said.items() if name not in ("X", "y", "estimator")}
    space = {"weights": ["uniform", "distance"], "p": [1, 2, 3]}
    if isinstance(said["estimator"], DecisionTreeClassifier):
        space = {"splitter": ["best", "random"], "max_depth": [1, 2, 3]}
    search = HeatsSearchCV(said["estimator"], space, n_fits=12, journal=path, random_state=1, **rest)
    search.fit(said["X"], said["y"])
    return search.best_params_, search.best_score_


def _change(name: str, value: Any, draw: random.Random) -> Any:
    """Return another value, as little different as can be."""
    if name == "X":
        other = value.copy()
        other[draw.randrange(24), draw.randrange(3)] += draw.choice([1e-12, 1.0])
        return other
    if name == "y":
        one, other = draw.choice([(0, 1), (1, 0)])
        flipped = value.copy()
        flipped[draw.choice(np.flatnonzero(value == one).tolist())] = other
        return flipped
    if name == "estimator":
        return draw.choice([KNeighborsClassifier(n_neighbors=5), DecisionTreeClassifier(random_state=0)])
    if name == "scoring":
        return "f1"
    return StratifiedKFold(value.n_splits, shuffle=True, random_state=value.random_state + 1)


def invent_cookies(draw: random.Random, folder: Path) -> None:
    """Send identities that no server issued: each is a newcomer and pays; whoever was let in before still is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("heats.vote.site.booth.Rate", partial(Rate, clock=lambda: 0.0))  # nothing is paid back
        write_lines(folder)
        poll = Poll(folder, source=folder / "names.txt", listed=False)
        try:
            begun = poll.client.post("/begin")
            issued = begun.headers["set-cookie"].partition(";")[0]
            name, _, identity = issued.partition("=")
            accepted = 1
            for _ in range(REQUESTS):
                poll.client.cookies.clear()
                cookie = f"{name}={_invent(identity, draw)}"
                accepted += poll.client.post("/begin", headers={"cookie": cookie}).status_code == 303
            assert accepted <= NEWCOMERS, f"{accepted} of {REQUESTS} invented identities were let in"
            poll.client.cookies.clear()
            assert poll.client.get("/", headers={"cookie": issued}).status_code == 200
            assert poll.client.post("/begin", headers={"cookie": issued}).status_code == 303
        finally:
            poll.office.close()


def _invent(identity: str, draw: random.Random) -> str:
    """Return what looks like an identity, and is none."""
    place, letter = draw.randrange(len(identity)), draw.choice("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789-_.")
    invented = draw.choice(
        [
            "".join(draw.choices("0123456789abcdef", k=draw.randrange(1, 80))),
            identity[:place],
            identity[:place] + letter + identity[place + 1 :],
            identity + letter,
            letter + identity,
            identity[place:] + identity[:place],
            identity.swapcase(),
        ]
    )
    return invented if invented != identity else f"{identity}{letter}"


def measure_in_any_unit(draw: random.Random, folder: Path) -> None:
    """Tell the same results in another unit, exact in floats: who wins and how sure that is stay what they were."""
    n_arms, size = draw.randrange(2, 7), draw.randrange(2, 4)
    skills = [draw.randrange(200) for _ in range(n_arms)]
    budget, seed = draw.randrange(20, 80), draw.randrange(2**32)
    shift, power = draw.choice(UNITS), draw.choice((-700, -530, -200, -40, -20, 0, 20, 200, 320))
    plain: list[list[int]] = []

    def compare(heat: tuple[int, ...], query: heats.Query) -> list[float]:
        noise = random.Random(query.seed)
        plain.append([skills[arm] + noise.randrange(60) for arm in heat])
        return list(map(float, plain[-1]))

    def compare_in_unit(heat: tuple[int, ...], query: heats.Query) -> list[float]:
        noise = random.Random(query.seed)
        return [shift + float(np.ldexp(skills[arm] + noise.randrange(60), power)) for arm in heat]

    size = min(size, n_arms)
    play = draw.choice((heats.RoundRobin, heats.Adaptive))
    machines = [play(n_arms, size, budget, seed=seed) for _ in range(2)]
    heats.run(machines[0], compare)
    for numbers in plain:
        for each in numbers:
            exact = Fraction(shift) + each * Fraction(2) ** power
            if abs(exact) < 10**101 and Fraction(shift + float(np.ldexp(each, power))) != exact:
                return  # rounded: other results
    try:
        heats.run(machines[1], compare_in_unit)
        found = machines[1].standings()
    except HeatsError:
        assert abs(shift) + 2.0**power > 1e90 or 2.0**power < 1e-150, f"{shift:g} + x·2^{power} was refused"
        return
    expected = machines[0].standings()
    assert machines[0].winner == machines[1].winner
    for one, other in zip(expected.rows, found.rows, strict=True):
        assert one.arm == other.arm, f"{shift:g} + x·2^{power}: {[row.arm for row in found.rows]}"
        assert abs((one.chance or 0) - (other.chance or 0)) < 0.01, f"{shift:g} + x·2^{power}: {one} became {other}"


def step_on_traps(draw: random.Random, folder: Path) -> None:
    """Run a command in a folder where everything that can be imported is a trap."""
    program = draw.choice([CONSOLE, MODULE])
    traps.lay_files(folder)
    traps.lay_traps(folder, traps.list_needed_by_option_m() if program is MODULE else ())
    if draw.random() < 0.3:
        assert traps.look_as_organiser(program, folder) == 200
    else:
        said = draw.choice(traps.COMMANDS)
        with warnings.catch_warnings():
            done = traps.run_command(program, said, folder)
        assert "Traceback" not in done.stderr, done.stderr  # a journal it reads may not be there
    assert traps.list_sprung(folder) == []
