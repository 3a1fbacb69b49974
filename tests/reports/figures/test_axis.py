from hypothesis import given
from hypothesis import strategies as st

from lanner.reports.figures.axis import axis
from lanner.reports.svg import Drawing
from reports.drawings import words


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_the_axis_holds_every_value_and_has_few_round_ticks(values: list[float]) -> None:
    scale = axis(values, 100, 500)
    assert scale.low <= min(values) + 1e-6 * scale.step
    assert scale.high >= max(values) - 1e-6 * scale.step
    assert 2 <= len(scale.ticks) <= 8
    assert all(100 <= scale.place(value) <= 500 for value in values)


def test_round_ends() -> None:
    scale = axis([0.13, 0.87], 0, 100)
    assert (scale.low, scale.high, scale.step) == (0.0, 1.0, 0.25)


def test_ticks_are_written_as_they_are() -> None:
    drawing = Drawing("ticks", 50)
    axis([0.13, 0.87], 0, 100).draw(drawing, 0, 10)
    assert words(drawing) == ["0", "0.25", "0.50", "0.75", "1.00"]
    bounded = Drawing("ticks", 50)
    axis([-0.4, 0.2], 0, 100).draw(bounded, 0, 10, bounded=True)
    assert words(bounded) == ["−.4", "−.2", "0", ".2"]


def test_all_values_equal() -> None:
    scale = axis([3.0, 3.0], 0, 100, include=None)
    assert scale.low < 3.0 < scale.high
