"""The judging page as plain data: what a judge may see of a task, and nothing else.

Blind by construction: texts, positions and this judge's own answers go in; systems become letters, and roles (but for
training, which judges are to know of), expected answers and other judges have no field to stand in.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from markupsafe import Markup

from lanner.campaign.questions import ItemAnswers, answers_of_task, document, gate_open, questions_of
from lanner.model import (
    Campaign,
    Document,
    Item,
    Json,
    Judge,
    Object,
    Protocol,
    Role,
    Spans,
    Stage,
    Task,
    Unit,
    languages,
)
from lanner.model.protocol import Wording
from lanner.protocols.answers import texts_of
from lanner.protocols.conditions import applicable, chosen_labels, missing
from lanner.protocols.kinds.base import JudgedTexts
from lanner.protocols.kinds.spans import offered_spans
from lanner.protocols.prefilled import as_shown
from lanner.store import AssignedTask, RecentCache, Store, Transaction
from lanner.store.rows import dumps
from lanner.web.judging.document import DocumentBlock, PageLayout, lines, open_window
from lanner.web.judging.form import FormOption, FormQuestion, asks
from lanner.web.judging.practice import PracticeExample, feedback, lessons, steps
from lanner.web.speech import Messages

# What stands in the drawer: definitions, guidelines and the keys that this page answers to.


@dataclass(frozen=True, slots=True)
class Definition:
    """One term and what it means."""

    id: str
    term: str
    text: str


@dataclass(frozen=True, slots=True)
class DefinitionSection:
    """Definitions that belong together; `tone` is the number of the group's colour."""

    title: str
    tone: int
    entries: tuple[Definition, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """One line of the list of keys; `through` is the last of a range that begins with the last of `keys`. What can be
    done `by_touch` is said where there are no keys too."""

    text: str
    keys: tuple[str, ...]
    through: str = ""
    by_touch: bool = False


def paragraphs(text: str) -> tuple[str, ...]:
    """Text in paragraphs, as blank lines part it, also those of a form (CR LF)."""
    parts = "\n".join(line.strip() for line in text.splitlines()).split("\n\n")
    return tuple(" ".join(part.split()) for part in parts if part.strip())


def definitions(questions: Sequence[FormQuestion]) -> tuple[DefinitionSection, ...]:
    """Every definition of a page: group by group, then question by question."""
    sections = []
    for ask in questions:
        own = (Definition(f"d-{ask.id}", ask.label, ask.definition),) if ask.definition else ()
        if ask.groups:
            sections += [DefinitionSection(g.label, g.tone, _entries(ask, g.picks)) for g in ask.groups]
            sections.append(DefinitionSection("", 0, own))
        else:
            entries = _entries(ask, (*ask.rows, *ask.options, *ask.severities))
            sections.append(DefinitionSection(ask.label if entries else "", 0, own + entries))
    merged: list[DefinitionSection] = []
    for section in sections:
        if section.entries and merged and not section.title and not merged[-1].title:
            merged[-1] = DefinitionSection("", 0, merged[-1].entries + section.entries)
        elif section.entries:
            merged.append(section)
    return tuple(merged)


def _entries(ask: FormQuestion, picks: Sequence[FormOption]) -> tuple[Definition, ...]:
    return tuple(Definition(f"d-{ask.id}-{p.id}", p.label, p.definition) for p in picks if p.definition)


def keys(questions: Sequence[FormQuestion], messages: Messages, *, unit: Unit) -> tuple[Key, ...]:
    """The keys of a page: first those of its questions, then those of every page but for letters a question has."""
    say = messages.get
    own = [key for ask in questions for key in _keys_of(ask, messages)]
    shortcuts: list[Key] = []
    if unit is not Unit.JUDGE:
        shortcuts += [Key(say("keys.rows"), ("j", "k")), Key(say("keys.arrows"), ("↓", "↑"))]
        shortcuts.append(Key(say("keys.inside"), ("←", "→")))
        shortcuts.append(Key(say("keys.page"), ("Page ↑", "Page ↓")))
    shortcuts += [Key(say("keys.accept"), ("↵",)), Key(say("keys.undo"), ("u",))]
    if unit is not Unit.JUDGE:
        shortcuts.append(Key(say("keys.find"), ("/",)))
    shortcuts += [
        Key(say("keys.definitions"), ("d",)),
        Key(say("keys.define"), ("i",)),
        Key(say("keys.guidelines"), ("g",)),
        Key(say("keys.comment_accept"), ("Ctrl", "↵")),
        Key(say("keys.finish"), ("f",)),
        Key(say("keys.escape"), ("Esc",)),
        Key(say("keys.help"), ("?",)),
    ]
    letters = {(ask.letter,) for ask in questions}
    return (*own, *(key for key in shortcuts if key.keys not in letters))


def coach(questions: Sequence[FormQuestion], messages: Messages) -> tuple[Key, ...]:
    """What to press first, for a judge who sees the page for the first time: one line for each question that counts."""
    shortcuts: list[Key] = []
    for ask in questions:
        if ask.kind == "spans":
            shortcuts.append(Key(messages.get("practice.mark"), ("1",), "9", by_touch=True))
        elif ask.required:
            shortcuts += _keys_of(ask, messages)
    return tuple(shortcuts[:4])


def _keys_of(ask: FormQuestion, messages: Messages) -> list[Key]:
    say = messages.get
    digits = [pick.key for pick in ask.options if pick.key and not pick.parent]
    if ask.kind == "spans":
        return [
            Key(say("keys.words"), ("←", "→")),
            Key(say("keys.widen"), ("Shift", "←", "→")),
            Key(say("keys.letters"), ("Alt",)),
            Key(say("keys.parts"), ("Ctrl", "←", "→")),
            Key(say("keys.ends"), ("Home", "End")),
            Key(say("keys.word"), ("w",)),
            *([Key(say("keys.side"), ("o",))] if len(ask.sides) > 1 or ask.missing else []),
            Key(say("keys.mark"), ("1",), "9"),
            Key(say("keys.menu"), ("Tab",)),
            *([Key(say("keys.keep"), ("y",))] if ask.prefilled else []),
            Key(say("keys.remove"), ("Del",)),
            Key(say("keys.remarks"), ("n",)),
            *([Key(say("keys.link"), ("l", "x"))] if ask.link else []),
        ]
    if ask.direct:
        picks = [row.key for row in ask.rows if row.key]
        rate = " ".join(pick.short or pick.label for pick in ask.options)
        return [Key(say("keys.pick"), (picks[0],), picks[-1]), Key(f"{ask.label}: {rate}", tuple(digits))]
    if not ask.letter:
        return []
    name = ask.label.strip("¿?？؟ ")  # more follows it: “Which is better, then 1–3”
    if ask.kind == "text":
        return [Key(say("keys.write", name=name), (ask.letter,))]
    if ask.display in ("slider", "number") or not digits:
        return [Key(say("keys.type", name=name), (ask.letter,))]
    last = "9, 0" if digits[-1] == "0" and len(digits) > 2 else digits[-1]
    range_of = f"{digits[0]}–{last}" if len(digits) > 1 else last
    return [Key(say("keys.arm", name=name, keys=range_of), (ask.letter,))]


# The page

IDLE_SECONDS = 180.0
BREAK_MINUTES = 50.0


@dataclass(frozen=True, slots=True)
class StoredAnswers:
    """What this judge has stored about one item: values and judgement ids of this page, values of earlier pages, time
    and time spent."""

    answers: Mapping[str, Json] = field(default_factory=dict)
    ids: Mapping[str, int] = field(default_factory=dict)
    earlier: Mapping[str, Json] = field(default_factory=dict)
    elapsed: float = 0.0
    active: float = 0.0


@dataclass(frozen=True, slots=True)
class PageProgress:
    """Where the judge stands in the whole assignment."""

    done: int = 0
    tasks: int = 0
    minutes_today: float = 0.0


@dataclass(frozen=True, slots=True)
class PageSettings:
    """What the campaign decides about the page."""

    guidelines: str = ""
    idle_seconds: float = IDLE_SECONDS
    break_minutes: float = BREAK_MINUTES


@dataclass(frozen=True, slots=True)
class Prepared:
    """What is the same on a page for every judge and document: its words and questions in one language, with
    definitions, keys, worked examples and steps. It is a quarter of what a page costs, so it is made once."""

    stage_title: str
    words_language: str
    guidelines: tuple[str, ...]
    instructions: tuple[str, ...]
    questions: tuple[FormQuestion, ...]
    definitions: tuple[DefinitionSection, ...]
    keys: tuple[Key, ...]
    autoarm: bool
    examples: tuple[PracticeExample, ...]
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TaskPage:
    """Everything the template of a task is given. `about` is what decides the words and forms of its questions, which
    are `prepared`."""

    id: int
    about: tuple[str, str, str, int]
    prepared: Prepared
    unit: str
    apart: bool
    """Whether each sentence is shown for itself."""
    heading: str
    shown: tuple[str, ...]
    blocks: tuple[DocumentBlock, ...]
    asks: tuple[FormQuestion, ...]
    current: int
    row: int
    finished: bool
    states: tuple[str, ...]
    progress: PageProgress
    guidelines: tuple[str, ...]
    coach: tuple[Key, ...]
    training: bool
    feedback: Mapping[str, Json] | None
    script: Mapping[str, Json]
    in_columns: bool
    preview: bool = False

    @property
    def practice(self) -> bool:
        """Whether this is practice on worked examples: nothing is stored."""
        return "practice" in self.script

    @property
    def practises(self) -> bool:
        """Whether the guidelines lead to the practice: not from there, nor from an organiser's preview."""
        return bool(self.prepared.examples) and not self.practice and not self.preview

    @property
    def writes(self) -> bool:
        """Whether there is an organiser to write to."""
        return not self.practice and not self.preview

    @property
    def solo(self) -> bool:
        """A questionnaire: no text beside the questions."""
        return self.unit == Unit.JUDGE.value

    @property
    def done(self) -> int:
        return sum(state == "done" for state in self.states)

    @property
    def of(self) -> int:
        """Of how many sentences one is judged, as the bar counts them. 0 where the sentence is numbered otherwise: as
        in its document, of which only a part is shown or judged, or in one of several documents."""
        if self.unit == Unit.ISOLATED.value:
            return len(self.states)
        judged = [line.item is not None for block in self.blocks for line in block.rows]
        alike = len(self.blocks) == 1 and all(judged) and len(judged) == len(self.states)
        return len(self.states) if alike and not self.apart and self.unit == Unit.IN_CONTEXT.value else 0

    @property
    def several(self) -> bool:
        return len(self.blocks) > 1

    @property
    def data(self) -> Markup:
        """What the page's script reads, as JSON that cannot end the element it stands in."""
        text = dumps(self.script)
        for letter in "<>&'":
            text = text.replace(letter, f"\\u{ord(letter):04x}")
        return Markup(text)

    def shape(self, ask: FormQuestion) -> Hashable:
        """Everything the markup of a question depends on."""
        return ("ask", self.about, ask.id, ask.shown, ask.shown_rows, dumps(ask.value))

    def lines(self, block: DocumentBlock, first: int, say: Callable[..., str]) -> Markup:
        """The rows of a block as markup; `first` is how many rows stand in blocks before it."""
        return lines(block, first, self.row, say, answers=self.in_columns)


def task_page(
    protocol: Protocol,
    task: Task,
    documents: Mapping[str, Document],
    given: Sequence[StoredAnswers],
    messages: Messages,
    *,
    who: str,
    row: int | None = None,
    whole: bool = False,
    progress: PageProgress | None = None,
    settings: PageSettings | None = None,
    media: Mapping[str, str] | None = None,
    practice: Mapping[str, Json] | None = None,
    preview: bool = False,
) -> TaskPage:
    """The page of one task. `given` has one entry per item; `who` is any name for this judge that says nothing (it
    keeps answers of two people on one device apart); `row` is the row to show, counted from 1 through all blocks;
    `media` are addresses of pictures by document id; `practice` is what the script of a practice page reads."""
    stages = protocol.pages[task.page]
    settings, progress = settings or PageSettings(), progress or PageProgress()
    outputs = max((len(item.systems) for item in task.items), default=2)
    about = (protocol.hash, task.page, messages.language, outputs)
    pair = _languages(task, documents)
    prepared: Prepared = _PREPARED.get((about, pair), lambda: _prepare(protocol, about, pair, messages))
    questions = prepared.questions
    given = _standing(stages, given)
    verdicts = [_feedback(protocol, task.page, *pair, messages) for pair in zip(task.items, given, strict=True)]
    prefilled = _prefilled(stages, task.items, documents)
    states = tuple(_state(protocol, task.page, entry) for entry in given)
    blocks = PageLayout(task, documents, stages[0], questions, states, messages, media or {}).blocks()
    place = _place(blocks, states, row)
    blocks = open_window(blocks, place, whole)
    current = _item_at(blocks, place)
    return TaskPage(
        id=task.id,
        about=about,
        prepared=prepared,
        unit=stages[0].unit.value,
        apart=stages[0].apart,
        heading=_heading(stages[0].unit, prepared.stage_title, messages, blocks, place),
        shown=tuple(stages[0].show),
        blocks=blocks,
        asks=tuple(_with_answer(protocol, task.page, ask, given[current]) for ask in questions),
        current=current,
        row=place,
        finished=task.finished_at is not None,
        states=states,
        progress=progress,
        guidelines=(paragraphs(settings.guidelines) or prepared.guidelines) + prepared.instructions,
        coach=coach(questions, messages) if practice else (),
        training=task.items[current].role is Role.TUTORIAL,
        feedback=verdicts[current],
        script=_script(task, given, prefilled, verdicts, messages)
        | ({"practice": practice} if practice else {})
        | {"who": who, "minutesToday": progress.minutes_today, "more": progress.tasks - progress.done > 1}
        | {"offline": not practice and not preview}
        | {"idle": settings.idle_seconds, "breakAfter": settings.break_minutes},
        in_columns=stages[0].object is Object.SOURCE,
        preview=preview,
    )


_PREPARED = RecentCache(200)


def _prepare(
    protocol: Protocol, about: tuple[str, str, str, int], pair: tuple[str, str], messages: Messages
) -> Prepared:
    _, page, language, outputs = about
    stages, wording = protocol.pages[page], Wording(protocol, language)
    questions = asks(protocol, stages, wording, messages, outputs)
    return Prepared(
        next((title for stage in stages if (title := wording.stage(stage.id))), ""),
        wording.language,
        paragraphs(wording.line("instructions")),
        tuple(line for stage in stages for line in paragraphs(wording.stage(stage.id, "instructions"))),
        questions,
        definitions(questions),
        keys(questions, messages, unit=stages[0].unit),
        not any(ask.direct for ask in questions),
        lessons(protocol, page, pair, language),
        steps(protocol, page, language),
    )


def _languages(task: Task, documents: Mapping[str, Document]) -> tuple[str, str]:
    """The languages of the first text of a task; empty where there is none, or where they are unknown."""
    first = next((documents[item.document] for item in task.items if item.document in documents), None)
    codes = (first.source_language, first.target_language) if first else ("", "")
    source, target = ("" if code == languages.UNDETERMINED else code for code in codes)
    return source, target


def _script(
    task: Task,
    given: Sequence[StoredAnswers],
    prefilled: Sequence[Mapping[str, Json]],
    verdicts: Sequence[Mapping[str, Json] | None],
    messages: Messages,
) -> dict[str, Json]:
    items = [
        {
            "saved": {name: {"id": entry.ids.get(name), "value": value} for name, value in entry.answers.items()},
            "earlier": dict(entry.earlier),
            "prefilled": dict(start),
            "elapsed": entry.elapsed,
            "active": entry.active,
            "training": item.role is Role.TUTORIAL,
            "feedback": verdict,
        }
        for item, entry, start, verdict in zip(task.items, given, prefilled, verdicts, strict=True)
    ]
    return {
        "task": task.id,
        "language": messages.language,
        "finished": task.finished_at is not None,
        "items": items,
        "words": {**messages.table("script"), "comma": languages.comma(messages.language)},
    }


def _feedback(
    protocol: Protocol, page: str, item: Item, entry: StoredAnswers, messages: Messages
) -> dict[str, Json] | None:
    """What is right and wrong in a training item, once it is answered."""
    if item.role is not Role.TUTORIAL or _state(protocol, page, entry) != "done":
        return None
    return feedback(protocol, item, entry.answers, messages.language)


def _standing(stages: Sequence[Stage], given: Sequence[StoredAnswers]) -> Sequence[StoredAnswers]:
    """Answers as the judge left them: without the suggested spans that were removed."""
    span_questions = {question.id for stage in stages for question in stage.questions if isinstance(question, Spans)}
    if not span_questions:
        return given

    def left(answers: Mapping[str, Json]) -> dict[str, Json]:
        return {name: as_shown(value) if name in span_questions else value for name, value in answers.items()}

    return [replace(entry, answers=left(entry.answers)) for entry in given]


def _prefilled(
    stages: Sequence[Stage], items: Sequence[Item], documents: Mapping[str, Document]
) -> list[dict[str, Json]]:
    """Item by item, the spans a sentence starts from, for the questions that start from some."""
    span_questions = [q for stage in stages for q in stage.questions if isinstance(q, Spans) and q.prefilled]
    starts: list[dict[str, Json]] = []
    for item in items:
        document = documents.get(item.document) if span_questions else None
        texts = texts_of(document, item) if document else None
        starts.append({question.id: _offered_marks(question, texts) for question in span_questions} if texts else {})
    return starts


def _offered_marks(question: Spans, texts: JudgedTexts) -> list[dict[str, Json]]:
    """The marks to look at: a page shows them as such until its judge has."""
    return [{**span, "origin": "offered"} for span in as_shown(offered_spans(question, texts))]


def _state(protocol: Protocol, page: str, entry: StoredAnswers) -> str:
    """done, partial, or nothing said yet."""
    if not entry.answers:
        return ""
    answers = {**entry.earlier, **entry.answers}
    return "partial" if missing(protocol, page, answers) else "done"


def _with_answer(protocol: Protocol, page: str, ask: FormQuestion, entry: StoredAnswers) -> FormQuestion:
    answers = {**entry.earlier, **entry.answers}
    applying = {question.id: question for _, question in applicable(protocol, page, answers)}
    question = applying.get(ask.id)
    rows = frozenset(chosen_labels(protocol, question, answers)) if question and question.for_each else frozenset()
    return replace(ask, value=entry.answers.get(ask.id), shown=question is not None, shown_rows=rows)


def _place(blocks: Sequence[DocumentBlock], states: Sequence[str], row: int | None) -> int:
    """The row to show, from 0: the one asked for, else the first that is not done."""
    items = [line.item for block in blocks for line in block.rows]
    if row is not None and 1 <= row <= len(items):
        return row - 1
    first_open = next((place for place, state in enumerate(states) if state != "done"), 0)
    if first_open in items:
        return items.index(first_open)
    before = 0
    for block in blocks:
        if block.item == first_open:
            return before
        before += len(block.rows)
    return next((place for place, item in enumerate(items) if item is not None), 0)


def _item_at(blocks: Sequence[DocumentBlock], place: int) -> int:
    """The item a row belongs to; context between judged sentences belongs to the next one."""
    for block in blocks:
        if place < len(block.rows):
            after = [line.item for line in block.rows[place:] if line.item is not None]
            before = [line.item for line in block.rows[:place] if line.item is not None]
            return block.item if block.item is not None else (after or before[::-1] or [0])[0]
        place -= len(block.rows)
    return 0


def _heading(unit: Unit, stage_title: str, messages: Messages, blocks: Sequence[DocumentBlock], place: int) -> str:
    if unit is Unit.JUDGE:
        return stage_title or messages.get("rail.question")
    if unit is Unit.DOCUMENT:
        return messages.get("rail.document")
    rows = [line for block in blocks for line in block.rows]
    return messages.get("rail.sentence", n=rows[place].number if rows else 1)


_A_DAY = timedelta(hours=16)  # a working day, wherever midnight is for the judge


@dataclass(frozen=True, slots=True)
class TaskView:
    """Everything the judging page is made from."""

    campaign: Campaign
    protocol: Protocol
    judge: Judge
    participant: int
    task: Task
    documents: Mapping[str, Document]
    given: tuple[StoredAnswers, ...]
    progress: PageProgress
    settings: PageSettings
    gate: int | None = None
    """What has to be done first (consent, an earlier page): a task, or 0 where there is none to open; None where this
    one is open."""
    asks_about_gate: bool = False
    """Whether that is because this task asks about the answers given there."""


def task_view(store: Store, number: int, assigned: AssignedTask | None = None) -> TaskView | None:
    """A task, which may be `assigned` as read before, with all its judge sees; None where there is none."""
    with store.reading() as tx:
        standing = tx.tasks.standing(number, to_change=False)  # a page that is open holds up no save
        if standing is None or standing.judge is None:
            return None
        entry = tx.tasks.get(number, assigned)
        campaign = tx.campaigns.find(standing.campaign)
        participant = tx.judges.by_number(standing.judge)
        if entry is None or campaign is None or participant is None:
            return None
        protocol = questions_of(tx, campaign.id, campaign.protocol_hash).protocol
        names = dict.fromkeys(item.document for item in entry.task.items if item.document)
        texts = {name: document(tx, standing, name) for name in names}
        overview = tx.progress.overview(participant.number)
        times = [(item.elapsed, item.active) for item in tx.tasks.item_progress(number)]
        today = tx.tasks.active_since(participant.number, datetime.now(UTC) - _A_DAY)
        answers = answers_of_task(tx, entry, campaign.protocol_hash)
        questions = questions_of(tx, campaign.id, campaign.protocol_hash)
        gates = {stage.page_id for stage in questions.gates_before(entry.task.page)}
        closed = not gate_open(tx, campaign.id, participant.number, questions, entry.task.page)
        gate = next((line.task for line in overview if line.page in gates), 0) if closed else None
        if not closed:
            gate = _earlier_task(protocol, entry.task, answers, tx, participant.number)
    finished_tasks = sum(line.finished_at is not None for line in overview)
    return TaskView(
        campaign=campaign,
        protocol=protocol,
        judge=participant.judge,
        participant=participant.number,
        task=entry.task,
        documents=texts,
        given=_stored_answers(answers, times),
        progress=PageProgress(finished_tasks, len(overview), today / 60),
        gate=gate,
        asks_about_gate=gate is not None and not closed,
        settings=_settings(campaign),
    )


def _earlier_task(
    protocol: Protocol, task: Task, answers: Sequence[ItemAnswers], tx: Transaction, participant: int
) -> int | None:
    """The unfinished task whose answers this one asks about, as ratings of the skills chosen before; None where all
    are there. Without them nothing is asked, and the page would call everything answered."""
    here = {question.id for stage in protocol.pages[task.page] for question in stage.questions}
    needed = {
        question.for_each
        for stage in protocol.pages[task.page]
        for question in stage.questions
        if question.for_each and question.required and question.for_each not in here
    }
    open_items = {
        (item.document, item.segment)
        for item, each in zip(task.items, answers, strict=True)
        if any(each.earlier.get(name) is None for name in needed)
    }
    pages = {found[0].page_id for name in needed if (found := protocol.find(name))}
    for other in (each.task for each in tx.tasks.of_judge(participant)) if open_items else ():
        about = {(item.document, item.segment) for item in other.items}
        if other.page in pages and other.finished_at is None and open_items & about:
            return other.id
    return None


def _stored_answers(answers: Sequence[ItemAnswers], times: Sequence[tuple[float, float]]) -> tuple[StoredAnswers, ...]:
    return tuple(
        StoredAnswers(
            answers={question: answer.value for question, answer in each.current.items()},
            ids={question: answer.id for question, answer in each.current.items()},
            earlier={question: value for question, value in each.earlier.items() if question not in each.current},
            elapsed=elapsed,
            active=active,
        )
        for each, (elapsed, active) in zip(answers, times, strict=True)
    )


def _settings(campaign: Campaign) -> PageSettings:
    values = campaign.settings
    settings: dict[str, Json] = {"guidelines": values.get("guidelines", "")}
    for name in ("idle_seconds", "break_minutes"):
        if isinstance(values.get(name), int | float):
            settings[name] = float(values[name])
    return PageSettings(**settings)
