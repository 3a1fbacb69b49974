from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from lanner import campaign
from lanner.store import Store
from lanner.web.updates import LiveUpdates
from web_clients import complete, open_campaign


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


def test_lookers_are_sent_home(store: Store) -> None:
    open_campaign(store)

    async def work(live: LiveUpdates) -> None:
        async with live.looking(1) as watched:
            seen = watched.number
            await live.send_home()
            await asyncio.wait_for(watched.news(seen), 20)
            assert live.closing.is_set()

    run(store, work)
