"""Who answers unlike the others, and on which labels: pairs of judges, label shares, odd ones out, swaps, mergers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import polars as pl
from scipy import sparse
from scipy.stats import binomtest

from lanner.analysis.agreement import is_fine, kinds, pairs, question_ratings
from lanner.analysis.measures import FEWEST_ITEMS, Measure, Part, QuestionPlan, plan_question
from lanner.analysis.rows import CountedRows, Selection, signed
from lanner.errors import StatisticError
from lanner.model import Grid, Number, Protocol, Question, Scale
from lanner.model.alarms import SWAP_LEVEL
from lanner.monitor.snapshot import Cell, Divergence, Leaning, OddOnes, Spread, Swap
from lanner.stats.diagnosis import severity
from lanner.stats.frame import distinct
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Resampling

_MOST_INTERVALS = 12
_MOST_MERGES = 6
_MOST_COMPARED = 40
"""Judges compared each with each: pairs grow with the square, and nobody reads half a million of them."""


def divergence(
    rows: CountedRows,
    question: Question,
    people: Sequence[str],
    models: Sequence[str],
    protocol: Protocol | None = None,
) -> Divergence | None:
    """The panels' numbers; None where nobody has answered this question yet. `rows` are the answers that count."""
    entry = plan_question(question, protocol)
    if entry is None:
        return None
    try:
        ratings = question_ratings(rows.table, question)
    except StatisticError:
        return None
    there = set(ratings.judges)
    present = [name for name in (*people, *models) if name in there]
    if not present:
        return None
    ratings = ratings.only(present)
    persons = [name for name in people if name in there]
    own = ratings.only(persons) if persons else ratings
    everyone = ratings if len(present) > 1 else own
    several = len(persons) > 1
    busiest = _busiest(ratings)
    cells = _pairs(replace(rows, table=rows.table.filter(pl.col("judge").is_in(busiest.judges))), entry, busiest)
    divergence = partial(
        Divergence,
        question=question.id,
        people=tuple(persons),
        coefficient=_sign(entry.pairs),
        pairs=cells,
        not_compared=max(0, len(present) - _MOST_COMPARED),
    )
    if is_fine(question):
        units, bounds, spreads = spreading(everyone, question)
        leanings = leaning(own, replace(rows.selection, groups=("people",))) if several else ()
        return divergence(shared=units, bounds=bounds, spreads=spreads, leanings=leanings)
    units, shares = _shares(everyone, question)
    now, merges = _merges(own) if several and not own.sets else (None, ())
    return divergence(
        shared=units,
        labels=_names(ratings, question),
        shares=shares,
        odd=_odd_ones(own) if several else None,
        now=now,
        merges=merges,
        swaps=_swaps(own) if several and not own.sets else (),
        pooled=isinstance(question, Grid),
    )


def _sign(measure: Measure) -> str:
    """What the coefficient is called: a grid's is the mean over its rows, as everywhere."""
    return f"{measure.sign}, mean of rows" if measure.part is Part.MEAN_OF_ROWS else measure.sign


def _busiest(ratings: Ratings) -> Ratings:
    """Those with the most answers, where there are too many judges to compare each with each."""
    if len(ratings.judges) <= _MOST_COMPARED:
        return ratings
    answers = np.bincount(ratings.judge, minlength=len(ratings.judges))
    busiest = np.sort(np.argsort(-answers, kind="stable")[:_MOST_COMPARED])
    return ratings.only([ratings.judges[at] for at in busiest])


def _pairs(rows: CountedRows, entry: QuestionPlan, ratings: Ratings) -> dict[tuple[str, str], Cell]:
    """The coefficient of each two judges who share enough, as the report prints it, with the share of equal answers.
    Where judges are many, a pair's interval is left out: nobody reads hundreds of them."""
    how = Resampling() if len(ratings.judges) <= _MOST_INTERVALS else Resampling(method="none")
    cells: dict[tuple[str, str], Cell] = {}
    codes = ratings.matrix()
    place = {name: at for at, name in enumerate(ratings.judges)}
    for result in pairs(rows, entry.pairs, entry, resampling=how):
        one, other = result.labels["judge"], result.labels["other"]
        n = result.counts.get("items", 0)
        mine, theirs = codes[:, place[one]], codes[:, place[other]]
        both = (mine >= 0) & (theirs >= 0)
        same = float((mine[both] == theirs[both]).mean()) if both.any() else None
        enough = n >= FEWEST_ITEMS
        cells[one, other] = Cell(
            result.value if enough else None, n, result.low if enough else None, result.high if enough else None, same
        )
    return cells


def _names(ratings: Ratings, question: Question) -> tuple[str, ...]:
    return kinds(question) or ratings.labels


def _shares(ratings: Ratings, question: Question) -> tuple[int, dict[str, tuple[float, ...]]]:
    """How often each judge gave each label, on the units that all of them have answered."""
    everyone = np.flatnonzero(ratings.per_item == len(ratings.judges))
    if len(everyone) == 0:
        return 0, {}
    codes = ratings.code[np.isin(ratings.item, everyone)].reshape(len(everyone), -1)  # in order of item and judge
    shares: dict[str, tuple[float, ...]] = {}
    for at, judge in enumerate(ratings.judges):
        if ratings.sets:
            names = _names(ratings, question)
            label_counts = Counter(label for code in codes[:, at] for label in ratings.sets[code])
            total = sum(label_counts.values()) or 1
            shares[judge] = tuple(label_counts[name] / total for name in names)
        else:
            counts = np.bincount(codes[:, at], minlength=len(ratings.labels))
            shares[judge] = tuple(float(count) / len(everyone) for count in counts)
    return len(everyone), shares


def _odd_ones(ratings: Ratings) -> OddOnes | None:
    """Over the units with three answers or more; with two judges in all, over those both have answered."""
    every, who, items = ratings.slots
    enough = ratings.per_item[items] >= min(3, len(ratings.judges))
    codes, judges = every[enough], who[enough]
    if len(codes) == 0:
        return None
    given = codes >= 0
    n = given.sum(axis=1)
    row, slot = np.nonzero(given)
    _, place = distinct(row * len(ratings.labels) + codes[row, slot])
    alike = np.zeros(codes.shape, np.int32)  # how many others gave the same answer
    alike[row, slot] = np.bincount(place)[place] - 1
    all_agree = (np.where(given, alike, n[:, None] - 1) == n[:, None] - 1).all(axis=1)
    none_alike = ~all_agree & (np.where(given, alike, 0) == 0).all(axis=1)
    lone = given & (alike == 0)
    rest_agree = (np.where(given & ~lone, alike, n[:, None] - 2) == n[:, None] - 2).all(axis=1)
    alone = ~all_agree & ~none_alike & (lone.sum(axis=1) == 1) & rest_agree
    place = lone[alone].argmax(axis=1)
    row = np.arange(int(alone.sum()))
    own = codes[alone][row, place]
    theirs = codes[alone][row, np.where(place == 0, 1, 0)]
    names = judges[alone][row, place]
    by_count = [(ratings.judges[judge], times) for judge, times in Counter(names.tolist()).most_common()]
    first = names == ratings.judges.index(by_count[0][0]) if by_count else names == -1
    on_what = Counter(zip(own[first].tolist(), theirs[first].tolist(), strict=True)).most_common(3)
    return OddOnes(
        units=len(codes),
        all_agree=int(all_agree.sum()),
        alone=tuple(by_count),
        none_alike=int(none_alike.sum()),
        divided=int((~all_agree & ~none_alike & ~alone).sum()),
        on_what=tuple((ratings.labels[mine], ratings.labels[other], times) for (mine, other), times in on_what),
    )


def _merges(ratings: Ratings) -> tuple[float | None, tuple[tuple[str, str, float], ...]]:
    """α (nominal) now, and how it changes when two labels count as one: largest gain first.

    Merging two labels turns their disagreements into agreements and adds up their counts, so every merger follows from
    how often each two labels meet; the answers are gone through once.
    """
    patterns, size = ratings.patterns, len(ratings.labels)
    counts = patterns.label_counts(size)
    several = patterns.size >= 2
    weight = patterns.count[several] / (patterns.size[several] - 1)
    counts = counts[several]
    together = (counts * weight[:, None]).T @ counts
    total = patterns.count[several] @ counts
    now = _nominal(together, total)
    answers = np.flatnonzero(total)
    if now is None or not 3 <= len(answers) <= 12:
        return now, ()
    changes = []
    for one, other in combinations(answers, 2):
        keep = np.delete(np.arange(size), other)
        merger = np.eye(size)
        merger[other, one] = 1
        after = _nominal((merger.T @ together @ merger)[np.ix_(keep, keep)], (total @ merger)[keep])
        if after is not None:
            changes.append((ratings.labels[one], ratings.labels[other], after - now))
    changes.sort(key=lambda change: -change[2])
    return now, tuple(changes[:_MOST_MERGES])


def _nominal(together: np.ndarray, total: np.ndarray) -> float | None:
    """Nominal α from how often labels meet in an item, each with each, and how often each is given."""
    n = total.sum()
    expected_pairs = n**2 - (total**2).sum()
    if n < 2 or expected_pairs <= 0:
        return None
    return float(1 - (together.sum() - np.trace(together)) * (n - 1) / expected_pairs)


def _swaps(ratings: Ratings) -> tuple[Swap, ...]:
    """Judges for whom two labels are crossed more often than straight, beyond chance (sign test, p < .01)."""
    size, answers = len(ratings.labels), len(ratings.item)
    incidence = sparse.csr_array((np.ones(answers), (ratings.item, ratings.code)), shape=(ratings.n_items, size))
    own = ratings.judge.astype(np.int64) * size + ratings.code
    whose = sparse.csr_array(
        (np.ones(answers), (own, ratings.item)), shape=(len(ratings.judges) * size, ratings.n_items)
    )
    together = (
        whose @ incidence
    ).toarray()  # judge and own label, by labels given to the same unit: their own once each
    together[np.arange(len(together)), np.arange(len(together)) % size] -= np.bincount(own, minlength=len(together))
    swaps = []
    for judge, table in zip(ratings.judges, together.reshape(-1, size, size), strict=True):
        for one, two in combinations(range(size), 2):
            # Both labels must be crossed: a judge who merely avoids one of them does not swap.
            crossings, straight = min(table[one, two], table[two, one]) * 2, table[one, one] + table[two, two]
            if crossings >= 6 and crossings > straight:
                p = binomtest(int(crossings), int(crossings + straight), alternative="greater").pvalue
                if p < SWAP_LEVEL:
                    total = int(table[one, two] + table[two, one])
                    swaps.append(Swap(judge, (ratings.labels[one], ratings.labels[two]), total, int(straight)))
    return tuple(sorted(swaps, key=lambda swap: -swap.crossed))


BANDS = 20
_QUICK = Resampling(n=400, seed=1)


def spreading(ratings: Ratings, question: Question) -> tuple[int, tuple[float, float] | None, dict[str, Spread]]:
    """On the items that all have judged: how many, the ends of the scale, and each judge's spread."""
    everyone = np.flatnonzero(ratings.per_item == len(ratings.judges))
    if len(everyone) == 0:
        return 0, None, {}
    codes = ratings.code[np.isin(ratings.item, everyone)].reshape(len(everyone), -1)  # in order of item and judge
    values = ratings.points[codes]
    low, high = _ends(question, values)
    spreads = {}
    for at, judge in enumerate(ratings.judges):
        own = values[:, at]
        counts, _ = np.histogram(own, bins=BANDS, range=(low, high))
        quarter, middle, three_quarters = (float(x) for x in np.quantile(own, (0.25, 0.5, 0.75)))
        spreads[judge] = Spread(middle, quarter, three_quarters, tuple(float(n) / len(own) for n in counts))
    return len(everyone), (low, high), spreads


def _ends(question: Question, values: np.ndarray) -> tuple[float, float]:
    ends = (float(values.min()), float(values.max()))
    if isinstance(question, Scale):
        return float(question.min), float(question.max)
    low = question.min if isinstance(question, Number) and question.min is not None else ends[0]
    high = question.max if isinstance(question, Number) and question.max is not None else ends[1]
    return float(low), float(max(high, low + 1))


def leaning(ratings: Ratings, selection: Selection) -> tuple[Leaning, ...]:
    """Every judge against the mean of the others on the same items, the furthest first."""
    leanings = [
        Leaning(
            judge=result.labels["judge"],
            value=result.value,
            low=result.low,
            high=result.high,
            items=result.counts.get("items", 0),
            signature=str(signed(result.signature, selection)) if result.signature else "",
        )
        for result in severity(ratings, resampling=_QUICK)
        if result.value is not None
    ]
    return tuple(sorted(leanings, key=lambda entry: -abs(entry.value)))
