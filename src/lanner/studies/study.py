"""The shape of a study file: tables of printed values, each with the computation that gives it again.

A table names a `compute`; its `columns` and `rows` add options, and a cell's options are the table's, the column's and
the row's together. `paper` holds the printed values in the order of the columns; "" leaves a cell out, "?" computes
what was not printed. `mean_over` in a row or column computes the cell once for each set of options and takes the mean.

Where nothing was released, the judges of a study are simulated: its cells set an estimate beside what is true of the
simulated judges, and the printed value stands by for the reader, compared with nothing.

`Data` is what a study is computed from: the parts of a release, read once, with every cut of their tables kept.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

import polars as pl

from lanner import formats, registry
from lanner.analysis.material import Material, from_file
from lanner.errors import InputError, LannerError, Where, check_known, did_you_mean
from lanner.formats import mtme
from lanner.model import Choice, Document
from lanner.stats.metaeval import Scorer

NOT_PRINTED = "?"
SIMULATION = "simulation"


@dataclass(frozen=True, slots=True)
class PublishedValue:
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
class PublishedFigure:
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
    cells: tuple[PublishedValue, ...]
    remarks: tuple[str, ...] = ()
    drawings: tuple[PublishedFigure, ...] = ()
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


def _drawing(entry: Mapping[str, Any]) -> PublishedFigure:
    own = {key: value for key, value in entry.items() if key not in ("where", "kind", "caption", "opens")}
    return PublishedFigure(entry["where"], entry["kind"], entry.get("caption", ""), own, entry.get("opens", False))


def _cells(table: Mapping[str, Any], *, simulated: bool) -> Iterator[PublishedValue]:
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
            yield PublishedValue(
                table["where"], row, column, paper_value, compute, options, **about, simulated=by_simulation
            )


# Data


ABSENT = "data_absent"
"""The code of the error about a data set that a table needs and that is not here."""
VARIABLE = "LANNER_DATA"
"""Names the folder that holds released data sets, so that none has to be named with --data."""
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class AlignedScores:
    """Gold scores and those of metrics, aligned by segment; `references` are systems that people wrote."""

    gold: Scorer
    scorers: tuple[Scorer, ...]
    references: tuple[str, ...]
    documents: tuple[str, ...]


@dataclass(frozen=True)
class Data:
    """The parts by name, and score tables where the release has them."""

    parts: Mapping[str, Material] = field(default_factory=dict)
    scores: AlignedScores | None = None
    folder: Path | None = None
    kept: dict[object, Any] = field(default_factory=dict)
    """Results that several cells share, so that each is computed once."""
    absent: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Parts that could not be found, with the files that tell their folder."""

    def keep(self, key: object, compute: Callable[[], _T]) -> _T:
        """What is computed once for all cells that ask for it."""
        if key not in self.kept:
            self.kept[key] = compute()
        return cast(_T, self.kept[key])

    def part(self, name: str) -> Material:
        if name in self.absent:
            files = ", ".join(self.absent[name])
            raise InputError(
                f"This needs the data set {name}, whose folder has {files}.",
                code=ABSENT,
                next_step=f"Put its folder next to the other, or set {VARIABLE} to the folder that holds both.",
            )
        check_known(name, self.parts, f"The data has no part {name!r}.", InputError)
        return self.parts[name]

    def table(
        self, part: str, judges: Sequence[str] = (), documents: str = "", domain: str = "", question: str = ""
    ) -> pl.DataFrame:
        """The tidy table of a part, with some judges, documents that fit a pattern, a domain or a question only."""
        cut = (part, tuple(judges), documents, domain, question)
        return self.keep(cut, lambda: self._cut(*cut))

    def _cut(self, part: str, judges: Sequence[str], documents: str, domain: str, question: str) -> pl.DataFrame:
        material = self.part(part)
        ids = [judge.id for judge in material.judges]
        for name in judges:
            check_known(name, ids, f"There is no judge {name!r} in {part}.", InputError)
        table = material.table
        if judges:
            table = table.filter(pl.col("judge").is_in(list(judges)))
        if documents:
            table = table.filter(pl.col("document").str.contains(documents))
        if domain:
            table = table.filter(pl.col("domain") == domain)
        return table.filter(pl.col("question") == question) if question else table

    def documents(self, part: str, domain: str = "") -> list[Document]:
        return [document for document in self.part(part).documents if not domain or document.domain == domain]

    def labels(self, part: str, question: str) -> dict[str, list[str]]:
        """The labels that could be chosen, as an option for statistics: one that nobody chose still is one."""
        protocol = self.part(part).protocol
        stage_and_question = protocol.find(question) if protocol else None
        return (
            {"labels": [o.id for o in stage_and_question[1].options]}
            if stage_and_question and isinstance(stage_and_question[1], Choice)
            else {}
        )


def judgements(folder: Path, more: Mapping[str, Sequence[str]] | None = None) -> Data:
    """Everything judged in the folder, part by part; `more` names other data sets by files of theirs, each a part."""
    parts = {part.name: part for part in from_file(folder)}
    absent: dict[str, tuple[str, ...]] = {}
    for name, files in (more or {}).items():
        place = find_folder(files, near=folder)
        if place is None:
            absent[name] = tuple(files)
        else:
            documents = list(formats.read_documents(place))
            first_pair = tuple(each for each in documents if each.language_pair == documents[0].language_pair)
            parts[name] = Material(name, None, first_pair, (), ())
    return Data(parts, folder=folder, absent=absent)


def metric_scores(folder: Path, pair: str, gold: str, metrics: Sequence[str] = ()) -> Data:
    """Gold scores and metrics (all, or those named) of a language pair in the layout of mt-metrics-eval."""
    tables = mtme.read_score_tables(folder, pair, gold, metrics)
    truth, *scorers = (Scorer(t.name, t.systems, t.segments, t.system) for t in (tables.gold, *tables.metrics))
    return Data(scores=AlignedScores(truth, tuple(scorers), tables.references, tables.documents), folder=folder)


def find_folder(needs: Sequence[str], near: Path | None = None) -> Path | None:
    """The folder that has all these files: the working one, one under it, under LANNER_DATA, or next to `near`."""
    return next((place for place in _places(near) if needs and all((place / name).exists() for name in needs)), None)


def _places(near: Path | None) -> Iterator[Path]:
    roots = [Path()] if near is None else [near.resolve().parent]
    if os.environ.get(VARIABLE):
        roots.append(Path(os.environ[VARIABLE]))
    for root in roots:
        yield root
        if root.is_dir():
            for child in sorted(child for child in root.iterdir() if child.is_dir()):
                yield child
                yield from sorted(grandchild for grandchild in child.iterdir() if grandchild.is_dir())


def check_folder(folder: Path, needs: Sequence[str], description: str) -> None:
    """An error that says what the folder lacks, and where it seems to be if it is just a folder off."""
    if not folder.is_dir():
        raise InputError("There is no such folder.", where=Where(folder), next_step=f"It should be {description}.")
    missing = [name for name in needs if not (folder / name).exists()]
    if not missing:
        return
    nearby = [child for child in sorted(folder.iterdir()) if child.is_dir()] + [folder.parent]
    better = next((place for place in nearby if all((place / name).exists() for name in needs)), None)
    hint = f"Did you mean --data {better}?" if better else f"Name {description} with --data, or set {VARIABLE}."
    raise InputError(f"The released data is not here: {missing[0]} is missing.", where=Where(folder), next_step=hint)


@dataclass(frozen=True, slots=True)
class CellResult:
    """What a computation of a study gives: a number or words, with an interval and a remark where there are any.
    `truth` is what a simulation knows: the interval around the value should hold it."""

    value: float | str | None
    low: float | None = None
    high: float | None = None
    detail: str = ""
    truth: float | None = None

    @staticmethod
    def of(value: CellResult | float | str | None) -> CellResult:
        return value if isinstance(value, CellResult) else CellResult(value)


Computation = Callable[..., CellResult | float | str | None]
_C = TypeVar("_C", bound=Computation)
COMPUTATIONS: dict[str, Computation] = {}
"""What study files name: each takes the data and options, and gives a number, words, or nothing."""


def computation(function: _C) -> _C:
    """Let study files name this function."""
    COMPUTATIONS[function.__name__] = function
    return function
