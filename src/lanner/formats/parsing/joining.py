"""One file for each judge: the same items in several files, which are one study and not several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from lanner.formats._format import Reading
from lanner.model import Document, Segment

_TOGETHER = "texts"
"""The document of files that do not name theirs, and which are named by their judges."""


def read_each(paths: Sequence[Path], read: Callable[[Path, str], list[Reading]]) -> list[Reading]:
    """The readings of several files by `read(path, judge)`, those of one judge each as one. Where files hold scores of
    the same items and name no judge, each is the judge's of its name."""
    readings = [part for path in paths for part in read(path, "")]
    if len(readings) < 2:
        return readings
    one_each = len(readings) == len(paths) and not any(part.judgements for part in readings)
    if one_each and _share_items(readings) and _have_translations(readings):
        named = [part for path in paths for part in read(path, path.name.split(".")[0])]
        if all(part.judgements for part in named):
            readings = named
    return join_judges(readings)


def join_judges(readings: list[Reading]) -> list[Reading]:
    """One reading where each of several has judges of its own, who answered the same questions about the same texts;
    otherwise the readings as they are."""
    first = readings[0]
    judge_ids = [judge.id for part in readings for judge in part.judges]
    if len(readings) < 2 or not all(part.judgements for part in readings) or len(set(judge_ids)) < len(judge_ids):
        return readings
    if any((part.protocol, set(part.questions)) != (first.protocol, set(first.questions)) for part in readings):
        return readings
    if not _share_items(readings) or not (_have_translations(readings) or _are_named_by_judge(readings)):
        return readings  # without texts, ratings of two language pairs look like ratings of one
    parts = [_with_common_document(part) for part in readings] if _are_named_by_file(readings) else readings
    documents = _merged(parts)
    if documents is None:
        return readings
    names = [part.name for part in readings]
    files = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    note = f"{len(names)} files about the same texts are read as one, each with the answers of its own judges: {files}."
    return [
        replace(
            first,
            name="+".join(names[:3]) + ("+…" if len(names) > 3 else ""),
            documents=documents,
            judges=tuple(judge for part in parts for judge in part.judges),
            judgements=tuple(entry for part in parts for entry in part.judgements),
            notes=(note, *dict.fromkeys(note for part in parts for note in part.notes)),
        )
    ]


def _are_named_by_file(readings: Sequence[Reading]) -> bool:
    """Whether no file names documents, so that each is one document called after the file."""
    return all([document.id for document in part.documents] == [part.name] for part in readings)


def _are_named_by_judge(readings: Sequence[Reading]) -> bool:
    """Whether each file has one judge, whose name is in the file's."""
    return all(len(part.judges) == 1 and part.judges[0].id.casefold() in part.name.casefold() for part in readings)


def _have_translations(readings: Sequence[Reading]) -> bool:
    """Whether the texts of every segment are there, by which it shows that two files are about the same ones."""
    segments = [segment for part in readings for document in part.documents for segment in document]
    return all(segment.source and any(segment.outputs.values()) for segment in segments)


def _share_items(readings: Sequence[Reading]) -> bool:
    """Whether every reading has items of the first one."""
    named_by_file = _are_named_by_file(readings)
    if named_by_file and not all(segment.source for part in readings for segment in part.documents[0]):
        return False  # nothing but the numbers of rows would be the same
    keys = [
        {("" if named_by_file else document.id, segment.id) for document in part.documents for segment in document}
        for part in readings
    ]
    return all(keys[0] & other for other in keys[1:])


def _with_common_document(part: Reading) -> Reading:
    [document] = part.documents
    judgements = tuple(replace(entry, document=_TOGETHER) for entry in part.judgements)
    return replace(part, documents=(replace(document, id=_TOGETHER),), judgements=judgements)


def _merged(readings: Sequence[Reading]) -> tuple[Document, ...] | None:
    """The documents of all; None where two of them have different texts at the same place."""
    documents: dict[str, Document] = {}
    segments: dict[str, dict[str, Segment]] = {}
    for part in readings:
        for document in part.documents:
            documents.setdefault(document.id, document)
            known = segments.setdefault(document.id, {})
            for segment in document:
                other = known.get(segment.id, segment)
                same = all(other.outputs.get(name, text) == text for name, text in segment.outputs.items())
                if other.source != segment.source or not same:
                    return None
                known[segment.id] = replace(
                    other,
                    outputs={**segment.outputs, **other.outputs},
                    references={**segment.references, **other.references},
                )
    return tuple(replace(document, segments=tuple(segments[key].values())) for key, document in documents.items())
