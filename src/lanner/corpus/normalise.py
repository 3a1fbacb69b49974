"""Make texts comparable without changing what they say: composed characters, one kind of line end, no stray edges."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection
from dataclasses import replace

from lanner.corpus.columns import texts, with_texts
from lanner.corpus.ledger import Ledger
from lanner.model import Document

_LINE_END = re.compile(r"\r\n?|[\x85\u2028\u2029]")
_ESCAPED = re.compile(r"\\r\\n|\\n")

RULES: dict[str, Callable[[str], str]] = {
    "byte_order_mark": lambda text: text.replace("\ufeff", ""),
    "line_ends": lambda text: _LINE_END.sub("\n", text),
    "escaped_newlines": lambda text: _ESCAPED.sub("\n", text),
    "nfc": lambda text: unicodedata.normalize("NFC", text),
    "trim": str.strip,
}
"""In the order they are applied. `escaped_newlines` must be asked for: a backslash and an n may be meant."""

DEFAULT = ("byte_order_mark", "line_ends", "nfc", "trim")


def normalise(document: Document, ledger: Ledger, rules: Collection[str] = DEFAULT) -> Document:
    """The document with every text normalised; each text that a rule changed is noted."""
    steps = [(name, rule) for name, rule in RULES.items() if name in rules]
    segments = []
    for segment in document.segments:
        columns = texts(segment)
        changed = False
        for column, original in columns.items():
            text = original
            for name, rule in steps:
                before, text = text, rule(text)
                if text != before:
                    ledger.note(name, document.id, segment.id, column)
            if text != original:
                columns[column] = text
                changed = True
        segments.append(with_texts(segment, columns) if changed else segment)
    return replace(document, segments=tuple(segments))
