"""A small picture of what a judge sees, drawn from the questions of a protocol, so that a new one has its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from markupsafe import Markup

from lanner.model import Choice, Grid, Labels, Number, Object, Protocol, Question, Rank, Scale, Spans, Stage, Unit

_WIDTH, _HEIGHT, _BORDER = 96, 60, 62
_TOP, _BOTTOM = 7.0, 47.0
_LEFT, _ROOM = _BORDER + 5.0, _WIDTH - _BORDER - 10.0
_LINES: Sequence[int] = (8, 14, 20, 29, 35, 44, 50)
_LENGTHS = (1.0, 0.85, 0.6, 1.0, 0.75, 0.9, 0.7)
_JUDGED = slice(3, 5)
"""Which of the lines are the sentence asked about, in its document."""
_MOST_STEPS: Final = 5


class _Pen:
    """One path for each style, which the style sheet colours: a page has many sketches, and they stay small."""

    def __init__(self) -> None:
        self._paths: defaultdict[str, str] = defaultdict(str)

    def line(self, style: str, x: float, y: float, width: float = 0) -> None:
        """A stroke to the right; a dot where it has no width."""
        self._paths[style] += f"M{x:.3g} {y:.3g}h{width:.3g}"

    def box(self, style: str, x: float, y: float, width: float, height: float) -> None:
        self._paths[style] += f"M{x:.3g} {y:.3g}h{width:.3g}v{height:.3g}h{-width:.3g}z"

    def svg(self) -> Markup:
        paths = Markup().join(Markup('<path class="{}" d="{}"/>').format(*path) for path in self._paths.items())
        return Markup('<svg class="sketch" viewBox="0 0 {} {}" aria-hidden="true">{}</svg>').format(
            _WIDTH, _HEIGHT, paths
        )


def sketch(protocol: Protocol) -> Markup:
    """The first page of a protocol: its texts in columns, and beside them the controls of its questions as far as they
    fit; with a dot for each page where there are several. It says nothing that the card does not say in words, and is
    hidden from screen readers."""
    stages = next(iter(protocol.pages.values()))
    pen = _Pen()
    _draw_texts(pen, stages)
    pen.box("edge", _BORDER, 0, 0, _HEIGHT)
    y = _TOP
    for stage in stages:
        for question in stage.questions:
            height, draw = _control(question, stage)
            if y + height <= _BOTTOM:
                draw(pen, y)
                y += height + 4
    pages = min(len(protocol.pages), _MOST_STEPS) if len(protocol.pages) > 1 else 0
    for place in range(pages):
        pen.line("dim" if place else "point", _LEFT + 1 + 3.5 * place, _HEIGHT - 7)
    pen.line("button", _LEFT + 3.5 * pages, _HEIGHT - 7, _ROOM - 3.5 * pages)
    return pen.svg()


def _draw_texts(pen: _Pen, stages: Sequence[Stage]) -> None:
    """A column for each text: one sentence alone, the whole document, or a document with the sentence set off."""
    stage = max(stages, key=_columns)
    columns = _columns(stage)
    if not columns:
        return
    room = (_BORDER - 4) / columns
    lines = list(zip(_LINES, _LENGTHS, strict=True))
    part = lines[_JUDGED] if stage.unit is Unit.ISOLATED else lines
    for column in range(columns):
        for place, (y, length) in enumerate(part):
            share = _LENGTHS[(place + 2 * column) % len(_LENGTHS)] if columns > 1 else length
            pen.line("text", 5 + column * room, y, (room - 5) * share)
    if stage.unit is Unit.IN_CONTEXT:
        pen.box("now", 2.5, _LINES[_JUDGED][0] - 4.5, _BORDER - 5, 15)
    span_questions = [q for stage in stages for q in stage.questions if isinstance(q, Spans)]
    for side in {side for question in span_questions for side in question.sides}:
        column = 0 if side == "source" else columns - 1
        pen.line("mark", 5 + column * room + 0.2 * room, _LINES[_JUDGED][0], 0.4 * room)


def _columns(stage: Stage) -> int:
    outputs = {Object.OUTPUT: 1, Object.OUTPUTS: stage.outputs}.get(stage.object, 0)
    beside = ("source", "reference") if stage.object is not Object.NONE else ()
    return min(4, outputs + sum(side in stage.show for side in beside))


def _control(question: Question, stage: Stage) -> tuple[float, Callable[[_Pen, float], None]]:
    """How high the control of a question is, and what draws it from there."""
    match question:
        case Scale(display="slider"):
            return 4, _draw_slider
        case Scale():
            steps = round((question.max - question.min) / question.step) + 1 if question.step else _MOST_STEPS
            return 4, lambda pen, y: _draw_cells(pen, y, min(steps, _MOST_STEPS), 4)
        case Rank():
            return 8, lambda pen, y: _draw_cells(pen, y, min(stage.outputs, _MOST_STEPS), 8)
        case Grid():
            rows = min(len(question.rows), 5)
            return 4 * rows - 2, lambda pen, y: _draw_grid(pen, y, rows, min(len(question.options), 4))
        case Choice():
            rows = min(len(question.options), 3)
            return 5 * rows - 2, lambda pen, y: _draw_options(pen, y, rows)
        case Labels():
            rows = min((len(question.options) + 1) // 2, 2)
            return 5 * rows - 1, lambda pen, y: _draw_labels(pen, y, rows)
        case Spans():
            rows = 1 if question.categories else 0
            return 3 + 6 * rows, lambda pen, y: _draw_marks(pen, y, rows)
        case Number():
            return 5, lambda pen, y: pen.box("edge", _LEFT, y, _ROOM / 3, 5)
        case _:
            return 5, lambda pen, y: pen.box("edge", _LEFT, y, _ROOM, 5)


def _draw_slider(pen: _Pen, y: float) -> None:
    pen.line("edge", _LEFT, y + 2, _ROOM)
    pen.line("dot", _LEFT + 0.7 * _ROOM, y + 2)


def _draw_cells(pen: _Pen, y: float, number: int, height: float) -> None:
    """Buttons side by side, one of them chosen."""
    width = (_ROOM + 2) / number - 2
    for place in range(number):
        pen.box("chosen" if place == number // 2 else "edge", _LEFT + place * (width + 2), y, width, height)


def _draw_grid(pen: _Pen, y: float, rows: int, columns: int) -> None:
    for row in range(rows):
        pen.line("text", _LEFT, y + 4 * row + 1, 7)
        for column in range(columns):
            style = "point" if column == (row * 2 + 1) % columns else "dim"
            pen.line(style, _LEFT + _ROOM - 4 * (columns - column) + 3, y + 4 * row + 1)


def _draw_options(pen: _Pen, y: float, rows: int) -> None:
    for row in range(rows):
        pen.line("point" if row == 1 else "dim", _LEFT + 1, y + 5 * row + 1)
        pen.line("text", _LEFT + 5, y + 5 * row + 1, (_ROOM - 5) * _LENGTHS[row])


def _draw_labels(pen: _Pen, y: float, rows: int) -> None:
    width = _ROOM / 2 - 1
    for place in range(2 * rows):
        style = "chosen" if place == 1 else "edge"
        pen.box(style, _LEFT + place % 2 * (width + 2), y + 5 * (place // 2), width, 3)


def _draw_marks(pen: _Pen, y: float, rows: int) -> None:
    """A mark in the list of marks, above its categories where it has some."""
    pen.line("mark", _LEFT, y + 1.5, _ROOM / 3)
    pen.line("text", _LEFT + _ROOM / 3 + 3, y + 1.5, _ROOM / 3)
    for row in range(rows):
        for place in range(3):
            pen.box("edge", _LEFT + place * _ROOM / 3, y + 5 + 6 * row, _ROOM / 3 - 2, 4)
