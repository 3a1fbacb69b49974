import csv
import json
from pathlib import Path

import polars as pl
import pytest

from lanner import __version__, formats
from lanner.errors import LannerError
from lanner.reports import exchange
from lanner.reports.export import COLUMNS, codebook, export
from reports.world import material


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_every_format_holds_the_same_rows(tmp_path: Path, suffix: str) -> None:
    made = material("h_falcon")
    path = tmp_path / f"out.{suffix}"
    count = export(made, path)
    if suffix == "csv":
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        labels = [json.loads(row["labels"]) for row in rows if row["question"] == "skills_chosen"]
    elif suffix == "jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        labels = [row["labels"] for row in rows if row["question"] == "skills_chosen"]
    else:
        rows = pl.read_parquet(path).rows(named=True)
        labels = [row["labels"] for row in rows if row["question"] == "skills_chosen"]
    expected = made.table.filter(question="skills_chosen")["labels"].to_list()
    assert len(rows) == count == made.table.height
    assert labels == expected
    assert (tmp_path / "out.codebook.csv").is_file()


def test_an_unknown_ending_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(LannerError, match=r"Did you mean '.jsonl'"):
        export(material("falcon", documents=1), tmp_path / "out.json")


def test_no_names_of_judges(tmp_path: Path) -> None:
    export(material("falcon"), tmp_path / "out.csv")
    assert "Judge 0" not in (tmp_path / "out.csv").read_text(encoding="utf-8")


def test_the_codebook_explains_every_column_question_and_option() -> None:
    rows = codebook(material("h_falcon"))
    assert {row["id"] for row in rows if row["kind"] == "column"} == set(COLUMNS)
    assert all(row["meaning"] for row in rows)
    values = {row["id"]: row["value"] for row in rows if row["kind"] == "option" and row["of"] == "skills"}
    assert values["high"] == 3


@pytest.mark.parametrize(
    ("name", "file"),
    [("native", "out.jsonl"), ("label_studio", "out"), ("mtme", "out"), ("appraise_scores", "out.csv")],
)
def test_other_formats_have_theirs_beside_them(tmp_path: Path, name: str, file: str) -> None:
    made = material("da")
    exchange.write(made, name, tmp_path / file)
    with (tmp_path / "out.codebook.csv").open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    told = {(row["kind"], row["id"]): row["meaning"] for row in rows}
    assert told["version", "lanner"] == __version__
    assert told["format", name] == formats.titles()[name]
    assert made.protocol and made.protocol.hash in told["protocol", made.protocol.label]
    assert ("question", "score") in told and sum(kind == "column" for kind, _ in told) >= 7
    assert list(formats.read(tmp_path / file)), "the codebook is not in the way of reading it again"


def test_nothing_that_native_writes_is_left_unexplained(tmp_path: Path) -> None:
    made = material("h_falcon")
    exchange.write(made, "native", tmp_path / "out.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    written = {key for line in lines if "question" in line for key in line}
    assert written <= {row["id"] for row in codebook(made, "native") if row["kind"] == "column"}
