"""Draw a smaller set of documents that keeps the shares of the domains.

Every domain gets its share of the sentences asked for by the method of largest remainders (Hamilton), so that the
quotas add up exactly. Within a domain documents are taken in random order, seeded. Sentences are judged segments;
what is shown as context only is not counted.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from lanner.errors import LannerError
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
