from __future__ import annotations

import pytest

from lanner import protocols
from lanner.analysis.comparable import EQUAL, NOTHING, comparable, distances, is_fine, kinds, scale_of
from lanner.model import Json, Judgement, Question
from lanner.stats.frame import frame


def asked(protocol: str, name: str) -> Question:
    found = protocols.load(protocol).find(name)
    assert found
    return found[1]


@pytest.mark.parametrize(
    ("protocol", "question", "fine"),
    [("da", "score", True), ("sqm", "score", False), ("h_falcon", "holistic", False), ("h_falcon", "skills", False),
     ("context_survey", "sentences_before", True), ("mqm", "errors", False)],
)  # fmt: skip
def test_scales_of_many_points_and_counts_are_fine(protocol: str, question: str, fine: bool) -> None:
    found = asked(protocol, question)
    assert is_fine(found) is fine
    if fine:
        assert scale_of(found) is None


def test_coarse_scales_and_choices_have_all_their_answers_scale_of() -> None:
    assert scale_of(asked("sqm", "score")) == [0, 1, 2, 3, 4, 5, 6]
    assert scale_of(asked("falcon", "context"))[:2] == ["sentence_level", "local"]


def spans(protocol: str, value: Json) -> list[str]:
    given = [Judgement("a", "errors", "errors", "d", "1", ("x",), value)]
    table = frame(given, protocols.load(protocol))
    return comparable(table, asked(protocol, "errors"))["labels"].to_list()[0]


def test_marked_passages_are_sets_of_their_widest_kinds() -> None:
    place = {"side": "target", "start": 0, "end": 1}
    two = [
        {**place, "category": "grammar", "severity": "minor"},
        {**place, "category": "omission", "severity": "major"},
    ]
    assert spans("mqm", two) == ["accuracy", "fluency"]
    assert spans("esa", [{**place, "severity": "minor"}, {**place, "severity": "minor"}]) == ["minor"]
    assert spans("esa", []) == [NOTHING]
    assert kinds(asked("esa", "errors")) == ("minor", "major", NOTHING)
    assert kinds(asked("falcon", "spans")) == ("needs_context", NOTHING)
    assert "grammar" not in kinds(asked("mqm", "errors"))


def test_ranks_are_who_was_preferred_whatever_the_order_shown() -> None:
    given = [
        Judgement("a", "ranking_rs", "ranking_rs", "d", "1", ("oak", "elm"), [1, 2]),
        Judgement("b", "ranking_rs", "ranking_rs", "d", "1", ("elm", "oak"), [2, 1]),
        Judgement("a", "ranking_rs", "ranking_rs", "d", "2", ("oak", "elm"), [1, 1]),
    ]
    found = comparable(frame(given, protocols.load("ranking_rs")), asked("ranking_rs", "ranking_rs"))
    assert found["label"].to_list() == ["oak", "oak", EQUAL]
    assert found["system"].unique().to_list() == ["elm|oak"]
    assert comparable(found.clear(), asked("ranking_rs", "ranking_rs")).is_empty()


def apart(protocol: str, stage: str, question: str, *values: object, systems: tuple[str, ...] = ()) -> float:
    loaded = protocols.load(protocol)
    given = [Judgement(f"j{n}", stage, question, "d", "1", systems, value) for n, value in enumerate(values)]
    [distance] = distances(frame(given, loaded), loaded)["distance"]
    return float(distance)


def test_each_kind_of_answer_has_its_own_distance() -> None:
    assert apart("falcon", "source", "context", "local", "local", "global") == pytest.approx(2 / 3)
    assert apart("h_falcon", "rating", "holistic", 1, 10, systems=("oak",)) == 1
    assert apart("h_falcon", "rating", "holistic", 4, 7, systems=("oak",)) == pytest.approx(1 / 3)
    ranked = apart("parity", "adequacy_sentence", "adequacy_of_sentence", [1, 2], [2, 1], systems=("a", "b"))
    assert ranked == 1


def mark(start: int, end: int, severity: str = "minor", category: str = "grammar") -> dict[str, object]:
    return {"side": "target", "start": start, "end": end, "severity": severity, "category": category}


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ([], [], 0.0),
        ([mark(0, 4)], [mark(0, 4)], 0.0),
        ([mark(0, 4)], [], 1.0),
        ([mark(0, 4)], [mark(4, 8)], 1.0),
        ([mark(0, 4)], [mark(0, 12)], 0.5),  # F1 of characters is 2 · 4 / (4 + 12)
        ([mark(0, 4)], [mark(0, 4, "major")], 0.5),
        ([mark(0, 4)], [mark(0, 4, category="style")], 0.5),
    ],
)
def test_marks_are_apart_in_place_severity_and_category(one: object, other: object, distance: float) -> None:
    assert apart("mqm", "marking", "errors", one, other, systems=("oak",)) == pytest.approx(distance)


def test_one_judge_is_at_no_distance() -> None:
    loaded = protocols.load("falcon")
    assert distances(frame([Judgement("j", "source", "context", "d", "1", (), "local")], loaded), loaded).is_empty()
