"""Span offsets: code points here, UTF-16 units in browsers, ends inclusive in some files."""

from __future__ import annotations

from typing import Any


def from_utf16(text: str, offset: int) -> int:
    """The code point at which a UTF-16 offset lies; one inside a surrogate pair counts as the pair's beginning."""
    if offset <= 0 or text.isascii():
        return offset
    units = 0
    for position, char in enumerate(text):
        if units >= offset:
            return position if units == offset else position - 1
        units += 2 if ord(char) > 0xFFFF else 1
    return len(text) + (offset - units) if offset >= units else len(text) - 1


def to_utf16(text: str, offset: int) -> int:
    """The UTF-16 offset of a code point."""
    return offset + sum(ord(char) > 0xFFFF for char in text[: max(offset, 0)])


def problems(text: str | None, start: Any, end: Any, words: str | None) -> tuple[str, ...]:
    """What is wrong with a span, as flags: offsets that mark nothing, or other words than the text has there."""
    if not _whole(start) or not _whole(end) or start < 0 or end <= start:
        return ("bad_offsets",)
    if text is None:
        return ()
    if end > len(text):
        return ("bad_offsets",)
    return ("text_mismatch",) if words is not None and text[start:end] != words else ()


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
