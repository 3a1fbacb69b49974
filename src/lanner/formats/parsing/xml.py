"""XML read as a stream, without what makes XML dangerous: entities are refused, nothing is fetched, memory is freed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lxml import etree

from lanner.errors import InputError, Where
from lanner.formats.parsing import textfile

SAFELY: dict[str, Any] = {"resolve_entities": False, "load_dtd": False, "no_network": True, "huge_tree": False}
"""How every parser is made that reads files of other people."""


def elements(path: Path, *names: str) -> Iterator[Any]:
    """The elements with one of these local names, whole and one after another; each is emptied afterwards."""
    _refuse_entities(path)
    with textfile.opened(path) as stream:
        try:
            events = etree.iterparse(stream, events=("end",), **SAFELY)
            for _, element in events:
                if isinstance(element.tag, str) and etree.QName(element).localname in names:
                    _check(path, element)
                    yield element
                    _free(element)
        except etree.XMLSyntaxError as error:
            line = error.position[0] if error.position else None
            raise InputError(f"This is not well-formed XML: {error.msg}.", where=Where(path, line)) from error


def _refuse_entities(path: Path) -> None:
    head = textfile.head(path)
    if "<!ENTITY" in head or not textfile.ROOT_ELEMENT.search(head):
        raise InputError(
            "The file declares entities, which are not read." if "<!ENTITY" in head else "This is no XML.",
            where=Where(path),
            next_step="Remove the DOCTYPE and write the characters themselves.",
        )


def _check(path: Path, element: Any) -> None:
    for node in element.iter():
        if node.tag is etree.Entity:
            raise InputError(f"The entity {node.text} is not read.", where=Where(path, node.sourceline))


def _free(element: Any) -> None:
    element.clear(keep_tail=False)
    while element.getprevious() is not None:
        del element.getparent()[0]


def local(element: Any) -> str:
    """An element's name without its namespace; empty for comments and the like."""
    return str(etree.QName(element).localname) if isinstance(element.tag, str) else ""


def children(element: Any, *names: str) -> list[Any]:
    """Child elements with one of these local names."""
    return [child for child in element if local(child) in names]


def text_of(element: Any) -> str:
    """All text inside an element, exactly as it stands; markup inside is left out, comments too."""
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str):
            parts.append(text_of(child))
        parts.append(child.tail or "")
    return "".join(parts)


_PAIRED = {"g", "pc", "hi"}
_OPENING, _CLOSING = {"bpt", "bx", "sc"}, {"ept", "ex", "ec"}
_SINGLE = {"ph", "x", "it", "ut", "sub"}


def readable_text(element: Any) -> str:
    """The text of a segment as a judge should read it: inline codes of XLIFF and TMX are short placeholders, `{1}` and
    `{/1}` around what a pair encloses, and the code inside them (such as escaped HTML) is no text."""
    parts = [element.text or ""]
    for child in element:
        name = local(child)
        key = child.get("id") or child.get("i") or child.get("x") or child.get("rid") or child.get("startRef") or ""
        if name == "cp":
            parts.append(_character(child.get("hex", "")))
        elif name in _PAIRED:
            parts.append(f"{{{key}}}{readable_text(child)}{{/{key}}}")
        elif name in _OPENING:
            parts.append(f"{{{child.get('rid') or key}}}")
        elif name in _CLOSING:
            parts.append(f"{{/{child.get('rid') or child.get('startRef') or key}}}")
        elif name in _SINGLE:
            parts.append(f"{{{key}}}")
        elif name:  # annotations such as mrk enclose text and are none themselves
            parts.append(readable_text(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _character(code: str) -> str:
    """The character that XML cannot hold, by its code; nothing where the code is none."""
    try:
        return chr(int(code, 16))
    except (ValueError, OverflowError):
        return ""


def put_markup(path: Path, element: Any, markup: str) -> None:
    """Fill an element with markup that `inner_xml` gave."""
    try:
        content = etree.fromstring(
            f"<r>{markup}</r>".encode(), parser=etree.XMLParser(resolve_entities=False, no_network=True)
        )
    except etree.XMLSyntaxError as error:
        raise InputError(f"The markup of a segment is not well formed: {error.msg}.", where=Where(path)) from error
    element.text = content.text
    for child in content:
        element.append(child)


def inner_xml(element: Any) -> str:
    """What stands inside an element, with its markup."""
    own = (element.text or "").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return own + "".join(etree.tostring(child, encoding="unicode") for child in element)


def has_markup(element: Any) -> bool:
    """Whether an element holds other elements."""
    return any(isinstance(child.tag, str) for child in element)


def put_text(path: Path, element: Any, text: str) -> None:
    """Set an element's text; XML cannot hold control characters."""
    with _held(path, text):
        element.text = text


def put_attribute(path: Path, element: Any, name: str, value: str) -> None:
    """Set an attribute likewise."""
    with _held(path, value):
        element.set(name, value)


@contextmanager
def _held(path: Path, text: str) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise InputError(
            "XML cannot hold this text: it has a control character.", where=Where(path, item=repr(text[:40]))
        ) from error


def to_bytes(root: Any, doctype: str | None = None) -> bytes:
    """The file's content."""
    content: bytes = etree.tostring(root, encoding="utf-8", xml_declaration=True, pretty_print=False, doctype=doctype)
    return content
