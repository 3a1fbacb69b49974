"""What a study is computed from: the parts of a release, read once, with every cut of their tables kept."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from lanner import formats
from lanner.analysis.material import Material, from_file
from lanner.errors import InputError, Where, did_you_mean
from lanner.formats import mtme
from lanner.model import Choice, Document
from lanner.stats.metaeval import Scorer

ABSENT = "data_absent"
"""The code of the error about a data set that a table needs and that is not here."""
VARIABLE = "LANNER_DATA"
"""Names the folder that holds released data sets, so that none has to be named with --data."""
Cut = tuple[str, tuple[str, ...], str, str, str]


@dataclass(frozen=True, slots=True)
class Scores:
    """Gold scores and those of metrics, aligned by segment; `references` are systems that people wrote."""

    gold: Scorer
    scorers: tuple[Scorer, ...]
    references: tuple[str, ...]
    documents: tuple[str, ...]


@dataclass(frozen=True)
class Data:
    """The parts by name, and score tables where the release has them. `notes` are what reading noticed."""

    parts: Mapping[str, Material] = field(default_factory=dict)
    scores: Scores | None = None
    folder: Path | None = None
    cuts: dict[Cut, pl.DataFrame] = field(default_factory=dict)
    kept: dict[object, Any] = field(default_factory=dict)
    """Results that several cells share, so that each is computed once."""
    absent: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Parts that could not be found, with the files that tell their folder."""

    def part(self, name: str) -> Material:
        if name in self.absent:
            files = ", ".join(self.absent[name])
            raise InputError(
                f"This needs the data set {name}, whose folder has {files}.",
                code=ABSENT,
                next_step=f"Put its folder next to the other, or set {VARIABLE} to the folder that holds both.",
            )
        if name not in self.parts:
            raise InputError(f"The data has no part {name!r}.", next_step=did_you_mean(name, self.parts))
        return self.parts[name]

    def table(
        self, part: str, judges: Sequence[str] = (), documents: str = "", domain: str = "", question: str = ""
    ) -> pl.DataFrame:
        """The tidy table of a part, with some judges, documents that fit a pattern, a domain or a question only."""
        cut: Cut = (part, tuple(judges), documents, domain, question)
        if cut not in self.cuts:
            self.cuts[cut] = self._cut(*cut)
        return self.cuts[cut]

    def _cut(self, part: str, judges: Sequence[str], documents: str, domain: str, question: str) -> pl.DataFrame:
        material = self.part(part)
        ids = [judge.id for judge in material.judges]
        for name in judges:
            if name not in ids:
                raise InputError(f"There is no judge {name!r} in {part}.", next_step=did_you_mean(name, ids))
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
            parts[name] = Material(name, None, formats.read(place)[0].documents, (), ())
    return Data(parts, folder=folder, absent=absent)


def metric_scores(folder: Path, pair: str, gold: str, metrics: Sequence[str] = ()) -> Data:
    """Gold scores and metrics (all, or those named) of a language pair in the layout of mt-metrics-eval."""
    tables = mtme.read_score_tables(folder, pair, gold, metrics)
    truth, *scorers = (Scorer(t.name, t.systems, t.segments, t.system) for t in (tables.gold, *tables.metrics))
    return Data(scores=Scores(truth, tuple(scorers), tables.references, tables.documents), folder=folder)


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
