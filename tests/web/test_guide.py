from lanner.model import Unit
from lanner.web.guide import definitions, keys, paragraphs
from lanner.web.messages import Messages
from web.test_asking import page


def test_every_skill_is_defined_under_its_group() -> None:
    sections = definitions(list(page("h_falcon", "rating").values()))
    titles = [section.title for section in sections if section.title]
    assert titles == ["Field", "Tenor", "Mode"]
    terms = [entry.term for section in sections for entry in section.entries]
    assert len([term for term in terms if term in ("Information density", "Logical connectivity")]) == 2
    assert all(entry.text for section in sections for entry in section.entries)


def test_the_keys_of_a_page_are_those_of_its_questions_and_of_every_page() -> None:
    found = keys(list(page("h_falcon", "rating").values()), Messages("en"), unit=Unit.IN_CONTEXT)
    pressed = {key for entry in found for key in entry.keys}
    assert {"s", "h", "c", "j", "k", "u", "d", "?"} <= pressed
    assert all(entry.text for entry in found)


def test_a_questionnaire_has_no_rows_to_walk() -> None:
    found = keys([], Messages("en"), unit=Unit.JUDGE)
    assert "j" not in {key for entry in found for key in entry.keys}


def test_paragraphs() -> None:
    assert paragraphs("One\nline.\n\n\nTwo.") == ("One line.", "Two.")
