"""Judges made of dice, for demonstrations and tests. They are called simulated wherever they appear.

The model, stated so that nobody mistakes it for people: every system has a quality, to which a document and a sentence
add effects of their own that all judges share. A judge shifts it by a severity. For each sentence there is also a
hidden consensus answer; on questions that are not scales a judge follows it with probability `reliability` (row by row
in a grid) and otherwise answers alone. Times are log-normal around the protocol's minutes per item.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from lanner import campaign
from lanner.campaign import Submission
from lanner.errors import LannerError
from lanner.model import Document, Grid, Item, Json, Protocol, Question, Scale
from lanner.protocols.answers import check, simulate_answer
from lanner.protocols.conditions import answer_page
from lanner.protocols.kinds.base import JudgedTexts
from lanner.store import Store

_DOCUMENT_EFFECT, _SENTENCE_EFFECT, _TIME_SPREAD = 0.05, 0.12, 0.5


@dataclass(frozen=True, slots=True)
class Temper:
    """What one simulated judge is like. `swaps` exchanges two labels, as someone does who has misread a definition."""

    severity: float = 0.0
    reliability: float = 0.7
    speed: float = 1.0
    swaps: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Simulation:
    """A world in which judges agree to a known degree. The same seed gives the same answers to the same items."""

    protocol: Protocol
    qualities: Mapping[str, float]
    seed: int = 0

    def answers(
        self,
        judge: str,
        temper: Temper,
        page: str,
        item: Item,
        document: Document,
        *,
        earlier: Mapping[str, Json],
    ) -> dict[str, Json]:
        """Valid answers of one judge to every question of a page about one item."""
        shared, own = self._dice(item, page), self._dice(item, page, judge)
        quality = self._quality(item, temper)
        texts = _texts(document, item)
        outputs = max(2, len(item.systems))

        def answer(question: Question, labels: Sequence[str]) -> Json:
            agreed, alone = (
                simulate_answer(question, rng=rng, texts=texts, chosen=labels, outputs=outputs, quality=quality)
                for rng in (shared, own)
            )
            raw = _mix(question, agreed, alone, temper, own)
            return check(question, raw, texts=texts, chosen=labels, outputs=outputs)

        return answer_page(self.protocol, page, earlier, answer)

    def seconds(self, judge: str, temper: Temper, item: Item) -> float:
        """How long this judge takes over this item."""
        usual = 60 * (self.protocol.minutes_per_item or 0.5) / temper.speed
        return round(usual * math.exp(self._dice(item, "time", judge).gauss(0, _TIME_SPREAD)), 1)

    def _quality(self, item: Item, temper: Temper) -> Sequence[float]:
        document = self._dice(Item(item.document), "document").gauss(0, _DOCUMENT_EFFECT)
        qualities = []
        for system in item.systems or ("",):
            sentence = self._dice(Item(item.document, item.segment, (system,)), "sentence").gauss(0, _SENTENCE_EFFECT)
            base = self.qualities.get(system, 0.6)
            qualities.append(min(1.0, max(0.0, base + document + sentence - temper.severity)))
        return qualities

    def _dice(self, item: Item, *about: str) -> Random:
        return dice(self.seed, item.document, item.segment, *item.systems, *about)


def dice(seed: int, *about: str) -> Random:
    """Random numbers that depend on the seed and on what they are about, on nothing else."""
    key = "\x1f".join((str(seed), *about))
    return Random(int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big"))


def _mix(question: Question, agreed: Json, alone: Json, temper: Temper, rng: Random) -> Json:
    if isinstance(question, Scale):
        return alone
    if isinstance(question, Grid) and isinstance(agreed, dict):
        return {row: agreed[row] if rng.random() < temper.reliability else alone[row] for row in agreed}
    value = agreed if rng.random() < temper.reliability else alone
    if temper.swaps and isinstance(value, str) and value in temper.swaps:
        return temper.swaps[1 - temper.swaps.index(value)]
    return value


def _texts(document: Document, item: Item) -> JudgedTexts | None:
    segment = document.segment(item.segment) if item.segment else None
    if segment is None:
        return None
    return JudgedTexts(segment.source, tuple(item.texts.get(name) or segment.text(name) or "" for name in item.systems))


def fill(
    store: Store,
    name: str | int,
    tempers: Mapping[str, Temper],
    qualities: Mapping[str, float],
    *,
    seed: int = 0,
    tasks: int | None = None,
    start: datetime | None = None,
) -> int:
    """Let simulated judges answer their tasks (the first `tasks` of each) by `campaign.submit`, like everybody.
    Returns how many items were answered. `start` is when their clocks begin."""
    protocol = campaign.protocol(store, name)
    documents = {document.id: document for document in campaign.documents(store, name)}
    world = Simulation(protocol, qualities, seed)
    answered = 0
    for judge, temper in tempers.items():
        clock = start
        for task in campaign.tasks(store, name, judge)[:tasks]:
            if task.finished_at:
                continue
            submissions = []
            for place, (item, earlier) in enumerate(zip(task.items, campaign.earlier(store, task.id), strict=True)):
                document = documents.get(item.document) or Document(item.document, ())
                answers = world.answers(judge, temper, task.page, item, document, earlier=earlier)
                seconds = world.seconds(judge, temper, item)
                clock = clock + timedelta(seconds=seconds) if clock else None
                name_of_it = f"simulated-{seed}-{task.id}-{place}"
                submissions.append(
                    Submission(task.id, place, answers, name_of_it, seconds, seconds, clock, None, judge)
                )
            hand_in(store, task.id, submissions, at=clock)
            answered += len(submissions)
    return answered


def hand_in(store: Store, task: int, submissions: Sequence[Submission], *, at: datetime | None = None) -> None:
    """Submit the answers of a whole task, and finish it."""
    for saved in campaign.submit_many(store, submissions, at=at):
        if isinstance(saved, LannerError):
            raise saved
    campaign.finish(store, task, at=at)
