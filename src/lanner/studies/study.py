"""The shape of a study file: tables of printed values, each with the computation that gives it again.

A table names a `compute`; its `columns` and `rows` add options, and a cell's options are the table's, the column's and
the row's together. `paper` holds the printed values in the order of the columns; what was not printed is "".
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lanner import registry
from lanner.errors import LannerError, Where, did_you_mean


@dataclass(frozen=True, slots=True)
class Cell:
    """One printed value and how to compute it. `note` says what is known about it; `expected` is "differs" where the
    released data is known to give something else, and "unknown" where it cannot be computed."""

    where: str
    row: str
    column: str
    paper: float | str
    compute: str
    options: Mapping[str, Any]
    digits: int = 3
    tolerance: float = 0.0
    expected: str = "agrees"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Study:
    """One paper."""

    name: str
    title: str
    citation: str
    data: str
    cells: tuple[Cell, ...]
    remarks: tuple[str, ...] = ()
    parts: Mapping[str, str] = field(default_factory=dict)


_CELL = ("digits", "tolerance", "expected", "note")


def names() -> tuple[str, ...]:
    """The studies that can be reproduced."""
    return registry.names("studies", ".toml")


def load(name_or_path: str | Path) -> Study:
    """A study by name, or from a file of one's own."""
    given = str(name_or_path)
    path = Path(given) if given.endswith(".toml") else registry.data_file("studies", given, ".toml")
    if path is None or not path.is_file():
        raise LannerError(f"There is no study called {given!r}.", next_step=did_you_mean(given, names()))
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        cells = tuple(cell for entry in table.get("table", ()) for cell in _cells(entry))
        return Study(
            table["name"], table["title"], table["citation"], table["data"], cells, tuple(table.get("remarks", ()))
        )
    except (tomllib.TOMLDecodeError, KeyError, ValueError) as error:
        raise LannerError(f"This is not a study: {error}.", where=Where(path)) from error


def _cells(table: Mapping[str, Any]) -> Iterator[Cell]:
    shared = {key: value for key, value in table.items() if key not in ("where", "compute", "columns", "rows")}
    columns: Mapping[str, Mapping[str, Any]] = table["columns"]
    for row, entry in table["rows"].items():
        values = entry["paper"]
        if len(values) != len(columns):
            raise ValueError(f"{table['where']}, {row}: {len(values)} values for {len(columns)} columns")
        own = {key: value for key, value in entry.items() if key != "paper"}
        for (column, more), paper in zip(columns.items(), values, strict=True):
            if paper == "":
                continue
            options = {**shared, **more, **own}
            about = {key: options.pop(key) for key in _CELL if key in options}
            differs = options.pop("differs", ())
            if column in differs:
                about["expected"] = "differs"
            yield Cell(table["where"], row, column, paper, options.pop("compute", table["compute"]), options, **about)
