"""Amounts as people write them → numbers: "10s" and "500 ms" are seconds, "2 GB" is bytes, "5%" is a share."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from heats.base.checks import refuse

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


def parse_share(name: str, value: object) -> float:
    """Return "5%" or 0.05 as a share of one, neither none nor all of it."""
    share = math.nan
    if isinstance(value, str) and value.strip().endswith("%"):
        share = _split_amount(value.strip()[:-1])[0] / 100
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        share = float(value) if abs(value) < 1 else math.nan
    return _check_amount(name, value, share, math.nextafter(1, 0), 'a share above 0% and below 100%, such as "5%"')


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
    raise refuse(name, value, f"must be {expected}{limit}")
