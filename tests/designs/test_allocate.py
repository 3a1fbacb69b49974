"""Dealing documents: as often as asked, loads within one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from design_setups import corpus, people
from lanner.designs._allocate import allocate
from lanner.errors import DesignError
from lanner.model import Document, Judge


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), judges=st.integers(1, 7), data=st.data())
def test_every_document_as_often_as_asked_and_loads_within_one(seed: int, judges: int, data: st.DataObject) -> None:
    wanted = data.draw(st.lists(st.integers(0, judges), min_size=1, max_size=20))
    texts = corpus([1] * len(wanted))
    dealt = allocate(texts, people(judges), wanted, np.random.default_rng(seed))
    loads = [len(mine) for mine in dealt.values()]
    assert max(loads) - min(loads) <= 1
    for document, number in zip(texts, wanted, strict=True):
        assert sum(document in mine for mine in dealt.values()) == (number or judges)


def test_documents_that_few_can_read_are_dealt_first() -> None:
    texts = [Document(f"d{n}", (), target_language="ko" if n == 5 else "de") for n in range(6)]
    judges = [
        Judge("both", attributes={"target_language": "de ko"}),
        Judge("one", attributes={"target_language": "de"}),
    ]
    for seed in range(5):
        dealt = allocate(texts, judges, [1] * 6, np.random.default_rng(seed))
        assert sorted(map(len, dealt.values())) == [3, 3]


def test_different_seeds_deal_differently() -> None:
    texts, judges = corpus([1] * 12), people(4)
    seen = {str(allocate(texts, judges, [1] * 12, np.random.default_rng(seed))) for seed in range(5)}
    assert len(seen) == 5


def test_too_few_judges() -> None:
    with pytest.raises(DesignError, match="by 3, but there are 2 judges") as caught:
        allocate(corpus([1]), people(2), [3], np.random.default_rng(0))
    assert caught.value.next_step == "Add 1 judge, or ask for 2 per document."
