"""Studies whose data was never released, played with judges of known truth through a real campaign.

Everything but the judges is real: the protocol, the design, the checks of answers, the store, the analysis. A value is
recovered if the interval around its estimate holds the truth. Nothing here says anything about the papers' own numbers.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, reduce
from pathlib import Path
from random import Random

import numpy as np

from lanner import campaign
from lanner.campaign import Submission
from lanner.errors import LannerError
from lanner.model import Item, Json, Judge, Protocol
from lanner.protocols.answers import applicable
from lanner.stats.resample import Array
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


# Judges whose agreement is known before they answer, and what every coefficient must then come to.
#
# An item has a true answer, drawn from `shares`. A judge gives it with probability `reliability` and otherwise any of
# the answers, all alike. So the chance that two judges give answers a and b is Σₜ πₜ m(a|t) m(b|t), with m(a|t) = r·[a
# = t] + (1 − r)/k, and every coefficient follows from that table.


@dataclass(frozen=True)
class Answering:
    """How answers to one question come about: the true ones by `shares`, found with `reliability`."""

    labels: tuple[str, ...]
    shares: tuple[float, ...]
    reliability: float

    def __post_init__(self) -> None:
        if len(self.labels) != len(self.shares) or abs(sum(self.shares) - 1) > 1e-9:
            raise LannerError(f"The shares of {', '.join(self.labels)} do not add up to 1, one for each.")

    def truth(self, rng: Random) -> str:
        return rng.choices(self.labels, self.shares)[0]

    def answer(self, truth: str, rng: Random) -> str:
        return truth if rng.random() < self.reliability else rng.choice(self.labels)

    @property
    def given(self) -> Array:
        """true answer × answer given: how often."""
        k = len(self.labels)
        return self.reliability * np.eye(k) + (1 - self.reliability) / k

    @property
    def joint(self) -> Array:
        """How often two judges give each pair of answers to one item."""
        return np.asarray(np.einsum("t,ta,tb->ab", np.array(self.shares), self.given, self.given))


def together(tables: Sequence[Array]) -> Array:
    """The joint table of items of several kinds, as many of each."""
    return np.asarray(reduce(np.add, tables) / len(tables))


def collapsed(joint: Array, groups: Sequence[Sequence[int]]) -> Array:
    """The joint table after answers are taken together."""
    marks = np.array([[float(k in group) for k in range(len(joint))] for group in groups])
    return np.asarray(marks @ joint @ marks.T)


def coefficient(joint: Array, statistic: str, *, weights: str = "", level: str = "nominal") -> float:
    """What a coefficient comes to with so many items that chance plays no part."""
    shares = joint.sum(axis=1)
    if statistic == "percent":
        return float(np.trace(joint))
    distance = _distance(shares, weights, level)
    apart, by_chance = float((joint * distance).sum()), float((np.outer(shares, shares) * distance).sum())
    return 1 - apart / by_chance


def _distance(shares: Array, weights: str, level: str) -> Array:
    """How far apart two answers are: in weighted κ by their places, in ordinal α by how many answers lie between."""
    k = len(shares)
    place = np.arange(k)
    if weights:
        return np.asarray(np.abs(place[:, None] - place[None, :]) ** {"linear": 1.0, "quadratic": 2.0}[weights])
    if level == "ordinal":
        middle = np.cumsum(shares) - shares / 2
        return np.asarray((middle[:, None] - middle[None, :]) ** 2)
    return 1 - np.eye(k)
