from __future__ import annotations

import builtins
from typing import Any

import pytest

from lanner.corpus import automatic
from lanner.errors import LannerError, MissingExtraError
from lanner.model import Document, Segment

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


@pytest.mark.parametrize("metric", automatic.METRICS)
def test_scores_are_those_of_the_whole_corpus(metric: str) -> None:
    good, poor = automatic.scores(corpus(), metric)
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
    assert automatic.scores(corpus(), metric) == [good, poor]


def test_another_reference_gives_other_scores() -> None:
    assert automatic.scores(corpus(), "chrf", reference="B")[0].value < 10
    with pytest.raises(LannerError, match="no reference 'C'"):
        automatic.scores(corpus(), "chrf", reference="C")


def test_texts_without_spaces_are_cut_otherwise() -> None:
    assert "tok:char" in automatic.scores(corpus("ja"), "bleu")[0].signature
    assert "tok:zh" in automatic.scores(corpus("zh-Hans"), "bleu")[0].signature
    assert "tok:13a" in automatic.scores(corpus("de"), "bleu")[0].signature


def test_one_document_has_no_interval() -> None:
    assert automatic.scores(corpus()[:1], "chrf")[0].row()["low"] is None


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
        automatic.scores(documents, "chrf")
    with pytest.raises(LannerError, match="Did you mean 'chrf'"):
        automatic.scores(documents, "chrff")


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("sacrebleu"):
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtraError) as caught:
        automatic.scores(corpus(), "chrf")
    assert "lanner[metrics]" in caught.value.next_step
