"""What was uploaded and waits: texts that become a campaign, answers that go into one. It lies on disk and is forgotten
when the server stops."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from starlette.exceptions import HTTPException

from lanner import formats
from lanner.errors import InputError, LannerError, Where
from lanner.formats import JUDGEMENTS, fact_of, subject_of
from lanner.model import Document, languages
from lanner.model.messages import shorten
from lanner.web.speech import say

_MOST_UPLOADS = 50


@dataclass(frozen=True, slots=True)
class Upload:
    """Texts that wait to become a campaign: whose they are, where they lie, what is in them. `table` is the upload of
    the table they were read from, where its columns can still be chosen anew."""

    account: int
    path: Path
    texts: UploadedTexts
    table: str = ""


@dataclass(slots=True)
class TableUpload:
    """A table as it was sent, kept until the campaign is made, with how it was read last (the `TablePreview` of the
    module that reads tables), in which language of the page, and where its texts lie."""

    account: int
    path: Path
    texts_path: Path
    preview: Any
    language: str


@dataclass(frozen=True, slots=True)
class UploadedAnswers:
    """A file of answers that was looked at and waits to be taken into a campaign."""

    account: int
    path: Path
    campaign: int
    model: str


Kind = TypeVar("Kind", Upload, TableUpload, UploadedAnswers)


class Uploads:
    """Texts taken in by this server since it was started; the oldest go first."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._uploads: dict[str, Upload | TableUpload | UploadedAnswers] = {}

    def place(self) -> Path:
        """A path for something new."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="lanner-uploads-"))
        return self._folder / secrets.token_urlsafe(12)

    def keep(self, upload: Upload | TableUpload | UploadedAnswers) -> str:
        """Keep something that has arrived; the token by which it is found again."""
        token = secrets.token_urlsafe(12)
        self._uploads[token] = upload
        while len(self._uploads) > _MOST_UPLOADS:
            oldest = self._uploads.pop(next(iter(self._uploads)))
            oldest.path.unlink(missing_ok=True)
            if isinstance(oldest, TableUpload):
                oldest.texts_path.unlink(missing_ok=True)
        return token

    def find(self, kind: type[Kind], token: str, account: int) -> Kind:
        """A file that this account has sent; those of others do not exist for it."""
        upload = self._uploads.get(token)
        if not isinstance(upload, kind) or upload.account != account or not upload.path.is_file():
            raise HTTPException(404)
        return upload

    def close(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)


def safe_name(name: str | None) -> str:
    """A name that is safe for a file of ours: its last part, not hidden."""
    return Path(name or "").name.replace("\\", "_").lstrip(".") or "texts"


def without_folders(error: LannerError) -> InputError:
    """The error with the file's own name in place of the path where it was kept."""
    place = error.where
    where = Where(Path(str(place.file)).name, place.line, place.column, place.item) if place.file else place
    return InputError(error.what, code=error.code, names=error.names, where=where, next_step=error.next_step)


_ROWS, _LETTERS = 6, 240
_SHOWN_BY_ITSELF = ("columns", "languages", JUDGEMENTS)
"""What notes of a reader are about that the page shows by itself, or that does not matter for texts."""
_TABLES = {".csv", ".tsv", ".jsonl", ".ndjson", ".xlsx", ".parquet"}


@dataclass(frozen=True, slots=True)
class UploadedTexts:
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
    guessed: tuple[bool, bool] = (False, False)
    """Whether the languages, source and target, are those that were guessed."""


def take_in(
    path: str,
    name: str,
    options: Mapping[str, str],
    folder: str,
    format_name: str = "",
    *,
    guesses: tuple[str, str] = (languages.UNDETERMINED, languages.UNDETERMINED),
) -> UploadedTexts:
    """Read a file or archive and keep its documents as our own JSON lines. A mistake in it is raised with its line;
    nothing is kept then. `options` are the format's, such as which column holds what; `guesses` the languages to take
    where no document names one."""
    source = Path(path)
    format_name = format_name or _format(source)
    option_names, always = formats.options(format_name), {"languages", "encoding"}
    readings = formats.read_texts(
        source,
        format_name,
        **{key: value for key, value in options.items() if value and key in always | set(option_names)},
    )
    documents = [document for reading in readings for document in reading.documents]
    notes = tuple(
        dict.fromkeys(
            fact_of(note) for reading in readings for note in reading.notes if subject_of(note) not in _SHOWN_BY_ITSELF
        )
    )
    judgements = sum(len(reading.judgements) for reading in readings)
    if not documents:
        raise InputError(say("There are no texts in it."), next_step=say("Choose another file."))
    sides = zip(*((document.source_language, document.target_language) for document in documents), strict=True)
    taken = [code if set(codes) == {languages.UNDETERMINED} else "" for code, codes in zip(guesses, sides, strict=True)]
    if any(taken):
        pair = ":".join(code or languages.UNDETERMINED for code in taken)
        documents = [formats.with_pair(document, pair) for document in documents]
    formats.write("native", folder, documents)
    texts = summarise(documents, name, formats.titles().get(format_name, format_name), notes, judgements)
    return replace(texts, guessed=(bool(taken[0]), bool(taken[1])))


def _format(path: Path) -> str:
    """The format by its content; a broken table is still read as one, so that the mistake is named with its line."""
    try:
        return formats.recognise(path)
    except InputError as error:
        if path.is_file() and path.suffix.lower() in _TABLES:
            return "table"
        error.code = "unrecognised"
        raise


def demo(folder: str) -> UploadedTexts:
    """The texts that come with Lanner."""
    with resources.as_file(resources.files("lanner.corpus") / "demo.jsonl") as path:
        documents = list(formats.read_documents(path, "native"))
    formats.write("native", folder, documents)
    return summarise(documents, "demo", say("Lanner’s demonstration texts"))


def summarise(
    documents: Sequence[Document], name: str, kind: str, notes: tuple[str, ...] = (), judgements: int = 0
) -> UploadedTexts:
    """The texts in a few numbers, with the beginning of the first."""
    systems = Counter(system for document in documents for system in document.systems)
    pairs = Counter(_pair(document) for document in documents)
    domains = Counter(document.domain or say("no domain") for document in documents)
    first = documents[0]
    first_systems = first.systems[:3]
    rows = [
        (
            segment.id,
            shorten(segment.source, _LETTERS),
            tuple(shorten(segment.outputs.get(system) or "", _LETTERS) for system in first_systems),
        )
        for segment in first.segments[:_ROWS]
    ]
    return UploadedTexts(
        name=name,
        format=kind,
        documents=len(documents),
        sentences=sum(len(document.segments) for document in documents),
        systems=tuple(systems.items()),
        pairs=tuple(pairs.most_common()),
        domains=tuple(domains.most_common()),
        notes=notes,
        title=first.title or first.id,
        shown=tuple(first_systems),
        rows=tuple(rows),
        judgements=judgements,
        unknown_languages=any(
            languages.UNDETERMINED in (document.source_language, document.target_language) for document in documents
        ),
    )


def _pair(document: Document) -> str:
    return f"{languages.name(document.source_language)} to {languages.name(document.target_language)}"
