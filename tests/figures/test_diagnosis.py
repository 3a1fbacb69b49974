from xml.etree import ElementTree

from lanner.figures.diagnosis import Entry, Line, Mark, Words, diagnosis

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
