"""Answers from a file on their way into a campaign: first looked at, then taken in whole or not at all."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from lanner import campaign as campaigns
from lanner import formats
from lanner.campaign import Imported
from lanner.campaign.imports import examine
from lanner.errors import InputError
from lanner.formats import Reading
from lanner.judges.replay import outputs, replay
from lanner.store import Store
from lanner.web.page.speech import say
from lanner.web.picture.told import Incoming

_MOST = 60


def look(store: Store, campaign: int, path: str, model: str = "") -> Incoming:
    """What a file would bring. Whatever is wrong with it is raised, with its line; nothing is stored. With `model` the
    file holds outputs of that model, one JSON object a line."""
    protocol = campaigns.protocol(store, campaign)
    if model:
        count: Counter[str] = Counter()
        for output in outputs(Path(path), protocol, campaigns.documents(store, campaign)):
            count.update(output.answers.keys())
        present = {judge.id for judge in campaigns.judges(store, campaign)}
        number = sum(count.values())
        mine = ((model, number, model in present),)
        return Incoming(say("outputs of a model"), number, mine, tuple(count.items()), 0, ())
    found, readings = _read(path)
    taken = [judgement for reading in readings for judgement in reading.judgements]
    checked = examine(store, campaign, taken)
    present = {judge.id for judge in campaigns.judges(store, campaign)}
    judges = Counter(judgement.judge for judgement in checked.judgements)
    questions = Counter(judgement.question for judgement in checked.judgements)
    notes = dict.fromkeys([*(note for reading in readings for note in reading.notes), *checked.notes])
    return Incoming(
        formats.titles().get(found, found),
        len(checked.judgements),
        tuple((name, number, name in present) for name, number in judges.most_common(_MOST)),
        tuple(questions.most_common()),
        sum(checked.flags.values()),
        tuple(notes),
    )


def bring(store: Store, campaign: int, path: str, model: str = "") -> Imported:
    """Take the answers in: all of them or none."""
    if model:
        return replay(store, campaign, Path(path), model)
    _, readings = _read(path)
    taken = [judgement for reading in readings for judgement in reading.judgements]
    people = {judge.id: judge for reading in readings for judge in reading.judges}
    return campaigns.import_judgements(store, campaign, taken, judges=list(people.values()))


def _read(path: str) -> tuple[str, list[Reading]]:
    try:
        found = formats.recognise(Path(path))
    except InputError as error:
        error.code = "unrecognised"
        raise
    readings = list(formats.read(Path(path), found))
    if not any(reading.judgements for reading in readings):
        raise InputError(
            say("There are no judgements in this file."), next_step=say("Texts are brought in under “New campaign”.")
        )
    return found, readings
