from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from lanner import formats
from lanner.errors import InputError
from lanner.formats import table


def write(path: Path, rows: Sequence[Sequence[Any]]) -> Path:
    if path.suffix == ".csv":
        width = max(map(len, rows))
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([[*row, *[""] * (width - len(row))] for row in rows])
        return path
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(["" if cell is None else cell for cell in row] or [None])  # type: ignore[union-attr]
    book.save(path)
    return path


def test_a_decimal_comma_stays_one_where_each_row_is_a_judge(tmp_path: Path) -> None:
    path = tmp_path / "form.csv"
    path.write_text("judge;Sentence 1;Sentence 2;Sentence 3\nann;1,250;2,500;3,125\nben;1,500;2,000;3,000\n")
    (reading,) = formats.read(path)
    assert [entry.value for entry in reading.judgements] == [1.25, 2.5, 3.125, 1.5, 2, 3]


@pytest.mark.parametrize("moments", [("2026/05/01 10:11:00 AM GMT+2", "2026/05/02 9:00:00 PM GMT+2"), ("1", "2")])
def test_respondents_of_a_form_without_names_are_its_rows(tmp_path: Path, moments: tuple[str, str]) -> None:
    path = tmp_path / "form.csv"
    header = ",".join(["Timestamp", *(f"How good is it? [Sentence {n}]" for n in range(1, 4))])
    path.write_text("\n".join([header, f"{moments[0]},1,2,3", f"{moments[1]},4,5,1"]), encoding="utf-8")
    if moments == ("1", "2"):
        with pytest.raises(InputError):
            table.read(path)
        return
    (reading,) = table.read(path)
    answers = [(entry.judge, entry.segment, entry.value) for entry in reading.judgements]
    scores = {"row 2": (1, 2, 3), "row 3": (4, 5, 1)}
    assert answers == [(j, f"Sentence {n}", own[n - 1]) for j, own in scores.items() for n in (1, 2, 3)]
    assert any("each row is one, called after its line" in note for note in reading.notes)


@pytest.mark.parametrize("heading", ["Sentence {}: good? (1-5)", "How good is it? [The cat {}.]"])
def test_a_form_without_names_and_moments_is_asked_about(tmp_path: Path, heading: str) -> None:
    """A row may be a judge, and it may be an item."""
    path, columns = tmp_path / "form.csv", [heading.format(n) for n in (1, 2, 3)]
    path.write_text("\n".join([",".join(columns), "1,2,3", "4,5,1"]), encoding="utf-8")
    with pytest.raises(InputError, match="nothing names the judges") as caught:
        formats.read(path)
    assert (caught.value.code, "first column `judge`" in caught.value.next_step) == ("no_judge_column", True)
    path.write_text("\n".join([",".join(["judge", *columns]), "a,1,2,3", "b,4,5,1"]), encoding="utf-8")
    (reading,) = formats.read(path)
    assert [entry.value for entry in reading.judgements] == [1, 2, 3, 4, 5, 1]


def test_what_is_left_out_below_a_long_form_is_said(tmp_path: Path) -> None:
    rows = "\n".join(f"judge {n},{n % 5},{n % 4},{n % 3}" for n in range(300))
    path = tmp_path / "form.csv"
    path.write_text(f"judge,Sentence 1,Sentence 2,Sentence 3\n{rows}\n\nCollected in spring.,,,\n")
    (reading,) = formats.read(path)
    assert len(reading.judgements) == 900
    assert any("below the table" in note for note in reading.notes)


def test_grids_of_a_form_with_the_same_texts(tmp_path: Path) -> None:
    path = tmp_path / "form.csv"
    asked = [f"{question} [Text {n}]" for question in ("It reads well.", "The meaning is kept.") for n in (1, 2)]
    path.write_text(",".join(["Username", *asked]) + "\nann,1,2,3,4\nben,2,3,4,5\ncem,1,1,2,2\n", encoding="utf-8")
    [reading] = formats.read(path)
    found = {
        (entry.judge, entry.document, reading.questions[entry.question]): entry.value for entry in reading.judgements
    }
    assert found[("ann", "Text 2", "It reads well.")] == 2
    assert found[("ben", "Text 1", "The meaning is kept.")] == 4
    assert len(found) == 12


def test_grids_with_different_rows_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "form.csv"
    asked = [f"It reads well. [Text {n}]" for n in (1, 2, 3)] + [f"The meaning is kept. [Text {n}]" for n in (4, 5, 6)]
    path.write_text(",".join(["Username", *asked]) + "\nann,1,2,3,4,5,1\nben,2,3,4,5,1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="columns of 2 kinds"):
        formats.read(path)


@pytest.mark.parametrize("number", ["Nr.", "ID"])
def test_a_form_whose_rows_are_numbered_judges_the_same_items(tmp_path: Path, number: str) -> None:
    """The number was taken for an item of each judge, so that judges shared none."""
    rows = [
        [number, "Wer", *(f"Frage {at}" for at in (1, 2, 3))],
        *([n, name, n, 2, 3] for n, name in ((1, "a"), (2, "b"))),
    ]
    path = write(tmp_path / "t.csv", rows)
    (reading,) = formats.read(path, columns="judge=Wer")
    found = {(entry.judge, entry.segment): entry.value for entry in reading.judgements}
    assert len(found) == 6
    assert {segment for _, segment in found} == {f"Frage {at}" for at in (1, 2, 3)}
    (reading,) = formats.read(path, columns=f"judge=Wer,segment={number}")
    assert {entry.segment for entry in reading.judgements} == {"1", "2"}, "unless somebody says what it is"
