"""Free tasks for whoever comes first."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from design_setups import corpus, people, protocol
from lanner import campaign, designs, protocols
from lanner.store import Store

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


def test_in_a_campaign_a_judge_gets_every_task_once_and_no_pair_again_with_its_sides_changed(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "lanner.db")
    try:
        for name, protocol, tasks in (("pairs", "ranking_ds", 3), ("sentences", "ranking_rs", 4)):
            options = {"judges_per_document": 2, "sentences_per_task": 3}
            campaign.create(store, name, corpus([4] * 3), protocol, people(2), design="pool", options=options)
            campaign.open(store, name)
            for judge in ("j0", "j1"):
                seen = []
                while task := campaign.next_task(store, name, judge):
                    for place, item in enumerate(task.items):
                        seen.append((item.document, item.segment))
                        question = protocol
                        campaign.submit(store, task.id, place, {question: [1, 2]}, submission=f"{task.id} {place}")
                    campaign.finish(store, task.id)
                assert len(seen) == len(set(seen)) == (3 if name == "pairs" else 12)
                assert len(campaign.tasks(store, name, judge)) == tasks
    finally:
        store.close()
