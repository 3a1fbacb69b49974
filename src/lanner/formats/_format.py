"""What a file format is, what reading one gives, and the notes of readers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from lanner.errors import LannerError
from lanner.model import Document, Judge, Judgement
from lanner.model.messages import in_number


@dataclass(frozen=True, slots=True)
class Reading:
    """One part of what a file or folder holds.

    `protocol` names the protocol that the judgements answer; their labels are as the file spells them, since
    `lanner.protocols` resolves aliases and checks rules. `notes` are sentences worth showing: guesses and oddities.
    """

    name: str
    documents: tuple[Document, ...]
    judges: tuple[Judge, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    protocol: str = ""
    notes: tuple[str, ...] = ()
    questions: Mapping[str, str] = field(default_factory=dict)
    """Questions by id, with the words the file has for them; empty where the protocol says it all."""
    definition: str = ""
    """The protocol itself as JSON, where the file brings it."""
    remarks: frozenset[str] = frozenset()
    """The questions that ask for free text by their headings, however few different words were answered."""

    def __repr__(self) -> str:
        segments = sum(len(document.segments) for document in self.documents)
        counts = {
            "document": len(self.documents),
            "segment": segments,
            "judge": len(self.judges),
            "judgement": len(self.judgements),
        }
        parts = [in_number(n, f"{{n}} {one}", f"{{n}} {one}s") for one, n in counts.items()]
        return f"Reading({self.name!r}: {', '.join(parts)})"


@dataclass(slots=True)
class TextStream:
    """What a file holds that has texts and no judgements: its documents come one by one, so that it may be larger than
    memory. `notes` are complete when all documents have come."""

    name: str
    documents: Iterator[Document]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A file format: how to recognise, read and write it. `lanner.formats` has one module for each, and another package
    adds its own under the entry point `lanner.formats`.

    A format that can be read has `recognise` and `read`; one that can be written has `write`. `options` names what
    `read` and `write` take as keywords, with a sentence for each.
    """

    name: str
    title: str
    description: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    recognise: Callable[[Path], bool] | None = None
    """Whether a file or folder has this format, from its content."""
    markers: tuple[str, ...] = ()
    """Text of which some stands near the beginning of every file of this format, in any case: text without it is not
    asked about. Without markers, any file may have the format."""
    read: Callable[..., list[Reading]] | None = None
    """`read(path, **options)`: everything in it."""
    write: Callable[..., None] | None = None
    """`write(path, documents, judgements, judges, **options)`: the whole file or nothing."""
    read_documents: Callable[..., Iterator[Document]] | None = None
    """The documents alone, one at a time, where the format can be streamed."""
    texts: Callable[..., TextStream | None] | None = None
    """The same with notes; None where the file holds judgements or has to be read as a whole."""
    guess: Callable[..., str] | None = None
    """What reading would guess, in a sentence, for a person to confirm."""
    explain: Callable[[Path], None] | None = None
    """Raise what is wrong with a file that nothing recognises, if this format knows."""
    accepts_options: Callable[..., bool] | None = None
    """Whether the options alone make a file this format."""
    signs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Kind of file (table, json, json lines, json list, xml, folder) to the names in it that the format is known by."""
    generic: bool = False
    """Fits many files, so it is tried only when no other format does."""
    folder: bool = False
    """Reads folders only."""

    def may_fit(self, path: Path, head: str) -> bool:
        """Whether `recognise` is worth asking, from the beginning of a file without case ("" where it is no text)."""
        if path.is_dir() or self.folder:
            return path.is_dir()
        return not head or not self.markers or any(each.casefold() in head for each in self.markers)

    @classmethod
    def of(cls, name: str, plugin: object) -> Format:
        """The format behind an entry point: a `Format`, a module with one called `FORMAT`, or a module in the older
        style, with `TITLE` and functions called `recognise`, `read` and `write`."""
        if isinstance(plugin, Format):
            return plugin
        if isinstance(plugin, ModuleType):
            format_object = getattr(plugin, "FORMAT", None)
            if isinstance(format_object, Format):
                return replace(format_object, name=name)
            if hasattr(plugin, "TITLE"):
                return cls(**{"name": name, **_attributes(plugin)})
        raise LannerError(
            f"The plug-in {name!r} is no format.", next_step="Its entry point must name a `lanner.formats.Format`."
        )


_OLD_NAMES = {"TITLE": "title", "OPTIONS": "options", "SIGNS": "signs", "GENERIC": "generic", "FOLDER": "folder"}
_OLD_NAMES |= {"__doc__": "description", "told": "accepts_options"}
_OLD_NAMES |= {name: name for name in ("recognise", "read", "write", "read_documents", "texts", "guess", "explain")}


def _attributes(module: ModuleType) -> dict[str, Any]:
    values = {new: getattr(module, old, None) for old, new in _OLD_NAMES.items()}
    return {name: value for name, value in values.items() if value is not None}


# Notes of readers


class Note(str):
    """A note as one line. `fact` is what was noticed; `advice` names options of the command line, so a page shows the
    fact alone; `about` says what it is about where that matters ("columns", "languages", "answers")."""

    fact: str
    advice: str
    about: str

    def __new__(cls, fact: str, advice: str = "", *, about: str = "") -> Note:
        note = super().__new__(cls, f"{fact} {advice}" if advice else fact)
        note.fact, note.advice, note.about = fact, advice, about
        return note


def fact_of(note: str) -> str:
    """What a note says without advice about options."""
    return note.fact if isinstance(note, Note) else note


def subject_of(note: str) -> str:
    """What a note is about, as a code; "" where nobody said."""
    return note.about if isinstance(note, Note) else ""


ANSWERS = "answers"
"""What a note is about that says why a table seems to hold judgements of which none could be read."""
JUDGEMENTS = "judgements"
"""What a note is about that says how answers were read, which is of no interest where the texts alone are taken."""
UNKNOWN_LANGUAGES = Note(
    "The languages are unknown, which judges will see.", "Set them with --languages, such as en-ko.", about="languages"
)
