"""What is no executor → refused, with what would be one, before anything is handed out."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

from heats.errors import InvalidArgument

MOST_THREADS = 1000  # that a number is taken to mean


def check_executor(executor: Any) -> None:
    """Refuse what pulls cannot be handed to; None is this thread."""
    if executor is None:
        return
    submit = None if isinstance(executor, type) else getattr(executor, "submit", None)
    if not callable(submit):
        raise InvalidArgument(
            f"{{executor}} must be an executor, such as {_suggest(executor)}, or None.", executor=executor
        )
    if inspect.iscoroutinefunction(submit):
        raise InvalidArgument(
            "{executor} hands work out by awaiting; compare with an async def in heats.find_best_async instead.",
            executor=executor,
        )
    try:
        inspect.signature(submit).bind(print)
    except TypeError as error:
        raise InvalidArgument(
            f"{{executor}} cannot be handed a function alone ({error}); use an executor such as ThreadPoolExecutor(4).",
            executor=executor,
        ) from None
    except ValueError:  # it does not say what it takes
        pass


def _suggest(executor: Any) -> str:
    """Name the executor that is meant."""
    if isinstance(executor, ModuleType) and executor.__name__ in ("ray", "submitit"):
        return f"heats.executors.{executor.__name__}({'' if executor.__name__ == 'ray' else '...'})"
    if type(executor).__module__.startswith("multiprocessing"):
        return "concurrent.futures.ProcessPoolExecutor(4)"
    if isinstance(executor, int) and not isinstance(executor, bool) and 0 < executor <= MOST_THREADS:
        return f"ThreadPoolExecutor({executor})"
    return "ThreadPoolExecutor(4)"
