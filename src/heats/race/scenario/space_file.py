"""A file that describes a space → the space: .json as ConfigSpace writes it, or .pcs."""

from __future__ import annotations

from pathlib import Path

from heats.base.files import read_text_file
from heats.errors import BrokenFile
from heats.race.scenario.configspace import parse_configspace
from heats.race.scenario.pcs import parse_pcs
from heats.race.scenario.space import Space

MOST_SPACE_BYTES = 16 << 20


def load_space(path: Path) -> Space:
    """Read a .json file as ConfigSpace writes it, or a .pcs file."""
    text = read_text_file(path, MOST_SPACE_BYTES, "the space file {path} cannot be read: {reason}.")
    space = parse_configspace(path, text) if path.suffix == ".json" else parse_pcs(path, text)
    names = [each.name for each in space.parameters]
    unknown = [name for name, _ in space.conditions if name not in names]
    if unknown or not names:
        raise BrokenFile(f"{path} " + (f"has a condition on unknown {unknown[0]}." if names else "has no parameters."))
    return space
