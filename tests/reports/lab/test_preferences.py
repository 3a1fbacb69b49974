import pytest

from lanner.reports.lab.preferences import preferences
from reports.lab.worlds import answered, lab, parity, scores


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


def test_labels_that_name_no_outputs_are_no_comparisons() -> None:
    made = [
        answered(
            "falcon", ["context"], lambda *key: ["local", "global", "extended"][key[3] % 3], systems=((),), title=name
        )
        for name in ("a", "b")
    ]
    assert preferences(lab(*made)).missing == "no side compares two outputs."
