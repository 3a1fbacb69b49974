"""XLIFF 1.2 and 2.x: each `file` is a document, each unit (1.2) or segment (2.x) a segment with its target as output.

Ids are kept; without an id of its own a segment of a unit is counted within it, and where segments of two units have
one id, each has that of its unit before it. What is not to be translated is shown and not judged. A unit of 1.2 that
its tool split into sentences (`seg-source` with `mrk`) is as many segments. Inline codes are read as placeholders,
`{1}bold{/1}` and `{2}`, and the segment's `meta` keeps the markup whole for writing. A segment whose target is empty or
missing has no output, so nobody is asked about it. Groups become paragraphs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path, PureWindowsPath
from typing import Any, NamedTuple

from lxml import etree

from lanner.errors import InputError, Where
from lanner.formats.parsing import textfile, xml
from lanner.formats.parsing.readings import Draft, Format, Reading
from lanner.formats.parsing.textfile import refuse_answers, write_whole
from lanner.model import Document, Judge, Judgement, Segment, languages

_NAMESPACE = "urn:oasis:names:tc:xliff:document:1.2"


def recognise(path: Path) -> bool:
    """The root is `xliff`."""
    return textfile.root_name(path) == "xliff"


def read(path: Path, *, system: str = "target") -> list[Reading]:
    """A document for each file of the XLIFF."""
    documents = tuple(read_documents(path, system=system))
    segments = [segment for document in documents for segment in document]
    with_markup = sum("markup" in segment.meta for segment in segments)
    empty = sum("no_target" in segment.flags for segment in segments)
    notes = []
    if with_markup:
        have = "segment has" if with_markup == 1 else "segments have"
        notes.append(f"{with_markup} {have} inline codes, shown as {{1}} and {{/1}}; the markup is kept in `meta`.")
    if empty:
        have, they = ("segment has", "it is") if empty == 1 else ("segments have", "they are")
        notes.append(f"{empty} {have} no target; {they} shown and not assigned to anybody.")
    if n := sum(not segment.judged for segment in segments):
        are, they = ("segment is", "it is") if n == 1 else ("segments are", "they are")
        notes.append(f"{n} {are} not to be translated (translate=no); {they} shown and not judged.")
    return [Reading(path.name.split(".")[0], documents, notes=tuple(notes))]


def read_documents(path: Path, *, system: str = "target") -> Iterator[Document]:
    """Documents one by one."""
    ids: dict[str, int] = {}
    empty = True
    for number, element in enumerate(xml.elements(path, "file"), 1):
        root = element.getparent()
        name = element.get("original") or element.get("id") or str(number)
        if name in ids:
            textfile.failed(path, f"The file {name!r} is already on line {ids[name]}.", element.sourceline)
        ids[name] = element.sourceline
        top = root if root is not None else element
        source = element.get("source-language") or top.get("srcLang") or ""
        target = element.get("target-language") or top.get("trgLang") or ""
        drafts = _drafts(path, name, element, system)
        if drafts:
            empty = False
            segments = tuple(draft.segment() for draft in drafts)
            title = PureWindowsPath(name).name  # tools write the path on the translator's machine, with either slash
            pair = languages.normal(source), languages.normal(target)
            about: dict[str, Any] = {"title": "" if title == name else title, **_about(element)}
            yield Document(name, segments, *pair, **about)
    if empty:
        textfile.failed(path, "There is no translation unit in this file.", code="no_units")


_ABOUT_DOCUMENT = ("title", "text_type")
"""What a note of the file says of it, by whom the note is from (1.2) or its category (2.x); the domain has an
attribute of its own."""


def _about(file: Any) -> dict[str, str]:
    notes = [note for part in xml.children(file, "header", "notes") for note in xml.children(part, "note")]
    fields = {note.get("from") or note.get("category") or "": xml.text_of(note) for note in notes}
    about = {name: fields[name] for name in _ABOUT_DOCUMENT if fields.get(name)}
    return about | ({"domain": file.get("category")} if file.get("category") else {})


def _drafts(path: Path, name: str, element: Any, system: str) -> list[Draft]:
    drafts: dict[str, Draft] = {}
    groups: dict[Any, int] = {}
    units = [unit for unit in element.iter() if xml.local(unit) in ("trans-unit", "unit") and not _is_structure(unit)]
    ids = [part.get("id") for unit in units for part in xml.children(unit, "segment") if part.get("id")]
    within_unit = len(set(ids)) < len(ids)
    for unit in units:
        parent = unit.getparent()
        paragraph = groups.setdefault(parent, len(groups) + 1) if xml.local(parent) == "group" else None
        notes = [xml.text_of(note) for note in xml.children(unit, "note")]
        for part in _parts(path, unit, within_unit=within_unit):
            if not part.key or part.key in drafts:
                what = f"Two segments of {name!r} have the id {part.key!r}." if part.key else "A segment has no id."
                textfile.failed(path, what, unit.sourceline)
            draft = _draft(name, part, system, paragraph, judged=_is_to_be_translated(unit))
            if notes:
                draft.meta["notes"] = notes
            drafts[part.key] = draft
    return list(drafts.values())


def _is_structure(unit: Any) -> bool:
    """Whether a unit is not to be translated and has no text: Trados keeps the document's own codes in such units."""
    return unit.get("translate") == "no" and not any("".join(part.itertext()).strip() for part in unit)


def _is_to_be_translated(unit: Any) -> bool:
    """Whether a unit is, as it says itself, or the nearest group or file around it."""
    said = (part.get("translate") for part in (unit, *unit.iterancestors()))
    return next((word for word in said if word), "yes") != "no"


class _Part(NamedTuple):
    """A segment of a unit: its id, and the elements with its source and target."""

    key: str
    source: Any
    target: Any
    state: str


def _parts(path: Path, unit: Any, *, within_unit: bool) -> Iterator[_Part]:
    """The segments of a unit, called `within_unit` where their own ids are not enough."""
    own = unit.get("id") or unit.get("name") or ""
    if xml.local(unit) == "unit":
        segments = xml.children(unit, "segment")
        for number, segment in enumerate(segments, 1):
            key = segment.get("id") or (own if len(segments) == 1 else f"{own}.{number}")
            key = f"{own}.{key}" if within_unit and segment.get("id") else key
            source = _only(path, segment, key)
            target = next(iter(xml.children(segment, "target")), None)
            yield _Part(key, source, target, segment.get("state") or "")
        return
    target = next(iter(xml.children(unit, "target")), None)
    state = target.get("state") or "" if target is not None else ""
    sentences = _sentences(next(iter(xml.children(unit, "seg-source")), None))
    if len(sentences) < 2:
        yield _Part(own, _only(path, unit, own), target, state)
        return
    targets = _sentences(target)
    for key, source in sentences.items():
        yield _Part(f"{own}.{key}", source, targets.get(key), state)


def _only(path: Path, part: Any, key: str) -> Any:
    sources = xml.children(part, "source")
    if not sources:
        textfile.failed(path, f"The segment {key!r} has no source.", part.sourceline)
    return sources[0]


def _sentences(element: Any) -> dict[str, Any]:
    """The sentences that a tool marked in a source or target, by their numbers."""
    if element is None:
        return {}
    marks = [mark for mark in element.iter() if xml.local(mark) == "mrk" and mark.get("mtype") == "seg"]
    return {mark.get("mid") or str(number): mark for number, mark in enumerate(marks, 1)}


def _draft(name: str, part: _Part, system: str, paragraph: int | None, *, judged: bool) -> Draft:
    draft = Draft(name, part.key, part.source.sourceline, xml.readable_text(part.source), paragraph=paragraph)
    draft.judged = judged
    markup = {"source": xml.inner_xml(part.source)} if xml.has_markup(part.source) else {}
    text = xml.readable_text(part.target) if part.target is not None else ""
    if text.strip():
        draft.outputs[system] = text
        if xml.has_markup(part.target):
            markup["target"] = xml.inner_xml(part.target)
    elif judged:
        draft.flags.append("no_target")
    if part.state:
        draft.meta["state"] = part.state
    if markup:
        draft.meta["markup"] = markup
    return draft


def write(
    path: Path,
    documents: Iterable[Document],
    judgements: Iterable[Judgement] = (),
    judges: Iterable[Judge] = (),
    *,
    system: str = "",
) -> None:
    """XLIFF 1.2 with the output of one system as target."""
    refuse_answers(path, "XLIFF holds no judgements.", judgements, judges)
    root = etree.Element(f"{{{_NAMESPACE}}}xliff", nsmap={None: _NAMESPACE}, version="1.2")
    for document in documents:
        output = _choose_system(path, document, system)
        file = etree.SubElement(root, f"{{{_NAMESPACE}}}file", datatype="plaintext")
        for key, value in {
            "original": document.id,
            "source-language": document.source_language,
            "target-language": document.target_language,
        }.items():
            xml.put_attribute(path, file, key, value)
        if document.domain:
            xml.put_attribute(path, file, "category", document.domain)
        if about := {name: value for name in _ABOUT_DOCUMENT if (value := getattr(document, name))}:
            header = etree.SubElement(file, f"{{{_NAMESPACE}}}header")
            for name, value in about.items():
                note = etree.SubElement(header, f"{{{_NAMESPACE}}}note", {"from": name})
                xml.put_text(path, note, value)
        body = etree.SubElement(file, f"{{{_NAMESPACE}}}body")
        parent, last = body, None
        for segment in document:
            if segment.paragraph is None:
                parent = body
            elif segment.paragraph != last:
                parent = etree.SubElement(body, f"{{{_NAMESPACE}}}group")
            last = segment.paragraph
            unit = etree.SubElement(parent, f"{{{_NAMESPACE}}}trans-unit")
            xml.put_attribute(path, unit, "id", segment.id)
            if not segment.judged and segment.source.strip():  # without text it would be the tool's own
                unit.set("translate", "no")
            _put(path, etree.SubElement(unit, f"{{{_NAMESPACE}}}source"), segment, "source", segment.source)
            if output in segment.outputs:
                target = etree.SubElement(unit, f"{{{_NAMESPACE}}}target")
                if segment.meta.get("state"):
                    xml.put_attribute(path, target, "state", str(segment.meta["state"]))
                _put(path, target, segment, "target", segment.outputs[output])
            for note in segment.meta.get("notes", []):
                xml.put_text(path, etree.SubElement(unit, f"{{{_NAMESPACE}}}note"), str(note))
    write_whole(path, xml.to_bytes(root))


def _put(path: Path, element: Any, segment: Segment, side: str, text: str) -> None:
    """The text, with its inline codes where it still is the text that they were read with."""
    markup = dict(segment.meta.get("markup", {})).get(side)
    if isinstance(markup, str):
        xml.put_markup(path, element, markup)
        if xml.readable_text(element) == text:
            return
        for child in list(element):
            element.remove(child)
    xml.put_text(path, element, text)


def _choose_system(path: Path, document: Document, system: str) -> str:
    if system:
        return system
    if len(document.systems) > 1:
        raise InputError(
            f"XLIFF holds one target, {document.id!r} has {len(document.systems)} systems.",
            where=Where(path),
            next_step=f"Say which with --option system=NAME: {', '.join(document.systems)}.",
        )
    return next(iter(document.systems), "target")


FORMAT = Format(
    name="xliff",
    title="XLIFF 1.2 and 2.x",
    description=__doc__ or "",
    recognise=recognise,
    markers=("xliff",),
    read=read,
    read_documents=read_documents,
    write=write,
    options={"system": "the name of the system whose output the targets are (target)"},
    signs={"xml": ("xliff",)},
)
