"""Answers about outputs that are compared, as if the outputs had stood in another order."""

from __future__ import annotations

import pytest

from lanner.model import Choice, Grid, Json, Option, Question, Rank, Scale, Stage, Unit
from lanner.model import Object as About
from lanner.protocols.answers import reorder


def options(*names: str) -> tuple[Option, ...]:
    return tuple(Option(id=name) for name in names)


@pytest.mark.parametrize(
    ("question", "value", "turned"),
    [
        (Rank(id="q"), [1, 2], [2, 1]),
        (Choice(id="q", options=options("a", "b", "tie")), "a", "b"),
        (Choice(id="q", options=options("left", "right", "tie")), "right", "left"),
        (Choice(id="q", options=options("a", "b", "tie")), "tie", "tie"),
        (Choice(id="q", options=options("1", "2")), "1", "2"),
        (Choice(id="q", options=options("1", "2", "3", "4")), "1", "1"),  # degrees, not sides
        (Choice(id="q", options=options("good", "bad")), "good", "good"),
        (Choice(id="q", options=options("a_much", "a_slightly", "tie", "b_slightly", "b_much")), "a_much", "b_much"),
        (
            Choice(id="q", options=options("much_better_right", "much_better_left")),
            "much_better_left",
            "much_better_right",
        ),
        (Choice(id="q", options=options("left", "right", "left_out")), "left_out", "left_out"),
        (Choice(id="q", options=options("degree_1", "degree_2")), "degree_1", "degree_1"),
        (Scale(id="q", min=-3, max=3), 2, -2),
        (Scale(id="q", min=-3, max=3), 0, 0),
        (Scale(id="q", min=0, max=3), 2, 2),
        (Choice(id="q", options=options("a", "b"), for_each="labels"), {"x": "a", "y": "b"}, {"x": "b", "y": "a"}),
        (Grid(id="q", rows=options("a", "r"), options=options("a", "b")), {"a": "a", "r": "b"}, {"a": "b", "r": "a"}),
    ],
)
def test_what_names_an_output_by_its_place_is_turned_with_the_outputs(
    question: Question, value: Json, turned: Json
) -> None:
    pair = Stage(id="s", unit=Unit.ISOLATED, object=About.OUTPUTS, questions=(question,))
    assert reorder(pair, question, value, (1, 0)) == turned
    assert reorder(pair, question, value, (0, 1)) == value
    alone = Stage(id="s", unit=Unit.ISOLATED, object=About.OUTPUT, questions=(question,))
    assert reorder(alone, question, value, (1, 0)) == value
