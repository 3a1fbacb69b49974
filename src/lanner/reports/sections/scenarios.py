"""Agreement scenario by scenario and test set by test set, where a protocol asks the same in several scenarios.

The layout is that of Castilho (2021): for every question weighted κ (ratings) or Cohen's κ (errors, ranking) averaged
over pairs of judges, Fleiss' κ, Krippendorff's α and the share of equal answers, for random sentences (RS), sentences
in context (SC) and documents (DS); then Fleiss' κ and α over both sets. Weights are linear and α of ratings is ordinal:
the paper does not say which it used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from lanner.analysis import FEWEST_ITEMS
from lanner.figures.typeset import estimate, number
from lanner.model import Document, Json, Labels, Question, Rank, Result, Scale
from lanner.reports.parts import Block, Column, Section, Table
from lanner.reports.view import View
from lanner.stats.agreement import COEFFICIENTS

SUFFIXES = {"rs": "RS", "sc": "SC", "ds": "DS"}
_BOTH = "both sets"
Families = dict[str, dict[str, Question]]


def section(view: View) -> Section | None:
    """For protocols whose questions are asked in more than one scenario."""
    families = _families(view)
    if not families:
        return None
    sets = document_sets(view)
    blocks: list[Block] = [_table(view, family, questions, sets) for family, questions in families.items()]
    return Section("scenarios", "Agreement by scenario and test set", blocks)


def _families(view: View) -> Families:
    """Questions that are asked again in other scenarios, by the name they share."""
    families: Families = {}
    for _, question in view.protocol.questions:
        stem, _, suffix = question.id.rpartition("_")
        if suffix in SUFFIXES and isinstance(question, Scale | Labels | Rank) and question.id in view.answered:
            families.setdefault(stem, {})[suffix] = question
    return {stem: members for stem, members in families.items() if len(members) > 1}


def document_sets(view: View) -> dict[str, list[str]]:
    """The documents of each test set: those that the same judges met in the same scenarios. A set is called what its
    documents call it, where they agree (`set`), else by a number in the order of the texts."""
    rows = view.counted("agreement").table
    stages = {question.id: stage.scenario for stage, question in view.protocol.questions}
    scenario = pl.col("question").replace_strict(stages, default=None, return_dtype=pl.String)
    meetings = rows.with_columns(scenario.alias("scenario")).filter(pl.col("scenario").is_not_null())
    meetings = meetings.select("document", "judge", "scenario").unique()
    by_document: dict[str, frozenset[tuple[str, str]]] = {
        str(document): frozenset(zip(group["judge"], group["scenario"], strict=True))
        for (document,), group in meetings.group_by("document")
    }
    groups: dict[frozenset[tuple[str, str]], list[Document]] = {}
    for document in view.material.documents:
        if document.id in by_document:
            groups.setdefault(by_document[document.id], []).append(document)
    sets: dict[str, list[str]] = {}
    for place, documents in enumerate(groups.values(), start=1):
        own = {str(document.meta.get("set", "")) for document in documents}
        name = own.pop() if len(own) == 1 and "" not in own else f"test set {place}"
        sets[name] = [document.id for document in documents]
    return sets


def _table(view: View, family: str, questions: Mapping[str, Question], sets: Mapping[str, Sequence[str]]) -> Table:
    rows: list[dict[str, Json]] = []
    data: list[dict[str, Json]] = []
    signature = ""
    parts: dict[str, Sequence[str]] = dict(sets)
    if len(sets) > 1:
        parts[_BOTH] = [document for own in sets.values() for document in own]
    for name, documents in parts.items():
        rows.append({"group": name})
        coefficients = _coefficients(next(iter(questions.values())))
        for coefficient, (statistic, options) in coefficients.items():
            if name == _BOTH and statistic not in ("fleiss", "alpha"):
                continue  # other judges made the two sets' pairs, so an average of pairs would mix them
            line: dict[str, Json] = {"coefficient": coefficient}
            for suffix, question in questions.items():
                result = _measure(view, question, documents, statistic, options)
                shown = result.value is not None and result.counts.get("items", 0) >= FEWEST_ITEMS
                line[suffix] = estimate(result.value, result.low, result.high) if shown else number(None)
                signature = signature or view.signature(result)
                data.append(
                    {
                        "question": question.id,
                        "scenario": suffix,
                        "set": name,
                        "coefficient": coefficient,
                        "value": result.value,
                        "low": result.low,
                        "high": result.high,
                        "items": result.counts.get("items"),
                        "judges": result.counts.get("judges"),
                    }
                )
            rows.append(line)
    columns = [Column("coefficient", ""), *(Column(suffix, SUFFIXES[suffix]) for suffix in questions)]
    caption = (
        f"{view.label(next(iter(questions.values())).id)}: agreement among random sentences (RS), sentences in context "
        "(SC) and documents (DS), each with its 95 % interval over documents. – stands for fewer than ten shared items."
    )
    return Table(f"scenarios-{family}", caption, columns, rows, data, signature)


def _coefficients(question: Question) -> dict[str, tuple[str, dict[str, Json]]]:
    """What each coefficient is called here, and how it is computed for this kind of question."""
    if isinstance(question, Scale):
        return {
            "weighted κ, mean of pairs": ("kappa", {"weights": "linear"}),
            "Fleiss κ": ("fleiss", {}),
            "Krippendorff α": ("alpha", {"level": "ordinal"}),
            "same answer": ("percent", {"over": "pairs"}),
        }
    level = "jaccard" if isinstance(question, Labels) else "nominal"
    return {
        "Cohen κ, mean of pairs": ("kappa", {}),
        "Fleiss κ": ("fleiss", {}),
        "Krippendorff α": ("alpha", {"level": level}),
        "same answer": ("percent", {"over": "pairs"}),
    }


def _measure(
    view: View, question: Question, documents: Sequence[str], statistic: str, options: Mapping[str, Json]
) -> Result:
    table = view.counted("agreement").table.filter(
        pl.col("question") == question.id, pl.col("document").is_in(list(documents))
    )
    if isinstance(question, Labels):  # what was marked is compared, not how many marks there are
        table = table.with_columns(pl.lit(None, dtype=pl.Float64).alias("score"))
    labels: dict[str, Json] = {}
    if isinstance(question, Scale) and question.step:
        steps = round((question.max - question.min) / question.step)
        labels = {"labels": [question.min + question.step * place for place in range(steps + 1)]}
    arguments = {**options, **(labels if statistic in ("kappa", "fleiss") else {})}
    return COEFFICIENTS[statistic](table, question.id, resampling=view.resampling, **arguments)
