"""A protocol for judgements that come without one: one that Lanner knows, where questions and values fit it, else one
made from the answers themselves, so that everything can be analysed. The guess is always said."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from lanner.errors import AnswerError, InputError, ProtocolError, Where
from lanner.model import (
    Analysis,
    Choice,
    Grid,
    Json,
    Judge,
    Judgement,
    Labels,
    Object,
    Option,
    Protocol,
    Question,
    Rank,
    Scale,
    Score,
    Spans,
    Stage,
    Text,
    Unit,
)
from lanner.model.messages import words
from lanner.model.protocol import GUESSED, Wording
from lanner.protocols.answers import accept
from lanner.protocols.judgements import metrics_among
from lanner.protocols.kinds.base import resolve
from lanner.protocols.reading import load, names

_SCALES = ((0, 1), (1, 5), (0, 5), (1, 6), (0, 6), (1, 7), (1, 10), (0, 10), (0, 100))
"""Scales that people are asked to answer on. The first that holds all answers is taken, and numbers between the steps
count as answers on a scale from 1 only where they reach both of its ends: they may be means, or scores from 0."""
_MOST_OPTIONS = 60
_LONGEST_OPTION = 60
_MOST_STEPS = 101
_HIGHEST_OTHER = 10
"""Direct assessment goes to 100; scores that all stay below this are of some shorter scale."""
_FITTING = 0.99
_REMARKS = frozenset({"comment", "comments", "remark", "remarks", "feedback", "note", "notes", "reason", "rationale"})
"""Questions whose words are free text, however few different ones there are."""
_INVERSE_WORDS = """
error errors mistakes penalty penalties ter hter wer cer perplexity ppl edits distance
seconds minutes minor major critical deduction deductions
severity schweregrad sévérité gravité severidad gravedad severidade gravità
omission omissions addition additions mistranslation mistranslations hallucination hallucinations
untranslated overtranslation undertranslation auslassung hinzufügung
omisión adición omissão adição ajout الحذف الإضافة
fehler fehlerpunkte fehlerzahl strafpunkte schulnote erreur erreurs errores errori
erros penalización pénalité pénalités penalità błędy chyby ошибки أخطاء
"""
_INVERSE = frozenset(_INVERSE_WORDS.split())
"""Words in the names of questions whose best answer is the lowest number."""
_PLACES = frozenset({"rank", "ranking", "place", "rang", "rangplatz", "platz", "classement", "puesto", "miejsce"})
_PLACES |= {"место", "순위", "順位", "排名", "名次"}
"""The same for places, which end with the number of systems; the others count something and have no end."""
_INVERSE_PARTS = (
    *("오류", "벌점", "감점", "누락", "첨가", "오역", "エラー", "誤り", "減点", "訳抜け", "誤訳"),
    *("错误", "錯誤", "扣分", "漏译", "误译", "增译", "漏譯", "誤譯"),
)
"""The same in languages that write words together."""
_MQM = "mqm"
"""The protocol whose weights are taken for errors of the same severities."""
_MOST_PENALTY = 25
"""MQM counts at most so many points of error for a segment; as a quality score it is near 100, and below 0 it is
turned round."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A protocol, and a sentence that says why it is this one."""

    protocol: Protocol
    note: str


def guess(
    judgements: Iterable[Judgement],
    headings: Mapping[str, str] | None = None,
    remarks: Collection[str] = (),
    scales: Mapping[str, tuple[float, float]] | None = None,
    judges: Iterable[Judge] = (),
) -> Guess:
    """The protocol that judgements answer. `headings` are the words their file has for the questions, `remarks` those
    of them that are answered in free text, `scales` the ends of the scales that it names, the worse one first. Scores
    of metrics among the `judges` tell nothing of the scale that others answered on."""
    metrics = metrics_among(judges)
    all_by_question: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        if judgement.document or judgement.segment:
            all_by_question.setdefault(judgement.question, []).append(judgement)
    by_question = {
        key: [judgement for judgement in rows if judgement.judge not in metrics] or rows
        for key, rows in all_by_question.items()
    }
    for key, rows in by_question.items():
        if key not in (scales or {}) and rows[0].judge not in metrics:
            _refuse_different_scales((headings or {}).get(key, key), rows)
    match = _find_protocol(by_question, scales or {})
    questions = ", ".join((headings or {}).get(key, key) for key in by_question)
    if match is not None:
        note = f"No protocol is named. The questions ({questions}) and their values fit {match.name}"
        plain = _without_standardising(match)
        also = ", with scores as they are (--standardise for z per judge)" if plain != match else ""
        note = f"{note}, which is taken{also}; --protocol NAME for another."
        return Guess(plain, note + _on_lower_halves(plain, by_question))
    protocol = _make_protocol(by_question, headings or {}, {*_REMARKS, *remarks}, scales or {})
    by_id = {_identifier(key, "question"): rows for key, rows in by_question.items()}
    named_ends = {_identifier(key, "question") for key in scales or {}}
    note = f"No protocol is named and none fits the questions ({questions}), so they are analysed as they are"
    note += f"{_how_taken(protocol, named_ends)}. If they answer a protocol, add --protocol NAME."
    return Guess(protocol, note + _on_lower_halves(protocol, by_id))


def _how_taken(protocol: Protocol, named_ends: Collection[str]) -> str:
    """What is said of a protocol made from answers: weights, the better end, and ends that no heading names."""
    wording = Wording(protocol)
    numeric = [question for _, question in protocol.questions if isinstance(question, Scale)]
    labels = {scale.id: wording.question(scale.id).label for scale in numeric}
    note = "".join(f". Errors weigh as in {_MQM} by their severity ({score.id})" for score in protocol.scores)
    if inverse := [labels[scale.id] for scale in numeric if scale.direction == "lower_is_better"]:
        note += f". Less {words(inverse)} is better, going by the name (otherwise --set better=higher)"
    if upright := [labels[scale.id] for scale in numeric if scale.direction == "higher_is_better"]:
        note += f". More {words(upright)} is taken as better (otherwise --set better=lower)"
    if ends := [
        f"{labels[scale.id]} from {scale.min:g} to {scale.max:g}"
        for scale in numeric
        if scale.id not in named_ends and not has_no_upper_end(protocol, scale)
    ]:
        example = f"{labels[numeric[0].id]} (0-10)"
        note += f". By the answers the scale is {words(ends)} (otherwise write its ends in the heading: {example})"
    return note


def of_file(
    judgements: Iterable[Judgement],
    headings: Mapping[str, str],
    protocol_name: str,
    definition: str = "",
    *,
    remarks: Collection[str] = (),
    scales: Mapping[str, tuple[float, float]] | None = None,
    judges: Iterable[Judge] = (),
) -> Guess | None:
    """The protocol of a file: the one that it brings or names; a guess where that is not known here, as an organiser's
    own, or where none is named and there are questions; None for scores that answer no protocol, as those of
    metrics."""
    if definition:
        try:
            return Guess(Protocol.model_validate_json(definition), "")
        except ValueError as error:
            raise ProtocolError(f"The protocol that the file brings cannot be read: {error}") from error
    if not protocol_name:
        return guess(judgements, headings, remarks, scales, judges) if headings else None
    if protocol_name != GUESSED:
        try:
            return Guess(load(protocol_name), "")
        except ProtocolError:
            pass
    best_guess = guess(judgements, headings, remarks, scales, judges)
    if protocol_name == GUESSED:
        return best_guess
    note = f"The file names the protocol {protocol_name}, which is not known here: --protocol FILE gives it."
    return Guess(best_guess.protocol, f"{note} {best_guess.note}")


_ENOUGH_TO_TELL = 5
_ENOUGH_TO_SUSPECT = 10
_DIFFERENT_AT_LEAST = 3


def _refuse_different_scales(heading: str, rows: Sequence[Judgement]) -> None:
    """Refuse answers of judges of whom some went up to 1 or 10 and others to 100: one scale for all would be wrong."""
    numbers = _numbers_by_judge(rows)
    if _less_is_better(heading, [0]):
        return  # a count of errors or of seconds has no end
    tops: dict[int, list[str]] = {}
    for judge, values in numbers.items():
        if (top := _top_of(values)) is not None:
            tops.setdefault(top, []).append(judge)
    if len(tops) > 1:
        each = "; ".join(f"{', '.join(names[:3])}: 0 to {top}" for top, names in sorted(tops.items()))
        other = next(row for row in rows if row.judge in tops[min(tops)])
        raise InputError(
            f"The answers to {heading!r} seem to be on different scales ({each}).",
            code="different_scales",
            where=Where(other.origin or None),
            next_step="Bring them to one scale, or give each scale a question of its own: a column for each, or "
            "another name in the column that names the question. If all used one scale, name it in the heading "
            f"({heading} (0-100)) or with --protocol.",
        )


def _numbers_by_judge(rows: Iterable[Judgement]) -> dict[str, list[float]]:
    numbers: dict[str, list[float]] = {}
    for row in rows:
        if isinstance(row.value, int | float) and not isinstance(row.value, bool):
            numbers.setdefault(row.judge, []).append(row.value)
    return numbers


def _on_lower_halves(protocol: Protocol, by_question: Mapping[str, Sequence[Judgement]]) -> str:
    """A sentence for each scale of which some judges use nothing above the middle and others do: they may have answered
    on a shorter one, which their answers cannot tell."""
    sentences = []
    for scale in (question for _, question in protocol.questions if isinstance(question, Scale)):
        numbers = _numbers_by_judge(by_question.get(scale.id, ()))
        tops = {judge: max(values) for judge, values in numbers.items() if len(values) >= _ENOUGH_TO_SUSPECT}
        low = [judge for judge, top in tops.items() if top <= (scale.min + scale.max) / 2]
        if 0 < len(low) < len(tops) and scale.max > 1 and scale.direction == "higher_is_better":
            label = Wording(protocol).question(scale.id).label
            top = max(tops[judge] for judge in low)
            sentences.append(
                f" {label}: no answer of {words(low)} is above {top:g}, and others go up to {max(tops.values()):g}. If "
                "they answered on another scale, bring them to one."
            )
    return "".join(sentences)


def _top_of(numbers: Sequence[float]) -> int | None:
    """1, 10 or 100 where somebody's answers show that their scale goes no further, or as far; None if they do not."""
    low, high = min(numbers), max(numbers)
    if low < 0 or high > 100 or len(numbers) < _ENOUGH_TO_TELL or len(set(numbers)) < _DIFFERENT_AT_LEAST:
        return None
    if high > _HIGHEST_OTHER:
        return 100 if median(numbers) > _HIGHEST_OTHER else None
    return 1 if high <= 1 else _HIGHEST_OTHER


def _without_standardising(protocol: Protocol) -> Protocol:
    """The same protocol with scores as they are: a guess must not turn points into standard deviations."""
    analyses = tuple(
        entry.model_copy(update={"options": {k: v for k, v in entry.options.items() if k != "standardise"}})
        for entry in protocol.analyses
    )
    return protocol if analyses == protocol.analyses else protocol.model_copy(update={"analyses": analyses})


def _find_protocol(
    by_question: Mapping[str, Sequence[Judgement]], scales: Mapping[str, tuple[float, float]]
) -> Protocol | None:
    """The protocol of ours that asks just these questions, on these scales, and allows their values."""
    fitting = [protocol for protocol in map(load, names()) if _fits(protocol, by_question, scales)]
    if not fitting:
        return None
    stages = {judgement.stage for rows in by_question.values() for judgement in rows}
    named = [protocol for protocol in fitting if stages <= {stage.id for stage in protocol.stages}] or fitting
    return min(named, key=lambda protocol: (len(list(protocol.questions)), protocol.name))


def _fits(
    protocol: Protocol, by_question: Mapping[str, Sequence[Judgement]], scales: Mapping[str, tuple[float, float]]
) -> bool:
    questions = {question.id: (stage, question) for stage, question in protocol.questions}
    ends = {
        key: (q.min, q.max) if q.direction == "higher_is_better" else (q.max, q.min)
        for key, (_, q) in questions.items()
        if isinstance(q, Scale)
    }
    if any(ends.get(key, scale) != scale for key, scale in scales.items()):
        return False
    required = {q.id for stage, q in questions.values() if q.required and q.when is None and stage.when is None}
    if not required <= by_question.keys() <= questions.keys():
        return False
    return all(_allows(*questions[key], rows) for key, rows in by_question.items())


def _allows(stage: Stage, question: Question, rows: Sequence[Judgement]) -> bool:
    """Whether a question could have been given these answers, about these things."""
    outputs = {min(len(row.systems), 2) for row in rows}
    output_counts = {Object.OUTPUT: {1}, Object.OUTPUTS: {2}, Object.SOURCE: {0}, Object.NONE: {0}}[stage.object]
    if not outputs <= output_counts or (stage.unit is Unit.DOCUMENT) != all(not row.segment for row in rows):
        return False
    values = [row.value for row in rows if row.value is not None]
    if isinstance(question, Scale):
        numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
        if len(numbers) < len(values) or not numbers:
            return False
        if question.max == 100 and max(numbers) <= _HIGHEST_OTHER:
            return False
        if question.max < 100 and (question.max not in numbers or _ends(numbers)[0] > question.min):
            return False
    return sum(_is_allowed(question, row) for row in rows) >= _FITTING * len(rows)


def _have_categories(marks: Json) -> bool:
    return isinstance(marks, list) and any(isinstance(mark, dict) and mark.get("category") for mark in marks)


def _is_allowed(question: Question, row: Judgement) -> bool:
    if isinstance(question, Spans) and not question.categories and _have_categories(row.value):
        return False  # they would be lost
    try:
        flags = accept(question, row.value, outputs=max(2, len(row.systems))).flags
        return set(flags) <= {"no_place"} or row.value is None
    except AnswerError:
        return False


# A protocol from answers alone


def _make_protocol(
    by_question: Mapping[str, Sequence[Judgement]],
    headings: Mapping[str, str],
    remarks: Collection[str],
    scales: Mapping[str, tuple[float, float]],
) -> Protocol:
    by_stage: dict[str, dict[str, Sequence[Judgement]]] = {}
    for key, rows in by_question.items():
        by_stage.setdefault(rows[0].stage or "rating", {})[key] = rows
    words: dict[str, Json] = {}
    stages = []
    for name, question_ids in by_stage.items():
        questions: list[Question] = []
        rows = [row for answers in question_ids.values() for row in answers]
        compared = _object(rows) is Object.OUTPUTS
        for key, answers in question_ids.items():
            identifier, heading = _identifier(key, "question"), headings.get(key, key)
            question, text = _question(identifier, answers, heading, key in remarks, scales.get(key))
            if compared and _are_preferences(answers):
                question, text = Rank(id=identifier), {}
            questions.append(question)
            words[question.id] = {"label": heading, **text}
        stages.append(
            Stage(
                id=_identifier(name, "rating"),
                unit=Unit.IN_CONTEXT if any(row.segment for row in rows) else Unit.DOCUMENT,
                object=_object(rows),
                questions=tuple(questions),
            )
        )
    scores = _penalties(stages)
    return Protocol(
        name=GUESSED,
        version="1.0",
        stages=tuple(stages),
        scores=scores,
        analyses=tuple(Analysis(statistic="agreement.icc", of=score.id) for score in scores),
        text={
            "en": {
                "title": "Ratings",
                "summary": "Answers that came without a protocol.",
                "instructions": "Answer as the headings say.",
                "when_to_use": "Never: it was made from a file of answers.",
                "stages": {stage.id: {"title": "Ratings"} for stage in stages},
                "questions": words,
            }
        },
    )


def _penalties(stages: Sequence[Stage]) -> tuple[Score, ...]:
    """Errors weighed as in MQM, if there is one question for them and its severities are those of MQM, whatever its
    categories are."""
    marks = [question for stage in stages for question in stage.questions if isinstance(question, Spans)]
    names = {question.id for stage in stages for question in stage.questions}
    mqm = load(_MQM)
    (errors,) = (question for _, question in mqm.questions if isinstance(question, Spans))
    penalty = next(score for score in mqm.scores if score.question == errors.id and score.rule == "weighted_spans")
    if len(marks) != 1 or penalty.id in names:
        return ()
    categories = _same_options(marks[0].categories, errors.categories)
    graded = "severity" if marks[0].severities else "category"  # a tool may know labels alone: minor, major
    grades = marks[0].severities or marks[0].categories
    severities = _same_options(grades, errors.severities)
    if not severities or len(severities) < len(grades):
        return ()
    parents = {option.id: option.parent for option in errors.categories}
    weights: list[dict[str, Json]] = []
    for rule in penalty.options["weights"]:
        own_categories: list[str | None] = [
            own for own, same in categories.items() if rule.get("category") in (same, parents[same])
        ]
        own_severities: list[str | None] = [own for own, same in severities.items() if same == rule.get("severity")]
        for category in own_categories if "category" in rule else [None]:
            for severity in own_severities if "severity" in rule else [None]:
                names_given = {"category": category, graded: severity} if severity else {"category": category}
                weights.append({k: v for k, v in names_given.items() if v} | {"weight": rule["weight"]})
    options = {**penalty.options, "weights": weights}
    return (penalty.model_copy(update={"question": marks[0].id, "options": options}),)


def _same_options(options: Sequence[Option], known: Sequence[Option]) -> dict[str, str]:
    """Of options the ids that the known ones have, for those that are among them."""
    names = {option.id: (option.id, *option.aliases) for option in options}
    resolved = {key: next(filter(None, (resolve(name, known) for name in own)), None) for key, own in names.items()}
    return {key: name for key, name in resolved.items() if name}


def _object(rows: Sequence[Judgement]) -> Object:
    counts = [len(row.systems) for row in rows]
    if all(count == 0 for count in counts):
        return Object.SOURCE
    return Object.OUTPUTS if sum(count > 1 for count in counts) * 2 > len(counts) else Object.OUTPUT


def _are_preferences(rows: Sequence[Judgement]) -> bool:
    """Whether each answer says which of two outputs is better, or that neither is."""
    values = {str(row.value) for row in rows if row.value is not None}
    return all(len(row.systems) == 2 for row in rows) and bool(values) and values <= {"a", "b", "tie"}


def _question(
    key: str,
    rows: Sequence[Judgement],
    heading: str,
    is_remark: bool,
    stated: tuple[float, float] | None,
) -> tuple[Question, dict[str, Json]]:
    """A question that allows these answers, and the words for its options."""
    values = [row.value for row in rows if row.value is not None]
    if values and all(isinstance(value, dict) for value in values):
        return _grid(key, values)
    if values and all(isinstance(value, list) for value in values):
        return _lists(key, values)
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if numbers and len(numbers) * 2 > len(values):
        return _scale(key, numbers, heading, _most_compared(rows), stated), {"low": "lowest", "high": "highest"}
    texts = list(dict.fromkeys(map(str, values)))
    if is_remark or len(texts) > _MOST_OPTIONS or any(len(text) > _LONGEST_OPTION for text in texts):
        return Text(id=key), {}
    options, words = _options(texts or ["yes", "no"])
    return Choice(id=key, options=options), {"options": words}


def _most_compared(rows: Sequence[Judgement]) -> int:
    """How many systems a judge has answered about for one text, at most."""
    answers = Counter((row.judge, row.document, row.segment) for row in rows if len(row.systems) == 1)
    return max(answers.values(), default=0)


def _words(heading: str) -> set[str]:
    return set(re.split(r"[\W_]+", heading.casefold()))


def has_no_upper_end(protocol: Protocol, question: Scale) -> bool:
    """Whether a question of a protocol that was made from answers counts errors, points or time: the largest answer is
    only the largest so far."""
    if question.direction != "lower_is_better":
        return False
    heading = Wording(protocol).question(question.id).label
    return not asks_place(heading) and _less_is_better(heading, [0])


def _scale(key: str, numbers: Sequence[float], heading: str, systems: int, stated: tuple[float, float] | None) -> Scale:
    """A scale that holds these numbers: the `stated` one, its worse end first, unless some lie outside."""
    whole = all(float(number).is_integer() for number in numbers)
    if stated and not (min(stated) <= min(numbers) and max(numbers) <= max(stated)):
        stated = None
    places = [(1, systems)] if asks_place(heading) and systems > 1 else []
    bottom, top = sorted(stated) if stated else _ends(numbers, places)
    less_is_better = _less_is_better(heading, numbers) or (stated is not None and stated[0] > stated[1])
    step = 1.0 if whole and top - bottom < _MOST_STEPS else 0.0
    return Scale(
        id=key,
        min=bottom,
        max=top,
        step=step,
        direction="lower_is_better" if less_is_better else "higher_is_better",
        display="slider" if step == 0 or top - bottom > 10 else "buttons",
    )


def _ends(numbers: Sequence[float], scales: Iterable[tuple[float, float]] = ()) -> tuple[float, float]:
    """The ends of the scale that numbers seem to be on: one of these, a usual one, or what holds them all."""
    low, high = min(numbers), max(numbers)
    whole = all(float(number).is_integer() for number in numbers)
    for bottom, top in (*scales, *_SCALES):
        if bottom <= low and high <= top and (whole or bottom == 0 or (low, high) == (bottom, top)):
            return bottom, top
    bottom, top = float(low // 1), float(-(-high // 1))
    return bottom, top if top > bottom else bottom + 1


def _less_is_better(heading: str, numbers: Sequence[float]) -> bool:
    """By the words of the heading; MQM, and MetricX which predicts it, may be points of error or a quality score, which
    the numbers tell."""
    words = _words(heading)
    if "mqm" in words or any(word.startswith("metricx") for word in words):
        return min(numbers) >= 0 and max(numbers) <= _MOST_PENALTY
    return asks_place(heading) or not _INVERSE.isdisjoint(words) or any(part in heading for part in _INVERSE_PARTS)


def asks_place(heading: str) -> bool:
    """Whether a heading asks for the place of an output among others: `Rank`, `Rang`, `순위`."""
    return not _PLACES.isdisjoint(_words(heading))


def _lists(key: str, values: Sequence[list[Any]]) -> tuple[Question, dict[str, Json]]:
    entries = [entry for value in values for entry in value]
    if entries and all(isinstance(entry, dict) for entry in entries):
        categories, words = _options(_values_of(entries, "category"), least=0)
        severities, more = _options(_values_of(entries, "severity"), least=0)
        sides = tuple(side for side in ("source", "target") if side in _values_of(entries, "side")) or ("target",)
        missing = any(entry.get("missing") for entry in entries)
        question = Spans(id=key, sides=sides, categories=categories, severities=severities, missing=missing)
        return question, {"options": {**words, **more}}
    if entries and all(isinstance(entry, int) for entry in entries):
        return Rank(id=key), {}
    options, words = _options(list(dict.fromkeys(map(str, entries))) or ["none"])
    return Labels(id=key, options=options), {"options": words}


def _values_of(entries: Sequence[dict[str, Any]], field: str) -> list[str]:
    return list(dict.fromkeys(str(entry[field]) for entry in entries if entry.get(field)))


def _grid(key: str, values: Sequence[dict[str, Any]]) -> tuple[Question, dict[str, Json]]:
    rows, words = _options(list(dict.fromkeys(str(name) for value in values for name in value)), least=1)
    options, more = _options(list(dict.fromkeys(str(cell) for value in values for cell in value.values())))
    return Grid(id=key, rows=rows, options=options), {"options": {**more, **words}}


def _options(texts: Sequence[str], *, least: int = 2) -> tuple[tuple[Option, ...], dict[str, Json]]:
    """Options with ids of small letters, and the words they had; so many at least as a question must offer."""
    options: list[Option] = []
    words: dict[str, Json] = {}
    for text in [*texts, *["other", "none"]][: max(len(texts), least)]:
        key = _identifier(text, "option")
        ids = {option.id for option in options}
        key = f"{key}_{len(ids) + 1}" if key in ids or key == "option" else key
        aliases = () if key == text else (text,)
        options.append(Option(id=key, value=_value_of(text), aliases=aliases))
        words[key] = {"label": text}
    return tuple(options), words


def _value_of(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _identifier(text: str, otherwise: str) -> str:
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:60].strip("_") or otherwise
