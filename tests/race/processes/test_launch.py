"""What a guardian loads: it starts in a moment because that is next to nothing."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from heats.race.processes import launch

FOLDER = Path(launch.__file__).parent


def list_imports(path: Path) -> set[str]:
    """Return the modules a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module))
    return found


def test_a_guardian_loads_the_standard_library_only() -> None:
    """And its own files, directly."""
    reached, waiting = set(), ["launch"]
    while waiting:
        name = waiting.pop()
        reached.add(name)
        for module in list_imports(FOLDER / f"{name}.py"):
            package, _, inner = module.rpartition(".")
            if package == "heats.race.processes":
                waiting += [] if inner in reached else [inner]
            else:
                assert module.partition(".")[0] in sys.stdlib_module_names, f"{name} imports {module}"
    assert reached == {path.stem for path in FOLDER.glob("*.py")} - {"__init__", "client", "jobs", "pool"}


def test_packages_are_not_loaded() -> None:
    """Neither heats nor NumPy, which would take longer than many a heat."""
    code = (
        "import runpy, sys; namespace = runpy.run_path(sys.argv[1]); namespace['pretend_packages'](); "
        "import heats.race.processes.watcher; "
        "print(sorted(name for name in sys.modules if name.startswith(('heats', 'numpy', 'msgspec'))))"
    )
    command = [sys.executable, "-I", "-S", "-c", code, launch.__file__]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "heats.race.processes.guardian" in loaded
    assert "numpy" not in loaded
    assert "heats.engine" not in loaded
