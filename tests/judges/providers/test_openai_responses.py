"""OpenAI's Responses, as their documentation describes requests and replies."""

from __future__ import annotations

from typing import Any

from judges.providers.test_http import ask
from lanner.judges.providers import Token
from lanner.judges.providers.openai_responses import Responses
from stub_providers import Responses as Server
from stub_server import good


def reply_of(**data: Any) -> Any:
    return Responses.reply(Responses.__new__(Responses), data)


def test_a_reply_that_was_cut_off_says_so() -> None:
    reply = reply_of(output=[], status="incomplete", incomplete_details={"reason": "max_output_tokens"})
    assert reply.cut_off


def test_text_thoughts_and_probabilities_are_read() -> None:
    logprobs = [{"token": "3", "logprob": -0.5, "top_logprobs": [{"token": "4", "logprob": -1.0}]}]
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "3", "logprobs": logprobs}]},
    ]
    reply = reply_of(output=output, status="completed", usage={"input_tokens": 5, "output_tokens": 6})
    assert (reply.text, reply.reasoning, reply.tokens_in, reply.tokens_out) == ("3", "hm", 5, 6)
    assert reply.tokens == (Token("3", (("4", -1.0),)),)


def test_thinking_is_asked_for_and_no_seed_is_sent() -> None:
    reply, _ = ask(Server(), good, effort="high", seed=1)
    assert reply.sent["reasoning"] == {"effort": "high"}
    assert "seed" not in reply.sent
    assert reply.sent["text"] == "json_schema"
