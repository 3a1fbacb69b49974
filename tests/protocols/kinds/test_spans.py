"""Marked spans: code points, quotations, missing marks, links, several outputs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanner.errors import AnswerError
from lanner.model import Option, Spans
from lanner.protocols.answers import accept, check
from lanner.protocols.kinds.base import JudgedTexts
from lanner.protocols.kinds.spans import KIND

SEVERITIES = (Option(id="minor"), Option(id="major"))
TEXTS = JudgedTexts("그는 📚책을 주었다", ("He gave 📚 books, books",))
SPANS = Spans(id="q", severities=SEVERITIES, missing=True, link=True)


def code(value: list[Any], question: Spans = SPANS, texts: JudgedTexts | None = TEXTS) -> str:
    with pytest.raises(AnswerError) as caught:
        check(question, value, texts=texts)
    return caught.value.code


def test_offsets_count_code_points_and_the_text_is_filled_in() -> None:
    assert check(SPANS, [{"start": 8, "end": 9, "severity": "minor"}], texts=TEXTS) == [
        {"side": "target", "start": 8, "end": 9, "text": "📚", "severity": "minor"}
    ]


@given(text=st.text(min_size=1), data=st.data())
def test_any_stretch_of_any_text_can_be_marked(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    question = Spans(id="q")
    (stored,) = check(question, [{"start": start, "end": end, "text": text[start:end]}], texts=JudgedTexts("", (text,)))
    assert text[stored["start"] : stored["end"]] == stored["text"]
    assert check(question, [stored], texts=JudgedTexts("", (text,))) == [stored]


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ({"start": 0, "end": 99, "severity": "minor"}, "bad_offsets"),
        ({"start": 4, "end": 4, "severity": "minor"}, "bad_offsets"),
        ({"start": -1, "end": 4, "severity": "minor"}, "bad_offsets"),
        ({"start": 0, "end": 2, "text": "She", "severity": "minor"}, "text_mismatch"),
        ({"start": 0, "end": 2}, "no_severity"),
        ({"start": 0, "end": 2, "severity": "huge"}, "unknown"),
        ({"start": 0, "end": 2, "severity": "minor", "side": "source"}, "wrong_side"),
        ({"start": 0, "end": 2, "severity": "minor", "side": 7}, "wrong_side"),
        ({"start": "0", "end": 2, "severity": "minor"}, "shape"),
        ({"severity": "minor"}, "shape"),
        ({"text": "absent", "severity": "minor"}, "text_not_found"),
        ({"start": 0, "end": 2, "severity": "minor", "colour": "red"}, "unknown_field"),
        ({"start": 0, "end": 2, "severity": "minor", "link": {"start": 1}}, "shape"),
        ("He", "shape"),
    ],
)
def test_refused_with_a_code(span: Any, expected: str) -> None:
    assert code([span]) == expected


def test_a_span_that_quotes_its_words_is_looked_up_each_place_once() -> None:
    quoted = [{"text": "books", "severity": "minor"}, {"text": "books", "severity": "major"}]
    assert [span["start"] for span in check(SPANS, quoted, texts=TEXTS)] == [10, 17]


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("This is it", "is", 5),
        ("“This is”", "is", 6),
        ("Thisness", "is", 2),  # within a word where it stands nowhere else
        ("l'heure, heure", "heure", 2),
        ("cafe\u0301 cafe", "cafe", 6),
        ("我的书是你的。", "的", 1),  # a script without spaces has no such words
        ("아이가 이 책을", "이", 4),
    ],
)
def test_quoted_words_are_looked_up_as_words(text: str, quote: str, expected: int) -> None:
    (span,) = check(Spans(id="q"), [{"text": quote}], texts=JudgedTexts("", (text,)))
    assert (span["start"], span["end"]) == (expected, expected + len(quote))


@pytest.mark.parametrize("strict", [True, False])
def test_an_answer_that_quotes_words_with_several_places_is_flagged(strict: bool) -> None:
    def flags(*quotes: str, text: str) -> tuple[str, ...]:
        marks = [{"text": quote} for quote in quotes]
        return accept(Spans(id="q"), marks, texts=JudgedTexts("", (text,)), strict=strict).flags

    assert flags("is", text="it is as it is") == ("several_places",)
    assert flags("is", "is", text="it is as it is") == ("several_places",)  # which of the two is which
    assert flags("is", text="this is it") == ()
    assert flags("it", "is", text="it is") == ()
    placed = [{"start": 3, "end": 5, "text": "is"}]
    assert accept(Spans(id="q"), placed, texts=JudgedTexts("", ("it is as it is",)), strict=strict).flags == ()


def test_missing_marks_need_no_place_and_may_stand_on_the_source() -> None:
    marks = [
        {"missing": True, "severity": "major"},
        {"missing": True, "severity": "minor", "side": "source", "start": 3, "end": 4},
        {"missing": True, "severity": "minor", "side": "source", "text": "책을"},
        {"missing": True, "severity": "minor", "text": "to her"},
    ]
    stored = check(SPANS, marks, texts=TEXTS)
    assert [span.get("text") for span in stored] == [None, "📚", "책을", "to her"]
    assert all(span["missing"] for span in stored)
    assert code(marks[:1], Spans(id="q", severities=SEVERITIES)) == "missing_not_allowed"


@pytest.mark.parametrize("texts", [None, TEXTS])
def test_a_file_may_count_errors_without_saying_where_they_stand(texts: JudgedTexts | None) -> None:
    taken = accept(SPANS, [{"severity": "minor"}], texts=texts)
    assert taken.value == [{"side": "target", "severity": "minor"}] and taken.flags == ("no_place",)


def test_links_lead_to_another_place_where_the_question_has_them() -> None:
    link = {"segment": "4", "side": "target", "start": 0, "end": 3, "text": "Her"}
    span = {"start": 0, "end": 2, "severity": "minor", "link": {**link, "more": 1}}
    assert check(SPANS, [span], texts=TEXTS)[0]["link"] == link
    assert code([span], Spans(id="q", severities=SEVERITIES)) == "link_not_allowed"


def test_with_several_outputs_a_span_says_which() -> None:
    texts = JudgedTexts("", ("one", "two"))
    question = Spans(id="q")
    assert check(question, [{"start": 0, "end": 3, "output": 1}], texts=texts)[0]["text"] == "two"
    assert code([{"start": 0, "end": 3, "output": 2}], question, texts) == "shape"


def test_too_many_spans() -> None:
    assert code([{"start": 0, "end": 1}, {"start": 1, "end": 2}], Spans(id="q", max=1)) == "too_many"


def test_a_released_span_that_does_not_match_its_text_is_kept_and_flagged() -> None:
    taken = accept(SPANS, [{"start": 0, "end": 2, "text": "She", "severity": "Minor"}], texts=TEXTS)
    assert taken.flags == ("text_mismatch",)
    assert taken.repairs == 1
    assert taken.value[0]["text"] == "She"


def test_marks_combine_to_the_most_central_and_compare_by_characters() -> None:
    one, near, far = ([{"side": "target", "start": s, "end": e}] for s, e in ((0, 5), (0, 6), (20, 30)))
    assert KIND.combine(SPANS, [far, near, one], "majority") in (one, near)
    assert KIND.likeness(SPANS, one, near) == pytest.approx(2 * 5 / 11)
    assert KIND.level(SPANS) == "spans"


def test_a_control_of_nonsense_wants_a_mark_where_errors_are_marked() -> None:
    assert KIND.expected_of_nonsense(SPANS, 0) == {"marks_at_least": 1}
    assert KIND.expected_of_nonsense(Spans(id="q", sides=("source",), severities=SEVERITIES), 0) == {}


def test_aliases_of_categories_and_severities_are_replaced_and_counted() -> None:
    question = Spans(id="q", categories=(Option(id="omission", aliases=("Left out",)),), severities=SEVERITIES)
    value = [{"text": "x", "category": "LEFT OUT", "severity": "Minor"}, "odd"]
    fixed = [{"text": "x", "category": "omission", "severity": "minor"}, "odd"]
    assert KIND.replace_aliases(question, value) == (fixed, 2)
    assert KIND.replace_aliases(question, None) == (None, 0)
