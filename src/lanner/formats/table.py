"""Any table: CSV, TSV, JSON lines, Parquet or a spreadsheet, with a map from its columns to what they hold.

One row is a segment (with a column per system) or a segment and a system (with a column that names the system). The
map is guessed from the header and told in a note; `columns` overrides it. Columns that mean nothing here are kept in
the segments' `meta`. Our own tables, which `write` makes, come back as they were.
"""

from __future__ import annotations

import csv
import json
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from lanner.errors import InputError, MissingExtraError, Where
from lanner.formats._format import Format, Reading, TextStream
from lanner.formats.parsing import textfile
from lanner.formats.parsing.columns import ColumnMap, column_map
from lanner.formats.parsing.documents import Draft, Gathering
from lanner.formats.parsing.tables import Rows, kind_of, open_rows
from lanner.formats.parsing.values import file_languages, is_missing, number
from lanner.formats.parsing.writing import refuse_answers, replacing, text_file
from lanner.model import Document, Judge, Judgement, Segment
from lanner.model import languages as language_codes
from lanner.model.cells import guarded

_COMPRESSED = (".gz", ".zst")
_CELL_LIMIT = 32_767
_FIXED = ("document", "segment", "paragraph", "domain", "title", "text_type", "note", "media")
OWN = ("glossary", "judged", "flags", "absent", "document_meta", "segment_meta")


def write(
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


_LOOKED_AT = 10_000
_DOCUMENT_ROLES = ("domain", "title", "text_type", "note", "media")


def recognise(path: Path) -> bool:
    """A table whose header names a source column."""
    kind = kind_of(path)
    if not kind:
        return False
    if kind == "xlsx":
        return path.suffix.lower() in (".xlsx", ".xlsm")
    try:
        column_map(open_rows(path).header)
    except InputError:
        return False
    return True


def accepts_options(path: Path, *, columns: str | Mapping[str, str] = "", **_: Any) -> bool:
    """Whoever says which column holds the source says that it is a table."""
    return bool(columns) and bool(kind_of(path))


def explain(path: Path) -> None:
    """Say what is wrong with a table that nothing recognises: a line that is no JSON, a header with a fault."""
    kind = kind_of(path)
    if kind == "jsonl":
        first = textfile.head(path).lstrip().partition("\n")[0]
        try:
            json.loads(first)
        except ValueError:
            textfile.json_whole(path)
        else:
            deque(islice(textfile.json_lines(path), _LOOKED_AT), 0)
    elif kind == "json":
        textfile.json_whole(path)
    elif kind == "csv" and not {".csv", ".tsv"}.isdisjoint(path.suffixes):
        open_rows(path)


def read(
    path: Path,
    *,
    columns: str = "",
    languages: str = "",
    system: str = "",
    delimiter: str = "",
    quotes: str = "",
    sheet: str = "",
    question: str = "score",
    protocol: str = "da",
    stage: str = "rating",
) -> list[Reading]:
    """Everything in the table; rows of one document need not stand together."""
    rows = open_rows(path, delimiter=delimiter, quotes=quotes, sheet=sheet)
    table = _Table(path, rows, columns, system, languages)
    gathering = table.gathering()
    judgements: list[Judgement] = []
    for line, row, extra in rows.rows:
        draft = table.add(gathering, line, row, extra)
        if draft is not None and table.has_scores:
            judgements.append(table.judgement(draft, line, row, stage, question))
    notes = [f"Columns: {table.map}.", *rows.notes, *table.notes(), *gathering.notes()]
    judges = tuple(Judge(name) for name in dict.fromkeys(j.judge for j in judgements))
    return [
        Reading(
            path.name.split(".")[0],
            tuple(gathering.documents()),
            judges,
            tuple(judgements),
            protocol if judgements else "",
            tuple(notes),
        )
    ]


def read_documents(path: Path, **options: Any) -> Iterator[Document]:
    """Documents one by one, which needs the rows of each to stand together; in long tables everything is gathered."""
    table, rows = _opened(path, options)
    yield from table.documents(rows)


def texts(path: Path, **options: Any) -> TextStream | None:
    """The same with what is to be told of it; None if the table holds scores, or each system on rows of its own."""
    table, rows = _opened(path, options)
    if table.long or table.has_scores:
        return None
    made = TextStream(path.name.split(".")[0], iter(()), [f"Columns: {table.map}.", *rows.notes])

    def documents() -> Iterator[Document]:
        yield from table.documents(rows)
        made.notes += table.notes()

    made.documents = documents()
    return made


def guess(path: Path, **options: Any) -> str:
    """What each column is taken for; "" where that was said."""
    return "" if options.get("columns") else f"Columns: {_opened(path, options)[0].map}."


def _opened(path: Path, options: Mapping[str, Any]) -> tuple[_Table, Rows]:
    rows = open_rows(path, **{name: options[name] for name in ("delimiter", "quotes", "sheet") if name in options})
    columns, system, languages = (str(options.get(name, "")) for name in ("columns", "system", "languages"))
    return _Table(path, rows, columns, system, languages), rows


class _Table:
    """One table being read: the map turned into positions, and rows into segments."""

    def __init__(self, path: Path, rows: Rows, columns: str, system: str, languages: str) -> None:
        self.path, self.typed = path, rows.typed
        try:
            self.map: ColumnMap = column_map(rows.header, columns, system)
        except InputError as error:
            error.where = Where(path, 1)
            raise
        place = {name: position for position, name in enumerate(rows.header)}
        self.at = {role: place[column] for role, column in self.map.roles.items()}
        self.outputs = [(name, place[column]) for name, column in self.map.outputs.items()]
        self.references = [(name, place[column]) for name, column in self.map.references.items()]
        self.rest = [(name, place[name]) for name in self.map.rest]
        self.long = "system" in self.at and "output" in self.at
        self.has_own_columns = not {"paragraph", "judged", "flags", "segment_meta"}.isdisjoint(self.at)
        self.has_scores = "judge" in self.at and "score" in self.at
        self.given = languages
        self.blank = self.empty_outputs = 0
        self.unknown_language = False

    @property
    def is_plain(self) -> bool:
        """A row for each segment, cells that are text, nothing that only our own tables have."""
        return not (self.long or self.typed or self.has_own_columns or "absent" in self.at)

    def documents(self, rows: Rows) -> Iterator[Document]:
        if self.is_plain:
            yield from self.plain_documents(rows)
            return
        gathering = self.gathering()
        for line, row, extra in rows.rows:
            draft = self.add(gathering, line, row, extra)
            if not self.long and draft is not None and len(gathering) > 1:
                yield gathering.release_first()
        yield from gathering.documents()

    def plain_documents(self, rows: Rows) -> Iterator[Document]:
        """The documents of such a table without drafts, which is much faster. A row with an id that is empty or comes
        again is left to the gathering, which says what is wrong with it."""
        document_at, segment_at, source_at = self.at.get("document"), self.at.get("segment"), self.at["source"]
        watch = self.gathering()
        draft, last, segments, lines = None, "", list[Segment](), dict[str, int]()
        for line, row, _ in rows.rows:
            source = row[source_at]
            if not source and not any(row):
                self.blank += 1
                continue
            name = row[document_at] if document_at is not None else ""
            if draft is None or name != last:
                if draft is not None:
                    yield Document(draft.id, tuple(segments), **draft.attributes)
                    watch.release_first()
                draft, last = watch.document(name, line, partial(self._attributes, row, line)), name
                segments, lines = [], {}
            key = row[segment_at] if segment_at is not None else str(len(segments) + 1)
            if not key or key in lines:
                if key:
                    draft.segments[key] = Draft(draft.id, key, lines[key], "")
                watch.segment(draft, key, line, source)
            lines[key] = line
            outputs = {name: row[at] for name, at in self.outputs}
            if "" in outputs.values():
                self.empty_outputs += list(outputs.values()).count("")
            references = {name: row[at] for name, at in self.references if row[at]}
            meta = {name: row[at] for name, at in self.rest if row[at]}
            segments.append(Segment(key, source, outputs, references, meta=meta))
        if draft is not None:
            yield Document(draft.id, tuple(segments), **draft.attributes)

    def gathering(self) -> Gathering:
        return Gathering(
            self.path,
            self.path.name.split(".")[0],
            has_documents="document" in self.at,
            has_segments="segment" in self.at,
        )

    def notes(self) -> Iterator[str]:
        if self.map.rest and not (self.outputs or self.long or self.references):
            rest = self.map.rest[:4]
            told = ",".join(f"system:{name}={name}" for name in rest)
            yield (
                f"No column is known to hold a translation. If {', '.join(rest)} do: --option columns={told} "
                "(each column is the output of the system of its name)."
            )
        if "document" not in self.at:
            yield "No column names the documents, so all rows are one (columns=document=NAME to change that)."
        if self.unknown_language:
            yield "The languages are not known, and judges will read so: name them with --option languages=en-ko."
        if self.blank:
            yield f"{self.blank} blank rows are left out."
        if self.empty_outputs:
            yield f"{self.empty_outputs} cells of outputs are empty and are kept as empty translations."

    def add(self, gathering: Gathering, line: int, row: Sequence[Any], extra: dict[str, Any]) -> Draft | None:
        source = self._text("source", row)
        if not source and all(value is None or value == "" for value in row):
            self.blank += 1
            return None
        document = gathering.document(self._text("document", row), line, partial(self._attributes, row, line))
        draft = gathering.segment(
            document,
            self._text("segment", row),
            line,
            source=source,
            system=self._text("system", row) if self.long else "",
        )
        absent = self._json("absent", row, [], line) if "absent" in self.at else ()
        for name, position in self.outputs:
            value = row[position]
            if (value is None and self.typed) or name in absent:
                continue
            self.empty_outputs += value in (None, "")
            draft.outputs[name] = _as_text(value)
        if self.long:
            draft.outputs[self._text("system", row)] = self._text("output", row)
        for name, position in self.references:
            # an empty cell of a plain table is no reference; in ours the column `absent` says which there are
            value = row[position]
            if name not in absent and (value not in (None, "") or self._tells_empty(value)):
                draft.references[name] = _as_text(value)
        if self.rest or extra or self.has_own_columns:
            self._fill(draft, row, extra, line)
        return draft

    def _tells_empty(self, value: Any) -> bool:
        return value is not None if self.typed else "absent" in self.at

    def _fill(self, draft: Draft, row: Sequence[Any], extra: dict[str, Any], line: int) -> None:
        if paragraph := self._text("paragraph", row):
            draft.paragraph = self._whole(paragraph, line)
        if self._text("judged", row).casefold() in ("false", "0", "no"):
            draft.judged = False
        draft.flags += [str(flag) for flag in self._json("flags", row, [], line)]
        draft.meta |= self._json("segment_meta", row, {}, line)
        kept = {name: row[position] for name, position in self.rest if row[position] not in (None, "")} | extra
        if self.long:
            system = self._text("system", row)
            for name, value in kept.items():
                draft.meta.setdefault(name, {})[system] = value
        else:
            draft.meta |= kept

    def _attributes(self, row: Sequence[Any], line: int) -> dict[str, Any]:
        """What the row says of its document."""
        said: dict[str, Any] = {role: self._text(role, row) for role in _DOCUMENT_ROLES if role in self.at}
        pair = self.given or self._text("languages", row)
        if pair:
            said["source_language"], said["target_language"] = language_codes.pair(pair)
        elif self.map.languages:
            said["source_language"], said["target_language"] = self.map.languages
        else:
            said["source_language"], said["target_language"] = file_languages(self.path)
        for role in ("source_language", "target_language"):
            if role in self.at and not self.given:
                said[role] = language_codes.normal(self._text(role, row))
        self.unknown_language |= language_codes.UNDETERMINED in (said["source_language"], said["target_language"])
        said["glossary"] = self._json("glossary", row, {}, line)
        said["meta"] = self._json("document_meta", row, {}, line)
        return said

    def judgement(self, draft: Draft, line: int, row: Sequence[Any], stage: str, question: str) -> Judgement:
        value = row[self.at["score"]]
        score = number(value)
        flags = () if score is not None else ("missing",) if is_missing(value) else ("not_a_number",)
        if self.long or "system" in self.at:
            systems: tuple[str, ...] = (self._text("system", row),)
        else:
            systems = tuple(name for name, _ in self.outputs)[:1]
        return Judgement(
            judge=self._text("judge", row),
            stage=stage,
            question=question,
            document=draft.document,
            segment=draft.id,
            systems=systems,
            value=score if flags != ("not_a_number",) else value,
            flags=flags,
            origin=f"{self.path.name}:{line}",
        )

    def _text(self, role: str, row: Sequence[Any]) -> str:
        return _as_text(row[self.at[role]]) if role in self.at else ""

    def _whole(self, text: str, line: int) -> int:
        try:
            return int(float(text))
        except (ValueError, OverflowError):
            textfile.failed(self.path, f"The paragraph {text!r} is not a whole number.", line)

    def _json(self, role: str, row: Sequence[Any], empty: Any, line: int) -> Any:
        value = row[self.at[role]] if role in self.at else None
        if value in (None, ""):
            return type(empty)()
        made = textfile.parse_json(value, self.path, line) if isinstance(value, str) else value
        if not isinstance(made, type(empty)):
            textfile.failed(self.path, f"{json.dumps(value)[:40]} is not what {role!r} holds.", line)
        return made


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


FORMAT = Format(
    name="table",
    title="a table with named columns: CSV, TSV, JSON lines, Parquet, xlsx",
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
        "columns": "which column holds what, for instance source=src,document=talk,system:GPT-4=mt,reference:A=ref",
        "languages": "the language pair, for instance en-de",
        "system": "the name of the system where one column holds one system's output",
        "delimiter": "tab, comma, semicolon or another character",
        "quotes": "yes: quotation marks enclose cells; no: they are text",
        "sheet": "which sheet of a spreadsheet",
        "question": "which question a column of scores answers (score)",
        "protocol": "which protocol that question belongs to (da)",
        "stage": "which stage of it (rating)",
    },
    signs={"table": ("source",), "json lines": ("source",), "json list": ("source",)},
    generic=True,
)
