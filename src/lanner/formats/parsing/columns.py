"""Which column of a table holds what: given by the user, or guessed from the header and the first rows.

Headers come in many words and languages. Each guess has a confidence, which is shown with it. A source text that only
the content gives away is proposed and not taken.
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Any

from lanner.errors import InputError, did_you_mean
from lanner.formats.parsing.values import (
    are_durations,
    as_text,
    asks_preference,
    duration_heading,
    is_false,
    is_flag,
    is_missing,
    is_numeric,
    literal_list,
    moment,
    number,
    preferred_side,
    without_accents,
)
from lanner.model import SIDES, Role, languages


@cache
def _names() -> dict[str, dict[str, Any]]:
    """The names that people give to columns."""
    return tomllib.loads((Path(__file__).parent / "headers.toml").read_text(encoding="utf-8"))


_NO_TEXT = frozenset({"context", "previous", "prev", "url", "link", "path", "hash", "date", "status", "state", "tag"})
_JUDGE_WORD = re.compile(
    r"^(?:judge|rater|annotator|evaluator|coder|assessor|reviewer|worker|linguist|user|participant|평가자|채점자|bewerter"
    r"|gutachter|annotateur|evaluador|anotador|評価者|评估员|评审|标注员|оценщик|эксперт)[\s_.:#-]*(\w{0,20})",
    re.I,
)
_GRAMMATICAL_PERSON = re.compile(
    r"(?:[123](?!\d)|first|second|third|erste|zweite|dritte|premi|deuxi|troisi|primer|prim[ao]|segund|tercer"
    r"|terz|перв|втор|трет|[第一二三])",
    re.I,
)
"""What stands in a column `Person` about grammar: 1st, 2nd, 3rd, 3sg, 1인칭, third, 第三人称."""
_OUTPUT_NAMED = re.compile(
    r"^(?:outputs?|systems?|hyps?|hypothes[ie]s|mt|tgt|target|translations?|번역|übersetzung|traduction)([:._ -])(.+)$",
    re.I,
)
_REFERENCE_NAMED = re.compile(r"^(?:references?|refs?)([:._ -])(.+)$", re.I)
_REFERENCE_NUMBERED = re.compile(r"^(?:reference|ref)[A-Z0-9]$", re.I)
_NO_NAMES = {"id", "name", "lang", "language", "context", "score", "length", "len", "tokens", "words", "type"}
_NO_SYSTEMS = _NO_NAMES | {"minor", "major", "critical", "neutral", "severity", "time", "count", "min", "max", "mean"}
_BRACKETS = re.compile(r"(?<!\s)\s*+[(\[（【<]([^()\[\]（）【】<>]*)[)\]）】>]\s*")
_CERTAIN, _CLEAR, _LIKELY, _POSSIBLE = 1.0, 0.95, 0.8, 0.6
_MOST_IN_A_CELL = 50
"""Scores of so many judges stand in one cell at most; a longer list is something else."""
_SIDES = (*SIDES, ("one", "two"))
"""How two columns of a comparison are told apart, in the last or the first word of their names."""
_ITEM_ROLES = ("item", "document", "segment", "source", "system", "system_a", "system_b")
"""What says which item a row is about."""
_LONG_TEXT = 12
"""Characters that a column of sentences has on average, at least."""
_SHORT_ANSWER = 40
_LARGE = 10
"""A number beyond this is on no scale from 0 to 1."""
_SHARED_ITEMS = 5
"""Items that several judges have to share before it can be said that they never differ."""


SHEET = "sheet"
"""The column that names the sheet of a workbook, where several are read."""
ROLES = tuple(_names()["roles"])


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


_LETTERS = str.maketrans({"ß": "ss", "ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})
"""Letters with a stroke and the like, which no decomposition makes plain."""


@cache
def fold(name: str) -> str:
    """A header without case, accents, spaces and punctuation."""
    return re.sub(r"[\W_]+", "", without_accents(name).translate(_LETTERS)) or name.strip()


@cache
def _roles_by_spelling() -> dict[str, tuple[str, int]]:
    """Folded spelling to role and how good it is (0 best)."""
    roles: dict[str, tuple[str, int]] = {}
    for role, spellings in _names()["roles"].items():
        for place, spelling in enumerate(spellings):
            roles.setdefault(fold(spelling), (role, place))
    return roles


@cache
def _spellings_of(*kinds: str) -> frozenset[str]:
    """All spellings of these kinds of columns: output, reference, answer, comment."""
    names = {**_names()["texts"], **_names()["answers"]}
    return frozenset(fold(name) for kind in kinds for name in names[kind])


_TO = r"(?:-|–|—|~|\.\.|/|to|bis|à|a|do|до|から|至|到)"
_SCALE = re.compile(
    rf"(?:(?:scale|skala|échelle|escala|шкала|척도|from|von|de|da|od|от|max\.?|out of|sur|/)[\s:]{{0,3}}){{0,2}}"
    rf"(?:(?:\d{{1,3}}\s?{_TO}\s?\d{{1,3}}|100)(?:\s?(?:%|점|点|分|points?|pts?\.?|Punkte|만점|満点|满分|척도))*"
    rf"|\d{{1,3}}\s?(?:점|点|分)\s?(?:만점|満点|满分|척도|制)?|\d{{1,3}}\s?[=:].{{1,80}}|%)"
    rf"|(?:/|out of|sur)\s?\d{{1,3}}",
    re.I,
)
"""What a heading says of its scale: `1-5`, `from 0 to 100`, `/20`, `100점 만점`, `1 = bad, 5 = good`."""
_SCALE_IN_BRACKETS = re.compile(r"[(\[（【]([^()\[\]（）【】]{1,90})[)\]）】]\s{0,3}$")
_SCALE_AT_END = re.compile(r"(?:[\s,:_]{1,3}|(?=/))(/?[^\s,:_/()\[\]]{1,12}(?:\s[^\s,:_/()\[\]]{1,12}){0,3})$")
_NUMBER_AT_END = re.compile(r"(?<!\d)\d{1,2}$|[A-Z]$")


@cache
def without_scale(name: str) -> str:
    """A heading without the scale that it names: `Accuracy (1-5)`, `Score 0–100`, `Note /20`, `점수(100점)`."""
    for pattern in (_SCALE_IN_BRACKETS, _SCALE_AT_END):
        hit = pattern.search(name) if len(name) <= 120 else None
        if hit and hit.start():
            # the longest end that is a scale: `Overall from 0 to 100`
            words = hit[1].strip().split(" ")
            for cut in range(len(words)) if pattern is _SCALE_AT_END else (0,):
                scale = " ".join(words[cut:])
                rest = name[: name.rindex(scale)].strip(" ,:_([（【/")
                # without brackets it may be the name of a system: `score GPT 3-5`
                word = re.sub(r"[\s_]?(?:[A-Z]|(?<!\d)\d{1,2})$", "", rest)
                is_sure = pattern is _SCALE_IN_BRACKETS or not {fold(rest), fold(word)}.isdisjoint(
                    {*_spellings_of("answer"), "note"}
                )
                if is_sure and _SCALE.fullmatch(scale):
                    return rest
    return name


def _split_suffix(name: str, *, apart: bool = False) -> tuple[str, str]:
    """`訳文A`, `score1` and `mtB` as a word and the letter or number behind it, also where they stand `apart`;
    ("", "") for other names."""
    hit = _NUMBER_AT_END.search(name.strip()) if len(name) <= 60 else None
    word = name.strip()[: hit.start()] if hit else ""
    word = word.rstrip(" _.:-") if apart else word
    if hit is None or not word or not word[-1].isalpha():
        return "", ""
    # `MTA` ends in a letter of its own where MT is a word that one knows
    is_shouted = hit[0].isalpha() and word[-1].isupper()
    return (
        (word, hit[0]) if not is_shouted or fold(word) in _spellings_of("output", "reference", "answer") else ("", "")
    )


def _answer_names(values: Sequence[Any]) -> frozenset[str]:
    """Names of answers. `note` is a mark in French and other languages where numbers stand below it, else a remark;
    `style` and `terminology` are asked about where numbers stand below them, else facts about the text."""
    return _spellings_of("answer", "criterion") | {"note"} if _are_numbers(values) else _spellings_of("answer")


@cache
def _scales() -> tuple[dict[str, int], ...]:
    """For each scale of words the step of each word."""
    scales = [scale for group in _names()["scales"].values() for scale in group]
    return tuple(
        {fold(word): step for step, words in enumerate(scale, 1) for word in words.split("|")} for scale in scales
    )


def steps_in_words(texts: Sequence[str]) -> list[int] | None:
    """The numbers of a scale whose steps are words: `Poor`, `Fair`, `Good`. None where no scale has all the words, or
    two of them at one step, or where there are only two, as `good` and `bad`, which are labels."""
    words = {fold(text) for text in texts}
    for scale in _scales() if len(words) > 2 else ():
        if words <= scale.keys() and len({scale[word] for word in words}) == len(words):
            return [scale[fold(text)] for text in texts]
    return None


@cache
def _totals() -> frozenset[str]:
    return frozenset(map(fold, _names()["rows"]["total"]))


def is_total(text: str) -> bool:
    """Whether a row that begins with this sums up the others: `Average`, `Summe`, `合計`."""
    return len(text) <= 40 and fold(text) in _totals()


def header_score(cells: Iterable[Any]) -> int:
    """How many cells of a row are names of columns that one knows: how much the row looks like a header."""
    names = [str(cell).strip() for cell in cells if cell not in (None, "")]
    score = 0
    for name in names:
        base, _ = _without_language(name)
        spellings = {fold(name), fold(base)} if len(name) <= 60 else set()
        hit = any(
            f in _roles_by_spelling() or f in _spellings_of("output", "reference", "answer", "criterion")
            for f in spellings
        )
        score += bool(hit or (len(name) <= 60 and (_output_or_reference(name) or names_answer(name))))
    return score if len(set(names)) == len(names) else 0


def names_judges(name: str) -> bool:
    """Whether a header is a word for judges."""
    return _roles_by_spelling().get(fold(name), ("", 0))[0] == "judge"


def names_answer(name: str) -> bool:
    """Whether a header is a word for answers, with its scale or without."""
    return fold(name) in _spellings_of("answer") or fold(without_scale(name)) in _spellings_of("answer")


def names_remark(name: str) -> bool:
    """Whether a header asks for remarks: `Comments`, `Any comments?`, `Kommentar`, `評価コメント`."""
    words = _spellings_of("comment")
    together = any(word in fold(name) for word in words if not word.isascii() and not word[0].islower())
    return together or any(fold(part) in words for part in (name, *re.split(r"[\W_]+", name)))


def names_criterion(name: str) -> bool:
    """Whether a header is a word for what may be asked about a translation: fluency, style, terminology."""
    return fold(without_scale(name)) in _spellings_of("criterion")


def names_source(name: str) -> bool:
    """Whether a header is a word for source texts."""
    return _roles_by_spelling().get(fold(name), ("", 0))[0] == "source"


def names_item(names: Iterable[str]) -> bool:
    """Whether one of these headers is a word for what is judged: a document, a segment, a text, a system."""
    roles = {_roles_by_spelling().get(fold(name), ("", 0))[0] for name in names}
    return bool(roles & set(_ITEM_ROLES)) or any(_output_or_reference(name) for name in names)


def over_columns(heading: str, name: str) -> str:
    """One name for a column with a heading over it: under `System A` a `Translation` is the output of A and a `Score`
    a score of A."""
    hit = _OUTPUT_NAMED.match(heading)
    about = hit[2] if hit else heading
    if fold(name) in _spellings_of("output"):
        return f"output:{about}"
    return f"{name} {about}" if names_answer(name) else f"{heading} {name}"


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
            has_item = not {"item", "document", "segment"}.isdisjoint(self.roles) or bool(self.outputs)
            if self.answers and "judge" in self.roles and not has_item:
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
        roles = [self.roles[role] for role in _ITEM_ROLES if role in self.roles]
        places = [self.header.index(column) for column in (*roles, *self.outputs.values())]
        rows: dict[tuple[str, ...], list[Sequence[Any]]] = {}
        for row in self.sample:
            rows.setdefault(tuple(str(row[place]) for place in places), []).append(row)
        groups = [group for group in rows.values() if len(group) > 1]
        if sum(map(len, groups)) * 2 <= len(self.sample):
            return None

        def tells_apart(column: str) -> bool:
            at, values = self.header.index(column), self._values(column)
            differs = all(len({str(row[at]) for row in group}) == len(group) for group in groups)
            is_key = len(groups) > 1 and len(set(map(str, values))) == len(values)  # judges come again with other texts
            return differs and not is_key and not _are_numbers(values) and _mean_length(values) <= _SHORT_ANSWER

        names = tuple(column for column in columns if tells_apart(column))
        return names if names or any(map(names_answer, columns)) else None

    def _may_be_scores(self, column: str) -> bool:
        nameless = column.startswith("column ")
        return not nameless and not _is_measure(column) and _are_numbers(self._values(column))

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

    def _take_durations(self) -> None:
        """`time_ms`, `Duration (min)`: how long an answer took, and no answer itself. The first that names its unit is
        taken; the others are left out."""
        columns = [(column, about) for column in self.free if (about := duration_heading(column)) is not None]
        for column, about in sorted(columns, key=lambda entry: not entry[1].unit):
            if not are_durations(self._values(column)):
                continue
            role = "active_seconds" if about.active else "seconds"
            if role not in self.roles:
                self.roles[role] = column
                self._take(column, _CERTAIN if about.unit else _CLEAR)
            else:
                self.free.remove(column)

    def _take_spelled(self) -> None:
        """Columns whose whole name is a known spelling; the best spelling of a role wins."""
        best: dict[str, tuple[int, int, str]] = {}
        for position, column in enumerate(self.free):
            match = _roles_by_spelling().get(fold(column))
            if match is not None and match[0] not in self.roles:
                candidate = (match[1], position, column)
                best[match[0]] = min(best.get(match[0], candidate), candidate)
        for role, (_, _, column) in best.items():
            self.roles[role] = column
            self._take(column, _CERTAIN if column.isascii() else _CLEAR)

    def _take_named(self) -> None:
        for column in list(self.free):
            role = _output_or_reference(column)
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
        if not {"system", "system_a", "system_b"}.isdisjoint(self.roles):
            return
        for first, second in permutations(self.free, 2):
            if self._are_compared(first, second):
                self.roles |= {"system_a": first, "system_b": second}
                self._take(first, _CLEAR)
                self._take(second, _CLEAR)
                return

    def _are_compared(self, first: str, second: str) -> bool:
        if _says_text(first) or _says_text(second):
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
        places = [self.header.index(self.roles[role]) for role in _ITEM_ROLES if role in self.roles]
        items = {tuple(str(row[place]) for place in places) for row in self.sample}
        come_again = len(names) <= len(items) and _mean_length(list(names)) <= _SHORT_ANSWER
        are_called_systems = _says_system(first) and _says_system(second)
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
            if other != column and _output_or_reference(other) == _output_or_reference(column) is not None
        ]
        return bool(texts) and _says_system(column)

    def _share_names(self, first: str, second: str) -> bool:
        """Whether a name is in one column with one segment and in the other with another, names are few and nobody
        meets themselves: so it is with systems that take turns at both sides, and not with translations."""
        places = [self.header.index(self.roles[role]) for role in _ITEM_ROLES if role in self.roles]
        pairs: list[set[tuple[str, tuple[str, ...]]]] = []
        for at in map(self.header.index, (first, second)):
            pairs.append({(str(row[at]), tuple(str(row[p]) for p in places)) for row in self.sample if row[at]})
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
        keys = ("source",) if "source" in self.roles else ("document", "segment", "item")
        places = [self.header.index(self.roles[role]) for role in keys if role in self.roles]
        at = self.header.index(column)
        segments: set[tuple[str, ...]] = set()
        segments_by_name: dict[str, set[tuple[str, ...]]] = {}
        for row in self.sample:
            if at < len(row) and not is_missing(row[at]):
                segment = tuple(str(row[place]) for place in places)
                segments.add(segment)
                segments_by_name.setdefault(str(row[at]), set()).add(segment)
        if len(segments) < 2 or len(segments_by_name) < fewest:
            return False
        if _are_numbers(list(segments_by_name)) or _mean_length(list(segments_by_name)) > 60:
            return False
        per_name = sum(map(len, segments_by_name.values())) / len(segments_by_name)
        return per_name >= 3 or per_name > len(segments) / 2

    def _take_with_language(self) -> None:
        """`Source text (EN-US)`, `Target_de`, `번역(한국어)`: a known name with a language or a remark."""
        for column in [*self.free, *self.roles.values(), *self.outputs.values()]:
            base, language = _without_language(column)
            if language:
                self.language_of[column] = language
            if column not in self.free or base == column:
                continue
            role = _roles_by_spelling().get(fold(base))
            suffix = _output_or_reference(base)
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
            role = _role_of_identifier(column)
            is_known = names_answer(column) or fold(column) in _spellings_of("output", "reference")
            if role and role not in self.roles and not is_known:
                self.roles[role] = column
                self._take(column, _CLEAR)

    def _take_languages(self) -> tuple[str, str] | None:
        """Columns named by languages: the first is the source, the others are outputs."""
        codes = [
            (name, code) for name in self.free if (code := _language(name) or _language(_without_language(name)[0]))
        ]
        if len(codes) < (1 if self.outputs else 2):
            return None
        self.roles["source"] = codes[0][0]
        self._take(codes[0][0], _LIKELY)
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
        self._demote("role", lambda values: not all(str(value).casefold() in list(Role) for value in values))
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
        if "question" not in self.roles or not {"item", "segment"}.isdisjoint(self.roles):
            return
        if "source" in self.roles:
            places = [self.header.index(self.roles[role]) for role in ("question", "source")]
            pairs = {tuple(str(row[place]) for place in places) for row in self.sample}
            sizes = {len(pairs), *(len({pair[side] for pair in pairs}) for side in (0, 1))}
            is_item = len(sizes) == 1 and len(pairs) > 1
        else:
            is_item = "document" not in self.roles and "id" in _header_words(self.roles["question"])
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
        if not {"segment", "item"}.isdisjoint(self.roles) or "judge" not in self.roles:
            return
        places = [self.header.index(self.roles[r]) for r in ("judge", "document", "system") if r in self.roles]
        for column in self.free:
            at = self.header.index(column)
            groups: dict[tuple[str, ...], list[str]] = {}
            for row in self.sample:
                groups.setdefault(tuple(str(row[place]) for place in places), []).append(str(row[at]).strip())
            if len(groups) > 1 and not _has_answer_name(column) and all(map(_counts_up, groups.values())):
                self.roles["segment"] = column
                self._take(column, _LIKELY)
                return

    def _take_repeating(self) -> None:
        """Where items come again and no column is known to name the judges: the only column of names by which their
        rows differ names them, if scores stand beside it."""
        if "judge" in self.roles:
            return
        numeric = [column for column in self.free if _are_numbers(self._values(column))]
        has_scores = any(fold(without_scale(c)) in _answer_names(self._values(c)) for c in numeric)
        name_columns = [
            column for column in self._find_judge_candidates(self.free) or () if fold(column) in _identifier_words()
        ]
        has_answers = any(names_answer(column) or self._is_preference(column) for column in self.free)
        if len(name_columns) == 1 and has_answers:  # `Name` beside texts that come again
            self.roles["judge"] = name_columns[0]
            self._take(name_columns[0], _LIKELY)
            return
        keys = [self.roles[role] for role in ("item", "document", "segment", "system") if role in self.roles]
        if not has_scores or {"segment", "item"}.isdisjoint(self.roles):
            return
        if self._are_unique(keys):
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
        pairs = {tuple(str(row[self.header.index(column)]) for column in columns) for row in self.sample}
        say_the_same = all(len(pairs) == len({str(value) for value in self._values(column)}) for column in columns)
        if len(columns) == 1 or (columns and say_the_same and fold(columns[0]) in _identifier_words()):
            self.roles["judge"] = columns[0]
            self._take(columns[0], _LIKELY)

    def _are_unique(self, columns: Sequence[str]) -> bool:
        """Whether no two rows of the sample are alike in these columns."""
        places = [self.header.index(column) for column in columns]
        keys = [tuple(str(row[place]) for place in places) for row in self.sample]
        return len(set(keys)) == len(keys)

    def _comes_again(self, role: str) -> bool:
        """Whether one item has several rows that differ in this column: then it says whose row it is, or of what."""
        if role not in self.roles:
            return False
        places = [self.header.index(self.roles[r]) for r in _ITEM_ROLES if r in self.roles and r != role]
        at = self.header.index(self.roles[role])
        values: dict[tuple[str, ...], set[str]] = {}
        for row in self.sample:
            values.setdefault(tuple(str(row[place]) for place in places), set()).add(str(row[at]))
        return bool(places) and any(len(each) > 1 for each in values.values())

    def _place_systems(self) -> None:
        """A column `MT` or `translation` may say which system it was, and not what the system wrote."""
        if not {"system", "system_a"}.isdisjoint(self.roles):
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
        return 0 < len(values) <= 2 and len(self.sample) > 2 and all(len(v) <= 8 and _language(v) for v in values)

    def _place_sheets(self) -> None:
        """What the sheets of a workbook stand for: judges or systems where they repeat the same items, else
        documents."""
        guessed = self.roles.get("document") == SHEET and SHEET in self.confidence
        if not guessed and SHEET not in self.free:
            return
        id_columns = [self.roles[role] for role in ("document", "segment", "item") if role in self.roles]
        keys = [self.roles["source"]] if "source" in self.roles else [name for name in id_columns if name != SHEET]
        places = [self.header.index(name) for name in keys]
        at = self.header.index(SHEET)
        sheets: dict[tuple[str, ...], set[str]] = {}
        for row in self.sample:
            sheets.setdefault(tuple(str(row[place]) for place in places), set()).add(str(row[at]))
        if not places or sum(len(names) > 1 for names in sheets.values()) * 2 <= len(sheets):
            return
        role = "judge" if any(map(_has_answer_name, self.free)) else "system"
        if "source" not in self.roles and not self.outputs:
            role = self._role_of_sheets(list(dict.fromkeys(str(value) for value in self._values(SHEET))))
        elif "source" in self.roles and len(self.outputs) == 1:  # another text for a source is another system's
            has_answers = role == "judge" or any(_are_numbers(self._values(column)) for column in self.free)
            differ = self._texts_differ(places, next(iter(self.outputs.values())))
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
        by_name = [c for c in columns if fold(without_scale(c)) not in _answer_names(self._values(c))]
        system_sheets = any(map(names_engine, sheets)) or any(map(_names_one_judge, by_name))
        judge_sheets = any(map(_names_one_judge, sheets)) or any(map(names_engine, columns))
        if system_sheets != judge_sheets:
            return "judge" if judge_sheets else "system"
        if "system" in self.roles or len(by_name) < len(columns) or any(map(_has_answer_name, self.free)):
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
            if _are_numbers(self._values(column)) and not _is_measure(column) and not _is_summary(column)
        ]

    def _texts_differ(self, keys: Sequence[int], column: str) -> bool:
        """Whether most of the rows that are alike in their keys and not alone have different texts in this column."""
        at = self.header.index(column)
        texts: dict[tuple[str, ...], list[str]] = {}
        for row in self.sample:
            texts.setdefault(tuple(str(row[key]) for key in keys), []).append(str(row[at]))
        groups = [group for group in texts.values() if len(group) > 1]
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
        if not texts or any(len(text) > _SHORT_ANSWER for text in texts) or all(map(_language, texts)):
            return False
        other_texts = {text for text in texts if fold(text) not in names}
        if len(other_texts) < len(texts):
            return all(preferred_side(text) == "tie" for text in other_texts)
        return asks_preference(column) and all(preferred_side(text) for text in texts)

    def _is_ratings(self) -> bool:
        has_item = not {"item", "document", "segment"}.isdisjoint(self.roles)
        has_judge = bool(self.judge) or "judge" in self.roles or any(answer.judge for answer in self.answers)
        return has_item and bool(self.answers) and (has_judge or self._has_one_judge())

    def _has_one_judge(self) -> bool:
        """Whether scores of systems name no judge and there is one for each item: then they are one judge's."""
        about_systems = "system" in self.roles or (self.answers and all(answer.system for answer in self.answers))
        if not about_systems or "judge" in self.roles:
            return False
        places = [self.header.index(self.roles[role]) for role in _ITEM_ROLES if role in self.roles]
        items = [tuple(str(row[place]) for place in places) for row in self.sample]
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
        persons = [column for column in self.free if fold(column) in _person_words("words")]
        if len(persons) != 1 or all(_GRAMMATICAL_PERSON.match(as_text(v).strip()) for v in self._values(persons[0])):
            return
        beside = [column for column in self.free if column != persons[0]]
        if any(map(self._holds_answers, beside)) and not any(
            answer.judge for answer in self._spread_answers(by_judge=False)
        ):
            self.roles["judge"] = persons[0]
            self._take(persons[0], _LIKELY)

    def _holds_answers(self, column: str) -> bool:
        values = self._values(column)
        is_opinion = fold(column) in _person_words("opinions") and 0 < _mean_length(values) <= _SHORT_ANSWER
        return fold(column) in _answer_names(values) or is_opinion or self._is_preference(column)

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
            has_items = not {"item", "document", "segment"}.isdisjoint(self.roles)
            if scores and has_items and "source" not in self.roles and not self.answers and self._has_one_judge():
                for column in scores:
                    self._add_answer(Answer(column, column), _CERTAIN)
            return
        comments = [column for column in self.free if names_remark(column)]
        # without texts a length cannot be measured any more, and judges may have been asked for one
        no_answer = _is_measure if "source" in self.roles or self.outputs else _is_index
        candidates = [c for c in self.free if c not in answers and fold(c) not in _person_words("words")]
        numeric = [c for c in candidates if _are_numbers(self._values(c)) and not no_answer(c)]
        if answers:  # numbers that no judge ever disputes describe the item, those that no judge ever changes the judge
            numeric = [c for c in numeric if not self._is_fact(c) and not self._is_about_judge(c)]
        lists = [c for c in self.free if _are_lists(self._values(c))]
        short = [
            column
            for column in candidates
            if column not in (*comments, SHEET)
            and not _is_index(column)
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
        if self.outputs or not {"system", "system_a"}.isdisjoint(self.roles):
            return False
        columns = [column for column in self._score_columns() if not self._is_about_judge(column)]
        engines = [column for column in columns if names_engine(column)]
        systems = [column for column in columns if column in engines or names_language_model(column)]
        if len(columns) < 2 or not (systems if by_judge else engines) or any(map(_names_one_judge, columns)):
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
        for column in columns:
            role = _output_or_reference(column)
            self._add_answer(Answer(column, "score", system=role[1] if role else column), _LIKELY)
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
        judge = self.header.index(self.roles["judge"]) if "judge" in self.roles else None
        items = [self.header.index(self.roles[role]) for role in _ITEM_ROLES if role in self.roles]
        if judge is None or {"item", "document", "segment", "source"}.isdisjoint(self.roles):
            return False
        at = self.header.index(column)
        by_item: dict[tuple[str, ...], set[str]] = {}
        by_judge: dict[str, set[str]] = {}
        for row in self.sample:
            if not is_missing(row[at]):
                by_item.setdefault(tuple(str(row[place]) for place in items), set()).add(str(row[at]))
                by_judge.setdefault(str(row[judge]), set()).add(str(row[at]))
        return any(len(v) > 1 for v in by_item.values()) and any(len(v) > 1 for v in by_judge.values())

    def _is_fact(self, column: str) -> bool:
        """Whether all judges say the same in a column about each of several items that they share."""
        if "judge" not in self.roles or {"item", "document", "segment", "source"}.isdisjoint(self.roles):
            return False
        places = [self.header.index(self.roles[role]) for role in _ITEM_ROLES if role in self.roles]
        judge, at = self.header.index(self.roles["judge"]), self.header.index(column)
        values: dict[tuple[str, ...], set[str]] = {}
        judges: dict[tuple[str, ...], set[str]] = {}
        for row in self.sample:
            item = tuple(str(row[place]) for place in places)
            values.setdefault(item, set()).add(str(row[at]))
            judges.setdefault(item, set()).add(str(row[judge]))
        shared_items = [item for item in values if len(judges[item]) > 1]
        different = {value for item in shared_items for value in values[item]}
        return (
            len(shared_items) >= _SHARED_ITEMS
            and len(different) > 1
            and all(len(values[item]) == 1 for item in shared_items)
        )

    def _is_about_judge(self, column: str) -> bool:
        """Whether each of several judges always says the same in a column, and not all of them do: an age, say."""
        if "judge" not in self.roles:
            return False
        judge, at = self.header.index(self.roles["judge"]), self.header.index(column)
        values_by_judge: dict[str, list[str]] = {}
        for row in self.sample:
            values_by_judge.setdefault(str(row[judge]), []).append(str(row[at]))
        alike = all(len(values) >= _SHARED_ITEMS and len(set(values)) == 1 for values in values_by_judge.values())
        return alike and len({values[0] for values in values_by_judge.values()}) > 1

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
            number, question = _judge_and_question(name, _answer_names(values))
            if number in behind and fold(question) in _answer_names(values):
                answers.append(Answer(column, question, system=behind[number]))
                continue
            for each in systems:
                if len(name) > len(each) and (rest := _without(name, each)) is not None:
                    name, system = rest, each
                    break
            question_words = _answer_names(values)
            judge, question = ("", name) if by_judge else _judge_and_question(name, question_words)
            for each in systems if not system else ():  # `score_GPT-4_ann`: the system is in the middle
                if len(judge) > len(each) and (rest := _without(judge, each)):
                    judge, system = rest, each
                    break
            if fold(question) in question_words and (system or judge) and not _is_computed(judge):
                answers.append(Answer(column, question, judge, system))
        if by_judge and not answers and "system" not in self.roles and "system_a" not in self.roles:
            answers = self._answers_by_system()
        answers = _with_crossed_systems(answers)
        judges = {answer.judge for answer in answers if answer.judge}
        for answer in answers:
            if answer.system or len(judges) > 1 or _JUDGE_WORD.match(answer.judge):
                yield answer

    def _systems_by_number(self) -> dict[str, str]:
        """The systems by the letter or number that their columns end in, where these differ in nothing else: `訳文A`
        and `訳文B`, `MT1` and `MT2`."""
        # of `MT_A` the name is A already
        words = {
            name: ("mt", name) if re.fullmatch(r"[A-Z]|\d{1,2}", name) else _split_suffix(name, apart=True)
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
            system, question = _judge_and_question(column, _answer_names(self._values(column)))
            if system and not is_total(system) and _are_numbers(self._values(column)) and not _is_measure(column):
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
        has_item = not {"item", "document", "segment"}.isdisjoint(self.roles)
        candidates = self._score_columns()
        numeric = [column for column in candidates if not _METRIC.match(column)]
        if len(numeric) < len(candidates):
            human = numeric if len(numeric) == 1 else [c for c in numeric if fold(c) in _spellings_of("reference")]
            if has_item and len(human) == 1 and not any(map(names_answer, numeric)):
                self._add_answer(Answer(human[0], human[0]), _LIKELY)
                return
        columns = numeric if len(numeric) > 1 else [c for c in self.free if self._values(c)]
        labels = [{str(value) for value in self._values(column)} for column in columns]
        alike = columns == numeric or bool(labels and set.intersection(*labels))
        if has_item and len(columns) > 1 and alike and not any(map(names_answer, columns)):
            question = "score" if numeric else "label"
            self._check_scales(columns)
            self._check_counts(columns)
            for column, (judge, system) in (_split_judge_and_system(columns) or {}).items():
                self._add_answer(Answer(column, question, judge, system), _LIKELY)
            for column in [] if self.answers else columns:
                self._add_answer(Answer(column, question, judge=column), _LIKELY)

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
        has_item = not {"item", "document", "segment"}.isdisjoint(self.roles)
        score_columns = [column for column in self.free if names_answer(column) and _are_numbers(self._values(column))]
        return has_item and bool(score_columns) and not self.outputs

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
        has_item = not {"item", "document", "segment"}.isdisjoint(self.roles)
        texts = any(_mean_length(self._values(c)) > _LONG_TEXT and _are_texts(self._values(c)) for c in self.free)
        return has_item and not self.outputs and not self.answers and not texts and bool(self._score_columns())

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
        texts = [c for c in self.free if _mean_length(self._values(c)) > _LONG_TEXT and _are_texts(self._values(c))]
        others = [*self.outputs.values(), *texts[1:]]
        if not texts or any("," in name or "=" in name for name in [*texts, *others]):
            return ""
        outputs = [f"system:{name}={name}" for name in others if name in texts]
        return ",".join([f"source={texts[0]}", *outputs])


def _named_as(column: str) -> tuple[str, ...]:
    """What a column of outputs is called besides its heading: `DeepL` for `output:DeepL`."""
    role = _output_or_reference(column)
    return (role[1],) if role else ()


def sides_of(first: str, second: str) -> tuple[str, str] | None:
    """The words in which two headers differ where these name the two sides and nothing else differs: `a` and `b` of
    `model_a` and `model_b`."""
    words, others = _header_words(first), _header_words(second)
    differing = [pair for pair in zip(words, others, strict=False) if pair[0] != pair[1]]
    return differing[0] if len(words) == len(others) and len(differing) == 1 and differing[0] in _SIDES else None


def _says_system(name: str) -> bool:
    """Whether the first word of a header is one for systems: `system 1`, `model_a`."""
    words = _header_words(name)
    return bool(words) and _roles_by_spelling().get(words[0], ("", 0))[0] == "system"


def _says_text(name: str) -> bool:
    """Whether a header says that translations stand below it, as `translation A` and `target:A` do. `MT 1` does not:
    some write the name of the system there."""
    word = (_header_words(name) or [""])[0]
    return word != "mt" and word in _spellings_of("output") and _OUTPUT_NAMED.match(name) is not None


def _header_words(name: str) -> list[str]:
    """`systemA`, `system_a` and `System A` are the same two words."""
    return [word.casefold() for word in re.findall(r"[A-Z](?![a-z])|[A-Z]?[^\W\dA-Z_]+|[^\W\d_]+|\d+", name)]


def side_of(name: str) -> int | None:
    """0 where a name says the first of two sides, 1 for the second, None for neither."""
    words = _header_words(name)
    return next((side for side in (0, 1) if any(pair[side] in words for pair in _SIDES)), None)


def _output_or_reference(column: str) -> tuple[str, str] | None:
    """Whether a column is an output or a reference, and whose."""
    name = fold(column)
    if name in _spellings_of("output"):
        return "output", column
    if name in _spellings_of("reference") or _REFERENCE_NUMBERED.match(column):
        return "reference", column
    if names_answer(column):
        return None
    # `Target text (DE)` is a target text with its language, and no output of a system called `text (DE)`
    if _BRACKETS.search(column) and fold(_without_language(column)[0]) in _spellings_of("output", "reference"):
        return None
    if nested_name := _nested_output(column):
        return nested_name
    for kind, pattern in (("output", _OUTPUT_NAMED), ("reference", _REFERENCE_NAMED)):
        hit = pattern.match(column)
        if hit is None or fold(hit[2]) in _NO_NAMES or (hit[1] in " (-_" and _language(hit[2])):
            continue
        # `System code` and `System (see below)` name no system; `output:code` does
        if hit[1] == ":" or (fold(hit[2]) not in _identifier_words() and not hit[2].startswith(("(", "["))):
            return kind, hit[2]
    word = fold(_split_suffix(column, apart=True)[0])
    return next(((kind, column) for kind in ("output", "reference") if word in _spellings_of(kind)), None)


def _nested_output(column: str) -> tuple[str, str] | None:
    """`tgt_text.GPT-4`, as an object with a text for each system is flattened: an output, and whose."""
    base, dot, name = column.partition(".")
    kinds = [kind for kind in ("output", "reference") if fold(base) in _spellings_of(kind)]
    return (kinds[0], name) if dot and name and kinds and fold(name) not in _NO_NAMES else None


def _without_language(column: str) -> tuple[str, str]:
    """A column's name without brackets and without a language at its end or beginning, and that language."""
    language = ""
    base = column
    if hit := _BRACKETS.search(column):
        language = _language(hit[1])
        base = f"{column[: hit.start()]} {column[hit.end() :]}".strip()
    for pattern in (r"^(.+?)[\s_.:/-]+([A-Za-z]{2,3}(?:[-_][A-Za-z]{2,4})?)$", r"^([^\W\d]+)[\s_.:/-]+(\w+)$"):
        hit = re.match(pattern, base) if not language and len(base) <= 60 else None
        if hit and _language(hit[2]):
            return hit[1], _language(hit[2])
        if hit and _language(hit[1]):
            return hit[2], _language(hit[1])
    return (base or column), language


@cache
def _names_of_languages() -> dict[str, str]:
    return {name.casefold(): code for code, names in _names()["languages"].items() for name in names}


@cache
def _identifier_words() -> frozenset[str]:
    return frozenset(map(fold, _names()["identifiers"]["words"]))


@cache
def _person_words(kind: str) -> frozenset[str]:
    return frozenset(map(fold, _names()["persons"][kind]))


@cache
def _role_of_identifier(column: str) -> str:
    """The role of a header that is a word for it together with `number`, `name` or the like; "" if there is none."""
    words = _identifier_words()
    name = fold(_without_language(column)[0])
    for word in sorted(words, key=len, reverse=True):
        for rest in (name.removesuffix(word), name.removeprefix(word)):
            role = _roles_by_spelling().get(rest, ("", 0))[0]
            # `č` is a word for numbers, and the last letter of `SystemC` is none
            is_word = len(word) > 1 or not column.isascii()
            if is_word and rest not in (name, *words) and role in ("document", "segment", "item", "system", "judge"):
                return role
    return ""


_NO_LANGUAGES = ("id", "mt", "ht")
"""Codes that mean something else in a header: an identifier, machine and human translation."""


def _language(name: str) -> str:
    """The language that a header or a part of it names, by code or by name; "" if none."""
    text = name.strip()
    if not text or len(text) > 30:
        return ""
    if text.casefold() in _names_of_languages():
        return _names_of_languages()[text.casefold()]
    code = re.fullmatch(r"([A-Za-z]{2,3})(?:[-_][A-Za-z]{2,4})?", text)
    if (
        code
        and (code[1].islower() or code[1].isupper())
        and languages.known(text)
        and text.casefold() not in _NO_LANGUAGES
    ):
        return languages.normal(text)
    return languages.normal(text) if len(text) > 3 and text.isalpha() and languages.known(text) else ""


def _without(column: str, part: str) -> str | None:
    """A name without the system's name at its beginning or end; None where it is not there."""
    name, pattern = column.casefold(), part.casefold()
    if name.endswith(pattern) and not column[-len(part) - 1].isalnum():
        return column[: -len(part)].strip(" _.:/-([|")
    if name.startswith(pattern) and not column[len(part)].isalnum():
        return column[len(part) :].strip(" _.:/-)]|")
    for left, right in ("()", "[]"):
        if f"{left}{pattern}{right}" in name:
            at = name.index(f"{left}{pattern}{right}")
            return (column[:at] + column[at + len(part) + 2 :]).strip(" _.:/-")
    return None


def _has_answer_name(column: str) -> bool:
    """Whether a header is a word for answers, alone or with the judge or the system that they are of."""
    answer_words = _spellings_of("answer")
    return names_answer(column) or fold(_judge_and_question(column, answer_words)[1]) in answer_words


def _judge_and_question(name: str, answer_names: frozenset[str]) -> tuple[str, str]:
    """`score_ann` is a score by ann, `Rater 1` a score by Rater 1, `rater2_fluency` a fluency by rater2."""
    name = without_scale(name)
    word, number = _split_suffix(name)
    if fold(word) in answer_names:
        return number, word
    pieces = list(re.finditer(r"[^\s_.:/()\[\]|-]+", name))
    for cut in range(1, len(pieces)):
        before = name[pieces[0].start() : pieces[cut - 1].end()]
        after = name[pieces[cut].start() : pieces[-1].end()]
        for question, judge in ((before, after), (after, before)):
            if fold(question) in answer_names:
                return judge, " ".join(re.findall(r"[^\s_.:/()\[\]|-]+", question))
    if (hit := _JUDGE_WORD.match(name)) and not _counts_judges(name):
        rest = name[hit.end() :].strip(" _.:/-()[]")
        return name[: hit.end()].strip(" _.:-"), rest or "score"
    return "", name


def _counts_judges(name: str) -> bool:
    """Whether a header says how many judges there were: `annotators`, `raters`."""
    hit = _JUDGE_WORD.match(name)
    return hit is not None and hit[1].casefold() in ("s", "en", "innen") and hit.end() == len(name)


_SYSTEM_WORD = re.compile(
    r"^(?:sys|system|model|engine|mt|nmt|smt|llm|gpt|chatgpt|claude|gemini|llama|mistral|qwen|deepl|google|microsoft"
    r"|bing|amazon|baidu|papago|yandex|nllb|online|baseline|human|ref|reference|pe)(?:[\d.v-]*[a-z]?\d*)$",
    re.I,
)


@cache
def _system_words(kind: str) -> frozenset[str]:
    return frozenset(map(fold, _names()["systems"][kind]))


_LETTER_OR_NUMBER = re.compile(r"[\s_.:#-]{0,3}(?:[A-Z]|\d{1,3})$")


def _is_called(name: str, words: str, names: str) -> bool:
    """Whether a name is one of these words, alone or with a letter or number, or has one of these names in it and asks
    for nothing: `MT fluency` does."""
    word = fold(_LETTER_OR_NUMBER.sub("", name.strip())) if len(name) <= 60 else ""
    if word in _system_words(words) or fold(name) in _system_words(words):
        return True
    parts = {fold(part) for part in re.findall(r"[^\W\d_]+", name)}
    return not parts.isdisjoint(_system_words(names)) and parts.isdisjoint(
        _spellings_of("answer", "criterion") | {"note"}
    )


def names_engine(name: str) -> bool:
    """Whether a name is one that systems have and judges have not: `DeepL`, `ONLINE-B`, `System A`, `MT2`, `refA`."""
    return _is_called(name, "words", "engines")


def names_language_model(name: str) -> bool:
    """Whether a name is that of a model which translates and judges."""
    return _is_called(name, "model_words", "models")


def _names_one_judge(name: str) -> bool:
    """Whether a name is one that judges have and systems have not: `Rater 1`, `R2`."""
    return _JUDGE_WORD.match(name) is not None or _JUDGE_NUMBER.match(name) is not None


_METRIC = re.compile(
    r"(?:sacre)?bleu|chrf|x?comet|wmt\d{2}|h?ter\b|bleurt|bertscore|metricx|yisi|meteor|nist\b|rouge|perplexity|ppl\b"
    r"|gemba|prism\b|blonde\b|wer\b|cer\b",
    re.I,
)
_DERIVED = {"z", "raw", "norm", "normalised", "normalized", "standardised", "standardized", "model", "log"}


def _is_computed(name: str) -> bool:
    """What no judge is called: `score_bleu`, `z_score` and `mean_score` are what programs computed."""
    return is_total(name) or fold(name) in _DERIVED or _METRIC.match(name) is not None


_RATER_NUMBER = re.compile(r"^[rj]\d{1,2}$", re.I)
_JUDGE_NUMBER = re.compile(r"^[rjae][a-z]?\d{1,2}$", re.I)


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

    def are(names: Sequence[str], *patterns: re.Pattern[str]) -> bool:
        return all(any(pattern.match(name) for pattern in patterns) for name in names)

    systems_first = are(firsts, _SYSTEM_WORD) or are(seconds, _JUDGE_WORD, _JUDGE_NUMBER)
    judges_first = are(seconds, _SYSTEM_WORD) or are(firsts, _JUDGE_WORD, _JUDGE_NUMBER)
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
    if len(values) < 2 or not all(value.isdecimal() and len(value) < 10 for value in values):
        return False
    numbers = sorted(map(int, values))
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def _mean_length(values: Sequence[Any]) -> float:
    return sum(len(str(value)) for value in values) / len(values) if values else 0.0


def _are_numbers(values: Sequence[Any]) -> bool:
    return bool(values) and sum(map(is_numeric, values)) * 2 > len(values)


def _are_moments(values: Sequence[Any]) -> bool:
    """Dates and times of day say when something was done, and answer nothing."""
    return bool(values) and sum(moment(as_text(value)) is not None for value in values) * 2 > len(values)


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


def _is_measure(column: str) -> bool:
    """Numbers about the texts or the row and no answers: lengths, counts, offsets."""
    counts = {"length", "len", "tokens", "words", "chars", "year"}
    return _is_index(column) or _counts_judges(column) or not _words(column).isdisjoint(counts)


def _is_summary(column: str) -> bool:
    """Numbers that sum up those of other columns, and are no judge's: `Average`, `Mean score`."""
    words = [word for word in re.split(r"[\W_]+", column) if word]
    return is_total(column) or (bool(words) and (is_total(words[0]) or is_total(words[-1])))


def _is_index(column: str) -> bool:
    """Numbers that tell rows apart."""
    return not _words(column).isdisjoint({"id", "idx", "index", "order", "number"})


def _words(column: str) -> set[str]:
    return {*re.split(r"[\W_]+", column.casefold()), *_header_words(column)}
