import csv
import json
from pathlib import Path

import polars as pl
import pytest

from lanner.errors import LannerError
from lanner.reports.export import export
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
