"""Three steps from words to answers: JSON, schema, meaning; aliases counted, nothing guessed."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from lanner import protocols
from lanner.judges.prompt import PromptSettings
from lanner.judges.providers import Reply, ReplyToken
from lanner.judges.replies import ItemRequest, parse, replace_aliases, verdict, weighted_means, with_weights
from lanner.judges.worker import judge_sentences
from lanner.protocols.answers import stage_schema
from lanner.protocols.kinds.base import JudgedTexts
from lanner.store import Store
from model_campaign import corpus, judge, opened, stored
from stub_server import Stub, completion

FALCON, ESA, H_FALCON = protocols.load("falcon"), protocols.load("esa"), protocols.load("h_falcon")
SKILLS = ["style_register", "modality_attitude", "participant_focus"]


def skills(given: object) -> tuple:
    stage = next(s for s in FALCON.stages if s.id == "skills")
    asked = ItemRequest(FALCON, [stage], None, {"context": "local"})
    found = verdict(json.dumps({"skills": given, "comment": None}), asked, stage_schema([stage]))
    return found.step, found.answers and found.answers["skills"], found.repairs


def test_right_answers_pass() -> None:
    assert skills(SKILLS) == ("", sorted(SKILLS, key=[o.id for o in FALCON.find("skills")[1].choices].index), 0)


def test_other_spellings_pass_by_the_alias_table_and_are_counted() -> None:
    step, answers, repairs = skills(["Stylistic Register", "Modality & Attitude", "participant_focus"])
    assert (step, set(answers), repairs) == ("", set(SKILLS), 2)
    assert replace_aliases(FALCON.find("context")[1], "Local contextual contextual") == ("local", 1)
    assert replace_aliases(FALCON.find("context")[1], "somewhere near") == ("somewhere near", 0)


def test_a_label_nobody_knows_fails_at_the_schema() -> None:
    assert skills(["register of style", *SKILLS[1:]])[:2] == ("schema", None)


def test_two_names_of_one_skill_are_not_three_skills() -> None:
    """Valid by the letters that came, wrong once the alias is resolved."""
    assert skills(["style_register", "Stylistic Register", "participant_focus"])[:2] == ("schema", None)


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        ('{"a": 1}', 0),
        ('\ufeff{"a": 1}', 1),
        ('{"a": 1, "a": 1}', 0),
        ('```json\n{"a": 1}\n```', 1),
        ('<think>\nhm {"b": 2}\n</think>\n{"a": 1}', 1),
        ('<Thinking>\n```json\n{"b": 2}\n```\n</Thinking>\n{"a": 1}', 1),
        ('In short:\n```json\n{"a": 1}\n```\nor:\n```\n{"a": 1}\n```', 1),
        ('```text\na, of course\n```\n```json\n{"a": 1}\n```', 1),
    ],
)
def test_json_may_stand_in_a_fence_or_after_thoughts(text: str, repairs: int) -> None:
    assert parse(text) == ({"a": 1}, repairs)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sure! The answer is 3.",
        '{"score": 3',
        "[" * 100_000,
        "NaN {",
        '<think>\nPerhaps\n```json\n{"score": 3}\n```\nor rather',
        '```json\n{"score": 3}\n```\nOn reflection:\n```json\n{"sco',
        '```json\n{"score": 3}\n```\nOn reflection:\n```json\n{"sco\n```',
    ],
)
def test_anything_else_is_not_json(text: str) -> None:
    stage = ESA.stages[0]
    assert verdict(text, ItemRequest(ESA, [stage], None, {}), stage_schema([stage])).step == "json"


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 3, "score": 70}',
        '```json\n{"x": [{"a": 1, "a": 2}]}\n```',
        '```json\n{"score": 3}\n```\nFinal:\n```json\n{"score": 70}\n```',
    ],
)
def test_two_answers_to_one_question_are_no_answer(text: str) -> None:
    stage = ESA.stages[0]
    found = verdict(text, ItemRequest(ESA, [stage], None, {}), stage_schema([stage]))
    assert (found.answers, found.step) == (None, "schema")
    assert "differ" in found.problem
    good: dict[str, object] = {}
    many, outcome = judge_sentences(text, [ItemRequest(ESA, [stage], None, {})], {"1": stage_schema([stage])}, good)
    assert (many.answers, many.step, outcome, good) == (None, "schema", "missing", {})


@pytest.mark.parametrize("text", ["3", "[]", "null", '"text"'])
def test_a_reply_is_an_object(text: str) -> None:
    stage = ESA.stages[0]
    assert verdict(text, ItemRequest(ESA, [stage], None, {}), stage_schema([stage])).step == "schema"


def esa(quote: str) -> tuple:
    stage = ESA.stages[0]
    severity = ESA.find("errors")[1].severities[0].id
    span = {"side": "target", "text": quote, "severity": severity, "missing": False}
    reply = {"errors": [span], "score": 50, "comment": None}
    schema = stage_schema([stage])
    reply["errors"][0] = {k: v for k, v in span.items() if k in schema["properties"]["errors"]["items"]["properties"]}
    asked = ItemRequest(ESA, [stage], JudgedTexts("The cat.", ("Die Katze.",)), {})
    return verdict(json.dumps(reply), asked, schema)


def test_a_quoted_span_is_found_in_the_text() -> None:
    [span] = esa("Katze").answers["errors"]
    assert (span["start"], span["end"]) == (4, 9)


WAYS: list[dict[str, Any]] = [
    {"calls": "stages"}, {"calls": "pages"}, {"calls": "skills"}, {"calls": "documents"}, {"samples": 3}, {"models": 2},
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_an_answer_with_words_that_stand_in_several_places_is_stored_with_a_flag(
    tmp_path: Path, way: dict[str, Any]
) -> None:
    def quote(body: dict[str, Any], turn: int) -> dict[str, Any]:
        """Quotes the full stop of the first sentence, which has two, and the ferry of the second, which has one."""
        spans = [{"side": "target", "text": text, "severity": "minor", "missing": False} for text in (".", "Fähre")]
        first, second = ({"errors": [span], "score": 50} for span in spans)
        if "properties" in body["response_format"]["json_schema"]["schema"]["properties"].get("1", {}):
            reply = {"1": first} if not turn and len(body["messages"]) == 2 else {"1": first, "2": second}
        else:
            asked = next(line for line in body["messages"][-1]["content"].splitlines()[::-1] if "Die Fähre" in line)
            reply = first if "0.0" in asked else second
        return completion(body, json.dumps(reply))

    texts = corpus(1, 2)
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "esa", texts)
        totals = judge(store, number, Stub(quote), **way, settings=PromptSettings("none", comments=False))
        marked = [entry for entry in stored(store, number) if entry.question == "errors"]
        unsure = {
            segment.id: segment.text("oak").count(mark["text"]) > 1
            for segment, entry in zip(texts[0].segments, marked, strict=True)
            for mark in entry.value
        }
        assert unsure == {"0": True, "1": False}
        assert {entry.segment: entry.flags for entry in stored(store, number) if entry.question == "errors"} == {
            segment: ("several_places",) if several else () for segment, several in unsure.items()
        }
        assert (totals.items, totals.several_places) == (2, sum(unsure.values()))


def test_words_that_do_not_stand_in_the_text_have_no_meaning() -> None:
    found = esa("Hund")
    assert (found.step, found.answers) == ("meaning", None)
    assert "'Hund' does not stand in the text" in found.problem


def test_nine_skills_once() -> None:
    stage = H_FALCON.stages[0]
    rows = [row.id for row in H_FALCON.find("skills")[1].rows]
    asked = ItemRequest(H_FALCON, [stage], None, {})
    whole = {"skills": dict.fromkeys(rows, "high"), "sentence": 4, "holistic": 10, "comment": None}
    assert verdict(json.dumps(whole), asked, stage_schema([stage])).step == ""
    fewer = {**whole, "skills": dict.fromkeys(rows[1:], "high")}
    assert verdict(json.dumps(fewer), asked, stage_schema([stage])).step == "schema"


def test_what_is_not_asked_must_not_be_answered() -> None:
    protocol = protocols.load("falcon_skip")
    stage = next(s for s in protocol.stages if s.id == "skills")
    asked = ItemRequest(protocol, [stage], None, {"context": "sentence_level"})
    given = {q.id: None for q in stage.questions} | {"skills": SKILLS}
    found = verdict(json.dumps(given), asked, stage_schema([stage]))
    assert (found.step, found.answers) == ("meaning", None)


SCHEMA = {
    "type": "object",
    "properties": {
        "score": {"type": "integer", "minimum": 0, "maximum": 100},
        "ratings": {"type": "object", "properties": {"tone": {"type": "integer", "minimum": 1, "maximum": 5}}},
        "free": {"type": "integer"},
    },
}


def logs(**weights: float) -> tuple[tuple[str, float], ...]:
    return tuple((name.strip("_"), math.log(weight)) for name, weight in weights.items())


def reply(*tokens: ReplyToken | str) -> Reply:
    pieces = tuple(token if isinstance(token, ReplyToken) else ReplyToken(token) for token in tokens)
    return Reply("".join(token.text for token in pieces), tokens=pieces)


def test_the_mean_is_over_the_alternatives_that_are_allowed() -> None:
    score = ReplyToken(" 80", logs(_80=0.6, _90=0.2, _100=0.1, _200=0.05, words=0.05))
    means = weighted_means(reply('{"score":', score, "}"), SCHEMA)
    assert means == {"score": pytest.approx((80 * 0.6 + 90 * 0.2 + 100 * 0.1) / 0.9)}


def test_numbers_in_tables_have_their_own_places_and_texts_have_none() -> None:
    tone = ReplyToken("4", logs(_4=0.5, _5=0.5))
    given = reply('{"score": ', "70", ', "note": "7 of 10 \\" 3", "ratings": {"tone": ', tone, "}}")
    assert weighted_means(given, SCHEMA) == {"ratings.tone": 4.5}  # of the score there are no alternatives


@pytest.mark.parametrize(
    "tokens",
    [
        ('{"score": ', ReplyToken("8", logs(_8=1.0)), ReplyToken("5", logs(_5=1.0)), "}"),  # two tokens
        ('{"score": ', ReplyToken("8", logs(_8=0.6, _1=0.4)), "}"),  # 1 may be the beginning of 10 or 100
        ('{"free": ', ReplyToken("80", logs(_80=0.6, _90=0.4)), "}"),  # no bounds
    ],
)
def test_what_is_not_sure_is_not_weighted(tokens: tuple[Any, ...]) -> None:
    assert weighted_means(reply(*tokens), SCHEMA) == {}


def test_tokens_of_another_text_say_nothing() -> None:
    assert weighted_means(Reply('{"score": 80}', tokens=(ReplyToken("80", logs(_80=0.6, _90=0.4)),)), SCHEMA) == {}


@pytest.mark.parametrize(("step", "score"), [(1, 85), (5, 85), (2, 84), (25, 75), (0, 84.6)])
def test_answers_are_rounded_as_the_scale_asks(step: float, score: float) -> None:
    protocol = protocols.load("da")
    place = protocol.find("score")
    assert place is not None
    stage, question = place
    stepped = stage.model_copy(update={"questions": (question.model_copy(update={"step": step}),)})
    protocol = protocol.model_copy(update={"stages": (stepped,)})
    answers = {"score": 80, "ratings": {"tone": 4}, "x": "y"}
    assert with_weights(answers, {"score": 84.6, "ratings.tone": 4.4}, protocol) == {
        "score": score,
        "ratings": {"tone": 4},
        "x": "y",
    }


def test_a_judge_stores_the_weighted_score_and_the_ledger_the_exact_one(tmp_path: Path) -> None:
    def answer(body: dict[str, Any], _turn: int) -> dict[str, Any]:
        assert (body["logprobs"], body["top_logprobs"]) == (True, 20)
        made = completion(body, '{"score": 80}')
        others = [{"token": text, "logprob": math.log(part)} for text, part in (("80", 0.5), ("90", 0.5))]
        tokens = [('{"score": ', []), ("80", others), ("}", [])]
        content = [{"token": text, "logprob": 0.0, "top_logprobs": top} for text, top in tokens]
        made["choices"][0]["logprobs"] = {"content": content}
        return made

    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(1, 1))
        judge(store, number, Stub(answer), weighted=True)
        [entry] = stored(store, number)
        assert entry.value == 85
        with store.reading() as tx:
            [(_, row)] = tx.ledger.of_judge(1)
        assert json.loads(row.detail)["weighted"] == {"score": 85.0}
