"""Model judges by their answers: side by side (how far each agrees with people, what changes between them, what they
cost), and each alone (how often it agrees with itself, and what the order on the page does to it).

The same numbers compare models, versions of a prompt and contexts. Agreement is the mean likeness of a judge's answer
and the one that people agreed on (1 where they are the same, by the distance of the question's kind); intervals
resample documents, and a difference between two judges is taken item by item.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np

from lanner import __version__, campaign
from lanner.analysis.measures import Purpose, counts
from lanner.errors import LannerError, check_known
from lanner.judges.unanswered import unanswered
from lanner.model import (
    Choice,
    Document,
    Json,
    Judge,
    JudgeKind,
    Judgement,
    Labels,
    Object,
    Protocol,
    Question,
    Rank,
    Result,
    Signature,
    Stage,
)
from lanner.protocols.answers import combine, consistency, in_one_order, likeness, reorder
from lanner.protocols.kinds.base import sides_among
from lanner.stats.resample import Array, Resampling, Scale, outcome, replicate_sums
from lanner.store import LedgerEntry, Store
from lanner.store.rows import loads

Unit = tuple[str, str, tuple[str, ...]]
"""What an answer is about: document, segment, systems."""
Answers = Mapping[str, Mapping[Unit, Json]]
"""Answers by question and unit."""


@dataclass(frozen=True, slots=True)
class ComparedJudge:
    """One judge of a comparison. `same_as_first` is how often it gives the first judge's answer, `gain` how much more
    it agrees with people than that one; both by question."""

    judge: str
    model: str
    prompt: str
    context: str
    agreement: Mapping[str, Result]
    same_as_first: Mapping[str, Result]
    gain: Mapping[str, Result]
    answers: int
    """How many of its answers count."""
    replies: int
    missing: int
    refusals: int
    tokens: int
    cost: float | None


def compare(
    store: Store,
    reference: str | int,
    judges: Sequence[str] = (),
    *,
    people_of: str | int | None = None,
    resampling: Resampling | None = None,
) -> list[ComparedJudge]:
    """The model judges of a campaign (all, or these in this order) against people: those of the same campaign, or of
    another that has the same texts. The first judge is the one that the others are compared with."""
    target = campaign.get(store, reference)
    protocol = campaign.protocol(store, target.id)
    models = {judge.id: judge for judge in campaign.judges(store, target.id) if judge.kind is JudgeKind.MODEL}
    for name in judges:
        check_known(name, models, f"No model judge is called {name!r} here.")
    names = list(judges) or [name for name in models if name not in campaign.left_out(store, target.id)]
    if not names:
        raise LannerError(
            f"{target.name} has no model judges that count.",
            next_step=f"Run lanner judge {target.name} first, or name those who are left out.",
        )
    by = resampling or Resampling()
    people = agreed_answers(store, target.id if people_of is None else people_of)
    counted = _counted_answers(store, target.id, protocol, keep=names)
    answers = {name: _answers_of(counted, name) for name in names}
    first = answers[names[0]]
    return [
        _compare_judge(
            models[name],
            protocol,
            (answers[name], first, people),
            by,
            is_first=name == names[0],
            spent=_ledger(store, target.id, name),
        )
        for name in names
    ]


def answers_of(store: Store, number: int, protocol: Protocol, judge: str) -> Answers:
    """What a judge of this campaign has answered."""
    return _answers_of(_counted_answers(store, number, protocol, keep=[judge]), judge)


def agreed_answers(store: Store, reference: str | int) -> Answers:
    """What people agreed on: an adjudicated answer, else those of all people combined."""
    target = campaign.get(store, reference)
    protocol = campaign.protocol(store, target.id)
    kinds = {judge.id: judge.kind for judge in campaign.judges(store, target.id)}
    counted = _counted_answers(store, target.id, protocol)
    votes: dict[JudgeKind, dict[str, dict[Unit, list[Json]]]] = {
        kind: defaultdict(lambda: defaultdict(list)) for kind in (JudgeKind.PERSON, JudgeKind.ADJUDICATED)
    }
    for entry in counted:
        kind = kinds.get(entry.judge)
        if kind in votes:
            votes[kind][entry.question][_unit(entry)].append(entry.value)
    agreed: dict[str, dict[Unit, Json]] = {}
    for _, question in protocol.questions:
        people, final = votes[JudgeKind.PERSON][question.id], votes[JudgeKind.ADJUDICATED][question.id]
        agreed[question.id] = {unit: combine(question, values) for unit, values in (people | final).items()}
    return agreed


def _counted_answers(store: Store, number: int, protocol: Protocol, keep: Sequence[str] = ()) -> list[Judgement]:
    """The answers that count for agreement: to main items, of judges who are not left out or are to `keep`. Compared
    outputs stand in the order of their names."""
    left_out = campaign.left_out(store, number).keys() - set(keep)
    return [
        in_one_order(protocol, entry)
        for entry in campaign.judgements(store, number)
        if entry.value is not None and counts(entry, Purpose.AGREEMENT, left_out)
    ]


def _answers_of(judgements: Sequence[Judgement], judge: str) -> Answers:
    answers: dict[str, dict[Unit, Json]] = defaultdict(dict)
    for entry in judgements:
        if entry.judge == judge:
            answers[entry.question][_unit(entry)] = entry.value
    return answers


def _unit(entry: Judgement) -> Unit:
    return entry.document, entry.segment, tuple(entry.systems)


def _compare_judge(
    judge: Judge,
    protocol: Protocol,
    answers: tuple[Answers, Answers, Answers],
    by: Resampling,
    *,
    is_first: bool,
    spent: Mapping[str, Any],
) -> ComparedJudge:
    own, of_first, people = answers
    agreement, same, gain = {}, {}, {}
    for _, question in protocol.questions:
        mine, theirs, right = (side.get(question.id, {}) for side in (own, of_first, people))
        liked = {unit: likeness(question, value, right[unit]) for unit, value in mine.items() if unit in right}
        if liked:
            pairs = [(unit[0], like) for unit, like in liked.items()]
            agreement[question.id] = mean_by_document("agreement with people", question.id, pairs, by)
        both = [unit for unit in mine if unit in theirs]
        if both and not is_first:
            equal = [(unit[0], float(mine[unit] == theirs[unit])) for unit in both]
            same[question.id] = mean_by_document("same answer", question.id, equal, by)
        gains = [
            (unit[0], liked[unit] - likeness(question, theirs[unit], right[unit])) for unit in both if unit in liked
        ]
        if gains and not is_first:
            gain[question.id] = mean_by_document("gain in agreement", question.id, gains, by, null=0.0, scale="plain")
    views: Mapping[str, Any] = judge.attributes.get("shown") or {}
    return ComparedJudge(
        judge.id,
        ", ".join(judge.attributes.get("models") or ()),
        str(judge.attributes.get("template") or ""),
        str(views.get("context") or ""),
        agreement,
        same,
        gain,
        sum(map(len, own.values())),
        **spent,
    )


def _ledger(store: Store, campaign_id: int, judge: str) -> dict[str, Any]:
    """Replies, what is missing and why, tokens and cost of a judge."""
    with store.reading() as tx:
        participant = tx.judges.find(campaign_id, judge)
        assert participant is not None
        spent, lacking = tx.ledger.spent(participant.number), unanswered(tx.ledger.of_judge(participant.number))
    return {
        "replies": spent.replies,
        "missing": sum(number for _, _, number in lacking),
        "refusals": sum(number for _, entry, number in lacking if loads(entry.detail).get("step") == "refusal"),
        "tokens": spent.tokens,
        "cost": spent.cost,
    }


CONTEXT_SAMPLE = 100
"""How many sentences are judged in every context, where nothing else is said."""


def sample_documents(documents: Sequence[Document], sentences: int) -> list[Document]:
    """Whole documents up to so many sentences, spread evenly over the collection: the same ones every time."""
    if not documents:
        return []
    order = sorted(range(len(documents)), key=lambda place: (_reverse_bits(place), place))
    selection: list[int] = []
    size = 0
    for place in order:
        if selection and size + len(documents[place].segments) > sentences:
            continue
        selection.append(place)
        size += len(documents[place].segments)
    return [documents[place] for place in sorted(selection)]


def _reverse_bits(place: int) -> float:
    """A number between 0 and 1 made of the reversed bits of a place: its order spreads any beginning over the whole."""
    spread, part = 0.0, 0.5
    while place:
        spread += part * (place & 1)
        place >>= 1
        part /= 2
    return spread


CHANCE = "by chance"
"""The label of a result that says what chance would give."""


class Effect(StrEnum):
    """What the answers of one judge show, as their results are called."""

    CONSISTENCY = "self-consistency"
    FIRST_OF_TWO = "first of two preferred"
    BOTH_ORDERS = "same verdict in both orders"
    FIRST_OPTION = "first option chosen"


# A judge alone. A model is asked the same in several samples, in both orders of a pair, with options shuffled; an
# answer that follows the order and not the text is bias. All means are over items, their intervals resample documents.


@dataclass(frozen=True, slots=True)
class CircumstancedAnswer:
    """One answer to one question about one unit, in the circumstances it was given in."""

    document: str
    unit: tuple[str, ...]
    question: str
    value: Json
    model: str
    sample: int
    swapped: bool
    order: Sequence[str] = ()


def answers_in_ledger(store: Store, reference: str | int, judge: str) -> list[CircumstancedAnswer]:
    """All valid answers of a judge in the ledger, question by question. Of a question that was asked again only the
    last answer counts, unless it is another sample, order or model."""
    target = campaign.get(store, reference)
    answers: dict[tuple[object, ...], CircumstancedAnswer] = {}
    with store.reading() as tx:
        participant = tx.judges.find(target.id, judge)
        for document, row in tx.ledger.of_judge(participant.number) if participant else ():
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
                    answer = CircumstancedAnswer(document, unit, question, merged, *way, orders.get(question, ()))
                    answers[document, unit, question, way] = answer
    return list(answers.values())


def _by_segment(row: LedgerEntry, detail: Mapping[str, Json]) -> list[tuple[str, Mapping[str, Json]]]:
    """The answers of a row by segment. Of a call about many sentences they are numbered in the order it asked."""
    answers = loads(row.answers or "{}")
    if segments := detail.get("segments"):
        return [(segments[int(number) - 1], values) for number, values in answers.items()]
    if answers and all(name.isdigit() for name in answers):  # a ledger of before 0.2
        return list(answers.items())
    return [(row.segment, answers)]


def audit(store: Store, reference: str | int, judge: str, *, resampling: Resampling | None = None) -> list[Result]:
    """Self-consistency and order effects, as far as the judge was asked in ways that show them."""
    protocol = campaign.protocol(store, reference)
    answers = answers_in_ledger(store, reference, judge)
    by = resampling or Resampling()
    results = [*_consistent(protocol, answers, by), *_positions(protocol, answers, by), *_orders(protocol, answers, by)]
    return [replace(result, labels={"judge": judge, **result.labels}) for result in results]


def _group_by_question(
    answers: Iterable[CircumstancedAnswer], protocol: Protocol
) -> Iterator[tuple[Stage, Question, dict[tuple[str, ...], list[CircumstancedAnswer]]]]:
    """Each question that was answered, with its stage and its answers by what they are about."""
    units: dict[str, dict[tuple[str, ...], list[CircumstancedAnswer]]] = defaultdict(lambda: defaultdict(list))
    for entry in answers:
        units[entry.question][entry.document, *entry.unit].append(entry)
    for name, votes in units.items():
        if place := protocol.find(name):
            yield *place, votes


def _consistent(protocol: Protocol, answers: Sequence[CircumstancedAnswer], by: Resampling) -> list[Result]:
    """Mean likeness of the answers to one question about one item (see `combination.likeness`), 1 where all agree."""
    results = []
    for stage, question, units in _group_by_question(answers, protocol):
        likes = [
            (key[0], value)
            for key, votes in units.items()
            if (value := consistency(question, [_straight(stage, question, vote) for vote in votes])) is not None
        ]
        if likes:
            results.append(mean_by_document(Effect.CONSISTENCY, question.id, likes, by))
    return results


def _straight(stage: Stage, question: Question, vote: CircumstancedAnswer) -> Json:
    """An answer as if the pair had stood in the usual order."""
    return reorder(stage, question, vote.value, (1, 0)) if vote.swapped else vote.value


def ranks_of_pair(stage: Stage, question: Question, value: Json) -> Sequence[int] | None:
    """The ranks of two outputs by an answer that compares them: in ranks, or by the side that is better."""
    if isinstance(question, Rank):
        return value if isinstance(value, list) and len(value) == 2 else None
    if not isinstance(question, Choice) or question.for_each or stage.object is not Object.OUTPUTS:
        return None
    sides = sides_among({option.id for option in question.options})
    return {sides[0]: (1, 2), sides[1]: (2, 1)}.get(value, (1, 1)) if sides else None


def _positions(protocol: Protocol, answers: Sequence[CircumstancedAnswer], by: Resampling) -> list[Result]:
    """For pairs: how often what stands first is preferred (half of the time, if order means nothing; ties dropped),
    and how often both orders of a pair get the same verdict."""
    results = []
    for stage, question, units in _group_by_question(answers, protocol):
        first: list[tuple[str, float]] = []
        same: list[tuple[str, float]] = []
        for key, votes in units.items():
            ranked = [(vote, ranks_of_pair(stage, question, vote.value)) for vote in votes]
            pairs = [(vote, ranks) for vote, ranks in ranked if ranks is not None]
            first += [(key[0], float(ranks[0] < ranks[1])) for _, ranks in pairs if ranks[0] != ranks[1]]
            orders: dict[tuple[str, int], dict[bool, int]] = defaultdict(dict)
            for vote, ranks in pairs:
                orders[vote.model, vote.sample][vote.swapped] = _verdict(ranks[::-1] if vote.swapped else ranks)
            same += [(key[0], float(both[False] == both[True])) for both in orders.values() if len(both) == 2]
        if same:
            results.append(mean_by_document(Effect.FIRST_OF_TWO, question.id, first, by, null=0.5))
            results.append(mean_by_document(Effect.BOTH_ORDERS, question.id, same, by))
    return results


def _verdict(ranks: Sequence[int]) -> int:
    return (ranks[0] > ranks[1]) - (ranks[0] < ranks[1])


def _orders(protocol: Protocol, answers: Sequence[CircumstancedAnswer], by: Resampling) -> list[Result]:
    """With options shuffled: how often the one shown first is chosen, against how often chance would."""
    results = []
    for _, question, units in _group_by_question([entry for entry in answers if entry.order], protocol):
        if not isinstance(question, Choice | Labels):
            continue
        votes = [(key[0], vote) for key, answers in units.items() for vote in answers]
        first_chosen = [(where, float(_has(vote.value, vote.order[0]))) for where, vote in votes]
        chance = float(np.mean([_size(vote.value) for _, vote in votes])) / len(question.options)
        result = mean_by_document(Effect.FIRST_OPTION, question.id, first_chosen, by, null=chance)
        results.append(replace(result, labels={**result.labels, CHANCE: f"{chance:.6f}"}))
    return results


def _has(value: Json, option: str) -> bool:
    return bool(value == option or (isinstance(value, list | dict) and option in value))


def _size(value: Json) -> int:
    return len(value) if isinstance(value, list | dict) else 1


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
    if not values:
        notes = ("Undefined: nothing but ties.",)
        return Result(what, None, labels={"question": question}, notes=notes, signature=_signature(what, by))
    if scale == "share" and any(value not in (0.0, 1.0) for _, value in values):
        scale = "logit"  # a mean of parts is no count of ones, and stays between 0 and 1 as well
    rows = [(where, (value, 1.0)) for where, value in values]
    result = estimate_by_document(
        what, question, rows, lambda sums: sums[:, 0] / sums[:, 1], by, null=null, scale=scale
    )
    if null is None or scale != "share":
        return result
    return replace(result, notes=(*result.notes, f"{question}: by chance {null:.3f}."))


def estimate_by_document(
    what: str,
    question: str,
    rows: Sequence[tuple[str, tuple[float, ...]]],
    finish: Callable[[Array], Array],
    by: Resampling,
    *,
    null: float | None = None,
    scale: Scale = "plain",
) -> Result:
    """What `finish` makes of sums over items, with its interval over documents. `rows` are documents and what is
    summed of an item."""
    names = list(dict.fromkeys(where for where, _ in rows))
    place = {name: number for number, name in enumerate(names)}
    sums = np.zeros((len(names), len(rows[0][1])))
    for where, parts in rows:
        sums[place[where]] += parts

    def finish_quietly(total: Array) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(finish(total))[:, None]

    replicates = replicate_sums(sums, finish_quietly, by)
    spread = outcome(replicates, by, scale=scale, null=null, answers=len(rows))
    return Result(
        what,
        float(replicates.value[0]),
        spread.interval,
        spread.p,
        {"items": len(rows), "documents": len(names)},
        labels={"question": question},
        notes=spread.notes,
        signature=_signature(what, by),
    )


def _signature(what: str, by: Resampling) -> Signature:
    return Signature(what, "", (("unit", by.unit), ("seed", str(by.seed))), __version__)
