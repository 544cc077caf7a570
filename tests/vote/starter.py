"""Starts servers of polls fast: all is loaded once, and every server is a fork. A line read is a folder and arguments."""

from __future__ import annotations

import json
import os
import sys

import heats.vote.desk.office
import heats.vote.site.server
from heats.cli.app import run


def main() -> None:
    """Start one server after the other, and say when each of them is gone."""
    heats.vote.site.server.warm_up()
    for line in sys.stdin:
        folder, arguments = json.loads(line)
        child = os.fork()
        if not child:
            os.chdir(folder)
            print(os.getpid())
            os._exit(run(arguments))
        os.waitpid(child, 0)
        print("gone")


if __name__ == "__main__":
    main()
