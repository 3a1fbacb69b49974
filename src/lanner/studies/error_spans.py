"""Protocols that mark errors, compared on the same texts: spans and seconds a segment, scores, agreement.

Appraise notes when a judge opens and leaves a segment, but a document is filled in as one page, so most of the work
lies between the segments. The time of a segment is therefore from its opening to the opening of the next one; a pause
of more than five minutes counts as the judge's median segment. A protocol's figure is the mean of its judges' means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl

from lanner.errors import InputError, Where
from lanner.stats.association import Coefficient, correlations
from lanner.stats.resample import Array, Resampling, outcome, replicate_sums
from lanner.studies.study import CellResult, Data, computation

PAUSE = 300.0
_SEGMENT = ["document", "segment", "system"]
_LEAST_PAIRS = 3
_CORRELATIONS: dict[str, Coefficient] = {"pearson": "pearson", "spearman": "spearman", "kendall": "kendall_b"}
_HOW = Resampling()


@computation
def spans_per_segment(data: Data, *, part: str, severity: str = "", of: str = "errors") -> CellResult:
    """How many spans a judge marks on a segment, or in percent how many of them have a severity."""
    table = _main(data, part, of)
    spans = table["spans"].str.json_decode(pl.List(pl.Struct({"severity": pl.String})))
    if not len(spans):
        return CellResult(None)
    number = spans.list.len().fill_null(0)
    detail = f"{int(number.sum()):,} spans on {len(spans):,} segments"
    if not severity:
        return _ratio(table["document"], number, pl.repeat(1.0, len(spans), eager=True), detail)
    count = spans.list.eval(pl.element().struct.field("severity") == severity).list.sum().fill_null(0)
    return _ratio(table["document"], 100 * count, number, detail)


@computation
def seconds_per_segment(data: Data, *, part: str, per: str = "segment", of: str = "errors") -> CellResult:
    """Seconds from one segment's opening to the next one's; with `per` "span" over the spans marked in that time."""
    table = data.table(part, question=of)
    answers = table.filter(pl.col("answered_at").is_not_null() & pl.col("elapsed").is_not_null())
    start = pl.col("answered_at") - pl.duration(microseconds=(pl.col("elapsed") * 1e6).round().cast(pl.Int64))
    gaps = (
        answers.with_columns(start.alias("opened"))
        .sort("judge", "opened")
        .with_columns((pl.col("opened").diff().shift(-1).over("judge").dt.total_microseconds() / 1e6).alias("seconds"))
    )
    main_gaps = gaps.filter((pl.col("role") == "main") & pl.col("seconds").is_not_null())
    calm = pl.when(pl.col("seconds") > PAUSE).then(pl.col("seconds").median()).otherwise(pl.col("seconds"))
    main_gaps = main_gaps.with_columns(calm.over("judge"))
    judges = main_gaps["judge"].unique(maintain_order=True).to_list()
    detail = f"{len(main_gaps):,} segments of {len(judges)} judges"
    if not judges:
        return CellResult(None, detail=detail)
    times = _by_document(main_gaps, "judge", judges, pl.col("seconds"))
    if per == "segment":
        return _resample(times, lambda total: _means(total).mean(axis=1), detail)
    marks = pl.col("spans").str.json_decode(pl.List(pl.Struct({"severity": pl.String}))).list.len().fill_null(0)
    main = _main(data, part, of)
    both = _align_documents([times, _by_document(main, "judge_kind", main["judge_kind"].unique().to_list(), marks)])
    width = 2 * len(judges)

    def finish(total: Array) -> Array:
        spans = total[:, width::2].sum(axis=1) / total[:, width + 1 :: 2].sum(axis=1)
        return np.asarray(_means(total[:, :width]).mean(axis=1) / spans)

    return _resample(both, finish, detail)


@computation
def mean_score(data: Data, *, part: str, of: str, system: str = "", scale: float = 1.0) -> CellResult:
    """The mean of a score over segments (of which each judge's answers are averaged first), in all or of a system."""
    table = _main(data, part, of)
    table = table.filter(pl.col("system") == system) if system else table
    means = table.group_by(_SEGMENT, maintain_order=True).agg(pl.col("score").mean()).drop_nulls("score")
    ones = pl.repeat(1.0, len(means), eager=True)
    return _ratio(means["document"], scale * means["score"], ones, f"{len(means):,} segments")


@computation
def protocols_agree(
    data: Data, *, parts: Sequence[str], of: Sequence[str], level: str, method: str, signs: Sequence[int] = (1, 1)
) -> CellResult:
    """How far two protocols agree on the same texts: a correlation over segments or systems, or in percent the pairs of
    systems that both put in the same order. `signs` turn a score of which more is worse."""
    one, other = (
        _main(data, part, question).group_by(_SEGMENT, maintain_order=True).agg(pl.col("score").mean() * sign)
        for part, question, sign in zip(parts, of, signs, strict=True)
    )
    both = one.join(other, on=_SEGMENT, suffix="_other", maintain_order="left").drop_nulls(["score", "score_other"])
    if level == "system":
        return _systems_agree(both, method)
    if len(both) < _LEAST_PAIRS:
        return CellResult(None)
    sides = [
        both.select(*_SEGMENT, pl.col(name).alias("score"), pl.lit(name).alias("judge"), pl.lit("of").alias("question"))
        for name in ("score", "score_other")
    ]
    [row] = correlations(pl.concat(sides), "of", methods=[_CORRELATIONS[method]], resampling=_HOW).rows
    return CellResult(row["value"], row["low"], row["high"], f"{len(both):,} segments")


def _systems_agree(both: pl.DataFrame, method: str) -> CellResult:
    """Systems' means under two protocols: how far they go together, or in percent the pairs in the same order."""
    systems = both["system"].unique(maintain_order=True).to_list()
    if len(systems) < _LEAST_PAIRS:
        return CellResult(None)
    sides = _align_documents([_by_document(both, "system", systems, pl.col(name)) for name in ("score", "score_other")])
    pairs = np.array(list(combinations(range(len(systems)), 2)))

    def finish(total: Array) -> Array:
        one, other = (_means(half) for half in np.split(total, 2, axis=1))
        if method == "accuracy":
            steps = [side[:, pairs[:, 0]] - side[:, pairs[:, 1]] for side in (one, other)]
            return np.asarray(100 * (steps[0] * steps[1] > 0).mean(axis=1))
        deviations = [side - side.mean(axis=1, keepdims=True) for side in (one, other)]
        length = np.sqrt((deviations[0] ** 2).sum(axis=1) * (deviations[1] ** 2).sum(axis=1))
        return np.asarray((deviations[0] * deviations[1]).sum(axis=1) / length)

    return _resample(sides, finish, f"{len(systems):,} systems")


@computation
def same_as_released(
    data: Data, *, part: str, of: str, file: str, give: str, names: Mapping[str, str], references: bool = False
) -> CellResult:
    """How many segment scores of a released file come out again, to six digits, or how many there are. `names` maps
    names of references in that file to ours; they count with `references` only."""
    if data.folder is None:
        return CellResult(None)
    scores = _released_scores(data.folder / file)
    released_scores = {
        (names.get(system, system), segment): score
        for (system, segment), score in scores.items()
        if references or system not in names
    }
    if give == "scores":
        return CellResult(float(len(released_scores)))
    table = _main(data, part, of).group_by("system", "segment").agg(pl.col("score").mean())
    ours = {(row[0], row[1]): -row[2] for row in table.iter_rows()}  # there a penalty is a negative score
    same = sum(abs(ours.get(key, float("nan")) - score) < 1e-6 for key, score in released_scores.items())
    return CellResult(float(same))


def _released_scores(path: Path) -> dict[tuple[str, str], float]:
    """Score by system and segment from a file with a header; columns are parted by any white space."""
    if not path.is_file():
        raise InputError("The file of published segment scores is missing.", where=Where(path))
    scores: dict[tuple[str, str], float] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()[1:], start=2):
        try:
            system, score, segment = line.split()
            if score != "None":
                scores[system, segment] = float(score)
        except ValueError as error:
            raise InputError("This is not a system, a score and a segment.", where=Where(path, number)) from error
    return scores


def _by_document(table: pl.DataFrame, group: str, names: Sequence[str], value: pl.Expr) -> dict[str, Array]:
    """For each document the sum of a value and how many there are, group after group."""
    place = {name: at for at, name in enumerate(names)}
    sums: dict[str, Array] = {}
    totals = table.group_by("document", group, maintain_order=True).agg(value.sum().alias("sum"), pl.len())
    for document, name, total, number in totals.iter_rows():
        own = sums.setdefault(document, np.zeros(2 * len(names)))
        own[2 * place[name] : 2 * place[name] + 2] = (total, number)
    return sums


def _align_documents(parts: Sequence[dict[str, Array]]) -> dict[str, Array]:
    """The numbers of each document in all parts, side by side."""
    widths = [len(next(iter(part.values()))) for part in parts]
    documents = dict.fromkeys(name for part in parts for name in part)
    return {
        name: np.concatenate([part.get(name, np.zeros(width)) for part, width in zip(parts, widths, strict=True)])
        for name in documents
    }


def _means(total: Array) -> Array:
    """Sums over how many there are, for each group."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(total[:, 0::2] / total[:, 1::2])


def _ratio(documents: pl.Series, top: pl.Series, bottom: pl.Series, detail: str) -> CellResult:
    """The sum of one number over that of another, with an interval over documents."""
    totals = pl.DataFrame({"document": documents, "top": top, "bottom": bottom}).group_by("document").sum()
    sums = {name: np.array([one, other], dtype=float) for name, one, other in totals.sort("document").iter_rows()}
    return _resample(sums, lambda total: _means(total)[:, 0], detail)


def _resample(sums: Mapping[str, Array], finish: Callable[[Array], Array], detail: str) -> CellResult:
    """A number made of sums over documents, with its interval."""
    replicates = replicate_sums(np.array(list(sums.values())), lambda total: finish(total)[:, None], _HOW)
    value = float(replicates.value[0])
    if np.isnan(value):
        return CellResult(None, detail=detail)
    ends = outcome(replicates, _HOW).interval
    return CellResult(value, ends.low if ends else None, ends.high if ends else None, detail)


def _main(data: Data, part: str, question: str) -> pl.DataFrame:
    return data.table(part, question=question).filter(pl.col("role") == "main")
