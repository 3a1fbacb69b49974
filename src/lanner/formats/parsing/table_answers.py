"""The answers in a table whose columns are known, on their way to judgements.

What kind of values a question has shows when all of its answers are there, so that judgements are made at the end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from lanner.errors import InputError, Where
from lanner.formats.parsing.headings import (
    fold,
    header_words,
    kind_by_name,
    kind_in_words,
    last_step_in_words,
    names_answer,
    names_criterion,
    names_remark,
    role_in_words,
    scale_of,
    side_that_wins,
    steps_in_words,
)
from lanner.formats.parsing.map_draft import AnswerColumn, each_as
from lanner.formats.parsing.readings import UNNAMED, Draft, bar_in_name, missing_system
from lanner.formats.parsing.textfile import ReadingNote
from lanner.formats.parsing.values import (
    IN_UTF16,
    INCLUSIVE,
    KEEP_CODES,
    are_places,
    are_signs,
    as_text,
    asks_preference,
    dots_in_thousands,
    duration,
    duration_heading,
    in_code_points,
    in_thousands,
    is_false,
    is_flag,
    is_label_none,
    is_missing,
    is_numeric,
    labelled_steps,
    literal_list,
    literal_object,
    measured,
    missing_codes,
    moment,
    number,
    plain_number,
    preferred_sides,
    slug,
    steps_of_scale,
    unwrapped,
)

if TYPE_CHECKING:
    from lanner.formats.table import MappedTable

from lanner.model import Judge, JudgeKind, Judgement, Role
from lanner.model.messages import in_number

_TIMES = ("seconds", "active_seconds")
_SHORT_SCALE = 10
_MANY = 20
_LONG_SECONDS = 900
"""Half of the times being longer than this, a quarter of an hour, they may be milliseconds."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]00:00:00)?")
_SEVERITIES = frozenset({"minor", "major", "critical"})
_NO_SEVERITY = frozenset(map(fold, ("neutral", "no-error", "no error", "none", "trivial", "severe")))
_TICKS = frozenset({"x", "✓", "✔", "☑", "√"})
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:[.,]\d{3})+")
_GRADE = re.compile(r"[A-F][+-]?")
_BETWEEN_LABELS = (";", "|", "\n", ",")
_LONGEST_LABEL = 40
_SIDES = {"a": "the first of the two", "b": "the second", "tie": "a tie"}
_FLAGS = {
    "repeat": (
        "{n} answer is the second of a judge to the same question; it is taken for a repeat.",
        "{n} answers are second ones of a judge to the same question; they are taken for repeats.",
    ),
    "unreadable_time": (
        "{n} time cannot be read (line {line}) and is left out; flagged.",
        "{n} times cannot be read (the first on line {line}) and are left out; flagged.",
    ),
    "not_a_number": (
        "{n} answer is no number although the others are; flagged not_a_number.",
        "{n} answers are no numbers although the others are; flagged not_a_number.",
    ),
    "unknown_role": (
        "{n} answer has a role that is none of {roles}; it counts as a main one, flagged.",
        "{n} answers have a role that is none of {roles}; they count as main ones, flagged.",
    ),
}
"""What is said of answers with these flags, of one and of several."""


class _Raw(NamedTuple):
    """A cell with an answer, and what its row says about it."""

    judge: str
    question: str
    draft: Draft
    systems: tuple[str, ...]
    value: Any
    side: str
    line: int
    role: str
    seconds: float | None
    active: float | None
    at: datetime | None
    flags: tuple[str, ...]
    own_column: bool
    """Whether its judge has a column, in which an item that this judge did not get has no answer."""
    other: str
    """What its row has another text of than the first row of the segment: source, output or nothing."""

    @property
    def key(self) -> tuple[Any, ...]:
        """Who answered what about which outputs."""
        return self.judge, self.question, self.draft.document, self.draft.id, self.systems


class TableAnswers:
    """The answers of a table, on their way to judgements: what kind of values a question has shows at the end."""

    def __init__(self, table: MappedTable, stage: str, question: str, missing: str) -> None:
        self._table, self._stage, self._question = table, stage, question
        self._keeps_codes = str(missing).strip().casefold() == KEEP_CODES
        self._missing = set() if self._keeps_codes else {part.strip() for part in str(missing).split(",")} - {""}
        self._missing_counts: Counter[str] = Counter()
        self._cells: list[_Raw] = []
        self._kinds: dict[str, JudgeKind] = {}
        self._named_kinds: dict[str, str] = {}
        self._stated_kinds: set[str] = set()
        self._system_names: set[tuple[str, ...]] = set()
        self._unknown_kinds: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        self._flag_counts: Counter[str] = Counter()
        self._first_bad_time = 0
        self._steps: list[str] = []
        self._graded: dict[str, tuple[float, float]] = {}
        self._inclusive: dict[str, None] = {}
        self._in_utf16 = self._nameless_line = 0

    @property
    def headings(self) -> dict[str, str]:
        """The questions by id, with the headings they had."""
        return {key: heading for heading, key in self._ids.items()}

    def scales(self) -> dict[str, tuple[float, float]]:
        """The scales of grades and of steps in words, and of the questions for which all columns name the same one, the
        worse end first."""
        named: dict[str, set[tuple[float, float] | None]] = {}
        for answer, _ in self._table.answers:
            if answer.question in self._ids:
                named.setdefault(self._ids[answer.question], set()).add(scale_of(answer.column))
        known = {key: scale for key, scales in named.items() if len(scales) == 1 and (scale := next(iter(scales)))}
        return self._graded | known

    def add(self, draft: Draft, line: int, row: Sequence[Any]) -> None:
        table = self._table
        if not table.answers:
            return
        at, flags = self._moment(table.text("answered_at", row), line)
        times = [table.text(role, row) for role in _TIMES]
        seconds, active = (duration(text, table.unit_of(role)) for role, text in zip(_TIMES, times, strict=True))
        if any(text and time is None for text, time in zip(times, (seconds, active), strict=True)):
            self._first_bad_time = self._first_bad_time or line
            flags = ("unreadable_time",)
        other = table.other_text(draft, row)
        named = table.text("judge", row) or table.judge
        for answer, position in table.answers:
            judge = answer.judge or named
            value = unwrapped(row[position]) if answer.part is None else _part(row[position], answer.part)
            if not judge and "judge" in table.at:
                if is_missing(value):
                    continue  # nobody was asked
                self._nameless_line = self._nameless_line or line
            judge = judge or UNNAMED
            kind = table.text("judge_kind", row)
            if judge not in self._kinds or (kind and judge not in self._stated_kinds):
                self._kinds[judge] = self._kind(judge, kind)
            heading = answer.question or table.text("question", row)
            if isinstance(value, list) and INCLUSIVE in as_text(row[position]):
                self._inclusive[heading] = None
            role = role_in_words(table.text("role", row), table.map.roles.get("role", ""))
            systems = self._systems(answer, row)
            key = self._id(heading)
            side = table.side(value, row) if len(systems) == 2 else ""
            own = bool(answer.judge)
            self._cells.append(
                _Raw(judge, key, draft, systems, value, side, line, role, seconds, active, at, flags, own, other)
            )

    def _kind(self, judge: str, said: str) -> JudgeKind:
        """What a judge is: as the row says it, else by a name that no person has."""
        if said:
            self._stated_kinds.add(judge)
        if kind := kind_in_words(said):
            self._named_kinds.pop(judge, None)
            return JudgeKind(kind)
        if said:
            self._unknown_kinds.setdefault(said, judge)
        if kind := kind_by_name(judge):
            self._named_kinds[judge] = kind
            return JudgeKind(kind)
        return JudgeKind.PERSON

    def _systems(self, answer: AnswerColumn, row: Sequence[Any]) -> tuple[str, ...]:
        table = self._table
        if answer.system:
            return (answer.system,)
        if table.pair_columns:
            compared = table.compared_systems(row)
            return compared if answer.side is None else (compared[answer.side],)
        if "system" in table.at:
            name = table.text("system", row)
            systems = tuple(name.split("|")) if name and not table.long else (name,) if name else ()
            self._system_names.add(systems)
            return systems
        return tuple(name for name, _ in table.outputs)

    def _id(self, heading: str) -> str:
        """The id of a question: its heading in small letters; headings in other scripts are counted."""
        if heading not in self._ids:
            ids = set(self._ids.values())
            base = self._question if self._question and not ids else slug(heading)
            key = base or f"question_{len(ids) + 1}"
            while key in ids:
                key = f"{key}_{len(ids) + 1}"
            self._ids[heading] = key
        return self._ids[heading]

    def _moment(self, text: str, line: int) -> tuple[datetime | None, tuple[str, ...]]:
        if not text:
            return None, ()
        time = moment(text)
        if time is not None:
            return time if time.tzinfo else time.replace(tzinfo=UTC), ()
        self._first_bad_time = self._first_bad_time or line
        return None, ("unreadable_time",)

    def judges(self) -> tuple[Judge, ...]:
        return tuple(Judge(name, kind) for name, kind in self._kinds.items())

    def _preferences(self, cells: Sequence[_Raw]) -> list[_Raw]:
        """The answers of a comparison as the side they mean, however they are worded."""
        if any(len(cell.systems) != 2 for cell in cells):
            return list(cells)
        heading = self.headings[cells[0].question]
        if side := self._winner(cells, heading):
            return self._won_or_lost(cells, heading, side)
        self._refuse_letters(cells)
        # systems called 1 and 2 are meant where a preference is asked for, and not by a confidence from 1 to 5
        are_names = asks_preference(heading) or not all(is_numeric(cell.value) for cell in cells if cell.side)
        side_cells = [cell._replace(value=cell.side) if cell.side and are_names else cell for cell in cells]
        texts = dict.fromkeys(as_text(cell.value).strip() for cell in side_cells if not is_missing(cell.value))
        if texts.keys() <= {"a", "b"}:
            return side_cells
        meanings = preferred_sides(texts, heading)
        if meanings is None:
            return list(cells)
        if words := {text: meaning for text, meaning in meanings.items() if fold(text) != meaning}:
            read = "; ".join(f"{text!r} is {_SIDES[meaning]}" for text, meaning in words.items())
            self._steps.append(f"Preferences in {heading!r}: {read}.")
        return [
            cell if is_missing(cell.value) else cell._replace(value=meanings[as_text(cell.value).strip()])
            for cell in side_cells
        ]

    def _winner(self, cells: Sequence[_Raw], heading: str) -> str:
        """The side of `sys1_wins` or `A is better`, of which yes and no say whether it won. "" for other headings,
        where the heading may name a system that stands on the other side too, and where another column says the same
        of the other side, so that no in both may be a tie."""
        values = [cell.value for cell in cells if not is_missing(cell.value)]
        side = side_that_wins(heading)
        others = {side_that_wins(other) for other in self._ids if other != heading}
        is_decided = bool(values) and all(is_flag(value) or as_text(value).strip() in ("0", "1") for value in values)
        if not side or not is_decided or others & {"a", "b"}:
            return ""
        turned = {fold(cell.systems["ba".index(side)]) for cell in cells}
        return "" if turned & set(map(fold, header_words(heading))) else side

    def _won_or_lost(self, cells: Sequence[_Raw], heading: str, side: str) -> list[_Raw]:
        other = "b" if side == "a" else "a"
        self._steps.append(
            f"{heading!r}: yes means that {_SIDES[side]} is better, and no that {_SIDES[other]} is. If ties are among "
            "them, write tie there: they count as preferences."
        )
        return [
            cell if is_missing(cell.value) else cell._replace(value=other if is_false(cell.value) else side)
            for cell in cells
        ]

    def _refuse_long_times(self) -> None:
        """The error where times without a unit are so long that they may be milliseconds."""
        for role in _TIMES:
            column = self._table.map.roles.get(role, "")
            about = duration_heading(column) if column else None
            times = [cell.seconds if role == "seconds" else cell.active for cell in self._cells]
            known = [time for time in times if time is not None]
            if known and (about is None or not about.unit) and median(known) > _LONG_SECONDS:
                raise InputError(
                    f"Half of the times in {column!r} are above {_LONG_SECONDS}, and no unit is named.",
                    code="times_without_unit",
                    names={"column": column},
                    where=Where(self._table.path, self._table.rows.line),
                    next_step=f"Name the unit in the heading: {column}_ms, {column}_s or {column}_min.",
                )

    def _note_on_places(self) -> Iterator[str]:
        """That numbers look like ranks, under a heading that does not say so."""
        groups: dict[str, dict[tuple[str, str, str], list[Any]]] = {}
        for cell in self._cells:
            if len(cell.systems) == 1:
                key = (cell.judge, cell.draft.document, cell.draft.id)
                groups.setdefault(cell.question, {}).setdefault(key, []).append(cell.value)
        for question, rankings in groups.items():
            heading = self.headings[question]
            if not are_places(rankings.values()):
                continue
            from lanner.protocols.guessing import asks_place

            if not asks_place(heading):
                yield (
                    f"The numbers in {heading!r} are the places 1, 2, 3 … of the systems in every text. If 1 is the "
                    "best, add --set better=lower."
                )

    def _refuse_letters(self, cells: Sequence[_Raw]) -> None:
        """The error where `A` may mean the side `system_a` or the system A, which stands on the other side."""
        table = self._table
        sides = ((cell, table.side_of_column(cell.value)) for cell in cells if cell.side and table.pair_columns)
        if cell := next((cell for cell, side in sides if side and side != cell.side), None):
            raise InputError(
                f"The answer {as_text(cell.value)!r} may mean a side or a system: "
                f"{' and '.join(map(repr, cell.systems))} stand in {table.map.roles['system_a']!r} and "
                f"{table.map.roles['system_b']!r}.",
                code="side_or_system",
                names={"question": cell.question},
                where=Where(table.path, cell.line),
                next_step="If sides are meant, write first and second; if systems, give them other names than "
                "letters and numbers.",
            )

    def _typed(self, cells: Sequence[_Raw]) -> list[tuple[Any, str]]:
        self._refuse_objects(cells)
        cells = [cell._replace(value=None) if self._is_code(cell.value) else cell for cell in self._preferences(cells)]
        cells = self._grades(self._ticks(cells))
        self._refuse_dates(cells)
        self._refuse_mixed_shares(cells)
        values = [cell.value for cell in cells]
        is_remark = names_remark(self.headings[cells[0].question])
        answers = _typed(values, decimal_comma=self._table.rows.decimal_comma, is_remark=is_remark)
        if not self._keeps_codes:
            self._refuse_codes(cells, answers)
            self._refuse_slips(cells, answers)
            self._note_on_zeros(cells, answers)
        self._note_on_thousands(cells, answers)
        if any(flag == "step" for _, flag in answers):
            texts = [as_text(cell.value).strip() for cell in cells if not is_missing(cell.value)]
            if last := last_step_in_words(texts):
                self._graded[cells[0].question] = (1, last)
            steps = {
                value: as_text(cell.value)
                for cell, (value, flag) in zip(cells, answers, strict=True)
                if flag == "step" and number(cell.value) is None
            }
            read = "; ".join(f"{steps[step]!r} is {step}" for step in sorted(steps)[:11])
            heading = self.headings[cells[0].question]
            self._steps.append(f"Answers to {heading!r} are steps of a scale and read as numbers: {read}.")
        elif labelled_steps(text for cell in cells if (text := as_text(cell.value).strip()) and not is_missing(text)):
            self._steps.append(
                f"Answers to {self.headings[cells[0].question]!r} are numbers with words, but one number has several "
                "words, so that they count as labels. If the numbers are the answers, leave out the words."
            )
        if mark := next((mark for _, flag in answers if (mark := flag.removeprefix("between:")) != flag), ""):
            heading = self.headings[cells[0].question]
            self._steps.append(
                f"Cells of {heading!r} hold several labels, with {mark!r} between them; an empty cell is no answer "
                "(write none where no label fits)."
            )
        return [(value, "" if flag == "step" or flag.startswith("between:") else flag) for value, flag in answers]

    def _ticks(self, cells: Sequence[_Raw]) -> list[_Raw]:
        """Ticks in a column that is empty otherwise are yes, and the empty cells no; other answers as they are."""
        texts = [as_text(cell.value).strip() for cell in cells]
        marks = {text.casefold() for text in texts if text}
        if len(marks) != 1 or not marks <= _TICKS or all(texts) or self._missing:
            return list(cells)
        heading = self.headings[cells[0].question]
        self._steps.append(f"{heading!r} is ticked ({marks.pop()}) or empty, which are read as yes and no.")
        return [cell._replace(value="yes" if text else "no") for cell, text in zip(cells, texts, strict=True)]

    def _grades(self, cells: Sequence[_Raw]) -> list[_Raw]:
        """Grades from A to F as numbers, the best the highest, under a heading for scores."""
        heading = self.headings[cells[0].question]
        texts = {as_text(cell.value).strip() for cell in cells if not is_missing(cell.value)}
        letters = {text[0] for text in texts if _GRADE.fullmatch(text)}
        is_graded = len(letters) > 2 and all(map(_GRADE.fullmatch, texts))
        if not is_graded or not (names_answer(heading) or names_criterion(heading)):
            return list(cells)
        scale = "FEDCBA" if {"E", "F"} <= letters else "FDCBA" if "E" not in letters else "EDCBA"
        numbers = {text: scale.index(text[0]) + 1 + {"+": 0.3, "-": -0.3}.get(text[1:], 0) for text in texts}
        margin = 0.3 if any(len(text) > 1 for text in texts) else 0
        self._graded[cells[0].question] = (1 - margin, len(scale) + margin)
        read = "; ".join(f"{text!r} is {grade:g}" for text, grade in sorted(numbers.items(), key=lambda e: -e[1]))
        self._steps.append(f"Grades in {heading!r} are read as numbers: {read}.")
        return [
            cell if is_missing(cell.value) else cell._replace(value=numbers[as_text(cell.value).strip()])
            for cell in cells
        ]

    def _refuse_objects(self, cells: Sequence[_Raw]) -> None:
        """The error where answers are objects that are not known to hold one answer: as texts they would be labels."""
        heading = self.headings[cells[0].question]
        may_be_text = names_remark(heading)
        objects = (
            cell
            for cell in cells
            if isinstance(cell.value, dict)
            or (isinstance(cell.value, str) and not may_be_text and literal_object(cell.value) is not None)
        )
        if cell := next(objects, None):
            raise InputError(
                f"The answers to {heading!r} are objects, such as {as_text(cell.value)[:80]}, and what in them answers "
                "which question about which system is not known.",
                code="no_answer_column",
                names={"columns": heading},
                where=Where(self._table.path, cell.line),
                next_step='Write a row for each system, and each answer under its question: {"system": "A", "fluency": '
                f"4}}. Or leave it out: {self._ignoring(heading)}.",
            )

    def _refuse_dates(self, cells: Sequence[_Raw]) -> None:
        """The error where a spreadsheet made dates of the answers: `3/4` is no score any more."""
        dates = [cell for cell in cells if _DATE.fullmatch(as_text(cell.value))]
        if len(dates) * 2 <= sum(not is_missing(cell.value) for cell in cells):
            return
        heading = self.headings[cells[0].question]
        raise InputError(
            f"The answers to {heading!r} are dates, such as {as_text(dates[0].value)}.",
            code="dates_as_answers",
            names={"question": cells[0].question},
            where=Where(self._table.path, dates[0].line),
            next_step="A spreadsheet makes dates of text such as 3/4 or 1-5: format the column as text and type the "
            f"answers again, or leave it out: {self._ignoring(heading)}.",
        )

    def _ignoring(self, heading: str) -> str:
        """The option that leaves out what was answered to a question, in all of its columns."""
        columns = [answer.column for answer, _ in self._table.answers if answer.question in (heading, "")]
        return each_as("ignore", columns)

    def _refuse_mixed_shares(self, cells: Sequence[_Raw]) -> None:
        """The error where `85%` and 0.85 stand in one column, as where the cells of a spreadsheet differ in format."""
        texts = [(cell, as_text(cell.value).strip()) for cell in cells if not is_missing(cell.value)]
        shares = [(cell, measured(text)) for cell, text in texts if not text.endswith("%")]
        percentages = [measured(text) for _, text in texts if text.endswith("%")]
        fraction = next((cell for cell, share in shares if share is not None and 0 < share < 1), None)
        are_fractions = all(share is not None and 0 <= share <= 1 for _, share in shares)
        if fraction is None or not are_fractions or not any(n is not None and n > 1 for n in percentages):
            return
        raise InputError(
            f"Some answers to {self.headings[cells[0].question]!r} are percentages and others fractions of one, such "
            f"as {as_text(fraction.value)}.",
            code="mixed_shares",
            names={"question": cells[0].question},
            where=Where(self._table.path, fraction.line),
            next_step="Write all as percentages or all as fractions.",
        )

    def _is_code(self, value: Any) -> bool:
        """Whether a cell holds a number, or a word, that the user named as standing for no answer."""
        if not self._missing:
            return False
        text = as_text(value).strip()
        code = str(number(text)) if number(text) is not None else text
        self._missing_counts.update([code] if code in self._missing else [])
        return code in self._missing

    def _refuse_codes(self, cells: Sequence[_Raw], answers: Sequence[tuple[Any, str]]) -> None:
        """The error where numbers are codes for missing answers: as scores they would decide every result."""
        numbers = [value for value, flag in answers if not flag and isinstance(value, int | float)]
        codes = missing_codes(numbers)
        if not codes:
            return
        others = [value for value in numbers if value not in codes]
        lines = [cell.line for cell, (value, _) in zip(cells, answers, strict=True) if value in codes]
        times = ", ".join(f"{code} ({count} {'time' if count == 1 else 'times'})" for code, count in codes.items())
        option = ",".join(map(str, codes))
        raise InputError(
            f"Answers to {self.headings.get(cells[0].question, cells[0].question)!r} are {times}, and all others from "
            f"{min(others)} to {max(others)}: this looks like a code for a missing answer.",
            code="missing_code",
            names={"codes": option, "question": cells[0].question},
            where=Where(self._table.path, lines[0]),
            next_step=f"If it is one, empty these cells or add --missing {option}. If it is a score: --missing "
            f'{KEEP_CODES}. (In Python: missing="{option}".)',
        )

    def _note_on_thousands(self, cells: Sequence[_Raw], answers: Sequence[tuple[Any, str]]) -> None:
        """That commas or points stand between thousands: to others `1,250` is little more than one."""
        texts = ((as_text(cell.value).strip(), value) for cell, (value, _) in zip(cells, answers, strict=True))
        marked = ((text, value) for text, value in texts if _THOUSANDS.fullmatch(text) and isinstance(value, int))
        if example := next(marked, None):
            heading = self.headings[cells[0].question]
            self._steps.append(f"Numbers in {heading!r} have marks between thousands: {example[0]} is {example[1]}.")

    def _note_on_zeros(self, cells: Sequence[_Raw], answers: Sequence[tuple[Any, str]]) -> None:
        """That a few answers are 0 where all others are on a scale from 1: some forms write 0 for no answer. Counts of
        errors, of which 0 is the most frequent, and scales that a heading names are left alone."""
        counts = Counter(value for value, flag in answers if flag == "step" or isinstance(value, int | float))
        zeros = counts.pop(0, 0)
        is_scale = len(counts) > 3 and set(counts) <= set(range(1, _SHORT_SCALE + 1)) and 1 in counts
        if 0 < zeros * len(counts) <= sum(counts.values()) and is_scale and cells[0].question not in self.scales():
            times = in_number(
                zeros,
                "{n} answer to {heading} is 0",
                "{n} answers to {heading} are 0",
                heading=repr(self.headings[cells[0].question]),
            )
            fact = f"{times} and all others from 1 to {max(counts)}: 0 counts as a score."
            self._steps.append(
                ReadingNote(
                    fact, f"If it means that there is no answer, add --missing 0; if not, --missing {KEEP_CODES}."
                )
            )

    def _refuse_slips(self, cells: Sequence[_Raw], answers: Sequence[tuple[Any, str]]) -> None:
        """The error where one or two of many answers lie far off the short scale of all others, as 55 for 5: the scale
        would be taken to reach up to them."""
        numbers = [(value, cell) for cell, (value, flag) in zip(cells, answers, strict=True) if not flag]
        slips = [(value, cell) for value, cell in numbers if isinstance(value, int | float) and value > _SHORT_SCALE]
        heading = self.headings[cells[0].question]
        if not 0 < len(slips) < 3 or len(numbers) - len(slips) < _MANY or cells[0].question in self.scales():
            return
        others = [value for value, _ in numbers if value not in [slip for slip, _ in slips]]
        if all(isinstance(value, int | float) and value % 1 == 0 and 1 <= value <= _SHORT_SCALE for value in others):
            value, cell = slips[0]
            raise InputError(
                f"The answer {value} to {heading!r} is far off all others, from {min(others)} to {max(others)}.",
                code="far_off_the_others",
                names={"question": cell.question},
                where=Where(self._table.path, cell.line),
                next_step=f"Correct it, or read it as missing: --missing {value}. If it is meant, name the scale in "
                f"the heading, such as {heading} (1-100), or add --missing {KEEP_CODES}.",
            )

    def _refuse_errors(self, by_question: Mapping[str, Sequence[_Raw]]) -> None:
        """Refuse a table whose rows are single errors: of several in one output all but the first would be taken for
        repeats."""
        rows = Counter(cell.key for cell in self._cells if not cell.role)
        for cells in by_question.values():
            words = {fold(as_text(cell.value)) for cell in cells if not is_missing(cell.value)}
            again = next((cell for cell in cells if rows[cell.key] > 1), None)
            if again is not None and words & _SEVERITIES and words <= _SEVERITIES | _NO_SEVERITY:
                raise InputError(
                    f"Several rows of {again.judge} are about one output, each with a severity: every row is an error.",
                    code="rows_are_errors",
                    where=Where(self._table.path, line=again.line),
                    next_step="Errors are read from a table with columns judge, system, segment, category, severity "
                    "and one of translations. If judges answered twice, say so in a column `role` (main, repeat).",
                )

    def _refuse_bars(self) -> None:
        """The error where `B|1` beside other names is one system: two that are compared are named alone elsewhere too,
        or every row compares two."""
        single_names = {systems[0] for systems in self._system_names if len(systems) == 1}
        for systems in sorted(self._system_names, key=len):
            if len(systems) > 1 and single_names and not single_names.issuperset(systems):
                raise bar_in_name("|".join(systems), Where(self._table.path))

    def _refuse_unnamed_sentence(self, cell: _Raw) -> None:
        """The error where a judge answers differently about one document and no column tells its sentences apart: all
        but the first answer would be taken for repeats."""
        table = self._table
        if cell.role or cell.at is not None or table.has_texts or "segment" in table.at:
            return
        raise InputError(
            f"{cell.judge} gives different answers to {self.headings[cell.question]!r} about {cell.draft.document}, "
            "and no column says which sentence each is about.",
            code="unnamed_sentences",
            names={"question": cell.question},
            where=Where(table.path, cell.line),
            next_step="Name or number the sentences in a column `segment`. If judges answered twice, say so in a "
            "column `role` (main, repeat).",
        )

    def are_repeated(self) -> bool:
        """Whether most answers are to the same question about the same output as another one of their judge."""
        counts = Counter(cell.key for cell in self._cells if not cell.role)
        return sum(answers for answers in counts.values() if answers > 1) * 2 > len(self._cells)

    def _refuse_unnamed_judges(self) -> None:
        """The error where some rows name no judge, as where a name stands on the first row of each judge alone: the
        answers of all would be one judge's."""
        if self._nameless_line and len(self._kinds) > 1:
            raise InputError(
                "This row names no judge, and others do.",
                code="unnamed_judge",
                where=Where(self._table.path, self._nameless_line),
                next_step="Fill in the name. If an empty cell means the judge above, fill the cells down.",
            )

    def _refuse_missing_systems(self, by_question: Mapping[str, Sequence[_Raw]]) -> None:
        """The error where some answers to a question name no system, as where a name stands on the first row of each
        system alone."""
        if "system" not in self._table.at:
            return
        for cells in by_question.values():
            nameless = next((c for c in cells if not c.systems and not is_missing(c.value)), None)
            if nameless is not None and any(cell.systems for cell in cells):
                raise missing_system(Where(self._table.path, nameless.line))

    def _refuse_other_sources(self) -> None:
        """The error where a judge answers about several source texts of one segment: sentences are numbered anew, and
        the answers to all but the first would be taken for repeats about the first."""
        counts = Counter(cell.key for cell in self._cells)
        again = (c for c in self._cells if c.other == "source" and counts[c.key] > 1 and not c.role)
        if cell := next(again, None):
            column = self._table.map.roles.get("segment", "")
            ignoring = f", or leave these numbers out: {each_as('ignore', [column])}" if column else ""
            raise InputError(
                f"{cell.judge} answers about several source texts of the segment {cell.draft.id}, so sentences are "
                "numbered anew.",
                code="several_sources",
                names={"segment": cell.draft.id},
                where=Where(self._table.path, cell.line),
                next_step=f"Name the text of each row in a column `document`{ignoring}.",
            )

    def _refuse_unnamed_systems(self) -> None:
        """The error where judges answered about several translations of most segments and no column says whose each
        is: all answers but those about the first would be taken for repeats."""
        others = [cell for cell in self._cells if cell.other == "output" and not cell.role]
        if not others or not self.are_repeated() or self._table.pair_columns or "system" in self._table.at:
            return
        again = {cell.key for cell in others}
        if sum(cell.key in again for cell in self._cells) * 2 <= len(self._cells):
            return
        names = ", ".join(column for _, column in self._table.map.outputs.items())
        raise InputError(
            f"{others[0].judge} judged several translations of one segment ({names}), and no column says which system "
            "each is of.",
            code="unnamed_systems",
            names={"columns": names},
            where=Where(self._table.path, others[0].line),
            next_step="Name the system of each row in a column `system`, or say which column does: --columns "
            "system=COLUMN. If they translate different sentences, number these in a column `segment`.",
        )

    def judgements(self) -> tuple[Judgement, ...]:
        by_question: dict[str, list[_Raw]] = {}
        for cell in self._cells:
            by_question.setdefault(cell.question, []).append(cell)
        values = {
            id(cell): value
            for cells in by_question.values()
            for cell, value in zip(cells, self._typed(cells), strict=True)
        }
        self._refuse_unnamed_judges()
        self._refuse_missing_systems(by_question)
        self._refuse_errors(by_question)
        self._refuse_other_sources()
        self._refuse_unnamed_systems()
        self._refuse_bars()
        self._refuse_long_times()
        first_answers: dict[tuple[Any, ...], Any] = {}
        answered = {cell.key for cell in self._cells if values[id(cell)][1] != "missing"}
        judgements = []
        for cell in self._cells:
            value, flag = values[id(cell)]
            value = self._in_code_points(value, cell)
            if flag == "missing" and cell.own_column:
                continue
            # an empty cell is no first answer where the judge has another row with one
            again = cell.key in first_answers or (flag == "missing" and cell.key in answered)
            if not again:
                first_answers[cell.key] = value
            elif flag != "missing" and value != first_answers[cell.key]:
                self._refuse_unnamed_sentence(cell)
            role = Role(cell.role) if cell.role in list(Role) else Role.REPEAT if again else Role.MAIN
            flags = (*([flag] if flag else []), *cell.flags)
            if cell.role and cell.role not in list(Role):
                flags = (*flags, "unknown_role")
            self._flag_counts.update([*flags, *(["repeat"] if again and not cell.role else [])])
            judgements.append(
                Judgement(
                    judge=cell.judge,
                    stage=self._stage,
                    question=cell.question,
                    document=cell.draft.document,
                    segment=cell.draft.id,
                    systems=cell.systems,
                    value=value,
                    role=role,
                    flags=flags,
                    elapsed_seconds=cell.seconds,
                    active_seconds=cell.active,
                    answered_at=cell.at,
                    origin=f"{self._table.path.name}:{cell.line}",
                )
            )
        return tuple(judgements)

    def _in_code_points(self, value: Any, cell: _Raw) -> Any:
        """Marks with their places in code points; other answers as they are."""
        if not isinstance(value, list) or len(cell.systems) != 1 or not all(isinstance(mark, dict) for mark in value):
            return value
        text = cell.draft.outputs.get(cell.systems[0], "")
        marks = [mark if mark.get("side") == "source" else in_code_points(mark, text) for mark in value]
        self._in_utf16 += sum(mark is not own for mark, own in zip(marks, value, strict=True))
        return marks

    def notes(self) -> Iterator[str]:
        systems = dict.fromkeys(system for cell in self._cells for system in cell.systems)
        for what, names in (("judges", self._kinds), ("systems", systems)):
            alike: dict[str, list[str]] = {}
            for name in names:
                alike.setdefault(fold(name), []).append(name)
            for same in alike.values():
                if len(same) > 1:
                    yield f"These count as different {what}, although their names are alike: {', '.join(same)}."
        if self._named_kinds:
            titles = {"adjudicated": "settled or averaged answers", "metric": "a metric", "model": "a model"}
            read = "; ".join(f"{judge!r} is {titles[kind]}" for judge, kind in self._named_kinds.items())
            yield (
                f"Going by their names, some judges are not people and count apart: {read}. A column judge_kind "
                "(person, model, metric, adjudicated) says otherwise."
            )
        for word, judge in self._unknown_kinds.items():
            yield (
                f"{word!r} is no kind of judge that is known (person, model, metric, adjudicated): {judge} counts as "
                f"{'a person' if self._kinds[judge] is JudgeKind.PERSON else self._kinds[judge]}."
            )
        if self._cells and "role" not in self._table.at:
            yield "No column `role` says which answers are controls or repeats, so all count as main ones."
        yield from self._steps
        if self._in_utf16:
            yield in_number(self._in_utf16, *IN_UTF16)
        yield from self._note_on_places()
        for heading in self._inclusive:
            yield f"Marks in {heading!r} end at the character that {INCLUSIVE} names, which belongs to them."
        for role in _TIMES:
            if self._cells and role in self._table.at:
                column = self._table.map.roles[role]
                about = duration_heading(column)
                if about is None or not about.unit:
                    yield f"Times in {column!r} are taken as seconds; name another unit in the heading (time_ms)."
                elif about.unit != "seconds":
                    yield f"Times in {column!r} are read as {about.unit}."
        for code, n in self._missing_counts.items():
            yield in_number(
                n,
                "{n} answer is {code} and counts as missing.",
                "{n} answers are {code} and count as missing.",
                code=code,
            )
        for flag, (one, many) in _FLAGS.items():
            if n := self._flag_counts[flag]:
                yield in_number(n, one, many, line=self._first_bad_time, roles=", ".join(Role))
        for column in dict.fromkeys(answer.column for answer, _ in self._table.answers if answer.part):
            yield (
                f"Each cell of {column!r} holds several answers, which count as those of judges 1, 2 and so on. If "
                "they stand in no order, trust α, which does not ask who answered, and nothing said of one judge."
            )
        if self._cells and list(self._kinds) == [UNNAMED]:
            columns = [answer.column for answer, _ in self._table.answers if not answer.system][:4]
            advice = "If one does: --columns judge=COLUMN."
            if len(columns) > 1:
                judges = each_as("judge", columns)
                advice = f"{advice} If {', '.join(columns)} each hold the answers of one judge: {judges}."
            yield ReadingNote("No column is known to name judges, so all answers count as one judge's.", advice)


def _part(cell: Any, part: int) -> Any:
    """One of the answers in a cell that holds a list of them; None where it is shorter."""
    answers = cell if isinstance(cell, list) else literal_list(as_text(cell)) or []
    return answers[part] if part < len(answers) else None


def _typed(cells: Sequence[Any], *, decimal_comma: bool = False, is_remark: bool = False) -> list[tuple[Any, str]]:
    """The answers to one question with a flag each: numbers where most are, or where the steps of a scale are written
    out; lists where all are, words otherwise. With `decimal_comma` 1,250 is less than two,
    unless another number has a comma and a point."""
    texts = [as_text(cell).strip() for cell in cells]
    are_labels = is_label_none(texts)
    are_steps = are_signs(filter(None, texts))

    def is_answer(text: str) -> bool:
        return (are_steps and text != "") or (are_labels and text.casefold() == "none")

    values = [
        None if is_missing(cell) and not is_answer(text) else cell.strip() if isinstance(cell, str) else cell
        for cell, text in zip(cells, texts, strict=True)
    ]
    there = [value for value in values if value is not None]
    texts = [as_text(value) for value in there]
    lists = [literal_list(value) if isinstance(value, str) else value for value in there]
    if there and all(isinstance(value, list) for value in lists):
        return _with_missing(values, [(value, "") for value in lists])
    plain = [plain_number(text) for text in texts]
    if in_thousands(plain) and (not decimal_comma or any("," in text and "." in text for text in plain)):
        plain = [text.replace(",", "") for text in plain]
    elif dots_in_thousands(plain):
        plain = [text.replace(".", "") for text in plain]
    numbers = [number(text) if number(text) is not None else measured(text) for text in plain]
    if None in numbers and (steps := steps_of_scale(texts) or steps_in_words(texts)) is not None:
        return _with_missing(values, [(step, "step") for step in steps])
    if numbers and sum(value is not None for value in numbers) * 2 > len(numbers):
        pairs = zip(numbers, there, strict=True)
        return _with_missing(values, [(raw, "not_a_number") if n is None else (n, "") for n, raw in pairs])
    for mark in () if is_remark else _BETWEEN_LABELS:
        if _are_several_labels(lists_of_labels := [_split_labels(text, mark) for text in texts]):
            return _with_missing(values, [(labels, f"between:{mark.strip()}") for labels in lists_of_labels])
    return _with_missing(values, [(text, "") for text in texts])


def _split_labels(text: str, mark: str) -> list[str]:
    return list(dict.fromkeys(label for part in text.split(mark) if (label := part.strip())))


def _are_several_labels(cells: Sequence[Sequence[str]]) -> bool:
    """Whether cells hold a few short labels that come again and again, and some cells several of them."""
    counts = Counter(label for cell in cells for label in cell)
    are_short = all(len(label) <= _LONGEST_LABEL for label in counts)
    return any(len(cell) > 1 for cell in cells) and are_short and all(n > 1 for n in counts.values())


def _with_missing(values: Sequence[Any], typed_answers: Iterable[tuple[Any, str]]) -> list[tuple[Any, str]]:
    """The typed values in the places of those that are there; the others are missing."""
    answers = iter(typed_answers)
    return [(None, "missing") if value is None else next(answers) for value in values]
