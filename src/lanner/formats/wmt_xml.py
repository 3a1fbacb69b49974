"""WMT's XML: `dataset` of `doc` with `src`, `ref`, `hyp`, each of paragraphs `p` of segments `seg`.

A reference is named by its translator, an output by its system; `p` gives the paragraph. Segments that a reference or
system lacks stay lacking. Test suites and collections are named in the document's `meta`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from lxml import etree

from lanner.formats.parsing import textfile, xml
from lanner.formats.parsing.readings import Draft, Format, Reading
from lanner.formats.parsing.textfile import refuse_answers, write_whole
from lanner.formats.parsing.values import file_languages, is_canary
from lanner.model import Document, Judge, Judgement, languages
from lanner.model.messages import in_number


def recognise(path: Path) -> bool:
    """The root is `dataset` (or a single `doc`) and has documents with `src`."""
    head = textfile.head(path)
    return textfile.root_name(path) in ("dataset", "doc", "collection") and "<src" in head and "<seg" in head


def read(path: Path) -> list[Reading]:
    """All documents; those of test suites are counted in a note."""
    documents = tuple(read_documents(path))
    notes = []
    if suites := sum("testsuite" in document.meta for document in documents):
        notes.append(
            in_number(
                suites,
                "{n} document belongs to a test suite (meta: testsuite).",
                "{n} documents belong to test suites (meta: testsuite).",
            )
        )
    if others := dict.fromkeys(name for document in documents for name in document.meta.get("left_out", ())):
        pair = documents[0].language_pair
        notes.append(f"Read as {pair}; left out are translations into other languages: {', '.join(others)}.")
    return [Reading(path.name.split(".")[0], documents, notes=tuple(notes))]


def read_documents(path: Path) -> Iterator[Document]:
    """Documents one by one."""
    ids: dict[str, int] = {}
    for element in xml.elements(path, "doc"):
        document = _document(path, element)
        if document.id in ids:
            textfile.failed(path, f"The document {document.id!r} is already on line {ids[document.id]}.")
        ids[document.id] = element.sourceline
        yield document


def _document(path: Path, element: Any) -> Document:
    name, line = element.get("id", ""), element.sourceline
    if not name:
        textfile.failed(path, "This document has no id.", line)
    sources = xml.children(element, "src")
    if not sources:
        textfile.failed(path, f"The document {name!r} has no source.", line)
    drafts: dict[str, Draft] = {}
    for paragraph, segment in _segments(path, sources[0]):
        key = segment.get("id", "")
        if not key or key in drafts:
            what = f"Two segments of {name!r} have the id {key!r}." if key else f"A segment of {name!r} has no id."
            textfile.failed(path, what, segment.sourceline)
        draft = Draft(name, key, segment.sourceline, xml.text_of(segment), paragraph=paragraph)
        if segment.get("type"):
            draft.meta["type"] = segment.get("type")
        if is_canary(draft.source, name):
            draft.flags.append("canary")
            draft.judged = False
        drafts[key] = draft
    target, left_out = _translations(path, element, drafts)
    origin = sources[0].get("lang") or element.get("origlang", "")
    _, code = file_languages(path)
    meta: dict[str, Any] = {key: element.get(key) for key in ("origlang", "testsuite") if element.get(key)}
    if left_out:
        meta["left_out"] = left_out
    parent = element.getparent()
    if parent is not None and xml.local(parent) == "collection" and parent.get("id"):
        meta["collection"] = parent.get("id")
    return Document(
        name,
        tuple(draft.segment() for draft in drafts.values()),
        languages.normal(origin),
        languages.normal(target) if target else code,
        domain=element.get("domain", ""),
        meta=meta,
    )


def _segments(path: Path, element: Any) -> Iterator[tuple[int, Any]]:
    number = 0
    for child in element:
        match xml.local(child):
            case "p":
                number += 1
                for segment in xml.children(child, "seg"):
                    yield number, segment
            case "seg":
                yield max(number, 1), child
            case "":
                continue
            case other:
                textfile.failed(path, f"Unexpected element {other!r}.", child.sourceline)


def _translations(path: Path, element: Any, drafts: dict[str, Draft]) -> tuple[str, list[str]]:
    """Fill in references, outputs and supplements. The language they are in: that of the file's name where there are
    translations into it, else the first; and the names of those in other languages, which are no references of it."""
    parts = [(part, part.get("lang") or part.get("language") or "") for part in xml.children(element, "ref", "hyp")]
    codes = [code for _, code in parts if code]
    named = file_languages(path)[1].partition("-")[0]
    target = next((code for code in codes if _base(code) == named), next(iter(codes), ""))
    left_out: list[str] = []
    supplements = [(part, "") for part in xml.children(element, "supplemental")]
    for part, code in (*parts, *supplements):
        kind = xml.local(part)
        name = part.get({"ref": "translator", "hyp": "system", "supplemental": "type"}[kind]) or kind
        if code and _base(code) != _base(target):
            left_out.append(f"{name} ({code})")
            continue
        for _, segment in _segments(path, part):
            draft = drafts.get(segment.get("id", ""))
            if draft is None:
                what = f"{name!r} has a segment {segment.get('id', '')!r} that the source lacks."
                textfile.failed(path, what, segment.sourceline)
            texts: dict[str, Any] = {
                "ref": draft.references,
                "hyp": draft.outputs,
                "supplemental": draft.meta.setdefault("supplemental", {}) if kind == "supplemental" else {},
            }[kind]
            if name in texts:
                textfile.failed(path, f"{name!r} translates the segment {draft.id!r} twice.", segment.sourceline)
            texts[name] = xml.text_of(segment)
    return target, left_out


def _base(code: str) -> str:
    return languages.normal(code).partition("-")[0]


def write(
    path: Path,
    documents: Iterable[Document],
    judgements: Iterable[Judgement] = (),
    judges: Iterable[Judge] = (),
    *,
    name: str = "lanner",
) -> None:
    """One `doc` for each document, paragraphs as they are."""
    refuse_answers(path, "WMT's XML holds no judgements.", judgements, judges)
    root = etree.Element("dataset", id=name)
    collections: dict[str, Any] = {}
    for document in documents:
        parent = root
        if collection := str(document.meta.get("collection", "")):
            if collection not in collections:
                collections[collection] = etree.SubElement(root, "collection")
                xml.put_attribute(path, collections[collection], "id", collection)
            parent = collections[collection]
        _write_document(path, etree.SubElement(parent, "doc"), document)
    write_whole(path, xml.to_bytes(root))


def _write_document(path: Path, element: Any, document: Document) -> None:
    attributes = {
        "id": document.id,
        "origlang": str(document.meta.get("origlang", document.source_language)),
        "domain": document.domain,
        "testsuite": str(document.meta.get("testsuite", "")),
    }
    for key, value in attributes.items():
        if value:
            xml.put_attribute(path, element, key, value)
    references = dict.fromkeys(name for segment in document for name in segment.references)
    supplements = dict.fromkeys(name for segment in document for name in segment.meta.get("supplemental", {}))
    parts: list[tuple[str, dict[str, str], Any]] = [("src", {"lang": document.source_language}, lambda s: s.source)]
    target = {"lang": document.target_language}
    parts += [("ref", {**target, "translator": n}, lambda s, n=n: s.references.get(n)) for n in references]
    parts += [("hyp", {**target, "system": n}, lambda s, n=n: s.outputs.get(n)) for n in document.systems]
    parts += [("supplemental", {"type": n}, lambda s, n=n: s.meta.get("supplemental", {}).get(n)) for n in supplements]
    for tag, attribute, text in parts:
        part = etree.SubElement(element, tag)
        for key, value in attribute.items():
            xml.put_attribute(path, part, key, value)
        for _, segments in groupby(document.segments, key=lambda segment: segment.paragraph):
            paragraph = etree.SubElement(part, "p")
            for segment in segments:
                if (content := text(segment)) is not None:
                    node = etree.SubElement(paragraph, "seg")
                    xml.put_attribute(path, node, "id", segment.id)
                    if tag == "src" and segment.meta.get("type"):
                        xml.put_attribute(path, node, "type", str(segment.meta["type"]))
                    xml.put_text(path, node, content)


FORMAT = Format(
    name="wmt_xml",
    title="WMT's XML test sets",
    description=__doc__ or "",
    recognise=recognise,
    markers=("<src",),
    read=read,
    read_documents=read_documents,
    write=write,
    options={"name": "the id of the data set (writing)"},
    signs={"xml": ("dataset", "doc", "src", "seg")},
)
