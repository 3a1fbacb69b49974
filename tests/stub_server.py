"""A small server that speaks OpenAI's chat protocol and answers as it is told: well, wrongly, late or not at all."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from random import Random
from typing import Any

from aiohttp import web

Answer = Callable[[dict[str, Any], int], Any]


def instance(schema: dict[str, Any], dice: Random, *, whole: bool = False) -> Any:
    """A value that fits the schema, chosen by dice. What may be left out is, unless it is to be `whole`."""
    if "anyOf" in schema:
        return instance(schema["anyOf"][0], dice, whole=True) if whole else None
    if "enum" in schema:
        return dice.choice(schema["enum"])
    match schema.get("type"):
        case "object":
            return {name: instance(entry, dice, whole=whole) for name, entry in schema.get("properties", {}).items()}
        case "array":
            low = schema.get("minItems", 0)
            if "enum" in schema["items"]:
                return dice.sample(schema["items"]["enum"], low)
            return [instance(schema["items"], dice, whole=whole) for _ in range(low)]
        case "integer":
            return dice.randint(schema.get("minimum", 0), schema.get("maximum", 9))
        case "number":
            return dice.uniform(schema.get("minimum", 0), schema.get("maximum", 9))
        case "boolean":
            return dice.random() < 0.5
        case _:
            return "text"


def good(body: dict[str, Any], _turn: int = 0) -> str:
    """A valid answer that depends on the question and the seed alone."""
    asked = json.dumps([body["messages"][-1]["content"], body.get("seed"), body["model"]])
    return json.dumps(instance(body["response_format"]["json_schema"]["schema"], Random(asked)))


def completion(body: dict[str, Any], text: str, **more: Any) -> dict[str, Any]:
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return {"id": "x", "model": body["model"], "choices": [choice], "usage": usage, **more}


class Stub:
    """Counts what it is asked. `answer(body, turn)` gives text, a Response, or a coroutine that makes one; `turn` is
    how often this very question came before."""

    def __init__(self, answer: Answer = good, delay: float = 0.0) -> None:
        self.answer = answer
        self.delay = delay
        self.asked: Counter[str] = Counter()
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.at_once = self.most_at_once = 0
        self.keep = True

    async def chat(self, request: web.Request) -> web.StreamResponse:
        reply = await self.respond(await request.json(), request)
        return reply if isinstance(reply, web.StreamResponse) else web.json_response(reply)

    async def respond(self, body: dict[str, Any], request: web.Request) -> web.StreamResponse | dict[str, Any]:
        """What becomes of a request in the form of chat completions."""
        question = json.dumps(
            [body["model"], *(m["content"] for m in body["messages"]), (body.get("seed") or 0) % 1000]
        )
        turn = self.asked[question]
        self.asked[question] += 1
        if self.keep:
            self.bodies.append(body)
            self.headers.append(dict(request.headers))
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if self.delay:
                await asyncio.sleep(self.delay)
            made = self.answer(body, turn)
            if asyncio.iscoroutine(made):
                made = await made
            if callable(made):
                return await made(request)
            if isinstance(made, web.StreamResponse):
                return made
            return completion(body, made) if isinstance(made, str) else made
        finally:
            self.at_once -= 1

    async def models(self, _: web.Request) -> web.Response:
        return web.json_response({"data": [{"id": "tiny", "owned_by": "stub"}]})


@asynccontextmanager
async def serving(stub: Stub, port: int = 0) -> AsyncIterator[str]:
    """The stub's base URL while it serves."""
    app = web.Application(client_max_size=2**24)
    app.router.add_post("/v1/chat/completions", stub.chat)
    app.router.add_get("/v1/models", stub.models)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


@contextmanager
def running(stub: Stub) -> Iterator[str]:
    """The stub's base URL while it serves from a thread, for those who have no event loop of their own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = serving(stub)
    try:
        yield asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(10)
        asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
