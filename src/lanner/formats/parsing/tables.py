"""Rows of a table, whatever file it lies in: CSV, TSV, JSON lines, JSON, Parquet or a spreadsheet.

The header need not be the first row: titles and remarks above it are left out, and said.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, time
from itertools import chain, islice, pairwise, product
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from lxml import etree

from lanner.errors import InputError, Where
from lanner.formats._format import Note
from lanner.formats.parsing import textfile
from lanner.formats.parsing.columns import (
    SHEET,
    column_map,
    header_score,
    names_answer,
    names_criterion,
    names_item,
    names_judges,
    names_source,
    over_columns,
)
from lanner.formats.parsing.extent import Extent, refuse_table_beside
from lanner.formats.parsing.values import bare, is_short_answer
from lanner.formats.parsing.workbooks import Area, Sheet, as_written, open_workbook
from lanner.model.messages import in_number

_DELIMITERS = "\t,;|"
_SAMPLE = 200
_LOOKED_AT = 1000
_SEARCHED = 40
"""A header is searched for in so many rows."""
_BATCH = 20_000
_OURS = ({"absent", "document_meta", "segment_meta"}, {"judge", "judge_kind", "stage", "question", "answered_at"})
"""Columns of tables that we wrote (texts, judgements): only there is an apostrophe before a formula not the text's."""
_LISTS = ("data", "segments", "items", "rows", "records", "examples", "sentences", "results", "outputs", "translations")
Row = tuple[int, Sequence[Any], dict[str, Any]]


@dataclass(slots=True)
class Rows:
    """The header, the rows as (line, values, what the header does not have), and what was noticed on the way."""

    header: list[str]
    rows: Iterable[Row]
    notes: list[str] = field(default_factory=list)
    typed: bool = False
    """Whether an empty cell differs from an empty text."""
    line: int = 1
    """Where the header stands."""
    decimal_comma: bool = False
    """Whether numbers have a decimal comma, as where a semicolon stands between cells."""
    sample: list[Sequence[Any]] = field(default_factory=list)
    """The values of the first rows, for guesses by content."""

    extents: Sequence[Extent] = ()
    """How far the table reaches, where other things may stand around it; known once rows have been read."""

    @property
    def is_survey(self) -> bool:
        """Whether it is an export of Qualtrics."""
        return any(extent.is_survey for extent in self.extents)

    def with_sample(self) -> Rows:
        """The same with its first rows looked at; they still come with the others."""
        if self.sample:
            return self
        entries = iter(self.rows)
        first = list(islice(entries, _SAMPLE))
        self.sample = [values for _, values, _ in first]
        self.rows = chain(first, entries)
        return self


def kind_of(path: Path) -> str:
    """csv, jsonl, json, parquet, xlsx, docx or html, by content; "" if it is no table."""
    if not path.is_file():
        return ""
    start = textfile.magic(path)
    if start == b"PAR1":
        return "parquet"
    if textfile.is_zip(path):
        return "docx" if _is_docx(path) else "xlsx"
    text = textfile.head(path).lstrip("\ufeff \r\n\t")
    if text.startswith("{"):
        return "jsonl"
    if text.startswith("["):
        return "json" if re.match(r"\[\s*\{", text) else ""
    if text.startswith("<"):
        return "html" if _HTML_TABLE.search(text) else ""
    return "csv" if text else ""


def open_rows(path: Path, *, delimiter: str = "", quotes: str = "", sheet: str = "", header: str = "") -> Rows:
    """The rows of a table file. `header` is the number of the row that names the columns, where it is not to be found
    by itself."""
    match kind_of(path):
        case "csv":
            return by_items(path, _read_delimited(path, delimiter, quotes, header).with_sample())
        case "jsonl":
            return _json_lines(path).with_sample()
        case "json":
            return _objects(path, enumerate(_read_list(path), 1)).with_sample()
        case "parquet":
            return _parquet(path).with_sample()
        case "xlsx":
            return by_items(path, _spreadsheet(path, sheet, header).with_sample())
        case "docx":
            return _document_tables(path, _word_tables(path)).with_sample()
        case "html":
            return _document_tables(path, _html_tables(path)).with_sample()
        case _:
            raise InputError(
                "This is no table.",
                where=Where(path),
                next_step="Tables are CSV, TSV, JSON lines, Parquet, xlsx, ods, docx and HTML.",
            )


def first_rows(path: Path, count: int, *, delimiter: str = "") -> list[tuple[int, list[str]]]:
    """The first rows as they stand with their lines, those above the header among them; empty where each row names its
    own columns."""
    rows: Iterable[tuple[int, Sequence[Any]]]
    match kind_of(path):
        case "csv":
            rows = islice(textfile.rows(path, _mark(path, delimiter), True), count)
        case "xlsx":
            pages, _ = _pages(path, "")
            page = next((page for page in pages if page.score > 1), None) or _main_page(pages)
            rows = enumerate(islice(page.first, count), 1)
        case _:
            return []
    return [(line, ["" if cell is None else str(cell).strip() for cell in row]) for line, row in rows]


_DIGITS = re.compile(r"\d+")
_ITEMS_AT_LEAST = 3


def by_items(path: Path, rows: Rows) -> Rows:
    """A table with a row for each judge and a column for each item, as forms on the web export it, with a row for each
    answer; other tables as they are. The columns differ in a number, `Sentence 1: how good is it?`, `Sentence 2: …`, or
    in what stands in brackets behind one question, `How good is it? [The cat sat.]`."""
    judge = next((at for at, name in enumerate(rows.header) if names_judges(name)), None)
    if judge is None or not rows.sample:
        return rows
    shapes = (_without_numbers, _before_number, _before_brackets)
    kinds = next((kinds for shape in shapes if (kinds := _alike(rows.header, shape))), {})
    places = max(kinds.values(), key=len, default=[])
    others = [name for at, name in enumerate(rows.header) if at not in places]
    if not places or judge in places or header_score(others) > 2:
        return rows
    judges = [row[judge] for row in rows.sample]
    if len(set(judges)) < len(judges) or names_item(others):
        return rows
    numbers = [number for at in places if (number := _leading_number(rows.header[at]))]
    is_asked_again = _before_number(rows.header[places[0]]) in kinds and bool(repeated(numbers))
    if len(kinds) > 1 or is_asked_again:
        examples = [rows.header[same[0]] for same in list(kinds.values())[:3]]
        raise InputError(
            f"Each row is a judge, and columns of {max(len(kinds), 2)} kinds hold answers "
            f"({', '.join(map(repr, examples))}): whether they are about different systems or "
            "ask different questions is not said.",
            code="several_kinds_of_items",
            where=Where(path, rows.line),
            next_step="Make a table with a row for each judge and item: columns judge, document, segment, system, and "
            "one for each question.",
        )
    items = {at: _short_name(rows.header[at]) for at in places}
    if len(set(items.values())) < len(items):
        items = {at: str(number) for number, at in enumerate(places, 1)}

    def answers() -> Iterator[Row]:
        for line, values, _ in rows.rows:
            for at in places:
                yield line, [values[judge], items[at], values[at]], {}

    note = f"Each row is a judge and each of {len(places)} columns an item ({rows.header[places[0]]}, …)."
    if unread := [name for at, name in enumerate(rows.header) if name and at not in (*places, judge)]:
        note += f" Not read: {', '.join(unread)}."
    header = [rows.header[judge], "item", "score"]
    return Rows(header, answers(), [*rows.notes, note], typed=rows.typed, line=rows.line).with_sample()


def _alike(header: Sequence[str], shape: Callable[[str], str]) -> dict[str, list[int]]:
    """The columns of each shape that several have, by their places."""
    places: dict[str, list[int]] = {}
    for at, name in enumerate(header):
        if key := shape(name):
            places.setdefault(key, []).append(at)
    return {key: same for key, same in places.items() if len(same) >= _ITEMS_AT_LEAST}


def _without_numbers(name: str) -> str:
    """`Sentence 2: how good is it?` without its numbers."""
    return _DIGITS.sub("#", name) if _DIGITS.search(name) else ""


def _before_number(name: str) -> str:
    """The beginning of `2. The dog ran.` or `Sentence 2: The dog ran.`, where the rest is the item itself."""
    hit = re.match(r"(\D{0,24})\d{1,4}[.):\]]\s", name)
    return f"{hit[1]}#" if hit else ""


def _leading_number(name: str) -> str:
    hit = _DIGITS.search(name)
    return hit[0] if hit and _before_number(name) else ""


def _before_brackets(name: str) -> str:
    """The question before an item in brackets."""
    question, bracket, rest = name.partition("[")
    return question.strip() if bracket and rest.rstrip().endswith("]") else ""


def _short_name(heading: str) -> str:
    """`Sentence 1` of `Sentence 1: how good is this translation?`; a short heading as it is."""
    if bracket := re.fullmatch(r"[^\[]*\[(.*)\]\s*", heading):
        return bracket[1].strip()
    hit = re.match(r"\D{0,24}\d+", heading)
    return heading if len(heading) <= 24 or hit is None else hit[0].strip()


# Headers


class _Header(NamedTuple):
    position: int
    """Where it is among the rows; -1 where the table has none and the names are ours."""
    names: list[str]
    notes: tuple[str, ...] = ()
    depth: int = 1
    """How many rows it takes."""


def _find_header(path: Path, rows: Sequence[Sequence[Any]], number: str = "") -> _Header:
    """The header among the first rows of a table: the row with this number; else the first row, unless it names nothing
    known and a later one does, or it is a title that stands alone above a wider table."""
    texts = [["" if cell is None else str(cell).strip() for cell in row] for row in rows]
    if number:
        return _numbered_header(path, texts, number)
    counts = [sum(map(bool, row)) for row in texts]
    scores = [header_score(row) for row in texts]
    first = next((at for at, count in enumerate(counts) if count), 0)
    # what stands above a header is narrower than the table
    wider = [at for at in range(len(texts)) if at <= first or counts[at] > max(counts[:at])]
    best = max(wider, key=lambda at: (scores[at], -at), default=0)
    position = first
    if texts and scores[best] > max(1, scores[first]):
        position = best
    elif texts and scores[first] == 0 and counts[first] == 1 and max(counts) > 1:
        position = next(at for at, count in enumerate(counts) if count > 1)
    if texts and scores[best] == 0 and (names := _names_without_header(texts[first:])):
        note = Note(
            f"The table has no header: its columns are taken for {', '.join(names)}.", "--columns changes that."
        )
        return _Header(first - 1, names, (note,))
    names = texts[position] if texts else []
    if below := _headings_of_survey(texts[position : position + 2]):
        names, _ = _named_columns(below)
        return _Header(position + 1, names, ("The two header rows of SurveyMonkey are read as one.",), 2)
    while names and not names[-1]:
        names.pop()
    refuse_table_beside(path, names, [row[: len(names)] for row in texts[position + 1 :]], position + 1)
    names, notes = _named_columns(names if any(marks <= set(names) for marks in _OURS) else _tidy(names))
    return _Header(position, _checked_header(path, names, position + 1), notes)


_OPEN_ENDED = ("", "response", "open-ended response")


def _headings_of_survey(rows: Sequence[Sequence[str]]) -> list[str]:
    """The two header rows of SurveyMonkey as one: a question over several columns, and what each asks about in
    brackets. None of other tables."""
    if len(rows) < 2 or not {"Respondent ID", "Collector ID"} <= set(rows[0]):
        return []
    names: list[str] = []
    question = ""
    below = [*rows[1], *[""] * (len(rows[0]) - len(rows[1]))]
    for heading, part in zip(rows[0], below, strict=False):
        question = heading or question
        names.append(question if part.casefold() in _OPEN_ENDED else f"{question} [{part}]")
    return names


def _tidy(names: Sequence[str]) -> list[str]:
    """Names of columns on one line, and without the `Input.` and `Answer.` that Mechanical Turk puts before them."""
    tidy = [" ".join(name.split()) for name in names]
    bare = [re.sub(r"^(?:Input|Answer)\.", "", name) for name in tidy]
    is_turk = any(name.startswith("Input.") for name in tidy) and any(name.startswith("Answer.") for name in tidy)
    return bare if is_turk and len(set(bare)) == len(bare) else tidy


def _names_without_header(rows: Sequence[Sequence[str]]) -> list[str]:
    """Names for the columns of a table that begins with its texts: sentences in the first row as in the others, after
    at most one column of numbers. None are given where the first row may be a header."""
    first = list(rows[0])
    while first and not first[-1]:
        first.pop()
    leading = int(bool(first) and first[0].isdigit())
    texts = first[leading:]
    if len(texts) not in (2, 3) or len(rows) < 2 or not all(_is_sentence(text) for text in texts):
        return []
    return ["segment"] * leading + ["source", "target", "target 2"][: len(texts)]


def _is_sentence(text: str) -> bool:
    """Whether a cell is a sentence rather than the name of a column."""
    return bool(re.search(r"[.!?…。！？।؟]['\"»”’」』)]*$", text)) and len(text) > 3 and not text.endswith("no.")


def _named_columns(names: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """A header in which every column has a name of its own: a column without one, as an index that a program wrote
    along, is called by its number, and of two remarks or dates of one name the second is numbered."""
    nameless = [position for position, name in enumerate(names, 1) if not name]
    if len(nameless) * 2 >= len(names):
        return list(names), ()
    result: list[str] = []
    notes = []
    for position, name in enumerate(names, 1):
        unique = name or f"column {position}"
        if not name:
            notes.append(f"Column {position} has no name and is called {unique!r}.")
        elif name in result and header_score([name]) == 0:
            unique = f"{name} ({result.count(name) + 1})"
            while unique in names or unique in result:
                unique += "'"
            notes.append(f"Two columns are called {name!r}; the one in column {position} is called {unique!r}.")
        result.append(unique)
    return result, tuple(notes)


def _numbered_header(path: Path, texts: Sequence[list[str]], number: str) -> _Header:
    if not number.isdecimal() or len(number) > 9 or not 1 <= int(number) <= len(texts):
        message = f"There is no row {number[:20]!r} among the first {len(texts)}."
        textfile.failed(path, message, next_step="Name the row that holds the names of the columns by its number.")
    names = list(texts[int(number) - 1])
    while names and not names[-1]:
        names.pop()
    return _Header(int(number) - 1, _checked_header(path, names, int(number)))


def _checked_header(path: Path, header: list[str], line: int = 1) -> list[str]:
    if not header:
        step = "The first row must name the columns."
        textfile.failed(path, "The table has no header.", line, step, code="no_header")
    for position, name in enumerate(header, 1):
        if not name:
            message = f"Column {position} has no name."
            textfile.failed(
                path, message, line, "Name every column in the first row.", code="nameless_column", n=position
            )
        if header.index(name) < position - 1:
            message = f"Two columns are called {name!r}."
            textfile.failed(path, message, line, "Rename one of them.", code="column_twice", name=name)
    return header


def _skipped_note(rows: Sequence[Sequence[Any]], position: int, line: int) -> list[str]:
    """That rows above the header were left out, with what they say."""
    above = [str(cell).strip() for row in rows[: max(position, 0)] for cell in row if cell not in (None, "")]
    above = [text for text in above if not text.startswith("sep=")]  # how Excel is told the delimiter
    if not above:
        return []
    words = "; ".join(above)
    excerpt = words if len(words) <= 60 else f"{words[:60].rstrip()} …"
    return [f"The header is on line {line}; what stands above it is left out: {excerpt}"]


# Delimited text


def guess_delimiter(path: Path) -> str:
    """The delimiter by which a line shows the best header, else the one that the first line has most of."""
    head = textfile.head(path).lstrip("\ufeff")
    lines = [line for line in head.splitlines()[:_SEARCHED] if line.strip()]
    best, delimiter = (0, 0), ""
    for mark in _DELIMITERS:
        rows = [_split(line, mark) for line in lines if mark in line and len(line) < 10_000]
        if head.startswith('"'):  # a header in quotation marks may have line breaks in its names
            rows += _quoted_rows(head, mark)
        for row in rows:
            score = (header_score(row), len(row))
            if score[0] > 1 and score > best:
                best, delimiter = score, mark
    first = lines[0] if lines else ""
    return delimiter or max(_DELIMITERS, key=first.count)


def _quoted_rows(text: str, mark: str) -> list[list[str]]:
    """The first rows of a text whose cells are in quotation marks, over line breaks."""
    try:
        rows = list(islice(csv.reader(io.StringIO(text), delimiter=mark), _SEARCHED))
    except csv.Error:
        return []
    return [row for row in rows if len(row) > 1 and sum(map(len, row)) < 10_000]


def _split(line: str, mark: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=mark), [])
    except csv.Error:
        return line.split(mark)


def _mark(path: Path, delimiter: str) -> str:
    """The character that stands between cells: the one that is named, or else the one that is found."""
    mark = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";"}.get(delimiter, delimiter) or guess_delimiter(path)
    if len(mark) != 1:
        textfile.failed(path, f"The delimiter {delimiter!r} is not one character.", next_step="Write for instance ;")
    return mark


_RULE = re.compile(r":?-{2,}:?")


def _without_frame(rows: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    """Rows of a table as Markdown draws it, without the bars at both ends and the rule below the header; rows of other
    tables as they are."""
    for line, row in rows:
        framed = len(row) > 2 and not row[0].strip() and not row[-1].strip()
        cells = [cell.strip() for cell in row[1:-1]] if framed else row
        if not all(_RULE.fullmatch(cell.strip()) for cell in cells):
            yield line, cells


def _read_delimited(path: Path, delimiter: str, quotes: str, number: str = "") -> Rows:
    mark = _mark(path, delimiter)
    notes = []
    has_quotes = quotes == "yes" or (quotes != "no" and mark != "\t")
    if mark == "\t" and not quotes:
        # Files of the field hold bare quotation marks, spreadsheets quote: the header tells which it is.
        has_quotes = textfile.head(path).lstrip("\ufeff").startswith('"')
        notes.append(f"Quotation marks are {'removed around cells' if has_quotes else 'text'} (quotes=yes or no).")
    rows = textfile.rows(path, mark, has_quotes)
    if mark == "|":
        rows = _without_frame(rows)
    first = list(islice(rows, _SEARCHED))
    place = next((str(at) for at, (line, _) in enumerate(first, 1) if str(line) == number), number)
    position = _find_header(path, [[*row[:-1], row[-1].removesuffix("\r")] for _, row in first], place)
    header, line = position.names, first[max(position.position, 0)][0] if first else 1
    notes += [*_skipped_note([row for _, row in first], position.position - position.depth + 1, line), *position.notes]
    width = len(header)
    ours = any(marks <= set(header) for marks in _OURS)

    def checked() -> Iterator[Row]:
        for line, row in chain(first[position.position + 1 :], rows):
            if len(row) != width:
                if len(row) < width or any(cell.strip() for cell in row[width:]):
                    if not any(cell.strip() for cell in row):
                        continue
                    textfile.failed(
                        path,
                        in_number(
                            len(row),
                            "This row has {n} cell, the header has {width}.",
                            "This row has {n} cells, the header has {width}.",
                            width=width,
                        ),
                        line,
                        "Check quotation marks and delimiters, or say quotes=yes or quotes=no.",
                        code="ragged",
                        cells=len(row),
                        width=width,
                    )
                row = row[:width]  # noqa: PLW2901 - empty cells beyond the header are no content
            if not has_quotes and row[-1].endswith("\r"):
                row[-1] = row[-1][:-1]
            yield line, [bare(cell) for cell in row] if ours else row, {}

    extent = Extent(path, header, notes)
    return Rows(header, extent.rows(checked()), notes, line=line, decimal_comma=mark == ";", extents=[extent])


# JSON


def _read_list(path: Path) -> list[Any]:
    value = textfile.json_whole(path)
    if not isinstance(value, list):
        textfile.failed(path, "A list of objects was expected.")
    return value


def _json_lines(path: Path) -> Rows:
    """A row on each line; or one object over many lines that holds a list of rows."""
    first, _, rest = textfile.head(path).lstrip("\ufeff \r\n\t").partition("\n")
    first = first.strip()
    if not first.endswith("}") or (not rest.strip() and _is_list_holder(first)):
        value = _parse_json(first) if first.endswith("}") else textfile.json_whole(path)
        if isinstance(value, dict) and (documents := _by_document(value)):
            return _objects(path, enumerate(documents, 1))
        if isinstance(value, dict) and (name := _list_in(value)):
            common = {key: entry for key, entry in value.items() if isinstance(entry, str | int | float)}
            entries = [{**common, **entry} if isinstance(entry, dict) else entry for entry in value[name]]
            return _objects(path, enumerate(entries, 1))
    return _objects(path, textfile.json_lines(path))


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _is_list_holder(line: str) -> bool:
    value = _parse_json(line) if len(line) < 1_000_000 else None
    return isinstance(value, dict) and bool(_list_in(value) or _by_document(value)) and "id" not in value


def _by_document(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of an object that holds a list of segments under the name of each document; empty where it is none."""
    lists = [part for part in value.values() if isinstance(part, list)]
    rows = [row for part in lists for row in part]
    if len(lists) < 2 or len(lists) < len(value) or not rows or not all(isinstance(row, dict) for row in rows):
        return []
    if any(row.keys() != rows[0].keys() for row in rows) or any(name in _LISTS for name in value):
        return []
    return [{"document": name, **row} for name, part in value.items() for row in part]


def _list_in(value: dict[str, Any]) -> str:
    """The name of the only list of objects in an object."""
    lists = [k for k, v in value.items() if isinstance(v, list) and v and all(isinstance(entry, dict) for entry in v)]
    return lists[0] if len(lists) == 1 else next((name for name in _LISTS if name in lists), "")


def _objects(path: Path, values: Iterable[tuple[int, Any]]) -> Rows:
    """Rows from JSON objects; one level of nesting becomes columns such as `outputs.GPT-4`."""

    def flat() -> Iterator[tuple[int, dict[str, Any]]]:
        for line, value in values:
            if not isinstance(value, dict):
                textfile.failed(path, "Each row must be a JSON object.", line)
            if _is_failed_request(value):
                # without a model's name the rows of the others would slide, and replies meet other sources
                textfile.failed(
                    path, "The model gave no reply here.", line, "Ask again, or remove the line to leave its text out."
                )
            for segment in _segments(_from_tool(value)):
                for row in _listed_answers(segment):
                    for entry in _sentences(path, line, row):
                        yield line, _flatten(entry)

    entries = flat()
    sample = list(islice(entries, _LOOKED_AT))
    header = _checked_header(path, list(dict.fromkeys(key for _, entry in sample for key in entry)))
    names = set(header)

    def checked() -> Iterator[Row]:
        for line, entry in chain(sample, entries):
            yield line, [entry.get(name) for name in header], {k: v for k, v in entry.items() if k not in names}

    return Rows(header, checked(), typed=True)


_SEGMENTS = ("segments", "sentences", "units", "items", "lines", "rows")


def _segments(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A document with a list of segments becomes a row for each; other objects are rows already."""
    name = next((key for key in _SEGMENTS if _is_list_of_objects(value.get(key))), "")
    if not name:
        yield value
        return
    common = {key: part for key, part in value.items() if key != name and not isinstance(part, dict | list)}
    if not {"document", "doc", "doc_id", "document_id"} & common.keys():
        key = next((key for key in ("id", "name", "title") if key in common), "")
        common |= {"document": common.pop(key)} if key else {}
    for number, segment in enumerate(value[name], 1):
        row = {**common, **segment}
        yield row if {"segment", "seg", "id", "seg_id", "segment_id"} & segment.keys() else {"segment": number, **row}


def _is_list_of_objects(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(value, list) and bool(value) and all(isinstance(part, dict) for part in value)


def _from_tool(value: dict[str, Any]) -> dict[str, Any]:
    """An object that a known tool wrote as the row it means: a conversation with a model, an annotation of Prodigy or
    of Potato. Anything else as it is."""
    if conversation := _conversation(value):
        return conversation
    if "Comments" in value and isinstance(label := value.get("label"), list):  # Doccano
        rest = {key: part for key, part in value.items() if key != "Comments" or part}
        return {**rest, "label": label[0]} if len(label) == 1 and isinstance(label[0], str) else rest
    if "_task_hash" in value and "answer" in value:
        labels = value.get("accept", [value["answer"]])
        taken = value["answer"] == "accept" or "accept" not in value
        label = labels[0] if isinstance(labels, list) and len(labels) == 1 else labels
        judge = value.get("_annotator_id") or value.get("_session_id")
        rest = {k: part for k, part in value.items() if not k.startswith("_") and isinstance(part, str | int | float)}
        if isinstance(meta := value.get("meta"), dict) and isinstance(meta.get("source"), str):
            texts = {key: part for key, part in meta.items() if isinstance(part, str | int | float)}
            rest = {**{"target" if key == "text" else key: part for key, part in rest.items()}, **texts}
        row = {"item": value.get("_input_hash"), **rest, "judge": judge, "label": label if taken else None}
        if isinstance(spans := value.get("spans"), list) and "accept" not in value:  # marked, not chosen from labels
            places = ("start", "end", "label")
            marks = [dict(zip(("start", "end", "category"), map(mark.get, places), strict=True)) for mark in spans]
            row = {**row, "spans": marks if value["answer"] == "accept" else None}
            row.pop("label")
        return {key: part for key, part in row.items() if key != "answer"}
    if isinstance(schemas := value.get("label_annotations"), dict) and "instance_id" in value:
        answers = {str(schema): _potato_answer(labels) for schema, labels in schemas.items()}
        return {"judge": value.get("user") or value.get("user_id"), "item": value["instance_id"], **answers}
    return value


_SPEAKERS = {"human": "user", "gpt": "assistant", "model": "assistant"}


def _conversation(value: dict[str, Any]) -> dict[str, Any]:
    """What a model was asked and answered, in the ways that providers and collections of dialogues write it: the user's
    last message is the source. Empty where it is none."""
    contents: dict[str, str | None] = {}
    rest = dict(value)
    for name, key in _REQUESTS:
        holder = value.get(name) if name else value
        if isinstance(holder, dict) and _is_list_of_objects(messages := holder.get(key)):
            for message in messages:
                speaker = str(message.get("role", message.get("from", "user")))
                text = _text_of(message.get("content", message.get("value", message.get("parts"))))
                contents[_SPEAKERS.get(speaker, speaker)] = text
            rest.pop(name or key)
            break
    if reply := model_reply(value):
        contents["assistant"] = reply.text
        rest = {key: part for key, part in rest.items() if key not in ("choices", "candidates", reply.holder)}
        rest |= {"system": reply.model} if reply.model else {}
    if contents.get("assistant") is None:
        return {}
    texts = {"source": contents["user"]} if contents.get("user") is not None else {}
    return {**rest, **texts, "target": contents["assistant"]}


_REQUESTS = (("", "messages"), ("", "conversations"), *product(("request", "body", "params"), ("messages", "contents")))
"""Where the question to a model stands: in which object, and under which name."""
_REPLIES = ((), ("response",), ("response", "body"), ("result", "message"))


class Reply(NamedTuple):
    """The text of a model's reply, the model's name where it is given, and the key of a batch's line that holds it."""

    text: str
    model: str = ""
    holder: str = ""


def model_reply(value: dict[str, Any]) -> Reply | None:
    """The reply in an object as OpenAI, Anthropic, Google and servers like theirs write it, by itself or as a line of a
    batch; None where it is none."""
    for keys, holder in _reply_holders(value):
        if (text := _reply_text(holder, in_batch=bool(keys))) is not None:
            model = holder.get("model", holder.get("modelVersion"))
            return Reply(text, model if isinstance(model, str) else "", keys[0] if keys else "")
    return None


def _reply_holders(value: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    for keys in _REPLIES:
        holder: Any = value
        for key in keys:
            holder = holder.get(key) if isinstance(holder, dict) else None
        if isinstance(holder, dict):
            yield keys, holder


def _is_failed_request(value: dict[str, Any]) -> bool:
    """Whether this is a line of a provider's batch that has an error, or nothing, in place of a reply."""
    if not value.keys() & {"custom_id", "key"} or not value.keys() & {"response", "result", "error"}:
        return False
    holders = dict(_reply_holders(value))
    result, response = value.get("result"), holders.get(("response",), {})
    status = response.get("status_code")
    empty = any(keys and holder.keys() & _REPLY_SIGNS for keys, holder in holders.items()) and not model_reply(value)
    return (
        empty
        or isinstance(value.get("error"), dict)
        or (isinstance(result, dict) and result.get("type") in ("errored", "canceled", "expired"))
        or (isinstance(status, int) and status >= 400)
    )


_REPLY_SIGNS = {"choices", "candidates", "promptFeedback", "stop_reason"}


def _reply_text(holder: dict[str, Any], *, in_batch: bool) -> str | None:
    if _is_list_of_objects(choices := holder.get("choices")):
        message = choices[0].get("message")
        return _text_of(message.get("content") if isinstance(message, dict) else choices[0].get("text"))
    if _is_list_of_objects(candidates := holder.get("candidates")):
        content = candidates[0].get("content")
        return _text_of(content.get("parts")) if isinstance(content, dict) else None
    if in_batch and _is_list_of_objects(outputs := holder.get("output")):
        return next((_text_of(each.get("content")) for each in outputs if each.get("type") == "message"), None)
    return _text_of(holder.get("content")) if in_batch and holder.get("role") == "assistant" else None


def _text_of(content: Any) -> str | None:
    """The text of a message, whole or in parts; parts that are no text, such as thoughts, are left out."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict) and not part.get("thought")]
        content = "".join(text for text in texts if isinstance(text, str)) or None
    return content if isinstance(content, str) else None


_SYSTEM_KEYS = ("system", "model", "name", "engine")
_OUTPUT_KEYS = ("text", "translation", "output", "target", "mt", "hyp")


def _listed_answers(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """An object with a list of ratings, or of outputs that are rated each, as a row for each; others as they are."""
    for key, part in value.items():
        if not isinstance(part, list) or not _is_list_of_objects(part):
            continue
        names = dict.fromkeys(name for entry in part for name in entry)
        is_rated = any(map(names_answer, names)) or any(
            _are_ratings(entry.get(name)) for entry in part for name in names
        )
        system = next((name for name in _SYSTEM_KEYS if name in names), "")
        text = next((name for name in _OUTPUT_KEYS if name in names), "")
        if not (any(map(names_judges, names)) or (_NESTED.match(key) and system and text)) or not is_rated:
            continue
        is_output = bool(_NESTED.match(key) and system and text)
        common = {name: entry for name, entry in value.items() if name != key}
        for entry in part:
            row = {name: each for name, each in entry.items() if not (is_output and name in (system, text))}
            row = {f"{key}.{name}" if name in common else name: each for name, each in row.items()}
            own = {"system": entry.get(system), "target": entry.get(text)} if is_output else {}
            yield from _listed_answers({**common, **own, **row})
        return
    yield value


def _are_ratings(value: Any) -> bool:
    """Whether an entry holds answers by judge: a list of them, or an object."""
    entries = value if isinstance(value, list) else []
    return any(isinstance(entry, dict) and any(map(names_judges, entry)) for entry in entries)


def _potato_answer(labels: Any) -> Any:
    """What was chosen in one schema: the labels, or what was typed or chosen on a scale where that is a number."""
    if not isinstance(labels, dict):
        return labels
    values = [text if str(text).lstrip("-").isdecimal() else label for label, text in labels.items()]
    return values[0] if len(values) == 1 else values


_NESTED = re.compile(
    r"^(outputs?|systems?|hyps?|hypothes[ei]s|tgt|targets?|mts?|translations?|candidates?|predictions?|completions?"
    r"|generations?|ref(erence)?s?)$",
    re.I,
)
_HOLDERS = ("meta", "metadata", "info", "attributes", "properties", "extra")
"""Objects whose parts are about the row, so that their own name adds nothing."""
_SOURCE = re.compile(r"^(src|sources?|source_?(text|sentence|segment)s?|originals?|sentences|원문)$", re.I)


def _sentences(path: Path, line: int, value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A document whose source is a list of sentences becomes a row for each; lists of that length go along."""
    source = next((part for key, part in value.items() if isinstance(part, list) and _SOURCE.match(key)), None)
    if not source or not all(isinstance(sentence, str) for sentence in source):
        yield value
        return
    texts = {key: part for key, part in value.items() if _is_list_of_texts(part)}
    lists = {
        f"{key}.{name}": part
        for key, parts in value.items()
        if isinstance(parts, dict) and _NESTED.match(key)
        for name, part in parts.items()
        if _is_list_of_texts(part)
    }
    for name, part in {**texts, **lists}.items():
        if len(part) != len(source):
            message = f"{name!r} has {len(part)} sentences, the source has {len(source)}."
            textfile.failed(path, message, line, "Lists of one document must be equally long.", code="list_length")
    common = {key: part for key, part in value.items() if key not in texts and not (lists and isinstance(part, dict))}
    if not {"document", "doc", "doc_id", "document_id"} & common.keys() and "id" in common:
        common["document"] = common.pop("id")
    common.setdefault("document", str(line))
    for at in range(len(source)):
        yield {**common, "segment": str(at + 1), **{name: part[at] for name, part in {**texts, **lists}.items()}}


def _is_list_of_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(part, str) for part in value)


_TEXT_KEYS = ("text", "content", "value", "string")


def _flatten(value: dict[str, Any]) -> dict[str, Any]:
    """An object with objects in it as one row: `{"doc": {"id": 1}}` becomes the column `doc.id`."""
    if not any(isinstance(part, dict | list) for part in value.values()):
        return value
    flat: dict[str, Any] = {}
    for key, part in value.items():
        if isinstance(part, dict) and (names_item([key]) or key.casefold() in _HOLDERS) and not _NESTED.match(key):
            flat |= _parts_of_item(key, part, value)
        elif isinstance(part, dict) and (text := next((name for name in _TEXT_KEYS if name in part), "")):
            flat[key] = part[text]
            flat |= {f"{key}.{name}": entry for name, entry in part.items() if name != text}
        elif isinstance(part, dict) and _NESTED.match(key):
            flat |= {f"{key}.{name}": text for name, text in part.items()}
        elif isinstance(part, list) and _NESTED.match(key):
            flat |= _number_parts(key, part)
        elif isinstance(part, dict) and part and names_answer(key) and all(map(is_short_answer, part.values())):
            # by question, where the names are words for questions, else by judge or by system
            are_questions = any(map(names_criterion, part))
            flat |= {name if are_questions and name not in value else f"{key}.{name}": v for name, v in part.items()}
        elif isinstance(part, dict) and header_score(f"{key} {name}" for name in part):
            flat |= {f"{key}.{name}": entry for name, entry in part.items()}
        else:
            flat[key] = part
    return flat


def _parts_of_item(key: str, part: dict[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """`{"doc": {"id": 1, "domain": "news"}}` as `doc.id` and `domain`."""
    is_source = names_source(key)
    names = {}
    for name, entry in part.items():
        own = is_source and name in _TEXT_KEYS
        bare_name = name if header_score([name]) and name not in row and not _says_which(name) else f"{key}.{name}"
        names[key if own else bare_name] = entry
    return names


def _says_which(name: str) -> bool:
    """Whether a name means something only beside the name of what it is in: `id`, `name`, `text`."""
    return name in _TEXT_KEYS or name.casefold() in ("id", "name", "title", "index", "idx", "no", "number")


def _number_parts(key: str, parts: list[Any]) -> dict[str, Any]:
    """A list of texts, or of objects with a system and its text."""
    row: dict[str, Any] = {}
    for position, part in enumerate(parts):
        names = [part.get(name) for name in _SYSTEM_KEYS] if isinstance(part, dict) else []
        texts = [part.get(name) for name in _OUTPUT_KEYS] if names else []
        system = next((name for name in names if isinstance(name, str)), "")
        text = next((text for text in texts if isinstance(text, str)), None)
        row[f"{key}.{system or position}"] = part if text is None else text
    return row


# Parquet


def _parquet(path: Path) -> Rows:
    import polars as pl  # loaded where it is needed: most tables are read without it

    try:
        lazy = pl.scan_parquet(path)
        header = lazy.collect_schema().names()
        total = lazy.select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, OSError) as error:
        textfile.failed(path, f"The Parquet file cannot be read: {error}.")

    def batches() -> Iterator[Row]:
        for begin in range(0, total, _BATCH):
            try:
                frame = lazy.slice(begin, _BATCH).collect()
            except (pl.exceptions.PolarsError, OSError) as error:
                textfile.failed(path, f"The Parquet file is damaged: {error}.", begin + 1)
            for number, row in enumerate(frame.iter_rows(), begin + 1):
                yield number, row, {}

    return Rows(_checked_header(path, header), batches(), typed=True)


# Spreadsheets


def _pages(path: Path, title: str, number: str = "") -> tuple[list[_Page], tuple[str, ...]]:
    """The sheets of a workbook that hold anything, and what is odd about it."""
    book = open_workbook(path, title)
    pages = [_Page(path, sheet, number) for sheet in book.sheets]
    pages = [page for page in pages if page.first] or pages
    if not pages or not pages[0].first:
        textfile.failed(path, "The spreadsheet is empty.", code="no_header")
    return pages, book.notes


def _spreadsheet(path: Path, sheet: str, number: str = "") -> Rows:
    pages, odd = _pages(path, sheet, number)
    main = next((page for page in pages if page.score > 1), None) or _main_page(pages)
    if main.error is not None:
        raise main.error
    sheets = [page for page in pages if page.has_columns_of(main)]
    left = [page.title for page in pages if page not in sheets]
    notes = [*odd, *(note for page in sheets for note in page.notes)]
    several = len(sheets) > 1
    if left:
        read = ", ".join(page.title for page in sheets)
        notes.append(Note(f"Read sheet {read}; left out: {', '.join(left)}.", "--option sheet=NAME reads another."))
    elif several:
        notes.append(f"Read the sheets {', '.join(page.title for page in sheets)}, which have the same columns.")
    header = sheets[0].header.names
    if several and SHEET not in header:
        header = [*header, SHEET]

    def with_title(page: _Page, cells: list[Any]) -> list[Any]:
        return [*cells, page.title] if len(header) > len(cells) else cells

    extents = [Extent(path, page.header.names, notes) for page in sheets]

    def rows() -> Iterator[Row]:
        for page, extent in zip(sheets, extents, strict=True):
            for line, cells, _ in extent.rows(page.rows()):
                yield line, with_title(page, list(cells)), {}

    result = Rows(header, rows(), notes, line=sheets[0].header.position + 1, extents=extents)
    if several:  # the beginning of each sheet: what the sheets stand for shows only in several
        beginnings = [
            (page, islice(Extent(path, page.header.names, []).rows(page.rows()), _SEARCHED)) for page in sheets
        ]
        result.sample = [with_title(page, list(cells)) for page, entries in beginnings for _, cells, _ in entries]
    result.notes += (
        [
            in_number(
                n,
                "{n} cell is a date: a spreadsheet may have made it from other text.",
                "{n} cells are dates: a spreadsheet may have made them from other text.",
            )
        ]
        if (n := sum(page.dates for page in sheets))
        else []
    )
    return result


def _main_page(pages: Sequence[_Page]) -> _Page:
    """The sheet with the texts, where no header has known names: the first that can be understood by its content,
    else the one with most cells."""
    for page in pages:
        try:
            column_map(page.header.names, sample=[cells for _, cells, _ in islice(page.rows(), _SEARCHED)])
        except InputError:
            continue
        return page
    return max(pages, key=lambda page: sum(cell is not None for row in page.first for cell in row))


class _Page:
    """One sheet: its header, what lies above it, and its rows with merged cells filled in."""

    def __init__(self, path: Path, sheet: Sheet, number: str = "") -> None:
        self.path, self.sheet, self.title = path, sheet, sheet.title
        first = self._with_joined_headings(list(islice(self._all_rows(), _SEARCHED)))
        while first and not any(cell is not None for cell in first[-1]):
            first.pop()
        self.first = first
        self.notes: list[str] = []
        self.score = 0
        self.dates = 0
        self.header = _Header(0, [])
        self.error: InputError | None = None
        if first:
            try:
                self.header = _find_header(path, first, number)
            except InputError as error:  # a cover sheet need not be a table
                self.error = error
                return
            self.score = header_score(self.header.names)
            self.dates = sum(isinstance(cell, date | time) for row in first for cell in row)
            above = self.header.position - self.deep - self.header.depth + 2
            self.notes = _skipped_note(first, above, self.header.position + 1)
            self.notes += self.header.notes

    deep = 1
    """How many rows the header has."""

    def _with_joined_headings(self, rows: list[list[Any]]) -> list[list[Any]]:
        """The first rows, where headings over several columns are joined with the names below them."""
        for line, (above, below) in enumerate(pairwise(rows), 1):
            wide = [
                area for area in self.sheet.merged_cells if area.top == area.bottom == line and area.right > area.left
            ]
            wide = [area for area in wide if self._is_header_area(area.left, area.right, above)]
            names = [cell for area in wide for cell in below[area.left - 1 : area.right] if cell is not None]
            if not wide or not names or not all(isinstance(name, str) for name in names):
                continue
            headings = list(above) + [None] * (len(below) - len(above))
            for at, name in enumerate(below):
                if name is not None and any(area.left <= at + 1 <= area.right for area in wide):
                    headings[at] = over_columns(str(headings[at]).strip(), str(name).strip())
                elif name is not None and headings[at] is None:
                    headings[at] = name
            self.deep = 2
            return [*rows[: line - 1], [None] * len(headings), headings, *rows[line + 1 :]]
        return rows

    def has_columns_of(self, other: _Page) -> bool:
        return self.error is None and self.header.names == other.header.names

    def _all_rows(self) -> Iterator[list[Any]]:
        """All rows of the sheet; a cell merged with the one above or to the left has that one's value."""
        down: dict[int, tuple[int, Any]] = {}
        starts: dict[int, list[Area]] = {}
        for area in self.sheet.merged_cells:
            starts.setdefault(area.top, []).append(area)
        for number, cells in enumerate(self.sheet.rows(), 1):
            if starts:
                for column, (last, value) in list(down.items()):
                    if number > last:
                        del down[column]
                    elif column <= len(cells) and cells[column - 1] is None:
                        cells[column - 1] = value
                for area in starts.get(number, ()):
                    left, right = area.left, area.right
                    value = cells[left - 1] if left <= len(cells) else None
                    if area.bottom > number and left == right:
                        down[left] = (area.bottom, value)
                    if right > left and area.bottom == number and self._is_header_area(left, right, cells):
                        cells[left - 1 : right] = [value] * (min(right, len(cells)) - left + 1)
            yield cells

    @staticmethod
    def _is_header_area(left: int, right: int, cells: Sequence[Any]) -> bool:
        """Whether a wide cell is one of several in its row: a title alone over the table is not spread out."""
        return any(cell is not None for at, cell in enumerate(cells, 1) if not left <= at <= right)

    def rows(self) -> Iterator[Row]:
        names = self.header.names
        width = len(names)
        for line, row in enumerate(self._all_rows(), 1):
            if line <= self.header.position + 1:
                continue
            if any(cell is not None for cell in row[width:]):
                at = next(at for at, cell in enumerate(row[width:], width + 1) if cell is not None)
                textfile.failed(
                    self.path,
                    f"The cell {str(row[at - 1])[:40]!r} in column {at} lies under no column name.",
                    line,
                    "Name the column, or move what is no part of the table to a sheet of its own.",
                    item=f"sheet {self.title}",
                )
            cells = [as_written(value) for value in row[:width]]
            if any(cell is not None for cell in cells):
                yield line, cells + [None] * (width - len(cells)), {}


# Tables in text documents, as CAT tools export them for review

_DOCX = "word/document.xml"
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def _is_docx(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return _DOCX in archive.namelist()
    except (zipfile.BadZipFile, OSError):
        return False


def _document_tables(path: Path, tables: Sequence[list[list[str]]]) -> Rows:
    """The rows of the tables of a document that have the same columns."""
    tables = [rows for rows in tables if len(rows) > 1]
    if not tables:
        step = "Copy the texts into a table (columns segment, source, target), one row for each sentence."
        textfile.failed(path, "There is no table in this document.", next_step=step, code="no_rows")
    main = max(tables, key=lambda rows: (header_score(rows[0]), len(rows)))
    header = _find_header(path, main[:_SEARCHED])
    same = [rows for rows in tables if rows is main or rows[0] == main[0]]
    lines = [
        (line, (row + [""] * len(header.names))[: len(header.names)])
        for rows in same
        for line, row in enumerate(rows[header.position + 1 :], header.position + 2)
    ]
    notes = [*_skipped_note(main, header.position - header.depth + 1, header.position + 1), *header.notes]
    if left := len(tables) - len(same):
        notes.append(
            in_number(
                left,
                "{n} other table of the document has other columns and is left out.",
                "{n} other tables of the document have other columns and are left out.",
            )
        )
    full_rows = [(line, row, dict[str, Any]()) for line, row in lines if any(row)]
    return Rows(header.names, full_rows, notes, line=header.position + 1)


def _word_tables(path: Path) -> list[list[list[str]]]:
    """The cells' text, table by table; what was deleted in revision is not there, what was inserted is."""
    limit = max(textfile.EXPANSION_FREE, textfile.EXPANSION_LIMIT * path.stat().st_size)
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False)
    try:
        with zipfile.ZipFile(path) as archive, archive.open(_DOCX) as stream:
            data = stream.read(limit + 1)
        if len(data) > limit:
            raise textfile.too_large(path, limit)
        root = etree.fromstring(data, parser)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, etree.XMLSyntaxError) as error:
        textfile.failed(path, f"The document cannot be read: {error}.", next_step="Save it as docx again, or as CSV.")
    return [
        [[_cell_text(cell) for cell in row.iterfind(f"{_WORD}tc")] for row in table.iterfind(f"{_WORD}tr")]
        for table in root.iter(f"{_WORD}tbl")
    ]


_HTML_TABLE = re.compile(r"<(?:table|tr)[\s>]", re.I)


def _html_tables(path: Path) -> list[list[list[str]]]:
    """The tables of a page, or of a `.xls` file that is one in truth, as some tools export."""
    with textfile.opened(path) as stream:
        data = stream.read()
    parser = etree.HTMLParser(no_network=True, huge_tree=False, encoding="utf-8")
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        textfile.failed(path, f"The page cannot be read: {error}.", next_step="Save the table as CSV.")
    tables = [] if root is None else [table for table in root.iter("table") if table.find(".//table") is None]
    return [
        [["".join(cell.itertext()).strip() for cell in row.iter("th", "td")] for row in table.iter("tr")]
        for table in tables
    ]


def _cell_text(cell: Any) -> str:
    marks = {f"{_WORD}t": None, f"{_WORD}tab": "\t", f"{_WORD}br": "\n"}
    paragraphs = [
        "".join((part.text or "") if marks[part.tag] is None else str(marks[part.tag]) for part in p.iter(*marks))
        for p in cell.iterfind(f"{_WORD}p")
    ]
    return "\n".join(paragraphs).strip()


def repeated(names: Iterable[str]) -> list[str]:
    """The names that come more than once."""
    return [name for name, times in Counter(names).items() if times > 1]
