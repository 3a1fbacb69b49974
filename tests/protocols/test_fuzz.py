"""Whatever is written into a protocol file, it is read or refused as a `ProtocolError` with a place."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lanner import protocols, registry
from lanner.errors import ProtocolError
from lanner.model import Protocol
from lanner.protocols.reading import parse_toml
from property_examples import examples

TEXTS = [
    Path(str(registry.data_file("protocols", name, ".toml"))).read_text(encoding="utf-8")
    for name in ("h_falcon", "falcon", "mqm", "esa", "ranking")
    if name in protocols.names()
]
WORDS = (
    "stage", "question", "id", "kind", "unit", "object", "options", "extends", "include", "without", "like", "for_each",
    "score", "analysis", "text", "en", "name", "version", "when", "gate", "min", "max", "rows", "page", "choice",
    "scale", "labels", "grid", "spans", "rank", "text", "number", "sentence", "document", "h_falcon", "falcon", "rule",
)  # fmt: skip
KEYS = st.sampled_from(WORDS) | st.text(st.characters(categories=["Ll", "Nd"]), min_size=1, max_size=6)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.sampled_from(WORDS)
    | st.text(max_size=8)
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=12
)


def refused_in_words(text: str) -> None:
    try:
        assert isinstance(parse_toml(text, "mine.toml"), Protocol)
    except ProtocolError as error:
        assert error.what
        assert str(error.where)


@settings(max_examples=examples(150))
@given(st.sampled_from(TEXTS), st.integers(0, 10**6), st.integers(0, 60), st.text(max_size=12) | st.sampled_from(WORDS))
def test_a_file_that_something_was_cut_from_or_typed_into(text: str, at: int, length: int, typed: str) -> None:
    place = at % len(text)
    refused_in_words(text[:place] + typed + text[place + length :])


@settings(max_examples=examples(150))
@given(st.sampled_from(TEXTS), st.lists(KEYS, min_size=1, max_size=4), VALUES)
def test_a_field_that_holds_something_else(text: str, path: list[str], value: object) -> None:
    line = _toml(value)
    if line is None:
        return
    refused_in_words(f"{'.'.join(_quoted(key) for key in path)} = {line}\n{text}")


@settings(max_examples=examples(150))
@given(st.dictionaries(KEYS, VALUES, max_size=6))
def test_any_table_at_all(table: dict[str, object]) -> None:
    lines = [f"{_quoted(key)} = {made}" for key, value in table.items() if (made := _toml(value)) is not None]
    refused_in_words("\n".join(lines))


@settings(max_examples=examples(60))
@given(st.binary(max_size=200))
def test_no_text_at_all(content: bytes) -> None:
    refused_in_words(content.decode("latin-1"))


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 5000 + "]" * 5000,
        "a" + ".a" * 5000 + " = 1",
        'name = "x"\nversion = "1"\nextends = "mine"',
        "\ufeffname = 1",
        "name = '" + "x" * 10**6 + "'",
        'extends = ["h_falcon"]',
        "include = 3",
        "include = [[1]]",
        'stage = "x"',
        "stage = [1, 2]",
        "[text]\nen = 3",
        "without = 5\nextends = 'h_falcon'",
        "without = [[1]]\nextends = 'h_falcon'",
        "[[stage]]\nid = 's'\nquestion = [{like = ['x']}]",
        "analysis = [{of = [[1]]}]",
    ],
)
def test_odd_ones_by_hand(text: str) -> None:
    refused_in_words(text)


def _quoted(key: str) -> str:
    return '"' + key.replace("\\", "").replace('"', "") + '"'


def _toml(value: object) -> str | None:
    """A value in TOML; None for what TOML cannot say."""
    match value:
        case None:
            return None
        case bool():
            return str(value).lower()
        case int() | float():
            return repr(value)
        case str():
            made = (
                '"' + "".join(f"\\U{ord(letter):08x}" for letter in value if not 0xD800 <= ord(letter) < 0xE000) + '"'
            )
        case list():
            made = "[" + ", ".join(inner for entry in value if (inner := _toml(entry)) is not None) + "]"
        case dict():
            pairs = (f"{_quoted(k)} = {inner}" for k, v in value.items() if (inner := _toml(v)) is not None)
            made = "{" + ", ".join(pairs) + "}"
        case _:
            raise TypeError(value)
    try:
        tomllib.loads(f"x = {made}")
    except tomllib.TOMLDecodeError:
        return None
    return made
