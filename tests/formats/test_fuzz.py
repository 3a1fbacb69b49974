"""Malformed variants of every sample: a clear error or a result, never another exception, never a part."""

from __future__ import annotations

import json
import tempfile
from contextlib import suppress
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from formats.strategies import SAMPLES
from lanner import formats, registry
from lanner.errors import LannerError
from lanner.formats import Reading
from property_examples import examples

FILES = sorted(path.relative_to(SAMPLES) for path in SAMPLES.rglob("*") if path.is_file())
TOKENS = [
    *(
        b"\x00",
        b"\xff\xfe",
        b"\xed\xa0\x80",
        b"\r",
        b"\n",
        b"\n\n",
        b"\t",
        b",",
        b'"',
        b"'",
        b"{",
        b"}",
        b"[",
        b"]",
        b"<",
        b">",
    ),
    *(b"null", b"NaN", b"None", b"-1", b"1e999", b"true", b"[]", b"{}", b'""', b"\\ud800", b"&x;", b"</doc>", b"<v>"),
    *("\ufeff".encode(), "😀".encode(), b"999999999999999999999999", b"#", b"..", b"/"),
]


@st.composite
def damage(draw: st.DrawFn, content: bytes) -> bytes:
    """One to three small injuries: cut, delete, repeat, insert, swap lines, change a word for a token."""
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(content)))
        end = draw(st.integers(at, min(len(content), at + 40)))
        lines = content.split(b"\n")
        match draw(st.sampled_from(["cut", "delete", "repeat", "insert", "drop line", "double line", "swap", "token"])):
            case "cut":
                content = content[:at]
            case "delete":
                content = content[:at] + content[end:]
            case "repeat":
                content = content[:end] + content[at:end] + content[end:]
            case "insert":
                content = content[:at] + draw(st.sampled_from(TOKENS)) + content[at:]
            case "drop line":
                del lines[draw(st.integers(0, len(lines) - 1))]
                content = b"\n".join(lines)
            case "double line":
                line = draw(st.integers(0, len(lines) - 1))
                content = b"\n".join([*lines[: line + 1], *lines[line:]])
            case "swap":
                content = b"\n".join(draw(st.permutations(lines)) if len(lines) < 12 else lines[::-1])
            case "token":
                words = content.split(b" ")
                words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(TOKENS))
                content = b" ".join(words)
    return content


def survives(path: Path, name: str | None) -> None:
    """Reading gives whole readings or an error of ours; so does streaming."""
    try:
        readings = formats.read(path, name)
    except LannerError as error:
        assert error.what and not str(error).startswith("Traceback")
    else:
        assert readings is not None and all(isinstance(reading, Reading) for reading in readings)
        for reading in readings:
            assert len({document.id for document in reading.documents}) == len(reading.documents)
            for document in reading.documents:
                assert document.id
                assert len({segment.id for segment in document}) == len(document.segments)
    with suppress(LannerError):
        list(formats.read_documents(path, name))
    with suppress(LannerError), formats.texts(path, name) as texts:
        list(texts.documents if texts else ())


@pytest.mark.parametrize("file", FILES, ids=str)
def test_damaged_samples(file: Path) -> None:
    top = SAMPLES / file.parts[0]
    name = formats.recognise(top)
    content = (SAMPLES / file).read_bytes()

    @settings(max_examples=examples(20), deadline=None, suppress_health_check=list(HealthCheck))
    @given(damage(content))
    def check(injured: bytes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / top.name
            if top.is_dir():
                copytree(top, root)
                (root / Path(*file.parts[1:])).write_bytes(injured)
            else:
                root.write_bytes(injured)
            survives(root, name)
            survives(root, None)

    check()


ODD = [None, True, -1, 0.5, 10**30, "", "x", "\u0000", [], [None], [[]], {}, {"x": []}, "None", "a#b#c"]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, part in inner for place in places(part, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], other)
    return copy


@pytest.mark.parametrize("file", [file for file in FILES if file.suffix in (".json", ".jsonl")], ids=str)
def test_values_of_the_wrong_kind(file: Path) -> None:
    """Any value of a JSON sample changed for one of another kind."""
    top = SAMPLES / file.parts[0]
    name = formats.recognise(top)
    text = (SAMPLES / file).read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()] if file.suffix == ".jsonl" else [json.loads(text)]

    @settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        st.sampled_from([(row, path) for row, value in enumerate(rows) for path in places(value)]), st.sampled_from(ODD)
    )
    def check(place: tuple[int, tuple[Any, ...]], odd: Any) -> None:
        changed = [replaced(row, place[1], odd) if number == place[0] else row for number, row in enumerate(rows)]
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / top.name
            if top.is_dir():
                copytree(top, root)
            target = root / Path(*file.parts[1:]) if top.is_dir() else root
            target.write_text("\n".join(json.dumps(row) for row in changed), encoding="utf-8")
            survives(root, name)

    check()


@settings(max_examples=examples(40), deadline=None)
@given(st.binary(max_size=200), st.sampled_from(registry.names("formats")))
def test_noise(content: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "noise.en-de.txt"
        path.write_bytes(content)
        survives(path, name)
        survives(Path(folder), name)
        survives(path, None)


@pytest.mark.parametrize("name", registry.names("formats"))
def test_an_empty_file_and_an_empty_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    survives(tmp_path / "empty", name)
    survives(tmp_path / "folder", name)
