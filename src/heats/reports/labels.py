"""Who takes part, where there is little room: a label for a drawing or a line, and columns for the parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from heats.base.naming import find_title, is_said, tabulate_parameters
from heats.base.text import make_printable


def make_labels(names: Sequence[str], letters: int) -> tuple[str, ...]:
    """Return different labels: the names, or what differs in them; in place of one that is too long, its number."""
    printable = tuple(map(make_printable, names))
    for said in (printable, _drop_common_words(printable)):
        if len(set(said)) == len(said) and max(map(len, said)) <= letters:
            return said
    mixed = tuple(name if len(name) <= letters else f"#{arm}" for arm, name in enumerate(printable))
    return mixed if len(set(mixed)) == len(mixed) else tuple(f"#{arm}" for arm in range(len(names)))


def _drop_common_words(names: Sequence[str]) -> tuple[str, ...]:
    """Leave out the words that all names have in the same place."""
    words = [name.split() for name in names]
    if len(set(map(len, words))) > 1:
        return tuple(names)
    common = [len(set(column)) == 1 for column in zip(*words, strict=True)]
    return tuple(" ".join(word for word, same in zip(each, common, strict=True) if not same) for each in words)


class Roster:
    """The candidates of a page: names, labels, and under ``titles`` the parameters in which they differ."""

    def __init__(self, names: Sequence[str], values: Sequence[Any], letters: int) -> None:
        self.names = tuple(map(make_printable, names))
        self.labels = make_labels(names, letters)
        table = tabulate_parameters([each if isinstance(each, dict) else {} for each in values])
        told: dict[tuple[str | None, ...], str] = {}  # two columns that say the same are one
        for title, texts in zip(table.titles, zip(*table.rows, strict=True), strict=True):
            if len(set(texts)) > 1 and not _are_said(title, texts, self.labels):
                told.setdefault(texts, title)
        columns = [(title, texts) for texts, title in told.items()]
        columns.sort(key=lambda column: find_title(column[0], self.names[0]))
        self.titles = tuple(make_printable(title) for title, _ in columns)
        self._columns = [texts for _, texts in columns]

    def cells(self, arm: int) -> tuple[str, ...]:
        """Return what a candidate has under the titles."""
        return tuple(make_printable(texts[arm] or "") for texts in self._columns)


def _are_said(title: str, texts: Sequence[str | None], labels: Sequence[str]) -> bool:
    """Whether the labels say the values of a parameter already."""
    return all(
        text is None or text == label or is_said(title, text, label) for text, label in zip(texts, labels, strict=True)
    )
