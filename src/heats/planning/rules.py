"""How many arms of a heat stay: the function f of Algorithm 1.

The paper's Appendix D swaps the f of CSWS and CSR; Section 4.1, followed here, has them right.
"""

from __future__ import annotations

from collections.abc import Callable

from heats.base.checks import refuse, whole
from heats.base.text import describe_error, make_printable
from heats.errors import HeatsError, InvalidArgument

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
PLANNED = "planned"  # the strategy that is no rule: it chooses for every round


def is_planned(strategy: object) -> bool:
    """Whether a strategy is the one that chooses how many stay in every round."""
    return isinstance(strategy, str) and strategy.lower() == PLANNED


def find_rule(strategy: str | Rule) -> tuple[str, Rule]:
    """Return the name and the checked rule of a strategy given by name or as a function."""
    named = f"{PLANNED}, {', '.join(RULES)}"
    if isinstance(strategy, str):
        if strategy.lower() not in RULES:
            why = (
                f"is unknown; choose one of {named}, or give a function f(size) that says how many arms of a heat stay"
            )
            raise refuse("strategy", strategy, why)
        return strategy.lower(), RULES[strategy.lower()]
    if not callable(strategy):
        raise refuse("strategy", strategy, f"must be {named} or a function f(size)")
    return _name_rule(strategy), _check_results(strategy)


def _name_rule(rule: Rule) -> str:
    """Return the name of a function, which is never that of a strategy of ours."""
    name = getattr(rule, "__name__", None)
    name = make_printable(name) if isinstance(name, str) and name else "custom"
    return f"custom {name}" if name.lower() in (PLANNED, *RULES) else name


def _check_results(rule: Rule) -> Rule:
    """Return the rule with its results checked, and its errors turned into ours."""

    def keep(size: int) -> int:
        try:
            kept = rule(size)
        except HeatsError:
            raise
        except Exception as error:
            what = f"{{strategy}} failed for a heat of {size} arms: {describe_error(error)}"
            raise InvalidArgument(f"{what}; it must say how many of them stay.", strategy=rule) from error
        why = "a heat keeps at least one arm and drops at least one"
        return whole(f"strategy({size})", kept, 1, size - 1, why)

    return keep
