from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator

from lanner import campaign
from lanner.store import Store
from lanner.web.organiser import sse
from lanner.web.site import Settings, Site
from visiting import complete, open_campaign


async def following(stream: AsyncIterator[str], wanted: str) -> str:
    async for line in stream:
        if wanted in line:
            return line
    return ""


async def the_end(site: Site, stream: AsyncIterator[str]) -> None:
    """The server goes home: the stream ends, and nothing more is told."""
    rest = asyncio.create_task(following(stream, "never"))
    await asyncio.to_thread(lambda: None)
    await site.live.send_home()
    assert await asyncio.wait_for(rest, 30) == ""
    await site.close()


def test_a_save_is_told_and_the_end_ends_the_stream(store: Store) -> None:
    open_campaign(store)
    task = campaign.tasks(store, "trial", "J1")[0].id

    async def work() -> None:
        site = Site(store, Settings(beside=False))
        stream = sse._news(site, 1)
        assert "retry" in await anext(stream)
        waiting = asyncio.create_task(following(stream, "changed"))
        while not (site.live._watched and next(iter(site.live._watched.values())).stamp):
            await asyncio.to_thread(lambda: None)
        await site.write(lambda: campaign.submit(store, task, 0, complete(), submission="12345678"))
        assert "event: changed" in await asyncio.wait_for(waiting, 30)
        await the_end(site, stream)

    asyncio.run(work())


def test_trouble_with_saving_is_told_to_a_page_that_is_open(store: Store) -> None:
    open_campaign(store)

    async def work() -> None:
        site = Site(store, Settings(beside=False))
        site.intake._failed = (time.monotonic(), "The disk is full.\nMake room.")
        stream = sse._news(site, 1)
        assert json.loads((await following(stream, "trouble")).split("data: ")[1]) == "The disk is full.\nMake room."
        site.intake._failed = None
        await the_end(site, stream)

    asyncio.run(work())
