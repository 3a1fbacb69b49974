from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest
from starlette.testclient import TestClient

from lanner import campaign
from lanner.store import Store
from lanner.web import updates
from lanner.web.updates import LiveUpdates, Panels, SharedPanels
from web_clients import complete, open_campaign, sign_in


def run(store: Store, work: Callable[[LiveUpdates], Awaitable[None]], **options: bool) -> None:
    async def inside() -> None:
        live = LiveUpdates(store, **{"process": False, **options})
        try:
            await asyncio.wait_for(work(live), 60)
        finally:
            await live.close()

    asyncio.run(inside())


def save(store: Store, judge: str = "J1", item: int = 0) -> None:
    task = campaign.tasks(store, "trial", judge)[0].id
    campaign.submit(store, task, item, complete(), submission=f"{judge}{item}")


def test_a_picture_is_as_new_as_the_newest_judgement(store: Store) -> None:
    open_campaign(store)

    async def work(live: LiveUpdates) -> None:
        first = await live.snapshot(1, wait=30)
        assert first and first.stamp == 0
        assert await live.snapshot(1, wait=30) is first
        save(store)
        live._rested.clear()
        second = await live.snapshot(1, wait=30)
        assert second and second.stamp > 0

    run(store, work)


def test_all_who_ask_at_once_share_a_reading_that_begins_after_they_asked(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_campaign(store)
    read, go, begun = LiveUpdates.newest, threading.Event(), []

    def newest(live: LiveUpdates, campaign_id: int) -> updates.State:
        found = read(live, campaign_id)
        begun.append(found)
        go.wait(30)
        return found

    monkeypatch.setattr(LiveUpdates, "newest", newest)

    async def work(live: LiveUpdates) -> None:
        early = [asyncio.create_task(live.state(1)) for _ in range(10)]
        while not begun:
            await asyncio.sleep(0)
        save(store)
        late = [asyncio.create_task(live.version(1, "")) for _ in range(10)] + [asyncio.create_task(live.state(1))]
        await asyncio.sleep(0)
        go.set()
        assert {state[0] for state in await asyncio.gather(*early)} == {0}
        *_, state = await asyncio.gather(*late)
        assert state[0] > 0, "whoever has saved sees it"
        assert len(begun) == 2

    run(store, work)


def test_a_page_does_not_wait_for_slow_numbers(store: Store) -> None:
    open_campaign(store)

    async def work(live: LiveUpdates) -> None:
        assert await live.snapshot(1, wait=0.0) is None, "there is none yet"
        made = await next(iter(live._making.values()))
        save(store)
        live._rested.clear()
        assert await live.snapshot(1, wait=0.0) is made, "the old one is better than none"

    run(store, work)


def test_a_save_is_news_for_those_who_look(store: Store) -> None:
    open_campaign(store)

    async def work(live: LiveUpdates) -> None:
        async with live.looking(1) as watched:
            while watched.stamp is None:
                await asyncio.sleep(0)
                await asyncio.to_thread(lambda: None)
            seen = watched.number
            await asyncio.to_thread(save, store)
            await asyncio.wait_for(watched.news(seen), 20)
            seen = watched.number
            await asyncio.to_thread(campaign.pause, store, "trial")
            await asyncio.wait_for(watched.news(seen), 20)
        assert not live._watched

    run(store, work)


def test_the_last_save_is_told_once_more_when_no_other_follows(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of a moment before may have been shown when it came; nothing would replace them."""
    monkeypatch.setattr(updates, "SETTLED_SECONDS", 0.0)
    open_campaign(store)

    async def work(live: LiveUpdates) -> None:
        async with live.looking(1) as watched:
            while watched.stamp is None:
                await asyncio.to_thread(lambda: None)
            seen = watched.number
            await asyncio.to_thread(save, store)
            for _ in range(2):
                await asyncio.wait_for(watched.news(seen), 20)
                seen = watched.number
            assert seen == 2 and watched.told_last is None, "once, not for ever"

    run(store, work)


def test_lookers_are_sent_home(store: Store) -> None:
    open_campaign(store)

    async def work(live: LiveUpdates) -> None:
        async with live.looking(1) as watched:
            seen = watched.number
            await live.send_home()
            await asyncio.wait_for(watched.news(seen), 20)
            assert live.closing.is_set()

    run(store, work)


class Drawing:
    """Draws panels when it is let go, and counts how often it was asked to."""

    def __init__(self) -> None:
        self.number = 0
        self.go = asyncio.Event()

    async def __call__(self) -> Panels:
        self.number += 1
        await self.go.wait()
        return Panels(b"drawing %d" % self.number, b"", "")


def test_all_who_ask_at_once_are_shown_one_drawing() -> None:
    async def work() -> None:
        panels, drawing = SharedPanels(), Drawing()
        first, *others = [asyncio.create_task(panels.get((1, "", "en", 0), drawing)) for _ in range(10)]
        await asyncio.sleep(0)
        first.cancel()  # the one it was begun for goes away
        drawing.go.set()
        assert {(await other).body for other in others} == {b"drawing 1"}
        assert (await panels.get((1, "", "en", 0), drawing)).body == b"drawing 1", "new enough"
        assert (await panels.get((1, "", "ko", 0), drawing)).body == b"drawing 2", "another language"

    asyncio.run(work())


def test_panels_are_drawn_anew_after_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(updates, "SHOWN_SECONDS", -1.0)

    async def work() -> None:
        panels, drawing = SharedPanels(), Drawing()
        drawing.go.set()
        assert [(await panels.get((1, "", "en", 0), drawing)).body for _ in range(2)] == [b"drawing 1", b"drawing 2"]

    asyncio.run(work())


def test_a_drawing_that_fails_fails_for_all_and_is_tried_again() -> None:
    async def fail() -> Panels:
        await asyncio.sleep(0)
        raise LookupError

    async def work() -> None:
        panels, drawing = SharedPanels(), Drawing()
        tries = [asyncio.create_task(panels.get((1, "", "en", 0), fail)) for _ in range(3)]
        assert [type(problem) for problem in await asyncio.gather(*tries, return_exceptions=True)] == [LookupError] * 3
        drawing.go.set()
        assert (await panels.get((1, "", "en", 0), drawing)).body == b"drawing 1"

    asyncio.run(work())


def test_what_an_organiser_changes_is_a_new_version_and_an_answer_is_not(store: Store) -> None:
    open_campaign(store)

    async def work(live: LiveUpdates) -> None:
        before = await live.version(1, "")
        save(store)
        assert await live.version(1, "") == before, "answers come by the hundred: panels are shared between them"
        campaign.pause(store, "trial")
        paused = await live.version(1, "")
        assert paused != before, "panels drawn before are shown to nobody after it"
        await live.snapshot(1, wait=30)
        assert await live.version(1, "") != paused, "there are new numbers"

    run(store, work)


def test_panels_follow_new_numbers_on_the_main_question_and_names_of_no_question_are_not_kept(
    client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_campaign(store)
    campaign.configure(store, "trial", settings={"main_question": "holistic"})
    sign_in(client, store)
    monkeypatch.setattr(updates, "SHOWN_SECONDS", 1000.0)
    number, live = campaign.get(store, "trial").id, client.app.state.site.live
    first = client.get("/campaigns/trial/panels").text
    campaign.submit(store, campaign.tasks(store, "trial", "J1")[0].id, 0, complete(), submission="one-answer")
    live._rested.clear()
    client.portal.call(lambda: live.snapshot(number, "holistic", wait=60))
    assert client.get("/campaigns/trial/panels").text != first, "the numbers are new, so panels are drawn anew"
    for name in ("nothing", "none"):
        assert client.get("/campaigns/trial/panels", params={"question": name}).status_code == 200
        assert client.get("/campaigns/trial", params={"question": name}).status_code == 200
    assert {question for _, question in live._known} <= {"holistic", ""}
