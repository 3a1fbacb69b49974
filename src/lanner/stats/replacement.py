"""Can this model replace a judge here, and what does it save? Three tests in one answer, and shares put right.

- The alternative annotator test: is the model as close to people as people are to each other (`models`)?
- Calibration: do its numbers mean what people's mean, or is it off by so much (`models`)?
- Prediction-powered means: how many human judgements does it save where it judges what people do not, in an estimate
  that stays valid however bad it is (`prediction_powered`)?

Where answers are labels, a model's share of a label is put right by its known errors, after Rogan & Gladen (1978, Am.
J. Epidemiol. 107): with a share q of the rest labelled by the model, hits h of what people label so and false alarms f,
the true share is (q − f)/(h − f). Hits and alarms come from items that people and the model both judged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from lanner.model import Interval, Json, Result, Signature
from lanner.stats.association import correlate
from lanner.stats.models import Panel, alternative_annotator, calibration, panel
from lanner.stats.outcome import outcome
from lanner.stats.prediction_powered import prediction_powered
from lanner.stats.resample import Array, Resampling, group_sums, replicate_sums, sign
from lanner.stats.wide import clustered, undefined

Verdict = Literal["replace", "assist", "neither", "unknown"]
ENOUGH = 0.5
"""From this winning rate on a model may replace a person (Calderon, Reichart & Dror 2025)."""
WORTH_IT = 0.1
"""A model that surely saves less than this share of human judgements is not worth the trouble."""
_TELLS_APART = 0.05  # hits less false alarms: below this a model says nothing about a label


def replacement(
    data: Any,
    question: str = "",
    *,
    model: str,
    people: Sequence[str] = (),
    epsilon: float = 0.2,
    resampling: Resampling | None = None,
) -> Result:
    """Whether `model` can replace a person on one question, and what it saves.

    The verdict is a note's code in row "verdict": "replace" where the alternative annotator test says so; "assist"
    where it does not, but the model surely saves a tenth of the human judgements if it judges what people do not;
    "neither"; or "unknown" where too little is shared to say. `saves` is the share of human judgements that the model
    makes unnecessary at the same precision: 1 − 1/gain where the model has judged items that people have not; otherwise
    what is possible at most, r² of the two over documents.

    Rows by `kind`: "verdict"; "person" (the test of each person); "line", "bias", "bin" (calibration, for numbers);
    "system" and "pair" (prediction-powered); "label" (shares put right, for labels). The Result is the winning rate.
    """
    resampling = clustered(resampling)
    test = alternative_annotator(data, question, model=model, people=people, epsilon=epsilon)
    board = panel(data, question, models=[model], people=people)
    rows: list[dict[str, Json]] = [{"kind": "person", **row} for row in test.rows]
    notes = list(test.notes)
    saves, saves_low, is_measured = _possible(board, model, resampling)
    if board.rated.scored and not board.rated.sets:
        scale = calibration(data, question, model=model, people=people, resampling=resampling)
        rows += [dict(row) for row in scale.rows]
        notes += [note for note in scale.notes if note not in notes]
        estimates = prediction_powered(data, question, model=model, people=people, resampling=resampling)
        rows += [dict(row) for row in estimates.rows]
        gains = [row["gain"] for row in estimates.rows if row["kind"] == "system" and row["gain"]]
        if gains:
            saves, is_measured = max(0.0, 1 - 1 / float(np.median(gains))), True
            saves_low = saves
    elif not board.rated.sets:
        rows += [dict(row) for row in corrected_shares(data, question, model=model, people=people).rows]
    verdict: Verdict = "unknown"
    if test.value is not None:
        useful = saves_low is not None and saves_low >= WORTH_IT
        verdict = "replace" if test.value >= ENOUGH else "assist" if useful else "neither"
    row: dict[str, Json] = {"kind": "verdict", "model": model, "question": question, "verdict": verdict}
    row |= {"winning_rate": test.value, "people": len(board.people), "saves": saves, "saves_measured": is_measured}
    rows.insert(0, row)
    parts = (*(test.signature.parts if test.signature else ()), ("model", model))
    signature = Signature("replacement", parts=parts, version=test.signature.version if test.signature else "")
    return replace(test, name="replacement", rows=rows, notes=tuple(notes), signature=signature)


def _possible(board: Panel, model: str, resampling: Resampling) -> tuple[float | None, float | None, bool]:
    """r² of the model and people's mean over documents, with its lower end: the most that could be saved."""
    if board.rated.sets or model not in board.models or not board.people:
        return None, None, False
    people = np.stack([_numbers(board, person) for person in board.people], axis=1)
    is_answered = np.isfinite(people)
    mean = np.where(is_answered, people, 0.0).sum(axis=1) / np.maximum(is_answered.sum(axis=1), 1)
    mean[~is_answered.any(axis=1)] = np.nan
    own = _numbers(board, model)
    both = np.isfinite(mean) & np.isfinite(own)
    if both.sum() < 3:
        return None, None, False
    names, unit = np.unique(board.document[both], return_inverse=True)
    sums = group_sums(np.column_stack([np.ones(both.sum()), mean[both], own[both]]), unit, len(names))
    means = sums[:, 1:] / sums[:, [0]]
    [r] = correlate(means[:, 0], means[:, 1], np.arange(len(names)), methods=("pearson",), resampling=resampling)
    if r.value is None:
        return None, None, False
    low = max(r.low, 0.0) if r.low is not None else 0.0
    return max(r.value, 0.0) ** 2, low**2, False


def _numbers(board: Panel, judge: str) -> Array:
    """A judge's answers as numbers; of labels, whether it is the most common one."""
    if board.rated.scored:
        return board.numbers(judge)
    code = board.of(judge)
    top = int(np.bincount(board.rated.code).argmax())
    return np.where(code >= 0, (code == top).astype(float), np.nan)


def corrected_shares(
    data: Any,
    question: str = "",
    *,
    model: str,
    people: Sequence[str] = (),
    resampling: Resampling | None = None,
) -> Result:
    """The share of each label over all items the model judged, its errors put right by the items people judged, too.

    Rows: "label" with the value and its interval over documents, people's share where they judged, the model's over
    all, `hits` and `false_alarms`. A label that the model cannot tell from others has no value. The Result is the most
    common label's.
    """
    resampling = clustered(resampling)
    name = "corrected share"
    board = panel(data, question, models=[model], people=people)
    if board.rated.sets or not board.people or model not in board.models:
        return undefined(name, "it takes labels from a model and from at least one person.")
    own = board.of(model)
    judged = own >= 0
    crowd = np.stack([board.of(person) for person in board.people], axis=1)
    both = judged & (crowd >= 0).any(axis=1)
    if both.sum() < 2 or not (judged & ~both).any():
        return undefined(name, "no items were judged by the model alone, or too few by people as well.")
    documents, unit = np.unique(board.document[judged], return_inverse=True)
    rows: list[dict[str, Json]] = []
    intervals: list[Interval | None] = []
    for code, label in enumerate(board.rated.labels):
        says = (own == code).astype(float)
        true = ((crowd == code).sum(axis=1) / np.maximum((crowd >= 0).sum(axis=1), 1)).astype(float)
        both_judged, rest = both.astype(float), (judged & ~both).astype(float)
        columns = np.column_stack(
            [both_judged, both_judged * true, both_judged * says, both_judged * true * says, rest, rest * says]
        )[judged]
        replicates = replicate_sums(group_sums(columns, unit, len(documents)), _corrected_share, resampling)
        value = float(replicates.value[0])
        estimate = outcome(replicates, resampling) if np.isfinite(value) else None
        interval = estimate.interval if estimate else None
        if interval is not None:
            interval = replace(interval, low=max(interval.low, 0.0), high=min(interval.high, 1.0))
        intervals.append(interval)
        hits, alarms = _rates(columns.sum(axis=0)[None, :])
        row: dict[str, Json] = {"kind": "label", "label": label, "value": value if np.isfinite(value) else None}
        row |= {"low": interval.low if interval else None, "high": interval.high if interval else None}
        row |= {"people": float(true[both].mean()), "model": float(says[judged].mean())}
        row |= {
            "hits": _number(hits),
            "false_alarms": _number(alarms),
            "n": int(both.sum()),
            "n_model_only": int(rest.sum()),
        }
        rows.append(row)
    top = max(range(len(rows)), key=lambda at: (rows[at]["value"] is not None, rows[at]["people"]))
    counts = {"items": int(both.sum()), "model_only": int((judged & ~both).sum()), "documents": len(documents)}
    signature = sign(name, resampling, intervals[top], model=model, by="hits and false alarms (Rogan–Gladen)")
    value = rows[top]["value"]
    return Result(name, value, intervals[top], counts=counts, rows=rows, notes=board.rated.notes, signature=signature)


def _number(values: Array) -> float | None:
    return float(values[0]) if np.isfinite(values[0]) else None


def _rates(sums: Array) -> tuple[Array, Array]:
    """Hits among what people label so, false alarms among the rest."""
    n, true, says, agreements = sums[:, :4].T
    with np.errstate(invalid="ignore", divide="ignore"):
        hits = np.where(true > 1e-9, agreements / true, np.nan)
        alarms = np.where(n - true > 1e-9, (says - agreements) / (n - true), np.nan)
    return hits, alarms


def _corrected_share(sums: Array) -> Array:
    """The share over all items: people's where they judged, the model's put right on the rest."""
    n, true, rest, rest_says = sums[:, 0], sums[:, 1], sums[:, 4], sums[:, 5]
    hits, alarms = _rates(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        gap = np.where(hits - alarms > _TELLS_APART, hits - alarms, np.nan)
        share = np.clip((rest_says / rest - alarms) / gap, 0.0, 1.0)
        share = np.where(rest > 0, share, 0.0)
        return np.asarray((true + rest * share) / (n + rest))[:, None]
