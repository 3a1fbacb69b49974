"""Coefficients for answers without a protocol: which ones suit is told by what the answers are."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from lanner.errors import InputError, did_you_mean
from lanner.reports.coefficients import Coefficient
from lanner.stats.agreement import alpha, gwet, icc, jaccard, kappa, micro_f1, percent, spans

_MOST_LEVELS = 20


def plain_coefficients(table: pl.DataFrame, question: str | None = None) -> Iterator[Coefficient]:
    """For labels κ, percent, α and AC1; for scores α and, on short scales, weighted κ; for sets and spans theirs."""
    known = table["question"].unique(maintain_order=True).to_list()
    if question and question not in known:
        raise InputError(f"There are no answers to {question!r}.", next_step=did_you_mean(question, known))
    for name in [question] if question else known:
        yield from _of(name, table.filter(pl.col("question") == name))


def _of(name: str, answers: pl.DataFrame) -> Iterator[Coefficient]:
    if answers["spans"].is_not_null().any():
        yield Coefficient("spans", "span F1", spans, name, pairwise=True)
    elif answers["labels"].is_not_null().any():
        yield Coefficient("alpha", "α Jaccard", alpha, name, options={"level": "jaccard"}, pairwise=True)
        yield Coefficient("jaccard", "mean Jaccard", jaccard, name, pairwise=True)
        yield Coefficient("micro_f1", "micro-F1", micro_f1, name, pairwise=True)
    elif answers["label"].is_not_null().any():
        yield Coefficient("kappa", "κ", kappa, name, pairwise=True)
        yield Coefficient("percent", "% same", percent, name, pairwise=True)
        yield Coefficient("alpha", "α", alpha, name, options={"level": "nominal"})
        yield Coefficient("gwet", "AC1", gwet, name)
    elif answers["score"].is_not_null().any():
        few = answers["score"].drop_nulls().n_unique() <= _MOST_LEVELS
        level = "ordinal" if few else "interval"
        yield Coefficient("alpha", f"α {level}", alpha, name, options={"level": level}, pairwise=True)
        yield Coefficient("icc", "ICC(2,1)", icc, name, options={"form": "2,1"})
        if few:
            yield Coefficient("kappa", "κ quadratic", kappa, name, options={"weights": "quadratic"})
            yield Coefficient("percent", "% same", percent, name, pairwise=True)
