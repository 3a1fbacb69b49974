"""A map of the columns of a table while it is made: what is known of each column, and what its first rows show."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lanner.errors import InputError
from lanner.formats.parsing.headings import (
    ITEM_ROLES,
    fold,
    is_measure,
    is_summary,
    named_language,
    names_answer,
    output_or_reference,
    spellings_of,
    steps_in_words,
)
from lanner.formats.parsing.values import (
    as_text,
    asks_preference,
    clock,
    is_missing,
    is_numeric,
    literal_list,
    moment,
    preferred_side,
)

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
class Answer:
    """A column of answers: to which question, by which judge and about which system where the column tells, and which
    part of its cells where they hold one answer of each judge."""

    column: str
    question: str
    judge: str = ""
    system: str = ""
    part: int | None = None


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

    def __init__(self, header: Sequence[str], sample: Sequence[Sequence[Any]], judge: str) -> None:
        self.header = list(header)
        self.sample = sample
        self.judge = judge
        self.free = list(header)
        self.roles: dict[str, str] = {}
        self.outputs: dict[str, str] = {}
        self.references: dict[str, str] = {}
        self.answers: list[Answer] = []
        self.measures: list[Answer] = []
        self.confidence: dict[str, float] = {}
        self.languages: tuple[str, str] | None = None
        self.language_of: dict[str, str] = {}
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

    def add_answer(self, answer: Answer, confidence: float) -> None:
        """A free column holds answers."""
        self.answers.append(answer)
        self.take(answer.column, confidence)

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

    def is_preference(self, column: str) -> bool:
        """Whether a column says which of the others is best: by their names, or by sides under a heading that asks."""
        texts = set(self.texts(column))
        names = {fold(name) for other in self.header if other != column for name in (other, *_named_as(other))}
        if not texts or any(len(text) > SHORT_ANSWER for text in texts) or all(map(named_language, texts)):
            return False
        other_texts = {text for text in texts if fold(text) not in names}
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
