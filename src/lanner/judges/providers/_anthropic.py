"""Anthropic's Messages interface, and batches of messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from pydantic_core import to_json

from lanner.errors import LannerError
from lanner.judges.providers import Call, RefusedError, Reply, UnanswerableError, token_count
from lanner.judges.providers._batches import Batch, Batches, BatchResult, Question, added_at, rows
from lanner.judges.providers._http import Connection
from lanner.model import Json

_VERSION = "2023-06-01"
_LONGEST_REPLY = 4096  # tokens, where no limit is given: the interface wants one
_TOOL = "answer"
_NOT_TO_THE_SECOND = timedelta(minutes=1)  # dates in headers have no parts of seconds, and have been on their way
_STATUSES = {"succeeded": 200, "canceled": 503, "expired": 503}
_ERRORS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}


class Messages(Connection):
    """Messages. They take no seed and tell no probabilities; a limit on length is part of every request."""

    BASE_URL = "https://api.anthropic.com/v1"
    BATCH = "anthropic_batch"
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


def _moment(words: Json) -> datetime | None:
    """A moment as Anthropic writes it; None where none is given."""
    try:
        moment = datetime.fromisoformat(str(words))
    except ValueError:
        return None
    return moment if moment.tzinfo else None


class MessageBatches(Batches):
    """Message Batches: the questions are part of the request, the answers a file of JSON lines. A batch has no name of
    its own and tells the names of its questions only when it is over. So a run waits for the batches in its
    workspace that were sent since its judge was added: one of them may be its own."""

    interface = Messages
    most = 100_000
    largest = 250_000_000
    after = "after_id"

    def name_of(self, call: Call) -> str:
        """Only letters, digits, hyphens and underscores are allowed in a name."""
        return call.name.replace(".", "_").replace("~", "_t")

    async def create(self, questions: Sequence[Question]) -> Batch:
        requests = [{"custom_id": question.name, "params": question.body} for question in questions]
        return await self.connection.json("POST", "/messages/batches", {"requests": requests})

    async def look(self, batch: Batch) -> Batch:
        return await self.connection.json("GET", f"/messages/batches/{batch['id']}")

    def is_over(self, batch: Batch) -> bool:
        return batch.get("processing_status") == "ended"

    async def results(self, batch: Batch) -> Sequence[BatchResult]:
        content = await self.connection.fetch("GET", f"/messages/batches/{batch['id']}/results")
        results = []
        for row in rows(content):
            result = row.get("result") or {}
            kind = str(result.get("type"))
            name = str(row.get("custom_id"))
            if kind == "errored":
                error = (result.get("error") or {}).get("error") or result.get("error") or {}
                results.append(BatchResult(name, _ERRORS.get(str(error.get("type")), 500), {"error": error}))
            else:
                results.append(BatchResult(name, _STATUSES.get(kind, 500), result.get("message") or {}))
        return results

    async def earlier(self, run: str) -> Sequence[tuple[Batch, Sequence[str]]]:
        batches = []
        listed = await self.list_batches("/messages/batches")
        earliest = added_at(run) + self.connection.ahead - _NOT_TO_THE_SECOND
        for entry in listed:
            if (sent_at := _moment(entry.get("created_at"))) and sent_at < earliest:
                continue
            batch = await self.over(entry)
            if not batch.get("results_url"):  # its answers are no longer kept
                continue
            try:
                names = [result.name for result in await self.results(batch) if result.status == 200]
            except (RefusedError, UnanswerableError):
                continue
            if any(name.startswith(run) for name in names):
                batches.append((batch, names))
        return batches
