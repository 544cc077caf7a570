"""The tree is the data flow: an inner layer never imports an outer one, and `import heats` stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "heats"

# From the inside out. A module may import its own layer and those before it.
LAYERS = [
    {"errors"},
    {"engine"},
    {"theory"},
    {"environments"},
    {"simulation", "sat"},
    {"work"},
    {"pool", "answers"},
    {"drive", "journal", "progress"},
    {"find", "__init__"},
    {"demo", "explain", "race", "replay", "reproduce", "page", "cluster"},
    {"resume", "account"},
    {"cli", "__main__"},
]

# Within the engine: the order of the data flow.
FLOW = [
    "checks",
    "table",
    "rules",
    "schedule",
    "chance",
    "sets",
    "confidence",
    "fit",
    "survival",
    "model",
    "planning",
    "plan",
    "feedback",
    "statistics",
    "elimination",
    "report",
    "machine",
    "tournament",
    "baselines",
]


def imports(path: Path) -> Iterator[str]:
    """Yield the dotted names a file imports, names imported from packages included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer_of(name: str) -> int:
    found = [number for number, layer in enumerate(LAYERS) if name in layer]
    assert len(found) == 1, f"heats.{name} belongs to no layer; add it to LAYERS"
    return found[0]


def parts(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


FILES = sorted(ROOT.rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_imports_outwards(path: Path) -> None:
    """An import of heats.x from a layer inside that of x fails, wherever in the file it stands."""
    for name in imports(path):
        package, *rest = name.split(".")
        if package == "heats":
            assert layer_of(rest[0] if rest else "__init__") <= layer_of(parts(path)), f"{path} imports {name}"


@pytest.mark.parametrize("path", sorted((ROOT / "engine").glob("*.py")), ids=lambda path: path.stem)
def test_the_engine_is_pure(path: Path) -> None:
    """NumPy, msgspec and arithmetic; no files, clock, threads, processes or global randomness."""
    allowed = {"numpy", "msgspec", "heats", "__future__", "abc", "array", "bisect", "collections", "enum", "heapq"}
    allowed |= {"functools", "itertools", "math", "numbers", "operator", "statistics", "struct", "typing"}
    used = set(imports(path))
    assert {name.split(".")[0] for name in used} <= allowed
    assert not [name for name in used if name.startswith("numpy.random")]
    text = path.read_text(encoding="utf-8")
    assert "open(" not in text.replace("_open(", "")
    assert "np.random" not in text


@pytest.mark.parametrize("path", sorted((ROOT / "engine").glob("[a-z]*.py")), ids=lambda path: path.stem)
def test_the_engine_flows_one_way(path: Path) -> None:
    """A file imports only files before it in the flow."""
    for name in imports(path):
        if name.startswith("heats.engine."):
            inner = name.split(".")[2]
            assert FLOW.index(inner) < FLOW.index(path.stem), f"{path.stem} imports {inner}"


def test_every_file_has_its_place() -> None:
    """A new module must be put in a layer, a new engine file in the flow."""
    assert {path.stem for path in (ROOT / "engine").glob("[a-z]*.py")} == set(FLOW)
    for path in FILES:
        assert layer_of(parts(path)) >= 0


def test_import_heats_is_light() -> None:
    """Neither the command line nor any extra is imported with the library."""
    heavy = [
        "typer",
        "rich",
        "matplotlib",
        "numba",
        "networkx",
        "pysat",
        "distributed",
        "starlette",
        "sklearn",
        "scipy",
    ]
    code = f"import sys, heats; print([m for m in {heavy} + ['concurrent.futures', 'asyncio'] if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
