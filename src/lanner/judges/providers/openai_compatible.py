"""Any server that speaks OpenAI's chat protocol: hosted ones, vLLM, Ollama, llama.cpp, Azure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lanner.judges.providers import Call, Endpoint, Reply, Token, token_count
from lanner.judges.providers._http import Connection, family, require
from lanner.judges.schemas import grammar
from lanner.model import Json

__all__ = ["BASE_URL", "BATCH", "Chat", "connect", "family", "require"]
BASE_URL = "https://api.openai.com/v1"
BATCH = "openai_batch"
ALTERNATIVES = 20
"""How many tokens beside the chosen one a server is asked to tell the probability of; no interface tells more."""


def connect(endpoint: Endpoint) -> Chat:
    """A connection to the server."""
    return Chat(endpoint)


class Chat(Connection):
    """Chat completions."""

    route = "/chat/completions"
    lengths = ("max_completion_tokens", "max_tokens")
    optional = ("temperature", "seed", "top_p", "reasoning_effort", "top_logprobs", "logprobs")

    def values_of(self, call: Call) -> dict[str, Json]:
        length = self._family.length if self._family else self.lengths[0]
        if length in self._left_out:
            length = next(name for name in self.lengths if name != length)
        return {
            "temperature": call.temperature,
            "seed": call.seed,
            "top_p": call.top_p,
            "reasoning_effort": call.effort or None,
            "logprobs": True if call.logprobs else None,
            "top_logprobs": ALTERNATIVES if call.logprobs else None,
            length: call.max_tokens,
        }

    def compose(self, call: Call, values: Mapping[str, Json], means: str, schema: Json) -> dict[str, Json]:
        body: dict[str, Json] = {"model": call.model, "messages": call.messages, **values}
        if means == "json_schema":
            form = {"name": "answer", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        elif means == "json_object":
            body["response_format"] = {"type": "json_object"}
        elif means == "grammar":
            body["grammar"] = grammar(call.schema)
        return body

    def settings(self, body: Mapping[str, Json]) -> dict[str, Json]:
        texts = ("messages", "grammar", "response_format")
        settings = {name: value for name, value in body.items() if name not in texts}
        if "response_format" in body:
            settings["response_format"] = body["response_format"]["type"]
        return settings

    def reply(self, data: Mapping[str, Any]) -> Reply:
        choice = data["choices"][0]
        message = choice["message"]
        text = message.get("content") or ""
        usage = data.get("usage") or {}
        sent = token_count(usage.get("prompt_tokens"))
        received = token_count(usage.get("completion_tokens"))
        return Reply(
            text=text if isinstance(text, str) else "".join(str(part.get("text", "")) for part in text),
            model=str(data.get("model") or ""),
            fingerprint=str(data.get("system_fingerprint") or ""),
            tokens_in=sent,
            tokens_out=max(received, token_count(usage.get("total_tokens")) - sent),  # some count thoughts there alone
            finish=str(choice.get("finish_reason") or ""),
            refusal=str(message.get("refusal") or ""),
            reasoning=str(message.get("reasoning_content") or message.get("reasoning") or ""),
            cached_tokens=token_count((usage.get("prompt_tokens_details") or {}).get("cached_tokens")),
            tokens=tokens_of((choice.get("logprobs") or {}).get("content") or ()),
        )


def tokens_of(entries: Any) -> tuple[Token, ...]:
    """Tokens with what might have stood in their place, as chat completions and Responses tell them; none where they
    are told in another form, since the reply is good without them."""
    try:
        return tuple(
            Token(
                str(entry["token"]),
                tuple((str(other["token"]), float(other["logprob"])) for other in entry.get("top_logprobs") or ()),
            )
            for entry in entries
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return ()
