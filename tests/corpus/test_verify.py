from __future__ import annotations

import csv
import io
import itertools
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner.corpus import verify
from lanner.corpus.edits import Edit, apply
from lanner.corpus.rows import Doubt, texts
from lanner.errors import InputError
from lanner.model import Document, Segment
from property_examples import examples


def rows(*pairs: tuple[str, str], parent: str = "7") -> tuple[Segment, ...]:
    return tuple(
        Segment(f"{parent}.{n}", source, {"a": output}, meta={"parent": parent})
        for n, (source, output) in enumerate(pairs, start=1)
    )


DOCUMENT = Document(
    "d",
    (
        Segment("6", "Before.", {"a": "Antes."}),
        *rows(("It rained.", "Llovió. Nos"), ("We slept. All day.", "dormimos. Todo el día."), ("Good.", "Bien.")),
    ),
    "en",
    "es",
)
DOUBTS = [Doubt("d", "7.1", "output:a", 0.41)]


def sheet() -> list[dict[str, str]]:
    return list(verify.table([DOCUMENT], DOUBTS))


def corrected(table: list[dict[str, str]], **who) -> list[tuple[str, str, str]]:
    (after,) = apply([DOCUMENT], verify.edits({"d": DOCUMENT}, table, **who))
    return [(segment.id, segment.source, segment.outputs["a"]) for segment in after.segments]


def test_the_table_shows_a_doubtful_row_with_its_whole_segment():
    table = sheet()
    assert [line["row"] for line in table] == ["7.1", "7.2", "7.3"]
    assert table[0]["doubt"] == "output:a 0.41"
    assert table[1]["doubt"] == ""
    assert table[0]["source"] == "It rained."


def test_an_untouched_table_changes_nothing():
    assert verify.edits({"d": DOCUMENT}, sheet()) == []


def test_words_moved_between_cells_are_a_shift():
    table = sheet()
    table[0]["output:a"] = "Llovió."
    table[1]["output:a"] = "Nos dormimos. Todo el día. "
    found = verify.edits({"d": DOCUMENT}, table, by="ana", when="2026-11-15")
    assert [(edit.kind, edit.segment, edit.by, edit.when) for edit in found] == [("shift", "7.1", "ana", "2026-11-15")]
    assert corrected(table)[1:3] == [
        ("7.1", "It rained.", "Llovió."),
        ("7.2", "We slept. All day.", "Nos dormimos. Todo el día."),
    ]


def test_a_mark_splits_and_an_action_merges():
    table = sheet()
    table[1]["source"] = "We slept. ‖All day."
    table[1]["output:a"] = "dormimos.‖ Todo el día."
    table[1]["action"] = "Merge"
    assert corrected(table)[1:] == [
        ("7.1", "It rained.", "Llovió. Nos"),
        ("7.2.1", "We slept.", "dormimos."),
        ("7.2.2", "All day. Good.", "Todo el día. Bien."),
    ]


def test_several_merges_in_a_row():
    table = sheet()
    table[0]["action"] = table[1]["action"] = "merge"
    assert [line[0] for line in corrected(table)] == ["6", "7.1"]


def test_accepting_is_logged():
    table = sheet()
    table[0]["action"] = "accept"
    assert verify.edits({"d": DOCUMENT}, table) == [Edit("accept", "d", "7.1")]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t[1].update({"output:a": "dormimos. Todo dia."}), "line 3.*changed: 'eldía"),
        (lambda t: t[0].update(action="acept"), "line 2.*Did you mean 'accept'"),
        (lambda t: t[0].update(row="9"), "no row '9'"),
        (lambda t: t[0].update(document="e"), "no document 'e'"),
        (lambda t: t.pop(1), "not all here"),
        (lambda t: t[1].update({"output:a": "dormimos.‖ Todo el día."}), "source of row '7.2' has no"),
    ],
)
def test_a_mistake_in_the_table_is_named_with_its_line(change, message):
    table = sheet()
    change(table)
    with pytest.raises(InputError) as caught:
        verify.edits({"d": DOCUMENT}, table)
    assert re.search(message, str(caught.value).replace("\n", " "))


def test_a_csv_round_trip_through_a_spreadsheet():
    out = io.StringIO()
    writer = csv.DictWriter(out, list(sheet()[0]))
    writer.writeheader()
    writer.writerows(sheet())
    assert verify.edits({"d": DOCUMENT}, list(csv.DictReader(io.StringIO(out.getvalue())))) == []


WORDS = st.lists(st.sampled_from(["uno", "dos", "tres."]), min_size=4, max_size=9)


@settings(max_examples=examples(60), deadline=None)
@given(WORDS, st.lists(st.integers(0, 9), min_size=3, max_size=3), st.lists(st.integers(0, 9), min_size=3, max_size=3))
def test_any_placement_of_the_words_can_be_reached(words, old, new):
    def placed(cuts):
        edges = [0, *sorted(min(cut, len(words)) for cut in cuts), len(words)]
        return [" ".join(words[a:b]) for a, b in itertools.pairwise(edges)]

    document = Document("d", rows(*((f"S{n}.", text) for n, text in enumerate(placed(old)))), "en", "es")
    table = list(verify.table([document], [Doubt("d", "7.1", "output:a", 0.1)]))
    for line, text in zip(table, placed(new), strict=True):
        line["output:a"] = text
    (after,) = apply([document], verify.edits({"d": document}, table))
    assert [texts(row)["output:a"] for row in after.segments] == placed(new)


# A table on its way through a spreadsheet program and back, unharmed


ROWS = [
    {"document": "007", "row": "7.10", "source": "@user =1 – 한국어 😀"},
    {"document": "2024-03-01", "row": "7.1.2", "source": "'tis\nso", "note": "1,000"},
]


@pytest.mark.parametrize(
    "cell",
    [
        "7.10",
        "7.1.2",
        "007",
        "3/4",
        "1,000",
        "=1",
        "@a",
        "- so",
        "+1",
        "12:30",
        "TRUE",
        "50 %",
        "1e5",
        "12-Mar",
        "2024-03-01",
    ],
)
def test_what_a_spreadsheet_would_change_is_guarded(cell: str) -> None:
    assert verify.guard(cell) == f"'{cell}"


@pytest.mark.parametrize(
    "cell", ["", "It rained.", "3 gulls cried.", "24/7 they cry.", "1.The tide", "'tis", "e5", "trueish"]
)
def test_other_cells_are_left_alone(cell: str) -> None:
    assert verify.guard(cell) == cell


@given(st.text())
def test_back_and_forth(cell: str) -> None:
    assert verify.unguard(verify.guard(cell), cell) == cell


def test_a_table_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    verify.save(path, lambda: ROWS)
    assert path.read_bytes().startswith(b"\xef\xbb\xbfdocument,row,doubt,action")
    back = verify.load(path)
    assert [(row["document"], row["row"]) for row in back] == [("007", "7.10"), ("2024-03-01", "7.1.2")]
    assert [verify.unguard(row["note"]) for row in back] == ["", "1,000"]
    assert back[1]["source"] == "'tis\nso"


@pytest.mark.parametrize("mark", [";", "\t"])
def test_other_delimiters_and_line_ends(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(f"document{mark}row{mark}action\r\nd{mark}'7.10{mark}accept\r\n".encode())
    assert verify.load(path) == [{"document": "d", "row": "7.10", "action": "accept"}]


def test_workbooks(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="the extra 'xlsx' is not installed")
    book = openpyxl.Workbook()
    book.active.append(["document", "row", "action"])
    book.active.append(["d", "'7.10", None])
    book.active.append([None, None, None])
    book.save(tmp_path / "t.xlsx")
    assert verify.load(tmp_path / "t.xlsx") == [{"document": "d", "row": "7.10", "action": ""}]
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04nothing")
    with pytest.raises(InputError, match="cannot be read"):
        verify.load(tmp_path / "t.xlsx")


def test_what_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"row\n\xff\xfe")
    for name in ("t.csv", "none.csv"):
        with pytest.raises(InputError, match="cannot be read"):
            verify.load(tmp_path / name)
