"""What the kernel of Linux does for us; elsewhere, and where it is not allowed, these do nothing and say so.

A *subreaper* is given the orphans below it, daemons included. A *PID namespace* goes further: when its first process
ends, for whatever reason, the kernel kills all others in it; and these see and reach nothing outside of it.
"""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
CLONE_NEWNS, CLONE_NEWPID = 0x00020000, 0x20000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_SLAVE = 2, 4, 8, 1 << 14, 1 << 19

LAST_PID = "/proc/sys/kernel/ns_last_pid"
RESERVED_PIDS = 300  # which the kernel leaves out when it begins again

_LIBC = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def adopt_orphans() -> None:
    """Become a subreaper: whatever the processes below us leave behind becomes our child."""
    if _LIBC is not None:
        _LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(number: int) -> None:
    """Have the kernel send us a signal when our parent has died."""
    if _LIBC is not None:
        _LIBC.prctl(PR_SET_PDEATHSIG, number)


def prepare_namespace() -> bool:
    """Have our next child be the first process of a PID namespace; False if that is not to be had.

    It takes the right, as a rule of root, to mount a /proc, which is tried out here, and to choose PIDs, see below.
    """
    return (
        _LIBC is not None
        and os.access(LAST_PID, os.W_OK)
        and _LIBC.unshare(CLONE_NEWNS) == 0
        and _LIBC.mount(b"none", b"/", None, MS_REC | MS_SLAVE, None) == 0  # what we mount is for us alone
        and _mount_proc()
        and _LIBC.unshare(CLONE_NEWPID) == 0
    )


def enter_namespace() -> None:
    """Do what the first process of a namespace has to do first: see its own /proc, and choose PIDs.

    They begin anywhere: programs of two namespaces that name files in a common folder by their PID would otherwise use
    the same names.
    """
    if not _mount_proc():
        raise OSError(ctypes.get_errno(), "a /proc of its own was refused to the guardian")
    with suppress(OSError), open(LAST_PID, "w") as file:  # noqa: PTH123
        file.write(str(RESERVED_PIDS + int.from_bytes(os.urandom(8), "big") % (_get_largest_pid() - RESERVED_PIDS)))


def _mount_proc() -> bool:
    assert _LIBC is not None
    return bool(_LIBC.mount(b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, None) == 0)


def _get_largest_pid() -> int:
    with open("/proc/sys/kernel/pid_max") as file:  # noqa: PTH123
        return int(file.read()) - 1
