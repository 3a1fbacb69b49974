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
