"""How far two judges' sets of labels overlap: mean Jaccard, micro- and macro-F1, exact matches.

A single label counts as a set of one, so that the same measures compare a model with a reference. With more than two
judges each is the mean over pairs. Two empty sets agree fully.
"""

from __future__ import annotations

import numpy as np

from lanner.stats.counting import ratio
from lanner.stats.estimate import Plan, statistic
from lanner.stats.pairs import Entry, pair_plan
from lanner.stats.ratings import Codes, Ratings
from lanner.stats.resample import Array
from lanner.stats.sets import incidence


def _sets(rated: Ratings) -> tuple[frozenset[str], ...]:
    return rated.sets or tuple(frozenset({label}) for label in rated.labels)


def _shared(rated: Ratings) -> tuple[Array, Array, Array]:
    """|A∩B|, |A| and |B| for every pair of answers, without a table over all pairs of sets."""
    table, _ = incidence(_sets(rated))
    size = table.sum(axis=1)
    keys = rated.pairs.first.astype(np.int64) * max(1, len(table)) + rated.pairs.second
    distinct, index = np.unique(keys, return_inverse=True)
    a, b = distinct // max(1, len(table)), distinct % max(1, len(table))
    shared = np.einsum("ij,ij->i", table[a], table[b]) if len(distinct) else np.zeros(0)
    return shared[index.reshape(-1)], size[rated.pairs.first], size[rated.pairs.second]


@statistic("labels", "label", "score")
def jaccard(rated: Ratings, *, each: bool = False) -> Plan:
    """Mean over items of |A∩B| / |A∪B|, the sets that two judges gave; 1 where both are empty.

    Not corrected for chance: see α with level "jaccard" for that. A grid counts as the set of its rows above zero.
    Jaccard 1912, New Phytologist 11.
    """
    shared, left, right = _shared(rated)
    union = left + right - shared
    entries: list[Entry] = [(0, 1.0), (1, np.divide(shared, union, out=np.ones_like(union), where=union > 0))]

    def finish(sums: Array) -> Array:
        return ratio(sums[:, :, 1], sums[:, :, 0])

    return pair_plan("jaccard", rated, 2, entries, finish, each=each, scale="logit")


@statistic("labels", "label", "score")
def micro_f1(rated: Ratings, *, each: bool = False) -> Plan:
    """2 Σ|A∩B| / Σ(|A| + |B|) over all items: labels that both gave, over labels that either gave.

    The same whichever judge is called the reference; for single labels it is the accuracy. Undefined where neither
    judge gave any label. Van Rijsbergen 1979, Information Retrieval.
    """
    shared, left, right = _shared(rated)
    entries: list[Entry] = [(0, 2 * shared), (1, left + right)]

    def finish(sums: Array) -> Array:
        return ratio(sums[:, :, 0], sums[:, :, 1])

    return pair_plan("micro_f1", rated, 2, entries, finish, each=each, scale="logit", reason=_no_label)


@statistic("labels", "label", "score")
def macro_f1(rated: Ratings, *, each: bool = False) -> Plan:
    """The mean of the labels' own F1: F1ₗ = 2 |both gave l| / (|first gave l| + |second gave l|).

    Over the labels that at least one of the two gave; rare labels weigh as much as common ones.
    """
    table, labels = incidence(_sets(rated))
    first, second = table[rated.pairs.first], table[rated.pairs.second]
    entries: list[Entry] = [(0, 1.0)]
    for at in range(len(labels)):
        entries += [(2 * at + 1, 2 * first[:, at] * second[:, at]), (2 * at + 2, first[:, at] + second[:, at])]

    def finish(sums: Array) -> Array:
        own = ratio(sums[:, :, 1::2], sums[:, :, 2::2])
        given = np.isfinite(own)
        return ratio(np.where(given, own, 0).sum(axis=2), given.sum(axis=2).astype(float))

    width = 1 + 2 * len(labels)
    return pair_plan("macro_f1", rated, width, entries, finish, each=each, scale="logit", reason=_no_label)


@statistic("labels", "label", "score")
def accuracy(rated: Ratings, *, each: bool = False) -> Plan:
    """Share of items where two judges gave exactly the same answer: the same label, or the same whole set.

    Named for a judge compared with a reference; it is percent agreement between the two.
    """
    same = (rated.pairs.first == rated.pairs.second).astype(float)
    entries: list[Entry] = [(0, 1.0), (1, same)]

    def finish(sums: Array) -> Array:
        return ratio(sums[:, :, 1], sums[:, :, 0])

    return pair_plan("accuracy", rated, 2, entries, finish, each=each, scale="logit")


def _no_label(_first: Codes, _second: Codes) -> str:
    return "neither judge gave any label."
