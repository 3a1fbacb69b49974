"""The JSON Schema of every page: valid itself, and what it allows passes our check once meaning is put right."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from lanner import protocols
from lanner.model import Labels, Protocol, Question, Rank, Scale, Spans, Text
from lanner.protocols import simulate
from lanner.protocols.answers import Texts, check
from lanner.protocols.flow import chosen
from lanner.protocols.schema import question_schema, stage_schema
from property_examples import examples

TEXTS = Texts("One source sentence.", ("Ein Satz hier.", "Noch ein Satz dort."))
PAGES = [(name, page) for name in protocols.names() for page in protocols.load(name).pages]


def drawn(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """What a model held to the schema could answer: the part of JSON Schema that we use."""
    if "anyOf" in schema:
        return st.one_of(*map(drawn, schema["anyOf"]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "null":
            return st.none()
        case "boolean":
            return st.booleans()
        case "integer":
            return st.integers(schema.get("minimum"), schema.get("maximum", schema.get("minimum", 0) + 50))
        case "number":
            return st.floats(schema.get("minimum"), schema.get("maximum"), allow_nan=False, allow_infinity=False)
        case "string":
            return st.text(max_size=min(schema.get("maxLength", 20), 20))
        case "array":
            return st.lists(
                drawn(schema["items"]), min_size=schema.get("minItems", 0), max_size=schema.get("maxItems", 4)
            )
        case "object" if "properties" in schema:
            return st.fixed_dictionaries({name: drawn(entry) for name, entry in schema["properties"].items()})
        case "object":
            return st.just({})
    raise AssertionError(schema)


def mended(question: Question, value: Any, rng: Random) -> Any:
    """What a schema cannot say: distinct and exclusive labels, steps, quotations that stand in the text, no ties."""
    if value is None:
        return None
    match question:
        case Labels() if question.counts or len(set(value)) < max(question.min, len(value)) or question.exclusive:
            return simulate.answer(question, rng=rng)
        case Scale() if question.step:
            return question.min + round((value - question.min) / question.step) * question.step
        case Spans():
            return [{**span, "side": question.sides[0], "text": _words(question), "missing": False} for span in value]
        case Rank() if not question.ties:
            return simulate.answer(question, rng=rng, outputs=len(value))
        case Text() if question.required:
            return value.strip() or "something"
        case _:
            return value


def _words(question: Spans) -> str:
    return "One" if question.sides[0] == "source" else "Satz"


@pytest.mark.parametrize(("name", "page"), PAGES)
def test_the_schema_of_every_page_is_valid_and_closed(name: str, page: str) -> None:
    stages = protocols.load(name).pages[page]
    schema = stage_schema(stages)
    Draft202012Validator.check_schema(schema)
    assert list(schema["properties"]) == [question.id for stage in stages for question in stage.questions]
    assert schema["required"] == list(schema["properties"])
    assert schema["additionalProperties"] is False


def answered(protocol: Protocol, page: str, seed: int) -> dict[str, Any]:
    """Simulated answers to the pages before, so that `for_each` has labels."""
    rng, answers = Random(seed), dict[str, Any]()
    for earlier in protocol.pages:
        if earlier == page:
            break
        answers |= simulate.page(protocol, earlier, rng=rng, texts=TEXTS, answers=answers)
    return answers


@pytest.mark.parametrize(("name", "page"), PAGES)
@settings(max_examples=examples(8), deadline=None)
@given(data=st.data())
def test_what_the_schema_allows_passes_our_check(name: str, page: str, data: st.DataObject) -> None:
    protocol = protocols.load(name)
    rng = Random(3)
    earlier = answered(protocol, page, 3)
    questions = [question for stage in protocol.pages[page] for question in stage.questions]
    labels = {q.id: chosen(protocol, q, earlier) for q in questions if q.for_each and q.for_each in earlier}
    outputs = len(TEXTS.targets)
    schema = stage_schema(protocol.pages[page], chosen=labels, outputs=outputs)
    value = data.draw(drawn(schema))
    if not any(isinstance(question, Labels) for question in questions):  # lists may repeat; our own check says so
        Draft202012Validator(schema).validate(value)
    for question in questions:
        if value[question.id] is None or (question.for_each and question.id not in labels):
            continue
        if question.for_each:
            each = {label: mended(question, entry, rng) for label, entry in value[question.id].items()}
            check(question, each, texts=TEXTS, chosen=labels[question.id], outputs=outputs)
        else:
            check(question, mended(question, value[question.id], rng), texts=TEXTS, outputs=outputs)


@pytest.mark.parametrize(("name", "page"), PAGES)
def test_our_own_answers_fit_the_schema(name: str, page: str) -> None:
    protocol = protocols.load(name)
    for seed in range(5):
        earlier = answered(protocol, page, seed)
        given_answers = simulate.page(protocol, page, rng=Random(seed), texts=TEXTS, answers=earlier)
        for stage in protocol.pages[page]:
            for question in stage.questions:
                value = given_answers.get(question.id)
                if value is None or isinstance(question, Spans) or question.for_each:
                    continue
                if isinstance(question, Labels) and question.counts:
                    value = {option.id: value.get(option.id, 0) for option in question.options}
                Draft202012Validator(question_schema(question)).validate(value)


def test_each_grid_row_stands_exactly_once_by_construction() -> None:
    schema = question_schema(protocols.load("h_falcon").stages[0].questions[0])
    assert len(schema["required"]) == 9
    assert not Draft202012Validator(schema).is_valid(dict.fromkeys(schema["required"][:8], "high"))


def test_chosen_labels_become_the_properties() -> None:
    stages = protocols.load("falcon").pages["rating"]
    schema = stage_schema(stages, chosen={"ratings": ["style_register", "participant_focus"]})
    assert schema["properties"]["ratings"]["required"] == ["style_register", "participant_focus"]
