"""Choose documents that are expected to be hard, or to tell systems apart, with probabilities that are known.

Each criterion gives every document a number; criteria are put on one scale (normal scores within the pool) and
averaged. The chance of a document grows with that average and never falls below a floor, so that every document can
be drawn, and the chance is kept with it: dividing by it undoes the choice (`lanner.analysis.scores`). Without that,
scores on such a set are those of hard texts and lie below those of the texts it was drawn from.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import NormalDist, fmean, pstdev

import numpy as np

from lanner.corpus.context_need import need
from lanner.corpus.sample import DrawnSample, count, largest_remainder
from lanner.corpus.systems import numbers_by_system
from lanner.errors import LannerError
from lanner.model import Document, Json, Segment

META = "selection"
"""Where a document's `meta` says with which probability it was chosen, and by what."""
STRENGTH = 1.0
"""How much a document one standard deviation above the others is preferred: e times."""
_TOKEN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]|[^\W\d_]+", re.UNICODE)


def choose_difficult(
    documents: Sequence[Document],
    sentences: int,
    by: Sequence[str],
    *,
    seed: int,
    floor: float = 0.3,
    columns: Sequence[str] = (),
) -> DrawnSample:
    """Draw about `sentences` sentences in whole documents, domains in proportion. `columns` name scores that segments
    carry for each system (`meta[column]`), for the criteria that compare them."""
    pool = [document for document in documents if count(document)]
    if not pool:
        raise LannerError("There is nothing to choose from.", next_step="Loosen the filters before this step.")
    values = {name: CRITERIA[name](pool, columns) for name in by}
    difficulties = [fmean(scores) for scores in zip(*(normal_scores(values[name]) for name in by), strict=True)]
    by_domain: dict[str, list[int]] = defaultdict(list)
    for place, document in enumerate(pool):
        by_domain[document.domain].append(place)
    sizes = [count(document) for document in pool]
    quotas = largest_remainder(
        {name: sum(sizes[at] for at in places) for name, places in sorted(by_domain.items())}, sentences
    )
    selection_by_id: dict[str, Document] = {}
    rows: list[dict[str, Json]] = []
    for domain, quota in quotas.items():
        places = by_domain[domain]
        chances = inclusion([difficulties[at] for at in places], [sizes[at] for at in places], quota, floor)
        sampled_places = systematic(chances, random.Random(f"{seed} difficult {domain}"))
        for at in sampled_places:
            document = pool[places[at]]
            about = {name: round(values[name][places[at]], 4) for name in by}
            entry = {"probability": round(chances[at], 6), "criteria": about}
            selection_by_id[document.id] = replace(document, meta={**document.meta, META: entry})
        rows.append(_choice_row(domain, quota, sizes, difficulties, (places, [places[at] for at in sampled_places])))
    everyone = list(range(len(pool)))
    selection = [at for at in everyone if pool[at].id in selection_by_id]
    rows.append(_choice_row("All", sentences, sizes, difficulties, (everyone, selection)))
    return DrawnSample(
        tuple(selection_by_id[document.id] for document in documents if document.id in selection_by_id), tuple(rows)
    )


def _choice_row(
    domain: str,
    sentences: int,
    sizes: Sequence[int],
    difficulties: Sequence[float],
    pool_and_sample: tuple[Sequence[int], Sequence[int]],
) -> dict[str, Json]:
    """The numbers of one domain. `pool_and_sample` are the places of what could be had and of what was chosen."""
    places, documents = pool_and_sample
    mean_chosen = fmean(difficulties[at] for at in documents) if documents else 0.0
    return {
        "domain": domain,
        "asked": sentences,
        "got": sum(sizes[at] for at in documents),
        "documents": len(documents),
        "available_sentences": sum(sizes[at] for at in places),
        "available_documents": len(places),
        "harder_by": round(mean_chosen - fmean(difficulties[at] for at in places), 3),
    }


def inclusion(scores: Sequence[float], sizes: Sequence[int], sentences: int, floor: float) -> list[float]:
    """The probability of each document, so that `sentences` are expected. `floor` of the preference is the same for
    all."""
    preference = [math.exp(STRENGTH * score) for score in scores]
    usual = fmean(preference)
    weights = [(1 - floor) * one / usual + floor for one in preference]
    certain: set[int] = set()
    while True:
        left = sentences - sum(sizes[at] for at in certain)
        open_places = [at for at in range(len(weights)) if at not in certain]
        total = sum(weights[at] * sizes[at] for at in open_places)
        scale = left / total if total > 0 else 0.0
        more = {at for at in open_places if weights[at] * scale >= 1}
        if not more:
            return [1.0 if at in certain else weights[at] * scale for at in range(len(weights))]
        certain |= more


def systematic(chances: Sequence[float], rng: random.Random) -> list[int]:
    """Draw with exactly these probabilities: documents in chance order on a line, one at every whole step from a chance
    start (Madow 1949, Ann. Math. Stat. 20)."""
    order = list(range(len(chances)))
    rng.shuffle(order)
    point, position, sampled_places = rng.random(), 0.0, []
    for at in order:
        position += chances[at]
        if point < position - 1e-12:
            sampled_places.append(at)
            point += 1
    return sorted(sampled_places)


def normal_scores(values: Sequence[float]) -> list[float]:
    """The values as quantiles of the normal distribution by their ranks (ties share one), 0 where all are the same."""
    _, groups, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - counts / 2
    normal = NormalDist()
    return [normal.inv_cdf(rank / len(values)) for rank in ranks[groups].tolist()]


def source_difficulty(documents: Sequence[Document], _columns: Sequence[str] = ()) -> list[float]:
    """Long sentences, words that few documents of the pool have, many names and numbers: the mean of the three, each
    on one scale."""
    words = [[[*_TOKEN.findall(segment.source)] for segment in _judged_segments(document)] for document in documents]
    document_counts = Counter(word for text in words for word in {token.lower() for line in text for token in line})
    rarity = [
        fmean([math.log(len(documents) / document_counts[token.lower()]) for line in text for token in line] or [0.0])
        for text in words
    ]
    length = [math.log(1 + fmean([len(line) for line in text] or [0.0])) for text in words]
    names = [
        fmean([sum(token[0].isupper() for token in line[1:]) / max(1, len(line)) for line in text] or [0.0])
        + fmean([len(re.findall(r"\d+", segment.source)) / 10 for segment in _judged_segments(document)] or [0.0])
        for text, document in zip(words, documents, strict=True)
    ]
    return [fmean(parts) for parts in zip(*map(normal_scores, (rarity, length, names)), strict=True)]


def output_diversity(documents: Sequence[Document], _columns: Sequence[str] = ()) -> list[float]:
    """How little the outputs of two systems share: one less the share of character trigrams in common, on average."""
    _refuse_few_systems(documents, "diversity")

    def of(segment: Segment) -> float | None:
        texts = [text for text in segment.outputs.values() if text]
        pairs = [1 - overlap(one, other) for one, other in combinations(texts, 2)]
        return fmean(pairs) if pairs else None

    return [_mean_of(of, document) for document in documents]


def metric_variance(documents: Sequence[Document], columns: Sequence[str] = ()) -> list[float]:
    """How far apart a metric finds the systems on a document: the standard deviation of their scores, on average over
    metrics. Without columns: character trigrams shared with the reference."""
    _refuse_few_systems(documents, "variance")
    if not columns:
        if not any(segment.references for document in documents for segment in document):
            raise LannerError(
                "The criterion 'variance' needs scores or a reference.",
                next_step='Name the scores that segments carry: columns = ["comet"], or give references.',
            )
        return [_mean_of(_reference_spread, document) for document in documents]
    tables = [_scores(documents, column) for column in columns]
    spread = [[pstdev(row.values()) if len(row) > 1 else 0.0 for row in table] for table in tables]
    usual = [fmean(one) or 1.0 for one in spread]
    return [fmean(one[at] / usual[k] for k, one in enumerate(spread)) for at in range(len(documents))]


def metric_disagreement(documents: Sequence[Document], columns: Sequence[str] = ()) -> list[float]:
    """How far metrics or models differ about the same outputs: the mean distance of two, each on its own scale."""
    if len(columns) < 2:
        raise LannerError(
            "The criterion 'disagreement' compares two metrics or models.",
            next_step='Name the scores that segments carry: columns = ["comet", "gemba"].',
        )
    tables = [_scores(documents, column) for column in columns]
    standard = []
    for table in tables:
        every = [value for row in table for value in row.values()]
        middle, scale = fmean(every), pstdev(every) or 1.0
        standard.append([{name: (value - middle) / scale for name, value in row.items()} for row in table])
    distances = []
    for at in range(len(documents)):
        gaps = [
            abs(one[at][name] - other[at][name])
            for one, other in combinations(standard, 2)
            for name in one[at].keys() & other[at].keys()
        ]
        distances.append(fmean(gaps) if gaps else 0.0)
    return distances


def context_dependence(documents: Sequence[Document], _columns: Sequence[str] = ()) -> list[float]:
    """The share of sentences that judges would say need the text around them (`need`)."""
    means = []
    for document in documents:
        chances = [chance for segment, chance in zip(document.segments, need(document), strict=True) if segment.judged]
        means.append(fmean(chances))
    return means


CRITERIA: Mapping[str, Callable[[Sequence[Document], Sequence[str]], list[float]]] = {
    "source": source_difficulty,
    "diversity": output_diversity,
    "variance": metric_variance,
    "disagreement": metric_disagreement,
    "context": context_dependence,
}
"""What documents can be chosen by."""


def overlap(one: str, other: str) -> float:
    """The share of character trigrams that two texts have in common (Dice)."""
    first, second = (Counter(text[at : at + 3] for at in range(max(1, len(text) - 2))) for text in (one, other))
    return 2 * (first & second).total() / (first.total() + second.total())


def _reference_spread(segment: Segment) -> float | None:
    references = [text for text in segment.references.values() if text]
    outputs = [text for text in segment.outputs.values() if text]
    if not references or len(outputs) < 2:
        return None
    return pstdev([max(overlap(text, reference) for reference in references) for text in outputs])


def _judged_segments(document: Document) -> list[Segment]:
    return [segment for segment in document if segment.judged]


def _mean_of(measure: Callable[[Segment], float | None], document: Document) -> float:
    values = [value for segment in _judged_segments(document) if (value := measure(segment)) is not None]
    return fmean(values) if values else 0.0


def _scores(documents: Sequence[Document], column: str) -> list[dict[str, float]]:
    """For each document every system's mean of the scores that its judged segments carry."""
    table: list[dict[str, float]] = []
    for document in documents:
        values: dict[str, list[float]] = defaultdict(list)
        for segment in _judged_segments(document):
            for name, value in numbers_by_system(segment, column).items():
                values[name].append(value)
        table.append({name: fmean(own) for name, own in values.items()})
    lacking = [document.id for document, row in zip(documents, table, strict=True) if not row]
    if lacking:
        raise LannerError(
            f"The document {lacking[0]!r} has no scores under {column!r}.",
            next_step="Name a column that holds an object from system to score in every document.",
        )
    return table


def _refuse_few_systems(documents: Sequence[Document], criterion: str) -> None:
    if max(len(document.systems) for document in documents) < 2:
        raise LannerError(
            f"The criterion {criterion!r} compares the outputs of two systems, and there are fewer.",
            next_step="Give texts with translations, or choose by source or context.",
        )
