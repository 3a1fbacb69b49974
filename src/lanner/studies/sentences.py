"""Counts that need the sentences or answers themselves: texts, labels given, speed, where two judges agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import polars as pl

from lanner.errors import InputError
from lanner.stats import effort
from lanner.stats.resample import Resampling
from lanner.studies.punkt import Model, sentences
from lanner.studies.study import CellResult, Data

_QUICK = Resampling(n=1)


def given(data: Data, part: str, question: str, judge: str, domain: str = "") -> list[list[str]]:
    """The labels of every answer of a judge, repeated ones included, as the judge gave them."""
    key = ("given", part, question, judge, domain)
    if key not in data.kept:
        ids = {document.id for document in data.documents(part, domain)}
        data.kept[key] = [
            list(j.value) if isinstance(j.value, list) else [j.value]
            for j in data.part(part).judgements
            if j.question == question and j.judge == judge and j.value is not None and j.document in ids
        ]
    labels: list[list[str]] = data.kept[key]
    return labels


def rates(data: Data, part: str, judge: str, of: str, *, pooled: bool = False, without: str = "") -> dict[str, float]:
    """Sentences a minute in each domain, and "all" for the judge."""
    key = ("rates", part, judge, of, pooled, without)
    if key not in data.kept:
        table = data.table(part, [judge], question=of)
        if without:
            table = table.filter(~pl.col("flags").list.contains(without).fill_null(False))
        results = effort.throughput(table, pooled=pooled, resampling=_QUICK)
        data.kept[key] = {str(row["domain"]): float(row["value"]) for row in results.rows}
    rate_by_domain: dict[str, float] = data.kept[key]
    return rate_by_domain


def numbers_chosen(data: Data, part: str, question: str, judge: str) -> list[int]:
    """How many labels a judge chose on each item."""
    return data.table(part, [judge], question=question)["labels"].list.len().drop_nulls().to_list()


def texts(
    data: Data, *, part: str, count: str, domain: str = "", punkt: Mapping[str, Any] | None = None
) -> float | None:
    """How many documents, segments, or sentences found inside segments, in all or in a domain; or two of them divided.

    Sentences are counted by Punkt. `punkt` states what a trained model knows of the words that decide in the texts
    with the digest `texts`; of other texts nothing is counted, as nobody looked up what decides there.
    """
    documents = data.documents(part, domain)
    segments = [segment.source for document in documents for segment in document]
    if count == "documents":
        return float(len(documents))
    if count == "segments":
        return float(len(segments))
    if punkt is None or digest(data, part) != punkt["texts"]:
        raise InputError("The study says what Punkt's model knows of the released texts; these texts are others.")
    model = Model(frozenset(punkt["abbreviations"]), frozenset(), frozenset(), punkt["written"])
    sentence_count = sum(len(sentences(segment, model)) for segment in segments)
    over = len(documents) if count == "sentences per document" else len(segments)
    return sentence_count / over if over else None


def words(data: Data, *, part: str, give: str, domain: str = "") -> float | None:
    """How many words, divided by spaces, the source of a segment has: the mean, the least, the most."""
    counts = [len(segment.source.split()) for document in data.documents(part, domain) for segment in document]
    if not counts:
        return None
    return float({"mean": sum(counts) / len(counts), "least": min(counts), "most": max(counts)}[give])


def judge_mean(data: Data, *, part: str, attribute: str, over: int | None = None) -> float | None:
    """The mean of what is known about the judges, or its sum divided by `over` where some shared a place."""
    values = [float(judge.attributes[attribute]) for judge in data.part(part).judges if attribute in judge.attributes]
    return sum(values) / (over or len(values)) if values else None


def digest(data: Data, part: str) -> str:
    """What tells the source texts of a part from others."""
    sources = (segment.source for document in data.documents(part) for segment in document)
    return sha256("\n".join(sources).encode()).hexdigest()


def agreed_share(data: Data, *, part: str, question: str, judges: Sequence[str], label: str, domain: str = "") -> float:
    """In percent, a label's share among the labels that two judges both chose for a sentence."""
    labels = agreed_labels(data, part, question, judges, domain)
    return 100 * labels.count(label) / len(labels) if labels else 0.0


def agreed_labels(data: Data, part: str, question: str, judges: Sequence[str], domain: str = "") -> list[str]:
    """Every label that two judges both chose, once for each sentence."""
    key = ("agreed", part, question, tuple(judges), domain)
    if key not in data.kept:
        keys = ["document", "segment"]
        one, other = (data.table(part, [judge], "", domain, question).select(*keys, "labels") for judge in judges)
        both = one.join(other, on=keys, suffix="_other")
        intersection = both.select(pl.col("labels").list.set_intersection("labels_other"))["labels"]
        data.kept[key] = intersection.explode().drop_nulls().to_list()
    labels: list[str] = data.kept[key]
    return labels


def differing_domain(data: Data, *, part: str, question: str, judges: Sequence[str], domain: str) -> CellResult:
    """In percent, how many of the sentences on which two judges differ belong to a domain."""
    keys = ["document", "segment", "domain"]
    one, other = (data.table(part, [judge], question=question).select(*keys, "label") for judge in judges)
    differ = one.join(other, on=keys, suffix="_other").filter(pl.col("label") != pl.col("label_other"))
    inside = differ.filter(pl.col("domain") == domain).height
    share = 100 * inside / differ.height if differ.height else None
    return CellResult(share, detail=f"{inside} of {differ.height} differing sentences")


COMPUTATIONS: tuple[Callable[..., CellResult | float | None], ...] = (
    texts,
    words,
    judge_mean,
    agreed_share,
    differing_domain,
)
