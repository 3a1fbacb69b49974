"""Servers that speak as the public documentation of each provider says, over one stub that answers.

A request is turned into one of chat completions, answered by the stub, and the reply turned back. What a request must
have by the documentation is asserted here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

from aiohttp import web

from stub_server import Stub, completion, good

Body = dict[str, Any]


class Chat:
    """OpenAI's chat completions."""

    provider, batch = "openai_compatible", "openai_batch"
    prefix, route = "/v1", "/v1/chat/completions"
    length = "max_tokens"

    def to_chat(self, body: Body, _request: web.Request | None = None) -> Body:
        return body

    def from_chat(self, reply: Body) -> Body:
        return reply

    def error(self, words: str, status: int) -> Body:
        return {"error": {"message": words, "code": status}}

    def check(self, request: web.Request) -> None:
        assert request.headers["Content-Type"] == "application/json"


def schema_of(schema: Any) -> Body:
    return {"response_format": {"type": "json_schema", "json_schema": {"schema": schema}}} if schema else {}


class Responses(Chat):
    """OpenAI's Responses."""

    provider, batch = "openai_responses", "openai_responses_batch"
    route = "/v1/responses"
    length = "max_output_tokens"

    def to_chat(self, body: Body, _request: web.Request | None = None) -> Body:
        assert body["store"] is False
        assert "seed" not in body
        form = (body.get("text") or {}).get("format") or {}
        assert form.get("strict", True)
        return {
            "model": body["model"],
            "messages": [{"role": "system", "content": body["instructions"]}, *body["input"]],
            "max_tokens": body["max_output_tokens"],
            **{name: body[name] for name in ("temperature", "top_p", "reasoning", "top_logprobs") if name in body},
            **schema_of(form.get("schema")),
        }

    def from_chat(self, reply: Body) -> Body:
        if "choices" not in reply:
            return reply
        choice, usage = reply["choices"][0], reply.get("usage")
        message = choice["message"]
        reasons = {"length": "max_output_tokens", "content_filter": "content_filter"}
        content: list[Body] = [{"type": "output_text", "text": text_of(message), "annotations": []}]
        if choice.get("logprobs"):
            content[0]["logprobs"] = choice["logprobs"]["content"]
        if message.get("refusal"):
            content = [{"type": "refusal", "refusal": message["refusal"]}]
        output = [{"type": "message", "role": "assistant", "content": content}]
        if message.get("reasoning_content"):
            summary = [{"type": "summary_text", "text": message["reasoning_content"]}]
            output.insert(0, {"type": "reasoning", "summary": summary})
        reason = reasons.get(choice["finish_reason"])
        return {
            "id": "resp_1",
            "object": "response",
            "model": reply["model"],
            "status": "incomplete" if reason else "completed",
            "incomplete_details": {"reason": reason} if reason else None,
            "error": None,
            "output": output,
            "usage": usage
            and {
                "input_tokens": usage["prompt_tokens"],
                "input_tokens_details": usage.get("prompt_tokens_details", {"cached_tokens": 0}),
                "output_tokens": usage["completion_tokens"],
            },
        }


class Anthropic(Chat):
    """Anthropic's Messages."""

    provider, batch = "anthropic", "anthropic_batch"
    route = "/v1/messages"

    def check(self, request: web.Request) -> None:
        assert request.headers["anthropic-version"] == "2023-06-01"

    def to_chat(self, body: Body, _request: web.Request | None = None) -> Body:
        assert isinstance(body["max_tokens"], int)
        assert "seed" not in body
        assert body.get("temperature") is None or 0 <= body["temperature"] <= 1
        assert [message["role"] for message in body["messages"]][::2] == ["user"] * ((len(body["messages"]) + 1) // 2)
        output = body.get("output_config") or {}
        tools = body.get("tools") or [{}]
        schema = (output.get("format") or {}).get("schema") or tools[0].get("input_schema")
        return {
            "model": body["model"],
            "messages": [{"role": "system", "content": body["system"]}, *body["messages"]],
            "max_tokens": body["max_tokens"],
            "tool": "tool_choice" in body,
            **({"effort": output["effort"]} if "effort" in output else {}),
            **{name: body[name] for name in ("temperature", "top_p") if name in body},
            **schema_of(schema),
        }

    def from_chat(self, reply: Body) -> Body:
        if "choices" not in reply:
            return reply
        choice, usage = reply["choices"][0], reply.get("usage")
        message = choice["message"]
        stops = {"length": "max_tokens", "content_filter": "refusal", "stop": "end_turn"}
        content: list[Body] = [{"type": "text", "text": message.get("refusal") or text_of(message)}]
        if message.get("reasoning_content"):
            content.insert(0, {"type": "thinking", "thinking": message["reasoning_content"], "signature": "x"})
        cached = ((usage or {}).get("prompt_tokens_details") or {}).get("cached_tokens", 0)
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": reply["model"],
            "content": content,
            "stop_reason": "refusal" if message.get("refusal") else stops[choice["finish_reason"]],
            **(
                {
                    "usage": {
                        "input_tokens": usage["prompt_tokens"] - cached,
                        "cache_read_input_tokens": cached,
                        "output_tokens": usage["completion_tokens"],
                    }
                }
                if usage
                else {}
            ),
        }

    def error(self, words: str, status: int) -> Body:
        kinds = {400: "invalid_request_error", 403: "permission_error", 429: "rate_limit_error"}
        return {"type": "error", "error": {"type": kinds.get(status, "api_error"), "message": words}}


class Gemini(Chat):
    """Google's generateContent."""

    provider, batch = "gemini", "gemini_batch"
    prefix, route = "/v1beta", "/v1beta/models/{model}:generateContent"
    length = "maxOutputTokens"

    def check(self, request: web.Request) -> None:
        assert "Authorization" not in request.headers

    def to_chat(self, body: Body, request: web.Request | None = None) -> Body:
        config = body["generationConfig"]
        assert ("responseJsonSchema" not in config) or config["responseMimeType"] == "application/json"
        roles = {"user": "user", "model": "assistant"}
        turns = [{"role": roles[turn["role"]], "content": turn["parts"][0]["text"]} for turn in body["contents"]]
        return {
            "model": request.match_info["model"] if request else "tiny",
            "messages": [{"role": "system", "content": body["systemInstruction"]["parts"][0]["text"]}, *turns],
            "max_tokens": config["maxOutputTokens"],
            **{name: config[name] for name in ("temperature", "seed", "topP", "thinkingConfig") if name in config},
            **schema_of(config.get("responseJsonSchema")),
        }

    def from_chat(self, reply: Body) -> Body:
        if "choices" not in reply:
            return reply
        choice, usage = reply["choices"][0], reply.get("usage")
        message = choice["message"]
        counts = usage and {
            "promptTokenCount": usage["prompt_tokens"],
            "candidatesTokenCount": usage["completion_tokens"],
            "cachedContentTokenCount": (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0),
        }
        if message.get("refusal"):
            return {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": counts or {}}
        parts: list[Body] = [{"text": text_of(message)}]
        if message.get("reasoning_content"):
            parts.insert(0, {"text": message["reasoning_content"], "thought": True})
        finishes = {"length": "MAX_TOKENS", "content_filter": "SAFETY", "stop": "STOP"}
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": finishes[choice["finish_reason"]]}
        return {
            "candidates": [candidate],
            "modelVersion": reply["model"],
            **({"usageMetadata": counts} if counts else {}),
        }

    def error(self, words: str, status: int) -> Body:
        return {"error": {"code": status, "message": words, "status": "FAILED_PRECONDITION"}}


def text_of(message: Body) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


DIALECTS = (Chat(), Responses(), Anthropic(), Gemini())


@asynccontextmanager
async def serving_as(dialect: Chat, stub: Stub) -> AsyncIterator[str]:
    """The base URL of a server that speaks so, while it serves."""

    async def handle(request: web.Request) -> web.StreamResponse:
        dialect.check(request)
        reply = await stub.respond(dialect.to_chat(await request.json(), request), request)
        if isinstance(reply, dict):
            return web.json_response(dialect.from_chat(reply))
        if isinstance(reply, web.Response) and reply.status != 200 and reply.content_type == "application/json":
            words = json.loads(reply.text or "{}")["error"]["message"].replace("max_tokens", dialect.length)
            headers = {name: value for name, value in reply.headers.items() if name == "Retry-After"}
            return web.json_response(dialect.error(words, reply.status), status=reply.status, headers=headers)
        return reply

    app = web.Application(client_max_size=2**24)
    app.router.add_post(dialect.route.replace("{model}", "{model:[^:/]+}"), handle)
    async with _running(app, dialect.prefix) as url:
        yield url


@asynccontextmanager
async def _running(app: web.Application, prefix: str) -> AsyncIterator[str]:
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}{prefix}"
    finally:
        await runner.cleanup()


def one_page(entries: Sequence[Body], after: str | None) -> Body:
    """The entry after the one of this id: a list of which a page has one."""
    place = 1 + next(place for place, entry in enumerate(entries) if entry["id"] == after) if after else 0
    return {"data": entries[place : place + 1], "has_more": place + 1 < len(entries)}


class BatchServer:
    """Batches in memory, in the form of each provider; one is done at the nth look at it. `answer(body)` gives a text,
    or a status and an error; `asked` counts questions by name. `fault(request, reply)` may put another reply in place
    of one, after all that was asked for has been done."""

    def __init__(self, dialect: Chat, answer: Any = good, looks: int = 2, fault: Any = lambda *_: None) -> None:
        self.dialect, self.answer, self.looks, self.fault = dialect, answer, looks, fault
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, Body] = {}
        self.asked: Counter[str] = Counter()
        self.ahead = timedelta()
        """How far its clock is before ours."""

    def outcome(self, body: Body) -> tuple[int, Body]:
        chat = self.dialect.to_chat(body)
        reply = self.answer(chat)
        if isinstance(reply, str):
            return 200, self.dialect.from_chat(completion({"model": "tiny"}, reply))
        return int(reply[0]), self.dialect.error(str(reply[1]), int(reply[0]))

    def begin(self, questions: list[tuple[str, Body]], **fields: Any) -> Body:
        number = f"batch{len(self.batches)}"
        fields["created_at"] = datetime.now(UTC) + self.ahead
        self.batches[number] = {"number": number, "questions": questions, "looks": 0, **fields}
        self.asked.update(name for name, _ in questions)
        return self.batches[number]

    def is_paid(self, batch: Body) -> bool:
        return any(self.outcome(body)[0] == 200 for _, body in batch["questions"])

    def done(self, batch: Body, *, looking: bool = True) -> bool:
        batch["looks"] += looking
        return bool(batch["looks"] >= self.looks)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        @web.middleware
        async def faulty(request: web.Request, handler: Any) -> web.StreamResponse:
            reply: web.StreamResponse = await handler(request)
            reply.headers["Date"] = format_datetime(datetime.now(UTC) + self.ahead, usegmt=True)
            return self.fault(request, reply) or reply

        app = web.Application(client_max_size=2**26, middlewares=[faulty])
        kinds = {"anthropic": self._anthropic, "gemini": self._gemini}
        kinds.get(self.dialect.provider, self._openai)(app.router)
        async with _running(app, self.dialect.prefix) as url:
            yield url

    def _openai(self, router: web.UrlDispatcher) -> None:
        async def upload(request: web.Request) -> web.Response:
            form = await request.post()
            assert form["purpose"] == "batch"
            name = f"file{len(self.files)}"
            self.files[name] = form["file"].file.read()  # type: ignore[union-attr]
            return web.json_response({"id": name})

        async def content(request: web.Request) -> web.Response:
            return web.Response(body=self.files[request.match_info["file"]])

        def view(batch: Body) -> Body:
            over = self.done(batch, looking=False)
            shown = {name: batch[name] for name in ("endpoint", "metadata", "input_file_id")}
            shown |= {"id": batch["number"], "status": "completed" if over else "in_progress"}
            if over:
                lines = []
                for name, body in batch["questions"]:
                    status, reply = self.outcome(body)
                    lines.append(json.dumps({"custom_id": name, "response": {"status_code": status, "body": reply}}))
                self.files[f"out-{batch['number']}"] = "\n".join(lines).encode()
                shown["output_file_id"] = f"out-{batch['number']}"
            return shown

        async def create(request: web.Request) -> web.Response:
            order = await request.json()
            assert order["completion_window"] == "24h"
            lines = [json.loads(line) for line in self.files[order["input_file_id"]].splitlines()]
            assert {line["url"] for line in lines} == {order["endpoint"]} == {self.dialect.route}
            return web.json_response(view(self.begin([(line["custom_id"], line["body"]) for line in lines], **order)))

        async def look(request: web.Request) -> web.Response:
            batch = self.batches[request.match_info["batch"]]
            self.done(batch)
            return web.json_response(view(batch))

        async def listed(request: web.Request) -> web.Response:
            entries = [{"id": "others", "metadata": None}, *(view(batch) for batch in self.batches.values())]
            return web.json_response(one_page(entries, request.query.get("after")))

        router.add_post("/v1/files", upload)
        router.add_get("/v1/files/{file}/content", content)
        router.add_post("/v1/batches", create)
        router.add_get("/v1/batches", listed)
        router.add_get("/v1/batches/{batch}", look)

    def _anthropic(self, router: web.UrlDispatcher) -> None:
        def view(batch: Body) -> Body:
            over = self.done(batch, looking=False)
            address = f"/v1/messages/batches/{batch['number']}/results" if over else None
            state = "ended" if over else "in_progress"
            shown = {"id": batch["number"], "processing_status": state, "results_url": address}
            return {**shown, "created_at": batch["created_at"].isoformat()}

        async def create(request: web.Request) -> web.Response:
            requests = (await request.json())["requests"]
            for entry in requests:
                assert len(entry["custom_id"]) <= 64
                assert entry["custom_id"].replace("_", "").replace("-", "").isalnum()
            return web.json_response(view(self.begin([(e["custom_id"], e["params"]) for e in requests])))

        async def look(request: web.Request) -> web.Response:
            batch = self.batches[request.match_info["batch"]]
            self.done(batch)
            return web.json_response(view(batch))

        async def results(request: web.Request) -> web.Response:
            lines = []
            for name, body in self.batches[request.match_info["batch"]]["questions"]:
                status, reply = self.outcome(body)
                result = (
                    {"type": "succeeded", "message": reply} if status == 200 else {"type": "errored", "error": reply}
                )
                lines.append(json.dumps({"custom_id": name, "result": result}))
            return web.Response(text="\n".join(lines))

        async def listed(request: web.Request) -> web.Response:
            others = {"id": "others", "processing_status": "in_progress", "created_at": "2026-01-01T00:00:00.1Z"}
            entries = [others, *(view(batch) for batch in self.batches.values())]
            page = one_page(entries, request.query.get("after_id"))
            return web.json_response({**page, "last_id": page["data"][-1]["id"]})

        router.add_post("/v1/messages/batches", create)
        router.add_get("/v1/messages/batches", listed)
        router.add_get("/v1/messages/batches/{batch}", look)
        router.add_get("/v1/messages/batches/{batch}/results", results)

    def _gemini(self, router: web.UrlDispatcher) -> None:
        def view(batch: Body, *, whole: bool = True) -> Body:
            over = self.done(batch, looking=False)
            state = "BATCH_STATE_SUCCEEDED" if over else "BATCH_STATE_RUNNING"
            shown: Body = {"name": f"batches/{batch['number']}", "done": over}
            shown["metadata"] = {"displayName": batch["displayName"], "state": state}
            if over and whole:
                responses = []
                for name, body in batch["questions"]:
                    status, reply = self.outcome(body)
                    entry = {"response": reply} if status == 200 else {"error": {**reply["error"], "code": 3}}
                    responses.append({"metadata": {"key": name}, **entry})
                shown["response"] = {"inlinedResponses": {"inlinedResponses": responses}}
            return shown

        async def create(request: web.Request) -> web.Response:
            order = (await request.json())["batch"]
            requests = order["inputConfig"]["requests"]["requests"]
            questions = [(entry["metadata"]["key"], entry["request"]) for entry in requests]
            return web.json_response(view(self.begin(questions, displayName=order["displayName"])))

        async def look(request: web.Request) -> web.Response:
            batch = self.batches[request.match_info["batch"]]
            self.done(batch)
            return web.json_response(view(batch))

        async def listed(request: web.Request) -> web.Response:
            entries = [{"name": "batches/others"}, *(view(batch, whole=False) for batch in self.batches.values())]
            place = int(request.query.get("pageToken", "0"))
            following = {"nextPageToken": str(place + 1)} if place + 1 < len(entries) else {}
            return web.json_response({"operations": entries[place : place + 1], **following})

        router.add_post("/v1beta/models/{model:[^:/]+}:batchGenerateContent", create)
        router.add_get("/v1beta/batches", listed)
        router.add_get("/v1beta/batches/{batch}", look)
