from __future__ import annotations

from xml.etree import ElementTree

from lanner.figures.matrices import Entry, Line, Mark, Merge, Pair, Words, confusion, diagnosis, heat_map, merging
from reports.drawings import inside, marks, words

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


MARKS = {"alder": Mark(2.5, 2.3, 2.7), "birch": Mark(1.4, 1.2, 1.6, ("alder",), weak=True)}
LINES = [
    Line("Terminology control", {"news": Entry(0.71, 85, MARKS)}, "field", "Field"),
    Line("Relational address", {"news": Entry(0.06, 7, {})}, "tenor", "Tenor"),
]


def drawn() -> str:
    words = Words("matters in", "how well", "too few")
    return str(
        diagnosis("What to improve", LINES, ["alder", "birch"], {"news": "120 sentences"}, words, ends=(1.0, 3.0))
    )


def test_every_system_has_a_mark_and_only_the_weak_one_is_filled_and_says_who_is_better() -> None:
    root = ElementTree.fromstring(drawn())
    texts = [node.text for node in root.iter() if node.tag == "text"]
    assert "2.50" in texts
    assert "1.40  < a" in texts
    assert {"71 %", "n 85", "6 %", "too few", "FIELD", "TENOR", "120 sentences"} <= set(texts)
    filled = [node for node in root.iter() if node.get("class") == "fk2"]
    assert len(filled) == 2 + 1  # the legend's two, and birch


def test_marks_stand_where_the_scale_says_and_inside_the_drawing() -> None:
    root = ElementTree.fromstring(drawn())
    hollow = next(node for node in root.iter() if node.get("class") == "fo")
    width, height = (float(root.get(side) or 0) for side in ("width", "height"))
    ticks = {node.text: float(node.get("x") or 0) for node in root.iter("text") if node.text in ("1", "2", "3")}
    assert float(hollow.get("cx") or 0) == ticks["2"] + (ticks["3"] - ticks["2"]) / 2
    for node in root.iter():
        for name, limit in (("x", width), ("cx", width), ("y", height), ("cy", height)):
            assert 0 <= float(node.get(name) or 0) <= limit


def test_a_cell_can_be_a_link_and_the_one_looked_at_is_framed() -> None:
    cells = {"news": Entry(0.5, 20, {"alder": Mark(2.0)}, href='?cell="x"&y', chosen=True)}
    drawing = str(
        diagnosis("x", [Line("Address", cells)], ["alder"], {"news": ""}, Words("a", "b", "c"), ends=(1.0, 3.0))
    )
    root = ElementTree.fromstring(drawing)
    [link] = [node for node in root.iter() if node.tag == "a"]
    assert link.get("href") == '?cell="x"&y'
    assert link.get("aria-label") == "Address, news"
    assert [node.get("class") for node in root.iter("rect")].count("cell-now") == 1
