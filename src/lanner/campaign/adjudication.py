"""What a meeting agreed on: kept as the answers of a judge of its own, beside everyone's own answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from lanner.campaign.imports import import_judgements
from lanner.campaign.progress import get, history
from lanner.campaign.progress import protocol as protocol_of
from lanner.campaign.settings import NOTES
from lanner.campaign.states import Reference, change, lock
from lanner.errors import CampaignError, check_known
from lanner.model import Item, Json, Judge, JudgeKind, Judgement, Protocol, Role
from lanner.protocols.answers import answers_from_fields, check, in_order, texts_of
from lanner.protocols.conditions import chosen_labels
from lanner.protocols.kinds.base import JudgedTexts
from lanner.store import Store
from lanner.store.rows import now

ADJUDICATOR = Judge("adjudicated", JudgeKind.ADJUDICATED, "Agreed")
TAKEN = "@"
"""Behind a question's id: the field that names the judge whose answer is taken as it is."""
Unit = tuple[str, str, tuple[str, ...]]
"""A document, its segment ("" for the whole of it), and the systems that were looked at."""


def settle(
    store: Store,
    campaign: Reference,
    unit: Unit,
    answers: Mapping[str, Json],
    *,
    note: str = "",
    account: int | None = None,
    at: datetime | None = None,
) -> tuple[str, ...]:
    """Store agreed answers, checked as strictly as a judge's, and return the questions that were answered. Outputs that
    were compared are stored in the order of their names."""
    moment = at or now()
    number = get(store, campaign).id
    protocol = protocol_of(store, number)
    document, segment, shown = unit
    systems = tuple(sorted(shown))
    _check_judged(store, number, (document, segment, systems))
    stored_answers = _check_answers(protocol, answers, _texts(store, number, unit), len(systems))
    checked_answers = {name: in_order(protocol, name, value, shown, systems) for name, value in stored_answers.items()}
    base = Judgement(ADJUDICATOR.id, "", "", document, segment, systems, None, answered_at=moment)
    judgements = []
    for question, value in checked_answers.items():
        stage = protocol.find(question)
        assert stage is not None
        judgements.append(
            replace(base, stage=stage[0].id, question=question, value=value, origin="adjudicated in a meeting")
        )
    detail: dict[str, Json] = {"document": document, "segment": segment, "system": "|".join(systems), "note": note}
    detail |= {
        "questions": sorted(checked_answers),
        "before": {q: value for q, value in settled_answers(store, number, unit).items() if q in checked_answers},
        "after": checked_answers,
    }
    if judgements:
        import_judgements(
            store, number, judgements, judges=[ADJUDICATOR], account=account, event="settled", detail=detail, at=moment
        )
    else:
        with store.writing() as tx:
            tx.events.add("settled", moment, campaign=number, account=account, **detail)
    return tuple(checked_answers)


def _check_judged(store: Store, campaign: int, unit: Unit) -> None:
    """Refuse to settle what is not there, or what nobody has judged although others were: another system, or none,
    would have the agreed answer."""
    document, segment, systems = unit
    with store.reading() as tx:
        texts = {each.id: each for each in tx.documents.all(campaign)}
    check_known(document, texts, f"There is no document {document!r}.", CampaignError, code="unknown_document")
    if segment:
        what = f"The document {document!r} has no segment {segment!r}."
        check_known(segment, [each.id for each in texts[document]], what, CampaignError, code="unknown_segment")
    answers = history(store, campaign, document=document, segment=segment)
    judged = {tuple(sorted(entry.systems)) for entry in answers if entry.judge != ADJUDICATOR.id}
    if judged and systems not in judged:
        known = ", ".join("|".join(names) or "the text itself" for names in sorted(judged))
        name = repr("|".join(systems)) if systems else "the text itself"
        raise CampaignError(
            f"Nobody has judged {name} in {f'{document} {segment}'.strip()}.",
            code="not_judged",
            names={"system": "|".join(systems), "systems": known},
            next_step=f"Judged there: {known}.",
        )


def settled_answers(store: Store, campaign: Reference, unit: Unit) -> dict[str, Json]:
    """What is agreed about a unit, by question."""
    document, segment, _ = unit
    earlier = history(store, campaign, judge=ADJUDICATOR.id, document=document, segment=segment)
    return {entry.question: entry.value for entry in _about(store, campaign, unit, earlier)}


def _about(store: Store, campaign: Reference, unit: Unit, judgements: Iterable[Judgement]) -> Iterator[Judgement]:
    """Those about the outputs of a unit, whichever order they were shown in; answers are in the order of the unit."""
    protocol = protocol_of(store, campaign)
    systems = unit[2]
    for entry in judgements:
        if sorted(entry.systems) == sorted(systems):
            value = in_order(protocol, entry.question, entry.value, entry.systems, systems)
            yield replace(entry, systems=systems, value=value)


def answer_of(store: Store, campaign: Reference, unit: Unit, judge: str, question: str) -> Json:
    """What a judge answered about a unit: to agree on it as it is, where an answer is too long to give again."""
    document, segment, _ = unit
    answers = history(store, campaign, judge=judge, document=document, segment=segment, question=question)
    about = _about(store, campaign, unit, answers)
    own = [entry for entry in about if entry.role in (Role.MAIN, Role.CALIBRATION)]
    if not own or own[-1].value is None:
        raise CampaignError(f"{judge!r} has not answered {question!r} about this.", code="no_answer")
    return own[-1].value


def answers_from(store: Store, campaign: Reference, unit: Unit, fields: Mapping[str, Sequence[str]]) -> dict[str, Json]:
    """Agreed answers from the fields of a form or a command. A field `QUESTION@` names a judge whose answer is taken as
    it is: nobody marks passages a second time."""
    protocol = protocol_of(store, campaign)
    answers: dict[str, Json] = {}
    for page in protocol.pages:
        answers |= answers_from_fields(protocol, page, fields)
    for _, question in protocol.questions:
        judge = next(iter(fields.get(f"{question.id}{TAKEN}", ())), "")
        if judge:
            answers[question.id] = answer_of(store, campaign, unit, judge, question.id)
    return answers


def _check_answers(
    protocol: Protocol, answers: Mapping[str, Json], texts: JudgedTexts | None, outputs: int
) -> dict[str, Json]:
    names = [question.id for _, question in protocol.questions]
    for name in answers:
        check_known(name, names, f"{protocol.name} does not ask {name!r}.", CampaignError, code="unknown_question")
    values: dict[str, Json] = {}
    for _, question in protocol.questions:
        value = answers.get(question.id)
        if value is not None:
            # Where the labels themselves were not settled, those that something was agreed about count as chosen.
            labels = chosen_labels(protocol, question, values) or (list(value) if isinstance(value, dict) else ())
            values[question.id] = check(question, value, texts=texts, chosen=labels, outputs=max(outputs, 2))
    return values


def _texts(store: Store, campaign: int, unit: Unit) -> JudgedTexts | None:
    """What was read, for answers that point into it."""
    with store.reading() as tx:
        document = tx.documents.find(campaign, unit[0])
    return None if document is None else texts_of(document, Item(*unit))


# Notes to the guidelines, written while a campaign runs: numbered, dated, shown to every judge from then on.


SETTING = NOTES


@dataclass(frozen=True, slots=True)
class GuidelineNote:
    """One addition, in force since `at`."""

    number: int
    text: str
    at: str

    def __str__(self) -> str:
        return f"{self.at[:10]} ({self.number}): {self.text}"


def notes(settings: Mapping[str, Json]) -> list[GuidelineNote]:
    """The notes of a campaign, oldest first."""
    value = settings.get(SETTING)
    entries = [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
    return [
        GuidelineNote(at, str(entry.get("text", "")), str(entry.get("at", ""))) for at, entry in enumerate(entries, 1)
    ]


def add(store: Store, campaign: int, text: str, *, account: int | None, at: datetime) -> GuidelineNote:
    """Add a note. Earlier ones stay as they are: what judges were told when must remain known."""
    new = {"text": text, "at": at.isoformat(timespec="seconds"), "by": account}
    with store.writing() as tx:
        entry = lock(tx, campaign)
        entries = [*(entry.settings.get(SETTING) or []), new]
        change(tx, entry, {SETTING: entries}, account=account, at=at)
    return notes({SETTING: entries})[-1]


def with_notes(guidelines: str, settings: Mapping[str, Json]) -> str:
    """The guidelines with all notes below them."""
    return "\n\n".join([guidelines, *map(str, notes(settings))]).strip()
