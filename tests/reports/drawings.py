"""Reading a drawing back: what words stand in it, and that it is well-formed."""

from __future__ import annotations

from lxml import etree

from lanner.figures.drawing import Drawing


def words(drawing: Drawing) -> list[str]:
    root = etree.fromstring(str(drawing).encode())
    assert root.get("role") == "img"
    assert root.get("aria-label")
    return ["".join(text.itertext()) for text in root.iter("text")]


def marks(drawing: Drawing, tag: str, style: str | None = None) -> list[dict[str, str]]:
    root = etree.fromstring(str(drawing).encode())
    return [dict(mark.attrib) for mark in root.iter(tag) if style is None or style in mark.get("class", "").split()]


def inside(drawing: Drawing) -> bool:
    """Whether every mark stands within the drawing."""
    root = etree.fromstring(str(drawing).encode())
    places = [
        (mark.get("x") or mark.get("cx"), mark.get("y") or mark.get("cy")) for mark in root.iter("text", "circle")
    ]
    return all(-1 <= float(x) <= drawing.width + 1 and 0 <= float(y) <= drawing.height + 1 for x, y in places)
