"""Every error heats raises on purpose; each names the value, the reason and the way out."""


class HeatsError(Exception):
    """Base of all errors raised by heats."""


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


class OutOfTurn(HeatsError):
    """A pull that is not owed now: told differently before, of another round, or unknown."""


class ComparisonFailed(HeatsError):
    """The user's ``compare`` raised; the original error is the cause."""


class BrokenFile(InvalidArgument):
    """A file that is not what its name or its header promises; the message has file and line."""


class JournalLocked(InvalidArgument):
    """Another run is writing to the same journal; the message has its process."""


class JournalFailed(HeatsError):
    """A journal could not be written (the disk is full, say); what was told before is in it."""
