"""Dealing documents: as often as asked, loads within one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from design_setups import corpus, people, protocol
from lanner import designs, protocols
from lanner.designs._allocate import allocate, can_read
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


@pytest.mark.parametrize(
    ("reads", "language", "expected"),
    [
        ("Upper Sorbian", "hsb", True),
        ("German, Upper Sorbian", "hsb", True),
        ("Egyptian Arabic", "arz", True),
        ("Norwegian Bokmål", "nb", True),
        ("de fr", "fr-CA", True),
        ("de-AT fr", "fr", True),
        ("de-AT,fr", "de", True),
        ("de fr", "hsb", False),
        ("", "hsb", True),
        ("de", "und", True),
    ],
)
def test_languages_of_judges_are_codes_or_names(reads: str, language: str, expected: bool) -> None:
    judge = Judge("j", attributes={"target_language": reads})
    assert can_read(judge, Document("d", (), target_language=language)) is expected


RATING = protocol({"unit": "sentence_in_context", "object": "output"})
PAIRS = protocol({"unit": "document", "object": "outputs"})
PARITY = protocols.load("parity")


def test_judges_get_texts_in_their_own_language() -> None:
    texts = [
        Document(f"{language}{n}", corpus([2])[0].segments, target_language=language)
        for n in range(4)
        for language in ("de", "ko")
    ]
    judges = [Judge(f"j{n}", attributes={"target_language": "Korean" if n % 2 else "de-AT, fr"}) for n in range(4)]
    for design, options in (("full", {}), ("batches", {}), ("random", {"overlap": 0.5}), ("pairs", {})):
        asked = PAIRS if design == "pairs" else RATING
        rng = np.random.default_rng(1)
        for task in designs.assign(design, texts, judges, asked, rng=rng, systems=["m0", "m1"], **options):
            assert task.items[0].document.startswith("ko" if int(task.judge[1:]) % 2 else "de")
    with pytest.raises(DesignError, match="only 2 of the judges read") as caught:
        rng = np.random.default_rng(1)
        designs.assign("random", texts, judges, RATING, rng=rng, systems=["m0"], judges_on_overlap=3)
    assert "or ask for 2 per document" in caught.value.next_step


def test_an_arm_can_be_given_and_an_analyst_can_be_kept_from_judging() -> None:
    judges = [*people(2, arm="fluency"), Judge("x"), Judge("y")]
    rng = np.random.default_rng(3)
    tasks = designs.assign("parity", corpus([4] * 4), judges, PARITY, rng=rng, systems=["m0", "m1"])
    pages = {judge.id: {task.page for task in tasks if task.judge == judge.id} for judge in judges}
    assert pages["j0"] == pages["j1"] == {"fluency_sentence", "fluency_document"}
    assert pages["x"] == pages["y"] == {"adequacy_sentence", "adequacy_document"}
    with pytest.raises(DesignError, match="does not have"):
        designs.assign("parity", corpus([4] * 4), people(4, arm="flow"), PARITY, rng=rng, systems=["m0", "m1"])
    survey = protocols.load("context_survey")
    both = [Judge("j"), Judge("a", attributes={"analyst": True, "judge": False})]
    tasks = designs.assign("full", corpus([3]), both, survey, rng=rng, systems=())
    assert {task.judge for task in tasks} == {"j"}
