"""Model judges side by side: agreement, gains and changes are what they are by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lanner import campaign
from lanner.errors import LannerError
from lanner.judges.comparison import agreed_answers, compare, sample_documents
from lanner.model import Document, Judge, JudgeKind, Judgement
from lanner.store import Store
from model_campaign import corpus, judge, opened
from stub_server import Stub


def scores(store: Store, number: int, name: str, values: dict[tuple[str, str], int], kind: JudgeKind) -> None:
    entries = [
        Judgement(name, "rating", "score", document, segment, ("oak",), value=value)
        for (document, segment), value in values.items()
    ]
    campaign.import_judgements(store, number, entries, judges=[Judge(name, kind)])


def asked(body: dict[str, Any]) -> tuple[str, str]:
    """The document and segment that a question is about, from its text."""
    sentence = str(body["messages"][-1]["content"]).partition(">>>")[2] or str(body["messages"][-1]["content"])
    document, _, segment = sentence.partition("The ferry ")[2].partition(" ")[0].partition(".")
    return f"d{document}", segment


def test_agreement_gain_and_change_are_those_by_hand(tmp_path: Path) -> None:
    people = {(f"d{d}", str(s)): 40 + 10 * d + s for d in range(3) for s in range(2)}
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(3, 2))
        scores(store, number, "ana", people, JudgeKind.PERSON)
        judge(store, number, Stub(lambda body, _: f'{{"score": {people[asked(body)] + 10}}}'), judge="far")
        judge(store, number, Stub(lambda body, _: f'{{"score": {people[asked(body)]}}}'), judge="near", price_in=1.0,
              price_out=1.0)  # fmt: skip
        far, near = compare(store, number, ["far", "near"])
    assert far.agreement["score"].value == pytest.approx(0.9)  # ten points of a hundred away
    assert near.agreement["score"].value == pytest.approx(1.0)
    assert near.gain["score"].value == pytest.approx(0.1)
    assert near.same_as_first["score"].value == 0.0
    assert (far.gain, far.same_as_first) == ({}, {})
    assert near.agreement["score"].counts == {"items": 6, "documents": 3}
    assert (near.replies, near.missing, near.refusals, near.tokens) == (6, 0, 0, 720)
    assert near.cost == pytest.approx(720 / 1e6)
    assert far.cost is None
    assert (near.context, near.prompt, near.model) == ("people", "judge-3", "tiny")


def test_refusals_are_counted_and_unknown_judges_refused(tmp_path: Path) -> None:
    def refusing(body: dict[str, Any], _turn: int) -> Any:
        message = {"role": "assistant", "content": "", "refusal": "no"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return {"model": "t", "choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}

    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(1, 2))
        with pytest.raises(LannerError, match="no model judges"):
            compare(store, number)
        judge(store, number, Stub(refusing))
        [standing] = compare(store, number)
        assert (standing.refusals, standing.missing, standing.agreement) == (2, 2, {})
        with pytest.raises(LannerError, match="No model judge is called"):
            compare(store, number, ["n"])


def test_an_adjudicated_answer_stands_for_those_of_people(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(1, 2))
        scores(store, number, "ana", {("d0", "0"): 40, ("d0", "1"): 40}, JudgeKind.PERSON)
        scores(store, number, "ben", {("d0", "0"): 60, ("d0", "1"): 40}, JudgeKind.PERSON)
        scores(store, number, "end", {("d0", "0"): 55}, JudgeKind.ADJUDICATED)
        answers = agreed_answers(store, number)["score"]
    assert answers == {("d0", "0", ("oak",)): 55, ("d0", "1", ("oak",)): 40}


def test_a_sample_is_whole_documents_from_everywhere() -> None:
    documents = corpus(64, 5)
    sample = sample_documents(documents, 40)
    assert len(sample) == 8
    assert sample == sample_documents(documents, 40)
    places = [documents.index(document) for document in sample]
    assert places[0] == 0
    assert places[-1] > 48
    assert sample_documents(documents, 1) == documents[:1]
    assert sample_documents([], 5) == []
    assert isinstance(sample[0], Document)
