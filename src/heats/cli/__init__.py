"""The command line."""

from heats.cli.app import app, main, run

__all__ = ["app", "main", "run"]
