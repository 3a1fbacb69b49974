"""OpenAI's Responses interface, for models that are offered there alone or think better there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lanner.judges.providers import Call, Endpoint, Reply, token_count
from lanner.judges.providers._http import Connection, require
from lanner.judges.providers.openai_compatible import ALTERNATIVES, tokens_of
from lanner.model import Json

__all__ = ["BASE_URL", "BATCH", "Responses", "connect", "require"]
BASE_URL = "https://api.openai.com/v1"
BATCH = "openai_responses_batch"


def connect(endpoint: Endpoint) -> Responses:
    """A connection to the server."""
    return Responses(endpoint)


class Responses(Connection):
    """Responses. They take no seed, and nothing is kept on the server."""

    family_name = "openai_responses"
    route = "/responses"
    lengths = ("max_output_tokens",)
    optional = ("temperature", "top_p", "reasoning", "top_logprobs", "include")

    def values_of(self, call: Call) -> dict[str, Json]:
        return {
            "temperature": call.temperature,
            "top_p": call.top_p,
            "max_output_tokens": call.max_tokens,
            "reasoning": {"effort": call.effort} if call.effort else None,
            "include": ["message.output_text.logprobs"] if call.logprobs else None,
            "top_logprobs": ALTERNATIVES if call.logprobs else None,
        }

    def compose(self, call: Call, values: Mapping[str, Json], means: str, schema: Json) -> dict[str, Json]:
        body: dict[str, Json] = {
            "model": call.model,
            "instructions": call.messages[0]["content"],
            "input": [dict(message) for message in call.messages[1:]],
            "store": False,
            **values,
        }
        if means == "json_schema":
            body["text"] = {"format": {"type": "json_schema", "name": "answer", "strict": True, "schema": schema}}
        elif means == "json_object":
            body["text"] = {"format": {"type": "json_object"}}
        return body

    def settings(self, body: Mapping[str, Json]) -> dict[str, Json]:
        settings = {name: value for name, value in body.items() if name not in ("instructions", "input", "text")}
        if "text" in body:
            settings["text"] = body["text"]["format"]["type"]
        return settings

    def reply(self, data: Mapping[str, Any]) -> Reply:
        outputs = data["output"]
        parts = [part for entry in outputs if entry.get("type") == "message" for part in entry.get("content") or ()]
        texts = [part for part in parts if part.get("type") == "output_text"]
        thoughts = [
            str(part.get("text", ""))
            for entry in outputs
            if entry.get("type") == "reasoning"
            for part in (*(entry.get("summary") or ()), *(entry.get("content") or ()))
        ]
        usage = data.get("usage") or {}
        reason = (data.get("incomplete_details") or {}).get("reason")
        return Reply(
            text="".join(str(part["text"]) for part in texts),
            model=str(data.get("model") or ""),
            tokens_in=token_count(usage.get("input_tokens")),
            tokens_out=token_count(usage.get("output_tokens")),
            finish=str(reason or data.get("status") or ""),
            refusal="".join(str(part.get("refusal", "")) for part in parts if part.get("type") == "refusal"),
            reasoning="\n".join(thoughts),
            cached_tokens=token_count((usage.get("input_tokens_details") or {}).get("cached_tokens")),
            tokens=tokens_of([token for part in texts for token in part.get("logprobs") or ()]),
        )
