"""The text a judge is asked."""

from __future__ import annotations

import pytest

import heats
from heats.judging import show_outputs


def test_outputs_are_called_by_letters_in_the_order_given() -> None:
    """With the row they are about, the question, and how to answer."""
    text = show_outputs(["one", "two", "three"], {"q": 7}, "Which is funniest?")
    assert text.startswith("Which is funniest?")
    assert '"q": 7' in text
    assert [
        text.index(f"<{letter}>\n{word}\n") for letter, word in zip("ABC", ["one", "two", "three"], strict=True)
    ] == sorted(text.index(word) - 4 for word in ["one", "two", "three"])
    assert text.endswith("Answer with one letter only: A, B or C.")


def test_the_text_asks_for_what_is_parsed() -> None:
    """A ranking is asked for with an example, a tie only where it may be said."""
    assert text_ends("separated by >, as in C > B > A.", ranking=True)
    assert text_ends("A, B or C, or TIE if none is better than the others.", ties=True)


def text_ends(end: str, **options: bool) -> bool:
    return show_outputs(["x", "y", "z"], **options).endswith(end)


@pytest.mark.parametrize("row", ["plain", {"a": [1, {}]}, object(), b"\xff", float("nan"), None])
def test_any_row_can_be_shown(row: object) -> None:
    """As text, as JSON, or by what it says of itself."""
    assert "<A>" in show_outputs(["x", "y"], row)


def test_no_more_are_shown_than_there_are_letters() -> None:
    """It is said what to change."""
    with pytest.raises(heats.errors.InvalidArgument, match="heat_size=27"):
        show_outputs(["x"] * 27)
