"""WMT's MQM ratings: tab-separated, one row an error, the place of it marked by <v> and </v> in source or target.

Rows of one judge (its column is `rater`) about one output become one judgement. Quotation marks are text. A row without
marks is about the whole translation and flagged; one without an end, or with several marks, is flagged too. Columns are
found by name, since they differ by year.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lanner.errors import InputError, Where
from lanner.formats.parsing import textfile
from lanner.formats.parsing.error_rows import CLOSE, OPEN, marked_place, without_marks
from lanner.formats.parsing.readings import Format, Reading, SegmentsByDocument
from lanner.formats.parsing.textfile import some_judgements, text_file
from lanner.formats.parsing.values import counted, file_languages
from lanner.model import Document, Judge, Judgement
from lanner.model import languages as language_codes
from lanner.model.messages import plural

_COLUMNS = {
    "system": ("system",),
    "document": ("doc", "docname", "document"),
    "segment": ("globalsegid", "seg_id", "segid", "segment"),
    "rater": ("rater", "annotator"),
    "source": ("source",),
    "target": ("target",),
    "category": ("category",),
    "severity": ("severity",),
    "note": ("comment", "metadata"),
}
_REQUIRED = ("system", "document", "segment", "rater", "source", "target", "category", "severity")
_SENTENCES = {
    "unmarked": "{n} judgements hold an error without <v>: it stands for the whole translation.",
    "unclosed_mark": "{n} judgements hold an error whose mark has no end.",
    "several_marks": "{n} judgements hold an error with more than one mark: the first is taken for its place.",
    "source_differs": "{n} judgements show another source text than the first row of the segment.",
    "output_differs": "{n} judgements show another translation than the first row of the output.",
}


def recognise(path: Path) -> bool:
    """A tab-separated header with system, rater, category and severity."""
    header = textfile.head(path, 4096).partition("\n")[0].rstrip("\r").casefold().split("\t")
    return {"system", "rater", "source", "target", "category", "severity"} <= set(header)


def read(path: Path, *, languages: str = "") -> list[Reading]:
    """Documents with the outputs seen, and one judgement for each rater and output."""
    ratings = _Ratings(path, language_codes.pair(languages) if languages else file_languages(path))
    rows = textfile.rows(path, "\t", quoted=False)
    _, header = next(rows, (1, []))
    at = _positions(path, header)
    for line, cells in rows:
        cells[-1] = cells[-1].removesuffix("\r")
        if len(cells) < len(header) or any(cells[len(header) :]):
            textfile.failed(path, f"This row has {len(cells)} cells, the header has {len(header)}.", line)
        ratings.add(line, {name: cells[position] for name, position in at.items()})
    return [ratings.reading()]


def read_documents(path: Path, *, languages: str = "") -> Iterator[Document]:
    """The documents alone."""
    yield from read(path, languages=languages)[0].documents


def _positions(path: Path, header: list[str]) -> dict[str, int]:
    columns = [name.strip().casefold() for name in header]
    at = {
        role: next((columns.index(name) for name in spellings if name in columns), -1)
        for role, spellings in _COLUMNS.items()
    }
    for role in _REQUIRED:
        if at[role] < 0:
            textfile.failed(path, f"No column holds the {role}.", 1, f"Columns: {', '.join(header)}.")
    return {role: position for role, position in at.items() if position >= 0}


@dataclass(slots=True)
class _Rating:
    """One rater about one output, while rows are read."""

    line: int
    spans: list[dict[str, Any]] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)


class _Ratings:
    def __init__(self, path: Path, pair: tuple[str, str]) -> None:
        self.path, self.pair = path, pair
        self.gathering = SegmentsByDocument(path, path.stem, has_documents=True, has_segments=True)
        self.ratings: dict[tuple[str, str, str, str], _Rating] = {}
        self.tests = 0

    def add(self, line: int, row: Mapping[str, str]) -> None:
        if row["severity"].casefold().startswith("hotw"):
            self.tests += 1
            return

        def attributes() -> dict[str, Any]:
            return {"source_language": self.pair[0], "target_language": self.pair[1]}

        document = self.gathering.document(row["document"], line, attributes)
        source, target = without_marks(row["source"]), without_marks(row["target"])
        draft = document.segments.get(row["segment"])
        if draft is None:
            draft = self.gathering.segment(document, row["segment"], line, source)
        key = (row["rater"], row["system"], document.id, draft.id)
        rating = self.ratings.setdefault(key, _Rating(line))
        if draft.source != source:
            rating.flags.append("source_differs")
        if draft.outputs.setdefault(row["system"], target) != target:
            rating.flags.append("output_differs")
        if row["category"].casefold() not in ("no-error", "no error") and row["severity"].casefold() != "no-error":
            span, flags = _span(row, source, target)
            rating.spans.append(span)
            rating.flags += flags

    def reading(self) -> Reading:
        flags: Counter[str] = Counter()
        judgements = []
        for (rater, system, document, segment), rating in self.ratings.items():
            wrong = tuple(dict.fromkeys(rating.flags))
            flags.update(wrong)
            judgements.append(
                Judgement(
                    rater,
                    "marking",
                    "errors",
                    document,
                    segment,
                    (system,),
                    rating.spans,
                    flags=wrong,
                    origin=f"{self.path.name}:{rating.line}",
                )
            )
        notes = counted(flags, _SENTENCES)
        if self.tests:
            notes.append(
                f"{plural(self.tests, 'row is a test', 'rows are tests')} of the raters' attention (HOTW) and left out."
            )
        judges = tuple(Judge(rater) for rater in dict.fromkeys(key[0] for key in self.ratings))
        documents = tuple(self.gathering.documents())
        return Reading(self.path.name.split(".")[0], documents, judges, tuple(judgements), "mqm", tuple(notes))


def _span(row: Mapping[str, str], source: str, target: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    side, start, end, flags = marked_place(row["source"], row["target"])
    text = source if side == "source" else target
    span = {"side": side, "start": start, "end": end, "text": text[start:end]}
    # errors of a protocol without categories, as ESA, have none here either
    return span | {name: row[name] for name in ("category", "severity", "note") if row.get(name)}, flags


def write(
    path: Path,
    documents: Iterable[Document],
    judgements: Iterable[Judgement] = (),
    judges: Iterable[Judge] = (),
    *,
    languages: str = "",
) -> None:
    """One row for each error, a No-error row where none was found. Judges are told by their ids."""
    del judges, languages
    judgements = some_judgements(path, judgements)
    texts = {(d.id, s.id): s for d in documents for s in d}
    header = ["system", "doc", "seg_id", "rater", "source", "target", "category", "severity", "comment"]
    with text_file(path) as out:
        out.write("\t".join(header) + "\n")
        for judgement in judgements:
            where = Where(path, item=f"{judgement.document}, segment {judgement.segment}")
            segment = texts.get((judgement.document, judgement.segment))
            if judgement.question != "errors" or len(judgement.systems) != 1 or segment is None:
                raise InputError("Only errors of outputs whose texts are given can be written.", where=where)
            system = judgement.systems[0]
            target = segment.text(system)
            if target is None or not isinstance(judgement.value, list):
                raise InputError(f"There is no text or no answer for {system!r}.", where=where)
            key = [system, judgement.document, judgement.segment, judgement.judge]
            for span in judgement.value or [None]:
                row = key + _insert_marks(span, segment.source, target, where)
                if any("\t" in cell or "\n" in cell or cell.endswith("\r") for cell in row):
                    raise InputError("This format cannot hold tabs and line breaks.", where=where)
                out.write("\t".join(row) + "\n")


def _comment(span: Mapping[str, Any]) -> str:
    """The judge's note and suggested correction: the format has one column for both."""
    return " → ".join(str(span[name]) for name in ("note", "correction") if span.get(name))


def _insert_marks(span: Mapping[str, Any] | None, source: str, target: str, where: Where) -> list[str]:
    if OPEN in source + target or CLOSE in source + target:
        raise InputError(f"The text itself holds {OPEN} or {CLOSE}.", where=where)
    if span is None:
        return [source, target, "No-error", "No-error", ""]
    start, end = span.get("start"), span.get("end")
    if not isinstance(start, int) or not isinstance(end, int):
        raise InputError("This format has no place for missing text.", where=where, next_step="Mark it in the source.")
    text = source if span.get("side") == "source" else target
    markup = f"{text[:start]}{OPEN}{text[start:end]}{CLOSE}{text[end:]}"
    pair = [markup, target] if span.get("side") == "source" else [source, markup]
    return [*pair, str(span.get("category") or ""), str(span.get("severity") or ""), _comment(span)]


FORMAT = Format(
    name="wmt_mqm",
    title="WMT's MQM ratings (TSV)",
    description=__doc__ or "",
    recognise=recognise,
    markers=("severity",),
    read=read,
    read_documents=read_documents,
    write=write,
    options={"languages": "the language pair, for instance en-de"},
    signs={"table": ("system", "rater", "source", "target", "category", "severity")},
)
