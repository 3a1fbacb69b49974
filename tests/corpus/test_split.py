from __future__ import annotations

import csv
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from border_counts import BorderCounts, compare, joint_borders
from data_sets import data_dir
from lanner.corpus import split
from lanner.corpus.split import borders

TEXTS = st.text(alphabet=st.sampled_from('ab C.!?…。！「」 \n\t\r\u2028"”)@#1😂다요'), max_size=80)
CODES = st.sampled_from(["en", "ko", "zh", "ja", "de", "xx"])


def test_a_line_break_ends_a_sentence_whatever_stands_there():
    text = "Siso opens gallery\nThe artist was there. He spoke\u2028and left"
    assert split.sentences(text, "en") == ["Siso opens gallery", "The artist was there.", "He spoke", "and left"]


def test_blank_lines_are_no_sentences():
    assert split.sentences("\n\n One. \n \n Two.\r\n", "en") == ["One.", "Two."]
    assert split.sentences(" \n", "en") == []


@settings(deadline=None)
@given(TEXTS, CODES)
def test_split_then_join_gives_the_text_back(text, code):
    spans = split.spans(text, code)
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    between = [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    assert all(not gap.strip() for gap in between)
    pieces = [text[a:b] for a, b in spans]
    assert "".join(gap + piece for gap, piece in zip(between, [*pieces, ""], strict=True)) == text


@settings(deadline=None)
@given(TEXTS, CODES)
def test_a_sentence_that_is_split_again_in_its_line_stays_in_order(text, code):
    spans = split.spans(text, code)
    assert spans == sorted(spans)
    assert all(text[a:b] == text[a:b].strip() != "" for a, b in spans)


def test_joiners():
    assert (split.joiner("zh-Hant"), split.joiner("ja"), split.joiner("ko")) == ("", "", " ")


@pytest.mark.data
@pytest.mark.parametrize(
    ("column", "code", "least"), [("source", "en", 0.895), ("reference", "ko", 0.845), ("target", "ko", 0.87)]
)
def test_borders_agree_with_the_released_rows(column, code, least):
    with (data_dir("h-falcon") / "data" / "evalset.csv").open(encoding="utf-8", newline="") as file:
        documents = [list(rows) for _, rows in groupby(csv.DictReader(file), key=lambda row: row["doc"])]
    total = BorderCounts()
    for rows in documents:
        gold = [row[column] for row in rows]
        total += compare(borders(split.sentences(" ".join(gold), code)), borders(gold))
    assert total.f1 >= least


def test_borders_count_characters_and_not_spaces():
    assert borders(["a b.", " c", "d"]) == borders(["ab.", "c ", "d"]) == [3, 4]
    assert borders(["whole"]) == []
    assert joint_borders([("ab", "x"), ("c", "yz")]) == [(2, 1)]


def test_scores():
    total = compare({1, 2, 3}, {2, 3, 4, 5}) + BorderCounts()
    assert total == BorderCounts(right=2, wrong=1, missed=2)
    assert (total.precision, total.recall, total.f1) == pytest.approx((2 / 3, 1 / 2, 4 / 7))
    assert BorderCounts().f1 == 0.0
