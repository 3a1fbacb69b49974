"""A table whose columns are known: its rows as segments and documents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lanner.errors import InputError, Where
from lanner.formats.parsing import textfile
from lanner.formats.parsing.columns import ColumnMap, column_map
from lanner.formats.parsing.headings import fold, is_total, names_answer, side_of, sides_of
from lanner.formats.parsing.layouts import Rows
from lanner.formats.parsing.map_draft import SHEET, as_option, each_as
from lanner.formats.parsing.readings import (
    ANSWERS,
    PAIR,
    PART,
    UNKNOWN_LANGUAGES,
    Draft,
    Gathering,
    Pair,
    SameNameError,
)
from lanner.formats.parsing.textfile import Note
from lanner.formats.parsing.values import as_text, duration_heading, file_languages, is_false, is_numeric
from lanner.model import Document
from lanner.model import languages as language_codes
from lanner.model.messages import in_number

_DOCUMENT_ROLES = ("domain", "title", "text_type", "note", "media")
_PARTS = ("collection", "domain")
"""What texts are divided into, in each of which documents may be numbered anew."""


def _determined(code: str, other: str) -> str:
    return other if code == language_codes.UNDETERMINED else code


def _is_word(value: Any) -> bool:
    """Whether a cell holds something that is no number."""
    return value not in (None, "") and not is_numeric(value)


class MappedTable:
    """One table being read: the map turned into positions, and rows into segments."""

    def __init__(
        self,
        path: Path,
        rows: Rows,
        columns: str | Mapping[str, str],
        *,
        system: str,
        languages: str,
        judge: str,
        named_by: frozenset[str],
    ) -> None:
        self.path, self.rows, self.named_by = path, rows, named_by
        self.languages, self.judge = languages, judge
        try:
            self.map: ColumnMap = column_map(rows.header, columns, system, rows.sample, judge=judge)
        except InputError as error:
            if rows.is_survey and error.code == "no_source_column":
                raise survey_by_respondent(path, rows) from error
            error.where = Where(path, rows.line)
            raise
        place = {name: position for position, name in enumerate(rows.header)}
        self.at = {role: place[column] for role, column in self.map.roles.items()}
        self.outputs = [(name, place[column]) for name, column in self.map.outputs.items()]
        self.references = [(name, place[column]) for name, column in self.map.references.items()]
        self.answers = [(answer, place[answer.column]) for answer in self.map.answers]
        self.rest = [(name, place[name]) for name in self.map.rest]
        self.long = "system" in self.at and "output" in self.at
        self.has_texts = "source" in self.at
        self.has_own_columns = not {"paragraph", "judged", "flags", "segment_meta"}.isdisjoint(self.at)
        if not self.has_texts and "segment" not in self.at and "item" in self.at:
            self.at["segment"] = self.at["item"]
        self.items_are_documents = not self.has_texts and "document" not in self.at
        self.pair_columns = self._places("system_a", "system_b")
        self.about_document = self._places(*_DOCUMENT_ROLES)
        self.languages_at = self._places("languages", "source_language", "target_language")
        self.part_roles = [role for role in _PARTS if role in self.at]
        self._outputs_at = self._places("output") or [position for _, position in self.outputs]
        self._ids_at = self._places("document", "segment", "item")
        answers_at = [position for _, position in self.answers]
        self._content_at = [*self._outputs_at, *answers_at, *self._places("segment", "item")]
        self.blank = self.textless = self.differing_documents = 0
        self.unknown_language = False
        self.pairs: dict[tuple[str, ...], Pair] = {}
        self.documents_said: dict[str, list[Any]] = {}
        self.parts: dict[tuple[str, str], tuple[tuple[str, ...], str]] = {}

    def _places(self, *roles: str) -> list[int]:
        """Where the columns of these roles are."""
        return [self.at[role] for role in roles if role in self.at]

    def documents(self) -> Iterator[Document]:
        """The documents, each as soon as its rows are over; at the end where rows of one may be anywhere."""
        gathering = self.gathering()
        for line, row, extra in self.rows.rows:
            draft = self.add(gathering, line, row, extra)
            if not self.long and not self.answers and draft is not None and len(gathering) > 1:
                yield gathering.release_first()
        yield from gathering.documents()

    def _is_textless(self, row: Sequence[Any]) -> bool:
        """Whether a row without a source is blank, or a remark below the table: no text and no id at its place."""
        if all(value is None or value == "" for value in row):
            self.blank += 1
            return True
        if self.has_own_columns or "absent" in self.at or not self.has_texts:
            return False
        alone = sum(value not in (None, "") for value in row) == 1 and len(row) > 2
        if not alone and any(row[position] not in (None, "") for position in self._content_at):
            return False
        self.textless += 1
        return True

    def _is_total(self, row: Sequence[Any]) -> bool:
        """Whether a row below the table sums it up: it begins with such a word, and has no id or no text at its
        place."""
        if any(_is_word(row[at]) for at in self._outputs_at):
            return False  # a translation
        sheet = self.at["document"] if self.map.roles.get("document") == SHEET else None
        first = next((as_text(v) for at, v in enumerate(row) if v not in (None, "") and at != sheet), "")
        if not self._ids_at or not is_total(first):
            return False
        has_source = self.has_texts and _is_word(row[self.at["source"]])
        has_id = [row[position] not in (None, "") for position in self._ids_at]
        if any(has_id) and (has_source or (not self.has_texts and all(has_id))):
            return False
        self.textless += 1
        return True

    def gathering(self) -> Gathering:
        return Gathering(
            self.path,
            self.path.name.split(".")[0],
            has_documents="document" in self.at,
            has_segments="segment" in self.at,
            by_pair=PAIR in self.named_by,
        )

    def column_note(self) -> Note:
        """What each column is taken for."""
        return Note(f"Columns: {self.map}.", about="columns")

    def notes(self) -> Iterator[str]:
        if self.has_texts and self.map.rest and not (self.outputs or self.long or self.references):
            rest = self.map.rest[:4]
            yield Note(
                "No column is known to hold a translation.",
                f"If translations stand in {', '.join(rest)}: {each_as('system', rest)} (each column is the output of "
                "the system of its name).",
            )
        if self.map.scores:
            names = self.map.scores[:4]
            advice = f"If they answer questions: {each_as('answer', names)}."
            if not all(names_answer(name) for name in names):
                judges = f"If each column holds the scores of one judge: {each_as('judge', names)}."
                advice = f"{judges} {advice}"
            yield Note(f"The numbers in {', '.join(names)} are kept with the texts and not analysed.", advice)
        yield from self._notes_on_judges()
        if self.items_are_documents:
            yield (
                "No column names documents, so every item counts as one. Sentences of one text hang together: name "
                "their texts in a column `document`."
            )
        elif "document" not in self.at:
            yield Note(
                "No column names documents, so all rows are one document.", "--columns document=NAME changes that."
            )
        if self.has_texts and self.unknown_language:
            yield UNKNOWN_LANGUAGES
        if self.blank:
            yield in_number(self.blank, "{n} blank row is left out.", "{n} blank rows are left out.")
        if self.textless:
            yield in_number(
                self.textless,
                "{n} row without a text (a remark, a total) is left out.",
                "{n} rows without a text (remarks, totals) are left out.",
            )
        if PART in self.named_by:
            columns = " and ".join(self.map.roles[role] for role in self.part_roles)
            yield Note(
                f"Documents of one name come with several values of {columns}, which are part of their names.",
                "If this column is about judges, rename or remove it.",
            )
        if self.differing_documents:
            yield in_number(
                self.differing_documents,
                "{n} row says something else about its document (domain, title) than its first row, which counts.",
                "{n} rows say something else about their document (domain, title) than its first row, which counts.",
            )

    def _notes_on_judges(self) -> Iterator[Note]:
        """That a table seems to hold judgements although none were found: without answers, or without judges."""
        if "judge" in self.map.roles and not self.answers:
            rest = self.map.rest[:4]
            yield Note(
                f"The column {self.map.roles['judge']!r} names judges, but no column is known to hold their answers.",
                f"If {' or '.join(rest)} does: {each_as('answer', rest[:1])}." if rest else "",
                about=ANSWERS,
            )
        elif self.map.judge_candidates is not None:
            names = self.map.judge_candidates[:4]
            yield Note(
                "Most rows repeat the texts of another row, and no column is known to name judges.",
                f"If {' or '.join(names)} does: {as_option({'judge': names[0]})}."
                if names
                else "Add a column `judge`.",
                about=ANSWERS,
            )

    def add(self, gathering: Gathering, line: int, row: Sequence[Any], extra: dict[str, Any]) -> Draft | None:
        source = self._text("source", row)
        if (not source and self._is_textless(row)) or self._is_total(row):
            return None
        segment = self._text("segment", row)
        name = segment if self.items_are_documents and segment else self._text("document", row)
        if PART in self.named_by:
            parts = ", ".join(filter(None, (self.text(role, row) for role in self.part_roles)))
            name = f"{name or self.path.name.split('.')[0]} ({parts})"
        document = gathering.document(name, line, partial(self._attributes, row, line), self._stated_pair(row))
        self._compare_parts(document.id, segment, row)
        self._compare_document(document.id, row)
        draft = gathering.segment(
            document,
            segment,
            line,
            source=source,
            system=self.text("system", row) if self.long else "",
            again=bool(self.answers),
        )
        absent = self._json("absent", row, [], line) if "absent" in self.at else ()
        pair = self.compared_systems(row)
        for heading, position in self.outputs:
            name = pair[side] if pair and (side := side_of(heading)) is not None else heading
            value = row[position]
            if (value is None and self.rows.typed) or name in absent:
                continue
            gathering.output(draft, name, as_text(value))
        if self.long:
            gathering.output(draft, self.text("system", row), self._text("output", row))
        elif not self.has_texts:
            for system in filter(None, [self.text("system", row), *pair]):
                draft.outputs.setdefault(system, "")
        for name, position in self.references:
            # an empty cell of a plain table is no reference; in ours the column `absent` says which there are
            value = row[position]
            if name not in absent and (value not in (None, "") or self._tells_empty(value)):
                gathering.reference(draft, name, as_text(value))
        if self.rest or extra or self.has_own_columns:
            self._fill(draft, row, extra, line)
        return draft

    def unit_of(self, role: str) -> float:
        """Seconds in the unit that the heading of a column of times names."""
        about = duration_heading(self.map.roles.get(role, ""))
        return about.seconds if about else 1.0

    def compared_systems(self, row: Sequence[Any]) -> tuple[str, ...]:
        """The two systems that a row compares, in the order of their columns; nothing in other tables."""
        return tuple(as_text(row[position]).strip() for position in self.pair_columns)

    def side(self, value: Any, row: Sequence[Any]) -> str:
        """The side that the name of a system, or of its column (`model_a`), would mean as a preference; "" if none."""
        if isinstance(value, list | dict):
            return ""
        text = fold(as_text(value))
        pairs: list[Sequence[str]] = []
        if self.pair_columns:
            pairs = [self.compared_systems(row), [self.map.roles["system_a"], self.map.roles["system_b"]]]
        elif len(self.outputs) == 2:
            pairs = [list(self.map.outputs), list(self.map.outputs.values())]
        for names in pairs:
            first, second = (fold(name) for name in names)
            if first != second and text in (first, second):
                return "a" if text == first else "b"
        return ""

    def side_of_column(self, value: Any) -> str:
        """The side that a value means by the word in the headings of the two systems, `A` of `system_a`, or as a
        number; "" if none."""
        words = sides_of(self.map.roles["system_a"], self.map.roles["system_b"]) if self.pair_columns else None
        text = fold(as_text(value))
        return next(("ab"[pair.index(text)] for pair in (words, ("1", "2")) if pair and text in pair), "")

    def _compare_parts(self, document: str, segment: str, row: Sequence[Any]) -> None:
        """Where one segment comes in two domains or test sets, with another text if there are texts, documents are
        numbered anew in each of them."""
        parts = tuple(fold(self._text(role, row)) for role in self.part_roles) if segment else ()
        if not any(parts):
            return
        source = self._text("source", row)
        first, first_source = self.parts.setdefault((document, segment), (parts, source))
        if first != parts and (not self.has_texts or first_source != source):
            raise SameNameError(document, PART, where=Where(self.path))

    def _compare_document(self, document: str, row: Sequence[Any]) -> None:
        """Count a row that says something else about its document than the first one did."""
        if not self.about_document:
            return
        values = [row[position] for position in self.about_document]
        first = self.documents_said.setdefault(document, values)
        if values != first and any(new not in (None, "", old) for new, old in zip(values, first, strict=True)):
            self.differing_documents += 1

    def _tells_empty(self, value: Any) -> bool:
        return value is not None if self.rows.typed else "absent" in self.at

    def _fill(self, draft: Draft, row: Sequence[Any], extra: dict[str, Any], line: int) -> None:
        if paragraph := self._text("paragraph", row):
            draft.paragraph = self._whole(paragraph, line)
        if "judged" in self.at and is_false(row[self.at["judged"]]):
            draft.judged = False
        draft.flags += [str(flag) for flag in self._json("flags", row, [], line)]
        draft.meta |= self._json("segment_meta", row, {}, line)
        if self.answers:
            return  # what stands beside an answer is about the answer or its judge, and not about the text
        meta = {name: row[position] for name, position in self.rest if row[position] not in (None, "")} | extra
        if self.long:
            system = self.text("system", row)
            for name, value in meta.items():
                draft.meta.setdefault(name, {})[system] = value
        else:
            draft.meta |= meta

    def _attributes(self, row: Sequence[Any], line: int) -> dict[str, Any]:
        """What the row says of its document."""
        fields: dict[str, Any] = {role: self._text(role, row) for role in _DOCUMENT_ROLES if role in self.at}
        fields["source_language"], fields["target_language"] = self._pair(row)
        self.unknown_language |= language_codes.UNDETERMINED in (fields["source_language"], fields["target_language"])
        fields["glossary"] = self._json("glossary", row, {}, line)
        collection = {"collection": self.text("collection", row)} if "collection" in self.at else {}
        fields["meta"] = collection | self._json("document_meta", row, {}, line)
        return fields

    def _stated_pair(self, row: Sequence[Any]) -> Pair | None:
        """The languages that a row names, in a table that has a column for them."""
        if any(row[position] not in (None, "") for position in self.languages_at):
            return self._pair(row)
        return (language_codes.UNDETERMINED, language_codes.UNDETERMINED) if self.languages_at else None

    def _pair(self, row: Sequence[Any]) -> Pair:
        """The languages that a row says, or else its header, the option or the name of the file."""
        cells = tuple(as_text(row[position]) for position in self.languages_at)
        if cells not in self.pairs:
            self.pairs[cells] = self._pair_of(row)
        return self.pairs[cells]

    def _pair_of(self, row: Sequence[Any]) -> Pair:
        stated = self._text("languages", row) or self.languages
        if stated:
            pair = language_codes.pair(stated)
        else:
            map_pair, file_pair = self.map.languages or file_languages(self.path), file_languages(self.path)
            pair = _determined(map_pair[0], file_pair[0]), _determined(map_pair[1], file_pair[1])
        source, target = (
            language_codes.normal(self._text(role, row)) for role in ("source_language", "target_language")
        )
        if "absent" in self.at and not stated and "source_language" in self.at:
            return source, target  # a table of ours that says "und" means it, whatever its systems are called
        return _determined(source, pair[0]), _determined(target, pair[1])

    def _text(self, role: str, row: Sequence[Any]) -> str:
        return as_text(row[self.at[role]]) if role in self.at else ""

    def text(self, role: str, row: Sequence[Any]) -> str:
        """The text of a role, without spaces around it; "" where the table has no such column."""
        return self._text(role, row).strip()

    def _whole(self, text: str, line: int) -> int:
        try:
            return int(float(text))
        except (ValueError, OverflowError):
            textfile.failed(self.path, f"The paragraph {text!r} is not a whole number.", line)

    def _json(self, role: str, row: Sequence[Any], empty: Any, line: int) -> Any:
        value = row[self.at[role]] if role in self.at else None
        if value in (None, ""):
            return type(empty)()
        entries = textfile.parse_json(value, self.path, line) if isinstance(value, str) else value
        if not isinstance(entries, type(empty)):
            textfile.failed(self.path, f"{json.dumps(value)[:40]} is not what {role!r} holds.", line)
        return entries


def survey_by_respondent(path: Path, rows: Rows) -> InputError:
    """The error for an export in which a row holds all that a respondent said."""
    return InputError(
        "This is an export of Qualtrics with a row for each respondent; which column is about which sentence and asks "
        "what is not said in it.",
        where=Where(path, rows.line),
        next_step="Make a table with a row for each respondent and sentence: columns judge, segment, system, and one "
        "for each question.",
    )
