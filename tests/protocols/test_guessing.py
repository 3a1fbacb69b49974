from __future__ import annotations

from dataclasses import replace

import pytest

from lanner import protocols
from lanner.errors import InputError
from lanner.model import Choice, Grid, Judge, JudgeKind, Judgement, Labels, Scale, Spans, Text
from lanner.model.protocol import GUESSED
from lanner.protocols.consistency import problems
from lanner.protocols.derived import score_items
from lanner.protocols.guessing import guess
from lanner.protocols.judgements import take_in


def rated(values: list[object], question: str = "score", systems: tuple[str, ...] = ("x",)) -> list[Judgement]:
    return [Judgement("a", "rating", question, "d", str(n), systems, value) for n, value in enumerate(values)]


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ([80, 35, 0, 100, 62], "da"),
        ([0, 3, 6, 4], "sqm"),
        ([0, 4, 2, 3], GUESSED),
        ([1, 5, 3, 4], GUESSED),
        ([1, 6, 3, 4], GUESSED),
        ([-3, 0, -12], GUESSED),
        ([120, 80], GUESSED),
        (["good", "bad"], GUESSED),
    ],
)
def test_scores_tell_their_protocol_by_their_values(values: list[object], name: str) -> None:
    found = guess(rated(values))
    assert found.protocol.name == name
    assert "--protocol" in found.note
    assert "score" in found.note
    intake = take_in(found.protocol, rated(values))
    assert not intake.flags


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        ([0, 1], (0, 1)),
        ([2, 4], (1, 5)),
        ([0, 4], (0, 5)),
        ([1, 6], (1, 6)),
        ([2, 6], (1, 6)),
        ([0, 6], (0, 6)),
        ([3, 7], (1, 7)),
        ([1, 10], (1, 10)),
        ([0, 9], (0, 10)),
        ([1, 11], (0, 100)),
        ([1, 2.5, 5], (1, 5)),
        ([1.2, 4.5], (0, 5)),
        ([1, 6.5, 7], (1, 7)),
        ([1.5, 6.5], (0, 10)),
        ([-2, 2], (-2, 2)),
        ([-0.5, 120.2], (-1, 121)),
    ],
)
def test_the_ends_of_a_scale_are_those_of_the_usual_one_that_holds_all_answers(
    values: list[object], ends: tuple[float, float]
) -> None:
    [(_, question)] = guess(rated(values, "quality_of_it")).protocol.questions
    assert isinstance(question, Scale)
    assert (question.min, question.max) == ends
    told = f"the scale is quality_of_it from {ends[0]} to {ends[1]} (otherwise write its ends in the heading"
    assert told in guess(rated(values, "quality_of_it")).note
    assert "ends" not in guess(rated(values, "quality_of_it"), scales={"quality_of_it": ends}).note


def test_scores_of_metrics_tell_nothing_of_the_scale_that_people_answered_on() -> None:
    people = rated([1, 3, 5, 2, 4])
    metric = [replace(row, judge="COMET", value=0.5 + n / 9) for n, row in enumerate(people)]
    judges = [Judge("a"), Judge("COMET", JudgeKind.METRIC)]
    guessed = guess([*metric, *people], judges=judges).protocol
    assert guessed == guess(people).protocol
    intake = take_in(guessed, [*metric, *people], judges=judges)
    assert not intake.flags and [row.value for row in intake.judgements] == [row.value for row in [*metric, *people]]
    assert take_in(guessed, metric).flags, "without the kind of the judge they are answers off the scale"


@pytest.mark.parametrize(
    ("others", "is_refused"),
    [
        ([12, 55, 80, 61, 90], True),
        ([0.1, 0.2, 0.3, 0.4, 0.9], True),
        ([5, 4, 3, 2, 1], False),
        ([12, 55, 80, 61], False),
        ([1, 1, 2, 2, 2], False),
        ([2, 9, 10, 8, 100], False),
    ],
)
def test_judges_on_different_scales_are_refused(others: list[object], is_refused: bool) -> None:
    people = rated([1, 3, 5, 2, 4])
    rows = people + [replace(row, judge="b") for row in rated(others)]
    if is_refused:
        with pytest.raises(InputError, match="different scales") as raised:
            guess(rows)
        assert raised.value.code == "different_scales"
    else:
        guess(rows)
    guess(rows, scales={"score": (0, 100)})


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ([1, 2, 3, 4, 5] * 2, True),  # may be 1 to 5, and may be severe
        ([1, 2, 3, 4, 5, 6] * 2, False),
        ([1, 2, 3, 4, 5], False),  # too few to say
    ],
)
def test_judges_who_use_the_lower_half_alone_are_named(others: list[object], said: bool) -> None:
    rows = rated([2, 5, 7, 9, 10] * 2, "quality_of_it") + [
        replace(row, judge="b") for row in rated(others, "quality_of_it")
    ]
    assert ("no answer of b is above 5, and others go up to 10" in guess(rows).note) == said


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 3], Scale),
        ([0.5, 0.25], Scale),
        (["ja", "nein", "weiß nicht"], Choice),
        (["정확", "부정확"], Choice),
        ([["style", "terms"], [], ["style"]], Labels),
        ([[{"start": 0, "end": 2, "severity": "major", "category": "accuracy", "side": "target"}], []], Spans),
        ([{"tone": "good", "terms": "bad"}, {"tone": "bad", "terms": "bad"}], Grid),
        ([f"A long remark about sentence {n}, in so many words that it is no label." for n in range(3)], Text),
        ([None, None], Choice),
    ],
)
def test_a_protocol_is_made_of_any_answers_and_is_sound(values: list[object], kind: type) -> None:
    judgements = rated(values, "my_question")
    found = guess(judgements, {"my_question": "내 질문"})
    question = found.protocol.find("my_question")
    assert question is not None
    assert isinstance(question[1], kind)
    assert list(problems(found.protocol)) == []
    intake = take_in(found.protocol, judgements)
    assert len(intake.judgements) == len(values)
    words = found.protocol.text["en"]["questions"]
    assert words["my_question"]["label"] == "내 질문"


def test_answers_of_a_known_protocol_are_recognised() -> None:
    protocol = protocols.load("h_falcon")
    judgements = []
    for stage, question in protocol.questions:
        if question.required:
            value = {
                "grid": {row.id: question.options[0].id for row in getattr(question, "rows", ())},
                "scale": getattr(question, "max", 0),
            }.get(question.kind)
            judgements.append(Judgement("a", stage.id, question.id, "d", "1", ("x",), value))
    assert guess(judgements).protocol.name == "h_falcon"


@pytest.mark.parametrize(
    ("marks", "penalty"),
    [
        ([{"category": "Major"}, {"category": "Minor"}], 6),
        ([{"category": "odd", "severity": "Major"}, {"category": "Punctuation", "severity": "minor"}], 5.1),
        ([{"category": "odd", "severity": "Neutral"}, {"category": "odd", "severity": "Critical"}], 25),
        ([{"category": "Major"}, {"category": "Style"}], None),
        ([{"category": "odd", "severity": "3"}, {"category": "odd", "severity": "1"}], None),
    ],
)
def test_errors_weigh_as_in_mqm_if_their_severities_are_known(
    marks: list[dict[str, str]], penalty: float | None
) -> None:
    places = [{"start": n, "end": n + 1, **mark} for n, mark in enumerate(marks)]
    rows = rated([places, []], "errors_found")
    protocol = guess(rows).protocol
    _, numbers = score_items(protocol, list(take_in(protocol, rows).judgements))
    assert {name: list(column) for name, column in numbers.items()} == ({"penalty": [penalty, 0]} if penalty else {})


def test_two_systems_at_a_time_make_a_comparison() -> None:
    found = guess(rated(["left", "right"], "better", ("x", "y")))
    assert str(found.protocol.stages[0].object) == "outputs"


@pytest.mark.parametrize(
    ("heading", "values", "direction"),
    [
        ("mqm_score", [0, 1, 5, 25], "lower_is_better"),
        ("MQM", [-5, -1, 0, 0], "higher_is_better"),
        ("MQM quality", [97.5, 88, 99, 100], "higher_is_better"),
        ("Fehlerpunkte", [0, 3, 7, 2], "lower_is_better"),
        ("오류 수", [0, 3, 7, 2], "lower_is_better"),
        ("Penalty points", [0, 3, 7, 2], "lower_is_better"),
        ("Anmut", [1, 3, 7, 2], "higher_is_better"),
        ("terminology", [1, 3, 7, 2], "higher_is_better"),
    ],
)
def test_less_is_better_where_the_heading_counts_errors(heading: str, values: list[float], direction: str) -> None:
    guessed = guess(rated(values, "q"), {"q": heading})
    (question,) = [question for _, question in guessed.protocol.questions]
    assert isinstance(question, Scale) and question.direction == direction
    assert ("--set better=lower" in guessed.note) == (direction == "higher_is_better"), "the other way is offered"
    assert f"{'Less' if direction == 'lower_is_better' else 'More'} {heading} is" in guessed.note
