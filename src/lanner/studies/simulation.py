"""Studies whose data was never released, played with judges of known truth through a real campaign.

Everything but the judges is real: the protocol, the design, the checks of answers, the store, the analysis. A value is
recovered if the interval around its estimate holds the truth. Nothing here says anything about the papers' own numbers.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random

from lanner import campaign
from lanner.campaign import Submission
from lanner.errors import LannerError
from lanner.model import Item, Json, Judge, Protocol
from lanner.protocols.answers import applicable
from lanner.store import Store

Answer = Callable[[Judge, str, Item], Json]
"""What a judge answers to a question about an item."""


@contextmanager
def passing_store() -> Iterator[Store]:
    """A store that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="lanner-") as folder, Store.open(Path(folder) / "study.sqlite") as store:
        yield store


def dice(seed: int, *about: str) -> Random:
    """Random numbers that depend on the seed and on what they are about, on nothing else."""
    key = "\x1f".join((str(seed), *about))
    return Random(int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big"))


def answer_all(store: Store, name: str, answer: Answer) -> int:
    """Let every judge answer every open task by `campaign.submit`. How many items."""
    protocol = campaign.protocol(store, name)
    count = 0
    for judge in campaign.judges(store, name):
        for task in campaign.tasks(store, name, judge.id):
            if task.finished_at:
                continue
            submissions = []
            for place, (item, earlier) in enumerate(zip(task.items, campaign.earlier(store, task.id), strict=True)):
                answers = _page(protocol, task.page, earlier, partial(_ask, answer, judge, item))
                submissions.append(Submission(task.id, place, answers, f"{task.id}-{place}", judge=judge.id))
            for result in campaign.submit_many(store, submissions):
                if isinstance(result, LannerError):
                    raise result
            campaign.finish(store, task.id)
            count += len(submissions)
    return count


def _ask(answer: Answer, judge: Judge, item: Item, question: str) -> Json:
    return answer(judge, question, item)


def _page(protocol: Protocol, page: str, earlier: Mapping[str, Json], ask: Callable[[str], Json]) -> dict[str, Json]:
    """Answers to every question of the page that applies; what is not asked for in the simulation stays open."""
    values, answers, names = dict(earlier), dict[str, Json](), set[str]()
    while pending := [q for _, q in applicable(protocol, page, values) if q.id not in names]:
        question = pending[0].id
        names.add(question)
        value = ask(question)
        if value is not None:
            answers[question] = values[question] = value
    return answers
