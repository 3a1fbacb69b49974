"""Anthropic's Messages, as their documentation describes requests and replies."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from judges.providers.test_http import ask
from lanner.judges.providers import Call, Endpoint
from lanner.judges.providers._anthropic import MessageBatches, Messages
from stub_providers import Anthropic
from stub_server import good


def reply_of(data: dict[str, Any]) -> Any:
    return Messages.reply(Messages.__new__(Messages), data)


def test_the_key_has_a_header_of_its_own() -> None:
    headers = Messages.headers(Messages.__new__(Messages), "secret")
    assert headers == {"anthropic-version": "2023-06-01", "x-api-key": "secret"}


def test_the_schema_is_part_of_the_output_and_loses_what_is_not_allowed() -> None:
    reply, stub = ask(Anthropic(), good, effort="low")
    schema = stub.bodies[0]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["score"] == {"type": "integer"}
    assert reply.sent["output_format"] == "json_schema"
    assert stub.bodies[0]["effort"] == "low"


def test_an_answer_by_a_tool_is_an_answer() -> None:
    data = {"content": [{"type": "tool_use", "name": "answer", "input": {"score": 3}}], "stop_reason": "tool_use"}
    assert json.loads(reply_of(data).text) == {"score": 3}


def test_a_refusal_says_why_and_a_full_context_is_a_cut_off_reply() -> None:
    refused = reply_of({"content": [], "stop_reason": "refusal", "stop_details": {"explanation": "policy"}})
    assert refused.refusal == "policy"
    assert reply_of({"content": [], "stop_reason": "model_context_window_exceeded"}).cut_off
    assert reply_of({"content": [], "stop_reason": "end_turn"}).tokens_in == 0


def test_a_temperature_above_one_is_not_sent() -> None:
    _, stub = ask(Anthropic(), good, temperature=1.5)
    assert stub.bodies[0]["temperature"] == 1.0
    assert Endpoint("x").provider != "anthropic"


class Connection:
    """Gives what it has."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    async def fetch(self, _method: str, _path: str) -> bytes:
        return self.content


def test_each_result_has_the_status_that_it_means() -> None:
    results: list[dict[str, Any]] = [
        {"type": "succeeded", "message": {"content": []}},
        {"type": "errored", "error": {"type": "error", "error": {"type": "invalid_request_error", "message": "m"}}},
        {"type": "expired"},
    ]
    lines = [json.dumps({"custom_id": str(n), "result": result}) for n, result in enumerate(results)]
    batches = MessageBatches.__new__(MessageBatches)
    batches.connection = Connection("\n".join(lines).encode())  # type: ignore[assignment]
    read = asyncio.run(batches.results({"id": "b"}))
    assert [(result.name, result.status) for result in read] == [("0", 200), ("1", 400), ("2", 503)]


def test_a_name_has_only_letters_that_are_allowed() -> None:
    name = MessageBatches.name_of(MessageBatches.__new__(MessageBatches), Call("m", (), {}, name="ab12.cd-1~2"))
    assert name == "ab12_cd-1_t2"
