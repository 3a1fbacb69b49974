"""A protocol as a person would read it: what is asked, of what, shown how, scored how, in their own language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from lanner.model import (
    Analysis,
    Choice,
    Condition,
    Grid,
    Labels,
    Number,
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
from lanner.protocols.wording import Wording, Words

_UNITS = {
    Unit.ISOLATED: "isolated sentences",
    Unit.IN_CONTEXT: "sentences in their document",
    Unit.DOCUMENT: "whole documents",
    Unit.JUDGE: "the judge",
}
_OBJECTS = {
    Object.NONE: "",
    Object.SOURCE: ", the source alone",
    Object.OUTPUT: ", one translation at a time",
    Object.OUTPUTS: ", translations side by side",
}
_ALL = 1000


def describe(protocol: Protocol, language: str = "en") -> str:
    """The protocol as Markdown that reads well as plain text."""
    return "\n".join(lines(protocol, language)).strip() + "\n"


def lines(protocol: Protocol, language: str = "en") -> Iterator[str]:
    """The same, line by line."""
    words = Wording(protocol, language)
    yield f"# {words.title}"
    yield from ("", words.line("summary"))
    facts = [protocol.label, f"hash {protocol.hash}", protocol.citation]
    facts += [f"extends {protocol.extends}"] if protocol.extends else []
    yield from ("", " · ".join(filter(None, facts)))
    for heading, key in (("When to use it", "when_to_use"), ("What judges are told", "instructions")):
        if text := words.line(key):
            yield from ("", f"## {heading}", "", text)
    for stage in protocol.stages:
        yield from _stage(protocol, stage, words)
    if protocol.scores:
        yield from ("", "## Scores", "")
        yield from (_score(score) for score in protocol.scores)
    if protocol.analyses:
        yield from ("", "## Analysis plan", "")
        yield from _analyses(protocol.analyses)


def _stage(protocol: Protocol, stage: Stage, words: Wording) -> Iterator[str]:
    yield from ("", f"## {words.stage(stage.id) or stage.id.replace('_', ' ').capitalize()}", "")
    minutes = stage.minutes_per_item or protocol.minutes(stage.page_id)
    yield f"Asked about {_UNITS[stage.unit]}{_OBJECTS[stage.object]}; about {minutes:g} min each."
    yield from _shown(stage)
    if instructions := words.stage(stage.id, "instructions"):
        yield from ("", instructions)
    for question in stage.questions:
        yield ""
        yield from _question(question, words, protocol)


def _shown(stage: Stage) -> Iterator[str]:
    if stage.unit is not Unit.JUDGE:
        if stage.unit is Unit.IN_CONTEXT:
            yield f"Context: {_context(stage)}."
        order = "in chance order" if stage.shuffled else "in the order of the text"
        hidden = () if stage.object in (Object.OUTPUT, Object.OUTPUTS) else ("target",)
        yield f"Shown: {', '.join(name for name in stage.show if name not in hidden)}; {order}."
    for name, factor in (("Scenario", stage.scenario), ("Arm", stage.arm), ("Only for", stage.role)):
        if factor:
            yield f"{name}: {factor.replace('_', ' ')}."
    if stage.when:
        yield f"Asked only if {_condition(stage.when)}."
    if stage.promotion:
        rule = stage.promotion
        among = f" of the same {rule.per.replace('_', ' ')}" if rule.per else ""
        sure = "; the organiser confirms the list" if rule.confirmed_by_organiser else ""
        answered = f"{rule.question}: {' or '.join(rule.is_)}"
        yield f"Only where more than {rule.more_than:.0%} of the judges{among} answered {answered}{sure}."
    if stage.gate:
        yield f"Nothing further opens unless {_condition(stage.gate)}."


def _context(stage: Stage) -> str:
    around = stage.context
    if around.whole_up_to >= _ALL:
        return "the whole document"
    window = f"{around.before} sentences before and {around.after} after"
    window += ", which can be opened further" if around.can_open else ""
    return f"the whole document up to {around.whole_up_to} sentences, else {window}" if around.whole_up_to else window


def _question(question: Question, words: Wording, protocol: Protocol) -> Iterator[str]:
    said = words.question(question.id)
    need = "" if question.required else ", optional"
    yield f"### {said.label} ({question.id}{need})"
    yield ""
    if said.help:
        yield f"Beside it: {said.help}."
    if said.definition:
        yield said.definition
    if question.for_each:
        yield f"Repeated for each label chosen in {question.for_each}."
    if question.when:
        yield f"Asked only if {_condition(question.when)}."
    yield _kind(question, said)
    match question:
        case Scale():
            yield from (f"- {mark:g}: {words.mark(question.id, mark)}" for mark in question.marks)
        case Grid():
            yield from _options(question.id, question.rows, words, protocol.groups)
            yield "Each with one of:"
            yield from _options(question.id, question.options, words)
        case Spans():
            yield from _options(question.id, question.categories, words)
            if question.severities:
                yield "Severity:"
                yield from _options(question.id, question.severities, words)
        case Choice() | Labels():
            yield from _options(question.id, question.options, words, protocol.groups)
        case Number() | Rank() | Text():
            return
        case _:
            assert_never(question)


def _kind(question: Question, said: Words) -> str:
    match question:
        case Scale():
            ends = f" ({said.low} – {said.high})" if said.low or said.high else ""
            step = "continuous" if not question.step else f"in steps of {question.step:g}"
            better = {"higher_is_better": ", more is better", "lower_is_better": ", less is better", "neutral": ""}
            return f"A scale from {question.min:g} to {question.max:g}{ends}, {step}{better[question.direction]}."
        case Number():
            return "A whole number." if question.integer else "A number."
        case Choice():
            return "One of:"
        case Labels():
            counted = ", each as often as it occurs" if question.counts else ""
            return f"{_how_many(question)}{counted}:"
        case Grid():
            start = f", starting at {question.preselected}" if question.preselected else ""
            return f"One answer for each of {len(question.rows)} rows{start}:"
        case Spans():
            extra = [
                name for name, on in (
                    ("marks for missing text", question.missing),
                    ("links to other places", question.link),
                    ("some already marked", question.prefilled),
                ) if on
            ]  # fmt: skip
            more = f" ({', '.join(extra)})" if extra else ""
            return f"Marks in the {' and the '.join(question.sides)}, any number, also none{more}."
        case Rank():
            return "Which is better; ties are allowed." if question.ties else "Which is better; no ties."
        case Text():
            return "Free text."
        case _:
            assert_never(question)


def _how_many(question: Labels) -> str:
    if question.max == question.min:
        return f"Exactly {question.min} of"
    if question.max is None:
        return f"At least {question.min} of" if question.min else "Any of"
    return f"{question.min} to {question.max} of"


def _options(question: str, options: Sequence[Option], words: Wording, groups: Sequence[str] = ()) -> Iterator[str]:
    order = sorted(options, key=lambda o: groups.index(o.group) if o.group in groups else -1) if groups else options
    group = None
    for option in order:
        if groups and option.group and option.group != group:
            group = option.group
            yield f"*{words.group(group).label}*"
        said = words.option(question, option.id)
        value = f" = {option.value:g}" if option.value is not None else ""
        indent = "  " if option.parent else ""
        ends = f" ({said.low} – {said.high})" if said.low or said.high else ""
        more = f": {said.definition}" if said.definition else ""
        yield f"{indent}- {said.label}{value}{ends}{more}"


def _condition(condition: Condition) -> str:
    parts = []
    if condition.is_:
        parts.append(f"is {' or '.join(condition.is_)}")
    if condition.is_not:
        parts.append(f"is not {' or '.join(condition.is_not)}")
    if condition.at_least is not None:
        parts.append(f"is at least {condition.at_least:g}")
    if condition.at_most is not None:
        parts.append(f"is at most {condition.at_most:g}")
    return f"{condition.question} {' and '.join(parts)}"


def _score(score: Score) -> str:
    when = f", where {_condition(score.when)}" if score.when else ""
    weights = score.options.get("weights", ())
    how = [
        f"{'/'.join(filter(None, (w.get('category'), w.get('severity')))) or 'any'} {w['weight']:g}" for w in weights
    ]
    rest = [f"{name} {value}" for name, value in score.options.items() if name != "weights"]
    detail = "; ".join([*how, *rest])
    return f"- {score.id}: {score.rule.replace('_', ' ')} of {score.question}{when}{f' ({detail})' if detail else ''}"


def _analyses(analyses: Sequence[Analysis]) -> Iterator[str]:
    by_statistic: dict[str, list[str]] = {}
    for analysis in analyses:
        options = ", ".join(f"{name} {value}" for name, value in analysis.options.items())
        name = f"{analysis.statistic}{f' ({options})' if options else ''}"
        by_statistic.setdefault(name, []).append(analysis.of)
    return (f"- {name}: {', '.join(of)}" for name, of in by_statistic.items())
