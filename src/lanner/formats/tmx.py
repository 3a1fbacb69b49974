"""TMX: translation units of two or more languages, in the order of the file, as one document.

The language that the header calls the source is the source, and the other one that most units of a document have is
that of the output. Further languages are left out, and said; a second text in the output's language is a reference.
Inline codes are read as placeholders such as `{1}`. Units without `tuid` are counted. TMX has no documents: a property
`document` of a unit names one where it is there, as in the files written here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from lxml import etree

from lanner.errors import InputError, Where
from lanner.formats.parsing import textfile, xml
from lanner.formats.parsing.readings import Format, Pair, Reading, SegmentsByDocument
from lanner.formats.parsing.textfile import ReadingNote, refuse_answers, write_whole
from lanner.model import Document, Judge, Judgement, all_systems, languages
from lanner.model.messages import in_number

_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_ABOUT_DOCUMENT = ("domain", "title", "text_type")
_DOCTYPE = '<!DOCTYPE tmx SYSTEM "tmx14.dtd">'


def recognise(path: Path) -> bool:
    """The root is `tmx`."""
    return textfile.root_name(path) == "tmx"


def read(path: Path, *, system: str = "target", languages: str = "") -> list[Reading]:
    """All units."""
    memory = _Memory(path, system, languages)
    documents = tuple(memory.documents())
    named = len(documents) > 1 or (documents and documents[0].id != path.name.split(".")[0])
    notes = [] if named else ["TMX has no documents: the units are one, in the order of the file."]
    if memory.left_out and not languages:
        pair = documents[0].language_pair
        there = f"Read as {pair}; also there, and left out: {', '.join(memory.left_out)}."
        notes.append(ReadingNote(there, "--languages PAIR chooses another pair."))
    if n := memory.without_target:
        notes.append(
            in_number(
                n,
                "{n} unit has no text in the language of the translations; it is shown and not assigned.",
                "{n} units have no text in the language of the translations; they are shown and not assigned.",
            )
        )
    if n := memory.without_source:
        notes.append(
            in_number(
                n,
                "{n} unit has no text in the language of the source and is left out.",
                "{n} units have no text in the language of the source and are left out.",
            )
        )
    if n := memory.texts_with_codes:
        have = "text has" if n == 1 else "texts have"
        notes.append(f"{n} {have} inline codes, shown as {{1}} and {{/1}}.")
    return [Reading(path.name.split(".")[0], documents, notes=tuple(notes))]


def read_documents(path: Path, *, system: str = "target", languages: str = "") -> Iterator[Document]:
    """Documents one by one, where properties name them; else the one that holds all units."""
    yield from _Memory(path, system, languages).documents()


class _Memory:
    """One TMX file being read."""

    def __init__(self, path: Path, system: str, pair: str) -> None:
        self.path, self.system = path, system
        self.pair = languages.pair(pair) if pair else None
        self.languages: set[str] = set()
        self.pairs: dict[str, Pair] = {}
        self._find_pairs()
        self.left_out: dict[str, None] = {}
        self.targets = self.without_target = self.without_source = 0
        self.texts_with_codes = 0

    def _find_pairs(self) -> None:
        """The pair that was asked for; else the languages of each document. A file of two languages has those that the
        user names, whatever it calls them."""
        stated: dict[str, str] = {}
        codes: dict[str, Counter[str]] = {}
        header = ""
        for unit in xml.elements(self.path, "header", "tu"):
            if xml.local(unit) == "header":
                header = unit.get("srclang", "")
                continue
            name = _properties(unit).get("document", "")
            stated.setdefault(name, self.pair[0] if self.pair else languages.normal(unit.get("srclang") or header))
            codes.setdefault(name, Counter()).update(_language(variant) for variant in xml.children(unit, "tuv"))
        self.languages = {code for counts in codes.values() for code in counts}
        for name, counts in codes.items():
            if self.pair and len(self.languages) > 2:
                self.pairs[name] = self.pair
            elif counts:
                source = list(counts)[_place(list(counts), stated[name]) or 0]
                others = sorted(
                    (code for code, _ in counts.most_common() if code != source), key=partial(_alike, source)
                )
                self.pairs[name] = source, next(iter(others), languages.UNDETERMINED)

    def documents(self) -> Iterator[Document]:
        gathering = SegmentsByDocument(self.path, self.path.name.split(".")[0], has_documents=False, has_segments=False)
        empty = True
        for element in xml.elements(self.path, "header", "tu"):
            empty = empty and xml.local(element) == "header"
            if xml.local(element) == "tu":
                self.add(gathering, element)
            if len(gathering) > 1:
                yield gathering.release_first()
        if empty:
            textfile.failed(self.path, "There is no translation unit in this file.", code="no_units")
        if self.pair and not self.targets:
            known = ", ".join(sorted(self.languages)) or "none of these"
            pair = "-".join(self.pair)
            textfile.failed(self.path, f"No unit has both languages of {pair}; the file has {known}.", code="no_units")
        yield from gathering.documents()

    def add(self, gathering: SegmentsByDocument, unit: Any) -> None:
        line = unit.sourceline
        variants = [(_language(variant), variant) for variant in xml.children(unit, "tuv")]
        if not variants:
            textfile.failed(self.path, "This unit has no languages.", line)
        properties = _properties(unit)
        name = properties.get("document", "")
        source_code, target_code = self.pairs[name]
        at = _place([code for code, _ in variants], source_code)
        if at is None:
            self.without_source += 1
            return
        source_language, source = variants.pop(at)
        best = _place([code for code, _ in variants], target_code)
        if best is not None:
            variants.insert(0, variants.pop(best))
            self.targets += 1
        elif variants:
            self.without_target += 1
        target = target_code if best is None else variants[0][0]
        of_target = [entry for entry in variants if _alike(entry[0], target)]
        self.left_out |= dict.fromkeys(code for code, _ in variants if not _alike(code, target))

        def attributes() -> dict[str, Any]:
            fields = {name: properties.get(name, "") for name in _ABOUT_DOCUMENT}
            return {"source_language": source_language, "target_language": target, **fields}

        document = gathering.document(name, line, attributes)
        draft = gathering.segment(document, unit.get("tuid", ""), line, self._text(source))
        for position, (code, variant) in enumerate(of_target):
            texts = draft.references if position else draft.outputs
            texts[(code if position == 1 else f"{code} {position}") if position else self.system] = self._text(variant)
        rest = {key: value for key, value in properties.items() if key not in ("document", *_ABOUT_DOCUMENT) and key}
        if rest:
            draft.meta["properties"] = rest
        notes = [xml.text_of(note) for note in xml.children(unit, "note")]
        if notes:
            draft.meta["notes"] = notes

    def _text(self, variant: Any) -> str:
        segments = xml.children(variant, "seg")
        if len(segments) != 1:
            textfile.failed(self.path, "A language of this unit has no segment.", variant.sourceline)
        self.texts_with_codes += xml.has_markup(segments[0])
        return xml.readable_text(segments[0])


def _place(codes: list[str], language: str) -> int | None:
    """The place of a language: in this form of it, else in another (`fr-FR` for `fr`)."""
    if language in codes:
        return codes.index(language)
    return next((at for at, code in enumerate(codes) if _alike(code, language)), None)


def _alike(code: str, other: str) -> bool:
    """Whether two codes are of one language."""
    return code.partition("-")[0] == other.partition("-")[0]


def _properties(unit: Any) -> dict[str, str]:
    return {child.get("type"): xml.text_of(child) for child in xml.children(unit, "prop")}


def _language(variant: Any) -> str:
    return languages.normal(variant.get(_LANG) or variant.get("lang") or "")


def write(
    path: Path,
    documents: Iterable[Document],
    judgements: Iterable[Judgement] = (),
    judges: Iterable[Judge] = (),
    *,
    system: str = "",
    languages: str = "",
) -> None:
    """TMX 1.4 with the output of one system; what is known of documents as properties of the units."""
    del languages
    refuse_answers(path, "TMX holds no judgements.", judgements, judges)
    all_documents = list(documents)
    systems = all_systems(all_documents)
    if not system and len(systems) > 1:
        names = ", ".join(systems)
        raise InputError(
            "TMX holds one output.", where=Where(path), next_step=f"Say which with --option system=NAME: {names}."
        )
    chosen = system or next(iter(systems), "target")
    root = etree.Element("tmx", version="1.4")
    sources = {document.source_language for document in all_documents}
    header = {"creationtool": "lanner", "creationtoolversion": "1", "segtype": "sentence", "o-tmf": "lanner"}
    header |= {"adminlang": "en", "datatype": "plaintext", "srclang": sources.pop() if len(sources) == 1 else "*all*"}
    etree.SubElement(root, "header", header)
    body = etree.SubElement(root, "body")
    for document in all_documents:
        for segment in document:
            unit = etree.SubElement(body, "tu", srclang=document.source_language)
            xml.put_attribute(path, unit, "tuid", segment.id)
            for note in segment.meta.get("notes", []):
                xml.put_text(path, etree.SubElement(unit, "note"), str(note))
            about = {name: getattr(document, name) for name in _ABOUT_DOCUMENT}
            properties = {"document": document.id, **about, **segment.meta.get("properties", {})}
            for key, value in properties.items():
                if value:
                    xml.put_text(path, etree.SubElement(unit, "prop", type=key), str(value))
            _variant(path, unit, document.source_language, segment.source)
            if chosen in segment.outputs:
                _variant(path, unit, document.target_language, segment.outputs[chosen])
    write_whole(path, xml.to_bytes(root, _DOCTYPE))


def _variant(path: Path, unit: Any, code: str, text: str) -> None:
    variant = etree.SubElement(unit, "tuv", {_LANG: code})
    xml.put_text(path, etree.SubElement(variant, "seg"), text)


FORMAT = Format(
    name="tmx",
    title="TMX translation memories",
    description=__doc__ or "",
    recognise=recognise,
    markers=("tmx",),
    read=read,
    read_documents=read_documents,
    write=write,
    options={
        "system": "the name of the system whose output the translations are (target)",
        "languages": "the language pair, where a unit has more than two languages",
    },
    signs={"xml": ("tmx",)},
)
