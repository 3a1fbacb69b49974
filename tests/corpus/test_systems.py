from __future__ import annotations

import builtins
from typing import Any

import pytest

from lanner.corpus import systems
from lanner.errors import LannerError, MissingExtraError
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
    after = systems.only(DOCUMENT, ["b"])
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
    assert systems.check_names(["b", "a", "b"], ["a", "b"]) == ("b", "a")
    with pytest.raises(LannerError, match="Did you mean 'GPT-4'"):
        systems.check_names(["GPT4"], ["GPT-4", "Aya23"])


def test_the_best_by_scores():
    scores = {"a": 0.5, "b": 0.7, "c": 0.7}
    assert systems.best(scores, 2) == ("b", "c")
    assert systems.best(scores, 1, higher_is_better=False) == ("a",)
    with pytest.raises(LannerError, match="4 systems are asked for and 3 have scores"):
        systems.best(scores, 4)


def test_scores_in_cells_of_text():
    segment = Segment("1", "…", {"a": "x", "b": "y"}, meta={"comet": {"a": "0.5", "b": "n/a", "c": True, "d": "nan"}})
    assert systems.mean_scores([Document("d", (segment,))], "comet") == {"a": 0.5}


def test_scores_that_the_segments_carry():
    assert systems.mean_scores([DOCUMENT], "comet") == pytest.approx({"a": 0.4, "b": 0.9})
    with pytest.raises(LannerError, match="No segment has scores under 'bleu'"):
        systems.mean_scores([DOCUMENT], "bleu")


def test_systems_are_compared_on_the_judged_segments_that_have_a_score_of_each() -> None:
    easy = Segment("1", "…", {"a": "x"}, meta={"comet": {"a": 0.9}})
    both = Segment("2", "…", {"a": "x", "b": "y"}, meta={"comet": {"a": 0.4, "b": 0.5}})
    context = Segment("3", "…", {"a": "x", "b": "y"}, judged=False, meta={"comet": {"a": 1.0, "b": 0.0}})
    assert systems.mean_scores([Document("d", (easy, both, context))], "comet") == {"a": 0.4, "b": 0.5}
    other = Segment("4", "…", {"b": "y"}, meta={"comet": {"b": 0.1}})
    with pytest.raises(LannerError, match="of every system"):
        systems.mean_scores([Document("d", (easy, other))], "comet")


sacrebleu = pytest.importorskip("sacrebleu", reason="the extra 'metrics' is not installed")

REFERENCES = ("The tide was out.", "Nobody stood on the pier.", "A gull cried twice.", "Rain came before noon.")
GOOD = ("The tide was out.", "Nobody was on the pier.", "A gull cried twice.", "Rain came by noon.")
POOR = ("Tide out was.", "There is none.", "The bird.", "It rained in the morning.")


def corpus(language: str = "en") -> list[Document]:
    def segment(n: int) -> Segment:
        return Segment(str(n), "…", {"poor": POOR[n], "good": GOOD[n]}, {"A": REFERENCES[n], "B": "?"})

    canary = Segment("c", "…", {"poor": "x", "good": "y"}, {"A": "x"}, judged=False)
    half = Segment("h", "…", {"poor": "only one of them"}, {"A": "only one of them"})
    return [
        Document("1", (segment(0), segment(1), canary), "de", language),
        Document("2", (segment(2), segment(3), half), "de", language),
    ]


@pytest.mark.parametrize("metric", systems.METRICS)
def test_scores_are_those_of_the_whole_corpus(metric: str) -> None:
    good, poor = systems.scores(corpus(), metric)
    assert (good.system, poor.system) == ("good", "poor")
    peer = {
        "chrf": sacrebleu.CHRF(),
        "chrf++": sacrebleu.CHRF(word_order=2),
        "bleu": sacrebleu.BLEU(),
        "ter": sacrebleu.TER(),
    }[metric]
    assert good.value == pytest.approx(peer.corpus_score(list(GOOD), [list(REFERENCES)]).score)
    assert (good.documents, good.segments) == (2, 4)
    assert good.low is not None and good.high is not None and good.low <= good.value <= good.high
    assert systems.scores(corpus(), metric) == [good, poor]


def test_another_reference_gives_other_scores() -> None:
    assert systems.scores(corpus(), "chrf", reference="B")[0].value < 10
    with pytest.raises(LannerError, match="no reference 'C'"):
        systems.scores(corpus(), "chrf", reference="C")


def test_texts_without_spaces_are_cut_otherwise() -> None:
    assert "tok:char" in systems.scores(corpus("ja"), "bleu")[0].signature
    assert "tok:zh" in systems.scores(corpus("zh-Hans"), "bleu")[0].signature
    assert "tok:13a" in systems.scores(corpus("de"), "bleu")[0].signature


def test_one_document_has_no_interval() -> None:
    assert systems.scores(corpus()[:1], "chrf")[0].row()["low"] is None


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([], "no reference"),
        ([Document("d", (Segment("1", "…", {"a": "x"}),))], "no reference"),
        ([Document("d", (Segment("1", "…", {}, {"A": "x"}),))], "no outputs"),
        ([Document("d", (Segment("1", "…", {"a": "x"}, {"A": " "}),))], "No segment has the reference 'A'"),
    ],
)
def test_what_cannot_be_scored(documents: list[Document], message: str) -> None:
    with pytest.raises(LannerError, match=message):
        systems.scores(documents, "chrf")
    with pytest.raises(LannerError, match="Did you mean 'chrf'"):
        systems.scores(documents, "chrff")


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("sacrebleu"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtraError) as caught:
        systems.scores(corpus(), "chrf")
    assert "lanner[metrics]" in caught.value.next_step
