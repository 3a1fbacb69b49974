"""What all providers have in common: one POST per question over kept-alive connections, and what an error means.

What servers differ in is data (`capabilities.toml`); what a server refuses with a 400 (a way to hold it to a schema, a
setting, the name of the length limit) is left out from then on. A provider adds the form of its requests and replies.
"""

from __future__ import annotations

import asyncio
import base64
import importlib
import json
import math
import os
import re
import ssl
import time
import zlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, Self
from urllib.parse import SplitResult, quote, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from httptools import HttpParserError, HttpResponseParser
from pydantic_core import from_json, to_json

from lanner import registry
from lanner.errors import LannerError, MissingExtraError, did_you_mean
from lanner.judges.providers import (
    Call,
    Endpoint,
    OverloadedError,
    RefusedError,
    Reply,
    UnanswerableError,
    UnreadableError,
)
from lanner.judges.schemas import without_keywords
from lanner.model import Json

# Keys of servers: from the environment, or from the system's keyring; never from a file of ours, never stored.

OWN = "LANNER_API_KEY"
_OF_HOST = {  # a key goes to the host it is for, and to no other
    "api.openai.com": "OPENAI_API_KEY",
    "api.anthropic.com": "ANTHROPIC_API_KEY",
    "generativelanguage.googleapis.com": "GEMINI_API_KEY",
}


def key_for(host: str, variable: str = "", *, only: bool = True) -> str:
    """The key for a host: from the variable that was named, else from the host's own variables, else `LANNER_API_KEY`
    where this is the only server of a run, else the keyring's entry (service "lanner", user the host). "" where there
    is none, as for servers of one's own."""
    for name in _variables(host, variable, only):
        if os.environ.get(name):
            return os.environ[name].strip()
    return _from_keyring(host)


def where_keys_are(host: str, variable: str = "") -> str:
    """What to do where a key is missing or wrong."""
    names = " or ".join(name for name in _variables(host, variable, only=True) if name != own_variable(host))
    return f"Set {names} in the environment to a valid key, or keep it: python -m keyring set lanner {host}"


def own_variable(host: str) -> str:
    """The variable for one host, whatever it is: LANNER_API_KEY_MY_SERVER_ORG for my-server.org."""
    return f"{OWN}_{re.sub('[^A-Z0-9]', '_', host.upper())}"


def _variables(host: str, variable: str, only: bool) -> list[str]:
    if variable:
        return [variable]
    names = [own_variable(host), *((OWN,) if only else ()), _OF_HOST.get(host, "")]
    return [name for name in names if name]


def _from_keyring(host: str) -> str:
    try:
        keyring = importlib.import_module("keyring")
        return str(keyring.get_password("lanner", host) or "")
    except ModuleNotFoundError:
        return ""
    except Exception:  # a keyring without a desktop raises errors of its own kinds; then there is no key in it
        return ""


_LONGEST = 4_000_000  # bytes of a reply; more is not an answer to any question we ask
_SHOWN = 300
_OVERLOADED = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
NOT_UNDERSTOOD = (400, 422)
"""Statuses of a request that has something in it which the server does not know."""
_PROBE_SECONDS = 10.0
_STREAMED = (b"data:", b"event:")
_SHORTEST = 64  # tokens: no answer to a question of ours is shorter
_FORBIDDEN = 5  # refusals in a row before any answer: then it is us and not the text
_IN_PATHS = "/%:@!$&'()*+,;=~"
_RETRY_DELAY = re.compile(rb'"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"')
_VALUE = ("too large", "too high", "exceed", "maximum", "at most", "less than", "context length")
_NO_CREDIT = (b'"insufficient_quota"', b'"billing_hard_limit_reached"', b"credit balance is too low")
_SCHEMA_SIGNS = ("response_format", "schema", "grammar", "json_object", "guided", "output_config", "tool_choice")


@dataclass(frozen=True, slots=True)
class Family:
    """What a kind of server understands."""

    means: tuple[str, ...]
    length: str
    without: frozenset[str]
    key: bool = False
    unreadable: tuple[str, ...] = ()


def family(host: str, owners: frozenset[str] = frozenset(), named: str = "") -> Family:
    """The entry of the capability table for a server."""
    table = registry.table("judges.providers.capabilities")
    match = table.get(named) or next(
        (
            entry
            for entry in table.values()
            if any(host == name or host.endswith(f".{name}") for name in entry.get("hosts", ()))
            or owners & set(entry.get("owned_by", ()))
        ),
        table["default"],
    )
    return Family(
        tuple(match["means"]),
        match["length"],
        frozenset(match["without"]),
        match.get("key", False),
        tuple(match.get("unreadable", ())),
    )


def require(endpoint: Endpoint) -> str:
    """The key for the server, "" where it needs none. Refuses where the extra `judges` or a needed key is missing."""
    try:
        importlib.import_module("aiohttp")
    except ModuleNotFoundError:
        raise MissingExtraError("Asking a model", "judges") from None
    host = urlsplit(endpoint.base_url).hostname or ""
    if not host:
        raise LannerError(
            f"{endpoint.base_url!r} is no address.", next_step="Give for instance --base-url http://127.0.0.1:8080/v1"
        )
    key = key_for(host, endpoint.key_variable, only=endpoint.only)
    if not key and (family(host).key or endpoint.key_variable):
        raise LannerError(f"There is no key for {host}.", next_step=where_keys_are(host, endpoint.key_variable))
    return key


class Connection:
    """One server, asked over kept-alive connections. A provider says in `family_name`, `route`, `headers`, `compose`
    and `reply` how its requests and replies look."""

    BASE_URL = ""
    """Where the provider's own server is."""
    BATCH = ""
    """The provider that asks the same server in batches."""
    at_once = 8
    family_name = ""
    """The entry of the capability table, where it does not depend on the server."""
    lengths: tuple[str, ...] = ()
    """Names that the limit on length may have; one of them may be unknown to a server."""
    optional: tuple[str, ...] = ("temperature", "seed")
    """Settings that may be left out where a server does not know them."""
    route = ""
    """Where a question goes, after the base URL; {model} stands for the model."""
    models_path = "/models"

    def __init__(self, endpoint: Endpoint) -> None:
        self._key = require(endpoint)
        aiohttp = importlib.import_module("aiohttp")
        self._endpoint = endpoint
        self._base = endpoint.base_url.rstrip("/")
        self._paths: dict[str, str] = {}
        self._host = urlsplit(self._base).hostname or ""
        headers = {"Content-Type": "application/json", **self.headers(self._key)}
        try:
            self._proxy = proxy_for(self._base)
            self._posts = HttpConnections(
                self._base, headers, timeout=endpoint.timeout, longest=_LONGEST, proxy=self._proxy
            )
        except ValueError as problem:
            raise LannerError(
                f"Nothing can be sent to {self._host}: {problem}.",
                next_step="Check --base-url, the key and HTTPS_PROXY.",
            ) from problem
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=60),
            timeout=aiohttp.ClientTimeout(total=endpoint.timeout),
            headers=headers,
            cookie_jar=aiohttp.DummyCookieJar(),  # a question has nothing to do with those before it
        )
        self._broken: tuple[type[Exception], ...] = (aiohttp.ClientError, asyncio.TimeoutError, OSError)
        self._unreadable: tuple[type[Exception], ...] = (*self._broken, ValueError)
        self._unreachable = (aiohttp.ClientConnectorError, UnreachableError)
        self._family: Family | None = None
        self._finding = asyncio.Lock()
        self._steps: dict[str, int] = defaultdict(int)  # how far down the family's list of means a model made us go
        self._left_out: dict[str, set[str]] = defaultdict(set)  # what a model does not take: others of its server may
        self._answered = False  # whether the server has ever answered a question
        self._forbidden = 0
        self._schemas: dict[int, tuple[Mapping[str, Json], Json]] = {}
        self.ahead = timedelta()
        """How far the server's clock is before ours."""

    @classmethod
    def connect(cls, endpoint: Endpoint) -> Self:
        """A connection to the server."""
        return cls(endpoint)

    @staticmethod
    def require(endpoint: Endpoint) -> None:
        """Refuse what would hinder a connection."""
        require(endpoint)

    async def close(self) -> None:
        """Close the connections."""
        self._posts.close()
        await self._session.close()

    async def models(self) -> list[str]:
        """Names the server says it has; nothing where it does not say."""
        return [
            str(entry.get("id") or entry.get("name", "")).removeprefix("models/") for entry in await self._list_models()
        ]

    async def ask(self, call: Call) -> Reply:
        """One reply, after leaving out whatever the server says it does not understand. A limit on length that is too
        large for this one question is lowered for it alone."""
        family = self._family or await self._find_family()
        while True:
            means, body = family.means[self._steps[call.model]], self._body(call, family)
            began = time.perf_counter()
            try:
                status, headers, content = await self._posts.post(self._path(call), to_json(body))
            except BROKEN as problem:
                raise self._interruption(problem) from problem
            latency = time.perf_counter() - began
            if status == 200:
                reply = self.read(content, latency, means, self.settings(body))
                self._answered = True
                return reply
            if status in NOT_UNDERSTOOD:
                if self.learns(call, body, content):
                    continue
                if shorter := self.shorten(call, content):
                    call = shorter
                    continue
            raise await self._error(status, headers, content, call)

    async def body(self, call: Call) -> dict[str, Json]:
        """The request for a question, as this server takes it."""
        return self._body(call, self._family or await self._find_family())

    async def json(self, method: str, path: str, body: Json = None) -> dict[str, Json]:
        """Another of the server's interfaces: a JSON object back, or one of the errors."""
        return dict(from_json(await self.fetch(method, path, None if body is None else to_json(body))))

    async def content(self, file: str) -> bytes:
        """What stands in a file that the server keeps."""
        return await self.fetch("GET", f"/files/{file}/content")

    async def upload(self, content: bytes) -> str:
        """Give the server a file of questions. Its id."""
        aiohttp = importlib.import_module("aiohttp")
        form = aiohttp.FormData()
        form.add_field("purpose", "batch")
        form.add_field("file", content, filename="questions.jsonl", content_type="application/jsonl")
        payload = form()
        kind = {"Content-Type": payload.headers["Content-Type"]}
        return str(from_json(await self.fetch("POST", "/files", payload, kind))["id"])

    def learns(self, call: Call, body: Mapping[str, Json], content: bytes) -> bool:
        """Leave out from now on what a request was refused for, unless others that were under way beside it have taught
        us already. Whether the question would be asked otherwise now."""
        assert self._family is not None
        if self._body(call, self._family) == body:
            self._adapt(call.model, self._words(content), self._family, body)
        return self._body(call, self._family) != body

    def shorten(self, call: Call, content: bytes) -> Call | None:
        """The question with half its limit on length, where that is what it was refused for."""
        complaint, most = self._words(content).casefold(), call.max_tokens or 0
        if most <= _SHORTEST or not any(name.casefold() in complaint for name in self.lengths):
            return None
        return call._replace(max_tokens=most // 2)

    async def fetch(self, method: str, path: str, data: Any = None, headers: Mapping[str, str] | None = None) -> bytes:
        """What the server has at a path, or one of the errors."""
        try:
            address = f"{self._base}{path}"
            async with self._session.request(
                method, address, data=data, headers=headers, proxy=self._proxy
            ) as response:
                content: bytes = await response.read()
                if moment := _moment(response.headers.get("Date", "")):
                    self.ahead = moment - datetime.now(UTC)
                if response.status in (200, 201):
                    return content
                raise self.failure(response.status, content, response.headers)
        except self._broken as problem:
            raise self._interruption(problem) from problem

    async def _find_family(self) -> Family:
        async with self._finding:
            if self._family is None:
                owners: frozenset[str] = frozenset()
                named = self.family_name or self._endpoint.family
                if not named and family(self._host) == family(""):
                    owners = frozenset(str(entry.get("owned_by", "")) for entry in await self._list_models())
                self._family = family(self._host, owners, named)
        return self._family

    async def _list_models(self) -> list[Mapping[str, Json]]:
        try:
            async with (
                asyncio.timeout(_PROBE_SECONDS),
                self._session.get(f"{self._base}{self.models_path}", proxy=self._proxy) as response,
            ):
                data = from_json(await response.read()) if response.status == 200 else {}
        except self._unreadable:
            return []
        listed = (data.get("data") or data.get("models")) if isinstance(data, dict) else None
        return [entry for entry in listed or () if isinstance(entry, dict)]

    def headers(self, key: str) -> dict[str, str]:
        """The headers that carry the key."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def compose(self, call: Call, values: Mapping[str, Json], means: str, schema: Json) -> dict[str, Json]:
        """The request for a question. `values` are the settings to send, by the names of `values_of`."""
        raise NotImplementedError

    def values_of(self, call: Call) -> dict[str, Json]:
        """The settings of a question by this provider's names."""
        raise NotImplementedError

    def reply(self, data: Mapping[str, Any]) -> Reply:
        """A reply out of what the server wrote."""
        raise NotImplementedError

    def settings(self, body: Mapping[str, Json]) -> dict[str, Json]:
        """A request without its texts and schema: what was asked for beside the question."""
        raise NotImplementedError

    def _path(self, call: Call) -> str:
        if call.model not in self._paths:
            path = self.route.format(model=quote(call.model.removeprefix("models/"), safe=""))
            self._paths[call.model] = f"{quote(urlsplit(self._base).path, safe=_IN_PATHS)}{path}"
        return self._paths[call.model]

    def _body(self, call: Call, family: Family) -> dict[str, Json]:
        means, left_out = family.means[self._steps[call.model]], self._left_out[call.model]
        values = {name: value for name, value in self.values_of(call).items() if value is not None}
        values = {name: value for name, value in values.items() if name not in left_out}
        body = self.compose(call, values, means, self._schema_to_send(call.schema, family))
        return _merge(body, call.extra) if call.extra else body

    def _schema_to_send(self, schema: Mapping[str, Json], family: Family) -> Json:
        """The schema as this server takes it; prompts share theirs, so it is made once."""
        entry = self._schemas.get(id(schema))
        if entry is None or entry[0] is not schema:
            if len(self._schemas) > 256:
                self._schemas.clear()
            entry = self._schemas[id(schema)] = (schema, without_keywords(dict(schema), family.without))
        return entry[1]

    def _interruption(self, problem: Exception) -> OverloadedError:
        """What became of a request that got no whole reply."""
        silent = isinstance(problem, TimeoutError)
        what = "no reply in time" if silent else str(problem) or type(problem).__name__
        unreachable = isinstance(problem, self._unreachable)
        return OverloadedError(self._scrub(what), silent=silent, unreachable=unreachable)

    def read(self, content: bytes, latency: float, means: str, sent: Mapping[str, Json] | None = None) -> Reply:
        """A reply as the server wrote it, or the error that it is. `sent` are the settings it was asked for with."""
        try:
            data = _load(content)
            if error := _error_in(data):  # as some proxies do
                code = error.get("code") if isinstance(error, dict) else None
                raise self._meaning(code if isinstance(code, int) else 502, {}, to_json({"error": error}))
            return self.reply(data)._replace(latency=latency, means=means, sent=sent or {})
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as problem:
            if content.lstrip().startswith(_STREAMED):  # so would all others be, and each is paid for
                raise RefusedError(
                    f"{self._host} sends its replies piece by piece, which it was not asked to.",
                    next_step="""Turn streaming off there; some take --set extra_body='{"stream": false}'.""",
                ) from problem
            raise OverloadedError("the server's reply is not one of a chat", status=200) from problem

    def _adapt(self, model: str, words: str, family: Family, body: Mapping[str, Json]) -> None:
        """Leave out what the server does not know. Of a limit on length only the name can be unknown; a value that is
        too large says nothing about the next question."""
        left_out = self._left_out[model]
        complaint = words.casefold()
        sent = to_json(body).decode()
        for name in (*self.optional, *self.lengths):
            if f'"{name}"' not in sent or name.casefold() not in complaint or name in left_out:
                continue
            if name in self.lengths and (len(self.lengths) == 1 or any(sign in complaint for sign in _VALUE)):
                continue
            left_out.add(name)
            return
        if self._steps[model] + 1 < len(family.means) and any(sign in complaint for sign in _SCHEMA_SIGNS):
            self._steps[model] += 1

    async def _error(self, status: int, headers: Mapping[str, str], content: bytes, call: Call) -> Exception:
        words = self._words(content)
        if status == 404:
            names = await self.models()
            hint = did_you_mean(call.model, names) if names else "Does --base-url end in /v1?"
            what = f"{self._message(status, words)} (model {call.model!r})"
            return RefusedError(what, next_step=f"Check --model and --base-url. {hint}")
        return self._meaning(status, headers, content)

    def failure(self, status: int, content: bytes, headers: Mapping[str, str] | None = None) -> Exception:
        """The error that an answer of this status is."""
        return self._meaning(status, headers or {}, content)

    def _meaning(self, status: int, headers: Mapping[str, str], content: bytes) -> Exception:
        words = self._words(content)
        message = self._message(status, words)
        if status == 401 or b'"API_KEY_INVALID"' in content:
            return RefusedError(message, next_step=where_keys_are(self._host, self._endpoint.key_variable))
        if status == 403:  # a text that the server's rules forbid, unless it forbids all of them
            self._forbidden += 1
            if self._answered or self._forbidden < _FORBIDDEN:
                return UnanswerableError(message, final=self._answered)
            return RefusedError(message, next_step=where_keys_are(self._host, self._endpoint.key_variable))
        if status == 402 or any(sign in content for sign in _NO_CREDIT):
            return RefusedError(
                message, next_step="The account has no credit left. With more, the same command goes on from there."
            )
        if 300 <= status < 400:  # not followed: the texts and the key are for the server that was named
            address = headers.get("location", "it does not say where")
            return RefusedError(
                f"{self._host} sends questions elsewhere ({status}): {self._scrub(address)[:_SHOWN]}",
                next_step="If that is right, give that address with --base-url.",
            )
        if status == 404:
            return RefusedError(message, next_step="Does the server have this interface, and --base-url end in /v1?")
        if status == 500 and self._family and any(sign in words for sign in self._family.unreadable):
            return UnreadableError(message)
        if status in _OVERLOADED or status >= 500:
            return OverloadedError(message, status=status, retry_after=_retry_after(headers, content))
        return UnanswerableError(message if status != 413 else "the reply is longer than any answer")

    def _message(self, status: int, words: str) -> str:
        return f"{self._host} answered {status}" + (f": {words[:_SHOWN]}" if words else ".")

    def _words(self, content: bytes) -> str:
        """What the server says is wrong, without our key should it repeat it."""
        try:
            data = from_json(content)
            error = data.get("error", data) if isinstance(data, dict) else data
            words = error.get("message", error) if isinstance(error, dict) else error
        except ValueError:
            words = content.decode(errors="replace")
        return self._scrub(str(words))

    def _scrub(self, words: str) -> str:
        return words.replace(self._key, "•••") if self._key else words


def _load(content: bytes) -> Any:
    """JSON as a server wrote it. Half a character (a lone surrogate, bytes that are no UTF-8) is replaced: what stands
    around it is paid for."""
    try:
        return from_json(content)
    except ValueError:
        text = json.dumps(json.loads(content.decode("utf-8-sig", errors="replace")), ensure_ascii=False)
        return from_json(text.encode(errors="replace"))


def _error_in(data: Any) -> Json:
    """The error in a reply of status 200, of the whole or of its only choice; a reply that is paid for is a reply."""
    if not isinstance(data, dict):
        return None
    choices = data.get("choices") or [data]
    return None if data.get("choices") and data.get("usage") else choices[0].get("error")


def _retry_after(headers: Mapping[str, str], content: bytes = b"") -> float | None:
    """Seconds to wait, from any of the headers that servers use or from the error itself; None where none of them says
    something usable."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * scale
        except ValueError:
            moment = _moment(value)
            if moment is None:
                return None
            seconds = (moment - datetime.now(UTC)).total_seconds()
        return max(0.0, seconds) if math.isfinite(seconds) else None
    delay = _RETRY_DELAY.search(content)
    return float(delay[1]) if delay else None


def _moment(words: str) -> datetime | None:
    """A date in a header; None where it is none."""
    try:
        moment = parsedate_to_datetime(words)
    except (ValueError, TypeError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)  # "-0000" is UTC by another name


def _merge(body: dict[str, Json], extra: Mapping[str, Json]) -> dict[str, Json]:
    """The request with fields of the user's own; a table is merged with ours, anything else replaces it."""
    merged = dict(body)
    for name, value in extra.items():
        ours = merged.get(name)
        merged[name] = _merge(ours, value) if isinstance(ours, dict) and isinstance(value, Mapping) else value
    return merged


# Questions on the wire: a POST and its reply over kept-alive HTTP/1.1 connections, and nothing else that HTTP can do.
#
# A question asks for one thing a few million times: the same headers, a body, a reply of known size. A general client
# spends two thirds of a run's time at the line on what is never used here (cookies, redirects, sessions, forms).
# Replies are read by httptools, which the server reads requests with.

_HEAD = 65_536  # bytes of the headers of a reply
_IDLE = 60.0  # seconds after which a server may well have closed a connection
_NEXT_ADDRESS = 0.25  # seconds until the next address of a host is tried as well
BROKEN = (OSError, EOFError, ValueError)
"""What is raised where no whole reply came; time-outs are among them."""


class UnreachableError(OSError):
    """Nobody to connect to."""


class HttpReply(NamedTuple):
    """A reply: its status, its headers by their names in small letters, and what it says; "" with 413 where that is too
    long."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class _HttpConnection(asyncio.Protocol):
    """A connection to the server. What comes while nobody has asked belongs to no question, so the connection is given
    up: taken for the next reply it would be an answer about another text."""

    def __init__(self, longest: int) -> None:
        self.is_over = False
        self.used_at = 0.0
        self._longest = longest
        self._reply: asyncio.Future[HttpReply] | None = None
        self.way: asyncio.StreamWriter | None = None
        """What the way by a proxy was opened with, which would be closed if nobody held it."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    async def ask(self, request: bytes) -> HttpReply:
        """Send a request; its reply, or one of `BROKEN` where no whole one comes."""
        if self.is_over:
            raise EOFError("the connection was cut")
        self._reply = asyncio.get_running_loop().create_future()
        self._parser = HttpResponseParser(self)
        self._begin()
        try:
            self._transport.write(request)
            return await self._reply
        except BaseException:
            self.give_up()
            raise
        finally:
            self._reply = None

    def give_up(self) -> None:
        """Use this connection no more."""
        self.is_over = True
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._reply is None or self._reply.done():
            self.give_up()
            return
        try:
            self._parser.feed_data(data)
        except HttpParserError as problem:
            self._fail(ValueError(f"the server does not speak HTTP: {problem}"))
        self._head_size += len(data)
        if not self._has_headers and self._head_size > _HEAD:
            self._fail(ValueError("the server's headers have no end"))

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_over = True
        if self._reply is None or self._reply.done():
            return
        if self._has_headers and not {"content-length", "transfer-encoding"} & set(self._headers):
            self._end()  # such a reply goes on until the server closes the connection
        else:
            self._fail(exc or EOFError("the connection was cut"))

    # What the parser finds

    def on_message_begin(self) -> None:
        if self._reply is None or self._reply.done():
            self.give_up()  # one more reply than questions

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1").strip()

    def on_headers_complete(self) -> None:
        self._has_headers = True
        if int(self._headers.get("content-length", 0)) > self._longest:
            self._refuse()

    def on_body(self, body: bytes) -> None:
        self._parts.append(body)
        self._size += len(body)
        if self._size > self._longest:
            self._refuse()

    def on_chunk_header(self) -> None:
        pass

    def on_message_complete(self) -> None:
        if self._parser.get_status_code() < 200:  # what comes before the reply itself
            self._begin()
        else:
            self.is_over = self.is_over or not self._parser.should_keep_alive()
            self._end()

    def _begin(self) -> None:
        self._headers: dict[str, str] = {}
        self._parts: list[bytes] = []
        self._size = self._head_size = 0
        self._has_headers = False

    def _end(self) -> None:
        if self._reply is not None and not self._reply.done():
            self._reply.set_result(HttpReply(self._parser.get_status_code(), self._headers, b"".join(self._parts)))

    def _refuse(self) -> None:
        """A reply that is too long is not waited for."""
        if self._reply is not None and not self._reply.done():
            self._reply.set_result(HttpReply(413, self._headers, b""))
        self.give_up()

    def _fail(self, problem: Exception) -> None:
        if self._reply is not None and not self._reply.done():
            self._reply.set_exception(problem)
        self.give_up()


def proxy_for(url: str) -> str | None:
    """The proxy by which the environment (HTTPS_PROXY, NO_PROXY) lets a server be reached. Servers without TLS are
    one's own, and are asked as they are."""
    address = urlsplit(url)
    proxy = getproxies().get("https", "") if address.scheme == "https" else ""
    if not proxy or proxy_bypass(address.hostname or ""):
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if not proxy.startswith("http://"):
        raise ValueError(f"{proxy.partition('://')[0]} is no kind of proxy that can be used here")
    return proxy


def _basic(address: SplitResult) -> str:
    """The login of an address, as a header carries it."""
    login = f"{unquote(address.username or '')}:{unquote(address.password or '')}"
    return f"Basic {base64.b64encode(login.encode()).decode()}"


class HttpConnections:
    """Connections to one server, as many as there are questions under way."""

    def __init__(
        self, url: str, headers: Mapping[str, str], *, timeout: float, longest: int, proxy: str | None = None
    ) -> None:
        address = urlsplit(url)
        self._host = address.hostname or ""
        self._port = address.port or (443 if address.scheme == "https" else 80)
        self._ssl = ssl.create_default_context() if address.scheme == "https" else None
        self._proxy = proxy
        self._timeout, self._longest = timeout, longest
        host = address.netloc.rpartition("@")[2]
        if not host.isascii():
            host = host.replace(self._host, self._host.encode("idna").decode())
        own = {"Host": host, "Accept": "*/*", "Accept-Encoding": "identity"}
        if address.username is not None:
            own["Authorization"] = _basic(address)
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in (own | dict(headers)).items())
        if len(self._headers.splitlines()) != len(own | dict(headers)):
            raise ValueError("a header has several lines")
        self._idle: list[_HttpConnection] = []

    async def post(self, target: str, body: bytes) -> HttpReply:
        """Send a body to a path of the server; one of `BROKEN` where no whole reply comes in time."""
        head = f"POST {target} HTTP/1.1\r\n{self._headers}Content-Length: {len(body)}\r\n\r\n"
        async with asyncio.timeout(self._timeout):
            connection = await self._connection()
            posted = await connection.ask(head.encode() + body)
        if posted.headers.get("content-encoding", "identity") != "identity":
            try:
                content = self._unpack(posted.content)
            except ValueError:
                connection.give_up()
                raise
            posted = HttpReply(413, posted.headers, b"") if content is None else posted._replace(content=content)
        if connection.is_over:
            connection.give_up()
        else:
            connection.used_at = time.monotonic()
            self._idle.append(connection)
        return posted

    def close(self) -> None:
        """Close the connections that nobody uses."""
        for connection in self._idle:
            connection.give_up()
        self._idle.clear()

    async def _connection(self) -> _HttpConnection:
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_over and time.monotonic() - connection.used_at < _IDLE:
                return connection
            connection.give_up()
        # Shielded: asyncio leaves a socket open where it is stopped while it tries several addresses.
        connecting = asyncio.ensure_future(self._connect())
        try:
            return await asyncio.shield(connecting)
        except asyncio.CancelledError:
            connecting.add_done_callback(_drop)
            raise

    async def _connect(self) -> _HttpConnection:
        loop = asyncio.get_running_loop()
        try:
            if self._proxy:
                return await self._tunnel(self._proxy)
            _, connection = await loop.create_connection(
                lambda: _HttpConnection(self._longest),
                self._host,
                self._port,
                ssl=self._ssl,
                happy_eyeballs_delay=_NEXT_ADDRESS,
            )
        except OSError as problem:
            way = f" by the proxy {urlsplit(self._proxy).hostname}" if self._proxy else ""
            raise UnreachableError(f"{self._host}:{self._port} cannot be reached{way}: {problem}") from problem
        return connection

    async def _tunnel(self, proxy: str) -> _HttpConnection:
        """A connection that a proxy passes on without reading it."""
        address = urlsplit(proxy)
        server = f"[{self._host}]:{self._port}" if ":" in self._host else f"{self._host}:{self._port}"
        order = f"CONNECT {server} HTTP/1.1\r\nHost: {server}\r\n"
        if address.username is not None:
            order += f"Proxy-Authorization: {_basic(address)}\r\n"
        reader, writer = await asyncio.open_connection(address.hostname, address.port or 80)
        try:
            writer.write(f"{order}\r\n".encode())
            status = (await reader.readuntil(b"\r\n\r\n")).partition(b"\r\n")[0].decode(errors="replace")
            if status.split()[1:2] != ["200"]:
                raise OSError(f"it answered {status[:_SHOWN]!r}")
            connection, loop = _HttpConnection(self._longest), asyncio.get_running_loop()
            assert self._ssl is not None
            host = self._host
            transport = await loop.start_tls(writer.transport, connection, self._ssl, server_hostname=host)
        except (EOFError, asyncio.LimitOverrunError) as problem:
            writer.close()
            raise OSError("it did not answer") from problem
        except BaseException:
            writer.close()
            raise
        assert transport is not None
        connection.connection_made(transport)
        connection.way = writer
        return connection

    def _unpack(self, content: bytes) -> bytes | None:
        """What a server compressed though it was asked not to."""
        try:
            plain = zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(content, self._longest + 1)
        except zlib.error as problem:
            raise ValueError(f"the reply cannot be unpacked: {problem}") from problem
        return plain if len(plain) <= self._longest else None


def _drop(connecting: asyncio.Future[_HttpConnection]) -> None:
    """Close a connection that came too late for its question."""
    if not connecting.cancelled() and connecting.exception() is None:
        connecting.result().give_up()
