"""The lines of a document as markup."""

from __future__ import annotations

from lxml import html

from lanner.web.judge.blocks import Block, Cell, Row
from lanner.web.judge.lines import lines
from lanner.web.page.messages import Messages

HOSTILE = "<b>\"&'</b>"


def drawn(*rows: Row, first: int = 0, active: int = 0, answers: bool = False, item: int | None = None) -> list:
    made = lines(Block(rows, (), item=item), first, active, Messages().get, answers=answers)
    return html.fragment_fromstring(f"<ol>{made}</ol>").findall("li")


def test_a_line_names_its_row_its_item_and_its_state() -> None:
    first, second = drawn(Row(7, 3, (), state="done"), Row(8, None, (), hidden=True), first=10, active=10)
    assert first.get("class") == "row is-active is-done" and second.get("class") == "row aside"
    assert (first.get("data-row"), first.get("data-item")) == ("10", "3")
    assert second.get("data-item") is None and second.get("hidden") is not None
    assert first.find("a").get("href") == "?row=11" and first.find("a").get("aria-current") == "true"
    assert first.find("a").get("aria-label") == "Sentence 7" and second.find("a").get("aria-current") is None


def test_no_line_of_a_document_judged_as_a_whole_stands_aside() -> None:
    assert drawn(Row(1, None, ()), active=5, item=0)[0].get("class") == "row"


def test_whatever_a_text_or_a_name_contains_is_text() -> None:
    cells = (Cell("source", HOSTILE, "", "auto"), Cell("target", HOSTILE, HOSTILE, "rtl", output=1))
    [line] = drawn(Row(1, 0, cells, segment=HOSTILE))
    source, target = line.findall("p")
    assert source.text == target.text == target.get("lang") == line.get("data-segment") == HOSTILE
    assert source.get("lang") is None and source.get("class") == "src"
    assert (target.get("data-side"), target.get("data-output"), target.get("dir")) == ("target", "1", "rtl")


def test_each_line_has_a_place_for_the_judges_own_answer_where_it_stands_in_columns() -> None:
    assert drawn(Row(1, 0, ()), answers=True)[0].find("p").get("class") == "mine"
