"""Rewards → who won, or who was ahead of whom: what is left of a world if no numbers are seen."""

from __future__ import annotations

import numpy as np

from heats.base.arrays import Array, Indices
from heats.engine.feedback import Kind
from heats.engine.statistics import share_of_wins, winner_shares
from heats.environments.protocol import Environment, Rng, check_world
from heats.errors import InvalidArgument


class _Reduced(Environment):
    """A world of rewards, of whose pulls less is seen."""

    less: str  # what is left of rewards, for messages

    def __init__(self, world: Environment) -> None:
        if check_world("world", world).kind is not Kind.REWARDS:
            kind = getattr(world.kind, "value", world.kind)
            raise InvalidArgument(f"only rewards can be reduced to their {self.less}, not {kind} feedback.")
        self.world = world
        self.n_arms = world.n_arms
        self.best = world.best
        self.names = world.names
        self.n_rows = world.n_rows
        self.quality = world.quality
        self.fixed = world.fixed

    def block(self, start: int, reps: int) -> Environment:
        """Return what is left of that block of the world."""
        return type(self)(self.world.block(start, reps))

    def win_shares(self, heat_size: int) -> Array:
        """Return those of the world."""
        return self.world.win_shares(heat_size)


class Winners(_Reduced):
    """Any world of rewards, of which only the winner of each pull is seen."""

    kind = Kind.WINNER
    less = "winner"

    def sample(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Return winner shares."""
        return winner_shares(self.world.sample(heats, pulls, rng))

    def sample_mean(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Return win rates."""
        return share_of_wins(self.world.sample(heats, pulls, rng))


class Orders(_Reduced):
    """Any world of rewards, of which only the order of each pull is seen: the share of the others that are behind.

    Where rewards may tie no ranking says it: then the shares are told as rewards, as in ``Rankings``.
    """

    less = "order"

    def __init__(self, world: Environment) -> None:
        super().__init__(world)
        self.ties = world.ties
        self.kind = Kind.REWARDS if world.ties else Kind.RANKING

    def sample(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Return the shares of the others that are behind."""
        rewards = self.world.sample(heats, pulls, rng)
        if self.ties:
            return share_behind(rewards)
        behind = np.argsort(np.argsort(rewards, axis=-1), axis=-1)
        shares: Array = behind / (heats.shape[-1] - 1)
        return shares


def share_behind(merits: Array) -> Array:
    """Return the share of the others in a heat ``(..., size)`` that have less merit, those level counted half."""
    mine, theirs = merits[..., :, None], merits[..., None, :]
    behind = (mine > theirs).sum(axis=-1) + 0.5 * ((mine == theirs).sum(axis=-1) - 1)
    share: Array = behind / (merits.shape[-1] - 1)
    return share
