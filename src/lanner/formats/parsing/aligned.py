"""Text files whose lines belong together: a source, references, outputs, and a file that says which document each
line is of. Segment ids are the line numbers from 0, as the tools of the field count them, or what the file says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path

from lanner.errors import InputError, Where
from lanner.formats.parsing import textfile
from lanner.formats.parsing.textfile import text_file
from lanner.formats.parsing.values import is_canary
from lanner.model import Document, Segment

_MARK = "\ufeff"  # byte order mark
_NEWLINE_FILE = ".newline"
"""Beside the sources that we wrote: what stands for a line break in them, so that it is read back as one."""


@dataclass(frozen=True, slots=True)
class AlignedTexts:
    """Which text of each segment to write: the source, a reference or an output, and what to write for line breaks."""

    kind: str
    name: str = ""
    newline: str = ""

    def of(self, segment: Segment) -> str | None:
        match self.kind:
            case "source":
                return segment.source
            case "reference":
                return segment.references.get(self.name)
            case _:
                return segment.outputs.get(self.name)


def write_lines(path: Path, documents: Sequence[Document], texts: AlignedTexts) -> None:
    """One line for each segment; a segment without this text, or with a line break, is an error."""
    first = True
    with text_file(path) as out:
        for document in documents:
            for segment in document:
                where = Where(path, item=f"{document.id}, segment {segment.id}")
                line = _line(texts.of(segment), texts, where)
                if first and line.startswith(_MARK):
                    out.write(_MARK)  # readers take one away from the beginning of a file
                first = False
                out.write(line + "\n")


def keep_newline(folder: Path, newline: str) -> None:
    """Note the mark for line breaks beside the texts written with it."""
    if newline:
        (folder / _NEWLINE_FILE).write_text(newline, encoding="utf-8")


def _kept_newline(folder: Path) -> str:
    file = folder / _NEWLINE_FILE
    return textfile.head(file, 100) if file.is_file() else ""


def _line(text: str | None, texts: AlignedTexts, where: Where) -> str:
    if text is None:
        raise InputError(
            f"This segment has no {texts.kind} {texts.name!r}, and a text file has no way to say so.",
            where=where,
            next_step="Leave that one out, or write another format.",
        )
    mark = texts.newline
    if mark and mark in text:
        raise InputError(f"The text already holds the mark {mark!r}.", where=where, next_step="Use another mark.")
    line = text.replace("\n", mark) if mark else text
    if "\n" in line or line.endswith("\r"):
        raise InputError(
            "This text has a line break.", where=where, next_step="Say what to write for it, for instance newline=<br>."
        )
    return line


def write_places(path: Path, documents: Sequence[Document]) -> None:
    """DOMAIN and DOCUMENT for each line, and SEGMENT where the ids are not the line numbers."""
    ids = [segment.id for document in documents for segment in document]
    numbered = ids == [str(number) for number in range(len(ids))]
    with text_file(path) as out:
        for document in documents:
            domain = document.domain or "-"
            for segment in document:
                parts = [domain, document.id] if numbered else [domain, document.id, segment.id]
                if any("\t" in part or "\n" in part or not part.strip() for part in parts):
                    raise InputError("A tab or line break in an id.", where=Where(path, item=document.id))
                out.write("\t".join(parts) + "\n")


def names_of(documents: Sequence[Document]) -> tuple[list[str], list[str]]:
    """All references and all systems, in order of appearance."""
    references = dict.fromkeys(name for document in documents for segment in document for name in segment.references)
    systems = dict.fromkeys(name for document in documents for segment in document for name in segment.outputs)
    for name in [*references, *systems]:
        if not name or "/" in name or "\\" in name or name.startswith("."):
            raise InputError(f"{name!r} cannot be a file name.", next_step="Rename the system.")
    return list(references), list(systems)


@dataclass(frozen=True, slots=True)
class AlignedFiles:
    """The files of one language pair. `documents` has DOMAIN and DOCUMENT on each line, perhaps SEGMENT, or DOCUMENT
    alone; without it everything is one document."""

    source: Path
    languages: tuple[str, str]
    references: Mapping[str, Path] = field(default_factory=dict)
    outputs: Mapping[str, Path] = field(default_factory=dict)
    documents: Path | None = None
    newline: str = ""
    """What stands for a line break inside a segment."""
    name: str = ""
    """The document's name where everything is one; else that of the source's file."""


def read_aligned(files: AlignedFiles) -> Iterator[Document]:
    """The documents one by one. Files of different length are an error before the first document would be wrong."""
    if not files.newline:
        files = replace(files, newline=_kept_newline(files.source.parent))
    paths = [files.source, *files.references.values(), *files.outputs.values()]
    if files.documents is not None:
        paths.append(files.documents)
    compressed = files.source.suffix in (".gz", ".zst")
    own_name = files.name or (Path(files.source.stem).stem if compressed else files.source.stem)
    ids: dict[str, int] = {}
    name = domain = ""
    segments: list[Segment] = []
    for number, row in enumerate(zip_longest(*map(textfile.lines, paths))):
        if None in row:
            raise _ragged_error(paths)
        if not number:
            _refuse_markup(paths, row)
        place = _place(files, row[-1], number) if files.documents is not None else ("", own_name, str(number))
        if segments and place[1] != name:
            yield _document(files, name, domain, segments)
            segments = []
        if not segments:
            domain, name = place[0], place[1]
            if name in ids and files.documents is not None:
                what = f"The document {name!r} began on line {ids[name]} and was ended by another one."
                textfile.failed(files.documents, what, number + 1, "Lines of a document must stand together.")
            ids[name] = number + 1
        segments.append(_segment(files, row, place))
    if segments:
        yield _document(files, name, domain, segments)


_MARKUP = re.compile(r"^\s*<(?:\?xml|!doctype|(?:src|ref|tst)set|mteval|html|xliff|tmx|resources)\b", re.I)


def _refuse_markup(paths: Sequence[Path], first_lines: Sequence[str]) -> None:
    """The error where a file of lines is marked up: the marks would be read as texts."""
    for path, line in zip(paths, first_lines, strict=True):
        usual = ("markup", "Save its segments as plain text, one on each line.")
        if kind := textfile.marked(textfile.head(path)) or (usual if _MARKUP.match(line) else None):
            textfile.failed(
                path,
                f"This file holds {kind[0]}, and is no plain text with a segment on each line.",
                1,
                kind[1],
                code="marked_up",
            )


def _place(files: AlignedFiles, line: str, number: int) -> tuple[str, str, str]:
    """Domain, document and segment id of a line."""
    assert files.documents is not None
    parts = [part.strip() for part in (line.split("\t") if "\t" in line else line.split())]
    if not 1 <= len(parts) <= 3 or not all(parts[-2:]):
        textfile.failed(files.documents, "This line does not say DOMAIN and DOCUMENT.", number + 1)
    if len(parts) == 1:
        return "", parts[0], str(number)
    domain = "" if parts[0] == "-" else parts[0]
    return domain, parts[1], parts[2] if len(parts) == 3 else str(number)


def _segment(files: AlignedFiles, row: tuple[str, ...], place: tuple[str, str, str]) -> Segment:
    texts = [line.replace(files.newline, "\n") for line in row] if files.newline else list(row)
    count = len(files.references)
    references = dict(zip(files.references, texts[1:], strict=False))
    outputs = dict(zip(files.outputs, texts[1 + count :], strict=False))
    canary = is_canary(texts[0], place[0], place[1])
    flags = ("canary",) if canary else ()
    return Segment(place[2], texts[0], outputs, references, judged=not canary, flags=flags)


def _document(files: AlignedFiles, name: str, domain: str, segments: list[Segment]) -> Document:
    ids = [segment.id for segment in segments]
    if len(set(ids)) < len(ids):
        twice = next(segment for segment in ids if ids.count(segment) > 1)
        textfile.failed(files.documents or files.source, f"Two segments of {name!r} have the id {twice!r}.")
    return Document(name, tuple(segments), *files.languages, domain=domain)


def _ragged_error(paths: list[Path]) -> InputError:
    """The error for files of different length: both names, both counts, where they part."""
    counts = {path: sum(1 for _ in textfile.lines(path)) for path in paths}
    first = paths[0]
    other = next(path for path in paths if counts[path] != counts[first])
    shorter = min(counts[first], counts[other])
    what = (
        f"{first.name} has {counts[first]} lines, {other.name} has {counts[other]}: line {shorter + 1} has no partner."
    )
    for number, (a, b) in enumerate(zip(textfile.lines(first), textfile.lines(other), strict=False), 1):
        if bool(a.strip()) != bool(b.strip()):
            what += f" They may part earlier: on line {number} only one of them is empty."
            break
    return InputError(
        what,
        where=Where(other, shorter + 1),
        next_step=f"Lines must match those of {first}; look for a lost or an added line break.",
    )
