"""What judges say about themselves and their work: averages of statements, shares of answers.

Each judge answers once, so judges are what is resampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from lanner.errors import StatisticError, check_known
from lanner.model import Json, Result
from lanner.stats.frame import ITEM, answered, groups, latest, tidy, units
from lanner.stats.resample import Array, Outcome, Resampling, Scale, outcome, replicate_ratios, sign, undefined


def averages(
    data: Any, of: str | Sequence[str], *, by: Sequence[str] = (), resampling: Resampling | None = None
) -> Result:
    """The mean answer to each statement: x̄ = Σx/n over the judges who answered it (Castilho 2021 averages ten
    statements per scenario this way).

    `of` are questions whose answers are numbers, or grids of them; `by` are columns to split by (an attribute of the
    judges). Rows: question, row (the statement), group, mean with interval, median, sd, n. The Result's value is the
    mean over all answers.
    """
    table, notes = _answers(data, of)
    table = table.filter(pl.col("score").is_not_null())
    if not len(table):
        return undefined("average answer", "nothing was answered with a number.")
    resampling = _over_judges(resampling)
    rows: list[dict[str, Json]] = []
    for labels, part in groups(table, ["question", "row", *by]):
        values = part["score"].to_numpy().astype(float)
        value, spread = _mean(values, part, resampling, "plain")
        sd = float(values.std(ddof=1)) if len(values) > 1 else None
        about = {**labels, "mean": value, **spread.ends(), "median": float(np.median(values)), "sd": sd}
        rows.append({**about, "n": part["judge"].n_unique()})
    value, spread = _mean(table["score"].to_numpy().astype(float), table, resampling, "plain")
    return _result("average answer", value, spread, rows, table, notes=notes, resampling=resampling)


def shares(
    data: Any, of: str | Sequence[str], *, by: Sequence[str] = (), resampling: Resampling | None = None
) -> Result:
    """How many judges gave each answer: k/n over the judges who answered.

    `of` are choices or label sets. Rows: question, group, label, count, share with interval, n; the commonest first.
    The Result's value is the share of the commonest answer to the first question.
    """
    table, notes = _answers(data, of)
    label_lists = pl.when(pl.col("labels").is_not_null()).then(pl.col("labels")).otherwise(pl.concat_list("label"))
    table = table.with_columns(label_lists.alias("_given")).filter(
        pl.col("labels").is_not_null() | pl.col("label").is_not_null()
    )
    if not len(table):
        return undefined("share of answers", "nothing was answered.")
    resampling = _over_judges(resampling)
    rows: list[dict[str, Json]] = []
    first: tuple[str, float, Outcome] | None = None
    for labels, part in groups(table, ["question", *by]):
        answers = part["_given"].to_list()
        summaries = []
        for name in dict.fromkeys(label for answer in answers for label in answer):
            marks = np.array([float(name in answer) for answer in answers])
            summaries.append((name, int(marks.sum()), *_mean(marks, part, resampling, "share")))
        summaries.sort(key=lambda entry: (-entry[1], entry[0]))
        for name, count, value, spread in summaries:
            first = first or (name, value, spread)
            rows.append({**labels, "label": name, "count": count, "share": value, **spread.ends(), "n": len(answers)})
    if first is None:
        return undefined("share of answers", "no label was given.")
    name, value, spread = first
    return _result(f"share of {name}", value, spread, rows, table, notes=notes, resampling=resampling)


def _answers(data: Any, of: str | Sequence[str]) -> tuple[pl.DataFrame, tuple[str, ...]]:
    table, notes = tidy(data)
    questions = table["question"].unique().sort().to_list()
    names = [of] if isinstance(of, str) else list(of)
    for question in names:
        check_known(question, questions, f"No answers to a question {question!r}.", StatisticError)
    order = pl.Enum(names)
    answers = table.filter(pl.col("question").is_in(names), answered())
    answers, again = latest(answers, ("judge", "question", "role", *ITEM))
    return answers.sort(pl.col("question").cast(order), maintain_order=True), notes + again


def _over_judges(resampling: Resampling | None) -> Resampling:
    return replace(resampling or Resampling(), unit="judge")


def _mean(values: Array, table: pl.DataFrame, resampling: Resampling, scale: Scale) -> tuple[float, Outcome]:
    unit, count = units(table, "judge")
    replicates = replicate_ratios(values, np.ones(len(values)), unit, count, resampling)
    return float(values.mean()), outcome(replicates, resampling, scale=scale, answers=len(values))


def _result(
    name: str,
    value: float,
    spread: Outcome,
    rows: list[dict[str, Json]],
    table: pl.DataFrame,
    *,
    notes: tuple[str, ...],
    resampling: Resampling,
) -> Result:
    counts = {"items": len(table), "judges": table["judge"].n_unique()}
    about = (*notes, *spread.notes)
    signature = sign(name, resampling, spread.interval)
    return Result(name, value, spread.interval, None, counts, rows=rows, notes=about, signature=signature)
