"""Files that are none, or none that ends: wherever heats reads one, it says so at once, and waits for nothing."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from heats.base.files import read_regular_file, read_text_file
from heats.cli.races import _load
from heats.environments import read
from heats.environments.files.aslib import read_description
from heats.errors import BrokenFile, InvalidArgument
from heats.race.scenario import Scenario, load_scenario
from heats.race.scenario.spaces import load_space
from heats.sat.dimacs import read_dimacs
from heats.vote.poll.scenario import load_poll
from tests.race.scenarios import NAPS, SLEEPERS, write

RACE = SLEEPERS | {"command": ["echo", "{x}"]}


def load_candidates(path: Path) -> object:
    return load_scenario(write(path.parent, RACE | {"candidates": str(path)}))


def load_space_of_race(path: Path) -> object:
    return load_scenario(write(path.parent, RACE, space={"sample": 2, "file": str(path)}))


def load_instances(path: Path) -> Scenario:
    race = SLEEPERS | {"command": ["echo", "{nap}", "{instance}"], "instances": str(path)}
    return load_scenario(write(path.parent, race, NAPS))


READERS: dict[str, Callable[[Path], object]] = {
    "anything": read_regular_file,
    "formula": read_dimacs,
    "scenario": load_scenario,
    "space": load_space,
    "space of a race": load_space_of_race,
    "candidates": load_candidates,
    "instances": load_instances,
}


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail if it takes longer, even if it waits for a file."""

    def ring(*_: object) -> None:
        raise AssertionError(f"it takes more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def make_pipe(folder: Path) -> Path:
    os.mkfifo(folder / "odd")
    return folder / "odd"


def make_socket(folder: Path) -> Path:
    os.chdir(folder)  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("odd")
    return folder / "odd"


def make_sparse(folder: Path) -> Path:
    with (folder / "odd").open("wb") as file:
        file.truncate(1 << 40)
    return folder / "odd"


def make_link(target: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / "odd").symlink_to(target)
        return folder / "odd"

    return make


ODD: dict[str, tuple[Callable[[Path], Path], str]] = {
    "pipe": (make_pipe, "it is a pipe"),
    "socket": (make_socket, "it is a socket"),
    "zeros": (lambda folder: Path("/dev/zero"), "it is a device"),
    "link to zeros": (make_link("/dev/zero"), "it is a device"),
    "terabyte": (make_sparse, "it has more than"),
    "folder": (lambda folder: folder, "Is a directory"),
    "missing": (lambda folder: folder / "none", "No such file"),
    "loop": (make_link("odd"), "symbolic links"),
    "zero byte": (lambda folder: folder / "a\0b", "its name has a zero byte"),
    "long": (lambda folder: folder / ("x" * 5000), "File name too long"),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_odd_files_are_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, odd: tuple[Callable[[Path], Path], str], reader: Any
) -> None:
    """With the name and the reason, in one sentence."""
    monkeypatch.chdir(tmp_path)
    make, reason = odd
    path = make(tmp_path)
    (tmp_path / "dev").mkdir()
    if path.parent == Path("/dev"):  # scenarios are written beside what they name
        (tmp_path / "odd").symlink_to(path)
        path = tmp_path / "odd"
    if path == tmp_path:
        path = tmp_path / "dev"
    with within(5), pytest.raises(InvalidArgument) as error:
        reader(path)
    sentence = str(error.value)
    assert reason in sentence or (reader is read_dimacs and "does not exist" in sentence)
    assert "\n" not in sentence
    assert "\0" not in sentence


@pytest.mark.parametrize("name", ["x" * 5000, "*" + "x" * 5000, "a\0b", "*\0", "loop/x", "["])
@pytest.mark.parametrize("listed", [False, True], ids=["alone", "listed"])
def test_odd_names_of_instances(tmp_path: Path, name: str, listed: bool) -> None:
    """In the scenario or in a list: too long, in a loop of links, with a zero byte."""
    (tmp_path / "loop").symlink_to("loop")
    race = SLEEPERS | {"command": ["echo", "{nap}", "{instance}"], "instances": [name] if listed else name}
    with within(5), pytest.raises(InvalidArgument) as error:
        load_scenario(write(tmp_path, race, NAPS))
    assert "instances" in str(error.value)


def test_a_limit_can_be_raised(tmp_path: Path) -> None:
    """By who knows that the file is meant."""
    file = tmp_path / "x.cnf"
    file.write_text("c" + "x" * 1000 + "\np cnf 1 1\n1 0\n")
    with pytest.raises(InvalidArgument, match=r"it has more than 1000 bytes"):
        read_dimacs(file, most_bytes=1000)
    assert read_dimacs(file, most_bytes=2000).n_variables == 1
    assert len(read_regular_file(file, file.stat().st_size)) == file.stat().st_size


def test_files_without_a_size(tmp_path: Path) -> None:
    """Those of /proc say 0, and hold something all the same."""
    if not Path("/proc/self/status").exists():
        pytest.skip("there is no /proc here")
    assert b"Pid:" in read_regular_file("/proc/self/status")
    with pytest.raises(InvalidArgument, match="more than 5 bytes"):
        read_regular_file("/proc/self/status", 5)


def test_bytes_that_are_not_text(tmp_path: Path) -> None:
    """Are named with their place."""
    (tmp_path / "x").write_bytes(b"abc\xff")
    with pytest.raises(BrokenFile, match=r"x cannot be read: it is not text in UTF-8 \(byte 3\)"):
        read_text_file(tmp_path / "x")


BREAKS = ["\f", "\v", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]  # which Python's splitlines splits at


@pytest.mark.parametrize("odd_break", BREAKS)
def test_only_line_ends_end_a_line(tmp_path: Path, odd_break: str) -> None:
    """In comments, in names of files, in values."""
    (tmp_path / "x.cnf").write_text(f"c a{odd_break}b\np cnf 2 1\nc{odd_break}x y\n1 -2 0\n", encoding="utf-8")
    assert read_dimacs(tmp_path / "x.cnf").clauses == ((1, -2),)
    name = f"in{odd_break}stance"
    (tmp_path / name).touch()
    (tmp_path / "list.txt").write_text(f"# a{odd_break}b\n{name}\n", encoding="utf-8")
    scenario = load_instances(tmp_path / "list.txt")
    assert scenario.instances == (str(tmp_path / name),)
    (tmp_path / "x.pcs").write_text(f"x {{a, b}} [a]  # a{odd_break}b\n", encoding="utf-8")
    assert len(load_space(tmp_path / "x.pcs").parameters) == 1


def test_all_line_ends_end_a_line(tmp_path: Path) -> None:
    """Those of old and of other systems."""
    for end in ("\n", "\r\n", "\r"):
        (tmp_path / "x.cnf").write_bytes(end.join(["c x", "p cnf 1 1", "1 0", ""]).encode())
        assert read_dimacs(tmp_path / "x.cnf").clauses == ((1,),)


UNREACHABLE: dict[str, tuple[str, str]] = {  # the name of a file, and why it cannot be read
    "a loop of links": ("loop", "Too many levels of symbolic links"),
    "below a loop": ("loop/x{ending}", "Too many levels of symbolic links"),
    "below a file": ("file/x{ending}", "Not a directory"),
    "too long": ("x" * 300 + "{ending}", "File name too long"),
    "a zero byte": ("x\0{ending}", "zero byte|null byte|null character"),
}
SEEKERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "formula": (".cnf", read_dimacs),
    "table": (".csv", read),
    "description of ASlib": (".txt", read_description),
    "candidates of a vote": (".txt", lambda path: load_poll(path, {"budget": 3, "heat_size": 2})),
    "scenario": (".toml", lambda path: _load(str(path), {})),
}


@pytest.mark.parametrize("seeker", SEEKERS)
@pytest.mark.parametrize("place", UNREACHABLE)
def test_what_cannot_be_looked_at_is_not_said_to_be_missing(tmp_path: Path, place: str, seeker: str) -> None:
    """The reason is that of the system; only what is not there does not exist."""
    ending, load = SEEKERS[seeker]
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").touch()
    name, reason = UNREACHABLE[place]
    with pytest.raises(InvalidArgument, match=reason):
        load(tmp_path / name.format(ending=ending))
    with pytest.raises(InvalidArgument, match=r"does not exist|there is no|is not there|has no"):
        load(tmp_path / f"none{ending}")
