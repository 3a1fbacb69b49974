"""Grammars in llama.cpp's notation; that the server holds a model to them is shown in `test_llama`."""

from __future__ import annotations

import re

from lanner import protocols
from lanner.judges.grammar import grammar
from lanner.protocols.schema import stage_schema


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
