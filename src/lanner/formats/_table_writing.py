"""Documents as a table, one row a segment, in CSV, TSV, JSON lines, Parquet or xlsx as the file's name says."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import polars as pl

from lanner.errors import InputError, MissingExtraError, Where
from lanner.formats._writing import refuse_answers, replacing, text_file
from lanner.model import Document, Judge, Judgement
from lanner.model.cells import guarded

_COMPRESSED = (".gz", ".zst")
_CELL_LIMIT = 32_767
_FIXED = ("document", "segment", "paragraph", "domain", "title", "text_type", "note", "media")
OWN = ("glossary", "judged", "flags", "absent", "document_meta", "segment_meta")


def write_table(
    path: Path, documents: Iterable[Document], judgements: Iterable[Judgement] = (), judges: Iterable[Judge] = ()
) -> None:
    """A row for each segment with a column for each reference and each system. Judgements need another format."""
    refuse_answers(path, "A table holds no judgements.", judgements, judges)
    kept = list(documents)
    repeated = [name for name, times in Counter(document.id for document in kept).items() if times > 1]
    if repeated:
        raise InputError(f"Two documents are called {repeated[0]!r}.", where=Where(path))
    if empty := [d.id for d in kept if not d.segments]:
        raise InputError(f"The document {empty[0]!r} has no segments, so no row.", where=Where(path))
    header = _header(kept)
    kind = Path(path.stem).suffix if path.suffix in _COMPRESSED else path.suffix
    match kind.lower():
        case ".csv":
            _delimited(path, header, _rows(kept, header), ",")
        case ".tsv" | ".tab":
            _delimited(path, header, _rows(kept, header), "\t")
        case ".jsonl":
            _json_lines(path, _rows(kept, header))
        case ".parquet":
            _parquet(path, header, _rows(kept, header))
        case ".xlsx":
            _spreadsheet(path, header, _rows(kept, header))
        case _:
            raise InputError(
                "The name does not say which kind of table to write.",
                where=Where(path),
                next_step="Let it end in .csv, .tsv, .jsonl, .parquet or .xlsx.",
            )


def _header(documents: list[Document]) -> list[str]:
    references = dict.fromkeys(name for d in documents for s in d for name in s.references)
    systems = dict.fromkeys(name for d in documents for s in d for name in s.outputs)
    named = [f"reference:{name}" for name in references] + [f"output:{name}" for name in systems]
    return [*_FIXED, "source_language", "target_language", "source", *named, *OWN]


def _rows(documents: Iterable[Document], header: list[str]) -> Iterator[dict[str, Any]]:
    named = [name for name in header if ":" in name]
    for document in documents:
        shared = {name: getattr(document, name) for name in ("domain", "title", "text_type", "note", "media")}
        shared |= {"source_language": document.source_language, "target_language": document.target_language}
        shared |= {"glossary": _json(document.glossary), "document_meta": _json(document.meta)}
        for segment in document:
            texts = {f"reference:{name}": text for name, text in segment.references.items()}
            texts |= {f"output:{name}": text for name, text in segment.outputs.items()}
            yield {
                **dict.fromkeys(header),
                "document": document.id,
                "segment": segment.id,
                "paragraph": segment.paragraph,
                "source": segment.source,
                **shared,
                **texts,
                "judged": None if segment.judged else "no",
                "flags": _json(list(segment.flags)),
                "absent": _json([name.partition(":")[2] for name in named if name not in texts]),
                "segment_meta": _json(segment.meta),
            }


def _json(value: Any) -> str | None:
    return json.dumps(value, ensure_ascii=False, default=dict) if value else None


def _delimited(path: Path, header: list[str], rows: Iterable[dict[str, Any]], delimiter: str) -> None:
    # In TSV everything is quoted, header too: that is how our reader tells quoting files from plain ones.
    with text_file(path) as out:
        writer = csv.DictWriter(
            out,
            header,
            delimiter=delimiter,
            quoting=csv.QUOTE_ALL if delimiter == "\t" else csv.QUOTE_MINIMAL,
            lineterminator="\n",
        )
        writer.writeheader()
        writer.writerows({name: _harmless(value) for name, value in row.items()} for row in rows)


def _harmless(value: Any) -> Any:
    return guarded(value) if isinstance(value, str) else value


def _json_lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    with text_file(path) as out:
        for row in rows:
            filled = {name: value for name, value in row.items() if value is not None and name != "absent"}
            out.write(json.dumps(filled, ensure_ascii=False) + "\n")


def _parquet(path: Path, header: list[str], rows: Iterable[dict[str, Any]]) -> None:
    kinds = {name: pl.Int64 if name == "paragraph" else pl.String for name in header}
    with replacing(path) as made:
        pl.DataFrame(list(rows), schema=kinds).write_parquet(made)


def _spreadsheet(path: Path, header: list[str], rows: Iterable[dict[str, Any]]) -> None:
    try:
        import openpyxl
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    except ImportError as error:
        raise MissingExtraError("Writing spreadsheets", "xlsx") from error
    lines = [{name: name for name in header}, *rows]
    for value in (value for row in lines for value in row.values() if isinstance(value, str)):
        if "\r" in value or len(value) > _CELL_LIMIT or ILLEGAL_CHARACTERS_RE.search(value):
            where = Where(path, item=repr(value[:40]))
            raise InputError(
                "A spreadsheet cannot hold this text unchanged.", where=where, next_step="Write a CSV file instead."
            )
    book = openpyxl.Workbook(write_only=True)
    page = book.create_sheet("segments")

    def cell(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        made = WriteOnlyCell(page, value)
        made.data_type = "s"  # a text that begins with = is no formula
        return made

    for row in lines:
        page.append([cell(row[name]) for name in header])
    with replacing(path) as made:
        book.save(made)
