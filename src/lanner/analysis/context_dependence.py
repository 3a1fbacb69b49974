"""How far texts depend on context, by language pair and domain, from whatever a protocol asks about it.

Four signs are looked at, each a share of judgements with an interval over documents: sentences that need more context
than themselves (FALCON's levels), sentences with words marked as needing context, sentences that cannot be translated
as they stand (the survey's phases), and each reason or issue that judges name (survey, DELA).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from lanner.analysis.rows import Counted
from lanner.analysis.scores import ALL, Share, share_over_documents
from lanner.model import Choice, Json, Labels, Object, Protocol, Spans
from lanner.stats.resample import Resampling

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
            "pair": self.pair,
            "domain": self.domain,
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
    refused = {label for labels in refusals.values() for label in labels}
    for stage, question in protocol.questions:
        if stage.object is not Object.SOURCE or stage.role:
            continue
        if isinstance(question, Choice):
            options = [option.id for option in question.options]
            if _ALONE in options:
                yield Sign(question.id, "", "level")
            elif refused & set(options) and (question.id in refusals or set(options) == {"yes", "no"}):
                yield from (Sign(question.id, label, "untranslatable") for label in options if label in refused)
        elif isinstance(question, Spans) and any(option.id == _MARK for option in question.categories):
            yield Sign(question.id, _MARK, "marked")
        elif isinstance(question, Labels) and (_is_about_refusal(question, refused) or question.id == "issues"):
            yield from (Sign(question.id, option.id, "reason") for option in question.options)


def _is_about_refusal(question: Labels, refused: set[str]) -> bool:
    return question.when is not None and bool(set(question.when.is_) & refused)


def context_dependence(rows: Counted, protocol: Protocol, *, resampling: Resampling | None = None) -> list[Dependence]:
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
