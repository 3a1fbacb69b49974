"""Practice before the first document: the judging page over worked examples of its protocol, with feedback on every
answer. No answer is stored. It is offered once to a judge who has not answered anything on that page of the protocol,
and can be opened again from the guidelines. A campaign may ask that a round of it reach a stated agreement with the
reference answers before the texts open (`lanner.campaign.questions`); every round brings other examples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lanner.campaign.practice import practised_page
from lanner.campaign.questions import Questions
from lanner.designs.expected import EXPLANATION, meets
from lanner.errors import AnswerError
from lanner.model import Document, Item, Json, Object, Protocol, Role, Segment, Spans, Stage, Task, Unit
from lanner.model.protocol import Wording
from lanner.protocols.answers import texts_of
from lanner.protocols.kinds.base import JudgedTexts
from lanner.protocols.kinds.spans import mark_in_words
from lanner.protocols.prefilled import live
from lanner.protocols.worked_examples import WorkedExample, has_examples, page_examples, rule_in_words, teaching
from lanner.store import Overview
from lanner.web.judging.form import severity_level

_MOST = 8
_SYSTEMS = ("first", "second")
SETTING = "practice"
"""The setting of a campaign that turns the practice off when false."""


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text of an example in pieces, each with how it is marked ("" where it is not)."""

    side: str
    pieces: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PracticeExample:
    """An example as the guidelines show it: texts, the right answer in words and as marks, a frequent wrong one, and
    why."""

    source: str
    targets: tuple[str, ...]
    source_before: str
    target_before: str
    languages: tuple[str, str]
    right: tuple[tuple[str, str], ...]
    wrong: tuple[tuple[str, str], ...]
    right_marks: tuple[MarkedText, ...]
    wrong_marks: tuple[MarkedText, ...]
    why: str

    @property
    def marks_target(self) -> bool:
        """Whether the translation is shown with its marks, so that it need not stand above them too."""
        return any(marked.side == "target" for marked in self.right_marks)


@dataclass(frozen=True, slots=True)
class Practice:
    """A task over worked examples, with the texts it shows and, item by item, the answers of earlier pages that its
    questions are about."""

    task: Task
    documents: Mapping[str, Document]
    earlier: tuple[Mapping[str, Json], ...]

    def questions(self) -> list[list[str]]:
        """Item by item, the questions that have a right answer."""
        return [[name for name in item.expected if name] for item in self.task.items]


_MOST_ROUNDS = 2000


def lessons(protocol: Protocol, page: str, pair: tuple[str, str], language: str) -> tuple[PracticeExample, ...]:
    """The worked examples about a page in the language of the interface, with texts in the languages of a task."""
    return tuple(
        PracticeExample(
            example.source,
            example.targets,
            example.source_before,
            example.target_before,
            _languages(example, pair),
            tuple(example.right_in_words(protocol, language)),
            tuple(example.wrong_in_words(protocol, language)),
            tuple(_marked_texts(protocol, example, {name: rule.get("is") for name, rule in example.right.items()})),
            tuple(_marked_texts(protocol, example, example.wrong)),
            example.explain(language),
        )
        for example in page_examples(protocol, page, "-".join(pair))
    )


def _marked_texts(protocol: Protocol, example: WorkedExample, answers: Mapping[str, Json]) -> Iterator[MarkedText]:
    """The texts of an example in which an answer marks words; of marks that overlap, the first."""
    for name, spans in answers.items():
        match = protocol.find(name)
        if match is None or not isinstance(match[1], Spans) or not isinstance(spans, list):
            continue
        for side, text in (("source", example.source), ("target", example.targets[0] if example.targets else "")):
            pieces, at = [], 0
            mine = [span for span in spans if span.get("side", "target") == side and span.get("text") in text]
            for span in sorted(mine, key=lambda span: text.index(span["text"])):
                start = text.index(span["text"])
                if start < at:
                    continue
                look = f"s{severity_level(match[1], span.get('severity'))}{' gone' if span.get('missing') else ''}"
                pieces += [(text[at:start], ""), (span["text"], look)]
                at = start + len(span["text"])
            if pieces:
                yield MarkedText(side, (*pieces, (text[at:], "")))


def steps(protocol: Protocol, page: str, language: str) -> tuple[str, ...]:
    """The questions to ask oneself before answering the page's question that has such steps."""
    lesson = teaching(protocol)
    here = {question.id for stage in protocol.pages[page] for question in stage.questions}
    return tuple(lesson.steps(language)) if lesson.decision_questions & here else ()


def practice_of(
    protocol: Protocol,
    page: str,
    pair: tuple[str, str],
    language: str,
    *,
    title: str = "",
    task: int = 0,
    turn: int = 0,
) -> Practice | None:
    """The practice for a page of a protocol; None where it has no worked examples that fit. With every `turn` come
    other examples, as far as there are others."""
    examples = _pick_examples(page_examples(protocol, page, "-".join(pair)), turn)
    if not examples:
        return None
    stage = protocol.pages[page][0]
    documents: dict[str, Document] = {}
    items: list[Item] = []
    if stage.unit is Unit.DOCUMENT:
        for number, example in enumerate(examples):
            document = _document(f"practice-{number}", [(str(number), example)], pair, title, context=False)
            documents[document.id] = document
            items.append(_item(document.id, "", example, stage, language))
    else:
        entries = [(str(number), example) for number, example in enumerate(examples)]
        document = _document("practice", entries, pair, title, context=stage.unit is Unit.IN_CONTEXT)
        documents[document.id] = document
        items = [_item(document.id, number, example, stage, language) for number, example in entries]
    earlier = tuple(example.earlier for example in examples)
    return Practice(Task(task, "practice", page, tuple(items)), documents, earlier)


def is_due(protocol: Protocol, page: str, overview: Sequence[Overview]) -> bool:
    """Whether a judge begins with the practice: there is one, and nothing has been answered on this page yet, in no
    context."""
    name = practised_page(protocol, page)
    same_page = [line for line in overview if practised_page(protocol, line.page) == name]
    return has_examples(protocol, page) and not any(line.done or line.finished_at for line in same_page)


class PracticeRounds:
    """Rounds that judges are in the middle of: how the first answer to each item compared with the reference, by
    participant, page and turn. A page that is loaded again in the middle goes on with the same round. They are in
    memory only: a round that a restart of the server cuts off is begun again."""

    def __init__(self) -> None:
        self._rounds: dict[tuple[int, str, int], dict[int, tuple[int, int]]] = {}

    def answered(
        self, key: tuple[int, str, int], item: int, items: int, verdicts: Sequence[bool]
    ) -> tuple[int, int] | None:
        """Take in the verdicts on the answers to one item of a round. When every item has been answered, how many
        answers of the round were right, and of how many; else None."""
        if key not in self._rounds and len(self._rounds) >= _MOST_ROUNDS:
            self._rounds.pop(next(iter(self._rounds)))  # the oldest: whoever left it begins a new one
        first = self._rounds.setdefault(key, {})
        if item in first:
            return None
        first[item] = (sum(verdicts), len(verdicts))
        if len(first) < items:
            return None
        del self._rounds[key]
        return sum(right for right, _ in first.values()), sum(count for _, count in first.values())


def check(protocol: Protocol, practice: Practice, number: int, answers: Mapping[str, Json], language: str) -> Json:
    """Feedback on the answers to one item, which are checked as a judge's own would be."""
    if not 0 <= number < len(practice.task.items):
        raise AnswerError("There is no such item.", code="unknown_item")
    item = practice.task.items[number]
    texts = texts_of(practice.documents[item.document], item)
    checked = check_all(Questions(protocol), practice.task.page, item, answers, texts, earlier=practice.earlier[number])
    return feedback(protocol, item, checked, language)


def check_all(
    rules: Questions,
    page: str,
    item: Item,
    answers: Mapping[str, Json],
    texts: JudgedTexts | None,
    *,
    earlier: Mapping[str, Json] | None = None,
) -> dict[str, Json]:
    """The answers to one item, after `earlier` ones, as they would be stored: checked in the order of the questions, so
    that each sees those before it. None takes an answer back."""
    questions = {question.id: question for _, question in rules.questions(page, item)}
    unknown = next((name for name in answers if name not in questions), None)
    if unknown is not None:
        raise rules.unknown_question(unknown, page, item)
    checked: dict[str, Json] = dict(earlier or {})
    for name, question in questions.items():
        if answers.get(name) is not None:
            checked[name] = rules.accept(question, answers[name], item, checked, texts).value
    return checked


def _pick_examples(examples: Sequence[WorkedExample], turn: int = 0) -> list[WorkedExample]:
    """Pick so few examples that practice stays short, from all over the list: neighbours show the same skill."""
    count = min(_MOST, len(examples))
    chosen = []
    for place in range(count):
        start, end = place * len(examples) // count, (place + 1) * len(examples) // count
        chosen.append(examples[start + (place + turn) % (end - start)])
    return chosen


def _languages(example: WorkedExample, pair: tuple[str, str]) -> tuple[str, str]:
    source, _, target = example.languages.partition("-")
    return source or "en", target or pair[1]


def _document(
    name: str, examples: Sequence[tuple[str, WorkedExample]], pair: tuple[str, str], title: str, *, context: bool
) -> Document:
    segments: list[Segment] = []
    for number, example in examples:
        if context and example.source_before:
            text = example.target_before or example.shown_before
            before = dict.fromkeys(_SYSTEMS[: len(example.targets)], text)
            segments.append(Segment(f"{number}-before", example.source_before, before))
        outputs = dict(zip(_SYSTEMS, example.targets, strict=False))
        segments.append(Segment(number, example.source, outputs))
    return Document(name, tuple(segments), *_languages(examples[0][1], pair), title=title)


def _item(document: str, segment: str, example: WorkedExample, stage: Stage, language: str) -> Item:
    expected = {**example.right, "": {EXPLANATION: example.explain(language)}}
    systems = _SYSTEMS[: len(example.targets)] if stage.object is not Object.SOURCE else ()
    return Item(document, segment, systems, Role.TUTORIAL, expected=expected)


# Whether answers to a training item are right, question by question and mark by mark, with what was expected and why.
#
# Items of a tutorial and of the practice before the first document expect answers (`lanner.designs.expected`); a judge
# reads this only after answering.


_KINDS = ("category", "severity")


def explanation(item: Item) -> str:
    """What a judge in training reads once they have answered."""
    if item.role is not Role.TUTORIAL:
        return ""
    texts = [rule.get(EXPLANATION) for rule in item.expected.values() if isinstance(rule, Mapping)]
    return "\n".join(str(text) for text in texts if text)


def feedback(protocol: Protocol, item: Item, answers: Mapping[str, Json], language: str) -> dict[str, Json] | None:
    """What is right and wrong in the answers to a training item; None for any other item. `right` is None where no
    rule can be checked."""
    if item.role is not Role.TUTORIAL:
        return None
    lines = [
        line
        for name, rule in item.expected.items()
        if name and (line := _line(protocol, name, rule, answers.get(name), language)) is not None
    ]
    verdicts = [line["right"] for line in lines]
    right = None if not lines else all(verdicts)
    return {"right": right, "lines": lines, "explanation": explanation(item)}


def _line(
    protocol: Protocol, name: str, rule: Mapping[str, Json], answer: Json, language: str
) -> dict[str, Json] | None:
    """The verdict on one question; None where the rule compares with something a judge has not done yet."""
    match = protocol.find(name)
    if match is None:
        return None
    question = match[1]
    label, expected = rule_in_words(protocol, name, rule, language)
    marks: list[dict[str, Json]] = []
    right: bool | None
    if isinstance(question, Spans) and isinstance(rule.get("is"), list):
        wording = Wording(protocol, language)
        marks = [
            {**mark, "kind": mark_in_words(name, mark, wording)}
            for mark in compare_marks(rule["is"], live(answer) or [])
        ]
        right = all(mark["verdict"] == "found" for mark in marks)
    else:
        lower = getattr(question, "direction", "") == "lower_is_better"
        right = meets(rule, answer, lower_is_better=lower)
        if right is None and answer is not None:
            return None
    return {"question": name, "label": label, "right": bool(right), "expected": expected, "marks": marks}


def compare_marks(expected: Sequence[Mapping[str, Json]], marks: Sequence[Mapping[str, Json]]) -> list[dict[str, Json]]:
    """Every expected mark as `found`, of another `kind` (category or severity) or `missed`, then marks on words that
    are right as `extra`. A mark is found where it shares words with the expected one on the same text."""
    used: set[int] = set()
    verdicts: list[dict[str, Json]] = []
    for wanted in expected:
        candidates = [n for n, mark in enumerate(marks) if n not in used and _overlap(wanted, mark)]
        best = next((n for n in candidates if _same_kind(wanted, marks[n])), candidates[0] if candidates else None)
        if best is None:
            verdicts.append(_verdict("missed", wanted))
        else:
            used.add(best)
            verdicts.append(_verdict("found" if _same_kind(wanted, marks[best]) else "kind", wanted))
    return verdicts + [_verdict("extra", mark) for n, mark in enumerate(marks) if n not in used]


def _verdict(verdict: str, mark: Mapping[str, Json]) -> dict[str, Json]:
    return {"verdict": verdict, **dict(_fields(mark))}


def _fields(mark: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    for name in ("side", "start", "end", "text", "output", "missing", *_KINDS):
        if mark.get(name) is not None:
            yield name, mark[name]


def _overlap(wanted: Mapping[str, Json], mark: Mapping[str, Json]) -> bool:
    """Whether two marks share words; a mark without a place stands for something missing anywhere in the source."""
    same_text = wanted.get("side", "target") == mark.get("side", "target")
    if not same_text or wanted.get("output", 0) != mark.get("output", 0):
        return False
    if mark.get("start") is None or wanted.get("start") is None:
        return bool(mark.get("missing"))
    return bool(wanted["start"] < mark["end"] and mark["start"] < wanted["end"])


def _same_kind(wanted: Mapping[str, Json], mark: Mapping[str, Json]) -> bool:
    return all(wanted.get(field) == mark.get(field) for field in _KINDS if wanted.get(field))
