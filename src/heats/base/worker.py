"""Who does the work: a thread of a process of a machine."""

from __future__ import annotations

import os
import platform
import threading


def name_this_worker() -> str:
    """Return which process of which machine this is, and which of its threads, unless it is the main one."""
    process = f"{platform.node()}:{os.getpid()}"
    thread = threading.current_thread()
    return process if thread is threading.main_thread() else f"{process}:{thread.name}"
