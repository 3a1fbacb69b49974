"""What every kind of question provides, and what checking an answer needs."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from statistics import fmean, median
from typing import Any, Generic, Literal, TypeVar

from lanner.errors import AnswerError, did_you_mean
from lanner.model import EQUAL, SIDES, TIES, Json, Option, Question, Stage
from lanner.model.protocol import Wording, Words

# Options by any of their spellings, and lists of options as a reader sees them.

_CACHE_SIZE = 256
_IDS_BY_SPELLING: dict[int, tuple[tuple[Option, ...], dict[str, str]]] = {}
"""Option ids by spelling, keyed by the identity of the options, which are held here so that the identity stays theirs:
a file has millions of labels, and hashing the options for each of them takes longer than all the rest."""


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Spelling without case and punctuation, for comparing labels: "Local  contextual" is "local contextual"."""
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()


def resolve(spelling: str, options: Sequence[Option]) -> str | None:
    """The option meant by an id or alias in any capitals and punctuation, alone or after the name of its parent
    ("Accuracy/Omission")."""
    if not isinstance(options, tuple):
        return _ids_by_spelling(options).get(fold(spelling))
    cached_options, ids = _IDS_BY_SPELLING.get(id(options), ((), {}))
    if cached_options is not options:
        if len(_IDS_BY_SPELLING) >= _CACHE_SIZE:
            _IDS_BY_SPELLING.clear()
        ids = _ids_by_spelling(options)
        _IDS_BY_SPELLING[id(options)] = (options, ids)
    return ids.get(fold(spelling))


def _ids_by_spelling(options: Sequence[Option]) -> dict[str, str]:
    """Every spelling of every option; the first option that has it wins."""
    by_id = {option.id: option for option in options}
    ids: dict[str, str] = {}
    for option in options:
        names = _spellings(option)
        if option.parent in by_id:
            names |= {f"{parent} {name}" for parent in _spellings(by_id[option.parent]) for name in names}
        for name in names:
            ids.setdefault(name, option.id)
    return ids


def _spellings(option: Option) -> set[str]:
    return {fold(name) for name in (option.id, *option.aliases)}


def replace_alias(label: Json, options: Sequence[Option]) -> tuple[Json, int]:
    """The id that a label stands for, and 1 where it was spelled otherwise; what is unknown stays as it is."""
    if not isinstance(label, str) or any(option.id == label for option in options):
        return label, 0
    option_id = resolve(label, options)
    return (label, 0) if option_id is None else (option_id, 1)


def describe_options(
    question_id: str, options: Sequence[Option], wording: Wording, groups: Sequence[str] = ()
) -> Iterator[str]:
    """One line an option, in the order of the protocol's groups, under a line for each group."""
    rows = sorted(options, key=lambda o: groups.index(o.group) if o.group in groups else -1) if groups else options
    group = None
    for option in rows:
        if groups and option.group and option.group != group:
            group = option.group
            yield f"*{wording.group(group).label}*"
        words = wording.option(question_id, option.id)
        value = f" = {option.value:g}" if option.value is not None else ""
        indent = "  " if option.parent else ""
        ends = f" ({words.low} – {words.high})" if words.low or words.high else ""
        definition = f": {words.definition}" if words.definition else ""
        yield f"{indent}- {words.label}{value}{ends}{definition}"


def have_values(options: Sequence[Option]) -> bool:
    """Whether every option stands for a number."""
    return all(option.value is not None for option in options)


def sides_among(labels: Set[str]) -> tuple[str, str] | None:
    """The words with which these answers name the two outputs; 1 and 2 only where nothing but a tie stands beside
    them, since they may also be degrees."""
    return next(
        (pair for pair in SIDES if labels & set(pair) and (pair != ("1", "2") or labels <= {*pair, *TIES, EQUAL})), None
    )


def on_other_side(options: Sequence[Option], value: Json, order: Sequence[int]) -> Json:
    """Rewrite an option that names one of two outputs by its place, alone or with how much (`left_slightly`), for
    another order of the outputs."""
    ids = {option.id for option in options}
    if list(order) != [1, 0] or not isinstance(value, str):
        return value
    named = sides_among(ids)
    for one, other in (named,) if named else [pair for pair in SIDES if not pair[0].isdigit()]:
        turned = "_".join({one: other, other: one}.get(word, word) for word in value.split("_"))
        if turned != value and turned in ids:
            return turned
    return value


def pick_option(options: Sequence[Option], rng: Random, level: float | None) -> str:
    """One of the options: any of them, or, where a level between 0 and 1 is said, the one near it by value."""
    if level is None:
        return rng.choice(options).id
    by_value = sorted(options, key=lambda option: option.value if option.value is not None else 0.0)
    return by_value[round(level * (len(options) - 1))].id


Q = TypeVar("Q", bound=Question)
Schema = dict[str, Any]
Mistake = tuple[str, str]
"""The field of a protocol file that is wrong, and what is wrong about it."""
Rule = Literal["majority", "median", "mean"]
"""How several answers become one."""
Level = Literal["nominal", "ordinal", "interval", "sets", "spans", "none"]
"""What can be said of two answers: same or not, nearer or farther, by how much; how far two sets or marks overlap."""
Quality = float | Sequence[float] | None

NOISE = 0.12
"""Standard deviation of a simulated judge around the underlying quality."""


@dataclass(frozen=True, slots=True)
class JudgedTexts:
    """What the judge saw, for checking that a span's text stands where the span says. `prefilled` are the spans that
    were offered to begin with; None where that is not known."""

    source: str = ""
    targets: tuple[str, ...] = ()
    prefilled: tuple[Mapping[str, Json], ...] | None = None


@dataclass(slots=True)
class AnswerCheck:
    """The check of one answer: either raises at the first violation, or collects flags and resolves aliases."""

    question: Question
    strict: bool
    texts: JudgedTexts | None = None
    outputs: int = 2
    flags: list[str] = field(default_factory=list)
    repairs: int = 0

    def violation(self, code: str, what: str, hint: str = "") -> None:
        """A rule is broken: raise when strict, else remember it."""
        if self.strict:
            raise self.error(code, what, hint)
        self.flags.append(code)

    def error(self, code: str, what: str, hint: str = "") -> AnswerError:
        return AnswerError(f"{self.question.id}: {what}", question=self.question.id, code=code, next_step=hint)

    def option(self, label: Json, options: Sequence[Option]) -> str:
        """The option's id, or in lenient mode the id that an alias stands for."""
        if isinstance(label, str):
            for option in options:  # a loop that ends early: a save asks this for every row of a grid
                if option.id == label:
                    return label
            if not self.strict and (option_id := resolve(label, options)):
                self.repairs += 1
                return option_id
        ids = [option.id for option in options]
        spellings = ids if self.strict else [*ids, *(alias for option in options for alias in option.aliases)]
        raise self.error("unknown", f"{label!r} is not one of the answers.", did_you_mean(str(label), spellings))

    def number(self, value: Json) -> float:
        """A finite number; in lenient mode also one written as text."""
        if isinstance(value, str) and not self.strict:
            try:
                value = float(value.strip())
            except ValueError:
                raise self.error("not_a_number", f"{value!r} is not a number.") from None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self.error("not_a_number", f"{value!r} is not a number.")
        return int(value) if float(value).is_integer() else float(value)


@dataclass(frozen=True, slots=True)
class SimulatedJudge:
    """What a simulated judge knows: the texts, how many outputs are shown, and how good they are (None: anything may
    come up). `level` is this judge's own view of the quality, between 0 and 1."""

    rng: Random
    texts: JudgedTexts
    outputs: int
    quality: Quality
    level: float | None


class QuestionKind(ABC, Generic[Q]):
    """Everything that depends on the kind of a question. One instance serves all questions of its kind; a question
    that is repeated for each label is handled by the callers, which ask once for each repetition."""

    # What a protocol file may say

    def mistakes(self, question: Q, stage: Stage) -> Iterator[Mistake]:
        """What is wrong with the question's own settings."""
        yield from ()

    def option_lists(self, question: Q) -> dict[str, tuple[Option, ...]]:
        """The lists of options in the file, by the field that holds them."""
        return {}

    # What a judge or a model is told

    @abstractmethod
    def describe(self, question: Q, words: Words) -> str:
        """One line that says what kind of answer is wanted."""

    def describe_choices(self, question: Q, wording: Wording, groups: Sequence[str]) -> Iterator[str]:
        """The choices, a line each."""
        yield from ()

    @abstractmethod
    def schema(self, question: Q, outputs: int) -> Schema:
        """The JSON Schema of one answer."""

    def as_asked(self, question: Q, value: Json, outputs: int) -> Json:
        """A stored answer in the form of the schema, as an example for a model."""
        return value

    # What is stored

    @abstractmethod
    def check(self, question: Q, value: Json, check: AnswerCheck) -> Json:
        """The answer as it is stored; raises or flags what the question does not allow."""

    def is_unreviewed(self, question: Q, value: Json) -> bool:
        """Whether an answer holds something that was offered and that its judge has not looked at yet."""
        return False

    def has_empty_answer(self, question: Q) -> bool:
        """Whether an answer can say that there is nothing: it then says so, instead of being left out."""
        return False

    def replace_aliases(self, question: Q, value: Json) -> tuple[Json, int]:
        """The answer with labels replaced by their ids, and how many were; for replies of models."""
        return value, 0

    def from_values(self, question: Q, values: Sequence[str]) -> Json:
        """The answer in the values of one form field; the last one where several were sent. Empty says nothing."""
        return values[-1] or None

    def from_fields(
        self, question: Q, values: Sequence[str] | None, parts: Mapping[str, Sequence[str]]
    ) -> tuple[bool, Json]:
        """Whether a form has the question at all, and its answer. `values` are those of the question's own field,
        `parts` those of the fields named after its rows, labels or outputs."""
        return values is not None, None if values is None else self.from_values(question, values)

    @abstractmethod
    def simulate(self, question: Q, simulation: SimulatedJudge) -> Json:
        """A valid answer."""

    # What becomes of answers

    def in_words(self, question: Q, value: Json, wording: Wording) -> str:
        """An answer as a person reads it; of a table the answer in one cell."""
        if isinstance(value, list):
            return wording.comma.join(self.in_words(question, entry, wording) for entry in value)
        return wording.option(question.id, value).label if isinstance(value, str) else f"{value:g}"

    def reorder(self, question: Q, value: Json, order: Sequence[int]) -> Json:
        """Rewrite an answer about several outputs for another order of them: first the one at `order[0]`."""
        return value

    @abstractmethod
    def level(self, question: Q) -> Level:
        """What can be said of two answers."""

    def likeness(self, question: Q, one: Json, other: Json) -> float:
        """How alike two answers are, from 0 to 1."""
        return float(one == other)

    @abstractmethod
    def combine(self, question: Q, values: Sequence[Json], rule: Rule) -> Json:
        """One answer from two or more, one that a judge could have given."""

    def expected_of_nonsense(self, question: Q, place: int) -> dict[str, Json]:
        """What a judge who reads answers where the output in this place is nonsense: a rule of `designs.expected`;
        empty where nothing can be expected."""
        return {}


KINDS: dict[str, QuestionKind[Any]] = {}
"""Every kind by its name, as the package lists them."""


def kind_of(question: Question) -> QuestionKind[Any]:
    """What is particular to questions of this kind."""
    return KINDS[question.kind]


def closed_object(properties: Mapping[str, Schema]) -> Schema:
    """The schema of an object that has all of these properties and no other."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def one_of(options: Sequence[Option]) -> Schema:
    """The schema of one option."""
    return {"type": "string", "enum": [option.id for option in options]}


def number_from_text(text: str) -> Json:
    """A number where it is one; else the text itself, for the check to name it. None for an empty text."""
    if not text:
        return None
    try:
        return plain_number(float(text.replace(",", ".")))
    except (ValueError, OverflowError):
        return text


def plain_number(number: float) -> int | float:
    """A whole number as an int, as it is stored and shown."""
    return int(number) if float(number).is_integer() else number


def combine_numbers(values: Sequence[float], rule: Rule) -> float:
    """One number from several. A majority needs one value with more votes than any other; where there is none (on a
    scale of a hundred points that is the usual case), the median is taken."""
    if rule == "mean":
        return fmean(values)
    if rule == "majority":
        counts = Counter(values).most_common(2)
        if len(counts) == 1 or counts[0][1] > counts[1][1]:
            return counts[0][0]
    return median(values)


def combine_labels(votes: Sequence[str], options: Sequence[Option], *, ordered: bool) -> str:
    """The option with most votes. A tie between ordered options goes to the one nearest the middle of all votes, any
    other tie to the one that stands first in the protocol."""
    places = {option.id: place for place, option in enumerate(options)}
    counts = Counter(votes)
    most = max(counts.values())
    winners = sorted((vote for vote in counts if counts[vote] == most), key=places.__getitem__)
    if ordered and len(winners) > 1:
        middle = median(places[vote] for vote in votes)
        return min(winners, key=lambda vote: abs(places[vote] - middle))
    return winners[0]


def overlap(one: Counter[Any], other: Counter[Any]) -> float:
    """F1 of what two collections share; 1 where both are empty."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0


def most_central(values: Sequence[Json], likeness: Any) -> Json:
    """The answer that is most like all others: for answers that cannot be averaged."""
    return max(values, key=lambda value: fmean(likeness(value, other) for other in values))
