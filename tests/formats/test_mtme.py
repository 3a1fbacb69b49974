from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_sets import data_dir
from formats.strategies import SAMPLES, documents, full, texts
from lanner import formats
from lanner.errors import InputError
from lanner.formats import mtme
from lanner.formats.mtme import read_ratings, read_scores
from lanner.model import Document, Judge, JudgeKind, Judgement, Segment
from property_examples import examples

DOCUMENTS = [
    Document("d1", (Segment("0", "aa", {"oak": "AAAA"}), Segment("1", "b", {"oak": "B"})), domain="news"),
    Document("d2", (Segment("2", "c", {"oak": "C"}),)),
]


def put(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_segment_scores_follow_the_order_of_segments(tmp_path: Path) -> None:
    file = put(tmp_path / "m.seg.score", "oak\t1.0\noak\tNone\noak\t-0.25\n")
    judge, made = read_scores(file, tmp_path, "m", "seg", DOCUMENTS, metric=True)
    assert judge.id == "m"
    assert [(j.document, j.segment, j.value, j.flags) for j in made] == [
        ("d1", "0", 1, ()),
        ("d1", "1", None, ("missing",)),
        ("d2", "2", -0.25, ()),
    ]
    assert made[2].origin == "m.seg.score:3"


def test_document_scores(tmp_path: Path) -> None:
    _, made = read_scores(put(tmp_path / "m", "oak 1\noak 2\n"), tmp_path, "m", "doc", DOCUMENTS, metric=False)
    assert [(j.document, j.segment, j.value) for j in made] == [("d1", "", 1), ("d2", "", 2)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("oak\t1\n", "scores 1, segments 3"),
        ("oak\t1\n" * 4, "more scores than the 3"),
        ("oak\tgood\n", "not a score"),
        ("oak\n", "SYSTEM and SCORE"),
    ],
)
def test_wrong_scores(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_scores(put(tmp_path / "m", text), tmp_path, "m", "seg", DOCUMENTS, metric=True)


def test_ratings_mark_either_side(tmp_path: Path) -> None:
    error = '{"start": 1, "end": 2, "category": "c", "severity": "minor", "is_source_error": %s}'
    text = f'oak\t{{"errors": [{error % "true"}, {error % "false"}]}}\nB\nC\n'.replace(
        "\nB\nC", "\noak\tNone\noak\tNone"
    )
    rated = read_ratings(put(tmp_path / "r", text), tmp_path, "rater", DOCUMENTS)
    assert [(s["side"], s["text"]) for s in rated.judgements[0].value] == [("source", "a"), ("target", "A")]
    assert rated.notes == ("2 outputs have no rating (None).",)


def test_a_line_can_name_its_rater(tmp_path: Path) -> None:
    text = 'oak\t{"errors": []}\tr7\n' + 'oak\t{"errors": [{"start": 1, "end": 1}]}\n' + "oak\tNone\n"
    rated = read_ratings(put(tmp_path / "r", text), tmp_path, "mqm.merged", DOCUMENTS)
    assert [(j.judge, j.flags) for j in rated.judgements] == [("r7", ()), ("mqm.merged", ("bad_offsets",))]


@pytest.mark.parametrize("text", ["oak\t[]\n", "oak\t{}\n", "oak\tnull\n", "oak\n", 'oak\t{"errors": []}\n'])
def test_wrong_ratings(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        read_ratings(put(tmp_path / "r", text), tmp_path, "rater", DOCUMENTS)


def folder(root: Path, scores: str = "oak\t1.5\noak\tNone\nelm\t2\nelm\t-1\n") -> Path:
    for path, text in {
        "documents/en-de.docs": "news\td1\nnews\td1\n",
        "references/en-de.refA.txt": "a\nb\n",
        "human-scores/en-de.mqm.seg.score": "elm\t0\nelm\t-1\noak\t-2\noak\tNone\n",
        "human-scores/en-de.mqm.sys.score": "oak\t-2\nelm\t-0.5\n",
        "metric-scores/en-de/M-refA.seg.score": scores,
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def test_scores_by_system_with_gaps(tmp_path: Path) -> None:
    found = mtme.read_score_tables(folder(tmp_path), "en-de")
    [metric] = found.metrics
    assert (metric.name, metric.systems, metric.system) == ("M-refA", ("oak", "elm"), None)
    assert metric.segments[1].tolist() == [2, -1]
    assert np.isnan(metric.segments[0, 1])
    assert found.gold.systems == ("elm", "oak")
    assert found.gold.system is not None
    assert found.gold.system.tolist() == [-0.5, -2]
    assert (found.references, found.documents, found.domains) == (("refA",), ("d1", "d1"), ("news", "news"))


def test_spaces_between_fields_are_read_too(tmp_path: Path) -> None:
    found = mtme.read_score_tables(folder(tmp_path, "oak 1\noak None\n"), "en-de")
    assert found.metrics[0].segments[0, 0] == 1


@pytest.mark.parametrize(
    ("scores", "said", "line"),
    [("oak\t1\n", "scores 1, segments 2", None), ("oak\t1\noak\tmany\n", "SYSTEM and SCORE", 2)],
)
def test_what_is_wrong_is_named(tmp_path: Path, scores: str, said: str, line: int | None) -> None:
    with pytest.raises(InputError, match=said) as caught:
        mtme.read_score_tables(folder(tmp_path, scores), "en-de")
    assert caught.value.where.line == line


def test_the_sample_comes_back(tmp_path: Path) -> None:
    scores, rated = formats.read(SAMPLES / "mtme", levels="seg,doc,domain,sys")
    judgements = (*scores.judgements, *rated.judgements)
    formats.write("mtme", tmp_path / "out", scores.documents, judgements, (*scores.judges, *rated.judges))
    again = formats.read(tmp_path / "out", levels="seg,doc,domain,sys")
    assert again[0].documents == scores.documents
    assert again[0].judges == scores.judges
    assert {repr(j) for j in again[0].judgements} == {repr(j) for j in scores.judgements}
    assert [(j.segment, j.value) for j in again[1].judgements] == [(j.segment, j.value) for j in rated.judgements]


@settings(max_examples=examples(12), deadline=None)
@given(documents(texts(without="\n\r")), st.data())
def test_round_trip(made: list[Document], data: st.DataObject) -> None:
    corpus = full(made)
    systems = sorted({name for d in corpus for name in d.systems})
    numbers = st.none() | st.floats(-100, 100) | st.integers(0, 100)
    scores = [
        Judgement("m", "segment", "score", d.id, s.id, (name,), data.draw(numbers))
        for name in systems
        for d in corpus
        for s in d
    ]
    with tempfile.TemporaryDirectory() as folder:
        formats.write("mtme", Path(folder) / "one", corpus, scores, [Judge("m", JudgeKind.METRIC)])
        first = formats.read(Path(folder) / "one")[0]
        assert [j.value for j in first.judgements] == [j.value for j in scores]
        formats.write("mtme", Path(folder) / "two", first.documents, first.judgements, first.judges)
        assert formats.read(Path(folder) / "two")[0] == first


def test_other_answers_are_refused(tmp_path: Path) -> None:
    document = Document("d", (Segment("0", "a", {"oak": "A"}),), "en", "de")
    with pytest.raises(InputError, match="not answers to 'skills'"):
        formats.write("mtme", tmp_path / "x", [document], [Judgement("j", "s", "skills", "d", "0", ("oak",), [])])


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
