"""A Plackett-Luce fit to all pulls so far: one strength per arm, from whom it met and how it did.

A winner is drawn in proportion to strength; a ranking counts as all its pairs (the pairs of a Plackett-Luce ranking
are won in proportion to strength as well). Each arm also played one imaginary pair against an opponent of strength
one, which it won and lost by half: so strengths stay finite, and arms never seen have strength one.

The fit maximises the likelihood by minorise-maximise steps: with w_i the wins of arm i,

    γ_i ← w_i / Σ over its comparisons of 1 / (sum of the strengths γ compared).

Everything works for many tournaments at once; the first axis is the repetition. A step looks at every arm of every
round so far, so that is what must be fast. Arms are kept in *slots*, those still in first: as rounds only ever lose
arms, the arms of a round are always the first slots, and what a round expects of them is added to a plain slice. Only
within these slots are numbers looked up: strengths by heat, and what a heat expects by slot.
"""

from __future__ import annotations

import numpy as np

from heats.base.arrays import Array, Indices
from heats.planning.plan import MOST_CARRIED_PULLS

STEPS_PER_ROUND = 12  # each fit begins where the last one ended


class _Round:
    """The heats of a round: which slots meet, ``members (size, reps, heats)``, and where each slot is among them."""

    def __init__(self, size: int, active: int, comparisons: Array, first_slots: Indices, *, pairs: bool) -> None:
        reps, heats = comparisons.shape
        self.active = active  # arms of the round, those that rested included
        self.comparisons = comparisons  # of every heat, (reps, heats)
        self.pairs = pairs  # every comparison is one of two arms, else of the whole heat
        slots = np.arange(heats * size).reshape(heats, size).T  # as dealt: the arms of heat 0 first
        self._members = slots[:, None] + first_slots  # of all repetitions together
        # By slot, where to look up what its heat expects: its own entry of (size, reps, heats) for pairs, else its
        # heat's of (reps, heats). Those who rested look at the last entry, which is 0.
        places = np.arange(reps)[:, None] * heats + np.arange(heats * size) // size
        if pairs:
            places = places + np.arange(heats * size) % size * (reps * heats)
        self._rates = np.zeros((size if pairs else 1) * reps * heats + 1)
        nowhere = np.full((reps, active - heats * size), self._rates.size - 1)
        self._places = np.concatenate([places, nowhere], axis=1)

    def rearrange(self, order: Indices, moved_to: Indices) -> None:
        """Move the first slots: slot s now holds what slot ``order[s]`` held, and what slot s held is at ``moved_to``.

        ``order (reps, moved)`` counts within a repetition, ``moved_to`` is of the slots of all repetitions.
        """
        reps, moved = order.shape
        rows = (np.arange(reps) * self.active)[:, None]
        self._places[:, :moved] = self._places.ravel().take(order + rows)
        self._members = moved_to.take(self._members)

    def expect(self, strengths: Array) -> Array:
        """Return per slot the sum over its comparisons of 1 / (strengths compared): ``(reps, active)``."""
        gathered = strengths.ravel().take(self._members)
        rates = self._rates[:-1].reshape(gathered.shape if self.pairs else self.comparisons.shape)
        if self.pairs:
            rates[:] = 0
            for one in range(1, len(gathered)):
                rate = self.comparisons / (gathered[one] + gathered[:one])
                rates[one] += rate.sum(axis=0)
                rates[:one] += rate
        else:
            np.divide(self.comparisons, gathered.sum(axis=0), out=rates)
        return self._rates.take(self._places)


class Fit:
    """Strengths of all arms, brought up to date with every round."""

    def __init__(self, reps: int, n_arms: int) -> None:
        self._arms = np.broadcast_to(np.arange(n_arms), (reps, n_arms)).copy()  # of every slot
        self._first_slots = (np.arange(reps) * n_arms)[:, None]
        self._wins = np.full((reps, n_arms), 0.5)  # by slot, as are the strengths
        self._strengths = np.ones((reps, n_arms))
        self._rounds: list[_Round] = []
        self._weight = np.zeros((reps, 1))  # pulls per heat so far, as they count

    def add(self, heats: Indices, byes: Indices, means: Array, pulls: Indices | int, *, pairs: bool) -> None:
        """Add a round: mean winner shares of its heats, or with ``pairs`` mean shares of the others placed below."""
        reps, count, size = heats.shape
        each = np.broadcast_to(np.asarray(pulls, dtype=np.float64), (reps, count))
        if (self._weight > MOST_CARRIED_PULLS).any():
            self._fade(np.minimum(1, MOST_CARRIED_PULLS / self._weight))
        self._weight = self._weight + each.mean(axis=-1, keepdims=True)
        won = each[..., None] * means * (size - 1 if pairs else 1)
        self._bring_to_front(np.concatenate([heats.reshape(reps, -1), byes], axis=1))
        self._wins[:, : count * size] += won.reshape(reps, -1)
        # A pull that nobody won tells nothing of winners: there are as many choices as there were wins.
        comparisons = each.copy() if pairs else won.sum(axis=-1)
        active = count * size + byes.shape[1]
        self._rounds.append(_Round(size, active, comparisons, self._first_slots, pairs=pairs))

    def strengths(self, steps: int = STEPS_PER_ROUND) -> Array:
        """Return the strengths ``(reps, n_arms)`` of the arms after a few more steps."""
        expected = np.empty_like(self._strengths)
        for _ in range(steps):
            np.add(self._strengths, 1, out=expected)
            np.divide(1, expected, out=expected)  # of the imaginary pair
            for each in self._rounds:
                expected[:, : each.active] += each.expect(self._strengths)
            np.divide(self._wins, expected, out=self._strengths)
        by_arm = np.empty_like(self._strengths)
        np.put_along_axis(by_arm, self._arms, self._strengths, axis=1)
        return by_arm

    def _fade(self, share: Array) -> None:
        """Let all rounds so far count for less."""
        self._wins = 0.5 + share * (self._wins - 0.5)
        for each in self._rounds:
            each.comparisons = share * each.comparisons
        self._weight = share * self._weight

    def _bring_to_front(self, playing: Indices) -> None:
        """Let the arms that are still in have the first slots, in this order; those that left come right after them."""
        among = self._rounds[-1].active if self._rounds else self._arms.shape[1]
        reps, n_arms = self._arms.shape
        slot = np.empty((reps, n_arms), dtype=np.int64)
        np.put_along_axis(slot, self._arms, np.broadcast_to(np.arange(n_arms), (reps, n_arms)), axis=1)
        front = np.take_along_axis(slot, playing, axis=1)
        gone = np.ones((reps, among), dtype=bool)
        np.put_along_axis(gone, front, False, axis=1)
        order = np.concatenate([front, np.nonzero(gone)[1].reshape(reps, -1)], axis=1)
        places = np.broadcast_to(np.arange(n_arms), (reps, n_arms)) + self._first_slots
        moved_to = places.copy()
        np.put_along_axis(moved_to, order, places[:, :among], axis=1)
        for array in (self._arms, self._wins, self._strengths):
            array[:, :among] = array.ravel().take(order + self._first_slots)
        for each in self._rounds:
            each.rearrange(order, moved_to.ravel())
