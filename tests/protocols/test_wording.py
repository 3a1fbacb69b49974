"""Words in the judge's language, then its parent, then English."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lanner import protocols
from lanner.errors import ProtocolError
from lanner.model.protocol import Wording
from lanner.protocols.describe import describe

TEXT = """
name = "words"
version = "1"
groups = ["g"]
[[stage]]
id = "s"
unit = "document"
object = "output"
[[stage.question]]
id = "q"
kind = "choice"
options = ["one", "other_way"]
[text.en]
title = "Words"
[text.en.stages.s]
title = "Only stage"
[text.en.questions.q]
label = "Question"
help = "Some help"
[text.en.questions.q.options.one]
label = "The one"
[text.en.options.one]
definition = "  Shared definition.  "
[text.pt.questions.q]
label = "Pergunta"
[text.pt-BR.questions.q]
short = "P"
"""


def test_the_most_special_language_wins_field_by_field() -> None:
    words = Wording(protocols.parse_toml(TEXT), "pt-BR")
    question = words.question("q")
    assert (question.short, question.label, question.help) == ("P", "Pergunta", "Some help")
    assert words.language == "pt-BR"
    assert words.title == "Words"
    assert words.stage("s") == "Only stage"


def test_an_option_takes_the_questions_words_then_the_shared_ones() -> None:
    words = Wording(protocols.parse_toml(TEXT))
    one = words.option("q", "one")
    assert (one.label, one.definition) == ("The one", "Shared definition.")


def test_without_words_the_id_is_spoken() -> None:
    words = Wording(protocols.parse_toml(TEXT), "ja")
    assert words.option("q", "other_way").label == "Other way"
    assert words.group("g").label == "G"
    assert words.language == "en"
    assert words.line("instructions") == ""


def test_labelled_points_of_a_scale() -> None:
    words = Wording(protocols.load("da_sqm"))
    assert words.mark("score", 100) == words.mark("score", 100.0) == "perfect in meaning and language"
    assert words.mark("score", 42) == ""


PAPERS = ("falcon", "h_falcon", "scenarios", "parity", "context_survey")


@pytest.mark.parametrize("name", PAPERS)
def test_published_words_are_the_papers_and_say_where_they_come_from(name: str) -> None:
    own, published = protocols.load(name), protocols.load(name, wording="published")
    assert (own.wording, published.wording) == ("", "published")
    assert own.hash != published.hash
    assert published.label == f"{own.label} (published wording)"
    assert [q.model_dump() for _, q in own.questions] == [q.model_dump() for _, q in published.questions]
    assert all(str(year) in " ".join(Wording(published).sources.values()) for year in PUBLISHED_IN[name])
    assert not Wording(own).sources
    assert "Where the words come from" in describe(published)


PUBLISHED_IN = {"falcon": [2025], "h_falcon": [2025], "scenarios": [2021], "parity": [2018], "context_survey": [2020]}


@pytest.mark.parametrize(
    ("name", "question", "help_or_label"),
    [
        ("falcon", "context", "Choose the highest level of context knowledge necessary to better translate the given"),
        ("falcon", "skills", "Choose the 3 MOST important translation skills to translate the given sentence."),
        ("h_falcon", "sentence", "1 = lowest, 4 = highest"),
        ("h_falcon", "holistic", "1 = lowest, 10 = highest"),
        ("adequacy_fluency_sc", "adequacy_sc", "How much of the meaning expressed in the source appears in the"),
        ("scenarios", "fluency_ds", "How fluent was the translation?"),
        ("parity", "adequacy_of_document", "Which translation expresses the meaning of the source text more"),
        ("context_survey", "translatable_two", "Is it possible to confidently translate the sentence into your"),
    ],
)
def test_the_papers_own_question_is_on_the_page_also_where_others_are_translated(
    name: str, question: str, help_or_label: str
) -> None:
    published = protocols.load(name, wording="published")
    for language in ("en", "ko"):
        words = Wording(published, language).question(question)
        assert help_or_label in f"{words.label} {words.help}"


def test_labels_marks_and_devices_are_those_of_the_papers() -> None:
    scenarios = Wording(protocols.load("scenarios", wording="published"))
    assert [scenarios.mark("fluency_rs", n) for n in range(1, 5)] == [
        "No fluency", "Little fluency", "Near native", "Native",
    ]  # fmt: skip
    falcon = Wording(protocols.load("falcon", wording="published"))
    assert falcon.option("skills", "modality_attitude").label == "Modality and Attitude"
    assert "must, might" in falcon.option("skills", "modality_attitude").definition
    assert "however, therefore" in falcon.option("skills", "logical_connectivity").definition
    h_falcon = Wording(protocols.load("h_falcon", wording="published"))
    assert (h_falcon.question("holistic").low, h_falcon.question("holistic").high) == ("lowest", "highest")


_PRIMING = (
    r"two or three|2–3|두세 가지|두 가지에서 세|zwei oder drei|dos o tres|duas ou três|两三|二、三|二つか三つ|"
    r"اثنتين أو ثلاث"
)


def test_no_wording_primes_how_many_skills_there_are() -> None:
    """H-FALCON leaves the number to the judge (Kim 2025, §6)."""
    for wording in ("", "published"):
        protocol = protocols.load("h_falcon", wording=wording)
        for language in protocol.text:
            words = Wording(protocol, language)
            texts = words.line("instructions") + words.question("skills").help + words.question("skills").definition
            assert not re.search(_PRIMING, texts)


def test_a_protocol_without_a_paper_has_no_published_words_and_a_file_can_ask_for_them(tmp_path: Path) -> None:
    with pytest.raises(ProtocolError, match="esa has no published wording") as caught:
        protocols.load("esa", wording="published")
    assert "h_falcon" in caught.value.next_step
    with pytest.raises(ProtocolError, match="no wording 'printed'"):
        protocols.load("falcon", wording="printed")
    mine = tmp_path / "mine.toml"
    mine.write_text('name = "mine"\nversion = "1"\nextends = "h_falcon"\nwording = "published"\n', encoding="utf-8")
    assert Wording(protocols.load(mine)).question("holistic").label == "Overall quality"
    mine.write_text(mine.read_text(encoding="utf-8").replace("published", "printed"), encoding="utf-8")
    with pytest.raises(ProtocolError) as named:
        protocols.load(mine)
    assert named.value.where.line == 4
