"""The parser takes what was asked for, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import heats
from heats.judging.parse import LONGEST_ANSWER, Verdict, parse_answer
from heats.judging.show import LETTERS


@pytest.mark.parametrize("answer", ["B", "b", " B\n", "B.", "(B)", "**B**", '"B"', "[B]:", "`B`", "<B>", "<b>."])
def test_one_letter_is_a_verdict(answer: str) -> None:
    """With whatever people and models put around a letter."""
    assert parse_answer(answer, 3) == Verdict((1,))


@pytest.mark.parametrize(
    "answer",
    [
        *("", "  \n", "A B", "AB", "A or B", "D", "Z", "1", "A!", "The best is A", "Answer: A", "TIE", "tie"),
        *("А", "Ａ", "ß", "答案是 A", "La première", "הראשונה", "\x1b[31mA\x1b[0m", "A\x00", "A\ud800", "A " * 500_000),
        *("A" * 1_000_000, "A > B > C", "AA", "none", "İ", "ı", "<A", "A>", "<<A>>", "</A>", "<A><B>"),
    ],
)
def test_anything_else_is_no_verdict(answer: str) -> None:
    """Other languages, letters that look alike, letters out of range, two letters, a megabyte, terminal codes: never a tie."""
    said = parse_answer(answer, 3)
    assert isinstance(said, heats.NoVerdict)
    assert said.why.isprintable()
    assert 0 < len(said.why) < LONGEST_ANSWER


def test_a_tie_is_said_where_it_may_be() -> None:
    """In words, and only if the judge was told so."""
    assert parse_answer("Tie.", 3, ties=True) == Verdict((), tied=True)
    assert isinstance(parse_answer("Tie.", 3), heats.NoVerdict)


@given(order=st.permutations(range(7)), size=st.integers(2, 7), between=st.sampled_from([" > ", ">", ", ", "\n", " "]))
def test_a_ranking_names_every_letter_once(order: list[int], size: int, between: str) -> None:
    """Best first, however it is written; one that leaves a letter out, or has one twice, is none."""
    places = [place for place in order if place < size]
    letters = [LETTERS[place] for place in places]
    assert parse_answer(between.join(letters), size, ranking=True) == Verdict(tuple(places))
    tags = [f"<{letter}>" for letter in letters]
    assert parse_answer(between.join(tags), size, ranking=True) == Verdict(tuple(places))
    assert isinstance(parse_answer(between.join(letters[1:]), size, ranking=True), heats.NoVerdict)
    assert isinstance(parse_answer(between.join([*letters, letters[0]]), size, ranking=True), heats.NoVerdict)


@given(answer=st.text(), size=st.integers(2, 26), ranking=st.booleans(), ties=st.booleans())
def test_no_answer_breaks_the_parser(answer: str, size: int, ranking: bool, ties: bool) -> None:
    """It is a verdict on what was shown, or none, whatever somebody writes."""
    said = parse_answer(answer, size, ranking=ranking, ties=ties)
    if isinstance(said, Verdict):
        assert said.tied or (set(said.best) <= set(range(size)) and len(said.best) == (size if ranking else 1))
    else:
        assert said.why
