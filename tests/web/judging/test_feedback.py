"""Feedback on training items: question by question, mark by mark."""

from __future__ import annotations

from lanner.model import Item, Role
from lanner.protocols import load
from lanner.web.judging.feedback import compare_marks, explanation, feedback


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
