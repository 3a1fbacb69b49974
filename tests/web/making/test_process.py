from __future__ import annotations

import io

from lanner.errors import CampaignError
from lanner.store import Store
from lanner.web.making import process
from lanner.web.picture.beside import packed
from visiting import open_campaign


def test_the_other_end_answers_until_nobody_asks(store: Store) -> None:
    open_campaign(store)
    asked = io.BytesIO(packed(store.address) + packed(("en", "picture", 1, "")) + packed(("en", "picture", 7, "")))
    told = io.BytesIO()
    process.answer(asked, told)
    told.seek(0)
    assert process.read(told).people == ("J1", "J2")
    assert isinstance(process.read(told), CampaignError)
    assert process.read(told) is None


def test_an_unforeseen_error_is_told_and_does_not_end_it(store: Store) -> None:
    class Broken:
        def __init__(self, store: Store) -> None:
            pass

        def picture(self, campaign: int, question: str) -> None:
            raise ZeroDivisionError

    asked = io.BytesIO(packed(store.address) + packed(("en", "picture", 1, "")) * 2)
    told = io.BytesIO()
    process.answer(asked, told, Broken)  # type: ignore[arg-type]
    told.seek(0)
    assert [type(process.read(told)) for _ in range(2)] == [RuntimeError, RuntimeError]
