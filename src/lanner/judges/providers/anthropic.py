"""Anthropic's Messages interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json

from lanner.errors import LannerError
from lanner.judges.providers import Call, Endpoint, Reply, token_count
from lanner.judges.providers._http import Connection, require
from lanner.model import Json

__all__ = ["BASE_URL", "BATCH", "Messages", "connect", "require"]
BASE_URL = "https://api.anthropic.com/v1"
BATCH = "anthropic_batch"
_VERSION = "2023-06-01"
_LONGEST_REPLY = 4096  # tokens, where no limit is given: the interface wants one
_TOOL = "answer"


def connect(endpoint: Endpoint) -> Messages:
    """A connection to the server."""
    return Messages(endpoint)


class Messages(Connection):
    """Messages. They take no seed and tell no probabilities; a limit on length is part of every request."""

    family_name = "anthropic"
    route = "/messages"
    lengths = ("max_tokens",)
    optional = ("temperature", "top_p", "effort")

    def headers(self, key: str) -> dict[str, str]:
        return {"anthropic-version": _VERSION, **({"x-api-key": key} if key else {})}

    def values_of(self, call: Call) -> dict[str, Json]:
        if call.logprobs:
            raise LannerError(
                "Anthropic's interface tells no probabilities of tokens.", next_step="Leave out weighted scores."
            )
        return {
            "temperature": None if call.temperature is None else min(1.0, call.temperature),
            "top_p": call.top_p,
            "effort": call.effort or None,
            "max_tokens": call.max_tokens or _LONGEST_REPLY,
        }

    def compose(self, call: Call, values: Mapping[str, Json], means: str, schema: Json) -> dict[str, Json]:
        settings = dict(values)
        effort = settings.pop("effort", None)
        body: dict[str, Json] = {
            "model": call.model,
            "system": call.messages[0]["content"],
            "messages": [dict(message) for message in call.messages[1:]],
            **settings,
        }
        output: dict[str, Json] = {"effort": effort} if effort else {}
        if means == "json_schema":
            output["format"] = {"type": "json_schema", "schema": schema}
        elif means == "tool":
            body["tools"] = [{"name": _TOOL, "description": "Gives the answer.", "input_schema": schema}]
            body["tool_choice"] = {"type": "tool", "name": _TOOL}
        return body | ({"output_config": output} if output else {})

    def settings(self, body: Mapping[str, Json]) -> dict[str, Json]:
        texts = ("system", "messages", "tools", "output_config")
        settings = {name: value for name, value in body.items() if name not in texts}
        output = body.get("output_config") or {}
        if "format" in output:
            settings["output_format"] = output["format"]["type"]
        if "effort" in output:
            settings["effort"] = output["effort"]
        return settings

    def reply(self, data: Mapping[str, Any]) -> Reply:
        parts = data["content"]
        usage = data.get("usage") or {}
        cached = token_count(usage.get("cache_read_input_tokens"))
        created = token_count(usage.get("cache_creation_input_tokens"))
        answers = [to_json(part["input"]).decode() for part in parts if part.get("type") == "tool_use"]
        stop = str(data.get("stop_reason") or "")
        return Reply(
            text="".join(answers or [str(part["text"]) for part in parts if part.get("type") == "text"]),
            model=str(data.get("model") or ""),
            tokens_in=token_count(usage.get("input_tokens")) + cached + created,
            tokens_out=token_count(usage.get("output_tokens")),
            finish=stop,
            refusal=_refusal(data) if stop == "refusal" else "",
            reasoning="\n".join(str(part["thinking"]) for part in parts if part.get("type") == "thinking"),
            cached_tokens=cached,
        )


def _refusal(data: Mapping[str, Any]) -> str:
    texts = [str(part["text"]) for part in data["content"] if part.get("type") == "text"]
    details = data.get("stop_details") or {}
    return "".join(texts) or str(details.get("explanation") or details.get("category") or "declined")
