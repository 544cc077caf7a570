"""Who gets what: nobody the same twice, nothing lost, nothing counted twice, whoever comes, leaves or undoes when."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import heats
from heats.engine.adaptive.winner_stays import WinnerStays
from heats.errors import OutOfTurn
from heats.journal.events import Told
from heats.journal.reader import Log
from heats.vote.desk.desk import CLOSED, OVER, PATIENCE, SECOND, Desk, Handed, Nothing, Outcome
from tests.vote.polls import Clock, list_votes, open_desk

MACHINES: dict[str, Callable[[], heats.Machine]] = {
    "adaptive": lambda: heats.Adaptive(6, 3, 24, batches=3, seed=5, most_per_set=4),
    "planned": lambda: heats.Tournament(heats.plan(6, 3, 24, feedback="winner", voters=4), seed=5),
    "one at a time": lambda: heats.Adaptive(5, 2, 12, batches=12, seed=5, most_per_set=4),
}
PEOPLE = ("ann", "bob", "cem", "dan")


def ask(desk: Desk, who: str) -> Handed:
    """Return what somebody is asked about, which must be something."""
    handed = desk.hand_out(who)
    assert isinstance(handed, Handed)
    return handed


def vote(desk: Desk, who: str) -> Outcome | Nothing:
    """Let somebody vote for the highest number."""
    handed = desk.hand_out(who)
    if isinstance(handed, Nothing):
        return handed
    return desk.answer(who, handed.query.id, heats.Winner(max(handed.query.arms)), took=2.0)


class Crowd:
    """People who open pages, answer any page they ever saw, skip, undo and leave; it remembers what became of that."""

    def __init__(self, path: Path, machine: str, chance: int, **said: Any) -> None:
        self.path, self.machine, self.said = path, machine, said
        self.draw, self.clock = random.Random(chance), Clock()
        self.desk = open_desk(path, MACHINES[machine](), self.clock, **said)
        self.pages: dict[str, list[heats.Query]] = {who: [] for who in PEOPLE}
        self.dealt: set[tuple[str, frozenset[int]]] = set()  # who dealt with which set
        self.late = 0

    def restart(self) -> None:
        """End as a power cut would, and go on with the journal."""
        self.desk.journal.close()
        self.desk = open_desk(self.path, MACHINES[self.machine](), self.clock, **self.said)

    def act(self) -> None:
        """Let somebody do something."""
        who, what, desk = self.draw.choice(PEOPLE), self.draw.random(), self.desk
        pages = self.pages[who]
        if what < 0.35:
            if isinstance(handed := desk.hand_out(who), Handed):
                assert (who, frozenset(handed.query.arms)) not in self.dealt
                pages.append(handed.query)
        elif what < 0.8 and pages:
            self.answer(who, pages[-1] if self.draw.random() < 0.8 else self.draw.choice(pages))
        elif what < 0.84 and pages:
            if desk.skip(who, pages[-1].id) is Outcome.COUNTED:
                self.dealt.add((who, frozenset(pages[-1].arms)))
        elif what < 0.9 and desk.can_undo(who) and (last := desk.find_last(who)) is not None:
            self.dealt.discard((who, frozenset(desk.journal.machine.query(last).arms)))
            desk.undo(who, last)
        elif what < 0.97:
            self.clock.now += self.draw.choice((30, 70, 400))
        else:
            self.restart()

    def answer(self, who: str, query: heats.Query) -> None:
        """Answer a page: it counts, or nothing more is owed of its set, which is kept; or it was dealt with before."""
        desk, group = self.desk, frozenset(query.arms)
        machine, before = desk.journal.machine, desk.journal.machine.spent
        owed = [each for each in machine.list_owed() if frozenset(machine.query(each).arms) == group]
        outcome = desk.answer(who, query.id, heats.Winner(max(query.arms)))
        if (who, group) in self.dealt:
            assert outcome is Outcome.REPEATED
        else:
            assert outcome is (Outcome.COUNTED if owed else Outcome.LATE)
            self.dealt.add((who, group))
        assert machine.spent - before == (outcome is Outcome.COUNTED)
        if outcome is Outcome.LATE:
            self.late += 1
            assert desk.ledger.people[who].late[query.id].why in (OVER, CLOSED, SECOND)


@settings(max_examples=20, deadline=None)
@given(machine=st.sampled_from(sorted(MACHINES)), chance=st.integers(0, 10**6), voters=st.sampled_from([None, PEOPLE]))
def test_every_answer_counts_once_or_its_set_owes_nothing_more(
    machine: str, chance: int, voters: tuple[str, ...] | None
) -> None:
    """Whatever people do in whatever order, restarts included; nobody votes twice on a set, and a replay says the same."""
    with tempfile.TemporaryDirectory() as folder:
        crowd = Crowd(Path(folder) / "votes.jsonl", machine, chance, voters=voters)
        for _ in range(90):
            crowd.act()
        desk = crowd.desk
        votes, last = list_votes(desk.ledger), [desk.find_last(who) for who in PEOPLE]
        assert max(Counter(vote.id for _, vote in votes).values(), default=1) == 1
        assert max(Counter((who, frozenset(vote.arms)) for who, vote in votes).values(), default=1) == 1
        assert len(votes) == desk.journal.machine.spent
        assert crowd.late == sum(len(person.late) for person in desk.ledger.people.values())
        crowd.restart()
        again = crowd.desk
        assert list_votes(again.ledger) == votes
        assert [again.find_last(who) for who in PEOPLE] == last
        assert again.journal.machine.report().to_json() == desk.journal.machine.report().to_json()
        again.journal.close()


@settings(max_examples=30, deadline=None)
@given(machine=st.sampled_from(sorted(MACHINES)), chance=st.integers(0, 10**6), each=st.sampled_from([None, 3, 6, 20]))
def test_a_stage_is_closed_exactly_if_nobody_can_answer_anything(machine: str, chance: int, each: int | None) -> None:
    """Whatever people do, restarts included: nobody who can vote is forgotten, and nobody waits for ever."""
    with tempfile.TemporaryDirectory() as folder:
        crowd = Crowd(Path(folder) / "votes.jsonl", machine, chance, voters=PEOPLE, votes_each=each)
        for _ in range(90):
            crowd.act()
            desk, dealing = crowd.desk, crowd.desk.journal.machine
            sets = {frozenset(dealing.query(number).arms) for number in dealing.list_owed()}
            left = {who for who in PEOPLE if each is None or desk.ledger.find(who).answered < (desk.votes_each or 0)}
            is_open = any((who, group) not in crowd.dealt for who in left for group in sets)
            before = dealing.no_verdicts
            desk.settle()
            assert (dealing.no_verdicts > before) == (not is_open and bool(sets))
            assert dealing.done or any(desk.needs(who) or desk.look(who) is Nothing.WAIT for who in PEOPLE)
        desk.journal.close()


@pytest.mark.parametrize("machine", sorted(MACHINES))
def test_a_poll_ends_if_everybody_comes_back(tmp_path: Path, machine: str) -> None:
    """As many voters as the plan was made for are enough for all of it."""
    desk = open_desk(tmp_path / "votes.jsonl", MACHINES[machine](), Clock())
    while not desk.journal.machine.done:
        assert Outcome.COUNTED in [vote(desk, who) for who in PEOPLE]
    assert vote(desk, "ann") is Nothing.DONE
    assert desk.journal.machine.winner == desk.journal.machine.n_arms - 1


def test_pulls_are_handed_out_across_heats(tmp_path: Path) -> None:
    """The first votes are about as many heats as there are."""
    machine = heats.Tournament(heats.plan(6, 3, 24, feedback="winner", voters=4), seed=5)
    desk = open_desk(tmp_path / "votes.jsonl", machine, Clock())
    first = [ask(desk, who) for who in ("ann", "bob")]
    assert len({each.query.heat for each in first}) == 2


def test_opening_the_page_again_shows_the_same(tmp_path: Path) -> None:
    """On another device, too: what is open is the voter's, not the page's."""
    desk = open_desk(tmp_path / "votes.jsonl", MACHINES["adaptive"](), Clock())
    assert desk.hand_out("ann") == desk.hand_out("ann")


def make_duel(tmp_path: Path, clock: Clock) -> Desk:
    """Two candidates, two votes: one pull is left once the other one is told."""
    return open_desk(tmp_path / "votes.jsonl", heats.RoundRobin(2, 2, 2, seed=1), clock)


def test_a_lease_that_ran_out_goes_to_somebody_else_and_the_first_answer_counts(tmp_path: Path) -> None:
    """The other one is late, as nothing more is owed, and is in the journal."""
    clock = Clock()
    desk = open_desk(tmp_path / "votes.jsonl", heats.RoundRobin(2, 2, 1, seed=1), clock)
    ann = ask(desk, "ann")
    clock.now += 601
    assert desk.hand_out("bob") == ann
    assert desk.answer("bob", ann.query.id, heats.Winner(1)) is Outcome.COUNTED
    assert desk.answer("ann", ann.query.id, heats.Winner(0)) is Outcome.LATE
    assert desk.answer("ann", ann.query.id, heats.Winner(0)) is Outcome.REPEATED
    assert desk.journal.machine.winner == 1
    assert desk.journal.log.late == 1


def test_a_lease_that_ran_out_is_still_good_while_nobody_else_has_the_pull(tmp_path: Path) -> None:
    """Somebody who thinks for an hour has voted, if nobody was there meanwhile."""
    clock = Clock()
    desk = make_duel(tmp_path, clock)
    ann = ask(desk, "ann")
    clock.now += 3600
    assert desk.answer("ann", ann.query.id, heats.Winner(0)) is Outcome.COUNTED


def test_what_somebody_has_had_for_a_while_is_shared_if_nothing_else_is_left(tmp_path: Path) -> None:
    """Not at once: most answers come soon, and two to one pull are one too many. A third waits for the second, too."""
    clock = Clock()
    desk = open_desk(tmp_path / "votes.jsonl", heats.RoundRobin(2, 2, 1, seed=1), clock)
    ann = ask(desk, "ann")
    clock.now += PATIENCE - 1
    assert desk.hand_out("bob") is Nothing.WAIT
    assert desk.look("bob") is Nothing.WAIT
    clock.now += 1
    assert desk.look("bob") is Nothing.YET
    assert desk.hand_out("bob") == ann
    assert desk.hand_out("cem") is Nothing.WAIT
    assert desk.answer("ann", ann.query.id, heats.Winner(0)) is Outcome.COUNTED
    assert desk.answer("bob", ann.query.id, heats.Winner(1)) is Outcome.LATE


def test_what_somebody_has_whose_votes_are_void_is_shared_at_once(tmp_path: Path) -> None:
    """They will not answer."""
    desk = open_desk(tmp_path / "votes.jsonl", heats.RoundRobin(2, 2, 1, seed=1), Clock())
    ann = ask(desk, "ann")
    desk.journal.void("ann")
    assert desk.hand_out("bob") == ann


def test_a_vote_counts_for_any_pull_of_its_set(tmp_path: Path) -> None:
    """Whoever had that votes on the set as well, while it owes something; the order shown is kept with the vote."""
    clock = Clock()
    desk = make_duel(tmp_path, clock)
    ann, bob = ask(desk, "ann"), ask(desk, "bob")
    clock.now += PATIENCE
    cem = ask(desk, "cem")
    assert cem == ann
    assert desk.answer("ann", ann.query.id, heats.Winner(0)) is Outcome.COUNTED
    assert desk.answer("cem", cem.query.id, heats.Winner(0)) is Outcome.COUNTED
    assert desk.answer("bob", bob.query.id, heats.Winner(0)) is Outcome.LATE
    (told,) = [event for event in Log(tmp_path / "votes.jsonl").events() if type(event) is Told and event.by == "cem"]
    assert (told.id, told.arms) == (bob.query.id, bob.query.arms)
    assert told.notes == {"asked": cem.query.id, "shown": list(cem.query.arms)}
    assert desk.ledger.people["cem"].votes[bob.query.id].arms == cem.query.arms


def test_a_vote_that_counts_for_another_pull_is_undone_there(tmp_path: Path) -> None:
    """And then it is asked again as that one is shown."""
    clock = Clock()
    desk = open_desk(tmp_path / "votes.jsonl", heats.RoundRobin(2, 2, 3, seed=1), clock)
    ann, *others = (ask(desk, who).query.id for who in ("ann", "bob", "cem"))
    clock.now += PATIENCE
    assert ask(desk, "dan").query.id == ann
    for who in ("dan", "ann"):
        assert desk.answer(who, ann, heats.Winner(1)) is Outcome.COUNTED
    last = desk.find_last("ann")
    assert last in others
    with pytest.raises(OutOfTurn, match="another one"):
        desk.undo("ann", ann)
    desk.undo("ann", last)
    assert ask(desk, "ann").query.id == last
    assert desk.journal.machine.answered == {"dan": 1}


def test_who_cannot_say_what_others_answered_is_not_asked_about_the_set_again(tmp_path: Path) -> None:
    """Another pull of it is given back, as long as there is one."""
    clock = Clock()
    desk = make_duel(tmp_path, clock)
    ann, bob = ask(desk, "ann"), ask(desk, "bob")
    clock.now += PATIENCE
    assert ask(desk, "cem") == ann
    assert desk.answer("ann", ann.query.id, heats.Winner(0)) is Outcome.COUNTED
    assert desk.skip("cem", ann.query.id) is Outcome.COUNTED
    clock.now += PATIENCE
    assert desk.hand_out("cem") is Nothing.WAIT
    assert desk.answer("cem", bob.query.id, heats.Winner(0)) is Outcome.REPEATED
    assert desk.answer("bob", bob.query.id, heats.Winner(0)) is Outcome.COUNTED


def test_who_has_seen_all_that_is_owed_waits(tmp_path: Path) -> None:
    """There are two pulls of one pair: two people are needed."""
    desk = make_duel(tmp_path, Clock())
    assert vote(desk, "ann") is Outcome.COUNTED
    assert desk.hand_out("ann") is Nothing.WAIT
    assert vote(desk, "bob") is Outcome.COUNTED
    assert desk.hand_out("ann") is Nothing.DONE


def test_what_somebody_cannot_say_is_asked_of_somebody_else(tmp_path: Path) -> None:
    """And never again of them, after a restart neither."""
    path, clock = tmp_path / "votes.jsonl", Clock()
    desk = make_duel(tmp_path, clock)
    handed = ask(desk, "ann")
    assert desk.skip("ann", handed.query.id) is Outcome.COUNTED
    desk.journal.close()
    desk = open_desk(path, heats.RoundRobin(2, 2, 2, seed=1), clock)
    assert desk.hand_out("ann") is Nothing.WAIT
    assert desk.hand_out("bob") == handed


def test_the_last_vote_is_undone_while_its_round_is_open(tmp_path: Path) -> None:
    """The vote that ended it stays, and so does any but the last."""
    desk = make_duel(tmp_path, Clock())
    first = ask(desk, "ann")
    assert not first.is_last
    vote(desk, "ann")
    desk.undo("ann", first.query.id)
    assert desk.journal.machine.spent == 0
    assert ask(desk, "ann").query == first.query
    vote(desk, "ann")
    assert ask(desk, "bob").is_last
    vote(desk, "bob")
    with pytest.raises(OutOfTurn, match="what comes next was decided by it"):
        desk.undo("ann", first.query.id)
    with pytest.raises(OutOfTurn, match="another one"):
        desk.undo("ann", 1 - first.query.id)


def test_void_voters_get_nothing_and_pauses_are_kept_to(tmp_path: Path) -> None:
    """An answer during a pause is neither counted nor kept; it can be given again."""
    desk = make_duel(tmp_path, Clock())
    ann = ask(desk, "ann")
    desk.journal.pause()
    assert desk.hand_out("ann") is Nothing.PAUSED
    assert desk.answer("ann", ann.query.id, heats.Winner(0)) is Outcome.PAUSED
    desk.journal.reopen()
    assert desk.answer("ann", ann.query.id, heats.Winner(0)) is Outcome.COUNTED
    desk.journal.void("ann")
    assert desk.hand_out("ann") is Nothing.VOID


def test_votes_are_signed_in_the_journal(tmp_path: Path) -> None:
    """With who gave them, how long it took, and the order in which candidates were shown."""
    desk = make_duel(tmp_path, Clock())
    vote(desk, "ann")
    (told,) = [event for event in Log(tmp_path / "votes.jsonl").events() if type(event) is Told]
    assert (told.by, told.took, sorted(told.arms)) == ("ann", 2.0, [0, 1])


def test_a_poll_that_an_older_rule_dealt_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What somebody gave back, or still has on a page, is known by no other pull; everybody is asked on, to the end."""
    path, spec = tmp_path / "votes.jsonl", heats.Adaptive(6, 2, 24, batches=4, seed=2, most_per_set=4).spec
    desk = open_desk(path, heats.Machine.from_spec(spec, seed=2), Clock())
    held = {who: desk.hand_out(who).query for who in ("ann", "bob", "cyd")}  # type: ignore[union-attr]  # there is one
    desk.answer("ann", held["ann"].id, heats.Winner(max(held["ann"].arms)))
    desk.skip("bob", held["bob"].id)
    desk.journal.close()
    monkeypatch.setattr(WinnerStays, "rule", 3)
    desk = open_desk(path, heats.Machine.from_spec(spec, seed=2), Clock())
    assert desk.answer("cyd", held["cyd"].id, heats.Winner(held["cyd"].arms[0])) is Outcome.LATE
    while not desk.journal.machine.done:
        for who in ("ann", "bob", "cyd", "dan"):
            handed = desk.hand_out(who)
            if isinstance(handed, Handed):
                assert handed.query.id > max(query.id for query in held.values())
                desk.answer(who, handed.query.id, heats.Winner(max(handed.query.arms)))
    assert desk.journal.machine.spent == 24
    assert held["ann"].arms in [tuple(arms) for each in desk.journal.machine.evidence() for arms in each.arms.tolist()]
    desk.journal.close()
