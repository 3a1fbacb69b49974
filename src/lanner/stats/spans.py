"""Agreement on sets of labels and on marked spans.

Sets: mean Jaccard, micro- and macro-F1, exact matches. A single label counts as a set of one, so that the same measures
compare a model with a reference. Spans: how far two judges marked the same stretches of text, by characters or by whole
spans. With more than two judges each is the mean over pairs. Two empty sets agree fully.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from lanner.errors import InputError, StatisticError, did_you_mean
from lanner.stats.coefficients import Entry, pair_plan, ratio
from lanner.stats.estimate import Plan, statistic
from lanner.stats.ratings import Codes, Ratings, incidence
from lanner.stats.resample import Array


def _sets(answers: Ratings) -> tuple[frozenset[str], ...]:
    return answers.sets or tuple(frozenset({label}) for label in answers.labels)


def _overlaps(answers: Ratings) -> tuple[Array, Array, Array]:
    """|A∩B|, |A| and |B| for every pair of answers, without a table over all pairs of sets."""
    table, _ = incidence(_sets(answers))
    size = table.sum(axis=1)
    keys = answers.pairs.first.astype(np.int64) * max(1, len(table)) + answers.pairs.second
    distinct, index = np.unique(keys, return_inverse=True)
    a, b = distinct // max(1, len(table)), distinct % max(1, len(table))
    common = np.einsum("ij,ij->i", table[a], table[b]) if len(distinct) else np.zeros(0)
    return common[index.reshape(-1)], size[answers.pairs.first], size[answers.pairs.second]


@statistic("labels", "label", "score")
def jaccard(answers: Ratings, *, each: bool = False) -> Plan:
    """Mean over items of |A∩B| / |A∪B|, the sets that two judges gave; 1 where both are empty.

    Not corrected for chance: see α with level "jaccard" for that. A grid counts as the set of its rows above zero.
    Jaccard 1912, New Phytologist 11.
    """
    common, left, right = _overlaps(answers)
    union = left + right - common
    entries: list[Entry] = [(0, 1.0), (1, np.divide(common, union, out=np.ones_like(union), where=union > 0))]

    def finish(sums: Array) -> Array:
        return ratio(sums[:, :, 1], sums[:, :, 0])

    return pair_plan("jaccard", answers, 2, entries, finish, each=each, scale="share")


@statistic("labels", "label", "score")
def micro_f1(answers: Ratings, *, each: bool = False) -> Plan:
    """2 Σ|A∩B| / Σ(|A| + |B|) over all items: labels that both gave, over labels that either gave.

    The same whichever judge is called the reference; for single labels it is the accuracy. Undefined where neither
    judge gave any label. Van Rijsbergen 1979, Information Retrieval.
    """
    common, left, right = _overlaps(answers)
    entries: list[Entry] = [(0, 2 * common), (1, left + right)]

    def finish(sums: Array) -> Array:
        return ratio(sums[:, :, 0], sums[:, :, 1])

    return pair_plan("micro_f1", answers, 2, entries, finish, each=each, scale="share", reason=_no_label)


@statistic("labels", "label", "score")
def macro_f1(answers: Ratings, *, each: bool = False) -> Plan:
    """The mean of the labels' own F1: F1ₗ = 2 |both gave l| / (|first gave l| + |second gave l|).

    Over the labels that at least one of the two gave; rare labels weigh as much as common ones.
    """
    table, labels = incidence(_sets(answers))
    first, second = table[answers.pairs.first], table[answers.pairs.second]
    entries: list[Entry] = [(0, 1.0)]
    for at in range(len(labels)):
        entries += [(2 * at + 1, 2 * first[:, at] * second[:, at]), (2 * at + 2, first[:, at] + second[:, at])]

    def finish(sums: Array) -> Array:
        own = ratio(sums[:, :, 1::2], sums[:, :, 2::2])
        present = np.isfinite(own)
        return ratio(np.where(present, own, 0).sum(axis=2), present.sum(axis=2).astype(float))

    width = 1 + 2 * len(labels)
    return pair_plan("macro_f1", answers, width, entries, finish, each=each, scale="share", reason=_no_label)


@statistic("labels", "label", "score")
def accuracy(answers: Ratings, *, each: bool = False) -> Plan:
    """Share of items where two judges gave exactly the same answer: the same label, or the same whole set.

    Named for a judge compared with a reference; it is percent agreement between the two.
    """
    same = (answers.pairs.first == answers.pairs.second).astype(float)
    entries: list[Entry] = [(0, 1.0), (1, same)]

    def finish(sums: Array) -> Array:
        return ratio(sums[:, :, 1], sums[:, :, 0])

    return pair_plan("accuracy", answers, 2, entries, finish, each=each, scale="share")


def _no_label(_first: Codes, _second: Codes) -> str:
    return "neither judge gave any label."


Match = Literal["characters", "touching", "exact"]
MATCHES = ("characters", "touching", "exact")
Place = tuple[Any, ...]
Marks = dict[Place, list["Mark"]]


class Mark(NamedTuple):
    """One span: from, to (code points), and what a character of it weighs."""

    start: int
    end: int
    weight: float


@statistic("spans")
def spans(
    answers: Ratings,
    *,
    match: Match = "characters",
    average: Literal["micro", "items"] = "micro",
    severities: Mapping[str, float] | Literal["mqm"] | None = None,
    categories: bool = False,
    each: bool = False,
) -> Plan:
    """F1 between the spans of two judges; with more judges the mean over pairs.

    F1 = 2·shared/(marked by one + marked by the other). By "characters", shared are the characters that both marked;
    with `severities` (a weight for each, or "mqm") a character weighs as much as the gravest span over it, and shared
    is the smaller of the two weights, so that minor against major is agreement in part. By "touching", a span is shared
    if it overlaps one of the other judge's; by "exact", if start and end are the same. `categories` asks for the same
    category as well. "micro" pools all items; "items" is the mean over items, 1 where neither judge marked anything.
    A mark for missing text has no place of its own and counts as one character. Not corrected for chance.
    After Blain et al. 2023, Findings of the WMT23 Shared Task on Quality Estimation.
    """
    if match not in MATCHES:
        raise StatisticError(f"Spans do not match by {match!r}.", next_step=did_you_mean(match, MATCHES))
    weights = _severity_weights() if severities == "mqm" else dict(severities or {})
    attributes = ("category",) if categories else ()
    marks = [_read(text, weights, attributes, weighted=severities is not None) for text in answers.labels]
    common, either = _pair_lengths(answers, marks, match)
    entries: list[Entry] = [(0, common), (1, either)]
    if average == "items":
        entries = [(0, np.divide(common, either, out=np.ones_like(common), where=either > 0)), (1, 1.0)]

    def finish(sums: Array) -> Array:
        return ratio(sums[:, :, 0], sums[:, :, 1])

    empty = int((either == 0).sum())
    note = f"In {empty} of {len(either)} comparisons neither judge marked anything."
    settings = {
        "match": match,
        "average": average,
        "severities": "mqm" if severities == "mqm" else "given" if severities else "",
        "categories": "same" if categories else "",
    }
    plan = pair_plan(
        "spans",
        answers,
        2,
        entries,
        finish,
        each=each,
        scale="share",
        notes=(note,) if empty else (),
        settings=settings,
        reason=lambda _a, _b: "neither judge marked anything.",
    )
    if len(either) and not either.any() and not plan.reasons:
        return replace(plan, reasons=("nobody marked anything that weighs something.",))
    return plan


def mark_shares(answers: Ratings, attributes: tuple[str, ...] = ()) -> Array:
    """Of each pair of answers the share of marked characters that both marked (F1); 1 where neither marked any. Marks
    are shared where the given `attributes` (category, severity) are the same, too."""
    marks = [_read(text, {}, attributes, weighted=False) for text in answers.labels]
    common, either = _pair_lengths(answers, marks, "characters")
    return np.divide(common, either, out=np.ones_like(common), where=either > 0)


def _pair_lengths(answers: Ratings, marks: Sequence[Marks], match: Match) -> tuple[Array, Array]:
    """Of each pair of answers what both marked, counted for each of them, and what they marked altogether."""
    pairs = answers.pairs
    keys = pairs.first.astype(np.int64) * max(1, len(marks)) + pairs.second
    distinct, index = np.unique(keys, return_inverse=True)
    lengths = [_shared_length(marks[key // len(marks)], marks[key % len(marks)], match) for key in distinct.tolist()]
    common, either = np.array(lengths, dtype=float).reshape(-1, 2).T[:, index.reshape(-1)]
    return common, either


@cache
def _severity_weights() -> dict[str, float]:
    text = resources.files("lanner.stats").joinpath("scales.toml").read_text(encoding="utf-8")
    table: dict[str, float] = tomllib.loads(text)["severity"]["mqm"]
    return table


def placed(text: str) -> Iterator[tuple[Place, int, int, Mapping[str, Any]]]:
    """The spans of one answer with their side and output, start and end; those a judge removed are left out."""
    try:
        marks = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"Spans are not JSON: {text[:60]!r}.", next_step="Expected a list of objects.") from error
    for span in marks:
        if span.get("origin") == "removed":  # offered to the judge, who did not agree
            continue
        place: Place = (span.get("side", "target"), span.get("output", 0))
        start, end = span.get("start"), span.get("end")
        if span.get("missing") or start is None or end is None:
            place, start, end = (*place, "missing"), 0, 1
        yield place, int(start), int(end), span


def _read(text: str, weights: Mapping[str, float], attributes: tuple[str, ...], *, weighted: bool) -> Marks:
    marks: Marks = {}
    for place, start, end, span in placed(text):
        weight = 1.0
        if weighted:
            severity = str(span.get("severity", ""))
            if severity not in weights:
                raise StatisticError(
                    f"No weight for the severity {severity!r}.", next_step=did_you_mean(severity, weights)
                )
            weight = float(weights[severity])
        where = (*place, *(str(span.get(name, "")) for name in attributes))
        marks.setdefault(where, []).append(Mark(start, end, weight))
    return marks


def _shared_length(first: Marks, second: Marks, match: Match) -> tuple[float, float]:
    """What both marked, counted once for each of them, and what they marked altogether."""
    if match == "characters":
        both = sum(_characters(first[place], second[place]) for place in first.keys() & second.keys())
        return 2 * both, sum(_characters(m, m) for marks in (first, second) for m in marks.values())
    total = sum(len(m) for marks in (first, second) for m in marks.values())
    hits = 0
    for one, other in ((first, second), (second, first)):
        for place, mine in one.items():
            theirs = other.get(place, [])
            hits += sum(any(_same(mark, their, match) for their in theirs) for mark in mine)
    return float(hits), float(total)


def shared_characters(one: str, other: str) -> tuple[float, float]:
    """Twice the characters that two answers (as JSON) both mark, and those that each marks, added: their ratio is F1,
    of one item or, summed first, of many."""
    first, second = (_read(text, {}, (), weighted=False) for text in (one, other))
    return _shared_length(first, second, "characters")


def _same(mark: Mark, other: Mark, match: Match) -> bool:
    if match == "exact":
        return mark[:2] == other[:2]
    return max(mark.start, other.start) < min(mark.end, other.end)


def _characters(first: list[Mark], second: list[Mark]) -> float:
    """Σ over characters of the smaller of the two weights, between every two neighbouring ends."""
    ends = sorted({end for mark in (*first, *second) for end in mark[:2]})
    total = 0.0
    for start, end in pairwise(ends):
        a = max((m.weight for m in first if m.start <= start and m.end >= end), default=0.0)
        b = max((m.weight for m in second if m.start <= start and m.end >= end), default=0.0)
        total += min(a, b) * (end - start)
    return total
