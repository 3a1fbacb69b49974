from __future__ import annotations

import csv
from collections import defaultdict
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_sets import data_dir
from lanner import protocols
from lanner.errors import InputError
from lanner.model import Analysis, Choice, Judgement, Labels, Option, Protocol, Scale, Score, Spans
from lanner.protocols import load
from lanner.protocols.answers import accept
from lanner.protocols.derived import RULES, derive, ranking_options, ranking_plans, rate, scores, scores_of, word_count

H_FALCON, FALCON = protocols.load("h_falcon"), protocols.load("falcon")


def judgement(question: str, value: object, systems: tuple[str, ...] = ("oak",)) -> Judgement:
    return Judgement("J1", "rating", question, "d", "1", systems, value)


def test_h_falcon_scores_per_sentence() -> None:
    skills = {row.id: "not_relevant" for row in H_FALCON.find("skills")[1].rows}  # type: ignore[index, union-attr]
    skills |= {"style_register": "high", "idea_development": "low"}
    made = derive(H_FALCON, [judgement("skills", skills), judgement("sentence", 3), judgement("holistic", 8)])
    scores = {score.question: score.value for score in made}
    assert scores.pop("skills_chosen") == ["idea_development", "style_register"]
    assert scores == {
        "skill_sum": 4, "skill_count": 2, "field": 1, "tenor": 3, "mode": 0, "sentence_score": 3, "holistic_score": 8,
    }  # fmt: skip


def test_falcon_scores_use_what_was_said_of_the_source() -> None:
    ratings = {"style_register": 4, "idea_development": 1, "participant_focus": 1}
    about_source = [judgement("context", "local", ()), judgement("skills", list(ratings), ())]
    made = list(derive(FALCON, [*about_source, judgement("ratings", ratings)]))
    assert {score.question: score.value for score in made} == {"skill_mean": 2, "field": 1, "tenor": 4, "mode": 1}
    assert {score.systems for score in made} == {("oak",)}


def test_a_sentence_that_needs_no_context_has_no_document_level_score() -> None:
    answers = [judgement("context", "sentence_level", ()), judgement("ratings", {"style_register": 4})]
    assert not list(derive(FALCON, answers))


def test_missing_answers_give_no_score() -> None:
    assert not list(derive(H_FALCON, [judgement("holistic", None)]))


PROTOCOL = Protocol.model_validate(
    {
        "name": "demo",
        "version": "1",
        "stage": [
            {
                "id": "main",
                "unit": "sentence_in_context",
                "object": "output",
                "question": [
                    {"id": "whole", "kind": "scale", "min": 0, "max": 100},
                    {
                        "id": "skills",
                        "kind": "grid",
                        "preselected": "none",
                        "rows": [{"id": "a", "group": "x"}, {"id": "b", "group": "x"}, {"id": "c", "group": "y"}],
                        "options": [
                            {"id": "none", "value": 0},
                            {"id": "low", "value": 0.1},
                            {"id": "high", "value": 3},
                        ],
                    },
                ],
            }
        ],
        "score": [
            {"id": "given", "rule": "value", "question": "whole"},
            {"id": "sum", "rule": "grid_sum", "question": "skills"},
            {"id": "sum_x", "rule": "grid_sum", "question": "skills", "options": {"group": "x"}},
            {"id": "count", "rule": "grid_count", "question": "skills"},
            {"id": "mean", "rule": "grid_mean", "question": "skills"},
            {"id": "sure", "rule": "grid_sum", "question": "skills", "when": {"question": "whole", "at_least": 50}},
        ],
    }
)
LEVELS = st.sampled_from([None, "none", "low", "high", "unheard of"])
GRIDS = st.none() | st.dictionaries(st.sampled_from("abc"), LEVELS) | st.just("not a grid")
WHOLES = st.none() | st.integers(0, 100) | st.just("seventy")


VALUES = {"none": 0.0, "low": 0.1, "high": 3.0}


def reckoned(whole: object, grid: object) -> dict[str, float | None]:
    """The scores of one item by their definitions."""
    cells = {row: VALUES[cell] for row, cell in grid.items() if cell in VALUES} if isinstance(grid, dict) else {}
    cells = {row: cells[row] for row in "abc" if row in cells}
    in_x = [value for row, value in cells.items() if row in "ab"]
    chosen = [value for value in cells.values() if value != 0]
    given = float(whole) if isinstance(whole, int) else None
    total = sum(cells.values()) if cells else None
    return {
        "given": given,
        "sum": total,
        "sum_x": sum(in_x) if in_x else None,
        "count": len(chosen) if cells else None,
        "mean": sum(chosen) / len(chosen) if chosen else None,
        "sure": total if given is not None and given >= 50 else None,
    }


@given(st.lists(st.tuples(WHOLES, GRIDS), max_size=8))
def test_columns_hold_what_the_rules_say_item_by_item(items: list[tuple[object, object]]) -> None:
    answers = {"whole": [whole for whole, _ in items], "skills": [grid for _, grid in items]}
    columns = scores_of(PROTOCOL, answers, len(items))
    for place, item in enumerate(items):
        assert {name: column[place] for name, column in columns.items()} == reckoned(*item)


def test_sums_are_added_in_the_order_of_the_rows() -> None:
    dice = Random(1)
    grids = [{row: dice.choice(["none", "low", "high"]) for row in "abc"} for _ in range(200)]
    columns = scores_of(PROTOCOL, {"skills": grids}, len(grids))
    assert columns["sum"] == [reckoned(None, grid)["sum"] for grid in grids]


def test_questions_that_nobody_answered_have_no_scores() -> None:
    assert set(map(tuple, scores_of(PROTOCOL, {}, 2).values())) == {(None, None)}


# From answers to numbers.


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
    grids = [SKILLS, dict.fromkeys(SKILLS, "not_relevant")]
    mean = Score(id="mean", rule="grid_mean", question="skills")
    protocol = H_FALCON.model_copy(update={"scores": (mean,)})
    assert scores_of(protocol, {"skills": grids}, 2) == {"mean": [9 / 4, None]}


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


def test_named_options_and_the_fate_of_prefilled_spans() -> None:
    survey, esa = protocols.load("context_survey"), protocols.load("esa_preannotated")
    assert scores(survey, {"translatable": "no"})["not_translatable"] == 1
    assert scores(survey, {"translatable": "yes"})["not_translatable"] == 0
    spans = [{"severity": "minor", "origin": origin} for origin in ("kept", "kept", "changed", "removed", "added")]
    found = scores(esa, {"errors": spans, "score": 70})
    assert found == {"points": 70, "error_points": 4, "error_count": 4, "kept_share": 0.5, "removed_share": 0.25}
    assert scores(esa, {"errors": [{"severity": "minor", "origin": "added"}]})["kept_share"] is None


def test_a_scorecard_passes_or_fails_by_points_per_thousand_words() -> None:
    (penalty,) = (score for score in protocols.load("mqm_localisation").scores if score.id == "penalty")
    passed = rate(penalty, 10, 400)
    assert passed is not None and (passed.points, passed.per_words, passed.passed) == (25, 1000, True)
    failed = rate(penalty, 11, 400)
    assert failed is not None and failed.passed is False
    assert rate(penalty, 1, 0) is None
    assert rate(protocols.load("mqm").scores[0], 10, 400) is None


def test_words_are_counted_by_script() -> None:
    assert word_count("Two words – and three more.") == 5
    assert word_count("二つの言葉。", "ja") == 5
    assert word_count("두 단어 하나", "ko") == 3
    assert word_count("我哋今日去。", "yue") == word_count("我哋今日去。", "yue-HK") == 5
    assert word_count("ตัวอย่าง", "tha") == word_count("ตัวอย่าง", "th") > 1


@pytest.mark.data
def test_mqm_weights_give_every_published_segment_score() -> None:
    """TED en-de: 6,877 of 6,877 segment averages over judges."""
    folder = data_dir("mqm")
    protocol = protocols.load("mqm")
    errors = protocol.stages[0].questions[0]
    totals: dict[tuple[str, str], dict[str, float]] = defaultdict(lambda: defaultdict(float))
    with (folder / "mqm_ted_ende.tsv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            spans = []
            if row["category"] != "No-error":
                span = {"start": 0, "end": 1, "category": row["category"], "severity": row["severity"]}
                spans = accept(errors, [span]).value
            penalty = scores(protocol, {"errors": spans})["penalty"]
            totals[row["system"], row["seg_id"]][row["rater"]] += penalty or 0.0
    agreed = 0
    published = (folder / "mqm_ted_ende.avg_seg_scores.tsv").read_text(encoding="utf-8").splitlines()
    for line in published[1:]:
        system, score, segment = line.split()[:3]
        by_judge = totals.get((system, segment))
        if by_judge and score != "None":
            agreed += abs(sum(by_judge.values()) / len(by_judge) + float(score)) < 1e-5
    assert agreed == 6877


def _with_scale(direction: str) -> Protocol:
    protocol = load("da")
    [stage] = protocol.stages
    score, *others = stage.questions
    questions = (score.model_copy(update={"direction": direction}), *others)
    return protocol.model_copy(update={"stages": (stage.model_copy(update={"questions": questions}),)})


def test_a_plan_names_what_is_ranked() -> None:
    assert [entry.of for entry in ranking_plans(load("da"))] == ["score"]
    assert ranking_plans(None) == []


def test_a_penalty_says_itself_that_less_is_better() -> None:
    assert ranking_options(load("mqm"), "penalty", {})["direction"] == "lower_is_better"


def test_a_scale_says_which_end_is_better_and_a_plan_may_say_otherwise() -> None:
    assert "direction" not in ranking_options(load("da"), "score", {})
    lower = _with_scale("lower_is_better")
    assert ranking_options(lower, "score", {})["direction"] == "lower_is_better"
    assert ranking_options(lower, "points", {})["direction"] == "lower_is_better"
    plan = Analysis(statistic="ranking.systems", of="score", options={"direction": "higher_is_better"})
    assert ranking_options(lower, "score", plan.options)["direction"] == "higher_is_better"
    with pytest.raises(InputError, match="Neither end"):
        ranking_options(_with_scale("neutral"), "score", {})
