from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.corpus.cleaning import (
    DEFAULT_NORMALISATIONS,
    FILTERS,
    CleaningCounts,
    TextChange,
    TextFilter,
    breaks,
    keep,
    normalise,
)
from lanner.model import Document, Segment


def test_changes_are_counted_by_rule_and_told_one_by_one():
    told: list[TextChange] = []
    ledger = CleaningCounts(on_change=told.append)
    ledger.note("trim", "d", "1", "source")
    ledger.note("trim", "d", "2")
    assert ledger.counts == {"trim": 2}
    assert told == [TextChange("trim", "d", "1", "source"), TextChange("trim", "d", "2", "")]


def test_every_change_is_counted_and_can_be_followed():
    changes: list[TextChange] = []
    ledger = CleaningCounts(on_change=changes.append)
    document = Document("d", (Segment("1", "cafe\u0301\r\nnow ", {"a": "\ufeffya"}, {"r": "so"}),))
    (segment,) = normalise(document, ledger).segments
    assert (segment.source, segment.outputs, segment.references) == ("café\nnow", {"a": "ya"}, {"r": "so"})
    assert ledger.counts == {"line_ends": 1, "nfc": 1, "trim": 1, "byte_order_mark": 1}
    assert TextChange("nfc", "d", "1", "source") in changes
    assert TextChange("byte_order_mark", "d", "1", "output:a") in changes
    assert len(changes) == 4


def test_escaped_line_breaks_are_read_only_if_declared():
    document = Document("d", (Segment("1", r"one\ntwo"),))
    assert normalise(document, CleaningCounts()) == document
    (segment,) = normalise(document, CleaningCounts(), (*DEFAULT_NORMALISATIONS, "escaped_newlines")).segments
    assert segment.source == "one\ntwo"


@settings(deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=30))
def test_normalising_twice_changes_nothing_more(text):
    once = normalise(Document("d", (Segment("1", text),)), CleaningCounts())
    ledger = CleaningCounts()
    assert normalise(once, ledger) == once
    assert not ledger.counts
    assert unicodedata.is_normalized("NFC", once.segments[0].source)


def broken(source: str, *, by: TextFilter | None = None, domain: str = "news", name: str = "d", **more) -> set[str]:
    document = Document(name, (), domain=domain)
    by = by or TextFilter(FILTERS, domains=("speech",), max_words=8)
    return {rule for rule in FILTERS if breaks(rule, document, Segment("1", source, **more), by)}


@pytest.mark.parametrize(
    ("source", "rule"),
    [
        ("See https://example.org/a?b=1", "hyperlink"),
        ("see www.example.org", "hyperlink"),
        ("bit.ly/x1 is short", "hyperlink"),
        ("Nice goal #MLS", "hashtag"),
        ("#fire_temple again", "hashtag"),
        ("Posted at 10:26 PM", "timestamp"),
        ("[00:01:07.250] Hello", "timestamp"),
        ("   ", "empty"),
        ("one two three four five six seven eight nine", "too_long"),
        ("CANARY GUID 0000-11", "canary"),
    ],
)
def test_each_rule_finds_its_own(source, rule):
    assert broken(source) == {rule}


@pytest.mark.parametrize(
    "source",
    [
        "I love it 😂🎉",
        "@user14 @user13 thanks!",
        "We are #1 in the league",
        "Version 2.10 costs 3:1 odds",
        "e.g. this and that",
        "Mail me at a.b@example.org",
        "Prices &#39;fell&#39;",
        "A yellow canary sang.",
    ],
)
def test_emoji_user_tags_and_lookalikes_are_kept(source):
    assert broken(source) == set()


def test_rules_about_the_document_and_its_outputs():
    assert broken("x", domain="speech") == {"domain"}
    assert broken("x", domain="canary") == broken("x", name="canary") == {"canary"}
    assert broken("x", meta={"is_bad_source": True}) == {"bad_source"}
    assert broken("x", outputs={"a": "ok", "b": " "}) == {"empty_output"}


DOCUMENT = Document("d", (Segment("1", "See https://a.example #x"), Segment("2", "Fine.", flags=("odd",))))


def test_flagging_keeps_the_sentence_as_context():
    ledger = CleaningCounts()
    after = keep(DOCUMENT, ledger, TextFilter(("hyperlink", "hashtag")))
    assert after.segments[0].flags == ("hyperlink", "hashtag")
    assert not after.segments[0].judged
    assert after.segments[1] == DOCUMENT.segments[1]
    assert ledger.counts == {"hyperlink": 1, "hashtag": 1}


def test_dropping_removes_it_and_a_document_with_nothing_left():
    assert [s.id for s in keep(DOCUMENT, CleaningCounts(), TextFilter(("hyperlink",), "drop")).segments] == ["2"]
    ledger = CleaningCounts()
    assert keep(DOCUMENT, ledger, TextFilter(("domain",), "drop", domains=("",))) is None
    assert ledger.counts["documents_dropped"] == 1


def test_filtering_never_renumbers():
    after = keep(DOCUMENT, CleaningCounts(), TextFilter(("hyperlink",), "drop"))
    assert after.segments[0].id == "2"
