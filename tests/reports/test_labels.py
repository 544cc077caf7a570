"""Labels: short and different; no parameter is cut off, which have columns of their own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from heats.reports.labels import Roster, make_labels


@given(st.lists(st.text("ab 1=#", max_size=12), min_size=1, max_size=8), st.integers(4, 12))
def test_labels_are_short_and_different(names: list[str], letters: int) -> None:
    """Each is the name, words of it, its beginning and perhaps its end, or the number of its candidate."""
    labels = make_labels(names, letters)
    assert len(set(labels)) == len(names)
    for arm, (label, name) in enumerate(zip(labels, names, strict=True)):
        assert len(label) <= letters
        is_told = label in (name, f"#{arm}") or set(label.split()) <= set(name.split())
        head, _, tail = label.partition("…")
        assert is_told or ("=" not in name and name.startswith(head) and name.endswith(tail))


def test_names_that_fit_stay_and_common_words_go() -> None:
    """What differs says more than a number; a text is cut where that tells it from the others, no matter at which end."""
    assert make_labels(["tea", "coffee"], 6) == ("tea", "coffee")
    assert make_labels(["depth=3 loss=log", "depth=4 loss=log"], 8) == ("depth=3", "depth=4")
    assert make_labels(["tea", "coffee with milk"], 8) == ("tea", "coffee…")
    assert make_labels(["coffee with milk", "coffee without"], 8) == ("cof…milk", "cof…hout")
    assert make_labels(["coffee with warm milk", "coffee with cold milk", "tea"], 8) == ("#0", "#1", "#2")
    assert make_labels(["a=1 b=22222222", "a=2 b=33333333"], 8) == ("#0", "#1")
    assert make_labels(["two\nlines", "\x1b[31m"], 20) == ("two\\nlines", "\\x1b[31m")


def test_parameters_that_differ_have_columns() -> None:
    """In the order of the names; not where the labels say them already."""
    names = ["rho=0.5 alpha=1.1 mode=fast", "rho=0.6 alpha=1.2 mode=fast"]
    values = [{"alpha": 1.1, "mode": "fast", "rho": 0.5}, {"alpha": 1.2, "mode": "fast", "rho": 0.6}]
    roster = Roster(names, values, 10)
    assert roster.labels == ("#0", "#1")
    assert roster.titles == ("rho", "alpha")
    assert [roster.cells(arm) for arm in (0, 1)] == [("0.5", "1.1"), ("0.6", "1.2")]
    assert Roster(names, values, 40).titles == ()
    assert Roster(["x", "y"], [{"a": 1}, None], 10).cells(1) == ("",)
    assert Roster(["x", "y"], (), 10).titles == ()


def test_texts_are_what_tables_and_sentences_say() -> None:
    """Names, with a number where drawings have nothing else; labels, where parameters stand beside them."""
    assert Roster(["tea", "coffee with milk"], (), 8).texts == ("tea", "coffee with milk")
    assert Roster(["coffee with warm milk", "coffee with cold milk", "tea"], (), 8).texts[:2] == (
        "#0 coffee with warm milk",
        "#1 coffee with cold milk",
    )
    assert Roster(["x" * 200, "tea"], (), 8).texts[0] == "x" * 119 + "…"
    assert Roster(["a=1 b=22222222", "a=2 b=33333333"], [{"a": 1, "b": 2}, {"a": 2, "b": 3}], 8).texts == ("#0", "#1")
