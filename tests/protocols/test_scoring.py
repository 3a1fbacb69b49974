"""From answers to numbers."""

from __future__ import annotations

import pytest

from lanner import protocols
from lanner.model import Choice, Labels, Option, Scale, Spans
from lanner.protocols.scoring import RULES, scores

SKILLS = {
    "information_density": "not_relevant",
    "idea_development": "not_relevant",
    "terminology_control": "high",
    "style_register": "medium",
    "relational_address": "not_relevant",
    "modality_attitude": "not_relevant",
    "reference_consistency": "low",
    "participant_focus": "not_relevant",
    "logical_connectivity": "high",
}


def test_h_falcon_sums_and_counts_skills_by_group() -> None:
    found = scores(protocols.load("h_falcon"), {"skills": SKILLS, "sentence": 4, "holistic": 9})
    assert found == {
        "skill_sum": 9, "skill_count": 4, "field": 3, "tenor": 2, "mode": 4, "sentence_score": 4, "holistic_score": 9,
    }  # fmt: skip


def test_falcon_leaves_sentence_level_out_of_the_document_score() -> None:
    falcon = protocols.load("falcon")
    ratings = {"style_register": 4, "modality_attitude": 3, "logical_connectivity": 1}
    found = scores(falcon, {"context": "local", "ratings": ratings})
    assert found == {"skill_mean": pytest.approx(8 / 3), "field": None, "tenor": 3.5, "mode": 1.0}
    assert set(scores(falcon, {"context": "sentence_level", "ratings": ratings}).values()) == {None}


def test_what_is_missing_has_no_score() -> None:
    for name in protocols.names():
        assert set(scores(protocols.load(name), {}).values()) <= {None}


def test_a_mean_leaves_the_preselected_option_out() -> None:
    skills = protocols.load("h_falcon").stages[0].questions[0]
    assert RULES["grid_mean"](skills, SKILLS, {}) == 9 / 4
    assert RULES["grid_mean"](skills, dict.fromkeys(SKILLS, "not_relevant"), {}) is None


def test_options_and_scales_as_numbers() -> None:
    choice = Choice(id="q", options=(Option(id="a", value=2), Option(id="b")))
    assert RULES["value"](choice, "a", {}) == 2
    assert RULES["value"](choice, "b", {}) is None
    assert RULES["value"](Scale(id="q", min=0, max=9), 3, {}) == 3.0
    assert RULES["value"](Scale(id="q", min=0, max=9), True, {}) is None


def test_counting_labels_leaves_the_exclusive_one_out() -> None:
    errors = Labels(id="q", options=(Option(id="x"), Option(id="y"), Option(id="none")), exclusive="none", counts=True)
    assert RULES["count"](errors, {"x": 2, "y": 1}, {}) == 3
    assert RULES["count"](errors, {"none": 1}, {}) == 0
    assert RULES["any_given"](errors, {"none": 1}, {}) == 0
    assert RULES["any_given"](errors, {"x": 2}, {}) == 1
    assert RULES["count"](errors, None, {}) is None


def test_weights_match_from_first_to_last_and_skip_removed_spans() -> None:
    question = Spans(
        id="q",
        categories=(Option(id="fluency"), Option(id="punctuation", parent="fluency"), Option(id="nonsense")),
        severities=(Option(id="minor"), Option(id="major")),
    )
    weights = [
        {"category": "nonsense", "weight": 25},
        {"category": "punctuation", "severity": "minor", "weight": 0.1},
        {"category": "fluency", "severity": "major", "weight": 4},
        {"severity": "major", "weight": 5},
        {"severity": "minor", "weight": 1},
    ]
    spans = [
        {"category": "nonsense", "severity": "minor"},
        {"category": "punctuation", "severity": "minor"},
        {"category": "punctuation", "severity": "major"},
        {"category": "fluency", "severity": "minor"},
        {"category": "fluency", "severity": "minor", "origin": "removed"},
    ]
    total = RULES["weighted_spans"]
    assert total(question, spans, {"weights": weights}) == pytest.approx(30.1)
    assert total(question, spans, {"weights": weights, "cap": 25}) == 25
    assert total(question, [], {"weights": weights}) == 0
    assert RULES["count"](question, spans, {}) == 4
