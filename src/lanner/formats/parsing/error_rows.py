"""Tables with a row for each error, read with a row for each output that was judged, as MQM is annotated everywhere:
who judged, a category, a severity, and where the error stands. The place is marked by <v> and </v> in the text, given
in characters, or by the words themselves. An output without errors has a row that says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from lanner.errors import InputError, Where
from lanner.formats.parsing import textfile
from lanner.formats.parsing.columns import ColumnMap, column_map, parse
from lanner.formats.parsing.headings import error_words, fold, names_remark
from lanner.formats.parsing.map_draft import SHORT_ANSWER, as_option, mean_length
from lanner.formats.parsing.tables import Row, TableRows
from lanner.formats.parsing.values import as_text, is_missing, is_numeric, number
from lanner.model.languages import places_of
from lanner.model.messages import in_number

OPEN, CLOSE = "<v>", "</v>"
_FIELDS = ("severity", "category", "subcategory", "words", "start", "end", "correction")
_IN_A_REVIEW = re.compile(r"^(?:l?qa|mqm|dqf)[\s_.:-]+", re.I)
"""What stands before the names of columns that programs for reviews write: `LQA severity`."""
_KEY = ("document", "segment", "item", "system", "judge", "role")
"""The roles of columns that say whose judgement of which output a row is about."""
_SENTENCES = {
    "unmarked": (
        "{n} error has no place, as others do: it stands for the whole translation.",
        "{n} errors have no place, as others do: they stand for the whole translation.",
    ),
    "not_found": (
        "{n} error names words that do not stand in the text: it stands for the whole translation.",
        "{n} errors name words that do not stand in the text: they stand for the whole translation.",
    ),
    "several_places": (
        "{n} error names words that stand in the text more than once; the first place is taken.",
        "{n} errors name words that stand in the text more than once; the first place is taken.",
    ),
    "several_marks": (
        "{n} error has more than one mark; the first is taken for its place.",
        "{n} errors have more than one mark; the first is taken for their place.",
    ),
    "unclosed_mark": (
        "{n} error has a mark without an end: it reaches to the end of the text.",
        "{n} errors have marks without an end: they reach to the end of the text.",
    ),
    "other_text": (
        "{n} row shows another text of the same output than its first row, which is kept.",
        "{n} rows show another text of the same output than its first row, which is kept.",
    ),
}
"""What is said of how places were read, of one error and of several."""


def without_marks(text: str) -> str:
    """A text without the marks of an error."""
    return text.replace(OPEN, "").replace(CLOSE, "")


def marked_place(source: str, target: str) -> tuple[str, int, int, tuple[str, ...]]:
    """The side, start and end of the error that is marked in one of two texts, with what is wrong about it; without a
    mark the whole translation, which is flagged."""
    side, markup = ("source", source) if OPEN in source and OPEN not in target else ("target", target)
    start, end = 0, len(without_marks(markup))
    if OPEN not in markup:
        return side, start, end, ("unmarked",)
    before, _, rest = markup.partition(OPEN)
    inside, closing, _ = rest.partition(CLOSE)
    start = len(without_marks(before))
    several = ("several_marks",) if (source + target).count(OPEN) > 1 else ()
    if not closing:
        return side, start, end, ("unclosed_mark", *several)
    return side, start, start + len(without_marks(inside)), several


@cache
def severities() -> Mapping[str, str]:
    """The severity that each word means; "" for those that say that there is no error."""
    words = {fold(word): severity for severity, all_words in error_words("severities").items() for word in all_words}
    return words | dict.fromkeys(map(fold, error_words("none")["words"]), "")


def one_output_a_row(path: Path, rows: TableRows, columns: str | Mapping[str, str] = "", judge: str = "") -> TableRows:
    """The same table with a row for each output and judge if its rows are errors, which then stand in a column
    `errors`; other tables as they are."""
    table = _error_table(path, rows, columns, judge)
    return rows if table is None else table.turned()


def are_errors(path: Path, rows: TableRows) -> bool:
    """Whether the rows of a table are errors."""
    return _error_table(path, rows) is not None


def _error_table(
    path: Path, rows: TableRows, columns: str | Mapping[str, str] = "", judge: str = ""
) -> _ErrorTable | None:
    given = parse(columns)
    places = _places(rows, given.values())
    if "severity" not in places and not {"unknown", "category"} <= places.keys():
        return None
    about_errors = {f"ignore:{rows.header[at]}": rows.header[at] for at in places.values()}
    for known in (given, about_errors | given):  # the words of errors may seem to tell texts apart
        with suppress(InputError):
            column_roles = column_map(rows.header, known, sample=rows.sample, judge=judge)
            break
    else:
        return None  # the table says itself what is wrong with it
    table = _ErrorTable(path, rows, places, column_roles, set(given.values()))
    if "severity" not in places:
        table.refuse_unknown_severities()
        return None
    return table if table.is_one() else None


def _places(rows: TableRows, given: Collection[str]) -> dict[str, int]:
    """Where the columns are that say something of an error; a severity in words that are not known is `unknown`."""
    names = error_words("columns")
    at = {
        kind: place
        for kind in _FIELDS
        for place, name in reversed([*enumerate(rows.header)])
        if name not in given and fold(_IN_A_REVIEW.sub("", name)) in set(map(fold, names[kind]))
    }
    for kind in ("start", "end"):
        cells = [row[at[kind]] for row in rows.sample] if kind in at else []
        if any(not is_missing(cell) and not isinstance(number(cell), int) for cell in cells):
            del at[kind]
    if "severity" in at:
        words = [fold(as_text(row[at["severity"]])) for row in rows.sample if not is_missing(row[at["severity"]])]
        known = [severities()[word] for word in words if word in severities()]
        if len(known) * 2 <= len(words) or not any(known):
            at["unknown"] = at.pop("severity")
    return at


@dataclass(slots=True)
class _Output:
    """What one judge said of one output, while rows are read."""

    line: int
    values: list[Any]
    extra: dict[str, Any]
    texts: tuple[str, str]
    errors: list[dict[str, Any]] = field(default_factory=list)


class _ErrorTable:
    def __init__(
        self, path: Path, rows: TableRows, places: Mapping[str, int], column_roles: ColumnMap, given: Collection[str]
    ) -> None:
        self.path, self.rows, self.at, self.given = path, rows, places, given
        self.all_rows: list[Row] = list(rows.rows)
        rows.rows = self.all_rows  # they come again where the rows are no errors
        self.place = {name: at for at, name in enumerate(rows.header)}
        self.roles = {role: self.place[name] for role, name in column_roles.roles.items()}
        outputs = [self.place[name] for name in column_roles.outputs.values()]
        self.has_one_output = len(outputs) < 2
        self.source = self.roles.get("source")
        self.target = self.roles.get("output", outputs[0] if outputs else None)
        self.key = [self.roles[role] for role in _KEY if role in self.roles]
        self._use_texts_as_key()
        self.counts: Counter[str] = Counter()

    def _use_texts_as_key(self) -> None:
        """Where nothing numbers the segments, or only the rows are numbered, their texts tell them apart."""
        number_at = self.roles.get("segment", self.roles.get("item"))
        if not self._texts:
            return
        if number_at is not None:
            others = [at for at in self.key if at != number_at]
            numbers = {as_text(values[number_at]) for _, values, _ in self.all_rows}
            units = {self._key(values, [*others, *self._texts]) for _, values, _ in self.all_rows}
            if not len(numbers) == len(self.all_rows) > len(units):
                return
            self.key = others
        self.key += self._texts

    def _key(self, values: Sequence[Any], places: Sequence[int]) -> tuple[str, ...]:
        return tuple(without_marks(as_text(values[at])) for at in places)

    @cached_property
    def _remarks(self) -> list[int]:
        """The columns of remarks on errors."""
        return [at for name, at in self.place.items() if names_remark(name) and at not in self.at.values()]

    @property
    def _own(self) -> set[int]:
        """The columns about errors, and the remarks beside them."""
        return {*self.at.values(), *self._remarks}

    def _is_about_error(self, at: int) -> bool:
        """Whether a column says different things of the errors in one output."""
        first: dict[tuple[str, ...], str] = {}
        return any(
            first.setdefault(self._key(values, self.key), text := without_marks(as_text(values[at]))) != text
            for _, values, _ in self.all_rows
        )

    @cached_property
    def _severities(self) -> list[str | None]:
        """The severity of each row; "" where it says that there is no error, None where it says nothing known."""
        return [self._severity(values) for _, values, _ in self.all_rows]

    def is_one(self) -> bool:
        """Whether rows are errors: some are about one output, or they say where errors are, or that there are none, or
        all have a category and a severity."""
        if not self.has_one_output or not set(self.key) - {self.roles.get("judge"), self.roles.get("role")}:
            return False
        keys = Counter(self._key(values, self.key) for _, values, _ in self.all_rows)
        is_named = "category" in self.at and ("" in self._severities or None not in self._severities)
        if not (max(keys.values(), default=0) > 1 or self._says_place or is_named):
            return False
        if "judge" not in self.roles:
            self._refuse_unknown_judges()
        return True

    def refuse_unknown_severities(self) -> None:
        """The error where several rows about one output have a category and a severity in words of their own: of all
        but the first nothing would count."""
        keys: Counter[tuple[str, ...]] = Counter()
        for line, values, _ in self.all_rows:
            key = self._key(values, self.key)
            keys[key] += 1
            if keys[key] > 1 and not self.roles.keys() & {"role", "answered_at", "question"}:
                column = self.rows.header[self.at["unknown"]]
                raise InputError(
                    f"Several rows of one judge are about one output, each with {column!r}: every row is an error. "
                    f"{as_text(values[self.at['unknown']])!r} is no severity that is known.",
                    code="rows_are_errors",
                    names={"columns": column},
                    where=Where(self.path, line),
                    next_step="Write minor, major, critical or neutral. If judges answered twice, say so in a column "
                    "`role` (main, repeat).",
                )

    def _refuse_unknown_judges(self) -> None:
        names = [name for name, at in self.place.items() if name not in self.given and self._may_name_judges(at)]
        if names:
            either = " or ".join(as_option({role: names[0]}) for role in ("judge", f"ignore:{names[0]}"))
            raise InputError(
                f"Each row is an error, and no column is known to name judges: {' or '.join(map(repr, names))} may.",
                code="rows_are_errors",
                names={"columns": ", ".join(names)},
                where=Where(self.path, self.rows.line),
                next_step=f"Say whether it does: {either}.",
            )

    def _may_name_judges(self, at: int) -> bool:
        names = [as_text(values[at]) for _, values, _ in self.all_rows if not is_missing(values[at])]
        is_name = 1 < len(set(names)) * 2 <= len(names) and mean_length(names) <= SHORT_ANSWER
        is_other = at not in self._own and at not in self.key and not any(map(is_numeric, names))
        return is_name and is_other and self._is_about_error(at)

    @property
    def _says_place(self) -> bool:
        """Whether errors have a place in a text."""
        return any(
            (self._offset(values, "start") is not None and self._offset(values, "end") is not None)
            or (self._texts and self._text(values, "words"))
            or any(OPEN in as_text(values[at]) for at in self._texts)
            for _, values, _ in self.all_rows
        )

    def _text(self, values: Sequence[Any], kind: str) -> str:
        value = values[self.at[kind]] if kind in self.at else None
        return "" if is_missing(value) else as_text(value).strip()

    def _severity(self, values: Sequence[Any]) -> str | None:
        severity, category = fold(self._text(values, "severity")), fold(self._text(values, "category"))
        if severities().get(category) == "" or not (severity or category or self._text(values, "words")):
            return ""
        return severities().get(severity) if severity else None

    def turned(self) -> TableRows:
        """The table with a row for each output."""
        has_places = self._says_place
        outputs: dict[tuple[str, ...], _Output] = {}
        for (line, values, extra), severity in zip(self.all_rows, self._severities, strict=True):
            source, target = (as_text(values[at]) if at is not None else "" for at in (self.source, self.target))
            texts = without_marks(source), without_marks(target)
            output = outputs.setdefault(self._key(values, self.key), _Output(line, list(values), extra, texts))
            self.counts.update(["other_text"] if texts != output.texts else [])
            if severity is None:
                self._refuse_severity(line, values)
            if severity:
                place = self._place(values, source, target, output) if has_places else {}
                output.errors.append({**place, **self._about(values, severity)})
        dropped = [
            at for at in self.place.values() if at not in self.key and at not in self._texts and self._is_dropped(at)
        ]
        kept = [at for at in self.place.values() if at not in dropped]
        self.rows.notes.extend(self._notes(dropped, has_places=has_places))
        judge = [] if "judge" in self.roles else ["judge"]
        header = [*(self.rows.header[at] for at in kept), *judge, "errors"]
        return self.rows.turned(header, self._rows(outputs, kept, judge), self._note(len(outputs)))

    @property
    def _texts(self) -> list[int]:
        return [at for at in (self.source, self.target) if at is not None]

    def _is_dropped(self, at: int) -> bool:
        return self.rows.header[at] not in self.given and (at in self._own or self._is_about_error(at))

    def _rows(self, outputs: Mapping[tuple[str, ...], _Output], kept: Sequence[int], judge: list[str]) -> Iterator[Row]:
        for output in outputs.values():
            values = [*output.values]
            for at in self._texts:
                values[at] = without_marks(as_text(values[at]))
            yield output.line, [*(values[at] for at in kept), *judge, output.errors], output.extra

    def _refuse_severity(self, line: int, values: Sequence[Any]) -> None:
        word = self._text(values, "severity")
        column = self.rows.header[self.at["severity"]]
        what = f"is {word!r}" if word else "is empty"
        textfile.failed(
            self.path,
            f"{column!r} {what}, which is no severity.",
            line,
            "Write minor, major, critical or neutral; where there is no error, no-error in it and in the category.",
        )

    def _about(self, values: Sequence[Any], severity: str) -> dict[str, Any]:
        names = [name for kind in ("category", "subcategory") if (name := self._text(values, kind))]
        about = {"category": "/".join(names), "severity": severity, "correction": self._text(values, "correction")}
        about["note"] = "; ".join(as_text(values[at]).strip() for at in self._remarks if not is_missing(values[at]))
        return {name: text for name, text in about.items() if text}

    def _place(self, values: Sequence[Any], source: str, target: str, output: _Output) -> dict[str, Any]:
        """Where an error stands: at its mark, from `start` to `end`, or where its words are."""
        start, end = (self._offset(values, kind) for kind in ("start", "end"))
        words, texts = self._text(values, "words"), {"target": without_marks(target), "source": without_marks(source)}
        side, flags = "target", tuple[str, ...]()
        if OPEN in source + target or not (words or (start is not None and end is not None)):
            side, start, end, flags = marked_place(source, target)
        elif words and texts[side][slice(start, end)] != words:
            side, start, end, flags = self._find(words, texts, start, output)
        self.counts.update(flags)
        text = texts[side][slice(start, end)] or words
        return {"side": side, "start": start, "end": end, **({"text": text} if text else {})}

    def _offset(self, values: Sequence[Any], kind: str) -> int | None:
        offset = number(self._text(values, kind))
        return offset if isinstance(offset, int) else None

    def _find(
        self, words: str, texts: Mapping[str, str], near: int | None, output: _Output
    ) -> tuple[str, int, int, tuple[str, ...]]:
        """Where words stand: in the translation or else in the source, nearest to where they should, or at the first
        place that no other error has."""
        for side, text in texts.items():
            places = places_of(words, text, near)
            taken = {error.get("start") for error in output.errors if error.get("side") == side}
            if places:
                free = [at for at in places if at not in taken] or places
                at = free[0] if near is None else places[0]
                flags = ("several_places",) if near is None and len(free) > 1 else ()
                return side, at, at + len(words), flags
        return "target", 0, len(texts["target"]), ("not_found",)

    def _note(self, outputs: int) -> str:
        errors = sum(map(bool, self._severities))
        return in_number(
            errors,
            "Each row is an error, with its severity in {column!r}: {n} error in {outputs} judged outputs.",
            "Each row is an error, with its severity in {column!r}: {n} errors in {outputs} judged outputs.",
            column=self.rows.header[self.at["severity"]],
            outputs=outputs,
        )

    def _notes(self, dropped: Sequence[int], *, has_places: bool) -> Iterator[str]:
        for what, (one, many) in _SENTENCES.items():
            if n := self.counts[what]:
                yield in_number(n, one, many)
        if "" not in self._severities:
            yield (
                "No row says that an output has no errors. If judges found none in some, add a row for each of these "
                "(No-error as category and severity): without them penalties are too high, and agreement is about "
                "outputs with errors alone."
            )
        if not has_places:
            yield "No column says where the errors stand, so only their number, categories and severities are compared."
        unread = [self.rows.header[at] for at in dropped if at not in self._own]
        if unread:
            yield f"What differs between the errors of one output is not read: {', '.join(unread)}."
