"""Which questions a page asks about an item, what was answered so far, whose answers count as earlier ones, and what is
still open.

A page may hold stages about sentences and about the document, about the source and about outputs. An item answers
those that fit it: a sentence the stages about sentences, a pair of outputs the stages that compare. What is asked
about the source is answered once per unit, whichever outputs are shown beside it. Protocol and texts do not change
while a campaign is open: they are read once and remembered.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from lanner.campaign.practice import has_reached, required_agreement, rounds
from lanner.errors import AnswerError, CampaignError, did_you_mean
from lanner.model import (
    CampaignState,
    Document,
    Item,
    Json,
    JudgeKind,
    Object,
    Protocol,
    Question,
    Role,
    Spans,
    Stage,
    Text,
    Unit,
)
from lanner.protocols.answers import Accepted, accept, texts_of
from lanner.protocols.conditions import chosen_labels, holds
from lanner.protocols.kinds import kind_of
from lanner.protocols.kinds.base import JudgedTexts
from lanner.protocols.worked_examples import has_examples
from lanner.store import JUDGE_ITSELF, AssignedTask, StoredAnswer, TaskStanding, Transaction
from lanner.store.rows import dumps, loads, moment

StageQuestion = tuple[Stage, Question]
Key = tuple[str, str, str]
"""Question, outputs (as JSON) and role: what tells the answers of one judge about one unit apart."""
_MOST_KEYS = 1000


def fits(stage: Stage, item: Item) -> bool:
    """Whether a stage asks about this kind of item."""
    if not _about(stage, item):
        return False
    if stage.object is Object.OUTPUT:
        return len(item.systems) == 1
    return stage.object is not Object.OUTPUTS or len(item.systems) > 1


def _about(stage: Stage, item: Item) -> bool:
    """Whether a stage asks about the kind of unit an item has: the judge, a document, a part of one."""
    if stage.unit is Unit.JUDGE or not item.document:
        return stage.unit is Unit.JUDGE and not item.document
    return (stage.unit is Unit.DOCUMENT) is not bool(item.segment)


def systems_of(stage: Stage, item: Item) -> tuple[str, ...]:
    """The outputs that an answer of this stage is about: none where it asks about the source."""
    return item.systems if stage.object in (Object.OUTPUT, Object.OUTPUTS) else ()


def deciding_questions(stage_question: StageQuestion) -> list[str]:
    """The questions whose answers decide whether this one is asked."""
    stage, question = stage_question
    names = [condition.question for condition in (stage.when, question.when) if condition]
    return [*names, question.for_each] if question.for_each else names


def deciding_pages(protocol: Protocol, page: str) -> set[str]:
    """Other pages whose answers decide what this one asks, and those that decide about them."""
    entries = [(stage, question) for stage in protocol.pages[page] for question in stage.questions]
    decisive = {name for entry in entries for name in deciding_questions(entry)}
    pages = {stage.page_id for stage, question in protocol.questions if question.id in decisive} - {page}
    return pages.union(*(deciding_pages(protocol, other) for other in pages))


class QuestionSheet:
    """What a page may ask about one kind of item, whatever the answers. `marked` are the questions that need the texts
    to be checked; on a `plain` sheet no question depends on another, so all of them are asked."""

    __slots__ = ("ids", "marked", "plain", "questions")

    def __init__(self, questions: tuple[StageQuestion, ...]) -> None:
        self.questions = questions
        self.ids = frozenset(question.id for _, question in questions)
        self.marked = frozenset(question.id for _, question in questions if isinstance(question, Spans))
        self.plain = not any(stage.when or question.when or question.for_each for stage, question in questions)


class Questions:
    """A protocol prepared for answering: made once, asked at every save."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self._pages: dict[str, tuple[StageQuestion, ...]] = {
            page: tuple((stage, question) for stage in stages for question in stage.questions)
            for page, stages in protocol.pages.items()
        }
        self._here = {page: {question.id for _, question in entries} for page, entries in self._pages.items()}
        self._about_outputs = {
            question.id: stage.object in (Object.OUTPUT, Object.OUTPUTS) for stage, question in protocol.questions
        }
        self._sheets: dict[tuple[str, bool, bool, int], QuestionSheet] = {}
        self._keys: dict[tuple[tuple[str, ...], Role], dict[str, Key]] = {}
        self.gates = tuple(stage for stage in protocol.stages if stage.gate)
        """Stages that let a judge go on only with certain answers."""
        order = {page: place for place, page in enumerate(protocol.pages)}
        self._gates_before = {
            page: tuple(gate for gate in self.gates if order[gate.page_id] < place) for page, place in order.items()
        }
        self._lookups: dict[tuple[tuple[str, ...], Role, bool, bool], tuple[tuple[str, str, str, str], ...]] = {}

    def gates_before(self, page: str) -> tuple[Stage, ...]:
        """The gates on pages before this one."""
        return self._gates_before.get(page, ())

    @cached_property
    def dependent_pages(self) -> dict[str, list[str]]:
        """By page: the others whose questions depend on its answers, as ratings do on labels."""
        pages = self.protocol.pages
        return {page: [other for other in pages if page in deciding_pages(self.protocol, other)] for page in pages}

    def sheet(self, page: str, item: Item) -> QuestionSheet:
        """Everything a page may ask about an item, prepared for checking."""
        kind = (page, bool(item.document), bool(item.segment), min(len(item.systems), 2))
        sheet = self._sheets.get(kind)
        if sheet is None:
            sheet = QuestionSheet(
                tuple(stage_question for stage_question in self._pages.get(page, ()) if fits(stage_question[0], item))
            )
            self._sheets[kind] = sheet
        return sheet

    def questions(self, page: str, item: Item) -> tuple[StageQuestion, ...]:
        """Everything a page may ask about an item, whatever the answers."""
        return self.sheet(page, item).questions

    def applicable(self, page: str, item: Item, answers: Mapping[str, Json]) -> Iterator[StageQuestion]:
        """What is asked, given the answers so far."""
        return (
            stage_question for stage_question in self.questions(page, item) if self.applies(stage_question, answers)
        )

    def applies(self, stage_question: StageQuestion, answers: Mapping[str, Json]) -> bool:
        stage, question = stage_question
        if not holds(stage.when, answers) or not holds(question.when, answers):
            return False
        return not question.for_each or bool(chosen_labels(self.protocol, question, answers))

    def accept(
        self, question: Question, value: Json, item: Item, answers: Mapping[str, Json], texts: JudgedTexts | None
    ) -> Accepted:
        """The stored form of an answer with what is unsure about it, or an `AnswerError`."""
        labels = chosen_labels(self.protocol, question, answers) if question.for_each else ()
        return accept(question, value, texts=texts, chosen=labels, outputs=max(2, len(item.systems)), strict=True)

    def unknown_question(self, question: str, page: str, item: Item) -> AnswerError:
        """The error for an answer to a question that this page does not ask about the item."""
        names = [q.id for _, q in self.questions(page, item)]
        hint = did_you_mean(question, names)
        return AnswerError(
            f"{question!r} is not asked here.", question=question, code="unknown_question", next_step=hint
        )

    def open(
        self,
        page: str,
        item: Item,
        answers: Mapping[str, Json],
        *,
        saved: bool = True,
        pages: Container[str] | None = None,
    ) -> list[str]:
        """Ids of the questions that still need an answer. Nothing open means that the item is settled.

        Open are required questions without an answer, those asked for each label whose labels have changed since,
        those with marks that were offered and not looked at yet, and those of which another page has yet to decide
        whether they are asked. Where nothing is required, leaving everything out is an answer too, but only once the
        item has been `saved`: until then nobody has looked at it. `pages` are those that this judge has about the
        unit, where that is known.
        """
        lacking = []
        open_questions = []
        touched = saved or not item.document
        sheet = self.sheet(page, item)
        for stage_question in sheet.questions:
            question = stage_question[1]
            if not sheet.plain and not self.applies(stage_question, answers):
                if self.awaits(stage_question, page, item, answers, pages):
                    lacking.append(question.id)
                continue
            value = answers.get(question.id)
            if value is None:
                if question.required:
                    lacking.append(question.id)
                elif not isinstance(question, Text):
                    open_questions.append(question.id)
            elif self._incomplete(question, value, answers):
                lacking.append(question.id)
            else:
                touched = True
        return lacking if lacking or touched else open_questions

    def _incomplete(self, question: Question, value: Json, answers: Mapping[str, Json]) -> bool:
        if question.for_each:
            return set(value) != set(chosen_labels(self.protocol, question, answers))
        return kind_of(question).is_unreviewed(question, value)

    def waits(self, page: str, item: Item, answers: Mapping[str, Json]) -> bool:
        """Whether another page has to be answered before it is known what this one asks about the item."""
        sheet = self.sheet(page, item)
        return not sheet.plain and any(
            not self.applies(stage_question, answers) and self.awaits(stage_question, page, item, answers)
            for stage_question in sheet.questions
        )

    def awaits(
        self,
        stage_question: StageQuestion,
        page: str,
        item: Item,
        answers: Mapping[str, Json],
        pages: Container[str] | None = None,
    ) -> bool:
        """Whether it is undecided if a question is asked, because another page has not been answered yet."""
        stage, question = stage_question
        for condition in (stage.when, question.when):
            if condition and answers.get(condition.question) is not None and not holds(condition, answers):
                return False
        for name in deciding_questions(stage_question):
            entry = self.protocol.find(name)
            if entry is None or answers.get(name) is not None or not fits(entry[0], item):
                continue
            elsewhere = entry[0].page_id != page and (pages is None or entry[0].page_id in pages)
            same_judges = entry[0].role in (None, stage.role) and entry[0].arm in (None, stage.arm)
            if elsewhere and same_judges and self._to_come(entry, page, item, answers, pages):
                return True
        return False

    def _to_come(
        self,
        stage_question: StageQuestion,
        page: str,
        item: Item,
        answers: Mapping[str, Json],
        pages: Container[str] | None,
    ) -> bool:
        """Whether another page's question without an answer will still be asked, or may be."""
        stage, question = stage_question
        if not self.applies(stage_question, answers):
            return self.awaits(stage_question, page, item, answers, pages)
        left_out = any(answers.get(other.id) is not None for _, other in self._pages[stage.page_id])
        return question.required or not left_out

    def heads(self, rows: Sequence[StoredAnswer]) -> dict[Key, StoredAnswer]:
        """The current answer for each question, outputs and role: the last of its revisions."""
        newest: dict[Key, StoredAnswer] = {}
        for row in rows:
            key = (row.question, row.systems, row.role)
            if key not in newest or newest[key].revision < row.revision:
                newest[key] = row
        return newest

    def keys(self, item: Item) -> dict[str, Key]:
        """By question, the key of `heads` under which the answer about an item is found."""
        key = self._keys.get((item.systems, item.role))
        if key is None:
            systems, role = dumps(item.systems), item.role.value
            about_outputs = self._about_outputs.items()
            key = {question: (question, systems if about else "[]", role) for question, about in about_outputs}
            if len(self._keys) >= _MOST_KEYS:
                self._keys.clear()
            self._keys[item.systems, item.role] = key
        return key

    def lookups(self, item: Item) -> tuple[tuple[str, str, str, str], ...]:
        """Stage, question, outputs and role of every answer about the unit of an item that `answers` may look at."""
        kind = (item.systems, item.role, bool(item.document), bool(item.segment))
        lookup = self._lookups.get(kind)
        if lookup is None:
            keys = self.keys(item)
            roles = dict.fromkeys((item.role.value, Role.MAIN.value))
            lookup = tuple(
                (stage.id, question.id, keys[question.id][1], role)
                for stage, question in self.protocol.questions
                if _about(stage, item)
                for role in roles
            )
            if len(self._lookups) >= _MOST_KEYS:
                self._lookups.clear()
            self._lookups[kind] = lookup
        return lookup

    def answers(
        self, page: str, item: Item, heads: Mapping[Key, StoredAnswer], *, known: Mapping[str, Json] | None = None
    ) -> dict[str, Json]:
        """A judge's answers about the unit of an item, from all pages, as conditions and repeated questions see them.
        A control or repeat is answered anew on its page, and builds on the main run for what other pages asked.
        `known` are those of this item that have been read already."""
        answers: dict[str, Json] = {}
        here = self._here[page]
        for question, key in self.keys(item).items():
            if known and question in known:
                answers[question] = known[question]
                continue
            row = heads.get(key)
            if row is None and question not in here:
                row = heads.get((question, key[1], Role.MAIN.value))
            if row is not None:
                answers[question] = loads(row.value)
        return answers


# When a page of a campaign takes answers: while the campaign runs and the task is not finished, after the pages that
# must be agreed to (consent), and after practice that has reached the agreement the campaign asks for.
#
# Every way in uses these functions: a judge's page, the form without scripts, the interface for programs, finishing.


_STATES = {
    CampaignState.DRAFT: ("draft", "The campaign has not been opened yet.", "Come back when the organiser opens it."),
    CampaignState.PAUSED: ("paused", "The campaign is paused.", "Your answers are kept here and sent when it goes on."),
    CampaignState.CLOSED: ("closed", "The campaign is closed.", "Ask the organiser to reopen it."),
}


def refuse(standing: TaskStanding, task: int) -> None:
    """Refuse answers to a campaign that does not run and to a task that is finished."""
    if standing.state in _STATES:
        code, what, next_step = _STATES[standing.state]
        raise CampaignError(what, code=code, next_step=next_step)
    if standing.finished:
        raise CampaignError(
            f"Task {task} is finished.", code="finished", next_step="The organiser can reopen it for you."
        )


def refuse_early(
    tx: Transaction,
    standing: TaskStanding,
    questions: Questions,
    *,
    page: str,
    kind: JudgeKind,
    about_judge: Sequence[StoredAnswer],
) -> None:
    """Refuse answers to a page whose turn has not come yet. `about_judge` is what the judge has said about themselves,
    consent included."""
    if not _passed_gates(questions, page, kind, about_judge):
        raise CampaignError("This cannot begin before an earlier page has been agreed to.", code="gate")
    if kind is not JudgeKind.PERSON:
        return
    number, participant = standing.campaign, standing.judge

    def read_required() -> float | None:
        campaign = tx.campaigns.find(number)
        return required_agreement(campaign.settings) if campaign is not None else None

    # the version counts every change of the settings; who has reached an agreement has reached it for good
    required: float | None = tx.cache.get(("practice", number, standing.campaign_version), read_required)
    if required is None or participant is None or not has_examples(questions.protocol, page):
        return

    def require_practice() -> None:
        if not has_reached(rounds(tx, number, participant, questions.protocol, page), required):
            raise CampaignError(
                "The texts open after practice that agrees with the reference answers.",
                code="practice",
                names={"n": f"{100 * required:.0f}"},
                next_step=f"Open your work and practise until {required:.0%} of the answers agree.",
            )

    tx.cache.get(("practised", participant, page, required), require_practice)


def refuse_early_finish(tx: Transaction, standing: TaskStanding, questions: Questions, page: str) -> None:
    """Refuse to finish a task of a page whose turn has not come yet: its questions may all be optional."""
    if standing.judge is None:
        return
    kind, about_judge = _about_judge(tx, standing.campaign, standing.judge, questions)
    refuse_early(tx, standing, questions, page=page, kind=kind, about_judge=about_judge)


def gate_open(tx: Transaction, campaign: int, judge: int, questions: Questions, page: str) -> bool:
    """Whether every page before this one that lets judges go on only with certain answers (consent) has them. Models
    are not asked for consent."""
    return not questions.gates_before(page) or _passed_gates(
        questions, page, *_about_judge(tx, campaign, judge, questions)
    )


def _about_judge(
    tx: Transaction, campaign: int, judge: int, questions: Questions
) -> tuple[JudgeKind, Sequence[StoredAnswer]]:
    """What a judge is, and what they have said about themselves."""
    participant = tx.judges.by_number(judge)
    kind = participant.judge.kind if participant is not None else JudgeKind.PERSON
    if not questions.gates:
        return kind, ()
    unit = (judge, tx.documents.number(campaign, JUDGE_ITSELF) or 0, "")
    answers = tx.judgements.heads_of([(*unit, *parts) for parts in questions.lookups(Item(""))])
    return kind, answers.get(unit, ())


def _passed_gates(questions: Questions, page: str, kind: JudgeKind, about_judge: Sequence[StoredAnswer]) -> bool:
    gates = questions.gates_before(page)
    if kind is JudgeKind.MODEL or not gates:
        return True
    answers = questions.answers(page, Item(""), questions.heads(about_judge))
    return all(holds(stage.gate, answers) for stage in gates)


def questions_of(tx: Transaction, campaign: int, protocol_hash: str) -> Questions:
    """The campaign's protocol, ready to be answered."""
    questions: Questions = tx.cache.get(
        ("questions", protocol_hash), lambda: Questions(tx.campaigns.protocol(campaign))
    )
    return questions


def no_task(task: int) -> CampaignError:
    """The error for a task nobody has."""
    return CampaignError(f"There is no task {task}.", code="unknown_task")


def document(tx: Transaction, standing: TaskStanding, key: str) -> Document:
    """One of the texts."""

    def make() -> Document:
        document = tx.documents.find(standing.campaign, key)
        if document is None:
            raise CampaignError(f"There is no document {key!r}.", code="unknown_document")
        return document

    found: Document = tx.cache.get(("document", standing.corpus_hash, key), make)
    return found


def texts(tx: Transaction, standing: TaskStanding, item: Item) -> JudgedTexts | None:
    """What the judge was shown of an item."""
    return texts_of(document(tx, standing, item.document), item) if item.document else None


# What a judge has answered so far


@dataclass(frozen=True, slots=True)
class CurrentAnswer:
    """An answer as it stands: its judgement (the `base` of a revision), its value, and when it came."""

    id: int
    value: Json
    revision: int
    received_at: datetime


@dataclass(frozen=True, slots=True)
class ItemAnswers:
    """What a judge has said about one item: the answers that hold, by question; and, with those of other pages about
    the same unit, what conditions and repeated questions look at."""

    current: Mapping[str, CurrentAnswer]
    earlier: Mapping[str, Json]


def answers_of_task(tx: Transaction, entry: AssignedTask, protocol_hash: str) -> list[ItemAnswers]:
    """What the judge of a task has said about each of its items."""
    questions = questions_of(tx, entry.campaign, protocol_hash)
    page = entry.task.page
    answers = []
    moments: dict[int, datetime] = {}  # answers of one save share theirs
    for item, rows in zip(entry.task.items, rows_of(tx, entry), strict=True):
        if not rows:
            answers.append(ItemAnswers({}, {}))
            continue
        heads = questions.heads(rows)
        keys = questions.keys(item)
        mine = {question.id: heads.get(keys[question.id]) for _, question in questions.questions(page, item)}
        own_answers = {
            name: _current_answer(row, moments) for name, row in mine.items() if row is not None and row.value != "null"
        }
        values = {name: each.value for name, each in own_answers.items()}
        answers.append(ItemAnswers(own_answers, questions.answers(page, item, heads, known=values)))
    return answers


def rows_of(tx: Transaction, entry: AssignedTask) -> list[list[StoredAnswer]]:
    """Item by item, everything its judge has ever answered about the same unit."""
    if entry.judge is None:
        return [[] for _ in entry.task.items]
    rows = {document: tx.judgements.of_document(entry.judge, document) for document in dict.fromkeys(entry.documents)}
    pairs = zip(entry.task.items, entry.documents, strict=True)
    return [rows[document].get(item.segment, []) for item, document in pairs]


def _current_answer(row: StoredAnswer, moments: dict[int, datetime]) -> CurrentAnswer:
    received = moments.get(row.received_at)
    if received is None:
        received = moments[row.received_at] = moment(row.received_at)
    return CurrentAnswer(row.id, loads(row.value), row.revision, received)
