"""What to say of a file that no format recognises: what was seen, the formats that come nearest, what they lack.

A format names in `signs` by what it is known: the kind of file, and the columns, keys, elements or files it must have.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from lanner.errors import InputError, LannerError, Where
from lanner.formats.parsing import textfile, xml
from lanner.formats.parsing.readings import Format
from lanner.formats.parsing.records import model_reply
from lanner.formats.parsing.tables import guess_delimiter, open_rows, table_kind

_NEAREST = 3
_SHOWN = 8
_LONGEST = 60
_KEY = re.compile(r'"([^"\\]{1,40})"\s*:')
_ELEMENT = re.compile(r"<([A-Za-z_][\w.-]*)")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_RELATED = {"json", "json lines", "json list"}
_PARTS = {"folder": "files", "table": "columns", "xml": "elements"}
_COPIED = (
    "Copy the sentences into a table (columns document, segment, source, and one for each system) and save it as CSV "
    "or xlsx. All formats: lanner formats."
)
_PROGRAMS = {b"$FL": "SPSS", b"<stata_dta": "Stata"}
"""How files of statistics programs begin."""
_SAVE_AGAIN = "Open it there and save it as CSV or xlsx, with the names of the variables in the first row."
_LOOSE = {"source": "a column that is known to hold the source text"}


@dataclass(frozen=True, slots=True)
class PathContents:
    """What a look at a path shows: its kind, and the names in it that a format could be known by."""

    kind: str
    names: tuple[str, ...] = ()
    words: str = ""

    def __str__(self) -> str:
        excerpt = ", ".join(self.names[:_SHOWN]) + (", …" if len(self.names) > _SHOWN else "")
        return f"{self.words} {excerpt}" if excerpt else self.words


def look(path: Path) -> PathContents:
    """What lies there, without taking any of it."""
    if path.is_dir():
        names = tuple(sorted(entry.name for entry in path.iterdir() if not entry.name.startswith(".")))
        return PathContents("folder", names, "a folder with" if names else "an empty folder")
    suffix = f"a {path.suffix} file" if path.suffix else "a file without an ending"
    text = textfile.head(path).lstrip("\ufeff \r\n\t")
    start = textfile.magic(path, 16)
    if program := next((name for beginning, name in _PROGRAMS.items() if start.startswith(beginning)), ""):
        return PathContents("statistics", (), f"{suffix} of {program}")
    if not text or _CONTROL.search(text):
        empty = path.stat().st_size == 0
        return PathContents("empty" if empty else "binary", (), f"{suffix} that is {'empty' if empty else 'no text'}")
    if text.startswith("<"):
        names = tuple(dict.fromkeys(_ELEMENT.findall(text)))
        return PathContents("xml", names, f"{suffix} with XML, root {xml.root_name(path) or 'unknown'}, elements")
    if text[0] in "{[":
        lines = [line for line in text.splitlines()[:2] if line.strip()]
        several = len(lines) == 2 and all(line.startswith("{") and line.rstrip().endswith("}") for line in lines)
        kind = "json list" if text[0] == "[" else "json lines" if several else "json"
        return PathContents(kind, tuple(dict.fromkeys(_KEY.findall(text))), f"{suffix} with {_json_words(kind)}")
    return _plain(path, text, suffix)


def _json_words(kind: str) -> str:
    words = {"json list": "a JSON list", "json lines": "JSON lines", "json": "a JSON object"}
    return f"{words[kind]}, keys"


def _plain(path: Path, text: str, suffix: str) -> PathContents:
    first = text.partition("\n")[0].strip()
    if table_kind(path) == "csv" and (guess_delimiter(path) in first):
        try:
            return PathContents("table", tuple(open_rows(path).header), f"{suffix} with a table, columns")
        except LannerError:
            pass
    excerpt = first if len(first) <= _LONGEST else f"{first[:_LONGEST].rstrip()} …"
    return PathContents("text", (), f"{suffix} with plain text; its first line is “{excerpt}”")


def _lacking(sample: PathContents, kind: str, names: tuple[str, ...]) -> tuple[float, list[str]]:
    """How near a format is (0 to 2, 0: not at all), and which of its names are not there."""
    if kind != sample.kind and not {kind, sample.kind} <= _RELATED:
        return 0.0, []
    names_lower = [name.casefold() for name in sample.names]
    missing = [name for name in names if not any(fnmatch(each, name.casefold()) for each in names_lower)]
    matches = len(names) - len(missing)
    return matches / len(names) + (kind == sample.kind) if matches else 0.0, missing


def _candidates(sample: PathContents, formats: Mapping[str, Format]) -> Iterator[tuple[float, str, str]]:
    for name, each in formats.items():
        ways = [(kind, *_lacking(sample, kind, names)) for kind, names in each.signs.items()]
        kind, near, missing = max(ways, key=lambda way: way[1], default=("", 0.0, []))
        if near or (each.generic and sample.kind in each.signs):
            words = [_LOOSE.get(sign, sign) if each.generic else sign for sign in missing]
            lacks = (
                f"lacks {', '.join(words)}" if words else f"has the {_PARTS.get(kind, 'keys')}, but not in their place"
            )
            yield near, name, f"{name} ({each.title}) {lacks}"


def _begins_with_reply(path: Path) -> bool:
    text = textfile.head(path).lstrip("\ufeff \r\n\t[")
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return False
    return isinstance(value, dict) and model_reply(value) is not None


def unrecognised(path: Path, formats: Mapping[str, Format]) -> InputError:
    """The error for a path that none of these formats recognises."""
    sample = look(path)
    if sample.kind in _RELATED and _begins_with_reply(path):
        return InputError(
            "These are a model's replies, without the texts that it was asked to translate.",
            code="unrecognised",
            where=Where(path),
            next_step='Add the source to each line, as "source" or as the "messages" of the request with the same id.',
        )
    nearest = sorted(_candidates(sample, formats), key=lambda each: -each[0])[:_NEAREST]
    steps = ["Nearest: " + "; ".join(words for _, _, words in nearest) + "."] if nearest else []
    if sample.kind == "table":
        steps.append("Say which column holds what: --columns source=COLUMN,document=COLUMN,system:NAME=COLUMN.")
    if sample.kind == "text":
        steps.append(
            "Plain text, one segment a line, is read together: lanner import src.en hyp.de, or a folder of such files."
        )
    if sample.kind == "statistics":
        steps = [_SAVE_AGAIN]
    elif sample.kind == "binary":
        steps.append(_COPIED)
    else:
        steps.append("All formats: lanner formats. Say which it is with --from NAME.")
    return InputError(
        f"The content is none of the formats known. This is {sample}.",
        code="unrecognised",
        where=Where(path),
        next_step=" ".join(steps),
    )
