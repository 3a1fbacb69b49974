"""Google's Gemini interface: generateContent, and batches of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from lanner.judges.providers import Call, Reply, ReplyToken, token_count
from lanner.judges.providers._batches import MARK, PAGES, Batch, Batches, BatchResult, Question
from lanner.judges.providers._http import Connection
from lanner.judges.providers._openai import ALTERNATIVES, tokens_of
from lanner.model import Json

_ROLES = {"user": "user", "assistant": "model"}
_TEXTS = ("systemInstruction", "contents", "generationConfig")
_OVER = ("SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED")
_CODES = {3: 400, 4: 504, 5: 404, 7: 403, 8: 429, 13: 500, 14: 503, 16: 401}
"""HTTP statuses by the numbers that Google gives to kinds of errors."""


class Gemini(Connection):
    """generateContent."""

    BASE_URL = "https://generativelanguage.googleapis.com/v1beta"
    BATCH = "gemini_batch"
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
        if not (candidates or blocked or usage):  # an empty reply that was paid is one
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


def _tokens(result: Mapping[str, Any]) -> tuple[ReplyToken, ...]:
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


class InlineBatches(Batches):
    """Batches of inlined requests: the questions are part of the request, and so are the answers of the reply. A batch
    is named after its run, so that a later run finds its own. Answers carry the name of their question; where the
    server leaves it out they stand in the order of the questions, which only the run that sent them knows."""

    interface = Gemini
    largest = 18_000_000

    def __init__(self, connection: Connection, **more: float) -> None:
        super().__init__(connection, **more)
        self._orders: dict[str, list[str]] = {}

    async def create(self, questions: Sequence[Question]) -> Batch:
        names = [question.name for question in questions]
        requests = [{"request": question.body, "metadata": {"key": question.name}} for question in questions]
        order = {
            "batch": {
                "displayName": f"{MARK}-{names[0].partition('.')[0]}",
                "inputConfig": {"requests": {"requests": requests}},
            }
        }
        model = quote(questions[0].model.removeprefix("models/"), safe="")
        batch = await self.connection.json("POST", f"/models/{model}:batchGenerateContent", order)
        self._orders[str(batch["name"])] = names
        return batch

    async def look(self, batch: Batch) -> Batch:
        return await self.connection.json("GET", f"/{batch['name']}")

    def is_over(self, batch: Batch) -> bool:
        return bool(batch.get("done")) or _state(batch).endswith(_OVER)

    async def results(self, batch: Batch) -> Sequence[BatchResult]:
        output = batch.get("response") or (batch.get("metadata") or {}).get("output") or {}
        inlined = output.get("inlinedResponses") or {}
        entries = inlined.get("inlinedResponses") or [] if isinstance(inlined, dict) else inlined
        order = self._orders.get(str(batch["name"]), [])
        results = []
        for place, entry in enumerate(entries):
            name = str((entry.get("metadata") or {}).get("key") or (order[place] if place < len(order) else ""))
            if "response" in entry:
                results.append(BatchResult(name, 200, entry["response"]))
            else:
                error = entry.get("error") or {}
                results.append(BatchResult(name, _CODES.get(int(error.get("code") or 0), 500), {"error": error}))
        return results

    def problem(self, batch: Batch) -> str:
        state = _state(batch)
        if batch.get("error") or not state.endswith("SUCCEEDED"):
            words = (batch.get("error") or {}).get("message") or state
            return f"the batch {batch['name']} failed: {words}"
        return ""

    async def list_batches(self, path: str) -> list[Batch]:
        batches: list[Batch] = []
        following = ""
        for _ in range(PAGES):
            page = await self.connection.json("GET", f"{path}?pageSize=100{following}")
            batches += page.get("operations") or page.get("batches") or ()
            if not page.get("nextPageToken"):
                break
            following = f"&pageToken={quote(str(page['nextPageToken']), safe='')}"
        return batches

    async def earlier(self, run: str) -> Sequence[tuple[Batch, Sequence[str]]]:
        batches = []
        for entry in await self.list_batches("/batches"):
            if (entry.get("metadata") or entry).get("displayName") != f"{MARK}-{run.partition('.')[0]}":
                continue
            batch = await self.look(await self.over(entry))  # only the answers tell which questions they are to
            names = [result.name for result in await self.results(batch) if result.status == 200]
            batches.append((batch, [name for name in names if name]))
        return batches


def _state(batch: Batch) -> str:
    return str((batch.get("metadata") or batch).get("state") or "")
