"""The shape of a study file: tables of printed values, each with the computation that gives it again.

A table names a `compute`; its `columns` and `rows` add options, and a cell's options are the table's, the column's and
the row's together. `paper` holds the printed values in the order of the columns; "" leaves a cell out, "?" computes
what was not printed. `mean_over` in a row or column computes the cell once for each set of options and takes the mean.

Where nothing was released, the judges of a study are simulated: its cells set an estimate beside what is true of the
simulated judges, and the printed value stands by for the reader, compared with nothing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lanner import registry
from lanner.errors import LannerError, Where, did_you_mean

NOT_PRINTED = "?"
SIMULATION = "simulation"


@dataclass(frozen=True, slots=True)
class Cell:
    """One printed value and how to compute it. `paper` is None where nothing was printed. `note` says what is known
    about it; `expected` is "differs" where the released data is known to give something else, and "unknown" where it
    cannot be computed. `simulated` says that simulated judges, not those of the paper, give the value."""

    where: str
    row: str
    column: str
    paper: float | str | None
    compute: str
    options: Mapping[str, Any]
    digits: int = 3
    tolerance: float = 0.0
    expected: str = "agrees"
    note: str = ""
    simulated: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure of the paper to draw again: what kind of drawing, from what. What it shows is said first of all where
    it `opens` the page."""

    where: str
    kind: str
    caption: str
    options: Mapping[str, Any]
    opens: bool = False


@dataclass(frozen=True, slots=True)
class Study:
    """One paper. `reader` says how its data is read; `needs` are files that tell whether a folder holds it. `more`
    are other released data sets that some tables need: a part by name, and the files that tell its folder."""

    name: str
    title: str
    citation: str
    data: str
    cells: tuple[Cell, ...]
    remarks: tuple[str, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    reader: str = "judgements"
    reading: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    more: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def simulated(self) -> bool:
        """Whether nothing was released, so that judges with known truth stand in."""
        return self.reader == SIMULATION


_CELL = ("digits", "tolerance", "expected", "note")


def names() -> tuple[str, ...]:
    """The studies that can be reproduced."""
    return registry.names("studies", ".toml")


def load(name_or_path: str | Path) -> Study:
    """A study by name, or from a file of one's own."""
    name = str(name_or_path)
    path = Path(name) if name.endswith(".toml") else registry.data_file("studies", name, ".toml")
    if path is None or not path.is_file():
        hint = did_you_mean(name, names()) or f"Known are: {', '.join(names())}."
        raise LannerError(f"There is no study called {name!r}.", next_step=hint)
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        reader = table.get("reader", "judgements")
        return Study(
            table["name"],
            table["title"],
            table["citation"],
            table["data"],
            tuple(cell for entry in table.get("table", ()) for cell in _cells(entry, simulated=reader == SIMULATION)),
            tuple(table.get("remarks", ())),
            tuple(_drawing(entry) for entry in table.get("figure", ())),
            reader,
            table.get("reading", {}),
            tuple(table.get("needs", ())),
            {part: tuple(files) for part, files in table.get("more", {}).items()},
        )
    except (tomllib.TOMLDecodeError, KeyError, ValueError) as error:
        raise LannerError(f"This is not a study: {error}.", where=Where(path)) from error


def _drawing(entry: Mapping[str, Any]) -> Drawing:
    own = {key: value for key, value in entry.items() if key not in ("where", "kind", "caption", "opens")}
    return Drawing(entry["where"], entry["kind"], entry.get("caption", ""), own, entry.get("opens", False))


def _cells(table: Mapping[str, Any], *, simulated: bool) -> Iterator[Cell]:
    defaults = {key: value for key, value in table.items() if key not in ("where", "compute", "columns", "rows")}
    columns: Mapping[str, Mapping[str, Any]] = table["columns"]
    for row, entry in table["rows"].items():
        values = entry["paper"]
        if len(values) != len(columns):
            raise ValueError(f"{table['where']}, {row}: {len(values)} values for {len(columns)} columns")
        own = {key: value for key, value in entry.items() if key != "paper"}
        for (column, more), paper in zip(columns.items(), values, strict=True):
            if paper == "":
                continue
            options = {**defaults, **more, **own}
            about = {key: options.pop(key) for key in _CELL if key in options}
            if column in options.pop("differs", ()):
                about["expected"] = "differs"
            paper_value = None if paper == NOT_PRINTED else paper
            compute = options.pop("compute", table["compute"])
            by_simulation = simulated and compute != "not_computable"
            yield Cell(table["where"], row, column, paper_value, compute, options, **about, simulated=by_simulation)
