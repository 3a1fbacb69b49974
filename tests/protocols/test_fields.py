from __future__ import annotations

import pytest

from lanner import protocols
from lanner.model import Json
from lanner.protocols.fields import answers_from_fields

QUESTIONS = ("which", "some", "counted", "score", "each", "count", "order", "table", "marks", "note")
EVERYTHING = """
name = "everything"
version = "1"
[[stage]]
id = "one"
unit = "document"
object = "outputs"
[[stage.question]]
id = "which"
kind = "choice"
options = ["a", "b"]
[[stage.question]]
id = "some"
kind = "labels"
options = ["a", "b", "c"]
[[stage.question]]
id = "counted"
kind = "labels"
counts = true
options = ["a", "b", "c"]
[[stage.question]]
id = "score"
kind = "scale"
min = 0
max = 100
[[stage.question]]
id = "each"
kind = "scale"
min = 1
max = 4
for_each = "some"
[[stage.question]]
id = "count"
kind = "number"
[[stage.question]]
id = "order"
kind = "rank"
[[stage.question]]
id = "table"
kind = "grid"
rows = ["x", "y"]
options = ["lo", "hi"]
[[stage.question]]
id = "marks"
kind = "spans"
[[stage.question]]
id = "note"
kind = "text"
[text.en]
title = "Everything"
[text.en.questions]
""" + "\n".join(f"{name}.label = '{name}'" for name in QUESTIONS)


def grouped(fields: list[tuple[str, str]]) -> dict[str, list[str]]:
    return {name: [value.strip() for key, value in fields if key == name] for name, _ in fields}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ([("which", "a")], {"which": "a"}),
        ([("which", "")], {"which": None}),
        ([("some", "a"), ("some", "c")], {"some": ["a", "c"]}),
        ([("some", "")], {"some": None}),
        ([("counted.a", "2"), ("counted.b", "")], {"counted": {"a": 2}}),
        ([("counted.a", "0"), ("counted.c", "c")], {"counted": {"a": 0, "c": 1}}),
        ([("score", "72")], {"score": 72}),
        ([("score", "72.5")], {"score": 72.5}),
        ([("score", "many")], {"score": "many"}),
        ([("each.a", "3"), ("each.b", "")], {"each": {"a": 3}}),
        ([("count", "4")], {"count": 4}),
        ([("order", "1,2")], {"order": [1, 2]}),
        ([("order.0", "2"), ("order.1", "1"), ("order.2", "3")], {"order": [2, 1, 3]}),
        ([("order.0", "2"), ("order.1", "")], {"order": None}),
        ([("table.x", "lo"), ("table.y", "hi")], {"table": {"x": "lo", "y": "hi"}}),
        ([("note", "  hello ")], {"note": "hello"}),
        ([("note", "")], {"note": None}),
        ([("marks", "[]"), ("stranger", "1")], {}),
    ],
)
def test_fields_become_answers(fields: list[tuple[str, str]], said: dict[str, Json]) -> None:
    protocol = protocols.parse_toml(EVERYTHING)
    assert answers_from_fields(protocol, "one", grouped(fields)) == said


def test_a_whole_row_of_h_falcon() -> None:
    protocol = protocols.load("h_falcon")
    grid = next(question for _, question in protocol.questions if question.id == "skills")
    fields = [(f"skills.{row.id}", "high") for row in grid.rows] + [("sentence", "4"), ("holistic", "10")]
    said = answers_from_fields(protocol, "rating", grouped(fields))
    assert said["holistic"] == 10
    assert set(said["skills"].values()) == {"high"}
    assert len(said["skills"]) == 9
