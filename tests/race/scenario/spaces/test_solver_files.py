"""Parameter files of six public solvers, in the three text formats: every rule in them holds for every candidate."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from heats.errors import InvalidArgument
from heats.race.scenario.spaces import Space, load_space

DATA = Path(__file__).parent / "data"


def draw(name: str, how_many: int = 1500) -> tuple[Space, list[dict[str, Any]]]:
    """Return the space of a file and candidates of it, each within its ranges, under the right kind of number."""
    space = load_space(DATA / name)
    drawn: list[dict[str, Any]] = [*space.sample(how_many, seed=1)]
    by_name = {each.name: each for each in space.parameters}
    for candidate in drawn:
        for parameter, value in candidate.items():
            each = by_name[parameter]
            assert value in each.choices if each.is_chosen else each.low <= value <= each.high
            assert isinstance(value, str if each.is_chosen else int if each.is_whole else float)
    return space, drawn


def check(drawn: list[dict[str, Any]], rules: dict[str, Callable[[Any], bool]]) -> None:
    """Check that a parameter is there if and only if its rule holds, and that both happens."""
    for name, holds in rules.items():
        assert {name in each for each in drawn} == {True, False}, name
        assert all((name in each) == holds(each) for each in drawn), name


def test_spear() -> None:
    """Classic: 26 categorical parameters, of which nine hang on others."""
    space, drawn = draw("spear.pcs")
    assert len(space.parameters) == 26
    resolves = {
        f"sp-{name}": lambda x: x["sp-resolution"] != "0"
        for name in ("res-order-heur", "max-res-lit-inc", "res-cutoff-cls", "res-cutoff-lits", "max-res-runs")
    }
    check(
        drawn,
        resolves
        | {
            "sp-rand-phase-dec-freq": lambda x: x["sp-phase-dec-heur"] != "2",
            "sp-rand-var-dec-scaling": lambda x: x["sp-rand-var-dec-freq"] != "0",
            "sp-rand-phase-scaling": lambda x: x.get("sp-rand-phase-dec-freq", "0") != "0",
            "sp-clause-inversion": lambda x: x["sp-learned-clause-sort-heur"] == "19",
        },
    )
    default = space.make_default()
    assert "sp-clause-inversion" not in default
    assert (len(default), default["sp-first-restart"], default["sp-variable-decay"]) == (25, "100", "1.4")


def test_saps() -> None:
    """Classic: numbers, one of them on a log scale."""
    space, _ = draw("saps.pcs")
    assert [each.kind for each in space.parameters] == ["log-float", "float", "float", "float"]
    assert space.make_default() == {"alpha": 1.3, "rho": 0.8, "ps": 0.05, "wp": 0.01}


def test_glucose() -> None:
    """New: types in words, ordinals that compare by their place, clauses that compare numbers."""
    space, drawn = draw("glucose.pcs")
    check(
        drawn,
        {
            "elim": lambda x: x["pre"] == "on",
            "rcheck": lambda x: x.get("elim") == "on",
            "grow": lambda x: x.get("elim") == "on",
            "minSizeMinimizingClause": lambda x: x["ccmin-mode"] != "none",
            "minLBDMinimizingClause": lambda x: x["ccmin-mode"] != "none" and x["K"] < 0.9,
        },
    )
    assert not any(each["var-decay"] > 0.95 and each["cla-decay"] < 0.5 for each in drawn)
    assert not any(each["ccmin-mode"] == "none" and each["phase-saving"] == "0" for each in drawn)
    default = space.make_default()
    assert (default["szTrailQueue"], default["R"], default["grow"]) == (5000, 1.4, 0)


def test_clasp() -> None:
    """New: names with signs in them, conditions with and, or, in and unequal; what is left out forbids nothing."""
    space, drawn = draw("clasp.pcs")
    prefixed: dict[str, Callable[[Any], bool]] = {
        "berk-max": lambda x: x["@1:heuristic"] == "Berkmin",
        "vmtf-mtf": lambda x: x["@1:heuristic"] == "Vmtf",
        "vsids-decay": lambda x: x["@1:heuristic"] in ("Vsids", "Unit"),
        "restart-base": lambda x: x["@1:restarts"] != "no",
        "restart-factor": lambda x: x["@1:restarts"] in ("x", "D"),
        "restart-limit": lambda x: x["@1:restarts"] == "D",
        "local-restarts": lambda x: x["@1:restarts"] in ("F", "L", "+", "x"),
        "del-glue": lambda x: x["@1:deletion"] != "no" and x["@1:strengthen"] != "no",
        "str-depth": lambda x: x["@1:strengthen"] == "recursive",
    }
    check(drawn, {f"@1:{name}": rule for name, rule in prefixed.items()})
    assert not any(each["@1:heuristic"] == "None" and each["@1:restarts"] == "no" for each in drawn)
    both = [each for each in drawn if "@1:restart-factor" in each and "@1:restart-base" in each]
    assert not any(each["@1:restart-base"] > 500 and each["@1:restart-factor"] > 3 for each in both)
    assert any(each["@1:restart-base"] > 500 for each in both)
    assert "@1:restart-limit" not in space.make_default()


def test_acotsp() -> None:
    """irace: conditions and clauses as in R, so many digits behind the point; it knows no defaults."""
    space, drawn = draw("acotsp.txt")
    check(
        drawn,
        {
            "q0": lambda x: x["algorithm"] == "acs",
            "rasrank": lambda x: x["algorithm"] == "ras",
            "elitistants": lambda x: x["algorithm"] == "eas",
            "nnls": lambda x: x["localsearch"] != "0",
            "dlb": lambda x: x["localsearch"] != "0",
        },
    )
    assert all(each["rasrank"] <= each["ants"] for each in drawn if "rasrank" in each)
    assert all(round(each["alpha"], 2) == each["alpha"] for each in drawn)
    with pytest.raises(InvalidArgument, match="algorithm and 10 more of the space has none"):
        space.make_default()


def test_lkh() -> None:
    """irace: quoted values, ordinals, not, sums and comparisons of two parameters."""
    _, drawn = draw("lkh.txt")
    check(
        drawn,
        {
            "EXCESS": lambda x: x["CANDIDATE_SET_TYPE"] == "ALPHA",
            "ASCENT_CANDIDATES": lambda x: x["CANDIDATE_SET_TYPE"] in ("ALPHA", "POPMUSIC"),
            "INITIAL_PERIOD": lambda x: x["CANDIDATE_SET_TYPE"] == "ALPHA" and x["MAX_CANDIDATES"] >= 5,
            "KICK_TYPE": lambda x: x["MOVE_TYPE"] != "2",
            "BACKTRACKING": lambda x: x["MOVE_TYPE"] != "5",
        },
    )
    assert all(each["PATCHING_A"] <= each["PATCHING_C"] for each in drawn)
    assert all(each["MAX_CANDIDATES"] + each["EXTRA_CANDIDATES"] <= 20 for each in drawn)
    assert not any(each["KICKS"] > 3 and each["MOVE_TYPE"] == "5" for each in drawn)
    assert not any(each["KICKS"] == 1 and each["MERGE"] == "very low" for each in drawn)
    assert {each["MERGE"] for each in drawn} == {"very low", "low", "high"}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('y "" i (1, "min(x, 3)")', r"line 2: the range of y ends at 'min\(x, 3\)', .* give numbers"),
        ('y "" i (1, 2, 3)', "line 2: y needs a range of two numbers"),
        ('y "" q (1, 2)', 'line 2: .* is not a parameter; expected name "switch" type'),
        ('y "" i (1.5, 2)', "line 2: parameter y is whole"),
        ('y "" r,log (0, 2)', "line 2: parameter y is on a log scale"),
        ('x "" i (1, 2)', "line 2: parameter x is there twice"),
        ('y "" i (1, 2) | z == 1', "line 2: the condition 'z == 1' cannot be read: 'z', which is no parameter"),
        ('y "" i (1, 2) | x ==', "line 2: .* expected a parameter or a value, but it ends"),
        ("[forbiden]", r"line 2: \[forbiden\] is not known"),
        ("[global]\nwidth = 3", "line 3: 'width = 3' is not known under"),
        ("[forbidden]\nx + 1", "line 3: .* alone is no condition"),
    ],
)
def test_bad_lines_of_irace_are_named(tmp_path: Path, line: str, sentence: str) -> None:
    """With file, line, and what was expected."""
    (tmp_path / "parameters.txt").write_text(f'x "-x " i (1, 9)\n{line}\n')
    with pytest.raises(InvalidArgument, match=sentence) as error:
        load_space(tmp_path / "parameters.txt")
    assert str(tmp_path / "parameters.txt") in str(error.value)


def test_quotes_of_irace_are_of_either_kind(tmp_path: Path) -> None:
    """And a # between them begins no comment."""
    path = tmp_path / "parameters.txt"
    path.write_text("""
x '--x ' i (1, 9)  # it's a number
y "#" c ("a#b", 'c, "d"', e) | z == "#1" # isn't it
z '' o ('#1', "#2")
""")
    space = load_space(path)
    assert [each.choices for each in space.parameters] == [(), ("a#b", 'c, "d"', "e"), ("#1", "#2")]
    drawn = space.sample(30, seed=1)
    assert all(("y" in each) == (each["z"] == "#1") for each in drawn)


def test_a_file_is_known_by_its_lines(tmp_path: Path) -> None:
    """Classic files were called .txt before irace's were."""
    (tmp_path / "solver.txt").write_text("# classic\nx {a, b} [a]\n")
    assert load_space(tmp_path / "solver.txt").make_default() == {"x": "a"}
