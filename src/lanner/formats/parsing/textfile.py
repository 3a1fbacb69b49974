"""Text as files hold it: compressed or not, with or without a byte order mark, with either kind of line end.

Reading streams. What is wrong with the bytes becomes an `InputError` that names the line. What is written is whole or
not there at all: a file is either the old one or the new one, and no cell of it runs as a formula in a spreadsheet.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import IO, Any, NoReturn, TextIO, cast

import zstandard

from lanner.errors import InputError, Where, refused_by_system
from lanner.formats.parsing import encodings
from lanner.formats.parsing.encodings import Encoding
from lanner.model import Judge, Judgement

MIB = 1 << 20
LINE_LIMIT = 64 * MIB
"""Longest line or cell: a document of a million sentences fits, a file that is no text does not fill the memory."""
WHOLE_LIMIT = 1024 * MIB
"""Largest file of a format that cannot be streamed."""
EXPANSION_LIMIT = 200
"""How many times larger than its compressed form a file may be, once it is larger than `EXPANSION_FREE`."""
EXPANSION_FREE = 64 * MIB

_GZIP, _ZSTD, _ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
SEVERAL_ENCODINGS = "several_encodings"
"""The code of the error for a file whose bytes are plausible text in several encodings."""
_SAMPLE = MIB
"""So many bytes tell a file's encoding."""


class _ProgressFile(io.FileIO):
    """A file whose bytes are counted as they are read, for a bar that shows how far a long reading is."""

    def __init__(self, path: Path, progress: Callable[[int], None]) -> None:
        super().__init__(path, "rb")
        self._report = progress

    def readinto(self, buffer: Any) -> int:
        size = super().readinto(buffer) or 0
        self._report(size)
        return size

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(-1 if size is None else size) or b""
        self._report(len(data))
        return data


_watcher: ContextVar[Callable[[int], None] | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(progress: Callable[[int], None]) -> Iterator[None]:
    """Within this, `progress` hears of the bytes read from disk, in whatever format."""
    token = _watcher.set(progress)
    try:
        yield
    finally:
        _watcher.reset(token)


@contextmanager
def unwatched() -> Iterator[None]:
    """Within this, nobody hears of the bytes: a look at the beginning is no progress."""
    token = _watcher.set(None)
    try:
        yield
    finally:
        _watcher.reset(token)


def report_progress(size: int) -> None:
    """Tell whoever watches that so many bytes of a file were worked through."""
    if progress := _watcher.get():
        progress(size)


def _raw(path: Path) -> io.FileIO:
    progress = _watcher.get()
    return _ProgressFile(path, progress) if progress else io.FileIO(path, "rb")


class _Expanding(io.RawIOBase):
    """A decompressed stream that stops a small file from becoming an endless one."""

    def __init__(self, path: Path, inner: Any) -> None:
        self._path, self._inner = path, inner
        self._limit = expansion_limit(path)
        self._bytes_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._inner.read(len(buffer))
        self._bytes_read += len(data)
        if self._bytes_read > self._limit:
            raise too_large(self._path, self._limit)
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._inner.close()
        super().close()


class _Gzip(gzip.GzipFile):
    """Unlike the library's own it can be watched, and still closes the file it reads."""

    def __init__(self, path: Path) -> None:
        self._file = io.BufferedReader(_raw(path), MIB)
        super().__init__(fileobj=self._file)

    def close(self) -> None:
        super().close()
        self._file.close()


class _Zstd(io.RawIOBase):
    """Zstandard frames, read in small steps so that memory stays flat; unlike the library's reader it notices an end
    that comes too early."""

    def __init__(self, path: Path) -> None:
        self._file = io.BufferedReader(_raw(path), MIB)
        self._ready, self._rest = memoryview(b""), b""
        self._begin()

    def _begin(self) -> None:
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._inside = False

    def read(self, size: int = -1) -> bytes:
        while not self._ready:
            chunk = self._rest or self._file.read(1024)
            if not chunk:
                if self._inside:
                    raise EOFError
                return b""
            self._ready, self._rest, self._inside = memoryview(self._frame.decompress(chunk)), b"", True
            if self._frame.eof:
                self._rest = self._frame.unused_data
                self._begin()
        data, self._ready = self._ready[:size], self._ready[size:]
        return bytes(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def expansion_limit(path: Path) -> int:
    """How many bytes an archive may unpack to."""
    return max(EXPANSION_FREE, EXPANSION_LIMIT * path.stat().st_size)


def too_large(path: Path, limit: int) -> InputError:
    """The refusal of an archive that unpacks to far more than text does."""
    return InputError(
        f"This file unpacks to more than {limit // MIB} MiB, which no text does.",
        where=Where(path),
        next_step="If it is sound, unpack it yourself and read the unpacked file.",
    )


def failed(
    path: Path,
    what: str,
    line: int | None = None,
    next_step: str = "",
    item: str = "",
    *,
    code: str = "",
    **names: object,
) -> NoReturn:
    """Raise the error for a place in a file. A common one has a `code` and the `names` in it, for translated pages."""
    places = {name: str(value) for name, value in names.items()}
    raise InputError(what, code=code, names=places, where=Where(path, line, item=item or None), next_step=next_step)


def magic(path: Path, size: int = 4) -> bytes:
    """The first bytes, as they lie on disk."""
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError as error:
        raise refused_by_system("The file cannot be read", error, path) from error


def is_zip(path: Path) -> bool:
    """Whether the file is a zip archive by its first bytes."""
    return magic(path) == _ZIP


@contextmanager
def opened(path: Path) -> Iterator[io.BufferedReader]:
    """The bytes of a file, decompressed if its first bytes say that it is compressed."""
    start = magic(path)
    raw: Any
    if start[:2] == _GZIP:
        raw = _Expanding(path, _Gzip(path))
    elif start == _ZSTD:
        raw = _Expanding(path, _Zstd(path))
    else:
        raw = _raw(path)
    try:
        with io.BufferedReader(raw, MIB) as stream:
            yield stream
    except (EOFError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError):
        failed(path, "The compressed file is damaged or cut off.", next_step="Fetch it again; nothing was taken.")


@dataclass(slots=True)
class Decoding:
    """How files are decoded while this is in use: by the encoding that the user names, or each by its own, which is
    kept here to be shown."""

    encoding: str = ""
    encodings: dict[str, Encoding] = field(default_factory=dict)

    def notes(self) -> Iterator[str]:
        """What a reader should know about the encodings that were found."""
        for name, encoding in self.encodings.items():
            yield ReadingNote(
                f"{name} is no UTF-8 and was read as {encoding}.", "If letters look wrong: --encoding NAME."
            )


_ABOUT_HEADINGS = frozenset(
    {"unrecognised", "no_source_column", "no_item_column", "no_answer_column", "no_judge_column", "no_column"}
)
_decoding: ContextVar[Decoding | None] = ContextVar("decoding", default=None)


@contextmanager
def decoding(encoding: str = "") -> Iterator[Decoding]:
    """Within this, files are read in this encoding; without one, each in the encoding its bytes have."""
    if encoding:
        encodings.named(encoding)
    outer = _decoding.get()
    if outer is not None and not encoding:
        yield outer
        return
    current = Decoding(encoding)
    token = _decoding.set(current)
    try:
        yield current
    except InputError as error:
        # what a heading says is lost where its letters are wrong
        if error.code in _ABOUT_HEADINGS and "--encoding" not in error.next_step:
            error.next_step = " ".join([error.next_step, *current.notes()]).strip()
        raise
    finally:
        _decoding.reset(token)


def encoding_of(path: Path, sample: bytes, *, complete: bool) -> Encoding:
    """The encoding to read a file in, found from the bytes at its beginning."""
    current = _decoding.get()
    if current is not None and current.encoding:
        codec = encodings.named(current.encoding)
        # a byte order mark is no text in either case
        return Encoding("utf-8-sig") if codec.name == "utf-8" else codec
    candidates = encodings.candidates(sample, complete=complete)
    if not candidates:
        failed(
            path,
            "The encoding of this file is not known.",
            next_step="Say which it is, for instance --encoding windows-1252, or save the file as UTF-8.",
            code="encoding",
        )
    if len(candidates) > 1:
        readings = [f"{encodings.example(sample, each)} in {each}" for each in candidates[:3]]
        failed(
            path,
            f"Several encodings make plausible letters of this file: {' or '.join(readings)}.",
            next_step=f"Say which is right, for instance --encoding {candidates[-1].name}, or save the file as UTF-8.",
            code=SEVERAL_ENCODINGS,
        )
    return candidates[0]


@contextmanager
def _open_decoded(path: Path) -> Iterator[io.TextIOWrapper]:
    with unwatched(), opened(path) as stream:
        sample = stream.read(_SAMPLE)
    guess = encoding_of(path, sample, complete=len(sample) < _SAMPLE)
    current, encoding = _decoding.get(), guess.name
    if current is not None and not current.encoding and not encoding.startswith("utf-8"):
        current.encodings[path.name] = guess
    with opened(path) as stream:
        try:
            # a file of old Macs has carriage returns alone; elsewhere a lone one is part of a text
            is_old = b"\r" in sample and b"\n" not in sample and not encoding.startswith(("utf-16", "utf-32"))
            yield io.TextIOWrapper(stream, encoding, newline=None if is_old else "\n")
        except UnicodeError:
            undecodable(path, encoding)


def undecodable(path: Path, encoding: str = "utf-8") -> NoReturn:
    """Say which line is not the text it should be."""
    line = None
    if not encoding.startswith(("utf-16", "utf-32")):
        with opened(path) as stream:
            for number, raw in enumerate(stream, 1):
                try:
                    raw.decode(encoding)
                except UnicodeError:
                    line = number
                    break
    failed(
        path,
        f"This is not {encoding.upper().removesuffix('-SIG')} text.",
        line,
        "The file may be damaged here. If it has another encoding, say which: --encoding NAME.",
        code="encoding",
    )


def raw_lines(path: Path) -> Iterator[str]:
    """Lines with their ends, split at line feeds only: other line separators of Unicode are text."""
    with _open_decoded(path) as text:
        number = 0
        while line := text.readline(LINE_LIMIT):
            number += 1
            if len(line) == LINE_LIMIT:
                failed(path, f"This line is longer than {LINE_LIMIT} characters.", number)
            yield line


def lines(path: Path) -> Iterator[str]:
    """Lines without their ends. Whether a carriage return belongs to the end is settled by the first line, so one
    that stands in the text of another line stays."""
    end = ""
    for number, line in enumerate(raw_lines(path)):
        if number == 0:
            end = "\r\n" if line.endswith("\r\n") else "\n"
        if line.endswith(end):
            yield line[: -len(end)]
        else:
            yield line.removesuffix("\n")


def whole(path: Path) -> str:
    """The text of a file that is read in one piece, line ends as they are."""
    with _open_decoded(path) as text:
        content = text.read(WHOLE_LIMIT)
        if len(content) == WHOLE_LIMIT:
            failed(path, f"The file is larger than {WHOLE_LIMIT // MIB} MiB and its format cannot be streamed.")
        return content


def head(path: Path, size: int = 64 * 1024) -> str:
    """The beginning of a text file for recognising it; empty for a folder and for what is not text.
    Text that several encodings may have is an error."""
    if not path.is_file():
        return ""
    with unwatched(), opened(path) as stream:
        start = stream.read(size)
    try:
        encoding = encoding_of(path, start, complete=len(start) < size)
    except InputError as error:
        if error.code == SEVERAL_ENCODINGS:
            raise  # nothing can be said about its content before the user has chosen one
        return ""
    text = start.decode(encoding.name, errors="ignore")
    return "" if "\0" in text else text


def rows(path: Path, delimiter: str = ",", quoted: bool = True) -> Iterator[tuple[int, list[str]]]:
    """Rows of a delimited file with the number of the line on which each begins; blank lines are left out."""
    csv.field_size_limit(LINE_LIMIT)
    reader = csv.reader(
        raw_lines(path), delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE, strict=True
    )
    begin = 1
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            failed(path, f"This row is not well formed: {error}.", begin, "Check its quotation marks.")
        if row:
            yield begin, row
        begin = reader.line_num + 1


# Text files that are no sentences: their marks, keys and times would be read as texts

_STRINGS = (
    "Export the strings as XLIFF, TMX, PO or a table (columns key, source, target) from the tool that keeps them, or "
    "copy them into such a table."
)
_SUBTITLES = "Save what is said as plain text, one subtitle a line, or as a table with a column for each language."
_MARKED: tuple[tuple[str, str, str], ...] = (
    (r"WEBVTT\b", "subtitles (WebVTT)", _SUBTITLES),
    (r"\d+\s*\n\d{1,2}:\d\d:\d\d[,.]\d{1,3}\s*-->", "subtitles (SubRip, SRT)", _SUBTITLES),
    (r"<resources\b|<\?xml[^>]*>\s*(?><!--.*?-->\s*+)*+<resources\b", "strings of Android", _STRINGS),
    (r"(?:<\?xml[^>]*>\s*)?<root\b.*?<data\s+name=", "strings of .NET (resx)", _STRINGS),
    (r"(?:---\s*)?(?:#[^\n]*\n\s*)*[\w-]+:[ \t]*\n[ \t]+[\w.-]+:(?:\s|$)", "strings by keys (YAML)", _STRINGS),
    (r"(?>(?:/\*.*?\*/|//[^\n]*+)\s*+)*+\"[^\"\n]+\"\s*=\s*\"", "strings of Apple (.strings)", _STRINGS),
)
_PROPERTY = re.compile(r"^[A-Za-z_][\w.\-\[\]/]*+\s*+=.*")
_FEWEST_KEYS = 2


def marked(text: str) -> tuple[str, str] | None:
    """What the beginning of a text file is where it is no plain text, and what to do with it; None for sentences."""
    start = text.lstrip("\ufeff \r\n\t")
    for pattern, kind, next_step in _MARKED:
        if re.match(pattern, start, re.S | re.I):
            return kind, next_step
    if re.match(r"\{\s*\"[^\"\n]*\"\s*:", start):
        return "JSON", _STRINGS
    lines = [line for line in start.splitlines()[:200] if line.strip() and not line.startswith(("#", "!"))]
    are_keyed = len(lines) >= _FEWEST_KEYS and all(map(_PROPERTY.fullmatch, lines))
    return ("strings by keys (properties)", _STRINGS) if are_keyed else None


def records(path: Path, columns: Sequence[str] = ()) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows below the header with their line numbers, by the names of the columns, which must have these."""
    table = rows(path)
    _, header = next(table, (1, []))
    if lacking := [name for name in columns if name not in header]:
        failed(path, f"There is no column {lacking[0]!r}.", 1)
    for line, row in table:
        if len(row) != len(header):
            failed(path, f"This row has {len(row)} cells, the header has {len(header)}.", line)
        yield line, dict(zip(header, row, strict=True))


def parse_json(text: str, path: Path, line: int | None = None) -> Any:
    """JSON with NaN read as null; half a surrogate pair is refused, since no file could hold it again."""
    try:
        value = json.loads(text, parse_constant=_constant)
        if "\\ud" in text or "\\uD" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeError:
        failed(path, "A text holds half of a surrogate pair.", line, "Write the character whole, or as UTF-8.")
    except RecursionError:
        failed(path, "The JSON is nested too deeply.", line)
    except ValueError as error:
        at = error.lineno if isinstance(error, json.JSONDecodeError) and line is None else line
        why = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        failed(path, f"This is not JSON: {why}.", at)
    return value


def _constant(name: str) -> None:
    if name != "NaN":
        raise ValueError(f"{name} is not a number that JSON can hold")


def json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """The values of a file with one JSON value a line, with line numbers; blank lines are left out."""
    for number, line in enumerate(raw_lines(path), 1):
        if not line.isspace():
            yield number, parse_json(line, path, number)


def json_whole(path: Path) -> Any:
    """The value of a JSON file."""
    return parse_json(whole(path), path)


# Zip archives, unpacked into a folder of their own that is gone afterwards, within limits.


MEMBER_LIMIT = 100_000
_OFFICE = "[Content_Types].xml"


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """The path to read: for a zip its single file or its folder, unpacked for as long as it is used, else the path; a
    folder that holds nothing but another folder stands for that one.

    Spreadsheets are zips too and stay as they are. Errors inside name the archive and the member.
    """
    if path.is_dir():
        yield _innermost(path)
        return
    if not path.is_file() or not is_zip(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="lanner-") as folder:
        root = Path(folder) / path.stem
        if not _unpack(path, root):
            yield path
            return
        try:
            yield _single(root)
        except InputError as error:
            inside = error.where.file
            if inside is None or not Path(inside).is_relative_to(root):
                raise
            member = f"{path}/{Path(inside).relative_to(root).as_posix()}"
            error.where = Where(member, error.where.line, error.where.column, error.where.item)
            raise


def _innermost(folder: Path) -> Path:
    """Down through folders whose only entry is a folder. What cannot be listed is left to whoever reads it."""
    try:
        inside = content(folder)
        while len(inside) == 1 and inside[0].is_dir():
            folder = inside[0]
            inside = content(folder)
    except OSError:
        pass
    return folder


def _single(root: Path) -> Path:
    """Down through folders that hold nothing but one entry."""
    entries = content(root)
    while len(entries) == 1:
        root = entries[0]
        entries = content(root) if root.is_dir() else []
    return root


def content(folder: Path) -> list[Path]:
    """What a folder holds, without what is hidden and without the codebook that lies beside an export."""
    return [e for e in folder.iterdir() if not e.name.startswith(".") and not e.name.endswith(".codebook.csv")]


def _unpack(path: Path, root: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [m for m in archive.infolist() if not m.is_dir() and not _is_litter(m.filename)]
            if any(m.filename == _OFFICE for m in members) or _is_open_document(archive):
                return False
            if len(members) > MEMBER_LIMIT:
                failed(path, f"The archive holds more than {MEMBER_LIMIT} files.")
            if not members:
                failed(path, "The archive is empty.")
            if twice := _first_repeated(m.filename for m in members):
                step = "Unpack it yourself, and give the files names of their own."
                failed(path, f"The archive holds two files called {twice!r}.", next_step=step)
            limit = expansion_limit(path)
            for member in members:
                with archive.open(member) as stream:
                    limit -= _copy(path, stream, _target(path, root, member.filename), limit)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        failed(path, f"The archive cannot be unpacked: {error}.", next_step="Unpack it yourself.")
    return True


def _is_open_document(archive: zipfile.ZipFile) -> bool:
    """Whether this is a spreadsheet or a text of OpenDocument, which says so in its first file."""
    if "mimetype" not in archive.namelist():
        return False
    with archive.open("mimetype") as stream:
        return stream.read(100).startswith(b"application/vnd.oasis.opendocument.")


def _first_repeated(names: Iterable[str]) -> str:
    """The first name that comes twice, as a file system would see it; "" if none does."""
    keys: set[str] = set()
    for name in names:
        key = str(PurePosixPath(name.replace("\\", "/"))).casefold()
        if key in keys:
            return name
        keys.add(key)
    return ""


def _is_litter(name: str) -> bool:
    """What file managers add to archives."""
    parts = PurePosixPath(name).parts
    return "__MACOSX" in parts or parts[-1:] in [(".DS_Store",), ("Thumbs.db",)]


def _target(path: Path, root: Path, name: str) -> Path:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or parts[0] == "/" or ".." in parts or ":" in parts[0]:
        failed(path, f"The archive holds a file that would lie outside its folder: {name!r}.")
    target = root.joinpath(*parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _copy(path: Path, stream: IO[bytes], target: Path, limit: int) -> int:
    size = 0
    with target.open("wb") as out:
        while chunk := stream.read(MIB):
            size += len(chunk)
            if size > limit:
                raise too_large(path, limit)
            out.write(chunk)
    return size


# The first element of XML

ROOT_ELEMENT = re.compile(r"<([A-Za-z_][\w.-]{0,200}:)?([A-Za-z_][\w.-]{0,200})[\s/>]")


def root_name(path: Path) -> str:
    """The name of the first element, without its prefix; empty for what is no XML."""
    return _root_name(head(path).lstrip("\ufeff \r\n\t"))


def _root_name(text: str) -> str:
    """Past comments, instructions and the document type, in one go through the text."""
    at = 0
    while text.startswith("<", at):
        if text.startswith("<!--", at):
            end, width = text.find("-->", at + 4), 3
        elif text.startswith("<?", at):
            end, width = text.find("?>", at + 2), 2
        elif text.startswith("<!", at):
            bracket, end, width = text.find("[", at), text.find(">", at), 1
            if -1 < bracket < end:
                end = text.find(">", text.find("]", bracket))
        else:
            hit = ROOT_ELEMENT.match(text, at)
            return hit[2] if hit else ""
        if end < 0:
            return ""
        at = end + width
        while at < len(text) and text[at].isspace():
            at += 1
    return ""


# Notes of readers


class ReadingNote(str):
    """A note as one line. `fact` is what was noticed; `advice` names options of the command line, so a page shows the
    fact alone; `about` says what it is about where that matters ("columns", "languages", "answers")."""

    fact: str
    advice: str
    about: str

    def __new__(cls, fact: str, advice: str = "", *, about: str = "") -> ReadingNote:
        note = super().__new__(cls, f"{fact} {advice}" if advice else fact)
        note.fact, note.advice, note.about = fact, advice, about
        return note


def note_about(note: str, about: str) -> ReadingNote:
    """The same note with what it is about."""
    return (
        ReadingNote(note.fact, note.advice, about=about)
        if isinstance(note, ReadingNote)
        else ReadingNote(note, about=about)
    )


def fact_of(note: str) -> str:
    """What a note says without advice about options."""
    return note.fact if isinstance(note, ReadingNote) else note


def subject_of(note: str) -> str:
    """What a note is about, as a code; "" where nobody said."""
    return note.about if isinstance(note, ReadingNote) else ""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path beside the wanted one to write a file or folder to; it takes its place when all went well."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        holder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
    except OSError as error:
        raise refused_by_system("Nothing can be written here", error, path) from error
    temporary = holder / path.name
    try:
        yield temporary
        if temporary.is_dir() and path.is_dir():
            if any(path.iterdir()):
                raise InputError(
                    "This folder is not empty.", where=Where(path), next_step="Choose another, or empty it."
                )
            path.rmdir()
        temporary.replace(path)
    except InputError as error:
        if isinstance(error.where.file, Path) and error.where.file.is_relative_to(temporary):
            error.where = replace(error.where, file=path / error.where.file.relative_to(temporary))
        raise
    except OSError as error:
        raise refused_by_system("It cannot be written", error, path) from error
    finally:
        shutil.rmtree(holder, ignore_errors=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that it appears whole or not at all; text as UTF-8."""
    with replacing(path) as temporary:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def text_file(path: Path) -> Iterator[TextIO]:
    """A UTF-8 file to write text to, compressed if its name ends in .gz or .zst; line ends are written as given."""
    with replacing(path) as temporary, temporary.open("wb") as file:
        stream = _open_packed(path, file)
        text = io.TextIOWrapper(stream, "utf-8", newline="", write_through=False)
        try:
            yield text
        except UnicodeEncodeError as error:
            raise InputError("A text holds half of a surrogate pair.", where=Where(path)) from error
        text.flush()
        if stream is not file:
            stream.close()
        file.flush()
        os.fsync(file.fileno())


def _open_packed(path: Path, file: IO[bytes]) -> IO[bytes]:
    match path.suffix:
        case ".gz":
            # no time stamp and no name, so that the same text gives the same bytes
            return cast(IO[bytes], gzip.GzipFile("", "wb", fileobj=file, mtime=0))
        case ".zst":
            return cast(IO[bytes], zstandard.ZstdCompressor().stream_writer(file, closefd=False))
        case _:
            return file


def refuse_answers(path: Path, what: str, judgements: Iterable[Judgement], judges: Iterable[Judge]) -> None:
    """For a format that holds texts alone: nothing is dropped silently."""
    if any(True for _ in judgements) or any(True for _ in judges):
        step = "Write the texts alone (lanner export … --texts), or all of it as native."
        raise InputError(what, where=Where(path), next_step=step)


def some_judgements(path: Path, judgements: Iterable[Judgement]) -> list[Judgement]:
    """What a format of judgements alone is asked to write, which must not be nothing."""
    if answers := list(judgements):
        return answers
    raise InputError(
        "This format holds judgements alone, and there are none to write.",
        where=Where(path),
        next_step="For the texts choose another format, such as --to native or --to table.",
    )


# Cells of tables that people open in spreadsheet programs, which run some texts as formulas.
# Such a text is given an apostrophe in front, and so is a text that already has apostrophes there. Taking one off again
# therefore gives exactly the text that was there.


_RUNS = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_KEPT = re.compile(r"'+[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


def guarded(text: str) -> str:
    """The text as a spreadsheet does not run it. Numbers stay numbers."""
    return f"'{text}" if _RUNS.match(text) and not _NUMBER.fullmatch(text) else text


def bare(text: str) -> str:
    """The text that was guarded."""
    return text[1:] if _KEPT.match(text) else text
