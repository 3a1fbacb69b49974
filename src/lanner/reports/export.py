"""The tidy table as a file: CSV, JSONL or Parquet, with a codebook that explains every column and value.

Judges appear by id, never by name or address. In CSV, lists are JSON and text that a spreadsheet would run as a
formula is given an apostrophe in front.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources
from pathlib import Path

import polars as pl

from lanner import __version__, formats
from lanner.analysis import GROUPS
from lanner.analysis import counted as count_rows
from lanner.analysis.material import Material
from lanner.errors import LannerError, Where, did_you_mean
from lanner.formats.parsing.textfile import replacing, write_whole
from lanner.model import Json, Protocol
from lanner.protocols.wording import Wording
from lanner.reports.parts import csv_text


def excluded(material: Material) -> list[tuple[str, int]]:
    """Why rows do not count in results, and how many for each reason."""
    return [(str(reason), number) for reason, number in material.counted(of=tuple(GROUPS)).excluded.items()]


def export(material: Material, path: Path, *, counted: bool = False) -> int:
    """Write the tidy table in the format that the file's ending names, and the codebook beside it; returns the rows.
    With `counted`, only those rows that count in results."""
    table = material.table_with_every_mark
    if counted:
        table = count_rows(table, of=tuple(GROUPS), left_out=material.left_out).table
    if material.protocol is not None and material.protocol.wording:  # in which words each answer was asked for
        table = table.with_columns(pl.lit(material.protocol.wording).alias("wording"))
    writers: dict[str, Callable[[pl.DataFrame, Path], None]] = {".csv": _csv, ".jsonl": _jsonl, ".parquet": _parquet}
    writer = writers.get(path.suffix)
    if writer is None:
        raise LannerError(
            f"Files ending in {path.suffix!r} are not written.",
            where=Where(path),
            next_step=did_you_mean(path.suffix, writers),
        )
    writer(table, path)
    write_beside(path, material)
    return table.height


def _csv(table: pl.DataFrame, path: Path) -> None:
    write_whole(path, csv_text(table.rows(named=True)))


def _jsonl(table: pl.DataFrame, path: Path) -> None:
    write_whole(path, table.with_columns(pl.col("answered_at").dt.to_string("iso:strict")).write_ndjson())


def _parquet(table: pl.DataFrame, path: Path) -> None:
    with replacing(path) as temporary:
        table.write_parquet(temporary)


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
    "spans": "marked spans, as JSON, offsets in code points; origin and model say what became of those offered",
    "text": "free text",
    "ranks": "ranks in the order of the systems, 1 best",
    "elapsed": "seconds from opening to answering",
    "active": "seconds with activity",
    "answered_at": "when, in UTC",
    "flags": "rules that an imported answer breaks",
}
_SOMETIMES = {
    "help": "whether a model's marks were offered to the judge or withheld; empty where it made none",
    "draw": "which draw of the adaptive campaign the document was, 1 for the first; empty where it was not drawn",
    "draw_probability": "the chance that the document had among those not drawn yet, when it was drawn",
}


def codebook(material: Material, name: str = "") -> list[dict[str, Json]]:
    """A row for every column (of the tidy table, or of another format by name), then one for every question, option
    and score with its words, between the versions."""
    versions: list[dict[str, Json]] = [{"kind": "version", "id": "lanner", "meaning": __version__}]
    if material.chain:
        number, hash_ = material.chain
        words = f"{hash_} (SHA-256 over the {number} judgements committed so far; lanner verify --chain checks it)"
        versions.append({"kind": "chain", "id": material.name, "meaning": words})
    versions += [{"kind": "note", "id": material.name, "meaning": note} for note in material.notes]
    if name:
        versions.append({"kind": "format", "id": name, "meaning": formats.titles()[name]})
    columns = [*material.table.columns, *(("draw", "draw_probability") if material.drawn else ())]
    meanings = _fields().get(name, {}) if name else {column: _column(column) for column in columns}
    rows = versions + [{"kind": "column", "id": column, "meaning": meaning} for column, meaning in meanings.items()]
    return rows + (_list_questions(material.protocol) if material.protocol else [])


def write_beside(path: Path, material: Material, name: str = "") -> Path:
    """The codebook of an export, next to it: `pilot.codebook.csv` for `pilot.csv` and for a folder `pilot`."""
    place = path.with_name(f"{path.stem}.codebook.csv")
    write_whole(place, csv_text(codebook(material, name)))
    return place


def _column(name: str) -> str:
    return {**COLUMNS, **_SOMETIMES}.get(name, f"attribute of the judge: {name.removeprefix('judge_')}")


@cache
def _fields() -> dict[str, dict[str, str]]:
    file = resources.files("lanner.reports") / "codebook.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _list_questions(protocol: Protocol) -> list[dict[str, Json]]:
    words = Wording(protocol)
    rows: list[dict[str, Json]] = [{"kind": "protocol", "id": protocol.label, "meaning": f"hash {protocol.hash}"}]
    for stage, question in protocol.questions:
        question_words = words.question(question.id)
        meaning = ". ".join(filter(None, (question_words.label, question_words.help, question_words.definition)))
        rows.append({"kind": "question", "id": question.id, "of": stage.id, "meaning": meaning})
        for option in question.choices:
            option_words = words.option(question.id, option.id)
            meaning = ". ".join(filter(None, (option_words.label, option_words.definition)))
            rows.append(
                {"kind": "option", "id": option.id, "of": question.id, "value": option.value, "meaning": meaning}
            )
    rows += [{"kind": "score", "id": s.id, "of": s.question, "meaning": f"rule {s.rule}"} for s in protocol.scores]
    return rows
