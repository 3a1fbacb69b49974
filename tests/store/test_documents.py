from __future__ import annotations

from types import SimpleNamespace

from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.model import Document, Segment
from lanner.store import Store, fingerprint
from lanner.store.documents import decode, encode
from property_examples import examples
from store_rows import document

words = st.text(max_size=12)
segments = st.builds(
    Segment,
    id=words,
    source=words,
    outputs=st.dictionaries(words, words, max_size=2),
    references=st.dictionaries(words, words, max_size=2),
    paragraph=st.none() | st.integers(0, 9),
    judged=st.booleans(),
    flags=st.tuples(words),
    meta=st.dictionaries(words, st.none() | st.integers(-5, 5) | words | st.lists(words, max_size=2), max_size=2),
)
documents = st.builds(
    Document, id=words, segments=st.lists(segments, max_size=3).map(tuple), domain=words, title=words,
    glossary=st.dictionaries(words, words, max_size=2), meta=st.dictionaries(words, st.booleans(), max_size=2),
)  # fmt: skip


@given(documents)
@settings(max_examples=examples(60), deadline=None)
def test_a_document_comes_back_as_it_was(given_: Document) -> None:
    assert decode(encode(given_)) == given_


def test_order_and_numbers(store: Store, filled: SimpleNamespace) -> None:
    with store.reading() as tx:
        assert [d.id for d in tx.documents.all(filled.campaign)] == ["one", "two"]
        assert tx.documents.find(filled.campaign, "two") == document("two", domain="talk")
        assert tx.documents.find(filled.campaign, "three") is None
        numbers = tx.documents.numbers(filled.campaign)
        assert list(numbers) == ["", "one", "two"]
        assert {key: tx.documents.number(filled.campaign, key) for key in numbers} == numbers
        assert tx.documents.number(filled.campaign, "three") is None


def test_the_fingerprint_sees_every_change() -> None:
    one, two = document("one"), document("two")
    prints = {fingerprint(d) for d in ([one, two], [two, one], [one], [one, document("two", domain="news")])}
    assert len(prints) == 4 and fingerprint([one, two]) in prints
