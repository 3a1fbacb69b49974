"""`lanner metaeval`: how well metrics and other scorers agree with gold about systems and segments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from lanner.analysis.scorers import main_question, scored_set
from lanner.cli._options import chosen_pair
from lanner.cli._output import Output
from lanner.cli._source import Source
from lanner.errors import InputError
from lanner.figures.typeset import number, p_value
from lanner.formats import mtme
from lanner.model import Result
from lanner.reports import latex
from lanner.reports.parts import Column, Table
from lanner.stats.metaeval import QUICK, TESTS, Scorer, comparisons, metaeval

_SHOWN = ("group", "metric", "acc_eq", "acc_eq_cv", "sys_pairwise_accuracy", "spa", "segment_pearson", "missing")
_MANY = 24  # scorers
_NARROW = {
    "sys_pairwise_accuracy": "sys acc",
    "segment_pearson": "seg r",
    "sys_pearson": "sys r",
    "item_kendall": "item τ",
    "acc_eq_cv": "cv",
}


def run(
    source: str,
    gold: str | None,
    metrics: str | None,
    with_references: bool,
    question: str | None,
    compare: bool,
    asked: str | None,
    compat: bool,
    as_wmt24: bool,
    layout: str | None,
    swaps: int,
    seed: int,
    format_name: str | None,
    protocol: str | None,
    store_place: str,
    as_json: bool,
) -> None:
    """Compare metrics with gold scores: pairwise accuracy with ties, system-level accuracy, correlations."""
    output = Output("metaeval", as_json)
    pair = chosen_pair()
    names = [name.strip() for name in metrics.split(",")] if metrics else []
    references: tuple[str, ...] = ()
    if Path(source).is_dir() and (Path(source) / "metric-scores").is_dir():
        tables = mtme.read_score_tables(Path(source), pair or _only_pair(Path(source)), gold or "mqm", names)
        truth, *scorers = (Scorer(t.name, t.systems, t.segments, t.system) for t in (tables.gold, *tables.metrics))
        references, documents = tables.references, list(tables.documents)
    else:
        place = Source(source, store_place, format_name, protocol)
        part = place.read()[0]
        judges = {judge.id for judge in part.judges}
        if columns := [name for name in names if name not in judges]:
            part = place.part_with([question or main_question(part), *columns])
        scored = scored_set(part, question, gold, names)
        truth, scorers, documents = scored.gold, list(scored.scorers), list(scored.documents)
        output.notes.extend(scored.notes)
    without = () if with_references else references
    if references and not with_references:
        output.note(f"References are left out as systems: {', '.join(references)}.")
    if compare:
        tests = _tests(asked, len(scorers), output)
        result = comparisons(
            truth, scorers, without=without, documents=documents, tests=tests, k=swaps, seed=seed, as_wmt24=as_wmt24
        )
        headings = {f"p_{name}": _NARROW.get(name, name.replace("_", " ")) for name in tests}
        rows = [{**row, **{name: p_value(row[p]) for p, name in headings.items()}} for row in result.rows]
        output.table(rows, ["metric", "other", *headings.values()])
    else:
        result = metaeval(
            truth,
            scorers,
            without=without,
            documents=documents,
            swaps_of_segments=swaps,
            seed=seed,
            compat=compat,
            as_wmt24=as_wmt24,
        )
        if layout:
            click.echo(_typeset(result, layout), nl=False)
            return
        output.table(list(result.rows), [(name, _NARROW.get(name, name)) for name in _SHOWN])
    output.notes.extend(result.notes)
    output.sign(result.signature)
    output.end()


def _tests(asked: str | None, scorers: int, output: Output) -> Sequence[str]:
    """All tests, unless there are so many scorers that the two slow ones would take minutes and nobody asked."""
    if asked is not None and asked != "all":
        return [name.strip() for name in asked.split(",")]
    if asked == "all" or scorers <= _MANY:
        return TESTS
    left = " and ".join(sorted(set(TESTS) - set(QUICK)))
    output.note(f"With {scorers} scorers, {left} are not tested, since that takes minutes: --tests all does it.")
    return QUICK


def _typeset(result: Result, layout: str) -> str:
    """The shared-task table: scorers in groups of rank, three digits in LaTeX, all digits in TSV."""
    if layout == "tsv":
        lines = [_SHOWN, *([str(row[name]) for name in _SHOWN] for row in result.rows)]
        return "".join("\t".join(line) + "\n" for line in lines)
    columns = [
        Column(f"{name}_", _NARROW.get(name, name).replace("_", " "), text=name == "metric") for name in _SHOWN
    ]  # a key "group" would be a heading
    rows = [
        {f"{name}_": number(cell) if isinstance(cell := row[name], float) else str(cell) for name in _SHOWN}
        for row in result.rows
    ]
    caption = f"Agreement of {len(rows)} scorers with gold. " + " ".join(result.notes)
    return latex.table(Table("metaeval", caption, columns, rows, signature=str(result.signature)))


def _only_pair(folder: Path) -> str:
    pairs = mtme.scored_pairs(folder)
    if len(pairs) != 1:
        raise InputError(
            f"There are {len(pairs)} language pairs.", next_step=f"Say which: --languages {' or '.join(pairs)}."
        )
    return pairs[0]
