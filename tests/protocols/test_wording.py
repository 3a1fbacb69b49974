"""Words in the judge's language, then its parent, then English."""

from __future__ import annotations

from lanner import protocols
from lanner.protocols.wording import Wording

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
