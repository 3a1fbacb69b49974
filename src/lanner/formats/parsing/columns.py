"""Which column of a table holds what: given by the user, or guessed from the header and the first rows.

Headers come in many words and languages. Each guess has a confidence, which is shown with it. A source text that only
the content gives away is proposed and not taken.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import permutations
from typing import Any

from lanner.errors import InputError, did_you_mean
from lanner.formats.parsing.headings import (
    ITEM_ROLES,
    ROLES,
    asks_control,
    asks_something,
    fold,
    has_answer_name,
    header_words,
    is_measure,
    is_summary,
    kind_in_words,
    mentions_judge,
    named_language,
    names_answer,
    names_criterion,
    names_division,
    names_engine,
    names_identifier,
    names_one_judge,
    names_remark,
    output_or_reference,
    role_in_words,
    role_named,
    role_of_identifier,
    says_system,
    says_text,
    sides_of,
    spelled_role,
    spellings_of,
    steps_in_words,
    without_language,
    without_name,
    without_scale,
)
from lanner.formats.parsing.map_draft import (
    CERTAIN,
    CLEAR,
    LIKELY,
    LONG_TEXT,
    POSSIBLE,
    SHARED_ITEMS,
    SHEET,
    SHORT_ANSWER,
    AnswerColumn,
    MapDraft,
    are_numbers,
    as_option,
    each_as,
    is_ratings,
    mean_length,
    score_of_each,
    split_judge_and_system,
    take_answers,
    take_persons,
)
from lanner.formats.parsing.values import (
    are_durations,
    as_text,
    asks_preference,
    clock,
    duration_heading,
    is_false,
    is_flag,
    is_missing,
    is_numeric,
    preferred_side,
)
from lanner.model import Role, languages

_NO_TEXT = frozenset({"context", "previous", "prev", "url", "link", "path", "hash", "date", "status", "state", "tag"})
_DAY = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]00:00:00)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}")
"""A date without a time."""
_PHASES = frozenset({"phase", "role", "block", "session", "round", "trial"})
"""Words in the heading of a column that may say what answers are for."""


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """Columns by role, outputs and references by name, answers, and the columns that are kept as they are."""

    roles: Mapping[str, str]
    outputs: Mapping[str, str] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)
    answers: tuple[AnswerColumn, ...] = ()
    rest: tuple[str, ...] = ()
    languages: tuple[str, str] | None = None
    confidence: Mapping[str, float] = field(default_factory=dict)
    """By column, how sure a guess is; what the user said is not in it."""
    scores: tuple[str, ...] = ()
    """Columns of `rest` that hold numbers which may be scores: by judges, or on questions; the header does not tell."""
    judge_candidates: tuple[str, ...] | None = None
    """Where most rows are about the texts of another row and nobody is named: the columns that may name judges."""

    def __str__(self) -> str:
        parts = [self._part(role, column) for role, column in self.roles.items()]
        parts += [self._part(f"reference:{name}", column) for name, column in self.references.items()]
        parts += [self._part(f"system:{name}", column) for name, column in self.outputs.items()]
        for answer in self.answers:
            about = f" by {answer.judge}" if answer.judge else ""
            about += f" about {answer.system}" if answer.system else ""
            about += f" about {self.roles[('system_a', 'system_b')[answer.side]]}" if answer.side is not None else ""
            parts.append(self._part(f"answer:{answer.question}{about}", answer.column))
        text = ", ".join(parts)
        # what stands beside an answer is about the answer or its judge, and does not come along with the texts
        treatment = "not read" if self.answers else "kept as they are"
        return f"{text}; {treatment}: {', '.join(self.rest)}" if self.rest else text

    def _part(self, role: str, column: str) -> str:
        sure = self.confidence.get(column, CERTAIN)
        return f"{role}={column}" if sure > 0.99 else f"{role}={column} ({sure:.0%} sure)"


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


def column_map(
    header: Sequence[str],
    columns: str | Mapping[str, str] = "",
    system: str = "",
    sample: Sequence[Sequence[Any]] = (),
    *,
    judge: str = "",
    pair: tuple[str, str] | None = None,
) -> ColumnMap:
    """The map of a table with this header: what is given, then what can be guessed for the other columns. With a
    `judge`, columns of scores are that judge's answers although no column names judges. Of columns named by languages
    the source is the one in the first language of a known `pair`."""
    table, assignments = MapDraft(header, sample, judge, pair), parse(columns)
    _take_given(table, assignments)
    for take in _BY_NAME:
        take(table)
    is_ours = {"absent", "document_meta", "segment_meta"} <= set(header)  # a table that we wrote says it all
    for take in () if is_ours else _BY_CONTENT:
        take(table)
    if "source" not in table.roles and (names := _scores_of_systems(table)):
        raise table.refusal(
            f"Each row is a system with its scores ({', '.join(names)}): a summary, without the texts that were "
            "judged.",
            "scores_of_systems",
            "Take the table from which these were computed, with a row for each text, system and judge: `lanner "
            "scores`, `agreement` and `metaeval` compute means, intervals and ranks from that.",
            names,
        )
    if "source" not in table.roles and not is_ratings(table):
        raise _refusal(table)
    return _finish(table, assignments, system, is_ours=is_ours)


def _finish(table: MapDraft, assignments: Mapping[str, str], system: str, *, is_ours: bool) -> ColumnMap:
    outputs = table.outputs
    if system and len(outputs) == 1:
        outputs = {system: next(iter(outputs.values()))}
    if "system" in table.roles:
        outputs = _long(table, outputs)
    rest = tuple(name for name in table.header if name in table.free or name in table.aside)
    answers = (*_without_scales(table, assignments), *table.measures)
    is_unread = not answers and not is_ours
    return ColumnMap(
        {role: table.roles[role] for role in sorted(table.roles, key=[*ROLES, "output"].index)},
        outputs,
        table.references,
        answers,
        rest,
        _pair(table),
        table.confidence,
        tuple(name for name in rest if _may_be_scores(table, name)) if is_unread else (),
        table.judge_candidates(rest) if is_unread else None,
    )


def _without_scales(table: MapDraft, assignments: Mapping[str, str]) -> list[AnswerColumn]:
    """The answers, with questions that are not called by their scale: `Accuracy` for `Accuracy (1-5)`."""
    named_columns = set(assignments.values())
    names = {a.question: a.question if a.column in named_columns else without_scale(a.question) for a in table.answers}
    unique = len(set(map(fold, names.values()))) == len(names)
    return [replace(answer, question=names[answer.question]) for answer in table.answers] if unique else table.answers


def _may_be_scores(table: MapDraft, column: str) -> bool:
    nameless = column.startswith("column ")
    return not (nameless or is_measure(column) or is_summary(column)) and table.are_numbers(column)


def _take_given(table: MapDraft, assignments: Mapping[str, str]) -> None:
    for role, column in assignments.items():
        if column not in table.header:
            raise InputError(
                f"There is no column {column!r}.",
                code="no_column",
                names={"column": column, "columns": ", ".join(table.header)},
                next_step=did_you_mean(column, table.header),
            )
        kind, mark, name = role.partition(":")
        if kind == "reference":
            table.references[name or column] = column
        elif kind == "output" or (kind == "system" and mark):
            table.outputs[name or column] = column
        elif kind == "answer":  # `answer:score about GPT-4=column`: of one system, where each has a column
            question, _, about = (name or column).partition(" about ")
            table.answers.append(AnswerColumn(column, question, system=about))
        elif kind == "measure":  # taken besides the answers that are guessed
            table.measures.append(AnswerColumn(column, name or column))
        elif kind == "judge" and mark:
            judge, _, about = name.partition(" about ")
            question = "preference" if asks_preference(column) else "score"
            table.answers.append(AnswerColumn(column, question, judge, about))
        elif kind == "ignore":
            pass
        elif kind in ROLES and not mark:
            table.roles[role] = column
        else:
            kinds = ("reference", "system", "answer", "measure", "judge", "ignore")
            roles = [*ROLES, "output", *(f"{kind}:NAME" for kind in kinds)]
            raise InputError(f"{role!r} is not a role of a column.", next_step=did_you_mean(role, roles))
        if column in table.free:
            table.free.remove(column)


def _take_durations(table: MapDraft) -> None:
    """`time_ms`, `Duration (min)`: how long an answer took, and no answer itself. The first that names its unit is
    taken; the others are left out."""
    columns = [(column, about) for column in table.free if (about := duration_heading(column)) is not None]
    for column, about in sorted(columns, key=lambda entry: not entry[1].unit):
        if not are_durations(table.values(column)) or (not about.unit and _are_times_of_day(table, column)):
            continue
        role = "active_seconds" if about.active else "seconds"
        if role not in table.roles:
            table.assign(role, column, CERTAIN if about.unit else CLEAR)
        else:
            table.free.remove(column)


def _are_times_of_day(table: MapDraft, column: str) -> bool:
    """Whether `9:30` stands beside a day: then it is when something was done, and not how long it took."""
    are_times = all(clock(text) is not None for text in table.texts(column))
    dates = (table.texts(other) for other in table.free if other != column)
    return are_times and any(days and all(map(_DAY.fullmatch, days)) for days in dates)


def _take_spelled(table: MapDraft) -> None:
    """Columns whose whole name is a known spelling; the best spelling of a role wins."""
    best: dict[str, tuple[int, int, str]] = {}
    for position, column in enumerate(table.free):
        match = spelled_role(column)
        if match is not None and match[0] not in table.roles:
            candidate = (match[1], position, column)
            best[match[0]] = min(best.get(match[0], candidate), candidate)
    for role, (_, _, column) in best.items():
        table.assign(role, column, CERTAIN if column.isascii() else CLEAR)


def _take_named(table: MapDraft) -> None:
    for column in list(table.free):
        role = output_or_reference(column)
        # `human` may be what people scored, `response` what they answered, `System A` what it scored
        unnamed = role in (("reference", column), ("output", column))
        may_be_answers = unnamed or (role is not None and "source" not in table.roles)
        if may_be_answers and (_are_no_texts(table, column) or (unnamed and _are_steps(table, column))):
            continue
        if role is not None:
            (table.outputs if role[0] == "output" else table.references).setdefault(role[1], column)
            table.take(column, CERTAIN if column.isascii() else CLEAR)


def _are_no_texts(table: MapDraft, column: str) -> bool:
    """Whether numbers stand in a column of texts although the source texts are none."""
    source = table.roles.get("source")
    return table.are_numbers(column) and not (source and table.are_numbers(source))


def _are_steps(table: MapDraft, column: str) -> bool:
    """Whether judges answered in a column of texts with the steps of a scale, or with yes and no."""
    texts = table.texts(column)
    is_scale = bool(texts) and (steps_in_words(texts) is not None or all(map(is_flag, texts)))
    return "judge" in table.roles and is_scale


def _take_compared_systems(table: MapDraft) -> None:
    """`system_a` and `system_b`, `MT1` and `MT2`, `left` and `right`, where both hold names of systems."""
    if table.has("system", "system_a", "system_b"):
        return
    verdicts = [column for column in table.free if asks_preference(column)]
    for first, second in permutations(table.free, 2):
        if _are_compared(table, first, second, verdicts):
            table.assign("system_a", first, CLEAR)
            table.assign("system_b", second, CLEAR)
            return


def _are_compared(table: MapDraft, first: str, second: str, verdicts: Sequence[str]) -> bool:
    if any(says_text(column) or mentions_judge(column) for column in (first, second)):
        return False
    if sides_of(first, second) is not None and _is_first_of_several(table, first, second):
        return False
    if sides_of(first, second) is None:
        in_order = table.place[first] < table.place[second]
        return in_order and _are_decided_between(table, first, second, verdicts)
    beside = _has_texts_beside(table, first) and _has_texts_beside(table, second)
    are_systems = _are_systems(table, first) and _are_systems(table, second)
    return (
        beside
        or are_systems
        or _share_names(table, first, second)
        or _are_decided_between(table, first, second, verdicts)
    )


_THIRD = frozenset({"c", "3", "third"})


def _is_first_of_several(table: MapDraft, first: str, second: str) -> bool:
    """Whether `system 3` stands beside `system 1` and `system 2`: then more than two were compared."""
    words, side = header_words(first), sides_of(first, second)
    if side is None:
        return False
    at = words.index(side[0])
    return any(
        other[:at] == words[:at] and other[at + 1 :] == words[at + 1 :] and len(other) > at and other[at] in _THIRD
        for other in map(header_words, table.header)
    )


def _are_decided_between(table: MapDraft, first: str, second: str, verdicts: Sequence[str]) -> bool:
    """Whether a third column says, on each row, which of two systems is better, by its name, its side or as a tie.
    The systems come again with other items, as translations do not, or are called systems in the headings."""
    columns = [column for column in verdicts if column not in (first, second)]
    if not columns:
        return False
    at, other = table.place[first], table.place[second]
    pairs = [(as_text(row[at]).strip(), as_text(row[other]).strip()) for row in table.sample]
    names = {name for pair in pairs for name in pair}
    if any(not one or not two or one == two for one, two in pairs):
        return False
    come_again = len(names) <= len(set(table.items())) and mean_length(list(names)) <= SHORT_ANSWER
    are_called_systems = says_system(first) and says_system(second)
    if not (come_again or are_called_systems) or (any(map(is_numeric, names)) and not are_called_systems):
        return False
    for column in columns:
        answers = [as_text(row[table.place[column]]).strip() for row in table.sample]
        named = [answer in pair for answer, pair in zip(answers, pairs, strict=True)]
        is_decided = all(ok or not text or preferred_side(text) for ok, text in zip(named, answers, strict=True))
        if is_decided and (any(named) or (come_again and sides_of(first, second) is not None)):
            return True
    return False


def _has_texts_beside(table: MapDraft, column: str) -> bool:
    """Whether `system A` stands beside a `translation A`, which holds the texts: then it names their system."""
    texts = [
        other
        for other in table.free
        if other != column and output_or_reference(other) == output_or_reference(column) is not None
    ]
    return bool(texts) and says_system(column)


def _share_names(table: MapDraft, first: str, second: str) -> bool:
    """Whether a name is in one column with one segment and in the other with another, names are few and nobody
    meets themselves: so it is with systems that take turns at both sides, and not with translations."""
    items = table.items()
    pairs: list[set[tuple[str, tuple[str, ...]]]] = []
    for at in (table.place[first], table.place[second]):
        pairs.append({(str(row[at]), item) for row, item in zip(table.sample, items, strict=True) if row[at]})
    segments = {segment for side in pairs for _, segment in side}
    names = [{name for name, _ in side} for side in pairs]
    few = max(2, len(segments) // 2)
    if len(names[0] | names[1]) > few or pairs[0] & pairs[1] or any(map(is_numeric, names[0] | names[1])):
        return False
    switches = {(name, segment) for name, segment in pairs[0] if name in names[1]} - pairs[1]
    return bool(switches) and mean_length([*names[0], *names[1]]) <= SHORT_ANSWER


def _are_systems(table: MapDraft, column: str, fewest: int = 1) -> bool:
    """Whether a column holds names that come again with other segments, as names of systems do and translations
    do not; at least the `fewest` different ones."""
    # a text that comes again is translated alike again, so that texts count where they are known
    keys = table.keys(table.columns("source") or table.columns("document", "segment", "item"))
    at = table.place[column]
    segments_by_name: dict[str, set[tuple[str, ...]]] = {}
    for row, segment in zip(table.sample, keys, strict=True):
        if at < len(row) and not is_missing(row[at]):
            segments_by_name.setdefault(str(row[at]), set()).add(segment)
    names = list(segments_by_name)
    segments = set[tuple[str, ...]]().union(*segments_by_name.values())
    if len(segments) < 2 or len(names) < fewest or are_numbers(names) or mean_length(names) > 60:
        return False
    per_name = sum(map(len, segments_by_name.values())) / len(names)
    return per_name >= 3 or per_name > len(segments) / 2


def _take_with_language(table: MapDraft) -> None:
    """`Source text (EN-US)`, `Target_de`, `번역(한국어)`: a known name with a language or a remark."""
    for column in [*table.free, *table.roles.values(), *table.outputs.values()]:
        base, language = without_language(column)
        if language:
            table.language_of[column] = language
        if column not in table.free or base == column:
            continue
        role = spelled_role(base)
        suffix = output_or_reference(base)
        if role is not None and role[0] not in table.roles:
            table.roles[role[0]] = column
        elif suffix is not None and suffix[0] == "output":
            table.outputs.setdefault(column, column)
        elif suffix is not None:
            table.references.setdefault(column, column)
        else:
            continue
        table.take(column, CLEAR if language else LIKELY)


def _take_identifiers(table: MapDraft) -> None:
    """`Nr dokumentu`, `Věta č.`, `システム名`: a known word for a document, a segment, a system or a judge, with
    another that only says that it is an identifier."""
    for column in list(table.free):
        role = role_of_identifier(column)
        is_known = names_answer(column) or fold(column) in spellings_of("output", "reference")
        if role and role not in table.roles and not is_known:
            table.assign(role, column, CLEAR)


def _take_languages(table: MapDraft) -> None:
    """Columns named by languages: the first is the source, unless another is in the source language that is known; the
    others are outputs."""
    codes = [(name, code) for name in table.free if not table.are_numbers(name) and (code := _language_of(name))]
    if "source" in table.roles or len(codes) < (1 if table.outputs else 2):
        return
    _take_texts_in_languages(table, codes)


def _language_of(column: str) -> str:
    """The language that a whole heading names: `German`, `de_AT`, `German (Austria)`; "" if none."""
    base = without_language(column)[0]
    return named_language(column) or named_language(base)


_TEXT = frozenset({"text", "texts", "sentence", "sentences", "segment", "string", "line"})


def _take_one_text_each(table: MapDraft) -> None:
    """`translation.en` and `translation.de`, as datasets of Hugging Face are, or `sentence_eng` and `sentence_deu`: one
    text in several languages."""
    parts = {name: without_language(name) for name in table.free}
    sources = [base for base, _ in parts.values() if role_named(base) == "source" and fold(base) not in _TEXT]
    if "source" in table.roles or sources:
        return
    by_base: dict[str, list[tuple[str, str]]] = {}
    for name, (base, language) in parts.items():
        if language and fold(base) in _TEXT | spellings_of("output") and not table.are_numbers(name):
            by_base.setdefault(fold(base), []).append((name, language))
    if len(by_base) == 1 and len(codes := next(iter(by_base.values()))) > 1:
        _take_texts_in_languages(table, codes)


def _take_texts_in_languages(table: MapDraft, codes: list[tuple[str, str]]) -> None:
    """Columns of texts with the language of each: the source, and its translations."""
    if table.pair is not None:
        stated = table.pair[0].partition("-")[0]
        codes = sorted(codes, key=lambda entry: entry[1].partition("-")[0] != stated)
    table.assign("source", codes[0][0], LIKELY)
    table.language_of |= dict(codes)
    for name, _ in codes[1:]:
        table.outputs.setdefault(name, name)
        table.take(name, LIKELY)


def _settle_languages(table: MapDraft) -> None:
    """Of translations into several languages those into the second language of the known pair: a document has one pair,
    and texts in two languages do not compete. One that is called by its language alone is no system of that name."""
    guesses = {name: column for name, column in table.outputs.items() if column in table.confidence}
    codes = {name: code for name, column in guesses.items() if (code := table.language_of.get(column, ""))}
    if len(set(codes.values())) > 1:
        target = _target_of(table, codes)
        for name in [name for name, code in codes.items() if code != target]:
            _free(table, table.outputs.pop(name))
        for name, column in list(table.references.items()):
            language = table.language_of.get(column, target)
            if column in table.confidence and language.partition("-")[0] != target.partition("-")[0]:
                _free(table, table.references.pop(name))
    names = [name for name in guesses if name in table.outputs and _says_language_alone(guesses[name])]
    if len(names) == 1 and "target" not in table.outputs:
        table.outputs = {"target" if name == names[0] else name: column for name, column in table.outputs.items()}


def _says_language_alone(column: str) -> bool:
    """Whether a heading names a language and nothing else: `German (Austria)`, and not `German (MT)`."""
    base, _ = without_language(column)
    rest = column.replace(base, "", 1).strip(" ()[]")
    return bool(_language_of(column)) and fold(rest) not in spellings_of("output") and not names_engine(rest)


def _free(table: MapDraft, column: str) -> None:
    """A column that was taken for a text is kept as it is."""
    table.free.append(column)
    table.confidence.pop(column)


def _target_of(table: MapDraft, codes: Mapping[str, str]) -> str:
    """The language of these translations that is the second of the known pair; refuses where it is none of them."""
    target = table.pair[1] if table.pair else languages.UNDETERMINED
    alike = {code for code in codes.values() if code.partition("-")[0] == target.partition("-")[0]}
    if target in alike or len(alike) == 1:
        return target if target in alike else alike.pop()
    columns = ", ".join(table.outputs[name] for name in codes)
    source = table.language_of.get(table.roles.get("source", ""), "") or languages.UNDETERMINED
    example = f"{source}:{next(iter(codes.values()))}"
    raise InputError(
        f"The columns {columns} are translations into different languages, and a document has one.",
        code="several_languages",
        names={"columns": columns, "pair": example},
        next_step=f"Say which to read, for instance --languages {example}.",
    )


def _pair(table: MapDraft) -> tuple[str, str] | None:
    source = table.language_of.get(table.roles.get("source", ""), "")
    targets = {table.language_of[column] for column in table.outputs.values() if column in table.language_of}
    if not source and not targets:
        return None
    return source or languages.UNDETERMINED, targets.pop() if len(targets) == 1 else languages.UNDETERMINED


def _set_legends_aside(table: MapDraft) -> None:
    """What explains the scale beside the table answers nothing."""
    for column in [column for column in table.free if table.is_legend(column)]:
        table.set_aside(column)


def _take_question_as_item(table: MapDraft) -> None:
    """`question_id` of a benchmark whose prompts are questions: one for each source, or all that names an item."""
    if "question" not in table.roles or table.has("item", "segment"):
        return
    if "source" in table.roles:
        pairs = set(table.keys([table.roles["question"], table.roles["source"]]))
        sizes = {len(pairs), *(len({pair[side] for pair in pairs}) for side in (0, 1))}
        is_item = len(sizes) == 1 and len(pairs) > 1
    else:
        is_item = "document" not in table.roles and "id" in header_words(table.roles["question"])
    if is_item:
        table.roles["item"] = table.roles.pop("question")


def _take_source(table: MapDraft) -> None:
    """A column `sentence` may hold the sentences and not their numbers: long ones, or ones of several words where
    translations stand beside them."""
    for role in ("segment", "item", "title", "note") if "source" not in table.roles else ():
        column = table.roles.get(role, "")
        if column not in table.confidence:
            continue
        values = list(map(str, table.values(column)))
        phrases = [text for text in values if " " in text.strip() and not any(map(str.isdigit, text))]
        are_phrases = bool(table.outputs) and len(phrases) * 2 > len(values)
        if table.mean_length(column) > 2 * LONG_TEXT or are_phrases:
            del table.roles[role]
            table.roles["source"] = column
            table.confidence[column] = LIKELY
            return


def _take_numbering(table: MapDraft) -> None:
    """A column of an unknown name that counts the rows of each document, judge and system: the segment's number,
    and no answer."""
    if table.has("segment", "item") or "judge" not in table.roles:
        return
    keys = table.columns("judge", "document", "system")
    for column in table.free:
        groups = table.by(keys, column).values()
        if len(groups) > 1 and not has_answer_name(column) and all(map(_counts_up, groups)):
            table.assign("segment", column, LIKELY)
            return


_NAMELESS = re.compile(r"(?:column|unnamed:) \d+$", re.I)
"""A heading that we or pandas gave a column without one."""


def _take_row_numbers(table: MapDraft) -> None:
    """Set a column aside that numbers the rows, as `df.to_csv()` does, and not the sentences, which come again."""
    for name in list(table.free):
        if _NAMELESS.match(name) and _counts_up(table.texts(name)):
            table.set_aside(name)
    column, texts = table.roles.get("segment", ""), table.columns("item", "document", "source")
    if column not in table.confidence or not table.has("source", "item") or not table.has("judge", "system"):
        return
    outputs = [*texts, *table.columns("system")]
    are_one = all(len(set(said)) == 1 for o in table.outputs.values() for said in table.by(outputs, o).values())
    if table.are_unique([column]) and are_one and _are_shared(table, texts, [*outputs, *table.columns("judge")]):
        _give_up(table, "segment")
        table.set_aside(column)


def _are_shared(table: MapDraft, texts: list[str], answered: list[str]) -> bool:
    """Whether texts come again because other judges or systems have them too: most do, or some that are as long as the
    others and never twice the same judge's, as sentences that a text repeats would be."""
    times, keys = Counter(table.keys(texts)), table.keys(answered)
    again = [key for key, count in times.items() if count > 1]
    rows = sum(times[key] for key in again)
    if rows * 2 > len(table.sample):
        return len(set(keys)) * 10 >= len(table.sample) * 9
    length, usual = (sum(len("".join(key)) for key in some) / (len(some) or 1) for some in (again, times))
    return len(again) >= SHARED_ITEMS and rows * 10 >= len(keys) == len(set(keys)) and length * 4 >= usual * 3


_ABOUT_TEXTS: tuple[str, ...] = ("item", "document", "segment", "paragraph", "source", "collection", "domain")
_ABOUT_TEXTS += ("languages", "source_language", "target_language")
_ABOUT_ANSWERS = ("judge", "system", "system_a", "system_b", "question", "role", "answered_at")
"""What tells the rows of answers apart: which text they are about, and whose answer to which question."""
_TESTS = frozenset({"test", "retest", "pre", "post"})
_TURNS = _TESTS | {"first", "second", "again", "pass", "wave", "time", "day", "week"}
"""Words for the first and the second time that judges answer."""
_SETTINGS = frozenset({"variant", "version", "setting", "settings", "setup", "config", "configuration", "condition"})
_SETTINGS |= {"prompt", "prompting", "strategy", "method", "temperature", "shots", "decoding", "treatment", "tier"}
"""Words in the headings of columns that say how a system was used."""
_SHOWN = frozenset({"context", "contexte", "contexto", "contesto", "kontext", "контекст", "문맥", "文脈", "上下文"})
_SHOWN |= {"interface", "layout", "display", "presentation", "shown", "shuffled", "visible"}
"""Words for how a text was shown to judges."""


def _are_settings(table: MapDraft, column: str) -> bool:
    """Whether a column `prompt` holds what systems were told, and no source texts: of one segment it holds several."""
    ids = table.columns("document", "segment", "item")
    said = table.by(ids, column).values() if ids else ()
    return not _SETTINGS.isdisjoint(header_words(column)) and any(len(set(texts)) > 1 for texts in said)


def _are_names_of_texts(table: MapDraft, column: str) -> bool:
    """Whether a column `Text` says which text a row is from, and not what stands in it: several segments have one, and
    beside it are judges or numbers, and no translations."""
    has_answers = table.has("judge") or (table.free and all(map(table.are_numbers, table.free)))
    if not has_answers or table.outputs:
        return False
    texts = table.by([column], table.roles["segment"]).values() if "segment" in table.roles else ()
    several = sum(len(set(segments)) for segments in texts)
    return table.mean_length(column) <= SHORT_ANSWER and several >= 2 * len(texts) > 0


def _take_divisions(table: MapDraft) -> None:
    """`Chapter` names the document where nothing else does, and tells documents apart where sentences are numbered anew
    in each. `Session`, or `pre` and `post`, says when judges answered, which is no answer."""
    for column in list(table.free):
        if names_division(column, "study") or {text.casefold() for text in table.texts(column)} <= _TESTS:
            table.set_aside(column)
        elif names_division(column, "text"):
            if not table.has("document"):
                table.assign("document", column, LIKELY)
            elif not _second_answers(table):
                table.set_aside(column)
            elif not table.has("collection"):
                table.assign("collection", column, LIKELY)


def _second_answers(table: MapDraft) -> int:
    """How many rows are about the same output as another row of their judge, going by the columns that are known."""
    return sum(rows for rows in Counter(table.keys(_columns_of_answers(table))).values() if rows > 1)


def _columns_of_answers(table: MapDraft) -> list[str]:
    """The columns that tell answers apart: which output they are about, and whose they are."""
    has_ids = table.has("segment", "item")
    return table.columns(*(role for role in _ABOUT_TEXTS if not (has_ids and role == "source")), *_ABOUT_ANSWERS)


def _take_numbered_anew(table: MapDraft) -> None:
    """Where rows are about the same output as another row of their judge, going by the columns that are known: the
    column by which all of them differ says what is numbered anew, a text or a system's setting. Otherwise these rows
    would count as second answers. Refuses where it is not clear which."""
    if "paragraph" in table.roles and not table.has("segment", "item", "source"):
        table.roles["segment"] = table.roles.pop("paragraph")
    has_judge = "judge" in table.roles or any(answer.judge for answer in table.answers)
    second_answers = _second_answers(table)
    if not (has_judge or "source" in table.roles) or not table.has("segment", "item", "source") or not second_answers:
        return
    are_most, keys = second_answers * 2 > len(table.sample), _columns_of_answers(table)
    column = next((c for c in table.free if _may_be_numbered(table, c) and table.are_unique([*keys, c])), None)
    if column is None or not (are_most or _comes_with_all(table, column)):
        return
    if are_most and (role := _role_of_numbering(table, column, has_judge)):
        table.assign(role, column, LIKELY)
    elif has_judge:
        raise _refuse_numbered_anew(table, column)


def _role_of_numbering(table: MapDraft, column: str, has_judge: bool) -> str:
    """What the column by which such rows differ says of them; empty where that is not clear."""
    texts = table.texts(column)
    headings = (*table.free, *(answer.column for answer in table.answers))
    may_be_question = "question" not in table.roles and not any(map(names_criterion, headings))
    if may_be_question and any(names_criterion(text) or names_answer(text) for text in texts):
        return "question"
    if all(map(named_language, texts)) and not table.has("languages", "target_language"):
        return "target_language"
    if all(languages.UNDETERMINED not in languages.pair(text) for text in texts) and not table.has("languages"):
        return "languages"
    has_system = table.has("system", "system_a") or table.outputs or any(answer.system for answer in table.answers)
    may_be_system = has_judge and not has_system
    if not _SETTINGS.isdisjoint(header_words(column)):
        return "system" if may_be_system else ""
    said = {word for text in (column, *set(texts)) for word in header_words(text)}
    are_flags = all(map(is_flag, texts)) or set(texts) == {"0", "1"}
    no_text = are_flags or not _SHOWN.isdisjoint(said) or (has_judge and _are_of_one_text(table))
    return "" if may_be_system or no_text or table.has("document") else "document"


def _are_of_one_text(table: MapDraft) -> bool:
    """Whether rows of a judge that are alike in the known columns have the same source: then no text tells them apart,
    but how it was shown or which system translated it."""
    if "source" not in table.roles:
        return False
    sources = table.by(_columns_of_answers(table), table.roles["source"]).values()
    return all(len(set(said)) == 1 for said in sources)


def _may_be_numbered(table: MapDraft, column: str) -> bool:
    """Whether a column may say which text or which setting of a system a row is about: names, numbers with which
    all the same rows come, or yes and no on two rows of many items each, and no answers, moments or sessions."""
    cells = [as_text(row[table.place[column]]).strip() for row in table.sample]
    comes_again = all(cells) and len(set(cells)) * 2 <= len(cells)  # `none` may be a condition
    if not comes_again or table.mean_length(column) > SHORT_ANSWER or table.are_moments(column):
        return False
    is_asked = has_answer_name(column) or names_criterion(column) or names_remark(column) or asks_preference(column)
    said = {word for text in (column, *set(cells)) for word in header_words(text)}
    if is_asked or column == SHEET or not said.isdisjoint(_PHASES | _TURNS):
        return False
    if table.are_numbers(column):
        return _comes_with_all(table, column)
    # an answer of yes or no is not another one whenever a judge sees an item again
    return not all(map(is_flag, cells)) or _second_answers(table) >= 2 * SHARED_ITEMS


def _comes_with_all(table: MapDraft, column: str) -> bool:
    """Whether all the same judges and systems come with every text that a column would tell from others."""
    others = table.keys(table.columns(*_ABOUT_ANSWERS))
    rows_by_text: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for text, other in zip(table.keys([*table.columns(*_ABOUT_TEXTS), column]), others, strict=True):
        rows_by_text.setdefault(text, set()).add(other)
    return all(rows == set(others) for rows in rows_by_text.values()) and len(set(others)) > 1


def _refuse_numbered_anew(table: MapDraft, column: str) -> InputError:
    """The error where rows of one judge about one output differ in a column of which it is not known what it says."""
    as_text = as_option({"collection" if table.has("document") else "document": column})
    as_system = "join the two columns in the file" if "system" in table.roles else as_option({"system": column})
    return table.refusal(
        f"Rows of a judge are about the same text and system as other rows, and differ in {column!r}. Whether "
        "it is about the text or about the system is not said.",
        "numbered_anew",
        f"If it is about the text: {as_text}. If it is about the system: {as_system}. If judges answered twice: "
        f"{as_option({'ignore:' + column: column})}.",
        [column],
    )


def _take_repeating(table: MapDraft) -> None:
    """Where items come again and no column is known to name the judges: the only column of names by which their
    rows differ names them, if scores stand beside it."""
    if "judge" in table.roles:
        return
    candidates = [column for column in table.judge_candidates(table.free) or () if names_identifier(column)]
    has_answers = any(names_answer(column) or table.is_preference(column) for column in table.free)
    if len(candidates) == 1 and has_answers:  # `Name` beside texts that come again
        table.assign("judge", candidates[0], LIKELY)
        return
    has_scores = any(
        table.are_numbers(column) and fold(without_scale(column)) in table.answer_names(column) for column in table.free
    )
    keys = table.columns("item", "document", "segment", "system")
    if not has_scores or not table.has("segment", "item") or table.are_unique(keys):
        return
    columns = [
        column
        for column in table.free
        if 1 < len({str(value) for value in table.values(column)}) <= len(table.sample) / 2
        and not table.are_ratings(column)
        and not all(map(is_flag, table.values(column)))
        and table.mean_length(column) <= SHORT_ANSWER
        and table.are_unique([*keys, column])
    ]
    # a name and a first name say the same twice
    pairs = set(table.keys(columns))
    say_the_same = all(len(pairs) == len({str(value) for value in table.values(column)}) for column in columns)
    if len(columns) == 1 or (columns and say_the_same and names_identifier(columns[0])):
        table.assign("judge", columns[0], LIKELY)


def _comes_again(table: MapDraft, role: str) -> bool:
    """Whether one item has several rows that differ in this column: then it says whose row it is, or of what."""
    if role not in table.roles:
        return False
    others = table.columns(*(other for other in ITEM_ROLES if other != role))
    return bool(others) and any(len(set(values)) > 1 for values in table.by(others, table.roles[role]).values())


def _take_item_roles(table: MapDraft) -> None:
    """`phase` with `training` and `main`, `is_control` with yes and no: what each answer is for."""
    for column in table.free if "role" not in table.roles else []:
        said = {role_in_words(as_text(value).strip(), column) for value in table.values(column)}
        # the first rows of a file may all be of one role: a round of training, or no control yet
        is_named = asks_control(column) or not _PHASES.isdisjoint(header_words(column))
        if said <= set(Role) and ({"main"} < said or (said and is_named)):
            table.assign("role", column, CLEAR)
            return


def _take_judge_kinds(table: MapDraft) -> None:
    """`type` with `human` and `LLM`, the same on all rows of a judge: what the judge is, and not what the text."""
    columns = [*table.free, *(c for c in table.columns("text_type") if c in table.confidence)]
    for column in columns if "judge" in table.roles and "judge_kind" not in table.roles else []:
        kinds = {kind_in_words(as_text(value)) for value in table.values(column)}
        by_judge = table.by([table.roles["judge"]], column, missing=False).values()
        if kinds and "" not in kinds and all(len(set(said)) == 1 for said in by_judge):
            if table.roles.get("text_type") == column:
                _give_up(table, "text_type")
            table.assign("judge_kind", column, CLEAR)
            return


def _place_systems(table: MapDraft) -> None:
    """A column `MT`, `MT provider` or `translation` may say which system it was, and not what the system wrote."""
    if table.has("system", "system_a"):
        return
    fewest = 2 if "source" in table.roles else 1  # one text for every source may be a poor translation
    columns = [
        column
        for name, column in table.outputs.items()
        if column in table.confidence
        and (name == column or _may_be_names(table, column))
        and _are_systems(table, column, fewest)
    ]
    if len(columns) == 1:
        table.outputs = {name: column for name, column in table.outputs.items() if column != columns[0]}
        table.roles["system"] = columns[0]
        table.confidence[columns[0]] = LIKELY


def _may_be_names(table: MapDraft, column: str) -> bool:
    """Whether `MT provider` may say whose a translation is: `system:provider` and `translation provider` hold texts,
    and so does a column of sentences."""
    is_text = says_text(column) or not {":", "."}.isdisjoint(column)
    return not is_text and not any(text[-1:] in ".!?…。！？।؟" for text in table.texts(column))


def _place_languages(table: MapDraft) -> None:
    """`SRC` and `TGT` may hold the codes of languages, as in releases of WMT, and not the texts."""
    source = table.roles.get("source", "")
    if source not in table.confidence or not _are_codes(table, source):
        return
    _give_up(table, "source", "source_language")
    targets = [column for column in table.outputs.values() if _are_codes(table, column)]
    table.outputs = {name: column for name, column in table.outputs.items() if column not in targets}
    if targets and "target_language" not in table.roles:
        table.roles["target_language"] = targets[0]


def _are_codes(table: MapDraft, column: str) -> bool:
    """Whether a column holds the same one or two codes of languages on many rows."""
    values = set(table.texts(column))
    return 0 < len(values) <= 2 and len(table.sample) > 2 and all(len(v) <= 8 and named_language(v) for v in values)


def _place_sheets(table: MapDraft) -> None:
    """What the sheets of a workbook stand for: judges or systems where they repeat the same items, else
    documents."""
    guessed = table.roles.get("document") == SHEET and SHEET in table.confidence
    if not guessed and SHEET not in table.free:
        return
    ids = [name for name in table.columns("document", "segment", "item") if name != SHEET]
    keys = [*(table.columns("source") or ids), *table.columns("system")]
    sheets = table.by(keys, SHEET)
    if not (table.has("source") or ids) or sum(len(set(names)) > 1 for names in sheets.values()) * 2 <= len(sheets):
        return
    role = "judge" if any(map(has_answer_name, table.free)) else "system"
    if "source" not in table.roles and not table.outputs:
        role = _role_of_sheets(table, list(dict.fromkeys(str(value) for value in table.values(SHEET))))
    elif "source" in table.roles and len(table.outputs) == 1:  # another text for a source is another system's
        has_answers = role == "judge" or any(table.are_numbers(column) for column in table.free)
        differ = _texts_differ(table, keys, next(iter(table.outputs.values())))
        role = "judge" if has_answers and not differ else "system"
    if role in table.roles or (role == "system" and len(table.outputs) > 1):  # systems have columns
        return
    if guessed:
        del table.roles["document"]
    else:
        table.free.remove(SHEET)
    table.roles[role] = SHEET
    table.confidence[SHEET] = LIKELY


def _role_of_sheets(table: MapDraft, sheets: Sequence[str]) -> str:
    """Whether sheets of scores without texts are those of judges or of systems. Refuses where no name is one that
    only judges or only systems have."""
    columns = [column for column in table.score_columns() if column != SHEET]
    by_name = [c for c in columns if fold(without_scale(c)) not in table.answer_names(c)]
    system_sheets = any(map(names_engine, sheets)) or any(map(names_one_judge, by_name))
    judge_sheets = any(map(names_one_judge, sheets)) or any(map(names_engine, columns))
    if system_sheets != judge_sheets:
        return "judge" if judge_sheets else "system"
    if "system" in table.roles or len(by_name) < len(columns) or any(map(has_answer_name, table.free)):
        return "judge"
    if "judge" in table.roles or len(columns) < 2:
        return "system"
    by_judge = as_option({"judge": SHEET} | score_of_each(columns))
    by_system = as_option({"system": SHEET} | {f"judge:{name}": name for name in columns})
    raise table.refusal(
        f"The sheets {', '.join(sheets)} have scores in the columns {', '.join(columns)}, and nothing says which "
        "of the two are judges and which are systems.",
        "judge_or_system",
        f"If each sheet is a judge's: {by_judge}. If each sheet is a system's: {by_system}.",
        columns,
    )


def _texts_differ(table: MapDraft, keys: Sequence[str], column: str) -> bool:
    """Whether most of the rows that are alike in their keys and not alone have different texts in this column."""
    groups = [group for group in table.by(keys, column).values() if len(group) > 1]
    return sum(len(set(group)) > 1 for group in groups) * 2 > len(groups)


def _give_up(table: MapDraft, role: str, better: str = "") -> None:
    """The column of this role has a better one, where that is not taken, or is free again."""
    column = table.roles.pop(role)
    if better and better not in table.roles:
        table.roles[better] = column
    else:
        table.free.append(column)
        table.confidence.pop(column, None)


def _check(table: MapDraft, role: str, wrong: Callable[[MapDraft, str], bool], better: str = "") -> None:
    """Give a guessed role up where the cells do not fit, or take another one."""
    column = table.roles.get(role, "")
    if column in table.confidence and table.values(column) and wrong(table, column):
        _give_up(table, role, better)


def _tells_rows_apart(table: MapDraft, column: str) -> bool:
    """Whether `judge` holds true and false: which rows are to be judged. Letters that all say yes, or all no, in every
    row are initials of judges, and so are names by which rows about one item differ."""
    values = table.values(column)
    everywhere = len(values) == len(table.sample) and len({is_false(value) for value in values}) == 1
    are_initials = everywhere and all(len(str(value).strip()) == 1 for value in values)
    return all(map(is_flag, values)) and not are_initials and not _comes_again(table, "judge")


def _are_no_string_keys(table: MapDraft, column: str) -> bool:
    """Whether `Key` or `Identifier` names no strings to translate: it is read so beside source texts alone, and where
    each row has its own."""
    spelling, number = spelled_role(column), spelled_role("id")
    is_weak = spelling is not None and number is not None and spelling[1] > number[1]
    rows = table.columns("document", "segment", "system", "judge")
    return is_weak and ("source" not in table.roles or table.has("item") or not table.are_unique(rows))


def _are_other_words(table: MapDraft, column: str) -> bool:
    return not all(role_in_words(as_text(value)) in list(Role) for value in table.values(column))


def _are_no_moments(table: MapDraft, column: str) -> bool:
    return table.are_numbers(column) and not table.are_moments(column)


def _are_many(table: MapDraft, column: str) -> bool:
    return len({str(value) for value in table.values(column)}) > SHORT_ANSWER


def _are_long(table: MapDraft, column: str) -> bool:
    return table.mean_length(column) > 4 * SHORT_ANSWER


def _take_texts(table: MapDraft) -> None:
    """Columns of sentences about as long as the source: one for each system."""
    source = table.values(table.roles["source"]) if "source" in table.roles else []
    if not source or "system" in table.roles or table.outputs:
        return
    length = mean_length(source)
    for column in list(table.free):
        values = table.values(column)
        words = re.split(r"[\W_]+", column.casefold())
        if (
            len(values) * 2 < len(source)
            or names_remark(column)
            or not _NO_TEXT.isdisjoint(words)
            or names_answer(column)
            or table.are_numbers(column)
            or table.varies(column)
            or table.is_preference(column)
            or _are_names_of_strings(table, column)
        ):
            continue
        distinct = len({str(value) for value in values})
        enough = distinct * 2 >= len(set(map(str, source)))  # each text comes again on the rows of every judge
        if length / 5 <= table.mean_length(column) <= length * 5 and enough and table.are_sentences(column):
            table.outputs.setdefault(column, column)
            table.take(column, POSSIBLE if len(source) < 3 else LIKELY)
            if language := _language_of(column):
                table.language_of[column] = language


def _call_outputs(table: MapDraft) -> None:
    """`DeepL translation` and `Ours translation` are the outputs of DeepL and Ours, as `DeepL adequacy` is a score of
    DeepL's and not by a judge of this name."""
    pieces = {name: re.findall(r"[^\W_]+", name) for name in table.outputs}
    if len(pieces) < 2 or any(name != column for name, column in table.outputs.items()):
        return
    for end in (0, -1):
        words = {fold(own[end]) for own in pieces.values()}
        word = words.pop() if len(words) == 1 else ""
        called = [without_name(name, own[end]) or "" for name, own in pieces.items() if len(own) > 1]
        is_text = word in spellings_of("output") or role_named(word) in ("source", "segment")
        if is_text and all(called) and len(set(called)) == len(pieces):
            table.outputs = dict(zip(called, table.outputs.values(), strict=True))
            return


def _are_names_of_strings(table: MapDraft, column: str) -> bool:
    """Whether a column holds names such as `home.title` beside source texts of several words."""
    is_ascii = all(text.isascii() for text in table.texts(column))
    spaced = [text for text in table.texts(table.roles["source"]) if " " in text]
    return is_ascii and table.are_identifiers(column) and len(spaced) * 2 > len(table.sample)


def _long(table: MapDraft, outputs: dict[str, str]) -> dict[str, str]:
    """With a column that names the system, one column holds the texts of all; others are kept as they are."""
    columns = list(outputs.values())
    if columns:
        table.roles["output"] = columns[0]
        table.free += columns[1:]
        for column in columns[1:]:
            table.confidence.pop(column, None)
    return {}


def _scores_of_systems(table: MapDraft) -> list[str]:
    """The columns of numbers where each row is a system, in a language or a domain: means that somebody computed. None
    where a column names texts or judges; one that numbers the rows names none."""
    about = table.columns("system", "languages", "source_language", "target_language", "domain", "collection")
    ids = table.columns("segment", "item")  # `n` is how many texts there were
    numbered = [column for column in ids if _counts_up(table.texts(column)) or fold(column) == "n"]
    if "system" not in table.roles or table.has("judge", "document") or len(table.sample) < 2:
        return []
    if len(numbered) < len(ids):
        return []
    numbers = [c for c in table.header if c not in (*about, *numbered) and table.are_numbers(c) and not is_measure(c)]
    return numbers if table.are_unique(about) else []


def _refusal(table: MapDraft) -> InputError:
    """The error for a table that has neither source texts nor answers of judges about items: what it lacks."""
    header, scores = ", ".join(table.header), table.score_columns()[:4]
    if table.answers and "judge" in table.roles and not table.has_item and not table.outputs:
        return table.refusal(
            "The table has scores by judges, and no column says which text each is about.",
            "no_item_column",
            "Add a column `document` or `segment`, or say which column names them: --columns segment=COLUMN.",
        )
    if table.has_item and not table.outputs:
        if any(asks_something(column) and table.are_numbers(column) for column in table.free):
            columns = table.score_columns()
            crossed = split_judge_and_system(columns) or {}
            by_system = {f"answer:{asked} about {system}": name for name, (asked, system) in crossed.items()}
            by_question = as_option(by_system) if crossed else each_as("answer", columns)
            by_judge = "" if crossed else f" If each column holds those of one judge: {each_as('judge', columns)}."
            return table.refusal(
                "The table has scores, and no column says whose they are or which system they are about.",
                "no_judge_column",
                "Add a column `judge` or `system`, or say which column names them: --columns judge=COLUMN or "
                f"--columns system=COLUMN. If one judge gave all: {by_question}.{by_judge}",
            )
        if scores and not table.answers and not table.text_columns():
            roles = {f"answer:{name}": name for name in scores}
            roles |= {} if table.has("judge", "system") else {"judge": "COLUMN"}
            return table.refusal(
                f"No column is known to hold answers. The numbers in {', '.join(scores)} may be.",
                "no_answer_column",
                f"If they are: {as_option(roles)}. Columns: {header}.",
            )
    first, proposal = next(iter(table.header), "NAME"), _proposal(table)
    advice = f"By their content it may be: --columns {proposal}."
    return InputError(
        "No column is known to hold the source text.",
        code="no_source_column",
        names={"column": first, "columns": header, "proposal": proposal},
        next_step=f"Columns: {header}. {advice if proposal else f'Say which, for instance --columns source={first}.'}",
    )


def _proposal(table: MapDraft) -> str:
    """What the columns may be by their content alone: the first column of sentences is the source."""
    texts = table.text_columns()
    others = [*table.outputs.values(), *texts[1:]]
    if not texts or any("," in name or "=" in name for name in [*texts, *others]):
        return ""
    outputs = [f"system:{name}={name}" for name in others if name in texts]
    return ",".join([f"source={texts[0]}", *outputs])


def _counts_up(values: Sequence[str]) -> bool:
    """Whether numbers are 1, 2, 3 … or begin elsewhere, each once, in any order."""
    texts = [value.strip() for value in values]
    if len(texts) < 2 or not all(text.isdecimal() and len(text) < 10 for text in texts):
        return False
    numbers = sorted(map(int, texts))
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


_BY_NAME: tuple[Callable[[MapDraft], None], ...] = (
    _take_durations,
    _take_spelled,
    _take_question_as_item,
    _take_compared_systems,
    _take_one_text_each,
    _take_named,
    _take_with_language,
    _take_identifiers,
    _take_languages,
)
"""What columns are by their names, one after another."""
_BY_CONTENT: tuple[Callable[[MapDraft], None], ...] = (
    _set_legends_aside,
    _place_languages,
    _place_sheets,
    _place_systems,
    partial(_check, role="judge", wrong=_tells_rows_apart, better="judged"),
    partial(_check, role="role", wrong=_are_other_words),
    partial(_check, role="segment", wrong=_are_no_string_keys),
    partial(_check, role="languages", wrong=MapDraft.are_numbers, better="segment"),  # `Lp.` numbers rows in Polish
    _take_item_roles,
    _take_judge_kinds,
    partial(_check, role="answered_at", wrong=_are_no_moments, better="seconds"),
    partial(_check, role="note", wrong=MapDraft.are_numbers),
    partial(_check, role="question", wrong=_are_many),
    partial(_check, role="source", wrong=_are_settings),
    partial(_check, role="source", wrong=_are_names_of_texts, better="document"),
    _take_numbering,
    _take_row_numbers,
    _take_repeating,
    partial(_check, role="document", wrong=_are_long),
    partial(_check, role="item", wrong=_are_long),
    _take_source,
    _take_texts,
    _call_outputs,
    _settle_languages,
    _take_divisions,
    _take_numbered_anew,
    take_persons,
    take_answers,
    _take_numbered_anew,
)
"""What names mean that mean one thing or another, by what stands below them, and which of the other columns hold texts
and answers."""
