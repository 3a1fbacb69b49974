"""What stands in the drawer of the judging page: definitions, guidelines and the keys that this page answers to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lanner.model import Unit
from lanner.web.judging.form import Ask, Pick
from lanner.web.page.speech import Messages


@dataclass(frozen=True, slots=True)
class Definition:
    """One term and what it means."""

    id: str
    term: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """Definitions that belong together; `tone` is the number of the group's colour."""

    title: str
    tone: int
    entries: tuple[Definition, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """One line of the list of keys; `through` is the last of a range that begins with the last of `keys`."""

    text: str
    keys: tuple[str, ...]
    through: str = ""


def paragraphs(text: str) -> tuple[str, ...]:
    """Text in paragraphs, as blank lines part it."""
    return tuple(" ".join(part.split()) for part in text.split("\n\n") if part.strip())


def definitions(questions: Sequence[Ask]) -> tuple[Section, ...]:
    """Every definition of a page: group by group, then question by question."""
    sections = []
    for ask in questions:
        own = (Definition(f"d-{ask.id}", ask.label, ask.definition),) if ask.definition else ()
        if ask.groups:
            sections += [Section(g.label, g.tone, _entries(ask, g.picks)) for g in ask.groups]
            sections.append(Section("", 0, own))
        else:
            entries = _entries(ask, (*ask.rows, *ask.options, *ask.severities))
            sections.append(Section(ask.label if entries else "", 0, own + entries))
    merged: list[Section] = []
    for section in sections:
        if section.entries and merged and not section.title and not merged[-1].title:
            merged[-1] = Section("", 0, merged[-1].entries + section.entries)
        elif section.entries:
            merged.append(section)
    return tuple(merged)


def _entries(ask: Ask, picks: Sequence[Pick]) -> tuple[Definition, ...]:
    return tuple(Definition(f"d-{ask.id}-{p.id}", p.label, p.definition) for p in picks if p.definition)


def keys(questions: Sequence[Ask], messages: Messages, *, unit: Unit) -> tuple[Key, ...]:
    """The keys of a page: first those of its questions, then those of every page but for letters a question has."""
    say = messages.get
    own = [key for ask in questions for key in _keys_of(ask, messages)]
    shortcuts: list[Key] = []
    if unit is not Unit.JUDGE:
        shortcuts += [Key(say("keys.rows"), ("j", "k")), Key(say("keys.arrows"), ("↓", "↑"))]
        shortcuts.append(Key(say("keys.inside"), ("←", "→")))
        shortcuts.append(Key(say("keys.page"), ("Page ↑", "Page ↓")))
    shortcuts += [Key(say("keys.accept"), ("↵",)), Key(say("keys.undo"), ("u",))]
    if unit is not Unit.JUDGE:
        shortcuts.append(Key(say("keys.find"), ("/",)))
    shortcuts += [
        Key(say("keys.definitions"), ("d",)),
        Key(say("keys.define"), ("i",)),
        Key(say("keys.guidelines"), ("g",)),
        Key(say("keys.comment_accept"), ("Ctrl", "↵")),
        Key(say("keys.finish"), ("f",)),
        Key(say("keys.escape"), ("Esc",)),
        Key(say("keys.help"), ("?",)),
    ]
    letters = {(ask.letter,) for ask in questions}
    return (*own, *(key for key in shortcuts if key.keys not in letters))


def coach(questions: Sequence[Ask], messages: Messages) -> tuple[Key, ...]:
    """What to press first, for a judge who sees the page for the first time: one line for each question that counts."""
    shortcuts: list[Key] = []
    for ask in questions:
        if ask.kind == "spans":
            shortcuts.append(Key(messages.get("practice.mark"), ("1",), "9"))
        elif ask.required:
            shortcuts += _keys_of(ask, messages)
    return tuple(shortcuts[:4])


def _keys_of(ask: Ask, messages: Messages) -> list[Key]:
    say = messages.get
    digits = [pick.key for pick in ask.options if pick.key and not pick.parent]
    if ask.kind == "spans":
        return [
            Key(say("keys.words"), ("←", "→")),
            Key(say("keys.widen"), ("Shift", "←", "→")),
            Key(say("keys.letters"), ("Alt",)),
            Key(say("keys.parts"), ("Ctrl", "←", "→")),
            Key(say("keys.ends"), ("Home", "End")),
            Key(say("keys.word"), ("w",)),
            *([Key(say("keys.side"), ("o",))] if len(ask.sides) > 1 or ask.missing else []),
            Key(say("keys.mark"), ("1",), "9"),
            Key(say("keys.menu"), ("Tab",)),
            *([Key(say("keys.keep"), ("y",))] if ask.prefilled else []),
            Key(say("keys.remove"), ("Del",)),
            Key(say("keys.remarks"), ("n",)),
            *([Key(say("keys.link"), ("l", "x"))] if ask.link else []),
        ]
    if ask.direct:
        picks = [row.key for row in ask.rows if row.key]
        rate = " ".join(pick.short or pick.label for pick in ask.options)
        return [Key(say("keys.pick"), (picks[0],), picks[-1]), Key(f"{ask.label}: {rate}", tuple(digits))]
    if not ask.letter:
        return []
    if ask.kind == "text":
        return [Key(say("keys.write", name=ask.label), (ask.letter,))]
    if ask.display in ("slider", "number") or not digits:
        return [Key(say("keys.type", name=ask.label), (ask.letter,))]
    last = "9, 0" if digits[-1] == "0" and len(digits) > 2 else digits[-1]
    range_of = f"{digits[0]}–{last}" if len(digits) > 1 else last
    return [Key(say("keys.arm", name=ask.label, keys=range_of), (ask.letter,))]
