"""How many arms of a heat stay: the function f of Algorithm 1.

The paper's Appendix D swaps the f of CSWS and CSR; Section 4.1, followed here, has them right.
"""

from __future__ import annotations

from collections.abc import Callable

from heats.base.checks import whole
from heats.errors import InvalidArgument

Rule = Callable[[int], int]


def winner_stays(size: int) -> int:
    """CSWS, the most aggressive: only the best arm of a heat stays."""
    return 1


def reject_one(size: int) -> int:
    """CSR, the most patient: only the worst arm of a heat leaves."""
    return size - 1


def halve(size: int) -> int:
    """CSH, between the two: the better half of a heat stays, the larger half if odd."""
    return -(-size // 2)


RULES: dict[str, Rule] = {"csws": winner_stays, "csr": reject_one, "csh": halve}


def find_rule(strategy: str | Rule) -> tuple[str, Rule]:
    """Return the name and the checked rule of a strategy given by name or as a function."""
    if isinstance(strategy, str):
        strategy = strategy.lower()
        if strategy not in RULES:
            raise InvalidArgument(
                f"strategy={strategy!r} is unknown; choose one of planned, {', '.join(RULES)}, "
                "or give a function f(size) that says how many arms of a heat stay."
            )
        return strategy, RULES[strategy]
    if not callable(strategy):
        raise InvalidArgument(f"strategy={strategy!r} must be planned, {', '.join(RULES)} or a function f(size).")
    name = getattr(strategy, "__name__", "custom")
    return f"custom {name}" if name in RULES else name, _checked(strategy)


def _checked(rule: Rule) -> Rule:
    def keep(size: int) -> int:
        why = "a heat keeps at least one arm and drops at least one"
        return whole(f"strategy({size})", rule(size), 1, size - 1, why)

    return keep
