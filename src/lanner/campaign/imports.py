"""Judgements made elsewhere, checked by the same protocol: leniently, counted, and all of them before any is stored."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lanner import formats, protocols
from lanner.campaign.create import add_campaign, check_documents
from lanner.campaign.people import check_judges
from lanner.campaign.progress import IMPORTED, history, judges, pseudonyms
from lanner.campaign.questions import systems_of
from lanner.campaign.states import Reference, lock
from lanner.campaign.tasks import tick_off
from lanner.errors import CampaignError, InputError, LannerError, Where, check_known, did_you_mean
from lanner.formats import Reading
from lanner.formats.parsing.readings import name_in_pair
from lanner.model import (
    Campaign,
    CampaignState,
    Document,
    Item,
    Json,
    Judge,
    JudgeKind,
    Judgement,
    Object,
    Protocol,
    Segment,
    all_systems,
)
from lanner.protocols.judgements import CheckedJudgements, take_in
from lanner.store import JUDGE_ITSELF, LEFT_OUT, Key, NewAnswer, Store, Transaction
from lanner.store.rows import dumps, micros, now


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import came to: rows stored, of which so many replace earlier ones; spellings resolved and rules broken,
    counted by question and by flag; judges that are new here. `already` when the same rows had been imported before,
    in which case nothing was stored. `unusable` says which outputs of a model were none, and why."""

    campaign: Campaign
    judgements: int
    revisions: int = 0
    new_judges: tuple[str, ...] = ()
    flags: Mapping[str, int] = field(default_factory=dict)
    repairs: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    already: bool = False
    unusable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LogEntry:
    """The entry in the log for an import: the kind of event, the account, and more details."""

    kind: str = "imported"
    account: int | None = None
    detail: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CampaignContent:
    """What a new campaign is made of. Without the texts, documents are known by their ids alone. Of the judges, those
    in `left_out` count in no result, for the reason given."""

    name: str
    judgements: Sequence[Judgement]
    protocol: Protocol
    documents: Sequence[Document] = ()
    judges: Sequence[Judge] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    title: str = ""


def import_campaign(
    store: Store,
    name: str,
    judgements: Iterable[Judgement],
    protocol: Protocol | str | Path,
    *,
    documents: Sequence[Document] = (),
    judges: Sequence[Judge] = (),
    left_out: Mapping[str, str] | None = None,
    title: str = "",
    at: datetime | None = None,
) -> Imported:
    """A new campaign made of judgements from elsewhere (see `CampaignContent`)."""
    definition = protocol if isinstance(protocol, Protocol) else protocols.load(protocol)
    content = CampaignContent(name, tuple(judgements), definition, documents, judges, left_out or {}, title)
    return import_campaigns(store, [content], at=at)[0]


def import_campaigns(
    store: Store, contents: Iterable[CampaignContent], *, at: datetime | None = None
) -> list[Imported]:
    """Make new campaigns of judgements from elsewhere: all of them, or none where one cannot be made."""
    moment = at or now()
    checked = []
    for content in contents:
        texts = tuple(content.documents) or _documents_without_texts(content.judgements)
        check_documents(texts)
        # bare documents have no texts that a span could be checked by
        intake = take_in(content.protocol, content.judgements, content.documents, content.judges)
        _check_places(intake.judgements, texts)
        checked.append((content, texts, intake))
    with store.writing() as tx:
        return [_add_imported(tx, content, texts, intake, moment) for content, texts, intake in checked]


def _add_imported(
    tx: Transaction, content: CampaignContent, texts: tuple[Document, ...], intake: CheckedJudgements, at: datetime
) -> Imported:
    name, definition = content.name, content.protocol
    state, title = CampaignState.OPEN, content.title or content.name
    row = Campaign(0, name, title, definition.name, definition.hash, state, 0, IMPORTED, {}, at, at)
    number = add_campaign(tx, row, definition, texts, [], systems=list(all_systems(texts)), options={})
    running = _Import(tx.campaigns.get(number), definition, intake, content.judges, at, content.left_out)
    running.begin(tx)
    running.add_some(tx, len(running.left))
    return running.end(tx, LogEntry())


def import_judgements(
    store: Store,
    campaign: Reference,
    judgements: Iterable[Judgement],
    *,
    judges: Sequence[Judge] = (),
    left_out: Mapping[str, str] | None = None,
    account: int | None = None,
    event: str = "imported",
    detail: Mapping[str, Json] | None = None,
    at: datetime | None = None,
) -> Imported:
    """Add judgements from elsewhere to a campaign. Answers it already has to the same questions are superseded, and the
    tasks of these judges are done as far as they are answered. A closed campaign takes no more answers of judges; what
    is settled in a meeting about them may still come. Judges who are new here and in `left_out` count in no result, for
    the reason given. It is one `event` in the log, by `account`, with `detail`."""
    intake = examine(store, campaign, judgements, judges)
    moment = at or now()
    entry = LogEntry(event, account, detail or {})
    settled = bool(judges) and all(judge.kind is JudgeKind.ADJUDICATED for judge in judges)
    with store.reading() as tx:
        record = tx.campaigns.get(campaign)
        definition = tx.campaigns.protocol(record.id)
    running = _Import(record, definition, intake, judges, moment, left_out or {})
    while True:
        try:
            with store.writing() as tx:
                state = lock(tx, record.id).state
                if state is CampaignState.DRAFT or (state is CampaignState.CLOSED and not settled):
                    raise CampaignError(
                        f"{record.name} is {state} and takes no answers.",
                        code=str(state),
                        next_step="Open it first.",
                    )
                if not running.begun and not running.begin(tx):
                    return Imported(record, 0, notes=("The same judgements had been imported before.",), already=True)
                running.add_some(tx)
                if not running.left:
                    tick_off(tx, record, intake.judgements, moment)
                    return running.end(tx, entry)
        except LannerError as problem:
            if running.stored:
                problem.what = f"{problem.what} {running.stored:,} of {len(intake.judgements):,} answers were taken in."
                again = "Import the same answers again: it goes on with those that are missing."
                problem.next_step = f"{problem.next_step} {again}".strip()
            raise
        running.stored += running.written
        if store.kind == "sqlite":
            time.sleep(PAUSE_SECONDS)


def examine(
    store: Store, campaign: Reference, judgements: Iterable[Judgement], judges: Iterable[Judge] = ()
) -> CheckedJudgements:
    """Check judgements for a campaign without storing any. What cannot be imported is raised."""
    with store.reading() as tx:
        entry = tx.campaigns.get(campaign)
        definition = tx.campaigns.protocol(entry.id)
        texts = tx.documents.all(entry.id)
        _refuse_other_kinds([participant.judge for participant in tx.judges.all(entry.id)], judges)
    intake = take_in(definition, judgements, texts, judges)
    _check_places(intake.judgements, texts)
    _check_systems(intake.judgements, definition, texts)
    _refuse_code_names(store, entry.id, intake.judgements)
    return intake


def _refuse_other_kinds(present: Iterable[Judge], judges: Iterable[Judge]) -> None:
    """Refuse answers of a model, say, under the name of a person: they would count as that person's. A file that does
    not say what its judges are has people in it as far as anybody can tell."""
    kinds = {judge.id: judge.kind for judge in present}
    for judge in judges:
        if judge.kind not in (JudgeKind.PERSON, kinds.get(judge.id, judge.kind)):
            raise CampaignError(
                f"{judge.id!r} is a judge of the kind {kinds[judge.id]} here, and {judge.kind} in what is imported.",
                code="other_judge",
                next_step="Give one of them another name.",
            )


def _refuse_code_names(store: Store, campaign: int, judgements: Sequence[Judgement]) -> None:
    """Refuse this campaign's own export under code names: everybody would be there twice, and agree with themselves."""
    by_judge: dict[str, list[Judgement]] = {}
    for row in judgements:
        by_judge.setdefault(row.judge, []).append(row)
    known = {judge.id for judge in judges(store, campaign)}
    for judge, code_name in pseudonyms(store, campaign).items():
        if code_name in known or code_name not in by_judge:
            continue
        own: dict[tuple[object, ...], list[Json]] = {}
        for row in history(store, campaign, judge=judge):
            own.setdefault((*_about(row), row.question, row.role), []).append(row.value)
        shared = [row for row in by_judge[code_name] if (*_about(row), row.question, row.role) in own]
        if shared and all(row.value in own[(*_about(row), row.question, row.role)] for row in shared):
            raise InputError(
                f"{code_name} is what exports call a judge of this campaign, and the answers are theirs: they would "
                "count twice.",
                next_step="They are here already. To bring back others, export with --identified.",
            )


def _documents_without_texts(judgements: Sequence[Judgement]) -> tuple[Document, ...]:
    """Documents without texts, from what the judgements are about."""
    segments: dict[str, dict[str, set[str]]] = {}
    for entry in judgements:
        if entry.document:
            outputs = segments.setdefault(entry.document, {})
            if entry.segment:
                outputs.setdefault(entry.segment, set()).update(entry.systems)
    return tuple(
        Document(key, tuple(Segment(id_, "", dict.fromkeys(sorted(names), "")) for id_, names in outputs.items()))
        for key, outputs in segments.items()
    )


ROWS_AT_A_TIME = 2000
"""Rows in one transaction: judges can save in between. On SQLite nobody can while somebody else writes."""
PAUSE_SECONDS = 0.12
"""Between two transactions, on SQLite: a server that waits for the lock while another process imports looks for it ten
times a second, and would find it taken again each time."""


@dataclass(slots=True)
class _Import:
    """An import of judgements into a campaign, in several transactions. One that was interrupted continues when the
    same judgements are imported again: the submission tells which rows are there, the log whether all are."""

    campaign: Campaign
    protocol: Protocol
    intake: CheckedJudgements
    judges: Sequence[Judge]
    at: datetime
    left_out: Mapping[str, str]
    left: list[Judgement] = field(default_factory=list)
    begun: bool = False
    part: int = 0
    written: int = 0
    """Rows of the transaction that is open, or was the last."""
    stored: int = 0
    """Rows that were committed."""
    revisions: int = 0
    new_judges: tuple[str, ...] = ()
    submission: str = field(init=False)

    def __post_init__(self) -> None:
        self.submission = f"import-{_digest(self.intake.judgements)}"

    def begin(self, tx: Transaction) -> bool:
        """Find out what is stored already, and return whether there is anything to add."""
        received_at = self.at
        if first := tx.judgements.progress_of(self.campaign.id, self.submission):
            if any(event.detail.get("submission") == self.submission for event in tx.events.of(self.campaign.id)):
                return False
            last, received_at = first
            self.part = last + 1
        # in order of time; what has none came with the import, when that began
        in_order = sorted(self.intake.judgements, key=lambda j: _answered_at(j) or received_at)
        self.left = in_order[self.part :]
        self.begun = True
        return True

    def add_some(self, tx: Transaction, limit: int | None = None) -> None:
        """Write the next rows."""
        limit = ROWS_AT_A_TIME if limit is None else limit
        some, self.left = self.left[:limit], self.left[limit:]
        everyone = self.intake.judgements if not self.part else some
        numbers, new = _as_participants(tx, self.campaign, everyone, self.judges if not self.part else (), self.at)
        for judge in new:
            if judge in self.left_out:
                number, reason = numbers[judge], self.left_out[judge]
                tx.events.add(LEFT_OUT, self.at, campaign=self.campaign.id, seat=number, reason=reason)
        rows, revisions = _rows(
            tx,
            self.campaign,
            self.protocol,
            some,
            judges=numbers,
            submission=self.submission,
            start=self.part,
            at=self.at,
        )
        tx.judgements.add(rows)
        self.part += len(rows)
        self.written = len(rows)
        self.revisions += revisions
        self.new_judges += new

    def end(self, tx: Transaction, entry: LogEntry) -> Imported:
        """Write into the log that the import is complete."""
        count, intake = self.stored + self.written, self.intake
        detail: dict[str, Any] = {
            **entry.detail,
            "rows": self.part,
            "revisions": self.revisions,
            "flags": dict(intake.flags),
            "repairs": dict(intake.repairs),
        }
        number, account = self.campaign.id, entry.account
        tx.events.add(entry.kind, self.at, campaign=number, account=account, submission=self.submission, **detail)
        return Imported(
            self.campaign, count, self.revisions, self.new_judges, intake.flags, intake.repairs, intake.notes
        )


def _answered_at(judgement: Judgement) -> datetime | None:
    moment = judgement.answered_at
    return moment.replace(tzinfo=moment.tzinfo or UTC) if moment else None


def _digest(judgements: Sequence[Judgement]) -> str:
    """A name for these judgements, whatever file they are in, so that importing them twice is noticed."""
    digest = hashlib.sha256()
    for j in judgements:
        moment = micros(j.answered_at)
        digest.update(dumps([j.judge, *_about(j), j.stage, j.question, j.role, j.value, j.flags, moment]).encode())
    return digest.hexdigest()[:32]


def _about(judgement: Judgement) -> tuple[str, str, tuple[str, ...]]:
    return judgement.document, judgement.segment, judgement.systems


def _as_participants(
    tx: Transaction, campaign: Campaign, judgements: Sequence[Judgement], judges: Sequence[Judge], at: datetime
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Add judges who are not here yet. Return the numbers of all judges by id, and the ids of those added."""
    present = {participant.judge.id for participant in tx.judges.all(campaign.id)}
    by_id = {judge.id: judge for judge in judges}
    ids = dict.fromkeys([*by_id, *(judgement.judge for judgement in judgements)])
    new = [by_id.get(name) or Judge(name) for name in ids if name not in present]
    check_judges(new, present)
    tx.judges.add(campaign.id, new, at)
    return {participant.judge.id: participant.number for participant in tx.judges.all(campaign.id)}, tuple(
        judge.id for judge in new
    )


def _rows(
    tx: Transaction,
    campaign: Campaign,
    protocol: Protocol,
    judgements: Sequence[Judgement],
    *,
    judges: Mapping[str, int],
    submission: str,
    start: int,
    at: datetime,
) -> tuple[list[NewAnswer], int]:
    """The rows for judgements in order of time, numbered from part `start` on, and how many of them are revisions.
    Several answers to one question are a chain, of which the last one counts."""
    documents = tx.documents.numbers(campaign.id)
    stages = {question.id: stage for stage, question in protocol.questions}
    texts: dict[tuple[str, ...], str] = {}
    keys: list[Key] = []
    for entry in judgements:
        shown = systems_of(stages[entry.question], Item(entry.document, entry.segment, entry.systems))
        systems = texts.get(shown) or texts.setdefault(shown, dumps(shown))
        about = (judges[entry.judge], documents[entry.document], entry.segment)
        keys.append((*about, entry.stage, entry.question, systems, str(entry.role)))
    heads = tx.judgements.head_numbers(set(keys))
    received = micros(at)
    rows: list[NewAnswer] = []
    revisions = 0
    numbers = tx.judgements.reserve(len(judgements), [campaign.id])
    for part, (number, entry, key) in enumerate(zip(numbers, judgements, keys, strict=True), start):
        judge, document, _, _, _, systems, _ = key
        previous, revision = heads.get(key, (None, 0))
        revisions += previous is not None
        heads[key] = (number, revision + 1)
        rows.append(
            {
                "id": number,
                "campaign": campaign.id,
                "judge": judge,
                "task": None,
                "document": document,
                "segment": entry.segment,
                "stage": entry.stage,
                "question": entry.question,
                "systems": systems,
                "role": str(entry.role),
                "revision": revision + 1,
                "supersedes": previous,
                "base": previous,
                "value": dumps(entry.value),
                "flags": dumps(entry.flags) if entry.flags else None,
                "submission": submission,
                "part": part,
                "elapsed": entry.elapsed_seconds,
                "active": entry.active_seconds,
                "answered_at": micros(entry.answered_at),
                "received_at": received,
                "origin": entry.origin,
            }
        )
    return rows, revisions


def _check_places(judgements: Sequence[Judgement], documents: Sequence[Document]) -> None:
    """Refuse judgements about texts that are not there."""
    segments = {document.id: {segment.id for segment in document} for document in documents}
    segments[JUDGE_ITSELF] = set()
    for entry in judgements:
        where = Where(entry.origin or None, item=f"judge {entry.judge}")
        if entry.document not in segments:
            hint = did_you_mean(entry.document, [key for key in segments if key != JUDGE_ITSELF])
            raise InputError(f"There is no document {entry.document!r}.", where=where, next_step=hint)
        if entry.segment and entry.segment not in segments[entry.document]:
            hint = did_you_mean(entry.segment, segments[entry.document])
            what = f"The document {entry.document!r} has no segment {entry.segment!r}."
            raise InputError(what, where=where, next_step=hint)


def _check_systems(judgements: Iterable[Judgement], protocol: Protocol, documents: Sequence[Document]) -> None:
    """Refuse judgements about outputs that the campaign does not have: one misspelt name would be one system more. Of a
    document that is known by its id alone nobody knows the systems."""
    objects = {question.id: stage.object for stage, question in protocol.questions}
    systems = {
        document.id: {name for segment in document for name in (*segment.outputs, *segment.references)}
        for document in documents
        if any(text for segment in document for text in segment.outputs.values())
    }
    checked: set[tuple[object, ...]] = set()
    for entry in judgements:
        key = (entry.question, entry.document, entry.systems)
        if key in checked or entry.document not in systems:
            continue
        checked.add(key)
        where = Where(entry.origin or None, item=f"judge {entry.judge}")
        if objects[entry.question] is Object.OUTPUT and len(entry.systems) != 1:
            raise InputError(
                f"{entry.question} is asked about one output, and this answer is about {len(entry.systems)}.",
                where=where,
                next_step="Say which system it is about.",
            )
        for name in entry.systems:
            what = f"There is no output of {name!r} in {entry.document!r}."
            check_known(name, systems[entry.document], what, InputError, where=where)


# Whole files into a campaign: answers given elsewhere, looked at first.


_MOST = 60


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """What a file of answers would bring: judges with how many answers and whether they are known here, questions with
    how many, how many break a rule of the protocol."""

    format: str
    answers: int
    judges: tuple[tuple[str, int, bool], ...]
    questions: tuple[tuple[str, int], ...]
    flagged: int
    notes: tuple[str, ...]


def inspect_file(store: Store, campaign: Reference, path: Path) -> ImportSummary:
    """What a file of answers would bring. Whatever is wrong with it is raised, with its line; nothing is stored."""
    name, readings = _read(store, campaign, path)
    answers = [entry for reading in readings for entry in reading.judgements]
    examination = examine(store, campaign, answers, [judge for reading in readings for judge in reading.judges])
    present = {judge.id for judge in judges(store, campaign)}
    by_judge = Counter(entry.judge for entry in examination.judgements)
    by_question = Counter(entry.question for entry in examination.judgements)
    notes = dict.fromkeys([*(note for reading in readings for note in reading.notes), *examination.notes])
    return ImportSummary(
        format=formats.titles().get(name, name),
        answers=len(examination.judgements),
        judges=tuple((judge, count, judge in present) for judge, count in by_judge.most_common(_MOST)),
        questions=tuple(by_question.most_common()),
        flagged=sum(examination.flags.values()),
        notes=tuple(notes),
    )


def import_file(store: Store, campaign: Reference, path: Path, *, account: int | None = None) -> Imported:
    """Take the answers of a file in: all of them or none."""
    _, readings = _read(store, campaign, path)
    answers = [entry for reading in readings for entry in reading.judgements]
    people = {judge.id: judge for reading in readings for judge in reading.judges}
    left_out = {judge: reason for reading in readings for judge, reason in reading.left_out.items()}
    return import_judgements(store, campaign, answers, judges=list(people.values()), left_out=left_out, account=account)


def _match_document_names(store: Store, campaign: Reference, readings: list[Reading]) -> list[Reading]:
    """Rename documents of a file with one language pair where the campaign, which has several, carries the pair in its
    documents' names."""
    with store.reading() as tx:
        known = {document.id for document in tx.documents.all(tx.campaigns.get(campaign).id)}
    result = []
    for reading in readings:
        names = {
            document.id: name
            for document in reading.documents
            if document.id not in known and (name := name_in_pair(document.id, document.language_pair)) in known
        }
        entries = (replace(entry, document=names.get(entry.document, entry.document)) for entry in reading.judgements)
        result.append(replace(reading, judgements=tuple(entries)) if names else reading)
    return result


def _read(store: Store, campaign: Reference, path: Path) -> tuple[str, list[Reading]]:
    name = formats.recognise(path)
    readings = list(formats.read(path, name))
    if not any(reading.judgements for reading in readings):
        raise InputError(
            "There are no judgements in this file.",
            code="no_judgements",
            next_step="Texts are brought in with a new campaign.",
        )
    return name, _match_document_names(store, campaign, readings)
