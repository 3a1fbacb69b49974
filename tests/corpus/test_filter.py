from __future__ import annotations

import pytest

from lanner.corpus.filter import RULES, Filter, breaks, keep
from lanner.corpus.ledger import Ledger
from lanner.model import Document, Segment


def broken(source: str, *, by: Filter | None = None, domain: str = "news", name: str = "d", **more) -> set[str]:
    document = Document(name, (), domain=domain)
    by = by or Filter(RULES, domains=("speech",), max_words=8)
    return {rule for rule in RULES if breaks(rule, document, Segment("1", source, **more), by)}


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
    ledger = Ledger()
    after = keep(DOCUMENT, ledger, Filter(("hyperlink", "hashtag")))
    assert after.segments[0].flags == ("hyperlink", "hashtag")
    assert not after.segments[0].judged
    assert after.segments[1] == DOCUMENT.segments[1]
    assert ledger.counts == {"hyperlink": 1, "hashtag": 1}


def test_dropping_removes_it_and_a_document_with_nothing_left():
    assert [s.id for s in keep(DOCUMENT, Ledger(), Filter(("hyperlink",), "drop")).segments] == ["2"]
    ledger = Ledger()
    assert keep(DOCUMENT, ledger, Filter(("domain",), "drop", domains=("",))) is None
    assert ledger.counts["documents_dropped"] == 1


def test_filtering_never_renumbers():
    after = keep(DOCUMENT, Ledger(), Filter(("hyperlink",), "drop"))
    assert after.segments[0].id == "2"
