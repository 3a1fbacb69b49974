from __future__ import annotations

import asyncio
import threading

from lanner.store import Store
from lanner.web.site import Settings, Site


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
