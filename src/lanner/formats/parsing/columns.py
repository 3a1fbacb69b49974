"""Which column of a table holds what: given by the user, or guessed from the header and the first rows.

Headers come in many words and languages. Each guess has a confidence, which is shown with it. A source text that only
the content gives away is proposed and not taken.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import permutations
from typing import Any

from lanner.errors import InputError, did_you_mean
from lanner.formats.parsing.headings import (
    ITEM_ROLES,
    NO_NAMES,
    ROLES,
    asks_control,
    fold,
    has_answer_name,
    header_words,
    is_computed,
    is_index,
    is_measure,
    is_summary,
    is_total,
    judge_and_question,
    kind_in_words,
    named_language,
    names_answer,
    names_engine,
    names_identifier,
    names_language_model,
    names_metric,
    names_one_judge,
    names_opinion,
    names_person,
    names_remark,
    names_usual_system,
    output_or_reference,
    role_in_words,
    role_of_identifier,
    says_judge,
    says_system,
    says_text,
    sides_of,
    spelled_role,
    spellings_of,
    split_suffix,
    steps_in_words,
    without_language,
    without_name,
    without_scale,
)
from lanner.formats.parsing.values import (
    are_durations,
    are_places,
    as_text,
    asks_preference,
    clock,
    duration_heading,
    is_false,
    is_flag,
    is_missing,
    is_numeric,
    literal_list,
    moment,
    number,
    preferred_side,
)
from lanner.model import Role, languages

_NO_TEXT = frozenset({"context", "previous", "prev", "url", "link", "path", "hash", "date", "status", "state", "tag"})
_DAY = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]00:00:00)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}")
"""A date without a time."""
_PHASES = frozenset({"phase", "role", "block", "session", "round", "trial"})
"""Words in the heading of a column that says what answers are for."""
_GRAMMATICAL_PERSON = re.compile(
    r"(?:[123](?!\d)|first|second|third|erste|zweite|dritte|premi|deuxi|troisi|primer|prim[ao]|segund|tercer"
    r"|terz|перв|втор|трет|[第一二三])",
    re.I,
)
"""What stands in a column `Person` about grammar: 1st, 2nd, 3rd, 3sg, 1인칭, third, 第三人称."""
_NO_SYSTEMS = NO_NAMES | {"minor", "major", "critical", "neutral", "severity", "time", "count", "min", "max", "mean"}
_CERTAIN, _CLEAR, _LIKELY, _POSSIBLE = 1.0, 0.95, 0.8, 0.6
_MOST_IN_A_CELL = 50
"""Scores of so many judges stand in one cell at most; a longer list is something else."""
_LONG_TEXT = 12
"""Characters that a column of sentences has on average, at least."""
_SHORT_ANSWER = 40
_LARGE = 10
"""A number beyond this is on no scale from 0 to 1."""
_SHARED_ITEMS = 5
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


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """Columns by role, outputs and references by name, answers, and the columns that are kept as they are."""

    roles: Mapping[str, str]
    outputs: Mapping[str, str] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()
    rest: tuple[str, ...] = ()
    languages: tuple[str, str] | None = None
    confidence: Mapping[str, float] = field(default_factory=dict)
    """By column, how sure a guess is; what the user said is not in it."""

    def __str__(self) -> str:
        parts = [self._part(role, column) for role, column in self.roles.items()]
        parts += [self._part(f"reference:{name}", column) for name, column in self.references.items()]
        parts += [self._part(f"system:{name}", column) for name, column in self.outputs.items()]
        for answer in self.answers:
            about = f" by {answer.judge}" if answer.judge else ""
            about += f" about {answer.system}" if answer.system else ""
            parts.append(self._part(f"answer:{answer.question}{about}", answer.column))
        text = ", ".join(parts)
        # what stands beside an answer is about the answer or its judge, and does not come along with the texts
        treatment = "not read" if self.answers else "kept as they are"
        return f"{text}; {treatment}: {', '.join(self.rest)}" if self.rest else text

    def _part(self, role: str, column: str) -> str:
        sure = self.confidence.get(column, _CERTAIN)
        return f"{role}={column}" if sure > 0.99 else f"{role}={column} ({sure:.0%} sure)"

    scores: tuple[str, ...] = ()
    """Columns of `rest` that hold numbers which may be scores: by judges, or on questions; the header does not tell."""
    judge_candidates: tuple[str, ...] | None = None
    """Where most rows are about the texts of another row and nobody is named: the columns that may name judges."""

    @property
    def has_answers(self) -> bool:
        return bool(self.answers)


def parse(columns: str | Mapping[str, str]) -> dict[str, str]:
    """`source=src,system:gpt=mt` as a mapping; names with commas can be given as a JSON object."""
    if isinstance(columns, Mapping):
        return dict(columns)
    if columns.lstrip().startswith("{"):
        try:
            return {str(role): str(column) for role, column in json.loads(columns).items()}
        except (ValueError, AttributeError) as error:
            raise InputError(f"The column map is not a JSON object: {error}.") from error
    pairs = [part.partition("=") for part in columns.split(",") if part.strip()]
    if bad := [role for role, mark, column in pairs if not mark or not role.strip() or not column.strip()]:
        raise InputError(f"{bad[0]!r} is no column map.", next_step="Write role=column, for instance source=src.")
    return {role.strip(): column.strip() for role, _, column in pairs}


def as_option(columns: Mapping[str, str]) -> str:
    """`--columns answer:fluency=fluency,…` as one can paste it into a shell."""
    pairs = ",".join(f"{role}={column}" for role, column in columns.items())
    is_plain = not any(mark in f"{role}{column}" for role, column in columns.items() for mark in ",=")
    return f"--columns {shlex.quote(pairs if is_plain else json.dumps(columns, ensure_ascii=False))}"


def each_as(role: str, columns: Sequence[str]) -> str:
    """The option that gives each of these columns this role under its own name."""
    return as_option({f"{role}:{name}": name for name in columns})


def _score_of_each(columns: Sequence[str]) -> dict[str, str]:
    """Each of these columns as the scores of the system of its name."""
    return {f"answer:score about {name}": name for name in columns}


def column_map(
    header: Sequence[str],
    columns: str | Mapping[str, str] = "",
    system: str = "",
    sample: Sequence[Sequence[Any]] = (),
    *,
    judge: str = "",
) -> ColumnMap:
    """The map of a table with this header: what is given, then what can be guessed for the other columns. With a
    `judge`, columns of scores are that judge's answers although no column names judges."""
    return _Guess(header, sample, judge).map(parse(columns), system)


class _Guess:
    """A map in the making."""

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
        self.language_of: dict[str, str] = {}

    def map(self, assignments: Mapping[str, str], system: str) -> ColumnMap:
        self._take_given(assignments)
        self._take_durations()
        self._take_spelled()
        self._take_question_as_item()
        self._take_compared_systems()
        self._take_named()
        self._take_with_language()
        self._take_identifiers()
        pair = self._take_languages() if "source" not in self.roles else None
        ours = {"absent", "document_meta", "segment_meta"} <= set(self.header)  # a table that we wrote says it all
        if not ours:
            self._check_content()
        if not ours and "system" not in self.roles and "source" in self.roles and not self.outputs:
            self._take_texts()
        if not ours:
            self._take_persons()
            self._take_answers()
        if "source" not in self.roles and not self._is_ratings():
            if self.answers and "judge" in self.roles and not self._has_item and not self.outputs:
                raise self._without_item()
            if self._are_scores_of_items():
                raise self._without_judge()
            raise self._without_answers() if self._may_be_answers() else self._without_source()
        outputs = self.outputs
        if system and len(outputs) == 1:
            outputs = {system: next(iter(outputs.values()))}
        if "system" in self.roles:
            outputs = self._long(outputs)
        rest = tuple(name for name in self.header if name in self.free)
        roles = {role: self.roles[role] for role in sorted(self.roles, key=[*ROLES, "output"].index)}
        answers = (*self._without_scales(assignments), *self.measures)
        scores = () if answers or ours else tuple(name for name in rest if self._may_be_scores(name))
        judge_candidates = None if answers or ours else self._find_judge_candidates(rest)
        pair = pair or self._pair()
        return ColumnMap(
            roles, outputs, self.references, answers, rest, pair, self.confidence, scores, judge_candidates
        )

    def _without_scales(self, assignments: Mapping[str, str]) -> list[Answer]:
        """The answers, with questions that are not called by their scale: `Accuracy` for `Accuracy (1-5)`."""
        named_columns = set(assignments.values())
        names = {
            a.question: a.question if a.column in named_columns else without_scale(a.question) for a in self.answers
        }
        unique = len(set(map(fold, names.values()))) == len(names)
        return [replace(answer, question=names[answer.question]) for answer in self.answers] if unique else self.answers

    def _find_judge_candidates(self, columns: Sequence[str]) -> tuple[str, ...] | None:
        """The columns of short words in which rows about the same texts differ, as names of judges do; None unless most
        rows are about the texts of another one, with answers beside them, and no column is known to name judges."""
        if "judge" in self.roles or "source" not in self.roles:
            return None
        texts = [*self._columns(*ITEM_ROLES), *self.outputs.values()]
        if sum(len(group) for group in self._by(texts, texts[0]).values() if len(group) > 1) * 2 <= len(self.sample):
            return None

        def tells_apart(column: str) -> bool:
            values, groups = self._values(column), [g for g in self._by(texts, column).values() if len(g) > 1]
            differs = all(len(set(group)) == len(group) for group in groups)
            is_key = len(groups) > 1 and len(set(map(str, values))) == len(values)  # judges come again with other texts
            return differs and not is_key and not _are_numbers(values) and _mean_length(values) <= _SHORT_ANSWER

        names = tuple(column for column in columns if tells_apart(column))
        return names if names or any(map(names_answer, columns)) else None

    def _may_be_scores(self, column: str) -> bool:
        nameless = column.startswith("column ")
        return not nameless and not is_measure(column) and _are_numbers(self._values(column))

    def _take_given(self, assignments: Mapping[str, str]) -> None:
        for role, column in assignments.items():
            if column not in self.header:
                raise InputError(
                    f"There is no column {column!r}.",
                    code="no_column",
                    names={"column": column, "columns": ", ".join(self.header)},
                    next_step=did_you_mean(column, self.header),
                )
            kind, mark, name = role.partition(":")
            if kind == "reference":
                self.references[name or column] = column
            elif kind == "output" or (kind == "system" and mark):
                self.outputs[name or column] = column
            elif kind == "answer":  # `answer:score about GPT-4=column`: of one system, where each has a column
                question, _, about = (name or column).partition(" about ")
                self.answers.append(Answer(column, question, system=about))
            elif kind == "measure":  # taken besides the answers that are guessed
                self.measures.append(Answer(column, name or column))
            elif kind == "judge" and mark:
                judge, _, about = name.partition(" about ")
                self.answers.append(Answer(column, "score", judge, about))
            elif kind == "ignore":
                pass
            elif kind in ROLES and not mark:
                self.roles[role] = column
            else:
                kinds = ("reference", "system", "answer", "measure", "judge", "ignore")
                roles = [*ROLES, "output", *(f"{kind}:NAME" for kind in kinds)]
                raise InputError(f"{role!r} is nothing a column can be.", next_step=did_you_mean(role, roles))
            if column in self.free:
                self.free.remove(column)

    def _take(self, column: str, confidence: float) -> None:
        self.free.remove(column)
        self.confidence[column] = confidence

    def _assign(self, role: str, column: str, confidence: float) -> None:
        self.roles[role] = column
        self._take(column, confidence)

    def _has(self, *roles: str) -> bool:
        """Whether a column has one of these roles."""
        return not self.roles.keys().isdisjoint(roles)

    @property
    def _has_item(self) -> bool:
        """Whether a column names what is judged."""
        return self._has("item", "document", "segment")

    def _columns(self, *roles: str) -> list[str]:
        """The columns that have these roles."""
        return [self.roles[role] for role in roles if role in self.roles]

    def _keys(self, columns: Iterable[str]) -> list[tuple[str, ...]]:
        """What each row says in these columns."""
        places = [self.header.index(column) for column in columns]
        return [tuple(str(row[place]) for place in places) for row in self.sample]

    def _items(self) -> list[tuple[str, ...]]:
        """What each row is about."""
        return self._keys(self._columns(*ITEM_ROLES))

    def _by(self, columns: Iterable[str], column: str, *, missing: bool = True) -> dict[tuple[str, ...], list[str]]:
        """What a column says on the rows that are alike in others; with `missing` off, only where it says anything."""
        at = self.header.index(column)
        groups: dict[tuple[str, ...], list[str]] = {}
        for key, row in zip(self._keys(columns), self.sample, strict=True):
            if missing or not is_missing(row[at]):
                groups.setdefault(key, []).append(str(row[at]))
        return groups

    def _text_columns(self) -> list[str]:
        """Columns of an unknown meaning that hold sentences."""
        return [c for c in self.free if _mean_length(self._values(c)) > _LONG_TEXT and _are_texts(self._values(c))]

    def _take_durations(self) -> None:
        """`time_ms`, `Duration (min)`: how long an answer took, and no answer itself. The first that names its unit is
        taken; the others are left out."""
        columns = [(column, about) for column in self.free if (about := duration_heading(column)) is not None]
        for column, about in sorted(columns, key=lambda entry: not entry[1].unit):
            if not are_durations(self._values(column)) or (not about.unit and self._are_times_of_day(column)):
                continue
            role = "active_seconds" if about.active else "seconds"
            if role not in self.roles:
                self._assign(role, column, _CERTAIN if about.unit else _CLEAR)
            else:
                self.free.remove(column)

    def _are_times_of_day(self, column: str) -> bool:
        """Whether `9:30` stands beside a day: then it is when something was done, and not how long it took."""
        times = [clock(as_text(value)) for value in self._values(column)]
        dates = (self._values(other) for other in self.free if other != column)
        return all(time is not None for time in times) and any(
            days and all(re.fullmatch(_DAY, as_text(day).strip()) for day in days) for days in dates
        )

    def _take_spelled(self) -> None:
        """Columns whose whole name is a known spelling; the best spelling of a role wins."""
        best: dict[str, tuple[int, int, str]] = {}
        for position, column in enumerate(self.free):
            match = spelled_role(column)
            if match is not None and match[0] not in self.roles:
                candidate = (match[1], position, column)
                best[match[0]] = min(best.get(match[0], candidate), candidate)
        for role, (_, _, column) in best.items():
            self._assign(role, column, _CERTAIN if column.isascii() else _CLEAR)

    def _take_named(self) -> None:
        for column in list(self.free):
            role = output_or_reference(column)
            # `human` may be what people scored, `response` what they answered, `System A` what it scored
            unnamed = role in (("reference", column), ("output", column))
            may_be_answers = unnamed or (role is not None and "source" not in self.roles)
            if may_be_answers and (self._are_no_texts(column) or (unnamed and self._are_steps(column))):
                continue
            if role is not None:
                (self.outputs if role[0] == "output" else self.references).setdefault(role[1], column)
                self._take(column, _CERTAIN if column.isascii() else _CLEAR)

    def _are_no_texts(self, column: str) -> bool:
        """Whether numbers stand in a column of texts although the source texts are none."""
        source = self.roles.get("source")
        return _are_numbers(self._values(column)) and not (source and _are_numbers(self._values(source)))

    def _are_steps(self, column: str) -> bool:
        """Whether judges answered in a column of texts with the steps of a scale, or with yes and no."""
        texts = [as_text(value).strip() for value in self._values(column)]
        is_scale = bool(texts) and (steps_in_words(texts) is not None or all(map(is_flag, texts)))
        return "judge" in self.roles and is_scale

    def _take_compared_systems(self) -> None:
        """`system_a` and `system_b`, `MT1` and `MT2`, `left` and `right`, where both hold names of systems."""
        if self._has("system", "system_a", "system_b"):
            return
        for first, second in permutations(self.free, 2):
            if self._are_compared(first, second):
                self._assign("system_a", first, _CLEAR)
                self._assign("system_b", second, _CLEAR)
                return

    def _are_compared(self, first: str, second: str) -> bool:
        if says_text(first) or says_text(second):
            return False
        if sides_of(first, second) is None:
            in_order = self.header.index(first) < self.header.index(second)
            return in_order and self._are_decided_between(first, second)
        beside = self._has_texts_beside(first) and self._has_texts_beside(second)
        are_systems = self._are_systems(first) and self._are_systems(second)
        return beside or are_systems or self._share_names(first, second) or self._are_decided_between(first, second)

    def _are_decided_between(self, first: str, second: str) -> bool:
        """Whether a third column says, on each row, which of two systems is better, by its name, its side or as a tie.
        The systems come again with other items, as translations do not, or are called systems in the headings."""
        columns = [column for column in self.free if column not in (first, second) and asks_preference(column)]
        at, other = self.header.index(first), self.header.index(second)
        pairs = [(as_text(row[at]).strip(), as_text(row[other]).strip()) for row in self.sample]
        names = {name for pair in pairs for name in pair}
        if not columns or any(not one or not two or one == two for one, two in pairs):
            return False
        come_again = len(names) <= len(set(self._items())) and _mean_length(list(names)) <= _SHORT_ANSWER
        are_called_systems = says_system(first) and says_system(second)
        if not (come_again or are_called_systems) or (any(map(is_numeric, names)) and not are_called_systems):
            return False
        for column in columns:
            verdicts = [as_text(row[self.header.index(column)]).strip() for row in self.sample]
            named = [verdict in pair for verdict, pair in zip(verdicts, pairs, strict=True)]
            is_decided = all(ok or not text or preferred_side(text) for ok, text in zip(named, verdicts, strict=True))
            if is_decided and (any(named) or (come_again and sides_of(first, second) is not None)):
                return True
        return False

    def _has_texts_beside(self, column: str) -> bool:
        """Whether `system A` stands beside a `translation A`, which holds the texts: then it names their system."""
        texts = [
            other
            for other in self.free
            if other != column and output_or_reference(other) == output_or_reference(column) is not None
        ]
        return bool(texts) and says_system(column)

    def _share_names(self, first: str, second: str) -> bool:
        """Whether a name is in one column with one segment and in the other with another, names are few and nobody
        meets themselves: so it is with systems that take turns at both sides, and not with translations."""
        items = self._items()
        pairs: list[set[tuple[str, tuple[str, ...]]]] = []
        for at in map(self.header.index, (first, second)):
            pairs.append({(str(row[at]), item) for row, item in zip(self.sample, items, strict=True) if row[at]})
        segments = {segment for side in pairs for _, segment in side}
        names = [{name for name, _ in side} for side in pairs]
        few = max(2, len(segments) // 2)
        if len(names[0] | names[1]) > few or pairs[0] & pairs[1] or any(map(is_numeric, names[0] | names[1])):
            return False
        switches = {(name, segment) for name, segment in pairs[0] if name in names[1]} - pairs[1]
        return bool(switches) and _mean_length([*names[0], *names[1]]) <= _SHORT_ANSWER

    def _are_systems(self, column: str, fewest: int = 1) -> bool:
        """Whether a column holds names that come again with other segments, as names of systems do and translations
        do not; at least the `fewest` different ones."""
        # a text that comes again is translated alike again, so that texts count where they are known
        keys = self._keys(self._columns("source") or self._columns("document", "segment", "item"))
        at = self.header.index(column)
        segments_by_name: dict[str, set[tuple[str, ...]]] = {}
        for row, segment in zip(self.sample, keys, strict=True):
            if at < len(row) and not is_missing(row[at]):
                segments_by_name.setdefault(str(row[at]), set()).add(segment)
        names = list(segments_by_name)
        segments = set[tuple[str, ...]]().union(*segments_by_name.values())
        if len(segments) < 2 or len(names) < fewest or _are_numbers(names) or _mean_length(names) > 60:
            return False
        per_name = sum(map(len, segments_by_name.values())) / len(names)
        return per_name >= 3 or per_name > len(segments) / 2

    def _take_with_language(self) -> None:
        """`Source text (EN-US)`, `Target_de`, `번역(한국어)`: a known name with a language or a remark."""
        for column in [*self.free, *self.roles.values(), *self.outputs.values()]:
            base, language = without_language(column)
            if language:
                self.language_of[column] = language
            if column not in self.free or base == column:
                continue
            role = spelled_role(base)
            suffix = output_or_reference(base)
            if role is not None and role[0] not in self.roles:
                self.roles[role[0]] = column
            elif suffix is not None and suffix[0] == "output":
                self.outputs.setdefault(column, column)
            elif suffix is not None:
                self.references.setdefault(column, column)
            else:
                continue
            self._take(column, _CLEAR if language else _LIKELY)

    def _take_identifiers(self) -> None:
        """`Nr dokumentu`, `Věta č.`, `システム名`: a known word for a document, a segment, a system or a judge, with
        another that only says that it is an identifier."""
        for column in list(self.free):
            role = role_of_identifier(column)
            is_known = names_answer(column) or fold(column) in spellings_of("output", "reference")
            if role and role not in self.roles and not is_known:
                self._assign(role, column, _CLEAR)

    def _take_languages(self) -> tuple[str, str] | None:
        """Columns named by languages: the first is the source, the others are outputs."""
        codes = [
            (name, code)
            for name in self.free
            if (code := named_language(name) or named_language(without_language(name)[0]))
        ]
        if len(codes) < (1 if self.outputs else 2):
            return None
        self._assign("source", codes[0][0], _LIKELY)
        for name, _ in codes[1:]:
            self.outputs.setdefault(name, name)
            self._take(name, _LIKELY)
        if len(codes) == 2:
            return codes[0][1], codes[1][1]
        return codes[0][1], languages.UNDETERMINED

    def _pair(self) -> tuple[str, str] | None:
        source = self.language_of.get(self.roles.get("source", ""), "")
        targets = {self.language_of[column] for column in self.outputs.values() if column in self.language_of}
        if not source and not targets:
            return None
        return source or languages.UNDETERMINED, targets.pop() if len(targets) == 1 else languages.UNDETERMINED

    def _answer_names(self, column: str) -> frozenset[str]:
        """Names of answers. `note` is a mark in French and other languages where numbers stand below it, else a remark;
        `style` and `terminology` are asked about where ratings stand below them, else facts about the text."""
        if _are_numbers(self._values(column)):
            return spellings_of("answer", "criterion") | {"note"}
        return spellings_of("answer", "criterion") if self._are_ratings(column) else spellings_of("answer")

    def _are_ratings(self, column: str) -> bool:
        """Whether a column holds numbers, or the steps of a scale in words. `Good` and `Excellent` alone may be labels;
        beside a column with `Poor`, `Fair` and `Good` they are steps of its scale."""
        return _are_numbers(self._values(column)) or column in self._worded_ratings

    @cached_property
    def _worded_ratings(self) -> frozenset[str]:
        texts = {column: [as_text(value).strip() for value in self._values(column)] for column in self.header}
        scales = [words for words in texts.values() if words and steps_in_words(words) is not None]
        return frozenset(
            column
            for column, words in texts.items()
            if words and any(steps_in_words([*words, *scale]) is not None for scale in scales)
        )

    def _values(self, column: str) -> list[Any]:
        at = self.header.index(column)
        return [row[at] for row in self.sample if at < len(row) and not is_missing(row[at])]

    def _check_content(self) -> None:
        """Names that mean one thing or another, told apart by what stands below them."""
        self._place_languages()
        self._place_sheets()
        self._place_systems()
        if not self._comes_again("judge"):
            self._demote("judge", self._tells_rows_apart, "judged")
        self._demote("role", lambda values: not all(role_in_words(as_text(value)) in list(Role) for value in values))
        self._take_item_roles()
        self._take_judge_kinds()
        self._demote("answered_at", lambda values: _are_numbers(values) and not _are_moments(values), "seconds")
        self._demote("note", _are_numbers)
        self._demote("question", lambda values: len({str(value) for value in values}) > _SHORT_ANSWER)
        self._take_numbering()
        self._take_repeating()
        self._demote("document", lambda values: bool(values) and _mean_length(values) > 4 * _SHORT_ANSWER)
        self._demote("item", lambda values: bool(values) and _mean_length(values) > 4 * _SHORT_ANSWER)
        if "source" not in self.roles:  # a column `sentence` may hold the sentences and not their numbers
            for role in ("segment", "item", "title", "note"):
                column = self.roles.get(role, "")
                values = self._values(column) if column else []
                if column in self.confidence and self._may_be_source(values):
                    del self.roles[role]
                    self.roles["source"] = column
                    self.confidence[column] = _LIKELY
                    break

    def _take_question_as_item(self) -> None:
        """`question_id` of a benchmark whose prompts are questions: one for each source, or all that names an item."""
        if "question" not in self.roles or self._has("item", "segment"):
            return
        if "source" in self.roles:
            pairs = set(self._keys([self.roles["question"], self.roles["source"]]))
            sizes = {len(pairs), *(len({pair[side] for pair in pairs}) for side in (0, 1))}
            is_item = len(sizes) == 1 and len(pairs) > 1
        else:
            is_item = "document" not in self.roles and "id" in header_words(self.roles["question"])
        if is_item:
            self.roles["item"] = self.roles.pop("question")

    def _may_be_source(self, values: Sequence[Any]) -> bool:
        """Whether values are sentences: long ones, or ones of several words where translations stand beside them."""
        if _mean_length(values) > 2 * _LONG_TEXT:
            return True
        phrases = [text for text in map(str, values) if " " in text.strip() and not any(map(str.isdigit, text))]
        return bool(self.outputs) and len(phrases) * 2 > len(values)

    def _take_numbering(self) -> None:
        """A column of an unknown name that counts the rows of each document, judge and system: the segment's number,
        and no answer."""
        if self._has("segment", "item") or "judge" not in self.roles:
            return
        keys = self._columns("judge", "document", "system")
        for column in self.free:
            groups = self._by(keys, column).values()
            if len(groups) > 1 and not has_answer_name(column) and all(map(_counts_up, groups)):
                self._assign("segment", column, _LIKELY)
                return

    def _take_repeating(self) -> None:
        """Where items come again and no column is known to name the judges: the only column of names by which their
        rows differ names them, if scores stand beside it."""
        if "judge" in self.roles:
            return
        candidates = [column for column in self._find_judge_candidates(self.free) or () if names_identifier(column)]
        has_answers = any(names_answer(column) or self._is_preference(column) for column in self.free)
        if len(candidates) == 1 and has_answers:  # `Name` beside texts that come again
            self._assign("judge", candidates[0], _LIKELY)
            return
        has_scores = any(
            _are_numbers(self._values(column)) and fold(without_scale(column)) in self._answer_names(column)
            for column in self.free
        )
        keys = self._columns("item", "document", "segment", "system")
        if not has_scores or not self._has("segment", "item") or self._are_unique(keys):
            return
        columns = [
            column
            for column in self.free
            if 1 < len({str(value) for value in self._values(column)}) <= len(self.sample) / 2
            and not _are_numbers(self._values(column))
            and _mean_length(self._values(column)) <= _SHORT_ANSWER
            and self._are_unique([*keys, column])
        ]
        # a name and a first name say the same twice
        pairs = set(self._keys(columns))
        say_the_same = all(len(pairs) == len({str(value) for value in self._values(column)}) for column in columns)
        if len(columns) == 1 or (columns and say_the_same and names_identifier(columns[0])):
            self._assign("judge", columns[0], _LIKELY)

    def _are_unique(self, columns: Sequence[str]) -> bool:
        """Whether no two rows of the sample are alike in these columns."""
        keys = self._keys(columns)
        return len(set(keys)) == len(keys)

    def _comes_again(self, role: str) -> bool:
        """Whether one item has several rows that differ in this column: then it says whose row it is, or of what."""
        if role not in self.roles:
            return False
        others = self._columns(*(other for other in ITEM_ROLES if other != role))
        return bool(others) and any(len(set(values)) > 1 for values in self._by(others, self.roles[role]).values())

    def _take_item_roles(self) -> None:
        """`phase` with `training` and `main`, `is_control` with yes and no: what each answer is for."""
        for column in self.free if "role" not in self.roles else []:
            said = {role_in_words(as_text(value).strip(), column) for value in self._values(column)}
            # the first rows of a file may all be of one role: a round of training, or no control yet
            is_named = asks_control(column) or not _PHASES.isdisjoint(header_words(column))
            if said <= set(Role) and ({"main"} < said or (said and is_named)):
                self._assign("role", column, _CLEAR)
                return

    def _take_judge_kinds(self) -> None:
        """`type` with `human` and `LLM`, the same on all rows of a judge: what the judge is, and not what the text."""
        columns = [*self.free, *(c for c in self._columns("text_type") if c in self.confidence)]
        for column in columns if "judge" in self.roles and "judge_kind" not in self.roles else []:
            kinds = {kind_in_words(as_text(value)) for value in self._values(column)}
            by_judge = self._by([self.roles["judge"]], column, missing=False).values()
            if kinds and "" not in kinds and all(len(set(said)) == 1 for said in by_judge):
                self._demote("text_type", lambda _: True)
                self._assign("judge_kind", column, _CLEAR)
                return

    def _place_systems(self) -> None:
        """A column `MT` or `translation` may say which system it was, and not what the system wrote."""
        if self._has("system", "system_a"):
            return
        fewest = 2 if "source" in self.roles else 1  # one text for every source may be a poor translation
        columns = [
            column
            for name, column in self.outputs.items()
            if name == column and column in self.confidence and self._are_systems(column, fewest)
        ]
        if len(columns) == 1:
            self.outputs = {name: column for name, column in self.outputs.items() if column != columns[0]}
            self.roles["system"] = columns[0]
            self.confidence[columns[0]] = _LIKELY

    def _place_languages(self) -> None:
        """`SRC` and `TGT` may hold the codes of languages, as in releases of WMT, and not the texts."""
        source = self.roles.get("source", "")
        if source not in self.confidence or not self._are_codes(source):
            return
        self._demote("source", lambda _: True, "source_language")
        targets = [column for column in self.outputs.values() if self._are_codes(column)]
        self.outputs = {name: column for name, column in self.outputs.items() if column not in targets}
        if targets and "target_language" not in self.roles:
            self.roles["target_language"] = targets[0]

    def _are_codes(self, column: str) -> bool:
        """Whether a column holds the same one or two codes of languages on many rows."""
        values = {as_text(value).strip() for value in self._values(column)}
        return 0 < len(values) <= 2 and len(self.sample) > 2 and all(len(v) <= 8 and named_language(v) for v in values)

    def _place_sheets(self) -> None:
        """What the sheets of a workbook stand for: judges or systems where they repeat the same items, else
        documents."""
        guessed = self.roles.get("document") == SHEET and SHEET in self.confidence
        if not guessed and SHEET not in self.free:
            return
        ids = [name for name in self._columns("document", "segment", "item") if name != SHEET]
        keys = self._columns("source") or ids
        sheets = self._by(keys, SHEET)
        if not keys or sum(len(set(names)) > 1 for names in sheets.values()) * 2 <= len(sheets):
            return
        role = "judge" if any(map(has_answer_name, self.free)) else "system"
        if "source" not in self.roles and not self.outputs:
            role = self._role_of_sheets(list(dict.fromkeys(str(value) for value in self._values(SHEET))))
        elif "source" in self.roles and len(self.outputs) == 1:  # another text for a source is another system's
            has_answers = role == "judge" or any(_are_numbers(self._values(column)) for column in self.free)
            differ = self._texts_differ(keys, next(iter(self.outputs.values())))
            role = "judge" if has_answers and not differ else "system"
        if role in self.roles:
            return
        if guessed:
            del self.roles["document"]
        else:
            self.free.remove(SHEET)
        self.roles[role] = SHEET
        self.confidence[SHEET] = _LIKELY

    def _role_of_sheets(self, sheets: Sequence[str]) -> str:
        """Whether sheets of scores without texts are those of judges or of systems. Refuses where no name is one that
        only judges or only systems have."""
        columns = [column for column in self._score_columns() if column != SHEET]
        by_name = [c for c in columns if fold(without_scale(c)) not in self._answer_names(c)]
        system_sheets = any(map(names_engine, sheets)) or any(map(names_one_judge, by_name))
        judge_sheets = any(map(names_one_judge, sheets)) or any(map(names_engine, columns))
        if system_sheets != judge_sheets:
            return "judge" if judge_sheets else "system"
        if "system" in self.roles or len(by_name) < len(columns) or any(map(has_answer_name, self.free)):
            return "judge"
        if "judge" in self.roles or len(columns) < 2:
            return "system"
        by_judge = as_option({"judge": SHEET} | _score_of_each(columns))
        by_system = as_option({"system": SHEET} | {f"judge:{name}": name for name in columns})
        raise InputError(
            f"The sheets {', '.join(sheets)} have scores in the columns {', '.join(columns)}, and nothing says which "
            "of the two are judges and which are systems.",
            code="judge_or_system",
            names={"columns": ", ".join(columns)},
            next_step=f"If each sheet is a judge's: {by_judge}. If each sheet is a system's: {by_system}.",
        )

    def _score_columns(self) -> list[str]:
        """Columns of an unknown meaning whose numbers may be scores."""
        return [
            column
            for column in self.free
            if _are_numbers(self._values(column)) and not is_measure(column) and not is_summary(column)
        ]

    def _texts_differ(self, keys: Sequence[str], column: str) -> bool:
        """Whether most of the rows that are alike in their keys and not alone have different texts in this column."""
        groups = [group for group in self._by(keys, column).values() if len(group) > 1]
        return sum(len(set(group)) > 1 for group in groups) * 2 > len(groups)

    def _demote(self, role: str, wrong: Any, better: str = "") -> None:
        """Give a guessed role up where the values do not fit, or take another one."""
        column = self.roles.get(role)
        values = self._values(column) if column in self.confidence and column is not None else []
        if column is None or not values or not wrong(values):
            return
        del self.roles[role]
        if better and better not in self.roles:
            self.roles[better] = column
        else:
            self.free.append(column)
            self.confidence.pop(column, None)

    def _tells_rows_apart(self, values: Sequence[Any]) -> bool:
        """Whether `judge` holds true and false: which rows are to be judged. Letters that all say yes, or all no,
        in every row are initials of judges."""
        everywhere = len(values) == len(self.sample) and len({is_false(value) for value in values}) == 1
        return all(map(is_flag, values)) and not (everywhere and all(len(str(value).strip()) == 1 for value in values))

    def _take_texts(self) -> None:
        """Columns of sentences about as long as the source: one for each system."""
        source = self._values(self.roles["source"])
        if not source:
            return
        length = _mean_length(source)
        for column in list(self.free):
            values = self._values(column)
            words = re.split(r"[\W_]+", column.casefold())
            if (
                len(values) * 2 < len(source)
                or names_remark(column)
                or not _NO_TEXT.isdisjoint(words)
                or names_answer(column)
                or _are_numbers(values)
                or self._varies(column)
                or self._is_preference(column)
            ):
                continue
            distinct = len({str(value) for value in values})
            enough = distinct * 2 >= len(set(map(str, source)))  # each text comes again on the rows of every judge
            if length / 5 <= _mean_length(values) <= length * 5 and enough and _are_texts(values):
                self.outputs.setdefault(column, column)
                self._take(column, _POSSIBLE if len(source) < 3 else _LIKELY)

    def _is_preference(self, column: str) -> bool:
        """Whether a column says which of the others is best: by their names, or by sides under a heading that asks."""
        texts = {as_text(value).strip() for value in self._values(column)}
        names = {fold(name) for other in self.header if other != column for name in (other, *_named_as(other))}
        if not texts or any(len(text) > _SHORT_ANSWER for text in texts) or all(map(named_language, texts)):
            return False
        other_texts = {text for text in texts if fold(text) not in names}
        if len(other_texts) < len(texts):
            return all(preferred_side(text) == "tie" for text in other_texts)
        return asks_preference(column) and all(preferred_side(text) for text in texts)

    def _is_ratings(self) -> bool:
        has_judge = bool(self.judge) or "judge" in self.roles or any(answer.judge for answer in self.answers)
        return self._has_item and bool(self.answers) and (has_judge or self._has_one_judge())

    def _has_one_judge(self) -> bool:
        """Whether scores of systems name no judge and there is one for each item: then they are one judge's."""
        about_systems = "system" in self.roles or (self.answers and all(answer.system for answer in self.answers))
        if not about_systems or "judge" in self.roles:
            return False
        items = self._items()
        if len(items) != len(set(items)):
            raise InputError(
                "Several rows are about one output, and no column says who judged it.",
                code="no_judge_column",
                names={"columns": ", ".join(self.header)},
                next_step="Add a column `judge`, or say which column names judges: --columns judge=COLUMN.",
            )
        return bool(items)

    def _take_persons(self) -> None:
        """`Person` where no other column names judges, answers stand beside it, and it is not about grammar."""
        if "judge" in self.roles or self.judge or self.answers:
            return
        persons = [column for column in self.free if names_person(column)]
        if len(persons) != 1 or all(_GRAMMATICAL_PERSON.match(as_text(v).strip()) for v in self._values(persons[0])):
            return
        beside = [column for column in self.free if column != persons[0]]
        if any(map(self._holds_answers, beside)) and not any(
            answer.judge for answer in self._spread_answers(by_judge=False)
        ):
            self._assign("judge", persons[0], _LIKELY)

    def _holds_answers(self, column: str) -> bool:
        values = self._values(column)
        is_opinion = names_opinion(column) and 0 < _mean_length(values) <= _SHORT_ANSWER
        return fold(column) in self._answer_names(column) or is_opinion or self._is_preference(column)

    def _take_answers(self) -> None:
        """Columns of answers: one for each question, or for each judge, or for each system."""
        if self.answers:
            return
        by_judge = "judge" in self.roles or bool(self.judge)
        answers = [c for c in self.free if names_answer(c) or self._is_preference(c)]
        if "question" in self.roles and (value := next(iter(answers), "")):
            self._add_answer(Answer(value, ""), _CERTAIN)
            return
        spread = [*self._spread_answers(by_judge=by_judge)]
        if not spread and self._take_scores_of_systems(by_judge=by_judge):
            return
        for answer in spread:
            self._add_answer(answer, _CLEAR)
        if not by_judge:
            if not spread and self._take_lists_of_scores(answers):
                return
            if not spread and not self.outputs and "source" not in self.roles:
                self._take_judges()
            elif not spread:
                self._take_numbered_judges()
            scores = [column for column in answers if column in self.free and _are_numbers(self._values(column))]
            if scores and self._has_item and "source" not in self.roles and not self.answers and self._has_one_judge():
                for column in scores:
                    self._add_answer(Answer(column, column), _CERTAIN)
            return
        comments = [column for column in self.free if names_remark(column)]
        # without texts a length cannot be measured any more, and judges may have been asked for one
        no_answer = is_measure if "source" in self.roles or self.outputs else is_index
        candidates = [c for c in self.free if c not in answers and not names_person(c)]
        numeric = [c for c in candidates if _are_numbers(self._values(c)) and not no_answer(c)]
        if answers:  # numbers that no judge ever disputes describe the item, those that no judge ever changes the judge
            numeric = [c for c in numeric if not self._is_fact(c) and not self._is_about_judge(c)]
        lists = [c for c in self.free if _are_lists(self._values(c))]
        short = [
            column
            for column in candidates
            if column not in (*comments, SHEET)
            and not is_index(column)
            and 0 < _mean_length(self._values(column)) <= _SHORT_ANSWER
            and not _are_moments(self._values(column))
            and not _are_identifiers(self._values(column))
        ]
        others = [c for c in short if self._varies(c)]
        if not (answers or numeric or lists or spread or others):
            others = short
        columns = [*answers, *numeric, *lists, *others]
        columns += comments if columns or spread else []
        for column in [name for name in self.header if name in columns]:
            if column in self.free:
                sure = _CERTAIN if names_answer(column) else _CLEAR if column in answers else _LIKELY
                self._add_answer(Answer(column, column), sure)

    def _take_scores_of_systems(self, *, by_judge: bool) -> bool:
        """`GPT-4`, `DeepL`, `System A` with numbers: a score of each system. Where no column names judges, language
        models may be the judges."""
        if self.outputs or self._has("system", "system_a"):
            return False
        worded = [column for column in self.free if column in self._worded_ratings]
        columns = [column for column in (*self._score_columns(), *worded) if not self._is_about_judge(column)]
        engines = [column for column in columns if names_engine(column)]
        systems = [column for column in columns if column in engines or names_language_model(column)]
        if len(columns) < 2 or not (systems if by_judge else engines) or any(map(names_one_judge, columns)):
            return False
        if len(systems) < len(columns):
            if by_judge:
                return False  # each column is analysed on its own
            others = [column for column in columns if column not in systems]
            raise InputError(
                f"Some columns are called after systems ({', '.join(systems)}). Whether the others are systems too "
                f"({', '.join(others)}) is not clear.",
                code="judge_or_system",
                names={"columns": ", ".join(columns)},
                next_step=f"If each column holds the scores of one system: {as_option(_score_of_each(columns))}.",
            )
        places = [self.header.index(column) for column in columns]
        question = "rank" if are_places([row[place] for place in places] for row in self.sample) else "score"
        for column in columns:
            role = output_or_reference(column)
            self._add_answer(Answer(column, question, system=role[1] if role else column), _LIKELY)
        return True

    def _take_lists_of_scores(self, columns: Sequence[str]) -> bool:
        """A column `scores` with [82, 90, 75] in each cell: one score of each judge."""
        for column in columns:
            values = self._values(column)
            lists = [value if isinstance(value, list) else literal_list(str(value)) or [] for value in values]
            most = max(map(len, lists), default=0)
            if 2 <= most <= _MOST_IN_A_CELL and all(lists) and all(is_numeric(v) for scores in lists for v in scores):
                self.answers += [Answer(column, column, str(part + 1), part=part) for part in range(most)]
                self._take(column, _CLEAR)
                return True
        return False

    def _varies(self, column: str) -> bool:
        """Whether judges say different things in a column about one item: then it is an answer, and neither a fact
        about the item nor one about the judge."""
        if "judge" not in self.roles or not (self._has_item or "source" in self.roles):
            return False
        groupings = self._columns(*ITEM_ROLES), [self.roles["judge"]]
        return all(
            any(len(set(values)) > 1 for values in self._by(columns, column, missing=False).values())
            for columns in groupings
        )

    def _is_fact(self, column: str) -> bool:
        """Whether all judges say the same in a column about each of several items that they share."""
        if "judge" not in self.roles or not (self._has_item or "source" in self.roles):
            return False
        judges = self._by(self._columns(*ITEM_ROLES), self.roles["judge"])
        values = self._by(self._columns(*ITEM_ROLES), column)
        shared = [set(values[item]) for item in values if len(set(judges[item])) > 1]
        agreed = all(len(each) == 1 for each in shared)
        return len(shared) >= _SHARED_ITEMS and agreed and len(set().union(*shared)) > 1

    def _is_about_judge(self, column: str) -> bool:
        """Whether each of several judges always says the same in a column, and not all of them do: an age, say."""
        if "judge" not in self.roles:
            return False
        by_judge = self._by([self.roles["judge"]], column).values()
        alike = all(len(values) >= _SHARED_ITEMS and len(set(values)) == 1 for values in by_judge)
        return alike and len({values[0] for values in by_judge}) > 1

    def _add_answer(self, answer: Answer, confidence: float) -> None:
        self.answers.append(answer)
        self._take(answer.column, confidence)

    def _spread_answers(self, *, by_judge: bool) -> Iterator[Answer]:
        """Answers in a column for each system (`score_GPT-4`) or for each judge (`score_ann`, `Rater 1`)."""
        answers: list[Answer] = []
        systems = sorted(self.outputs, key=len, reverse=True)
        behind = self._systems_by_number()
        for column in self.free:
            values = self._values(column)
            if self.sample and values and not (_are_numbers(values) or _mean_length(values) <= _SHORT_ANSWER):
                continue
            name, system = without_scale(column), ""
            number, question = judge_and_question(name, self._answer_names(column))
            if number in behind and fold(question) in self._answer_names(column):
                answers.append(Answer(column, question, system=behind[number]))
                continue
            for each in systems:
                if len(name) > len(each) and (rest := without_name(name, each)) is not None:
                    name, system = rest, each
                    break
            question_words = self._answer_names(column)
            judge, question = ("", name) if by_judge else judge_and_question(name, question_words)
            for each in systems if not system else ():  # `score_GPT-4_ann`: the system is in the middle
                if len(judge) > len(each) and (rest := without_name(judge, each)):
                    judge, system = rest, each
                    break
            if fold(question) in question_words and (system or judge) and not is_computed(judge):
                answers.append(Answer(column, question, judge, system))
        if by_judge and not answers and "system" not in self.roles and "system_a" not in self.roles:
            answers = self._answers_by_system()
        answers = _with_crossed_systems(answers)
        judges = {answer.judge for answer in answers if answer.judge}
        for answer in answers:
            if answer.system or len(judges) > 1 or says_judge(answer.judge):
                yield answer

    def _systems_by_number(self) -> dict[str, str]:
        """The systems by the letter or number that their columns end in, where these differ in nothing else: `訳文A`
        and `訳文B`, `MT1` and `MT2`."""
        # of `MT_A` the name is A already
        words = {
            name: ("mt", name) if re.fullmatch(r"[A-Z]|\d{1,2}", name) else split_suffix(name, apart=True)
            for name in self.outputs
        }
        alike = {fold(word) for word, _ in words.values()}
        if len(words) < 2 or len(alike) > 1 or "" in alike:
            return {}
        return {number: name for name, (_, number) in words.items()}

    def _answers_by_system(self) -> list[Answer]:
        """`rank_A, rank_B, rank_C`: one question asked about several systems, which nothing else names."""
        by_question: dict[str, list[Answer]] = {}
        for column in self.free if not self.outputs else ():  # else the systems have their names
            system, question = judge_and_question(column, self._answer_names(column))
            if system and not is_total(system) and self._are_ratings(column) and not is_measure(column):
                by_question.setdefault(fold(question), []).append(Answer(column, question, system=system))
        names = [sorted(answer.system for answer in answers) for answers in by_question.values()]
        # systems are the same for every question; otherwise the second word is part of the question
        if not names or len(names[0]) < 2 or any(each != names[0] for each in names):
            return []
        if not _NO_SYSTEMS.isdisjoint(map(str.casefold, names[0])):
            return []
        return [answer for answers in by_question.values() for answer in answers]

    def _take_judges(self) -> None:
        """A table of items by judges: columns of numbers, or of few labels, without anything else. Beside metrics there
        may be one column of people's scores, which says so or is the only other one."""
        candidates = self._score_columns()
        numeric = [column for column in candidates if not names_metric(column)]
        if len(numeric) < len(candidates) or self.measures:
            human = numeric if len(numeric) == 1 else [c for c in numeric if fold(c) in spellings_of("reference")]
            if self._has_item and len(human) == 1 and not any(map(names_answer, numeric)):
                self._add_answer(Answer(human[0], human[0]), _LIKELY)
                return
        columns = numeric if len(numeric) > 1 else [c for c in self.free if self._values(c)]
        labels = [{str(value) for value in self._values(column)} for column in columns]
        alike = columns == numeric or bool(labels and set.intersection(*labels))
        if self._has_item and len(columns) > 1 and alike and not any(map(names_answer, columns)):
            question = "label" if not numeric else "rank" if self._are_ranks_of_systems(columns) else "score"
            self._check_scales(columns)
            self._check_counts(columns)
            for column, (judge, system) in (_split_judge_and_system(columns) or {}).items():
                self._add_answer(Answer(column, question, judge, system), _LIKELY)
            for column in [] if self.answers else columns:
                self._add_answer(Answer(column, question, judge=column), _LIKELY)

    def _are_ranks_of_systems(self, columns: Sequence[str]) -> bool:
        """Whether these judges gave the systems of every text the places from 1 on."""
        items = self._columns(*(role for role in ITEM_ROLES if role != "system"))
        rankings = (places for column in columns for places in self._by(items, column, missing=False).values())
        return "system" in self.roles and are_places(rankings)

    def _check_scales(self, columns: Sequence[str]) -> None:
        """Refuse columns as scores of judges if some hold fractions of one and others large numbers: judges share a
        scale."""
        numbers = {column: [n for n in map(number, self._values(column)) if n is not None] for column in columns}
        fractions = [c for c, ns in numbers.items() if all(abs(n) <= 1 for n in ns) and any(n % 1 for n in ns)]
        large = [column for column, ns in numbers.items() if any(abs(n) > _LARGE for n in ns)]
        if fractions and large:
            raise InputError(
                f"The numbers in {', '.join(fractions)} and {', '.join(large)} are on different scales, so they are no "
                "scores that judges gave to the same items.",
                code="different_scales",
                names={"columns": ", ".join(columns)},
                next_step=f"Say which columns hold answers: {each_as('answer', large[:1])}, or judge:NAME=COLUMN "
                "for each judge's.",
            )

    def _check_counts(self, columns: Sequence[str]) -> None:
        """Refuse columns as scores of judges if they say how many judges gave each answer: with some at zero they add
        up to the same number on every row."""
        places = [self.header.index(column) for column in columns]
        rows = [[number(row[place]) for place in places] for row in self.sample]
        sums = {sum(count for count in counts if count is not None) for counts in rows}
        has_zeros = any(0 in counts for counts in rows)
        are_counts = all(count is not None and count >= 0 and count % 1 == 0 for counts in rows for count in counts)
        if len(rows) > 2 and len(sums) == 1 and max(sums) > 1 and has_zeros and are_counts:
            raise InputError(
                f"The numbers in {', '.join(columns)} add up to {max(sums):g} on every row, so they seem to say how "
                "many judges gave each answer.",
                code="counts_of_judges",
                names={"columns": ", ".join(columns)},
                next_step="Lanner needs each judge's answer: a row for each item and judge, with a column of answers. "
                f"If the columns are judges: {each_as('judge', columns)}.",
            )

    def _take_numbered_judges(self) -> None:
        """`R1`, `R2`, `R3` with numbers beside texts: raters, counted."""
        columns = [c for c in self.free if _RATER_NUMBER.match(c) and _are_numbers(self._values(c))]
        if len(columns) > 1 and len({column[0] for column in columns}) == 1 and len(self.outputs) == 1:
            for column in columns:
                self._add_answer(Answer(column, "score", judge=column), _LIKELY)

    def _long(self, outputs: dict[str, str]) -> dict[str, str]:
        """With a column that names the system, one column holds the texts of all; others are kept as they are."""
        columns = list(outputs.values())
        if columns:
            self.roles["output"] = columns[0]
            self.free += columns[1:]
            for column in columns[1:]:
                self.confidence.pop(column, None)
        return {}

    def _are_scores_of_items(self) -> bool:
        """Whether a table without texts has scores of items: then it lacks a judge, and not a source."""
        score_columns = [column for column in self.free if names_answer(column) and _are_numbers(self._values(column))]
        return self._has_item and bool(score_columns) and not self.outputs

    def _without_item(self) -> InputError:
        return InputError(
            "The table has scores by judges, and no column says which text each is about.",
            code="no_item_column",
            names={"columns": ", ".join(self.header)},
            next_step="Add a column `document` or `segment`, or say which column names them: --columns segment=COLUMN.",
        )

    def _without_judge(self) -> InputError:
        return InputError(
            "The table has scores, and no column says whose they are or which system they are about.",
            code="no_judge_column",
            names={"columns": ", ".join(self.header)},
            next_step="Add a column `judge` or `system`, or say which column names them: --columns judge=COLUMN or "
            "--columns system=COLUMN.",
        )

    def _may_be_answers(self) -> bool:
        """Whether numbers of an unknown meaning stand beside the names of items, and no texts."""
        is_bare = self._has_item and not self.outputs and not self.answers
        return is_bare and not self._text_columns() and bool(self._score_columns())

    def _without_answers(self) -> InputError:
        columns = self._score_columns()[:4]
        needs_judge = "judge" not in self.roles and "system" not in self.roles
        option = as_option({f"answer:{name}": name for name in columns} | ({"judge": "COLUMN"} if needs_judge else {}))
        return InputError(
            f"No column is known to hold answers. The numbers in {', '.join(columns)} may be.",
            code="no_answer_column",
            names={"columns": ", ".join(self.header)},
            next_step=f"If they are: {option}. Columns: {', '.join(self.header)}.",
        )

    def _without_source(self) -> InputError:
        proposal = self._proposal()
        first = [*self.header, "NAME"][0]
        step = f"Columns: {', '.join(self.header)}. Say which, for instance --columns source={first}."
        if proposal:
            step = f"Columns: {', '.join(self.header)}. By their content it may be: --columns {proposal}."
        return InputError(
            "No column is known to hold the source text.",
            code="no_source_column",
            names={"column": first, "columns": ", ".join(self.header), "proposal": proposal},
            next_step=step,
        )

    def _proposal(self) -> str:
        """What the columns may be by their content alone: the first column of sentences is the source."""
        texts = self._text_columns()
        others = [*self.outputs.values(), *texts[1:]]
        if not texts or any("," in name or "=" in name for name in [*texts, *others]):
            return ""
        outputs = [f"system:{name}={name}" for name in others if name in texts]
        return ",".join([f"source={texts[0]}", *outputs])


def _named_as(column: str) -> tuple[str, ...]:
    """What a column of outputs is called besides its heading: `DeepL` for `output:DeepL`."""
    role = output_or_reference(column)
    return (role[1],) if role else ()


_RATER_NUMBER = re.compile(r"^[rj]\d{1,2}$", re.I)


def _with_crossed_systems(answers: list[Answer]) -> list[Answer]:
    """Answers whose names of judges are judges and systems in truth, as in `score_GPT_ann`, with the two told apart."""
    if not answers or any(answer.system or not answer.judge for answer in answers):
        return answers
    columns = {answer.judge: answer.column for answer in answers if answer.question == answers[0].question}
    judge_and_system = _split_judge_and_system(list(columns), columns)
    if judge_and_system is None or any(answer.judge not in judge_and_system for answer in answers):
        return answers
    return [Answer(answer.column, answer.question, *judge_and_system[answer.judge]) for answer in answers]


def _split_judge_and_system(
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


def _counts_up(values: Sequence[str]) -> bool:
    """Whether numbers are 1, 2, 3 … or begin elsewhere, each once, in any order."""
    texts = [value.strip() for value in values]
    if len(texts) < 2 or not all(text.isdecimal() and len(text) < 10 for text in texts):
        return False
    numbers = sorted(map(int, texts))
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _mean_length(values: Sequence[Any]) -> float:
    return sum(len(str(value)) for value in values) / len(values) if values else 0.0


def _are_numbers(values: Sequence[Any]) -> bool:
    return bool(values) and sum(map(is_numeric, values)) * 2 > len(values)


def _are_moments(values: Sequence[Any]) -> bool:
    """Dates and times of day say when something was done, and answer nothing."""
    moments = [text for text in map(as_text, values) if moment(text) is not None or clock(text) is not None]
    return bool(values) and len(moments) * 2 > len(values)


def _are_identifiers(values: Sequence[Any]) -> bool:
    """Words that are different on every row, as those that name an assignment or a session."""
    texts = [as_text(value) for value in values]
    is_word = all(" " not in text.strip() for text in texts)
    return len(texts) >= _SHARED_ITEMS and is_word and len(set(texts)) == len(texts) and _mean_length(values) >= 6


def _are_lists(values: Sequence[Any]) -> bool:
    return bool(values) and all(
        isinstance(v, list) or (isinstance(v, str) and v.lstrip().startswith("[") and literal_list(v) is not None)
        for v in values
    )


def _are_texts(values: Sequence[Any]) -> bool:
    """Whether most values have letters: not codes, not paths, not JSON."""
    texts = [str(value) for value in values]
    good = [v for v in texts if any(c.isalpha() for c in v) and not v.startswith(("http://", "https://", "{", "["))]
    return len(good) * 2 > len(texts)
