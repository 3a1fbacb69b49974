"""The counts are sacrebleu's, so the scores are what its own commands print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

from lanner import metrics, registry
from lanner.errors import LannerError
from lanner.metrics import Languages, rate
from lanner.metrics._rating import Translation
from metrics.texts import GOOD, REFERENCES, documents

# The counts are sacrebleu's, so the scores are what its own commands print.


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


WORDS = st.lists(
    st.sampled_from(["the", "cat", "sat.", "(hi)", "a", "über", "中文", "It's", "!", "don't,"]), max_size=7
)
LINE = WORDS.map(" ".join)
VARIANTS = [
    ("bleu", BLEU, {}),
    ("bleu", BLEU, {"smooth_method": "add-k", "lowercase": True}),
    ("bleu", BLEU, {"smooth_method": "floor"}),
    ("chrf", CHRF, {}),
    ("chrf", CHRF, {"word_order": 2}),
    ("chrf", CHRF, {"word_order": 1, "char_order": 4, "beta": 3, "lowercase": True}),
    ("ter", TER, {"case_sensitive": True}),
]


@pytest.mark.parametrize(("name", "peer", "options"), VARIANTS)
@settings(max_examples=40, deadline=None)
@given(lines=st.lists(st.tuples(LINE, LINE.filter(bool), LINE.filter(bool)), min_size=1, max_size=4))
def test_any_lines_with_two_references_score_as_sacrebleu_says(name, peer, options, lines):
    surface = metrics.make(name, Languages("de", "en"), **options)
    outputs, first, second = zip(*lines, strict=True)
    part = Translation("s", "d", (), first, outputs, (first, second), (True,) * len(lines))
    [counts] = surface.counts([part])
    extra = {"trg_lang": "en"} if name == "bleu" else {}
    whole = peer(**options, **extra).corpus_score(list(outputs), [list(first), list(second)]).score
    assert surface.better * surface.score(counts.sum(axis=0), single=False) == pytest.approx(whole, abs=1e-9)
    alone = peer(**options, **extra, **({"effective_order": True} if name == "bleu" else {}))
    for row, (output, *references) in zip(counts, lines, strict=True):
        expected = alone.sentence_score(output, references).score
        assert surface.better * surface.score(row, single=True) == pytest.approx(expected, abs=1e-9)


def test_nothing_private_of_sacrebleu_is_used():
    code = Path(metrics.__file__).with_name("_surface.py").read_text(encoding="utf-8")
    assert not re.findall(r"(?:metric|counting|corpus|line)\._\w+", code.replace("self._", ""))


@pytest.mark.parametrize("name", PEERS)
def test_the_form_for_documents_has_the_same_options(name):
    sentences, documents_as_lines = (registry.plugin("metrics", form) for form in (name, f"d-{name}"))
    assert not sentences.make(Languages("de", "en")).whole
    assert documents_as_lines.make(Languages("de", "en")).whole
    assert documents_as_lines.OPTIONS == sentences.OPTIONS
    assert documents_as_lines.TITLE != sentences.TITLE
