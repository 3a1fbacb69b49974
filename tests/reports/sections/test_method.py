from dataclasses import replace

from lanner.model import JudgeKind
from lanner.reports.parts import Paragraph, Table
from lanner.reports.sections.method import section
from reports.test_view import view


def test_who_what_and_how_in_a_paragraph() -> None:
    blocks = section(view(kind=JudgeKind.PERSON)).blocks
    text = " ".join(block.text for block in blocks if isinstance(block, Paragraph))
    assert text.startswith("3 judges worked with FALCON (falcon@1.0)")
    assert "24 sentences in 4 documents (English to German, with outputs of 2 systems)" in text
    assert "resampling whole documents" in text


def test_who_judged_how_much_and_what_was_asked() -> None:
    made = view(kind=JudgeKind.PERSON)
    material = replace(made.material, settings={"design": "latin_square", "seed": 7})
    blocks = section(replace(made, material=material)).blocks
    text = " ".join(block.text for block in blocks if isinstance(block, Paragraph))
    assert "assigned by the design “latin square” (seed 7)" in text
    assert "Each of 72 items was judged by 3 judges." in text
    asked = next(block for block in blocks if isinstance(block, Table))
    assert asked.rows[0]["n"] == "72"
    assert any("one of: sentence level, local" in str(row["answer"]) for row in asked.rows)


def test_simulated_judges_are_said_first() -> None:
    first = section(view()).blocks[0]
    assert isinstance(first, Paragraph)
    assert "simulated" in first.text


def test_the_table_of_texts_adds_up() -> None:
    _, table = [block for block in section(view()).blocks if isinstance(block, Table)]
    assert [row["sentences"] for row in table.rows] == [12, 12, 24]


def test_what_happened_to_the_data_is_said() -> None:
    made = view()
    material = replace(made.material, notes=("One judge has withdrawn; 6 answers were deleted.",))
    blocks = section(replace(made, material=material)).blocks
    assert any("One judge has withdrawn; 6 answers" in block.text for block in blocks if isinstance(block, Paragraph))
