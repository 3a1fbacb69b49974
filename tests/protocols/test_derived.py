from lanner import protocols
from lanner.model import Judgement
from lanner.protocols.derived import derived

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
