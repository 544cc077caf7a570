"""Who could answer what: as many pulls as any plan could have answered are, whoever asks when."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_flow

from heats.vote.desk.line import Group
from heats.vote.desk.matching import Matching

SETS = [frozenset(each) for each in ((0, 1), (0, 2), (1, 2), (2, 3), (3, 4))]
PEOPLE = ("ann", "bob", "cem", "dan")

owed = st.dictionaries(st.sampled_from(SETS), st.integers(1, 4), min_size=1)
left = st.fixed_dictionaries({who: st.integers(0, 4) for who in PEOPLE})
seen = st.fixed_dictionaries({who: st.sets(st.sampled_from(SETS), max_size=3) for who in PEOPLE})


def count_most(owed: dict[Group, int], left: dict[str, int], seen: dict[str, set[Group]]) -> int:
    """Return how many pulls can be answered at most: the largest flow from people to sets, once from one to another."""
    people, sets = list(left), list(owed)
    goal = len(people) + len(sets) + 1
    limits = np.zeros((goal + 1, goal + 1), dtype=np.int32)
    for one, who in enumerate(people, 1):
        limits[0, one] = left[who]
        for other, group in enumerate(sets, len(people) + 1):
            limits[one, other] = group not in seen[who]
            limits[other, goal] = owed[group]
    return int(maximum_flow(csr_array(limits), 0, goal).flow_value)


@given(owed=owed, left=left, seen=seen, data=st.data())
def test_as_much_is_answered_as_can_be_whoever_asks_when(
    owed: dict[Group, int], left: dict[str, int], seen: dict[str, set[Group]], data: st.DataObject
) -> None:
    """Everybody takes anything while they have votes to spare, and else what is planned for them; pages stay open."""
    held: dict[str, Group] = {}
    matching = Matching(owed, left, seen.__getitem__, held.get)
    most, answered = count_most(owed, left, seen), 0
    assert matching.count == most
    while matching.count:
        who = data.draw(st.sampled_from(PEOPLE))
        group = held.pop(who, None)
        if group is not None:  # they answer
            owed[group] -= 1
            left[who] -= 1
            seen[who].add(group)
            answered += 1
            matching.revise(who, left[who], group, -1)
            assert matching.count == count_most(owed, left, seen)
        out = list(held.values())
        among = SETS if matching.can_spare(who) else matching.list_sets(who)
        can = [each for each in owed if each in among and each not in seen[who] and owed[each] > out.count(each)]
        if can and left[who]:
            held[who] = data.draw(st.sampled_from(can))
            matching.reserve(who, held[who])
    assert answered == most


@given(owed=owed, left=left, seen=seen, data=st.data())
def test_the_plan_is_as_good_after_every_change(
    owed: dict[Group, int], left: dict[str, int], seen: dict[str, set[Group]], data: st.DataObject
) -> None:
    """Somebody skips, votes in vain, takes a vote back, or votes on what was planned for others."""
    matching = Matching(owed, left, seen.__getitem__, lambda _: None)
    for _ in range(6):
        who, group = data.draw(st.sampled_from(PEOPLE)), data.draw(st.sampled_from(list(owed)))
        more = data.draw(st.sampled_from([-1, 0, 1])) if owed[group] else 1
        owed[group] += more
        left[who] = max(0, left[who] + data.draw(st.sampled_from([-1, 0, 1])))
        seen[who] ^= {group}
        matching.revise(who, left[who], group, more)
        assert matching.count == count_most(owed, left, seen)
