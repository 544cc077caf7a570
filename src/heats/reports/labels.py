"""What candidates are called: a label in a drawing or a line, a text in tables and sentences; parameters in columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from heats.base.naming import find_title, is_said, tabulate_parameters
from heats.base.text import make_printable

LONGEST_TEXT = 120  # letters of a name in a table or a sentence


def make_labels(names: Sequence[str], letters: int) -> tuple[str, ...]:
    """Return different labels: the names, or what differs in them; long ones cut, or their numbers.

    A name that says parameters is not cut, which would leave out some of them: it has its number.
    """
    printable = tuple(map(make_printable, names))
    for said in (printable, _drop_common_words(printable)):
        if len(set(said)) == len(said) and max(map(len, said)) <= letters:
            return said
    numbers = tuple(f"#{arm}" for arm in range(len(names)))
    cut = [
        number if "=" in name and len(name) > letters else cut_text(name, letters)
        for number, name in zip(numbers, printable, strict=True)
    ]
    counts = Counter(cut)  # of those that begin alike, the ends are shown, too
    cut = [
        label if counts[label] == 1 else cut_text(name, letters, letters // 2)
        for label, name in zip(cut, printable, strict=True)
    ]
    return tuple(cut) if len(set(cut)) == len(cut) else numbers


def cut_text(text: str, letters: int, tail: int = 0) -> str:
    """Return a text of at most so many letters: of a longer one its beginning, and ``tail`` letters of its end."""
    if len(text) <= letters:
        return text
    return f"{text[: letters - 1 - tail].rstrip()}…{text[len(text) - tail :].lstrip()}"


def _drop_common_words(names: Sequence[str]) -> tuple[str, ...]:
    """Leave out the words that all names have in the same place."""
    words = [name.split() for name in names]
    if len(set(map(len, words))) > 1:
        return tuple(names)
    common = [len(set(column)) == 1 for column in zip(*words, strict=True)]
    return tuple(" ".join(word for word, same in zip(each, common, strict=True) if not same) for each in words)


class Roster:
    """The candidates of a page: names, labels for drawings, and under ``titles`` the parameters in which they differ.

    ``texts`` is what tables and sentences call them: labels beside the parameters, else names.
    """

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
        self.texts = self.labels if columns else tuple(map(self._say, range(len(names))))

    def is_numbered(self, arm: int) -> bool:
        """Whether its label is the number of a candidate."""
        return self.labels[arm] == f"#{arm}" != self.names[arm]

    def _say(self, arm: int) -> str:
        text = cut_text(self.names[arm], LONGEST_TEXT)
        return f"{self.labels[arm]} {text}" if self.is_numbered(arm) else text

    def cells(self, arm: int) -> tuple[str, ...]:
        """Return what a candidate has under the titles."""
        return tuple(make_printable(texts[arm] or "") for texts in self._columns)


def _are_said(title: str, texts: Sequence[str | None], labels: Sequence[str]) -> bool:
    """Whether the labels say the values of a parameter already."""
    return all(
        text is None or text == label or is_said(title, text, label) for text, label in zip(texts, labels, strict=True)
    )
