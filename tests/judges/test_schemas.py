"""Our check of schemas says the same as a full validator, on every schema that protocols make."""

from __future__ import annotations

import json
import re
from random import Random

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner import protocols
from lanner.judges.schemas import grammar, mistake
from lanner.protocols.schema import stage_schema
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


@settings(max_examples=300)
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
