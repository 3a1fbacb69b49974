from __future__ import annotations

import asyncio
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from lanner import campaign
from lanner.campaign import SaveQueue, Submission
from lanner.errors import AnswerError, CampaignError, StoreError
from lanner.store import CollisionError, Store
from lanner.web.site import Settings, Site
from web_clients import complete, enter, open_campaign, save, sign_in

SUBMIT = sys.modules[SaveQueue.__module__]


def test_what_was_begun_is_finished_before_closing(store: Store) -> None:
    site = Site(store, Settings())
    done: list[int] = []

    async def work() -> None:
        writes = [asyncio.create_task(site.write(lambda: done.append(1))) for _ in range(8)]
        await asyncio.sleep(0)  # the tasks hand their work over
        await site.close()
        await asyncio.gather(*writes)

    asyncio.run(work())
    assert done == [1] * 8


def test_reads_do_not_wait_for_writes(store: Store) -> None:
    site = Site(store, Settings())
    release = threading.Event()

    async def work() -> str:
        held = asyncio.create_task(site.write(release.wait))
        answer = await site.read(lambda: "read")
        release.set()
        await held
        await site.close()
        return answer

    assert asyncio.run(work()) == "read"


def given(store: Store, number: int, value: int = 5, name: str = "") -> Submission:
    task = campaign.tasks(store, "trial", "J1")[0].id
    return Submission(task, number % 3, {"holistic": value}, name or f"submission-{number}")


def run(store: Store, submissions: list[Submission], writers: ThreadPoolExecutor | None = None) -> list[object]:
    async def work() -> list[object]:
        intake = SaveQueue(store, writers or ThreadPoolExecutor(1))
        return await asyncio.gather(*(intake.submit(each) for each in submissions), return_exceptions=True)

    return asyncio.run(work())


def test_many_at_once_share_transactions_and_all_are_stored(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    open_campaign(store)
    sizes: list[int] = []
    really = campaign.submit_many

    def counted(store: Store, submissions: list[Submission], **more: object) -> object:
        sizes.append(len(submissions))
        return really(store, submissions, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(SUBMIT, "submit_many", counted)
    found = run(store, [given(store, number, 1 + number % 10) for number in range(40)])
    assert all(isinstance(each, tuple) and each[0].ids for each in found)
    assert len(sizes) < 40
    assert len(campaign.history(store, "trial")) == 40


def test_what_is_refused_does_not_hold_up_the_rest(store: Store) -> None:
    open_campaign(store)
    good, bad = given(store, 0), given(store, 1, 99)
    stranger = Submission(good.task, 2, {"holistic": 3}, "stranger-submission", judge="J2")
    found = run(store, [good, bad, stranger, given(store, 4)])
    assert [type(each) for each in found] == [tuple, AnswerError, CampaignError, tuple]
    assert len(campaign.history(store, "trial")) == 2


def test_one_that_collides_does_not_take_the_others_along(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    open_campaign(store)

    def collide(store: Store, submissions: list[Submission], **options: Any) -> Any:
        if len(submissions) > 1:
            raise CollisionError("two wanted the same row")
        return submit_many(store, submissions, **options)

    submit_many = campaign.submit_many
    monkeypatch.setattr(SUBMIT, "submit_many", collide)
    used = given(store, 0, name="the-same-name")
    again = Submission(used.task, 1, {"holistic": 2}, "the-same-name")
    found = run(store, [used, again, given(store, 5)])
    assert isinstance(found[0], tuple)
    assert isinstance(found[1], CampaignError) and found[1].code == "reused"
    assert isinstance(found[2], tuple)


def test_a_database_that_is_away_is_told_to_everyone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    open_campaign(store)
    first, second = given(store, 0), given(store, 1)

    def away(*_: object, **__: object) -> None:
        raise StoreError("away")

    monkeypatch.setattr(SUBMIT, "submit_many", away)
    assert [type(each) for each in run(store, [first, second])] == [StoreError, StoreError]


def test_one_who_has_gone_is_stored_all_the_same(store: Store) -> None:
    open_campaign(store)
    writers = ThreadPoolExecutor(1)
    release = threading.Event()
    submission = given(store, 0)

    async def work() -> None:
        writers.submit(release.wait)
        intake = SaveQueue(store, writers)
        leaving = asyncio.create_task(intake.submit(submission))
        await asyncio.to_thread(lambda: None)
        leaving.cancel()
        release.set()
        assert intake._writing is not None
        await intake._writing

    asyncio.run(work())
    assert len(campaign.history(store, "trial")) == 1


def test_trouble_with_the_disk_is_told_until_a_save_works_again(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = open_campaign(store)
    task = enter(client, secrets["J1"])[0]
    sign_in(client, store)

    def full(*_: object, **__: object) -> None:
        raise StoreError("The disk is full, so nothing was saved.", next_step="Make room, then try again.")

    with monkeypatch.context() as without_room:
        without_room.setattr(SUBMIT, "submit_many", full)
        refused = save(client, task, 0, complete())
        assert refused.status_code == 503
        assert "kept on this device" in refused.json()["next"]
        assert client.get("/readyz").status_code == 503
        page = client.get("/campaigns").text
        assert "The disk is full" in page and "Make room" in page
        assert "The disk is full" in client.get("/campaigns/trial").text
    assert save(client, task, 0, complete()).status_code == 200
    assert client.get("/readyz").status_code == 200
    assert "The disk is full" not in client.get("/campaigns").text
    assert 'id="trouble" hidden' in client.get("/campaigns/trial").text, "an open page can be told later"
