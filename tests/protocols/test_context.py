"""Contexts by name: which sides of which sentences are shown, compared with what the page shows people."""

from __future__ import annotations

import pytest

from lanner import protocols
from lanner.errors import LannerError, ProtocolError
from lanner.model import Document, Item, Segment, Stage, Unit
from lanner.model.protocol import Wording
from lanner.protocols.context import (
    PEOPLE,
    ContextLine,
    canonical,
    in_contexts,
    lines_around,
    lines_of_document,
    names_in,
    suffix,
    view,
)

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


def places(lines: list[ContextLine], side: str) -> list[int]:
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


def test_names_are_read_from_one_line() -> None:
    assert names_in("people,own±3,0, none;source±2") == ["people", "own±3,0", "none", "source±2"]


ALL = ["none", "source±2", "own±2", "reference±2", "own±3,0", "whole"]


@pytest.mark.parametrize("protocol", ["h_falcon", "falcon", "falcon_labels", "esa", "mqm", "da", "dela"])
def test_a_protocol_asks_the_same_in_every_context(protocol: str) -> None:
    base = protocols.load(protocol)
    turned = in_contexts(base, ALL)
    sentences = [stage for stage in base.stages if stage.unit in (Unit.ISOLATED, Unit.IN_CONTEXT)]
    for name in ALL:
        own = [stage for stage in turned.stages if stage.scenario == suffix(name)]
        assert [stage.id for stage in own] == [f"{stage.id}_{suffix(name)}" for stage in sentences]
        for entry, original in zip(own, sentences, strict=True):
            for question, first in zip(entry.questions, original.questions, strict=True):
                assert question.id == f"{first.id}_{suffix(name)}"
                assert question.choices == first.choices
                if first.for_each:
                    assert question.for_each == f"{first.for_each}_{suffix(name)}"
                if first.when:
                    assert question.when is not None
                    assert question.when.question == f"{first.when.question}_{suffix(name)}"
                assert Wording(turned, "ko").question(question.id).help == Wording(base, "ko").question(first.id).help
    others = [stage.id for stage in base.stages if stage not in sentences]
    assert [stage.id for stage in turned.stages if not stage.scenario] == others
    assert in_contexts(base, ALL).hash == turned.hash != base.hash
    order = ["none", "own_3_0", "source_2", "own_2", "reference_2", "whole"]
    assert list(next(iter(turned.contexts.values()))) == order, "in the order of how much is shown"


@pytest.mark.parametrize("name", ALL)
def test_people_and_models_see_the_same_in_a_named_context(name: str) -> None:
    turned = in_contexts(protocols.load("h_falcon"), ALL)
    own = next(stage for stage in turned.stages if stage.scenario == suffix(name))
    people = lines_around(PEOPLE, own, LONG, OAK)
    model = lines_around(canonical(name), stage("h_falcon"), LONG, OAK)
    assert people == model


def test_scores_and_analyses_follow_their_questions() -> None:
    base, turned = protocols.load("h_falcon"), in_contexts(protocols.load("h_falcon"), ["none", "whole"])
    assert [score.id for score in turned.scores] == [
        f"{score.id}_{name}" for score in base.scores for name in ("none", "whole")
    ]
    blocks = [entry.options["blocks"] for entry in turned.analyses if "blocks" in entry.options]
    assert blocks == [["skills_none", "sentence_none"], ["skills_whole", "sentence_whole"]]


@pytest.mark.parametrize(
    ("protocol", "names", "message"),
    [
        ("h_falcon", ["none"], "from two contexts on"),
        ("h_falcon", ["none", "people"], "from two contexts on"),
        ("h_falcon", ["own±2", "own:2"], "from two contexts on"),
        ("scenarios", ["none", "whole"], "scenarios of its own"),
        ("da_document", ["none", "whole"], "nothing about single sentences"),
    ],
)
def test_what_cannot_be_turned_is_refused(protocol: str, names: list[str], message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        in_contexts(protocols.load(protocol), names)


def test_a_protocol_without_the_factor_has_no_contexts() -> None:
    assert protocols.load("h_falcon").contexts == {}
    assert protocols.load("scenarios").contexts == {}
