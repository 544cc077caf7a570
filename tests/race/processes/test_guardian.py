"""Guardians: real processes are started, measured, stopped, and nothing of them stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from heats.race.processes import End, Guardian, GuardianGone, GuardianPool
from heats.race.processes.process_table import list_children
from tests.race.programs import alive, job, python, shell, token, wait_until_ended, wait_until_gone
from tests.waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads the process table of Linux")


BOTH = pytest.mark.parametrize("isolate", [True, False], ids=["isolated", "shared"])


@pytest.fixture(params=[True, False], ids=["isolated", "shared"])
def guardian(request: pytest.FixtureRequest) -> Iterator[Guardian]:
    """Return a guardian with a PID namespace, where that is allowed, and one without."""
    guardian = Guardian(0, isolate=request.param)
    yield guardian
    guardian.close()


def done(end: End) -> bool:
    return end.code == 0


def test_the_first_to_finish_stops_the_others(guardian: Guardian) -> None:
    """At once, and as groups; what they took is a lower bound."""
    mark = token()
    ends = guardian.run([job("sleep", mark), job("sleep", "0.1"), shell(f"sleep {mark}; true")], done)
    assert [end.stopped for end in ends] == ["race", None, "race"]
    assert [end.code for end in ends] == [-9, 0, -9]
    assert 0.1 <= ends[1].wall < 5
    assert all(0 <= end.ended - ends[1].ended < 5 for end in ends)
    assert alive(mark) == []


@pytest.mark.parametrize(
    "script",
    [
        "sleep {0} & sleep {0} & (sleep {0} &) ; wait",  # children that fork
        "trap '' TERM INT HUP; sleep {0} & sleep {0}",  # ignore signals
        "setsid sleep {0} & setsid setsid sh -c 'sleep {0} & setsid sleep {0}' & wait",  # leave their group
        "exec >/dev/null 2>&1; sleep {0}",  # close their output and go on
        "yes {0}",  # print endlessly
        "cd /; (setsid sh -c 'trap \"\" TERM; while :; do sleep {0}; done' &) ; sleep {0}",  # daemons
    ],
)
def test_nothing_survives_a_heat(guardian: Guardian, script: str) -> None:
    """Whatever a command starts is gone when the heat is over, whether it won, lost or ran out of time."""
    mark = token()
    guardian.run([shell(script.format(mark)), job("sleep", "0.1")], done)
    assert alive(mark) == []
    guardian.run([shell(script.format(mark), limit=0.1)])
    assert alive(mark) == []
    guardian.run([shell(f"({script.format(mark)}) & sleep 0.05")])
    assert alive(mark) == []


def test_a_fork_bomb_is_ended(guardian: Guardian) -> None:
    """New processes that come while we kill are killed as well."""
    mark = token()
    code = f"import os, time\nwhile True:\n if os.fork() == 0 and os.fork() == 0: os.setsid(); time.sleep({mark})\n time.sleep(.01)"
    guardian.run([python(code, limit=0.3)])
    assert wait_until_gone(mark, 0) == []


def test_output_is_kept_up_to_a_limit(guardian: Guardian) -> None:
    """The beginning and the end of it; a program that prints endlessly goes on at full speed."""
    (end,) = guardian.run([shell("echo first; yes | head -c 3000000; echo last >&2", keep=1000)])
    assert end.code == 0
    assert end.printed == 3_000_000 + len("first\nlast\n")
    assert len(end.output) < 1100
    assert end.output.startswith("first\n")
    assert end.output.endswith("last\n")
    (end,) = guardian.run([job("yes", limit=1)])
    assert end.printed > 1_000_000
    (end,) = guardian.run([shell("printf '\\377\\000x'")])
    assert end.output == "\ufffd\0x"


def test_lines_that_match_are_kept_wherever_they_are(guardian: Guardian) -> None:
    """The last ones of each pattern, between the beginning and the end; whole lines only."""
    flood = "for i in $(seq 20); do echo cost = $i; yes no | head -n 30000; done; "
    (end,) = guardian.run(
        [shell(f"yes no | head -n 30000; echo done; {flood}", keep=1000, patterns=("^done$", "^cost = (.*)"))]
    )
    kept = [line for line in end.output.splitlines() if line != "no"]
    assert kept == ["[...]", "done", *(f"cost = {i}" for i in range(11, 21))]
    (end,) = guardian.run(
        [shell(f"{flood} printf 'cost = 3'; sleep 10", keep=1000, patterns=("cost = (.*)",), limit=3)]
    )
    assert end.output.splitlines()[-1] == "no"
    (end,) = guardian.run([shell("echo cost = 9000; printf 'cost = 8'; sleep 10", limit=1)])
    assert end.output == "cost = 9000\n"
    (end,) = guardian.run([shell("echo cost = 9000; printf 'cost = 8'")])
    assert end.output == "cost = 9000\ncost = 8"


def test_input_is_closed(guardian: Guardian) -> None:
    """A program that reads finds the end."""
    (end,) = guardian.run([job("cat", limit=5)])
    assert (end.code, end.output, end.stopped) == (0, "", None)


def test_times_are_measured(guardian: Guardian) -> None:
    """Wall time of the command, CPU time of all it started, waited for or not."""
    busy = "import time\nwhile time.process_time() < 0.2: pass"
    sleeper, worker, parent, killed = guardian.run(
        [
            job("sleep", "0.3"),
            python(busy),
            shell(f'{sys.executable} -c "{busy}"; true'),
            shell(f'{sys.executable} -c "while True: pass"; true', limit=1.0),
        ]
    )
    assert sleeper.wall >= 0.3
    assert sleeper.cpu < 0.1
    assert 0.2 <= worker.cpu < 0.6
    assert 0.2 <= parent.cpu < 0.6
    assert killed.cpu > 0.05  # its child was not waited for, only killed; on a busy machine it had little
    assert killed.memory > 0


def test_a_cpu_limit_counts_cpu(guardian: Guardian) -> None:
    """A sleeper is not stopped by it, a busy child of a script is."""
    sleeper, worker = guardian.run(
        [
            job("sleep", "0.5", limit=0.1, clock="cpu"),
            shell(f'{sys.executable} -c "while True: pass"; true', limit=0.3, clock="cpu"),
        ]
    )
    assert (sleeper.code, sleeper.stopped) == (0, None)
    assert (worker.code, worker.stopped) == (-9, "limit")
    assert 0.3 <= worker.cpu < 1.0


def test_children_that_leave_their_group_count(guardian: Guardian) -> None:
    """Their CPU time is that of the run that started them, also if they are killed."""
    busy = f"setsid {sys.executable} -c 'while True: pass'"
    idle, worker = guardian.run([job("sleep", "0.1"), shell(f"{busy}; true", limit=0.6, clock="cpu")])
    assert idle.cpu < 0.1
    assert worker.stopped == "limit"
    assert worker.cpu >= 0.5


def test_what_a_run_leaves_behind_ends_with_it(guardian: Guardian, tmp_path: Path) -> None:
    """Not with the heat: the others would have to share the machine with it."""
    mark, going_on = token(), tmp_path / "going-on"
    going_on.touch()
    with ThreadPoolExecutor(1) as pool:
        scripts = [f"(setsid sleep {mark} &); sleep 0.3; true", f"while [ -e {going_on} ]; do sleep 0.05; done"]
        heat = pool.submit(guardian.run, [shell(each) for each in scripts])
        wait_until(lambda: any("setsid" not in line and "sh" not in line for line in alive(mark)))
        assert wait_until_gone(mark) == []
        assert not heat.done()
        going_on.unlink()


def test_memory_is_limited(guardian: Guardian) -> None:
    """Who eats more fails by itself, and the machine stays usable."""
    eat, modest = guardian.run(
        [python("b = bytearray(1 << 31)", memory=300 << 20), python("b = bytearray(1 << 20)", memory=300 << 20)]
    )
    assert eat.code == 1
    assert "MemoryError" in eat.output
    assert modest.code == 0


def test_a_run_is_pinned_to_its_cores(guardian: Guardian) -> None:
    """From its first moment on."""
    import msgspec

    core = max(os.sched_getaffinity(0))
    pinned = msgspec.structs.replace(python("import os; print(*os.sched_getaffinity(0))"), cores=(core,))
    assert guardian.run([pinned])[0].output == f"{core}\n"


def test_a_command_that_is_not_there_ends_with_127(guardian: Guardian) -> None:
    """And says why; the others go on."""
    missing, folder, other = guardian.run([job("no-such-program"), job("/etc"), job("sleep", "0.2")])
    assert (missing.code, missing.output) == (127, "no-such-program: No such file or directory\n")
    assert (folder.code, folder.output) == (127, "/etc: Permission denied\n")
    assert other.code == 0


def test_two_finish_at_once_and_the_next_heat_is_not_stopped(guardian: Guardian) -> None:
    """A word to stop that comes when all is over says nothing to the next heat."""
    for _ in range(20):
        ends = guardian.run([job("true"), job("true")], done)
        assert {end.code for end in ends} <= {0, -9}
    assert guardian.run([job("sleep", "0.05")], done)[0].code == 0


def test_no_zombies(guardian: Guardian) -> None:
    """Neither ours nor the guardian's."""
    guardian.run([shell("sleep 0.01 & sleep 0.02"), job("true")])
    states = [text.rpartition(")")[2].split()[:2] for text in _list_stats()]
    assert not [
        state for state, parent in states if state == "Z" and int(parent) in (os.getpid(), guardian._watcher.pid)
    ]


def _list_stats() -> list[str]:
    """Read once what there is of each process: it may end at any moment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            found.append(path.read_text())
    return found


@BOTH
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_the_death_of_a_guardian_is_noticed(number: int, isolate: bool) -> None:
    """By any signal: what it ran ends with it, daemons included, and the heat fails with a sentence."""
    guardian, mark = Guardian(0, isolate=isolate), token()
    with ThreadPoolExecutor(1) as pool:
        heat = pool.submit(guardian.run, [shell(f"sleep {mark} & (setsid sleep {mark} &); sleep {mark}")])
        wait_until(lambda: len(alive(mark)) >= 4)
        guardian._watcher.send_signal(number)
        with pytest.raises(GuardianGone, match="guardian"):
            heat.result(timeout=60)
    guardian.close()
    assert wait_until_gone(mark) == []


def test_threads_have_guardians_of_their_own() -> None:
    """Heats run side by side, and closing the pool stops those under way, for good."""
    mark, guardians = token(), GuardianPool()

    def race(seconds: str) -> float:
        with guardians.borrow() as guardian:
            return guardian.run([job("sleep", mark), job("sleep", seconds)], done)[1].wall

    with ThreadPoolExecutor(3) as pool:
        assert all(wall >= 0.1 for wall in pool.map(race, ["0.1"] * 3))
        heats = [pool.submit(race, "1000") for _ in range(3)]
        wait_until(lambda: len(alive(mark)) >= 3)
        guardians.close()
        for heat in heats:
            with pytest.raises(GuardianGone):
                heat.result(timeout=60)
    assert wait_until_gone(mark) == []
    with pytest.raises(GuardianGone, match="over"):
        race("0.01")


def test_a_guardian_that_died_is_not_used_again() -> None:
    """The next heat gets a new one."""
    with GuardianPool() as guardians:
        with guardians.borrow() as guardian:
            guardian.run([job("true")])
        guardian._watcher.kill()
        guardian._watcher.wait()
        with guardians.borrow() as other:
            assert other is not guardian
            assert other.run([job("true")])[0].code == 0


PARENT = """
import sys
from heats.race.processes import GuardianPool
from tests.race.programs import job, shell
with GuardianPool().borrow(isolate=sys.argv[2] == "True") as guardian:
    guardian.run([job("sleep", sys.argv[1]), shell(f"trap '' TERM; setsid sleep {sys.argv[1]} & sleep {sys.argv[1]}")])
"""


@BOTH
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_survives_the_death_of_the_parent(number: int, isolate: bool) -> None:
    """Not even kill -9 of the process that races: the guardian sees it and ends everything, then itself."""
    mark = token()
    parent = subprocess.Popen([sys.executable, "-c", PARENT, mark, str(isolate)], stderr=subprocess.DEVNULL)
    wait_until(lambda: len(alive(f"sleep {mark}")) >= 3)
    watchers = list_children(parent.pid)
    assert watchers
    parent.send_signal(number)
    parent.wait(60)
    assert wait_until_gone(mark) == []
    assert wait_until_ended(watchers) == []
