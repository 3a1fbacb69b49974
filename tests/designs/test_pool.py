"""Free tasks for whoever comes first."""

from __future__ import annotations

import numpy as np

from design_setups import corpus, people, protocol
from lanner import designs, protocols

PAIRS = protocol({"unit": "document", "object": "outputs"})


def test_every_document_comes_once_before_any_comes_again() -> None:
    rng = np.random.default_rng(2)
    tasks = designs.assign(
        "pool", corpus([1] * 6), people(3), PAIRS, rng=rng, systems=["m0", "m1"], judges_per_document=2
    )
    assert {task.judge for task in tasks} == {""}
    documents = [task.items[0].document for task in tasks]
    assert sorted(documents[:6]) == sorted(documents[6:]) == [f"d{n}" for n in range(6)]
    left = {(task.items[0].document, task.items[0].systems[0]) for task in tasks}
    assert len(left) == 12, "whoever judges second sees the other output on the left"


def test_consent_is_asked_of_each_judge() -> None:
    asked = protocols.compose(protocols.load("da"), before=[protocols.load("consent")])
    rng = np.random.default_rng(2)
    tasks = designs.assign("pool", corpus([1, 1]), people(2), asked, rng=rng, systems=["m0"])
    assert [(task.judge, task.page) for task in tasks] == [
        ("j0", "consent"), ("j1", "consent"), ("", "rating"), ("", "rating"),
    ]  # fmt: skip
