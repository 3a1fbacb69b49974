"""Practice over worked examples: a page for every kind of protocol, whose own right answers are right."""

from __future__ import annotations

import pytest

from lanner import protocols
from lanner.errors import AnswerError
from lanner.model import Item, Json, Role, Unit
from lanner.protocols import load
from lanner.store import Overview
from lanner.web.judging.practice import (
    Practice,
    PracticeRounds,
    check,
    compare_marks,
    explanation,
    feedback,
    is_due,
    lessons,
    practice_of,
    steps,
)

PAGES = [
    (name, page)
    for name in protocols.names()
    for page in protocols.load(name).pages
    if practice_of(protocols.load(name), page, ("en", "de"), "en")
]


def practice(name: str, page: str, language: str = "en") -> Practice:
    built = practice_of(protocols.load(name), page, ("en", "de"), language)
    assert built
    return built


def right_answer(rule: dict[str, Json]) -> Json:
    """An answer that meets a rule of the examples."""
    if "is" in rule:
        return rule["is"]
    if "includes" in rule:
        return rule["includes"]
    return rule.get("at_least", rule.get("at_most"))


def test_every_protocol_about_texts_has_practice_for_its_first_page() -> None:
    for name in protocols.names():
        protocol = protocols.load(name)
        first = next((page for page, stages in protocol.pages.items() if stages[0].unit is not Unit.JUDGE), None)
        assert first is None or (name, first) in PAGES


def test_later_pages_can_be_practised_too() -> None:
    without = {
        (name, page)
        for name in protocols.names()
        for page, stages in protocols.load(name).pages.items()
        if stages[0].unit is not Unit.JUDGE and (name, page) not in PAGES
    }
    assert not without


def test_ratings_of_chosen_skills_are_practised_one_skill_at_a_time() -> None:
    protocol, lesson = protocols.load("falcon"), practice("falcon", "rating")
    assert {tuple(earlier["skills"]) for earlier in lesson.earlier} >= {("style_register",), ("logical_connectivity",)}
    verdicts = set()
    for number, (item, earlier) in enumerate(zip(lesson.task.items, lesson.earlier, strict=True)):
        (skill,) = earlier["skills"]
        condition = item.expected["ratings"]["rows"][skill]
        for rating in (1, 2, 3, 4):
            fits = rating >= condition.get("at_least", 1) and rating <= condition.get("at_most", 4)
            verdict = check(protocol, lesson, number, {"ratings": {skill: rating}}, "en")
            assert verdict["right"] is fits
            verdicts.add((tuple(condition.items()), fits))
        with pytest.raises(AnswerError):
            check(protocol, lesson, number, {"ratings": {"no_such_skill": 3}}, "en")
    assert len(verdicts) == 4, "skills handled well and badly, each answered rightly and wrongly"


@pytest.mark.parametrize(("name", "page"), PAGES)
def test_the_right_answers_of_the_examples_are_right(name: str, page: str) -> None:
    lesson = practice(name, page)
    protocol = protocols.load(name)
    for number, item in enumerate(lesson.task.items):
        answers: dict[str, Json] = {}
        for question, rule in item.expected.items():
            if not question:
                continue
            if question == "ratings":
                answers[question] = {skill: right_answer(wanted) for skill, wanted in rule["rows"].items()}
            elif "rows" in rule:
                match = protocol.find(question)
                assert match
                answers[question] = {row.id: match[1].options[0].id for row in match[1].rows} | rule["rows"]
            else:
                answers[question] = right_answer(rule)
        verdict = check(protocol, lesson, number, answers, "en")
        assert verdict["right"] is True, (item, verdict)
        assert verdict["explanation"]


def test_a_frequent_wrong_answer_is_wrong() -> None:
    lesson = practice("da", "rating")
    verdicts = [check(protocols.load("da"), lesson, n, {"score": 90}, "en")["right"] for n in range(3)]
    assert verdicts == [True, False, False]


def test_unknown_items_questions_and_values_are_refused() -> None:
    lesson, protocol = practice("da", "rating"), protocols.load("da")
    for number, answers in ((99, {}), (0, {"nothing": 1}), (0, {"score": 1000})):
        with pytest.raises(AnswerError):
            check(protocol, lesson, number, answers, "en")


def test_practice_stays_short_and_shows_different_skills_well_and_badly_handled() -> None:
    lesson = practice("h_falcon", "rating")
    rows = [item.expected["skills"]["rows"] for item in lesson.task.items if "skills" in item.expected]
    assert len(lesson.task.items) == 8
    assert {option for row in rows for option in row.values()} == {"high", "low"}
    assert len({skill for row in rows for skill in row}) >= 5


def test_lessons_speak_the_language_of_the_interface_with_texts_of_the_task() -> None:
    protocol = protocols.load("h_falcon")
    (korean, *_) = lessons(protocol, "rating", ("en", "ko"), "de")
    assert korean.languages == ("en", "ko")
    assert korean.right[0][1].startswith("Informationsdichte")


def test_lessons_show_marks_in_the_sentence_and_what_is_missing_in_the_source() -> None:
    for name in ("esa", "mqm"):
        protocol = protocols.load(name)
        shown = lessons(protocol, next(iter(protocol.pages)), ("en", "de"), "en")
        for lesson in shown:
            for marked in (*lesson.right_marks, *lesson.wrong_marks):
                whole = "".join(words for words, _ in marked.pieces)
                assert whole == (lesson.source if marked.side == "source" else lesson.targets[0])
                assert all(words for words, look in marked.pieces if look)
        assert any(lesson.marks_target for lesson in shown)
    esa = lessons(protocols.load("esa"), "rating", ("en", "de"), "en")
    missing = [marked.pieces for lesson in esa for marked in lesson.right_marks if marked.side == "source"]
    assert ("but the garden stays open until dusk", "s3 gone") in missing[0]


def test_steps_lead_to_the_context_level_and_to_nothing_else() -> None:
    assert len(steps(protocols.load("falcon"), "label", "en")) == 5
    assert steps(protocols.load("falcon"), "rating", "en") == ()
    assert steps(protocols.load("esa"), "rating", "en") == ()


def overview(page: str, done: int) -> Overview:
    return Overview(task=1, page=page, position=0, documents=1, items=4, done=done, active=0.0, finished_at=None)


def test_practice_is_due_until_something_was_answered_on_the_page() -> None:
    protocol = protocols.load("falcon")
    assert is_due(protocol, "label", [overview("label", 0), overview("rating", 2)])
    assert not is_due(protocol, "label", [overview("label", 0), overview("label", 1)])
    assert is_due(protocol, "rating", [overview("label", 4), overview("rating", 0)])
    assert not is_due(protocols.load("consent"), "consent", [overview("consent", 0)])


def test_the_first_answer_to_each_item_of_a_round_counts() -> None:
    rounds = PracticeRounds()
    assert rounds.answered((1, "a", 0), 0, 2, [False, True]) is None
    assert rounds.answered((1, "a", 0), 0, 2, [True, True]) is None, "answered again after the feedback"
    assert rounds.answered((2, "a", 0), 1, 2, [True]) is None, "somebody else"
    assert rounds.answered((1, "a", 0), 1, 2, [True]) == (2, 3)
    assert rounds.answered((1, "a", 0), 1, 2, [True]) is None, "a new round"


def test_another_turn_brings_other_examples() -> None:
    protocol = protocols.load("falcon_labels")
    page = next(page for page, stages in protocol.pages.items() if stages[0].unit is not Unit.JUDGE)
    sources = []
    for turn in (0, 1):
        lesson = practice_of(protocol, page, ("en", "ko"), "en", turn=turn)
        assert lesson is not None
        sources.append({segment.source for document in lesson.documents.values() for segment in document})
    assert sources[0] != sources[1]


def mark(start: int, end: int, severity: str = "major", side: str = "target", **more: object) -> dict[str, object]:
    return {"side": side, "start": start, "end": end, "text": "x" * (end - start), "severity": severity, **more}


def test_only_training_is_explained() -> None:
    rule = {"holistic": {"is": 4, "explanation": "Because."}}
    training = Item("d", "1", role=Role.TUTORIAL, expected=rule)
    control = Item("d", "1", role=Role.CONTROL, expected=rule)
    assert explanation(training) == "Because."
    assert explanation(control) == ""
    assert feedback(load("h_falcon"), control, {"holistic": 4}, "en") is None


def test_marks_are_found_missed_extra_or_of_another_kind() -> None:
    expected = [mark(0, 4), mark(10, 14, "minor"), mark(20, 24)]
    marks = [mark(2, 6), mark(10, 12), mark(30, 31)]
    assert [entry["verdict"] for entry in compare_marks(expected, marks)] == ["found", "kind", "missed", "extra"]


def test_touching_is_not_overlapping_and_sides_are_kept_apart() -> None:
    assert [m["verdict"] for m in compare_marks([mark(0, 4)], [mark(4, 6)])] == ["missed", "extra"]
    assert [m["verdict"] for m in compare_marks([mark(0, 4)], [mark(0, 4, side="source")])] == ["missed", "extra"]
    assert [m["verdict"] for m in compare_marks([mark(0, 4)], [mark(0, 4, output=1)])] == ["missed", "extra"]


def test_of_two_marks_on_the_same_words_the_one_of_the_right_kind_counts() -> None:
    verdicts = compare_marks([mark(0, 4)], [mark(0, 4, "minor"), mark(0, 2)])
    assert [entry["verdict"] for entry in verdicts] == ["found", "extra"]


def test_a_missing_mark_without_a_place_finds_what_is_missing() -> None:
    wanted = mark(0, 9, side="source", missing=True)
    anywhere = {"side": "source", "missing": True, "severity": "major", "text": ""}
    assert [entry["verdict"] for entry in compare_marks([wanted], [anywhere])] == ["found"]


def test_no_marks_where_none_are_expected_is_right() -> None:
    item = Item("d", "1", ("a",), Role.TUTORIAL, expected={"errors": {"is": []}, "score": {"at_least": 90}})
    verdict = feedback(load("esa"), item, {"errors": [], "score": 95}, "en")
    assert verdict and verdict["right"] is True
    verdict = feedback(load("esa"), item, {"errors": [mark(0, 3)], "score": 95}, "en")
    assert verdict and verdict["right"] is False


def test_a_missing_answer_is_not_right_and_a_rule_without_comparison_says_nothing() -> None:
    item = Item("d", "1", ("a",), Role.TUTORIAL, expected={"holistic": {"at_least": 5}})
    verdict = feedback(load("h_falcon"), item, {}, "en")
    assert verdict and verdict["right"] is False
    item = Item("d", "1", ("a",), Role.TUTORIAL, expected={"holistic": {"below_original": True, "explanation": "So."}})
    verdict = feedback(load("h_falcon"), item, {"holistic": 3}, "en")
    assert verdict == {"right": None, "lines": [], "explanation": "So."}


def test_words_are_in_the_language_of_the_page() -> None:
    item = Item("d", "1", ("a",), Role.TUTORIAL, expected={"skills": {"rows": {"style_register": "low"}}})
    verdict = feedback(load("h_falcon"), item, {"skills": {"style_register": "high"}}, "ko")
    assert verdict and verdict["right"] is False
    (line,) = verdict["lines"]
    assert "문체" in line["expected"] and "low" not in line["expected"]
