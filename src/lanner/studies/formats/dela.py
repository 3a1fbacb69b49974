"""The DELA corpus: text files that look like XML and are not, with context-related issues marked for each sentence.

A line is `<doc …>`, `</doc>`, or `<seg id="n">`, a tab, the sentence, and then pairs of issue and explanation; X means
no issue. A document without `docid` is named by its file and its place. In the corpus's folder, translations are
paired with the English files of the same domain by the order of documents and the ids of sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from lanner.formats import Format, Reading
from lanner.formats.parsing import textfile
from lanner.model import Document, Judge, Judgement, Segment, languages

# quotation marks of ids are misplaced in the released files
_SEGMENT = re.compile(r'^<seg\s+id="*([^">\s]+)"*\s*>"?\t?(.*)$', re.S)
_ATTRIBUTE = re.compile(r'\b(\w{1,40})="([^"]*)"')
_TRANSLATION = re.compile(r"^PT[-_]BR", re.I)


def recognise(path: Path) -> bool:
    """A text file of `<seg id="n">` and tab, or the corpus's folder."""
    if path.is_dir():
        return bool(_english(path))
    head = textfile.head(path, 4096)
    return re.search(r'(?m)^<seg id="\d+">\t', head) is not None and head.lstrip().startswith(("<doc", "<seg"))


def read(path: Path) -> list[Reading]:
    """A reading for each file of sentences; issues are judgements of the annotators, taken as one judge."""
    if path.is_file():
        return [_reading(path, _documents(path), [])]
    readings = []
    for file in _english(path):
        documents = _documents(file)
        notes: list[str] = []
        translation = next((other for other in _texts(path) if _is_translation(other, file)), None)
        if translation is None:
            notes.append("There is no translation of this file.")
        else:
            documents = _pair_with(documents, _documents(translation), translation, notes)
        readings.append(_reading(file, documents, notes))
    return readings


def read_documents(path: Path) -> Iterator[Document]:
    """The documents of all files."""
    for reading in read(path):
        yield from reading.documents


def _texts(path: Path) -> list[Path]:
    """The corpus's text files, which lie at most two folders down; somebody may point at a whole disk."""
    levels = ("*.txt", "*/*.txt", "*/*/*.txt")
    return sorted(file for level in levels for file in path.glob(level) if file.is_file() and recognise(file))


def _english(path: Path) -> list[Path]:
    """The annotated English files, or those without annotation where a domain has no other."""
    files: dict[str, Path] = {}
    for file in _texts(path):
        if not _TRANSLATION.match(file.name):
            key = _key(file)
            if key not in files or "annotated" in file.name.casefold():
                files[key] = file
    return [files[key] for key in sorted(files)]


def _domain(file: Path) -> str:
    return re.split(r"[_ ]", file.stem)[-1].casefold()


def _key(file: Path) -> str:
    """`EN_Annotated_Review.txt` and `PT-BR_Reviews.txt` are of one domain."""
    return _domain(file).removesuffix("s")


def _is_translation(file: Path, english: Path) -> bool:
    return bool(_TRANSLATION.match(file.name)) and _key(file) == _key(english)


def _documents(file: Path) -> list[Document]:
    documents: list[Document] = []
    opening = ""
    segments: list[Segment] = []
    target = "pt-BR" if _TRANSLATION.match(file.name) else languages.UNDETERMINED

    def close() -> None:
        if segments:
            documents.append(_document(file, opening, len(documents) + 1, segments, target))

    for number, line in enumerate(textfile.lines(file), 1):
        text = line.strip()
        if text.startswith("<doc"):
            close()
            opening, segments = text.removeprefix("<doc").rstrip(">").strip(), []
        elif text.startswith("</doc"):
            close()
            opening, segments = "", []
        elif text.startswith("<seg"):
            segment = _segment(file, number, line)
            segments.append(_distinct(segment, segments))
        elif text:
            textfile.failed(file, "This line is neither <doc>, </doc> nor <seg>.", number)
    close()
    return documents


def _distinct(segment: Segment, before: list[Segment]) -> Segment:
    """The released files give some ids twice: the later one is told apart by a suffix and a flag."""
    ids = {other.id for other in before}
    if segment.id not in ids:
        return segment
    name = next(f"{segment.id}.{n}" for n in range(2, len(ids) + 3) if f"{segment.id}.{n}" not in ids)
    return replace(segment, id=name, flags=(*segment.flags, "duplicate_id"))


def _document(file: Path, opening: str, number: int, segments: Iterable[Segment], target: str) -> Document:
    attributes = dict(_ATTRIBUTE.findall(opening))
    link = opening.removeprefix("Link:").strip() if not attributes else ""
    return Document(
        attributes.get("docid") or f"{_domain(file)}-{number}",
        tuple(segments),
        languages.normal(attributes.get("origlang", "en")),
        target,
        domain=attributes.get("genre") or _domain(file),
        meta={"link": link} if link else {},
    )


def _segment(file: Path, number: int, line: str) -> Segment:
    hit = _SEGMENT.match(line)
    if hit is None or not hit[1]:
        textfile.failed(file, "This segment has no id.", number)
    text, *cells = hit[2].split("\t")
    filled_cells = [cell.strip() for cell in cells if cell.strip()]
    meta: dict[str, Any] = {"line": number}
    flags: tuple[str, ...] = ()
    if any(cell.upper() != "X" for cell in filled_cells):
        if len(filled_cells) % 2:
            flags = ("irregular_issues",)
        meta["issues"] = [
            {"issue": issue, "explanation": explanation}
            for issue, explanation in zip(filled_cells[::2], [*filled_cells[1::2], ""], strict=False)
        ]
    elif filled_cells:
        meta["issues"] = []
    return Segment(hit[1], text, flags=flags, meta=meta)


def _pair_with(documents: list[Document], other: list[Document], file: Path, notes: list[str]) -> list[Document]:
    if [len(document.segments) for document in documents] != [len(document.segments) for document in other]:
        notes.append(f"{file.name} has other documents or sentences, so translations are not paired.")
        return documents
    name = re.split(r"[_ ]", file.stem)[0]
    documents_out = []
    for document, translation in zip(documents, other, strict=True):
        texts = {segment.id: segment.source for segment in translation}
        segments = [
            replace(segment, references={name: texts[segment.id]}) if segment.id in texts else segment
            for segment in document
        ]
        documents_out.append(replace(document, segments=tuple(segments), target_language=translation.target_language))
    return documents_out


def _reading(file: Path, documents: list[Document], notes: list[str]) -> Reading:
    judgements = [
        Judgement(
            "dela",
            "issues",
            "issues",
            document.id,
            segment.id,
            (),
            [entry["issue"] for entry in segment.meta["issues"]],
            flags=segment.flags,
            origin=f"{file.name}:{segment.meta['line']}",
        )
        for document in documents
        for segment in document
        if "issues" in segment.meta
    ]
    flags = [flag for document in documents for segment in document for flag in segment.flags]
    if "irregular_issues" in flags:
        notes.append(
            f"{flags.count('irregular_issues')} sentences have an issue without an explanation or the reverse."
        )
    if "duplicate_id" in flags:
        notes.append(f"{flags.count('duplicate_id')} sentences repeat an id of their document and got a suffix.")
    bare = tuple(replace(d, segments=tuple(replace(s, meta=_without_line(s)) for s in d.segments)) for d in documents)
    judges = (Judge("dela"),) if judgements else ()
    return Reading(file.stem, bare, judges, tuple(judgements), notes=tuple(notes))


def _without_line(segment: Segment) -> dict[str, Any]:
    return {key: value for key, value in segment.meta.items() if key != "line"}


FORMAT = Format(
    name="dela",
    title="the DELA corpus (text files or its folder)",
    description=__doc__ or "",
    recognise=recognise,
    markers=("<seg",),
    read=read,
    read_documents=read_documents,
    signs={"xml": ("doc", "seg")},
)
