"""What a report is made of, before it is HTML or LaTeX: sections of paragraphs, tables and figures, and what a
report should cite: the methods its numbers were made by, its protocols, and Lanner, as text and BibTeX.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from lanner import __version__, registry
from lanner.formats.parsing.textfile import guarded
from lanner.model import Grid, Json, Protocol, Result
from lanner.model.messages import interval, number

# References


_ACCENT = re.compile(r"""\{\\(["'`~])(\w)\}""")
_COMBINING = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "~": "\u0303"}
_CONTAINERS = ("booktitle", "journal", "institution", "howpublished", "publisher", "note")


@dataclass(frozen=True, slots=True)
class Reference:
    """One entry of a bibliography. `fields` are those of BibTeX, in LaTeX."""

    key: str
    kind: str
    fields: Mapping[str, str]

    @property
    def bibtex(self) -> str:
        lines = [f"  {name} = {{{value}}}," for name, value in self.fields.items()]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])

    @property
    def text(self) -> str:
        """Author, year, title and where it appeared, for reading."""
        place = next((self.fields[name] for name in _CONTAINERS if name in self.fields), "")
        number = f" {self.fields['volume']}" if "volume" in self.fields else ""
        pages = f", {self.fields['pages']}" if "pages" in self.fields else ""
        parts = (self.fields.get("author", ""), self.fields.get("year", ""), self.fields.get("title", ""))
        whole = ". ".join(part for part in (*parts, f"{place}{number}{pages}") if part)
        return f"{_plain(whole)}."


def used_references(
    results: Iterable[Result], protocol: str, citation: str = "", methods: Iterable[str] = ()
) -> list[Reference]:
    """What to cite for these results of a protocol, in the order of their keys; Lanner itself comes last. `methods` are
    codes of what no result's signature names."""
    entries = registry.table("reports.references")
    codes = {code for result in results for code in _codes(result)} | set(methods)
    references = [
        _reference(key, entry)
        for key, entry in sorted(entries.items())
        if codes & set(entry.get("methods", ())) or protocol in entry.get("protocols", ())
    ]
    if citation and not any(protocol in entry.get("protocols", ()) for entry in entries.values()):
        references.append(Reference(protocol, "misc", {"title": f"The protocol {protocol}", "note": citation}))
    return [*references, _lanner()]


def bibtex(references: Iterable[Reference]) -> str:
    """A file for a bibliography."""
    return "\n\n".join(reference.bibtex for reference in references) + "\n"


def _codes(result: Result) -> set[str]:
    """What a result can be known by: its name, the method of its interval, and its settings."""
    codes = {result.name}
    if result.interval is not None:
        codes.add(result.interval.method)
    if result.signature is not None:
        codes.add(result.signature.statistic)
        for name, value in result.signature.parts:
            codes |= {value, f"{name} {value}"}
    return codes


def _reference(key: str, entry: Mapping[str, Any]) -> Reference:
    fields = {name: str(value) for name, value in entry.items() if name not in ("type", "methods", "protocols")}
    return Reference(key, str(entry["type"]), fields)


def _lanner() -> Reference:
    title = "{Lanner}: Document-Level Evaluation of Machine Translation"
    fields = {"author": "{The Lanner authors}", "title": title, "note": f"Version {__version__}"}
    return Reference("lanner", "misc", fields)


def _plain(latex: str) -> str:
    """LaTeX as it reads: accents composed, braces gone."""
    text = _ACCENT.sub(lambda match: match[2] + _COMBINING[match[1]], latex)
    text = text.replace("---", "—").replace("--", "–").replace("$\\gamma$", "γ").replace(" and others", " et al.")
    return unicodedata.normalize("NFC", "".join(character for character in text if character not in "{}"))


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: which field of a row, its heading, and how quiet it is (an interval is `quiet`). `cell`
    says what it prints of an entry that `printed` makes a row of; by default the field itself."""

    key: str
    heading: str
    quiet: bool = False
    text: bool = False
    span: str = ""
    cell: Callable[[Any], Json] | None = field(default=None, compare=False, repr=False)


def spans(columns: Sequence[Column]) -> list[tuple[str, int]]:
    """The headings over several columns, with how many columns each covers."""
    headings: list[tuple[str, int]] = []
    for column in columns:
        if headings and column.span and headings[-1][0] == column.span:
            headings[-1] = (column.span, headings[-1][1] + 1)
        else:
            headings.append((column.span, 1))
    return headings


def capital(words: str) -> str:
    """With a capital letter, as at the beginning of a sentence; the rest as it is."""
    return words[:1].upper() + words[1:]


def identifier(*names: str) -> str:
    """An id made of names of any kind, good for a file and for a place in a page. What is no letter or digit in them is
    a dash; a digest keeps apart what would then be the same."""
    whole = "-".join(names)
    plain = re.sub(r"[^\w-]", "-", whole)[:_LONGEST_ID]
    return plain if plain == whole else f"{plain}-{hashlib.sha256(whole.encode()).hexdigest()[:8]}"


_LONGEST_ID = 50  # of letters of four bytes, with the digest and an ending: what a file system takes


def printed(columns: Sequence[Column], entries: Iterable[Any]) -> list[dict[str, Json]]:
    """A row for each entry, column by column."""
    return [
        {column.key: column.cell(entry) if column.cell else entry[column.key] for column in columns}
        for entry in entries
    ]


def predictors(
    protocol: Protocol | None, names: Iterable[str], label: Callable[[str], str], option: Callable[[str, str], str]
) -> list[tuple[str, str, str]]:
    """The terms of a model as (id, words, group): single predictors first, then the rows of grids in their groups."""
    single, rows = [], []
    for name in names:
        entry = protocol.find(name) if protocol else None
        if entry and isinstance(entry[1], Grid):
            rows += [(f"{name}.{row.id}", option(name, row.id), row.group or "") for row in entry[1].rows]
        else:
            single.append((name, label(name), ""))
    return single + rows


def value_columns(
    sign: str,
    level: str,
    digits: int = 3,
    *,
    key: str = "",
    span: str = "",
    of: Callable[[Any], Result] = lambda result: result,
) -> tuple[Column, Column, Column]:
    """Of a coefficient: its value, its interval of this level and how many items it rests on. Where an entry has
    several, `of` picks one, and its columns begin with `key`."""
    value, ends, n = (key, f"{key}_ci", f"{key}_n") if key else ("value", "ci", "n")
    return (
        Column(value, sign, span=span, cell=lambda entry: number(of(entry).value, digits)),
        Column(ends, level, quiet=True, span=span, cell=lambda entry: interval(of(entry).low, of(entry).high)),
        Column(n, "n", quiet=True, span=span, cell=lambda entry: of(entry).counts.get("items", 0)),
    )


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a caption that states the finding. `rows` hold what is printed, `data` the full numbers.

    A row with the key "group" alone is a group heading; one with "total": True is set off below.
    """

    id: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Json]]
    data: Sequence[Mapping[str, Json]] = ()
    signature: str = ""
    folded: bool = False
    """Whether it is looked up rather than read: a report keeps it for the appendix."""

    def __post_init__(self) -> None:
        # The rows are printed: what made their cells is no part of a table, and could not go from a worker to a page.
        object.__setattr__(self, "columns", [replace(column, cell=None) for column in self.columns])


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with a caption that states the finding, how to read the marks, and n."""

    id: str
    caption: str
    svg: str
    data: Sequence[Mapping[str, Json]] = ()
    signature: str = ""
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text; `strong` parts are marked by ** as in Markdown, nothing else is. In a report it is a sentence of
    ours; what somebody else wrote is read in the direction of its own first letter."""

    text: str
    ours: bool = True


@dataclass(frozen=True, slots=True)
class Quotes:
    """Sentences in their context with who said what: the most disputed ones, or comments."""

    id: str
    caption: str
    entries: Sequence[Mapping[str, Json]]
    folded: bool = False


Block = Paragraph | Table | Figure | Quotes


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report that stands in the contents. Its `findings` open the report, after its `caveats`; in the
    `appendix` stands what is looked up rather than read. What can be `pasted` into a paper has a button to copy it."""

    id: str
    title: str
    blocks: Sequence[Block]
    findings: Sequence[str] = ()
    appendix: bool = False
    caveats: Sequence[str] = ()
    pasted: bool = False


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report. `findings` are sentences computed from the numbers; they open it."""

    title: str
    kicker: str
    byline: str
    findings: Sequence[str]
    sections: Sequence[Section]
    language: str = "en"
    notes: Sequence[str] = field(default_factory=tuple)
    caveats: Sequence[str] = ()
    """What to know before the findings are read."""
    references: Sequence[Reference] = ()

    @property
    def tables(self) -> list[Table]:
        return [block for section in self.sections for block in section.blocks if isinstance(block, Table)]

    @property
    def figures(self) -> list[Figure]:
        return [block for section in self.sections for block in section.blocks if isinstance(block, Figure)]


# Names that hold asterisks mark nothing: in sentences a joiner, which is not seen, stands behind each of theirs until
# the sentence is shown.


WORD_JOINER = "\N{WORD JOINER}"


def keeping(names: Iterable[str]) -> Callable[[str], str]:
    """What keeps the asterisks in these names apart from marks of strong text, in any sentence."""
    kept = {name: name.replace("*", f"*{WORD_JOINER}") for name in names if "**" in name and name.strip("*")}
    longest_first = sorted(kept, key=len, reverse=True)

    def keep_names(text: str) -> str:
        for name in longest_first:
            text = text.replace(name, kept[name])
        return text

    return keep_names


def with_names_kept(report: Report, names: Iterable[str]) -> Report:
    """The report with the asterisks in these names kept apart from marks of strong text."""
    keep_names = keeping(names)

    def keep_names_of(block: Block) -> Block:
        if isinstance(block, Paragraph):
            return replace(block, text=keep_names(block.text))
        return replace(block, caption=keep_names(block.caption))

    sections = [replace(section, blocks=[*map(keep_names_of, section.blocks)]) for section in report.sections]
    return replace(
        report,
        findings=[*map(keep_names, report.findings)],
        caveats=[*map(keep_names, report.caveats)],
        sections=sections,
    )


def as_named(text: str) -> str:
    """Names as they are, once the marks around them are read."""
    return text.replace(f"*{WORD_JOINER}", "*")


def without_marks(sentence: str) -> str:
    """A sentence as plain text."""
    return as_named(sentence.replace("**", ""))


def csv_text(rows: Sequence[Mapping[str, Json]]) -> str:
    """Rows as CSV. Text that a spreadsheet would run as a formula is given an apostrophe in front."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return buffer.getvalue()


def _cell(value: Json) -> Json:
    if isinstance(value, list | dict | tuple):
        value = json.dumps(value, ensure_ascii=False)
    elif isinstance(value, datetime):  # one format for all, so that a spreadsheet reads the column as times
        value = value.isoformat(sep=" ", timespec="microseconds")
    return guarded(value) if isinstance(value, str) else value
