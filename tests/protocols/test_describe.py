"""A protocol read by a person."""

from __future__ import annotations

import re

import pytest

from lanner import protocols
from lanner.model.protocol import Wording
from lanner.protocols.describe import EXPECTED_AGREEMENT, describe


@pytest.mark.parametrize("name", protocols.names())
def test_every_protocol_reads_whole_in_every_language_it_has(name: str) -> None:
    protocol = protocols.load(name)
    for language in protocol.text:
        words, text = Wording(protocol, language), describe(protocol, language)
        assert text.startswith(f"# {words.title}\n")
        for _, question in protocol.questions:
            assert f"### {words.question(question.id).label} ({question.id}" in text
            for option in question.choices:
                assert words.option(question.id, option.id).label in text
        assert all(score.id in text for score in protocol.scores)
        assert "None" not in text.replace("None of", "")


def test_what_matters_of_each_kind_is_said() -> None:
    h_falcon = describe(protocols.load("h_falcon"))
    assert "A scale from 1 to 10 (unusable – ready to publish), in steps of 1, more is better." in h_falcon
    assert "One answer for each of 9 rows, starting at not_relevant:" in h_falcon
    assert h_falcon.index("*Field*") < h_falcon.index("*Tenor*") < h_falcon.index("*Mode*")
    survey = describe(protocols.load("context_survey"))
    assert (
        "Only where more than 40% of the judges answered translatable: no; the organiser confirms the list." in survey
    )
    assert "Only where more than 40% of the judges of the same target language answered translatable: no." in survey
    assert "Context: 2 sentences before and 0 after." in survey
    assert "Asked only if translatable is no." in survey
    assert "Only for: analyst." in survey
    assert "punctuation/minor 0.1" in describe(protocols.load("mqm"))
    assert "marks for missing text, some already marked" in describe(protocols.load("esa_preannotated"))
    assert "Nothing further opens unless consent is agree." in describe(protocols.load("consent"))
    assert "Exactly 3 of:" in describe(protocols.load("falcon"))


def test_korean() -> None:
    assert "### 종합 점수 (holistic)" in describe(protocols.load("h_falcon"), "ko")


def test_published_agreement_is_that_of_protocols_there_are_and_says_where_from() -> None:
    for name, entry in EXPECTED_AGREEMENT.items():
        assert name in protocols.names()
        assert entry["seen"] and entry["from"]
        if "short" in entry:
            numbers = re.findall(r"\.\d+", entry["short"])
            assert numbers and all(number in entry["seen"] for number in numbers), "the short form has these numbers"
            assert entry["source"]
