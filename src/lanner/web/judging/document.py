"""The texts of a task as the page shows them: blocks of rows, what stands around them, and their markup."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from markupsafe import Markup, escape

from lanner.model import Document, Item, Segment, Stage, Task, Unit, languages
from lanner.protocols.context import PEOPLE, lines_around
from lanner.web.judging.form import LETTERS, FormQuestion
from lanner.web.speech import Messages


@dataclass(frozen=True, slots=True)
class TextCell:
    """One text: a sentence on one side."""

    side: str
    text: str
    lang: str
    dir: str
    output: int = 0


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """One line of the document. `item` is None for text that is shown but not judged."""

    number: int
    item: int | None
    cells: tuple[TextCell, ...]
    segment: str = ""
    state: str = ""
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class DocumentColumn:
    """The head of a column: a language or a letter, and what it is."""

    name: str
    lang: str
    note: str
    rtl: bool = False


@dataclass(frozen=True, slots=True)
class DocumentBlock:
    """Rows that are shown together: a document, a part of it, or one sentence on its own."""

    rows: tuple[DocumentRow, ...]
    columns: tuple[DocumentColumn, ...]
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
class PageLayout:
    """What the rows of one task are made of."""

    task: Task
    documents: Mapping[str, Document]
    stage: Stage
    questions: Sequence[FormQuestion]
    states: Sequence[str]
    messages: Messages
    media: Mapping[str, str]

    def blocks(self) -> tuple[DocumentBlock, ...]:
        """Every block of the task; a questionnaire has none."""
        blocks = []
        for members in together(self.task.items, self.stage):
            document = self.documents.get(self.task.items[members[0]].document)
            if document is not None:
                blocks.append(self._block(document, members))
        return tuple(blocks)

    def _block(self, document: Document, members: Sequence[int]) -> DocumentBlock:
        stage = self.stage
        rows = self._rows(document, members)
        titled = stage.unit is not Unit.ISOLATED and "title" in stage.show
        context = stage.context
        fits = stage.apart or stage.unit is not Unit.IN_CONTEXT or len(rows) <= context.whole_up_to
        if not fits and not context.can_open:
            rows = _reachable(rows, context.before, context.after)
        lang, direction = writing(document.source_language)
        return DocumentBlock(
            rows=tuple(rows),
            columns=self._columns(document, len(self.task.items[members[0]].systems)),
            title=document.title if titled else "",
            lang=lang,
            dir=direction,
            domain=document.domain if "domain" in stage.show else "",
            text_type=document.text_type if titled else "",
            pair=(_code_and_name(document.source_language), _code_and_name(document.target_language)),
            note=document.note if titled else "",
            media=self.media.get(document.id, "") if titled else "",
            glossary=document.glossary if "glossary" in stage.show else {},
            item=members[0] if stage.unit is Unit.DOCUMENT else None,
            window=None if fits else (context.before, context.after),
            can_open=context.can_open,
        )

    def _rows(self, document: Document, members: Sequence[int]) -> list[DocumentRow]:
        if self.stage.apart and self.stage.unit is Unit.IN_CONTEXT:
            return self._rows_around(document, members[0])
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
            rows.append(DocumentRow(number, member, cells, segment.id if linked else "", state))
        return rows

    def _rows_around(self, document: Document, member: int) -> list[DocumentRow]:
        """One sentence with what its context shows of those around it: a side that is not shown is an empty cell."""
        item, show = self.task.items[member], self.stage.show
        source, target = writing(document.source_language), writing(document.target_language)
        rows = []
        for line in lines_around(PEOPLE, self.stage, document, item):
            cells = [TextCell("source", line.source or "", *source)] if "source" in show else []
            if "target" in show:
                outputs = line.outputs or ("",) * len(item.systems)
                cells += [TextCell("target", text, *target, place) for place, text in enumerate(outputs)]
            if self._shows_reference:
                cells.append(TextCell("reference", line.reference or "", *target))
            number = document.segments.index(line.segment) + 1
            state = self.states[member] if line.asked else ""
            rows.append(DocumentRow(number, member if line.asked else None, tuple(cells), "", state))
        return rows

    @property
    def _shows_reference(self) -> bool:
        return "reference" in self.stage.show or "reference" in self.stage.context.sides

    def _cells(
        self, segment: Segment, systems: Sequence[str], item: Item | None, index: int, writings: Writings
    ) -> tuple[TextCell, ...]:
        cells = []
        source, target = writings
        if "source" in self.stage.show:
            cells.append(TextCell("source", _shown_text(segment.source, index, "", item), *source))
        if "target" in self.stage.show:
            for output, system in enumerate(systems):
                cells.append(
                    TextCell("target", _shown_text(segment.text(system) or "", index, system, item), *target, output)
                )
        if self._shows_reference:
            cells.append(TextCell("reference", next(iter(segment.references.values()), ""), *target))
        return tuple(cells)

    def _columns(self, document: Document, systems: int) -> tuple[DocumentColumn, ...]:
        say, show = self.messages.get, self.stage.show
        marking = [ask for ask in self.questions if ask.kind == "spans"]
        columns = []
        if "source" in show:
            here = any(ask.missing and "source" not in ask.sides for ask in marking)
            note = say("doc.source") + (": " + say("doc.missing_here") if here else "")
            columns.append(_column(document.source_language, note))
        if "target" in show and systems == 1:
            here = any("target" in ask.sides for ask in marking)
            note = say("doc.translation") + (": " + say("doc.wrong_here") if here else "")
            columns.append(_column(document.target_language, note))
        elif "target" in show:
            name = "doc.output" if "source" in show else "doc.text"
            rtl = languages.direction(document.target_language) == "rtl"
            columns += [DocumentColumn(say(name, letter=letter), "", "", rtl) for letter in LETTERS[:systems]]
        if self._shows_reference:
            columns.append(_column(document.target_language, say("doc.reference")))
        return tuple(columns)


def together(items: Sequence[Item], stage: Stage) -> list[list[int]]:
    """Positions of items that share a block: sentences in context of one document and its outputs; else each alone."""
    shared = stage.unit is Unit.IN_CONTEXT and not stage.apart
    groups: list[list[int]] = [[0]] if items else []
    had = {item.segment for item in items[:1]}
    for (_, before), (place, item) in pairwise(enumerate(items)):
        same = shared and (item.document, item.systems) == (before.document, before.systems)
        if same and item.segment not in had:
            groups[-1].append(place)
            had.add(item.segment)
        else:
            groups.append([place])
            had = {item.segment}
    return groups


def open_window(blocks: Sequence[DocumentBlock], place: int, whole: bool) -> tuple[DocumentBlock, ...]:
    """Show only the block with the row, and of a long document only the window around the row."""
    shown_blocks = []
    for block in blocks:
        size = len(block.rows)
        if not 0 <= place < size:
            shown_blocks.append(replace(block, hidden=True))
        elif block.window is None or (whole and block.can_open):
            shown_blocks.append(block)
        else:
            low, high = max(0, place - block.window[0]), min(size - 1, place + block.window[1])
            rows = tuple(line if low <= n <= high else _hide(line) for n, line in enumerate(block.rows))
            shown_blocks.append(replace(block, rows=rows, above=low, below=size - 1 - high))
        place -= size
    return tuple(shown_blocks)


def _hide(line: DocumentRow) -> DocumentRow:
    """The same line, hidden; `replace` would take three times as long, and a document has hundreds."""
    return DocumentRow(line.number, line.item, line.cells, line.segment, line.state, True)


def writing(language: str) -> tuple[str, str]:
    """`lang` and `dir` of a text: the direction comes from the language, and is left to the browser where unknown."""
    return "" if language == languages.UNDETERMINED else language, languages.direction_of_text(language)


def _reachable(rows: Sequence[DocumentRow], before: int, after: int) -> list[DocumentRow]:
    """Rows that stand in some judged row's window: what can never be opened is not sent at all."""
    places = [place for place, line in enumerate(rows) if line.item is not None]
    return [line for place, line in enumerate(rows) if any(at - before <= place <= at + after for at in places)]


def _shown_text(text: str, index: int, system: str, item: Item | None) -> str:
    """The text, or what a control item shows in its place: for a whole document one line per sentence."""
    if item is not None and system in item.texts:
        text_of_item = item.texts[system]
        if item.segment:
            return text_of_item
        lines = text_of_item.split("\n")
        return lines[index] if index < len(lines) else ""
    return text


def _code_and_name(language: str) -> tuple[str, str]:
    """Code and name; nothing where the language is unknown, which tells a judge nothing."""
    return ("", "") if language == languages.UNDETERMINED else (language, languages.name(language))


def _column(language: str, note: str) -> DocumentColumn:
    if language == languages.UNDETERMINED:
        return DocumentColumn(note[:1].upper() + note[1:], "", "")
    return DocumentColumn(languages.name(language), language, note, languages.direction(language) == "rtl")


_BATCH = 6
"""So many rows are painted together: the page repaints those around a change, and counts the others by the batch."""
_CLASSES = {"source": "src", "target": "tgt", "reference": "ref"}


def lines(block: DocumentBlock, first: int, active: int, say: Callable[..., str], *, answers: bool) -> Markup:
    """The rows of a block, which are the page's from `first` on. `active` is the row being judged; with `answers` each
    has a place for the judge's own."""
    end = '<p class="mine"></p></div>\n' if answers else "</div>\n"
    several = any(cell.output for line in block.rows[:1] for cell in line.cells)
    # on a phone such texts stand under each other, labelled
    columns = block.columns if several or len(block.columns) > 2 else ()
    labels = [" ".join(filter(None, (column.name, column.note))) for column in columns]
    heads: dict[tuple[str, int, str, str], str] = {}
    parts: list[str] = []
    for at, line in enumerate(block.rows, first):
        place, aside = at - first, line.item is None and block.item is None
        if place % _BATCH == 0:
            parts.append('<div class="batch" role="none">')
        parts += (_opening(line, at, at == active, aside, say), *_cells(line.cells, labels, heads), end)
        if place % _BATCH == _BATCH - 1 or line is block.rows[-1]:
            parts.append("</div>")
    return Markup("".join(parts))  # every text in it was escaped


def _opening(line: DocumentRow, at: int, active: bool, aside: bool, say: Callable[..., str]) -> str:
    classes = "row is-active" if active else "row"
    if line.state:
        classes += f" is-{escape(line.state)}"
    if aside:
        classes += " aside"
    item = "" if line.item is None else f' data-item="{line.item}"'
    segment = f' data-segment="{escape(line.segment)}"' if line.segment else ""
    hidden = " hidden" if line.hidden else ""
    label = escape(say("rail.sentence", n=line.number))
    here = ' aria-current="true"' if active else ""
    return (
        f'<div class="{classes}" role="listitem" data-row="{at}"{item}{segment}{hidden}>'
        f'<a class="num" href="?row={at + 1}" aria-label="{label}"{here}>'
        f'<b>{line.number}</b><span class="brief"></span></a>'
    )


def _cells(cells: Sequence[TextCell], labels: Sequence[str], heads: dict[tuple[str, int, str, str], str]) -> list[str]:
    parts: list[str] = []
    for place, cell in enumerate(cells):
        kind = (cell.side, cell.output, cell.lang, cell.dir)  # the same few for every row
        head = heads.get(kind)
        if head is None:
            lang = f' lang="{escape(cell.lang)}"' if cell.lang else ""
            label = f' data-label="{escape(labels[place])}"' if place < len(labels) else ""
            head = heads[kind] = (
                f'<p class="{_CLASSES[cell.side]}" data-side="{escape(cell.side)}" data-output="{cell.output}"'
                f'{label}{lang} dir="{escape(cell.dir)}">'
            )
        # browsers read "\r\n" as one character, and marks are counted in those of the text
        parts += (head, str(escape(cell.text)).replace("\r", "&#13;"), "</p>")
    return parts
