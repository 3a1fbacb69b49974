"""What a format is and what reading one gives: documents put together from rows and from several files, judgements,
notes. Ids are taken as they are: an empty or repeated one is an error with its line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from lanner.errors import NOWHERE, InputError, LannerError, Where
from lanner.formats.parsing import textfile
from lanner.formats.parsing.textfile import ReadingNote
from lanner.model import Document, Judge, Judgement, Segment, languages
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
    left_out: Mapping[str, str] = field(default_factory=dict)
    """The judges who count in no result, each with the reason."""
    scales: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The ends of the scales that headings name, the worse one first: (5, 1) for `Accuracy (1 = best, 5 = worst)`."""

    unread: tuple[str, ...] = ()
    """Columns beside the answers that look like none, and are read where they are named."""

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


ANSWERS = "answers"
"""What a note is about that says why a table seems to hold judgements of which none could be read."""
JUDGEMENTS = "judgements"
"""What a note is about that says how answers were read, which is of no interest where the texts alone are taken."""
UNKNOWN_LANGUAGES = ReadingNote(
    "The languages are unknown, and judges will see that.",
    "Set them with --languages, such as en-ko.",
    about="languages",
)


# Documents from rows


@dataclass(slots=True)
class Draft:
    """A segment while its rows are being read."""

    document: str
    id: str
    line: int
    source: str
    outputs: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    """By system, the line of its row where that is not the segment's first."""
    references: dict[str, str] = field(default_factory=dict)
    paragraph: int | None = None
    judged: bool = True
    flags: list[str] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)

    def segment(self) -> Segment:
        return Segment(
            self.id,
            self.source,
            self.outputs,
            self.references,
            self.paragraph,
            self.judged,
            tuple(dict.fromkeys(self.flags)),
            self.meta,
        )


@dataclass(slots=True)
class DocumentDraft:
    """A document while its rows are being read."""

    id: str
    line: int
    attributes: dict[str, Any]
    segments: dict[str, Draft] = field(default_factory=dict)
    turns: Counter[str] = field(default_factory=Counter)
    texts: dict[str, str] = field(default_factory=dict)
    """Segments by their source, where rows have no ids."""

    def segment_of(self, source: str) -> str:
        """The segment with this source: rows without ids belong together by their text."""
        return self.texts.setdefault(source, str(len(self.texts) + 1))

    def document(self) -> Document:
        return Document(self.id, tuple(draft.segment() for draft in self.segments.values()), **self.attributes)


class ScatteredRowsError(InputError):
    """Rows of a document that do not stand together: the file can be read, but only as a whole."""


Pair = tuple[str, str]
"""Codes of the source's and the translation's language."""
PAIR, PART, PARAGRAPH, LATER = "pair", "part", "paragraph", "later rows"
"""What tells documents of one name apart, the language pair, or the domain or test set they are part of; and segments,
the paragraph, or what only later rows of the file show."""


class SameNameError(ScatteredRowsError):
    """Several documents of one name, which `by` (a pair or a part) tells apart, or segments (by paragraph)."""

    def __init__(self, name: str, by: str, **more: Any) -> None:
        super().__init__(f"Several documents are called {name!r}.", **more)
        self.by = by


def bar_in_name(system: str, where: Where = NOWHERE) -> InputError:
    """The error where a system cannot be told from two that are compared: | stands between their names."""
    return InputError(
        f"The name of the system {system!r} has a | in it, which stands between two systems that are compared.",
        code="bar_in_name",
        names={"system": system},
        where=where,
        next_step="Write the name without it, for instance with / or -.",
    )


def missing_system(where: Where) -> InputError:
    """The error where a row holds a translation or an answer about one, and does not say whose."""
    return InputError(
        "This row names no system.",
        code="missing_system",
        where=where,
        next_step="Fill in the name. If an empty cell means the system above, fill the cells down.",
    )


def read_apart(read: Callable[[frozenset[str]], list[Reading]]) -> list[Reading]:
    """What `read` gives with the names of documents as they are. Where several have one name, as a test set translated
    into several languages has them, or one that numbers documents anew in each domain, or sentences in each paragraph,
    everything is read once more with the pair, the part or the paragraph in each name."""
    named_by: frozenset[str] = frozenset()
    while True:
        try:
            return read(named_by)
        except SameNameError as error:
            named_by |= {error.by}


def name_in_pair(name: str, pair: str) -> str:
    """A document's name that tells it from the same text in another language pair."""
    return f"{name} ({pair})"


def note_on_pairs(name: str) -> str:
    """That names of documents have the pair in them, such as this one."""
    return f"Documents of one name come in several language pairs; the pair is part of their names: {name}, …"


class SegmentsByDocument:
    """Segments by document, in order of appearance. Segments without ids are counted from 1 within their document."""

    def __init__(
        self, path: Path, default: str, *, has_documents: bool, has_segments: bool, by_pair: bool = False
    ) -> None:
        self._path, self._default = path, default
        self._has_documents, self._has_segments, self._by_pair = has_documents, has_segments, by_pair
        self._drafts: dict[str, DocumentDraft] = {}
        self._released_lines: dict[str, int] = {}
        self._differing: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._drafts)

    def document(
        self, name: str, line: int, attributes: Callable[[], dict[str, Any]], pair: Pair | None = None
    ) -> DocumentDraft:
        """The document of a row; what the row says about it is asked for once, except for its language pair. Without a
        pair, the row stands where none can be said."""
        if not name:
            if self._has_documents:
                step = "Fill in its document id. If an empty cell means the document above, fill the cells down."
                textfile.failed(self._path, "This row names no document.", line, step, code="no_document")
            name = self._default
        if self._by_pair and pair is not None:
            name = self._name_in_pair(name, pair, line)
        draft = self._drafts.get(name)
        if draft is None:
            if name in self._released_lines:
                raise ScatteredRowsError(
                    f"Rows of the document {name!r} (from line {self._released_lines[name]}) do not stand together.",
                    where=Where(self._path, line),
                    next_step="Sort the file by document to stream it.",
                )
            draft = self._drafts[name] = DocumentDraft(name, line, attributes())
        elif pair is not None and _is_other_pair(pair, draft.attributes):
            raise SameNameError(name, PAIR, where=Where(self._path, line))
        return draft

    def _name_in_pair(self, name: str, pair: Pair, line: int) -> str:
        codes = [code for code in pair if code != languages.UNDETERMINED]
        if not codes:
            textfile.failed(
                self._path,
                "This row names no language pair, and documents of this file come in several.",
                line,
                "Fill in its languages.",
                code="no_pair",
            )
        return name_in_pair(name, "-".join(codes))

    def segment(
        self, document: DocumentDraft, name: str, line: int, source: str, system: str = "", *, again: bool = False
    ) -> Draft:
        """A new segment or, where a row holds one system's output or (`again`) one judge's answers, the one that this
        row belongs to."""
        if not name:
            if self._has_segments:
                message = "This row has no segment id."
                step = "Fill in its segment id, or delete the row if it is none of the table's (a total, a remark)."
                textfile.failed(self._path, message, line, step, code="no_segment")
            if again:
                name = document.segment_of(source)
            else:
                document.turns[system] += 1
                while not system and str(document.turns[system]) in document.segments:
                    document.turns[system] += 1  # an id that another segment has by name
                name = str(document.turns[system])
        draft = document.segments.get(name)
        if draft is None:
            draft = document.segments[name] = Draft(document.id, name, line, source)
        elif not again and (not system or system in draft.outputs):
            what = f"The segment {name!r} of {document.id!r}" + (f" by {system!r}" if system else "")
            line_before = draft.lines.get(system, draft.line)
            textfile.failed(
                self._path,
                f"{what} is already on line {line_before}.",
                line,
                "Ids must differ.",
                code="segment_twice",
                segment=name,
                document=document.id,
                line_before=line_before,
            )
        elif draft.source != source and not draft.source:
            draft.source = source
        elif draft.source != source and source:
            self._differing["source"] += 1
            draft.flags.append("source_differs")
            draft.meta.setdefault("sources", {})[system or f"line {line}"] = source
        if system and not again and line != draft.line:
            draft.lines[system] = line
        return draft

    def output(self, draft: Draft, system: str, text: str) -> None:
        """The output of a system; another one than an earlier row had is kept aside and flagged."""
        self._add_text(draft, "output", draft.outputs, system, text)

    def reference(self, draft: Draft, name: str, text: str) -> None:
        """A reference likewise."""
        self._add_text(draft, "reference", draft.references, name, text)

    def _add_text(self, draft: Draft, kind: str, texts: dict[str, str], name: str, text: str) -> None:
        earlier = texts.setdefault(name, text)
        if not earlier:
            texts[name] = text
        elif text and earlier != text:
            self._differing[kind] += 1
            draft.flags.append(f"{kind}_differs")
            draft.meta.setdefault(f"other_{kind}s", {}).setdefault(name, []).append(text)

    def release_first(self) -> Document:
        """The oldest document, finished and forgotten."""
        name = next(iter(self._drafts))
        draft = self._drafts.pop(name)
        self._released_lines[name] = draft.line
        return draft.document()

    def documents(self) -> Iterator[Document]:
        """All documents not yet released."""
        for draft in self._drafts.values():
            yield draft.document()

    def notes(self) -> Iterator[str]:
        """What was odd about the rows."""
        if self._by_pair:
            yield note_on_pairs(next(iter(self._drafts)))
        words = {"source": "source text", "reference": "reference", "output": "translation"}
        for kind, what in words.items():
            if n := self._differing[kind]:
                yield in_number(
                    n,
                    "{n} row has another {what} than an earlier row of its segment; flagged {kind}_differs.",
                    "{n} rows have another {what} than an earlier row of their segment; flagged {kind}_differs.",
                    what=what,
                    kind=kind,
                )


def _is_other_pair(pair: Pair, attributes: dict[str, Any]) -> bool:
    """Whether a row is of other languages than its document, as far as both say; `pt` is no other than `pt-BR`."""
    own_pair = [attributes.get(role, languages.UNDETERMINED) for role in ("source_language", "target_language")]
    return any(
        languages.UNDETERMINED not in (code, own)
        and not f"{code}-".startswith(f"{own}-")
        and not f"{own}-".startswith(f"{code}-")
        for code, own in zip(pair, own_pair, strict=True)
    )


# One file for each judge

_TOGETHER = "texts"
"""The document of files that do not name theirs, and which are named by their judges."""
UNNAMED = "judge"
"""The judge of answers of which nothing says whose they are."""
_APART = ReadingNote(
    "Each file is read by itself: without sources and translations nothing shows that they are about the same texts.",
    "If each holds the answers of one judge to the same items, name the judge in a column `judge` of each.",
)


def read_each(paths: Sequence[Path], read: Callable[[Path, str], list[Reading]]) -> list[Reading]:
    """The readings of several files by `read(path, judge)`, those of one judge each as one. Where files hold scores of
    the same items and name no judge, each is the judge's of its name."""
    readings = [part for path in paths for part in read(path, "")]
    if len(readings) < 2:
        return readings
    one_each = len(readings) == len(paths) and not any(part.judgements for part in readings)
    if one_each and _share_items(readings) and _have_translations(readings):
        parts = [part for path in paths for part in read(path, path.name.split(".")[0])]
        if all(part.judgements for part in parts):
            readings = parts
    joined = join_judges(readings)
    are_unnamed = all(part.judgements and [judge.id for judge in part.judges] == [UNNAMED] for part in joined)
    if len(joined) > 1 and are_unnamed and len({frozenset(part.questions) for part in joined}) == 1:
        joined[0] = replace(joined[0], notes=(_APART, *joined[0].notes))
    return joined


def join_judges(readings: list[Reading]) -> list[Reading]:
    """One reading where each of several has judges of its own, who answered the same questions about the same texts;
    otherwise the readings as they are."""
    first = readings[0]
    judge_ids = [judge.id for part in readings for judge in part.judges]
    if len(readings) < 2 or not all(part.judgements for part in readings) or len(set(judge_ids)) < len(judge_ids):
        return readings
    if any((part.protocol, set(part.questions)) != (first.protocol, set(first.questions)) for part in readings):
        return readings
    if not _share_items(readings) or not (_have_translations(readings) or _are_named_by_judge(readings)):
        return readings  # without texts, ratings of two language pairs look like ratings of one
    parts = [_with_common_document(part) for part in readings] if _are_named_by_file(readings) else readings
    documents = _merge_documents(parts)
    if documents is None:
        return readings
    names = [part.name for part in readings]
    files = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    note = f"{len(names)} files about the same texts are read as one, each with the answers of its own judges: {files}."
    return [
        replace(
            first,
            name="+".join(names[:3]) + ("+…" if len(names) > 3 else ""),
            documents=documents,
            judges=tuple(judge for part in parts for judge in part.judges),
            judgements=tuple(entry for part in parts for entry in part.judgements),
            notes=(note, *dict.fromkeys(note for part in parts for note in part.notes)),
        )
    ]


def _are_named_by_file(readings: Sequence[Reading]) -> bool:
    """Whether no file names documents, so that each is one document called after the file."""
    return all([document.id for document in part.documents] == [part.name] for part in readings)


def _are_named_by_judge(readings: Sequence[Reading]) -> bool:
    """Whether each file has one judge, whose name is in the file's."""
    return all(len(part.judges) == 1 and part.judges[0].id.casefold() in part.name.casefold() for part in readings)


def _have_translations(readings: Sequence[Reading]) -> bool:
    """Whether the texts of every segment are there, by which it shows that two files are about the same ones."""
    segments = [segment for part in readings for document in part.documents for segment in document]
    return all(segment.source and any(segment.outputs.values()) for segment in segments)


def _share_items(readings: Sequence[Reading]) -> bool:
    """Whether every reading has items of the first one."""
    named_by_file = _are_named_by_file(readings)
    if named_by_file and not all(segment.source for part in readings for segment in part.documents[0]):
        return False  # nothing but the numbers of rows would be the same
    keys = [
        {("" if named_by_file else document.id, segment.id) for document in part.documents for segment in document}
        for part in readings
    ]
    return all(keys[0] & other for other in keys[1:])


def _with_common_document(part: Reading) -> Reading:
    [document] = part.documents
    judgements = tuple(replace(entry, document=_TOGETHER) for entry in part.judgements)
    return replace(part, documents=(replace(document, id=_TOGETHER),), judgements=judgements)


def _merge_documents(readings: Sequence[Reading]) -> tuple[Document, ...] | None:
    """The documents of all; None where two of them have different texts at the same place."""
    documents: dict[str, Document] = {}
    segments: dict[str, dict[str, Segment]] = {}
    for part in readings:
        for document in part.documents:
            documents.setdefault(document.id, document)
            own_segments = segments.setdefault(document.id, {})
            for segment in document:
                other = own_segments.get(segment.id, segment)
                same = all(other.outputs.get(name, text) == text for name, text in segment.outputs.items())
                if other.source != segment.source or not same:
                    return None
                own_segments[segment.id] = replace(
                    other,
                    outputs={**segment.outputs, **other.outputs},
                    references={**segment.references, **other.references},
                )
    return tuple(replace(document, segments=tuple(segments[key].values())) for key, document in documents.items())
