"""What judges made of a model's marks: kept, changed, removed; the time they saved; and how far people rely on them.

Some texts are judged without the marks, drawn by chance (`lanner.campaign.prefill`). There people show how much they
mark on their own and how far that agrees with the model. Where they start from the model's marks they may agree with it
because it is right, or because the marks were there: what they agree more than the unaided is over-reliance, and so is
what they mark less. Every difference is assisted minus unaided, with an interval over documents.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from lanner.analysis.agreement import measure, unaided_rows
from lanner.analysis.material import Material, with_help
from lanner.analysis.measures import CountedRows, counted, plan
from lanner.analysis.scores import divide, document_sums
from lanner.errors import StatisticError
from lanner.model import Document, Json, Result, Segment, Spans
from lanner.model.messages import level_text
from lanner.protocols.prefilled import Help, judged_marks, of_text, outcomes, withheld_of
from lanner.stats.effort import LIMIT, items
from lanner.stats.resample import Resampling, Scale, outcome, replicate_sums, sign, t_outcome
from lanner.stats.spans import shared_characters

FATES = ("kept", "changed", "removed")
NOTHING = "There is nothing to compare."
_UNIT = ("document", "segment", "system")


@dataclass(frozen=True, slots=True)
class ModelMarks:
    """What became of one model's marks: shares of those that judges looked at."""

    model: str
    fates: Mapping[str, Result]

    @property
    def offered(self) -> int:
        return next(iter(self.fates.values())).counts.get("marks", 0)


@dataclass(frozen=True, slots=True)
class AssistanceEffect:
    """One measure with the model's marks and without them, and the difference."""

    measure: str
    assisted: Result
    unaided: Result
    difference: Result


@dataclass(frozen=True, slots=True)
class Assistance:
    """One question about marks: the model's marks, those that judges added to them (an item), assisted and unaided
    items compared, and how far judges agree with each other on either kind, by coefficient."""

    question: str
    models: tuple[ModelMarks, ...]
    added: Result
    comparisons: tuple[AssistanceEffect, ...]
    judges: tuple[AssistanceEffect, ...]

    def to_rows(self) -> list[dict[str, Json]]:
        """Every number on a row of its own."""
        rows = [
            {"question": self.question, "what": fate, "model": entry.model, **_numbers(result)}
            for entry in self.models
            for fate, result in entry.fates.items()
        ]
        rows.append({"question": self.question, "what": "added", "items": "assisted", **_numbers(self.added)})
        for comparison in (*self.comparisons, *self.judges):
            for name in ("assisted", "unaided", "difference"):
                result: Result = getattr(comparison, name)
                rows.append({"question": self.question, "what": comparison.measure, "items": name, **_numbers(result)})
        return rows


def _numbers(result: Result) -> dict[str, Json]:
    return {
        "value": result.value,
        "low": result.low,
        "high": result.high,
        "p": result.p,
        "n": result.counts.get("marks", result.counts.get("items", 0)),
        "documents": result.counts.get("documents", 0),
        "signature": str(result.signature or ""),
    }


def assistance(material: Material, *, resampling: Resampling | None = None) -> list[Assistance]:
    """For every question about marks whose judges, people only, started from a model's; empty where none did."""
    if not material.is_prefilled or material.protocol is None:
        return []
    how = resampling or Resampling()
    every = material.table_with_every_mark
    rows = counted(every, of="people", left_out=material.left_out)
    if rows.selection.groups != ("people",):
        return []
    results = []
    for _, question in material.protocol.questions:
        if isinstance(question, Spans):
            answers = _answers(material, rows, question.id)
            if (answers["help"] == str(Help.OFFERED)).any():
                results.append(_of_question(material, rows, question.id, answers, how))
    return results


def _answers(material: Material, rows: CountedRows, question: str) -> pl.DataFrame:
    """A row for each judge and item: how many marks stand, what became of those offered, and the characters shared with
    the model's own marks. Items whose offered marks nobody has looked at yet are left out."""
    own = rows.table.filter(
        pl.col("question") == question, pl.col("spans").is_not_null(), pl.col("help").is_in(["offered", "withheld"])
    )
    model_marks = _model_marks(material, question)
    records = []
    for row in own.select("judge", *_UNIT, "help", "spans").iter_rows(named=True):
        spans = json.loads(row["spans"])
        marks = judged_marks(spans)
        if marks is None:
            continue
        theirs = model_marks.get((row["document"], row["segment"], row["system"].split("|")[0]), "[]")
        overlap, total = shared_characters(json.dumps(marks), theirs)
        records.append(
            {**row, "marks": float(len(marks)), "added": outcomes(spans)["added"], "shared": overlap, "total": total}
        )
    schema = {"marks": pl.Float64, "added": pl.Int64, "shared": pl.Float64, "total": pl.Float64}
    names = dict.fromkeys(("judge", *_UNIT, "help", "spans"), pl.String)
    return pl.DataFrame(records, schema={**names, **schema})


def _model_marks(material: Material, question: str) -> dict[tuple[str, str, str], str]:
    """The model's marks in each text, offered or withheld, as JSON."""
    marks = {}
    for document in material.documents:
        texts: list[tuple[str, Document | Segment]] = [("", document), *((one.id, one) for one in document.segments)]
        for segment, text in texts:
            for system in ("", *document.systems):
                spans = of_text(text, system) + withheld_of(text, system)
                own = [span for span in spans if span.get("question", question) == question]
                marks[document.id, segment, system] = json.dumps(own)
    return marks


def _of_question(
    material: Material, rows: CountedRows, question: str, answers: pl.DataFrame, how: Resampling
) -> Assistance:
    assisted_answers = answers.filter(pl.col("help") == str(Help.OFFERED))
    ones = pl.lit(1.0).alias("bottom")
    seconds = _seconds(material, rows, question, answers)
    tables: dict[str, tuple[pl.DataFrame, Scale]] = {
        "marks": (answers.select("document", "help", pl.col("marks").alias("top"), ones), "plain"),
        "seconds": (seconds, "log"),
        "agreement with the model": (
            answers.select("document", "help", pl.col("shared").alias("top"), pl.col("total").alias("bottom")),
            "share",
        ),
    }
    additions = assisted_answers.select("document", pl.col("added").cast(pl.Float64).alias("top"), ones)
    return Assistance(
        question=question,
        models=tuple(_of_models(assisted_answers, rows, how)),
        added=rows.sign(_ratio("marks added an item", additions, how)),
        comparisons=tuple(_compare(name, table, scale, rows, how) for name, (table, scale) in tables.items()),
        judges=tuple(_between_judges(material, question, how)),
    )


def _of_models(assisted_answers: pl.DataFrame, rows: CountedRows, how: Resampling) -> Iterator[ModelMarks]:
    """What became of each model's marks. Marks without a model came with the texts."""
    marks = [
        {"document": document, "model": str(span.get("model", "")), "origin": span["origin"]}
        for document, text in assisted_answers.select("document", "spans").iter_rows()
        for span in json.loads(text)
        if span.get("origin") in FATES
    ]
    table = pl.DataFrame(marks, schema=dict.fromkeys(("document", "model", "origin"), pl.String))
    for model in table["model"].unique(maintain_order=True).to_list():
        own = table.filter(pl.col("model") == model)
        fates = {}
        for fate in FATES:
            part = own.select(
                "document", (pl.col("origin") == fate).cast(pl.Float64).alias("top"), pl.lit(1.0).alias("bottom")
            )
            result = _ratio(f"share {fate}", part, how, scale="share")
            counts = {"marks": own.height, "documents": result.counts["documents"]}
            fates[fate] = rows.sign(replace(result, counts=counts, labels={"model": model}))
        yield ModelMarks(model, fates)


def _seconds(material: Material, rows: CountedRows, question: str, answers: pl.DataFrame) -> pl.DataFrame:
    """The time of each item on which the question was answered, by the rule of `lanner effort`."""
    stage = next((s.id for s, q in material.protocol.questions if q.id == question), "") if material.protocol else ""
    schema = {"document": pl.String, "help": pl.String, "top": pl.Float64, "bottom": pl.Float64}
    try:
        work = items(rows.table.filter(pl.col("stage") == stage).drop("help")).table
    except StatisticError:
        return pl.DataFrame(schema=schema)
    times = with_help(work, material.documents).filter(pl.col("help") != "", pl.col("seconds").is_between(0, LIMIT))
    times = times.filter(pl.col("seconds") > 0).join(answers, on=["judge", *_UNIT], how="semi")
    return times.select("document", "help", pl.col("seconds").alias("top"), pl.lit(1.0).alias("bottom"))


def _compare(name: str, table: pl.DataFrame, scale: Scale, rows: CountedRows, how: Resampling) -> AssistanceEffect:
    parts = [table.filter(pl.col("help") == str(state)) for state in (Help.OFFERED, Help.WITHHELD)]
    with_marks, without_marks = (rows.sign(_ratio(name, part, how, scale=scale)) for part in parts)
    return AssistanceEffect(name, with_marks, without_marks, rows.sign(_difference(name, parts[0], parts[1], how)))


def _between_judges(material: Material, question: str, how: Resampling) -> Iterator[AssistanceEffect]:
    """How far people agree with each other on assisted and on unaided items, by every coefficient of the plan."""
    assert material.protocol is not None
    rows = material.counted(of="people")
    entry = next((entry for entry in plan(material.protocol) if entry.id == question), None)
    unassisted_rows = unaided_rows(rows, entry) if entry else None
    if entry is None or unassisted_rows is None:
        return
    assisted_rows = replace(rows, table=rows.table.filter(pl.col("help") == str(Help.OFFERED)))
    for coefficient in entry.measures:
        if coefficient.question != question:
            continue
        try:
            one, other = (
                measure(part, coefficient, entry, resampling=how) for part in (assisted_rows, unassisted_rows)
            )
        except StatisticError:
            continue
        gap = None if one.value is None or other.value is None else one.value - other.value
        difference = Result(coefficient.name, gap, notes=("The two stand on other items: see their intervals.",))
        yield AssistanceEffect(f"{coefficient.sign} between judges", one, other, difference)


def _ratio(name: str, part: pl.DataFrame, how: Resampling, *, scale: Scale = "plain") -> Result:
    """The sum of `top` over that of `bottom`, with an interval over documents."""
    documents = part["document"].n_unique()
    replicates = replicate_sums(document_sums(part), lambda totals: divide(totals)[:, None], how)
    value = float(replicates.value[0])
    counts = {"items": part.height, "documents": documents}
    if not np.isfinite(value):
        return Result(name, None, counts=counts, notes=(NOTHING,))
    spread = outcome(replicates, how, scale=scale, units=documents, answers=part.height)
    signature = sign("assistance", how, spread.interval, of=name)
    return Result(name, value, spread.interval, None, counts, notes=spread.notes, signature=signature)


def _difference(name: str, with_marks: pl.DataFrame, without_marks: pl.DataFrame, how: Resampling) -> Result:
    """Assisted minus unaided. The degrees of freedom are those of the kind with fewer documents, which is on the safe
    side: mostly few are judged without help."""
    sums, documents = (
        document_sums(with_marks, without_marks),
        [p["document"].n_unique() for p in (with_marks, without_marks)],
    )
    replicates = replicate_sums(sums, lambda totals: (divide(totals) - divide(totals, 1))[:, None], how)
    value = float(replicates.value[0])
    name = f"{name}, assisted minus unaided"
    counts = {
        "items": with_marks.height + without_marks.height,
        "documents": len(sums),
        "unaided": without_marks.height,
    }
    if not np.isfinite(value):
        return Result(name, None, counts=counts, notes=(NOTHING,))
    if how.method == "none" or min(documents) < 2:
        notes = () if how.method == "none" else ("No interval: only one document was judged without help.",)
        return Result(name, value, counts=counts, notes=notes, signature=sign("assistance", how, None, of=name))
    variance = replicates.variance_of(0, replicates.units)
    spread = t_outcome(value, variance, min(documents) - 1, how, scale="plain", null=0.0)
    signature = sign("assistance", how, spread.interval, of=name, degrees_of_freedom=str(min(documents) - 1))
    return Result(name, value, spread.interval, spread.p, counts, notes=spread.notes, signature=signature)


def assistance_words(result: Assistance) -> list[str]:
    """What the numbers say, in sentences: of the marks, of the time, and of over-reliance. A difference is claimed
    only where its interval leaves no doubt."""
    sentences = [_fates_in_words(entry) for entry in result.models]
    by_name = {comparison.measure: comparison for comparison in result.comparisons}
    seconds = by_name["seconds"]
    if seconds.assisted.value is not None and seconds.unaided.value is not None and seconds.unaided.value > 0:
        way = "less" if seconds.assisted.value < seconds.unaided.value else "more"
        share = abs(seconds.assisted.value / seconds.unaided.value - 1)
        sentences.append(
            f"An item took {seconds.assisted.value:.1f} s with the model's marks and {seconds.unaided.value:.1f} s "
            f"without, {share:.0%} {way}{_doubt(seconds.difference, ' s')}."
        )
    marks, follows = by_name["marks"], by_name["agreement with the model"]
    if follows.difference.value is not None:
        sentences.append(
            f"Judges agree with the model by F1 {follows.assisted.value:.2f} where they start from its marks and by "
            f"{follows.unaided.value:.2f} where they do not{_doubt(follows.difference)}: what they agree more is how "
            "far they rely on it."
        )
    if marks.difference.value is not None:
        sentences.append(
            f"They leave {marks.assisted.value:.2f} marks in an item with its help and make {marks.unaided.value:.2f} "
            f"without{_doubt(marks.difference)}."
        )
    return sentences


def _fates_in_words(entry: ModelMarks) -> str:
    shares = {fate: result.value or 0.0 for fate, result in entry.fates.items()}
    whose = f"Of {entry.offered:,} marks of {entry.model}" if entry.model else f"Of {entry.offered:,} offered marks"
    return (
        f"{whose}, {shares['kept']:.0%} were kept, {shares['changed']:.0%} changed and {shares['removed']:.0%} removed."
    )


def _doubt(difference: Result, unit: str = "") -> str:
    """Whether a difference may be chance, as the end of a sentence; its interval is in this unit, not in per cent."""
    if difference.low is None or difference.high is None:
        return " (too few documents to tell chance from help)"
    if difference.low <= 0 <= difference.high:
        return " (no more than chance could give)"
    low, high = (f"{end:+.2f}".replace("-", "−") for end in (difference.low, difference.high))
    level = f", {level_text(difference.interval.level)}" if difference.interval else ""
    return f" (difference {low} to {high}{unit}{level})"
