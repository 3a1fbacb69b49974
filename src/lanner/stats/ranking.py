"""Which systems are better: scores with document intervals, differences with intervals and tests, ranks and clusters.

Three tests of every pair of systems, all two-sided:

- `permutation`: under the null the two systems' names can be swapped in any document. The difference of their scores
  over shared segments is compared with its values under swaps of whole documents, so that segments of one text are not
  taken for independent. All swaps are enumerated where that is less work; otherwise p = (1 + b) / (1 + k). The interval
  of the difference holds every value that this test does not reject, so the two always agree.
- `signed-rank`: Wilcoxon's test over the differences on shared segments (Wilcoxon 1945), as WMT from 2024.
- `rank-sum`: Mann and Whitney's test over all segments of both, as WMT up to 2023.

The last two take segments as independent. They may be made in each domain and combined: `stouffer` combines two-sided
p-values (as WMT24), which does not see whether domains point the same way; `signed-stouffer` combines z with its sign.

Many pairs are tested. `holm` (1979) and `shaffer` (1986) keep the chance of any false win below the level; the second
is a closed test that uses that among k systems not every number of differences can be absent: it finds a little more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from lanner.errors import StatisticError, check_known
from lanner.model import Json, Result, Signature
from lanner.model.messages import in_number
from lanner.stats.frame import positions, shared_ranks, texts
from lanner.stats.resample import (
    OTHER_JUDGES,
    THESE_JUDGES,
    Array,
    CrossedSteps,
    Outcome,
    Replicates,
    Resampling,
    generator,
    holm,
    outcome,
    sign,
    signed_rank_tails,
    signed_ranks,
    step_down,
    undefined,
)
from lanner.stats.scores import (
    AdjustedScores,
    Average,
    Averaging,
    Direction,
    Items,
    ScoreLayout,
    ScoreTable,
    Words,
    check_average,
    items,
    score_table,
    stratum_means,
)

Test = Literal["permutation", "signed-rank", "rank-sum"]
Combine = Literal["pooled", "stouffer", "signed-stouffer"]
Correction = Literal["holm", "shaffer", "none"]
Adjust = Literal["auto", "none"]
DIRECTIONS = ("higher_is_better", "lower_is_better")
_HELD = 2_000_000  # signs held at once
_PAIRS = 250  # pairs of systems tested at once
_STREAM = 7  # apart from the resamples of intervals
_EQUAL = 1e-9  # sums within this share of their size are ties: they differ by rounding only
_EXACT_RANKS = 13  # scipy goes through all signs of so few values with ties, a thousand times slower
_DOCUMENTS_FOR_AN_INTERVAL = 6  # with fewer no choice of signs is rare enough


@dataclass(frozen=True, slots=True)
class Duel:
    """Two systems: the tested difference (system − other) with its interval, p before and after the correction for many
    pairs, and what it rests on. `direction` is 1 where the test has `system` higher, −1 where lower. With a margin,
    `p_not_worse` is about `other` being worse than `system` by the margin or more, `p_equivalent` about either."""

    system: str = ""
    other: str = ""
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    n: int = 0
    documents: int = 0
    won: int = 0
    lost: int = 0
    direction: int = 0
    p_not_worse: float | None = None
    p_equivalent: float | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """Systems from best to worst with everything known about their order."""

    items: Items
    systems: tuple[str, ...]
    scores: Array
    replicates: Replicates
    duels: tuple[Duel, ...]
    beats: Array
    clusters: tuple[int, ...]
    result: Result


def systems(data: Any, of: str, **options: Any) -> Result:
    """The score of each system, best first, and how sure the order is.

    A system's score is an average of its segments' scores, see `lanner.stats.scores` for `average` and for how judges
    become one score. Where systems were judged on different segments, their scores are adjusted for how hard the
    segments are (additive effects, least squares), so that a system is not ahead because it was given easier texts;
    `micro` stays the plain mean, and `adjust="none"` ranks by plain averages as shared tasks did. Where systems share
    too little for that, a note says so. Options: those of `items`, and of `rank`.

    Rows: system, score with low and high (over documents), n, documents, rank, rank_low and rank_high, cluster, wins,
    losses, `ranks` (the share of resamples in which the system has rank 1, 2, …), and micro. A system beats another if
    their test gives p < alpha and the tested difference is in its favour. With n systems the rank range is from
    losses + 1 to n − wins; a cluster ends where every system above beats every system below (Koehn 2012).

    All this holds for other documents judged by these judges. With `other_judges` it holds for other judges, too:
    intervals and tests are then those of `lanner.stats.resample`, and wider.
    """
    return rank(data, of, **options).result


def head_to_head(data: Any, of: str, **options: Any) -> Result:
    """Every pair of systems: rows system, other, difference (system − other on shared segments) with low and high, p,
    p_holm (after the correction asked for), n, documents, and on how many segments each was better. With a `margin`:
    p_not_worse (`other` is not worse than `system` by the margin or more) and p_equivalent (neither is; two one-sided
    tests, Schuirmann 1987), both after the same correction. Options as for `systems`."""
    ranking = rank(data, of, **options)
    rows: list[dict[str, Json]] = []
    titles = {"p_adjusted": "p_holm", "won": "higher", "lost": "lower"}
    unsaid = {"direction"} if options.get("margin") is not None else {"direction", "p_not_worse", "p_equivalent"}
    for duel in ranking.duels:
        rows.append({titles.get(name, name): value for name, value in asdict(duel).items() if name not in unsaid})
    notes = ranking.result.notes
    if not rows and ranking.result.value is not None:
        notes = ("Undefined: there are no two systems to compare.", *notes)
    signature = _signature_of_pairs(ranking.result.signature, rows, **options)
    result = replace(ranking.result, name=f"{of} head to head", rows=rows, value=None, interval=None, notes=notes)
    return replace(result, signature=signature)


def _signature_of_pairs(
    signature: Signature | None,
    rows: Sequence[Mapping[str, Json]],
    *,
    resampling: Resampling | None = None,
    swaps: int = 10_000,
    **_: Any,
) -> Signature | None:
    """The signature of a ranking, with the interval that differences have: where systems are swapped, all values that
    the test does not reject, and none where it gives none."""
    if signature is None or dict(signature.parts).get("test") == "crossed t":
        return signature
    how = resampling or Resampling()
    parts = [part for part in signature.parts if part[0] not in ("interval", "resamples", "seed")]
    if any(row["low"] is not None for row in rows):
        parts.append(("interval", f"values not rejected by the test {how.level:.0%} by document"))
        if any(row["documents"] > np.log2(swaps) for row in rows):
            parts.append(("swaps", f"{swaps:,} drawn, seed {how.seed}"))
    return replace(signature, parts=tuple(parts))


def rank(
    data: Any,
    of: str,
    *,
    average: Average = "micro",
    direction: Direction = "higher_is_better",
    test: Test = "permutation",
    combine: Combine = "pooled",
    correction: Correction = "holm",
    adjust: Adjust = "auto",
    alpha: float = 0.05,
    margin: float | None = None,
    only: Sequence[str] = (),
    per_words: float = 0,
    pass_at_most: float | None = None,
    words: Words | None = None,
    swaps: int = 10_000,
    other_judges: bool = False,
    resampling: Resampling | None = None,
    **selection: Any,
) -> Ranking:
    """The ranking itself; `systems` and `head_to_head` are its tables. `per_words` makes the score a rate over the
    `words` of each (document, segment), with `pass_at_most` as the threshold of a scorecard."""
    check_known(direction, DIRECTIONS, f"There is no direction {direction!r}.", StatisticError)
    resampling = resampling or Resampling()
    item_scores = data if isinstance(data, Items) else items(data, of, **selection)
    item_scores = _finite(item_scores.only(only) if only else item_scores)
    if not len(item_scores.table):
        return _ranking_of_none(item_scores, of)
    if other_judges:
        resampling = replace(resampling, unit="two-way")
    other_judges = resampling.unit == "two-way"
    _check_unit(resampling, test, item_scores)
    method = _Method.of(item_scores, average, adjust if not per_words else "none", words, per_words)
    better = -1.0 if direction == "lower_is_better" else 1.0
    averaging = method.averaging(item_scores)
    values, unsorted = averaging.values(), averaging.systems
    order = sorted(range(len(unsorted)), key=lambda at: (-better * values[at], unsorted[at]))
    names = tuple(unsorted[at] for at in order)
    table = score_table(item_scores, names, method.layout)
    documents = _document_counts(item_scores)
    if other_judges:
        steps, pairs = _with_other_judges(method, item_scores, averaging, table, names)
        replicates = Replicates(steps.value, steps.draws(resampling.n, resampling.seed), np.empty((0, len(names))), 0)
        outcomes = [steps.outcome(at, resampling) for at in order]
        tests = [_crossed_test(pairs, column, resampling, margin, better) for column in range(len(pairs.value))]
        fought = _duels(table, names, tests, correction)
    else:
        replicates = averaging.replicate(replace(resampling, method=_drawing(resampling)))
        outcomes = [
            outcome(replicates, resampling, column=at, units=documents[name])
            for at, name in zip(order, names, strict=True)
        ]
        fought = duels(
            table,
            names,
            test=test,
            combine=combine,
            average=average,
            correction=correction,
            margin=margin,
            better=better,
            swaps=swaps,
            seed=resampling.seed,
            level=resampling.level,
        )
    replicates = replace(
        replicates,
        value=replicates.value[order],
        draws=replicates.draws[:, order],
        jackknife=replicates.jackknife[:, order],
    )
    beats = _beats(fought, names, better, alpha)
    clusters = _clusters(beats)
    rows = _rows(item_scores, names, replicates, outcomes=outcomes, beats=beats, clusters=clusters, better=better)
    plain = dict(zip(names, Averaging.of(item_scores, names, "micro").values(), strict=True))
    for row in rows:
        row["micro"] = float(plain[row["system"]])
        row["documents"] = documents[row["system"]]
        if pass_at_most is not None:
            row["passed"] = bool(row["score"] <= pass_at_most if better < 0 else row["score"] >= pass_at_most)
    notes = [*item_scores.notes, *method.notes, *_contradictions(fought, names, better, alpha)]
    notes += _uneven_judges(item_scores)
    if test == "permutation" and not other_judges:
        notes += _constant(fought)
    how = {
        "average": average + (", adjusted for documents" if method.adjusted else ""),
        "judges": item_scores.standardised or "mean",
        "better": direction.split("_", maxsplit=1)[0],
        "test": "crossed t" if other_judges else test + (f" {combine} by domain" if combine != "pooled" else ""),
        "correction": correction,
        "margin": "" if margin is None else f"{margin:.12g}",
        "per_words": f"{per_words:.12g}" if per_words else "",
        "holds_for": OTHER_JUDGES if other_judges else THESE_JUDGES,
    }
    result = _result(item_scores, table, rows=rows, outcomes=outcomes, resampling=resampling, how=how, notes=notes)
    return Ranking(item_scores, names, replicates.value, replicates, tuple(fought), beats, clusters, result)


def _ranking_of_none(item_scores: Items, of: str) -> Ranking:
    """The ranking where nothing was scored."""
    empty = undefined(f"mean {of}", "no system has a score.")
    empty = replace(empty, notes=(*empty.notes, *item_scores.notes))
    blank = Replicates(*(np.empty((0, 0)),) * 3, 0)
    return Ranking(item_scores, (), np.empty(0), blank, (), np.empty((0, 0)), (), empty)


def _check_unit(resampling: Resampling, test: Test, item_scores: Items) -> None:
    """Refuse units for which there is no test."""
    if resampling.unit == "two-way" and (test != "permutation" or item_scores.answers is None):
        raise StatisticError(
            "Generalising to other judges takes scores that name their judges, and no rank test.",
            next_step="Leave out --set test (test=… in Python), or --other-judges.",
        )
    if resampling.unit == "judge":
        raise StatisticError(
            "Systems are not ranked over judges alone.", next_step="Take two-way for documents and judges together."
        )


_UNEVEN = 0.2


def _uneven_judges(item_scores: Items) -> list[str]:
    """That systems were judged by others, where the shares of the judges in the answers about two systems differ by so
    much: a strict judge lowers those whom they judged."""
    if item_scores.answers is None:
        return []
    counts = item_scores.answers.group_by("system", "judge").len().sort("system", "judge")
    judges = sorted(set(counts["judge"]))
    shares: dict[str, Array] = {}
    for system, judge, count in counts.iter_rows():
        shares.setdefault(system, np.zeros(len(judges)))[judges.index(judge)] = count
    pairs = [
        (float(np.abs(shares[a] / shares[a].sum() - shares[b] / shares[b].sum()).sum() / 2), a, b)
        for a, b in combinations(shares, 2)
    ]
    furthest = max(pairs, default=(0.0, "", ""), key=lambda pair: pair[0])
    if furthest[0] <= _UNEVEN:
        return []
    _, one, other = furthest
    return [
        f"Systems were not judged by the same judges: those of {one} and {other} overlap by {1 - furthest[0]:.0%}. "
        "Strict judges lower the systems that they judged, which no test here knows. Where judges have systems in "
        "common, lanner facets takes their severity out."
    ]


def _finite(item_scores: Items) -> Items:
    odd = ~item_scores.table["score"].is_finite()
    if not odd.any():
        return item_scores
    note = in_number(
        int(odd.sum()),
        "{n} segment whose score is not a finite number is left out.",
        "{n} segments whose score is not a finite number are left out.",
    )
    return replace(item_scores, table=item_scores.table.filter(~odd), notes=(*item_scores.notes, note))


def _document_counts(item_scores: Items) -> Mapping[str, int]:
    """In how many documents each system was judged."""
    present = item_scores.table.select("system", "domain", "document").unique().group_by("system").len()
    return dict(present.iter_rows())


@dataclass(frozen=True, slots=True)
class _Method:
    """How scores become system scores: plain averages, or adjusted ones where systems were judged on other segments."""

    systems: tuple[str, ...]
    average: Average
    layout: ScoreLayout
    adjusted: bool = False
    words: Words | None = None
    per_words: float = 0
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, item_scores: Items, average: Average, adjust: Adjust, words: Words | None, per_words: float) -> _Method:
        names = tuple(item_scores.systems)
        plain = cls(names, average, ScoreLayout.of(item_scores, names), False, words, per_words)
        table = score_table(item_scores, names, plain.layout)
        if not np.isnan(table.scores).any():
            return plain
        if adjust == "none":
            return replace(plain, notes=(UNEQUAL,))
        if not AdjustedScores.of(table, names, average).connected:
            return replace(plain, notes=(APART,))
        return replace(plain, adjusted=True, notes=(ADJUSTED,))

    def averaging(self, item_scores: Items) -> Averaging | AdjustedScores:
        """The averages of these scores, with documents numbered as in all of them."""
        if self.adjusted:
            return AdjustedScores.of(score_table(item_scores, self.systems, self.layout), self.systems, self.average)
        return Averaging.of(
            item_scores, self.systems, self.average, words=self.words, per_words=self.per_words, layout=self.layout
        )


def _with_other_judges(
    method: _Method, item_scores: Items, averaging: Averaging | AdjustedScores, table: ScoreTable, names: Sequence[str]
) -> tuple[CrossedSteps, CrossedSteps]:
    """How system scores, and differences between systems on shared segments, move without documents and judges."""
    pairs = list(combinations(range(len(names)), 2))
    strata = table.strata(method.average)[1]
    without: list[Array] = []
    pairs_without: list[Array] = []
    for rest in item_scores.without_each_judge():
        without.append(method.averaging(rest).sums())
        pairs_without.append(_pair_sums(score_table(rest, names, method.layout), pairs, method.average))
    of_documents, of_judges = _who_has(item_scores, table.layout, averaging.systems)
    scores = CrossedSteps.of(averaging.sums(), without, averaging.finish, of_documents, of_judges)
    one, other = (list(side) for side in zip(*pairs, strict=True)) if pairs else ([], [])
    of_both = [has[:, one] & has[:, other] for has in _who_has(item_scores, table.layout, names)]
    sums = _pair_sums(table, pairs, method.average)
    return scores, CrossedSteps.of(sums, pairs_without, lambda totals: stratum_means(totals, strata), *of_both)


def _who_has(
    item_scores: Items, layout: ScoreLayout, systems: Sequence[str]
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which documents, and which judges, have scores of each system (columns)."""
    answers = item_scores.answers
    assert answers is not None
    judges = texts(answers["judge"])
    of_documents = np.zeros((len(layout.documents), len(systems)), bool)
    of_judges = np.zeros((len(judges), len(systems)), bool)
    system = positions(answers["system"], systems)
    of_documents[layout.place_documents(answers), system] = True
    of_judges[positions(answers["judge"], judges), system] = True
    return of_documents, of_judges


def _pair_sums(table: ScoreTable, pairs: Sequence[tuple[int, int]], average: Average) -> Array:
    """documents × (pairs · strata · 2): what a document adds to the difference of two systems on shared segments, and
    the weight it has in it."""
    stratum, strata = table.strata(average)
    documents, width = len(table.layout.documents), len(pairs) * strata
    sums = np.zeros((2, documents, width))
    for at, (a, b) in enumerate(pairs):
        gap = _gaps(table.scores, a, b)
        overlap = ~np.isnan(gap)
        document, weight = table.document[overlap], table.weight[overlap]
        if average.startswith("document"):
            weight = weight / np.bincount(document, weights=weight, minlength=documents)[document]
        place = document * width + at * strata + stratum[overlap]
        for side, values in enumerate((gap[overlap] * weight, weight)):
            sums[side] += np.bincount(place, weights=values, minlength=documents * width).reshape(documents, width)
    return np.concatenate([sums[0], sums[1]], axis=1)


def _crossed_test(
    steps: CrossedSteps, column: int, resampling: Resampling, margin: float | None, better: float
) -> Duel:
    difference = float(steps.value[column])
    if np.isnan(difference):
        return Duel()
    estimate = steps.outcome(column, resampling, null=0.0)
    low, high = (estimate.interval.low, estimate.interval.high) if estimate.interval else (None, None)
    not_worse = equivalent = None
    if margin is not None and estimate.p is not None:
        below, above = (
            _one_sided(steps, column, resampling, null, side) for null, side in ((margin, -1), (-margin, 1))
        )
        not_worse, equivalent = (below if better > 0 else above), max(below, above)
    return Duel(
        difference=difference,
        low=low,
        high=high,
        p=estimate.p,
        direction=int(np.sign(difference)),
        p_not_worse=not_worse,
        p_equivalent=equivalent,
    )


def _one_sided(steps: CrossedSteps, column: int, resampling: Resampling, null: float, side: int) -> float:
    """p of the claim that the difference is above (side 1) or below (−1) `null`."""
    p = steps.outcome(column, resampling, null=null).p
    assert p is not None  # the same statistic has a p against 0
    return p / 2 if side * (float(steps.value[column]) - null) > 0 else 1 - p / 2


ADJUSTED = (
    "Systems were judged on different segments: scores are adjusted for how hard each segment is, from the systems "
    "that share it. The plain mean is in `micro`."
)
UNEQUAL = (
    "Systems were judged on different segments and their scores are plain averages: a system that was given easier "
    "texts is ahead for that alone. Only the tests on shared segments compare like with like."
)
APART = (
    "Some systems share no document with others, not even through a third: nothing tells whether they or their texts "
    "are better. The order of their scores is not a ranking."
)


def _drawing(resampling: Resampling) -> Any:
    """Probabilities of ranks need draws, also where intervals do without."""
    return "percentile" if resampling.method in ("auto", "t") else resampling.method


def _beats(pairs: Sequence[Duel], names: Sequence[str], better: float, alpha: float) -> Array:
    """beats[a, b] is 1 if the tested difference is in a's favour and significant."""
    place = {name: at for at, name in enumerate(names)}
    beats = np.zeros((len(names), len(names)))
    for duel in pairs:
        if duel.p_adjusted is not None and duel.p_adjusted < alpha and duel.direction:
            a, b = place[duel.system], place[duel.other]
            winner, loser = (a, b) if duel.direction * better > 0 else (b, a)
            beats[winner, loser] = 1
    return beats


def _contradictions(pairs: Sequence[Duel], names: Sequence[str], better: float, alpha: float) -> list[str]:
    """Where a test says the opposite of the order of scores."""
    place = {name: at for at, name in enumerate(names)}
    notes = []
    for duel in pairs:
        upside_down = duel.direction * better * (place[duel.other] - place[duel.system]) < 0
        if upside_down and duel.p_adjusted is not None and duel.p_adjusted < alpha:
            ahead, behind = sorted((duel.system, duel.other), key=place.__getitem__)
            notes.append(f"{ahead} has the better score, but {behind} is better on the segments that both have.")
    return notes


def _clusters(beats: Array) -> tuple[int, ...]:
    clusters, cluster = [], 1
    for at in range(len(beats)):
        if at and beats[:at, at:].all():
            cluster += 1
        clusters.append(cluster)
    return tuple(clusters)


def rank_probabilities(draws: Array, better: float = 1.0) -> Array:
    """systems × ranks: the share of resamples in which each system takes each rank; ties share the places they span
    evenly. `draws` is resamples × systems, `better` −1 where low scores are good."""
    draws = draws[~np.isnan(draws).any(axis=1)] * -better
    n = draws.shape[1]
    shares = np.zeros((n, n))
    if not len(draws):
        return np.full((n, n), np.nan)
    for at in range(n):
        ahead = (draws < draws[:, [at]]).sum(axis=1)
        level = (draws == draws[:, [at]]).sum(axis=1)
        for shift in range(n):
            open_ = shift < level
            np.add.at(shares[at], ahead[open_] + shift, 1 / level[open_])
    return shares / len(draws)


def _rows(
    item_scores: Items,
    names: Sequence[str],
    replicates: Replicates,
    *,
    outcomes: Sequence[Outcome],
    beats: Array,
    clusters: Sequence[int],
    better: float,
) -> list[dict[str, Any]]:
    chances = rank_probabilities(replicates.draws, better) if len(replicates.draws) else None
    sizes: Mapping[str, int] = dict(item_scores.table.group_by("system").len().iter_rows())
    rows: list[dict[str, Any]] = []
    place = shared_ranks([float(value) for value in replicates.value])
    for at, name in enumerate(names):
        wins, losses = int(beats[at].sum()), int(beats[:, at].sum())
        rows.append(
            {
                "system": name,
                "score": float(replicates.value[at]),
                **outcomes[at].ends(),
                "n": sizes[name],
                "rank": place[at],
                "rank_low": losses + 1,
                "rank_high": len(names) - wins,
                "cluster": clusters[at],
                "wins": wins,
                "losses": losses,
                "ranks": None if chances is None else [round(float(share), 4) for share in chances[at]],
            }
        )
    return rows


def _result(
    item_scores: Items,
    table: ScoreTable,
    *,
    rows: list[dict[str, Any]],
    outcomes: Sequence[Outcome],
    resampling: Resampling,
    how: dict[str, str],
    notes: list[str],
) -> Result:
    documents = item_scores.table.select("domain", "document").n_unique()
    counts = {
        "items": len(item_scores.table),
        "systems": len(rows),
        "documents": documents,
        "judges": item_scores.judges,
    }
    sizes = {row["n"] for row in rows}
    if len(sizes) > 1:
        notes.append(f"Systems were scored on {min(sizes):,} to {max(sizes):,} segments; only shared ones are tested.")
    if not table.by_segment:
        notes.append("Systems share documents but hardly any segment ids: they are compared by their document means.")
    notes += dict.fromkeys(note for each in outcomes for note in each.notes)
    least = 2.0 ** (1 - documents)
    if how["test"] == "permutation" and len(rows) > 1 and least > 0.05 / 2:
        notes.append(
            in_number(
                documents,
                "With {n} document no permutation test can give p below {least}.",
                "With {n} documents no permutation test can give p below {least}.",
                least=f"{least:.3g}",
            )
        )
    name, interval = f"mean {item_scores.of}", outcomes[0].interval
    signature = sign(name, resampling, interval, **how)
    return Result(name, rows[0]["score"], interval, counts=counts, rows=rows, notes=tuple(notes), signature=signature)


def duels(
    data: Items | ScoreTable,
    names: Sequence[str],
    *,
    test: Test = "permutation",
    combine: Combine = "pooled",
    average: Average = "micro",
    correction: Correction = "holm",
    margin: float | None = None,
    better: float = 1.0,
    swaps: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
) -> list[Duel]:
    """All pairs of systems, in the order of `names`. `average` is how the permutation test weighs segments."""
    for what, value, choices in (
        ("test", test, get_args(Test)),
        ("combination", combine, get_args(Combine)),
        ("correction", correction, get_args(Correction)),
    ):
        check_known(value, choices, f"There is no {what} {value!r}.", StatisticError)
    if margin is not None and not 0 < margin < float("inf"):
        raise StatisticError(f"A margin is a positive number of points, not {margin:.12g}.")
    if margin is not None and test != "permutation":
        raise StatisticError(
            "A margin is in points of the score, which rank tests do not look at.",
            next_step="Leave out the margin, or take the permutation test.",
        )
    check_average(average)
    table = data if isinstance(data, ScoreTable) else score_table(data, names)
    pairs = list(combinations(range(len(names)), 2))
    if test == "permutation":
        tests = _permutation(
            table, pairs, average=average, swaps=swaps, seed=seed, level=level, margin=margin, better=better
        )
    else:
        tests = [_rank_test(table, a, b, test, combine) for a, b in pairs]
    return _duels(table, names, tests, correction)


def _duels(table: ScoreTable, names: Sequence[str], tests: Sequence[Duel], correction: Correction) -> list[Duel]:
    """The tests of all pairs with what they rest on, p corrected for their number."""
    rows = []
    for (a, b), pair_test in zip(combinations(range(len(names)), 2), tests, strict=True):
        gap = _gaps(table.scores, a, b)
        overlap = ~np.isnan(gap)
        gap = gap[overlap]
        counts = {"n": len(gap), "documents": len(np.unique(table.document[overlap]))}
        counts |= {"won": int((gap > 0).sum()), "lost": int((gap < 0).sum())}
        duel = replace(pair_test, system=names[a], other=names[b], **counts)
        if duel.difference is None and len(gap):
            duel = replace(duel, difference=float(gap.mean()))
        rows.append(duel)
    columns = [
        corrected([getattr(duel, name) for duel in rows], correction, len(names))
        for name in ("p", "p_not_worse", "p_equivalent")
    ]
    return [
        replace(duel, p_adjusted=p, p_not_worse=not_worse, p_equivalent=equivalent)
        for duel, p, not_worse, equivalent in zip(rows, *columns, strict=True)
    ]


def corrected(ps: Sequence[float | None], correction: Correction, systems: int) -> list[float | None]:
    """p-values of all pairs of so many systems, corrected for their number. Undefined ones stay so."""
    if correction == "none":
        return list(ps)
    if correction == "shaffer" and len(ps) == systems * (systems - 1) // 2:
        return step_down(ps, sorted(_possible_nulls(systems)))
    return holm(ps)


@cache
def _possible_nulls(systems: int) -> frozenset[int]:
    """How many of the pairwise hypotheses among so many systems can be true together (Shaffer 1986, JASA 81)."""
    if systems < 2:
        return frozenset({0})
    counts: set[int] = set()
    for group in range(1, systems + 1):
        own = group * (group - 1) // 2
        counts |= {own + rest for rest in _possible_nulls(systems - group)}
    return frozenset(counts)


def _gaps(scores: Array, a: int, b: int) -> Array:
    """By how much each row of one system is higher than the other's; NaN where one is missing, 0 where they differ by
    rounding only: means of the same scores of several judges do, in another order or on another scale."""
    gap, size = scores[:, a] - scores[:, b], np.maximum(np.abs(scores[:, a]), np.abs(scores[:, b]))
    return np.where(np.abs(gap) <= _EQUAL * size, 0.0, gap)


def _levels(values: Array, slack: Array) -> Array:
    """The place of each value among the distinct ones, those not farther apart than `slack` being equal."""
    order = np.argsort(values, kind="stable")
    apart = np.diff(values[order]) > np.maximum(slack[order][1:], slack[order][:-1])
    levels = np.empty(len(values))
    levels[order] = np.cumsum(np.concatenate([[0], apart]))
    return levels


def _rank_test(table: ScoreTable, a: int, b: int, test: Test, combine: Combine) -> Duel:
    if combine == "pooled":
        p, direction = _rank_p(table.scores, a, b, test)
        return Duel(p=p, direction=direction)
    parts = [_rank_p(table.scores[table.domain == d], a, b, test) for d in np.unique(table.domain)]
    parts_with_p = [(p, direction) for p, direction in parts if p is not None]
    if not parts_with_p:
        return Duel()
    ps, directions = np.array(parts_with_p).T
    if combine == "stouffer":  # blind to signs: the mean over domains of the differences tells whose win it is
        gap = _gaps(table.scores, a, b)
        overlap = ~np.isnan(gap)
        count = np.bincount(table.domain[overlap])
        means = np.bincount(table.domain[overlap], weights=gap[overlap])[count > 0] / count[count > 0]
        mean = (
            float(means.sum()) if len(means) else float(np.nanmean(table.scores[:, a]) - np.nanmean(table.scores[:, b]))
        )
        return Duel(p=float(ndtr(-np.sum(-ndtri(ps)) / np.sqrt(len(ps)))), direction=int(np.sign(mean)))
    z = float(np.sum(directions * -ndtri(ps / 2)) / np.sqrt(len(ps)))
    return Duel(p=float(2 * ndtr(-abs(z))), direction=int(np.sign(z)))


def _rank_p(scores: Array, a: int, b: int, test: Test) -> tuple[float | None, int]:
    """p and the direction of one test. Where nothing differs, p is 1; where nothing is shared it is undefined."""
    if test == "rank-sum":
        x, y = (column[~np.isnan(column)] for column in (scores[:, a], scores[:, b]))
        if not len(x) or not len(y):
            return None, 0
        values = np.concatenate([x, y])
        level = _levels(values, _EQUAL * np.abs(values))
        if not level.any():
            return 1.0, 0
        from scipy.stats import mannwhitneyu  # takes a second to load

        rank_sum = mannwhitneyu(level[: len(x)], level[len(x) :], alternative="two-sided")
        return float(rank_sum.pvalue), int(np.sign(rank_sum.statistic - len(x) * len(y) / 2))
    gap = _gaps(scores, a, b)
    present = ~np.isnan(gap)
    if not present.any():
        return None, 0
    if not gap[present].any():
        return 1.0, 0
    size = np.maximum(np.abs(scores[present, a]), np.abs(scores[present, b]))
    signed = np.sign(gap[present]) * (1 + _levels(np.abs(gap[present]), _EQUAL * size))
    ranks = signed_ranks(signed)
    direction = int(np.sign(ranks.sum()))
    if len(signed) <= _EXACT_RANKS:
        return min(1.0, 2 * min(signed_rank_tails(ranks))), direction
    from scipy.stats import wilcoxon  # takes a second to load

    return float(wilcoxon(signed).pvalue), direction  # which chooses the normal approximation where it must


@dataclass(frozen=True, slots=True)
class _Swaps:
    """Swaps of whole documents of one pair: `flipped` is the sum of the documents' parts of the difference under each
    random choice of signs, `weight` that of their weights; together they give the distribution around any difference.

    `exact` says that every choice is there, the data themselves among them.
    """

    difference: float
    flipped: Array
    weight: Array
    exact: bool

    def _share(self, as_extreme: Any) -> float:
        count = int(np.count_nonzero(as_extreme))
        return count / len(as_extreme) if self.exact else (1 + count) / (1 + len(as_extreme))

    def p(self, null: float = 0.0) -> float:
        """Two-sided: how often the difference from `null` is as large as the one seen."""
        gap = abs(self.difference - null)
        slack = _EQUAL * max(gap, float(np.abs(self.flipped).max(initial=0.0)))
        return self._share(np.abs(self.flipped - null * self.weight) >= gap - slack)

    def one_sided(self, null: float, above: bool) -> float:
        """p of the claim that the difference is above (or below) `null`."""
        side = 1.0 if above else -1.0
        gap = side * (self.difference - null)
        slack = _EQUAL * max(abs(gap), float(np.abs(self.flipped).max(initial=0.0)))
        return self._share(side * (self.flipped - null * self.weight) >= gap - slack)

    def interval(self, level: float) -> tuple[float, float] | None:
        """All differences that the two-sided test does not reject; None where so few documents reject nothing, and
        where all have the same difference, which says nothing about others.

        A choice of signs reaches the gap between difference and null while the null lies between two values, one on
        each side of the difference; p falls as nulls move outwards and leave more of these ranges.
        """
        same = 1 - np.abs(self.weight) < 1e-12  # the data themselves, or all swapped: reached whatever the null is
        always = int(np.count_nonzero(same))
        total = len(self.flipped) if self.exact else 1 + len(self.flipped)
        always += 0 if self.exact else 1
        limit = (1 - level) * total  # p > 1 − level takes more than this many
        if always > limit:
            return None
        flips, weight = self.flipped[~same], self.weight[~same]
        first, second = (self.difference - flips) / (1 - weight), (self.difference + flips) / (1 + weight)
        count = int(np.floor(limit - always + 1e-9)) + 1
        lows, highs = np.minimum(first, second), np.maximum(first, second)
        low = float(np.partition(lows, count - 1)[count - 1])
        high = float(-np.partition(-highs, count - 1)[count - 1])
        return (low, high) if high - low > _EQUAL * max(abs(low), abs(high)) else None


def _constant(fought: Sequence[Duel]) -> list[str]:
    """Which differences have no interval although there are documents enough for one."""
    pairs = [
        f"{duel.system} and {duel.other}"
        for duel in fought
        if duel.low is None and duel.p is not None and duel.documents >= _DOCUMENTS_FOR_AN_INTERVAL
    ]
    return [f"No interval: every document has the same difference between {', '.join(pairs)}."] if pairs else []


def _permutation(
    table: ScoreTable,
    pairs: Sequence[tuple[int, int]],
    *,
    average: Average,
    swaps: int,
    seed: int,
    level: float,
    margin: float | None,
    better: float,
) -> list[Duel]:
    tests = []
    for start in range(0, len(pairs), _PAIRS):
        chunk = pairs[start : start + _PAIRS]
        parts, weights = _parts(table, chunk, average)
        for swapped_sums in _swaps(parts, weights, swaps, seed):
            if swapped_sums is None:
                tests.append(Duel())
                continue
            low, high = swapped_sums.interval(level) or (None, None)
            p_not_worse = p_equivalent = None
            if margin is not None:
                below, above = swapped_sums.one_sided(margin, above=False), swapped_sums.one_sided(-margin, above=True)
                p_not_worse, p_equivalent = (below if better > 0 else above), max(below, above)
            size = float(np.abs(swapped_sums.flipped).max(initial=abs(swapped_sums.difference)))
            direction = int(np.sign(swapped_sums.difference)) if abs(swapped_sums.difference) > _EQUAL * size else 0
            tests.append(
                Duel(
                    difference=swapped_sums.difference,
                    low=low,
                    high=high,
                    p=swapped_sums.p(),
                    direction=direction,
                    p_not_worse=p_not_worse,
                    p_equivalent=p_equivalent,
                )
            )
    return tests


def _swaps(parts: Array, weights: Array, swaps: int, seed: int) -> Iterator[_Swaps | None]:
    """For each pair of systems all swaps of its documents where they are fewer than `swaps`, otherwise that many at
    random, the same for all pairs; None where a pair shares nothing."""
    documents = (weights > 0).sum(axis=0)
    many = documents > np.log2(swaps)
    distinct, place = np.unique(weights[:, many], axis=1, return_inverse=True)
    both = np.hstack([parts[:, many], distinct])
    rng, step = generator(seed, _STREAM), max(1, _HELD // max(1, len(parts)))
    blocks = [np.empty((0, both.shape[1]))]
    for start in range(0, swaps if many.any() else 0, step):
        signs = 2.0 * rng.integers(0, 2, (min(step, swaps - start), len(parts))) - 1
        blocks.append(signs @ both)
    sums, n_drawn = np.concatenate(blocks), int(many.sum())
    at = np.cumsum(many) - 1
    for column in range(parts.shape[1]):
        difference, present = float(parts[:, column].sum()), weights[:, column] > 0
        if many[column]:
            own = int(at[column])
            weight = sums[:, n_drawn + int(np.ravel(place)[own])]
            yield _Swaps(difference, sums[:, own], weight, exact=False)
        elif documents[column]:
            yield _Swaps(difference, *_enumerate_flips(parts[present, column], weights[present, column]), exact=True)
        else:
            yield None


def _enumerate_flips(parts: Array, weights: Array) -> tuple[Array, Array]:
    flips, weight = np.zeros(1), np.zeros(1)
    for part, own in zip(parts, weights, strict=True):
        flips = np.concatenate([flips + part, flips - part])
        weight = np.concatenate([weight + own, weight - own])
    return flips, weight


def _parts(table: ScoreTable, pairs: Sequence[tuple[int, int]], average: Average) -> tuple[Array, Array]:
    """documents × pairs: what a document adds to the difference of two systems' averages over shared segments, and the
    weight it has in them; weights of a pair sum to 1."""
    strata = table.strata(average)[1]
    documents = int(table.document.max(initial=-1)) + 1
    sums = _pair_sums(table, pairs, average)[:documents].reshape(documents, 2, len(pairs), strata)
    size = sums[:, 1].sum(axis=0)
    present = size > 0
    share = np.divide(1.0, size * present.sum(axis=1, keepdims=True), out=np.zeros_like(size), where=present)
    parts, weights = ((sums[:, side] * share).sum(axis=2) for side in (0, 1))
    return parts, weights
