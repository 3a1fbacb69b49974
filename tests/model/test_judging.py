from __future__ import annotations

import dataclasses

import pytest

from lanner.model import Document, Item, Judge, JudgeKind, Judgement, Role, Segment


def test_judgements_cannot_be_changed() -> None:
    judgement = Judgement("j", "rating", "holistic", "d", "1", ("oak",), 7)
    with pytest.raises(dataclasses.FrozenInstanceError):
        judgement.value = 8  # type: ignore[misc]
    assert judgement.role is Role.MAIN


def test_people_and_models_are_one_type() -> None:
    assert Judge("a").kind is JudgeKind.PERSON
    assert Judge("o3", JudgeKind.MODEL).kind == "model"


def test_items_can_be_compared_and_counted() -> None:
    assert Item("d", "1", ("oak",)) == Item("d", "1", ("oak",))
    assert Item("d", "1", ("oak", "elm")) != Item("d", "1", ("elm", "oak"))


DOCUMENT = Document(
    "d",
    (
        Segment("1", "One.", outputs={"oak": "Eins."}, references={"ref": "Eins!"}),
        Segment("2", "Two.", outputs={"elm": "Zwei.", "oak": "Zwo."}),
    ),
    source_language="en",
    target_language="de",
)


def test_a_reference_can_be_judged_like_a_system() -> None:
    assert DOCUMENT.segments[0].text("oak") == "Eins."
    assert DOCUMENT.segments[0].text("ref") == "Eins!"
    assert DOCUMENT.segments[1].text("ref") is None


def test_a_document_knows_its_systems_pair_and_segments() -> None:
    assert DOCUMENT.systems == ("oak", "elm")
    assert DOCUMENT.language_pair == "en-de"
    assert DOCUMENT.segment("2") is DOCUMENT.segments[1]
    assert DOCUMENT.segment("3") is None
    assert [segment.id for segment in DOCUMENT] == ["1", "2"]
