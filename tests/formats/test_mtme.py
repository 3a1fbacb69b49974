from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from formats.strategies import SAMPLES
from lanner import formats
from lanner.errors import InputError
from lanner.model import JudgeKind
from released import data_dir


def test_the_sample() -> None:
    assert formats.recognise(SAMPLES / "mtme") == "mtme"
    scores, rated = formats.read(SAMPLES / "mtme")
    assert (scores.name, rated.name, rated.protocol) == ("en-de", "en-de.mqm.rater1", "mqm")
    assert [(judge.id, judge.kind) for judge in scores.judges] == [
        ("mqm", JudgeKind.ADJUDICATED),
        ("chrF-refA", JudgeKind.METRIC),
    ]
    assert scores.judges[1].attributes == {"metric": "chrF", "reference": "refA"}
    assert scores.documents == rated.documents
    assert set(scores.documents[1].segments[0].outputs) == {"oak", "elm"}


def test_options_choose_scores(tmp_path: Path) -> None:
    scores, _ = formats.read(SAMPLES / "mtme", metrics="none", levels="sys")
    assert {(j.judge, j.stage, j.document) for j in scores.judgements} == {("mqm", "system", "")}
    scores, _ = formats.read(SAMPLES / "mtme", metrics="chrF-refA", levels="domain")
    assert [(j.stage, j.document, j.systems, j.value) for j in scores.judgements] == [
        ("domain", "news", ("oak",), 25.9),
        ("domain", "social", ("oak",), 88),
    ]
    for option, message in (("metrics", "no metric"), ("levels", "no level"), ("languages", "no pair")):
        with pytest.raises(InputError, match=message):
            formats.read(SAMPLES / "mtme", **{option: "xx-yy"})


@pytest.mark.data
def test_the_released_wmt23_folder() -> None:
    scores, rated = formats.read(data_dir("mtme") / "wmt23", metrics="BLEU-refA,GEMBA-MQM-src")
    assert sum(len(document.segments) for document in scores.documents) == 557
    counts = Counter((j.judge, j.stage) for j in scores.judgements)
    assert counts["mqm", "segment"] == counts["da-sqm", "segment"] == 13 * 557
    assert counts["BLEU-refA", "segment"] == 13 * 557
    missing = [j for j in scores.judgements if j.judge == "mqm" and "missing" in j.flags]
    scored = {j.segment for j in scores.judgements if j.judge == "mqm" and j.stage == "segment"}
    assert len(scored - {j.segment for j in missing}) == 460
    assert sum(len(j.value) for j in rated.judgements) == 19_569
    ends = [(j.value, j.flags) for j in rated.judgements]
    assert sum("bad_offsets" in flags for _, flags in ends) == 17  # spans that mark nothing, kept and flagged


@pytest.mark.data
def test_the_released_wmt24_folder() -> None:
    texts, *judged = formats.read(data_dir("wmt24"))
    assert (len(texts.documents), sum(len(d.segments) for d in texts.documents)) == (171, 998)
    domains = Counter(d.domain for d in texts.documents), Counter(d.domain for d in texts.documents for _ in d)
    assert domains == (
        {"canary": 1, "literary": 8, "news": 17, "social": 34, "speech": 111},
        {"canary": 1, "literary": 206, "news": 149, "social": 531, "speech": 111},
    )
    assert len(texts.documents[5].systems) == 23
    (chinese,) = [reading for reading in judged if reading.name.endswith("en-zh")]
    assert (chinese.documents[5].language_pair, chinese.documents[5].domain) == ("en-zh", "news")
    assert not chinese.documents[5].systems  # Spanish outputs are not what was judged
    places = {(d.id, s.id) for d in texts.documents for s in d}
    assert {(j.document, j.segment) for j in chinese.judgements} <= {(d.id, s.id) for d in chinese.documents for s in d}
    kept = [
        j
        for j in chinese.judgements
        if j.question == "score" and j.role == "main" and not {"incomplete", "dup"} & set(j.flags)
    ]
    assert {(j.document, j.segment) for j in kept} <= places
    latest = {(j.document, j.segment, j.systems): j for j in sorted(kept, key=lambda j: j.answered_at or 0)}
    assert len(latest) == 4381
    assert set(Counter(systems for _, _, systems in latest).values()) == {337}
