from __future__ import annotations

import pytest

from lanner.corpus import choose
from lanner.errors import LannerError
from lanner.model import Document, Segment

DOCUMENT = Document(
    "d",
    (
        Segment("1", "x", {"a": "1", "b": "2"}, {"r": "3"}, meta={"comet": {"a": 0.4, "b": 0.9}}),
        Segment("2", "y", {"a": "4", "b": "5"}, {"r": "6"}, meta={"comet": {"a": 0.8, "b": None}}),
    ),
    "en",
    "es",
    "news",
    title="T",
    text_type="report",
    note="N",
    media="clip.mp4",
    glossary={"x": "equis"},
)


def test_what_belongs_to_a_document_stays():
    after = choose.only(DOCUMENT, ["b"])
    assert after.systems == ("b",)
    assert after.segments[0].references == {"r": "3"}
    assert (after.title, after.text_type, after.note, after.media, after.glossary) == (
        "T",
        "report",
        "N",
        "clip.mp4",
        {"x": "equis"},
    )


def test_named_systems_must_exist():
    assert choose.named(["b", "a", "b"], ["a", "b"]) == ("b", "a")
    with pytest.raises(LannerError, match="Did you mean 'GPT-4'"):
        choose.named(["GPT4"], ["GPT-4", "Aya23"])


def test_the_best_by_scores():
    scores = {"a": 0.5, "b": 0.7, "c": 0.7}
    assert choose.best(scores, 2) == ("b", "c")
    assert choose.best(scores, 1, higher_is_better=False) == ("a",)
    with pytest.raises(LannerError, match="4 systems are asked for and 3 have scores"):
        choose.best(scores, 4)


def test_scores_in_cells_of_text():
    segment = Segment("1", "…", {"a": "x", "b": "y"}, meta={"comet": {"a": "0.5", "b": "n/a", "c": True, "d": "nan"}})
    assert choose.mean_scores([Document("d", (segment,))], "comet") == {"a": 0.5}


def test_scores_that_the_segments_carry():
    assert choose.mean_scores([DOCUMENT], "comet") == pytest.approx({"a": 0.6, "b": 0.9})
    with pytest.raises(LannerError, match="No segment has scores under 'bleu'"):
        choose.mean_scores([DOCUMENT], "bleu")
