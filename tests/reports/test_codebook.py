"""Every export has its codebook: columns, questions, options and versions, in whatever format."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from lanner import __version__, formats
from lanner.reports import exchange
from lanner.reports.export import COLUMNS, codebook
from reports.world import material


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
