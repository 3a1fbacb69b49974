"""Gemini's generateContent, as its documentation describes requests and replies."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from judges.providers.test_http import ask
from lanner.judges.providers import ReplyToken
from lanner.judges.providers._gemini import Gemini, InlineBatches
from stub_providers import Gemini as Server
from stub_server import good


def reply_of(data: dict[str, Any]) -> Any:
    return Gemini.reply(Gemini.__new__(Gemini), data)


def test_thoughts_are_not_the_answer_but_are_paid() -> None:
    parts = [{"text": "Let me see.", "thought": True}, {"text": '{"score"'}, {"text": ": 3}"}]
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "thoughtsTokenCount": 7}
    candidate = {"content": {"parts": parts}, "finishReason": "STOP"}
    reply = reply_of({"candidates": [candidate], "usageMetadata": usage})
    assert (reply.text, reply.reasoning, reply.tokens_out) == ('{"score": 3}', "Let me see.", 12)


def test_a_blocked_question_is_a_refusal_and_nothing_at_all_is_no_reply() -> None:
    assert reply_of({"promptFeedback": {"blockReason": "SAFETY"}}).refusal == "SAFETY"
    with pytest.raises(KeyError):
        reply_of({"usageMetadata": {}})
    paid = reply_of({"candidates": [], "usageMetadata": {"promptTokenCount": 10}})
    assert (paid.text, paid.tokens_in) == ("", 10)


def test_probabilities_are_read() -> None:
    result = {
        "chosenCandidates": [{"token": "80", "logProbability": -0.1}],
        "topCandidates": [{"candidates": [{"token": "80", "logProbability": -0.1}]}],
    }
    candidate = {"content": {"parts": [{"text": "80"}]}, "finishReason": "STOP", "logprobsResult": result}
    assert reply_of({"candidates": [candidate]}).tokens == (ReplyToken("80", (("80", -0.1),)),)


def test_the_model_is_part_of_the_address_and_the_schema_of_the_settings() -> None:
    reply, stub = ask(Server(), good, seed=4)
    assert (stub.bodies[0]["model"], stub.bodies[0]["seed"]) == ("tiny", 4)
    assert reply.sent["response_format"] == "json_schema"
    assert reply.sent["responseMimeType"] == "application/json"


def made(order: dict[str, list[str]]) -> InlineBatches:
    batches = InlineBatches.__new__(InlineBatches)
    batches._orders = order
    return batches


def batch(*entries: dict[str, Any], state: str = "BATCH_STATE_SUCCEEDED") -> dict[str, Any]:
    inlined = {"inlinedResponses": {"inlinedResponses": list(entries)}}
    return {"name": "batches/1", "done": True, "metadata": {"state": state}, "response": inlined}


def test_answers_without_a_name_stand_in_the_order_of_their_questions() -> None:
    answers = batch({"response": {"a": 1}}, {"error": {"code": 8, "message": "m"}})
    results = asyncio.run(made({"batches/1": ["x", "y"]}).results(answers))
    assert [(result.name, result.status) for result in results] == [("x", 200), ("y", 429)]
    unnamed = asyncio.run(made({}).results(answers))
    assert [result.name for result in unnamed] == ["", ""]


def test_a_batch_that_failed_says_so() -> None:
    batches = made({})
    assert not batches.problem(batch())
    assert "BATCH_STATE_FAILED" in batches.problem(batch(state="BATCH_STATE_FAILED"))
    assert batches.is_over({"metadata": {"state": "JOB_STATE_EXPIRED"}})
    assert not batches.is_over({"metadata": {"state": "BATCH_STATE_PENDING"}})
