"""What order does to a judge: found where it was built in, absent where it was not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lanner.judges.audit import audit, said
from lanner.judges.plan import Limits
from lanner.model import Result
from lanner.store import Store
from model_campaign import corpus, judge, opened
from stub_server import Stub, good


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with Store.open(tmp_path / "s.db") as opened_:
        yield opened_


def audited(store: Store, protocol: str, answer: Any, *, pair: bool = False, **more: Any) -> dict[str, Result]:
    number = opened(store, protocol, corpus(6, 3, ("oak", "ash") if pair else ("oak",)))
    judge(store, number, Stub(answer), **more)
    return {f"{r.labels['question']}: {r.name}": r for r in audit(store, number, "m")}


def ranks(body: dict[str, Any], given: list[int]) -> str:
    return json.dumps(dict.fromkeys(body["response_format"]["json_schema"]["schema"]["properties"], given))


def test_always_the_first_is_a_position_bias(store: Store) -> None:
    found = audited(store, "ranking_rs", lambda body, _: ranks(body, [1, 2]), pair=True, swap=True)
    assert found["ranking_rs: first of two preferred"].value == 1
    assert found["ranking_rs: same verdict in both orders"].value == 0
    assert found["ranking_rs: self-consistency"].value == 0
    assert found["ranking_rs: first of two preferred"].counts == {"items": 36, "documents": 6}


def test_a_verdict_that_follows_the_text_is_none(store: Store) -> None:
    def oak(body: dict[str, Any], _: int) -> str:
        text = body["messages"][-1]["content"]
        return ranks(body, [1, 2] if text.index("von oak") < text.index("von ash") else [2, 1])

    found = audited(store, "ranking_rs", oak, pair=True, swap=True)
    assert found["ranking_rs: first of two preferred"].value == 0.5
    assert found["ranking_rs: same verdict in both orders"].value == 1


def test_samples_that_differ_lower_consistency(store: Store) -> None:
    scores = iter([0, 100] * 18)
    found = audited(store, "da", lambda _body, _turn: json.dumps({"score": next(scores)}), samples=2)
    assert 0 <= (found["score: self-consistency"].value or 0) < 1
    assert found["score: self-consistency"].signature is not None


def test_always_the_first_option_is_found_when_options_are_shuffled(store: Store) -> None:
    def first(body: dict[str, Any], turn: int) -> str:
        made = json.loads(good(body, turn))
        context = body["response_format"]["json_schema"]["schema"]["properties"].get("context")
        return json.dumps({**made, "context": context["enum"][0]} if context else made)

    found = audited(store, "falcon", first, shuffle=True)
    result = found["context: first option chosen"]
    assert result.value == 1
    assert "by chance 0.200" in " ".join(result.notes)


def test_asked_once_there_is_nothing_to_audit(store: Store) -> None:
    assert audited(store, "da", good) == {}


def test_sentences_that_are_asked_again_in_a_smaller_call_are_the_same_sentences(store: Store) -> None:
    """The second call numbers its sentences anew; a retry is not a second opinion."""
    number = opened(store, "da", corpus(1, 3))
    whole = {str(n): {"score": 10 * n} for n in (1, 2, 3)}

    def without_the_second(body: dict[str, Any], _: int) -> str:
        return json.dumps({**whole, "2": {"score": 1000}})

    judge(store, number, Stub(without_the_second), calls="documents", samples=1)
    again = Limits(8, backoff=0.0, retry_missing=True)
    judge(store, number, Stub(lambda _body, _turn: '{"1": {"score": 20}}'), calls="documents", limits=again)
    assert {entry.unit[0]: entry.value for entry in said(store, number, "m")} == {"0": 10, "1": 20, "2": 30}
    assert audit(store, number, "m") == []  # nobody was asked twice
