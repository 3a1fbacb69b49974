"""The judging page as plain data: what a judge may see of a task, and nothing else.

Blind by construction: texts, positions and this judge's own answers go in; systems become letters, and roles (but for
training, which judges are to know of), expected answers and other judges have no field to stand in.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from markupsafe import Markup

from lanner.model import Document, Item, Json, Object, Protocol, Role, Spans, Stage, Task, Unit
from lanner.protocols.answers import Texts, applicable, chosen, missing, texts_of
from lanner.protocols.kinds.spans import offered_spans
from lanner.protocols.prefilled import as_shown
from lanner.protocols.wording import Wording
from lanner.store.rows import dumps
from lanner.web.judging.document import Block, Layout, lines, opened
from lanner.web.judging.feedback import feedback
from lanner.web.judging.form import Ask, asks
from lanner.web.judging.guidelines import Key, Section, coach, definitions, keys, paragraphs
from lanner.web.judging.practice import Lesson, lessons, steps
from lanner.web.page.speech import Messages

IDLE_SECONDS = 180.0
BREAK_MINUTES = 50.0


@dataclass(frozen=True, slots=True)
class Given:
    """What this judge has stored about one item: values and judgement ids of this page, values of earlier pages, time
    and time spent."""

    answers: Mapping[str, Json] = field(default_factory=dict)
    ids: Mapping[str, int] = field(default_factory=dict)
    earlier: Mapping[str, Json] = field(default_factory=dict)
    elapsed: float = 0.0
    active: float = 0.0


@dataclass(frozen=True, slots=True)
class Progress:
    """Where the judge stands in the whole assignment."""

    done: int = 0
    tasks: int = 0
    minutes_today: float = 0.0


@dataclass(frozen=True, slots=True)
class Settings:
    """What the campaign decides about the page."""

    title: str = ""
    guidelines: str = ""
    idle_seconds: float = IDLE_SECONDS
    break_minutes: float = BREAK_MINUTES


@dataclass(frozen=True, slots=True)
class TaskPage:
    """Everything the template of a task is given. `about` is what decides the words and forms of its questions."""

    id: int
    about: tuple[str, str, str, int]
    unit: str
    apart: bool
    """Whether each sentence is shown for itself."""
    object: str
    title: str
    heading: str
    stage_title: str
    shown: tuple[str, ...]
    instructions: tuple[str, ...]
    blocks: tuple[Block, ...]
    asks: tuple[Ask, ...]
    words_language: str
    current: int
    row: int
    finished: bool
    states: tuple[str, ...]
    progress: Progress
    guidelines: tuple[str, ...]
    definitions: tuple[Section, ...]
    keys: tuple[Key, ...]
    coach: tuple[Key, ...]
    examples: tuple[Lesson, ...]
    steps: tuple[str, ...]
    training: bool
    feedback: Mapping[str, Json] | None
    script: Mapping[str, Json]
    autoarm: bool
    in_columns: bool
    preview: bool = False

    @property
    def practice(self) -> bool:
        """Whether this is practice on worked examples: nothing is stored."""
        return "practice" in self.script

    @property
    def practises(self) -> bool:
        """Whether the guidelines lead to the practice: not from there, nor from an organiser's preview."""
        return bool(self.examples) and not self.practice and not self.preview

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
        """Of how many sentences one is shown; 0 where that says nothing."""
        if self.unit == Unit.ISOLATED.value:
            return len(self.states)
        if self.apart:  # numbered as in its document, of which a part is shown
            return 0
        here = next((block for block in self.blocks if not block.hidden), None)
        return len(here.rows) if here and self.unit == Unit.IN_CONTEXT.value else 0

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

    def shape(self, ask: Ask) -> Hashable:
        """Everything the markup of a question depends on."""
        return ("ask", self.about, ask.id, ask.shown, ask.shown_rows, dumps(ask.value))

    def lines(self, block: Block, first: int, say: Callable[..., str]) -> Markup:
        """The rows of a block as markup; `first` is how many rows stand in blocks before it."""
        return lines(block, first, self.row, say, answers=self.in_columns)


def task_page(
    protocol: Protocol,
    task: Task,
    documents: Mapping[str, Document],
    given: Sequence[Given],
    messages: Messages,
    *,
    who: str,
    row: int | None = None,
    whole: bool = False,
    progress: Progress | None = None,
    settings: Settings | None = None,
    media: Mapping[str, str] | None = None,
    practice: Mapping[str, Json] | None = None,
    preview: bool = False,
) -> TaskPage:
    """The page of one task. `given` has one entry per item; `who` is any name for this judge that says nothing (it
    keeps answers of two people on one device apart); `row` is the row to show, counted from 1 through all blocks;
    `media` are addresses of pictures by document id; `practice` is what the script of a practice page reads."""
    stages = protocol.pages[task.page]
    settings, progress = settings or Settings(), progress or Progress()
    wording = Wording(protocol, messages.language)
    outputs = max((len(item.systems) for item in task.items), default=2)
    about = (protocol.hash, task.page, messages.language, outputs)
    questions, sections, shortcuts = _prepared(protocol, about, wording, messages)
    given = _standing(stages, given)
    verdicts = [_feedback(protocol, task.page, *pair, messages) for pair in zip(task.items, given, strict=True)]
    prefilled = _prefilled(stages, task.items, documents)
    states = tuple(_state(protocol, task.page, entry) for entry in given)
    blocks = Layout(task, documents, stages[0], questions, states, messages, media or {}).blocks()
    place = _place(blocks, states, row)
    blocks = opened(blocks, place, whole)
    current = _item_at(blocks, place)
    pair = (blocks[0].pair[0][0], blocks[0].pair[1][0]) if blocks else ("", "")
    heading, instructions = _heading(stages, wording, messages, blocks, place)
    return TaskPage(
        id=task.id,
        about=about,
        unit=stages[0].unit.value,
        apart=stages[0].apart,
        object=stages[0].object.value,
        title=settings.title or wording.title,
        heading=heading,
        stage_title=next((title for stage in stages if (title := wording.stage(stage.id))), ""),
        instructions=instructions,
        shown=tuple(stages[0].show),
        blocks=blocks,
        asks=tuple(_answered(protocol, task.page, ask, given[current]) for ask in questions),
        words_language=wording.language,
        current=current,
        row=place,
        finished=task.finished_at is not None,
        states=states,
        progress=progress,
        guidelines=paragraphs(settings.guidelines or wording.line("instructions"))
        + tuple(line for stage in stages for line in paragraphs(wording.stage(stage.id, "instructions"))),
        definitions=sections,
        keys=shortcuts,
        coach=coach(questions, messages) if practice else (),
        examples=lessons(protocol, task.page, pair, messages.language),
        steps=steps(protocol, task.page, messages.language),
        training=task.items[current].role is Role.TUTORIAL,
        feedback=verdicts[current],
        script=_script(task, given, prefilled, verdicts, messages)
        | ({"practice": practice} if practice else {})
        | {"who": who, "minutesToday": progress.minutes_today, "more": progress.tasks - progress.done > 1}
        | {"offline": not practice and not preview}
        | {"idle": settings.idle_seconds, "breakAfter": settings.break_minutes},
        autoarm=not any(ask.direct for ask in questions),
        in_columns=stages[0].object is Object.SOURCE,
        preview=preview,
    )


_Prepared = tuple[tuple[Ask, ...], tuple[Section, ...], tuple[Key, ...]]
_PREPARED: dict[tuple[str, str, str, int], _Prepared] = {}
_MOST_PREPARED = 100


def _prepared(protocol: Protocol, about: tuple[str, str, str, int], wording: Wording, messages: Messages) -> _Prepared:
    """The questions of a page in one language, with definitions and keys: the same for every judge and document, and a
    quarter of what a page costs, so they are made once."""
    parts = _PREPARED.get(about)
    if parts is None:
        _, page, _, outputs = about
        stages = protocol.pages[page]
        questions = asks(protocol, stages, wording, messages, outputs)
        shortcuts = keys(questions, messages, unit=stages[0].unit)
        if len(_PREPARED) >= _MOST_PREPARED:
            _PREPARED.clear()
        parts = _PREPARED[about] = (questions, definitions(questions), shortcuts)
    return parts


def _script(
    task: Task,
    given: Sequence[Given],
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
        "words": messages.table("script"),
    }


def _feedback(protocol: Protocol, page: str, item: Item, entry: Given, messages: Messages) -> dict[str, Json] | None:
    """What is right and wrong in a training item, once it is answered."""
    if item.role is not Role.TUTORIAL or _state(protocol, page, entry) != "done":
        return None
    return feedback(protocol, item, entry.answers, messages.language)


def _standing(stages: Sequence[Stage], given: Sequence[Given]) -> Sequence[Given]:
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
        starts.append({question.id: _offered(question, texts) for question in span_questions} if texts else {})
    return starts


def _offered(question: Spans, texts: Texts) -> list[dict[str, Json]]:
    """The marks to look at: a page shows them as such until its judge has."""
    return [{**span, "origin": "offered"} for span in as_shown(offered_spans(question, texts))]


def _state(protocol: Protocol, page: str, entry: Given) -> str:
    """done, partial, or nothing said yet."""
    if not entry.answers:
        return ""
    answers = {**entry.earlier, **entry.answers}
    return "partial" if missing(protocol, page, answers) else "done"


def _answered(protocol: Protocol, page: str, ask: Ask, entry: Given) -> Ask:
    answers = {**entry.earlier, **entry.answers}
    applying = {question.id: question for _, question in applicable(protocol, page, answers)}
    question = applying.get(ask.id)
    rows = frozenset(chosen(protocol, question, answers)) if question and question.for_each else frozenset()
    return replace(ask, value=entry.answers.get(ask.id), shown=question is not None, shown_rows=rows)


def _place(blocks: Sequence[Block], states: Sequence[str], row: int | None) -> int:
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


def _item_at(blocks: Sequence[Block], place: int) -> int:
    """The item a row belongs to; context between judged sentences belongs to the next one."""
    for block in blocks:
        if place < len(block.rows):
            after = [line.item for line in block.rows[place:] if line.item is not None]
            before = [line.item for line in block.rows[:place] if line.item is not None]
            return block.item if block.item is not None else (after or before[::-1] or [0])[0]
        place -= len(block.rows)
    return 0


def _heading(
    stages: Sequence[Stage], wording: Wording, messages: Messages, blocks: Sequence[Block], place: int
) -> tuple[str, tuple[str, ...]]:
    unit = stages[0].unit
    stage_title = next((title for stage in stages if (title := wording.stage(stage.id))), "")
    lines = tuple(line for stage in stages for line in paragraphs(wording.stage(stage.id, "instructions")))
    if unit is Unit.JUDGE:
        return stage_title or messages.get("rail.question"), lines
    if unit is Unit.DOCUMENT:
        return messages.get("rail.document"), lines
    rows = [line for block in blocks for line in block.rows]
    return messages.get("rail.sentence", n=rows[place].number if rows else 1), lines
