"""Engines that people run on → executors that pulls are handed to.

checks       what is no executor → refused, with what would be one
polling      futures that cannot call back → futures that do
on_dask      an address → the executor of a Dask cluster
on_ray       Ray, on this machine or a cluster → an executor
on_submitit  an executor of submitit → one whose jobs make several pulls each
pools        any executor, as the driver needs it: how many workers it has, and what to do when they die
"""

from heats.executors.on_dask import dask as dask
from heats.executors.on_ray import ray as ray
from heats.executors.on_submitit import submitit as submitit

__all__ = ["dask", "ray", "submitit"]
