"""Worked examples of a protocol: a text, the right answer, an answer people often give instead, and why.

They lie in `examples/NAME.toml` beside the protocol's own file. A protocol derived from another has the examples of its
base as far as it asks their questions, also where it asks them in several contexts, and a file may borrow the cases of
another for a question of its own. Judges read them with the guidelines and practise on them; explanations are in the
language of the judge's page, texts in a pair of languages that the file has.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from lanner.errors import AnswerError
from lanner.model import Grid, Json, Object, Protocol, Question, Spans, Stage, Unit
from lanner.model.protocol import Wording
from lanner.protocols.answers import check, in_words
from lanner.protocols.kinds.base import JudgedTexts

FOLDER = Path(__file__).parent / "examples"
_CONDITIONS = frozenset({"is", "one_of", "at_least", "at_most", "includes", "excludes", "rows", "within"})


@dataclass(frozen=True, slots=True)
class WorkedExample:
    """One text with what to answer about it. `right` maps questions to rules as in `lanner.designs.expected`, `wrong`
    questions to an answer that is often given instead; `earlier` are answers that the judge gave on a page before.
    Right answers depend on `target_before`, the translation of the sentence before, and not on `shown_before`."""

    id: str
    source: str
    targets: tuple[str, ...]
    right: Mapping[str, Mapping[str, Json]]
    wrong: Mapping[str, Json]
    explanations: Mapping[str, str]
    languages: str = ""
    source_before: str = ""
    target_before: str = ""
    shown_before: str = ""
    earlier: Mapping[str, Json] = field(default_factory=dict)

    def right_in_words(self, protocol: Protocol, language: str = "en") -> list[tuple[str, str]]:
        """The right answers as pairs of a question's label and the answer in the words of the protocol."""
        return _distinct(rule_in_words(protocol, name, rule, language) for name, rule in self.right.items())

    def wrong_in_words(self, protocol: Protocol, language: str = "en") -> list[tuple[str, str]]:
        """The same for what is often answered instead."""
        return _distinct(rule_in_words(protocol, name, {"is": value}, language) for name, value in self.wrong.items())

    def about(self, questions: Collection[str]) -> WorkedExample:
        """The same example with the answers to these questions alone."""
        right = {name: rule for name, rule in self.right.items() if name in questions}
        wrong = {name: value for name, value in self.wrong.items() if name in questions}
        return replace(self, right=right, wrong=wrong)

    def explain(self, language: str = "en") -> str:
        """Why this is the right answer, in a language or its parent, else in English."""
        return _in_language(self.explanations, language)


@dataclass(frozen=True, slots=True)
class ProtocolTeaching:
    """What a protocol teaches: steps that lead to an answer, and examples."""

    examples: tuple[WorkedExample, ...] = ()
    decision_questions: frozenset[str] = frozenset()
    decisions: tuple[Mapping[str, str], ...] = field(default=())

    def steps(self, language: str = "en") -> list[str]:
        """The questions to ask oneself, in their order."""
        return [_in_language(step, language) for step in self.decisions]

    def in_languages(self, languages: str) -> tuple[WorkedExample, ...]:
        """The examples whose texts suit a pair of languages ("en-ko"): those of the same pair, else of the same target
        language, else of the first pair there is; examples without a translation always."""
        return tuple(_in_languages(self.examples, languages))


_TEACHING: dict[str, ProtocolTeaching] = {}
_MOST_KEPT = 200  # protocols are many only where drafts are tried out


def teaching(protocol: Protocol) -> ProtocolTeaching:
    """The examples that fit a protocol: its own, else those of the protocol it extends. Made once for each."""
    if protocol.hash not in _TEACHING:
        if len(_TEACHING) >= _MOST_KEPT:
            _TEACHING.clear()
        _TEACHING[protocol.hash] = _read_teaching(protocol)
    return _TEACHING[protocol.hash]


def page_examples(protocol: Protocol, page: str, languages: str = "") -> list[WorkedExample]:
    """The examples to practise a page on, restricted to its questions, with as many texts as it shows; in a pair of
    languages ("en-ko") where there are such."""
    return _in_languages(list(_page_examples(protocol, page)), languages)


def has_examples(protocol: Protocol, page: str) -> bool:
    """Whether a page of a protocol can be practised."""
    return next(_page_examples(protocol, page), None) is not None


def _page_examples(protocol: Protocol, page: str) -> Iterator[WorkedExample]:
    stages = protocol.pages[page]
    if stages[0].unit is Unit.JUDGE:
        return
    here = {question.id for stage in stages for question in stage.questions}
    count = {Object.OUTPUT: 1, Object.OUTPUTS: 2}.get(stages[0].object, 0)
    for example in teaching(protocol).examples:
        if here & example.right.keys() and len(example.targets) == count and _can_be_judged(example, stages[0]):
            yield example.about(here)


def _can_be_judged(example: WorkedExample, stage: Stage) -> bool:
    """Whether a context shows what an example needs: a judge who sees sentences alone is not asked about one whose
    answer lies in the sentence before. Only contexts that are a factor take sentences from the judge's sight."""
    if not stage.scenario or (not stage.context.sides and stage.unit is not Unit.ISOLATED):
        return True
    sees_source = stage.unit is not Unit.ISOLATED
    sees_target = sees_source and "target" in stage.context.sides
    return (sees_source or not example.source_before) and (sees_target or not example.target_before)


def _in_languages(examples: Sequence[WorkedExample], languages: str) -> list[WorkedExample]:
    pairs = list(dict.fromkeys(example.languages for example in examples if example.languages))
    target = languages.partition("-")[2]
    same_target = [pair for pair in pairs if target and pair.partition("-")[2] == target]
    pair = languages if languages in pairs else (same_target or pairs or [""])[0]
    return [example for example in examples if example.languages in ("", pair)]


def _read_teaching(protocol: Protocol) -> ProtocolTeaching:
    names = (protocol.name, protocol.base_name, protocol.extends)
    path = next((path for name in names if name and (path := _file(name))), None)
    if path is None:
        return ProtocolTeaching()
    table = _read(path)
    questions: dict[str, list[Question]] = {}
    for _, question in protocol.questions:
        questions[question.id] = [question]
    for stem, ids in protocol.contexts.items():
        questions[stem] = [questions[name][0] for name in ids.values()]
    examples = [
        example
        for entry in table.get("example", ())
        for case in entry["case"]
        if (example := _example(entry, case, table["why"], questions)) is not None
    ]
    if "borrowed" in table:
        examples += _borrow_examples(table["borrowed"], questions)
    decisions = table.get("decisions", {})
    asking = questions.get(decisions.get("question", ""), ())
    if not asking:
        return ProtocolTeaching(tuple(examples))
    steps = tuple(_explanations(table["why"], step) for step in decisions["steps"])
    return ProtocolTeaching(tuple(examples), frozenset(question.id for question in asking), steps)


def _file(name: str) -> Path | None:
    """The file of a protocol's examples, following what the shipped protocol of that name extends."""
    path = FOLDER / f"{name}.toml"
    if path.is_file():
        return path
    own = FOLDER.parent / f"{name}.toml"
    base = str(_read(own).get("extends", "")) if own.is_file() else ""
    return _file(base) if base else None


@cache
def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _example(
    entry: Mapping[str, Any],
    case: Mapping[str, Any],
    why: Mapping[str, Mapping[str, str]],
    questions: Mapping[str, Sequence[Question]],
) -> WorkedExample | None:
    """The case as far as the protocol asks its questions; None where it asks none of them, or offers other options."""
    targets = tuple(case.get("targets", ())) or ((case["target"],) if "target" in case else ())
    texts = JudgedTexts(entry["source"], targets, ())
    try:
        right = {
            question.id: _rule(question, value, texts)
            for name, value in case["right"].items()
            for question in questions.get(name, ())
        }
        wrong = {
            question.id: _stored_form(question, value, texts)
            for name, value in case.get("wrong", {}).items()
            for question in questions.get(name, ())
        }
    except AnswerError:
        return None
    if not right:
        return None
    return WorkedExample(
        entry["id"],
        entry["source"],
        targets,
        right,
        wrong,
        _explanations(why, case["why"]),
        case.get("languages", ""),
        entry.get("before", ""),
        case.get("before", ""),
        case.get("shown_before", ""),
        case.get("earlier", {}),
    )


def _borrow_examples(borrowing: Mapping[str, Any], questions: Mapping[str, Sequence[Question]]) -> list[WorkedExample]:
    """The cases of another protocol about the rows of a grid, as cases about ratings of the same skills: an option
    there is a condition here, and the judge is taken to have chosen just these skills on an earlier page."""
    name = borrowing["as"]
    if name not in questions:
        return []
    table = _read(FOLDER / f"{borrowing['file']}.toml")
    conditions: Mapping[str, Json] = borrowing["conditions"]
    cases = []
    for entry in table["example"]:
        for case in entry["case"]:
            rows = case["right"].get(borrowing["question"])
            if rows:
                right = {name: {"rows": {row: conditions[option] for row, option in rows.items()}}}
                own = {key: value for key, value in case.items() if key != "wrong"}
                earlier = {**borrowing["earlier"], borrowing["chosen_in"]: list(rows)}
                cases.append((entry, {**own, "right": right, "earlier": earlier}))
    examples = (_example(entry, case, table["why"], questions) for entry, case in cases)
    return [example for example in examples if example is not None]


def _rule(question: Question, value: Json, texts: JudgedTexts) -> dict[str, Json]:
    """An answer or a table of conditions as the rule that an expected answer is checked by."""
    if isinstance(value, dict) and value.keys() <= _CONDITIONS:
        return value
    if isinstance(question, Grid) and isinstance(value, dict) and len(value) < len(question.rows):
        return {"rows": value}
    return {"is": _stored_form(question, value, texts)}


def _stored_form(question: Question, value: Json, texts: JudgedTexts) -> Json:
    """An answer in the form it is stored in, checked by its question."""
    if isinstance(question, Spans) and isinstance(value, list):
        value = [_place_mark(mark, texts) for mark in value]
    return check(question, value, texts=texts, outputs=max(2, len(texts.targets)))


def _place_mark(mark: Mapping[str, Json], texts: JudgedTexts) -> dict[str, Json]:
    """A mark given by its words, with the place of these words in the text."""
    side = str(mark.get("side", "target"))
    text = texts.source if side == "source" else texts.targets[0]
    start = text.index(str(mark["text"]))
    return {**mark, "side": side, "start": start, "end": start + len(str(mark["text"]))}


def rule_in_words(protocol: Protocol, name: str, rule: Mapping[str, Json], language: str = "en") -> tuple[str, str]:
    """A question's label and what a rule expects, in the words of the protocol; empty where it names no answer."""
    words = Wording(protocol, language)
    match = protocol.find(name)
    assert match is not None
    question = match[1]
    low, high, near = rule.get("at_least"), rule.get("at_most"), rule.get("within")
    if "rows" in rule:
        labels = {row: words.option(question.for_each or name, row).label for row in rule["rows"]}
        conditions = [
            (labels[row], cell if isinstance(cell, Mapping) else {"is": cell}) for row, cell in rule["rows"].items()
        ]
        cells = [f"{label}: {rule_in_words(protocol, name, cell, language)[1]}" for label, cell in conditions]
        text = words.comma.join(cells)
    elif low is not None and high is not None:
        text = f"{low:g}–{high:g}"
    elif low is not None or high is not None:
        text = f"≥ {low:g}" if low is not None else f"≤ {high:g}"
    elif near is not None and isinstance(rule.get("is"), int | float):
        text = f"{rule['is'] - near:g}–{rule['is'] + near:g}"
    elif "is" in rule or "includes" in rule:
        text = in_words(question, rule["is"] if "is" in rule else rule["includes"], words)
    elif "one_of" in rule:
        text = " / ".join(in_words(question, value, words) for value in rule["one_of"])
    else:
        text = ""
    return words.question(name).label, text


def _distinct(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs without repetitions: a question that is asked in several contexts has the same words in each."""
    return list(dict.fromkeys(pairs))


def _explanations(why: Mapping[str, Mapping[str, str]], key: str) -> dict[str, str]:
    return {language: texts[key] for language, texts in why.items()}


def _in_language(texts: Mapping[str, str], language: str) -> str:
    codes: Sequence[str] = (language, language.partition("-")[0], "en")
    return next((texts[code] for code in codes if code in texts), "")
