"""Texts on their way into a campaign: read in any known format, kept as our own, and described for a look at them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from lanner import formats
from lanner.errors import InputError
from lanner.model import Document, languages
from lanner.web.page.speech import say

_ROWS, _LETTERS = 6, 240
_TABLES = {".csv", ".tsv", ".jsonl", ".ndjson", ".xlsx", ".parquet"}


@dataclass(frozen=True, slots=True)
class Texts:
    """What was found: enough to choose a protocol and a design by, and to see that it was read rightly."""

    name: str
    format: str
    documents: int
    sentences: int
    systems: tuple[tuple[str, int], ...]
    pairs: tuple[tuple[str, int], ...]
    domains: tuple[tuple[str, int], ...]
    notes: tuple[str, ...]
    title: str
    shown: tuple[str, ...]
    rows: tuple[tuple[str, str, tuple[str, ...]], ...]
    judgements: int = 0
    unknown_languages: bool = False


def take_in(path: str, name: str, given: Mapping[str, str], kept: str) -> Texts:
    """Read a file or archive and keep its documents as our own JSON lines. A mistake in it is raised with its line;
    nothing is kept then. `given` are the format's options, such as which column holds what."""
    source = Path(path)
    found = _format(source)
    known = formats.options(found)
    readings = formats.read(source, found, **{key: value for key, value in given.items() if value and key in known})
    documents = [document for reading in readings for document in reading.documents]
    notes = tuple(dict.fromkeys(_on_a_page(note) for reading in readings for note in reading.notes if _concerns(note)))
    judgements = sum(len(reading.judgements) for reading in readings)
    if not documents:
        raise InputError(say("There are no texts in it."), next_step=say("Choose another file."))
    formats.write("native", kept, documents)
    return described(documents, name, formats.titles().get(found, found), notes, judgements)


def _concerns(note: str) -> bool:
    """Whether a note of the reader belongs on the page, which says of unknown languages itself what to do."""
    return "--option languages" not in note


def _on_a_page(note: str) -> str:
    """A note of the reader, with the field of the page in the place of the command line's option."""
    return note.replace("--option columns=", "under “Other column names” ").replace(
        "(columns=", "(under “Other column names” "
    )


def _format(path: Path) -> str:
    """The format by its content; a broken table is still read as one, so that the mistake is named with its line."""
    try:
        return formats.recognise(path)
    except InputError as error:
        if path.is_file() and path.suffix.lower() in _TABLES:
            return "table"
        error.code = "unrecognised"
        raise


def demo(kept: str) -> Texts:
    """The texts that come with Lanner."""
    with resources.as_file(resources.files("lanner.corpus") / "demo.jsonl") as path:
        documents = list(formats.read_documents(path, "native"))
    formats.write("native", kept, documents)
    return described(documents, "demo", say("Lanner’s demonstration texts"))


def described(
    documents: Sequence[Document], name: str, kind: str, notes: tuple[str, ...] = (), judgements: int = 0
) -> Texts:
    """The texts in a few numbers, with the beginning of the first."""
    systems = Counter(system for document in documents for system in document.systems)
    pairs = Counter(_pair(document) for document in documents)
    domains = Counter(document.domain or say("no domain") for document in documents)
    first = documents[0]
    shown = first.systems[:3]
    rows = [
        (segment.id, segment.source[:_LETTERS], tuple((segment.outputs.get(s) or "")[:_LETTERS] for s in shown))
        for segment in first.segments[:_ROWS]
    ]
    return Texts(
        name=name,
        format=kind,
        documents=len(documents),
        sentences=sum(len(document.segments) for document in documents),
        systems=tuple(systems.items()),
        pairs=tuple(pairs.most_common()),
        domains=tuple(domains.most_common()),
        notes=notes,
        title=first.title or first.id,
        shown=tuple(shown),
        rows=tuple(rows),
        judgements=judgements,
        unknown_languages=any(
            languages.UNDETERMINED in (document.source_language, document.target_language) for document in documents
        ),
    )


def _pair(document: Document) -> str:
    return f"{languages.name(document.source_language)} to {languages.name(document.target_language)}"
