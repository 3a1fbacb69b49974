from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from lanner.errors import InputError
from lanner.formats.parsing import textfile, xml


def put(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<tmx version='1'/>", "tmx"),
        ("\ufeff<?xml version='1.0'?>\n<!-- <x> --><!DOCTYPE tmx SYSTEM 'a.dtd'>\n<tmx>", "tmx"),
        ("<x:xliff xmlns:x='u'>", "xliff"),
        ("plain", ""),
        ("< not", ""),
    ],
)
def test_root_name(tmp_path: Path, text: str, name: str) -> None:
    assert textfile.root_name(put(tmp_path / "x", text)) == name


LAUGHS = '<!DOCTYPE a [<!ENTITY l "ha"><!ENTITY m "&l;&l;&l;&l;">]><a><b>&m;</b></a>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><a><b>&f;</b></a>'
UNDECLARED = "<a><b>&f;</b></a>"


@pytest.mark.parametrize("text", [LAUGHS, OUTSIDE, UNDECLARED, "<a><b></a>", "no xml", "<a><b>x</b>"])
def test_entities_and_broken_files_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        list(xml.elements(put(tmp_path / "x", text), "b"))


def test_entities_behind_much_else_are_refused(tmp_path: Path) -> None:
    text = f'<!DOCTYPE a [<!-- <b > {"x" * 70_000} --><!ENTITY l "ha">]><a><b>&l;</b></a>'
    with pytest.raises(InputError, match="entity"):
        list(xml.elements(put(tmp_path / "x", text), "b"))


def test_elements_stream_and_are_freed(tmp_path: Path) -> None:
    path = put(tmp_path / "x", "<a>" + "".join(f"<b>{n}</b>" for n in range(15_000)) + "</a>")
    left = [len(element.getparent()) for element in xml.elements(path, "b")]
    assert len(left) == 15_000
    assert max(left) < 10_000  # the parser reads ahead by a chunk, never by the file


def test_text_is_what_is_read() -> None:
    element = etree.fromstring("<s>a<!-- no --> <g>b<i/></g>&amp;c</s>")
    assert xml.text_of(element) == "a b&c"
    assert xml.inner_xml(etree.fromstring("<s>a&lt;<g>b</g>c</s>")) == "a&lt;<g>b</g>c"


def test_control_characters_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="control character"):
        xml.put_text(tmp_path, etree.Element("a"), "a\x00")
    with pytest.raises(InputError, match="control character"):
        xml.put_attribute(tmp_path, etree.Element("a"), "k", "\x01")
