from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from lanner.web.picture import figures
from lanner.web.picture.figures import AgreementRow, Cell


def drawn(svg: Markup) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def words(svg: Markup) -> list[str]:
    return [element.text or "" for element in drawn(svg).iter("text")]


def test_a_bar_is_split_by_domain_in_proportion() -> None:
    bars = list(drawn(figures.progress_bar("J1", [("news", 5, 10), ("social", 0, 30)])).iter("rect"))
    widths = [float(bar.get("width") or 0) for bar in bars]
    assert widths[0] * 3 == pytest.approx(widths[2], rel=0.01)
    assert widths[1] == pytest.approx(widths[0] / 2, abs=0.1)
    assert len(bars) == 3


def test_an_empty_bar_draws_nothing() -> None:
    assert len(drawn(figures.progress_bar("J1", []))) == 0
    assert len(drawn(figures.progress_bar("J1", [("news", 0, 0)]))) == 0


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.41, 0.5, "above"), (0.4, 0.5, "above"), (0.3, 0.5, "across"), (0.2, 0.39, "below"), (None, None, "")],
)
def test_the_interval_decides_never_the_dot(low: float | None, high: float | None, verdict: str) -> None:
    assert AgreementRow("q", 0.45, low, high).verdict(0.4) == verdict


def test_agreement_says_number_interval_and_mark() -> None:
    said = words(figures.agreement([AgreementRow("Context <level>", 0.46, 0.41, 0.5, 0.42, 0.49)], 0.4))
    assert {"Context <level>", "✓", ".46", "[.41, .50]", "planned minimum .40"} <= set(said)


def test_agreement_without_numbers_says_so() -> None:
    assert "not yet" in words(figures.agreement([AgreementRow("Context", None)], 0.4))


def test_agreement_below_zero_stays_inside() -> None:
    svg = drawn(figures.agreement([AgreementRow("Context", -0.6, -0.9, -0.3)], 0.4))
    assert all(160 <= float(circle.get("cx") or 0) <= 376 for circle in svg.iter("circle"))


def test_the_heat_map_has_the_lower_triangle_with_n() -> None:
    cells = {(0, 1): Cell(0.42, 412, 0.3, 0.5, 0.7), (0, 2): Cell(None, 3), (1, 2): Cell(0.2, 655)}
    svg = figures.heat_map([("J1", False), ("J2", False), ("o3", True)], cells, ["people with people: .42"])
    said = words(svg)
    assert {".42", "n 412", ".20", "n 655", "n 3"} <= set(said)
    frames = [rect.get("class") for rect in drawn(svg).iter("rect") if (rect.get("class") or "").startswith("frame")]
    assert frames == ["frame", "frame d"]


def test_shares_add_up_to_the_whole_bar() -> None:
    options = [("Sentence", "r0"), ("Local", "r1"), ("Global", "r2")]
    svg = figures.label_shares(options, [("J1", False, [0.6, 0.3, 0.1])], "% of 10")
    assert {"60", "30", "10", "J1", "% of 10"} <= set(words(svg))


def test_odd_one_out_names_the_first_alone() -> None:
    said = words(figures.odd_one_out(223, [("J1", 72), ("J3", 53)], 23))
    assert {"223", "J1 alone", "72", "J3", "53", "23", "none alike"} <= set(said)


def test_merging_shows_gain_and_loss() -> None:
    said = words(figures.merging(0.458, [("Extended + Universal", 0.061), ("Sentence + Local", -0.02)]))
    assert {"now .458", "+.061", "−.020"} <= set(said)


@given(st.lists(st.floats(0, 50), max_size=12))
def test_a_sparkline_stays_in_its_box(values: list[float]) -> None:
    svg = drawn(figures.sparkline(values, "pace"))
    assert len(list(svg.iter("circle"))) == bool(values)
    assert all(0 <= float(circle.get("cy") or 0) <= 22 for circle in svg.iter("circle"))


def test_small_figures() -> None:
    assert "distance 0.80" in figures.distance(0.8)
    assert "60 %" in figures.model_bar("o3", 0.6)
