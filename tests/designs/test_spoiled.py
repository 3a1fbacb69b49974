"""One spoiled form per item, whoever sees it."""

from __future__ import annotations

import numpy as np

from lanner import protocols
from lanner.designs._spoiled import Spoiled
from lanner.model import Document, Item, Role, Segment

LONG = "one two three four five six seven eight nine ten"
TEXTS = [
    Document(d, (Segment("1", "…", {"a": LONG, "b": LONG.upper()}), Segment("2", "…", {"a": "x y z", "b": "X"})))
    for d in "pq"
]


def spoiled(kind: str, name: str = "ranking_rs") -> Spoiled:
    return Spoiled(TEXTS, protocols.load(name).stages, kind, np.random.default_rng(1))


def test_the_spoiled_output_is_the_same_on_either_side() -> None:
    made = spoiled("shuffled")
    left, right = (made.item(Item("p", "1", systems)) for systems in (("a", "b"), ("b", "a")))
    assert left.texts == right.texts and left.role is Role.CONTROL
    (system,) = left.texts
    assert left.expected["ranking_rs"]["worst"] == left.systems.index(system)
    assert right.expected["ranking_rs"]["worst"] == right.systems.index(system)


def test_what_can_be_spoiled() -> None:
    assert spoiled("shuffled").possible(("p", "1", "a", "b"))
    assert not spoiled("shuffled").possible(("p", "2", "a", "b"))
    assert spoiled("swapped").possible(("p", "2", "a", "b"))
    lonely = Spoiled(TEXTS[:1], protocols.load("da_document").stages, "swapped", np.random.default_rng(1))
    assert not lonely.possible(("p", "", "a"))


def test_swapped_and_degraded() -> None:
    ((system, text),) = spoiled("swapped").item(Item("p", "1", ("a", "b"))).texts.items()
    assert text == {"a": "x y z", "b": "X"}[system]
    item = spoiled("degraded", "da").item(Item("p", "1", ("a",)))
    assert item.expected == {"score": {"below_original": True}}
    assert sum(word in "xyz" for word in item.texts["a"].split()) == 3
