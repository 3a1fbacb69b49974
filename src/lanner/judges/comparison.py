"""Model judges side by side: how far each agrees with people, what changes between them, what they cost.

The same numbers compare models, versions of a prompt and contexts. Agreement is the mean likeness of a judge's answer
and the one that people agreed on (1 where they are the same, by the distance of the question's kind); intervals
resample documents, and a difference between two judges is taken item by item.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from lanner import campaign
from lanner.analysis.rows import Purpose, counts
from lanner.errors import LannerError, did_you_mean
from lanner.judges.audit import mean_by_document, unanswered
from lanner.model import Document, Json, Judge, JudgeKind, Judgement, Protocol, Result
from lanner.protocols.answers import combine, likeness, reordered
from lanner.stats.resample import Resampling
from lanner.store import Store
from lanner.store.rows import loads

Unit = tuple[str, str, tuple[str, ...]]
"""What an answer is about: document, segment, systems."""
Answers = Mapping[str, Mapping[Unit, Json]]
"""Answers by question and unit."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One judge of a comparison. `same_as_first` is how often it gives the first judge's answer, `gain` how much more
    it agrees with people than that one; both by question."""

    judge: str
    model: str
    prompt: str
    context: str
    agreement: Mapping[str, Result]
    same_as_first: Mapping[str, Result]
    gain: Mapping[str, Result]
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
) -> list[Standing]:
    """The model judges of a campaign (all, or these in this order) against people: those of the same campaign, or of
    another that has the same texts. The first judge is the one that the others are compared with."""
    target = campaign.get(store, reference)
    protocol = campaign.protocol(store, target.id)
    models = {judge.id: judge for judge in campaign.judges(store, target.id) if judge.kind is JudgeKind.MODEL}
    for name in judges:
        if name not in models:
            raise LannerError(f"No model judge is called {name!r} here.", next_step=did_you_mean(name, list(models)))
    names = list(judges) or [name for name in models if name not in campaign.left_out(store, target.id)]
    if not names:
        raise LannerError(f"{target.name} has no model judges.", next_step=f"Run lanner judge {target.name} first.")
    by = resampling or Resampling()
    people = agreed_answers(store, target.id if people_of is None else people_of)
    counted = _counted(store, target.id, protocol, keep=names)
    answers = {name: _answers_of(counted, name) for name in names}
    first = answers[names[0]]
    return [
        _standing(
            models[name],
            protocol,
            (answers[name], first, people),
            by,
            is_first=name == names[0],
            spent=_ledger(store, target.id, name),
        )
        for name in names
    ]


def agreed_answers(store: Store, reference: str | int) -> Answers:
    """What people agreed on: an adjudicated answer, else those of all people combined."""
    target = campaign.get(store, reference)
    protocol = campaign.protocol(store, target.id)
    kinds = {judge.id: judge.kind for judge in campaign.judges(store, target.id)}
    counted = _counted(store, target.id, protocol)
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


def _counted(store: Store, number: int, protocol: Protocol, keep: Sequence[str] = ()) -> list[Judgement]:
    """The answers that count for agreement, as everywhere: to main items, of judges who are not left out (but for those
    to `keep`). Outputs stand in one order, whichever they were shown in."""
    left_out = campaign.left_out(store, number).keys() - set(keep)
    return [
        _in_one_order(protocol, entry)
        for entry in campaign.judgements(store, number)
        if entry.value is not None and counts(entry, Purpose.AGREEMENT, left_out)
    ]


def _in_one_order(protocol: Protocol, entry: Judgement) -> Judgement:
    place = protocol.find(entry.question)
    if len(entry.systems) < 2 or place is None:
        return entry
    order = sorted(range(len(entry.systems)), key=lambda number: entry.systems[number])
    systems = tuple(entry.systems[number] for number in order)
    return replace(entry, systems=systems, value=reordered(*place, entry.value, order))


def _answers_of(judgements: Sequence[Judgement], judge: str) -> Answers:
    answers: dict[str, dict[Unit, Json]] = defaultdict(dict)
    for entry in judgements:
        if entry.judge == judge:
            answers[entry.question][_unit(entry)] = entry.value
    return answers


def _unit(entry: Judgement) -> Unit:
    return entry.document, entry.segment, tuple(entry.systems)


def _standing(
    judge: Judge,
    protocol: Protocol,
    answers: tuple[Answers, Answers, Answers],
    by: Resampling,
    *,
    is_first: bool,
    spent: Mapping[str, Any],
) -> Standing:
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
    return Standing(
        judge.id,
        ", ".join(judge.attributes.get("models") or ()),
        str(judge.attributes.get("template") or ""),
        str(views.get("context") or ""),
        agreement,
        same,
        gain,
        **spent,
    )


def _ledger(store: Store, campaign_id: int, judge: str) -> dict[str, Any]:
    """Replies, what is missing and why, tokens and cost of a judge."""
    with store.reading() as tx:
        seat = tx.judges.find(campaign_id, judge)
        rows = list(tx.ledger.of_judge(seat.number)) if seat else []
    entries = [entry for _, entry in rows]
    lacking = unanswered(rows)
    costs = [entry.cost for entry in entries]
    return {
        "replies": sum(entry.outcome != "failed" for entry in entries),
        "missing": sum(number for _, _, number in lacking),
        "refusals": sum(number for _, entry, number in lacking if loads(entry.detail).get("step") == "refusal"),
        "tokens": sum(entry.tokens_in + entry.tokens_out for entry in entries),
        "cost": None if any(cost is None for cost in costs) else sum(cost for cost in costs if cost is not None),
    }


def sample_documents(documents: Sequence[Document], sentences: int) -> list[Document]:
    """Whole documents up to so many sentences, spread evenly over the collection: the same ones every time."""
    if not documents:
        return []
    order = sorted(range(len(documents)), key=lambda place: (_spread(place), place))
    selection: list[int] = []
    size = 0
    for place in order:
        if selection and size + len(documents[place].segments) > sentences:
            continue
        selection.append(place)
        size += len(documents[place].segments)
    return [documents[place] for place in sorted(selection)]


def _spread(place: int) -> float:
    """The place with its bits turned round: the beginning of this order is spread over the whole."""
    spread, part = 0.0, 0.5
    while place:
        spread += part * (place & 1)
        place >>= 1
        part /= 2
    return spread
