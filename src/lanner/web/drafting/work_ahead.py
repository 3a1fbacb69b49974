"""The plan page: a fixed campaign beside an adaptive one on the uploaded texts. Loaded by workers only: it brings
statistics and metrics along."""

from __future__ import annotations

from collections.abc import Sequence

from lanner.analysis.expected_work import world_of_texts
from lanner.campaign.drawing import document_sizes, goal_of
from lanner.designs.adaptive import NAME as ADAPTIVE
from lanner.errors import LannerError
from lanner.metrics import Languages, make, rate
from lanner.model import Document, Object, Unit
from lanner.stats.goals import Kind
from lanner.stats.resample import Resampling
from lanner.stats.savings import expected_savings
from lanner.web.drafting.options import CampaignOptions, WorkAhead, composed

METRIC = "chrf"


def work_ahead(documents: Sequence[Document], wishes: CampaignOptions) -> WorkAhead | None:
    """How long such a campaign would go on, fixed and adaptive. None where that is not known: for goals and protocols
    without released ratings of systems, or with too few documents or systems."""
    protocol = composed(wishes)
    systems = wishes.systems_of(documents)
    stages = [stage for stage in protocol.stages if stage.unit is not Unit.JUDGE]
    if any(stage.object is not Object.OUTPUT for stage in stages) or not wishes.judges:
        return None
    options = wishes.options if wishes.design == ADAPTIVE else {}
    goal = goal_of(options, systems)
    overlap = int(wishes.options.get("judges_per_document") or (len(wishes.judges) if wishes.design == "full" else 1))
    metric = _metric_scores(documents, systems)
    sizes = document_sizes(documents, protocol)
    world = world_of_texts(
        documents, sizes, protocol, systems, judges=len(wishes.judges), overlap=overlap, metric=metric
    )
    if world is None or goal.kind is Kind.AGREEMENT:
        return None
    savings = expected_savings(world, goal, seed=wishes.seed)
    hours = next(protocol.minutes(page) for page, own in protocol.pages.items() if own[0] in stages) / 60
    return WorkAhead(
        str(goal),
        savings.campaigns,
        savings.judgements,
        savings.judgements * hours,
        savings.adaptive_judgements,
        savings.adaptive_judgements * hours,
        savings.share,
        savings.low,
        savings.high,
        savings.decided_fixed,
        savings.decided_adaptive,
        "chrF" if world.has_metrics else "",
    )


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
