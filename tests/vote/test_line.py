"""Pulls wait set by set: the sets that most pulls are left of come first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from heats.vote.desk.line import Group, Line

SETS = [frozenset(each) for each in ((0, 1), (0, 2), (1, 2), (2, 3))]


@given(st.lists(st.sampled_from(SETS), max_size=12), st.data())
def test_the_first_of_the_largest_set_comes_first(groups: list[Group], data: st.DataObject) -> None:
    """A plain version looks at all of them; pulls come and go in any order."""
    by_number = dict(enumerate(groups))
    line = Line(by_number)
    line.fill()
    waiting = set(by_number)
    for _ in range(12 if by_number else 0):
        number = data.draw(st.sampled_from(sorted(by_number)))
        if data.draw(st.booleans()):
            line.add(number)
            waiting.add(number)
        else:
            line.remove(number)
            waiting.discard(number)
        seen = data.draw(st.sets(st.sampled_from(SETS)))
        sizes = {group: sum(by_number[each] == group for each in waiting) for group in SETS}
        open_ones = [(-sizes[by_number[each]], each) for each in waiting if by_number[each] not in seen]
        assert line.find(seen) == (min(open_ones)[1] if open_ones else None)
