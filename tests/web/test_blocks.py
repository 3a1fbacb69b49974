from dataclasses import replace

from lanner import protocols
from lanner.model import Document, Item, Segment, Task
from lanner.web.blocks import Block, Layout
from lanner.web.messages import Messages


def document(sentences: int, target: str = "ko") -> Document:
    segments = tuple(Segment(str(n), f"S{n}.", outputs={"oak": f"T{n}."}) for n in range(1, sentences + 1))
    return Document("d", segments, "en", target, domain="news", title="Title", note="Note")


def block(text: Document, name: str = "h_falcon", systems: tuple[str, ...] = ("oak",), **texts: str) -> Block:
    protocol = protocols.load(name)
    page, stages = next(iter(protocol.pages.items()))
    items = tuple(Item(text.id, segment.id, systems, texts=texts) for segment in text)
    task = Task(1, "j", page, items)
    states = ["" for _ in items]
    [made] = Layout(task, {text.id: text}, stages[0], (), states, Messages("en"), {}).blocks()
    return made


def test_source_and_translation_stand_in_one_row_with_their_languages() -> None:
    made = block(document(3))
    assert [cell.text for cell in made.rows[0].cells] == ["S1.", "T1."]
    assert [(cell.lang, cell.dir) for cell in made.rows[0].cells] == [("en", "ltr"), ("ko", "ltr")]
    assert (made.title, made.domain, made.note) == ("Title", "news", "Note")
    assert made.window is None


def test_arabic_runs_from_right_to_left() -> None:
    assert block(document(1, "ar")).rows[0].cells[1].dir == "rtl"


def test_over_fifteen_sentences_there_is_a_window() -> None:
    assert block(document(15)).window is None
    assert block(document(16)).window == (5, 5)


def test_questions_about_the_source_show_no_translation() -> None:
    made = block(document(2), "falcon", ())
    assert [[cell.side for cell in row.cells] for row in made.rows] == [["source"], ["source"]]


def test_a_control_text_takes_the_place_of_the_output_and_says_nothing_of_it() -> None:
    made = block(document(1), oak="shuffled words")
    assert made.rows[0].cells[1].text == "shuffled words"
    assert "oak" not in str(made)


def test_text_that_is_not_judged_is_shown_without_an_item() -> None:
    text = document(2)
    text = replace(text, segments=(replace(text.segments[0], judged=False), text.segments[1]))
    protocol = protocols.load("h_falcon")
    task = Task(1, "j", "rating", (Item("d", "2", ("oak",)),))
    [made] = Layout(task, {"d": text}, protocol.stages[0], (), [""], Messages("en"), {}).blocks()
    assert [row.item for row in made.rows] == [None, 0]
