"""The version of heats, which every result carries."""

__version__ = "0.1.0"
