"""What a protocol file must keep to beyond its shape: names that exist, bounds in order, words for everything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lanner.errors import ProtocolError, Where, did_you_mean
from lanner.model import (
    Condition,
    Json,
    Labels,
    Object,
    Promotion,
    Protocol,
    Question,
    Scale,
    Spans,
    Stage,
    Unit,
    languages,
)
from lanner.protocols.derived import GRID_RULES, RULES
from lanner.protocols.kinds import kind_of
from lanner.protocols.prefilled import ORIGINS

Place = tuple[str | int, ...]
Problem = tuple[Place, str, str]
_WORDS = ("title", "summary", "instructions", "when_to_use", "stages", "questions", "options", "groups", "sources")


def problems(protocol: Protocol) -> Iterator[Problem]:
    """Every mistake found: its place in the file, what it is, and a hint."""
    yield from _unique(protocol)
    yield from _pages(protocol)
    earlier: dict[str, Question] = {}
    for number, stage in enumerate(protocol.stages):
        yield from _stage(protocol, ("stage", number), stage, earlier)
    yield from _scores(protocol)
    yield from _words(protocol)


def from_table(table: Mapping[str, Json], item: str) -> Protocol:
    """The protocol in a table that was put together from others. Its first mistake is raised as an error about
    `item`."""
    protocol = Protocol.model_validate(table)
    for _, what, hint in problems(protocol):
        raise ProtocolError(what, where=Where(item=item), next_step=hint)
    return protocol


def _repeated_places(names: Sequence[str]) -> list[int]:
    """Places where a name comes up again."""
    return [place for place, name in enumerate(names) if name in names[:place]]


def _unique(protocol: Protocol) -> Iterator[Problem]:
    for kind, ids in (("stage", [s.id for s in protocol.stages]), ("score", [s.id for s in protocol.scores])):
        for number in _repeated_places(ids):
            yield (kind, number, "id"), f"Two {kind}s are called {ids[number]!r}.", "Rename one."
    earlier_ids: set[str] = set()
    for number, stage in enumerate(protocol.stages):
        for index, question in enumerate(stage.questions):
            if question.id in earlier_ids:
                what = f"Two questions are called {question.id!r}."
                hint = "Question ids are unique in a protocol; rename one."
                yield ("stage", number, "question", index, "id"), what, hint
            earlier_ids.add(question.id)


def _pages(protocol: Protocol) -> Iterator[Problem]:
    for page, stages in protocol.pages.items():
        first = ("stage", protocol.stages.index(stages[0]))
        if len({(stage.unit, stage.object) for stage in stages}) > 1:
            yield first, f"The stages of page {page!r} differ in unit or object.", "Give them pages of their own."
        if len({(stage.scenario, stage.arm, stage.role) for stage in stages}) > 1:
            what = f"The stages of page {page!r} differ in scenario, arm or role."
            yield first, what, "Give them pages of their own."
        keys = [question.key for stage in stages for question in stage.questions if question.key]
        for place in _repeated_places(keys):
            what = f"Two questions of page {page!r} use the key {keys[place]!r}."
            yield first, what, "Choose another letter for one."


def _stage(protocol: Protocol, place: Place, stage: Stage, earlier: dict[str, Question]) -> Iterator[Problem]:
    if (stage.unit is Unit.JUDGE) != (stage.object is Object.NONE):
        yield (*place, "object"), 'A questionnaire has unit "judge" and object "none", both or neither.', ""
    if stage.object in (Object.SOURCE, Object.NONE) and "target" in stage.show and "show" in stage.model_fields_set:
        yield (*place, "show"), f"The target cannot be shown where the object is {stage.object.value!r}.", ""
    yield from _condition((*place, "when"), stage.when, earlier)
    yield from _condition((*place, "promotion"), stage.promotion, earlier)
    for index, question in enumerate(stage.questions):
        yield from _question((*place, "question", index), protocol, stage, question, earlier)
        earlier[question.id] = question
    yield from _condition((*place, "gate"), stage.gate, earlier)


def _condition(
    place: Place, condition: Condition | Promotion | None, earlier: dict[str, Question]
) -> Iterator[Problem]:
    if condition is None:
        return
    earlier_question = earlier.get(condition.question)
    if earlier_question is None:
        what = f"`{place[-1]}` names {condition.question!r}, which is not asked before."
        yield place, what, did_you_mean(condition.question, earlier)
        return
    options = [option.id for option in earlier_question.choices]
    for name in (*condition.is_, *getattr(condition, "is_not", ())):
        if options and name not in options:
            what = f"`{place[-1]}` waits for {name!r}, which {condition.question!r} does not offer."
            yield place, what, did_you_mean(name, options)


def _question(
    place: Place, protocol: Protocol, stage: Stage, question: Question, earlier: dict[str, Question]
) -> Iterator[Problem]:
    yield from _condition((*place, "when"), question.when, earlier)
    if question.for_each:
        labels = earlier.get(question.for_each)
        if labels is None:
            what = f"`for_each` names {question.for_each!r}, which is not asked before."
            yield (*place, "for_each"), what, did_you_mean(question.for_each, earlier)
        elif not isinstance(labels, Labels):
            yield (*place, "for_each"), f"`for_each` needs a question of kind labels, not {labels.kind}.", ""
    yield from _options(place, protocol, question)
    for field, what in kind_of(question).mistakes(question, stage):
        yield (*place, field), what, ""


def _options(place: Place, protocol: Protocol, question: Question) -> Iterator[Problem]:
    lists = kind_of(question).option_lists(question)
    for key, options in lists.items():
        ids = [option.id for option in options]
        for number in _repeated_places(ids):
            yield (*place, key), f"The option {ids[number]!r} stands twice in {question.id!r}.", "Remove one."
        for option in options:
            if option.parent and option.parent not in ids:
                yield (*place, key), f"{option.id!r} has an unknown parent.", did_you_mean(option.parent, ids)
            if option.group and option.group not in protocol.groups:
                what = f"{option.id!r} is in the group {option.group!r}, which the protocol does not list."
                yield (*place, key), what, did_you_mean(option.group, protocol.groups) or "Add it to `groups`."
    for key in ("exclusive", "preselected"):
        name = getattr(question, key, None)
        ids = [option.id for option in lists.get("options", ())]
        if name and name not in ids:
            yield (*place, key), f"{name!r} is none of the options.", did_you_mean(name, ids)


def _scores(protocol: Protocol) -> Iterator[Problem]:
    questions = {question.id: question for _, question in protocol.questions}
    for number, score in enumerate(protocol.scores):
        place: Place = ("score", number)
        if score.rule not in RULES and score.rule not in GRID_RULES:
            what = f"There is no scoring rule {score.rule!r}."
            yield (*place, "rule"), what, did_you_mean(score.rule, (*RULES, *GRID_RULES))
        if score.question not in questions:
            what = f"There is no question {score.question!r}."
            yield (*place, "question"), what, did_you_mean(score.question, questions)
        else:
            yield from _score_options(place, protocol, score.options, questions[score.question], questions)
        yield from _condition((*place, "when"), score.when, questions)
    names = [*questions, *(score.id for score in protocol.scores)]
    for number, analysis in enumerate(protocol.analyses):
        if analysis.of not in names:
            what = f"There is no question or score {analysis.of!r}."
            yield ("analysis", number, "of"), what, did_you_mean(analysis.of, names)
        if not re.fullmatch(r"[a-z_]+\.[a-z_]+", analysis.statistic):
            what = f"{analysis.statistic!r} does not name a statistic."
            yield ("analysis", number, "statistic"), what, "Write it as `agreement.kappa`: the family, a dot, the name."


def _score_options(
    place: Place, protocol: Protocol, options: Mapping[str, Json], question: Question, questions: dict[str, Question]
) -> Iterator[Problem]:
    """Options, groups, categories and severities that a score's rule names must exist."""
    group = options.get("group")
    if group is not None and group not in protocol.groups:
        yield (*place, "options"), f"There is no group {group!r}.", did_you_mean(str(group), protocol.groups)
    source = questions.get(question.for_each) if question.for_each else question
    ids = [option.id for option in source.choices] if source else []
    if isinstance(source, Spans) and source.prefilled:
        ids += ORIGINS
    names: list[str] = list(options.get("only", ()))
    for weight in options.get("weights", ()):
        names += [weight[key] for key in ("category", "severity") if key in weight]
    for name in names:
        if name not in ids:
            what = f"The score names {name!r}, which {question.id!r} does not have."
            yield (*place, "options"), what, did_you_mean(str(name), ids)


def _words(protocol: Protocol) -> Iterator[Problem]:
    if "en" not in protocol.text:
        yield ("text",), "The protocol has no English texts.", "Add a table [text.en]; other languages are optional."
        return
    stages = [stage.id for stage in protocol.stages]
    questions = [question.id for _, question in protocol.questions]
    for language, words in protocol.text.items():
        if languages.normal(language) != language:
            hint = f"Write {languages.normal(language)!r}."
            yield ("text", language), f"{language!r} is not how the language is written here.", hint
        yield from _known_words(("text", language), words, _WORDS, "field")
        yield from _known_words(("text", language, "stages"), words.get("stages", {}), stages, "stage")
        yield from _known_words(("text", language, "questions"), words.get("questions", {}), questions, "question")
        yield from _known_words(("text", language, "groups"), words.get("groups", {}), protocol.groups, "group")
    english = protocol.text["en"].get("questions", {})
    for _, question in protocol.questions:
        if question.id not in english:
            what = f"The question {question.id!r} has no English words."
            yield ("text", "en"), what, f"Add [text.en.questions.{question.id}]."
        elif isinstance(question, Scale) and question.marks:
            marks = english[question.id].get("marks", {})
            for mark in question.marks:
                if f"{mark:g}" not in marks:
                    place: Place = ("text", "en", "questions", question.id)
                    what = f"The mark {mark:g} of {question.id!r} has no English words."
                    yield place, what, f"Add [text.en.questions.{question.id}.marks]."


def _known_words(place: Place, words: Iterable[str], names: Sequence[str], kind: str) -> Iterator[Problem]:
    for name in words:
        if name not in names:
            yield (*place, name), f"Words for {name!r}, which is no {kind}.", did_you_mean(name, names)
