"""Many repetitions of any machine in a world, and on recorded tables.

simulate    a plan or a machine + a world → how often which arm wins
replay      the same on a recorded table, with what that costs
comparison  all strategies on a recorded table, with several budgets
"""

from heats.simulation.simulate import Simulation, simulate

__all__ = ["Simulation", "simulate"]
