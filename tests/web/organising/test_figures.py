from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from lanner.model.messages import number
from lanner.web.organising import figures
from lanner.web.organising.figures import (
    AgreementRow,
    JudgeSeverity,
    PairAgreement,
    Spread,
    distributions,
    leanings,
    room_for_names,
)


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


def test_mean_parts_and_judges_stand_on_one_axis() -> None:
    main = AgreementRow("Skills", 0.46, 0.41, 0.51)
    parts = [("Tone", 0.21, "tenor"), ("Terms", 0.58, "field"), ("Links", 0.58, "")]
    without = [("Ana", 0.44), ("Ben", 0.45), ("Cem", 0.55)]
    drawn = str(figures.one_judge_or_one_question(main, parts, without, "Cem", 0.5))
    for words in (
        ".46 [.41, .51]",
        "weakest: Tone .21",
        "without Cem: .55",
        "without another: .44 to .45",
        "minimum .50",
    ):
        assert words in drawn
    circles = [(float(x), float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', drawn)]
    values = [0.46, 0.21, 0.58, 0.58, 0.44, 0.45, 0.55]
    unit = (circles[6][0] - circles[1][0]) / (0.55 - 0.21)
    for (x, _), value in zip(circles, values, strict=True):
        assert x == pytest.approx(circles[1][0] + unit * (value - 0.21), abs=0.2)
    assert len(set(circles)) == len(circles), "no mark covers another"
    assert "without Ana: .44" in str(figures.one_judge_or_one_question(main, parts, without[:1], "", 0.5)), "one other"
    assert "weakest" not in str(figures.one_judge_or_one_question(main, parts[1:], without, "Cem", 0.5)), (
        "two are equal"
    )
    assert "without another" not in str(figures.one_judge_or_one_question(main, parts, [], "", 0.5))


@pytest.mark.parametrize(("low", "value", "high"), [(0.31, 0.51, 0.67), (-0.9, 0.1, 0.95), (0.6, 0.7, 0.95)])
def test_an_interval_in_words_is_never_cut_off(low: float, value: float, high: float) -> None:
    """The words stood to the right of the bar, also where the drawing ends there: “.51 [.3”."""
    svg = drawn(
        figures.one_judge_or_one_question(AgreementRow("Q", value, low, high), [], [("Ana", value)], "Ana", 0.4)
    )
    right = float((svg.get("viewBox") or "").split()[2])
    [text] = [text for text in svg.iter("text") if (text.text or "").endswith("]")]
    length = 6.6 * len(text.text or "")
    share = {"end": 1.0, "middle": 0.5}.get(text.get("text-anchor") or "", 0.0)
    assert float(text.get("x") or 0) >= share * length
    assert float(text.get("x") or 0) + (1 - share) * length <= right


def boxes(svg: Markup) -> list[tuple[str, float, float, float]]:
    """Every text of a figure with its ends and its line, letters taken for 6.6 wide."""
    places = []
    for text in drawn(svg).iter("text"):
        words, x = text.text or "", float(text.get("x") or 0)
        share = {"end": 1.0, "middle": 0.5}.get(text.get("text-anchor") or "", 0.0)
        left = x - share * 6.6 * len(words)
        places.append((words, left, left + 6.6 * len(words), float(text.get("y") or 0)))
    return places


@pytest.mark.parametrize(
    ("low", "value", "high", "minimum"),
    [(0.02, 0.45, 0.93, 0.3), (0.1, 0.45, 0.8, 0.45), (0.41, 0.46, 0.51, 0.5), (0.02, 0.45, 0.93, 0.9)],
)
def test_no_words_stand_on_others(low: float, value: float, high: float, minimum: float) -> None:
    """A wide interval had its numbers on “weakest: …”, and a high minimum its name on the head of the numbers."""
    main = AgreementRow("Skills", value, low, high)
    parts = [("Relational address", 0.21, "tenor"), ("Terms", 0.41, ""), ("Links", 0.415, ""), ("Ideas", 0.42, "")]
    without = [("Ana", 0.44), ("Ben", 0.45), ("Cem", 0.55)]
    for svg in (
        figures.one_judge_or_one_question(main, parts, without, "Cem", minimum),
        figures.agreement([main], minimum, "Krippendorff’s α"),
    ):
        texts = boxes(svg)
        for at, (words, left, right, y) in enumerate(texts):
            for other, start, end, line in texts[:at]:
                assert abs(y - line) >= 11 or right <= start or end <= left, (words, other)
    numbers = f"{number(value, 2)} [{number(low, 2)}, {number(high, 2)}]"
    figure = drawn(figures.one_judge_or_one_question(main, parts, without, "Cem", minimum))
    [said] = [text for text in figure.iter("text") if text.text == numbers]
    assert "over" in str(said.get("class")), "the line of the minimum is seen beside the words, not through them"


def test_a_narrowing_interval_is_drawn_to_scale_and_pale_after_the_end() -> None:
    scale = figures.NarrowingScale(1000, 2.0, 10.0)
    points = [(200, 10.0), (600, 6.0), (1000, 4.0)]
    svg = drawn(figures.narrowing("Adaptive", points, scale, end=500, ends=(400.0, 800.0)))
    marks = [(float(mark.get("cx") or 0), float(mark.get("cy") or 0)) for mark in svg.iter("circle")]
    across = (marks[4][0] - marks[0][0]) / 800
    for (n, width), upper, lower in zip(points, marks[::2], marks[1::2], strict=True):
        assert upper[0] == lower[0] == pytest.approx(marks[0][0] + across * (n - 200), abs=0.2)
        assert lower[1] - upper[1] == pytest.approx((marks[1][1] - marks[0][1]) * width / 10, abs=0.3)
        assert (lower[1] + upper[1]) / 2 == pytest.approx((marks[0][1] + marks[1][1]) / 2, abs=0.2)
    [stop] = [line for line in svg.iter("line") if line.get("class") == "stop"]
    assert float(stop.get("x1") or 0) == pytest.approx(marks[0][0] + across * 300, abs=0.2)
    [zone] = [rect for rect in svg.iter("rect") if rect.get("class") == "zone"]
    assert float(zone.get("width") or 0) == pytest.approx(across * 400, abs=0.2)
    before, after = (path.get("d") or "" for path in svg.iter("path"))
    assert before.startswith(f"M{marks[0][0]:.1f} {marks[0][1]:.1f}L")
    cut = [
        point for point in re.findall(r"([\d.]+) ([\d.]+)", before) if point in re.findall(r"([\d.]+) ([\d.]+)", after)
    ]
    assert {float(x) for x, _ in cut} == {float(stop.get("x1") or 0)}, "the pale part goes on where the other ends"
    assert {"±4", "500", "1,000", "0"} <= set(words(figures.narrowing("A", points, scale, end=500)))
    whole = drawn(figures.narrowing("Fixed", points, scale, end=1000))
    assert len(list(whole.iter("path"))) == 1, "nothing comes after everything is judged"


def test_the_heat_map_has_the_lower_triangle_with_n() -> None:
    cells = {
        (0, 1): PairAgreement(0.42, 412, 0.3, 0.5, 0.7),
        (0, 2): PairAgreement(None, 3),
        (1, 2): PairAgreement(0.2, 655),
    }
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
    assert {"α nominal · now .458", "+.061", "−.020"} <= set(said)


@given(st.lists(st.floats(0, 50), max_size=12))
def test_a_sparkline_stays_in_its_box(values: list[float]) -> None:
    svg = drawn(figures.sparkline(values, "pace"))
    assert len(list(svg.iter("circle"))) == bool(values)
    assert all(0 <= float(circle.get("cy") or 0) <= 22 for circle in svg.iter("circle"))


def test_small_figures() -> None:
    assert "distance 0.80" in figures.distance(0.8)
    assert "60 %" in figures.model_bar("o3", 0.6)


def test_each_judge_has_bars_a_middle_half_and_a_middle() -> None:
    spread = Spread(70, 60, 80, (0.0,) * 12 + (0.5, 0.25, 0.25, 0, 0, 0, 0, 0))
    drawn = str(distributions([("Ana", False, spread), ("model", True, spread)], (0, 100), "12 sentences"))
    assert drawn.count('class="pd"') == 3
    assert drawn.count('class="pm"') == 3
    assert "Ana: median 70, middle half 60 to 80" in drawn
    assert all(tick in drawn for tick in (">0<", ">25<", ">100<"))


def test_nothing_leaves_the_drawing_however_far_someone_leans() -> None:
    rows = [("Ana", JudgeSeverity("a", -30.0, -42.0, -18.0, 40)), ("Ben", JudgeSeverity("b", 2.0, None, None, 40))]
    drawn = str(leanings(rows))
    assert all(0 <= float(x) <= 402 for x in re.findall(r'[ c]x="(-?[\d.]+)"', drawn))
    assert "−30.0" in drawn and "+2.0" in drawn


def test_room_beside_rows_grows_with_the_names_up_to_a_limit() -> None:
    assert room_for_names(["J1"])[0] < room_for_names(["Judge number one"])[0] <= 118
