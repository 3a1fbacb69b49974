from __future__ import annotations

import asyncio
import io

import pytest

from lanner.errors import CampaignError
from lanner.store import Store
from lanner.web import beside
from lanner.web.beside import Beside
from visiting import open_campaign


def test_a_process_of_its_own_makes_pictures_and_is_begun_again_when_it_dies(store: Store) -> None:
    open_campaign(store)

    async def work() -> None:
        maker = Beside(store.address)
        try:
            first = await maker.ask("picture", 1, "")
            assert first.people == ("J1", "J2")
            process = maker._process
            assert process is not None
            process.kill()
            await process.wait()
            again = await maker.ask("picture", 1, "sentence")
            assert again.main == "sentence"
            with pytest.raises(CampaignError):
                await maker.ask("picture", 99, "")
            assert maker._process is not None and maker._process.pid != process.pid
        finally:
            await maker.close()

    asyncio.run(work())


def test_the_other_end_answers_until_nobody_asks(store: Store) -> None:
    open_campaign(store)
    asked = io.BytesIO(
        beside._packed(store.address) + beside._packed(("picture", 1, "")) + beside._packed(("picture", 7, ""))
    )
    told = io.BytesIO()
    beside.answer(asked, told)
    told.seek(0)
    assert beside._read(told).people == ("J1", "J2")
    assert isinstance(beside._read(told), CampaignError)
    assert beside._read(told) is None


def test_an_unforeseen_error_is_told_and_does_not_end_it(store: Store) -> None:
    class Broken:
        def __init__(self, store: Store) -> None:
            pass

        def picture(self, campaign: int, question: str) -> None:
            raise ZeroDivisionError

    asked = io.BytesIO(beside._packed(store.address) + beside._packed(("picture", 1, "")) * 2)
    told = io.BytesIO()
    beside.answer(asked, told, Broken)  # type: ignore[arg-type]
    told.seek(0)
    assert [type(beside._read(told)) for _ in range(2)] == [RuntimeError, RuntimeError]
