"""Helper processes: they do jobs of heats itself, and import nothing from the current folder.

A pool of the standard library starts its processes with ``python -c``, which looks into the current folder first: a
file there that is called like a module would be run. A helper is started isolated, by the path of a file.
"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from heats.base import helper
from heats.base.python import list_fixed_folders

P = ParamSpec("P")
T = TypeVar("T")


class HelperPool(Executor):
    """Up to so many helper processes, each begun with the first job it gets; one that dies makes room for another.

    Jobs are functions of packages, or partials of such. What breaks off raises ``BrokenExecutor``.
    """

    def __init__(self, helpers: int) -> None:
        self._threads = ThreadPoolExecutor(helpers, "heats, helper")
        self._mine = threading.local()  # the helper of each thread
        self._guard = threading.Lock()
        self._helpers: set[Helper] = set()
        self._is_ended = False

    def submit(self, job: Callable[P, T], /, *arguments: P.args, **options: P.kwargs) -> Future[T]:
        """Have a job done by a helper that is free, as soon as there is one."""
        return self._threads.submit(self._do, job, arguments, options)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Finish what is under way, and what waits unless it is cancelled; then no helper is left."""
        self._threads.shutdown(wait=True, cancel_futures=cancel_futures)
        self.end()

    def end(self) -> None:
        """End all helpers at once: jobs under way break off, and those that wait are not begun."""
        with self._guard:
            self._is_ended = True
            helpers, self._helpers = self._helpers, set()
        for each in helpers:
            each.end()

    def _do(self, job: Callable[..., T], arguments: Any, options: Any) -> T:
        mine: Helper = getattr(self._mine, "helper", None) or self._begin()
        try:
            result: T = mine.do(job, arguments, options)
        except BrokenExecutor:
            self._mine.helper = None
            with self._guard:
                self._helpers.discard(mine)
            mine.end()
            raise
        return result

    def _begin(self) -> Helper:
        with self._guard:
            if self._is_ended:
                raise BrokenExecutor("the helpers were ended.")
            self._mine.helper = begun = Helper()
            self._helpers.add(begun)
        return begun


class Helper:
    """One helper process, used by one thread."""

    def __init__(self) -> None:
        command = [sys.executable, "-I", helper.__file__, json.dumps(list_fixed_folders())]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def do(self, job: Callable[..., Any], arguments: Any, options: Any) -> Any:
        """Return what a job returns there, or raise what it raises."""
        packages = find_packages((job, *arguments, *options.values()))
        message = pickle.dumps((packages, pickle.dumps((job, arguments, options))))
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            pickle.dump(message, self._process.stdin)
            self._process.stdin.flush()
            answer = pickle.load(self._process.stdout)
        except (OSError, EOFError, ValueError, pickle.UnpicklingError) as error:
            raise BrokenExecutor("a helper process ended in the middle of a job.") from error
        is_done, result = pickle.loads(answer)
        if not is_done:
            raise result
        return result

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError, ValueError):  # the rest of a job that nobody takes
                assert pipe is not None
                pipe.close()


def find_packages(things: Iterable[Any]) -> dict[str, str]:
    """Return the packages that the functions among these things are of, and their files."""
    found = {}
    for each in things:
        function = each.func if isinstance(each, partial) else each
        name = function.__module__.partition(".")[0] if isinstance(function, FunctionType) else ""
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None:
            found[name] = file
    return found
