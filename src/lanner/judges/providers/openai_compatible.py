"""Any server that speaks OpenAI's chat protocol: hosted ones, vLLM, Ollama, llama.cpp.

One POST per call over aiohttp. What servers differ in is data (`capabilities.toml`); what a server refuses with a 400
(a way to hold it to a schema, a seed, a temperature, the name of the length limit) is left out from then on.
"""

from __future__ import annotations

import asyncio
import importlib
import math
import time
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import urlsplit

from pydantic_core import from_json, to_json

from lanner.errors import LannerError, MissingExtraError, did_you_mean
from lanner.judges.keys import key_for, where_keys_are
from lanner.judges.providers import (
    Call,
    Endpoint,
    OverloadedError,
    RefusedError,
    Reply,
    UnanswerableError,
    UnreadableError,
)
from lanner.judges.schemas import grammar, reduced
from lanner.model import Json

_LONGEST = 4_000_000  # bytes of a reply; more is not an answer to any question we ask
_SHOWN = 300
_OVERLOADED = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
_PROBE_SECONDS = 10.0
_SHORTEST = 64  # tokens: no answer to a question of ours is shorter
_FORBIDDEN = 5  # refusals in a row before any answer: then it is us and not the text
_LENGTHS = ("max_completion_tokens", "max_tokens")
_VALUE = ("too large", "too high", "exceed", "maximum", "at most", "less than", "context length")


@dataclass(frozen=True, slots=True)
class Family:
    """What a kind of server understands."""

    means: tuple[str, ...]
    length: str
    without: frozenset[str]
    key: bool = False
    unreadable: tuple[str, ...] = ()


@cache
def _table() -> dict[str, dict[str, Any]]:
    file = resources.files("lanner.judges.providers") / "capabilities.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def family(host: str, owners: frozenset[str] = frozenset(), named: str = "") -> Family:
    """The entry of the capability table for a server."""
    table = _table()
    found = table.get(named) or next(
        (
            entry
            for entry in table.values()
            if any(host == name or host.endswith(f".{name}") for name in entry.get("hosts", ()))
            or owners & set(entry.get("owned_by", ()))
        ),
        table["default"],
    )
    return Family(
        tuple(found["means"]),
        found["length"],
        frozenset(found["without"]),
        found.get("key", False),
        tuple(found.get("unreadable", ())),
    )


def require(endpoint: Endpoint) -> str:
    """The key for the server, "" where it needs none. Refuses where the extra `judges` or a needed key is missing."""
    try:
        importlib.import_module("aiohttp")
    except ModuleNotFoundError:
        raise MissingExtraError("Asking a model", "judges") from None
    host = urlsplit(endpoint.base_url).hostname or ""
    key = key_for(host, endpoint.key_variable, only=endpoint.only)
    if not key and (family(host).key or endpoint.key_variable):
        raise LannerError(f"There is no key for {host}.", next_step=where_keys_are(host, endpoint.key_variable))
    return key


def connect(endpoint: Endpoint) -> Connection:
    """A connection to the server."""
    return Connection(endpoint)


class Connection:
    """One server, asked over kept-alive connections."""

    at_once = 8

    def __init__(self, endpoint: Endpoint) -> None:
        self._key = require(endpoint)
        aiohttp = importlib.import_module("aiohttp")
        self._endpoint = endpoint
        self._base = endpoint.base_url.rstrip("/")
        self._chat = importlib.import_module("yarl").URL(f"{self._base}/chat/completions")
        self._host = urlsplit(self._base).hostname or ""
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=60),
            timeout=aiohttp.ClientTimeout(total=endpoint.timeout),
            headers=headers,
        )
        self._broken: tuple[type[Exception], ...] = (aiohttp.ClientError, asyncio.TimeoutError, OSError)
        self._unreadable: tuple[type[Exception], ...] = (*self._broken, ValueError)
        self._family: Family | None = None
        self._finding = asyncio.Lock()
        self._step = 0  # how far down the family's list of means we had to go
        self._left_out: set[str] = set()
        self._answered = False  # whether the server has ever answered a question
        self._forbidden = 0
        self._schemas: dict[int, tuple[Mapping[str, Json], Json]] = {}

    async def close(self) -> None:
        """Close the connections."""
        await self._session.close()

    async def models(self) -> list[str]:
        """Names the server says it has; nothing where it does not say."""
        return [str(entry.get("id", "")) for entry in await self._listed()]

    async def ask(self, call: Call) -> Reply:
        """One reply, after leaving out whatever the server says it does not understand. A limit on length that is too
        large for this one question is lowered for it alone."""
        known = self._family or await self._find_family()
        while True:
            step = self._step
            body = self._body(call, known, known.means[step])
            began = time.perf_counter()
            status, headers, content = await self._post(self._chat, body)
            latency = time.perf_counter() - began
            if status == 200:
                reply = self.read(content, latency, known.means[step])
                self._answered = True
                return replace(reply, sent=_settings(body))
            words = self._words(content)
            if status == 400 and self._adapt(words, known, step, body):
                continue
            if status == 400 and call.max_tokens and call.max_tokens > _SHORTEST and _is_about_length(words):
                call = replace(call, max_tokens=call.max_tokens // 2)
                continue
            raise await self._error(status, headers, words, call)

    async def body(self, call: Call) -> dict[str, Json]:
        """The request for a question, as this server takes it."""
        known = self._family or await self._find_family()
        return self._body(call, known, known.means[self._step])

    async def json(self, method: str, path: str, body: Json = None) -> dict[str, Json]:
        """Another of the server's doors: a JSON object back, or one of the errors."""
        return dict(from_json(await self._fetch(method, path, None if body is None else to_json(body))))

    async def content(self, file: str) -> bytes:
        """What stands in a file that the server keeps."""
        return await self._fetch("GET", f"/files/{file}/content")

    async def upload(self, content: bytes) -> str:
        """Give the server a file of questions. Its id."""
        aiohttp = importlib.import_module("aiohttp")
        form = aiohttp.FormData()
        form.add_field("purpose", "batch")
        form.add_field("file", content, filename="questions.jsonl", content_type="application/jsonl")
        payload = form()
        kind = {"Content-Type": payload.headers["Content-Type"]}
        return str(from_json(await self._fetch("POST", "/files", payload, kind))["id"])

    def learns(self, content: bytes) -> bool:
        """Leave out from now on what a refused request was refused for. False where that is nothing we can leave."""
        words = self._words(content)
        if any(name in words.casefold() for name in self._left_out):  # another request of the same batch
            return True
        optional = dict.fromkeys(("temperature", "seed", "max_completion_tokens", "max_tokens"))
        return self._family is not None and self._adapt(words, self._family, self._step, optional)

    async def _fetch(self, method: str, path: str, data: Any = None, headers: Mapping[str, str] | None = None) -> bytes:
        try:
            async with self._session.request(method, f"{self._base}{path}", data=data, headers=headers) as response:
                content: bytes = await response.read()
                if response.status in (200, 201):
                    return content
                raise self.failure(response.status, content, response.headers)
        except self._broken as problem:
            raise OverloadedError(self._scrubbed(str(problem) or "no reply in time")) from problem

    async def _find_family(self) -> Family:
        async with self._finding:
            if self._family is None:
                owners: frozenset[str] = frozenset()
                if not self._endpoint.family and family(self._host) == family(""):
                    owners = frozenset(str(entry.get("owned_by", "")) for entry in await self._listed())
                self._family = family(self._host, owners, self._endpoint.family)
        return self._family

    async def _listed(self) -> list[Mapping[str, Json]]:
        try:
            async with asyncio.timeout(_PROBE_SECONDS), self._session.get(f"{self._base}/models") as response:
                data = from_json(await response.read()) if response.status == 200 else {}
        except self._unreadable:
            return []
        listed = data.get("data") if isinstance(data, dict) else None
        return [entry for entry in listed or () if isinstance(entry, dict)]

    def _body(self, call: Call, known: Family, means: str) -> dict[str, Json]:
        optional = {"temperature": call.temperature, "seed": call.seed, known.length: call.max_tokens}
        if known.length in self._left_out:
            other = "max_completion_tokens" if known.length == "max_tokens" else "max_tokens"
            optional[other] = call.max_tokens
        body: dict[str, Json] = {"model": call.model, "messages": call.messages}
        body |= {k: v for k, v in optional.items() if v is not None and k not in self._left_out}
        if means == "json_schema":
            sent = {"name": "answer", "strict": True, "schema": self._sent(call.schema, known)}
            body["response_format"] = {"type": "json_schema", "json_schema": sent}
        elif means == "json_object":
            body["response_format"] = {"type": "json_object"}
        elif means == "grammar":
            body["grammar"] = grammar(call.schema)
        return body

    def _sent(self, schema: Mapping[str, Json], known: Family) -> Json:
        """The schema as this server takes it; prompts share theirs, so it is made once."""
        kept = self._schemas.get(id(schema))
        if kept is None or kept[0] is not schema:
            if len(self._schemas) > 256:
                self._schemas.clear()
            kept = self._schemas[id(schema)] = (schema, reduced(dict(schema), known.without))
        return kept[1]

    async def _post(self, url: Any, body: Json) -> tuple[int, Mapping[str, str], bytes]:
        try:
            async with self._session.post(url, data=to_json(body), allow_redirects=False) as response:
                if (response.content_length or 0) > _LONGEST:
                    response.close()
                    return 413, response.headers, b""
                if response.content_length is not None:
                    return response.status, response.headers, await response.read()
                parts, size = [], 0
                async for part in response.content.iter_chunked(65536):
                    parts.append(part)
                    size += len(part)
                    if size > _LONGEST:
                        response.close()
                        return 413, response.headers, b""
                return response.status, response.headers, b"".join(parts)
        except self._broken as problem:
            silent = isinstance(problem, TimeoutError)
            what = "no reply in time" if silent else str(problem) or type(problem).__name__
            raise OverloadedError(self._scrubbed(what), silent=silent) from problem

    def read(self, content: bytes, latency: float, means: str) -> Reply:
        """A chat completion as the server wrote it."""
        try:
            data = from_json(content)
            if isinstance(data, dict) and data.get("error") and not data.get("choices"):  # as some proxies do
                code = data["error"].get("code") if isinstance(data["error"], dict) else None
                raise self._meaning(code if isinstance(code, int) else 502, {}, self._words(content))
            choice = data["choices"][0]
            message = choice["message"]
            text = message.get("content") or ""
            usage = data.get("usage") or {}
            return Reply(
                text=text if isinstance(text, str) else "".join(str(part.get("text", "")) for part in text),
                model=str(data.get("model") or ""),
                fingerprint=str(data.get("system_fingerprint") or ""),
                tokens_in=int(usage.get("prompt_tokens") or 0),
                tokens_out=int(usage.get("completion_tokens") or 0),
                latency=latency,
                finish=str(choice.get("finish_reason") or ""),
                means=means,
                refusal=str(message.get("refusal") or ""),
                reasoning=str(message.get("reasoning_content") or message.get("reasoning") or ""),
                counted=bool(usage.get("prompt_tokens")),
                cached_tokens=int((usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0),
            )
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as problem:
            raise OverloadedError("the server's reply is not one of a chat", status=200) from problem

    def _adapt(self, words: str, known: Family, step: int, body: Mapping[str, Json]) -> bool:
        """Leave out what the server does not know. False where nothing is left to leave out. Of a limit on length only
        the name can be unknown; a value that is too large says nothing about the next question."""
        complaint = words.casefold()
        for name in ("temperature", "seed", *_LENGTHS):
            if name not in body or name not in complaint or name in self._left_out:
                continue
            if name in _LENGTHS and any(sign in complaint for sign in _VALUE):
                continue
            self._left_out.add(name)
            return True
        signs = ("response_format", "json_schema", "schema", "grammar", "json_object", "guided")
        if step + 1 < len(known.means) and any(sign in complaint for sign in signs):
            self._step = max(self._step, step + 1)
            return True
        return self._step > step

    async def _error(self, status: int, headers: Mapping[str, str], words: str, call: Call) -> Exception:
        if status == 404:
            names = await self.models()
            hint = did_you_mean(call.model, names) if names else "Does --base-url end in /v1?"
            what = f"{self._said(status, words)} (model {call.model!r})"
            return RefusedError(what, next_step=f"Check --model and --base-url. {hint}")
        return self._meaning(status, headers, words)

    def failure(self, status: int, content: bytes, headers: Mapping[str, str] | None = None) -> Exception:
        """The error that an answer of this status is."""
        return self._meaning(status, headers or {}, self._words(content))

    def _meaning(self, status: int, headers: Mapping[str, str], words: str) -> Exception:
        message = self._said(status, words)
        if status == 401:
            return RefusedError(message, next_step=where_keys_are(self._host, self._endpoint.key_variable))
        if status == 403:  # a text that the server's rules forbid, unless it forbids all of them
            self._forbidden += 1
            if self._answered or self._forbidden < _FORBIDDEN:
                return UnanswerableError(message, final=self._answered)
            return RefusedError(message, next_step=where_keys_are(self._host, self._endpoint.key_variable))
        if status == 402:
            return RefusedError(message, next_step="The account has no credit left.")
        if status == 404:
            return RefusedError(message, next_step="Does the server have this interface, and --base-url end in /v1?")
        if status == 500 and self._family and any(sign in words for sign in self._family.unreadable):
            return UnreadableError(message)
        if status in _OVERLOADED or status >= 500:
            return OverloadedError(message, status=status, retry_after=_retry_after(headers))
        return UnanswerableError(message if status != 413 else "the reply is longer than any answer")

    def _said(self, status: int, words: str) -> str:
        return f"{self._host} answered {status}" + (f": {words[:_SHOWN]}" if words else ".")

    def _words(self, content: bytes) -> str:
        """What the server says is wrong, without our key should it repeat it."""
        try:
            data = from_json(content)
            error = data.get("error", data) if isinstance(data, dict) else data
            words = error.get("message", error) if isinstance(error, dict) else error
        except ValueError:
            words = content.decode(errors="replace")
        return self._scrubbed(str(words))

    def _scrubbed(self, words: str) -> str:
        return words.replace(self._key, "•••") if self._key else words


def _is_about_length(words: str) -> bool:
    complaint = words.casefold()
    return any(name in complaint for name in _LENGTHS)


def _settings(body: Mapping[str, Json]) -> dict[str, Json]:
    """A request without its texts: what was asked for beside the question."""
    settings = {name: value for name, value in body.items() if name not in ("messages", "grammar", "response_format")}
    if "response_format" in body:
        settings["response_format"] = body["response_format"]["type"]
    return settings


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from any of the headers that servers use; None where none of them says something usable."""
    for name, scale in (("retry-after-ms", 0.001), ("Retry-After", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * scale
        except ValueError:
            try:
                moment = parsedate_to_datetime(value)
            except (ValueError, TypeError):
                return None
            if moment.tzinfo is None:  # "-0000" is UTC by another name
                moment = moment.replace(tzinfo=UTC)
            seconds = (moment - datetime.now(UTC)).total_seconds()
        return max(0.0, seconds) if math.isfinite(seconds) else None
    return None
