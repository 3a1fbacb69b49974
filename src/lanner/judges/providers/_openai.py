"""OpenAI's interfaces: chat completions, which other servers speak as well, Responses, and batches of either."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import to_json

from lanner.judges.providers import Call, RefusedError, Reply, ReplyToken, UnanswerableError, token_count
from lanner.judges.providers._batches import MARK, Batch, Batches, BatchResult, Question, rows
from lanner.judges.providers._http import Connection
from lanner.judges.schemas import grammar
from lanner.model import Json

_OPENAI = "https://api.openai.com/v1"
ALTERNATIVES = 20
"""How many tokens beside the chosen one a server is asked to tell the probability of; no interface tells more."""
_SHOWN = 300  # characters of what is wrong with a batch
_OVER = {"completed", "failed", "expired", "cancelled"}
_LOST = {"failed", "expired", "cancelled", "cancelling"}
_NEVER_ASKED = 503  # the batch was over before the question's turn: it has an error of its own instead of a response


class Chat(Connection):
    """Chat completions: of OpenAI, and of any server that speaks the same protocol (vLLM, Ollama, llama.cpp, Azure)."""

    BASE_URL = _OPENAI
    BATCH = "openai_batch"
    route = "/chat/completions"
    lengths = ("max_completion_tokens", "max_tokens")
    optional = ("temperature", "seed", "top_p", "reasoning_effort", "top_logprobs", "logprobs")

    def values_of(self, call: Call) -> dict[str, Json]:
        length = self._family.length if self._family else self.lengths[0]
        if length in self._left_out[call.model]:
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
        usage = data.get("usage") or {}
        choices = data["choices"] or ([{"message": {}}] if usage else [])  # an empty reply that was paid is one
        choice, message = choices[0], choices[0]["message"]
        content = message.get("content") or ""
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        sent = token_count(usage.get("prompt_tokens"))
        received = token_count(usage.get("completion_tokens"))
        return Reply(
            text=_texts(parts, "text", "output_text"),
            model=str(data.get("model") or ""),
            fingerprint=str(data.get("system_fingerprint") or ""),
            tokens_in=sent,
            tokens_out=max(received, token_count(usage.get("total_tokens")) - sent),  # some count thoughts there alone
            finish=str(choice.get("finish_reason") or ""),
            refusal=str(message.get("refusal") or "") or _texts(parts, "refusal"),
            reasoning=str(message.get("reasoning_content") or message.get("reasoning") or "")
            or _texts(parts, "thinking", "reasoning"),
            cached_tokens=_cached_tokens(usage),
            tokens=tokens_of((choice.get("logprobs") or {}).get("content") or ()),
        )


def _texts(parts: Sequence[Mapping[str, Any]], *kinds: str) -> str:
    """What the parts of these kinds say: a reply may be written in parts, with thoughts or a refusal among them. The
    words of a part stand under its kind or under `text`, as words or in parts again."""
    texts = []
    for part in parts:
        kind = part.get("type", "text")
        if kind in kinds:
            words = part.get(kind) or part.get("text") or ""
            texts.append(words if isinstance(words, str) else _texts(words, "text"))
    return "".join(texts)


def _cached_tokens(usage: Mapping[str, Any]) -> int:
    """Tokens that the server knew from before, as OpenAI, DeepSeek and Moonshot tell them."""
    detail = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
    return token_count(detail or usage.get("prompt_cache_hit_tokens") or usage.get("cached_tokens"))


def tokens_of(entries: Any) -> tuple[ReplyToken, ...]:
    """Tokens with what might have stood in their place, as chat completions and Responses tell them; none where they
    are told in another form, since the reply is good without them."""
    try:
        return tuple(
            ReplyToken(
                str(entry["token"]),
                tuple((str(other["token"]), float(other["logprob"])) for other in entry.get("top_logprobs") or ()),
            )
            for entry in entries
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return ()


class Responses(Connection):
    """Responses, for models that are offered there alone or think better there. They take no seed, and nothing is kept
    on the server."""

    BASE_URL = _OPENAI
    BATCH = "openai_responses_batch"
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


class FileBatches(Batches):
    """Batches of files. The input file of a batch stays on the server, so its questions are known whoever sent it."""

    interface: type[Connection] = Chat
    route = "/v1/chat/completions"

    async def create(self, questions: Sequence[Question]) -> Batch:
        lines = [
            to_json({"custom_id": question.name, "method": "POST", "url": self.route, "body": question.body})
            for question in questions
        ]
        file = await self.connection.upload(b"\n".join(lines) + b"\n")
        order = {
            "input_file_id": file,
            "endpoint": self.route,
            "completion_window": "24h",
            "metadata": {"made_by": MARK},
        }
        return await self.connection.json("POST", "/batches", order)

    async def look(self, batch: Batch) -> Batch:
        return await self.connection.json("GET", f"/batches/{batch['id']}")

    def is_over(self, batch: Batch) -> bool:
        return batch.get("status") in _OVER

    async def results(self, batch: Batch) -> Sequence[BatchResult]:
        files = [str(batch[name]) for name in ("output_file_id", "error_file_id") if batch.get(name)]
        lines = [row for file in files for row in rows(await self.connection.content(file))]
        return [
            BatchResult(
                str(row.get("custom_id")),
                int((row.get("response") or {}).get("status_code") or _NEVER_ASKED),
                (row.get("response") or {}).get("body") or row.get("error") or {},
            )
            for row in lines
        ]

    def problem(self, batch: Batch) -> str:
        if batch.get("status") == "completed":
            return ""
        errors = (batch.get("errors") or {}).get("data") or ()
        words = "; ".join(dict.fromkeys(str(error.get("message")) for error in errors))
        return f"the batch {batch.get('id')} is {batch.get('status')}" + (f": {words[:_SHOWN]}" if words else "")

    async def earlier(self, run: str) -> Sequence[tuple[Batch, Sequence[str]]]:
        batches = []
        for batch in await self.list_batches("/batches"):
            ours = (batch.get("metadata") or {}).get("made_by") == MARK and batch.get("endpoint") == self.route
            if not ours:
                continue
            try:
                names = await self._names(batch)
            except (RefusedError, UnanswerableError):  # its files are no longer kept
                continue
            if any(name.startswith(run) for name in names):
                batches.append((batch, names))
        return batches

    async def _names(self, batch: Batch) -> list[str]:
        """The questions that a batch has answered or will; of one that was given up those that it had answered."""
        if batch.get("status") in _LOST:
            return [result.name for result in await self.results(batch) if result.status == 200]
        return [str(row.get("custom_id")) for row in rows(await self.connection.content(str(batch["input_file_id"])))]


class ResponseBatches(FileBatches):
    """Files of questions to Responses."""

    interface = Responses
    route = "/v1/responses"
