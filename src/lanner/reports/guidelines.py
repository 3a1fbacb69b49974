"""The guidelines of a campaign as a versioned document: what was asked, every definition, what was added while it ran,
and worked examples from its own decisions. The version goes up with every note and every decision."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from lanner import campaign as campaigns
from lanner.campaign import adjudication as notes_of
from lanner.campaign.adjudication import ADJUDICATOR
from lanner.campaign.settings import local_time
from lanner.campaign.states import Reference
from lanner.model import Json, JudgeKind, Judgement, Protocol, Question, Role, Text, Unit
from lanner.model.protocol import Wording
from lanner.protocols.answers import in_one_order
from lanner.protocols.worked_examples import rule_in_words, teaching
from lanner.reports.parts import Block, Paragraph, Report, Section
from lanner.store import Store

_MOST_OTHERS = 4


@dataclass(frozen=True, slots=True)
class Decision:
    """One thing that was agreed: the sentence, what is right, what judges had answered before, and why."""

    document: str
    segment: str
    source: str
    outputs: Mapping[str, str]
    agreed: tuple[tuple[str, str], ...]
    before: tuple[tuple[str, str], ...]
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Guidelines:
    """The guidelines as they stand. `version` counts from 1; `digest` changes with any word of them."""

    title: str
    protocol: str
    version: int
    changed_at: datetime | None
    sections: tuple[tuple[str, tuple[str, ...]], ...]
    decisions: tuple[Decision, ...]
    language: str = "en"
    say: Callable[[str], str] = str
    """Puts the words around the texts into that language."""

    @property
    def digest(self) -> str:
        return hashlib.sha256("\n".join(self._lines()).encode()).hexdigest()[:12]

    @property
    def byline(self) -> str:
        say = self.say
        since = [say("changed {day}").format(day=f"{self.changed_at:%Y-%m-%d}")] if self.changed_at else []
        version = say("Version {n}").format(n=self.version)
        return " · ".join([version, *since, self.protocol, self.digest])

    def markdown(self) -> str:
        """The guidelines as Markdown."""
        return "\n".join([f"# {self.title}", "", self.byline, *self._lines()]).strip() + "\n"

    def report(self) -> Report:
        """The same as a page for print."""
        say = self.say
        sections = [
            Section(f"part-{place}", heading, [Paragraph(line, ours=False) for line in lines])
            for place, (heading, lines) in enumerate(self.sections, start=1)
        ]
        if self.decisions:
            lines = [line for decision in self.decisions for line in self._decision_lines(decision)]
            blocks: list[Block] = [Paragraph(line, ours=False) for line in lines]
            sections.append(Section("decisions", say("Decided in this campaign"), blocks))
        return Report(self.title, say("Guidelines"), self.byline, [], sections, self.language)

    def _lines(self) -> Iterator[str]:
        for heading, lines in self.sections:
            yield from ("", f"## {heading}")
            for line in lines:
                yield from ("", line)
        if self.decisions:
            yield from ("", f"## {self.say('Decided in this campaign')}")
            for decision in self.decisions:
                for line in self._decision_lines(decision):
                    yield from ("", line)

    def _decision_lines(self, decision: Decision) -> Iterator[str]:
        say = self.say
        place = f"{decision.document}, {decision.segment}" if decision.segment else decision.document
        yield f"**{decision.source or place}** ({place})"
        yield from (f"{system}: {text}" for system, text in decision.outputs.items())
        yield _named(say("Right: {answers}"), decision.agreed)
        if decision.before:
            yield _named(say("Before: {answers}"), decision.before)
        if decision.reason:
            yield say("Why: {reason}").format(reason=decision.reason)


def _named(words: str, answers: Iterable[tuple[str, str]]) -> str:
    """Answers with the names of their questions."""
    return words.format(answers="; ".join(f"{label}: {answer}" for label, answer in answers))


def campaign_guidelines(
    store: Store, campaign: Reference, *, language: str = "en", say: Callable[[str], str] = str
) -> Guidelines:
    """The guidelines of a campaign: its own or the protocol's, definitions, notes, and its decisions as examples. `say`
    puts the words around them into the `language`."""
    about = campaigns.get(store, campaign)
    protocol = campaigns.protocol(store, about.id)
    words = Wording(protocol, language)
    notes = notes_of.notes(about.settings)
    decisions = tuple(_decisions(store, about.id, protocol, language))
    own = str(about.settings.get("guidelines") or words.line("instructions"))
    sections: list[tuple[str, tuple[str, ...]]] = [(say("What you are asked to do"), tuple(_paragraphs(own)))]
    sections += list(dict.fromkeys(_definitions(protocol, words)))  # what is asked in several contexts reads the same
    if examples := tuple(_examples(protocol, language, say)):
        sections.append((say("Worked examples"), examples))
    if notes:
        sections.append((say("Added while the campaign runs"), tuple(str(note) for note in notes)))
    moments = [decision.at for decision in decisions] + [datetime.fromisoformat(note.at) for note in notes if note.at]
    changed_at = max(moments, default=about.opened_at)
    return Guidelines(
        about.title or about.name,
        protocol.label,
        1 + len(notes) + len(decisions),
        local_time(about.settings, changed_at) if changed_at else None,
        tuple(sections),
        decisions,
        language,
        say,
    )


def _paragraphs(text: str) -> Iterator[str]:
    return (part.strip() for part in text.split("\n\n") if part.strip())


def _definitions(protocol: Protocol, words: Wording) -> Iterator[tuple[str, tuple[str, ...]]]:
    """A part for each stage about texts: its instructions, questions, and what every answer means."""
    for stage in protocol.stages:
        if stage.unit is Unit.JUDGE:
            continue
        lines = list(_paragraphs(words.stage(stage.id, "instructions")))
        for question in stage.questions:
            lines += _question(question, words)
        yield words.stage(stage.id) or stage.id.replace("_", " ").capitalize(), tuple(lines)


def _question(question: Question, words: Wording) -> Iterator[str]:
    if isinstance(question, Text):
        return
    about = words.question(question.id)
    yield f"**{about.label}**" + (f" ({about.help})" if about.help else "")
    if about.definition:
        yield about.definition
    for option in question.choices:
        entry = words.option(question.id, option.id)
        if entry.definition:
            yield f"{entry.label}: {entry.definition}"


def _examples(protocol: Protocol, language: str, say: Callable[[str], str]) -> Iterator[str]:
    lesson = teaching(protocol)
    for example in lesson.in_languages(f"en-{language}"):
        right = _named(say("Right: {answers}"), example.right_in_words(protocol, language))
        targets = "".join(f" → {target}" for target in example.targets)
        yield f"**{example.source}**{targets} {right}. {example.explain(language)}"


def _decisions(store: Store, campaign: int, protocol: Protocol, language: str) -> Iterator[Decision]:
    """The latest decision about each unit, in the order of the texts. Judges are counted, never named."""
    reasons: dict[tuple[str, str, str], tuple[str, datetime]] = {}
    for event in campaigns.events(store, campaign):
        if event.kind == "settled":
            detail = event.detail
            systems = "|".join(sorted(str(detail["system"]).split("|")))
            key = (str(detail["document"]), str(detail["segment"]), systems)
            reasons[key] = (str(detail.get("note", "")), event.at)
    if not reasons:
        return
    people = {judge.id for judge in campaigns.judges(store, campaign) if judge.kind is not JudgeKind.MODEL}
    answers: dict[tuple[str, str, str], list[Judgement]] = {}
    for judgement in (in_one_order(protocol, entry) for entry in campaigns.judgements(store, campaign)):
        key = (judgement.document, judgement.segment, "|".join(judgement.systems))
        if key in reasons:
            answers.setdefault(key, []).append(judgement)
    for document in campaigns.documents(store, campaign):
        for segment_id, segment in [("", None), *((segment.id, segment) for segment in document)]:
            for key in [key for key in reasons if key[:2] == (document.id, segment_id)]:
                reason, at = reasons[key]
                judgements = answers.get(key, [])
                decisions = [j for j in judgements if j.judge == ADJUDICATOR.id and j.value is not None]
                names = [name for name in key[2].split("|") if name]
                yield Decision(
                    document.id,
                    segment_id,
                    segment.source if segment else document.title,
                    {name: segment.outputs[name] for name in names if name in segment.outputs} if segment else {},
                    tuple(_in_words(protocol, language, j.question, j.value) for j in decisions),
                    tuple(_others(protocol, language, decisions, judgements, people)),
                    reason,
                    at,
                )


def _in_words(protocol: Protocol, language: str, question: str, value: Json) -> tuple[str, str]:
    return rule_in_words(protocol, question, {"is": value}, language)


def _others(
    protocol: Protocol, language: str, decisions: list[Judgement], judgements: list[Judgement], people: set[str]
) -> Iterator[tuple[str, str]]:
    """What people had answered to the questions that were settled, and how many of them."""
    for decision in decisions:
        counts: Counter[str] = Counter()
        label = ""
        for other in judgements:
            counted = other.judge in people and other.judge != ADJUDICATOR.id and other.role is Role.MAIN
            if counted and other.question == decision.question and other.value is not None:
                label, answer = _in_words(protocol, language, other.question, other.value)
                counts[answer] += 1
        if counts:
            common = counts.most_common(_MOST_OTHERS)
            yield label, ", ".join(f"{answer} ({times})" for answer, times in common)
