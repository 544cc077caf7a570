"""Whoever lacks an extra is told a command that works where heats came from, and why it is needed."""

from __future__ import annotations

import builtins
import importlib.metadata
import json
import re
import shlex
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from heats.base import extras, plots
from heats.cli.app import run
from heats.errors import InvalidArgument
from heats.executors import dask, ray
from heats.experiments.shared.drawing import check_matplotlib
from heats.sat import swgcp

PROJECT = Path(__file__).parents[2]
SOURCES = sorted((PROJECT / "src").rglob("*.py"))
KNOWN = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


class Installed:
    """A distribution with what pip wrote about where it came from."""

    def __init__(self, origin: str | None) -> None:
        self.origin = origin

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return self.origin


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], None]:
    def make(origin: object) -> None:
        text = origin if isinstance(origin, str | None) else json.dumps(origin)
        monkeypatch.setattr(importlib.metadata, "distribution", lambda name: Installed(text))

    return make


def test_from_a_folder(install: Callable[[object], None], tmp_path: Path) -> None:
    """The command names it, quoted where a shell asks for that, and leaves an editable installation one."""
    folder = tmp_path / "my heats' folder é"
    folder.mkdir()
    for is_editable in (False, True):
        install({"url": folder.as_uri(), "dir_info": {"editable": True} if is_editable else {}})
        command = extras.advise_install("vote").removeprefix("install it with: ")
        assert shlex.split(command) == ["pip", "install", *["-e"][:is_editable], f"{folder}[vote]"]


@pytest.mark.parametrize(
    ("origin", "requirement"),
    [
        (None, "heats[vote]"),
        ("", "heats[vote]"),
        ("no JSON", "heats[vote]"),
        ([], "heats[vote]"),
        ({"url": "file:///no/such/folder", "dir_info": {"editable": True}}, "heats[vote]"),
        ({"url": "file:///no/such/heats.whl", "archive_info": {}}, "heats[vote]"),
        (
            {"url": "https://example.org/heats.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "heats[vote] @ git+https://example.org/heats.git@abc",
        ),
        ({"url": "https://example.org/heats.whl", "archive_info": {}}, "heats[vote] @ https://example.org/heats.whl"),
    ],
)
def test_from_elsewhere(
    install: Callable[[object], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, origin: object, requirement: str
) -> None:
    """An index, a repository, a file, or a folder that is gone."""
    install(origin)
    monkeypatch.setattr(extras, "CHECKOUT", tmp_path)
    assert extras.advise_install("vote") == f"install it with: pip install '{requirement}'"


def test_from_a_file(install: Callable[[object], None], tmp_path: Path) -> None:
    """A wheel that is still there is taken again."""
    wheel = tmp_path / "heats-1-py3-none-any.whl"
    wheel.touch()
    install({"url": wheel.as_uri(), "archive_info": {}})
    assert extras.advise_install("vote").endswith(f"pip install 'heats[vote] @ {wheel.as_uri()}'")


def test_a_checkout_that_was_never_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is only on the path: the command names its folder."""

    def refuse(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", refuse)
    assert extras.advise_install("vote").endswith(f"pip install {shlex.quote(f'{PROJECT}[vote]')}")


def draw() -> object:
    return plots._make_axes(3)


def vote() -> None:
    with pytest.MonkeyPatch.context() as patch:
        said: list[str] = []
        patch.setattr("typer.echo", lambda sentence, err: said.append(sentence))
        assert run(["vote", "x.toml"]) == 2
    raise InvalidArgument(said[0].removeprefix("heats: "))


def import_search() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, "heats.sklearn", raising=False)
        import heats.sklearn  # noqa: F401


NEEDS: dict[str, tuple[str, str, Callable[[], object]]] = {  # module: the extra, who needs it, how that is called
    "matplotlib": ("plot", "a picture needs matplotlib", draw),
    "matplotlib.pyplot": ("plot", "a picture needs matplotlib", draw),
    "matplotlib ": ("plot", "figures need matplotlib", check_matplotlib),
    "pysat.solvers": ("sat", "instances are checked by python-sat", lambda: swgcp._has_model([[1]])),
    "distributed": ("dask", "dask='local' needs Dask", lambda: dask("local").__enter__()),
    "ray": ("ray", "heats.executors.ray needs Ray", ray),
    "starlette": ("vote", "heats vote needs Starlette and others", vote),
    "sklearn.base": ("sklearn", "heats.sklearn needs scikit-learn", import_search),
}
REASONS = [
    ModuleNotFoundError("No module named 'x'", name="x"),
    ImportError("libx.so.6: cannot open shared object file:\n  No such file", name="x.y"),
]


@pytest.fixture
def break_import(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str, ImportError], None]]:
    """Make the import of a module fail."""
    original = builtins.__import__
    for name in [name for name in sys.modules if name.startswith("heats.vote.site")]:
        monkeypatch.delitem(sys.modules, name)  # imported anew

    def make(broken: str, error: ImportError) -> None:
        def load(name: str, module: Any = None, local: Any = None, names: Any = (), level: int = 0) -> Any:
            asked = [name, *(f"{name}.{each}" for each in names or ())]
            if any(each == broken or each.startswith(f"{broken}.") for each in asked):
                raise error
            return original(name, module, local, names, level)

        monkeypatch.setattr(builtins, "__import__", load)

    return make


@pytest.mark.parametrize("error", REASONS, ids=["missing", "broken"])
@pytest.mark.parametrize("module", NEEDS)
def test_who_needs_an_extra_says_so(
    module: str, error: ImportError, break_import: Callable[[str, ImportError], None]
) -> None:
    """What for, why it cannot be imported, and the command: on one line."""
    extra, needs, call = NEEDS[module]
    break_import(module.strip(), error)
    with pytest.raises((InvalidArgument, ImportError)) as raised:
        call()
    reason = " ".join(str(error).split())
    expected = f"{needs}, which cannot be imported ({reason}); {extras.advise_install(extra)}"
    assert str(raised.value).removesuffix("\n").replace("--dask local", "dask='local'") == expected


def test_it_is_spelled_in_one_place() -> None:
    """Only the helper knows how an extra is installed, and every extra it is asked for exists."""
    spelled = re.compile(rf"pip install (-e )?['\"]?(heats|[./])|heats\[({'|'.join(KNOWN)}|\{{extra)")
    found = {path.name for path in SOURCES if spelled.search(path.read_text(encoding="utf-8"))}
    assert found == {"extras.py"}
    asked = re.compile(r"(?:explain_missing\([^)]*?|advise_install\()\"([a-z]+)\"(?:, error)?\)")
    named = {extra for path in SOURCES for extra in asked.findall(path.read_text(encoding="utf-8"))}
    assert named == set(KNOWN) - {"submitit", "dev", "bench"}  # submitit hands over its own executors


def test_packages_of_extras_are_installed_as_extras() -> None:
    """No other sentence tells to install one by its own name, without the versions that heats needs."""
    packages = {re.split(r"[<>=;]", each)[0] for extra in set(KNOWN) - {"dev", "bench"} for each in KNOWN[extra]}
    packages -= {"ziglang"}  # of the extra only where there is no other compiler
    for path in SOURCES:
        for line in re.findall(r"pip install ([a-z-]+)", path.read_text(encoding="utf-8")):
            assert line not in packages, path


@pytest.mark.parametrize(
    "path", [*sorted((PROJECT / "docs").glob("*.md")), *sorted(PROJECT.glob("*.md"))], ids=lambda path: path.name
)
def test_documents_say_what_works_from_a_checkout(path: Path) -> None:
    """It is on no index: an extra is installed from its folder."""
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"pip install ['\"]?heats", text)
    assert {extra for extras in re.findall(r"'\.\[([a-z,]+)\]'", text) for extra in extras.split(",")} <= set(KNOWN)
