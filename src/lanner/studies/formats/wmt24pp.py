"""WMT24++: JSON lines with a source, its translation and the translation's post-edit for each segment.

`target` (the post-edit) and `original_target` become references of these names. Bad sources and the canary keep their
place in the document, flagged and not judged.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lanner.errors import InputError, Where
from lanner.formats import Format, Reading
from lanner.formats.parsing import textfile
from lanner.formats.parsing.readings import SegmentsByDocument
from lanner.formats.parsing.textfile import refuse_answers, text_file
from lanner.formats.parsing.values import is_canary
from lanner.model import Document, Judge, Judgement, languages

_FIELDS = ("lp", "domain", "document_id", "segment_id", "is_bad_source", "source", "target", "original_target")
_REFERENCES = ("target", "original_target")


def recognise(path: Path) -> bool:
    """The first line has the fields of WMT24++."""
    first = textfile.head(path).lstrip().partition("\n")[0]
    return first.startswith("{") and all(f'"{name}"' in first for name in ("lp", "document_id", "is_bad_source"))


def read(path: Path) -> list[Reading]:
    """A reading for each language pair."""
    by_pair: dict[str, list[Document]] = {}
    for document in read_documents(path):
        by_pair.setdefault(document.language_pair, []).append(document)
    stem = path.name.split(".")[0]
    return [
        Reading(stem if len(by_pair) == 1 else f"{stem}.{pair}", tuple(documents), notes=tuple(_notes(documents)))
        for pair, documents in by_pair.items()
    ]


def _notes(documents: list[Document]) -> Iterator[str]:
    flags = [flag for document in documents for segment in document for flag in segment.flags]
    for flag, name in (("bad_source", "bad sources"), ("canary", "canary lines")):
        if flag in flags:
            yield f"{flags.count(flag)} {name} are kept, flagged and not judged."


def read_documents(path: Path) -> Iterator[Document]:
    """Documents one by one; their lines must stand together."""
    current, gathering = "", SegmentsByDocument(path, "", has_documents=True, has_segments=True)
    for line, row in textfile.json_lines(path):
        if not isinstance(row, dict) or any(name not in row for name in ("lp", "document_id", "segment_id", "source")):
            textfile.failed(path, "This line lacks fields of WMT24++.", line, f"Fields: {', '.join(_FIELDS)}.")
        pair = str(row["lp"])
        if pair != current:
            yield from gathering.documents()
            current, gathering = pair, SegmentsByDocument(path, "", has_documents=True, has_segments=True)
        _add(gathering, row, line)
        if len(gathering) > 1:
            yield gathering.release_first()
    yield from gathering.documents()


def _add(gathering: SegmentsByDocument, row: dict[str, Any], line: int) -> None:
    source, target = languages.pair(str(row["lp"]))

    def attributes() -> dict[str, Any]:
        return {"domain": str(row.get("domain") or ""), "source_language": source, "target_language": target}

    document = gathering.document(str(row["document_id"]), line, attributes)
    draft = gathering.segment(document, str(row["segment_id"]), line, str(row["source"]))
    draft.references |= {name: str(row[name]) for name in _REFERENCES if row.get(name) is not None}
    draft.meta |= {name: value for name, value in row.items() if name not in _FIELDS}
    if row.get("is_bad_source"):
        draft.flags.append("bad_source")
    if is_canary(draft.source, document.id, str(row.get("domain"))):
        draft.flags.append("canary")
    draft.judged = not draft.flags


def write(
    path: Path,
    documents: Iterable[Document],
    judgements: Iterable[Judgement] = (),
    judges: Iterable[Judge] = (),
) -> None:
    """One line for each segment, with its references `target` and `original_target`."""
    refuse_answers(path, "WMT24++ holds no judgements.", judgements, judges)
    with text_file(path) as out:
        for document in documents:
            pair = "-".join(code.replace("-", "_") for code in (document.source_language, document.target_language))
            for segment in document:
                if other := [name for name in [*segment.references, *segment.outputs] if name not in _REFERENCES]:
                    where = Where(path, item=f"{document.id}, segment {segment.id}")
                    raise InputError(f"WMT24++ has no place for {other[0]!r}.", where=where)
                row = {
                    "lp": pair,
                    "domain": document.domain,
                    "document_id": document.id,
                    "segment_id": segment.id,
                    "is_bad_source": "bad_source" in segment.flags,
                    "source": segment.source,
                    **segment.references,
                    **segment.meta,
                }
                out.write(json.dumps(row, ensure_ascii=False) + "\n")


FORMAT = Format(
    name="wmt24pp",
    title="WMT24++ (JSON lines)",
    description=__doc__ or "",
    recognise=recognise,
    markers=("is_bad_source",),
    read=read,
    read_documents=read_documents,
    write=write,
    signs={"json lines": ("lp", "document_id", "is_bad_source")},
)
