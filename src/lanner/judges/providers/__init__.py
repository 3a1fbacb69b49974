"""Where models are asked: one file per provider, each with `connect(endpoint) -> Provider`.

A provider turns a `Call` into one request and its outcome into a `Reply` or one of the errors below. It knows nothing
of protocols, retries or pace; whoever calls it does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, cast

from lanner import registry
from lanner.errors import LannerError
from lanner.model import Json

DEFAULT = "openai_compatible"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server: where it is, and the name of the variable that holds its key (never the key itself)."""

    base_url: str
    provider: str = DEFAULT
    key_variable: str = ""
    timeout: float = 120.0
    family: str = ""
    """The entry of the capability table; found out from the server where it is not given."""


@dataclass(frozen=True, slots=True)
class Call:
    """One question to a model: the conversation so far and the schema of the answer. `name` is its own alone."""

    model: str
    messages: tuple[Mapping[str, str], ...]
    schema: Mapping[str, Json]
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, as it came. `means` is how the server was held to the schema."""

    text: str
    model: str = ""
    fingerprint: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    latency: float = 0.0
    finish: str = ""
    means: str = ""
    extra: Mapping[str, Json] = field(default_factory=dict)


class OverloadedError(Exception):
    """The server did not answer this time: too many requests, an error of its own, a time-out, a cut line."""

    def __init__(self, what: str, *, status: int = 0, retry_after: float | None = None) -> None:
        super().__init__(what)
        self.status = status
        self.retry_after = retry_after


class UnanswerableError(Exception):
    """The server will never answer this very request: too long for the model, refused by its rules."""


class RefusedError(LannerError):
    """The server will answer no request of ours: wrong key, wrong model, wrong address. The run must stop."""


class Provider(Protocol):
    """A connection to one server. `at_once` is how many questions it is asked at once to begin with."""

    at_once: int

    async def ask(self, call: Call) -> Reply: ...
    async def models(self) -> list[str]: ...
    async def close(self) -> None: ...


def connect(endpoint: Endpoint) -> Provider:
    """A connection by the endpoint's provider; call it inside the event loop that will use it."""
    module = registry.module("judges.providers", endpoint.provider)
    return cast(Provider, module.connect(endpoint))
