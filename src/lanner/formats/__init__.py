"""Files in and out. One format is one file of this folder, or another package's entry point `lanner.formats`.

A format has a `TITLE`, and as many of these as make sense: `recognise(path)`, `read(path, **options)`,
`read_documents(path, **options)`, `write(path, documents, judgements, judges, **options)`, with `OPTIONS` telling the
options apart; `texts(path, **options)` where a file without judgements can be taken in one document at a time,
`guess(path, **options)` where something is guessed that a person should confirm, `explain(path)` to say what is wrong
with a file that nothing recognises, `told(path, **options)` whether options alone make a file this format. `SIGNS` are
the names that the format is known by, for each kind of file; they tell what a file nearly of this format lacks.
`GENERIC` marks a format that fits many files and is tried only when no other fits, `FOLDER` one that is a folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from lanner import registry
from lanner.errors import InputError, LannerError, Where, did_you_mean
from lanner.formats._archive import unpacked
from lanner.formats._gathering import ApartError
from lanner.formats._reading import Reading, TextStream
from lanner.formats._textfile import watched
from lanner.model import Document, Judge, Judgement

__all__ = [
    "ApartError",
    "Reading",
    "TextStream",
    "guess",
    "options",
    "read",
    "read_documents",
    "recognise",
    "texts",
    "titles",
    "watched",
    "write",
]

ROOM = "formats"


def titles(*, writable: bool = False) -> dict[str, str]:
    """Every format's name and title; only those that can be written if asked."""
    modules = {name: registry.module(ROOM, name) for name in registry.names(ROOM)}
    return {name: module.TITLE for name, module in modules.items() if not writable or hasattr(module, "write")}


def options(format: str) -> Mapping[str, str]:  # noqa: A002 - the word the command line uses
    """The options that reading or writing a format takes, each with what it means."""
    return dict(getattr(_module(format), "OPTIONS", {}))


def recognise(path: str | Path, **given: Any) -> str:
    """The name of the format of a file or folder, found from its content; options may say more than the content."""
    with unpacked(_existing(path)) as inner, _files_fail_clearly(inner):
        return _recognise(inner, given)


def read(path: str | Path, format: str | None = None, **given: Any) -> list[Reading]:  # noqa: A002
    """Everything in a file or folder. Either all of it is returned or an error; never a part."""
    with unpacked(_existing(path)) as inner, _files_fail_clearly(inner):
        name = format or _recognise(inner, given)
        return list(_reader(name, inner, given).read(inner, **given))


def read_documents(path: str | Path, format: str | None = None, **given: Any) -> Iterator[Document]:  # noqa: A002
    """The documents alone, one at a time, so that a file may be larger than memory."""
    with unpacked(_existing(path)) as inner, _files_fail_clearly(inner):
        name = format or _recognise(inner, given)
        module = _reader(name, inner, given)
        if hasattr(module, "read_documents"):
            yield from module.read_documents(inner, **given)
        else:
            for reading in module.read(inner, **given):
                yield from reading.documents


@contextmanager
def texts(path: str | Path, format: str | None = None, **given: Any) -> Iterator[TextStream | None]:  # noqa: A002
    """A file that holds texts alone, one document at a time; None where judgements may be in it, or where the format
    is read as a whole."""
    with unpacked(_existing(path)) as inner, _files_fail_clearly(inner):
        name = format or _recognise(inner, given)
        module = _reader(name, inner, given)
        yield module.texts(inner, **given) if hasattr(module, "texts") else None


def guess(path: str | Path, format: str, **given: Any) -> str:  # noqa: A002
    """What reading a file would guess, in a sentence; "" if nothing is guessed."""
    with unpacked(_existing(path)) as inner, _files_fail_clearly(inner):
        module = _reader(format, inner, given)
        return str(module.guess(inner, **given)) if hasattr(module, "guess") else ""


def write(
    format: str,  # noqa: A002
    path: str | Path,
    documents: Iterable[Document],
    judgements: Iterable[Judgement] = (),
    judges: Iterable[Judge] = (),
    **given: Any,
) -> None:
    """Write a file or folder whole or not at all."""
    module = _module(format)
    if not hasattr(module, "write"):
        raise LannerError(
            f"The format {format!r} can be read but not written.",
            next_step=f"Formats that can be written: {', '.join(titles(writable=True))}.",
        )
    _check_options(format, given)
    module.write(Path(path), documents, judgements, judges, **given)


def _existing(path: str | Path) -> Path:
    found = Path(path)
    if not found.exists():
        raise InputError("There is no such file or folder.", where=Where(path))
    return found


def _module(name: str) -> ModuleType:
    return registry.module(ROOM, name)


def _reader(name: str, path: Path, given: Mapping[str, Any]) -> ModuleType:
    module = _module(name)
    _check_options(name, given)
    if not hasattr(module, "read"):
        raise InputError(f"The format {name!r} can be written but not read.", where=Where(path))
    if getattr(module, "FOLDER", False) and not path.is_dir():
        raise InputError(f"The format {name!r} is a folder, this is a file.", where=Where(path))
    return module


@contextmanager
def _files_fail_clearly(path: Path) -> Iterator[None]:
    """What the operating system refuses is an input error like any other."""
    try:
        yield
    except OSError as error:
        where = Where(error.filename or path)
        raise InputError(f"This cannot be read: {error.strerror or error}.", where=where) from error


def _recognise(path: Path, given: Mapping[str, Any]) -> str:
    modules = {name: registry.module(ROOM, name) for name in registry.names(ROOM)}
    readable = {name: module for name, module in modules.items() if hasattr(module, "recognise")}
    for generic in (False, True):
        candidates = [n for n, m in readable.items() if bool(getattr(m, "GENERIC", False)) is generic]
        fitting = [name for name in candidates if readable[name].recognise(path)]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise InputError(
                f"This could be {' or '.join(fitting)}.",
                where=Where(path),
                next_step=f"Say which it is with --from, for instance --from {fitting[0]}.",
            )
    for name, module in readable.items():
        if hasattr(module, "told") and module.told(path, **given):
            return name
    for module in readable.values():
        if hasattr(module, "explain"):
            module.explain(path)
    nearest = import_module("lanner.formats._nearest")  # it loads what reads tables and XML, which a server need not
    raise nearest.unrecognised(path, readable)


def _check_options(name: str, given: Mapping[str, Any]) -> None:
    known = options(name)
    for option in given:
        if option not in known:
            hint = did_you_mean(option, known) or f"The format {name!r} has no options."
            raise InputError(f"The format {name!r} has no option {option!r}.", next_step=hint)
