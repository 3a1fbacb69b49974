"""Documents as text files with one segment a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lanner.errors import InputError, Where
from lanner.formats._writing import text_file
from lanner.model import Document, Segment

_MARK = "\ufeff"  # byte order mark


@dataclass(frozen=True, slots=True)
class Texts:
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


def write_lines(path: Path, documents: Sequence[Document], texts: Texts) -> None:
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


def _line(text: str | None, texts: Texts, where: Where) -> str:
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
