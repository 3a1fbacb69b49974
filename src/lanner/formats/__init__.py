"""Files in and out. A `Format` is one file of this folder, or what another package names under the entry point
`lanner.formats`. The format of a file is found from its content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from lanner import registry
from lanner.errors import InputError, LannerError, Where, did_you_mean
from lanner.formats import parallel
from lanner.formats._format import Format, Reading, TextStream
from lanner.formats.parsing import textfile
from lanner.formats.parsing.archive import unpacked
from lanner.formats.parsing.documents import ApartError
from lanner.formats.parsing.textfile import watched
from lanner.model import Document, Judge, Judgement
from lanner.model import languages as language_codes

__all__ = [
    "ApartError",
    "Format",
    "Reading",
    "TextStream",
    "all_formats",
    "guess",
    "load",
    "options",
    "read",
    "read_documents",
    "recognise",
    "texts",
    "titles",
    "watched",
    "write",
]

GROUP = "formats"
PathOrPaths = str | Path | Sequence[str | Path]
"""A file or folder, or several files that are read together."""


def load(name: str) -> Format:
    """The format of this name."""
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


def recognise(path: PathOrPaths, **options: Any) -> str:
    """The name of the format of a file or folder, found from its content; options may say more than the content.
    Several files of plain text are `parallel` ones, several of one format have that format."""
    paths = _existing(path)
    if len(paths) > 1:
        names = {_name_of(each) for each in paths}
        return names.pop() if len(names) == 1 else "folder"
    with _opened(paths[0]) as inner:
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
        if len(paths) > 1 and not _are_parallel(paths, format):
            readings = [part for each in paths for part in read(each, format, languages=languages, **options)]
        elif len(paths) > 1:
            readings = parallel.read_files(paths, languages=languages, **options)
        else:
            with _opened(paths[0]) as inner:
                reader, read_all = _reader(format, inner, options)
                readings = list(read_all(inner, **_with_languages(reader, languages, options)))
            readings = _of_pair(readings, languages, paths[0])
        notes = tuple(decoding.notes())
    if notes and readings:
        readings[0] = replace(readings[0], notes=tuple(dict.fromkeys((*notes, *readings[0].notes))))
    return readings


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
    with textfile.decoding(encoding), _opened(paths[0]) as inner:
        reader, read_all = _reader(format, inner, reader_options)
        options = _with_languages(reader, languages, reader_options)
        if reader.read_documents is not None:
            documents = iter(reader.read_documents(inner, **options))
            if languages:
                documents = _stream_of_pair(documents, languages, paths[0])
            yield from documents
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
    with textfile.decoding(encoding) as decoding, _opened(paths[0]) as inner:
        reader, _ = _reader(format, inner, options)
        if reader.texts is None or (languages and "languages" not in reader.options):
            yield None
            return
        stream = reader.texts(inner, **_with_languages(reader, languages, options))
        if stream is not None and languages:
            stream.documents = _stream_of_pair(stream.documents, languages, paths[0])
        if stream is not None:
            stream.notes[:0] = decoding.notes()
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
    with textfile.decoding(encoding), _opened(paths[0]) as inner:
        reader, _ = _reader(format if len(paths) == 1 else None, inner, reader_options)
        options = _with_languages(reader, languages, reader_options)
        return reader.guess(inner, **options) if reader.guess is not None else ""


def _name_of(path: Path) -> str:
    """The format of one of several files; plain text belongs with other plain text."""
    with _opened(path) as inner:
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
    """What is of a language pair: documents that do not name theirs get it, those of another pair are left out with
    their judgements."""
    if not pair:
        return readings
    selected = []
    others: dict[str, int] = {}
    for part in readings:
        documents = tuple(with_pair for each in part.documents if (with_pair := _in_pair(each, pair)) is not None)
        for document in part.documents:
            if _in_pair(document, pair) is None:
                others[document.language_pair] = others.get(document.language_pair, 0) + 1
        if documents or not part.documents:
            ids = {document.id for document in documents}
            judgements = part.judgements
            if len(documents) < len(part.documents):
                judgements = tuple(entry for entry in judgements if entry.document in ids or not entry.document)
            selected.append(replace(part, documents=documents, judgements=judgements))
    if not selected:
        raise InputError(
            f"No document is {pair}.", where=Where(path), next_step=f"The file has {', '.join(sorted(others))}."
        )
    if others:
        counts = ", ".join(f"{number} of {name}" for name, number in sorted(others.items()))
        note = f"Only documents of {pair} are read; left out: {counts}."
        selected[0] = replace(selected[0], notes=(note, *selected[0].notes))
    return selected


def _stream_of_pair(documents: Iterable[Document], pair: str, path: Path) -> Iterator[Document]:
    others: set[str] = set()
    empty = True
    for document in documents:
        with_pair = _in_pair(document, pair)
        if with_pair is None:
            others.add(document.language_pair)
        else:
            empty = False
            yield with_pair
    if empty and others:
        raise InputError(
            f"No document is {pair}.", where=Where(path), next_step=f"The file has {', '.join(sorted(others))}."
        )


def _in_pair(document: Document, pair: str) -> Document | None:
    """The document with this language pair, if it names none, or the same with another region; None otherwise."""
    source, target = language_codes.pair(pair)
    if language_codes.UNDETERMINED in (source, target):
        raise InputError(f"{pair!r} is no language pair.", next_step="Write for instance --languages en-ko.")
    for own, wanted in ((document.source_language, source), (document.target_language, target)):
        if own != language_codes.UNDETERMINED and own.partition("-")[0] != wanted.partition("-")[0]:
            return None
    return replace(document, source_language=source, target_language=target)


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
    paths = [Path(path)] if isinstance(path, str | Path) else [Path(each) for each in path]
    if not paths:
        raise InputError("No file is named.")
    for each in paths:
        if not each.exists():
            raise InputError("There is no such file or folder.", where=Where(each))
    return paths


@contextmanager
def _opened(path: Path) -> Iterator[Path]:
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
        where = Where(error.filename or path)
        raise InputError(f"This cannot be read: {error.strerror or error}.", where=where) from error


def fitting(path: Path, formats: Iterable[Format]) -> list[str]:
    """The names of the formats that recognise a path, particular ones before general ones."""
    readable = [each for each in formats if each.recognise is not None]
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
    nearest = import_module("lanner.formats._nearest")  # it loads what reads tables and XML, which a server need not
    raise nearest.unrecognised(path, available)


def _check_options(reader: Format, options: Mapping[str, Any]) -> None:
    for option in options:
        if option not in reader.options:
            hint = did_you_mean(option, reader.options) or f"The format {reader.name!r} has no options."
            raise InputError(f"The format {reader.name!r} has no option {option!r}.", next_step=hint)
