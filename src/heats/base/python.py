"""Another Python like this one: the options it is started with, and where it imports from."""

from __future__ import annotations

import os
import sys
from pathlib import Path

FLAGS = {"isolated": "-I", "ignore_environment": "-E", "no_user_site": "-s", "no_site": "-S"}


def list_options() -> list[str]:
    """Return the options of this Python that say where it imports from; ``-P``: not from the folder of a program."""
    return ["-P", *(option for flag, option in FLAGS.items() if getattr(sys.flags, flag))]


def list_folders() -> list[str]:
    """Return where this Python imports from, as it is and in its order; an empty entry is the current folder."""
    return [folder for folder in sys.path if isinstance(folder, str)]


def list_fixed_folders() -> list[str]:
    """Return where this Python imports from, without the current folder and what depends on it."""
    here = Path(os.path.realpath(os.curdir))
    return [each for each in list_folders() if Path(each).is_absolute() and Path(os.path.realpath(each)) != here]
