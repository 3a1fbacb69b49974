from __future__ import annotations

import re
from itertools import combinations, pairwise

from lxml import etree

from lanner.figures.charts import (
    Bar,
    Curve,
    Difference,
    DomainPanel,
    Effect,
    EstimateGroup,
    EstimateRow,
    Estimator,
    Merge,
    ModelPanel,
    Pair,
    Preference,
    bars,
    confusion,
    curves,
    differences,
    estimators,
    forest,
    heat_map,
    histogram,
    intervals,
    merging,
    preference,
    shares,
    throughput,
)
from lanner.figures.drawing import Drawing, plain
from lanner.reports import rendering
from reports.drawings import inside, marks, words


def test_every_estimate_has_its_number_and_interval_beside_it() -> None:
    rows = [
        EstimateRow("skills", 0.42, 0.37, 0.46, "n 809"),
        EstimateRow("sentence", None, note="n 0"),
        EstimateRow("o3", 0.2, hollow=True),
    ]
    drawing = intervals("Agreement", rows, minimum=0.4)
    found = words(drawing)
    assert {".42 [.37, .46]", "not defined", "n 809", "planned"} <= set(found)
    assert len(marks(drawing, "circle", "fo")) == 1
    assert inside(drawing)


def test_scores_keep_their_leading_digits() -> None:
    assert "7.25 [6.90, 7.60]" in words(intervals("Scores", [EstimateRow("oak", 7.25, 6.9, 7.6)], bounded=False))


TERMS = [("sentence", "Sentence score", ""), ("style", "Style and register", "tenor")]


LONG = [f"a-system-for-the-translation-of-literature-{at}-checkpoint-{at}000" for at in range(9)]


def cut_names(drawing: Drawing) -> dict[str, str]:
    """What is read of each name that is not whole, by the whole name in its tooltip."""
    lines: dict[str, dict[str, None]] = {}
    for text in etree.fromstring(str(drawing).encode()).iter("text"):
        if title := text.findtext("title"):
            lines.setdefault(title, {})[text.text or ""] = None
    return {title: " ".join(parts) for title, parts in lines.items() if "…" in " ".join(parts)}


def test_long_names_that_begin_alike_are_told_apart_in_every_figure() -> None:
    rows = [EstimateRow(name, 0.5, 0.4, 0.6) for name in LONG]
    pairs = [Difference(one, other, 0.1, 0.0, 0.2, "open", "open") for one, other in combinations(LONG, 2)]
    lines = [Curve(name, [(1, at), (2, at)]) for at, name in enumerate(LONG)]
    rates = {name: {"news": 1.0 + at, "speech": 2.0} for at, name in enumerate(LONG)}
    for drawing, many in (
        (intervals("x", rows), 9),
        (differences("x", pairs), 36),
        (curves("x", lines, "judges"), 9),
        (bars("x", [Bar(name, [("a1", 1.0, "")]) for name in LONG]), 9),
        (throughput(["news", "speech"], rates), 9),
    ):
        assert len(cut_names(drawing)) == len(set(cut_names(drawing).values())) == many
        assert inside(drawing)


def test_nine_lines_each_have_a_look_of_their_own() -> None:
    drawing = curves("x", [Curve(name, [(1, at), (2, at)]) for at, name in enumerate(LONG)], "judges")
    css, looks = plain(rendering.style()), set()
    base = [line.partition("stroke-width")[0] for line in re.findall(r"\.cv \{(.*?)\}", css)]
    for style in {mark["class"].removeprefix("cv ") for mark in marks(drawing, "path", "cv")}:
        rules = re.findall(rf"\.cv\.{style} \{{(.*?)\}}", css) or base
        looks.add(
            (re.search(r"stroke: (\S+?);", rules[0] + ";")[1], "".join(re.findall(r"dasharray: ([\d ]+)", rules[0])))
        )
    assert len(looks) == 9


def test_hollow_before_filled_after_and_explained_variance() -> None:
    panel = ModelPanel(
        "J2",
        "n 298",
        first={"style": Effect(0.5, 0.2, 0.8)},
        full={"sentence": Effect(1.43, 1.22, 1.63, 0.0001), "style": Effect(0.1, -0.1, 0.3, 0.4)},
        r_squared=[("skills", 0.12), ("both", 0.47)],
    )
    drawing = forest(TERMS, [panel, panel], "points of the holistic score")
    found = words(drawing)
    assert found.count(".47") == 2
    assert found.count("*") == 2  # the sentence score in both panels
    assert len(marks(drawing, "circle", "fo")) == 3
    assert inside(drawing)


TERMS_ESTIMATORS = [("sentence", "Sentence score", ""), ("style", "Style and register", "tenor")]


def test_each_way_has_its_own_shape() -> None:
    effects = {"sentence": Effect(1.4, 1.2, 1.6), "style": Effect(0.1, -0.1, 0.3)}
    group = EstimateGroup("J2", "n 298", [Estimator(name, effects) for name in ("OLS", "clustered", "mixed")])
    drawing = estimators(TERMS_ESTIMATORS, [group, group], "points")
    assert len(marks(drawing, "circle", "fo")) == 4 + 1  # and one in the legend
    assert len(marks(drawing, "circle", "fk2")) == 4 + 1
    assert len(marks(drawing, "path", "dm")) == 4 + 1
    assert {"OLS", "clustered", "mixed"} <= set(words(drawing))
    assert inside(drawing)


def test_labels_at_the_ends_never_overlap() -> None:
    rows = [Curve(f"line {n}", [(1, 0.5), (2, 0.9 + n / 1000)]) for n in range(4)]
    drawing = curves("x", rows, "judges", top=1.0)
    at = sorted(float(text["y"]) for text in marks(drawing, "text", "t") if float(text["x"]) > 530)
    assert len(at) == 4
    assert all(b - a >= 15 for a, b in pairwise(at))
    assert inside(drawing)


def test_higher_values_stand_higher_and_intervals_are_drawn() -> None:
    drawing = curves("x", [Curve("a", [(1, 0.2), (2, 0.8)], [(0.1, 0.3), None])], "judges")
    dots = [float(dot["cy"]) for dot in marks(drawing, "circle")]
    assert dots[0] > dots[1]
    assert len(marks(drawing, "line", "bd")) == 1


def test_widths_are_in_proportion_and_styles_are_named_once() -> None:
    parts = [(30, 10), (10, 30)]
    rows = [Bar(f"b{a}", (("a1", a, "told apart"), ("trk", b, "not"))) for a, b in parts]
    drawing = bars("x", rows)
    wide = [float(bar["width"]) for bar in marks(drawing, "rect") if bar["height"] == "26.0"]
    assert wide == [285.0, 95.0, 95.0, 285.0]
    assert words(drawing).count("told apart") == 1
    assert "30" in words(drawing)
    assert inside(drawing)


def test_the_legend_keeps_the_order_of_the_parts_though_the_first_bar_lacks_one() -> None:
    rows = [
        Bar("first", (("a1", 0, "Local"), ("a2", 3, "Global"))),
        Bar("second", (("a1", 2, "Local"), ("a2", 0, "Global"), ("a3", 0, "Nobody's"))),
    ]
    named = [word for word in words(bars("x", rows)) if word in {"Local", "Global", "Nobody's"}]
    assert named == ["Local", "Global"]


def test_counts_mode_and_mean() -> None:
    drawing = histogram([("J2", {1: 25, 2: 95, 3: 115, 4: 47, 5: 15, 6: 1})], "skills on one sentence")
    found = words(drawing)
    assert "mean 2.78, n 298" in found
    assert len(marks(drawing, "rect", "a1")) == 1
    assert inside(drawing)


def test_a_value_between_that_nobody_gave_is_shown_as_zero() -> None:
    assert words(histogram([("J", {1: 2, 3: 2})], "skills")).count("0") == 1


def test_no_data() -> None:
    assert "mean 0.00, n 0" in words(histogram([("J", {})], "skills"))


LABELS = [("density", "Information density", "field"), ("style", "Style and register", "tenor")]


def test_a_dot_for_every_person_and_a_diamond_for_every_model() -> None:
    panel = DomainPanel(
        "News", 233, {"J1": {"density": 0.2, "style": 0.5}, "J2": {"density": 0.3}, "o3": {"style": 0.9}}
    )
    drawing = shares(LABELS, [panel], ["J1", "J2"], ["o3"])
    assert len(marks(drawing, "circle", "g-field")) == 2
    assert len(marks(drawing, "path", "dm")) == 3  # two labels and the legend
    assert "n 233" in words(drawing)
    assert inside(drawing)


def test_a_label_never_used_stands_at_zero() -> None:
    drawing = shares(LABELS, [DomainPanel("News", 10, {"J1": {"style": 0.5}})], ["J1"])
    assert [mark["cx"] for mark in marks(drawing, "circle", "g-field")] == ["172.0"]


def test_many_names_are_counted_not_cut() -> None:
    judges = [f"Simulated annotator {n}" for n in range(4)]
    panel = DomainPanel("news", 9, {judge: {"l": 0.4} for judge in judges})
    assert "4 people" in words(shares([("l", "Local", "")], [panel], judges))


def test_every_judge_is_labelled_in_every_domain_they_judged() -> None:
    drawing = throughput(["News", "Social"], {"J1": {"News": 1.2, "Social": 2.1}, "J2": {"News": 2.2}})
    found = words(drawing)
    assert {"J1 1.2", "J2 2.2", "J1 2.1"} <= set(found)
    assert inside(drawing)


def test_names_that_would_touch_have_a_row_each() -> None:
    judges = {f"Annotator number {n}": {"news": 1.0 + 0.1 * n, "social": 2.0} for n in range(3)}
    drawing = throughput(["news", "social"], judges)
    assert inside(drawing)
    assert words(drawing).count("Annotator number 0") == 2  # once in each domain
    assert len(marks(drawing, "circle")) == 6


def test_counts_percentages_and_the_test() -> None:
    rows = [
        Preference("Adequacy", "sentences", 103, 19, 86, 0.244),
        Preference("Adequacy", "documents", 74, 22, 104, 0.0294),
    ]
    drawing = preference(rows, "machine", "human")
    found = words(drawing)
    assert {"50 %", "103", "19", "p = .244", "86 of 189", "p = .029", "104 of 178"} <= set(found)
    assert found.count("Adequacy") == 1
    assert inside(drawing)


def test_ties_are_drawn_though_the_test_drops_them() -> None:
    drawing = preference([Preference("", "x", 1, 8, 1, 1.0)], "a", "b")
    widths = [float(mark["width"]) for mark in marks(drawing, "rect")]
    assert widths[1] > widths[0]


PAIRS = {
    ("J1", "J2"): Pair(0.3883, 0.33, 0.44, 0.6626, 809),
    ("J1", "o3"): Pair(0.1484, 0.10, 0.19, 0.5031, 809),
    ("J2", "o3"): Pair(None, n=0),
}


def test_coefficient_below_and_identical_above_the_diagonal() -> None:
    drawing = heat_map(["J1", "J2", "o3"], 2, PAIRS)
    found = words(drawing)
    assert ".388" in found
    assert ".33 to .44" in found
    assert "66.3 %" in found
    assert "—" in found  # a pair that shares nothing is said, not left blank
    assert inside(drawing)


def test_people_are_framed_and_people_with_models_dashed() -> None:
    drawing = heat_map(["J1", "J2", "o3"], 2, PAIRS)
    assert len(marks(drawing, "rect", "frame")) == 2
    assert len(marks(drawing, "rect", "d")) == 1


def test_n_is_printed_where_it_differs() -> None:
    pairs = {("a", "b"): Pair(0.5, 0.4, 0.6, n=10), ("a", "c"): Pair(0.5, 0.4, 0.6, n=20)}
    found = words(heat_map(["a", "b", "c"], 3, pairs))
    assert {"n 10", "n 20"} <= set(found)


def test_twenty_judges_with_long_names_still_fit() -> None:
    judges = [f"judge with a long name {n}" for n in range(20)]
    pairs = {(one, other): Pair(0.2, n=5) for place, one in enumerate(judges) for other in judges[place + 1 :]}
    assert inside(heat_map(judges, 20, pairs))


def test_counts_totals_and_the_diagonal() -> None:
    drawing = confusion(["Sentence", "Local"], "J2", "J3", [[373, 84], [49, 118]])
    found = words(drawing)
    assert {"373", "84", "49", "118", "457", "167"} <= set(found)
    assert "491 of 624 on the diagonal (78.7 %)" in found
    assert len(marks(drawing, "rect", "diag")) == 2
    assert inside(drawing)


def test_rows_with_few_items_are_not_shaded() -> None:
    drawing = confusion(["a", "b"], "x", "y", [[2, 7], [0, 20]])
    shades = [mark["class"] for mark in marks(drawing, "rect") if mark["class"].startswith("h")]
    assert shades == ["h0", "h0", "h0", "h9"]


def test_nothing_shared() -> None:
    assert "0 of 0 on the diagonal (—)" in words(confusion(["a", "b"], "x", "y", [[0, 0], [0, 0]]))


def test_before_after_and_the_change_of_kappa() -> None:
    drawing = merging(
        ("sentence", "local"), [Merge("J2–J3", 133, 242, 0.49951, 0.580), Merge("J1–J2", 0, 0, None, None)]
    )
    found = words(drawing)
    assert {"133  (55 %)", "242 before", "109 after", ".500", ".580", "+.080"} <= set(found)
    assert inside(drawing)


def test_both_names_of_a_pair_are_read_in_full() -> None:
    pair = "Simulated annotator 1 – Simulated annotator 2"
    drawn = words(merging(("Local", "Global"), [Merge(pair, 3, 9, 0.4, 0.5)]))
    assert {"Simulated annotator 1 –", "Simulated annotator 2"} <= set(drawn)
