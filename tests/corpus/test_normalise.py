from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.corpus.ledger import Change, Ledger
from lanner.corpus.normalise import DEFAULT, normalise
from lanner.model import Document, Segment


def test_every_change_is_counted_and_can_be_followed():
    changes: list[Change] = []
    ledger = Ledger(on_change=changes.append)
    document = Document("d", (Segment("1", "cafe\u0301\r\nnow ", {"a": "\ufeffya"}, {"r": "so"}),))
    (segment,) = normalise(document, ledger).segments
    assert (segment.source, segment.outputs, segment.references) == ("café\nnow", {"a": "ya"}, {"r": "so"})
    assert ledger.counts == {"line_ends": 1, "nfc": 1, "trim": 1, "byte_order_mark": 1}
    assert Change("nfc", "d", "1", "source") in changes
    assert Change("byte_order_mark", "d", "1", "output:a") in changes
    assert len(changes) == 4


def test_escaped_line_breaks_are_read_only_if_declared():
    document = Document("d", (Segment("1", r"one\ntwo"),))
    assert normalise(document, Ledger()) == document
    (segment,) = normalise(document, Ledger(), (*DEFAULT, "escaped_newlines")).segments
    assert segment.source == "one\ntwo"


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=30))
def test_normalising_twice_changes_nothing_more(text):
    once = normalise(Document("d", (Segment("1", text),)), Ledger())
    ledger = Ledger()
    assert normalise(once, ledger) == once
    assert not ledger.counts
    assert unicodedata.is_normalized("NFC", once.segments[0].source)
