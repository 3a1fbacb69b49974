"""A checkpoint as `lanner metric comet` uses it: loaded from its folder, read with context, rating documents."""

from __future__ import annotations

import random

import pytest

from lanner.metrics import Languages, make, rate
from lanner.model import Document, Segment
from metrics.neural.conftest import sentence
from metrics.neural.test_model import reference, saved

pytestmark = pytest.mark.filterwarnings("ignore")  # of the reference implementation, about its own dependencies


def documents() -> list[Document]:
    rng = random.Random(3)
    return [
        Document(
            f"d{at}",
            tuple(
                Segment(
                    str(n), sentence(rng, 5), {"a": sentence(rng, 5), "b": sentence(rng, 5)}, {"r": sentence(rng, 5)}
                )
                for n in range(3)
            ),
            "de",
            "en",
        )
        for at in range(2)
    ]


@pytest.mark.parametrize("context", ["reference", "hypothesis"])
def test_documents_with_context_score_as_the_reference_implementation_does(
    comet, torch, tmp_path, encoder_folder, context
):
    folder = saved(comet, torch, tmp_path / "tiny-comet", encoder_folder, "regression_metric", layer_norm=True)
    given = documents()
    metric = make("comet", Languages("de", "en"), model=str(folder), before="2", context=context, device="cpu")
    rating = rate(given, metric, systems=["b"])
    joined = []
    for document in given:
        for at, segment in enumerate(document):
            before = document.segments[max(0, at - 2) : at]
            own = {"src": segment.source, "mt": segment.outputs["b"], "ref": segment.references["r"]}
            read = {
                "src": [s.source for s in before],
                "mt": [s.references["r"] if context == "reference" else s.outputs["b"] for s in before],
                "ref": [s.references["r"] for s in before],
            }
            joined.append({key: " </s> ".join([*read[key], own[key]]) for key in own})
    expected = reference(comet, folder, joined, context=True)
    found = [j.value for j in rating.judgements if j.stage == "segment"]
    assert found == pytest.approx(expected, abs=2e-5)
    assert rating.judge.id == "doc-tiny-comet-r"
    assert rating.result.rows[0]["score"] == pytest.approx(sum(expected) / 6, abs=2e-5)
    assert rating.result.rows[0]["low"] is not None


def test_a_model_without_reference_rates_without(comet, torch, tmp_path, encoder_folder):
    settings = {"input_segments": ["mt", "src"], "sent_layer": "mix"}
    folder = saved(comet, torch, tmp_path / "tiny-kiwi", encoder_folder, "unified_metric", **settings)
    rating = rate(documents(), make("comet", Languages(), model=str(folder), device="cpu"))
    assert rating.judge.id == "tiny-kiwi-src"
    assert {row["system"] for row in rating.result.rows} == {"a", "b"}
