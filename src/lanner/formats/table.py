"""Any table: CSV, TSV, JSON lines, Parquet or a spreadsheet, with texts, judgements or both.

A row is a segment (with a column for each system), a segment and a system (with a column that names the system), or
what one judge answered about one of these (with a column that names the judge, or a column for each judge). Answers
stand in a column for each question, or in one column beside another that names the question.

Which column holds what is guessed from the header, in many words and languages, and shown; `columns` overrides it.
Titles above the header are left out. Columns that mean nothing here are kept in the segments' `meta`. A column `role`
with main, repeat, control, tutorial or calibration says what an answer is for; without one every answer counts as
main, and a second answer of a judge to the same question as a repeat. Tables written here come back as they were.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from lanner.errors import InputError, MissingExtraError, Where
from lanner.formats.parsing import textfile
from lanner.formats.parsing.columns import ColumnMap, column_map, parse
from lanner.formats.parsing.error_rows import are_errors, one_output_a_row
from lanner.formats.parsing.headings import (
    fold,
    is_total,
    names_answer,
    names_judges,
    names_one_judge,
    names_remark,
    names_text_or_role,
    side_of,
    sides_of,
    without_name,
)
from lanner.formats.parsing.layouts import one_answer_a_row
from lanner.formats.parsing.map_draft import SHARED_ITEMS, SHEET, AnswerColumn, as_option, crossed_with_outputs, each_as
from lanner.formats.parsing.readings import (
    ANSWERS,
    JUDGEMENTS,
    LATER,
    PAIR,
    PARAGRAPH,
    PART,
    UNKNOWN_LANGUAGES,
    Draft,
    Format,
    Pair,
    Reading,
    SameNameError,
    SegmentsByDocument,
    TextStream,
    missing_system,
    read_apart,
)
from lanner.formats.parsing.table_answers import TableAnswers
from lanner.formats.parsing.tables import TableRows, open_rows, table_kind
from lanner.formats.parsing.textfile import ReadingNote, guarded, note_about, refuse_answers, replacing, text_file
from lanner.formats.parsing.values import (
    as_text,
    duration_heading,
    file_languages,
    is_false,
    is_flag,
    is_numeric,
    trimmed,
)
from lanner.model import Document, Judge, Judgement
from lanner.model import languages as language_codes
from lanner.model.messages import in_number, plural, words

_LOOKED_AT = 10_000
_UNCLEAR = {"counts_of_judges", "different_scales", "judge_or_system", "several_kinds_of_items"}
_UNCLEAR |= {"no_answer_column", "no_judge_column", "no_item_column", "numbered_anew", "rows_are_errors"}
_UNCLEAR |= {"several_languages", "scores_of_systems"}
"""What is wrong with files that are a table all the same, which says so itself."""


def table_rows(path: Path, columns: str | Mapping[str, str] = "", judge: str = "", **options: str) -> TableRows:
    """The rows of a table, with one answer each where a row holds several, and with all errors of an output where a row
    holds one of them; a header of texts alone has no answers."""
    return _one_row_each(path, _without_prefixes(open_rows(path, **options), str(columns)), columns, judge)


def _one_row_each(path: Path, rows: TableRows, columns: str | Mapping[str, str] = "", judge: str = "") -> TableRows:
    if all(map(names_text_or_role, rows.header)) and not any(map(names_judges, rows.header)):
        return rows
    of_outputs = one_output_a_row(path, rows, columns, judge)
    if of_outputs is not rows:
        return of_outputs
    return one_answer_a_row(path, rows, parse(columns), is_told=bool(columns or judge))


_PREFIXES = (("INPUT:", "OUTPUT:", "ASSIGNMENT:"), ("Input.", "Answer."))
"""What Toloka and Mechanical Turk put before the names that a task gives to its columns."""


def _without_prefixes(rows: TableRows, columns: str) -> TableRows:
    """An export of Toloka or Mechanical Turk with its columns called as the task calls them: `score` for
    `OUTPUT:score`, unless somebody says what the longer names hold."""
    for prefixes in _PREFIXES:
        names = [next((name.removeprefix(p) for p in prefixes if name.startswith(p)), name) for name in rows.header]
        is_export = all(any(name.startswith(prefix) for name in rows.header) for prefix in prefixes[:2])
        if is_export and len(set(names)) == len(names) and prefixes[0] not in columns and prefixes[1] not in columns:
            return replace(rows, header=names)
    return rows


def recognise(path: Path) -> bool:
    """A table whose header names a source column, or judges, what they judged and their answers."""
    kind = table_kind(path)
    if not kind:
        return False
    if kind == "docx" or (kind == "xlsx" and path.suffix.lower() in (".xlsx", ".xlsm", ".ods")):
        return True  # a spreadsheet is a table in any case, and says itself what is wrong with it
    try:
        rows = _without_prefixes(open_rows(path), "")
        if are_errors(path, rows):
            return True
        rows = _one_row_each(path, rows)
        column_map(rows.header, sample=rows.sample)
    except InputError as error:
        return error.code in _UNCLEAR
    return True


def accepts_options(path: Path, *, columns: str | Mapping[str, str] = "", judge: str = "", **_: Any) -> bool:
    """Whoever says which column holds what says that it is a table."""
    return bool(columns or judge) and bool(table_kind(path))


def explain(path: Path) -> None:
    """Say what is wrong with a table that nothing recognises: a line that is no JSON, a header with a fault."""
    kind = table_kind(path)
    if kind == "jsonl":
        first = textfile.head(path).lstrip().partition("\n")[0]
        try:
            json.loads(first)
        except ValueError:
            textfile.json_whole(path)
        else:
            deque(islice(textfile.json_lines(path), _LOOKED_AT), 0)
            table_rows(path)
    elif kind == "json":
        textfile.json_whole(path)
    elif kind == "csv" and not {".csv", ".tsv"}.isdisjoint(path.suffixes):
        rows = table_rows(path)
        if rows.is_survey:
            raise survey_by_respondent(path, rows)


def read(
    path: Path, *, question: str = "", protocol: str = "", stage: str = "rating", missing: str = "", **options: Any
) -> list[Reading]:
    """Everything in the table; rows of one document need not stand together."""

    def read_rows(named_by: frozenset[str]) -> list[Reading]:
        table = _open_table(path, named_by=named_by, **options)
        return [_read_table(table, TableAnswers(table, stage, question, missing) if table.answers else None, protocol)]

    return read_apart(read_rows)


def _open_table(
    path: Path,
    *,
    columns: str | Mapping[str, str] = "",
    languages: str = "",
    system: str = "",
    judge: str = "",
    delimiter: str = "",
    quotes: str = "",
    sheet: str = "",
    header: str = "",
    named_by: frozenset[str] = frozenset(),
    **_: Any,
) -> MappedTable:
    """The table with its rows still to come; options that say how answers are read are of no interest here."""
    rows = table_rows(path, columns, judge, delimiter=delimiter, quotes=quotes, sheet=sheet, header=header)
    if LATER in named_by:
        rows = rows.with_sample(is_long=True)
    return MappedTable(path, rows, columns, system=system, languages=languages, judge=judge, named_by=named_by)


def _read_table(table: MappedTable, answers: TableAnswers | None, protocol: str) -> Reading:
    """The last stages of reading: rows whose columns are known become segments, and their answers judgements."""
    path, gathering = table.path, table.gathering()
    for line, row, extra in table.rows.rows:
        draft = table.add(gathering, line, row, extra)
        if draft is not None and answers is not None:
            answers.add(draft, line, row)
    are_unclear = (table.has_texts and table.ids_may_number_rows) or (answers is not None and answers.are_repeated())
    if are_unclear and LATER not in table.named_by:
        raise SameNameError(path.name, LATER, where=Where(path))
    reading = Reading(path.name.split(".")[0], tuple(_at_least_one(path, gathering.documents())))
    if answers is None:
        return replace(reading, notes=(table.column_note(), *table.rows.notes, *table.notes(), *gathering.notes()))
    judgements = answers.judgements()
    on_answers = [note_about(note, JUDGEMENTS) for note in answers.notes()]
    return replace(
        reading,
        judges=answers.judges(),
        judgements=judgements,
        protocol=protocol if judgements else "",
        notes=(table.column_note(), *table.rows.notes, *table.notes(), *on_answers, *gathering.notes()),
        questions=answers.headings if judgements else {},
        unread=table.map.rest if judgements else (),
        remarks=frozenset(key for key, heading in answers.headings.items() if names_remark(heading)),
        scales=answers.scales(),
    )


def read_documents(path: Path, **options: Any) -> Iterator[Document]:
    """Documents one by one, which needs the rows of each to stand together; in other tables all are collected."""
    yield from _at_least_one(path, _open_table(path, **options).documents())


def _at_least_one(path: Path, documents: Iterable[Document]) -> Iterator[Document]:
    empty = True
    for document in documents:
        empty = False
        yield document
    if empty:
        step = "Is it the right file, or the right sheet?"
        textfile.failed(path, "The table has a header and no rows.", next_step=step, code="no_rows")


def texts(path: Path, **options: Any) -> TextStream | None:
    """The same with notes; None if the table holds answers, or each system on rows of its own."""
    table = _open_table(path, **options)
    if table.long or table.answers:
        return None
    stream = TextStream(path.name.split(".")[0], iter(()), [table.column_note(), *table.rows.notes])

    def documents() -> Iterator[Document]:
        yield from _at_least_one(path, table.documents())
        stream.notes += [note for note in table.rows.notes if note not in stream.notes]
        stream.notes += table.notes()

    stream.documents = documents()
    return stream


def guess(path: Path, **options: Any) -> str:
    """What each column is taken for; "" where that was said."""
    return "" if options.get("columns") else _open_table(path, **options).column_note()


# Columns that are known: rows become segments and documents


_DOCUMENT_ROLES = ("domain", "title", "text_type", "note", "media")
_PARTS = ("collection", "domain")
"""What texts are divided into, in each of which documents may be numbered anew."""


def _determined(code: str, other: str) -> str:
    return other if code == language_codes.UNDETERMINED else code


def _are_different(code: str, other: str) -> bool:
    """Whether two codes are of different languages, both of them known."""
    are_known = language_codes.UNDETERMINED not in (code, other)
    return are_known and code.partition("-")[0] != other.partition("-")[0]


def _is_word(value: Any) -> bool:
    """Whether a cell holds something that is no number."""
    return value not in (None, "") and not is_numeric(value)


def _are_whole_with_point(values: Sequence[Any]) -> bool:
    """Whether ids are whole numbers that a program made numbers with a point of."""
    return bool(values) and all(re.fullmatch(r"\d+\.0", as_text(value).strip()) for value in values)


def _as_questions(answers: Iterable[AnswerColumn]) -> dict[str, str]:
    """The roles of columns whose headings name what was asked, and maybe the system, but no judge."""
    roles = dict[str, str]()
    for column, system in ((answer.column, answer.system) for answer in answers):
        rest = without_name(column, system) if system and len(column) > len(system) else ""
        roles[f"answer:{rest} about {system}" if rest else f"answer:{column}"] = column
    return roles


def _are_two_flags(cells: Iterable[Any]) -> bool:
    """Whether some cells say yes and others no."""
    values = [value for value in cells if value not in (None, "")]
    words = {as_text(value).strip().casefold() for value in values}
    return len(words) > 1 and (words == {"0", "1"} or all(map(is_flag, values)))


class MappedTable:
    """One table being read: the map turned into positions, and rows into segments."""

    def __init__(
        self,
        path: Path,
        rows: TableRows,
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
            pair = language_codes.pair(languages) if languages else None
            self.map: ColumnMap = column_map(rows.header, columns, system, rows.sample, judge=judge, pair=pair)
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
        compared = self._places("system_a", "system_b")
        self.pair_columns = compared if len(compared) == 2 else []  # one side alone compares nothing
        self.about_document = self._places(*_DOCUMENT_ROLES)
        self.languages_at = self._places("languages", "source_language", "target_language")
        self.part_roles = [role for role in _PARTS if role in self.at]
        self._outputs_at = self._places("output") or [position for _, position in self.outputs]
        self._ids_at = self._places("document", "segment", "item")
        answers_at = [position for _, position in self.answers]
        ids_at = [] if self.has_own_columns else self._ids_at
        self._with_point = {at for at in ids_at if _are_whole_with_point([row[at] for row in rows.sample])}
        self._content_at = [*self._outputs_at, *answers_at, *self._places("segment", "item")]
        self.blank = self.textless = self.headings = self.differing_documents = 0
        self.unknown_language = False
        self.pairs: dict[tuple[str, ...], Pair] = {}
        self.documents_said: dict[str, list[Any]] = {}
        self.parts: dict[tuple[str, str], tuple[tuple[str, ...], str]] = {}
        self._ids: set[str] = set()
        self._ids_read = self._shared_texts = 0
        self._who_first: dict[tuple[str, str], tuple[str, str]] = {}
        self._who: set[tuple[str, str]] = set()

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

    def _says_nothing(self, row: Sequence[Any]) -> bool:
        """Whether a row among those of systems names none and has neither a translation nor an answer: a legend below
        the table."""
        if not self.answers or "system" not in self.at or self.has_own_columns:
            return False
        places = [self.at["system"], *self._outputs_at, *(position for _, position in self.answers)]
        says_nothing = all(row[at] in (None, "") for at in places)
        self.textless += says_nothing
        return says_nothing

    def _is_total(self, row: Sequence[Any]) -> bool:
        """Whether a row below the table sums it up: it begins with such a word, and has no id or no text at its
        place."""
        sheet = self.at["document"] if self.map.roles.get("document") == SHEET else None
        first = next((as_text(v) for at, v in enumerate(row) if v not in (None, "") and at != sheet), "")
        if not self._ids_at or not is_total(first) or any(_is_word(row[at]) for at in self._outputs_at):
            return False  # with a word in an output it is a translation
        has_source = self.has_texts and _is_word(row[self.at["source"]])
        has_id = [row[position] not in (None, "") for position in self._ids_at]
        may_be_name = len(has_id) > 1 or any(map(_is_word, self._sampled_ids()))
        if any(has_id) and (has_source or (not self.has_texts and all(has_id) and may_be_name)):
            return False
        self.textless += 1
        return True

    def _sampled_ids(self) -> Iterator[Any]:
        """The first ids that are no words for a sum."""
        return (value for row in self.rows.sample for at in self._ids_at if not is_total(as_text(value := row[at])))

    def _is_heading(self, row: Sequence[Any]) -> bool:
        """Whether a row among those of judges has nothing but a source, as the name of a document has."""
        if not self.answers or "judge" not in self.at or self.has_own_columns:
            return False
        sheet = self.at["document"] if self.map.roles.get("document") == SHEET else None
        is_alone = len(row) > 2 and all(
            value in (None, "") for at, value in enumerate(row) if at not in (sheet, self.at.get("source"))
        )
        self.headings += is_alone
        return is_alone

    def gathering(self) -> SegmentsByDocument:
        return SegmentsByDocument(
            self.path,
            self.path.name.split(".")[0],
            has_documents="document" in self.at,
            has_segments="segment" in self.at,
            by_pair=PAIR in self.named_by,
        )

    def column_note(self) -> ReadingNote:
        """What each column is taken for."""
        return ReadingNote(f"Columns: {self.map}.", about="columns")

    def notes(self) -> Iterator[str]:
        for at in sorted(self._with_point):
            yield f"Numbers in {self.rows.header[at]!r} all end in .0, as programs write them; 1.0 is read as 1."
        if self.languages and self.map.languages:
            stated = language_codes.pair(self.languages)
            if any(_are_different(*codes) for codes in zip(self.map.languages, stated, strict=True)):
                yield (
                    f"The headings name the languages {'-'.join(self.map.languages)}; the texts are read as "
                    f"{'-'.join(stated)}, as was said."
                )
        for name, at in self.rest if self.answers and "judge" in self.at else ():
            if _are_two_flags(row[at] for row in self.rows.sample):
                option = as_option({f"measure:{name}": name})
                fact = (
                    f"{name!r} holds yes and no as a fact about items or judges would, so it is not read as an answer."
                )
                yield ReadingNote(fact, f"If it is one: {option}.")
        if self.has_texts and self.map.rest and not (self.outputs or self.long or self.references):
            rest = self.map.rest[:4]
            yield ReadingNote(
                "No column is known to hold a translation.",
                f"If translations stand in {', '.join(rest)}: {each_as('system', rest)} (each column is the output of "
                "the system of its name).",
            )
        if self.map.scores:
            names = ", ".join(self.map.scores[:4])
            yield ReadingNote(
                f"The numbers in {names} are kept with the texts and not analysed.", self._advice_on_scores()
            )
        yield from self._notes_on_judges()
        if self.ids_may_number_rows:
            column = self.map.roles["segment"]
            what = "judges" if len({judge for judge, _ in self._who}) > 1 else "systems"
            step = "name the sentence of each row in a column `sentence`"
            if self.has_texts:
                step = f"leave it out: {as_option({'ignore:' + column: column})}"
            yield ReadingNote(
                f"Each row is an item of its own: {column!r} is different in every row, so no two {what} share one.",
                f"If it numbers rows and not sentences, {step}.",
            )
        if self.items_are_documents:
            yield (
                "No column names documents, so every item counts as one. Sentences of one text hang together: name "
                "their texts in a column `document`."
            )
        elif "document" not in self.at:
            yield ReadingNote(
                "No column names documents, so all rows are one document.", "--columns document=NAME changes that."
            )
        if self.has_texts and self.unknown_language:
            yield UNKNOWN_LANGUAGES
        if self.blank:
            yield f"{plural(self.blank, 'blank row is', 'blank rows are')} left out."
        if self.textless:
            yield in_number(
                self.textless,
                "{n} row without a text (a remark, a total) is left out.",
                "{n} rows without a text (remarks, totals) are left out.",
            )
        if self.headings:
            yield in_number(
                self.headings,
                "{n} row with nothing but a source (a heading?) is left out; name documents in a column `document`.",
                "{n} rows with nothing but a source (headings?) are left out; name documents in a column `document`.",
            )
        if PART in self.named_by:
            columns = " and ".join(self.map.roles[role] for role in self.part_roles)
            yield ReadingNote(
                f"Documents of one name come with several values of {columns}, which are part of their names.",
                "If this column is about judges, rename or remove it.",
            )
        if self.differing_documents:
            yield in_number(
                self.differing_documents,
                "{n} row says something else about its document (domain, title) than its first row, which counts.",
                "{n} rows say something else about their document (domain, title) than its first row, which counts.",
            )

    def _advice_on_scores(self) -> str:
        """What to say where columns that hold numbers are answers."""
        names = self.map.scores[:4]
        crossed = crossed_with_outputs(self.map.scores, self.map.outputs)
        about = {column: f"{who} about {system}" for column, (who, system) in crossed.items()}
        by_question, by_judge = (
            as_option({f"{role}:{about.get(name, name)}": name for name in crossed or names})
            for role in ("answer", "judge")
        )
        advice = f"If they answer questions: {by_question}."
        if not all(names_answer(name) for name in names):
            advice = f"If each column holds the scores of one judge: {by_judge}. {advice}"
        return advice

    def _notes_on_judges(self) -> Iterator[ReadingNote]:
        """That a table seems to hold judgements although none were found: without answers, or without judges."""
        if "judge" in self.map.roles and not self.answers:
            rest = self.map.rest[:4]
            yield ReadingNote(
                f"The column {self.map.roles['judge']!r} names judges, but no column is known to hold their answers.",
                f"If {' or '.join(rest)} does: {each_as('answer', rest[:1])}." if rest else "",
                about=ANSWERS,
            )
        elif self.map.judge_candidates is not None:
            names = self.map.judge_candidates[:4]
            yield ReadingNote(
                "Most rows repeat the texts of another row, and no column is known to name judges.",
                f"If {' or '.join(names)} does: {as_option({'judge': names[0]})}."
                if names
                else "Add a column `judge`.",
                about=ANSWERS,
            )
        by_judge = [a for a in self.map.answers if a.judge and a.part is None and a.column in self.map.confidence]
        if by_judge and not all(names_one_judge(answer.judge) for answer in by_judge):
            judges = list(dict.fromkeys(answer.judge for answer in by_judge))
            yield ReadingNote(
                in_number(
                    len(judges),
                    "Going by the heading, {names} is a judge.",
                    "Going by the headings, {names} are judges.",
                    names=words(judges),
                ),
                f"If these are questions instead: {as_option(_as_questions(by_judge))}.",
                about=JUDGEMENTS,
            )

    def add(self, gathering: SegmentsByDocument, line: int, row: Sequence[Any], extra: dict[str, Any]) -> Draft | None:
        source = self._text("source", row)
        is_textless = not source and self._is_textless(row)
        if is_textless or self._says_nothing(row) or self._is_total(row) or self._is_heading(row):
            return None
        segment = self._id("segment", row)
        if PARAGRAPH in self.named_by and segment:
            segment = ".".join(filter(None, (self.text("paragraph", row), segment.strip())))
        name = segment if self.items_are_documents and segment else self._id("document", row)
        if PART in self.named_by:
            parts = ", ".join(filter(None, (self.text(role, row) for role in self.part_roles)))
            name = f"{name or self.path.name.split('.')[0]} ({parts})"
        document = gathering.document(name, line, partial(self._attributes, row, line), self._stated_pair(row))
        self._compare_parts(document.id, segment, row)
        self._compare_document(document.id, row)
        if segment and (self.long or self.answers):
            self._count_id(segment, (document.id, source), row)
        try:
            draft = gathering.segment(
                document,
                segment,
                line,
                source=source,
                system=self.text("system", row) if self.long else "",
                again=bool(self.answers) or "judge" in self.at,
            )
        except InputError as error:
            if error.code == "segment_twice" and self.map.scores:  # answers come again about a segment
                names = ", ".join(self.map.scores[:4])
                error.next_step += f" The numbers in {names} may be answers. {self._advice_on_scores()}"
            raise
        absent = self._json("absent", row, [], line) if "absent" in self.at else ()
        pair = self.compared_systems(row)
        for heading, position in self.outputs:
            name = pair[side] if pair and (side := side_of(heading)) is not None else heading
            value = row[position]
            if (value is None and self.rows.typed) or name in absent:
                continue
            gathering.output(draft, name, as_text(value))
        if self.long:
            system, text = self.text("system", row), self._text("output", row)
            if text and not system:
                raise missing_system(Where(self.path, line))
            gathering.output(draft, system, text)
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
        return tuple(trimmed(as_text(row[position])) for position in self.pair_columns)

    def other_text(self, draft: Draft, row: Sequence[Any]) -> str:
        """What a row has another text of than the first row of its segment: source, output or nothing."""
        if self.has_texts and self._text("source", row).split() != draft.source.split():
            return "source"
        others = draft.meta.get("other_outputs", {})
        return "output" if any(as_text(row[at]) in others.get(name, ()) for name, at in self.outputs) else ""

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
        """Where one segment comes in two domains, test sets or paragraphs, with another text if there are texts,
        documents or sentences are numbered anew in each of them."""
        parts = tuple(fold(self._text(role, row)) for role in (*self.part_roles, "paragraph")) if segment else ()
        if not any(parts):
            return
        source = self._text("source", row)
        first, first_source = self.parts.setdefault((document, segment), (parts, source))
        if first != parts and (not self.has_texts or first_source != source):
            raise SameNameError(document, PART if first[:-1] != parts[:-1] else PARAGRAPH, where=Where(self.path))

    def _count_id(self, segment: str, text: tuple[str, str], row: Sequence[Any]) -> None:
        """Count ids, and texts that come again with another judge or system."""
        self._ids.add(segment)
        self._ids_read += 1
        who = self.text("judge", row), self.text("system", row)
        self._who.add(who)
        if self.has_texts:
            self._shared_texts += self._who_first.setdefault(text, who) != who

    @property
    def ids_may_number_rows(self) -> bool:
        """Whether no id comes again, though there are several judges or systems that may have had the same texts."""
        was_guessed = self.map.roles.get("segment") in self.map.confidence
        are_shared = bool(self._shared_texts) if self.has_texts else len(self._who) > 1
        return was_guessed and are_shared and len(self._ids) == self._ids_read >= SHARED_ITEMS

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
        if role not in self.at:
            return ""
        text = as_text(row[self.at[role]])
        return text.strip().removesuffix(".0") if self.at[role] in self._with_point else text

    def _id(self, role: str, row: Sequence[Any]) -> str:
        """An id without spaces around it, which people do not see; in a table of ours it is as it stands."""
        return self._text(role, row) if self.has_own_columns or "absent" in self.at else self.text(role, row)

    def text(self, role: str, row: Sequence[Any]) -> str:
        """The text of a role, without spaces and marks that nobody sees around it; "" where the table has no such
        column."""
        return trimmed(self._text(role, row))

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


def survey_by_respondent(path: Path, rows: TableRows) -> InputError:
    """The error for an export in which a row holds all that a respondent said."""
    return InputError(
        "This is an export of Qualtrics with a row for each respondent; which column is about which sentence and asks "
        "what is not said in it.",
        where=Where(path, rows.line),
        next_step="Make a table with a row for each respondent and sentence: columns judge, segment, system, and one "
        "for each question.",
    )


# Writing

_COMPRESSED = (".gz", ".zst")
_CELL_LIMIT = 32_767
_ESCAPED = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
"""In a spreadsheet `_x0041_` stands for the letter with this number, unless its first line is written as one too."""
_FIXED = ("document", "segment", "paragraph", "domain", "title", "text_type", "note", "media")
OWN = ("glossary", "judged", "flags", "absent", "document_meta", "segment_meta")


def write(
    path: Path, documents: Iterable[Document], judgements: Iterable[Judgement] = (), judges: Iterable[Judge] = ()
) -> None:
    """A row for each segment with a column for each reference and each system. Judgements need another format."""
    refuse_answers(path, "A table holds no judgements.", judgements, judges)
    all_documents = list(documents)
    duplicates = [name for name, times in Counter(document.id for document in all_documents).items() if times > 1]
    if duplicates:
        raise InputError(f"Two documents are called {duplicates[0]!r}.", where=Where(path))
    if empty := [d.id for d in all_documents if not d.segments]:
        raise InputError(f"The document {empty[0]!r} has no segments, so no row.", where=Where(path))
    header = _header(all_documents)
    kind = Path(path.stem).suffix if path.suffix in _COMPRESSED else path.suffix
    match kind.lower():
        case ".csv":
            _write_delimited(path, header, _rows(all_documents, header), ",")
        case ".tsv" | ".tab":
            _write_delimited(path, header, _rows(all_documents, header), "\t")
        case ".jsonl":
            _json_lines(path, _rows(all_documents, header))
        case ".parquet":
            _parquet(path, header, _rows(all_documents, header))
        case ".xlsx":
            _spreadsheet(path, header, _rows(all_documents, header))
        case _:
            raise InputError(
                "The name does not say which kind of table to write.",
                where=Where(path),
                next_step="Let it end in .csv, .tsv, .jsonl, .parquet or .xlsx.",
            )


def _header(documents: list[Document]) -> list[str]:
    references = dict.fromkeys(name for d in documents for s in d for name in s.references)
    systems = dict.fromkeys(name for d in documents for s in d for name in s.outputs)
    columns = [f"reference:{name}" for name in references] + [f"output:{name}" for name in systems]
    return [*_FIXED, "source_language", "target_language", "source", *columns, *OWN]


def _rows(documents: Iterable[Document], header: list[str]) -> Iterator[dict[str, Any]]:
    columns = [name for name in header if ":" in name]
    for document in documents:
        common = {name: getattr(document, name) for name in ("domain", "title", "text_type", "note", "media")}
        common |= {"source_language": document.source_language, "target_language": document.target_language}
        common |= {"glossary": _json(document.glossary), "document_meta": _json(document.meta)}
        for segment in document:
            texts = {f"reference:{name}": text for name, text in segment.references.items()}
            texts |= {f"output:{name}": text for name, text in segment.outputs.items()}
            yield {
                **dict.fromkeys(header),
                "document": document.id,
                "segment": segment.id,
                "paragraph": segment.paragraph,
                "source": segment.source,
                **common,
                **texts,
                "judged": None if segment.judged else "no",
                "flags": _json(list(segment.flags)),
                "absent": _json([name.partition(":")[2] for name in columns if name not in texts]),
                "segment_meta": _json(segment.meta),
            }


def _json(value: Any) -> str | None:
    return json.dumps(value, ensure_ascii=False, default=dict) if value else None


def _write_delimited(path: Path, header: list[str], rows: Iterable[dict[str, Any]], delimiter: str) -> None:
    # In TSV everything is quoted, header too: that is how our reader tells quoting files from plain ones.
    with text_file(path) as out:
        writer = csv.DictWriter(
            out,
            header,
            delimiter=delimiter,
            quoting=csv.QUOTE_ALL if delimiter == "\t" else csv.QUOTE_MINIMAL,
            lineterminator="\n",
        )
        writer.writeheader()
        for row in rows:
            writer.writerow({k: guarded(value) if isinstance(value, str) else value for k, value in row.items()})


def _json_lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    with text_file(path) as out:
        for row in rows:
            values = {name: value for name, value in row.items() if value is not None and name != "absent"}
            out.write(json.dumps(values, ensure_ascii=False) + "\n")


def _parquet(path: Path, header: list[str], rows: Iterable[dict[str, Any]]) -> None:
    import polars as pl  # loaded where it is needed: most tables are read and written without it

    kinds = {name: pl.Int64 if name == "paragraph" else pl.String for name in header}
    with replacing(path) as temporary:
        pl.DataFrame(list(rows), schema=kinds).write_parquet(temporary)


def _spreadsheet(path: Path, header: list[str], rows: Iterable[dict[str, Any]]) -> None:
    try:
        import openpyxl
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
    except ImportError as error:
        raise MissingExtraError("Writing spreadsheets", "xlsx") from error
    lines = [{name: name for name in header}, *rows]
    for value in (value for row in lines for value in row.values() if isinstance(value, str)):
        if "\r" in value or len(value) > _CELL_LIMIT or ILLEGAL_CHARACTERS_RE.search(value):
            where = Where(path, item=repr(value[:40]))
            raise InputError(
                "A spreadsheet cannot hold this text unchanged.", where=where, next_step="Write a CSV file instead."
            )
    book = openpyxl.Workbook(write_only=True)
    page = book.create_sheet("segments")

    def cell(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        cell = WriteOnlyCell(page, _ESCAPED.sub("_x005F_", value))
        cell.data_type = "s"  # a text that begins with = is no formula
        return cell

    for row in lines:
        page.append([cell(row[name]) for name in header])
    with replacing(path) as temporary:
        book.save(temporary)


FORMAT = Format(
    name="table",
    title="a table with named columns: CSV, TSV, JSON, Parquet, xlsx, ods, docx, HTML",
    description=__doc__ or "",
    recognise=recognise,
    read=read,
    read_documents=read_documents,
    texts=texts,
    guess=guess,
    explain=explain,
    accepts_options=accepts_options,
    write=write,
    options={
        "columns": (
            "which column holds what, for instance source=src, document=talk, system:GPT-4=mt, reference:A=ref, "
            "judge=who, answer:fluency=F"
        ),
        "languages": "the language pair, for instance en-de",
        "system": "the name of the system where one column holds one system's output",
        "judge": "who gave the answers where no column names the judges",
        "delimiter": "tab, comma, semicolon or another character",
        "quotes": "yes: quotation marks enclose cells; no: they are text",
        "sheet": "which sheet of a spreadsheet",
        "header": "the number of the row that names the columns, where it is not the one found by itself",
        "question": "the id of the question that the first column of answers belongs to",
        "protocol": "which protocol the answers belong to (guessed from questions and values)",
        "stage": "which stage of it (rating)",
        "missing": "numbers that stand for a missing answer, such as 999,-1; none: all numbers are answers",
    },
    signs={"table": ("source",), "json lines": ("source",), "json list": ("source",)},
    generic=True,
)
