"""Files in and out. A `Format` is one file of this folder, or what another package names under the entry point
`lanner.formats`. The format of a file is found from its content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from lanner import registry
from lanner.errors import InputError, LannerError, Where, did_you_mean
from lanner.formats._format import Format, Reading, TextStream
from lanner.formats.parsing.archive import unpacked
from lanner.formats.parsing.documents import ApartError
from lanner.formats.parsing.textfile import watched
from lanner.model import Document, Judge, Judgement

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


def recognise(path: str | Path, **given: Any) -> str:
    """The name of the format of a file or folder, found from its content; options may say more than the content."""
    with unpacked(_existing(path)) as inner, _files_fail_clearly(inner):
        return _recognise(inner, given)


def read(path: str | Path, format: str | None = None, **given: Any) -> list[Reading]:  # noqa: A002
    """Everything in a file or folder. Either all of it is returned or an error; never a part."""
    with unpacked(_existing(path)) as inner, _files_fail_clearly(inner):
        _, read_all = _reader(format, inner, given)
        return list(read_all(inner, **given))


def read_documents(path: str | Path, format: str | None = None, **given: Any) -> Iterator[Document]:  # noqa: A002
    """The documents alone, one at a time, so that a file may be larger than memory."""
    with unpacked(_existing(path)) as inner, _files_fail_clearly(inner):
        chosen, read_all = _reader(format, inner, given)
        if chosen.read_documents is not None:
            yield from chosen.read_documents(inner, **given)
        else:
            for reading in read_all(inner, **given):
                yield from reading.documents


@contextmanager
def texts(path: str | Path, format: str | None = None, **given: Any) -> Iterator[TextStream | None]:  # noqa: A002
    """A file that holds texts alone, one document at a time; None where judgements may be in it, or where the format
    is read as a whole."""
    with unpacked(_existing(path)) as inner, _files_fail_clearly(inner):
        chosen, _ = _reader(format, inner, given)
        yield chosen.texts(inner, **given) if chosen.texts is not None else None


def guess(path: str | Path, format: str, **given: Any) -> str:  # noqa: A002
    """What reading a file would guess, in a sentence; "" if nothing is guessed."""
    with unpacked(_existing(path)) as inner, _files_fail_clearly(inner):
        chosen, _ = _reader(format, inner, given)
        return chosen.guess(inner, **given) if chosen.guess is not None else ""


def write(
    format: str,  # noqa: A002
    path: str | Path,
    documents: Iterable[Document],
    judgements: Iterable[Judgement] = (),
    judges: Iterable[Judge] = (),
    **given: Any,
) -> None:
    """Write a file or folder whole or not at all."""
    chosen = load(format)
    if chosen.write is None:
        raise LannerError(
            f"The format {format!r} can be read but not written.",
            next_step=f"Formats that can be written: {', '.join(titles(writable=True))}.",
        )
    _check_options(chosen, given)
    chosen.write(Path(path), documents, judgements, judges, **given)


def _existing(path: str | Path) -> Path:
    if not Path(path).exists():
        raise InputError("There is no such file or folder.", where=Where(path))
    return Path(path)


def _reader(name: str | None, path: Path, given: Mapping[str, Any]) -> tuple[Format, Callable[..., Iterable[Reading]]]:
    """The format to read a path with, and its reader."""
    chosen = load(name or _recognise(path, given))
    _check_options(chosen, given)
    if chosen.read is None:
        raise InputError(f"The format {chosen.name!r} can be written but not read.", where=Where(path))
    if chosen.folder and not path.is_dir():
        raise InputError(f"The format {chosen.name!r} is a folder, this is a file.", where=Where(path))
    return chosen, chosen.read


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


def _recognise(path: Path, given: Mapping[str, Any]) -> str:
    known = all_formats()
    names = fitting(path, known.values())
    if len(names) == 1:
        return names[0]
    if names:
        raise InputError(
            f"This could be {' or '.join(names)}.",
            where=Where(path),
            next_step=f"Say which it is with --from, for instance --from {names[0]}.",
        )
    for name, each in known.items():
        if each.accepts_options is not None and each.accepts_options(path, **given):
            return name
    for each in known.values():
        if each.explain is not None:
            each.explain(path)
    nearest = import_module("lanner.formats._nearest")  # it loads what reads tables and XML, which a server need not
    raise nearest.unrecognised(path, known)


def _check_options(chosen: Format, given: Mapping[str, Any]) -> None:
    for option in given:
        if option not in chosen.options:
            hint = did_you_mean(option, chosen.options) or f"The format {chosen.name!r} has no options."
            raise InputError(f"The format {chosen.name!r} has no option {option!r}.", next_step=hint)
