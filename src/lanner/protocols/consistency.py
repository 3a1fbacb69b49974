"""What a protocol file must keep to beyond its shape: names that exist, bounds in order, words for everything."""

from __future__ import annotations

from collections.abc import Iterator

from lanner.errors import did_you_mean
from lanner.model import Grid, Labels, Object, Option, Protocol, Question, Rank, Scale, Spans, Stage, Unit
from lanner.protocols.scoring import RULES

Problem = tuple[tuple[str | int, ...], str, str]


def problems(protocol: Protocol) -> Iterator[Problem]:
    """Every mistake found: its place in the file, what it is, and a hint."""
    yield from _names(protocol)
    earlier: list[str] = []
    for number, stage in enumerate(protocol.stages):
        yield from _stage(protocol, number, stage, earlier)
    yield from _scores(protocol)
    yield from _words(protocol)


def _names(protocol: Protocol) -> Iterator[Problem]:
    seen: set[str] = set()
    for number, stage in enumerate(protocol.stages):
        for index, question in enumerate(stage.questions):
            if question.id in seen:
                yield (
                    ("stage", number, "question", index, "id"),
                    f"Two questions are called {question.id!r}.",
                    "Question ids are unique in a protocol; rename one.",
                )
            seen.add(question.id)
    for page, stages in protocol.pages.items():
        if len({(stage.unit, stage.object) for stage in stages}) > 1:
            yield ("stage",), f"The stages of page {page!r} differ in unit or object.", "Give them pages of their own."
        keys = [question.key for stage in stages for question in stage.questions if question.key]
        for key in {key for key in keys if keys.count(key) > 1}:
            yield ("stage",), f"Two questions of page {page!r} use the key {key!r}.", "Choose another letter for one."


def _stage(protocol: Protocol, number: int, stage: Stage, earlier: list[str]) -> Iterator[Problem]:
    place: tuple[str | int, ...] = ("stage", number)
    if (stage.unit is Unit.JUDGE) != (stage.object is Object.NONE):
        yield (*place, "object"), 'A questionnaire has unit "judge" and object "none", both or neither.', ""
    if stage.when and stage.when.question not in earlier:
        yield (
            (*place, "when"),
            f"`when` names {stage.when.question!r}, which is not asked before.",
            did_you_mean(stage.when.question, earlier),
        )
    if stage.promotion and stage.promotion.question not in earlier:
        yield (
            (*place, "promotion"),
            f"`promotion` names {stage.promotion.question!r}, which is not asked before.",
            did_you_mean(stage.promotion.question, earlier),
        )
    for index, question in enumerate(stage.questions):
        yield from _question((*place, "question", index), protocol, stage, question, earlier)
        earlier.append(question.id)


def _question(
    place: tuple[str | int, ...], protocol: Protocol, stage: Stage, question: Question, earlier: list[str]
) -> Iterator[Problem]:
    for reference, key in (
        (question.when.question if question.when else None, "when"),
        (question.for_each, "for_each"),
    ):
        if reference and reference not in earlier:
            yield (
                (*place, key),
                f"`{key}` names {reference!r}, which is not asked before.",
                did_you_mean(reference, earlier),
            )
    if question.for_each and question.for_each in earlier:
        found = protocol.find(question.for_each)
        if found and not isinstance(found[1], Labels):
            yield (*place, "for_each"), f"`for_each` needs a question of kind labels, not {found[1].kind}.", ""
    yield from _options(place, question)
    match question:
        case Scale() if question.min >= question.max:
            yield (*place, "min"), f"The scale's min {question.min:g} is not below its max {question.max:g}.", ""
        case Scale() if any(not question.min <= mark <= question.max for mark in question.marks):
            yield (*place, "marks"), "A mark lies outside the scale.", ""
        case Labels() if question.max is not None and question.min > question.max:
            yield (*place, "min"), f"min {question.min} is above max {question.max}.", ""
        case Rank() if stage.object is not Object.OUTPUTS:
            yield (*place, "kind"), 'A rank compares outputs: its stage needs object = "outputs".', ""
        case Spans() if "target" in question.sides and stage.object in (Object.SOURCE, Object.NONE):
            yield (*place, "sides"), "Spans on the target need a stage whose object is an output.", ""
        case _:
            pass


def _options(place: tuple[str | int, ...], question: Question) -> Iterator[Problem]:
    lists: tuple[tuple[Option, ...], ...] = (question.choices,)
    if isinstance(question, Grid):
        lists = (question.rows, question.options)
    elif isinstance(question, Spans):
        lists = (question.categories, question.severities)
    for options in lists:
        ids = [option.id for option in options]
        for name in {name for name in ids if ids.count(name) > 1}:
            yield place, f"The option {name!r} stands twice in {question.id!r}.", "Remove one."
        for option in options:
            if option.parent and option.parent not in ids:
                yield place, f"{option.id!r} has an unknown parent.", did_you_mean(option.parent, ids)
    if (
        isinstance(question, Labels)
        and question.exclusive
        and question.exclusive not in [o.id for o in question.options]
    ):
        yield (*place, "exclusive"), f"{question.exclusive!r} is none of the options.", ""
    if (
        isinstance(question, Grid)
        and question.preselected
        and question.preselected not in [o.id for o in question.options]
    ):
        yield (*place, "preselected"), f"{question.preselected!r} is none of the options.", ""


def _scores(protocol: Protocol) -> Iterator[Problem]:
    ids = [question.id for _, question in protocol.questions]
    for number, score in enumerate(protocol.scores):
        if score.question not in ids:
            yield (
                ("score", number, "question"),
                f"There is no question {score.question!r}.",
                did_you_mean(score.question, ids),
            )
        if score.rule not in RULES:
            yield (
                ("score", number, "rule"),
                f"There is no scoring rule {score.rule!r}.",
                did_you_mean(score.rule, RULES),
            )
    known = ids + [score.id for score in protocol.scores]
    for number, analysis in enumerate(protocol.analyses):
        if analysis.of not in known:
            what = f"There is no question or score {analysis.of!r}."
            yield ("analysis", number, "of"), what, did_you_mean(analysis.of, known)


def _words(protocol: Protocol) -> Iterator[Problem]:
    if "en" not in protocol.text:
        yield ("text",), "The protocol has no English texts.", "Add a table [text.en]; other languages are optional."
        return
    known = {question.id for _, question in protocol.questions}
    for language, words in protocol.text.items():
        for name in words.get("questions", {}):
            if name not in known:
                place = ("text", language, "questions", name)
                yield place, f"Words for {name!r}, which is no question.", did_you_mean(name, known)
    for question in sorted(known - set(protocol.text["en"].get("questions", {}))):
        yield ("text", "en"), f"The question {question!r} has no English words.", f"Add [text.en.questions.{question}]."
