"""A plain table of ratings, for the analyst who has nothing else: one row for each judge and item, answers in columns.

`judge`, what was judged (`item`, or `document` and `segment`), and any number of answers: a column of numbers is a
score, one of words a label, one of JSON lists a set of labels or spans. `system`, `domain` and `seconds` are known too.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl

from lanner.analysis.material import Material
from lanner.errors import InputError, Where
from lanner.model import Document, Judge, Judgement, Segment

_ROLES = {
    "judge": ("judge", "rater", "annotator", "coder", "evaluator"),
    "item": ("item", "unit", "item_id"),
    "document": ("document", "doc", "doc_id", "document_id"),
    "segment": ("segment", "seg", "seg_id", "segment_id", "sentence_id", "idx", "line"),
    "system": ("system", "model_output", "system_id"),
    "domain": ("domain", "genre"),
    "seconds": ("seconds", "time", "elapsed", "active"),
}
_TEXTS = ("source", "src", "target", "tgt", "output", "hyp", "reference", "ref", "context", "source_text", "comment")
_ANSWERS = ("label", "labels", "score", "rating", "answer", "value", "spans")
_MISSING = ("", "na", "n/a", "nan", "none", "null", "-")


def ratings_file(path: Path, *, asked: bool = False) -> list[Material] | None:
    """The ratings in a table; None where it is no such table, and some other reader should have it."""
    table = _read(path)
    if table is None:
        if asked:
            raise _no_ratings(path)
        return None
    names = {name.strip().casefold(): name for name in table.columns}
    at = {role: next((names[n] for n in known if n in names), None) for role, known in _ROLES.items()}
    if not asked and ("segments" in names or {"question", "value", "systems"} <= set(names)):
        return None  # our own file of documents and judgements
    has_texts = any(name in names for name in _TEXTS)
    if at["judge"] is None or not (at["item"] or at["document"] or at["segment"]):
        if asked:
            raise _no_ratings(path)
        return None
    keys = [at[role] for role in ("item", "document", "segment", "system") if at[role]]
    if has_texts and not asked and not table.select(keys).is_duplicated().any():
        return None  # texts with one judgement each: a reader of texts keeps more of it
    used = {name for name in at.values() if name}
    rest = [real for name, real in names.items() if real not in used and name not in _TEXTS]
    known = [name for name in rest if name.strip().casefold() in _ANSWERS]
    answers = known or rest
    if not answers:
        raise InputError("No column holds answers.", where=Where(path, 1), next_step="Name one label or score.")
    return [_material(path, table, at, answers)]


def _no_ratings(path: Path) -> InputError:
    step = "It needs columns judge and item, in a CSV, TSV, Parquet or JSON lines file."
    return InputError("This is no table of ratings.", where=Where(path, 1), next_step=step)


def _read(path: Path) -> pl.DataFrame | None:
    separator = "\t" if path.suffix.casefold() == ".tsv" else ","
    try:
        match path.suffix.casefold():
            case ".csv" | ".tsv":
                found = pl.read_csv(path, separator=separator, infer_schema=False, encoding="utf8")
            case ".parquet":
                found = pl.read_parquet(path)
            case ".jsonl" | ".ndjson":
                found = pl.read_ndjson(path, infer_schema_length=None)
            case _:
                return None
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError):
        if path.suffix.casefold() in (".csv", ".tsv"):
            _say_where(path, separator)
        return None  # whoever reads it next says what is wrong, and where
    return found.rename({name: name.removeprefix("\ufeff") for name in found.columns})


def _say_where(path: Path, separator: str) -> None:
    """An error with the line at which a table of ratings breaks; nothing where its header is that of something else."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        rows = csv.reader(file, delimiter=separator, strict=True)
        header: list[str] = []
        line = 1
        try:
            for row in rows:
                header = header or [name.strip().casefold() for name in row]
                if not _has_roles(header):
                    return
                if len(row) > len(header):
                    what, step = f"{len(row)} cells under {len(header)} headings.", "Put quotes around a cell with"
                    raise InputError(what, where=Where(path, line), next_step=f"{step} {separator!r} in it.")
                line = rows.line_num + 1
        except csv.Error as error:
            step = "Close the quotes of this row, or double a quote that belongs to the text."
            raise InputError("The row does not end as it should.", where=Where(path, line), next_step=step) from error


def _has_roles(header: list[str]) -> bool:
    told = {role for role, known in _ROLES.items() if not set(known).isdisjoint(header)}
    return "judge" in told and not told.isdisjoint({"item", "document", "segment"})


def _material(path: Path, table: pl.DataFrame, at: dict[str, str | None], answers: list[str]) -> Material:
    def column(role: str) -> list[str]:
        name = at[role]
        return [""] * len(table) if name is None else table[name].cast(pl.String).fill_null("").to_list()

    judges, systems, domains, items = column("judge"), column("system"), column("domain"), column("item")
    segments = items if at["segment"] is None else column("segment")
    documents = column("document") if at["document"] else segments
    seconds = _numbers(column("seconds"))
    values = {name: _values(table[name]) for name in answers}
    judgements = [
        Judgement(
            judges[row], "rating", name.strip(), documents[row], segments[row],
            tuple(systems[row].split("|")) if systems[row] else (),
            values[name][row], elapsed_seconds=None if seconds is None else seconds[row],
            origin=f"{path.name}:{row + 2}", flags=("missing",) if values[name][row] is None else (),
        )
        for row in range(len(table))
        for name in answers
    ]  # fmt: skip
    texts: dict[str, dict[str, None]] = {}
    for document, segment in zip(documents, segments, strict=True):
        texts.setdefault(document, {})[segment] = None
    domain_of = dict(zip(documents, domains, strict=True))
    made = tuple(
        Document(name, tuple(Segment(segment, "") for segment in inside), domain=domain_of[name])
        for name, inside in texts.items()
    )
    notes = [f"Answers: {', '.join(answers)}."]
    if at["document"] is None:
        notes.append(
            "No column names documents, so every item counts as one: name it document if sentences hang together."
        )
    who = tuple(Judge(name) for name in dict.fromkeys(judges))
    return Material(path.stem, None, made, who, tuple(judgements), tuple(notes))


def _values(cells: pl.Series) -> list[Any]:
    """Numbers where all cells are, lists where all are JSON lists, words otherwise; None where missing."""
    if cells.dtype != pl.String:
        return cells.to_list()
    given = [None if v is None or v.strip().casefold() in _MISSING else v.strip() for v in cells.to_list()]
    if any(given) and all(v.startswith("[") for v in given if v is not None):
        try:
            return [None if v is None else json.loads(v) for v in given]
        except json.JSONDecodeError:
            return given
    numbers = _numbers([v or "" for v in given])
    return given if numbers is None else numbers


def _numbers(cells: list[str]) -> list[float | None] | None:
    try:
        found = [None if cell.strip().casefold() in _MISSING else float(cell) for cell in cells]
    except ValueError:
        return None
    return found if any(v is not None for v in found) else None
