from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.corpus.prepare import digest
from lanner.corpus.sample import count, largest_remainder, sample, window
from lanner.errors import LannerError
from lanner.model import Document, Segment
from property_examples import examples


def document(name: str, domain: str, size: int, paragraph: int = 3) -> Document:
    segments = tuple(Segment(str(n), f"s{n}", paragraph=n // paragraph) for n in range(size))
    return Document(name, segments, domain=domain)


CORPORA = st.lists(
    st.tuples(st.sampled_from(["news", "social", "literary"]), st.integers(1, 30)), min_size=1, max_size=25
).map(lambda sizes: [document(f"d{n}", domain, size) for n, (domain, size) in enumerate(sizes)])


def test_quotas_by_largest_remainder():
    assert largest_remainder({"a": 5, "b": 3, "c": 2}, 7) == {"a": 4, "b": 2, "c": 1}
    assert largest_remainder({"a": 1, "b": 1, "c": 1}, 2) == {"a": 1, "b": 1, "c": 0}
    with pytest.raises(LannerError, match="Ask for 1 to 10"):
        largest_remainder({"a": 10}, 11)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=3), st.integers(1, 500), min_size=1), st.data())
def test_quotas_add_up_and_stay_within_one_of_the_exact_share(sizes, data):
    total = data.draw(st.integers(1, sum(sizes.values())))
    quotas = largest_remainder(sizes, total)
    assert sum(quotas.values()) == total
    for name, size in sizes.items():
        assert abs(quotas[name] - size * total / sum(sizes.values())) < 1
        assert quotas[name] <= size


@settings(max_examples=examples(80), deadline=None)
@given(CORPORA, st.data())
def test_whole_documents_come_within_one_document_of_each_quota(documents, data):
    total = data.draw(st.integers(1, sum(map(count, documents))))
    drawn = sample(documents, total, seed=data.draw(st.integers(0, 99)))
    assert all(part in documents for part in drawn.documents)
    for row in drawn.rows[:-1]:
        longest = max(count(d) for d in documents if d.domain == row["domain"])
        assert abs(row["asked"] - row["got"]) <= longest
    assert [d.id for d in drawn.documents] == [d.id for d in documents if d in drawn.documents]


@settings(max_examples=examples(80), deadline=None)
@given(CORPORA, st.integers(1, 12), st.data())
def test_clipped_documents_are_consecutive_and_never_longer(documents, clip, data):
    total = data.draw(st.integers(1, sum(map(count, documents))))
    drawn = sample(documents, total, seed=3, clip=clip)
    whole = {d.id: d for d in documents}
    for part in drawn.documents:
        ids = [int(segment.id) for segment in part.segments]
        assert ids == list(range(ids[0], ids[0] + len(ids)))
        assert len(ids) <= clip
        if len(ids) < len(whole[part.id].segments):
            assert part.meta["window"] == {
                "first": str(ids[0]),
                "last": str(ids[-1]),
                "of": len(whole[part.id].segments),
            }
    for row in drawn.rows:
        assert row["got"] <= row["asked"]


def test_same_seed_same_bytes_and_another_seed_another_sample():
    documents = [document(f"d{n}", "news", 5 + n % 7) for n in range(40)]
    one, two, other = (sample(documents, 60, seed=seed) for seed in (1, 1, 2))
    assert digest(one.documents) == digest(two.documents) != digest(other.documents)


def test_a_second_sample_can_be_disjoint():
    documents = [document(f"d{n}", "news", 6) for n in range(20)]
    first = sample(documents, 48, seed=1)
    second = sample(documents, 48, seed=1, avoid={d.id for d in first.documents})
    assert not {d.id for d in first.documents} & {d.id for d in second.documents}
    assert second.rows[-1]["available_documents"] == 12


def test_windows_keep_paragraphs_whole_where_they_can():
    long = document("d", "news", 60, paragraph=5)
    for seed in range(30):
        part = window(long, 12, random.Random(seed))
        first, last = int(part.segments[0].id), int(part.segments[-1].id)
        assert first % 5 == 0
        assert last % 5 == 4 or len(part.segments) == 12
    assert window(long, 60, random.Random(0)) is long


def test_only_judged_sentences_count():
    segments = tuple(Segment(str(n), "x", judged=n % 2 == 0, paragraph=0) for n in range(20))
    part = window(Document("d", segments), 4, random.Random(5))
    assert count(part) == 4
    assert count(Document("d", segments)) == 10


def test_asked_and_got_are_reported():
    documents = [document("n1", "news", 10), document("n2", "news", 20), document("s1", "social", 10)]
    *domains, everything = sample(documents, 20, seed=0, clip=10).rows
    assert [(row["domain"], row["asked"], row["available_sentences"]) for row in domains] == [
        ("news", 15, 30),
        ("social", 5, 10),
    ]
    assert everything["asked"] == 20
    assert everything["got"] == sum(row["got"] for row in domains)
    assert sum(row["share"] for row in domains) == pytest.approx(1)


def test_stated_shares_decide_and_a_domain_that_is_not_named_is_left_out():
    corpus = [document(f"{domain}{n}", domain, 20) for domain in ("literary", "news", "speech") for n in range(10)]
    drawn = sample(corpus, 100, seed=1, clip=10, shares={"literary": 1, "news": 3})
    sizes = {row["domain"]: row for row in drawn.rows}
    counts = {name: sum(count(d) for d in drawn.documents if d.domain == name) for name in ("literary", "news")}
    assert set(sizes) == {"literary", "news", "All"}
    assert counts["literary"] == pytest.approx(25, abs=3)
    assert counts["news"] == pytest.approx(75, abs=8)
    with pytest.raises(LannerError, match="of 'poems' are asked for and 0"):
        sample(corpus, 100, seed=1, shares={"poems": 1, "news": 1})
