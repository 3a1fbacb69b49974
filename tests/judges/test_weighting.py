"""Scores weighted by the probabilities of their tokens."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from lanner.judges.providers import Reply, Token
from lanner.judges.weighting import weighted, with_weights
from lanner.store import Store
from model_campaign import corpus, judge, opened, stored
from stub_server import Stub, completion

SCHEMA = {
    "type": "object",
    "properties": {
        "score": {"type": "integer", "minimum": 0, "maximum": 100},
        "ratings": {"type": "object", "properties": {"tone": {"type": "integer", "minimum": 1, "maximum": 5}}},
        "free": {"type": "integer"},
    },
}


def logs(**weights: float) -> tuple[tuple[str, float], ...]:
    return tuple((name.strip("_"), math.log(weight)) for name, weight in weights.items())


def reply(*tokens: Token | str) -> Reply:
    pieces = tuple(token if isinstance(token, Token) else Token(token) for token in tokens)
    return Reply("".join(token.text for token in pieces), tokens=pieces)


def test_the_mean_is_over_the_alternatives_that_are_allowed() -> None:
    score = Token(" 80", logs(_80=0.6, _90=0.2, _100=0.1, _200=0.05, words=0.05))
    means = weighted(reply('{"score":', score, "}"), SCHEMA)
    assert means == {"score": pytest.approx((80 * 0.6 + 90 * 0.2 + 100 * 0.1) / 0.9)}


def test_numbers_in_tables_have_their_own_places_and_texts_have_none() -> None:
    tone = Token("4", logs(_4=0.5, _5=0.5))
    given = reply('{"score": ', "70", ', "note": "7 of 10 \\" 3", "ratings": {"tone": ', tone, "}}")
    assert weighted(given, SCHEMA) == {"ratings.tone": 4.5}  # of the score there are no alternatives


@pytest.mark.parametrize(
    "tokens",
    [
        ('{"score": ', Token("8", logs(_8=1.0)), Token("5", logs(_5=1.0)), "}"),  # two tokens
        ('{"score": ', Token("8", logs(_8=0.6, _1=0.4)), "}"),  # 1 may be the beginning of 10 or 100
        ('{"free": ', Token("80", logs(_80=0.6, _90=0.4)), "}"),  # no bounds
    ],
)
def test_what_is_not_sure_is_not_weighted(tokens: tuple[Any, ...]) -> None:
    assert weighted(reply(*tokens), SCHEMA) == {}


def test_tokens_of_another_text_say_nothing() -> None:
    assert weighted(Reply('{"score": 80}', tokens=(Token("80", logs(_80=0.6, _90=0.4)),)), SCHEMA) == {}


def test_answers_are_rounded_as_the_scale_asks() -> None:
    assert with_weights({"score": 80, "ratings": {"tone": 4}, "x": "y"}, {"score": 84.6, "ratings.tone": 4.4}) == {
        "score": 85,
        "ratings": {"tone": 4},
        "x": "y",
    }


def test_a_judge_stores_the_weighted_score_and_the_ledger_the_exact_one(tmp_path: Path) -> None:
    def answer(body: dict[str, Any], _turn: int) -> dict[str, Any]:
        assert (body["logprobs"], body["top_logprobs"]) == (True, 20)
        made = completion(body, '{"score": 80}')
        others = [{"token": text, "logprob": math.log(part)} for text, part in (("80", 0.5), ("90", 0.5))]
        tokens = [('{"score": ', []), ("80", others), ("}", [])]
        content = [{"token": text, "logprob": 0.0, "top_logprobs": top} for text, top in tokens]
        made["choices"][0]["logprobs"] = {"content": content}
        return made

    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(1, 1))
        judge(store, number, Stub(answer), weighted=True)
        [entry] = stored(store, number)
        assert entry.value == 85
        with store.reading() as tx:
            [(_, row)] = tx.ledger.of_judge(1)
        assert json.loads(row.detail)["weighted"] == {"score": 85.0}
