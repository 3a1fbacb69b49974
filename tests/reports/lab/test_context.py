from lanner.reports.lab.context import misevaluation, verdicts
from reports.lab.worlds import lab, scenarios, scores


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
