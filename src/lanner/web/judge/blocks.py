"""The texts of a task as rows and columns: documents, parts of documents, or sentences on their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from lanner.model import Document, Item, Segment, Stage, Task, Unit, languages
from lanner.web.judge.ask import Ask
from lanner.web.judge.asking import LETTERS
from lanner.web.page.messages import Messages


@dataclass(frozen=True, slots=True)
class Cell:
    """One text: a sentence on one side."""

    side: str
    text: str
    lang: str
    dir: str
    output: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the document. `item` is None for text that is shown but not judged."""

    number: int
    item: int | None
    cells: tuple[Cell, ...]
    segment: str = ""
    state: str = ""
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column: a language or a letter, and what it is."""

    name: str
    lang: str
    note: str
    rtl: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that are shown together: a document, a part of it, or one sentence on its own."""

    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    title: str = ""
    lang: str = ""
    dir: str = "auto"
    domain: str = ""
    text_type: str = ""
    pair: tuple[tuple[str, str], tuple[str, str]] = (("", ""), ("", ""))
    note: str = ""
    media: str = ""
    glossary: Mapping[str, str] = field(default_factory=dict)
    item: int | None = None
    window: tuple[int, int] | None = None
    can_open: bool = True
    above: int = 0
    below: int = 0
    hidden: bool = False


Writings = tuple[tuple[str, str], tuple[str, str]]
"""`lang` and `dir` of source and target."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What the rows of one task are made of."""

    task: Task
    documents: Mapping[str, Document]
    stage: Stage
    questions: Sequence[Ask]
    states: Sequence[str]
    messages: Messages
    media: Mapping[str, str]

    def blocks(self) -> tuple[Block, ...]:
        """Every block of the task; a questionnaire has none."""
        made = []
        for members in together(self.task.items, self.stage.unit):
            document = self.documents.get(self.task.items[members[0]].document)
            if document is not None:
                made.append(self._block(document, members))
        return tuple(made)

    def _block(self, document: Document, members: Sequence[int]) -> Block:
        stage = self.stage
        rows = self._rows(document, members)
        titled = stage.unit is not Unit.ISOLATED and "title" in stage.show
        context = stage.context
        fits = stage.unit is not Unit.IN_CONTEXT or len(rows) <= context.whole_up_to
        if not fits and not context.can_open:
            rows = _reachable(rows, context.before, context.after)
        lang, direction = writing(document.source_language)
        return Block(
            rows=tuple(rows),
            columns=self._columns(document, len(self.task.items[members[0]].systems)),
            title=document.title if titled else "",
            lang=lang,
            dir=direction,
            domain=document.domain if "domain" in stage.show else "",
            text_type=document.text_type if titled else "",
            pair=(_named(document.source_language), _named(document.target_language)),
            note=document.note if titled else "",
            media=self.media.get(document.id, "") if titled else "",
            glossary=document.glossary if "glossary" in stage.show else {},
            item=members[0] if stage.unit is Unit.DOCUMENT else None,
            window=None if fits else (context.before, context.after),
            can_open=context.can_open,
        )

    def _rows(self, document: Document, members: Sequence[int]) -> list[Row]:
        items, alone = self.task.items, self.stage.unit is Unit.ISOLATED
        by_segment = {items[member].segment: member for member in members}
        whole = items[members[0]] if self.stage.unit is Unit.DOCUMENT else None
        linked = any(ask.link for ask in self.questions)
        writings = writing(document.source_language), writing(document.target_language)
        rows = []
        for index, segment in enumerate(document.segments):
            member = by_segment.get(segment.id)
            if member is None and alone:
                continue
            item = whole or (items[member] if member is not None else None)
            cells = self._cells(segment, items[members[0]].systems, item, index, writings)
            number = members[0] + 1 if alone else index + 1
            state = self.states[member] if member is not None else ""
            rows.append(Row(number, member, cells, segment.id if linked else "", state))
        return rows

    def _cells(
        self, segment: Segment, systems: Sequence[str], item: Item | None, index: int, writings: Writings
    ) -> tuple[Cell, ...]:
        cells = []
        source, target = writings
        if "source" in self.stage.show:
            cells.append(Cell("source", _shown(segment.source, index, "", item), *source))
        if "target" in self.stage.show:
            for output, system in enumerate(systems):
                cells.append(Cell("target", _shown(segment.text(system) or "", index, system, item), *target, output))
        if "reference" in self.stage.show:
            cells.append(Cell("reference", next(iter(segment.references.values()), ""), *target))
        return tuple(cells)

    def _columns(self, document: Document, systems: int) -> tuple[Column, ...]:
        say, show = self.messages.get, self.stage.show
        marking = [ask for ask in self.questions if ask.kind == "spans"]
        made = []
        if "source" in show:
            here = any(ask.missing and "source" not in ask.sides for ask in marking)
            note = say("doc.source") + (": " + say("doc.missing_here") if here else "")
            made.append(_column(document.source_language, note))
        if "target" in show and systems == 1:
            here = any("target" in ask.sides for ask in marking)
            note = say("doc.translation") + (": " + say("doc.wrong_here") if here else "")
            made.append(_column(document.target_language, note))
        elif "target" in show:
            name = "doc.output" if "source" in show else "doc.text"
            rtl = languages.direction(document.target_language) == "rtl"
            made += [Column(say(name, letter=letter), "", "", rtl) for letter in LETTERS[:systems]]
        if "reference" in show:
            made.append(_column(document.target_language, say("doc.reference")))
        return tuple(made)


def together(items: Sequence[Item], unit: Unit) -> list[list[int]]:
    """Positions of items that share a block: sentences in context of one document and its outputs; else each alone."""
    groups: list[list[int]] = [[0]] if items else []
    had = {item.segment for item in items[:1]}
    for (_, before), (place, item) in pairwise(enumerate(items)):
        same = unit is Unit.IN_CONTEXT and (item.document, item.systems) == (before.document, before.systems)
        if same and item.segment not in had:
            groups[-1].append(place)
            had.add(item.segment)
        else:
            groups.append([place])
            had = {item.segment}
    return groups


def opened(blocks: Sequence[Block], place: int, whole: bool) -> tuple[Block, ...]:
    """Only the block with the row is shown, and of a long document only the window around the row."""
    made = []
    for block in blocks:
        size = len(block.rows)
        if not 0 <= place < size:
            made.append(replace(block, hidden=True))
        elif block.window is None or (whole and block.can_open):
            made.append(block)
        else:
            low, high = max(0, place - block.window[0]), min(size - 1, place + block.window[1])
            rows = tuple(line if low <= n <= high else _hidden(line) for n, line in enumerate(block.rows))
            made.append(replace(block, rows=rows, above=low, below=size - 1 - high))
        place -= size
    return tuple(made)


def _hidden(line: Row) -> Row:
    """The same line, hidden; `replace` would take three times as long, and a document has hundreds."""
    return Row(line.number, line.item, line.cells, line.segment, line.state, True)


def writing(language: str) -> tuple[str, str]:
    """`lang` and `dir` of a text: the direction comes from the language, and is left to the browser where unknown."""
    if language == languages.UNDETERMINED:
        return "", "auto"
    return language, languages.direction(language)


def _reachable(rows: Sequence[Row], before: int, after: int) -> list[Row]:
    """Rows that stand in some judged row's window: what can never be opened is not sent at all."""
    judged = [place for place, line in enumerate(rows) if line.item is not None]
    return [line for place, line in enumerate(rows) if any(at - before <= place <= at + after for at in judged)]


def _shown(text: str, index: int, system: str, item: Item | None) -> str:
    """The text, or what a control item shows in its place: for a whole document one line per sentence."""
    if item is not None and system in item.texts:
        replaced = item.texts[system]
        if item.segment:
            return replaced
        lines = replaced.split("\n")
        return lines[index] if index < len(lines) else ""
    return text


def _named(language: str) -> tuple[str, str]:
    """Code and name; nothing where the language is unknown, which tells a judge nothing."""
    return ("", "") if language == languages.UNDETERMINED else (language, languages.name(language))


def _column(language: str, note: str) -> Column:
    if language == languages.UNDETERMINED:
        return Column(note[:1].upper() + note[1:], "", "")
    return Column(languages.name(language), language, note, languages.direction(language) == "rtl")
