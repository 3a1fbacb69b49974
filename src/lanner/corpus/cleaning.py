"""Clean texts before anyone judges them: normalise what does not matter, leave out what is not worth judging.

Normalising makes texts comparable without changing what they say: composed characters, one kind of line end, no stray
edges. Filters are named rules, each counted in a ledger for the manifest. Emoji and user tags are kept: they matter to
a translation, and no rule touches them. A segment that breaks a rule is flagged by default: it stays visible as context
and is not judged. Dropping it instead is for material that should not be seen at all, such as a canary line.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Literal

from lanner.corpus.describe import words
from lanner.corpus.rows import texts, with_texts
from lanner.model import Document, Segment


@dataclass(frozen=True, slots=True)
class TextChange:
    """One rule applied to one text (or, with an empty column, to a whole segment)."""

    rule: str
    document: str
    segment: str
    column: str = ""


@dataclass(slots=True)
class CleaningCounts:
    """Counts per rule. Only counts are kept, so that a million segments cost nothing; `on_change` sees each change."""

    counts: Counter[str] = field(default_factory=Counter)
    on_change: Callable[[TextChange], None] | None = None

    def note(self, rule: str, document: str, segment: str, column: str = "") -> None:
        self.counts[rule] += 1
        if self.on_change:
            self.on_change(TextChange(rule, document, segment, column))


_LINE_END = re.compile(r"\r\n?|[\x85\u2028\u2029]")
_ESCAPED = re.compile(r"\\r\\n|\\n")

NORMALISATIONS: dict[str, Callable[[str], str]] = {
    "byte_order_mark": lambda text: text.replace("\ufeff", ""),
    "line_ends": lambda text: _LINE_END.sub("\n", text),
    "escaped_newlines": lambda text: _ESCAPED.sub("\n", text),
    "nfc": lambda text: unicodedata.normalize("NFC", text),
    "trim": str.strip,
}
"""In the order they are applied. `escaped_newlines` must be asked for: a backslash and an n may be meant."""

DEFAULT_NORMALISATIONS = ("byte_order_mark", "line_ends", "nfc", "trim")


def normalise(document: Document, ledger: CleaningCounts, rules: Collection[str] = DEFAULT_NORMALISATIONS) -> Document:
    """The document with every text normalised; each text that a rule changed is noted."""
    steps = [(name, rule) for name, rule in NORMALISATIONS.items() if name in rules]
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


_IN_SOURCE = {
    "hyperlink": re.compile(
        r"https?://|\bwww\.\w|(?<![\w-])[\w-]++\.(?:com|org|net|io|gov|edu|ly|gl|be|co)/\S", re.IGNORECASE
    ),
    "hashtag": re.compile(r"(?<![\w&/])[#＃](?=\w*[^\W\d_])\w+"),
    "timestamp": re.compile(r"(?<![\d:.])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?![\d:])"),
}
_CANARY = re.compile(r"\bcanary\b.{0,12}\bGUID\b", re.IGNORECASE)
_BAD_SOURCE = ("is_bad_source", "bad_source")


@dataclass(frozen=True, slots=True)
class TextFilter:
    """Which rules, what happens to segments that break one, and what two of the rules need to know."""

    rules: tuple[str, ...]
    action: Literal["flag", "drop"] = "flag"
    domains: Collection[str] = field(default_factory=tuple)
    max_words: int = 200


FILTERS = (
    "canary",
    "domain",
    "bad_source",
    "empty",
    "empty_output",
    "hyperlink",
    "hashtag",
    "timestamp",
    "too_long",
)


def breaks(rule: str, document: Document, segment: Segment, by: TextFilter) -> bool:
    """Whether a segment breaks a rule."""
    match rule:
        case "canary":
            named = "canary" in (document.domain.lower(), document.id.lower())
            return named or bool(_CANARY.search(segment.source))
        case "domain":
            return document.domain in by.domains
        case "bad_source":
            return any(segment.meta.get(key) in (True, "true", "True") for key in _BAD_SOURCE)
        case "empty":
            return not segment.source.strip()
        case "empty_output":
            return any(not text.strip() for text in segment.outputs.values())
        case "too_long":
            return len(segment.source) > by.max_words and words(segment.source) > by.max_words
    return bool(_IN_SOURCE[rule].search(segment.source))


def keep(document: Document, ledger: CleaningCounts, by: TextFilter) -> Document | None:
    """The document with the offending segments flagged or gone; None when nothing is left of it."""
    segments = []
    for segment in document.segments:
        broken = [name for name in by.rules if breaks(name, document, segment, by)]
        for name in broken:
            ledger.note(name, document.id, segment.id)
        if not broken:
            segments.append(segment)
        elif by.action == "flag":
            flags = (*segment.flags, *(name for name in broken if name not in segment.flags))
            segments.append(replace(segment, judged=False, flags=flags))
    if not segments:
        ledger.note("documents_dropped", document.id, "")
        return None
    return replace(document, segments=tuple(segments))
