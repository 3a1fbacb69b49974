"""Where models are asked. A provider has `connect(endpoint) -> Provider`, and is a class or a module.

A provider turns a `Call` into one request and its outcome into a `Reply` or one of the errors below. It knows nothing
of protocols, retries or pace; whoever calls it does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from lanner import registry
from lanner.errors import LannerError

if TYPE_CHECKING:
    from lanner.model import Json

DEFAULT = "openai_compatible"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server: where it is, and the name of the variable that holds its key (never the key itself)."""

    base_url: str
    provider: str = DEFAULT
    key_variable: str = ""
    timeout: float = 120.0
    only: bool = True
    """Whether the run asks no other server: the key that is meant for any of them goes to an only one."""
    family: str = ""
    """The entry of the capability table; found out from the server where it is not given."""


class Call(NamedTuple):
    """One question to a model: the conversation so far and the schema of the answer. `name` is its own alone."""

    model: str
    messages: tuple[Mapping[str, str], ...]
    schema: Mapping[str, Json]
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    name: str = ""
    top_p: float | None = None
    effort: str = ""
    """How long the model is to think, in the provider's own words (low, medium, high)."""
    logprobs: bool = False
    """Whether the probabilities of tokens are wanted."""
    extra: Mapping[str, Json] = MappingProxyType({})
    """Fields of the user's own, put into the request as they are."""


@dataclass(frozen=True, slots=True)
class ReplyToken:
    """A piece of a reply, and the logarithms of the probabilities of what might have stood there."""

    text: str
    alternatives: tuple[tuple[str, float], ...] = ()


class Reply(NamedTuple):
    """What came back, as it came. `means` is how the server was held to the schema, `sent` every setting of the request
    as it was made (all but the texts). `counted` is False where the server did not say how many tokens it used."""

    text: str
    model: str = ""
    fingerprint: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    latency: float = 0.0
    finish: str = ""
    means: str = ""
    refusal: str = ""
    reasoning: str = ""
    counted: bool = True
    cached_tokens: int = 0
    sent: Mapping[str, Json] = MappingProxyType({})
    tokens: tuple[ReplyToken, ...] = ()

    @property
    def cut_off(self) -> bool:
        """Whether the reply ends where its length limit was reached."""
        return self.finish in CUT_OFF


CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "MAX_TOKENS", "model_context_window_exceeded"})
"""How providers call a reply that reached its length limit."""
WITHHELD = frozenset({"content_filter", "refusal", "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "RECITATION", "SPII"})
"""How providers call a reply that was held back by their rules."""


def token_count(value: Any) -> int:
    """A number of tokens as a server tells it; 0 where it is no such number."""
    return int(value) if isinstance(value, int | float) and 0 <= value < _MOST_TOKENS else 0


_MOST_TOKENS = 10**12


class OverloadedError(Exception):
    """The server did not answer this time: too many requests, an error of its own, a time-out, a cut line. `silent` is
    a time-out: not one byte came. `unreachable`: there was nobody to connect to."""

    def __init__(
        self,
        what: str,
        *,
        status: int = 0,
        retry_after: float | None = None,
        silent: bool = False,
        unreachable: bool = False,
    ) -> None:
        super().__init__(what)
        self.status = status
        self.retry_after = retry_after
        self.silent = silent
        self.unreachable = unreachable


class UnreadableError(Exception):
    """The model wrote something that its own server could not make a reply of. Other dice may fall better."""


class UnanswerableError(Exception):
    """The server will not answer this very request: too long for the model, refused by its rules. It is not `final`
    where another reason is as likely; then the item stays open."""

    def __init__(self, what: str, *, final: bool = True) -> None:
        super().__init__(what)
        self.final = final


class RefusedError(LannerError):
    """The server will answer no request of ours: wrong key, wrong model, wrong address. The run must stop."""


class Provider(Protocol):
    """A connection to one server. `at_once` is how many questions it is asked at once to begin with."""

    at_once: int

    async def ask(self, call: Call) -> Reply: ...
    async def models(self) -> list[str]: ...
    async def close(self) -> None: ...


def interfaces() -> list[str]:
    """Names of providers that ask one question at a time."""
    return [name for name in registry.names("judges.providers") if not is_batch(name)]


def is_batch(provider: str) -> bool:
    """Whether a provider asks many questions at once, to be answered within a day."""
    return provider.endswith("_batch")


def base_url(provider: str) -> str:
    """Where a provider's own server is; a server of one's own has to be named."""
    address = str(getattr(_find(provider), "BASE_URL", ""))
    if not address:
        raise LannerError(f"{provider} needs an address.", next_step="Give --base-url.")
    return address


def batch_of(provider: str) -> str:
    """The provider that asks the same server through its batch interface."""
    name = str(getattr(_find(provider), "BATCH", ""))
    if not name:
        raise LannerError(f"{provider} has no batch interface here.", next_step="Leave out --set batch=true.")
    return name


def require(endpoint: Endpoint) -> None:
    """Raise what would hinder a connection: an unknown provider, a missing package, a missing key."""
    provider = _find(endpoint.provider)
    if hasattr(provider, "require"):
        provider.require(endpoint)


def connect(endpoint: Endpoint) -> Provider:
    """A connection by the endpoint's provider; call it inside the event loop that will use it."""
    return cast(Provider, _find(endpoint.provider).connect(endpoint))


def _find(name: str) -> Any:
    provider = registry.plugin("judges.providers", name)
    if not hasattr(provider, "connect"):
        raise LannerError(f"The plug-in {name!r} of the group lanner.judges.providers has no `connect`.")
    return provider
