"""How much context sentences need, and what is missed without it (Castilho, Popović & Way 2020; Castilho 2021)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl

from lanner.errors import StatisticError, check_known
from lanner.model import Json, Result
from lanner.stats.frame import ITEM, answered, groups, latest, numbers, tidy, units, wide
from lanner.stats.resample import Array, Outcome, Resampling, clustered, outcome, replicate_ratios, sign, undefined

_SENTENCE = ["document", "segment", "system"]


@dataclass(frozen=True)
class _Share:
    count: int
    value: float
    spread: Outcome

    def row(self) -> dict[str, Json]:
        return {"count": self.count, "share": self.value, **self.spread.ends()}


def _answers(data: Any, question: str) -> tuple[pl.DataFrame, tuple[str, ...]]:
    table, notes = tidy(data)
    table = table.filter(pl.col("role") == "main")
    questions = table["question"].unique().sort().to_list()
    check_known(question, questions, f"No answers to a question {question!r}.", StatisticError)
    answers = table.filter(pl.col("question") == question, answered())
    answers, again = latest(answers, ("judge", *ITEM))
    return answers, notes + again


def _several(question: str | Sequence[str]) -> list[str]:
    return [question] if isinstance(question, str) else list(question)


def _shares(marks: Array, table: pl.DataFrame, resampling: Resampling, over: Array | None = None) -> list[_Share]:
    """For each column of marks its sum over that of `over` (rows, if not given), with a document interval."""
    unit, count = units(table, resampling.unit)
    base = np.ones(len(marks)) if over is None else over
    replicates = replicate_ratios(marks, base, unit, count, resampling)
    answers = int(base.sum())
    return [
        _Share(
            int(total),
            float(replicates.value[k]),
            outcome(replicates, resampling, column=k, scale="share", answers=answers),
        )
        for k, total in enumerate(marks.sum(axis=0))
    ]


def _split(table: pl.DataFrame, by: Sequence[str]) -> list[tuple[dict[str, Json], pl.DataFrame]]:
    """The whole table under "all", which is `pooled` (a group may be called so), then its groups."""
    own = [({**labels, "pooled": False}, part) for labels, part in groups(table, by)] if by else []
    return [({**dict.fromkeys(by, "all"), "pooled": True}, table), *own]


def _result(
    name: str,
    top: _Share,
    rows: list[dict[str, Json]],
    table: pl.DataFrame,
    *,
    notes: tuple[str, ...],
    resampling: Resampling,
) -> Result:
    counts = {"items": len(table), "documents": table["document"].n_unique()}
    if "judge" in table.columns:
        counts["judges"] = table["judge"].n_unique()
    interval = top.spread.interval
    about = (*notes, *top.spread.notes)
    return Result(name, top.value, interval, None, counts, 0.0, {}, rows, about, sign(name, resampling, interval))


def issue_shares(
    data: Any,
    of: str | Sequence[str] = "reasons",
    *,
    by: Sequence[str] = ("domain",),
    resampling: Resampling | None = None,
) -> Result:
    """Which issues hinder translation: each label's share of all labels given, overall and per group.

    `of` are the label questions, one per phase. Rows: question, group ("all" first), label, count, share with document
    interval, and `sentences`: the share of the sentences with any issue for which someone gave this one. The Result's
    value is the commonest label's share in the first phase.
    """
    resampling = clustered(resampling)
    rows: list[dict[str, Json]] = []
    first: tuple[str, _Share, pl.DataFrame, tuple[str, ...]] | None = None
    for question in _several(of):
        table, notes = _answers(data, question)
        with_labels = table.filter(pl.col("labels").list.len() > 0)
        names = sorted(with_labels["labels"].explode().unique().to_list()) if len(with_labels) else []
        for labels, part in _split(with_labels, by) if names else []:
            marks = _marks(part["labels"].to_list(), names)
            shares = _shares(marks, part, resampling, marks.sum(axis=1))
            anyone = part.group_by(_SENTENCE).agg(pl.col("labels").explode().unique())["labels"].to_list()
            sentences = _marks(anyone, names).mean(axis=0)
            for k in np.argsort([-share.value for share in shares], kind="stable"):
                about = {"question": question, **labels, "label": names[k]}
                rows.append({**about, **shares[k].row(), "sentences": float(sentences[k])})
                first = first or (names[k], shares[k], with_labels, notes)
    if first is None:
        return undefined("issue shares", "no issue was named.")
    label, top, with_labels, notes = first
    return _result(f"share of {label} among issues", top, rows, with_labels, notes=notes, resampling=resampling)


def _marks(sets: Sequence[Sequence[str]], names: Sequence[str]) -> Array:
    place = {name: k for k, name in enumerate(names)}
    marks = np.zeros((len(sets), len(names)))
    for row, labels in enumerate(sets):
        for label in labels:
            marks[row, place[label]] = 1
    return marks


def agreement_intervals(
    data: Any,
    of: str | Sequence[str] = "translatable",
    *,
    label: str = "no",
    more_than: float = 0.4,
    edges: Sequence[float] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
    by: Sequence[str] = ("domain",),
    resampling: Resampling | None = None,
) -> Result:
    """How far judges agree on an answer: the share of sentences for which this share of their judges gave it.

    Intervals are open below and closed above, and 0 stands alone: 0, (0, 20 %], (20 %, 40 %], … Rows: question, group
    ("all" first), interval, count, share with document interval. The Result's value is the share of sentences for
    which more than `more_than` of the judges gave the answer: those that go on to the next phase.
    """
    resampling = clustered(resampling)
    names = ["0 %", *(f"over {low:.0%} to {high:.0%}" for low, high in pairwise(edges))]
    rows: list[dict[str, Json]] = []
    first: tuple[_Share, pl.DataFrame, tuple[str, ...]] | None = None
    for question in _several(of):
        table, notes = _answers(data, question)
        answers = table.filter(pl.col("label").is_not_null())
        label_share = (pl.col("label") == label).mean().alias("said")
        for labels, group_rows in _split(answers, by) if len(answers) else []:
            part = group_rows.group_by(_SENTENCE, maintain_order=True).agg(label_share)
            share = part["said"].to_numpy()
            place = np.searchsorted(np.asarray(edges) + 1e-12, share, side="left")
            marks = np.column_stack([np.eye(len(names))[np.clip(place, 0, len(names) - 1)], share > more_than + 1e-12])
            shares = _shares(marks, part, resampling)
            rows += [
                {"question": question, **labels, "interval": name, **one.row()}
                for name, one in zip([*names, f"over {more_than:.0%}"], shares, strict=True)
            ]
            first = first or (shares[-1], part, notes)
    if first is None:
        return undefined("agreement intervals", f"nobody answered {', '.join(_several(of))}.")
    top, part, notes = first
    return _result(
        f"sentences with over {more_than:.0%} {label!r}", top, rows, part, notes=notes, resampling=resampling
    )


def spans(
    data: Any,
    of: str = "resolved_by",
    *,
    before: str = "sentences_before",
    after: str = "sentences_after",
    by: Sequence[str] = ("target_language",),
    resampling: Resampling | None = None,
) -> Result:
    """The smallest context that settles a sentence: how often each is needed.

    The answer is a set of labels; where `before` or `after` hold a number of sentences, it stands in place of the label
    ("+2 preceding"). Rows: group ("all" first), span, count, share with document interval, and for preceding sentences
    alone `covered`: the share of sentences that this many preceding ones would settle. The Result's value is the share
    settled by sentences before or after alone.
    """
    resampling = clustered(resampling)
    table, notes = _answers(data, of)
    keys = ["judge", *_SENTENCE]
    full = tidy(data)[0].filter(pl.col("role") == "main", pl.col("score").is_not_null())
    for name, question in (("_before", before), ("_after", after)):
        numbers_given, _ = latest(full.filter(pl.col("question") == question), ("judge", *ITEM))
        own = numbers_given.group_by(keys).agg(pl.col("score").max().alias(name))
        table = table.join(own, on=keys, how="left", maintain_order="left")
    table = table.filter(pl.col("labels").list.len() > 0)
    if not len(table):
        return undefined("context spans", f"nobody answered {of}.")
    columns = [
        _span(labels, ahead, behind)
        for labels, ahead, behind in table.select("labels", "_before", "_after").iter_rows()
    ]
    near = [set(labels) <= {"preceding", "following"} for labels in table["labels"].to_list()]
    alone = [
        ahead if labels == ["preceding"] else np.inf for labels, ahead in table.select("labels", "_before").iter_rows()
    ]
    table = table.with_columns(
        pl.Series("_span", columns), pl.Series("_near", near), pl.Series("_alone", alone, strict=False)
    )
    preceding = {
        name: ahead for name, ahead in zip(columns, alone, strict=True) if ahead is not None and ahead < np.inf
    }
    order = sorted(set(columns), key=lambda span: (span.count(","), not span.startswith("+"), span))
    rows: list[dict[str, Json]] = []
    top: _Share | None = None
    for labels, part in _split(table, by):
        marks = np.array([[span == name for name in order] for span in part["_span"].to_list()], dtype=float)
        shares = _shares(np.column_stack([marks, part["_near"].to_numpy()]), part, resampling)
        top = top or shares[-1]
        distance = part["_alone"].fill_null(np.inf).to_numpy()
        for name, share in zip(order, shares, strict=False):
            coverage = float((distance <= preceding[name]).mean()) if name in preceding else None
            rows.append({**labels, "span": name, **share.row(), "covered": coverage})
    assert top is not None
    return _result("settled by neighbouring sentences", top, rows, table, notes=notes, resampling=resampling)


def _span(labels: Sequence[str], before: float | None, after: float | None) -> str:
    number = {"preceding": before, "following": after}
    parts = [f"+{number[label]:.12g} {label}" if number.get(label) is not None else label for label in labels]
    return ", ".join(sorted(parts, key=lambda part: (not part.endswith("preceding"), part)))


def misevaluations(
    data: Any,
    of: str | Sequence[str],
    in_context: str | Sequence[str],
    *,
    nearly: float = 0.8,
    flawed: float = 0.5,
    best: float | None = None,
    no_error: str = "no_errors",
    resampling: Resampling | None = None,
) -> Result:
    """Sentences that look perfect alone and turn out wrong in their document (Castilho 2021).

    A judge finds a sentence perfect if every question of `of` (asked of isolated sentences) has its best answer: the
    top of the scale (`best`, or the highest number anyone gave to either question), or no error marked. Found are the
    sentences that at least `nearly` of their judges call perfect alone, while at least `flawed` of the judges who saw
    the document (`in_context`, the same questions) do not. Rows: those sentences, the widest gap first. The Result's
    value is their share among all sentences that look perfect alone, with a document interval.
    """
    resampling = clustered(resampling)
    alone_of, context_of = _several(of), _several(in_context)
    tops = (
        [best] * len(alone_of)
        if best is not None
        else [_top(data, pair) for pair in zip(alone_of, context_of, strict=True)]
    )
    alone, notes = _perfect(data, alone_of, tops, no_error)
    inside, _ = _perfect(data, context_of, tops, no_error)
    both = alone.join(inside, on=_SENTENCE, suffix="_in_context", maintain_order="left")
    candidates = both.filter(pl.col("perfect") >= nearly - 1e-12)
    if not len(candidates):
        return undefined(
            "misevaluations", "no sentence judged in both ways looks perfect alone.", counts={"items": len(both)}
        )
    wrong = (1 - candidates["perfect_in_context"].to_numpy()) >= flawed - 1e-12
    share = _shares(wrong.astype(float)[:, None], candidates, resampling)[0]
    sentences = candidates.filter(pl.Series(wrong)).with_columns((1 - pl.col("perfect_in_context")).alias("flawed"))
    sentences = sentences.sort("flawed", "perfect", descending=True, maintain_order=True)
    names = [*_SENTENCE, "perfect", "flawed", "judges", "judges_in_context"]
    rows: list[dict[str, Json]] = sentences.select(names).to_dicts()
    return _result("perfect alone, wrong in context", share, rows, candidates, notes=notes, resampling=resampling)


def _top(data: Any, questions: tuple[str, str]) -> float:
    scores = [_answers(data, question)[0]["score"].max() for question in questions]
    return max((float(score) for score in scores if isinstance(score, int | float)), default=np.inf)


def _perfect(
    data: Any, questions: Sequence[str], tops: Sequence[float], no_error: str
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Per sentence the share of judges who gave every question its best answer, and how many judges there were."""
    parts = []
    notes: tuple[str, ...] = ()
    for question, top in zip(questions, tops, strict=True):
        table, notes = _answers(data, question)
        clean = pl.col("labels").list.set_difference([no_error]).list.len() == 0
        has_labels, has_score = pl.col("labels").is_not_null(), pl.col("score").is_not_null()
        good = (
            pl.when(has_labels)
            .then(clean)
            .when(has_score)
            .then(pl.col("score") >= top)
            .otherwise(pl.col("label") == no_error)
        )
        parts.append(table.select("judge", *_SENTENCE, good.alias("good")).drop_nulls("good"))
    verdicts = pl.concat(parts).group_by("judge", *_SENTENCE, maintain_order=True).agg(pl.col("good").all())
    whole = verdicts.group_by(_SENTENCE, maintain_order=True)
    return whole.agg(pl.col("good").mean().alias("perfect"), pl.len().alias("judges")), notes


def distribution(data: Any, of: str, *, by: Sequence[str] = ("judge",), resampling: Resampling | None = None) -> Result:
    """How often each value of a measure occurs, per group: for instance the number of skills on a sentence, of
    "count(skills)". Rows: group, value, count, share with document interval. The Result is the first group's mode."""
    resampling = clustered(resampling)
    source = wide(data).with_measures([of])
    table = source.table.filter(pl.col(of).is_not_null())
    if not len(table):
        return undefined(f"distribution of {of}", "nothing was answered.")
    values = np.unique(numbers(table, of))
    rows: list[dict[str, Json]] = []
    modes: list[tuple[float, _Share]] = []
    for labels, part in groups(table, by):
        shares = _shares((numbers(part, of)[:, None] == values).astype(float), part, resampling)
        rows += [{**labels, "value": float(v), **share.row()} for v, share in zip(values, shares, strict=True)]
        modes.append(max(zip(values, shares, strict=True), key=lambda pair: pair[1].count))
    value, share = modes[0]
    return _result(f"share of {of} = {value:.12g}", share, rows, table, notes=source.notes, resampling=resampling)
