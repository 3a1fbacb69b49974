"""A map of the columns of a table while it is made: what is known of each column, what its first rows show, and which
columns hold answers: one for each question, or for each judge, or for each system."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations, product, takewhile
from typing import Any

from lanner.errors import InputError
from lanner.formats.parsing.headings import (
    ITEM_ROLES,
    NO_NAMES,
    asks_something,
    fold,
    header_words,
    is_computed,
    is_index,
    is_measure,
    is_summary,
    is_total,
    judge_and_question,
    kind_by_name,
    named_language,
    names_answer,
    names_criterion,
    names_engine,
    names_language_model,
    names_metric,
    names_one_judge,
    names_opinion,
    names_person,
    names_remark,
    names_usual_system,
    output_or_reference,
    role_named,
    says_judge,
    sides_of,
    spellings_of,
    split_suffix,
    steps_in_words,
    without_name,
    without_scale,
)
from lanner.formats.parsing.readings import UNNAMED
from lanner.formats.parsing.values import (
    are_places,
    as_text,
    asks_preference,
    clock,
    duration_heading,
    is_flag,
    is_missing,
    is_numeric,
    literal_list,
    moment,
    number,
    preferred_side,
)
from lanner.model.messages import words

_ENDS_OF_SCALE = frozenset({"max", "maximum", "min", "minimum"})
CERTAIN, CLEAR, LIKELY, POSSIBLE = 1.0, 0.95, 0.8, 0.6
"""How sure a guess is."""
LONG_TEXT = 12
"""Characters that a column of sentences has on average, at least."""
SHORT_ANSWER = 40
SHARED_ITEMS = 5
"""Items that several judges have to share before it can be said that they never differ."""
SHEET = "sheet"
"""The column that names the sheet of a workbook, where several are read."""


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """A column of answers: to which question, by which judge and about which system where the column tells (or about
    which of the two that a row compares, 0 or 1), and which part of its cells where they hold one answer of each
    judge."""

    column: str
    question: str
    judge: str = ""
    system: str = ""
    part: int | None = None
    side: int | None = None


def as_option(columns: Mapping[str, str]) -> str:
    """`--columns answer:fluency=fluency,…` as one can paste it into a shell."""
    pairs = ",".join(f"{role}={column}" for role, column in columns.items())
    is_plain = not any(mark in f"{role}{column}" for role, column in columns.items() for mark in ",=")
    return f"--columns {shlex.quote(pairs if is_plain else json.dumps(columns, ensure_ascii=False))}"


def each_as(role: str, columns: Sequence[str]) -> str:
    """The option that gives each of these columns this role under its own name."""
    return as_option({f"{role}:{name}": name for name in columns})


def score_of_each(columns: Sequence[str]) -> dict[str, str]:
    """Each of these columns as the scores of the system of its name."""
    return {f"answer:score about {name}": name for name in columns}


class MapDraft:
    """Which columns are known to hold what, which are free, and the first rows, which say what a column may hold."""

    def __init__(
        self,
        header: Sequence[str],
        sample: Sequence[Sequence[Any]],
        judge: str,
        pair: tuple[str, str] | None = None,
    ) -> None:
        self.header = list(header)
        self.sample = sample
        self.judge = judge
        self.pair = pair
        self.free = list(header)
        self.roles: dict[str, str] = {}
        self.outputs: dict[str, str] = {}
        self.references: dict[str, str] = {}
        self.answers: list[AnswerColumn] = []
        self.measures: list[AnswerColumn] = []
        self.confidence: dict[str, float] = {}
        self.language_of: dict[str, str] = {}
        self.aside: list[str] = []
        self.place = {name: at for at, name in enumerate(self.header)}
        self._values: dict[str, list[Any]] = {}

    # What the columns are taken for

    def take(self, column: str, confidence: float) -> None:
        """A free column is free no more."""
        self.free.remove(column)
        self.confidence[column] = confidence

    def assign(self, role: str, column: str, confidence: float) -> None:
        """A free column has this role."""
        self.roles[role] = column
        self.take(column, confidence)

    def add_answer(self, answer: AnswerColumn, confidence: float) -> None:
        """A free column holds answers."""
        self.answers.append(answer)
        self.take(answer.column, confidence)

    def set_aside(self, column: str) -> None:
        """A free column is neither an answer nor anything else that is read: a legend, the number of a session."""
        self.free.remove(column)
        self.aside.append(column)

    def has(self, *roles: str) -> bool:
        """Whether a column has one of these roles."""
        return not self.roles.keys().isdisjoint(roles)

    @property
    def has_item(self) -> bool:
        """Whether a column names what is judged."""
        return self.has("item", "document", "segment")

    def columns(self, *roles: str) -> list[str]:
        """The columns that have these roles."""
        return [self.roles[role] for role in roles if role in self.roles]

    def refusal(self, what: str, code: str, next_step: str, columns: Sequence[str] = ()) -> InputError:
        """The error that says why no map can be made, with the columns that it is about (all)."""
        names = {"columns": ", ".join(columns or self.header)}
        return InputError(what, code=code, names=names, next_step=next_step)

    # What stands in them

    def values(self, column: str) -> list[Any]:
        """What the first rows hold in a column, where they hold anything."""
        if column not in self._values:
            at = self.place[column]
            self._values[column] = [row[at] for row in self.sample if at < len(row) and not is_missing(row[at])]
        return self._values[column]

    def texts(self, column: str) -> list[str]:
        """The same as texts without spaces around them."""
        return [as_text(value).strip() for value in self.values(column)]

    def are_numbers(self, column: str) -> bool:
        """Whether most cells of a column hold numbers."""
        return are_numbers(self.values(column))

    def mean_length(self, column: str) -> float:
        """How many characters the cells of a column have on average."""
        return mean_length(self.values(column))

    def are_sentences(self, column: str) -> bool:
        """Whether most cells have letters: not codes, not paths, not JSON."""
        texts = [str(value) for value in self.values(column)]
        good = [v for v in texts if any(c.isalpha() for c in v) and not v.startswith(("http://", "https://", "{", "["))]
        return len(good) * 2 > len(texts)

    def is_legend(self, column: str) -> bool:
        """Whether the cells explain a scale beside the table, from its first row down and each once: `1 = poor` below
        `2 = fair`, or anything behind an empty column."""
        at = self.place[column]
        filled = [not is_missing(row[at]) if at < len(row) else False for row in self.sample]
        texts = self.texts(column)
        is_block = 1 < len(texts) == len(set(texts)) < len(filled) and all(filled[: len(texts)])
        if not is_block or names_answer(column) or names_criterion(column):
            return False
        # a block of several columns begins behind an empty one
        beside = takewhile(lambda left: len(self.values(self.header[left])) == len(texts), range(at, -1, -1))
        start = min(beside)
        is_apart = start > 0 and not self.values(self.header[start - 1]) and len(texts) * 2 < len(filled)
        steps = [float(hit[1]) for text in texts if (hit := _EXPLAINED_STEP.match(text))]
        return is_apart or (len(steps) == len(texts) and steps in (sorted(steps), sorted(steps, reverse=True)))

    def are_moments(self, column: str) -> bool:
        """Whether most cells are dates or times of day: they say when something was done, and answer nothing."""
        values = self.values(column)
        moments = [text for text in map(as_text, values) if moment(text) is not None or clock(text) is not None]
        return bool(values) and len(moments) * 2 > len(values)

    def are_identifiers(self, column: str) -> bool:
        """Whether words are different on every row, as those that name an assignment or a session."""
        texts = [as_text(value) for value in self.values(column)]
        is_word = all(" " not in text.strip() for text in texts)
        is_long = self.mean_length(column) >= 6
        return len(texts) >= SHARED_ITEMS and is_word and len(set(texts)) == len(texts) and is_long

    def are_lists(self, column: str) -> bool:
        """Whether every cell holds a list."""
        values = self.values(column)
        return bool(values) and all(
            isinstance(v, list) or (isinstance(v, str) and v.lstrip().startswith("[") and literal_list(v) is not None)
            for v in values
        )

    def are_ratings(self, column: str) -> bool:
        """Whether a column holds numbers, or the steps of a scale in words. `Good` and `Excellent` alone may be labels;
        beside a column with `Poor`, `Fair` and `Good` they are steps of its scale."""
        return self.are_numbers(column) or column in self.worded_ratings

    @cached_property
    def worded_ratings(self) -> frozenset[str]:
        """The columns whose cells are steps of a scale in words."""
        texts = {column: self.texts(column) for column in self.header}
        scales = [words for words in texts.values() if words and steps_in_words(words) is not None]
        return frozenset(
            column
            for column, words in texts.items()
            if words and any(steps_in_words([*words, *scale]) is not None for scale in scales)
        )

    def answer_names(self, column: str) -> frozenset[str]:
        """Names of answers. `note` is a mark in French and other languages where numbers stand below it, else a remark;
        `style` and `terminology` are asked about where ratings stand below them, else facts about the text."""
        if self.are_numbers(column):
            return spellings_of("answer", "criterion") | {"note"}
        return spellings_of("answer", "criterion") if self.are_ratings(column) else spellings_of("answer")

    @cached_property
    def _named(self) -> dict[str, set[str]]:
        """The columns by what they are called."""
        columns: dict[str, set[str]] = {}
        for column in self.header:
            for name in (column, *_named_as(column)):
                columns.setdefault(fold(name), set()).add(column)
        return columns

    def is_preference(self, column: str) -> bool:
        """Whether a column says which of the others is best: by their names, or by sides under a heading that asks."""
        texts = set(self.texts(column))
        if not texts or any(len(text) > SHORT_ANSWER for text in texts) or all(map(named_language, texts)):
            return False
        outputs = set(map(fold, self.outputs))
        other_texts = {
            text for text in texts if fold(text) not in outputs and not self._named.get(fold(text), set()) - {column}
        }
        if len(other_texts) < len(texts):
            return all(preferred_side(text) == "tie" for text in other_texts)
        return asks_preference(column) and all(preferred_side(text) for text in texts)

    def text_columns(self) -> list[str]:
        """Columns of an unknown meaning that hold sentences."""
        return [c for c in self.free if self.mean_length(c) > LONG_TEXT and self.are_sentences(c)]

    def score_columns(self) -> list[str]:
        """Columns of an unknown meaning whose numbers may be scores."""
        return [c for c in self.free if self.are_numbers(c) and not is_measure(c) and not is_summary(c)]

    # Which rows are alike

    def keys(self, columns: Iterable[str]) -> list[tuple[str, ...]]:
        """What each row says in these columns."""
        places = [self.place[column] for column in columns]
        return [tuple(str(row[place]) for place in places) for row in self.sample]

    def items(self) -> list[tuple[str, ...]]:
        """What each row is about."""
        return self.keys(self.columns(*ITEM_ROLES))

    def are_unique(self, columns: Sequence[str]) -> bool:
        """Whether no two rows are alike in these columns."""
        keys = self.keys(columns)
        return len(set(keys)) == len(keys)

    def by(self, columns: Iterable[str], column: str, *, missing: bool = True) -> dict[tuple[str, ...], list[str]]:
        """What a column says on the rows that are alike in others; with `missing` off, only where it says anything."""
        at = self.place[column]
        groups: dict[tuple[str, ...], list[str]] = {}
        for key, row in zip(self.keys(columns), self.sample, strict=True):
            if missing or not is_missing(row[at]):
                groups.setdefault(key, []).append(str(row[at]))
        return groups

    def varies(self, column: str) -> bool:
        """Whether judges say different things in a column about one item: then it is an answer, and neither a fact
        about the item nor one about the judge."""
        if "judge" not in self.roles or not (self.has_item or "source" in self.roles):
            return False
        groupings = self.columns(*ITEM_ROLES), [self.roles["judge"]]
        return all(
            any(len(set(values)) > 1 for values in self.by(columns, column, missing=False).values())
            for columns in groupings
        )

    def judge_candidates(self, columns: Sequence[str]) -> tuple[str, ...] | None:
        """The columns of short words in which rows about the same texts differ, as names of judges do; None unless most
        rows are about the texts of another one, with answers beside them, and no column is known to name judges."""
        if "judge" in self.roles or "source" not in self.roles:
            return None
        texts = [*self.columns(*ITEM_ROLES), *self.outputs.values()]
        if sum(len(group) for group in self.by(texts, texts[0]).values() if len(group) > 1) * 2 <= len(self.sample):
            return None

        def tells_apart(column: str) -> bool:
            values, groups = self.values(column), [g for g in self.by(texts, column).values() if len(g) > 1]
            differs = all(len(set(group)) == len(group) for group in groups)
            is_key = len(groups) > 1 and len(set(map(str, values))) == len(values)  # judges come again with other texts
            is_short = self.mean_length(column) <= SHORT_ANSWER
            return differs and not is_key and not self.are_numbers(column) and is_short

        names = tuple(column for column in columns if tells_apart(column))
        return names if names or any(map(names_answer, columns)) else None


def are_numbers(values: Sequence[Any]) -> bool:
    """Whether most values are numbers."""
    return bool(values) and sum(map(is_numeric, values)) * 2 > len(values)


def mean_length(values: Sequence[Any]) -> float:
    """How many characters values have on average."""
    return sum(len(str(value)) for value in values) / len(values) if values else 0.0


def _named_as(column: str) -> tuple[str, ...]:
    """What a column of outputs is called besides its heading: `DeepL` for `output:DeepL`."""
    role = output_or_reference(column)
    return (role[1],) if role else ()


_GRAMMATICAL_PERSON = re.compile(
    r"(?:[123](?!\d)|first|second|third|erste|zweite|dritte|premi|deuxi|troisi|primer|prim[ao]|segund|tercer"
    r"|terz|перв|втор|трет|[第一二三])",
    re.I,
)
"""What stands in a column `Person` about grammar: 1st, 2nd, 3rd, 3sg, 1인칭, third, 第三人称."""
_NO_SYSTEMS = NO_NAMES | {"minor", "major", "critical", "neutral", "severity", "time", "count", "min", "max", "mean"}
_MOST_IN_A_CELL = 50
"""Scores of so many judges stand in one cell at most; a longer list is something else."""
_EXPLAINED_STEP = re.compile(r"(-?\d{1,3})(?:\s?[-–]\s?\d{1,3})?\s?[=:]\s?\D")
"""A step of a scale with what it means, as legends have it: `1 = poor`, `0-30: useless`."""
_LARGE, _LARGEST = 10, 100
"""A number beyond the first is on no scale from 0 to 1, nor on a short one; one beyond the second on none at all."""
_QUESTION_NUMBER = re.compile(r"(?:(?:g\d{1,3})?q|qu|frage|item|문항)[\s_.]?\d{1,3}(?:\D|$)", re.I)
_SUBJECT_OR_SENTENCE = re.compile(r"[st][\s_.]?\d{1,3}$", re.I)
_COPY_NUMBER = re.compile(r"(?:[. _]?[1-9]| \([2-9]\))$")
_RATER_NUMBER = re.compile(r"^[rj]\d{1,2}$", re.I)


def take_persons(table: MapDraft) -> None:
    """`Person` where no other column names judges, answers stand beside it, and it is not about grammar."""
    if "judge" in table.roles or table.judge or table.answers:
        return
    persons = [column for column in table.free if names_person(column)]
    if len(persons) != 1 or all(map(_GRAMMATICAL_PERSON.match, table.texts(persons[0]))):
        return
    beside = [column for column in table.free if column != persons[0]]
    has_answers = any(_holds_answers(table, column) for column in beside)
    if has_answers and not any(answer.judge for answer in _spread_answers(table, by_judge=False)):
        table.assign("judge", persons[0], LIKELY)


def _holds_answers(table: MapDraft, column: str) -> bool:
    is_opinion = names_opinion(column) and 0 < table.mean_length(column) <= SHORT_ANSWER
    return fold(column) in table.answer_names(column) or is_opinion or table.is_preference(column)


def take_answers(table: MapDraft) -> None:
    """Columns of answers: one for each question, or for each judge, or for each system."""
    if table.answers:
        return
    by_judge = "judge" in table.roles or bool(table.judge)
    _check_copies(table, by_judge=by_judge)
    if table.judge == UNNAMED and "judge" not in table.roles:
        _check_headings(table)
    answers = [column for column in table.free if names_answer(column) or table.is_preference(column)]
    if "question" in table.roles:
        numbers = [] if answers else [c for c in table.score_columns() if not is_index(c)]
        if answers or len(numbers) == 1:
            table.add_answer(AnswerColumn([*answers, *numbers][0], ""), CERTAIN if answers else LIKELY)
            return
    for answer in _answers_by_side(table):
        table.add_answer(answer, CLEAR)
    spread = [*_spread_answers(table, by_judge=by_judge)]
    for answer in spread:
        table.add_answer(answer, CLEAR)
    if not spread and _take_scores_of_systems(table, by_judge=by_judge):
        return
    if by_judge:
        _take_questions(table, answers, are_spread=bool(spread))
    elif not spread and not _take_lists_of_scores(table, answers):
        _take_judges(table, answers)


def _check_copies(table: MapDraft, *, by_judge: bool) -> None:
    """Refuse `Score`, `Score.1` and `Score.2`, or `Score` and `Score2`: programs number headings that were alike, each
    beside what it was about, so that the first has no number and the second may have that of the first system."""
    alike: dict[str, list[str]] = {}
    for column in table.free:
        base = _COPY_NUMBER.sub("", column)
        is_copy = base != column and base[-1:].isalpha() and base in table.free and asks_something(base)
        if is_copy and table.are_ratings(column):
            alike.setdefault(base, [base]).append(column)
    if not alike:
        return
    columns = [column for own in alike.values() for column in own]
    if "source" in table.roles and not by_judge:  # where texts are taken alone, they are kept with these
        for column in columns:
            table.set_aside(column)
        return
    advice = [f"If each is a question of its own: {each_as('answer', columns)}."]
    if len(alike) == 1 and "judge" not in table.roles:
        by_number = {f"judge:{number}": column for number, column in enumerate(columns, 1)}
        advice.insert(0, f"If each holds the answers of one judge: {as_option(by_number)}.")
    if len(table.outputs) > 1 and all(len(own) == len(table.outputs) for own in alike.values()):
        pairs = (
            (f"{base} about {name}", own[at]) for base, own in alike.items() for at, name in enumerate(table.outputs)
        )
        by_system = as_option({f"answer:{name}": column for name, column in pairs})
        advice.insert(0, f"If they are about the systems, in this order: {by_system}.")
    raise table.refusal(
        f"The headings {words(columns)} seem to have been alike, and numbered by a program. Whether they are about "
        "different systems, judges or questions is not said.",
        "judge_or_system",
        " ".join(advice),
        columns,
    )


def _check_headings(table: MapDraft) -> None:
    """Refuse `Präferenz Anna` and `Präferenz Ben` where nothing names judges: two judges, or two questions."""
    asked = [c for c in table.free if asks_preference(c) and table.is_preference(c)]
    names = _differing_words(asked)
    if names and not any(map(asks_something, names)):
        judges = {f"judge:{name}": column for name, column in zip(names, asked, strict=True)}
        raise table.refusal(
            f"Whether {words(names)} are judges, or part of what was asked, is not clear ({', '.join(asked)}).",
            "no_judge_column",
            f"If they are judges: {as_option(judges)}. If each column is a question of its own: "
            f"{each_as('answer', asked)}.",
            asked,
        )


def _check_remarks(table: MapDraft, columns: Sequence[str]) -> None:
    """Refuse words below `Rater X` as the only answers: they may be remarks, or translations."""
    bare = [c for c in columns if fold(judge_and_question(c, frozenset())[0]) == fold(c)]
    if len(bare) == 1:
        raise table.refusal(
            f"Below {bare[0]!r} are words, and whether they are answers is not clear.",
            "no_judge_column",
            f"If they are answers: {each_as('judge', bare)}. If they are translations: {each_as('system', bare)}.",
            bare,
        )


def _differing_words(columns: Sequence[str]) -> list[str]:
    """What each heading has between the words with which all of them begin and end: `Anna` and `Ben`. Empty where they
    share none that asks for a preference, or one has nothing of its own."""
    pieces = [re.findall(r"[^\s_.:/()\[\]|-]+", column) for column in columns]
    if len(pieces) < 2:
        return []
    start, end = (
        sum(1 for _ in takewhile(lambda alike: len(set(alike)) == 1, zip(*ordered, strict=False)))
        for ordered in (pieces, [own[::-1] for own in pieces])
    )
    shared = [*pieces[0][:start], *pieces[0][len(pieces[0]) - end :]]
    names = [" ".join(own[start : len(own) - end]) for own in pieces]
    return names if all(names) and asks_preference(" ".join(shared)) else []


def _take_questions(table: MapDraft, answers: Sequence[str], *, are_spread: bool) -> None:
    """Where judges have their rows, a column for each question: those that name answers, and those whose content could
    be answers."""
    comments = [column for column in table.free if names_remark(column)]
    # without texts a length cannot be measured any more, and judges may have been asked for one
    no_answer = is_measure if "source" in table.roles or table.outputs else is_index
    candidates = [c for c in table.free if c not in answers and not names_person(c) and role_named(c) != "system"]
    people = [c for c in candidates if not names_metric(c)]  # the TER of each judge's edits is none of their answers
    candidates = people if answers or any(map(table.are_numbers, people)) else candidates
    numeric = [c for c in candidates if table.are_numbers(c) and not (no_answer(c) or _is_end_of_scale(c))]
    # numbers that no judge ever disputes describe the item, those that no judge ever changes the judge
    disputed = [c for c in numeric if names_criterion(c) or not (_is_fact(table, c) or _is_about_judge(table, c))]
    numeric = disputed if answers or disputed else numeric
    lists = [c for c in table.free if table.are_lists(c)]
    short = [
        column
        for column in candidates
        if column not in (*comments, SHEET)
        and not is_index(column)
        and 0 < table.mean_length(column) <= SHORT_ANSWER
        and not any(isinstance(value, dict) for value in table.values(column))
        and not table.are_moments(column)
        and not table.are_identifiers(column)
    ]
    others = [c for c in short if table.varies(c) or (names_criterion(c) and all(map(is_flag, table.values(c))))]
    if not (answers or numeric or lists or are_spread or others):
        others = short
        if table.judge == UNNAMED and "judge" not in table.roles:
            _check_remarks(table, short)
    columns = {*answers, *numeric, *lists, *others}
    columns |= set(comments) if columns or are_spread else set()
    for column in [name for name in table.header if name in columns and name in table.free]:
        sure = CERTAIN if names_answer(column) else CLEAR if column in answers else LIKELY
        table.add_answer(AnswerColumn(column, column), sure)


def _take_scores_of_systems(table: MapDraft, *, by_judge: bool) -> bool:
    """`GPT-4`, `DeepL`, `System A` with numbers: a score of each system. Where no column names judges, language
    models may be the judges."""
    if table.outputs or table.has("system", "system_a"):
        return False
    worded = [column for column in table.free if column in table.worded_ratings]
    columns = [column for column in (*table.score_columns(), *worded) if not _is_about_judge(table, column)]
    engines = [column for column in columns if names_engine(column)]
    systems = [column for column in columns if column in engines or names_language_model(column)]
    if len(columns) < 2 or not (systems if by_judge else engines) or any(map(names_one_judge, columns)):
        return False
    if len(systems) < len(columns):
        if by_judge:
            return False  # each column is analysed on its own
        others = [column for column in columns if column not in systems]
        raise table.refusal(
            f"Some columns are called after systems ({', '.join(systems)}). Whether the others are systems too "
            f"({', '.join(others)}) is not clear.",
            "judge_or_system",
            f"If each column holds the scores of one system: {as_option(score_of_each(columns))}.",
            columns,
        )
    crossed = {} if by_judge else _judges_and_engines(table, columns)
    places = [table.place[column] for column in columns]
    question = "rank" if are_places([row[place] for place in places] for row in table.sample) else "score"
    for column in columns:
        role = output_or_reference(column)
        judge, system = crossed.get(column, ("", role[1] if role else column))
        table.add_answer(AnswerColumn(column, question, judge, system), LIKELY)
    return True


def _judges_and_engines(table: MapDraft, columns: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The judge and the system of `Rater 1 DeepL` or `DeepL_R2`, where all columns name both; nothing for
    `GPT-4 large`. `Anna DeepL` is asked about: a version of a system may be called so."""
    crossed = split_judge_and_system(columns) or {}
    judges = {judge for judge, _ in crossed.values()}
    if all(map(names_one_judge, judges)):
        return crossed
    if not all(judge.isalpha() and judge.istitle() for judge in judges):
        return {}
    by_both = as_option({f"judge:{judge} about {system}": column for column, (judge, system) in crossed.items()})
    raise table.refusal(
        f"Whether {words(sorted(judges))} are judges, or part of the names of systems, is not clear "
        f"({', '.join(columns)}).",
        "judge_or_system",
        f"If they are judges: {by_both}. If each column is about a system: {as_option(score_of_each(columns))}.",
        columns,
    )


def _take_lists_of_scores(table: MapDraft, columns: Sequence[str]) -> bool:
    """A column `scores` with [82, 90, 75] in each cell, or [82] where one judge has given it: a score of each judge."""
    for column in columns:
        values = table.values(column)
        lists = [value if isinstance(value, list) else literal_list(str(value)) or [] for value in values]
        most = max(map(len, lists), default=0)
        if 1 <= most <= _MOST_IN_A_CELL and all(lists) and all(is_numeric(v) for scores in lists for v in scores):
            table.answers += [AnswerColumn(column, column, str(part + 1), part=part) for part in range(most)]
            table.take(column, CLEAR)
            return True
    return False


def _is_end_of_scale(column: str) -> bool:
    """What answers in other columns are out of: `max` beside `score`, `score.max`."""
    return not _ENDS_OF_SCALE.isdisjoint(header_words(column)[-1:])


def _is_fact(table: MapDraft, column: str) -> bool:
    """Whether all judges say the same in a column about each of several items that they share."""
    if "judge" not in table.roles or not (table.has_item or "source" in table.roles):
        return False
    judges = table.by(table.columns(*ITEM_ROLES), table.roles["judge"])
    values = table.by(table.columns(*ITEM_ROLES), column)
    shared = [set(values[item]) for item in values if len(set(judges[item])) > 1]
    agreed = all(len(each) == 1 for each in shared)
    return len(shared) >= SHARED_ITEMS and agreed and len(set().union(*shared)) > 1


def _is_about_judge(table: MapDraft, column: str) -> bool:
    """Whether each of several judges always says the same in a column, and not all of them do: an age, say."""
    if "judge" not in table.roles:
        return False
    by_judge = table.by([table.roles["judge"]], column).values()
    alike = all(len(values) >= SHARED_ITEMS and len(set(values)) == 1 for values in by_judge)
    return alike and len({values[0] for values in by_judge}) > 1


def _spread_answers(table: MapDraft, *, by_judge: bool) -> Iterator[AnswerColumn]:
    """Answers in a column for each system (`score_GPT-4`) or for each judge (`score_ann`, `Rater 1`)."""
    answers: list[AnswerColumn] = []
    systems = sorted(table.outputs, key=len, reverse=True)
    behind = _systems_by_number(table)
    asked = _asked_of_outputs(table) if by_judge else _asked_of_several(table)
    for column in table.free:
        if table.values(column) and not (table.are_numbers(column) or table.mean_length(column) <= SHORT_ANSWER):
            continue
        name, system = without_scale(column), ""
        number, question = judge_and_question(name, table.answer_names(column))
        if number in behind and fold(question) in table.answer_names(column):
            answers.append(AnswerColumn(column, question, system=behind[number]))
            continue
        for each in systems:
            if len(name) > len(each) and (rest := without_name(name, each)) is not None:
                name, system = rest, each
                break
        question_words = table.answer_names(column)
        judge, question = ("", name) if by_judge else judge_and_question(name, question_words)
        for each in systems if not system else ():  # `score_GPT-4_ann`: the system is in the middle
            if len(judge) > len(each) and (rest := without_name(judge, each)):
                judge, system = rest, each
                break
        is_asked = fold(question) in question_words or column in asked
        if names_criterion(judge):  # `Score fluency` asks for fluency, and no judge is called so
            judge, question = "", name
        if is_asked and (system or judge) and not is_computed(judge):
            answers.append(AnswerColumn(column, question, judge, system))
    if by_judge and not answers and not table.has("system", "system_a"):
        answers = _answers_by_system(table)
    answers = _about_engines(table, _with_crossed_systems(answers))
    answers = _without_remarks(table, answers)
    _check_words(table, [answer.column for answer in answers if not answer.system])
    judges = {answer.judge for answer in answers if answer.judge}
    if len(judges) > 1:
        _check_names(table, {answer.column: answer.judge for answer in answers if answer.judge})
    for answer in answers:
        if answer.system or len(judges) > 1 or says_judge(answer.judge):
            yield answer


def _answers_by_side(table: MapDraft) -> list[AnswerColumn]:
    """`score_a` and `score_b` beside `system_a` and `system_b`, which stand on either side: of each the score."""
    if not table.has("system_a") or not table.has("system_b"):
        return []
    ours = sides_of(table.roles["system_a"], table.roles["system_b"])
    answers = []
    ratings = [c for c in table.free if table.are_ratings(c) and not is_measure(c) and duration_heading(c) is None]
    for first, second in permutations(ratings, 2):
        sides = sides_of(first, second)
        question = " ".join(word for word in header_words(without_scale(first)) if not sides or word != sides[0])
        if question and sides == ours is not None:
            answers += [AnswerColumn(column, question, side=side) for side, column in enumerate((first, second))]
    return answers


def _asked_of_outputs(table: MapDraft) -> list[str]:
    """`Eindruck DeepL`, `Eindruck Ours`: a question in words of its own with a column for each of several outputs."""
    columns = [c for c in table.free if table.are_ratings(c) and not is_measure(c) and duration_heading(c) is None]
    by_question: dict[str, list[str]] = {}
    for column in columns:
        for system in table.outputs:
            rest = without_name(column, system) if len(column) > len(system) else None
            if rest and not (names_metric(rest) or is_measure(rest)):
                by_question.setdefault(fold(rest), []).append(column)
    return [c for alike in by_question.values() if len(alike) == len(table.outputs) > 1 for c in alike]


def _asked_of_several(table: MapDraft) -> list[str]:
    """`Is it good? (Rater 1)`, `Is it good? (Rater 2)`: a question in words of its own with a judge's answers in each,
    numbers or labels that both give."""
    columns: dict[str, list[str]] = {}
    for column in table.free:
        judge, question = judge_and_question(column, table.answer_names(column))
        is_short = 0 < table.mean_length(column) <= SHORT_ANSWER
        is_other = names_remark(question) or is_measure(question) or names_usual_system(question)
        is_time = table.are_moments(column) or duration_heading(column) is not None
        if says_judge(judge) and is_short and not (is_other or is_time):
            columns.setdefault(question, []).append(column)
    shared = {
        question: alike
        for question, alike in columns.items()
        if len(alike) > 1
        and (all(map(table.are_numbers, alike)) or set.intersection(*map(set, map(table.texts, alike))))
    }
    # one word each may as well be a system: `DeepL_rater1`, `Ours_rater1`
    may_be_systems = len(shared) > 1 and not all(" " in question.strip() for question in shared)
    return [] if may_be_systems else [column for alike in shared.values() for column in alike]


def _without_remarks(table: MapDraft, answers: list[AnswerColumn]) -> list[AnswerColumn]:
    """Without `Reviewer decision` and the like, whose heading begins with a judge and asks nothing: below it there are
    words that stand below no other such heading, or beside numbers, and so no answers that judges gave to one question.
    Refuses words below `Ben score` beside the numbers below `Anna score`."""
    words = {a.column: set(table.texts(a.column)) for a in answers if not table.are_numbers(a.column)}
    numeric = {fold(answer.question): answer.column for answer in answers if answer.column not in words}
    bare = {a.column for a in answers if fold(a.judge) == fold(without_scale(a.column))}
    remarks = set[str]()
    for answer in (answer for answer in answers if answer.column in words):
        column, said, number_column = answer.column, words[answer.column], numeric.get(fold(answer.question))
        if column in bare and not table.are_ratings(column):
            if number_column or not any(said & words[other] for other in bare & words.keys() - {column}):
                remarks.add(column)
        elif number_column and said and not all(map(is_flag, said)):
            alike = [other for other in answers if other.column not in words and other.question == answer.question]
            roles = {f"answer:{a.question} about {a.system}" if a.system else f"judge:{a.judge}": a for a in alike}
            raise table.refusal(
                f"Below {number_column!r} are numbers and below {column!r} words, although both are called answers to "
                f"{answer.question!r}.",
                "different_scales",
                f"Write both alike, or take the numbers alone: {as_option({r: a.column for r, a in roles.items()})}.",
                [number_column, column],
            )
    return [answer for answer in answers if answer.column not in remarks]


def _check_words(table: MapDraft, columns: Sequence[str]) -> None:
    """Refuse words below `Rater 1` and `Rater 2` as all answers if numbers stand below `score` beside them."""
    if table.roles.get("source") or table.has("judge") or not columns or any(map(table.are_numbers, columns)):
        return
    others = [c for c in table.free if c not in columns and table.are_numbers(c) and not names_metric(c)]
    if scores := [column for column in others if fold(without_scale(column)) in table.answer_names(column)]:
        raise table.refusal(
            f"Below {', '.join(scores)} are numbers and below {', '.join(columns)} words, and what the answers are is "
            "not clear.",
            "no_judge_column",
            f"If the words are: {each_as('judge', columns)}. If the numbers are, let a column `judge` name who gave "
            "them.",
            columns,
        )


def _about_engines(table: MapDraft, answers: list[AnswerColumn]) -> list[AnswerColumn]:
    """`Adequacy DeepL`, where nothing else names systems: an answer about DeepL, and none by a judge called so."""
    names = dict.fromkeys(answer.judge for answer in answers)
    engines = [name for name in names if names_engine(name)]
    if not engines or table.outputs or table.has("system", "system_a") or any(answer.system for answer in answers):
        return answers
    columns = [answer.column for answer in answers]
    about_each = as_option({f"answer:{answer.question} about {answer.judge}": answer.column for answer in answers})
    if others := [name for name in names if name not in engines and not names_language_model(name)]:
        raise table.refusal(
            f"Some answers are called after systems ({', '.join(engines)}). Whether the others are too "
            f"({', '.join(others)}) is not clear.",
            "judge_or_system",
            f"If each column is about a system: {about_each}.",
            columns,
        )
    pieces = [re.split(r"[\s_]+", name) for name in names]
    others = [piece for own in pieces for piece in own if not all(piece in other for other in pieces)]
    if len(names) > 1 and len(others) == len(names) and all(piece.isalpha() and piece.istitle() for piece in others):
        raise table.refusal(
            f"Whether {words(sorted(others))} are judges, or part of the names of systems, is not clear "
            f"({', '.join(names)}).",
            "judge_or_system",
            f"If they are systems: {about_each}. If they are judges, make a table with a row for each text and judge.",
            columns,
        )
    return [replace(answer, judge="", system=answer.judge) for answer in answers]


def _systems_by_number(table: MapDraft) -> dict[str, str]:
    """The systems by the letter or number that their columns end in, where these differ in nothing else: `訳文A`
    and `訳文B`, `MT1` and `MT2`."""
    # of `MT_A` the name is A already
    words = {
        name: ("mt", name) if re.fullmatch(r"[A-Z]|\d{1,2}", name) else split_suffix(name, apart=True)
        for name in table.outputs
    }
    alike = {fold(word) for word, _ in words.values()}
    if len(words) < 2 or len(alike) > 1 or "" in alike:
        return {}
    return {number: name for name, (_, number) in words.items()}


def _answers_by_system(table: MapDraft) -> list[AnswerColumn]:
    """`rank_A, rank_B, rank_C`: one question asked about several systems, which nothing else names."""
    by_question: dict[str, list[AnswerColumn]] = {}
    for column in table.free if not table.outputs else ():  # else the systems have their names
        system, question = judge_and_question(column, table.answer_names(column))
        if system and not is_total(system) and table.are_ratings(column) and not is_measure(column):
            by_question.setdefault(fold(question), []).append(AnswerColumn(column, question, system=system))
    names = [sorted(answer.system for answer in answers) for answers in by_question.values()]
    # systems are the same for every question; otherwise the second word is part of the question
    if not names or len(names[0]) < 2 or any(each != names[0] for each in names):
        return []
    if not _NO_SYSTEMS.isdisjoint(map(str.casefold, names[0])) or all(map(_QUESTION_NUMBER.match, names[0])):
        return []
    return [answer for answers in by_question.values() for answer in answers]


def _take_judges(table: MapDraft, answers: Sequence[str]) -> None:
    """Columns of scores where no column names judges: one of each judge, or all of one judge."""
    if table.outputs or "source" in table.roles:
        _take_numbered_judges(table)
        _take_preferences_of_judges(table)
    else:
        _take_columns_of_judges(table)
    scores = [
        column
        for column in answers
        if column in table.free
        and (table.are_numbers(column) or (table.has("system_a") and table.is_preference(column)))
    ]
    if scores and table.has_item and "source" not in table.roles and not table.answers and _has_one_judge(table):
        for column in scores:
            table.add_answer(AnswerColumn(column, column), CERTAIN)


def _take_columns_of_judges(table: MapDraft) -> None:
    """A table of items by judges: columns of numbers, or of few labels, without anything else. Beside metrics there
    may be one column of people's scores, which says so or is the only other one."""
    candidates = table.score_columns()
    numeric = [column for column in candidates if not names_metric(column)]
    if not table.has_item or any(map(names_answer, numeric)):
        return
    if len(numeric) < len(candidates) or table.measures:
        human = numeric if len(numeric) == 1 else [c for c in numeric if fold(c) in spellings_of("reference")]
        if len(human) == 1 and not any(kind_by_name(column) == "model" for column in numeric):
            table.add_answer(AnswerColumn(human[0], human[0]), LIKELY)
            return
    _check_headings(table)
    columns = numeric if len(numeric) > 1 else [c for c in table.free if table.values(c)]
    labels = [{str(value) for value in table.values(column)} for column in columns]
    are_alike = columns == numeric or bool(labels and set.intersection(*labels))
    if len(columns) < 2 or not are_alike or any(map(asks_something, columns)):
        return
    question = "label" if not numeric else "rank" if _are_ranks_of_systems(table, columns) else "score"
    _check_names(table, {column: column for column in columns})
    _check_scales(table, columns)
    _check_counts(table, columns)
    by_column = split_judge_and_system(columns) or {column: (column, "") for column in columns}
    for column, (judge, system) in by_column.items():
        table.add_answer(AnswerColumn(column, question, judge, system), LIKELY)


def _are_ranks_of_systems(table: MapDraft, columns: Sequence[str]) -> bool:
    """Whether these judges gave the systems of every text the places from 1 on."""
    items = table.columns(*(role for role in ITEM_ROLES if role != "system"))
    rankings = (places for column in columns for places in table.by(items, column, missing=False).values())
    return "system" in table.roles and are_places(rankings)


def _check_names(table: MapDraft, columns: Mapping[str, str]) -> None:
    """Refuse the names in columns as those of judges if they are called after what is judged, `Sentence 1`,
    `Sentence 2`, or after what is asked, `Q1`, `Q2`; and `S1`, `S2`, which may be subjects or sentences, if the rows
    are just numbered."""
    numbered = {name for name in columns.values() if _QUESTION_NUMBER.match(name)}
    if not numbered and fold(table.roles.get("segment", "")) == "id":
        numbered = {name for name in columns.values() if _SUBJECT_OR_SENTENCE.match(name)}
    words = [split_suffix(name, apart=True)[0] for name in columns.values()]
    if len(numbered) > 1 or all(role_named(word) in ITEM_ROLES for word in words):
        items = " and ".join(map(repr, table.columns("document", "segment", "item")))
        raise table.refusal(
            f"Neither the columns {', '.join(columns)} nor the rows ({items}) are called after judges, and nothing "
            "says whose the answers are.",
            "no_judge_column",
            f"If each column is a judge's, call it after the judge, or: {each_as('judge', list(columns))}. If each row "
            f"is a judge's: {as_option({'judge': table.columns('document', 'segment', 'item')[0]})}. If one judge "
            "answered, add a column `judge`.",
            list(columns),
        )


def _check_scales(table: MapDraft, columns: Sequence[str]) -> None:
    """Refuse columns as scores of judges if some hold fractions of one and others large numbers, or some steps of a
    short scale and others numbers beyond any scale: judges share a scale."""
    numbers = {column: [n for n in map(number, table.values(column)) if n is not None] for column in columns}
    fractions = [c for c, ns in numbers.items() if all(abs(n) <= 1 for n in ns) and any(n % 1 for n in ns)]
    large = [column for column, ns in numbers.items() if any(abs(n) > _LARGE for n in ns)]
    small = fractions or [column for column, ns in numbers.items() if all(abs(n) <= _LARGE for n in ns)]
    if not fractions:
        large = [column for column, ns in numbers.items() if ns and min(ns) > _LARGEST]
    if small and large:
        raise table.refusal(
            f"The numbers in {', '.join(small)} and {', '.join(large)} are on different scales, so they are no "
            "scores that judges gave to the same items.",
            "different_scales",
            f"Say which columns hold answers: {each_as('answer', large[:1])}, or judge:NAME=COLUMN for each judge's.",
            columns,
        )


def _check_counts(table: MapDraft, columns: Sequence[str]) -> None:
    """Refuse columns as scores of judges if they say how many judges gave each answer: with some at zero they add
    up to the same number on every row."""
    places = [table.place[column] for column in columns]
    rows = [[number(row[place]) for place in places] for row in table.sample]
    sums = {sum(count for count in counts if count is not None) for counts in rows}
    has_zeros = any(0 in counts for counts in rows)
    are_counts = all(count is not None and count >= 0 and count % 1 == 0 for counts in rows for count in counts)
    if len(rows) > 2 and len(sums) == 1 and max(sums) > 1 and has_zeros and are_counts:
        raise table.refusal(
            f"The numbers in {', '.join(columns)} add up to {max(sums):g} on every row, so they seem to say how "
            "many judges gave each answer.",
            "counts_of_judges",
            "Lanner needs each judge's answer: a row for each item and judge, with a column of answers. "
            f"If the columns are judges: {each_as('judge', columns)}.",
            columns,
        )


def crossed_with_outputs(columns: Sequence[str], outputs: Iterable[str]) -> dict[str, tuple[str, str]]:
    """`Anna DeepL`, `Anna MT2`, `Ben DeepL`, `Ben MT2` beside outputs of these systems: what else each is called, and
    the system. Empty where the columns are not crossed like this."""
    systems = list(outputs)
    pairs = {
        column: (rest, system)
        for column in columns
        for system in systems
        if len(column) > len(system) and (rest := without_name(column, system))
    }
    names = dict.fromkeys(name for name, _ in pairs.values())
    is_complete = sorted(pairs.values()) == sorted(product(names, systems))
    return pairs if is_complete and len(systems) > 1 and len(pairs) == len(columns) else {}


def _take_numbered_judges(table: MapDraft) -> None:
    """`R1`, `R2`, `R3` with numbers beside texts: raters, counted; also one for each of several outputs."""
    crossed = crossed_with_outputs(table.score_columns(), table.outputs)
    if crossed and all(names_one_judge(name) for name, _ in crossed.values()):
        for column, (judge, system) in crossed.items():
            table.add_answer(AnswerColumn(column, "score", judge, system), LIKELY)
    columns = [c for c in table.free if _RATER_NUMBER.match(c) and table.are_numbers(c)]
    if len(columns) > 1 and len({column[0] for column in columns}) == 1 and len(table.outputs) == 1:
        for column in columns:
            table.add_answer(AnswerColumn(column, "score", judge=column), LIKELY)


def _take_preferences_of_judges(table: MapDraft) -> None:
    """`Anna`, `Ben` with the names or sides of two outputs beside these: the preferences of a judge each."""
    columns = [c for c in table.free if table.is_preference(c)]
    asked = any(asks_something(c) or asks_preference(c) for c in columns)
    if len(columns) > 1 and len(table.outputs) == 2 and not asked:
        for column in columns:
            table.add_answer(AnswerColumn(column, "preference", judge=column), LIKELY)


def _has_one_judge(table: MapDraft) -> bool:
    """Whether scores of systems, or in columns that the user named, name no judge and there is one for each item: then
    they are one judge's."""
    are_about_systems = table.has("system", "system_a") or (
        table.answers and all(answer.system for answer in table.answers)
    )
    are_told = table.answers and all(answer.column not in table.confidence for answer in table.answers)
    if not (are_about_systems or are_told) or "judge" in table.roles:
        return False
    items = table.items()
    if len(items) != len(set(items)):
        raise table.refusal(
            "Several rows are about one output, and no column says who judged it.",
            "no_judge_column",
            "Add a column `judge`, or say which column names judges: --columns judge=COLUMN.",
        )
    return bool(items)


def is_ratings(table: MapDraft) -> bool:
    """Whether a table without texts has answers of judges about items."""
    has_judge = bool(table.judge) or "judge" in table.roles or any(answer.judge for answer in table.answers)
    return table.has_item and bool(table.answers) and (has_judge or _has_one_judge(table))


def _with_crossed_systems(answers: list[AnswerColumn]) -> list[AnswerColumn]:
    """Answers whose names of judges are judges and systems in truth, as in `score_GPT_ann`, with the two told apart."""
    if not answers or any(answer.system or not answer.judge for answer in answers):
        return answers
    columns = {answer.judge: answer.column for answer in answers if answer.question == answers[0].question}
    judge_and_system = split_judge_and_system(list(columns), columns)
    if judge_and_system is None or any(answer.judge not in judge_and_system for answer in answers):
        return answers
    return [AnswerColumn(answer.column, answer.question, *judge_and_system[answer.judge]) for answer in answers]


def split_judge_and_system(
    columns: Sequence[str], headings: Mapping[str, str] | None = None
) -> dict[str, tuple[str, str]] | None:
    """Columns for every judge and every system, `GPT_anna`, `GPT_ben`, `DeepL_anna`, `DeepL_ben`, as judge and system;
    None where they are not crossed. Which part is which shows in words that judges or systems are called by."""
    pairs = {column: tuple(re.split(r"[\s_.:/|-]+", column.strip(), maxsplit=1)) for column in columns}
    firsts, seconds = (list(dict.fromkeys(pair[at] for pair in pairs.values() if len(pair) == 2)) for at in (0, 1))
    complete = len(firsts) > 1 and len(seconds) > 1 and len(set(pairs.values())) == len(firsts) * len(seconds)
    if not complete or any(len(pair) != 2 for pair in pairs.values()):
        return None

    systems_first = all(map(names_usual_system, firsts)) or all(map(names_one_judge, seconds))
    judges_first = all(map(names_usual_system, seconds)) or all(map(names_one_judge, firsts))
    if systems_first == judges_first:
        first, second = pairs[columns[0]]
        titles = [(headings or {}).get(column, column) for column in columns]
        example = f"judge:{second} about {first}={titles[0]}"
        raise InputError(
            f"The scores in {', '.join(titles[:4])} are by judges about systems, and which part names the judge is "
            "not clear.",
            code="judge_or_system",
            names={"columns": ", ".join(titles)},
            next_step=f"Say it for each column: --columns '{example},…', or the other way round.",
        )
    return {column: (pair[1], pair[0]) if systems_first else (pair[0], pair[1]) for column, pair in pairs.items()}
