"""Judges as they are named on the command line: a number, names with commas, or a file with attributes."""

from __future__ import annotations

import csv
from pathlib import Path

from lanner.cli._options import slug
from lanner.errors import InputError, Where
from lanner.model import Judge

MOST = 10_000
"""Judges that are added at once, at most."""


def judges_from(text: str) -> list[Judge]:
    """ "3" makes three; "ana, ben" makes these; a path to a CSV file makes its rows, other columns being attributes."""
    words = text.strip()
    if words.isascii() and words.isdecimal():
        count = int(words) if len(words) < 6 else MOST + 1
        if not count:
            raise InputError("There are no judges.", next_step="Say how many, or name them: 3, or ana, ben.")
        if count > MOST:
            raise InputError(f"{words[:20]} judges cannot be added: from 1 to {MOST} at once.")
        return [Judge(f"judge{number}", name=f"Judge {number}") for number in range(1, count + 1)]
    if words.endswith((".csv", ".tsv")) or is_file(words):
        return _from_file(Path(words))
    return [Judge(slug(name), name=name.strip()) for name in words.split(",") if name.strip()]


def is_file(words: str) -> bool:
    """Whether this is the path of a file; names too long for a path are the names of judges."""
    try:
        return Path(words).is_file()
    except (OSError, ValueError):
        return False


def _from_file(path: Path) -> list[Judge]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The list of judges cannot be read: {error}.", where=Where(path)) from error
    rows = list(csv.DictReader(text.splitlines(), dialect="excel-tab" if path.suffix == ".tsv" else "excel"))
    if not rows or not {"id", "name"} & set(rows[0]):
        raise InputError("The list of judges needs a column id or name.", where=Where(path, 1))
    ids = []
    for line, row in enumerate(rows, start=2):
        name = (row.get("name") or row.get("id") or "").strip()
        if not name:
            raise InputError("A judge has neither id nor name.", where=Where(path, line))
        rest = {key: value.strip() for key, value in row.items() if key not in ("id", "name") and key and value}
        ids.append(Judge((row.get("id") or slug(name)).strip(), name=name, attributes=rest))
    return ids
