"""XLIFF 1.2 and 2.x: each `file` is a document, each unit (1.2) or segment (2.x) a segment with its target as output.

Ids are kept; without an id of its own a segment of a unit is counted within it. Text is what a reader sees; where
there is markup inside, the segment's `meta` keeps it whole. Groups become paragraphs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from lanner.errors import InputError, Where
from lanner.formats._format import Format, Reading
from lanner.formats.parsing import textfile, xml
from lanner.formats.parsing.documents import Draft
from lanner.formats.parsing.writing import refuse_answers, replacing
from lanner.model import Document, Judge, Judgement, languages

_NAMESPACE = "urn:oasis:names:tc:xliff:document:1.2"


def recognise(path: Path) -> bool:
    """The root is `xliff`."""
    return xml.root_name(path) == "xliff"


def read(path: Path, *, system: str = "target") -> list[Reading]:
    """A document for each file of the XLIFF."""
    documents = tuple(read_documents(path, system=system))
    marked = sum("markup" in segment.meta for document in documents for segment in document)
    notes = (f"{marked} segments have markup inside, which their meta keeps.",) if marked else ()
    return [Reading(path.name.split(".")[0], documents, notes=notes)]


def read_documents(path: Path, *, system: str = "target") -> Iterator[Document]:
    """Documents one by one."""
    seen: dict[str, int] = {}
    for number, element in enumerate(xml.elements(path, "file"), 1):
        root = element.getparent()
        name = element.get("original") or element.get("id") or str(number)
        if name in seen:
            textfile.failed(path, f"The file {name!r} is already on line {seen[name]}.", element.sourceline)
        seen[name] = element.sourceline
        top = root if root is not None else element
        source = element.get("source-language") or top.get("srcLang") or ""
        target = element.get("target-language") or top.get("trgLang") or ""
        drafts = _drafts(path, name, element, system)
        segments = tuple(draft.segment() for draft in drafts)
        yield Document(name, segments, languages.normal(source), languages.normal(target))


def _drafts(path: Path, name: str, element: Any, system: str) -> list[Draft]:
    drafts: dict[str, Draft] = {}
    groups: dict[Any, int] = {}
    for unit in element.iter():
        if xml.local(unit) not in ("trans-unit", "unit"):
            continue
        parent = unit.getparent()
        paragraph = groups.setdefault(parent, len(groups) + 1) if xml.local(parent) == "group" else None
        parts = [unit] if xml.local(unit) == "trans-unit" else xml.children(unit, "segment")
        for number, part in enumerate(parts, 1):
            key = unit.get("id") or unit.get("name") or ""
            if part is not unit:
                key = part.get("id") or (key if len(parts) == 1 else f"{key}.{number}")
            if not key or key in drafts:
                what = f"Two segments of {name!r} have the id {key!r}." if key else "A segment has no id."
                textfile.failed(path, what, part.sourceline)
            drafts[key] = _draft(path, name, key, part, system, paragraph)
            notes = [xml.text_of(note) for note in xml.children(unit, "note")]
            if notes:
                drafts[key].meta["notes"] = notes
    return list(drafts.values())


def _draft(path: Path, name: str, key: str, part: Any, system: str, paragraph: int | None) -> Draft:  # noqa: PLR0917
    sources = xml.children(part, "source")
    if not sources:
        textfile.failed(path, f"The segment {key!r} has no source.", part.sourceline)
    draft = Draft(name, key, part.sourceline, xml.text_of(sources[0]), paragraph=paragraph)
    markup = {"source": xml.inner_xml(sources[0])} if xml.has_markup(sources[0]) else {}
    targets = xml.children(part, "target")
    if targets:
        draft.outputs[system] = xml.text_of(targets[0])
        if xml.has_markup(targets[0]):
            markup["target"] = xml.inner_xml(targets[0])
        if targets[0].get("state") or part.get("state"):
            draft.meta["state"] = targets[0].get("state") or part.get("state")
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
        chosen = _chosen(path, document, system)
        file = etree.SubElement(root, f"{{{_NAMESPACE}}}file", datatype="plaintext")
        for key, value in {
            "original": document.id,
            "source-language": document.source_language,
            "target-language": document.target_language,
        }.items():
            xml.put_attribute(path, file, key, value)
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
            xml.put_text(path, etree.SubElement(unit, f"{{{_NAMESPACE}}}source"), segment.source)
            if chosen in segment.outputs:
                target = etree.SubElement(unit, f"{{{_NAMESPACE}}}target")
                if segment.meta.get("state"):
                    xml.put_attribute(path, target, "state", str(segment.meta["state"]))
                xml.put_text(path, target, segment.outputs[chosen])
            for note in segment.meta.get("notes", []):
                xml.put_text(path, etree.SubElement(unit, f"{{{_NAMESPACE}}}note"), str(note))
    with replacing(path) as made:
        made.write_bytes(xml.to_bytes(root))


def _chosen(path: Path, document: Document, system: str) -> str:
    if system:
        return system
    if len(document.systems) > 1:
        raise InputError(
            f"XLIFF holds one target, {document.id!r} has {len(document.systems)} systems.",
            where=Where(path),
            next_step=f"Say which with system=NAME: {', '.join(document.systems)}.",
        )
    return next(iter(document.systems), "target")


FORMAT = Format(
    name="xliff",
    title="XLIFF 1.2 and 2.x",
    description=__doc__ or "",
    recognise=recognise,
    read=read,
    read_documents=read_documents,
    write=write,
    options={"system": "the name of the system whose output the targets are (target)"},
    signs={"xml": ("xliff",)},
)
