"""Gold scores and the scorers that are held against them: single judges, models, metrics, measures of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from lanner.analysis.material import Material
from lanner.analysis.rows import GROUPS
from lanner.analysis.scores import direction_of, numeric_questions, planned_rankings
from lanner.errors import InputError, did_you_mean
from lanner.stats.metaeval import Scorer
from lanner.stats.scores import items

MEAN_OF_PEOPLE = "people"
"""The gold that is nobody's alone: the mean of all people who count."""
_USUAL = "score"
_ITEM = ["document", "segment", "system"]


@dataclass(frozen=True, slots=True)
class ScoredSet:
    """Gold and other scorers on the same segments, and the document that each segment belongs to."""

    gold: Scorer
    scorers: tuple[Scorer, ...]
    documents: tuple[str, ...]
    notes: tuple[str, ...]


def scored_set(
    part: Material, question: str | None = None, gold: str | None = None, names: Sequence[str] = ()
) -> ScoredSet:
    """What a meta-evaluation takes from a file or campaign.

    Gold is one judge, or the mean of all people (`MEAN_OF_PEOPLE`, also where nothing is named). The scorers are the
    other judges who answered the question (where gold is people: models and metrics alone) and the measures that no
    judge disputes, as the scores of metrics in a table of ratings are. `names` picks scorers; a question that judges do
    dispute can be named, too. Scores of which less is better are turned round.
    """
    table = _numbers(part)
    of = question or main_question(part)
    kinds = dict(
        table.filter(pl.col("question") == of).select("judge", "judge_kind").unique().sort("judge").iter_rows()
    )
    if not kinds:
        raise InputError(f"There are no numbers for {of!r}.", next_step=did_you_mean(of, numeric_questions(table)))
    judges = list(kinds)
    people = [judge for judge, kind in kinds.items() if kind in GROUPS["people"]]
    if gold is not None and gold not in (MEAN_OF_PEOPLE, *judges):
        raise InputError(
            f"There is no judge {gold!r} who answered {of!r}.", next_step=did_you_mean(gold, [MEAN_OF_PEOPLE, *judges])
        )
    if gold in (None, MEAN_OF_PEOPLE) and gold not in judges:
        if not people:
            raise InputError("No person answered, so nobody's scores are gold.", next_step=f"--gold {judges[0]}")
        machines = (*GROUPS["models"], *GROUPS["metrics"])  # settled answers are made of people's
        gold_judges, others = people, [judge for judge, kind in kinds.items() if kind in machines]
    else:
        gold_judges, others = [str(gold)], [judge for judge in judges if judge != gold]
    measures = [name for name in numeric_questions(table) if name != of]
    default_measures = [name for name in measures if _is_undisputed(table, name)]
    all_names = [*others, *measures]
    labels = {_label(part, name): name for name in measures}
    names = [name if name in all_names else labels.get(name, name) for name in names]
    if unknown := [name for name in names if name not in all_names]:
        raise InputError(f"There is no scorer {unknown[0]!r}.", next_step=did_you_mean(unknown[0], all_names))
    selection = list(names) or [*others, *default_measures]
    if not selection:
        raise InputError(
            f"There is nothing to compare with {of!r} of {gold or MEAN_OF_PEOPLE}.",
            next_step="Name the columns or questions that hold metrics (--metrics comet,ter), or let models judge.",
        )
    answers = {MEAN_OF_PEOPLE if gold is None else gold: items(table, of, judges=gold_judges).table}
    for name in selection:
        answers[name] = items(table, of, judges=[name]).table if name in others else _scores_of_measure(table, name)
    lower_is_better = [
        name for name in (of, *measures) if part.protocol and direction_of(part.protocol, name).startswith("low")
    ]
    notes = [
        f"Less {name} is better, so it is compared with its sign turned."
        for name in lower_is_better
        if name in (of, *selection)
    ]
    if gold in (None, MEAN_OF_PEOPLE) and len(gold_judges) > 1:
        notes.append(f"Gold is the mean of {len(gold_judges)} people for {of}.")
    places, scorers = _align(answers)
    signs = {name: -1.0 if (name if name in measures else of) in lower_is_better else 1.0 for name in answers}
    scorers = [replace(scorer, segments=signs[scorer.name] * scorer.segments) for scorer in scorers]
    return ScoredSet(scorers[0], tuple(scorers[1:]), tuple(places["document"]), tuple(notes))


def main_question(part: Material) -> str:
    """`score` where there is one, else what the protocol ranks systems by."""
    table = _numbers(part)
    if _USUAL in numeric_questions(table):
        return _USUAL
    if rankings := planned_rankings(part.protocol, table):
        return rankings[0].of
    raise InputError("No question has numbers for systems.", next_step="Say which question with --question.")


def _numbers(part: Material) -> pl.DataFrame:
    """All answers that count for scores and are numbers: of people, models and metrics, and settled ones, since a file
    of gold scores may hold nothing else."""
    return part.counted("scores", of=tuple(GROUPS), settled=True).table.filter(pl.col("score").is_not_null())


def _label(part: Material, question: str) -> str:
    """What a file or protocol calls a question."""
    words = part.protocol.text.get("en", {}).get("questions", {}).get(question, {}) if part.protocol else {}
    return str(words.get("label", question))


def _is_undisputed(table: pl.DataFrame, question: str) -> bool:
    """Whether no two judges ever differ on it, though some share items."""
    per_item = (
        table.filter((pl.col("question") == question) & (pl.col("role") == "main"))
        .group_by(_ITEM)
        .agg(pl.col("score").n_unique().alias("different"), pl.col("judge").n_unique().alias("judges"))
    )
    return bool((per_item["different"] <= 1).all() and (per_item["judges"] > 1).any())


def _scores_of_measure(table: pl.DataFrame, question: str) -> pl.DataFrame:
    return items(table, question, judges=table["judge"].unique().sort().to_list()).table


def _align(answers: dict[str, pl.DataFrame]) -> tuple[pl.DataFrame, list[Scorer]]:
    """All segments in one order, and each scorer's systems × segments, NaN where it has no score."""
    everything = pl.concat([table.select(*_ITEM, "score") for table in answers.values()])
    places = everything.select("document", "segment").unique().sort("document", "segment")
    systems = tuple(everything["system"].unique().sort())
    scorers = []
    for name, table in answers.items():
        wide = places.join(
            table.pivot("system", index=["document", "segment"], values="score", aggregate_function="mean"),
            on=["document", "segment"],
            how="left",
            maintain_order="left",
        )
        blank = np.full(len(places), np.nan)
        cells = [wide[s].fill_null(float("nan")).to_numpy() if s in wide.columns else blank for s in systems]
        scorers.append(Scorer(name, systems, np.stack(cells)))
    return places, scorers
