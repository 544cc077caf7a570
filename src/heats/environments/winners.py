"""Rewards → who won: what is left of a world if only the winner of each pull is seen."""

from __future__ import annotations

from heats.base.arrays import Array, Indices
from heats.engine.feedback import Kind
from heats.engine.statistics import share_of_wins, winner_shares
from heats.environments.protocol import Environment, Rng, check_world
from heats.errors import InvalidArgument


class Winners(Environment):
    """Any world of rewards, of which only the winner of each pull is seen."""

    kind = Kind.WINNER

    def __init__(self, world: Environment) -> None:
        if check_world("world", world).kind is not Kind.REWARDS:
            kind = getattr(world.kind, "value", world.kind)
            raise InvalidArgument(f"only rewards can be reduced to their winner, not {kind} feedback.")
        self.world = world
        self.n_arms = world.n_arms
        self.best = world.best
        self.names = world.names
        self.n_rows = world.n_rows
        self.quality = world.quality

    def block(self, start: int, reps: int) -> Environment:
        """Return the winners of that block of the world."""
        return Winners(self.world.block(start, reps))

    def win_shares(self, heat_size: int) -> Array:
        """Return those of the world."""
        return self.world.win_shares(heat_size)

    def sample(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Return winner shares."""
        return winner_shares(self.world.sample(heats, pulls, rng))

    def sample_mean(self, heats: Indices, pulls: int, rng: Rng) -> Array:
        """Return win rates."""
        return share_of_wins(self.world.sample(heats, pulls, rng))
