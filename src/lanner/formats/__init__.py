"""Files in and out. A `Format` is one file of this folder, or what another package names under the entry point
`lanner.formats`. The format of a file is found from its content."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import normalize

from lanner import registry
from lanner.errors import InputError, LannerError, Where, did_you_mean, missing_file, refused_by_system
from lanner.formats import parallel
from lanner.formats.parsing import textfile
from lanner.formats.parsing.readings import (
    ANSWERS,
    JUDGEMENTS,
    Format,
    Reading,
    ScatteredRowsError,
    TextStream,
    bar_in_name,
    read_each,
)
from lanner.formats.parsing.records import model_reply
from lanner.formats.parsing.textfile import ReadingNote, fact_of, subject_of, unpacked, watched
from lanner.formats.parsing.values import KEEP_CODES
from lanner.model import Document, Judge, Judgement
from lanner.model import languages as language_codes

__all__ = [
    "JUDGEMENTS",
    "Format",
    "Reading",
    "ScatteredRowsError",
    "TextStream",
    "all_formats",
    "contradicts_pair",
    "fact_of",
    "guess",
    "load",
    "options",
    "read",
    "read_documents",
    "read_judged",
    "read_texts",
    "recognise",
    "subject_of",
    "texts",
    "titles",
    "watched",
    "with_pair",
    "write",
]

GROUP = "formats"
PathOrPaths = str | Path | Sequence[str | Path]
"""A file or folder, or several files that are read together."""


@cache
def load(name: str) -> Format:
    """The format of this name, found once: a file is shown to every format that may know it."""
    return Format.of(name.replace("-", "_"), registry.plugin(GROUP, name))


def all_formats() -> dict[str, Format]:
    """Every format by name, ours and those of installed packages."""
    return {name: load(name) for name in registry.names(GROUP)}


def titles(*, writable: bool = False) -> dict[str, str]:
    """Every format's name and title; only those that can be written if asked."""
    return {name: each.title for name, each in all_formats().items() if each.write is not None or not writable}


def options(format: str) -> Mapping[str, str]:  # noqa: A002 - the word the command line uses
    """The options that reading or writing a format takes, each with what it means."""
    return dict(load(format).options)


def recognise(path: PathOrPaths, *, encoding: str = "", languages: str = "", **options: Any) -> str:
    """The name of the format of a file or folder, found from its content; options may say more than the content,
    `languages` do not. Several files of plain text are `parallel` ones, several of one format have that format."""
    del languages
    paths = _existing(path)
    with textfile.decoding(encoding):
        if len(paths) > 1:
            names = {_name_of(each) for each in paths}
            return names.pop() if len(names) == 1 else "folder"
        with _open_path(paths[0]) as inner:
            return _recognise(inner, options)


def read(
    path: PathOrPaths,
    format: str | None = None,  # noqa: A002 - the word the command line uses
    *,
    encoding: str = "",
    languages: str = "",
    **options: Any,
) -> list[Reading]:
    """Everything in a file or folder, or in several files. Either all of it is returned or an error; never a part.

    `encoding` and `languages` (such as `en-ko`) hold for any format; the other options are those of the format."""
    paths = _existing(path)
    with textfile.decoding(encoding) as decoding:
        if len(paths) > 1 and _are_parallel(paths, format):
            readings = list(parallel.read_files(paths, languages=languages, **options))
        else:
            readings = read_each(paths, lambda each, judge: _read_path(each, format, languages, options, judge))
            readings = _of_pair(readings, languages, paths[0])
        for part in readings:
            _check_names(part, paths[0])
        return _with_notes([_with_empty_outputs(part) for part in readings], decoding.notes())


def _check_names(reading: Reading, path: Path) -> None:
    """Refuse a system with | in its name where it was judged: the tables of answers have it between two systems that
    are compared, so that its scores would count for nobody. Refuse two ids that nobody can tell apart by sight."""
    names = dict.fromkeys(name for judgement in reading.judgements for name in judgement.systems)
    if bad := next((name for name in names if "|" in name), ""):
        raise bar_in_name(bad, Where(path))
    texts, answers = reading.documents, reading.judgements
    _refuse_look_alikes("judge", {*(j.id for j in reading.judges), *(j.judge for j in answers)}, path)
    _refuse_look_alikes("document", {*(d.id for d in texts), *(j.document for j in answers)}, path)
    _refuse_look_alikes("system", {*names, *(name for document in texts for name in document.systems)}, path)


def _refuse_look_alikes(what: str, ids: Iterable[str], path: Path) -> None:
    """Refuse ids that differ in their code points alone: é is one, or an e and its accent, and two judges would be
    compared who are one."""
    by_form: dict[str, str] = {}
    for name in ids:
        if not name.isascii() and by_form.setdefault(normalize("NFC", name), name) != name:
            raise InputError(
                f"The {what} {name!r} is written in two ways that look the same: letters with their accents as one "
                "code point, and as two.",
                code="look_alikes",
                where=Where(path),
                next_step="Write it one way, for instance in the normal form NFC.",
            )


def _with_empty_outputs(reading: Reading) -> Reading:
    notes = list[str]()
    for _ in _counting_empty(reading.documents, notes):
        pass
    return replace(reading, notes=(*reading.notes, *notes)) if notes else reading


def _empty_outputs(document: Document) -> list[str]:
    """Where outputs are that nobody will be asked about, although other segments of the document have one of that
    system. Those that a reader flagged have a note of its own."""
    systems = document.systems
    segments = [s for s in document if s.judged and s.source.strip() and "no_target" not in s.flags]
    return [
        f"document {document.id}, segment {segment.id}, system {name}"
        for segment in segments
        for name in systems
        if not segment.is_judgeable(name)
    ]


def _counting_empty(documents: Iterable[Document], notes: list[str]) -> Iterator[Document]:
    """The documents one by one; at the end the notes say how many outputs were empty, and where the first is."""
    count, first = 0, ""
    for document in documents:
        places = _empty_outputs(document)
        count, first = count + len(places), first or "".join(places[:1])
        yield document
    if count == 1:
        notes.append(f"1 output is empty or missing ({first}); nobody is asked about it.")
    elif count:
        notes.append(f"{count} outputs are empty or missing (the first: {first}); nobody is asked about them.")


def read_texts(path: PathOrPaths, format: str | None = None, **options: Any) -> list[Reading]:  # noqa: A002
    """`read` for those who take the texts alone: that a number may be a code for a missing answer does not matter."""
    name = format or recognise(path, **options)
    if "missing" in load(name).options:
        options = {"missing": KEEP_CODES, **options}
    return read(path, format, **options)


_JUDGE_FIRST = "Judge them first (lanner new … --texts), or write them in another format (lanner export … --texts)."


def read_judged(path: PathOrPaths, format: str | None = None, **options: Any) -> list[Reading]:  # noqa: A002
    """What was judged in a file or folder, or in several files. A table without judges is read as one judge's, unless
    its rows are several judges'."""
    parts = read(path, format, **options)
    readings = [reading for reading in parts if reading.judgements]
    where = Where(path if isinstance(path, str | Path) else None)
    doubts = [note for part in parts for note in part.notes if isinstance(note, ReadingNote) and note.about == ANSWERS]
    if not readings and doubts:
        raise InputError(
            doubts[0].fact, code="no_judgements_found", where=where, next_step=doubts[0].advice or _JUDGE_FIRST
        )
    if not readings and not options.get("judge") and "judge" in load(format or recognise(path)).options:
        readings = [reading for reading in read(path, format, judge="judge", **options) if reading.judgements]
    if not readings:
        raise InputError(
            "There are no judgements in it, only texts.", where=where, next_step=_JUDGE_FIRST, code="only_texts"
        )
    return readings


def _read_path(
    path: Path,
    format: str | None,  # noqa: A002
    languages: str,
    options: Mapping[str, Any],
    judge: str = "",
) -> list[Reading]:
    """What one path holds, as the answers of this judge where the format can say whose they are."""
    with _open_path(path) as inner:
        reader, read_all = _reader(format, inner, options)
        if judge and "judge" in reader.options and not options.get("judge"):
            options = {**options, "judge": judge}
        return list(read_all(inner, **_with_languages(reader, languages, options)))


def _with_notes(readings: list[Reading], notes: Iterable[str]) -> list[Reading]:
    """The readings, the first of them with these notes before its own."""
    if not readings:
        return readings
    first = readings[0]
    return [replace(first, notes=tuple(dict.fromkeys((*notes, *first.notes)))), *readings[1:]]


def read_documents(
    path: PathOrPaths,
    format: str | None = None,  # noqa: A002
    *,
    encoding: str = "",
    languages: str = "",
    **reader_options: Any,
) -> Iterator[Document]:
    """The documents alone, one at a time, so that a file may be larger than memory."""
    paths = _existing(path)
    if len(paths) > 1:
        for part in read(path, format, encoding=encoding, languages=languages, **reader_options):
            yield from part.documents
        return
    with textfile.decoding(encoding), _open_path(paths[0]) as inner:
        reader, read_all = _reader(format, inner, reader_options)
        options = _with_languages(reader, languages, reader_options)
        if reader.read_documents is not None:
            documents = reader.read_documents(inner, **options)
            yield from _stream_of_pair(documents, languages, paths[0], []) if languages else documents
        else:
            for part in _of_pair(list(read_all(inner, **options)), languages, paths[0]):
                yield from part.documents


@contextmanager
def texts(
    path: PathOrPaths,
    format: str | None = None,  # noqa: A002
    *,
    encoding: str = "",
    languages: str = "",
    **options: Any,
) -> Iterator[TextStream | None]:
    """A file that holds texts alone, one document at a time; None where judgements may be in it, or where the format
    is read as a whole."""
    paths = _existing(path)
    if len(paths) > 1:
        yield None
        return
    with textfile.decoding(encoding) as decoding, _open_path(paths[0]) as inner:
        reader, _ = _reader(format, inner, options)
        if reader.texts is None or (languages and "languages" not in reader.options):
            yield None
            return
        stream = reader.texts(inner, **_with_languages(reader, languages, options))
        if stream is not None and languages:
            stream.documents = _stream_of_pair(stream.documents, languages, paths[0], stream.notes)
        if stream is not None:
            stream.notes[:0] = decoding.notes()
            stream.documents = _counting_empty(stream.documents, stream.notes)
        yield stream


def guess(
    path: PathOrPaths,
    format: str,  # noqa: A002
    *,
    encoding: str = "",
    languages: str = "",
    **reader_options: Any,
) -> str:
    """What reading a file would guess, in a sentence; "" if nothing is guessed."""
    paths = _existing(path)
    if len(paths) > 1 and _are_parallel(paths, format):
        return parallel.guess_files(paths)
    with textfile.decoding(encoding), _open_path(paths[0]) as inner:
        reader, _ = _reader(format if len(paths) == 1 else None, inner, reader_options)
        options = _with_languages(reader, languages, reader_options)
        return reader.guess(inner, **options) if reader.guess is not None else ""


def _name_of(path: Path) -> str:
    """The format of one of several files; plain text belongs with other plain text."""
    with _open_path(path) as inner:
        names = fitting(inner, all_formats().values())
    return names[0] if len(names) == 1 else "parallel"


def _are_parallel(paths: Sequence[Path], format: str | None) -> bool:  # noqa: A002
    """Whether several files are texts that belong together line by line."""
    if format is not None and format != "folder":
        return format == "parallel"
    if any(path.is_dir() for path in paths):
        return False
    return all(_name_of(path) == "parallel" for path in paths)


def _with_languages(reader: Format, languages: str, options: Mapping[str, Any]) -> dict[str, Any]:
    return {**options, "languages": languages} if languages and "languages" in reader.options else dict(options)


def _of_pair(readings: list[Reading], pair: str, path: Path) -> list[Reading]:
    """What is of a language pair. Documents that do not name theirs get it. Where some are of this pair and some of
    another, the others are left out with their judgements; where all are of one other pair, what the file says is
    overruled."""
    if not pair:
        return readings
    documents = [document for part in readings for document in _naming_pairs(part)]
    stated_pairs = Counter(document.language_pair for document in documents if contradicts_pair(document, pair))
    has_texts = any(part.documents for part in readings)
    if not stated_pairs or stated_pairs.total() == len(documents):
        _check_overruling(stated_pairs, pair, path, has_texts=has_texts)
        note = f"The file says {next(iter(stated_pairs))}; {pair} is used." if stated_pairs else ""
        readings = [
            replace(part, documents=tuple(with_pair(each, pair) for each in part.documents)) for part in readings
        ]
    else:
        counts = ", ".join(
            f"{number} of {name}" if has_texts else name for name, number in sorted(stated_pairs.items())
        )
        note = f"Only {'documents' if has_texts else 'judgements'} of {pair} are read; left out: {counts}."
        readings = [
            _select_pair(part, pair)
            for part in readings
            if not (named := _naming_pairs(part)) or not all(contradicts_pair(each, pair) for each in named)
        ]
    return _with_notes(readings, [note] if note else [])


def _naming_pairs(part: Reading) -> tuple[Document, ...]:
    """What names the language pairs of a part: its documents or, where it has no texts, the end of the name that a
    reader gave it."""
    source, target = language_codes.pair(part.name.rpartition(".")[2]) if "." in part.name else ("", "")
    is_named = target not in ("", language_codes.UNDETERMINED)
    return part.documents or ((Document(part.name, (), source, target),) if is_named else ())


def _select_pair(part: Reading, pair: str) -> Reading:
    """The documents of a pair, with what was judged about them."""
    if not part.documents:
        return part
    documents = tuple(with_pair(each, pair) for each in part.documents if not contradicts_pair(each, pair))
    ids = {document.id for document in documents}
    judgements = tuple(entry for entry in part.judgements if entry.document in ids or not entry.document)
    return replace(part, documents=documents, judgements=judgements)


def _stream_of_pair(documents: Iterable[Document], pair: str, path: Path, notes: list[str]) -> Iterator[Document]:
    """The same for documents that come one at a time: those of another pair wait until one of this pair comes."""
    waiting: list[Document] = []
    stated_pairs: Counter[str] = Counter()
    selecting = False
    for document in documents:
        if not contradicts_pair(document, pair):
            selecting = True
            waiting.clear()
            yield with_pair(document, pair)
        else:
            stated_pairs[document.language_pair] += 1
            if not selecting:
                waiting.append(document)
    if waiting:
        _check_overruling(stated_pairs, pair, path)
        notes.append(f"The file says {next(iter(stated_pairs))}; {pair} is used.")
        yield from (with_pair(document, pair) for document in waiting)


def _check_overruling(stated_pairs: Counter[str], pair: str, path: Path, *, has_texts: bool = True) -> None:
    """One pair of texts can be overruled; with several, nobody knows which of them is meant."""
    if len(stated_pairs) > 1 or (stated_pairs and not has_texts):
        raise InputError(
            f"No document is {pair}.", where=Where(path), next_step=f"The file has {', '.join(sorted(stated_pairs))}."
        )


def contradicts_pair(document: Document, pair: str) -> bool:
    """Whether a document names another language pair; a language without a region is that of every region."""
    source, target = language_codes.pair(pair)
    if source == target == language_codes.UNDETERMINED:
        raise InputError(f"{pair!r} is not a language pair.", next_step="Write for instance --languages en-ko.")
    return _contradicts(document.source_language, source) or _contradicts(document.target_language, target)


def _contradicts(one: str, other: str) -> bool:
    (language, _, region), (other_language, _, other_region) = one.partition("-"), other.partition("-")
    is_other = language != other_language or (region and other_region and region != other_region)
    return language_codes.UNDETERMINED not in (one, other) and bool(is_other)


def with_pair(document: Document, pair: str) -> Document:
    """The document with this pair; half a pair (`en:und`, from a form with one language chosen) keeps the other."""
    source, target = (None if code == language_codes.UNDETERMINED else code for code in language_codes.pair(pair))
    return replace(
        document,
        source_language=source or document.source_language,
        target_language=target or document.target_language,
    )


def write(
    format: str,  # noqa: A002
    path: str | Path,
    documents: Iterable[Document],
    judgements: Iterable[Judgement] = (),
    judges: Iterable[Judge] = (),
    **options: Any,
) -> None:
    """Write a file or folder whole or not at all."""
    writer = load(format)
    if writer.write is None:
        raise LannerError(
            f"The format {format!r} can be read but not written.",
            next_step=f"Formats that can be written: {', '.join(titles(writable=True))}.",
        )
    _check_options(writer, options)
    writer.write(Path(path), documents, judgements, judges, **options)


def _existing(path: PathOrPaths) -> list[Path]:
    """The paths, at least one, all of which are there."""
    if not isinstance(path, str | Path | Sequence):
        raise InputError(
            f"A {type(path).__name__} is no file.",
            next_step="Frames of pandas and polars are read by lanner.load, and so by lanner.scores and the others.",
        )
    paths = [Path(path)] if isinstance(path, str | Path) else [Path(each) for each in path]
    if not paths:
        raise InputError("No file is named.")
    for each in paths:
        if not each.exists():
            raise missing_file(each)
    return paths


@contextmanager
def _open_path(path: Path) -> Iterator[Path]:
    """The path to read, unpacked if it is an archive."""
    with unpacked(path) as inner, _files_fail_clearly(inner):
        yield inner


def _reader(
    name: str | None, path: Path, options: Mapping[str, Any]
) -> tuple[Format, Callable[..., Iterable[Reading]]]:
    """The format to read a path with, and its reader."""
    reader = load(name or _recognise(path, options))
    _check_options(reader, options)
    if reader.read is None:
        raise InputError(f"The format {reader.name!r} can be written but not read.", where=Where(path))
    if reader.folder and not path.is_dir():
        raise InputError(f"The format {reader.name!r} is a folder, this is a file.", where=Where(path))
    return reader, reader.read


@contextmanager
def _files_fail_clearly(path: Path) -> Iterator[None]:
    """What the operating system refuses is an input error like any other."""
    try:
        yield
    except OSError as error:
        raise refused_by_system("This cannot be read", error, error.filename or path) from error


def fitting(path: Path, formats: Iterable[Format]) -> list[str]:
    """The names of the formats that recognise a path, particular ones before general ones."""
    head = textfile.head(path).casefold()
    readable = [each for each in formats if each.may_fit(path, head)]
    for generic in (False, True):
        names = [each.name for each in readable if each.generic is generic and each.recognise and each.recognise(path)]
        if names:
            return names
    return []


def _recognise(path: Path, options: Mapping[str, Any]) -> str:
    available = all_formats()
    names = fitting(path, available.values())
    if len(names) == 1:
        return names[0]
    if names:
        raise InputError(
            f"This could be {' or '.join(names)}.",
            where=Where(path),
            next_step=f"Say which it is with --from, for instance --from {names[0]}.",
        )
    for name, each in available.items():
        if each.accepts_options is not None and each.accepts_options(path, **options):
            return name
    for each in available.values():
        if each.explain is not None:
            each.explain(path)
    raise _unrecognised(path, available)


def _check_options(reader: Format, options: Mapping[str, Any]) -> None:
    for option in options:
        if option not in reader.options:
            hint = did_you_mean(option, reader.options) or f"The format {reader.name!r} has no options."
            raise InputError(f"The format {reader.name!r} has no option {option!r}.", next_step=hint)


# What to say of a file that no format recognises: what was seen, the formats that come nearest, what they lack. A
# format names in `signs` by what it is known: the kind of file, and the columns, keys, elements or files it must have.

_NEAREST = 3
_SHOWN = 8
_LONGEST = 60
_KEY = re.compile(r'"([^"\\]{1,40})"\s*:')
_ELEMENT = re.compile(r"<([A-Za-z_][\w.-]*)")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_RELATED = {"json", "json lines", "json list"}
_PARTS = {"folder": "files", "table": "columns", "xml": "elements"}
_COPIED = (
    "Copy the sentences into a table (columns document, segment, source, and one for each system) and save it as CSV "
    "or xlsx. All formats: lanner formats."
)
_SAVE_AGAIN = "Open it there and save it as CSV or xlsx, with the names of the variables in the first row."
_NAME_CAMPAIGN = (
    "If it is a store of Lanner or a copy, name a campaign of it: lanner campaign list --store {path} lists them."
)
_PROGRAMS = {
    b"$FL": ("SPSS", _SAVE_AGAIN),
    b"<stata_dta": ("Stata", _SAVE_AGAIN),
    b"%PDF": ("a page layout (PDF)", _COPIED),
    b"{\\rtf": ("a word processor (RTF)", _COPIED),
    b"\xd0\xcf\x11\xe0": ("Office before 2007", "Open it there and save it as xlsx, docx or CSV."),
    b"SQLite format 3": ("SQLite", _NAME_CAMPAIGN),
}
"""How files of programs begin, and what to do with them."""
_LOOSE = {"source": "a column that is known to hold the source text"}


@dataclass(frozen=True, slots=True)
class PathContents:
    """What a look at a path shows: its kind, and the names in it that a format could be known by."""

    kind: str
    names: tuple[str, ...] = ()
    words: str = ""
    next_step: str = ""

    def __str__(self) -> str:
        excerpt = ", ".join(self.names[:_SHOWN]) + (", …" if len(self.names) > _SHOWN else "")
        return f"{self.words} {excerpt}" if excerpt else self.words


def look(path: Path) -> PathContents:
    """What lies there, without taking any of it."""
    if path.is_dir():
        names = tuple(sorted(entry.name for entry in path.iterdir() if not entry.name.startswith(".")))
        return PathContents("folder", names, "a folder with" if names else "an empty folder")
    suffix = f"a {path.suffix} file" if path.suffix else "a file without an ending"
    text = textfile.head(path).lstrip("\ufeff \r\n\t")
    start = textfile.magic(path, 16)
    for beginning, (program, next_step) in _PROGRAMS.items():
        if start.startswith(beginning):
            return PathContents("program", (), f"{suffix} of {program}", next_step.format(path=path))
    if start.startswith(b"PAR1") and (table := _table(path, suffix)):
        return table
    if not text or _CONTROL.search(text):
        empty = path.stat().st_size == 0
        return PathContents("empty" if empty else "binary", (), f"{suffix} that is {'empty' if empty else 'no text'}")
    if (marked := textfile.marked(text)) and marked[0] != "JSON":
        return PathContents("program", (), f"{suffix} with {marked[0]}", marked[1])
    if text.startswith("<"):
        names = tuple(dict.fromkeys(_ELEMENT.findall(text)))
        return PathContents("xml", names, f"{suffix} with XML, root {textfile.root_name(path) or 'unknown'}, elements")
    if text[0] in "{[":
        lines = [line for line in text.splitlines()[:2] if line.strip()]
        several = len(lines) == 2 and all(line.startswith("{") and line.rstrip().endswith("}") for line in lines)
        kind = "json list" if text[0] == "[" else "json lines" if several else "json"
        return PathContents(kind, tuple(dict.fromkeys(_KEY.findall(text))), f"{suffix} with {_json_words(kind)}")
    return _plain(path, text, suffix)


def _json_words(kind: str) -> str:
    words = {"json list": "a JSON list", "json lines": "JSON lines", "json": "a JSON object"}
    return f"{words[kind]}, keys"


def _plain(path: Path, text: str, suffix: str) -> PathContents:
    first = text.partition("\n")[0].strip()
    from lanner.formats.parsing.tables import guess_delimiter, table_kind  # a server need not read tables

    if table_kind(path) == "csv" and (guess_delimiter(path) in first) and (table := _table(path, suffix)):
        return table
    excerpt = first if len(first) <= _LONGEST else f"{first[:_LONGEST].rstrip()} …"
    return PathContents("text", (), f"{suffix} with plain text; its first line is “{excerpt}”")


def _table(path: Path, suffix: str) -> PathContents | None:
    from lanner.formats.parsing.tables import open_rows

    try:
        return PathContents("table", tuple(open_rows(path).header), f"{suffix} with a table, columns")
    except LannerError:
        return None


def _lacking(sample: PathContents, kind: str, names: tuple[str, ...]) -> tuple[float, list[str]]:
    """How near a format is (0 to 2, 0: not at all), and which of its names are not there."""
    if kind != sample.kind and not {kind, sample.kind} <= _RELATED:
        return 0.0, []
    names_lower = [name.casefold() for name in sample.names]
    missing = [name for name in names if not any(fnmatch(each, name.casefold()) for each in names_lower)]
    matches = len(names) - len(missing)
    return matches / len(names) + (kind == sample.kind) if matches else 0.0, missing


def _candidates(sample: PathContents, formats: Mapping[str, Format]) -> Iterator[tuple[float, str, str]]:
    for name, each in formats.items():
        ways = [(kind, *_lacking(sample, kind, names)) for kind, names in each.signs.items()]
        kind, near, missing = max(ways, key=lambda way: way[1], default=("", 0.0, []))
        if near or (each.generic and sample.kind in each.signs):
            words = [_LOOSE.get(sign, sign) if each.generic else sign for sign in missing]
            lacks = (
                f"lacks {', '.join(words)}" if words else f"has the {_PARTS.get(kind, 'keys')}, but not in their place"
            )
            yield near, name, f"{name} ({each.title}) {lacks}"


def _begins_with_reply(path: Path) -> bool:
    text = textfile.head(path).lstrip("\ufeff \r\n\t[")
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return False
    return isinstance(value, dict) and model_reply(value) is not None


def _unrecognised(path: Path, formats: Mapping[str, Format]) -> InputError:
    """The error for a path that none of these formats recognises."""
    sample = look(path)
    if sample.kind in _RELATED and _begins_with_reply(path):
        return InputError(
            "These are a model's replies, without the texts that it was asked to translate.",
            code="unrecognised",
            where=Where(path),
            next_step='Add the source to each line, as "source" or as the "messages" of the request with the same id.',
        )
    nearest = sorted(_candidates(sample, formats), key=lambda each: -each[0])[:_NEAREST]
    steps = ["Nearest: " + "; ".join(words for _, _, words in nearest) + "."] if nearest else []
    if sample.kind == "table":
        steps.append("Say which column holds what: --columns source=COLUMN,document=COLUMN,system:NAME=COLUMN.")
    if sample.kind == "text":
        steps.append(
            "Plain text, one segment a line, is read together: lanner import src.en hyp.de, or a folder of such files."
        )
    if sample.next_step:
        steps = [sample.next_step]
    elif sample.kind == "binary":
        steps.append(_COPIED)
    elif sample.kind == "json" and not nearest and (marked := textfile.marked(textfile.head(path))):
        steps = [f"For the strings of a program: {marked[1]}", "All formats: lanner formats."]
    else:
        steps.append("All formats: lanner formats. Say which it is with --from NAME.")
    return InputError(
        f"The content is none of the formats known. This is {sample}.",
        code="unrecognised",
        where=Where(path),
        next_step=" ".join(steps),
    )
