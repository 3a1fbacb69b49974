"""Our check of schemas says the same as a full validator, on every schema that protocols make."""

from __future__ import annotations

import json
import math
import re
from random import Random
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner import protocols
from lanner.judges.providers._http import family
from lanner.judges.schemas import describe_form, grammar, mistake, without_keywords
from lanner.protocols.answers import stage_schema
from property_examples import examples
from stub_server import instance

SCHEMAS = [stage_schema([stage]) for name in protocols.names() for stage in protocols.load(name).stages]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 120) | st.floats(0, 9) | st.sampled_from(["local", "high", ""]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["text", "score", "side"]), inner),
    max_leaves=6,
)


def spoilt(value: object, dice: Random, other: object) -> object:
    """The value with one place of it replaced or removed."""
    if isinstance(value, dict) and value and dice.random() < 0.8:
        key = dice.choice(sorted(value))
        if dice.random() < 0.2:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: spoilt(value[key], dice, other)}
    if isinstance(value, list) and value and dice.random() < 0.8:
        place = dice.randrange(len(value))
        return [spoilt(v, dice, other) if n == place else v for n, v in enumerate(value)]
    return other


@settings(max_examples=examples(300))
@given(st.sampled_from(SCHEMAS), st.randoms(use_true_random=False), VALUES)
def test_it_agrees_with_a_full_validator(schema: dict, dice: Random, other: object) -> None:
    value = instance(schema, dice)
    assert mistake(schema, value) == ""
    wrong = spoilt(value, dice, other)
    valid = jsonschema.Draft202012Validator(schema).is_valid(wrong)
    assert (mistake(schema, wrong) == "") == valid, json.dumps(wrong)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({}, '"context" is missing.'),
        ({"context": "lokal", "spans": None}, "context: 'lokal' is not allowed. Did you mean 'local'?"),
        ({"context": "local", "spans": 3}, "spans: 3 is not a list."),
        ({"context": "local", "spans": [], "more": 1}, '"more" is not asked for.'),
    ],
)
def test_mistakes_are_said_so_that_a_model_can_act_on_them(value: dict, words: str) -> None:
    stage = next(stage for stage in protocols.load("falcon").stages if stage.id == "context")
    assert mistake(stage_schema([stage]), value) == words


def test_every_rule_that_is_named_is_there() -> None:
    for name in protocols.names():
        for stage in protocols.load(name).stages:
            made = grammar(stage_schema([stage]))
            rules = dict(line.split(" ::= ", 1) for line in made.splitlines())
            used = {
                word for body in rules.values() for word in re.findall(r"\br\d+\b", re.sub(r'"(\\.|[^"])*"', "", body))
            }
            assert used <= rules.keys()
            assert "root" in rules


def test_scales_arrays_and_enums() -> None:
    stage = next(s for s in protocols.load("falcon").stages if s.id == "skills")
    made = grammar(stage_schema([stage]))
    assert '"\\"style_register\\""' in made
    assert "{2,2}" in made  # exactly three: one, and two more
    assert '("1" | "2" | "3" | "4")' in grammar(stage_schema(protocols.load("h_falcon").stages))


# What the large providers take in strict mode, written down from their public documentation. A schema may use nothing
# else. "root" and "closed" hold for all: an object at the top, every property required, no others allowed.
SUBSETS: dict[str, set[str]] = {
    "openai": {
        *("type", "properties", "required", "additionalProperties", "items", "enum", "anyOf"),
        *("minimum", "maximum", "minItems", "maxItems"),
    },
    "anthropic": {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf"},
    "gemini": {
        *("type", "properties", "required", "additionalProperties", "items", "enum", "anyOf"),
        *("minimum", "maximum", "minItems", "maxItems"),
    },
}


def breaches(schema: Any, words: set[str], path: str = "$") -> list[str]:
    """Where a schema leaves a subset."""
    found = [f"{path}: {word}" for word in schema if word not in words]
    if "anyOf" in schema:
        return found + [b for n, entry in enumerate(schema["anyOf"]) for b in breaches(entry, words, f"{path}|{n}")]
    if schema.get("type") not in ("object", "array", "string", "integer", "number", "boolean", "null"):
        return [*found, f"{path}: no type"]
    if schema["type"] == "object":
        properties = schema.get("properties")
        if not properties or schema.get("additionalProperties") is not False:
            return [*found, f"{path}: open object"]
        if set(schema["required"]) != set(properties):
            found.append(f"{path}: optional properties")
        found += [b for name, entry in properties.items() for b in breaches(entry, words, f"{path}.{name}")]
    if schema["type"] == "array":
        found += breaches(schema["items"], words, f"{path}[]")
    return found


def schemas_of(name: str) -> list[dict[str, Any]]:
    """Everything a model can be asked for by a protocol: stage by stage, page by page, with labels chosen or not."""
    protocol = protocols.load(name)
    pages = [list(stages) for stages in protocol.pages.values()] + [[stage] for stage in protocol.stages]
    schemas = []
    for stages in pages:
        repeated = [question for stage in stages for question in stage.questions if question.for_each]
        here = {question.id for stage in stages for question in stage.questions}
        chosen = {q.id: ["style_register"] for q in repeated if q.for_each not in here}
        schemas.append(stage_schema(stages, chosen=chosen))
    return schemas


@pytest.mark.parametrize("provider", SUBSETS)
@pytest.mark.parametrize("name", protocols.names())
def test_every_schema_is_valid_in_the_strict_subset_of_the_provider(name: str, provider: str) -> None:
    for schema in schemas_of(name):
        assert schema["type"] == "object"
        assert breaches(without_keywords(schema, family("", named=provider).without), SUBSETS[provider]) == []


def test_what_a_provider_does_not_take_is_left_out_of_schemas_and_not_of_names() -> None:
    schema = {"type": "object", "properties": {"minimum": {"type": "integer", "minimum": 1}}, "required": ["minimum"]}
    assert without_keywords(schema, frozenset({"minimum"}))["properties"] == {"minimum": {"type": "integer"}}


@pytest.mark.parametrize("name", protocols.names())
def test_the_form_in_the_prompt_names_every_field_and_every_bound(name: str) -> None:
    for schema in schemas_of(name):
        form = describe_form(schema)
        for field in schema["properties"]:
            assert f'"{field}": ' in form
    assert describe_form({"type": "integer", "minimum": 0, "maximum": 6}) == "a whole number from 0 to 6"
    assert describe_form({"anyOf": [{"type": "string"}, {"type": "null"}]}) == '"text" or null'


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, True, "3"])
def test_a_number_is_one_that_can_be_counted_with(value: object) -> None:
    assert mistake({"type": "number"}, value).endswith("is not a number.")
    assert mistake({"type": "number"}, 10**400) == mistake({"type": "number"}, 2.5) == ""
