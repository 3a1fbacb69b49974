"""Where each key of a TOML file stands, so that a mistake in its meaning can be shown with its line.

The standard reader gives values without positions. This notes the line of every table header and key; it is used for
messages only, never for values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_HEADER = re.compile(r"^\s*+(\[\[?)([^\[\]]++)\]\]?\s*+(?:#.*)?$")
_KEY = re.compile(r"^\s*+([A-Za-z0-9_.\"'-]++)\s*+=")
_TRIPLE = re.compile(r'"""|\'\'\'')

Place = tuple[str | int, ...]


def _parts(path: str) -> list[str]:
    return [part.strip().strip("\"'") for part in path.split(".")]


class TomlLines:
    """Line numbers (from 1) by path, for instance ("stage", 0, "question", 2, "min")."""

    def __init__(self, text: str) -> None:
        self._lines: dict[Place, int] = {}
        counts: dict[Place, int] = {}
        table: Place = ()
        in_text = False
        for number, line in enumerate(text.splitlines(), start=1):
            quotes = len(_TRIPLE.findall(line))
            if in_text:
                in_text = quotes % 2 == 0
                continue
            if header := _HEADER.match(line):
                table = self._enter(header[1] == "[[", _parts(header[2]), counts)
                for length in range(len(table), 0, -1):  # a header also opens the tables above it
                    self._lines.setdefault(table[:length], number)
            elif key := _KEY.match(line):
                self._lines.setdefault((*table, *_parts(key[1])), number)
            in_text = quotes % 2 == 1

    @staticmethod
    def _enter(is_array: bool, parts: list[str], counts: dict[Place, int]) -> Place:
        path: Place = ()
        for part in parts[:-1]:
            path = (*path, part)
            if path in counts:
                path = (*path, counts[path])
        path = (*path, parts[-1])
        if is_array:
            counts[path] = counts.get(path, -1) + 1
            path = (*path, counts[path])
        return path

    def find(self, path: Sequence[str | int]) -> int | None:
        """The line of that path or of its nearest known ancestor; parts a file does not spell out are skipped."""
        table_path: Place = ()
        for part in path:
            if any(place[: len(table_path) + 1] == (*table_path, part) for place in self._lines):
                table_path = (*table_path, part)
        while table_path and table_path not in self._lines:
            table_path = table_path[:-1]
        return self._lines.get(table_path)
