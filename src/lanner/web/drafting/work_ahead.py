"""The plan page: what a campaign on the uploaded texts could tell, and how long it would go on, fixed and adaptive.
Loaded by workers only: it brings statistics and metrics along."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from lanner import designs
from lanner.analysis.planning import released_components, world_of_texts
from lanner.analysis.scores import bounds_of
from lanner.campaign.drawing import document_sizes, goal_of, score_of
from lanner.designs.adaptive import NAME as ADAPTIVE
from lanner.errors import LannerError
from lanner.metrics import Languages, make, rate
from lanner.model import Document, Object, Protocol, Stage, Unit
from lanner.stats.goals import GoalKind
from lanner.stats.power import Components, Design, chances, plan
from lanner.stats.resample import Resampling
from lanner.stats.savings import expected_savings
from lanner.web.drafting.options import (
    CampaignOptions,
    CourseStep,
    LengthForecast,
    PowerForecast,
    compose_protocol,
    plan_campaign,
)

METRIC = "chrf"


def work_ahead(
    documents: Sequence[Document], wishes: CampaignOptions, items: int | None = None
) -> LengthForecast | None:
    """How long such a campaign would go on after its calibration round, fixed and adaptive. None where that is not
    known: for goals and protocols without released ratings of systems, or with too few documents or systems. `items`
    are the main items of the plan, where that is known."""
    protocol = compose_protocol(wishes)
    systems = wishes.systems_of(documents)
    stages = _rated_stages(protocol)
    main_documents = documents[wishes.calibration :]
    if not stages or not wishes.judges or not main_documents:
        return None
    options = wishes.options if wishes.design == ADAPTIVE else {}
    goal = goal_of(options, systems)
    metric = _metric_scores(main_documents, systems)
    sizes = document_sizes(main_documents, protocol)
    world = world_of_texts(
        main_documents, sizes, protocol, systems, judges=len(wishes.judges), overlap=_overlap(wishes), metric=metric
    )
    if world is None or goal.kind is GoalKind.AGREEMENT:
        return None
    hours = next(protocol.minutes(page) for page, own in protocol.pages.items() if own[0] in stages) / 60
    fixed_judgements = plan_campaign(documents, wishes).main_items if items is None else items
    once = float(sizes.sum()) * len(systems) * world.overlap
    again = 0.0 if wishes.design == ADAPTIVE else max(0.0, fixed_judgements / once - 1)
    savings = expected_savings(world, goal, seed=wishes.seed, judged_again=again)
    adaptive = round(savings.share * fixed_judgements)
    return LengthForecast(
        str(goal),
        savings.campaigns,
        fixed_judgements,
        fixed_judgements * hours,
        adaptive,
        adaptive * hours,
        savings.share,
        savings.low,
        savings.high,
        savings.decided_fixed,
        savings.decided_adaptive,
        "chrF" if world.has_metrics else "",
        None if goal.kind is GoalKind.PRECISION else savings.distance,
        tuple(
            CourseStep(
                round(point.share * fixed_judgements),
                point.share * fixed_judgements * hours,
                point.fixed,
                point.adaptive,
                point.settled,
                point.ended,
            )
            for point in savings.course
        ),
        _overlap(wishes),
    )


def prospects(documents: Sequence[Document], wishes: CampaignOptions) -> PowerForecast | None:
    """Which differences between two systems such a campaign would show. None where released ratings say nothing about
    the protocol."""
    protocol = compose_protocol(wishes)
    systems = len(wishes.systems_of(documents))
    main_documents = documents[wishes.calibration :]
    parts = released_components(protocol) if _rated_stages(protocol) else None
    if parts is None or systems < 2 or len(main_documents) < 2 or not wishes.judges:
        return None
    overlap = _overlap(wishes)
    sentences = max(1, round(sum(map(float, document_sizes(main_documents, protocol))) / len(main_documents)))
    base = Design(len(main_documents), sentences, max(len(wishes.judges), overlap), overlap, systems)
    detectable = _detectable(parts, base)
    bounds = bounds_of(protocol, score_of(protocol)[0])
    if bounds is not None and math.isfinite(bounds[1]):
        steps = [share * (bounds[1] - bounds[0]) for share in (0.05, 0.1, 0.15)]
    else:
        steps = [share * detectable for share in (0.5, 1.0, 1.5)] if detectable is not None else []
    few = systems <= _MOST_SYSTEMS  # more of them take long to simulate
    judges = replace(base, judges=max(base.judges, overlap + 1), overlap=overlap + 1)
    sizes = (
        sorted({max(2, round(factor * len(main_documents))) for factor in _CURVE} - {len(main_documents)})
        if few
        else []
    )
    curve = {number: _detectable(parts, replace(base, documents=number)) for number in sizes}
    curve[len(main_documents)] = detectable
    return PowerForecast(
        len(main_documents),
        systems,
        detectable,
        tuple(zip(steps, chances(parts, base, steps, n=_STUDIES), strict=True)),
        _detectable(parts, judges) if few else None,
        curve.get(2 * base.documents),
        parts.source,
        tuple(sorted(curve.items())) if few else (),
    )


_STUDIES = 200
_MOST_SYSTEMS = 4
_CURVE = (0.5, 1, 1.5, 2, 3, 4)
"""Multiples of the documents there are, for the curve of what more of them would show."""


def _detectable(parts: Components, design: Design) -> float | None:
    value = plan(parts, design, n=_STUDIES).rows[0]["detectable"]
    return None if value is None else float(value)


def _rated_stages(protocol: Protocol) -> list[Stage]:
    """The stages about texts where each judges one output; none where any judges something else."""
    stages = [stage for stage in protocol.stages if stage.unit is not Unit.JUDGE]
    return [] if any(stage.object is not Object.OUTPUT for stage in stages) else stages


def _overlap(wishes: CampaignOptions) -> int:
    """The mean number of judges of an item."""
    usual = len(wishes.judges) if wishes.design == "full" else designs.options(wishes.design).get("judges_per_document")
    return int(wishes.options.get("judges_per_document") or usual or 1)


def _metric_scores(documents: Sequence[Document], systems: Sequence[str]) -> dict[str, float] | None:
    """chrF of each system where the texts have references; None without."""
    if not all(segment.references for document in documents for segment in document if segment.judged):
        return None
    languages = Languages(documents[0].source_language, documents[0].target_language)
    try:
        rating = rate(documents, make(METRIC, languages), systems=systems, resampling=Resampling(method="none"))
    except LannerError:  # a system that is itself the reference, or a metric that is not installed
        return None
    return {str(row["system"]): float(row["score"]) for row in rating.result.rows}
