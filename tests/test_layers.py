"""The tree is the data flow: an inner room never imports an outer one, every file is on its room's map."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import heats

ROOT = Path(__file__).parents[1] / "src" / "heats"
FILES = sorted(path for path in ROOT.rglob("*.py"))

# From the inside out, as in the map of heats/__init__. A file may import its own room and those before it.
ROOMS = [
    "errors",
    "base",
    "planning",
    "engine",
    "theory",
    "environments",
    "simulation",
    "journal",
    "reports",
    "executors",
    "running",
    "judging",
    "sklearn",
    "vote",
    "race",
    "sat",
    "experiments",
    "__init__",
    "cli",
    "__main__",
]
LOOSE = {"__init__", "__main__", "errors", "sklearn"}  # files of the package itself


def imports(path: Path) -> Iterator[str]:
    """Yield the dotted names a file imports, names imported from packages included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", [path for path in FILES if path != ROOT / "__init__.py"], ids=name_of)
def test_nothing_imports_outwards(path: Path) -> None:
    """An import of heats.x from a room inside that of x fails, wherever in the file it stands."""
    for name in imports(path):
        package, *rest = name.split(".")
        if package == "heats":
            target = rest[0] if rest and rest[0] in ROOMS else "__init__"
            assert ROOMS.index(target) <= ROOMS.index(room_of(path)), f"{path} imports {name}"


def map_of(folder: Path) -> list[str]:
    """Return the names in the first column of the map in a room's docstring, in their order."""
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    return [name for line in text.splitlines() for name in re.findall(r"^ {0,4}(\w+)(?=  )", line)]


def flow_of(folder: Path) -> list[str]:
    return [each.stem for each in folder.iterdir() if is_part(each)]


def is_part(path: Path) -> bool:
    return (path.suffix == ".py" and path.stem != "__init__") or (path / "__init__.py").exists()


@pytest.mark.parametrize("folder", [path.parent for path in FILES if path.stem == "__init__"], ids=name_of)
def test_every_file_is_on_its_room_s_map(folder: Path) -> None:
    """Once, and nothing else is: a map that lies is worse than none."""
    loose = LOOSE if folder == ROOT else set()
    assert sorted(map_of(folder)) == sorted(
        name for name in flow_of(folder) if name not in loose - {"errors", "sklearn"}
    )


@pytest.mark.parametrize(
    "folder", [path.parent for path in FILES if path.stem == "__init__" and path.parent != ROOT], ids=name_of
)
def test_a_room_flows_in_the_order_of_its_map(folder: Path) -> None:
    """A file imports only files of its room that stand before it on the map."""
    order = map_of(folder)
    package = ".".join(("heats", *folder.relative_to(ROOT).parts))
    for path in (each for each in FILES if folder in each.parents and each != folder / "__init__.py"):
        mine = path.relative_to(folder).parts[0].removesuffix(".py")
        for name in imports(path):
            if name.startswith(f"{package}."):
                other = name.removeprefix(f"{package}.").split(".")[0]
                if other in order and other != mine:
                    assert order.index(other) < order.index(mine), f"{mine} imports {other}"


def test_the_map_of_the_house_has_the_rooms_in_order() -> None:
    """Also in CONTRIBUTING."""
    rooms = [name for name in ROOMS if name not in ("__init__", "__main__")]
    assert map_of(ROOT) == rooms
    contributing = (ROOT.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = re.findall(r"^(\w+)  ", contributing, re.MULTILINE)
    assert listed == rooms


def test_no_loose_modules() -> None:
    """Everything else has a room."""
    assert {path.stem for path in ROOT.glob("*.py")} == LOOSE


@pytest.mark.parametrize(
    "path", [path for path in FILES if room_of(path) in ("planning", "engine", "theory")], ids=name_of
)
def test_the_inner_rooms_are_pure(path: Path) -> None:
    """NumPy, SciPy, msgspec and arithmetic; no files, clock, threads, processes or global randomness."""
    allowed = {
        "numpy",
        "scipy",
        "msgspec",
        "heats",
        "__future__",
        "abc",
        "array",
        "bisect",
        "collections",
        "copy",
        "dataclasses",
    }
    allowed |= {"enum", "heapq", "fractions", "functools", "itertools", "math", "numbers", "operator", "statistics"}
    allowed |= {"contextlib", "struct", "typing"}
    used = set(imports(path))
    assert {name.split(".")[0] for name in used} <= allowed
    assert not [name for name in used if name.startswith("numpy.random")]
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.])open\(", text)
    assert "np.random" not in text


def test_import_heats_is_light() -> None:
    """Neither the command line nor any extra is imported with the library, nor SciPy."""
    heavy = [
        "numpy",
        "typer",
        "rich",
        "matplotlib",
        "pandas",
        "polars",
        "IPython",
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


def test_no_library_text_mentions_an_option() -> None:
    """Errors carry the arguments they are about; only the command line spells them as options."""
    for path in FILES:
        if room_of(path) in ("cli", "race", "sat", "experiments"):  # programs have options of their own
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not re.search(r"(?<!\S)--[a-z]", node.value), (path, node.value)


def test_public_names_come_from_where_type_checkers_look() -> None:
    """They are written twice in heats/__init__: as imports for those who read it, and as a table for Python."""
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    homes = {node.module: [each.name for each in node.names] for node in block.body if isinstance(node, ast.ImportFrom)}
    assert sorted(homes.pop("heats")) == [name for name in heats.__all__ if inspect.ismodule(getattr(heats, name))]
    assert {home: names.split() for home, names in heats._HOMES.items()} == homes


def test_rooms_are_there_when_asked_for() -> None:
    """Like everything else of heats, without having been imported; what is not there is not."""
    code = "import heats; print(heats.engine.__name__, hasattr(heats, 'nothing'), hasattr(heats, '__wrapped__'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "heats.engine False False\n"


def test_public_names_are_there() -> None:
    """And no others: what is not in __all__ is a room or starts with an underscore."""
    assert all(hasattr(heats, name) for name in heats.__all__)
