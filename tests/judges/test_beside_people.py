"""A model judge is one more judge wherever judges are shown: on the live page as in agreement and reports."""

from __future__ import annotations

import asyncio
from pathlib import Path

from lanner import campaign
from lanner.campaign import Submission
from lanner.model import Judge, JudgeKind
from lanner.store import Store
from lanner.web.updates import LiveUpdates
from model_campaign import corpus, judge, opened
from stub_server import Stub


def test_the_live_picture_has_people_and_models(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(3, 2), judges=[Judge("ana", name="Ana")])
        for task in campaign.tasks(store, number, "ana"):
            places = range(len(task.items))
            given = [Submission(task.id, place, {"score": 50}, f"a{task.id}-{place}") for place in places]
            campaign.submit_many(store, given)
        judge(store, number, Stub(), judge="tiny-model")

        async def look() -> str:
            live = LiveUpdates(store, process=False)
            try:
                return str(await live.snapshot(number, wait=60))
            finally:
                await live.close()

        seen = asyncio.run(look())
        assert "ana" in seen.casefold() and "tiny-model" in seen
        assert {j.id: j.kind for j in campaign.judges(store, number)} == {
            "ana": JudgeKind.PERSON, "tiny-model": JudgeKind.MODEL,
        }  # fmt: skip
        assert {part.name: part.share for part in campaign.progress(store, number).judges} == {
            "ana": 1.0, "tiny-model": 1.0,
        }  # fmt: skip
