"""Score files of mt-metrics-eval as arrays: what comparing seventy metrics needs, without a judgement for each cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from lanner.errors import InputError, Where, did_you_mean
from lanner.formats import _textfile as textfile
from lanner.formats._naming import number

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """The scores of one scorer: `segments` is systems × segments, `system` one for each system if the folder tells
    them. NaN where a score is missing."""

    name: str
    systems: tuple[str, ...]
    segments: Array
    system: Array | None = None


@dataclass(frozen=True, slots=True)
class ScoreTables:
    """One language pair: the gold scores, every metric, which outputs are references, each segment's document."""

    gold: ScoreTable
    metrics: tuple[ScoreTable, ...]
    references: tuple[str, ...]
    documents: tuple[str, ...]
    domains: tuple[str, ...]


def pairs(root: Path) -> list[str]:
    """The language pairs that have metric scores."""
    folder = root / "metric-scores"
    return sorted(entry.name for entry in folder.iterdir() if entry.is_dir()) if folder.is_dir() else []


def read_tables(root: Path, pair: str, gold: str = "mqm", metrics: Sequence[str] = ()) -> ScoreTables:
    """The gold scores called `gold` and all metrics (or those named) of a language pair."""
    known = pairs(root)
    if pair not in known:
        hint = did_you_mean(pair, known) or "Metric scores are expected under metric-scores/PAIR."
        raise InputError(f"There are no metric scores for {pair!r}.", where=Where(root), next_step=hint)
    people = _named(sorted((root / "human-scores").glob(f"{pair}.*.seg.score")), f"{pair}.")
    if gold not in people:
        hint = did_you_mean(gold, people) or f"Known: {', '.join(people) or 'none'}."
        raise InputError(f"There are no human scores called {gold!r}.", where=Where(root), next_step=hint)
    found = _named(sorted((root / "metric-scores" / pair).glob("*.seg.score")))
    for name in metrics:
        if name not in found:
            raise InputError(f"There is no metric {name!r}.", where=Where(root), next_step=did_you_mean(name, found))
    lines = _documents(root / "documents" / f"{pair}.docs")
    size = len(lines) or None
    references = sorted((root / "references").glob(f"{pair}.*.txt"))
    return ScoreTables(
        _table(people[gold], gold, size),
        tuple(_table(file, name, size) for name, file in found.items() if not metrics or name in metrics),
        tuple(file.name.removeprefix(f"{pair}.").removesuffix(".txt") for file in references),
        tuple(document for _, document in lines),
        tuple(domain for domain, _ in lines),
    )


def _named(files: Sequence[Path], prefix: str = "") -> dict[str, Path]:
    return {file.name.removeprefix(prefix).removesuffix(".seg.score"): file for file in files}


def _documents(path: Path) -> list[tuple[str, str]]:
    if not path.is_file():
        return []
    lines = (line.partition("\t") for line in textfile.lines(path))
    return [(domain, document) for domain, _, document in lines]


def _table(file: Path, name: str, size: int | None) -> ScoreTable:
    columns = _columns(file)
    systems: dict[str, list[float]] = {}
    for system, score in zip(*columns, strict=True):
        systems.setdefault(system, []).append(score)
    expected = size if size is not None else len(next(iter(systems.values()), []))
    for system, scores in systems.items():
        if len(scores) != expected:
            textfile.failed(file, f"{system!r} has {len(scores)} scores, there are {expected} segments.")
    whole = file.with_name(file.name.removesuffix(".seg.score") + ".sys.score")
    system_scores = None
    if whole.is_file():
        told = dict(zip(*_columns(whole), strict=True))
        system_scores = np.array([told.get(system, np.nan) for system in systems])
    cells = np.array(list(systems.values()), float).reshape(len(systems), expected)
    return ScoreTable(name, tuple(systems), cells, system_scores)


def _columns(file: Path) -> tuple[list[str], list[float]]:
    """Systems and scores of a file. Most are clean and read at once; the others line by line, to name the line."""
    try:
        table = pl.read_csv(
            file, separator="\t", has_header=False, quote_char=None, null_values=["None"],
            schema={"system": pl.String, "score": pl.Float64},
        )  # fmt: skip
        return table["system"].to_list(), table["score"].fill_null(float("nan")).to_list()
    except pl.exceptions.PolarsError:
        systems, scores = [], []
    for line, text in enumerate(textfile.lines(file), 1):
        parts = text.split("\t") if "\t" in text else text.split()
        score = number(parts[-1].strip()) if len(parts) == 2 else None
        if len(parts) != 2 or (score is None and parts[1].strip() != "None"):
            textfile.failed(file, "This line does not say SYSTEM and SCORE.", line, "A missing score is written None.")
        systems.append(parts[0].strip())
        scores.append(float("nan") if score is None else float(score))
    return systems, scores
