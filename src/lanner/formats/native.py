"""Lanner's own file: JSON lines, one document, judge or judgement each; the keys of a line tell which it is.

A document has `segments`, a judgement `question`, a judge `kind`. A first line `{"lanner": 1, ...}` may name the
reading, its protocol, and the judges who count in no result, each with the reason. Everything the model holds is
written, empty fields are left out, so nothing is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import MISSING, Field, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from lanner.errors import InputError
from lanner.formats.parsing import textfile
from lanner.formats.parsing.readings import Format, Reading, TextStream
from lanner.formats.parsing.textfile import text_file
from lanner.model import Document, Judge, JudgeKind, Judgement, Role, Segment

_HEADER = "lanner"
_VERSION = 1
_DOCUMENT_TEXTS = ("source_language", "target_language", "domain", "title", "text_type", "note", "media")
_TIMES = ("answered_at", "received_at")
_DOCUMENT_FIELDS = frozenset({"id", "segments", "glossary", "meta", *_DOCUMENT_TEXTS})
_SEGMENT_FIELDS = frozenset(spec.name for spec in fields(Segment))
_JUDGEMENT_FIELDS = {spec.name: spec for spec in fields(Judgement)}


def recognise(path: Path) -> bool:
    """The first line is an object with the keys of one of our lines."""
    first = textfile.head(path).lstrip("\n\r ").partition("\n")[0]
    if not first.startswith("{"):
        return False
    keys = set(_keys(first))
    if {"judge_kind", "row"} <= keys:
        return False  # the table of judgements that an export writes
    return (
        {_HEADER} <= keys
        or {"id", "segments"} <= keys
        or {"judge", "question", "document"} <= keys
        or {"id", "kind"} == keys & {"id", "kind", "segments", "question", "source", "src"}
    )


def _keys(line: str) -> Iterator[str]:
    """The keys of an object's first level, also of one that the head of a file cuts off."""
    depth, key, in_text, after_backslash = 0, "", False, False
    for i, char in enumerate(line):
        if in_text:
            if after_backslash:
                after_backslash = False
            elif char == "\\":
                after_backslash = True
            elif char == '"':
                in_text = False
                if depth == 1 and line[i + 1 :].lstrip()[:1] == ":":
                    yield key
            else:
                key += char
        elif char == '"':
            in_text, key = True, ""
        elif char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1


def read(path: Path) -> list[Reading]:
    """Documents, judges and judgements of a file, as one reading."""
    documents: list[Document] = []
    judges: list[Judge] = []
    judgements: list[Judgement] = []
    header: dict[str, Any] = {}
    for line, entry in _entries(path):
        if isinstance(entry, Document):
            documents.append(entry)
        elif isinstance(entry, Judge):
            judges.append(entry)
        elif isinstance(entry, Judgement):
            judgements.append(entry if entry.origin else replace(entry, origin=f"{path.name}:{line}"))
        else:
            header = entry
    people = {judge.id for judge in judges} | {entry.judge for entry in judgements}
    if unknown := header.get("left_out", {}).keys() - people:
        textfile.failed(path, f"'left_out' names {min(unknown)!r}, who is no judge of this file.", header["line"])
    return [
        Reading(
            header.get("name") or path.name.split(".")[0],
            tuple(documents),
            tuple(judges),
            tuple(judgements),
            header.get("protocol", ""),
            definition=header.get("definition", ""),
            left_out=header.get("left_out", {}),
        )
    ]


def texts(path: Path) -> TextStream | None:
    """The documents one by one; None if a line may be anything else."""
    with textfile.unwatched():
        lines = (line for line in textfile.raw_lines(path) if not line.isspace())
        if any('"segments"' not in line or '"question"' in line for line in lines):
            return None
    return TextStream(path.name.split(".")[0], read_documents(path))


def read_documents(path: Path) -> Iterator[Document]:
    """The documents of a file one by one."""
    return (entry for _, entry in _entries(path) if isinstance(entry, Document))


def write(
    path: Path,
    documents: Iterable[Document],
    judgements: Iterable[Judgement] = (),
    judges: Iterable[Judge] = (),
    *,
    name: str = "",
    protocol: str = "",
    definition: str = "",
    left_out: Mapping[str, str] | str = "",
) -> None:
    """One line each: a header if there is anything to say, then documents, judges, judgements."""
    header: dict[str, Any] = {_HEADER: _VERSION, "name": name, "protocol": protocol}
    header |= {
        key: value
        for key, given in (("definition", definition), ("left_out", left_out))
        if (value := _option(key, given))
    }
    with text_file(path) as out:
        if len(header) > 3 or name or protocol:
            _put(out.write, header)
        for document in documents:
            _put(out.write, document_object(document))
        for judge in judges:
            _put(out.write, {"id": judge.id, "kind": str(judge.kind), **_filled_fields(judge, ("name", "attributes"))})
        for judgement in judgements:
            _put(out.write, judgement_object(judgement))


def _option(name: str, value: Mapping[str, Any] | str) -> dict[str, Any]:
    """An option that is an object; on the command line it is written as JSON."""
    try:
        entry = json.loads(value or "{}") if isinstance(value, str) else dict(value)
    except ValueError:
        entry = None
    if not isinstance(entry, dict):
        raise InputError(f"The option {name} must be a JSON object, not {value!r:.80}.")
    return entry


def _put(write_text: Any, entry: Mapping[str, Any]) -> None:
    write_text(json.dumps(entry, ensure_ascii=False, allow_nan=False) + "\n")


def document_object(document: Document) -> dict[str, Any]:
    """A document as JSON holds it."""
    entry: dict[str, Any] = {"id": document.id}
    entry |= _filled_fields(document, ("source_language", "target_language", "domain", "title", "text_type", "note"))
    entry["segments"] = [_segment_object(segment) for segment in document.segments]
    return entry | _filled_fields(document, ("media", "glossary", "meta"))


def _segment_object(segment: Segment) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": segment.id}
    if segment.paragraph is not None:
        entry["paragraph"] = segment.paragraph
    entry |= {"source": segment.source, **_filled_fields(segment, ("references", "outputs"))}
    if not segment.judged:
        entry["judged"] = False
    return entry | _filled_fields(segment, ("flags", "meta"))


def judgement_object(judgement: Judgement) -> dict[str, Any]:
    """A judgement as JSON holds it: the key and the value always, the rest where it is there."""
    entry: dict[str, Any] = {}
    for spec in fields(Judgement):
        value = getattr(judgement, spec.name)
        if spec.default is not MISSING and value == spec.default:
            continue
        if isinstance(value, datetime):
            value = value.isoformat(timespec="microseconds")
        entry[spec.name] = list(value) if isinstance(value, tuple) else value
    return entry


def _filled_fields(thing: object, names: Iterable[str]) -> dict[str, Any]:
    values = {name: getattr(thing, name) for name in names}
    return {n: _plain(v) for n, v in values.items() if v and not (n.endswith("_language") and v == "und")}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, tuple) else value


def _entries(path: Path) -> Iterator[tuple[int, Document | Judge | Judgement | dict[str, Any]]]:
    ids: dict[str, int] = {}
    for line, entry in textfile.json_lines(path):
        if not isinstance(entry, dict):
            textfile.failed(path, "Each line must be a JSON object.", line)
        if "segments" in entry:
            document = _document(entry, path, line)
            if document.id in ids:
                _twice(path, line, f"The document {document.id!r}", ids[document.id])
            ids[document.id] = line
            yield line, document
        elif "question" in entry:
            yield line, _judgement(entry, path, line)
        elif _HEADER in entry:
            yield line, _header(entry, path, line)
        elif "kind" in entry:
            yield line, _judge(entry, path, line)
        else:
            textfile.failed(
                path,
                "This line is no document, judge or judgement.",
                line,
                "A document has 'segments', a judgement 'question', a judge 'kind'.",
            )


def _twice(path: Path, line: int, what: str, before: int) -> None:
    textfile.failed(path, f"{what} is already on line {before}.", line, "Ids must differ: rename one of the two.")


def _header(entry: dict[str, Any], path: Path, line: int) -> dict[str, Any]:
    _only(entry, {_HEADER, "name", "protocol", "definition", "left_out"}, path, line)
    if entry[_HEADER] != _VERSION:
        textfile.failed(path, f"This file has version {entry[_HEADER]!r}; known is {_VERSION}.", line, "Update Lanner.")
    definition = entry.get("definition")
    if definition is not None and not isinstance(definition, dict):
        textfile.failed(path, "'definition' must be an object.", line)
    names = {key: _text(entry, key, path, line) for key in ("name", "protocol")}
    left_out = _object(entry, "left_out", path, line, texts_only=True)
    return {**names, "definition": json.dumps(definition) if definition else "", "left_out": left_out, "line": line}


def _document(entry: dict[str, Any], path: Path, line: int) -> Document:
    _only(entry, _DOCUMENT_FIELDS, path, line)
    if not isinstance(entry["segments"], list):
        textfile.failed(path, "'segments' must be a list.", line)
    ids: set[str] = set()
    segments = []
    for each in entry["segments"]:
        segment = _segment(each, path, line)
        if segment.id in ids:
            textfile.failed(path, f"Two segments of one document have the id {segment.id!r}.", line)
        ids.add(segment.id)
        segments.append(segment)
    texts = {key: _text(entry, key, path, line) for key in _DOCUMENT_TEXTS if key in entry}
    glossary = _object(entry, "glossary", path, line, texts_only=True)
    return Document(
        _id(entry, path, line), tuple(segments), **texts, glossary=glossary, meta=_object(entry, "meta", path, line)
    )


def _segment(entry: Any, path: Path, line: int) -> Segment:
    if not isinstance(entry, dict):
        textfile.failed(path, "Each segment must be a JSON object.", line)
    _only(entry, _SEGMENT_FIELDS, path, line)
    paragraph, judged = entry.get("paragraph"), entry.get("judged", True)
    if paragraph is not None and (not isinstance(paragraph, int) or isinstance(paragraph, bool)):
        textfile.failed(path, "'paragraph' must be a whole number.", line)
    if not isinstance(judged, bool):
        textfile.failed(path, "'judged' must be true or false.", line)
    return Segment(
        id=_id(entry, path, line),
        source=_text(entry, "source", path, line),
        outputs=_object(entry, "outputs", path, line, texts_only=True),
        references=_object(entry, "references", path, line, texts_only=True),
        paragraph=paragraph,
        judged=judged,
        flags=_texts(entry, "flags", path, line),
        meta=_object(entry, "meta", path, line),
    )


def _judge(entry: dict[str, Any], path: Path, line: int) -> Judge:
    _only(entry, {"id", "kind", "name", "attributes"}, path, line)
    if entry["kind"] not in list(JudgeKind):
        textfile.failed(path, f"A judge's kind is one of {', '.join(JudgeKind)}, not {entry['kind']!r}.", line)
    name = _text(entry, "name", path, line)
    return Judge(_id(entry, path, line), JudgeKind(entry["kind"]), name, _object(entry, "attributes", path, line))


def _judgement(entry: dict[str, Any], path: Path, line: int) -> Judgement:
    _only(entry, _JUDGEMENT_FIELDS.keys(), path, line)
    fields: dict[str, Any] = {}
    for name, spec in _JUDGEMENT_FIELDS.items():
        if name not in entry:
            if spec.default is MISSING:
                textfile.failed(path, f"This judgement has no {name!r}.", line)
        else:
            fields[name] = _judgement_field(entry, name, spec, path, line)
    return Judgement(**fields)


def _judgement_field(entry: dict[str, Any], name: str, spec: Field[Any], path: Path, line: int) -> Any:
    value = entry[name]
    if name == "value":
        return value
    if name in ("systems", "flags"):
        return _texts(entry, name, path, line)
    if name == "role":
        if value not in list(Role):
            textfile.failed(path, f"A role is one of {', '.join(Role)}, not {value!r}.", line)
        return Role(value)
    if name in _TIMES:
        try:
            return datetime.fromisoformat(value)
        except (TypeError, ValueError):
            textfile.failed(path, f"{name!r} must be a date and time such as 2025-03-01T09:30:00+00:00.", line)
    if spec.type in ("float | None", "int | None"):
        if isinstance(value, bool) or not isinstance(value, int if "int" in str(spec.type) else int | float):
            textfile.failed(path, f"{name!r} must be a number.", line)
        return value
    return _text(entry, name, path, line)


def _only(entry: dict[str, Any], names: Set[str], path: Path, line: int) -> None:
    if not entry.keys() <= names:
        extra = next(key for key in entry if key not in names)
        textfile.failed(path, f"Unknown field {extra!r}.", line, f"Known: {', '.join(sorted(names))}.")


def _id(entry: dict[str, Any], path: Path, line: int) -> str:
    value = _text(entry, "id", path, line)
    if not value:
        textfile.failed(path, "An id is empty.", line, "Every document, segment and judge needs an id.")
    return value


def _text(entry: dict[str, Any], key: str, path: Path, line: int) -> str:
    value = entry.get(key, "")
    if not isinstance(value, str):
        textfile.failed(path, f"{key!r} must be text, not {value!r}.", line)
    return value


def _texts(entry: dict[str, Any], key: str, path: Path, line: int) -> tuple[str, ...]:
    value = entry.get(key, [])
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        textfile.failed(path, f"{key!r} must be a list of texts.", line)
    return tuple(value)


def _object(entry: dict[str, Any], key: str, path: Path, line: int, texts_only: bool = False) -> dict[str, Any]:
    value = entry.get(key, {})
    if not isinstance(value, dict) or (texts_only and not all(isinstance(part, str) for part in value.values())):
        textfile.failed(path, f"{key!r} must be an object{' of texts' if texts_only else ''}.", line)
    return value


FORMAT = Format(
    name="native",
    title="Lanner's own JSON lines: documents, judges, judgements",
    description=__doc__ or "",
    recognise=recognise,
    markers=("{",),
    read=read,
    read_documents=read_documents,
    texts=texts,
    write=write,
    options={
        "name": "a name for the reading (writing)",
        "protocol": "the protocol the judgements answer (writing)",
        "definition": "that protocol itself as JSON, where it is none of Lanner's own (writing)",
        "left_out": "the judges who count in no result, each with the reason, as JSON (writing)",
    },
    signs={"json lines": ("id", "segments")},
)
