from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.strategies import SAMPLES, documents, full, texts
from lanner import formats
from lanner.errors import InputError
from lanner.model import Document, Judge, JudgeKind, Judgement, Segment


def test_the_sample_comes_back(tmp_path: Path) -> None:
    scores, rated = formats.read(SAMPLES / "mtme", levels="seg,doc,domain,sys")
    judgements = (*scores.judgements, *rated.judgements)
    formats.write("mtme", tmp_path / "out", scores.documents, judgements, (*scores.judges, *rated.judges))
    again = formats.read(tmp_path / "out", levels="seg,doc,domain,sys")
    assert again[0].documents == scores.documents
    assert again[0].judges == scores.judges
    assert {repr(j) for j in again[0].judgements} == {repr(j) for j in scores.judgements}
    assert [(j.segment, j.value) for j in again[1].judgements] == [(j.segment, j.value) for j in rated.judgements]


@settings(max_examples=12, deadline=None)
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
