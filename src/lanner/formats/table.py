"""Any table: CSV, TSV, JSON lines, Parquet or a spreadsheet, with texts, judgements or both.

A row is a segment (with a column for each system), a segment and a system (with a column that names the system), or
what one judge answered about one of these (with a column that names the judge, or a column for each judge). Answers
stand in a column for each question, or in one column beside another that names the question.

Which column holds what is guessed from the header, in many words and languages, and shown; `columns` overrides it.
Titles above the header are left out. Columns that mean nothing here are kept in the segments' `meta`. A column `role`
with main, repeat, control, tutorial or calibration says what an answer is for; without one every answer counts as
main, and a second answer of a judge to the same question as a repeat. Tables written here come back as they were.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from lanner.errors import InputError, MissingExtraError, Where
from lanner.formats.parsing import textfile
from lanner.formats.parsing.columns import column_map
from lanner.formats.parsing.headings import (
    names_remark,
)
from lanner.formats.parsing.mapped_table import MappedTable, TableAnswers, survey_by_respondent
from lanner.formats.parsing.readings import (
    JUDGEMENTS,
    Format,
    Reading,
    TextStream,
    read_apart,
)
from lanner.formats.parsing.tables import open_rows, table_kind
from lanner.formats.parsing.textfile import Note, guarded, refuse_answers, replacing, text_file
from lanner.model import Document, Judge, Judgement

_LOOKED_AT = 10_000
_UNCLEAR = {"counts_of_judges", "different_scales", "judge_or_system", "several_kinds_of_items"}
_UNCLEAR |= {"no_answer_column", "no_judge_column", "no_item_column"}
"""What is wrong with ratings, which are a table and say so themselves."""


def recognise(path: Path) -> bool:
    """A table whose header names a source column, or judges, what they judged and their answers."""
    kind = table_kind(path)
    if not kind:
        return False
    if kind == "xlsx" and path.suffix.lower() in (".xlsx", ".xlsm", ".ods"):
        return True  # a spreadsheet is a table in any case, and says itself what is wrong with it
    try:
        rows = open_rows(path)
        column_map(rows.header, sample=rows.sample)
    except InputError as error:
        return error.code in _UNCLEAR
    return True


def accepts_options(path: Path, *, columns: str | Mapping[str, str] = "", judge: str = "", **_: Any) -> bool:
    """Whoever says which column holds what says that it is a table."""
    return bool(columns or judge) and bool(table_kind(path))


def explain(path: Path) -> None:
    """Say what is wrong with a table that nothing recognises: a line that is no JSON, a header with a fault."""
    kind = table_kind(path)
    if kind == "jsonl":
        first = textfile.head(path).lstrip().partition("\n")[0]
        try:
            json.loads(first)
        except ValueError:
            textfile.json_whole(path)
        else:
            deque(islice(textfile.json_lines(path), _LOOKED_AT), 0)
            open_rows(path)
    elif kind == "json":
        textfile.json_whole(path)
    elif kind == "csv" and not {".csv", ".tsv"}.isdisjoint(path.suffixes):
        rows = open_rows(path)
        if rows.is_survey:
            raise survey_by_respondent(path, rows)


def read(
    path: Path, *, question: str = "", protocol: str = "", stage: str = "rating", missing: str = "", **options: Any
) -> list[Reading]:
    """Everything in the table; rows of one document need not stand together."""

    def read_rows(named_by: frozenset[str]) -> list[Reading]:
        table = _open_table(path, named_by=named_by, **options)
        return [_read_table(table, TableAnswers(table, stage, question, missing), protocol)]

    return read_apart(read_rows)


def _open_table(
    path: Path,
    *,
    columns: str | Mapping[str, str] = "",
    languages: str = "",
    system: str = "",
    judge: str = "",
    delimiter: str = "",
    quotes: str = "",
    sheet: str = "",
    header: str = "",
    named_by: frozenset[str] = frozenset(),
    **_: Any,
) -> MappedTable:
    """The table with its rows still to come; options that say how answers are read are of no interest here."""
    rows = open_rows(path, delimiter=delimiter, quotes=quotes, sheet=sheet, header=header)
    return MappedTable(path, rows, columns, system=system, languages=languages, judge=judge, named_by=named_by)


def _read_table(table: MappedTable, answers: TableAnswers, protocol: str) -> Reading:
    """The last stages of reading: rows whose columns are known become segments, and their answers judgements."""
    path, gathering = table.path, table.gathering()
    for line, row, extra in table.rows.rows:
        draft = table.add(gathering, line, row, extra)
        if draft is not None:
            answers.add(draft, line, row)
    documents = tuple(_at_least_one(path, gathering.documents()))
    judgements = answers.judgements()
    on_answers = [Note(note, about=JUDGEMENTS) for note in answers.notes()]
    notes = [table.column_note(), *table.rows.notes, *table.notes(), *on_answers, *gathering.notes()]
    return Reading(
        path.name.split(".")[0],
        documents,
        answers.judges(),
        judgements,
        protocol if judgements else "",
        tuple(notes),
        answers.headings if judgements else {},
        remarks=frozenset(key for key, heading in answers.headings.items() if names_remark(heading)),
        scales=answers.scales(),
    )


def read_documents(path: Path, **options: Any) -> Iterator[Document]:
    """Documents one by one, which needs the rows of each to stand together; in other tables all are collected."""
    yield from _at_least_one(path, _open_table(path, **options).documents())


def _at_least_one(path: Path, documents: Iterable[Document]) -> Iterator[Document]:
    empty = True
    for document in documents:
        empty = False
        yield document
    if empty:
        step = "Is it the right file, or the right sheet?"
        textfile.failed(path, "The table has a header and no rows.", next_step=step, code="no_rows")


def texts(path: Path, **options: Any) -> TextStream | None:
    """The same with notes; None if the table holds answers, or each system on rows of its own."""
    table = _open_table(path, **options)
    if table.long or table.answers:
        return None
    stream = TextStream(path.name.split(".")[0], iter(()), [table.column_note(), *table.rows.notes])

    def documents() -> Iterator[Document]:
        yield from _at_least_one(path, table.documents())
        stream.notes += [note for note in table.rows.notes if note not in stream.notes]
        stream.notes += table.notes()

    stream.documents = documents()
    return stream


def guess(path: Path, **options: Any) -> str:
    """What each column is taken for; "" where that was said."""
    return "" if options.get("columns") else _open_table(path, **options).column_note()


# Writing

_COMPRESSED = (".gz", ".zst")
_CELL_LIMIT = 32_767
_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
"""In a spreadsheet `_x0041_` stands for the letter with this number, unless its first line is written as one too."""
_FIXED = ("document", "segment", "paragraph", "domain", "title", "text_type", "note", "media")
OWN = ("glossary", "judged", "flags", "absent", "document_meta", "segment_meta")


def write(
    path: Path, documents: Iterable[Document], judgements: Iterable[Judgement] = (), judges: Iterable[Judge] = ()
) -> None:
    """A row for each segment with a column for each reference and each system. Judgements need another format."""
    refuse_answers(path, "A table holds no judgements.", judgements, judges)
    all_documents = list(documents)
    duplicates = [name for name, times in Counter(document.id for document in all_documents).items() if times > 1]
    if duplicates:
        raise InputError(f"Two documents are called {duplicates[0]!r}.", where=Where(path))
    if empty := [d.id for d in all_documents if not d.segments]:
        raise InputError(f"The document {empty[0]!r} has no segments, so no row.", where=Where(path))
    header = _header(all_documents)
    kind = Path(path.stem).suffix if path.suffix in _COMPRESSED else path.suffix
    match kind.lower():
        case ".csv":
            _write_delimited(path, header, _rows(all_documents, header), ",")
        case ".tsv" | ".tab":
            _write_delimited(path, header, _rows(all_documents, header), "\t")
        case ".jsonl":
            _json_lines(path, _rows(all_documents, header))
        case ".parquet":
            _parquet(path, header, _rows(all_documents, header))
        case ".xlsx":
            _spreadsheet(path, header, _rows(all_documents, header))
        case _:
            raise InputError(
                "The name does not say which kind of table to write.",
                where=Where(path),
                next_step="Let it end in .csv, .tsv, .jsonl, .parquet or .xlsx.",
            )


def _header(documents: list[Document]) -> list[str]:
    references = dict.fromkeys(name for d in documents for s in d for name in s.references)
    systems = dict.fromkeys(name for d in documents for s in d for name in s.outputs)
    columns = [f"reference:{name}" for name in references] + [f"output:{name}" for name in systems]
    return [*_FIXED, "source_language", "target_language", "source", *columns, *OWN]


def _rows(documents: Iterable[Document], header: list[str]) -> Iterator[dict[str, Any]]:
    columns = [name for name in header if ":" in name]
    for document in documents:
        common = {name: getattr(document, name) for name in ("domain", "title", "text_type", "note", "media")}
        common |= {"source_language": document.source_language, "target_language": document.target_language}
        common |= {"glossary": _json(document.glossary), "document_meta": _json(document.meta)}
        for segment in document:
            texts = {f"reference:{name}": text for name, text in segment.references.items()}
            texts |= {f"output:{name}": text for name, text in segment.outputs.items()}
            yield {
                **dict.fromkeys(header),
                "document": document.id,
                "segment": segment.id,
                "paragraph": segment.paragraph,
                "source": segment.source,
                **common,
                **texts,
                "judged": None if segment.judged else "no",
                "flags": _json(list(segment.flags)),
                "absent": _json([name.partition(":")[2] for name in columns if name not in texts]),
                "segment_meta": _json(segment.meta),
            }


def _json(value: Any) -> str | None:
    return json.dumps(value, ensure_ascii=False, default=dict) if value else None


def _write_delimited(path: Path, header: list[str], rows: Iterable[dict[str, Any]], delimiter: str) -> None:
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
            values = {name: value for name, value in row.items() if value is not None and name != "absent"}
            out.write(json.dumps(values, ensure_ascii=False) + "\n")


def _parquet(path: Path, header: list[str], rows: Iterable[dict[str, Any]]) -> None:
    import polars as pl  # loaded where it is needed: most tables are read and written without it

    kinds = {name: pl.Int64 if name == "paragraph" else pl.String for name in header}
    with replacing(path) as temporary:
        pl.DataFrame(list(rows), schema=kinds).write_parquet(temporary)


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
        cell = WriteOnlyCell(page, _ESCAPED.sub("_x005F_", value))
        cell.data_type = "s"  # a text that begins with = is no formula
        return cell

    for row in lines:
        page.append([cell(row[name]) for name in header])
    with replacing(path) as temporary:
        book.save(temporary)


FORMAT = Format(
    name="table",
    title="a table with named columns: CSV, TSV, JSON, Parquet, xlsx, ods, docx, HTML",
    description=__doc__ or "",
    recognise=recognise,
    read=read,
    read_documents=read_documents,
    texts=texts,
    guess=guess,
    explain=explain,
    accepts_options=accepts_options,
    write=write,
    options={
        "columns": (
            "which column holds what, for instance source=src, document=talk, system:GPT-4=mt, reference:A=ref, "
            "judge=who, answer:fluency=F"
        ),
        "languages": "the language pair, for instance en-de",
        "system": "the name of the system where one column holds one system's output",
        "judge": "who gave the answers where no column names the judges",
        "delimiter": "tab, comma, semicolon or another character",
        "quotes": "yes: quotation marks enclose cells; no: they are text",
        "sheet": "which sheet of a spreadsheet",
        "header": "the number of the row that names the columns, where it is not the one found by itself",
        "question": "the id of the question that the first column of answers belongs to",
        "protocol": "which protocol the answers belong to (guessed from questions and values)",
        "stage": "which stage of it (rating)",
        "missing": "numbers that stand for a missing answer, such as 999,-1; none: all numbers are answers",
    },
    signs={"table": ("source",), "json lines": ("source",), "json list": ("source",)},
    generic=True,
)
