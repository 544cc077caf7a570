"""Races of programs that race themselves, and programs that speak heats' own words: nothing of a run is trusted."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from heats.race.processes import Guardian
from tests.hostile.races import BASE, start, wait_for, write_race
from tests.race.programs import alive, python, shell, token, wait_until_gone
from tests.race.scenarios import write

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="reads the process table of Linux")]

BOTH = pytest.mark.parametrize("isolate", [True, False], ids=["isolated", "shared"])


@BOTH
@pytest.mark.parametrize("inner_isolate", [True, False], ids=["isolated-within", "shared-within"])
def test_a_race_of_races_is_cut_off(tmp_path: Path, isolate: bool, inner_isolate: bool) -> None:
    """The inner one has more runs than the outer one, and leaves daemons behind; they go when it is stopped."""
    mark = token()
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    inner.mkdir()
    outer.mkdir()
    scripts = [f"(setsid sleep {mark} &); sleep {nap}" for nap in (30, 40, 50, 60)]
    file = write_race(inner, scripts, heat_size=4, slots=4, isolate=inner_isolate)
    race = BASE | {"command": [sys.executable, "-m", "heats", "race", str(file), "--seed", "{number}"]}
    racing = start(write(outer, race | {"cutoff": "4s", "isolate": isolate}, [{"number": 1}, {"number": 2}]))
    wait_for(f"sleep {mark}", 4)
    _, err = racing.communicate(timeout=60)
    assert racing.returncode == 1, err  # nobody finished
    assert "Traceback" not in err
    assert "Error" not in err
    assert wait_until_gone(mark, 0) == []


@BOTH
def test_a_race_of_races_finishes(tmp_path: Path, isolate: bool) -> None:
    """Each has its own guardians, and none disturbs the other."""
    mark = token()
    for name, nap in (("fast", 0.01), ("slow", 2)):
        (tmp_path / name).mkdir()
        write_race(tmp_path / name, [f"sleep {nap}; true {mark}", f"sleep {nap}; true"], isolate=isolate)
    race = BASE | {"command": [sys.executable, "-m", "heats", "race", "{name}/race.toml"], "isolate": isolate}
    racing = start(write(tmp_path, race | {"budget": 2}, [{"name": "fast"}, {"name": "slow"}]), "--json")
    out, err = racing.communicate(timeout=120)
    assert racing.returncode == 0, err
    assert '"winner":{"arm":0' in out
    assert wait_until_gone(mark, 0) == []


FORGERIES = {
    "a place that is none": "HEATS_RUN=99 setsid sleep {0} &",
    "a place that is not a number": "HEATS_RUN=x HEATS_LANE=y setsid sleep {0} &",
    "every variable of ours, emptied": "env $(env | sed -n 's/^\\(HEATS_[^=]*\\)=.*/\\1=0/p') setsid sleep {0} &",
    "no variable at all": "env -i setsid sleep {0} &",
    "variables that are not text": "env -i \"$(printf 'HEATS_\\377=\\376')\" setsid sleep {0} &",
}


@BOTH
@pytest.mark.parametrize("script", FORGERIES.values(), ids=FORGERIES)
def test_daemons_with_a_forged_environment(script: str, isolate: bool) -> None:
    """End with the heat, and do not confuse the guardian."""
    mark = token()
    guardian = Guardian(0, isolate=isolate)
    try:
        for nap, limit in ((60, 2), (0.5, 20)):
            first, second = guardian.run(
                [shell(f"({script.format(mark)}) ; sleep {nap}", limit=limit), shell("sleep 0.1", limit=limit)]
            )
            assert (first.stopped, second.stopped, second.code) == ("limit" if nap > limit else None, None, 0)
            assert alive(mark) == []
    finally:
        guardian.close()


@BOTH
def test_the_variables_of_others_are_unknown(isolate: bool) -> None:
    """Every run has a name of its own, which no other run and no earlier one has."""
    guardian = Guardian(0, isolate=isolate)
    code = "import os; print(*(name for name in os.environ if name.startswith('HEATS_')))"
    try:
        ends = [*guardian.run([python(code), python(code)]), *guardian.run([python(code)])]
    finally:
        guardian.close()
    names = [set(end.output.split()) for end in ends]
    assert len(set.intersection(*names)) >= 1  # the guardian's
    assert all(len(one - two) == 1 for one in names for two in names if one is not two)
    assert all(len(name) == len("HEATS_") + 32 for name in set.union(*names))
