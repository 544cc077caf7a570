"""The game itself, pure: no I/O, clock, threads or global randomness; NumPy and msgspec only.

In the order of the data flow: ``rules`` (how many of a heat stay), ``schedule`` (rounds, and pulls per heat),
``plan`` (both, as checked data), ``feedback`` (what a pull says), ``statistics`` (pulls → scores),
``elimination`` (scores → who stays), ``fit`` (strengths from all pulls), ``machine`` (ask and tell),
``tournament`` (a plan, played), ``baselines`` (RoundRobin, SuccessiveHalving), ``report`` (what was found).
Beside the flow: ``chance`` (all randomness), ``sets`` (random sets of arms), ``confidence`` (intervals), ``checks``,
``table``.
"""
