"""Three steps from words to answers: JSON, schema, meaning; aliases counted, nothing guessed."""

from __future__ import annotations

import json

import pytest

from lanner import protocols
from lanner.judges.replies import Asked, aliased, parse, verdict
from lanner.protocols.answers import Texts, stage_schema

FALCON, ESA, H_FALCON = protocols.load("falcon"), protocols.load("esa"), protocols.load("h_falcon")
SKILLS = ["style_register", "modality_attitude", "participant_focus"]


def skills(given: object) -> tuple:
    stage = next(s for s in FALCON.stages if s.id == "skills")
    asked = Asked(FALCON, [stage], None, {"context": "local"})
    found = verdict(json.dumps({"skills": given, "comment": None}), asked, stage_schema([stage]))
    return found.step, found.answers and found.answers["skills"], found.repairs


def test_right_answers_pass() -> None:
    assert skills(SKILLS) == ("", sorted(SKILLS, key=[o.id for o in FALCON.find("skills")[1].choices].index), 0)


def test_other_spellings_pass_by_the_alias_table_and_are_counted() -> None:
    step, answers, repairs = skills(["Stylistic Register", "Modality & Attitude", "participant_focus"])
    assert (step, set(answers), repairs) == ("", set(SKILLS), 2)
    assert aliased(FALCON.find("context")[1], "Local contextual contextual") == ("local", 1)
    assert aliased(FALCON.find("context")[1], "somewhere near") == ("somewhere near", 0)


def test_a_label_nobody_knows_fails_at_the_schema() -> None:
    assert skills(["register of style", *SKILLS[1:]])[:2] == ("schema", None)


def test_two_names_of_one_skill_are_not_three_skills() -> None:
    """Valid by the letters that came, wrong once the alias is resolved."""
    assert skills(["style_register", "Stylistic Register", "participant_focus"])[:2] == ("schema", None)


@pytest.mark.parametrize(
    ("text", "repairs"),
    [('{"a": 1}', 0), ('```json\n{"a": 1}\n```', 1), ('<think>\nhm {"b": 2}\n</think>\n{"a": 1}', 1)],
)
def test_json_may_stand_in_a_fence_or_after_thoughts(text: str, repairs: int) -> None:
    assert parse(text) == ({"a": 1}, repairs)


@pytest.mark.parametrize("text", ["", "Sure! The answer is 3.", '{"score": 3', "[" * 100_000, "NaN {"])
def test_anything_else_is_not_json(text: str) -> None:
    stage = ESA.stages[0]
    assert verdict(text, Asked(ESA, [stage], None, {}), stage_schema([stage])).step == "json"


@pytest.mark.parametrize("text", ["3", "[]", "null", '"text"'])
def test_a_reply_is_an_object(text: str) -> None:
    stage = ESA.stages[0]
    assert verdict(text, Asked(ESA, [stage], None, {}), stage_schema([stage])).step == "schema"


def esa(quote: str) -> tuple:
    stage = ESA.stages[0]
    severity = ESA.find("errors")[1].severities[0].id
    span = {"side": "target", "text": quote, "severity": severity, "missing": False}
    reply = {"errors": [span], "score": 50, "comment": None}
    schema = stage_schema([stage])
    reply["errors"][0] = {k: v for k, v in span.items() if k in schema["properties"]["errors"]["items"]["properties"]}
    asked = Asked(ESA, [stage], Texts("The cat.", ("Die Katze.",)), {})
    return verdict(json.dumps(reply), asked, schema)


def test_a_quoted_span_is_found_in_the_text() -> None:
    [span] = esa("Katze").answers["errors"]
    assert (span["start"], span["end"]) == (4, 9)


def test_words_that_do_not_stand_in_the_text_have_no_meaning() -> None:
    found = esa("Hund")
    assert (found.step, found.answers) == ("meaning", None)
    assert "'Hund' does not stand in the text" in found.problem


def test_nine_skills_once() -> None:
    stage = H_FALCON.stages[0]
    rows = [row.id for row in H_FALCON.find("skills")[1].rows]
    asked = Asked(H_FALCON, [stage], None, {})
    whole = {"skills": dict.fromkeys(rows, "high"), "sentence": 4, "holistic": 10, "comment": None}
    assert verdict(json.dumps(whole), asked, stage_schema([stage])).step == ""
    fewer = {**whole, "skills": dict.fromkeys(rows[1:], "high")}
    assert verdict(json.dumps(fewer), asked, stage_schema([stage])).step == "schema"


def test_what_is_not_asked_must_not_be_answered() -> None:
    protocol = protocols.load("falcon_skip")
    stage = next(s for s in protocol.stages if s.id == "skills")
    asked = Asked(protocol, [stage], None, {"context": "sentence_level"})
    given = {q.id: None for q in stage.questions} | {"skills": SKILLS}
    found = verdict(json.dumps(given), asked, stage_schema([stage]))
    assert (found.step, found.answers) == ("meaning", None)
