from lanner.reports.parts import Paragraph, Quotes
from lanner.reports.sections.disputed import lines, section
from reports.test_view import view


def test_the_furthest_apart_with_everybodys_answers() -> None:
    made = section(view("falcon"))
    assert made is not None
    paragraph, quotes = made.blocks
    assert isinstance(paragraph, Paragraph) and isinstance(quotes, Quotes)
    assert "shared items" in paragraph.text
    first = quotes.entries[0]
    assert {name for name, _ in first["answers"]} == {"Judge 0", "Judge 1", "Judge 2"}
    assert "distance" in first["head"]
    documents = [entry["head"].split(",")[0] for entry in quotes.entries]
    assert len(set(documents)) == len(documents)


def test_neighbours_are_context_and_the_sentence_is_not() -> None:
    document = view("falcon").material.documents[0]
    shown = lines(document, "2", "oak")
    assert [line["context"] for line in shown] == [True, False, True, False]
    assert shown[3]["language"] == "de"
    assert lines(document, "99", "oak") == lines(None, "1", "") == []


def test_a_whole_document_shows_how_it_begins() -> None:
    document = view("falcon").material.documents[0]
    shown = lines(document, "", "oak|elm")
    assert [line.get("name", "") for line in shown] == ["", "oak", "elm"]


def test_one_judge_disputes_nothing() -> None:
    assert section(view("falcon", judges=1)) is None
