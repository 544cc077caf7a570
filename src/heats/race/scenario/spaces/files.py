"""A file that describes a space → the space: .json as ConfigSpace writes it, .pcs, or a parameter file of irace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from heats.base.files import read_text_file
from heats.errors import BrokenFile
from heats.race.scenario.spaces.configspace import parse_configspace
from heats.race.scenario.spaces.irace import is_irace, parse_irace
from heats.race.scenario.spaces.pcs import parse_pcs
from heats.race.scenario.spaces.space import Space

MOST_SPACE_BYTES = 16 << 20


def load_space(path: Path) -> Space:
    """Read a .json file as ConfigSpace writes it; any other is known by its lines, whatever it is called."""
    text = read_text_file(path, MOST_SPACE_BYTES, "the space file {path} cannot be read: {reason}.")
    space = _choose_parser(path, text)(path, text)
    names = [each.name for each in space.parameters]
    unknown = [name for name, _ in space.conditions if name not in names]
    if unknown or not names:
        raise BrokenFile(f"{path} " + (f"has a condition on unknown {unknown[0]}." if names else "has no parameters."))
    return space


def _choose_parser(path: Path, text: str) -> Callable[[Path, str], Space]:
    if path.suffix == ".json":
        return parse_configspace
    return parse_irace if is_irace(text) else parse_pcs
