"""``python -m heats`` is the command line."""

from heats.cli import main

main()
