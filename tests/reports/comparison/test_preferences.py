from __future__ import annotations

import pytest

from lanner.reports.comparison.preferences import misevaluation, preferences, verdicts
from reports.comparison.worlds import answered, lab, parity, scenarios, scores


def test_shown_documents_judges_prefer_the_human_shown_sentences_they_do_not() -> None:
    found = preferences(lab(parity()))
    [line] = found.lines
    assert [value.value for value in line.values] == pytest.approx([0.5, 1.0])
    assert line.gaps[0] is not None
    assert line.gaps[0].value == pytest.approx(-0.5)
    assert "document: 16 of 16 for human, p < .001" in found.said
    assert "sentence: 24 of 48 for human, p = 1.000" in found.said


def test_no_comparisons() -> None:
    assert preferences(lab(scores(title="a", gap=1), scores(title="b", gap=1))).missing


@pytest.mark.parametrize("labels", [["local", "global", "extended"], ["local", "global"]])
def test_labels_that_name_no_outputs_are_no_comparisons(labels: list[str]) -> None:
    """Two labels are no preference because they are two: "global preferred over local" was an answer here."""
    made = [
        answered("falcon", ["context"], lambda *key: labels[key[3] % len(labels)], systems=((),), title=name)
        for name in ("a", "b")
    ]
    assert preferences(lab(*made)).missing == "no side compares two outputs."


def test_sentences_that_look_perfect_alone() -> None:
    found = misevaluation(lab(scenarios(wrong=3)))
    assert found.lines[0].values[1].value == 3 / 24
    assert {row["document"] for row in found.data} == {"d0", "d1", "d2"}
    assert found.examples is not None
    assert found.examples.entries[0]["lines"][0]["text"].startswith("Sentence")


def test_verdicts_that_turn_are_listed_with_both() -> None:
    found = verdicts(lab(scenarios(wrong=3)))
    assert "3 of 24 verdicts on adequacy turn" in found.said
    assert {(row["narrow"], row["wide"]) for row in found.data} == {("4", "2")}


def test_where_context_does_not_differ() -> None:
    same = lab(scores(title="a", gap=1), scores(title="b", gap=1))
    assert verdicts(same).missing == "every side shows the same context."
    assert "isolated sentences" in misevaluation(same).missing
