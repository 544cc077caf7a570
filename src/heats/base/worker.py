"""Who does the work: a thread of a process of a machine; and whether a process still does."""

from __future__ import annotations

import os
import platform
import threading


def name_this_worker() -> str:
    """Return which process of which machine this is, and which of its threads, unless it is the main one."""
    process = f"{platform.node()}:{os.getpid()}"
    thread = threading.current_thread()
    return process if thread is threading.main_thread() else f"{process}:{thread.name}"


def is_running(process: int) -> bool:
    """Whether there is a process of this number on this machine, as far as can be known."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
