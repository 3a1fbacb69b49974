"""A small adaptive campaign whose truth is known, and judges who report it."""

from __future__ import annotations

import zlib

import numpy as np

from campaign_parts import NOW
from lanner import campaign
from lanner.analysis.economy import look_if_due
from lanner.model import Campaign, Document, Judge, Role, Segment, Task
from lanner.protocols import load
from lanner.store import Store

QUALITY = {"alder": 40.0, "birch": 60.0, "cedar": 62.0}
JUDGES = (Judge("ana"), Judge("bo"), Judge("cy"))


def output(system: str, segment: int, document: int) -> str:
    return (
        f"What {system} wrote for sentence {segment} of the long text number {document} in this small corpus, which "
        "goes on with several more words so that its middle can be put into another order by chance alone."
    )


def texts(documents: int = 20) -> list[Document]:
    rng = np.random.default_rng(4)
    return [
        Document(
            f"d{number}",
            tuple(
                Segment(str(at), f"Source {at} of {number}.", {name: output(name, at, number) for name in QUALITY})
                for at in range(int(rng.integers(1, 4)))
            ),
            "en",
            "de",
        )
        for number in range(documents)
    ]


def score(document: str, segment: str, system: str) -> int:
    """The truth that simulated judges report: a quality, and noise that belongs to the sentence."""
    seed = zlib.crc32(f"{document} {segment} {system}".encode())
    noise = float(np.random.default_rng(seed).normal(0, 8))
    return int(np.clip(round(QUALITY[system] + noise), 0, 100))


def made(store: Store, documents: int = 20, name: str = "study", **options: object) -> Campaign:
    chosen = {"goal": "rank", **options}
    settings = chosen.pop("settings", {})
    judges = chosen.pop("judges", JUDGES)
    campaign.create(
        store,
        name,
        texts(documents),
        load("da"),
        judges,
        design="adaptive",
        seed=3,
        options=chosen,
        settings=settings,
        at=NOW,
    )
    return campaign.open(store, name, at=NOW)


def judge_task(store: Store, task: Task, spread: int = 0, *, looks: bool = True) -> None:
    question = next(q.id for _, q in load("da").questions)
    for at, item in enumerate(task.items):
        value = 5 if item.role is Role.CONTROL else score(item.document, item.segment, item.systems[0])
        value += zlib.crc32(f"{task.judge} {item}".encode()) % (spread + 1)
        campaign.submit(store, task.id, at, {question: value}, submission=f"t{task.id}-{at}", at=NOW, active=20.0)
    campaign.finish(store, task.id, at=NOW)
    if looks:
        look_if_due(store, "study")


def work(
    store: Store,
    judges: tuple[str, ...] = ("ana", "bo", "cy"),
    most: int = 10_000,
    spread: int = 0,
    *,
    looks: bool = True,
) -> int:
    """Judges take turns until nobody gets work. How many tasks were done. Without looks, which take most of the time,
    nothing is settled and every document has the same chance."""
    done = 0
    idle: set[str] = set()
    while len(idle) < len(judges) and done < most:
        for judge in judges:
            task = campaign.next_task(store, "study", judge)
            if task is None:
                idle.add(judge)
                continue
            judge_task(store, task, spread, looks=looks)
            done += 1
    return done
