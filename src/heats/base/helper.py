"""The file that a helper process runs: ``helper.py FOLDERS``; jobs come in, and what they return goes out.

It is started by path and isolated, and imports the packages that jobs are of from their files: nothing is looked for in
the current folder. It ends with whoever started it, however that ends.
"""

from __future__ import annotations

import importlib.util
import json
import os
import pickle
import signal
import sys
import threading
import traceback
from queue import SimpleQueue
from typing import Any, BinaryIO


def main(folders: str) -> None:
    """Do jobs until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business
    jobs, results = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what a job prints is no result
    sys.path[:] = json.loads(folders)
    came: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=receive, args=(jobs, came), daemon=True).start()
    while True:
        pickle.dump(do(came.get()), results)
        results.flush()


def receive(jobs: BinaryIO, came: SimpleQueue[bytes]) -> None:
    """Take in jobs while others are done; end the process as soon as nobody can send any more."""
    try:
        while True:
            came.put(pickle.load(jobs))
    finally:
        os._exit(0)


def do(message: bytes) -> bytes:
    """Return, pickled, that a job was done and what it returned, or the error."""
    try:
        packages, job = pickle.loads(message)
        for name in packages.keys() - sys.modules.keys():
            load_package(name, packages[name])
        function, arguments, options = pickle.loads(job)
        return pickle.dumps((True, function(*arguments, **options)))
    except Exception as error:
        return pickle_error(error)


def load_package(name: str, file: str) -> None:
    """Import a package from its file, wherever the path leads."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


def pickle_error(error: Exception) -> bytes:
    """Return an error as it is if it can travel, else as text."""
    error.add_note(f"In a helper process:\n{traceback.format_exc()}")
    try:
        pickle.loads(pickled := pickle.dumps((False, error)))
        return pickled
    except Exception:
        said: Any = RuntimeError(traceback.format_exc())
        return pickle.dumps((False, said))


if __name__ == "__main__":
    main(*sys.argv[1:])
