"""The tidy table as a file: CSV, JSONL or Parquet, with a codebook that explains every column and value.

Judges appear by id, never by name or address. In CSV, lists are JSON and text that a spreadsheet would run as a
formula is given an apostrophe in front.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl

from lanner.errors import LannerError, Where, did_you_mean
from lanner.material import Material
from lanner.model import Json, Protocol
from lanner.protocols.wording import Wording
from lanner.reports.files import csv_text, write_whole

COLUMNS: Mapping[str, str] = {
    "judge": "who answered: people under a pseudonym unless asked otherwise, models and metrics by their ids",
    "judge_kind": "person, model, metric, simulated or adjudicated",
    "stage": "the stage of the protocol; score for what the protocol computes from answers",
    "question": "the question or score, by id",
    "row": "the row of a grid, or the label a question was repeated for; empty otherwise",
    "document": "the document, by id",
    "segment": "the segment, by id; empty for the whole document",
    "system": "the system judged, or several joined by |, in the order shown; empty for the source alone",
    "role": "main, repeat, control, tutorial or calibration",
    "domain": "the document's domain",
    "source_language": "the language of the source",
    "target_language": "the language of the translation",
    "label": "the option chosen, by id",
    "score": "the number given, or the value of the option chosen",
    "labels": "the set of labels chosen",
    "spans": "marked spans, as JSON, offsets in code points",
    "text": "free text",
    "ranks": "ranks in the order of the systems, 1 best",
    "elapsed": "seconds from opening to answering",
    "active": "seconds with activity",
    "answered_at": "when, in UTC",
    "flags": "rules that an imported answer breaks",
}


def export(material: Material, path: Path) -> int:
    """Write the tidy table in the format that the file's ending names, and the codebook beside it; returns the rows."""
    writers: dict[str, Callable[[pl.DataFrame, Path], None]] = {".csv": _csv, ".jsonl": _jsonl, ".parquet": _parquet}
    writer = writers.get(path.suffix)
    if writer is None:
        raise LannerError(
            f"Files ending in {path.suffix!r} are not written.",
            where=Where(path),
            next_step=did_you_mean(path.suffix, writers),
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        writer(material.table, path)
        write_whole(path.with_name(f"{path.stem}.codebook.csv"), csv_text(codebook(material)))
    except OSError as error:
        raise LannerError(f"It cannot be written: {error.strerror}.", where=Where(path)) from error
    return material.table.height


def codebook(material: Material) -> list[dict[str, Json]]:
    """A row for every column, then one for every question, option and score with its words."""
    rows: list[dict[str, Json]] = [
        {
            "kind": "column",
            "id": name,
            "meaning": COLUMNS.get(name, f"attribute of the judge: {name.removeprefix('judge_')}"),
        }
        for name in material.table.columns
    ]
    return rows + (_asked(material.protocol) if material.protocol else [])


def _asked(protocol: Protocol) -> list[dict[str, Json]]:
    words = Wording(protocol)
    rows: list[dict[str, Json]] = [{"kind": "protocol", "id": protocol.label, "meaning": f"hash {protocol.hash}"}]
    for stage, question in protocol.questions:
        found = words.question(question.id)
        meaning = ". ".join(filter(None, (found.label, found.help, found.definition)))
        rows.append({"kind": "question", "id": question.id, "of": stage.id, "meaning": meaning})
        for option in question.choices:
            said = words.option(question.id, option.id)
            meaning = ". ".join(filter(None, (said.label, said.definition)))
            rows.append(
                {"kind": "option", "id": option.id, "of": question.id, "value": option.value, "meaning": meaning}
            )
    rows += [{"kind": "score", "id": s.id, "of": s.question, "meaning": f"rule {s.rule}"} for s in protocol.scores]
    return rows


def _csv(table: pl.DataFrame, path: Path) -> None:
    write_whole(path, csv_text(table.rows(named=True)))


def _jsonl(table: pl.DataFrame, path: Path) -> None:
    write_whole(path, table.with_columns(pl.col("answered_at").dt.to_string("iso:strict")).write_ndjson())


def _parquet(table: pl.DataFrame, path: Path) -> None:
    temporary = path.with_name(f".{path.name}.part")
    try:
        table.write_parquet(temporary)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
