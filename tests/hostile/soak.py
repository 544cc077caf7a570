"""``make soak``: ten minutes of attacks, which must find nothing.

Each attack is tried over and over until its share of the time is up; what breaks is printed with the seed that does it
again: ``python -m tests.hostile.soak --minutes 1 --seed 7``.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args
from unittest import SkipTest

from heats.errors import HeatsError
from heats.journal import JournalFile, Log
from heats.journal.writer import Sync
from heats.race.run import begin_race
from heats.race.scenario import load_scenario
from tests.hostile.junk import JUNK
from tests.hostile.test_arguments import CALLS, slow
from tests.journal.runs import find, told
from tests.race.programs import token, wait_until_gone
from tests.race.scenarios import write

Attack = Callable[[random.Random, Path], None]

OPTIONS: dict[str, Any] = {"n": 12, "budget": 60}
EXPECTED = find(**OPTIONS).to_json()


def call_anything(draw: random.Random, folder: Path) -> None:
    """Call a public function with junk: an answer, or one of our errors."""
    name = draw.choice(list(CALLS))
    call, places = CALLS[name]
    arguments = tuple(draw.choice(JUNK) for _ in range(places))
    if slow(name, arguments):
        return
    try:
        call(*arguments)
    except HeatsError as error:
        str(error)


def kill(draw: random.Random, folder: Path) -> None:
    """Kill a run at a random moment, go on: the same bytes, no pull twice."""
    path, sync = folder / "run.jsonl", draw.choice(get_args(Sync))
    while True:
        child = _fork(lambda: find(JournalFile(path, sync=sync), **OPTIONS))
        time.sleep(draw.expovariate(1 / 0.02))
        os.kill(child, signal.SIGKILL)
        if not os.WIFSIGNALED(os.waitpid(child, 0)[1]):
            break
    _check_whole(path)


def fill_disk(draw: random.Random, folder: Path) -> None:
    """Leave room for some bytes only: the run stops, and goes on with more room."""
    path, room = folder / "run.jsonl", draw.randrange(0, 15_000)

    def run() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        try:
            find(path, **OPTIONS)
        except HeatsError:
            return

    assert os.waitpid(_fork(run), 0)[1] == 0, f"a raw error with room for {room} bytes"
    _check_whole(path)


def forge(draw: random.Random, folder: Path) -> None:
    """Damage a journal: it is refused in a sentence, or what is left of it is the run."""
    path = folder / "run.jsonl"
    find(path, **OPTIONS)
    whole = path.read_bytes()
    for _ in range(20):
        path.write_bytes(_damage(draw, whole))
        try:
            Log(path).advance()
            assert find(path, **OPTIONS).to_json() == EXPECTED, "another result from a damaged journal"
        except HeatsError:
            continue


def _damage(draw: random.Random, whole: bytes) -> bytes:
    lines = whole.splitlines(keepends=True)
    match draw.randrange(6):
        case 0:
            place = draw.randrange(len(whole))
            return whole[:place] + bytes([draw.randrange(256)]) + whole[place + 1 :]
        case 1:
            return whole[: draw.randrange(len(whole))]
        case 2:
            del lines[draw.randrange(len(lines))]
        case 3:
            lines.insert(draw.randrange(len(lines)), draw.choice(lines))
        case 4:
            one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
            lines[one], lines[other] = lines[other], lines[one]
        case 5:
            return whole + draw.randbytes(draw.randrange(1, 60))
    return b"".join(lines)


PROGRAMS = [
    "sleep 0.0{n}",
    "(setsid sleep 60 {mark} & ); sleep 0.0{n}",
    "trap '' TERM INT HUP; sleep 60 {mark}",
    "yes {mark} | head -c {n}00000; sleep 0.0{n}",
    "kill -STOP $PPID; sleep 0.0{n}",
    "exit {n}",
    "kill -9 $$",
    "for i in 1 2 3; do (sleep 60 {mark} &) ; done; sleep 0.0{n}",
    "printf '\\033[2J\\000\\377'; sleep 0.0{n}",
]


def race(draw: random.Random, folder: Path) -> None:
    """Race hostile programs: a result or a sentence, and nothing left running."""
    mark = token()
    candidates = [
        {"line": draw.choice(PROGRAMS).format(n=draw.randrange(1, 9), mark=mark) + f" # {number}"}
        for number in range(draw.randrange(2, 5))
    ]
    table = {"command": ["sh", "-c", "{line}"], "budget": 4, "cutoff": "300ms", "heat_size": 2, "blind": True}
    scenario = load_scenario(write(folder, table | {"mode": draw.choice(["parallel", "capped"])}, candidates))
    with contextlib.suppress(HeatsError), contextlib.redirect_stderr(io.StringIO()):
        begin_race(scenario, {}, folder / "race.jsonl")
    left = wait_until_gone(mark)
    assert not left, f"processes {left} stayed"


def _fork(work: Callable[[], object]) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child:
        return child
    try:
        work()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _check_whole(path: Path) -> None:
    assert find(path, **OPTIONS).to_json() == EXPECTED, "another result after going on"
    assert sorted(told(path)) == list(range(60)), "a pull was lost, or counted twice"


def _find_stranger(name: str) -> Attack:
    """Return an attack that loads much: only in its turn, as the others fork this process again and again."""

    def attack(draw: random.Random, folder: Path) -> None:
        from tests.hostile import strangers

        getattr(strangers, name)(draw, folder)

    return attack


ATTACKS: dict[str, Attack] = {
    "random calls": call_anything,
    "kills": kill,
    "full disks": fill_disk,
    "forged journals": forge,
    "hostile programs": race,
    "sanitized kernel": _find_stranger("solve_sanitized"),
    "others' journals": _find_stranger("take_journal_of_another"),
    "invented cookies": _find_stranger("invent_cookies"),
    "extreme units": _find_stranger("measure_in_any_unit"),
    "current folders": _find_stranger("step_on_traps"),
}


def main() -> int:
    """Attack for some minutes; return how many findings there were, at most 1."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", choices=list(ATTACKS), help="one attack, which gets all of the time")
    asked = parser.parse_args()
    findings = 0
    attacks = {asked.only: ATTACKS[asked.only]} if asked.only else ATTACKS
    for name, attack in attacks.items():
        end, tries, found = time.monotonic() + 60 * asked.minutes / len(attacks), 0, 0
        while time.monotonic() < end:
            seed = asked.seed + tries
            tries += 1
            with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    attack(random.Random(f"{name} {seed}"), Path(folder))
                except SkipTest as why:
                    print(f"{name:>16}: left out, {why}", flush=True)
                    break
                except Exception:
                    found += 1
                    print(f"{name}, seed {seed}:\n{traceback.format_exc()}", file=sys.stderr)
        print(f"{name:>16}: {tries:7,} tried, {found} findings", flush=True)
        findings += found
    return min(findings, 1)


if __name__ == "__main__":
    sys.exit(main())
