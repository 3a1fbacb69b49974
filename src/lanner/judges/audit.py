"""What the ledger says about a judge: how often it agrees with itself, and what the order on the page does to it.

A model is asked the same in several samples, in both orders of a pair, with options shuffled; an answer that follows
the order and not the text is bias. All means are over items, their intervals resample documents.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lanner import __version__, campaign
from lanner.model import Choice, Json, Labels, Protocol, Question, Rank, Result, Signature
from lanner.protocols.answers import consistency
from lanner.stats.resample import Array, Resampling, Scale, outcome, replicate_sums
from lanner.store import Entry, Store
from lanner.store.rows import loads

CHANCE = "by chance"
"""The label of a result that says what chance would give."""


@dataclass(frozen=True, slots=True)
class Said:
    """One answer to one question about one unit, in the circumstances it was given in."""

    document: str
    unit: tuple[str, ...]
    question: str
    value: Json
    model: str
    sample: int
    swapped: bool
    order: Sequence[str] = ()


def said(store: Store, reference: str | int, judge: str) -> list[Said]:
    """All valid answers of a judge in the ledger, question by question. What was asked again counts once, as it was
    answered last: only a sample, another order or another model is another answer."""
    target = campaign.get(store, reference)
    answers: dict[tuple[object, ...], Said] = {}
    with store.reading() as tx:
        seat = tx.judges.find(target.id, judge)
        for document, row in tx.ledger.of_judge(seat.number) if seat else ():
            if not row.final or row.answers is None:
                continue
            detail = loads(row.detail)
            orders = detail.get("order", {})
            for segment, values in _by_segment(row, detail):
                unit = (segment, *sorted(loads(row.systems)), row.role)
                twin = detail.get("twin")  # the same model at another server is another one
                way = (f"{row.model} {twin + 1}" if twin else row.model, row.sample, bool(row.swapped))
                for question, value in values.items():
                    earlier = answers.get((document, unit, question, way))
                    several = earlier is not None and isinstance(earlier.value, dict) and isinstance(value, dict)
                    merged = {**earlier.value, **value} if earlier and several else value  # one skill or row a call
                    answer = Said(document, unit, question, merged, *way, orders.get(question, ()))
                    answers[document, unit, question, way] = answer
    return list(answers.values())


def _by_segment(row: Entry, detail: Mapping[str, Json]) -> list[tuple[str, Mapping[str, Json]]]:
    """The answers of a row by segment. Of a call about many sentences they are numbered in the order it asked."""
    answers = loads(row.answers or "{}")
    if segments := detail.get("segments"):
        return [(segments[int(number) - 1], values) for number, values in answers.items()]
    if answers and all(name.isdigit() for name in answers):  # a ledger of before 0.2
        return list(answers.items())
    return [(row.segment, answers)]


def unanswered(rows: Iterable[tuple[str, Entry]]) -> list[tuple[str, Entry, int]]:
    """Questions without a valid answer: of each its document, its last row, and how many sentences that leaves without
    one. What was asked again in another way (with a longer limit, in a call about fewer sentences) is one question."""
    last: dict[tuple[object, ...], tuple[str, Entry] | None] = {}
    for document, row in rows:
        detail = loads(row.detail)
        about = (document, row.systems, row.role, row.page, *detail.get("stages", ()))
        way = (row.model, detail.get("twin"), row.sample, row.swapped)
        if segments := detail.get("segments"):
            answers = loads(row.answers or "{}") if row.final else {}
            for number, segment in enumerate(segments, 1):
                last[*about, *way, segment] = None if str(number) in answers else (document, row)
        else:
            is_answered = row.final and row.answers is not None
            last[*about, *way, row.segment, row.schema_hash] = None if is_answered else (document, row)
    numbers = Counter(entry for entry in last.values() if entry is not None)
    return [(document, row, number) for (document, row), number in numbers.items()]


def audit(store: Store, reference: str | int, judge: str, *, resampling: Resampling | None = None) -> list[Result]:
    """Self-consistency and order effects, as far as the judge was asked in ways that show them."""
    protocol = campaign.protocol(store, reference)
    answers = said(store, reference, judge)
    by = resampling or Resampling()
    results = [*_consistent(protocol, answers, by), *_positions(protocol, answers, by), *_orders(protocol, answers, by)]
    return [_labelled(result, judge) for result in results]


def _labelled(result: Result, judge: str) -> Result:
    return replace(result, labels={"judge": judge, **result.labels})


def _grouped(answers: Iterable[Said], protocol: Protocol) -> dict[str, dict[tuple[str, ...], list[Said]]]:
    units: dict[str, dict[tuple[str, ...], list[Said]]] = defaultdict(lambda: defaultdict(list))
    for entry in answers:
        if protocol.find(entry.question):
            units[entry.question][entry.document, *entry.unit].append(entry)
    return units


def _consistent(protocol: Protocol, answers: Sequence[Said], by: Resampling) -> list[Result]:
    """Mean likeness of the answers to one question about one item (see `combination.likeness`), 1 where all agree."""
    results = []
    for name, units in _grouped(answers, protocol).items():
        question = _question(protocol, name)
        likes = [
            (key[0], value)
            for key, votes in units.items()
            if (value := consistency(question, [_straight(question, vote) for vote in votes])) is not None
        ]
        if likes:
            results.append(mean_by_document("self-consistency", name, likes, by))
    return results


def _straight(question: Question, vote: Said) -> Json:
    return vote.value[::-1] if vote.swapped and isinstance(question, Rank) else vote.value


def _positions(protocol: Protocol, answers: Sequence[Said], by: Resampling) -> list[Result]:
    """For pairs: how often what stands first is preferred (half of the time, if order means nothing; ties dropped),
    and how often both orders of a pair get the same verdict."""
    results = []
    for name, units in _grouped(answers, protocol).items():
        if not isinstance(_question(protocol, name), Rank):
            continue
        first: list[tuple[str, float]] = []
        same: list[tuple[str, float]] = []
        for key, votes in units.items():
            pairs = [vote for vote in votes if len(vote.value) == 2]
            first += [(key[0], float(v.value[0] < v.value[1])) for v in pairs if v.value[0] != v.value[1]]
            orders: dict[tuple[str, int], dict[bool, Json]] = defaultdict(dict)
            for vote in pairs:
                orders[vote.model, vote.sample][vote.swapped] = _verdict(_straight(_question(protocol, name), vote))
            same += [(key[0], float(both[False] == both[True])) for both in orders.values() if len(both) == 2]
        if same:
            results.append(mean_by_document("first of two preferred", name, first, by, null=0.5))
            results.append(mean_by_document("same verdict in both orders", name, same, by))
    return results


def _verdict(ranks: Sequence[int]) -> int:
    return (ranks[0] > ranks[1]) - (ranks[0] < ranks[1])


def _orders(protocol: Protocol, answers: Sequence[Said], by: Resampling) -> list[Result]:
    """With options shuffled: how often the one shown first is chosen, against how often chance would."""
    results = []
    for name, units in _grouped([entry for entry in answers if entry.order], protocol).items():
        question = _question(protocol, name)
        if not isinstance(question, Choice | Labels):
            continue
        votes = [(key[0], vote) for key, answers in units.items() for vote in answers]
        first_chosen = [(where, float(_has(vote.value, vote.order[0]))) for where, vote in votes]
        chance = float(np.mean([_size(vote.value) for _, vote in votes])) / len(question.options)
        result = mean_by_document("first option chosen", name, first_chosen, by, null=chance)
        results.append(replace(result, labels={**result.labels, CHANCE: f"{chance:.6f}"}))
    return results


def _has(value: Json, option: str) -> bool:
    return bool(value == option or (isinstance(value, list | dict) and option in value))


def _size(value: Json) -> int:
    return len(value) if isinstance(value, list | dict) else 1


def _question(protocol: Protocol, name: str) -> Question:
    place = protocol.find(name)
    assert place is not None
    return place[1]


def mean_by_document(
    what: str,
    question: str,
    values: Sequence[tuple[str, float]],
    by: Resampling,
    *,
    null: float | None = None,
    scale: Scale = "share",
) -> Result:
    """A mean over items with its interval over documents, and p against what chance would give."""
    if scale == "share" and any(value not in (0.0, 1.0) for _, value in values):
        scale = "logit"  # a mean of parts is no count of ones, and stays between 0 and 1 as well
    labels: Mapping[str, str] = {"question": question}
    signature = Signature(what, "", (("unit", by.unit), ("seed", str(by.seed))), __version__)
    if not values:
        return Result(what, None, labels=labels, notes=("Undefined: nothing but ties.",), signature=signature)
    names = list(dict.fromkeys(where for where, _ in values))
    sums = np.zeros((len(names), 2))
    place = {name: number for number, name in enumerate(names)}
    for where, value in values:
        sums[place[where]] += (value, 1.0)

    def finish(total: Array) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(total[:, :1] / total[:, 1:])

    replicates = replicate_sums(sums, finish, by)
    spread = outcome(replicates, by, scale=scale, null=null)
    counts = {"items": len(values), "documents": len(names)}
    notes = spread.notes if null is None or scale != "share" else (*spread.notes, f"{question}: by chance {null:.3f}.")
    return Result(
        what,
        float(replicates.value[0]),
        spread.interval,
        spread.p,
        counts,
        labels=labels,
        notes=notes,
        signature=signature,
    )
