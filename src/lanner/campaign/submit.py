"""Where every answer is handed in: of people, of models, of simulated judges.

An answer is checked by the frozen protocol, then appended. A submission has an id made by the client: sent twice, it
is stored once and answered alike, even when the campaign has been closed in between. Sent again with other content, it
is refused with what is stored, and nothing of it is taken. A revision supersedes what was there; where that is not what
the client had seen (`base`), both are kept in the history, the later one counts, and the conflict is reported.

Many submissions are stored in one transaction, since a question to the database costs more than its answer. Each is
checked by itself, and what is refused does not hold up the rest.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import time
from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal

from lanner.campaign.questions import (
    Key,
    Questions,
    StageQuestion,
    deciding_questions,
    no_task,
    questions_of,
    refuse,
    refuse_early,
    rows_of,
    systems_of,
    texts,
)
from lanner.errors import AnswerError, CampaignError, LannerError, StoreError
from lanner.model import JUDGE_GROUPS, Item, Json, Stage
from lanner.protocols.answers import Accepted, is_duration, is_moment
from lanner.protocols.kinds.base import JudgedTexts
from lanner.store import (
    AssignedTask,
    CollisionError,
    NewAnswer,
    SavedProgress,
    Store,
    StoredAnswer,
    StoredPart,
    TaskItem,
    Transaction,
    Unit,
)
from lanner.store import Key as StoredKey
from lanner.store.rows import dumps, loads, micros, now

# Answers on their way in, and what became of them.


@dataclass(frozen=True, slots=True)
class Submission:
    """Answers to questions about one item of a task. `elapsed` and `active` are the seconds spent on the item so far.
    `base` names the judgement each answer replaces as the client knows it (None: there was none); left out, no
    conflict is looked for. `judge`, where given, must be the task's: the id, the participant's number, or numbers of
    all the participants of whoever asks. `flags` say by question what was unsure about an answer before it got the form
    in which it is handed in."""

    task: int
    item: int
    answers: Mapping[str, Json]
    id: str
    elapsed: float | None = None
    active: float | None = None
    answered_at: datetime | None = None
    base: Mapping[str, int | None] | None = None
    judge: str | int | tuple[int, ...] | None = None
    flags: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Another client had answered in between. Its answer is in the history, the later one counts."""

    question: str
    id: int
    value: Json


@dataclass(frozen=True, slots=True)
class SaveResult:
    """What a save came to: the judgement of each question, what is still open about the item, what others had said,
    and the item it was about. `answers` are those that were sent; each of them is on disk."""

    ids: Mapping[str, int]
    open: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    repeated: bool = False
    item: Item | None = None
    answers: Mapping[str, Json] = field(default_factory=dict)

    @property
    def done(self) -> bool:
        return not self.open

    @property
    def digests(self) -> dict[str, str]:
        """The digest of each answer as it was sent. A client forgets an answer only when it is named here."""
        return {question: digest(value) for question, value in self.answers.items()}


class ReusedError(CampaignError):
    """An id that already stands for other answers. Nothing of the second submission was stored.

    `stored` are the answers that the id stands for, where they are this judge's and about this item: the judgement's
    id and its value. `digests` names those of the second submission that are among them.
    """

    def __init__(
        self,
        submission: str,
        *,
        stored: Mapping[str, tuple[int, Json]] | None = None,
        answers: Mapping[str, Json] | None = None,
    ) -> None:
        super().__init__(
            f"The submission {submission!r} was used before, for other answers.",
            code="reused",
            next_step="Nothing was stored. Send these answers under an id of their own, for instance a random UUID.",
        )
        self.stored = dict(stored or {})
        self.digests = {question: digest(value) for question, value in (answers or {}).items()}


def digest(value: Json) -> str:
    """SHA-256 of an answer as canonical JSON (RFC 8785), which every language can compute."""
    return hashlib.sha256(_canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def _is_plain(value: Json) -> bool:
    """Whether Python's own JSON is canonical already: nothing with a decimal point, no key beyond ASCII."""
    if isinstance(value, dict):
        return all(key.isascii() and _is_plain(part) for key, part in value.items())
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return type(value) is not float and (type(value) is not int or abs(value) <= 2**53)


def _canonical(value: Json) -> str:
    if _is_plain(value):
        return _encode(value)
    if isinstance(value, dict):
        entries = sorted(value.items(), key=lambda entry: entry[0].encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{_canonical(key)}:{_canonical(part)}" for key, part in entries) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_canonical, value)) + "]"
    if isinstance(value, float) or (type(value) is int and abs(value) > 2**53):
        return _number(float(value))
    return _encode(value)


def _number(value: float) -> str:
    """A number as ECMAScript writes it."""
    if value == 0:
        return "0"
    if 1e-6 <= abs(value) < 1e21:
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    mantissa, _, exponent = repr(value).partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}"


CLEARED = dumps(["cleared"])
"""The flag of an answer that was taken back."""
NOT_ASKED = dumps(["not_asked"])
"""The flag of an answer that a revised earlier answer made pointless."""
Refused = AnswerError | CampaignError


def submit(
    store: Store,
    task: int,
    item: int,
    answers: Mapping[str, Json],
    *,
    submission: str,
    elapsed: float | None = None,
    active: float | None = None,
    answered_at: datetime | None = None,
    base: Mapping[str, int | None] | None = None,
    judge: str | int | tuple[int, ...] | None = None,
    at: datetime | None = None,
) -> SaveResult:
    """Check and store answers about one item. When this returns, they are on disk."""
    entry = Submission(task, item, answers, submission, elapsed, active, answered_at, base, judge)
    received = at or now()
    (result,) = store.write(lambda tx: save_all(tx, [entry], received))
    if isinstance(result, LannerError):
        raise result
    return result


def submit_many(
    store: Store, submissions: Iterable[Submission], *, at: datetime | None = None
) -> list[SaveResult | LannerError]:
    """Check and store answers about many items in one transaction, with one result for each: what is refused does not
    hold up the rest."""
    entries = list(submissions)
    received = at or now()
    return [*store.write(lambda tx: save_all(tx, entries, received))] if entries else []


@dataclass(slots=True)
class _Saving:
    """One submission that is being saved: what is known about the item, the changes that will be written, and the
    outcome as soon as it is certain."""

    submission: Submission
    place: TaskItem
    judge: int
    item: Item
    questions: Questions
    unit: Unit
    consent: Unit | None
    heads: dict[Key, StoredAnswer] = field(default_factory=dict)
    known: dict[str, Json] = field(default_factory=dict)
    changes: list[tuple[StageQuestion, Json, str | None]] = field(default_factory=list)
    outcome: SaveResult | Refused | None = None

    @property
    def name(self) -> tuple[int, str]:
        """The campaign and the client's id: what a submission is known by."""
        return self.place.standing.campaign, self.submission.id

    @property
    def units(self) -> set[Unit]:
        """The units whose answers have to be read before this can be checked."""
        return {self.unit} if self.consent is None else {self.unit, self.consent}

    @property
    def keys(self) -> list[StoredKey]:
        """The keys of the answers in these units: only the current ones are read, however long their history is."""
        own = [(*self.unit, *parts) for parts in self.questions.lookups(self.item)]
        if self.consent is not None:
            own += [(*self.consent, *parts) for parts in self.questions.lookups(Item(""))]
        return own


def save_all(tx: Transaction, submissions: Sequence[Submission], received: datetime) -> list[SaveResult | Refused]:
    """Check submissions and append their answers, inside the caller's transaction: one result for each."""
    places = tx.tasks.places([(each.task, each.item, each.id) for each in submissions])
    entries = [_prepare(tx, each, place) for each, place in zip(submissions, places, strict=True)]
    saved: set[tuple[int, str]] = set()  # submissions of this batch, which `places` could not know of
    for run in _runs([entry for entry in entries if isinstance(entry, _Saving)]):
        repeated = {saving.name for saving in run if saving.place.repeated or saving.name in saved}
        _save_run(tx, run, repeated, micros(received))
        saved.update(saving.name for saving in run)
    outcomes = [entry.outcome if isinstance(entry, _Saving) else entry for entry in entries]
    return [outcome for outcome in outcomes if outcome is not None]


def _runs(savings: Iterable[_Saving]) -> Iterator[list[_Saving]]:
    """Cut a batch where a submission has to see what an earlier one wrote, since both are about the same sentence or
    came under the same id. What is left together can be read together, and written together."""
    run: list[_Saving] = []
    units: set[Unit] = set()
    names: set[tuple[int, str]] = set()
    for saving in savings:
        if saving.name in names or not units.isdisjoint(saving.units):
            yield run
            run, units, names = [], set(), set()
        run.append(saving)
        units.add(saving.unit)
        names.add(saving.name)
    if run:
        yield run


def _save_run(tx: Transaction, run: Sequence[_Saving], repeated: set[tuple[int, str]], received_at: int) -> None:
    """Check submissions that do not depend on each other, and write those that may be."""
    rows = tx.judgements.heads_of({key for saving in run for key in saving.keys})
    parts = tx.judgements.parts(repeated)
    for saving in run:
        try:
            saving.outcome = _check_save(tx, saving, rows, parts.get(saving.name, ()))
        except (AnswerError, CampaignError) as refused:
            saving.outcome = refused
    waiting = [saving for saving in run if saving.outcome is None]
    if waiting and not tx.is_alone:  # a campaign may have been stopped since it was checked
        waiting = _lock_open(tx, waiting)
    _write(tx, waiting, received_at)


def _prepare(tx: Transaction, submission: Submission, place: TaskItem | None) -> _Saving | Refused:
    """Check whatever does not depend on the judge's earlier answers, and say which of these have to be read."""
    try:
        if place is None:
            raise no_task(submission.task)
        judge = refuse_stranger(place, submission)
        _refuse_unstorable(submission)
        if place.revoked:  # a page may be open still, and a save may have been on its way when the judge left
            raise CampaignError(
                f"The link of {place.judge} was revoked, so no answers are taken.",
                code="revoked",
                next_step="The organiser can issue a new one.",
            )
        if place.item is None:
            raise CampaignError(f"Task {submission.task} has no item {submission.item}.", code="unknown_item")
        standing = place.standing
        questions = questions_of(tx, standing.campaign, standing.protocol_hash)
    except (AnswerError, CampaignError) as refused:
        return refused
    gated = place.about_judge is not None and questions.gates_before(place.page)
    consent = (judge, place.about_judge or 0, "") if gated else None
    return _Saving(
        submission, place, judge, place.item, questions, (judge, place.document, place.item.segment), consent
    )


def _refuse_unstorable(submission: Submission) -> None:
    """Refuse times and ids that no answer can have and no database can hold: they would make the whole batch fail."""
    times = {"elapsed": submission.elapsed, "active": submission.active}
    wrong = [name for name, seconds in times.items() if not is_duration(seconds)]
    wrong += ["answered_at"] * (not is_moment(submission.answered_at))
    wrong += [f"base of {name}" for name, number in (submission.base or {}).items() if abs(number or 0) >= 2**63]
    if wrong:
        raise AnswerError(
            f"{wrong[0]}: there is no such {'judgement' if wrong[0].startswith('base') else 'time'}.",
            code="impossible",
            next_step="Correct it, or leave it out.",
        )


def _check_save(
    tx: Transaction, saving: _Saving, rows: dict[Unit, list[StoredAnswer]], parts: Sequence[StoredPart]
) -> SaveResult | None:
    """Check one submission against the judge's earlier answers. None means that it can be written; where it is stored
    already, the result is that of the first time."""
    place, questions = saving.place, saving.questions
    answers = rows.get(saving.unit)
    if answers:
        saving.heads = questions.heads(answers)
        saving.known = questions.answers(place.page, saving.item, saving.heads)
    if parts:
        return _repeat_result(tx, saving, parts)
    refuse(place.standing, saving.submission.task)
    about_judge = rows.get(saving.consent, ()) if saving.consent is not None else ()
    refuse_early(tx, place.standing, questions, page=place.page, kind=place.kind, about_judge=about_judge)
    _check_answers(tx, saving)
    return None


def _check_answers(tx: Transaction, saving: _Saving) -> None:
    """Check the answers in the order of the questions, so that each sees those before it. Take back earlier answers to
    questions that are no longer asked, so that nothing that follows rests on them."""
    questions, item, page = saving.questions, saving.item, saving.place.page
    answers, known = saving.submission.answers, saving.known
    sheet = questions.sheet(page, item)
    for name in answers:
        if name not in sheet.ids:
            raise questions.unknown_question(name, page, item)
    visible_texts = None if sheet.marked.isdisjoint(answers) else _texts(tx, saving)
    for entry in sheet.questions:
        question = entry[1]
        name = question.id
        value = answers.get(name)
        if not sheet.plain and not questions.applies(entry, known):
            if value is not None:
                raise AnswerError(
                    f"{name}: is not asked, given the answers before it.", question=name, code="not_asked"
                )
            _take_back(saving, entry)
            continue
        if name not in answers:
            continue
        taken_back = value is None and known.get(name) is not None  # any answer may be; a required one is missing then
        answer = Accepted(None) if taken_back else questions.accept(question, value, item, known, visible_texts)
        if answer.value is None and known.get(name) is None:
            continue
        known[name] = answer.value
        flags = tuple(dict.fromkeys((*saving.submission.flags.get(name, ()), *answer.flags)))
        saving.changes.append(
            (entry, answer.value, CLEARED if answer.value is None else dumps(flags) if flags else None)
        )


def _take_back(saving: _Saving, entry: StageQuestion) -> None:
    """Take back the answer to a question that is not asked any more, if there is one."""
    name = entry[1].id
    if saving.known.get(name) is not None:
        saving.known[name] = None
        saving.changes.append((entry, None, NOT_ASKED))


def take_back_unasked(
    tx: Transaction, questions: Questions, entry: AssignedTask, at: datetime, given: Container[AnswerKey]
) -> None:
    """Take back the answers of a task to questions that are no longer asked, because answers before them were revised.
    Answers to questions that are still undecided stay, and so do those `given` just now."""
    page, number = entry.task.page, entry.task.id
    submissions = [Submission(number, position, {}, secrets.token_hex(16)) for position in range(len(entry.documents))]
    places = tx.tasks.places([(number, each.item, each.id) for each in submissions])
    savings: list[_Saving] = []
    for submission, place, item, rows in zip(submissions, places, entry.task.items, rows_of(tx, entry), strict=True):
        if place is None or entry.judge is None:
            continue
        heads = questions.heads(rows)
        known = questions.answers(page, item, heads)
        unit = (entry.judge, place.document, item.segment)
        saving = _Saving(submission, place, entry.judge, item, questions, unit, None, heads, known)
        kept = {
            question.id
            for stage, question in questions.questions(page, item)
            if answer_key(item, question.id, stage) in given
            or any(name not in known for name in deciding_questions((stage, question)))
            or questions.awaits((stage, question), page, item, known)
        }
        for other in questions.questions(page, item):
            if other[1].id not in kept and not questions.applies(other, known):
                _take_back(saving, other)
        if saving.changes:
            savings.append(saving)
    _write(tx, savings, micros(at))


AnswerKey = tuple[object, ...]
"""The result of `answer_key`: what an answer is about, whichever task asks for it."""


def answer_key(item: Item, question: str, stage: Stage) -> AnswerKey:
    """The key of an answer to a question about an item. It has the item's role: a repeat is answered anew."""
    return item.document, item.segment, item.role, question, systems_of(stage, item)


def _texts(tx: Transaction, saving: _Saving) -> JudgedTexts | None:
    """What the judge was shown. Marks to start from are offered to people alone: a model makes its own."""
    visible_texts = texts(tx, saving.place.standing, saving.item)
    if visible_texts is None or saving.place.kind in JUDGE_GROUPS["people"]:
        return visible_texts
    return replace(visible_texts, prefilled=None)


def _lock_open(tx: Transaction, savings: Sequence[_Saving]) -> list[_Saving]:
    """Keep campaigns from being stopped until this transaction ends. Refuse what is for one that has been, and return
    the rest."""
    states = tx.campaigns.lock_all({saving.place.standing.campaign for saving in savings})
    for saving in savings:
        standing = saving.place.standing
        try:
            refuse(standing._replace(state=states[standing.campaign]), saving.submission.task)
        except CampaignError as refused:
            saving.outcome = refused
    return [saving for saving in savings if saving.outcome is None]


def _write(tx: Transaction, savings: Sequence[_Saving], received_at: int) -> None:
    """Append the changes, and store how far the items are."""
    if not savings:
        return
    count = sum(len(saving.changes) for saving in savings)
    campaigns = {saving.place.standing.campaign for saving in savings}
    numbers = iter(tx.judgements.reserve(count, campaigns) if count else ())
    rows: list[NewAnswer] = []
    progress = []
    for saving in savings:
        own_rows, conflicts = _rows(saving, numbers, received_at)
        rows += own_rows
        submission = saving.submission
        open_ = tuple(saving.questions.open(saving.place.page, saving.item, saving.known))
        progress.append(
            SavedProgress(submission.task, submission.item, not open_, submission.elapsed, submission.active)
        )
        ids = {row["question"]: row["id"] for row in own_rows}
        saving.outcome = SaveResult(ids, open_, conflicts, item=saving.item, answers=submission.answers)
    with tx.together():
        tx.judgements.add(rows)
        tx.tasks.set_saved(progress, received_at)


def _rows(saving: _Saving, numbers: Iterator[int], received_at: int) -> tuple[list[NewAnswer], tuple[Conflict, ...]]:
    """The answers of a submission as rows, and the conflicts: answers they replace that the client had not seen."""
    submission, item = saving.submission, saving.item
    keys, answered_at = saving.questions.keys(item), micros(submission.answered_at)
    rows: list[NewAnswer] = []
    conflicts = []
    for part, ((stage, question), value, flags) in enumerate(saving.changes):
        name = question.id
        _, systems, role = key = keys[name]
        head = saving.heads.get(key)
        previous = head.id if head else None
        base = submission.base.get(name, previous) if submission.base is not None else previous
        if head is not None and base != previous:
            conflicts.append(Conflict(name, head.id, loads(head.value)))
        rows.append(
            {
                "id": next(numbers),
                "campaign": saving.place.standing.campaign,
                "judge": saving.judge,
                "task": submission.task,
                "document": saving.place.document,
                "segment": item.segment,
                "stage": stage.id,
                "question": name,
                "systems": systems,
                "role": role,
                "revision": head.revision + 1 if head else 1,
                "supersedes": previous,
                "base": base,
                "value": dumps(value),
                "flags": flags,
                "submission": submission.id,
                "part": part,
                "elapsed": submission.elapsed,
                "active": submission.active,
                "answered_at": answered_at,
                "received_at": received_at,
                "origin": "",
            }
        )
    return rows, tuple(conflicts)


def _repeat_result(tx: Transaction, saving: _Saving, parts: Sequence[StoredPart]) -> SaveResult:
    """The result of a submission that is stored already. Refuse it whole unless it is the same to the letter.

    An answer of null without a row was sent when there was nothing to take back. It is the same as long as nothing
    stands there now.
    """
    questions, item, submission, page = saving.questions, saving.item, saving.submission, saving.place.page
    if any((part.judge, part.document, part.segment) != saving.unit or part.task != submission.task for part in parts):
        raise ReusedError(submission.id)
    sheet = questions.sheet(page, item)
    by_id = {question.id: question for _, question in sheet.questions}
    keys = questions.keys(item)
    if any(keys.get(part.question) != (part.question, part.systems, part.role) for part in parts):
        raise ReusedError(submission.id)
    visible_texts = _texts(tx, saving) if sheet.marked else None
    stored = {part.question: part for part in parts}
    values = {part.question: loads(part.value) for part in parts}
    same: dict[str, Json] = {}
    for name, value in submission.answers.items():
        question = by_id.get(name)
        normal = value
        if question is not None and value is not None:
            labels = {question.for_each: value} if question.for_each else {}
            try:
                normal = questions.accept(question, value, item, labels, visible_texts).value
            except AnswerError:
                continue
        if normal == values[name] if name in stored else normal is None and saving.known.get(name) is None:
            same[name] = value
    answered = {name for name, part in stored.items() if part.flags != NOT_ASKED}
    if len(same) < len(submission.answers) or not answered <= submission.answers.keys():
        current = {name: (part.id, values[name]) for name, part in stored.items()}
        raise ReusedError(submission.id, stored=current, answers=same)
    conflicts = tuple(
        Conflict(part.question, part.supersedes, loads(part.previous or "null"))
        for part in parts
        if part.supersedes is not None and part.base != part.supersedes
    )
    ids = {part.question: part.id for part in parts}
    open_ = tuple(questions.open(page, item, saving.known))
    return SaveResult(ids, open_, conflicts, repeated=True, item=item, answers=submission.answers)


def refuse_stranger(place: TaskItem, submission: Submission) -> int:
    """Refuse answers to someone else's task. Return the number of the judge whose task it is."""
    mine, asks = place.standing.judge, submission.judge
    if mine is None or not (asks in (None, mine, place.judge) or (isinstance(asks, tuple) and mine in asks)):
        raise CampaignError(f"Task {submission.task} belongs to someone else.", code="not_assigned")
    return mine


# Answers on their way to disk: those that arrive while others are being written are written together, in one
# transaction. Nobody waits longer for it, and a busy server asks the disk far less often.

_MOST = 100
"""Submissions in one transaction: enough to share the disk, few enough to answer soon."""
_TROUBLED = 90.0
"""Seconds after which a failure is no longer reported: nobody knows whether saving would work again until somebody
tries. A judging page that waits tries again after 75 seconds at the latest."""
_Outcome = SaveResult | LannerError


class SaveQueue:
    """One writer for all saves of this server."""

    def __init__(self, store: Store, writers: Executor) -> None:
        self._store = store
        self._writers = writers
        self._waiting: deque[tuple[Submission, asyncio.Future[tuple[_Outcome, datetime]]]] = deque()
        self._writing: asyncio.Task[None] | None = None
        self._failure: tuple[float, str] | None = None
        self.batches = 0
        self.failures = 0

    @property
    def waiting(self) -> int:
        """Submissions that wait for the disk."""
        return len(self._waiting)

    @property
    def trouble(self) -> str:
        """Why nothing can be saved at the moment, in words; empty when all is well."""
        if self._failure is None or time.monotonic() - self._failure[0] > _TROUBLED:
            return ""
        return self._failure[1]

    async def submit(self, submission: Submission) -> tuple[SaveResult, datetime]:
        """Save answers and return the result with the time of arrival, when they are on disk. A refusal is raised."""
        waits: asyncio.Future[tuple[_Outcome, datetime]] = asyncio.get_running_loop().create_future()
        self._waiting.append((submission, waits))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        outcome, arrival = await waits
        if isinstance(outcome, LannerError):
            raise outcome
        return outcome, arrival

    async def _write(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(_MOST, len(self._waiting)))]
            arrival = datetime.now(UTC)
            submissions = [submission for submission, _ in batch]
            outcomes: Sequence[_Outcome | BaseException]
            try:
                outcomes = await loop.run_in_executor(self._writers, self._store_all, submissions, arrival)
            except BaseException as error:
                outcomes = [error] * len(batch)
            for (_, waits), outcome in zip(batch, outcomes, strict=True):
                if waits.done():  # whoever sent it has gone; it is stored all the same
                    continue
                if isinstance(outcome, BaseException) and not isinstance(outcome, LannerError):
                    waits.set_exception(outcome)
                else:
                    waits.set_result((outcome, arrival))

    def _store_all(self, submissions: Sequence[Submission], arrival: datetime) -> Sequence[_Outcome]:
        self.batches += 1
        try:
            outcomes = submit_many(self._store, submissions, at=arrival)
            self._failure = None
            return outcomes
        except CollisionError:  # one of them stands in the way of all: each by itself
            return [self._store_one(submission, arrival) for submission in submissions]
        except LannerError as error:
            if isinstance(error, StoreError):
                self.failures += 1
                self._failure = (time.monotonic(), f"{error.what} {error.next_step}".strip())
            return [error] * len(submissions)

    def _store_one(self, submission: Submission, arrival: datetime) -> _Outcome:
        try:
            (outcome,) = submit_many(self._store, [submission], at=arrival)
        except LannerError as error:
            return error
        return outcome
