"""The file that is run: a watcher and its guardian, without the packages around them.

To import those means to load heats and NumPy, which takes longer than many a heat.
"""

import sys
from os.path import abspath, dirname
from types import ModuleType


def pretend_packages() -> None:
    """Have ``heats.race.processes`` be a package of which only the modules asked for are loaded."""
    folder = dirname(abspath(__file__))  # noqa: PTH100, PTH120  # pathlib is slow to import
    for name in ("heats.race.processes", "heats.race", "heats"):
        package = ModuleType(name)
        package.__path__ = [folder]
        sys.modules[name] = package
        folder = dirname(folder)  # noqa: PTH120


if __name__ == "__main__":
    pretend_packages()

    from heats.race.processes.watcher import main

    main()
