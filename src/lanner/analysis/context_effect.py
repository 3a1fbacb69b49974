"""What people miss when they see less: a campaign in which context was a factor, question by question.

Every context is set against the fullest one. A sentence is misevaluated (Castilho 2021) where it looks perfect in the
smaller context and has a fault in the fuller one. A verdict has changed where two judges of one sentence, one in each
context, answered differently; since two judges may also differ in the same context, that share stands beside it. Time
is the active time on a sentence. Judges saw each text in one context only, so nothing here is one judge's second look.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from lanner.analysis.rows import Counted
from lanner.analysis.scores import Share, ratio_over_documents, share_over_documents
from lanner.model import Choice, Json, Labels, Protocol, Question, Result, Scale, Spans
from lanner.protocols.context import contexts_of
from lanner.stats.context import misevaluations
from lanner.stats.resample import Resampling

_UNIT = ["document", "segment", "system"]


@dataclass(frozen=True, slots=True)
class ContextEffect:
    """One question in one context, against the fullest. `misevaluated` and `changed` are None in the fullest itself;
    `apart` is how often two judges differ in this very context."""

    question: str
    context: str
    fullest: str
    misevaluated: Result | None
    changed: Share | None
    apart: Share
    seconds: Share

    def to_row(self) -> dict[str, Json]:
        missed, changed = self.misevaluated, self.changed
        return {
            "question": self.question,
            "context": self.context,
            "fullest": self.fullest,
            "misevaluated": missed.value if missed else None,
            "misevaluated_low": missed.low if missed else None,
            "misevaluated_high": missed.high if missed else None,
            "perfect_here": missed.counts.get("items", 0) if missed else None,
            "changed": changed.value if changed else None,
            "changed_low": changed.low if changed else None,
            "changed_high": changed.high if changed else None,
            "pairs_across": changed.n if changed else None,
            "differ_within": self.apart.value,
            "differ_low": self.apart.low,
            "differ_high": self.apart.high,
            "pairs_within": self.apart.n,
            "seconds": self.seconds.value,
            "seconds_low": self.seconds.low,
            "seconds_high": self.seconds.high,
            "judgements": self.seconds.n,
        }


def context_effects(rows: Counted, protocol: Protocol, *, resampling: Resampling | None = None) -> list[ContextEffect]:
    """Every question that was asked in several contexts, in each of them; empty where context was no factor."""
    how = resampling or Resampling()
    effects: list[ContextEffect] = []
    for stem, asked in contexts_of(protocol).items():
        found = protocol.find(next(iter(asked.values())))
        if found is not None and isinstance(found[1], Scale | Choice | Labels | Spans):
            effects += _of_question(rows.table, stem, asked, found[1], how)
    return effects


def _of_question(
    table: pl.DataFrame, stem: str, asked: Mapping[str, str], question: Question, how: Resampling
) -> Iterator[ContextEffect]:
    verdicts = _verdicts(table, asked, question)
    answered = [context for context in asked if not verdicts.filter(pl.col("context") == context).is_empty()]
    if len(answered) < 2:
        return
    fullest = answered[-1]
    for context in answered:
        less = context != fullest
        yield ContextEffect(
            question=stem,
            context=context,
            fullest=fullest,
            misevaluated=_misevaluated(verdicts, question, context, fullest, how) if less else None,
            changed=_differing(verdicts, context, fullest, how) if less else None,
            apart=_differing(verdicts, context, context, how),
            seconds=_seconds(table, asked[context], how),
        )


def _verdicts(table: pl.DataFrame, asked: Mapping[str, str], question: Question) -> pl.DataFrame:
    """A row for each judge and sentence: the context, and the verdict as a text that can be compared."""
    contexts = {name: context for context, name in asked.items()}
    own = table.filter(pl.col("question").is_in(list(contexts)))
    if isinstance(question, Spans):
        own = own.filter(pl.col("spans").is_not_null())
        verdict = pl.when(pl.col("spans") == "[]").then(pl.lit("none")).otherwise(pl.lit("marked"))
    elif isinstance(question, Labels):
        own = own.filter(pl.col("labels").is_not_null())
        verdict = pl.col("labels").list.join("|")
    elif isinstance(question, Choice):
        own = own.filter(pl.col("label").is_not_null())
        verdict = pl.col("label")
    else:
        own = own.filter(pl.col("score").is_not_null())
        verdict = pl.col("score").cast(pl.String)
    return own.with_columns(
        pl.col("question").replace_strict(contexts, return_dtype=pl.String).alias("context"), verdict.alias("verdict")
    )


def _differing(verdicts: pl.DataFrame, one: str, other: str, how: Resampling) -> Share:
    """Of all pairs of two judges of one sentence, one in each context, the share that differ."""
    left, right = (
        verdicts.filter(pl.col("context") == name).select(*_UNIT, "judge", "verdict") for name in (one, other)
    )
    pairs = left.join(right, on=_UNIT, suffix="_other")
    judge, second = pl.col("judge"), pl.col("judge_other")
    pairs = pairs.filter(judge < second if one == other else judge != second)
    differing = pairs.filter(pl.col("verdict") != pl.col("verdict_other"))
    return share_over_documents(differing, pairs, how)


def _misevaluated(
    verdicts: pl.DataFrame, question: Question, context: str, fullest: str, how: Resampling
) -> Result | None:
    """Perfect in the smaller context, faulty in the fuller one. What a choice calls perfect is not known."""
    if isinstance(question, Choice):
        return None
    data, best = verdicts.with_columns(pl.col("context").alias("question")), None
    if isinstance(question, Spans):
        clean = (pl.col("verdict") == "none").cast(pl.Float64)
        data, best = data.with_columns(clean.alias("score")), 1.0
    elif isinstance(question, Scale):
        if question.direction == "lower_is_better":
            data, best = data.with_columns(-pl.col("score")), -question.min
        else:
            best = question.max
    return misevaluations(data, context, fullest, best=best, resampling=how)


def _seconds(table: pl.DataFrame, question: str, how: Resampling) -> Share:
    """Active seconds on a sentence, however many questions were answered about it."""
    own = table.filter(pl.col("question") == question, pl.col("active").is_not_null())
    times = own.group_by("judge", *_UNIT, maintain_order=True).agg(pl.col("active").max().alias("top"))
    return ratio_over_documents(times.select("document", "top"), times.select("document"), how, None)
