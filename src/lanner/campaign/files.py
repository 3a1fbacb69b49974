"""Whole files into and out of a campaign: answers given elsewhere, looked at first; a complete copy of everything."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from lanner import formats
from lanner.campaign.cache import Reference
from lanner.campaign.imports import Imported, examine, import_judgements
from lanner.campaign.results import documents, get, history, judges, protocol
from lanner.errors import InputError
from lanner.formats import Reading
from lanner.store import Store

_MOST = 60


@dataclass(frozen=True, slots=True)
class Incoming:
    """What a file of answers would bring: judges with how many answers and whether they are known here, questions with
    how many, how many break a rule of the protocol."""

    format: str
    answers: int
    judges: tuple[tuple[str, int, bool], ...]
    questions: tuple[tuple[str, int], ...]
    flagged: int
    notes: tuple[str, ...]


def inspect_file(store: Store, campaign: Reference, path: Path) -> Incoming:
    """What a file of answers would bring. Whatever is wrong with it is raised, with its line; nothing is stored."""
    name, readings = _read(path)
    checked = examine(store, campaign, [entry for reading in readings for entry in reading.judgements])
    present = {judge.id for judge in judges(store, campaign)}
    by_judge = Counter(entry.judge for entry in checked.judgements)
    by_question = Counter(entry.question for entry in checked.judgements)
    notes = dict.fromkeys([*(note for reading in readings for note in reading.notes), *checked.notes])
    return Incoming(
        format=formats.titles().get(name, name),
        answers=len(checked.judgements),
        judges=tuple((judge, count, judge in present) for judge, count in by_judge.most_common(_MOST)),
        questions=tuple(by_question.most_common()),
        flagged=sum(checked.flags.values()),
        notes=tuple(notes),
    )


def import_file(store: Store, campaign: Reference, path: Path, *, account: int | None = None) -> Imported:
    """Take the answers of a file in: all of them or none."""
    _, readings = _read(path)
    answers = [entry for reading in readings for entry in reading.judgements]
    people = {judge.id: judge for reading in readings for judge in reading.judges}
    return import_judgements(store, campaign, answers, judges=list(people.values()), account=account)


def _read(path: Path) -> tuple[str, list[Reading]]:
    name = formats.recognise(path)
    readings = list(formats.read(path, name))
    if not any(reading.judgements for reading in readings):
        raise InputError(
            "There are no judgements in this file.",
            code="no_judgements",
            next_step="Texts are brought in with a new campaign.",
        )
    return name, readings


def write_copy(store: Store, campaign: Reference, path: Path) -> Path:
    """A complete copy: texts, judges, every answer ever given. Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    about = {"name": get(store, campaign).name, "protocol": protocol(store, campaign).name}
    texts, people = documents(store, campaign), judges(store, campaign)
    formats.write("native", path, texts, history(store, campaign), people, **about)
    return path
