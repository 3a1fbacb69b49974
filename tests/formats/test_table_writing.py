from __future__ import annotations

import csv
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats.strategies import documents, texts
from lanner import formats
from lanner.errors import InputError
from lanner.model import Document, Judge, Segment


def round_trip(made: list[Document], name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        formats.write("table", path, made)
        assert formats.recognise(path) == "table"
        (reading,) = formats.read(path)
        assert list(reading.documents) == made
        assert list(formats.read_documents(path)) == made


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.parquet", "t.csv.gz"])
def test_round_trip(name: str) -> None:
    @settings(max_examples=12, deadline=None)
    @given(documents())
    def check(made: list[Document]) -> None:
        round_trip(made, name)

    check()


@settings(max_examples=15, deadline=None)
@given(documents(texts(without="\r\ufeff")))
def test_round_trip_of_spreadsheets(made: list[Document]) -> None:
    round_trip(made, "t.xlsx")


def test_a_formula_stays_text(tmp_path: Path) -> None:
    round_trip([Document("d", (Segment("1", "=1+1", {"A": "+49"}),))], "t.xlsx")


@pytest.mark.parametrize("name", ["t.csv", "t.tsv"])
def test_no_cell_runs_as_a_formula_and_every_text_comes_back(name: str) -> None:
    @settings(max_examples=40, deadline=None)
    @given(*[st.text(st.sampled_from("'=+-@＝a1 "), min_size=1, max_size=4)] * 2)
    def check(source: str, output: str) -> None:
        made = [Document("d", (Segment("1", source, {"A": output}),), title=source, note=output)]
        round_trip(made, name)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            formats.write("table", path, made)
            with path.open(encoding="utf-8", newline="") as file:
                cells = [c for row in csv.reader(file, delimiter=",\t"[name == "t.tsv"]) for c in row]
        assert not [c for c in cells if re.match("[=+@＝]|-(?!\\d+$)", c)]

    check()


def test_an_apostrophe_in_a_table_of_other_make_is_the_texts_own(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("document,segment,source,output:A\nd,1,'=x,'+y\n", encoding="utf-8")
    (segment,) = next(iter(formats.read_documents(path)))
    assert (segment.source, segment.outputs["A"]) == ("'=x", "'+y")


@pytest.mark.parametrize("text", ["a\rb", "a\x00b", "x" * 40_000])
def test_what_a_spreadsheet_cannot_hold_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        formats.write("table", tmp_path / "t.xlsx", [Document("d", (Segment("1", text),))])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "made", "judges", "message"),
    [
        ("t.doc", [], [], "which kind of table"),
        ("t.csv", [Document("d", ())], [], "no segments"),
        ("t.csv", [Document("d", (Segment("1", ""),))] * 2, [], "Two documents"),
        ("t.csv", [], [Judge("a")], "no judgements"),
    ],
)
def test_refusals(tmp_path: Path, name: str, made: list[Document], judges: list[Judge], message: str) -> None:
    with pytest.raises(InputError, match=message):
        formats.write("table", tmp_path / name, made, (), judges)
