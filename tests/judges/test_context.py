"""Contexts by name: which sides of which sentences are shown, compared with what the page shows people."""

from __future__ import annotations

import pytest

from lanner import protocols
from lanner.errors import LannerError
from lanner.judges.context import Line, canonical, lines_around, lines_of_document, view
from lanner.model import Document, Item, Segment, Stage

LONG = Document(
    "d",
    tuple(Segment(str(n), f"S{n}", {"oak": f"O{n}", "ash": f"A{n}"}, {"ref": f"R{n}"}) for n in range(40)),
    "en",
    "de",
)
OAK = Item("d", "20", ("oak",))


def stage(protocol: str, identifier: str = "") -> Stage:
    stages = protocols.load(protocol).stages
    return next(entry for entry in stages if not identifier or entry.id == identifier)


def places(lines: list[Line], side: str) -> list[int]:
    """Where something of this side is shown."""
    return [int(line.segment.id) for line in lines if getattr(line, side)]


@pytest.mark.parametrize(
    ("name", "source", "outputs", "reference"),
    [
        ("none", [20], [20], []),
        ("source±2", [18, 19, 20, 21, 22], [20], []),
        ("own±2", [18, 19, 20, 21, 22], [18, 19, 20, 21, 22], []),
        ("own:3,0", [17, 18, 19, 20], [17, 18, 19, 20], []),
        ("reference±1", [19, 20, 21], [20], [19, 21]),
        ("kim2025", [18, 19, 20, 21, 22], [20], [18, 19, 21, 22]),
        ("whole", list(range(40)), list(range(40)), []),
    ],
)
def test_a_name_says_what_is_shown(name: str, source: list[int], outputs: list[int], reference: list[int]) -> None:
    lines = lines_around(canonical(name), stage("h_falcon"), LONG, OAK)
    assert (places(lines, "source"), places(lines, "outputs"), places(lines, "reference")) == (
        *(source, outputs, reference),
    )
    assert [line.segment.id for line in lines if line.asked] == ["20"]


@pytest.mark.parametrize("protocol", ["h_falcon", "esa", "mqm", "da_sqm", "context_survey"])
def test_people_s_window_is_the_model_s(protocol: str) -> None:
    for entry in protocols.load(protocol).stages:
        window = entry.context
        seen = view("people", entry, LONG)
        whole = len(LONG.segments) <= window.whole_up_to
        assert (seen.before, seen.after) == ((None, None) if whole else (window.before, window.after))
        assert seen.reference == ("reference" in entry.show)


def test_stages_about_the_source_show_no_translation() -> None:
    lines = lines_around("whole", stage("falcon", "context"), LONG, Item("d", "20", ()))
    assert places(lines, "outputs") == places(lines, "reference") == []


def test_a_control_text_stands_in_its_own_sentence_only() -> None:
    lines = lines_around("own±1", stage("h_falcon"), LONG, Item("d", "20", ("oak",), texts={"oak": "Shuffled."}))
    assert [line.outputs for line in lines] == [("O19",), ("Shuffled.",), ("O21",)]


def test_documents_at_once_show_everything_and_ask_about_some() -> None:
    items = [Item("d", "1", ("oak",)), Item("d", "3", ("oak",))]
    lines = lines_of_document("own±2", stage("h_falcon"), LONG, items)
    assert [int(line.segment.id) for line in lines if line.asked] == [1, 3]
    assert places(lines, "outputs") == list(range(40))


def test_an_unknown_name_is_an_error_that_lists_the_names() -> None:
    with pytest.raises(LannerError, match="kim2025"):
        canonical("two sentences")
    assert canonical("own+-2,2") == "own±2"
