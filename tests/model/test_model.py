from __future__ import annotations

import dataclasses

import pytest

from lanner.model import Document, Interval, Item, Judge, JudgeKind, Judgement, Result, Role, Segment, Signature


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


def test_a_signature_is_one_line_that_can_be_followed() -> None:
    parts = (("n", "809"), ("documents", "38"), ("resamples", "2000, seed 1"))
    signature = Signature("κ cohen", "falcon@1.0", parts, "0.1.0")
    assert str(signature) == "κ cohen · falcon@1.0 · n 809 · documents 38 · resamples 2000, seed 1 · lanner 0.1.0"

    other = Signature("κ cohen", "falcon@1.0", (*parts[1:], ("weights", "linear")), "0.1.0")
    assert str(Signature.together([signature, signature])) == str(signature)
    assert str(Signature.together([signature, other, signature])) == (
        "κ cohen · falcon@1.0 · n 809 / – · documents 38 · resamples 2000, seed 1 · weights – / linear · lanner 0.1.0"
    )


def test_a_row_has_value_interval_n_and_unit() -> None:
    result = Result(
        "kappa",
        0.4995,
        Interval(0.45, 0.55, method="bca", unit="document"),
        counts={"items": 809, "documents": 38},
        labels={"pair": "J2–J3"},
        signature=Signature("κ"),
    )
    row = result.row()
    assert (row["pair"], row["value"], row["low"], row["high"], row["n"]) == ("J2–J3", 0.4995, 0.45, 0.55, 809)
    assert (row["unit"], row["n_documents"], row["signature"]) == ("document", 38, "κ")


def test_an_undefined_result_says_why() -> None:
    row = Result("kappa", None, notes=("Both judges used one label only.",)).row()
    assert row["value"] is None
    assert row["low"] is None
    assert row["notes"] == ["Both judges used one label only."]


def test_a_result_prints_as_a_sentence_and_as_html() -> None:
    result = Result(
        "kappa", 0.5, Interval(0.4, 0.6), counts={"items": 809}, labels={"pair": "<J2>"}, notes=("A note.",)
    )
    assert str(result).splitlines() == ["kappa (<J2>): 0.500 [0.400, 0.600]; 809 items", "A note."]
    assert "&lt;J2&gt;" in result._repr_html_()
    assert repr(result).startswith("<Result ")
    assert "2 rows" in repr(Result("shares", None, rows=[{"a": 1}, {"a": 2}]))
    assert "not defined" in str(Result("kappa", None))


def test_a_result_becomes_a_frame() -> None:
    table = Result("shares", None, rows=[{"label": "a", "value": 1}, {"label": "b", "value": 0.5}]).to_frame()
    assert table["value"].to_list() == [1, 0.5]
    assert Result("kappa", 0.5).to_frame().height == 1
