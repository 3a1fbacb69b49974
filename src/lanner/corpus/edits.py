"""Corrections by hand to rows that were split and aligned: accept, merge, split, shift.

Each is data, so it can be logged, kept in the manifest and applied again by somebody else with the same result.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, BinaryIO, Literal, NoReturn

from lanner.corpus import split
from lanner.corpus.align import candidates, project
from lanner.corpus.rows import DOUBTFUL, SOURCE, language, texts, unusual_gaps, with_texts
from lanner.errors import InputError, Where, did_you_mean
from lanner.model import Document, Json, Segment

Kind = Literal["accept", "merge", "split", "shift"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One correction of the row `segment`. `merge` joins it with the next row. `split` cuts it at an offset in each
    column (a column that is not named stays whole in the first part). `shift` moves the border to the next row: the
    offset counts in both rows' text joined. `by` and `when` are for the log and change nothing."""

    kind: Kind
    document: str
    segment: str
    at: Mapping[str, int] = field(default_factory=dict)
    by: str = ""
    when: str = ""


def read(entries: Iterable[Mapping[str, Json]]) -> list[Edit]:
    """Edits from the objects of a manifest or a log; one that is not an edit is refused with its number."""
    segments = []
    for number, entry in enumerate(entries, start=1):
        unknown = [key for key in entry if key not in _FIELDS]
        at = entry.get("at", {})
        names = [entry.get(key) for key in ("kind", "document", "segment")]
        if unknown or not all(isinstance(name, str) for name in names) or entry.get("kind") not in _KINDS:
            hint = did_you_mean(unknown[0], _FIELDS) if unknown else f"An edit has a kind ({', '.join(_KINDS)})"
            raise InputError("This is not an edit.", where=Where(item=f"edit {number}"), next_step=hint)
        if not isinstance(at, Mapping) or not all(isinstance(offset, int) for offset in at.values()):
            step = "Give an object from text to offset."
            raise InputError("'at' is not what it should be.", where=Where(item=f"edit {number}"), next_step=step)
        segments.append(Edit(**entry))
    return segments


def apply(documents: Iterable[Document], edits: Sequence[Edit]) -> Iterable[Document]:
    """The documents with all edits made, one by one as they pass. An edit of a document that never came is an error."""
    waiting: dict[str, list[Edit]] = defaultdict(list)
    for edit in edits:
        waiting[edit.document].append(edit)
    ids: list[str] = []
    for document in documents:
        ids.append(document.id)
        yield apply_to_document(document, waiting.pop(document.id, ()))
    for name in waiting:
        raise InputError(f"There is no document {name!r} to edit.", next_step=did_you_mean(name, ids))


def apply_to_document(document: Document, edits: Iterable[Edit]) -> Document:
    """One document with its edits made, in order."""
    rows = list(document.segments)
    for edit in edits:
        ids = [row.id for row in rows]
        if edit.segment not in ids:
            raise InputError(
                f"There is no row {edit.segment!r} to {edit.kind}.",
                where=Where(item=document.id),
                next_step=did_you_mean(edit.segment, ids),
            )
        place = ids.index(edit.segment)
        first, after, make = place, place + 1, _KINDS[edit.kind]
        if edit.kind in ("merge", "shift"):
            after += 1
            if place + 1 == len(rows) or parent(rows[place]) != parent(rows[place + 1]):
                _refuse(edit, "it is the last row of its segment, and the border of a segment is known to be right")
        rows[first:after] = [_without_doubts(row) for row in make(document, rows[first:after], edit)]
    return replace(document, segments=tuple(rows))


def parent(row: Segment) -> str:
    """The id of the segment that a row was cut from; its own if it was not cut."""
    return str(row.meta.get("parent", row.id))


def join_rows(document: Document, row: Segment, following: Segment) -> dict[str, str]:
    """The texts of two neighbouring rows as they were before the cut."""
    second = texts(following)
    return {
        column: text + _gap(document, row, column) + second[column]
        if text and second[column]
        else text or second[column]
        for column, text in texts(row).items()
    }


def _gap(document: Document, row: Segment, column: str) -> str:
    """The white space that stood after a row's text."""
    return str(row.meta.get("gaps", {}).get(column, split.joiner(language(document, column))))


def suggest_split(document: Document, row: Segment, offset: int) -> dict[str, int]:
    """Where every text of a row is best cut if the source is cut at `offset`."""
    columns = texts(row)
    source = candidates(row.source, document.source_language, [offset])
    at = [0, *(i for i in range(len(source)) if int(source.offsets[i]) == offset), len(source) - 1]
    places = {SOURCE: offset}
    for column, text in columns.items():
        if column != SOURCE and text:
            code = language(document, column)
            target = candidates(text, code, split.cuts(text, code))
            places[column] = project(source.select(at), target)[0]
    return places


def _accept(_document: Document, rows: Sequence[Segment], _edit: Edit) -> list[Segment]:
    return list(rows)


def _merge(document: Document, rows: Sequence[Segment], _edit: Edit) -> list[Segment]:
    row, following = rows
    gaps = {}
    for column, text in texts(following).items():
        before = "" if text else _gap(document, row, column)
        gaps[column] = before + _gap(document, following, column)
    flags = tuple(dict.fromkeys((*row.flags, *following.flags)))
    whole = replace(row, flags=flags, judged=row.judged and following.judged)
    return [_with_gaps(document, with_texts(whole, join_rows(document, row, following)), gaps)]


def _split(document: Document, rows: Sequence[Segment], edit: Edit) -> list[Segment]:
    (row,) = rows
    columns = texts(row)
    if not 0 < edit.at.get(SOURCE, 0) < len(row.source):
        _refuse(edit, "the source must be cut somewhere inside")
    first, second, gaps = _cut(
        columns, {column: edit.at.get(column, len(text)) for column, text in columns.items()}, edit
    )
    part = replace(row, meta={**row.meta, "parent": parent(row)})
    return [
        _with_gaps(document, with_texts(replace(part, id=f"{row.id}.1"), first), gaps),
        with_texts(replace(part, id=f"{row.id}.2"), second),
    ]


def _shift(document: Document, rows: Sequence[Segment], edit: Edit) -> list[Segment]:
    row, following = rows
    whole = join_rows(document, row, following)
    unknown = [column for column in edit.at if column not in whole]
    if unknown:
        _refuse(edit, f"there is no text {unknown[0]!r}")
    first, second, remainder = _cut({column: whole[column] for column in edit.at}, edit.at, edit)
    gaps = {column: _gap(document, row, column) for column in whole} | remainder
    return [
        _with_gaps(document, with_texts(row, texts(row) | first), gaps),
        with_texts(following, texts(following) | second),
    ]


_KINDS: dict[Kind, Callable[[Document, Sequence[Segment], Edit], list[Segment]]] = {
    "accept": _accept,
    "merge": _merge,
    "split": _split,
    "shift": _shift,
}


def _cut(
    columns: Mapping[str, str], at: Mapping[str, int], edit: Edit
) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Both parts of each text, and the white space between them."""
    first, second, gaps = {}, {}, {}
    for column, text in columns.items():
        if not 0 <= at[column] <= len(text):
            _refuse(edit, f"{column} has {len(text)} characters and cannot be cut at {at[column]}")
        left, right = text[: at[column]], text[at[column] :]
        first[column], second[column] = left.rstrip(), right.lstrip()
        gaps[column] = left[len(first[column]) :] + right[: len(right) - len(second[column])]
    return first, second, gaps


def _with_gaps(document: Document, row: Segment, gaps: Mapping[str, str]) -> Segment:
    """The row with its gaps on record, as far as they are not the usual ones of its languages."""
    meta = {key: value for key, value in row.meta.items() if key != "gaps"}
    return replace(row, meta=meta | unusual_gaps(document, gaps))


def _without_doubts(row: Segment) -> Segment:
    """The row without its doubts: a person has looked at it."""
    meta = {key: value for key, value in row.meta.items() if key != "confidence"}
    return replace(row, meta=meta, flags=tuple(flag for flag in row.flags if flag != DOUBTFUL))


def _refuse(edit: Edit, why: str) -> NoReturn:
    raise InputError(
        f"The row {edit.segment!r} cannot be {_PAST[edit.kind]}: {why}.",
        where=Where(item=edit.document),
        next_step="Correct or remove this edit.",
    )


# Edits on disk, a line for each as it is made. What was undone stays in the log and does not count.
#
# A lost machine loses no work, and the log says who did what and when. A manifest's edits are read in the same way.

_FIELDS = tuple(spec.name for spec in fields(Edit))
_PAST = {"accept": "accepted", "merge": "merged", "split": "split", "shift": "shifted"}


def append_to_log(path: Path, edits: Sequence[Edit]) -> None:
    """Add edits to a log. They are on the disk when this returns."""
    _write(path, [{key: value for key, value in asdict(edit).items() if value} for edit in edits])


def undo_in_log(path: Path, count: int, by: str = "", when: str = "") -> None:
    """Note in a log that the last so many edits were taken back."""
    who = {key: value for key, value in (("by", by), ("when", when)) if value}
    _write(path, [{"undo": count, **who}])


def load_log(path: Path) -> list[Edit]:
    """The edits that count: of a log, or of a manifest."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The edits cannot be read: {error}.", where=Where(path)) from error
    entries: list[Mapping[str, Any]] = []
    for number, entry in _entries(path, text):
        if not isinstance(entry, dict):
            raise InputError("This is not an edit.", where=Where(path, number))
        if "undo" in entry:
            count = entry["undo"]
            if not isinstance(count, int) or not 0 < count <= len(entries):
                raise InputError("There are not that many edits to undo.", where=Where(path, number))
            del entries[-count:]
        else:
            entries.append(entry)
    try:
        return read(entries)
    except InputError as error:
        raise InputError(error.what, where=Where(path, item=error.where.item), next_step=error.next_step) from error


def _entries(path: Path, text: str) -> list[tuple[int, Any]]:
    try:
        whole = json.loads(text)
    except ValueError:
        whole = None
    if isinstance(whole, dict) and isinstance(whole.get("edits"), list):
        return list(enumerate(whole["edits"], 1))
    rows = []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            rows.append((number, json.loads(line)))
        except ValueError as error:
            if number == len(lines) and not text.endswith("\n"):
                break  # the machine stopped while it wrote this line: the edit was never confirmed
            raise InputError(f"This is not JSON: {error}.", where=Where(path, number)) from error
    return rows


def _write(path: Path, entries: Sequence[Mapping[str, Any]]) -> None:
    if not entries:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        file.truncate(_whole_lines(file))
        for entry in entries:
            file.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _whole_lines(file: BinaryIO) -> int:
    """How many bytes of a log are whole lines; a half line is one whose writing was cut short."""
    end = file.seek(0, os.SEEK_END)
    start = max(0, end - 65536)
    file.seek(start)
    tail = file.read()
    return end if not tail or tail.endswith(b"\n") else start + tail.rfind(b"\n") + 1
