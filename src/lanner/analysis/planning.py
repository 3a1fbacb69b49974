"""A campaign that is being planned: what a pilot, released ratings or metrics say beforehand, which designs are worth
comparing, and how far apart systems may be.

What is known beforehand about systems is a `World` (lanner.stats.savings), in which campaigns are simulated. A pilot
gives variances and how far apart its systems are. Without one both come from released ratings; metrics of the texts
then say which systems are close to each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product

import numpy as np
import polars as pl

from lanner.analysis.material import Material
from lanner.analysis.measures import GROUPS, Measure, plan, plan_table
from lanner.analysis.scores import direction_of, planned_rankings, preference_questions
from lanner.errors import InputError, StatisticError
from lanner.model import Document, JudgeKind, Protocol
from lanner.stats.power import Components, Design, as_run, defaults
from lanner.stats.resample import Array
from lanner.stats.savings import World, scaled_means, shrunk_means

# What a pilot is about


class PlanKind(StrEnum):
    """What a campaign may be planned for: how sure scores are, how sure agreement is, or a preference."""

    SCORES = "scores"
    AGREEMENT = "agreement"
    PREFERENCE = "preference"


@dataclass(frozen=True, slots=True)
class PlanTarget:
    """What a campaign is planned for by the answers to one question. `measure` is the coefficient of agreement."""

    kind: PlanKind
    question: str
    measure: Measure | None = None


def aim_of(part: Material, table: pl.DataFrame, question: str | None = None) -> PlanTarget:
    """What to plan for by a pilot: preferences where it asks for them, scores where answers are numbers, else
    agreement; so of a grid, which is no score. `table` has the rows that count for scores."""
    name = question or _main_question(part, table)
    if name in preference_questions(part.protocol, table):
        return PlanTarget(PlanKind.PREFERENCE, name)
    answers = table.filter(pl.col("question") == name)
    if len(answers) == 0 or answers.filter(pl.col("row") == "")["score"].is_not_null().any():
        return PlanTarget(PlanKind.SCORES, name)
    entries = plan(part.protocol) if part.protocol else plan_table(part.counted().table)
    measures = [entry.headline for entry in entries if name in (entry.id, entry.headline.question)]
    if not measures:
        raise InputError(f"{name} is neither a score nor anything judges can agree on.")
    return PlanTarget(PlanKind.AGREEMENT, name, measures[0])


def _main_question(part: Material, table: pl.DataFrame) -> str:
    """A score that the protocol ranks by, else any score, else the first question that was answered."""
    answered_ids = set(table["question"])
    numeric = table.drop_nulls("score")["question"].unique(maintain_order=True).to_list()
    question_ids = [question.id for _, question in part.protocol.questions] if part.protocol else []
    for name in (*(entry.of for entry in planned_rankings(part.protocol, table)), *numeric, *question_ids):
        if name in answered_ids:
            return str(name)
    raise InputError(f"{part.name} has no answers to plan from.", next_step="Name the question with --question.")


# Designs to compare


USUAL = Design(20, 10, 4, 1)
"""What is planned for where nothing is known of the texts."""


def usual_design(documents: Sequence[Document], systems: int) -> Design:
    """The design for these documents, with judges taking turns."""
    if not documents:
        return USUAL
    sentences = sum(segment.judged for document in documents for segment in document)
    return replace(
        USUAL,
        documents=len(documents),
        sentences=max(1, round(sentences / len(documents))),
        systems=max(2, systems),
    )


def design_of_ratings(ratings: pl.DataFrame) -> Design:
    """The design for texts that metrics or models have rated: as large as these, with the usual judges. How many
    metrics there are says nothing of people."""
    rated = ratings.filter(pl.col("role") == "main")
    of_sentences = rated.filter(pl.col("segment") != "")
    texts = of_sentences if len(of_sentences) else rated
    size = as_run(texts, "")
    return replace(USUAL, documents=size.documents, sentences=size.sentences, systems=size.systems)


def compared_designs(
    now: Design,
    *,
    documents: Sequence[int] = (),
    sentences: Sequence[int] = (),
    judges: Sequence[int] = (),
    overlap: Sequence[int] = (),
    systems: int | None = None,
) -> list[Design]:
    """All combinations of the sizes that are given, as `now` where they are not; or, where none are, the design as it
    is, with twice the documents, twice the sentences, and twice the judges of each item."""
    systems = systems or now.systems
    if documents or sentences or judges or overlap:
        sizes = product(
            documents or [now.documents], sentences or [now.sentences], judges or [now.judges], overlap or [now.overlap]
        )
        return [Design(d, s, max(j, o), o, systems) for d, s, j, o in sizes]
    base = Design(max(2, now.documents), now.sentences, now.judges, now.overlap, systems)
    return [
        base,
        replace(base, documents=2 * base.documents),
        replace(base, sentences=2 * base.sentences),
        replace(base, judges=max(base.judges, 2 * base.overlap), overlap=2 * base.overlap),
    ]


def compared_sizes(documents: int) -> list[int]:
    """Half as many documents, as many, twice and four times as many."""
    return sorted({max(2, documents // 2), max(2, documents), 2 * documents, 4 * documents})


# Systems as they may be


_SAME_SCALE = {"esa_preannotated": "esa", "da": "da_sqm"}
"""Protocols without released ratings of their own, and those that ask for the same kind of score."""
_BY_MACHINES = pl.col("judge_kind").is_in([JudgeKind.MODEL, JudgeKind.METRIC])
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def released_components(protocol: Protocol) -> Components | None:
    """Variances of released ratings of this protocol, or of the one it was derived from; None without any."""
    for name in (protocol.name, protocol.name.removesuffix("_own"), _SAME_SCALE.get(protocol.name, "")):
        try:
            components = defaults(name)
        except StatisticError:
            continue
        return components if components.spread else None
    return None


def world_before(
    parts: Components,
    design: Design,
    *,
    difference: float | None = None,
    ratings: pl.DataFrame | None = None,
    systems: Sequence[str] = (),
) -> World | None:
    """Before anybody has judged: systems as metrics and models have rated them, as released campaigns had them, or each
    a `difference` from the next, in this order of what is known. None where nothing is."""
    if ratings is not None and difference is None and (world := world_of_metrics(ratings, parts, design)):
        return world
    return world_like(parts, design, difference, systems)


def world_like(
    parts: Components, design: Design, difference: float | None = None, systems: Sequence[str] = ()
) -> World | None:
    """Systems as released campaigns had them; or, with a `difference`, each so far from the next. None where neither is
    known. They have letters for names unless there are as many `systems`."""
    names = tuple(systems) if len(systems) == design.systems else _letters(design.systems)
    means = None if difference is None else difference * np.arange(design.systems, dtype=float)
    if means is None and not parts.spread:
        return None
    return World(_sizes(design), names, parts, design.judges, design.overlap, means, parts.spread)


def _letters(systems: int) -> tuple[str, ...]:
    return tuple(_LETTERS[at] if at < len(_LETTERS) else f"S{at + 1}" for at in range(systems))


def world_of_part(
    part: Material, answers: pl.DataFrame, question: str, parts: Components, design: Design
) -> World | None:
    """The systems of a pilot, the better ones first by the direction of its score. None where neither end of the scale
    is better: no campaign looks for the best system there. `answers` are the rows that count; of others those of
    metrics and models can predict them."""
    try:
        sign = -1.0 if part.protocol and direction_of(part.protocol, question) == "lower_is_better" else 1.0
    except InputError:
        return None
    everyone = part.counted("scores", of=tuple(GROUPS)).table
    ratings = everyone.filter(~pl.col("judge").is_in(answers["judge"].unique().to_list()))
    return world_of_pilot(answers, question, parts, design, sign, has_metrics=bool(metric_scores(ratings)))


def model_ratings(part: Material) -> pl.DataFrame:
    """The ratings of metrics and models in a part, all of whose people may still be to come."""
    ratings = part.table.filter(_BY_MACHINES & (pl.col("document") != ""))
    if not len(ratings):
        raise InputError(
            f"{part.name} has no ratings of metrics or models.",
            next_step="Add some with lanner metric, or leave out --like to plan from people's answers.",
        )
    return ratings


def world_of_pilot(
    table: pl.DataFrame,
    question: str,
    parts: Components,
    design: Design,
    sign: float = 1.0,
    *,
    has_metrics: bool = False,
) -> World:
    """The systems of a pilot, drawn together by what chance has spread them; or, where more or fewer are planned,
    systems that differ by as much as these do."""
    answers = table.filter((pl.col("question") == question) & (pl.col("role") == "main") & pl.col("score").is_finite())
    means = answers.group_by("system").agg(pl.col("score").mean()).sort("system")
    error = (
        parts.system_document * _concentration(answers, "document")
        + parts.system_item * _concentration(answers, "document", "segment")
        + parts.system_judge * _concentration(answers, "judge")
        + parts.residual * _concentration(answers, "document", "segment", "judge")
    )
    values = shrunk_means(sign * means["score"].to_numpy(), error)
    names = tuple(means["system"].to_list())
    world = World(_sizes(design), names, parts, design.judges, design.overlap, values, has_metrics=has_metrics)
    if len(names) == design.systems:
        return world
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    more_names = tuple(dict.fromkeys((*names, *_letters(design.systems))))
    return replace(world, systems=more_names[: design.systems], means=None, spread=spread)


def _concentration(answers: pl.DataFrame, *of: str) -> float:
    """The variance of a system's mean where each of these differs by chance with variance 1: 1 over how many there are
    if they have equally many answers. The mean over systems."""
    counts = answers.group_by("system", *of).len()
    shares = counts.select("system", share=pl.col("len") / pl.col("len").sum().over("system"))
    squares = shares.group_by("system").agg(pl.col("share").pow(2).sum())["share"]
    return float(squares.to_numpy().mean()) if len(squares) else 0.0


def world_of_metrics(table: pl.DataFrame, parts: Components, design: Design) -> World | None:
    """Nothing judged yet: the systems that metrics or models have rated, as far apart as systems usually are. None
    where the table has no such ratings, or usual distances are not known."""
    ratings = metric_scores(table)
    if not ratings or not parts.spread:
        return None
    systems = sorted(set.intersection(*(set(rating) for rating in ratings)))
    if len(systems) < 2:
        return None
    standard = [np.array([rating[name] for name in systems]) for rating in ratings]
    usual = np.mean([(one - one.mean()) / (one.std() or 1.0) for one in standard], axis=0)
    means = scaled_means(usual[None, :], parts.spread)
    return World(_sizes(design), tuple(systems), parts, design.judges, design.overlap, means, has_metrics=True)


def world_of_texts(
    documents: Sequence[Document],
    sizes: Array,
    protocol: Protocol,
    systems: Sequence[str],
    *,
    judges: int,
    overlap: int,
    metric: dict[str, float] | None = None,
) -> World | None:
    """A campaign on these texts, before anything is judged. `metric` is a score of each system, higher is better. None
    where released ratings say nothing about the protocol."""
    parts = released_components(protocol)
    if parts is None or len(documents) < 3 or len(systems) < 2:
        return None
    means = None
    if metric is not None and all(name in metric for name in systems):
        means = scaled_means(np.array([[metric[name] for name in systems]]), parts.spread)
    return World(
        sizes,
        tuple(systems),
        parts,
        max(1, judges),
        min(overlap, max(1, judges)),
        means,
        parts.spread,
        means is not None,
    )


def metric_scores(table: pl.DataFrame) -> list[dict[str, float]]:
    """The mean score of each system by every metric and model that has rated more than one."""
    rows = table.filter(
        _BY_MACHINES & (pl.col("role") == "main") & (pl.col("document") != "") & pl.col("score").is_finite()
    )
    means = rows.group_by("judge", "question", "system", maintain_order=True).agg(pl.col("score").mean())
    ratings: dict[tuple[str, str], dict[str, float]] = {}
    for judge, question, system, score in means.rows():
        ratings.setdefault((judge, question), {})[system] = score
    return [rating for rating in ratings.values() if len(rating) > 1]


def _sizes(design: Design) -> Array:
    return np.full(design.documents, float(design.sentences))
