"""The counts are sacrebleu's, so the scores are what its own commands print."""

import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from lanner import metrics
from lanner.errors import LannerError
from lanner.metrics import Languages, rate
from metrics.texts import GOOD, REFERENCES, documents

PEERS = {"bleu": BLEU, "chrf": CHRF, "ter": TER}


@pytest.mark.parametrize("name", PEERS)
def test_systems_score_as_sacrebleu_says(name):
    rating = rate(documents(), metrics.make(name, Languages("de", "en")))
    found = {row["system"]: row["score"] for row in rating.result.rows}
    outputs, references = ([line for part in texts for line in part] for texts in (GOOD, REFERENCES))
    expected = PEERS[name]().corpus_score(outputs, [references]).score
    assert found["good"] == pytest.approx(-expected if name == "ter" else expected, abs=1e-9)
    assert found["good"] > found["bad"]  # higher is better, whatever the metric
    if name != "ter":
        assert all(0 <= row["low"] <= row["high"] <= 100 for row in rating.result.rows)  # three documents only


@pytest.mark.parametrize("name", PEERS)
def test_segments_score_as_sacrebleu_says(name):
    rating = rate(documents(), metrics.make(name, Languages("de", "en")), systems=["good"])
    found = [j.value for j in rating.judgements if j.stage == "segment"]
    peer = BLEU(effective_order=True) if name == "bleu" else PEERS[name]()
    pairs = [pair for part in zip(GOOD, REFERENCES, strict=True) for pair in zip(*part, strict=True)]
    expected = [peer.sentence_score(output, [reference]).score for output, reference in pairs]
    assert found == pytest.approx([-e for e in expected] if name == "ter" else expected, abs=1e-9)


@pytest.mark.parametrize("name", PEERS)
def test_documents_as_one_line(name):
    rating = rate(documents(), metrics.make(f"d-{name}", Languages("de", "en")), systems=["good"])
    assert {j.stage for j in rating.judgements} == {"document", "system"}
    outputs, references = ([" ".join(part) for part in texts] for texts in (GOOD, REFERENCES))
    sign = -1 if name == "ter" else 1
    assert rating.result.rows[0]["score"] == pytest.approx(
        sign * PEERS[name]().corpus_score(outputs, [references]).score
    )
    assert rating.judge.id.startswith("d-")


def test_the_tokenizer_is_that_of_the_target_language():
    assert "tok:zh" in metrics.make("bleu", Languages("en", "zh-CN")).signature
    assert "tok:char" in metrics.make("bleu", Languages("en", "ja"), tokenize="char").signature
    assert metrics.make("chrf", Languages("de", "en"), word_order="2").name == "chrF++"
    assert metrics.make("ter", Languages("en", "zh")).signature.endswith("|negated")
    with pytest.raises(LannerError, match="not what it should be"):
        metrics.make("chrf", Languages(), word_order="two")


def test_a_tokenizer_that_is_not_installed_says_what_to_do():
    try:
        metrics.make("bleu", Languages("en", "ko"))
    except LannerError as error:
        assert "tokenize=char" in error.next_step
