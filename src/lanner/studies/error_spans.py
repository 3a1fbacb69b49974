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
from lanner.studies.data import Data
from lanner.studies.found import Found

PAUSE = 300.0
_SEGMENT = ["document", "segment", "system"]
_LEAST_PAIRS = 3
_CORRELATIONS = {"pearson": "pearsonr", "spearman": "spearmanr", "kendall": "kendalltau"}
"""By the names of scipy.stats, which takes a second to load and is needed here alone."""


def spans_per_segment(data: Data, *, part: str, severity: str = "", of: str = "errors") -> Found:
    """How many spans a judge marks on a segment, or in percent how many of them have a severity."""
    marked = _main(data, part, of)["spans"].str.json_decode(pl.List(pl.Struct({"severity": pl.String})))
    if not len(marked):
        return Found(None)
    total = int(marked.list.len().sum())
    detail = f"{total:,} spans on {len(marked):,} segments"
    if not severity:
        return Found(total / len(marked), detail=detail)
    given = marked.explode().drop_nulls().struct.field("severity")
    return Found(100 * float((given == severity).sum()) / total if total else None, detail=detail)


def seconds_per_segment(data: Data, *, part: str, per: str = "segment", of: str = "errors") -> Found:
    """Seconds from one segment's opening to the next one's; with `per` "span" over the spans marked in that time."""
    table = data.table(part, question=of)
    known = table.filter(pl.col("answered_at").is_not_null() & pl.col("elapsed").is_not_null())
    opened = pl.col("answered_at") - pl.duration(microseconds=(pl.col("elapsed") * 1e6).round().cast(pl.Int64))
    gaps = (
        known.with_columns(opened.alias("opened"))
        .sort("judge", "opened")
        .with_columns((pl.col("opened").diff().shift(-1).over("judge").dt.total_microseconds() / 1e6).alias("seconds"))
    )
    kept = gaps.filter((pl.col("role") == "main") & pl.col("seconds").is_not_null())
    calm = pl.when(pl.col("seconds") > PAUSE).then(pl.col("seconds").median()).otherwise(pl.col("seconds"))
    judges = kept.group_by("judge").agg(calm.mean())
    seconds = float(judges["seconds"].mean()) if len(judges) else None  # type: ignore[arg-type]
    detail = f"{len(kept):,} segments of {len(judges)} judges"
    if per == "segment" or seconds is None:
        return Found(seconds, detail=detail)
    marked = spans_per_segment(data, part=part, of=of).value
    return Found(seconds / marked if isinstance(marked, float) and marked else None, detail=detail)


def mean_score(data: Data, *, part: str, of: str, system: str = "", scale: float = 1.0) -> Found:
    """The mean of a score over segments (of which each judge's answers are averaged first), in all or of a system."""
    table = _main(data, part, of)
    table = table.filter(pl.col("system") == system) if system else table
    means = table.group_by(_SEGMENT).agg(pl.col("score").mean())
    value = means["score"].mean()
    return Found(scale * float(value) if value is not None else None, detail=f"{len(means):,} segments")  # type: ignore[arg-type]


def protocols_agree(
    data: Data, *, parts: Sequence[str], of: Sequence[str], level: str, method: str, signs: Sequence[int] = (1, 1)
) -> Found:
    """How far two protocols agree on the same texts: a correlation over segments or systems, or in percent the pairs of
    systems that both put in the same order. `signs` turn a score of which more is worse."""
    one, other = (
        _main(data, part, question).group_by(_SEGMENT).agg(pl.col("score").mean() * sign)
        for part, question, sign in zip(parts, of, signs, strict=True)
    )
    both = one.join(other, on=_SEGMENT, suffix="_other").drop_nulls(["score", "score_other"])
    if level == "system":
        both = both.group_by("system", maintain_order=True).agg(pl.col("score").mean(), pl.col("score_other").mean())
    first, second = both["score"].to_numpy(), both["score_other"].to_numpy()
    if len(first) < _LEAST_PAIRS:
        return Found(None)
    detail = f"{len(first):,} {level}s"
    if method == "accuracy":
        same = [(first[a] - first[b]) * (second[a] - second[b]) > 0 for a, b in combinations(range(len(first)), 2)]
        return Found(100 * float(np.mean(same)), detail=detail)
    from scipy import stats  # noqa: PLC0415 - see above

    return Found(float(getattr(stats, _CORRELATIONS[method])(first, second)[0]), detail=detail)


def same_as_released(
    data: Data, *, part: str, of: str, file: str, give: str, called: Mapping[str, str], references: bool = False
) -> Found:
    """How many segment scores of a released file come out again, to six digits, or how many there are. `called` maps
    names of references in that file to ours; they count with `references` only."""
    if data.folder is None:
        return Found(None)
    found = _released_scores(data.folder / file)
    released = {
        (called.get(system, system), segment): score
        for (system, segment), score in found.items()
        if references or system not in called
    }
    if give == "scores":
        return Found(float(len(released)))
    table = _main(data, part, of).group_by("system", "segment").agg(pl.col("score").mean())
    ours = {(row[0], row[1]): -row[2] for row in table.iter_rows()}  # there a penalty is a negative score
    same = sum(abs(ours.get(key, float("nan")) - score) < 1e-6 for key, score in released.items())
    return Found(float(same))


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


def _main(data: Data, part: str, question: str) -> pl.DataFrame:
    return data.table(part, question=question).filter(pl.col("role") == "main")


COMPUTATIONS: tuple[Callable[..., Found], ...] = (
    spans_per_segment, seconds_per_segment, mean_score, protocols_agree, same_as_released,
)  # fmt: skip
