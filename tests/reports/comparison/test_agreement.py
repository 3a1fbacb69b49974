from __future__ import annotations

from dataclasses import replace

import pytest

from lanner import analysis
from lanner.model.messages import p_value
from lanner.reports.comparison.agreement import (
    _majority,
    agreement,
    misevaluation,
    models,
    preferences,
    same_scores,
    verdicts,
)
from lanner.reports.comparison.scores import stability
from lanner.reports.comparison.sides import Form, MatchedQuestions, RankingMeasure, matched
from lanner.reports.view import View
from lanner.stats.preference import sign_test
from reports.comparison.worlds import QUICK, answered, lab, noise, parity, scenarios, scores
from reports.world import material


def test_judges_who_agree_and_judges_who_do_not() -> None:
    def steady(q: str, j: str, system: str, d: int, s: int, _: str) -> float:
        return 10.0 * noise(system, d, s)

    def erratic(q: str, j: str, system: str, d: int, s: int, _: str) -> float:
        return 10.0 * noise(j, system, d, s, j)

    found = agreement(lab(answered("da", ["score"], steady, title="a"), answered("da", ["score"], erratic, title="b")))
    line = found.lines[0]
    assert line.values[0].value == pytest.approx(1.0)
    assert (line.values[1].value or 0) < 0.5
    gap = line.gaps[0]
    assert gap is not None
    assert gap.value == pytest.approx(1.0 - (line.values[1].value or 0))
    assert "more under a than under b" in found.said
    few = [answered("da", ["score"], value, title=title, count=4) for value, title in ((steady, "a"), (erratic, "b"))]
    assert "4 documents are too few to compare the agreement of a and b (difference " in agreement(lab(*few)).said


@pytest.mark.parametrize(
    ("name", "question", "sign"),
    [
        ("falcon", "skills", "α Jaccard"),
        ("falcon", "context", "α"),
        ("adequacy_fluency_sc", "adequacy_sc", "α ordinal"),
        ("da", "score", "α interval"),
        ("h_falcon", "skills", "α ordinal"),
        ("esa", "errors", "α any marked"),
    ],
)
def test_one_campaign_has_one_coefficient_for_a_question(name: str, question: str, sign: str) -> None:
    """As `lanner agreement` and a report show it, so does a comparison."""
    judged = material(name)
    protocol = judged.protocol
    assert protocol is not None
    [entry] = [entry for entry in analysis.plan(protocol) if entry.id == question]
    alone = analysis.question_agreement(judged.counted(), entry, resampling=QUICK).headline
    in_report = next(one for one in View(judged, protocol, QUICK).agreements if one.plan.id == question).headline
    both = lab(replace(judged, name="a"), replace(judged, name="b"))
    found = [row for row in agreement(both).data if row["question"] == both.sides[0].says(question)]
    assert alone.value is not None
    assert [(row["value"], row["low"], row["high"]) for row in found] == [(alone.value, alone.low, alone.high)] * 2
    assert (in_report.value, in_report.low, in_report.high) == (alone.value, alone.low, alone.high)
    assert entry.headline.sign == sign


def test_questions_with_other_headlines_are_compared_by_a_coefficient_both_have() -> None:
    """Labels have α Jaccard, grids the mean of their rows' α; the rows chosen in a grid are labels too."""
    sides = lab(material("h_falcon"), material("falcon_labels"))
    [line] = [line for line in agreement(sides).lines if line.label.endswith("Jaccard")]
    assert line.gaps[0] is not None


def test_different_coefficients_are_not_subtracted() -> None:
    """α of ranks on one side, of distances on the other."""

    def value(q: str, j: str, system: str, d: int, s: int, _: str) -> float:
        return float(noise(j, system, d, s) % 4)

    sides = lab(*(answered(name, ["score"], value, title=name) for name in ("sqm", "da")))
    found = agreement(sides)
    assert [line.label.partition(", ")[2] for line in found.lines] == ["α ordinal / α interval"]
    assert found.lines[0].gaps == [None]
    assert not found.said


def test_of_one_document_it_is_said_why_there_is_no_interval() -> None:
    def value(q: str, j: str, system: str, d: int, s: int, _: str) -> float:
        return 10.0 * noise(j, system, d, s, j)

    def same(q: str, j: str, system: str, d: int, s: int, _: str) -> float:
        return 10.0 * noise(system, d, s)

    sides = [
        answered("da", ["score"], of, title=name, sentences=6, count=1) for of, name in ((value, "a"), (same, "b"))
    ]
    said = agreement(lab(*sides)).said
    assert "; no interval: there is only one document, so its spread cannot be estimated)" in said
    assert ", )" not in said


def test_people_and_models_are_not_protocols() -> None:
    def steady(q: str, j: str, system: str, d: int, s: int, _: str) -> float:
        return 10.0 * noise(system, d, s)

    def erratic(q: str, j: str, system: str, d: int, s: int, _: str) -> float:
        return 10.0 * noise(j, system, d, s, j)

    sides = [answered("da", ["score"], of, title=name) for of, name in ((steady, "people"), (erratic, "models"))]
    assert "people agree **more with each other than models do**" in agreement(lab(*sides)).said


def test_without_overlap_it_is_said() -> None:
    one = answered("da", ["score"], lambda *_: 50.0, judges=("j0",), title="a")
    other = answered("da", ["score"], lambda *_: 50.0, judges=("j0",), title="b")
    assert "no item was judged by two people" in agreement(lab(one, other)).missing


def test_scores_that_go_together() -> None:
    found = same_scores(lab(scores(title="a", gap=10, spread=0), scores(title="b", gap=20, spread=0)))
    assert found.lines[0].values[1].value == pytest.approx(1.0)
    assert "no score" in same_scores(lab(parity())).missing


def test_where_one_side_counts_errors_the_turned_sign_is_explained() -> None:
    higher, lower = scores(title="a", gap=10, spread=0), scores(title="b", gap=-10, spread=0)
    both = lab(higher, lower)
    assert "sign" not in same_scores(both).said
    assert both.sides[1].measure
    both.sides[1].__dict__["measure"] = RankingMeasure(both.sides[1].measure.of, "lower_is_better")
    assert "the sign is turned" in same_scores(both).said


def test_a_model_that_answers_at_random_agrees_less_than_people_do() -> None:
    labels = ["sentence_level", "local", "extended"]

    def value(q: str, judge: str, system: str, d: int, s: int, _: str) -> str:
        return labels[noise(judge, d, s, "m") % 3 if judge == "dice" else noise(d, s) % 3]

    made = [answered("falcon", ["context"], value, systems=((),), models=["dice"], title=name) for name in ("a", "b")]
    found = models(lab(*made))
    assert found.lines[0].values[0].value is not None
    assert found.lines[0].values[0].value < -0.5
    assert "closest is dice" in found.said


def test_people_on_one_side_and_models_on_the_other() -> None:
    labels = ["sentence_level", "local", "extended"]

    def value(q: str, judge: str, system: str, d: int, s: int, _: str) -> str:
        return labels[noise(judge, d, s, "m") % 3 if judge == "dice" else noise(d, s) % 3]

    made = answered("falcon", ["context"], value, systems=((),), models=["dice"], title="all")
    people, machines = made.only(["j0", "j1"]), made.only(["dice"])
    found = models(lab(replace(people, name="people"), replace(machines, name="models")))
    assert "closest is dice" in found.said
    assert found.lines[0].values[0].value is None  # it is said of the models' side
    assert found.lines[0].values[1].value is not None


def test_people_alone() -> None:
    assert models(lab(parity())).missing == "no side has both two people and a model."


def test_shown_documents_judges_prefer_the_human_shown_sentences_they_do_not() -> None:
    found = preferences(lab(parity()))
    [line] = found.lines
    assert [value.value for value in line.values] == pytest.approx([0.5, 1.0])
    assert line.gaps[0] is not None
    assert line.gaps[0].value == pytest.approx(-0.5)
    tests = [sign_test(side.by_people, side.questions[0].id).rows[0]["p_documents"] for side in lab(parity()).whole]
    assert f"document: 16 of 16 for human, {p_value(tests[1])}" in found.said and (tests[1] or 1) < 0.05
    assert f"sentence: 24 of 48 for human, {p_value(tests[0])}" in found.said and (tests[0] or 0) > 0.5


def test_pairs_of_systems_that_are_not_set_against_each_other_are_counted() -> None:
    pairs = (("oak", "elm"), ("oak", "ash"), ("elm", "ash"))
    ranked = [answered("ranking_sc", ["ranking_sc"], lambda *_: [1, 2], systems=pairs, title=name) for name in "ab"]
    assert "Of 2 other pairs of systems nothing is said here" in preferences(lab(*ranked)).said
    assert "nothing is said here" not in preferences(lab(parity())).said


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


def test_the_question_that_ranks_is_compared_once() -> None:
    """H-FALCON ranks by a score that repeats a question."""
    whole = lab(*[replace(material("h_falcon", judges=2), name=name) for name in "ab"])
    assert [pair.label for pair in matched(whole.sides)] == ["skills chosen", "sentence score", "holistic score"]


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


def test_a_verdict_is_what_more_people_gave_than_anything_else() -> None:
    """Two against two is a tie, also where others gave something else; so is a best rank that two outputs share."""
    votes = {"d0": "LLG", "d1": "LG", "d2": "LLGGE", "d3": "G"}
    names = {"L": "local", "G": "global", "E": "extended"}

    def label(q: str, judge: str, system: str, d: int, s: int, _: str) -> str | None:
        own = votes.get(f"d{d}", "")
        return names[own[int(judge[1:])]] if int(judge[1:]) < len(own) else None

    judges = [f"j{at}" for at in range(5)]
    side = lab(*[answered("falcon", ["context"], label, judges=judges, systems=((),), title=name) for name in "ab"])
    pair = MatchedQuestions("context", Form.LABELS, ("context", "context"))
    verdict_by_document = dict(_majority(side.whole[0], "context", pair, ["document"]).iter_rows())
    assert verdict_by_document == {"d0": "local", "d1": "tie", "d2": "tie", "d3": "global"}


def test_outputs_are_the_same_two_in_whichever_order_they_are_shown() -> None:
    """Everybody prefers oak, but in the first document, where all think both alike; each sees them in another order."""

    def better(q: str, judge: str, shown: str, d: int, s: int, stage: str) -> list[int] | None:
        if shown.startswith("oak") != ((judge == "j0") == (stage == "sc_ranking")):
            return None
        return [1, 1] if d == 0 else [1, 2] if shown.startswith("oak") else [2, 1]

    orders = (("oak", "elm"), ("elm", "oak"))
    asked = ["ranking_rs", "ranking_sc"]
    compared = lab(answered("scenarios", asked, better, judges=("j0", "j1", "j2"), systems=orders))
    assert compared.shared == 24
    assert stability(compared).lines[0].values[0].value == 1.0
    assert "**0 of 24 verdicts on ranking turn**" in verdicts(compared).said
    pair = matched(compared.sides)[0]
    verdict_by_document = dict(_majority(compared.sides[0], pair.questions[0], pair, ["document"]).iter_rows())
    assert verdict_by_document == {"d0": "tie", **{f"d{at}": "oak" for at in range(1, 8)}}


def test_where_context_does_not_differ() -> None:
    same = lab(scores(title="a", gap=1), scores(title="b", gap=1))
    assert verdicts(same).missing == "every side shows the same context."
    assert "isolated sentences" in misevaluation(same).missing
