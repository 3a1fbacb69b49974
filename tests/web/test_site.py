from __future__ import annotations

import asyncio
import threading

from lanner.store import Store
from lanner.web.site import Settings, Site


def test_writes_share_one_thread_on_sqlite_and_finish_before_closing(store: Store) -> None:
    site = Site(store, Settings())
    done: list[int] = []

    async def work() -> list[str]:
        names = await asyncio.gather(*(site.write(lambda: threading.current_thread().name) for _ in range(8)))
        pending = asyncio.get_running_loop().run_in_executor(site._writers, done.append, 1)
        await site.close()
        await pending
        return names

    assert len(set(asyncio.run(work()))) == 1
    assert done == [1]


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
