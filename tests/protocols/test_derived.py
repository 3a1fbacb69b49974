from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from lanner import protocols
from lanner.model import Judgement, Protocol
from lanner.protocols.derived import derived, scores_of
from lanner.protocols.scoring import scores

H_FALCON, FALCON = protocols.load("h_falcon"), protocols.load("falcon")


def judgement(question: str, value: object, systems: tuple[str, ...] = ("oak",)) -> Judgement:
    return Judgement("J1", "rating", question, "d", "1", systems, value)


def test_h_falcon_scores_per_sentence() -> None:
    skills = {row.id: "not_relevant" for row in H_FALCON.find("skills")[1].rows}  # type: ignore[index, union-attr]
    skills |= {"style_register": "high", "idea_development": "low"}
    made = derived(H_FALCON, [judgement("skills", skills), judgement("sentence", 3), judgement("holistic", 8)])
    scores = {score.question: score.value for score in made}
    assert scores.pop("skills_chosen") == ["idea_development", "style_register"]
    assert scores == {
        "skill_sum": 4, "skill_count": 2, "field": 1, "tenor": 3, "mode": 0, "sentence_score": 3, "holistic_score": 8,
    }  # fmt: skip


def test_falcon_scores_use_what_was_said_of_the_source() -> None:
    ratings = {"style_register": 4, "idea_development": 1, "participant_focus": 1}
    about_source = [judgement("context", "local", ()), judgement("skills", list(ratings), ())]
    made = list(derived(FALCON, [*about_source, judgement("ratings", ratings)]))
    assert {score.question: score.value for score in made} == {"skill_mean": 2, "field": 1, "tenor": 4, "mode": 1}
    assert {score.systems for score in made} == {("oak",)}


def test_a_sentence_that_needs_no_context_has_no_document_level_score() -> None:
    answers = [judgement("context", "sentence_level", ()), judgement("ratings", {"style_register": 4})]
    assert not list(derived(FALCON, answers))


def test_missing_answers_give_no_score() -> None:
    assert not list(derived(H_FALCON, [judgement("holistic", None)]))


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


@given(st.lists(st.tuples(WHOLES, GRIDS), max_size=8))
def test_columns_hold_what_the_rules_say_item_by_item(items: list[tuple[object, object]]) -> None:
    answers = {"whole": [whole for whole, _ in items], "skills": [grid for _, grid in items]}
    columns = scores_of(PROTOCOL, answers, len(items))
    for place, (whole, grid) in enumerate(items):
        alone = scores(PROTOCOL, {"whole": whole, "skills": grid})
        assert {name: column[place] for name, column in columns.items()} == alone


def test_sums_are_added_in_the_order_of_the_rows() -> None:
    dice = Random(1)
    grids = [{row: dice.choice(["none", "low", "high"]) for row in "abc"} for _ in range(200)]
    columns = scores_of(PROTOCOL, {"skills": grids}, len(grids))
    assert columns["sum"] == [scores(PROTOCOL, {"skills": grid})["sum"] for grid in grids]


def test_questions_that_nobody_answered_have_no_scores() -> None:
    assert set(map(tuple, scores_of(PROTOCOL, {}, 2).values())) == {(None, None)}
