"""Every error heats raises on purpose, by blame; each names the value, the reason and the way out.

An error knows the arguments it speaks of: ``InvalidArgument("{budget} is not enough; allow {blind}", budget=3,
blind=True)`` reads "budget=3 is not enough; allow blind=True" in Python, and the command line spells the same arguments
as options.
"""

from __future__ import annotations

import re
from collections.abc import Callable

LONGEST_VALUE = 200  # characters


class HeatsError(Exception):
    """Base of all errors raised by heats. ``argument`` is the one it is about, ``arguments`` all it speaks of."""

    def __init__(self, message: str = "", /, **arguments: object) -> None:
        self.message = message
        self.arguments = arguments
        super().__init__(self.spell(self.spell_argument))

    @property
    def argument(self) -> str | None:
        """The argument that is to blame, if there is one."""
        return next(iter(self.arguments), None)

    @staticmethod
    def spell_argument(name: str, value: object) -> str:
        """Return an argument as Python spells it."""
        return f"{name}={show_value(value)}"

    def spell(self, how: Callable[[str, object], str]) -> str:
        """Return the message with every argument as ``how(name, value)`` spells it."""

        def spelled(found: re.Match[str]) -> str:
            return how(found[1], self.arguments[found[1]]) if found[1] in self.arguments else found[0]

        return re.sub(r"\{(\w+)\}", spelled, self.message)


def show_value(value: object) -> str:
    """Return the repr of somebody else's object on one line, whatever it does when asked, as text any file takes."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # it is described in the words of an error: that must not become another one
        text = f"<a {type(value).__name__} whose repr fails>"
    text = text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"
    return text.encode(errors="backslashreplace").decode()


class InvalidArgument(HeatsError, ValueError):
    """A number, name or function handed to heats is outside what it can mean."""


class BudgetTooSmall(InvalidArgument):
    """Some heat would be judged without a single pull."""


class PlanOverspends(InvalidArgument):
    """A schedule would cost more pulls than the budget."""


class InvalidPlan(InvalidArgument):
    """A plan whose rounds do not fit together."""


class BadFeedback(HeatsError, ValueError):
    """What was told cannot be the outcome of that pull."""

    @staticmethod
    def spell_argument(name: str, value: object) -> str:
        """Return an arm by its number, anything else as Python spells it."""
        return f"arm {value}" if name == "arm" else HeatsError.spell_argument(name, value)


class OutOfTurn(HeatsError):
    """A pull that is not owed now: told differently before, of another round, or unknown."""


class ComparisonFailed(HeatsError):
    """The user's ``compare`` raised; the original error is the cause."""


class BrokenFile(InvalidArgument):
    """A file that is not what its name or its header promises; the message has file and line."""


class JournalLocked(InvalidArgument):
    """Another run is writing to the same journal; the message has its process."""


class CacheFailed(HeatsError):
    """The answers that were kept could not be read (their file is locked or damaged, say)."""


class JournalFailed(HeatsError):
    """A journal could not be written (the disk is full, say); what was told before is in it."""
