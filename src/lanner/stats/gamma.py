"""γ: agreement of marked spans beyond chance, in where they are and in what they are called.

γ = 1 − observed disorder / expected disorder (Mathet, Widlöcher & Métivier 2015, Computational Linguistics 41(3)). The
observed disorder is that of the best alignment of all judges' spans, divided by the mean number of spans a judge gave;
the expected one is the mean of the same over random annotations: each judge's place is taken by a judge drawn at random
whose spans are all moved on by a random distance, starting over at the end of the text.

A document is one text: its sentences one after another, in the order of the items. Over several documents the disorders
and the numbers of spans are added up before the ratio is taken, so that documents can be resampled like for any other
coefficient; for one document this is the published definition.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from lanner.errors import StatisticError, did_you_mean
from lanner.stats.disorder import MOST_TOGETHER, Units, Weighing, disorder
from lanner.stats.estimate import Plan, Rows, statistic
from lanner.stats.ratings import Ratings
from lanner.stats.resample import Array, generator
from lanner.stats.spans import Place, placed

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
    rated: Ratings,
    *,
    by: By = "category",
    position: float = 1.0,
    category: float = 1.0,
    samples: int = 30,
    seed: int = 0,
    lengths: Lengths | None = None,
) -> Plan:
    """γ of marked spans: 1 where all judges mark and name the same, 0 where they agree as random marks would.

    `by` says what a span's name is; `position` and `category` weigh the two kinds of dissimilarity (see `disorder`).
    `samples` random annotations per document give the expected disorder, from `seed`. `lengths` gives the characters of
    each (document, segment); without it a sentence is as long as its last mark reaches, which makes chance agreement
    look likelier and γ smaller. Up to four judges are aligned together, as published; more are taken two by two.
    """
    if by not in BY:
        raise StatisticError(f"Spans have no {by!r}.", next_step=did_you_mean(by, BY))
    weighing = Weighing(position, category)
    texts = continua(rated, by, lengths)
    sums = np.zeros((len(rated.documents), 4))
    for number, text in enumerate(texts):
        if not text.per_judge:
            continue
        rng = generator(seed, number + 1)
        drawn = [shuffled(text, rng) for _ in range(samples)]
        sums[text.document] += (
            disorder(text.judges, weighing),
            text.per_judge,
            float(np.mean([disorder(judges, weighing) for judges in drawn])),
            float(np.mean([sum(map(len, judges)) / len(judges) for judges in drawn])),
        )
    # Contributions belong to documents: each is put on the first of its items.
    documents, first = np.unique(rated.document, return_index=True)
    shared = rated.per_item >= 2
    counts = {
        "items": int(shared.sum()),
        "judges": rated.active_judges,
        "documents": int((sums[:, 1] > 0).sum()),
        "spans": round(sum(text.per_judge * len(text.judges) for text in texts)),
    }
    made = {"by": by, "position": f"{position:g}", "category": f"{category:g}", "samples": str(samples)}
    return Plan(
        "gamma", rated, Rows.of_items(rated, first.astype(np.int32)), _finish, sums[documents], counts=(counts,),
        reasons=("nobody marked anything." if shared.any() else "",), notes=_notes(texts, lengths),
        settings={**made, "chance_seed": str(seed)},
    )  # fmt: skip


def _finish(sums: Array) -> Array:
    observed, units, expected, drawn = sums.T
    known = (units > 0) & (expected > 0)
    shares = np.divide(observed * drawn, units * expected, out=np.full(len(sums), np.nan), where=known)
    return np.asarray(1 - shares)[:, None]


def _notes(texts: Sequence[Continuum], lengths: Lengths | None) -> tuple[str, ...]:
    notes = []
    if lengths is None:
        notes.append("The lengths of the texts are not given: each is taken to end with its last mark.")
    if any(len(text.judges) > MOST_TOGETHER for text in texts):
        notes.append(f"More than {MOST_TOGETHER} judges marked the same text: they are compared two by two.")
    return tuple(notes)


def continua(rated: Ratings, by: By = "category", lengths: Lengths | None = None) -> list[Continuum]:
    """The texts to align: for each document and each set of judges who judged the same items of it, one."""
    parsed = [_named(text, by) for text in rated.labels]
    names = {name: at for at, name in enumerate(sorted({name for marks in parsed for *_, name in marks}))}
    codes, judges, items = rated.slots
    groups: dict[tuple[int, tuple[int, ...]], list[int]] = defaultdict(list)
    for row, item in enumerate(items.tolist()):
        who = tuple(judges[row][codes[row] >= 0].tolist())
        if len(who) >= 2:
            groups[int(rated.document[item]), who].append(row)
    places = list(zip(rated.items["document"], rated.items["segment"], strict=True)) if lengths else []
    found = []
    for (document, who), rows in groups.items():
        spans: list[list[tuple[float, float, int]]] = [[] for _ in who]
        start = 0
        for row in rows:
            marks = [parsed[code] for code in codes[row][: len(who)]]
            least = lengths.get(places[items[row]], 0) if lengths else 0
            start = _laid(spans, marks, names, start, least)
        found.append(Continuum(document, tuple(map(Units.of, spans)), float(start)))
    return found


Named = tuple[Place, int, int, str]


def _named(text: str, by: By) -> list[Named]:
    return [
        (place, start, end, "" if by == "none" else str(span.get(by, ""))) for place, start, end, span in placed(text)
    ]


def _laid(
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
    picked = rng.integers(0, n, n)
    shifts = rng.uniform(0, text.length, n)
    for _ in range(100):
        gaps = [abs(a - b) for a, b in combinations(shifts, 2)]
        if min(min(gap, text.length - gap) for gap in gaps) >= apart:
            break
        shifts = rng.uniform(0, text.length, n)
    return [text.judges[who].turned(float(shift), text.length) for who, shift in zip(picked, shifts, strict=True)]
