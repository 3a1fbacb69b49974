from __future__ import annotations

from lanner.model import Unit
from lanner.protocols import load
from lanner.protocols.wording import Wording
from lanner.web.judging.form import Ask, asks
from lanner.web.judging.page import definitions, keys, paragraphs
from lanner.web.page.speech import Messages


def questions(name: str, page: str) -> tuple[Ask, ...]:
    protocol = load(name)
    return asks(protocol, protocol.pages[page], Wording(protocol), Messages())


def test_paragraphs() -> None:
    assert paragraphs("One\nline.\n\n\n  Another.  ") == ("One line.", "Another.")
    assert paragraphs("") == ()


def test_definitions_by_group_then_by_question() -> None:
    sections = definitions(questions("h_falcon", "rating"))
    assert [(section.title, section.tone, len(section.entries)) for section in sections] == [
        ("Field", 1, 3),
        ("Tenor", 2, 3),
        ("Mode", 3, 3),
        ("", 0, 2),
    ]
    assert sections[0].entries[0].id == "d-skills-information_density"


def test_definitions_of_levels_and_of_error_kinds() -> None:
    titles = [section.title for section in definitions(questions("falcon", "label"))]
    assert titles == ["Context level", "Field", "Tenor", "Mode"]
    marking = definitions(questions("mqm", "marking"))[0]
    assert marking.title == "Errors" and len(marking.entries) > 15


def test_keys_of_a_page_come_first() -> None:
    found = keys(questions("h_falcon", "rating"), Messages(), unit=Unit.IN_CONTEXT)
    assert (found[0].keys, found[0].through) == (("1",), "9")
    assert found[1].keys == ("0", "1", "2", "3")
    assert "Holistic score, then 1–9, 0" in [key.text for key in found]
    assert found[-1].keys == ("?",)


def test_keys_for_marking_and_for_questionnaires() -> None:
    marking = [key.keys for key in keys(questions("esa", "rating"), Messages(), unit=Unit.IN_CONTEXT)]
    assert ("Shift", "←", "→") in marking and ("o",) in marking and ("Tab",) in marking
    assert ("l", "x") not in marking
    assert ("l", "x") in [
        key.keys for key in keys(questions("mqm_linked", "marking"), Messages(), unit=Unit.IN_CONTEXT)
    ]
    compared = keys(questions("ranking_sc", load("ranking_sc").stages[0].id), Messages(), unit=Unit.IN_CONTEXT)
    assert compared[0].text == "Which is better, then 1–3", "no question mark before the comma"
    alone = [key.keys for key in keys(questions("consent", "consent"), Messages(), unit=Unit.JUDGE)]
    assert ("j", "k") not in alone and ("Page ↑", "Page ↓") not in alone and ("/",) not in alone


def test_a_letter_of_a_question_is_no_longer_one_of_the_page() -> None:
    found = [key.keys for key in keys(questions("adequacy_fluency_ds", "ds"), Messages(), unit=Unit.DOCUMENT)]
    assert found.count(("f",)) == 1, "fluency; Finish is reached with Tab"
