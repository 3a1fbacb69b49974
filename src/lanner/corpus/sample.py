"""Draw a smaller set of documents: one that keeps the shares of the domains, or one of hard documents, with
probabilities that are known.

Every domain gets its share of the sentences asked for by the method of largest remainders (Hamilton), so that the
quotas add up exactly. Within a domain documents are taken in random order, seeded. Sentences are judged segments;
what is shown as context only is not counted.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from statistics import NormalDist, fmean, pstdev

import numpy as np

from lanner import registry
from lanner.corpus.systems import numbers_by_system
from lanner.errors import InputError, LannerError
from lanner.model import Document, Json, Segment

_NEAR_ENOUGH = 0.8  # a window may be this much shorter than asked for if it then ends with a paragraph


@dataclass(frozen=True, slots=True)
class DrawnSample:
    """The documents drawn, in their original order, and what was asked for and got, by domain. Of hard documents each
    has its probability, and the rows also say how far the criteria of what was drawn lie above those of all."""

    documents: tuple[Document, ...]
    rows: tuple[dict[str, Json], ...]


def sample(
    documents: Sequence[Document],
    sentences: int,
    *,
    seed: int,
    clip: int | None = None,
    avoid: Collection[str] = (),
    shares: Mapping[str, int] | None = None,
) -> DrawnSample:
    """Draw about `sentences` sentences. `shares` says how the domains share them (in any unit: sentences, per cent);
    without it they share them as they share the documents given.

    Without `clip` documents stay whole, and each domain comes within one document of its quota. With `clip` no document
    has more than that many sentences and each quota is met exactly unless a paragraph's end is near. Documents in
    `avoid` (an earlier sample's) are left out, from the shares as well.
    """
    by_domain: dict[str, list[Document]] = defaultdict(list)
    for document in documents:
        if document.id not in set(avoid) and count(document):
            by_domain[document.domain].append(document)
    sizes = {domain: sum(map(count, members)) for domain, members in sorted(by_domain.items())}
    quotas = _quotas_by_share(shares, sizes, sentences) if shares else largest_remainder(sizes, sentences)
    sample_by_id: dict[str, Document] = {}
    rows: list[dict[str, Json]] = []
    for domain, quota in quotas.items():
        draw = _draw(by_domain[domain], quota, clip, f"{seed} {domain}")
        sample_by_id |= {document.id: document for document in draw}
        rows.append(_row(domain, by_domain[domain], quota, draw, sum(sizes.values())))
    sampled_documents = tuple(sample_by_id[document.id] for document in documents if document.id in sample_by_id)
    everything = [document for group in by_domain.values() for document in group]
    return DrawnSample(
        sampled_documents, (*rows, _row("All", everything, sentences, sampled_documents, sum(sizes.values())))
    )


def count(document: Document) -> int:
    """Sentences of a document that are to be judged."""
    return sum(segment.judged for segment in document.segments)


def _quotas_by_share(shares: Mapping[str, int], sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """Quotas by stated shares. A domain that is not named is not drawn from; one that has too little is an error."""
    quotas = _in_proportion(shares, total)
    for domain, quota in quotas.items():
        if sizes.get(domain, 0) < quota:
            raise LannerError(
                f"{quota} sentences of {domain!r} are asked for and {sizes.get(domain, 0)} can be had.",
                next_step="Ask for fewer sentences, or for a smaller share of that domain.",
            )
    return quotas


def largest_remainder(sizes: Mapping[str, int], total: int) -> dict[str, int]:
    """Whole quotas in proportion to the sizes there are, which add up to `total`."""
    available = sum(sizes.values())
    if not 0 < total <= available:
        raise LannerError(
            f"{total} sentences are asked for and {available} can be had.",
            next_step=f"Ask for 1 to {available}." if available else "Nothing is left to draw from.",
        )
    return _in_proportion(sizes, total)


def _in_proportion(parts: Mapping[str, int], total: int) -> dict[str, int]:
    """Whole quotas: the integer parts of the exact ones, then one each to the largest fractions (ties in order)."""
    exact = {name: part * total / sum(parts.values()) for name, part in parts.items()}
    quotas = {name: math.floor(value) for name, value in exact.items()}
    missing = total - sum(quotas.values())
    for name in sorted(exact, key=lambda name: quotas[name] - exact[name])[:missing]:
        quotas[name] += 1
    return quotas


def _draw(documents: Sequence[Document], quota: int, clip: int | None, seed: str) -> list[Document]:
    """Draw documents, or windows of them, up to a quota. Each document has a random generator of its own, so that a row
    merged by hand in one of them moves no other's window."""
    order = sorted(documents, key=lambda document: random.Random(f"{seed} order {document.id}").random())
    draws: list[Document] = []
    left = quota
    for document in order:
        size = count(document)
        if clip is None:
            if left > 0 and abs(left - size) < left:  # it brings the domain nearer to its quota
                draws.append(document)
                left -= size
        elif left > 0:
            part = window(document, min(clip, left), random.Random(f"{seed} window {document.id}"))
            draws.append(part)
            left -= count(part)
    return draws


def window(document: Document, size: int, rng: random.Random) -> Document:
    """At most `size` consecutive sentences: from the beginning of a random paragraph if enough follow it, to the end of
    a paragraph if one is near. The whole document if it is no longer than that."""
    segments = document.segments
    positions = [index for index, segment in enumerate(segments) if segment.judged]
    if len(positions) <= size:
        return document
    starts = [n for n in range(len(positions) - size + 1) if _begins_paragraph(segments, positions[n])]
    places = starts or range(len(positions) - size + 1)
    first = places[int(rng.random() * len(places))]
    last = first + size - 1
    nearest = math.ceil(size * _NEAR_ENOUGH)
    for end in range(last, first + nearest - 2, -1):
        if end == len(positions) - 1 or _begins_paragraph(segments, positions[end + 1]):
            last = end
            break
    window_segments = segments[positions[first] : positions[last] + 1]
    meta = {
        **document.meta,
        "window": {"first": window_segments[0].id, "last": window_segments[-1].id, "of": len(segments)},
    }
    return replace(document, segments=window_segments, meta=meta)


def _begins_paragraph(segments: Sequence[Segment], index: int) -> bool:
    return index == 0 or segments[index].paragraph is None or segments[index].paragraph != segments[index - 1].paragraph


def _row(
    domain: str, available: Sequence[Document], target: int, got: Sequence[Document], everything: int
) -> dict[str, Json]:
    have = sum(map(count, available))
    return {
        "domain": domain or "-",
        "available_documents": len(available),
        "available_sentences": have,
        "share": have / everything,
        "asked": target,
        "got": sum(map(count, got)),
        "documents": len(got),
    }


# Documents that are expected to be hard, or to tell systems apart.
#
# Each criterion gives every document a number; criteria are put on one scale (normal scores within the pool) and
# averaged. The chance of a document grows with that average and never falls below a floor, so that every document can
# be drawn, and the chance is kept with it: dividing by it undoes the choice (`lanner.analysis.scores`). Without that,
# scores on such a set are those of hard texts and lie below those of the texts it was drawn from.

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


# How likely an English sentence needs the text around it, from what stands in the sentence itself.
# The features are those that translation studies name: pronouns without an antecedent in the sentence, ellipsis,
# connectives at its beginning, register. A logistic regression weighs them; its weights (`context_need.toml`) are
# fitted on the released FALCON labels of Kim (2025) by `benchmarks/bench_context_need.py`, which also says how well
# they do on documents they were not fitted on. Other source languages have no released labels and no weights.


_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*", re.UNICODE)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_THIRD = _words("he she it they him her them his hers its their theirs himself herself itself themselves")
_DEMONSTRATIVE = _words("this that these those such here there")
_FIRST_SECOND = _words("i me my mine we us our ours you your yours myself ourselves yourself")
_CONNECTIVE = _words(
    "and but or so because however therefore thus then also meanwhile nevertheless nonetheless instead still yet "
    "moreover furthermore otherwise besides although though while whereas hence consequently finally anyway plus"
)
_ELLIPTIC = _words("one ones so too either neither same another other others both")
_INFORMAL = _words(
    "lol omg btw idk imo gonna wanna gotta kinda sorta yeah yep nope hey hi oh ah wow haha hmm ok okay ugh damn"
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|am|be|been|being|has|have|had|do|does|did|will|would|can|could|shall|should|may|might|must|"
    r"\w+(?:ed|es|ing|['’](?:s|re|ve|ll|d|m)))\b",
    re.IGNORECASE,
)

FEATURES: Mapping[str, str] = {
    "third_person": "third-person pronouns for each word",
    "pronoun_first": "a third-person pronoun or a demonstrative among the first two words",
    "antecedent_missing": "a third-person pronoun and no capitalised name or earlier noun-like word in the sentence",
    "demonstrative": "demonstratives for each word",
    "first_second": "first- and second-person pronouns for each word",
    "connective": "a connective as the first word",
    "elliptic": "words that stand for others (one, so, too, both …), for each word",
    "fragment": "no verb form in the sentence",
    "short": "four words or fewer",
    "length": "logarithm of the number of words",
    "question": "a question",
    "exclamation": "an exclamation",
    "quoted": "a quotation mark",
    "informal": "contractions and colloquial words for each word",
    "acronym": "words in capitals for each word",
    "name": "capitalised words that do not begin the sentence, for each word",
    "emoji": "an emoji, a hash tag or a user tag",
    "opening": "the first sentence of the document",
}
"""What the weights belong to, in their order."""


def features(text: str, *, opens_document: bool = False) -> list[float]:
    """The features of one sentence, in the order of `FEATURES`."""
    words = _WORD.findall(text)
    lower = [word.lower().replace("’", "'") for word in words]
    number = max(1, len(words))
    third = [at for at, word in enumerate(lower) if word.split("'")[0] in _THIRD]
    names = [at for at, word in enumerate(words) if at and word[0].isupper() and not _is_acronym(word) and word != "I"]
    first = [word.split("'")[0] for word in lower[:2]]
    contractions = sum("'" in word and not word.endswith("'s") for word in lower)
    return [
        len(third) / number,
        float(any(word in _THIRD or word in _DEMONSTRATIVE for word in first)),
        float(bool(third) and not any(at < third[0] for at in names) and third[0] < 3),
        sum(word in _DEMONSTRATIVE for word in lower) / number,
        sum(word.split("'")[0] in _FIRST_SECOND for word in lower) / number,
        float(bool(lower) and lower[0] in _CONNECTIVE),
        sum(word in _ELLIPTIC for word in lower) / number,
        float(not _VERB.search(text)),
        float(len(words) <= 4),
        math.log(number),
        float("?" in text),
        float("!" in text),
        float(any(mark in text for mark in '"“”«»')),
        (contractions + sum(word in _INFORMAL for word in lower)) / number,
        sum(_is_acronym(word) for word in words) / number,
        len(names) / number,
        float(any(ord(character) >= 0x1F000 for character in text) or bool(re.search(r"(?:^|\s)[#@]\w", text))),
        float(opens_document),
    ]


def _is_acronym(word: str) -> bool:
    return len(word) > 1 and word.isupper()


def need(document: Document) -> list[float]:
    """For each segment the probability that two of three judges would say it needs the text around it."""
    language = document.source_language.split("-")[0]
    if language not in ("en", "und"):
        raise InputError(
            f"How far sentences need context is known for English sources, not for {document.source_language}.",
            code="no_context_weights",
            next_step="Leave out the criterion 'context'.",
        )
    return [
        probability(features(segment.source, opens_document=at == 0)) for at, segment in enumerate(document.segments)
    ]


def probability(values: Sequence[float]) -> float:
    """The probability that a sentence with these features needs the text around it."""
    intercept, weights = _weights()
    total = intercept + sum(weight * value for weight, value in zip(weights, values, strict=True))
    return 1 / (1 + math.exp(-total))


@cache
def _weights() -> tuple[float, tuple[float, ...]]:
    table = registry.table("corpus.context_need")
    return float(table["intercept"]), tuple(float(table["weight"][name]) for name in FEATURES)
