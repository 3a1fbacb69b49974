"""Simulated answers are always valid, depend on the rng alone, and lean with the quality they are given."""

from __future__ import annotations

from random import Random
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner import protocols
from lanner.model import Choice, Grid, Labels, Number, Option, Question, Rank, Scale, Spans, Text
from lanner.protocols import simulate
from lanner.protocols.answers import Texts, check, missing
from property_examples import examples

TEXTS = Texts("Sie gab ihm das Buch 📚 zurück.", ("She gave him back the book.", "그녀는 그에게 책을 돌려주었다."))
OPTIONS = (Option(id="bad", value=0), Option(id="middling", value=1), Option(id="good", value=2))
QUESTIONS: list[Question] = [
    Scale(id="q", min=1, max=4),
    Scale(id="q", min=0, max=100, step=0),
    Scale(id="q", min=0, max=6, step=2, direction="lower_is_better"),
    Number(id="q", min=0),
    Number(id="q", min=1.5, max=2.5, integer=False),
    Number(id="q", max=3),
    Choice(id="q", options=OPTIONS),
    Labels(id="q", options=OPTIONS, min=2, max=2),
    Labels(id="q", options=OPTIONS, exclusive="good", counts=True),
    Grid(id="q", rows=OPTIONS, options=OPTIONS, preselected="bad"),
    Grid(id="q", rows=OPTIONS, options=OPTIONS),
    Spans(id="q", sides=("source", "target"), categories=OPTIONS, severities=OPTIONS, max=2),
    Spans(id="q"),
    Rank(id="q"),
    Rank(id="q", ties=False),
    Text(id="q", required=True),
    Text(id="q"),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.kind)
@settings(max_examples=examples(40))
@given(seed=st.integers(0, 2**32), quality=st.none() | st.floats(0, 1))
def test_every_answer_is_valid_and_already_in_stored_form(question: Question, seed: int, quality: float | None) -> None:
    answer = simulate.answer(question, rng=Random(seed), texts=TEXTS, quality=quality)
    assert check(question, answer, texts=TEXTS) == answer
    assert simulate.answer(question, rng=Random(seed), texts=TEXTS, quality=quality) == answer


@settings(max_examples=examples(25))
@given(seed=st.integers(0, 2**32), name=st.sampled_from(protocols.names()))
def test_a_page_is_answered_completely_along_its_conditions(seed: int, name: str) -> None:
    protocol = protocols.load(name)
    answers: dict[str, object] = {}
    for page in protocol.pages:
        answers |= simulate.page(protocol, page, rng=Random(seed), texts=TEXTS, answers=answers)
        assert missing(protocol, page, answers) == []


def many(question: Question, quality: float | list[float]) -> list:
    rng = Random(5)
    return [simulate.answer(question, rng=rng, texts=TEXTS, quality=quality) for _ in range(300)]


def test_quality_moves_scales_and_grades_towards_their_good_end() -> None:
    scale, errors = Scale(id="q", min=0, max=10), Scale(id="q", min=0, max=10, direction="lower_is_better")
    assert mean(many(scale, 0.9)) > 8 > 2 > mean(many(scale, 0.1))
    assert mean(many(errors, 0.9)) < 2
    assert many(Choice(id="q", options=OPTIONS), 1.0).count("good") > 250
    grades = [
        grade
        for grid in many(Grid(id="q", rows=OPTIONS, options=OPTIONS, preselected="bad"), 0.95)
        for grade in grid.values()
    ]
    assert grades.count("good") > 10 * grades.count("middling")


def test_quality_leaves_fewer_spans_and_error_labels() -> None:
    spans = Spans(id="q", severities=OPTIONS)
    assert mean(map(len, many(spans, 0.95))) < mean(map(len, many(spans, 0.2))) / 3
    labels = Labels(id="q", options=OPTIONS, exclusive="good", counts=True)
    assert many(labels, 0.95).count({"good": 1}) > 240 > 60 > many(labels, 0.05).count({"good": 1})


def test_the_better_output_is_preferred_and_equals_are_often_tied() -> None:
    rank = Rank(id="q")
    assert many(rank, [0.9, 0.4]).count([1, 2]) > 270
    ties = many(rank, [0.6, 0.6]).count([1, 1])
    assert 40 < ties < 150
