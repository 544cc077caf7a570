"""A folder full of files that are called as modules, each of which leaves a mark when it is imported."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path

import httpx2 as httpx

from tests.race.scenarios import write

OTHERS = [
    "org",
    "sitecustomize",
    "usercustomize",
    "heats",
    "numpy",
    "scipy",
    "msgspec",
    "typer",
    "rich",
    "click",
    "threadpoolctl",
    "starlette",
    "uvicorn",
    "h11",
    "jinja2",
    "markupsafe",
    "markdown_it",
    "mdurl",
    "nh3",
    "segno",
    "anyio",
    "idna",
    "shellingham",
    "pygments",
    "matplotlib",
    "pysat",
    "ziglang",
    "pytest",
    "tests",
    "joblib",
    "sklearn",
    "distributed",
    "dask",
    "cloudpickle",
    "loky",
    "ray",
    "submitit",
    "pandas",
    "polars",
    "IPython",
    "psutil",
    "yaml",
    "httpx2",
]
MARK = "imported.txt"
TRAP = """\
with open({mark!r}, "a") as marks:
    marks.write(__name__ + "\\n")
raise ImportError("a trap called " + __name__)
"""


def lay_traps(folder: Path, but: Iterable[str] = ()) -> None:
    """Let whatever Python could look for be in a folder."""
    for name in {*sys.stdlib_module_names, *OTHERS} - set(but):
        (folder / f"{name}.py").write_text(TRAP.format(mark=str(folder / MARK)))


def list_sprung(folder: Path) -> list[str]:
    """Return the traps that were imported."""
    marks = folder / MARK
    return marks.read_text().split() if marks.exists() else []


@functools.cache
def list_needed_by_option_m() -> frozenset[str]:
    """Return what Python itself imports for ``-m``, and the module it is told to run, from the current folder first."""
    code = "import runpy, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return frozenset({each.split(".")[0] for each in done.stdout.split()} | {"heats"})


CONSOLE = (str(Path(sysconfig.get_path("scripts")) / "heats"),)
MODULE = (sys.executable, "-m", "heats")

COMMANDS = [
    "--version",
    "plan -n 12 -k 3 -B 60",
    "bounds -n 12 -k 3 --gap 0.2",
    "demo -n 5 -k 2 -B 10 --journal demo.jsonl --html demo.html",
    "report demo.jsonl --csv demo.csv",
    *(["demo -n 5 -k 2 -B 10 --dask local"] if find_spec("distributed") else []),
    "extend demo.jsonl -B +5",
    "resume demo.jsonl",
    "schema",
    "simulate -n 6 -k 2 -B 30 --reps 10",
    "replay table.csv -k 2 -B 12 --reps 5",
    "reproduce fig-budgets --reps 2 --workers 2 --out figures",
    "saps easy.cnf",
    "swgcp --count 1 --fewest 20 --most 20 --degree 4 --colours 3 --lp 2 --out made",
    "race race.toml --check",
    "race race.toml --journal race.jsonl --html race.html",
    "validate race.jsonl --instances new.cnf --against runner-up",
    "vote names.txt -k 2 -B 6 --check",
]


def lay_files(folder: Path) -> None:
    """Write what the commands read; the scenario is in the same folder."""
    (folder / "names.txt").write_text("tea\ncoffee\nmilk\nwater\n")
    (folder / "table.csv").write_text("one,two,three\n1,2,3\n2,1,3\n1,3,2\n3,1,2\n")
    for name in ("easy", "new"):
        (folder / f"{name}.cnf").write_text("p cnf 3 2\n1 2 0\n-1 3 0\n")
    race = {"command": ["heats", "saps", "{instance}", "--seed", "{seed}", ["--alpha", "{alpha}"]], "budget": 2}
    race |= {"cutoff": "20s", "heat_size": 2, "instances": ["easy.cnf"], "finished": [10, 20]}
    write(folder, race, [{"alpha": 1.2}, {"alpha": 1.3}])


def run_command(program: Iterable[str], said: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of heats in a folder."""
    command = [*program, *said.split()]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=_environ(), timeout=300, check=False)


def look_as_organiser(program: Iterable[str], folder: Path) -> int:
    """Serve a poll from a folder and open the organiser's page, for which another process reads; return its status."""
    said = ["vote", "names.txt", "-k", "2", "-B", "6", "--port", "0"]
    with subprocess.Popen([*program, *said], cwd=folder, stdout=subprocess.PIPE, text=True, env=_environ()) as server:
        assert server.stdout is not None
        try:
            link = next(line.split(",")[1].strip() for line in server.stdout if line.startswith("organiser"))
            pages = [httpx.get(link, timeout=60) for _ in range(2)]
            time.sleep(0.1)
        finally:
            server.kill()
        return max(page.status_code for page in pages)


def _environ() -> Mapping[str, str]:
    """Return the environment without what would put more on the path."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONSAFEPATH")} | {
        "PYTHONUNBUFFERED": "1"
    }
