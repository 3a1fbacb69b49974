"""One row per item, one column per thing asked."""

from __future__ import annotations

from random import Random

import pytest

from lanner import protocols
from lanner.protocols import simulate
from lanner.protocols.answers import Texts
from lanner.protocols.columns import cells, columns

TEXTS = Texts("A source sentence.", ("A target sentence.", "Another one."))


@pytest.mark.parametrize("name", protocols.names())
def test_every_answer_has_a_cell_and_every_cell_a_column(name: str) -> None:
    protocol = protocols.load(name)
    names = [column.name for column in columns(protocol)]
    assert len(names) == len(set(names))
    answers: dict[str, object] = {}
    for page in protocol.pages:
        answers |= simulate.page(protocol, page, rng=Random(4), texts=TEXTS, answers=answers)
    row = cells(protocol, answers)
    assert list(row) == names
    assert all(value is None or isinstance(value, str | int | float) for value in row.values())
    given = {column.question for column in columns(protocol) if row[column.name] is not None}
    assert {question for question, value in answers.items() if value not in (None, {})} <= given


def test_parts_of_an_answer() -> None:
    row = cells(protocols.load("falcon"), {"skills": ["style_register"], "ratings": {"style_register": 4}})
    assert (row["skills.style_register"], row["skills.participant_focus"]) == (1, 0)
    assert (row["ratings.style_register"], row["ratings.participant_focus"]) == (4, None)
    row = cells(protocols.load("esa"), {"errors": [{"severity": "minor"}, {"severity": "minor", "origin": "removed"}]})
    assert row["errors.number"] == 1
    assert cells(protocols.load("ranking_rs"), {"ranking_rs": [2, 1]})["ranking_rs"] == "2|1"
    titles = {column.name: column.title for column in columns(protocols.load("h_falcon"), "ko")}
    assert titles["skills.style_register"] == "번역 기술: 문체와 격식"
