"""No set of arms is dealt more often than it may be; otherwise adaptive play goes by its rule."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterator
from itertools import combinations
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.base.arrays import Indices
from heats.base.randomness import fold_seed
from heats.engine.adaptive.dealing import repeats
from heats.engine.adaptive.dealing.keys import make_keys, round_values
from heats.engine.adaptive.dealing.many import Deal, deal_many
from heats.engine.adaptive.dealing.one import _Heap, deal_one
from heats.engine.adaptive.dealing.pending import WIN_CHANCE
from heats.engine.adaptive.dealing.repeats import Repeats, Run
from heats.engine.adaptive.priorities import Priorities
from heats.engine.game import Game
from heats.engine.specs import AdaptiveSpec, parse_spec
from heats.errors import InvalidArgument
from tests.playing import TRUTH, noisy, play, recall


@st.composite
def problems(draw: st.DrawFn) -> tuple[int, int, int, int]:
    """Draw n, k, how often a set may be dealt, and a budget that can be spent."""
    n = draw(st.integers(2, 7))
    k = draw(st.integers(2, min(n, 4)))
    most = draw(st.integers(1, 4))
    return n, k, most, draw(st.integers(1, min(60, math.comb(n, k) * most)))


@settings(max_examples=60, deadline=None)
@given(problems(), st.integers(1, 8), st.integers(0, 99))
def test_no_set_is_dealt_too_often(problem: tuple[int, int, int, int], batches: int, seed: int) -> None:
    """In the whole run, whatever is told; all of the budget is spent, and a spec read from JSON plays the same."""
    n, k, most, budget = problem
    machine = heats.Adaptive(n, k, budget, batches=batches, seed=seed, most_per_set=most)
    again = heats.Machine.from_spec(msgspec.json.encode(machine.spec), seed=seed)
    play(machine, noisy)
    assert max(_count_sets(machine).values()) <= most
    assert machine.spent == budget
    assert recall(play(again, noisy)) == recall(machine)


def _count_sets(machine: heats.Machine) -> Counter[frozenset[int]]:
    return Counter(frozenset(arms) for each in machine.evidence() for arms in each.arms.tolist())


@settings(max_examples=60, deadline=None)
@given(problems(), st.integers(0, 9999))
def test_the_next_best_takes_the_place_of_the_last(problem: tuple[int, int, int, int], chance: int) -> None:
    """A plain version: of all sets in the order of their arms, best first, the first that may be dealt."""
    n, k, most, pulls = problem
    draw = np.random.default_rng(chance)
    priorities = Priorities(2, n)
    priorities.scores = np.round(draw.normal(size=(2, n)), 1)
    pulled, luck = draw.integers(0, 3, (2, n)), np.argsort(draw.random((2, n)), axis=1)
    keys = make_keys(priorities.values, pulled, luck)
    heats_dealt = deal_many(Deal(priorities, pulled, luck, keys, pulls, k, Repeats(most, 2, [])))
    for run in range(2):
        values, times, seen = priorities.values[run].copy(), pulled[run].copy(), Counter()  # type: ignore[var-annotated]
        for heat in heats_dealt[run].tolist():
            order = np.argsort(-make_keys(values, times, luck[run])).tolist()
            expected = next(each for each in combinations(order, k) if seen[frozenset(each)] < most)
            assert tuple(heat) == expected
            seen[frozenset(heat)] += 1
            chances = np.exp(values[heat] - values[heat].max())
            chances /= chances.sum()
            won, lost = math.log(k * WIN_CHANCE), math.log(k * (1 - WIN_CHANCE) / (k - 1))
            values[heat] = round_values(values[heat] + chances * won + (1 - chances) * lost)
            times[heat] += 1


@settings(max_examples=60, deadline=None)
@given(problems(), st.booleans(), st.integers(0, 9999))
def test_one_run_deals_what_many_do(problem: tuple[int, int, int, int], is_consistent: bool, chance: int) -> None:
    """With a heap that is looked through no further than is needed, after earlier batches, in both kinds of world."""
    n, k, most, pulls = problem
    draw = np.random.default_rng(chance)
    priorities = Priorities(1, n)
    priorities.scores = priorities.strengths = np.round(draw.normal(size=(1, n)), 1)
    priorities.is_consistent, priorities.bonus = np.array([is_consistent]), 2.0
    often = draw.choice([0, 12, 40])
    pulled, luck = often + draw.integers(0, 3, (1, n)), np.argsort(draw.random((1, n)), axis=1)
    keys = make_keys(priorities.values, pulled, luck)
    before = [np.array([[sorted(draw.permutation(n)[:k].tolist())]])] if pulls < math.comb(n, k) * most else []
    one, many = (
        deal(Deal(priorities, pulled, luck, keys, pulls, k, Repeats(most, 1, before))) for deal in (deal_one, deal_many)
    )
    assert (one == many).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 9), st.integers(2, 4), st.integers(1, 30), st.integers(0, 999))
def test_a_limit_that_is_never_reached_changes_nothing(n: int, k: int, budget: int, seed: int) -> None:
    """The same heats as without one, dealt for one run or for many."""
    k = min(n, k)
    free = play(heats.Adaptive(n, k, budget, seed=seed))
    limited = play(heats.Adaptive(n, k, budget, seed=seed, most_per_set=budget))
    assert recall(limited)[2:] == recall(free)[2:]
    priorities = Priorities(1, n)
    priorities.scores = np.random.default_rng(seed).normal(size=(1, n))
    pulled, luck = np.zeros((1, n), dtype=np.int64), np.arange(n)[None]
    keys = make_keys(priorities.values, pulled, luck)
    one = deal_one(Deal(priorities, pulled, luck, keys, budget, k))
    assert (deal_many(Deal(priorities, pulled, luck, keys, budget, k, Repeats(budget, 1, []))) == one).all()


def test_many_runs_deal_what_each_would_alone() -> None:
    """The simulator plays the same game."""
    spec = AdaptiveSpec(5, 3, 18, 4, most_per_set=2)
    roots = np.array([fold_seed(seed) for seed in range(3)])
    together = Game.of(spec, heats.mean, roots).stage()
    assert together is not None
    for run, seed in enumerate(range(3)):
        machine = heats.Adaptive(5, 3, 18, batches=4, seed=seed, most_per_set=2)
        assert machine.stage is not None
        assert (machine.stage.heats[0] == together.heats[run]).all()


def test_sets_that_are_full_are_not_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 924 sets all but four are dealt, and a pull asks of one whether it is full; 20,000 pulls took two minutes."""
    asked = _count_calls(monkeypatch)
    machine = play(heats.Adaptive(12, 6, 920, most_per_set=1))
    assert set(_count_sets(machine).values()) == {1}
    assert asked["full"] == machine.spent


def test_partners_that_are_used_up_are_not_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The strongest of 1,000 meets all others, then the next; heaps were searched past all of those for every pull."""
    asked = _count_calls(monkeypatch)
    machine = play(heats.Adaptive(1000, 2, 3000, most_per_set=1), TRUTH["winner"])
    sets = _count_sets(machine)
    assert set(sets.values()) == {1}
    used_up = sum(times == 999 for times in Counter(arm for arms in sets for arm in arms).values())
    assert used_up == 1
    assert asked["replaced"] > machine.spent / 2
    assert asked["taken"] <= 2 * machine.spent
    assert asked["looked at"] <= (used_up + 1) * asked["replaced"]


def _count_calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count heats checked and replaced, arms taken from heaps, and arms looked at for a replacement."""
    asked, is_full, find_free, take, sort = Counter[str](), Run.is_full, Run.find_free, _Heap.take, repeats.sort_arms

    def count_full(run: Run, heat: list[int]) -> bool:
        asked["full"] += 1
        return is_full(run, heat)

    def count_replaced(run: Run, heat: list[int], keys: Indices) -> list[int]:
        asked["replaced"] += 1
        return find_free(run, heat, keys)

    def count_taken(heap: _Heap, taken: Container[int]) -> int:
        asked["taken"] += 1
        return take(heap, taken)

    def count_looked_at(heat: list[int], keys: Indices, start: int) -> Iterator[int]:
        for arm in sort(heat, keys, start):
            asked["looked at"] += 1
            yield arm

    monkeypatch.setattr(Run, "is_full", count_full)
    monkeypatch.setattr(Run, "find_free", count_replaced)
    monkeypatch.setattr(_Heap, "take", count_taken)
    monkeypatch.setattr(repeats, "sort_arms", count_looked_at)
    return asked


@pytest.mark.slow
def test_the_largest_budget_is_dealt_without_a_set_twice() -> None:
    """Nearly all pairs of 201 arms, and a ninth of all halves of 20."""
    for n, k in ((201, 2), (20, 10)):
        machine = play(heats.Adaptive(n, k, 20_000, most_per_set=1), TRUTH["winner"])
        assert set(_count_sets(machine).values()) == {1}
        assert machine.spent == 20_000


def test_what_cannot_be_dealt_is_refused() -> None:
    """A budget beyond what all sets make together, at once or by an extension, which then changes nothing."""
    with pytest.raises(InvalidArgument, match=r"budget=7 cannot be spent: 3 arms make 3 sets of 2, and these 6 pulls"):
        heats.Adaptive(3, 2, 7, most_per_set=2)
    for wrong in (0, -1, 1.5, "two", True):
        with pytest.raises(InvalidArgument, match="most_per_set"):
            heats.Adaptive(3, 2, 6, most_per_set=wrong)
    too_many = "budget=30000 is more than adaptive play deals where it limits how often a set is compared, up to 20,000"
    with pytest.raises(InvalidArgument, match=too_many):
        heats.Adaptive(30, 3, 30_000, most_per_set=1000)
    machine = heats.Adaptive(3, 2, 5, batches=2, seed=1, most_per_set=2)
    before = recall(machine)
    with pytest.raises(InvalidArgument, match="cannot be spent"):
        machine.extend(2)
    assert recall(machine) == before
    machine.extend(1)
    play(machine)
    assert machine.spent == 6
    assert set(_count_sets(machine).values()) == {2}


def test_a_journal_goes_on_with_the_limit_it_began_with(tmp_path: Path) -> None:
    """Another one, or none, is another run."""
    path = tmp_path / "run.jsonl"
    with heats.Journal(path, heats.Adaptive(5, 3, 12, most_per_set=2)) as journal:
        query = journal.machine.ask()
        assert query is not None
        journal.tell(query, noisy(query))
    with pytest.raises(InvalidArgument, match="its most_per_set is 2, not None"):
        heats.Journal(path, heats.Adaptive(5, 3, 12))
    with heats.Journal(path, heats.Adaptive(5, 3, 12, most_per_set=2)) as journal:
        assert journal.machine.spent == 1


def test_specs_without_a_limit_do_not_name_it() -> None:
    """Journals of earlier versions are read: those of rule 1 name neither the rule nor a limit."""
    old = b'{"machine":"adaptive","n_arms":5,"heat_size":3,"budget":12,"batches":15}'
    assert parse_spec(old) == AdaptiveSpec(5, 3, 12)
    assert msgspec.json.encode(AdaptiveSpec(5, 3, 12)) == old
    assert msgspec.json.encode(heats.Adaptive(5, 3, 12).spec) == old[:-1] + b',"rule":2}'
    limited = msgspec.json.encode(heats.Adaptive(5, 3, 12, most_per_set=9).spec)
    assert limited == old[:-1] + b',"most_per_set":9,"rule":2}'
