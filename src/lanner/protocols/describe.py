"""A protocol as a person would read it: what is asked, of what, shown how, scored how, in their own language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lanner import registry
from lanner.model import Analysis, Condition, Object, Protocol, Question, Score, Stage, Unit
from lanner.model.protocol import Wording
from lanner.protocols.kinds import kind_of
from lanner.protocols.worked_examples import teaching

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


EXPECTED_AGREEMENT: Mapping[str, Mapping[str, str]] = registry.table("protocols.agreement.expected")
"""What agreement has been seen, by protocol: `short` with its `source`, and in words (`seen`, `from`, `note`)."""


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
    if sources := words.sources:
        yield from ("", "## Where the words come from", "")
        yield from (f"- {what}: {source}" for what, source in sources.items())
    for stage in protocol.stages:
        yield from _stage(protocol, stage, words)
    yield from _examples(protocol, language)
    if protocol.scores:
        yield from ("", "## Scores", "")
        yield from (_score(score) for score in protocol.scores)
    if protocol.analyses:
        yield from ("", "## Analysis plan", "")
        yield from _analyses(protocol.analyses)


def _examples(protocol: Protocol, language: str) -> Iterator[str]:
    lesson = teaching(protocol)
    examples = lesson.in_languages(f"en-{language}")
    if not examples:
        return
    yield from ("", "## Worked examples")
    for number, step in enumerate(lesson.steps(language), start=1):
        yield from ("", f"{number}. {step}")
    for example in examples:
        before = f"({example.source_before}) " if example.source_before else ""
        yield from ("", f"> {before}{example.source}")
        yield from (f"> → {target}" for target in example.targets)
        yield ""
        right = "; ".join(f"{label}: {answer}" for label, answer in example.right_in_words(protocol, language))
        wrong = "; ".join(f"{label}: {answer}" for label, answer in example.wrong_in_words(protocol, language))
        yield f"✓ {right}" + (f"  ✗ {wrong}" if wrong else "")
        yield from ("", example.explain(language))


def _stage(protocol: Protocol, stage: Stage, words: Wording) -> Iterator[str]:
    yield from ("", f"## {words.stage(stage.id) or stage.id.replace('_', ' ').capitalize()}", "")
    minutes = stage.minutes_per_item or protocol.minutes(stage.page_id)
    yield f"Asked about {_UNITS[stage.unit]}{_OBJECTS[stage.object]}; about {minutes:g} min each."
    yield from _describe_stage(stage)
    if instructions := words.stage(stage.id, "instructions"):
        yield from ("", instructions)
    for question in stage.questions:
        yield ""
        yield from _question(question, words, protocol)


def _describe_stage(stage: Stage) -> Iterator[str]:
    if stage.unit is not Unit.JUDGE:
        if stage.unit is Unit.IN_CONTEXT:
            yield f"Context: {_context(stage)}."
        order = "in chance order" if stage.shuffled else "in the order of the text"
        hidden_columns = () if stage.object in (Object.OUTPUT, Object.OUTPUTS) else ("target",)
        yield f"Shown: {', '.join(name for name in stage.show if name not in hidden_columns)}; {order}."
    for name, factor in (("Scenario", stage.scenario), ("Arm", stage.arm), ("Only for", stage.role)):
        if factor:
            yield f"{name}: {factor.replace('_', ' ')}."
    if stage.when:
        yield f"Asked only if {condition_in_words(stage.when)}."
    if stage.promotion:
        rule = stage.promotion
        among = f" of the same {rule.per.replace('_', ' ')}" if rule.per else ""
        sure = "; the organiser confirms the list" if rule.confirmed_by_organiser else ""
        answer = f"{rule.question}: {' or '.join(rule.is_)}"
        yield f"Only where more than {rule.more_than:.0%} of the judges{among} answered {answer}{sure}."
    if stage.gate:
        yield f"Nothing further opens unless {condition_in_words(stage.gate)}."


def _context(stage: Stage) -> str:
    around = stage.context
    if around.is_whole:
        return "the whole document"
    window = f"{around.before} sentences before and {around.after} after"
    window += ", which can be opened further" if around.can_open else ""
    return f"the whole document up to {around.whole_up_to} sentences, else {window}" if around.whole_up_to else window


def _question(question: Question, wording: Wording, protocol: Protocol) -> Iterator[str]:
    words = wording.question(question.id)
    need = "" if question.required else ", optional"
    yield f"### {words.label} ({question.id}{need})"
    yield ""
    if words.help:
        yield f"Beside it: {words.help}."
    if words.definition:
        yield words.definition
    if question.for_each:
        yield f"Repeated for each label chosen in {question.for_each}."
    if question.when:
        yield f"Asked only if {condition_in_words(question.when)}."
    kind = kind_of(question)
    yield kind.describe(question, words)
    yield from kind.describe_choices(question, wording, protocol.groups)


def condition_in_words(condition: Condition) -> str:
    """Of which answers something depends, by their ids."""
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
    when = f", where {condition_in_words(score.when)}" if score.when else ""
    weights = score.options.get("weights", ())
    how = [
        f"{'/'.join(filter(None, (w.get('category'), w.get('severity')))) or 'any'} {w['weight']:g}" for w in weights
    ]
    rest = [
        f"{name} {', '.join(map(str, value)) if isinstance(value, list | tuple) else value}"
        for name, value in score.options.items()
        if name != "weights"
    ]
    detail = "; ".join([*how, *rest])
    return f"- {score.id}: {score.rule.replace('_', ' ')} of {score.question}{when}{f' ({detail})' if detail else ''}"


def _analyses(analyses: Sequence[Analysis]) -> Iterator[str]:
    by_statistic: dict[str, list[str]] = {}
    for analysis in analyses:
        options = ", ".join(f"{name} {value}" for name, value in analysis.options.items())
        name = f"{analysis.statistic}{f' ({options})' if options else ''}"
        by_statistic.setdefault(name, []).append(analysis.of)
    return (f"- {name}: {', '.join(of)}" for name, of in by_statistic.items())
