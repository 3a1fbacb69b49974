from __future__ import annotations

import asyncio

import pytest

from lanner.errors import CampaignError
from lanner.store import Store
from lanner.web.worker import SIZE, WorkerProcess, packed
from web_clients import open_campaign


def test_a_process_of_its_own_makes_pictures_and_is_begun_again_when_it_dies(store: Store) -> None:
    open_campaign(store)

    async def work() -> None:
        maker = WorkerProcess(store.address)
        try:
            first = await maker.ask("snapshot", 1, "")
            assert first.people == ("J1", "J2")
            process = maker._process
            assert process is not None
            process.kill()
            await process.wait()
            again = await maker.ask("snapshot", 1, "sentence")
            assert again.main == "sentence"
            with pytest.raises(CampaignError):
                await maker.ask("snapshot", 99, "")
            assert maker._process is not None and maker._process.pid != process.pid
        finally:
            await maker.close()

    asyncio.run(work())


def test_what_goes_over_a_pipe_says_how_long_it_is() -> None:
    sent = packed({"a": 1})
    assert SIZE.unpack(sent[: SIZE.size]) == (len(sent) - SIZE.size,)
