"""Google's Gemini interface: generateContent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lanner.judges.providers import Call, Endpoint, Reply, Token, token_count
from lanner.judges.providers._http import Connection, require
from lanner.judges.providers.openai_compatible import ALTERNATIVES, tokens_of
from lanner.model import Json

__all__ = ["BASE_URL", "BATCH", "Gemini", "connect", "require"]
BASE_URL = "https://generativelanguage.googleapis.com/v1beta"
BATCH = "gemini_batch"
_ROLES = {"user": "user", "assistant": "model"}


def connect(endpoint: Endpoint) -> Gemini:
    """A connection to the server."""
    return Gemini(endpoint)


class Gemini(Connection):
    """generateContent."""

    family_name = "gemini"
    route = "/models/{model}:generateContent"
    lengths = ("maxOutputTokens",)
    optional = ("temperature", "topP", "seed", "thinkingConfig", "responseLogprobs", "logprobs")

    def headers(self, key: str) -> dict[str, str]:
        return {"x-goog-api-key": key} if key else {}

    def values_of(self, call: Call) -> dict[str, Json]:
        return {
            "temperature": call.temperature,
            "topP": call.top_p,
            "seed": call.seed,
            "maxOutputTokens": call.max_tokens,
            "thinkingConfig": {"thinkingLevel": call.effort} if call.effort else None,
            "responseLogprobs": True if call.logprobs else None,
            "logprobs": ALTERNATIVES if call.logprobs else None,
        }

    def compose(self, call: Call, values: Mapping[str, Json], means: str, schema: Json) -> dict[str, Json]:
        config = dict(values)
        if means in ("json_schema", "json_object"):
            config["responseMimeType"] = "application/json"
        if means == "json_schema":
            config["responseJsonSchema"] = schema
        return {
            "systemInstruction": {"parts": [{"text": call.messages[0]["content"]}]},
            "contents": [
                {"role": _ROLES[message["role"]], "parts": [{"text": message["content"]}]}
                for message in call.messages[1:]
            ],
            "generationConfig": config,
        }

    def settings(self, body: Mapping[str, Json]) -> dict[str, Json]:
        config = {name: value for name, value in body["generationConfig"].items() if name != "responseJsonSchema"}
        if "responseJsonSchema" in body["generationConfig"]:
            config["response_format"] = "json_schema"
        others = {name: value for name, value in body.items() if name not in _TEXTS}
        return config | others

    def reply(self, data: Mapping[str, Any]) -> Reply:
        usage = data.get("usageMetadata") or {}
        blocked = str((data.get("promptFeedback") or {}).get("blockReason") or "")
        candidates = data.get("candidates") or ()
        if not candidates and not blocked:
            raise KeyError("candidates")
        candidate = candidates[0] if candidates else {}
        parts = (candidate.get("content") or {}).get("parts") or ()
        sent = token_count(usage.get("promptTokenCount"))
        received = token_count(usage.get("candidatesTokenCount")) + token_count(usage.get("thoughtsTokenCount"))
        return Reply(
            text="".join(str(part.get("text", "")) for part in parts if not part.get("thought")),
            model=str(data.get("modelVersion") or ""),
            tokens_in=sent,
            tokens_out=max(received, token_count(usage.get("totalTokenCount")) - sent),
            finish=str(candidate.get("finishReason") or ""),
            refusal=blocked,
            reasoning="".join(str(part.get("text", "")) for part in parts if part.get("thought")),
            cached_tokens=token_count(usage.get("cachedContentTokenCount")),
            tokens=_tokens(candidate.get("logprobsResult") or {}),
        )


_TEXTS = ("systemInstruction", "contents", "generationConfig")


def _tokens(result: Mapping[str, Any]) -> tuple[Token, ...]:
    candidates: Sequence[Any] = result.get("chosenCandidates") or ()
    others: Sequence[Any] = result.get("topCandidates") or [{}] * len(candidates)
    entries = [
        {
            "token": entry.get("token"),
            "top_logprobs": [
                {"token": other.get("token"), "logprob": other.get("logProbability")}
                for other in alternatives.get("candidates") or ()
            ],
        }
        for entry, alternatives in zip(candidates, others, strict=False)
    ]
    return tokens_of(entries) if len(entries) == len(candidates) else ()
