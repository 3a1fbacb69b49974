"""Agreement on marked spans: how far judges marked the same stretches of text, by characters or whole spans; and γ.

γ is agreement of marked spans beyond chance, in where they are and in what they are called: γ = 1 − observed disorder /
expected disorder (Mathet, Widlöcher & Métivier 2015, Computational Linguistics 41(3)). The observed disorder is that of
the best alignment of all judges' spans, divided by the mean number of spans a judge gave; the expected one is the mean
of the same over random annotations: each judge's place is taken by a judge drawn at random whose spans are all moved on
by a random distance, starting over at the end of the text.

A unitary alignment takes at most one unit of each judge; its disorder is the mean dissimilarity over all pairs of
judges, where a pair with a gap counts Δ∅ = 1. The best alignment puts every unit into exactly one unitary alignment and
has the least disorder. A unit alone has disorder 1, so matching m units at disorder c gains m − c over leaving them
alone, and the best alignment is the packing with the greatest gain: an assignment for two judges, an integer programme
(HiGHS) for more. Both are exact.

A document is one text: its sentences one after another, in the order of the items. Over several documents the disorders
and the numbers of spans are added up before the ratio is taken, so that documents can be resampled like for any other
coefficient; for one document this is the published definition.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linear_sum_assignment, milp

from lanner.errors import InputError, StatisticError, check_known
from lanner.model.messages import words
from lanner.stats.coefficients import SCALES, share_plan
from lanner.stats.estimate import RowCounts, StatisticPlan, statistic
from lanner.stats.frame import distinct
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Array, Indices, generator

Match = Literal["characters", "touching", "exact"]
MATCHES = ("characters", "touching", "exact")
Place = tuple[Any, ...]
Marks = dict[Place, list["WeighedSpan"]]


class WeighedSpan(NamedTuple):
    """One span: from, to (code points), and what a character of it weighs."""

    start: int
    end: int
    weight: float


@statistic("spans")
def spans(
    answers: Ratings,
    *,
    match: Match = "characters",
    average: Literal["micro", "items"] = "micro",
    severities: Mapping[str, float] | Literal["mqm"] | None = None,
    categories: bool = False,
    each: bool = False,
) -> StatisticPlan:
    """F1 between the spans of two judges; with more judges the mean over pairs.

    F1 = 2·shared/(marked by one + marked by the other). By "characters", shared are the characters that both marked;
    with `severities` (a weight for each, or "mqm") a character weighs as much as the gravest span over it, and shared
    is the smaller of the two weights, so that minor against major is agreement in part. By "touching", a span is shared
    if it overlaps one of the other judge's; by "exact", if start and end are the same. `categories` asks for the same
    category as well. "micro" pools all items; "items" is the mean over items, 1 where neither judge marked anything.
    A mark for missing text has no place of its own and counts as one character; answers with other marks that have none
    are left out. Not corrected for chance.
    After Blain et al. 2023, Findings of the WMT23 Shared Task on Quality Estimation.
    """
    check_known(match, MATCHES, f"Spans do not match by {match!r}.", StatisticError)
    answers = _with_places(answers)
    weights = dict(SCALES["severity"]["mqm"]) if severities == "mqm" else dict(severities or {})
    attributes = ("category",) if categories else ()
    marks = [_read(text, weights, attributes, weighted=severities is not None) for text in answers.labels]
    common, either = _pair_lengths(answers, marks, match)
    pooled = (common, either)
    top, bottom = pooled if average == "micro" else (_shares(*pooled), 1.0)
    empty = int((either == 0).sum())
    note = f"In {empty} of {len(either)} comparisons neither judge marked anything."
    settings = {
        "match": match,
        "average": average,
        "severities": "mqm" if severities == "mqm" else "given" if severities else "",
        "categories": "same" if categories else "",
    }
    plan = share_plan(
        "spans",
        answers,
        top,
        bottom,
        each=each,
        notes=(note,) if empty else (),
        settings=settings,
        reason=lambda _a, _b: "neither judge marked anything.",
    )
    if len(either) and not either.any() and not plan.reasons:
        return replace(plan, reasons=("nobody marked anything that weighs something.",))
    return plan


def mark_shares(answers: Ratings, attributes: tuple[str, ...] = ()) -> Array:
    """Of each pair of answers the share of marked characters that both marked (F1); 1 where neither marked any. Marks
    are shared where the given `attributes` (category, severity) are the same, too."""
    marks = [_read(text, {}, attributes, weighted=False) for text in answers.labels]
    return _shares(*_pair_lengths(answers, marks, "characters"))


def _shares(common: Array, either: Array) -> Array:
    return np.divide(common, either, out=np.ones_like(common), where=either > 0)


def _pair_lengths(answers: Ratings, marks: Sequence[Marks], match: Match) -> tuple[Array, Array]:
    """Of each pair of answers what both marked, counted for each of them, and what they marked altogether."""
    pairs = answers.pairs
    keys = pairs.first.astype(np.int64) * max(1, len(marks)) + pairs.second
    cells, index = distinct(keys)
    lengths = [_shared_length(marks[key // len(marks)], marks[key % len(marks)], match) for key in cells.tolist()]
    common, either = np.array(lengths, dtype=float).reshape(-1, 2).T[:, index]
    return common, either


def placed(text: str) -> Iterator[tuple[Place, int, int, Mapping[str, Any]]]:
    """The spans of one answer with their side and output, start and end; those a judge removed are left out."""
    try:
        marks = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"Spans are not JSON: {text[:60]!r}.", next_step="Expected a list of objects.") from error
    for span in marks:
        if span.get("origin") == "removed":  # offered to the judge, who did not agree
            continue
        place: Place = (span.get("side", "target"), span.get("output", 0))
        start, end = span.get("start"), span.get("end")
        if span.get("missing") or start is None or end is None:
            place, start, end = (*place, "missing"), 0, 1
        yield place, int(start), int(end), span


def _with_places(answers: Ratings) -> Ratings:
    """The answers all of whose errors have a place in the text. Where half of a judge's answers with errors do not,
    none of them count: what is left would make it seem that this judge finds few errors."""
    lacking = np.array([_lacks_a_place(text) for text in answers.labels], dtype=bool)[answers.code]
    if not lacking.any():
        return answers
    marked = np.array([any(True for _ in placed(text)) for text in answers.labels])[answers.code]
    n_lacking, n_marked = (
        np.bincount(answers.judge[rows], minlength=len(answers.judges)) for rows in (lacking, marked)
    )
    too_many = (n_lacking > 0) & (2 * n_lacking >= n_marked)
    keep = ~lacking & ~too_many[answers.judge]
    judges = [judge for judge, out in zip(answers.judges, too_many, strict=True) if out]
    others = f", and so are all others by {words(judges)}, too many of whose errors have none" if judges else ""
    counted = f"{lacking.sum()} of {len(lacking)}"
    note = f"Answers with an error that has no place in the text ({counted}) are left out{others}."
    own = {name: getattr(answers, name)[keep] for name in ("item", "judge", "code")}
    kept = replace(answers, **own, notes=(*answers.notes, note))
    if answers.per_item.max(initial=0) > 1 and kept.per_item.max(initial=0) < 2:
        raise StatisticError(
            f"{note} Nothing is left to compare.",
            next_step="Compare their number and weight: scores such as penalty and error_count.",
        )
    return kept


def _lacks_a_place(text: str) -> bool:
    return any(span.get("start") is None and not span.get("missing") for *_, span in placed(text))


def _read(text: str, weights: Mapping[str, float], attributes: tuple[str, ...], *, weighted: bool) -> Marks:
    marks: Marks = {}
    for place, start, end, span in placed(text):
        weight = 1.0
        if weighted:
            severity = str(span.get("severity", ""))
            check_known(severity, weights, f"No weight for the severity {severity!r}.", StatisticError)
            weight = float(weights[severity])
        where = (*place, *(str(span.get(name, "")) for name in attributes))
        marks.setdefault(where, []).append(WeighedSpan(start, end, weight))
    return marks


def _shared_length(first: Marks, second: Marks, match: Match) -> tuple[float, float]:
    """What both marked, counted once for each of them, and what they marked altogether."""
    if match == "characters":
        both = sum(_characters(first[place], second[place]) for place in first.keys() & second.keys())
        return 2 * both, sum(_characters(m, m) for marks in (first, second) for m in marks.values())
    total = sum(len(m) for marks in (first, second) for m in marks.values())
    hits = 0
    for one, other in ((first, second), (second, first)):
        for place, mine in one.items():
            theirs = other.get(place, [])
            hits += sum(any(_same(mark, their, match) for their in theirs) for mark in mine)
    return float(hits), float(total)


def shared_characters(one: str, other: str) -> tuple[float, float]:
    """Twice the characters that two answers (as JSON) both mark, and those that each marks, added: their ratio is F1,
    of one item or, summed first, of many."""
    first, second = (_read(text, {}, (), weighted=False) for text in (one, other))
    return _shared_length(first, second, "characters")


def _same(mark: WeighedSpan, other: WeighedSpan, match: Match) -> bool:
    if match == "exact":
        return mark[:2] == other[:2]
    return max(mark.start, other.start) < min(mark.end, other.end)


def _characters(first: list[WeighedSpan], second: list[WeighedSpan]) -> float:
    """Σ over characters of the smaller of the two weights, between every two neighbouring ends."""
    ends = sorted({end for mark in (*first, *second) for end in mark[:2]})
    total = 0.0
    for start, end in pairwise(ends):
        a = max((m.weight for m in first if m.start <= start and m.end >= end), default=0.0)
        b = max((m.weight for m in second if m.start <= start and m.end >= end), default=0.0)
        total += min(a, b) * (end - start)
    return total


# γ: agreement beyond chance in where marks are and what they are called


MOST_TOGETHER = 4
"""With more judges than this the unitary alignments are too many to list; judges are then taken two by two."""


@dataclass(frozen=True, slots=True)
class Units:
    """The spans of one judge: start, end and category, one entry each."""

    start: Array
    end: Array
    category: Indices

    @classmethod
    def of(cls, spans: Sequence[tuple[float, float, int]]) -> Units:
        start, end, category = (np.array(column) for column in zip(*spans, strict=True)) if spans else ([], [], [])
        return cls(np.asarray(start, float), np.asarray(end, float), np.asarray(category, np.intp))

    def __len__(self) -> int:
        return len(self.start)

    def turned(self, shift: float, length: float) -> Units:
        """All spans moved on by `shift` on a text of this length; what starts behind its end starts over."""
        start = self.start + shift
        back = np.where(start >= length, length, 0.0)
        return Units(start - back, self.end + shift - back, self.category)


@dataclass(frozen=True, slots=True)
class DissimilarityWeights:
    """What place (`position`) and label (`category`) weigh in a dissimilarity."""

    position: float = 1.0
    category: float = 1.0

    def apart(self, one: Units, other: Units) -> Array:
        """Dissimilarities, units × units: squared share of the ends' distance in the lengths, and 1 for another label.

        position · ((|s₁ − s₂| + |e₁ − e₂|) / (l₁ + l₂))² + category · [c₁ ≠ c₂]
        """
        ends = np.abs(one.start[:, None] - other.start) + np.abs(one.end[:, None] - other.end)
        lengths = (one.end - one.start)[:, None] + (other.end - other.start)
        place = (ends / np.maximum(lengths, 1e-9)) ** 2
        return np.asarray(self.position * place + self.category * (one.category[:, None] != other.category))


def disorder(judges: Sequence[Units], weighing: DissimilarityWeights) -> float:
    """The disorder of the best alignment, summed over its unitary alignments (not yet divided by units per judge)."""
    units = sum(len(one) for one in judges)
    if len(judges) == 2:
        gain = np.maximum(2 - weighing.apart(*judges), 0)
        return units - float(gain[linear_sum_assignment(gain, maximize=True)].sum())
    if len(judges) > MOST_TOGETHER:
        pairs = list(combinations(judges, 2))
        # Every unit is in n − 1 of the pairs: divided by that, a unit alone counts 1 again.
        return sum(disorder(pair, weighing) for pair in pairs) / (len(judges) - 1)
    members, gain = _matches(judges, weighing)
    return units - _pack_matches(members, gain, units)


def _matches(judges: Sequence[Units], weighing: DissimilarityWeights) -> tuple[npt.NDArray[np.int64], Array]:
    """All unitary alignments of two units or more that may be in a best one (members as unit numbers, −1 for a gap),
    and what each gains. Grown judge by judge; what no further unit can make worthwhile is dropped on the way."""
    n = len(judges)
    pairs = n * (n - 1) / 2
    first = np.cumsum([0, *(len(one) for one in judges)])
    apart = {(a, b): weighing.apart(judges[a], judges[b]) for a, b in combinations(range(n), 2)}
    members = np.full((1, n), -1, np.int64)  # places among the judge's own units
    total = np.zeros(1)
    for at in range(n):
        k = len(judges[at])
        longer, costs = np.repeat(members, k, axis=0), np.repeat(total, k)
        longer[:, at] = np.tile(np.arange(k), len(members))
        for before in range(at):
            with_it = longer[:, before] >= 0
            costs[with_it] += apart[before, at][longer[with_it, before], longer[with_it, at]]
        # m units gain m − (spent + pairs − m(m−1)/2)/pairs, which for no m up to n is positive beyond this:
        kept = costs < n * pairs
        members, total = np.concatenate([members, longer[kept]]), np.concatenate([total, costs[kept]])
    m = (members >= 0).sum(axis=1)
    gain = m - (total + pairs - m * (m - 1) / 2) / pairs
    useful = (m >= 2) & (gain > 1e-12)
    numbers = np.where(members >= 0, members + first[:-1], -1)
    return numbers[useful], gain[useful]


def _pack_matches(members: npt.NDArray[np.int64], gain: Array, units: int) -> float:
    """The greatest gain of matches that share no unit."""
    if not len(gain):
        return 0.0
    match, slot = np.nonzero(members >= 0)
    shape = (units, len(gain))
    uses = sparse.coo_array((np.ones(len(match)), (members[match, slot], match)), shape=shape).tocsr()
    solution = milp(
        -gain,
        integrality=np.ones(len(gain)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(uses, -np.inf, 1),
        options={"mip_rel_gap": 0.0},
    )
    return float(gain @ np.round(solution.x))


By = Literal["category", "severity", "none"]
BY = ("category", "severity", "none")
Lengths = Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class Continuum:
    """What the same judges marked in one document, laid end to end."""

    document: int
    judges: tuple[Units, ...]
    length: float

    @property
    def per_judge(self) -> float:
        return sum(len(one) for one in self.judges) / len(self.judges)


@statistic("spans")
def gamma(
    answers: Ratings,
    *,
    by: By = "category",
    position: float = 1.0,
    category: float = 1.0,
    samples: int = 30,
    seed: int = 0,
    lengths: Lengths | None = None,
) -> StatisticPlan:
    """γ of marked spans: 1 where all judges mark and name the same, 0 where they agree as random marks would.

    `by` says what a span's name is; `position` and `category` weigh the two kinds of dissimilarity (see `disorder`).
    `samples` random annotations per document give the expected disorder, from `seed`. `lengths` gives the characters of
    each (document, segment); without it a sentence is as long as its last mark reaches, which makes chance agreement
    look likelier and γ smaller. Up to four judges are aligned together, as published; more are taken two by two.
    """
    check_known(by, BY, f"Spans have no {by!r}.", StatisticError)
    answers = _with_places(answers)
    weighing = DissimilarityWeights(position, category)
    texts = continua(answers, by, lengths)
    sums = np.zeros((len(answers.documents), 4))
    chance_variance = 0.0
    for number, text in enumerate(texts):
        if not text.per_judge:
            continue
        rng = generator(seed, number + 1)
        samples_drawn = [shuffled(text, rng) for _ in range(samples)]
        by_chance = np.array([disorder(judges, weighing) for judges in samples_drawn])
        chance_variance += float(by_chance.var(ddof=1)) / samples if samples > 1 else 0.0
        sums[text.document] += (
            disorder(text.judges, weighing),
            text.per_judge,
            float(by_chance.mean()),
            float(np.mean([sum(map(len, judges)) / len(judges) for judges in samples_drawn])),
        )
    # Contributions belong to documents: each is put on the first of its items.
    documents, first = np.unique(answers.document, return_index=True)
    shared = answers.per_item >= 2
    counts = {
        "items": int(shared.sum()),
        "judges": answers.active_judges,
        "documents": int((sums[:, 1] > 0).sum()),
        "spans": round(sum(text.per_judge * len(text.judges) for text in texts)),
    }
    settings = {"by": by, "position": f"{position:.12g}", "category": f"{category:.12g}", "samples": str(samples)}
    return StatisticPlan(
        "gamma",
        answers,
        RowCounts.of_items(answers, first.astype(np.int32)),
        _finish,
        sums[documents],
        counts=(counts,),
        reasons=("nobody marked anything." if shared.any() else "",),
        notes=(*_notes(texts, lengths), *_chance_error(sums, chance_variance, samples)),
        settings={**settings, "chance_seed": str(seed)},
    )


def _chance_error(sums: Array, variance: float, samples: int) -> tuple[str, ...]:
    """How far γ is uncertain because chance is simulated: (1 − γ) times the relative error of what is expected."""
    value, expected_disorder = float(_finish(sums.sum(axis=0)[None, :])[0, 0]), float(sums[:, 2].sum())
    if np.isnan(value) or not expected_disorder:
        return ()
    error = abs(1 - value) * float(np.sqrt(variance)) / expected_disorder
    return (f"Chance is simulated with {samples} random annotations, which leaves an error of ±{error:.3f} in γ.",)


def _finish(sums: Array) -> Array:
    observed_disorder, units, expected_disorder, n_draws = sums.T
    present = (units > 0) & (expected_disorder > 0)
    shares = np.divide(
        observed_disorder * n_draws, units * expected_disorder, out=np.full(len(sums), np.nan), where=present
    )
    return np.asarray(1 - shares)[:, None]


def _notes(texts: Sequence[Continuum], lengths: Lengths | None) -> tuple[str, ...]:
    notes = []
    if lengths is None:
        notes.append("The lengths of the texts are not given: each is taken to end with its last mark.")
    if any(len(text.judges) > MOST_TOGETHER for text in texts):
        notes.append(f"More than {MOST_TOGETHER} judges marked the same text: they are compared two by two.")
    return tuple(notes)


def continua(answers: Ratings, by: By = "category", lengths: Lengths | None = None) -> list[Continuum]:
    """The texts to align: for each document and each set of judges who judged the same items of it, one."""
    units = [_spans_by_kind(text, by) for text in answers.labels]
    names = {name: at for at, name in enumerate(sorted({name for marks in units for *_, name in marks}))}
    codes, judges, items = answers.slots
    groups: dict[tuple[int, tuple[int, ...]], list[int]] = defaultdict(list)
    for row, item in enumerate(items.tolist()):
        who = tuple(judges[row][codes[row] >= 0].tolist())
        if len(who) >= 2:
            groups[int(answers.document[item]), who].append(row)
    places = list(zip(answers.items["document"], answers.items["segment"], strict=True)) if lengths else []
    texts = []
    for (document, who), rows in groups.items():
        spans: list[list[tuple[float, float, int]]] = [[] for _ in who]
        start = 0
        for row in rows:
            marks = [units[code] for code in codes[row][: len(who)]]
            least = lengths.get(places[items[row]], 0) if lengths else 0
            start = _lay_out(spans, marks, names, start, least)
        texts.append(Continuum(document, tuple(map(Units.of, spans)), float(start)))
    return texts


Named = tuple[Place, int, int, str]


def _spans_by_kind(text: str, by: By) -> list[Named]:
    return [
        (place, start, end, "" if by == "none" else str(span.get(by, ""))) for place, start, end, span in placed(text)
    ]


def _lay_out(
    spans: list[list[tuple[float, float, int]]], marks: list[list[Named]], names: dict[str, int], start: int, least: int
) -> int:
    """Append the marks of one item to each judge's spans, a stretch for each side and output; where it ends."""
    ends: dict[Place, int] = {}
    for mine in marks:
        for place, _, end, _ in mine:
            ends[place] = max(ends.get(place, 0 if "missing" in place else least), end)
    begins = {}
    for place in sorted(ends, key=str):
        begins[place] = start
        start += ends[place]
    for own, mine in zip(spans, marks, strict=True):
        own.extend((begins[place] + first, begins[place] + end, names[name]) for place, first, end, name in mine)
    return start if ends else start + least


def shuffled(text: Continuum, rng: np.random.Generator) -> list[Units]:
    """A random annotation: judges drawn with replacement, each turned by its own distance.

    The distances lie at least half a mean span apart where the text is long enough, so that a judge drawn twice does
    not agree with himself.
    """
    n = len(text.judges)
    sizes = np.concatenate([one.end - one.start for one in text.judges])
    apart = float(sizes.mean()) / 2
    order = rng.integers(0, n, n)
    shifts = rng.uniform(0, text.length, n)
    for _ in range(100):
        gaps = [abs(a - b) for a, b in combinations(shifts, 2)]
        if min(min(gap, text.length - gap) for gap in gaps) >= apart:
            break
        shifts = rng.uniform(0, text.length, n)
    return [text.judges[who].turned(float(shift), text.length) for who, shift in zip(order, shifts, strict=True)]
