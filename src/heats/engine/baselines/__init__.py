"""What the paper compares with.

round_robin         all sets of arms in turn; the best mean wins
successive_halving  every arm alone; the better half stays
"""

from heats.engine.baselines.round_robin import RoundRobin, RoundRobinReport
from heats.engine.baselines.successive_halving import SuccessiveHalving

__all__ = ["RoundRobin", "RoundRobinReport", "SuccessiveHalving"]
