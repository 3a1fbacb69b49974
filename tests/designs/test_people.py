"""Languages, arms and roles."""

from __future__ import annotations

import numpy as np
import pytest

from design_setups import corpus, people, protocol
from lanner import designs, protocols
from lanner.errors import DesignError
from lanner.model import Document, Judge

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
