"""Scales: levels, and one number from several."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanner.model import Scale
from lanner.protocols.answers import check, combine
from lanner.protocols.kinds.scale import KIND

HUNDRED = Scale(id="q", min=0, max=100)
SLIDER = Scale(id="q", min=0, max=100, step=0)
TENTHS = Scale(id="q", min=0, max=1, step=0.1)


def test_samples_on_a_hundred_points_are_not_combined_to_their_minimum() -> None:
    assert combine(HUNDRED, [60, 80, 95]) == 80
    assert combine(HUNDRED, [60, 90, 90]) == 90
    assert combine(HUNDRED, [60, 80, 95], "mean") == 78
    assert combine(SLIDER, [60, 81]) == 70.5


@pytest.mark.parametrize("question", [HUNDRED, SLIDER, TENTHS, Scale(id="q", min=1, max=6, step=2.5)])
@given(data=st.data())
def test_what_is_combined_lies_between_the_answers_and_on_a_step(question: Scale, data: st.DataObject) -> None:
    if question.step:
        steps = round((question.max - question.min) / question.step)
        values = [question.min + n * question.step for n in data.draw(st.lists(st.integers(0, steps), min_size=2))]
    else:
        values = data.draw(st.lists(st.floats(question.min, question.max), min_size=2))
    for rule in ("majority", "median", "mean"):
        combined = combine(question, values, rule)
        check(question, combined)
        slack = 1e-9 + question.step / 2
        assert min(values) - slack <= combined <= max(values) + slack


def test_level_follows_the_number_of_steps() -> None:
    assert KIND.level(Scale(id="q", min=1, max=4)) == "ordinal"
    assert KIND.level(Scale(id="q", min=0, max=20)) == "ordinal"
    assert KIND.level(Scale(id="q", min=0, max=21)) == "interval"
    assert KIND.level(HUNDRED) == KIND.level(SLIDER) == "interval"


def test_nonsense_belongs_in_the_worse_half() -> None:
    assert KIND.expected_of_nonsense(HUNDRED, 0) == {"at_most": 50}
    errors = Scale(id="q", min=0, max=6, direction="lower_is_better")
    assert KIND.expected_of_nonsense(errors, 0) == {"at_least": 3}
    assert KIND.expected_of_nonsense(Scale(id="q", min=0, max=6, direction="neutral"), 0) == {}


def test_likeness_is_one_minus_the_share_of_the_scale() -> None:
    assert KIND.likeness(Scale(id="q", min=1, max=5), 2, 3) == pytest.approx(0.75)
