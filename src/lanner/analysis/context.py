"""How far texts depend on context, and what people miss when they see less of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from lanner.analysis.measures import CountedRows
from lanner.analysis.scores import ALL, Share, domain_columns, ratio_over_documents, share_over_documents
from lanner.model import Choice, Json, Labels, Object, Protocol, Question, Result, Scale, Spans
from lanner.stats.context import misevaluations
from lanner.stats.resample import Resampling

# How far texts depend on context, by language pair and domain, from whatever a protocol asks about it.
#
# Four signs are looked at, each a share of judgements with an interval over documents: sentences that need more context
# than themselves (FALCON's levels), sentences with words marked as needing context, sentences that cannot be translated
# as they stand (the survey's phases), and each reason or issue that judges name (survey, DELA).

_ALONE = "sentence_level"
_MARK = "needs_context"


@dataclass(frozen=True, slots=True)
class Sign:
    """One sign of dependence: the question it is read from, and the label that counts ("" for any but the first)."""

    question: str
    label: str
    kind: str
    """level, marked, untranslatable or reason."""


@dataclass(frozen=True, slots=True)
class Dependence:
    """A sign in one language pair and domain: on which share of judgements it shows."""

    pair: str
    domain: str
    sign: Sign
    share: Share

    def to_row(self) -> dict[str, Json]:
        return {
            "pair": self.pair or "all",
            **domain_columns(self.domain),
            "question": self.sign.question,
            "kind": self.sign.kind,
            "label": self.sign.label,
            "share": self.share.value,
            "low": self.share.low,
            "high": self.share.high,
            "judgements": self.share.n,
        }


def signs(protocol: Protocol) -> list[Sign]:
    """What of a protocol says that a source sentence depends on context."""
    return list(_signs(protocol))


def _signs(protocol: Protocol) -> Iterator[Sign]:
    refusals = {stage.promotion.question: stage.promotion.is_ for stage in protocol.stages if stage.promotion}
    refusal_labels = {label for labels in refusals.values() for label in labels}
    for stage, question in protocol.questions:
        if stage.object is not Object.SOURCE or stage.role:
            continue
        if isinstance(question, Choice):
            options = [option.id for option in question.options]
            if _ALONE in options:
                yield Sign(question.id, "", "level")
            elif refusal_labels & set(options) and (question.id in refusals or set(options) == {"yes", "no"}):
                yield from (Sign(question.id, label, "untranslatable") for label in options if label in refusal_labels)
        elif isinstance(question, Spans) and any(option.id == _MARK for option in question.categories):
            yield Sign(question.id, _MARK, "marked")
        elif isinstance(question, Labels) and (_is_about_refusal(question, refusal_labels) or question.id == "issues"):
            yield from (Sign(question.id, option.id, "reason") for option in question.options)


def _is_about_refusal(question: Labels, refusal_labels: set[str]) -> bool:
    return question.when is not None and bool(set(question.when.is_) & refusal_labels)


def context_dependence(
    rows: CountedRows, protocol: Protocol, *, resampling: Resampling | None = None
) -> list[Dependence]:
    """Every sign in every language pair and domain, and in all together."""
    how = resampling or Resampling()
    return [result for sign in signs(protocol) for result in _of_sign(rows.table, sign, how)]


def _of_sign(table: pl.DataFrame, sign: Sign, how: Resampling) -> Iterator[Dependence]:
    own = table.filter(pl.col("question") == sign.question)
    if own.is_empty():
        return
    match sign.kind:
        case "level":
            own = own.filter(pl.col("label").is_not_null())
            shows = pl.col("label") != _ALONE
        case "marked":
            own = own.filter(pl.col("spans").is_not_null())
            shows = pl.col("spans") != "[]"
        case "untranslatable":
            own = own.filter(pl.col("label").is_not_null())
            shows = pl.col("label") == sign.label
        case _:
            own = own.filter(pl.col("labels").is_not_null())
            shows = pl.col("labels").list.contains(sign.label)
    own = own.with_columns(
        shows.alias("shows"), pl.concat_str("source_language", "target_language", separator="–").alias("pair")
    )
    for pair in [ALL, *own["pair"].unique().sort()]:
        for domain in [ALL, *own.filter(pl.col("domain") != "")["domain"].unique().sort()]:
            part = own if pair == ALL else own.filter(pl.col("pair") == pair)
            part = part if domain == ALL else part.filter(pl.col("domain") == domain)
            if not part.is_empty():
                share = share_over_documents(part.filter(pl.col("shows")), part, how)
                yield Dependence(pair, domain, sign, share)


# What people miss when they see less: a campaign in which context was a factor, question by question.
#
# Every context is set against the fullest one. A sentence is misevaluated (Castilho 2021) where it looks perfect in the
# smaller context and has a fault in the fuller one. A verdict has changed where two judges of one sentence, one in each
# context, answered differently; since two judges may also differ in the same context, that share stands beside it. Time
# is the active time on a sentence. Judges saw each text in one context only, so nothing here is one judge's second
# look.

_UNIT = ["document", "segment", "system"]
_CHANGED = ("changed", "changed_low", "changed_high", "pairs_across")


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
        misevaluation, change = self.misevaluated, self.changed
        return {
            "question": self.question,
            "context": self.context,
            "fullest": self.fullest,
            "misevaluated": misevaluation.value if misevaluation else None,
            "misevaluated_low": misevaluation.low if misevaluation else None,
            "misevaluated_high": misevaluation.high if misevaluation else None,
            "perfect_here": misevaluation.counts.get("items", 0) if misevaluation else None,
            **(change.row("changed", "pairs_across") if change else dict.fromkeys(_CHANGED)),
            **self.apart.row("differ_within", "pairs_within", ends="differ"),
            **self.seconds.row("seconds", "judgements"),
        }


def context_effects(
    rows: CountedRows, protocol: Protocol, *, resampling: Resampling | None = None
) -> list[ContextEffect]:
    """Every question that was asked in several contexts, in each of them; empty where context was no factor."""
    how = resampling or Resampling()
    effects: list[ContextEffect] = []
    for stem, questions in protocol.contexts.items():
        pair = protocol.find(next(iter(questions.values())))
        if pair is not None and isinstance(pair[1], Scale | Choice | Labels | Spans):
            effects += _of_question(rows.table, stem, questions, pair[1], how)
    return effects


def _of_question(
    table: pl.DataFrame, stem: str, questions: Mapping[str, str], question: Question, how: Resampling
) -> Iterator[ContextEffect]:
    verdicts = _verdicts(table, questions, question)
    contexts = [context for context in questions if not verdicts.filter(pl.col("context") == context).is_empty()]
    if len(contexts) < 2:
        return
    fullest = contexts[-1]
    for context in contexts:
        less = context != fullest
        yield ContextEffect(
            question=stem,
            context=context,
            fullest=fullest,
            misevaluated=_measure_misevaluation(verdicts, question, context, fullest, how) if less else None,
            changed=_differing(verdicts, context, fullest, how) if less else None,
            apart=_differing(verdicts, context, context, how),
            seconds=_seconds(table, questions[context], how),
        )


def _verdicts(table: pl.DataFrame, questions: Mapping[str, str], question: Question) -> pl.DataFrame:
    """A row for each judge and sentence: the context, and the verdict as a text that can be compared."""
    contexts = {name: context for context, name in questions.items()}
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


def _measure_misevaluation(
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
