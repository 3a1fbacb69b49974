"""What names and cells mean across formats: language pairs in file names, numbers, missing values."""

from __future__ import annotations

import ast
import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

from lanner.model import languages


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


_CODE = r"([a-z]{2,3}(?:_(?:[A-Z]{2}|[A-Z][a-z]{3})\b)?)"
_PAIR = re.compile(rf"(?<![A-Za-z0-9]){_CODE}-{_CODE}(?![A-Za-z0-9])")
_JOINED = re.compile(r"(?<![A-Za-z0-9])([a-z]{2})([a-z]{2})(?![A-Za-z0-9])")
_MISSING = {"", "none", "nan", "na", "n/a", "null", "-"}
_LITERAL_LIMIT = 100_000


def file_languages(path: Path) -> tuple[str, str]:
    """The language pair that a file's name holds, as in `test.en-de.tsv` or `ted_ende.tsv` (this only with English,
    since other words look alike); both `und` if it holds none."""
    hits = [hit.groups() for hit in _PAIR.finditer(path.name)]
    hits += [hit.groups() for hit in _JOINED.finditer(path.name) if "en" in hit.groups()]
    for source, target in hits:
        if languages.known(source) and languages.known(target):
            return languages.normal(source), languages.normal(target)
    return languages.UNDETERMINED, languages.UNDETERMINED


def is_missing(value: Any) -> bool:
    """Whether a cell says that there is no value."""
    return (
        value is None
        or (isinstance(value, float) and math.isnan(value))
        or (isinstance(value, str) and value.strip().casefold() in _MISSING)
    )


def number(value: Any) -> int | float | None:
    """The number a cell holds, `4.0` and `4` alike; None if it holds none."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if not math.isfinite(found):
        return None
    return int(found) if found.is_integer() else found


def literal_list(text: str) -> list[Any] | None:
    """A list written as JSON or as a Python literal (as pandas writes it into a CSV cell); None if it is neither."""
    if len(text) > _LITERAL_LIMIT:
        return None
    for parse in (json.loads, ast.literal_eval):
        try:
            value = parse(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, list | tuple):
            return list(value)
    return None


def counted(flags: Counter[str], sentences: dict[str, str]) -> list[str]:
    """One note for each flag that occurred, with how often: `sentences` say it, with `{n}` for the number."""
    return [sentences.get(flag, f"{{n}} judgements are flagged {flag!r}.").format(n=n) for flag, n in flags.items()]


def is_canary(text: str, *names: str) -> bool:
    """Whether a line is the mark that test sets carry to be found in training data, by its text or its names."""
    return "canary guid" in text[:200].casefold() or any(name.casefold() == "canary" for name in names)
