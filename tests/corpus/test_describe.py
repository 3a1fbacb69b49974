from __future__ import annotations

import csv
from itertools import groupby

import pytest

from data_sets import data_dir
from lanner.corpus.describe import describe, to_latex, to_text, words
from lanner.model import Document, Segment

DOCUMENTS = [
    Document("1", (Segment("1", "One two. Three!"), Segment("2", "Four", judged=False)), "en", domain="news"),
    Document("2", (Segment("1", "A_b & 50%."),), "en", domain="social"),
]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", 0),
        ("one  two", 2),
        ("well - yes", 2),
        ("今天下雨。", 4),
        ("彼はOKと言った", 7),
        ("오늘은 비", 2),
        ("วันนี้ฝนตก ok", 8),
        ("ថ្ងៃនេះ", 3),
        ("😂 !", 0),
    ],
)
def test_words(text, number):
    assert words(text) == number


def test_the_table():
    news, social, everything, mean = describe(DOCUMENTS)
    assert news == {
        "domain": "news",
        "documents": 1,
        "segments": 2,
        "judged": 1,
        "sentences": 3,
        "sentences_per_document": 3.0,
        "sentences_per_segment": 1.5,
        "words_min": 1,
        "words_mean": 2.0,
        "words_max": 3,
    }
    assert social["sentences"] == 1
    assert (everything["documents"], everything["segments"], everything["sentences"]) == (2, 3, 4)
    assert (mean["sentences_per_document"], mean["sentences_per_segment"]) == (2.0, 1.25)
    assert mean["documents"] is None


def test_it_prints_as_text_and_latex():
    rows = describe(DOCUMENTS)
    lines = to_text(rows).splitlines()
    assert lines[0].split()[:3] == ["Domain", "#Doc", "#Seg"]
    assert len({line.rstrip().rfind(" ") for line in lines[1:3]}) == 1
    assert "—" in lines[-1]
    latex = to_latex(rows, caption="50% & more", label="tab:data")
    assert r"\caption{50\% \& more}" in latex
    assert r"\#Doc" in latex
    assert latex.count(r"\midrule") == 2


def test_nothing_is_described_as_nothing():
    (everything,) = describe([])
    assert everything["documents"] == 0
    assert everything["sentences_per_document"] is None


@pytest.mark.data
def test_the_h_falcon_set_has_the_papers_table():
    with (data_dir("h-falcon") / "data" / "evalset.csv").open(encoding="utf-8", newline="") as file:
        groups = [list(rows) for _, rows in groupby(csv.DictReader(file), key=lambda row: row["doc"])]
    documents = [
        Document(rows[0]["doc"], tuple(Segment(r["idx"], r["source"]) for r in rows), "en", "ko", rows[0]["domain"])
        for rows in groups
    ]
    table = {row["domain"]: row for row in describe(documents)}
    shape = {name: (row["documents"], row["segments"]) for name, row in table.items()}
    assert shape == {
        "literary": (3, 76),
        "news": (12, 233),
        "social": (23, 500),
        "All": (38, 809),
        "Mean of domains": (None, None),
    }
    # The paper counts with Punkt: 1.09, 1.01, 1.07. Another segmenter may differ by a few sentences.
    for domain, published in (("literary", 1.09), ("news", 1.01), ("social", 1.07)):
        assert table[domain]["sentences_per_segment"] == pytest.approx(published, abs=0.08)
    # Paper 001 prints 1 and 61 words: there a dash between spaces is a word.
    assert (table["All"]["words_min"], table["All"]["words_max"]) == (1, 60)
