"""Amounts as people write them → numbers: "10s" and "500 ms" are seconds, "2 GB" is bytes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from heats.errors import InvalidArgument

SECONDS = {"ms": 1e-3, "s": 1, "m": 60, "min": 60, "h": 3600}
BYTES = {"B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

MOST_SECONDS = 1e9  # some thirty years
MOST_BYTES = 1 << 60  # more than any machine has

_AMOUNT = re.compile(r"\s*([\d.]+(?:[eE][-+]?\d+)?)\s*([a-zA-Z]*)\s*", re.ASCII)


def parse_seconds(name: str, value: str | float) -> float:
    """Return "10s", "500 ms" or a bare number as seconds."""
    number, unit = _split_amount(value)
    seconds = _multiply(number, SECONDS, unit or "s")
    return _check_amount(name, value, seconds, MOST_SECONDS, 'a time above 0, such as "10s", "500ms", "2m" or "1h"')


def parse_bytes(name: str, value: str | float, most: int = MOST_BYTES) -> int:
    """Return "512 MB", "2GiB" or a bare number as bytes."""
    number, unit = _split_amount(value)
    size = _multiply(number, BYTES, unit[:1].upper() or "B")  # KB, KiB, MB, ...
    return int(_check_amount(name, value, size, most, 'a size of at least one byte, such as "512 MB" or "2 GB"', 1))


def _split_amount(value: str | float) -> tuple[float, str]:
    """Return the number and the unit; a number that is not one is NaN."""
    try:
        found = _AMOUNT.fullmatch(str(value))
        return (float(found[1]), found[2]) if found else (math.nan, "")
    except ValueError:  # "1.2.3", or a whole number of thousands of digits
        return math.nan, ""


def _multiply(number: float, units: Mapping[str, float], unit: str) -> float:
    return number * units[unit] if unit in units else math.nan


def _check_amount(
    name: str, value: object, amount: float, most: float, expected: str, least: float = math.ulp(0)
) -> float:
    if least <= amount <= most:
        return amount
    limit = f", and at most {most:.4g}" if amount > most else ""
    raise InvalidArgument(f"{{{name}}} must be {expected}{limit}.", **{name: value})
