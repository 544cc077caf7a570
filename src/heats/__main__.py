"""``python -m heats`` is the command line."""

from heats.cli.app import main

main()
