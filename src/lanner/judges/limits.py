"""What bounds a run: what models cost and how much may be spent, how many questions a server is asked and how fast."""

from __future__ import annotations

import asyncio
import math
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from lanner import registry
from lanner.errors import InputError, LannerError, Where, check_known
from lanner.judges.plan import Member, Totals

# What models cost: a dated table that anyone can replace by a file of their own.

OLD = 180
"""Days after which a price may well have changed."""
_VERSION = re.compile(r"-(?:\d{4}-?\d{2}-?\d{2}|\d{2}-\d{4}|latest|\d{3})")
_KEYS = ("host", "checked", "batch", "models", "model", "in", "out", "cached")


@dataclass(frozen=True, slots=True)
class Price:
    """Prices for a million tokens, and when they were looked up."""

    host: str
    model: str
    sent: float
    received: float
    cached: float | None
    batch: float
    checked: date

    def at(self, *, batch: bool) -> tuple[float, float, float | None]:
        """Prices of tokens sent, received and cached, by the batch interface or without it."""
        part = self.batch if batch else 1.0
        return self.sent * part, self.received * part, None if self.cached is None else self.cached * part

    def is_old(self, today: date) -> bool:
        return (today - self.checked).days > OLD


def price_of(model: str, host: str, file: Path | None = None) -> Price | None:
    """What a model costs at a host: by the given file, else by the shipped one; None where neither says. A dated
    version costs what the model does."""
    for prices in ((read(file),) if file else ()) + (_shipped(),):
        for name in (model, _VERSION.sub("", model)):
            if (host, name) in prices:
                return prices[host, name]
    return None


@cache
def _shipped() -> dict[tuple[str, str], Price]:
    return read(Path(__file__).with_name("prices.toml"))


def read(path: Path) -> dict[tuple[str, str], Price]:
    """The prices in a file, by host and model."""
    table = registry.toml_table(registry.read_text(path, "prices"), path)
    prices: dict[tuple[str, str], Price] = {}
    for number, group in enumerate(table.get("price", ()), 1):
        where = Where(path, item=f"price {number}")
        _require(group, ("host", "checked", "models"), where)
        if not isinstance(group["checked"], date):
            raise InputError("checked must be a day.", where=where, next_step="Give for instance checked = 2026-11-16.")
        for entry in group["models"]:
            _require(entry, ("model", "in", "out"), where)
            price = Price(
                str(group["host"]),
                str(entry["model"]),
                _number(entry["in"], where),
                _number(entry["out"], where),
                _number(entry["cached"], where) if "cached" in entry else None,
                _number(entry.get("batch", group.get("batch", 1.0)), where),
                group["checked"],
            )
            prices[price.host, price.model] = price
    return prices


def _require(table: Mapping[str, Any], keys: tuple[str, ...], where: Where) -> None:
    for key in keys:
        if key not in table:
            raise InputError(f"{key} is missing.", where=where, next_step="See judges/prices.toml for the form.")
    for key in table:
        check_known(key, _KEYS, f"{key!r} is no part of a price.", InputError, where=where)


def _number(value: Any, where: Where) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise InputError(f"{value!r} is not a price.", where=where, next_step="Give dollars for a million tokens.")
    return float(value)


# A limit on what a run may cost, kept before it is passed: a request is sent only if it can surely be paid.

_MESSAGE_OVERHEAD = 16  # tokens that a server may add to each message


class StoppedError(Exception):
    """The run is ending: nothing new is asked."""


def most_tokens(messages: Sequence[Mapping[str, str]]) -> int:
    """More tokens than these messages can have: no tokenizer makes more of a text than it has bytes."""
    return sum(len(message["content"].encode()) + _MESSAGE_OVERHEAD for message in messages)


_BYTES_PER_TOKEN = 3.0


def likely_tokens(*texts: str) -> int:
    """About how many tokens texts have: in Chinese, Japanese, Korean and Arabic up to a fifth too few, in German and
    Spanish up to a third and in English two thirds too many, measured with OpenAI's cl100k_base. Of characters there
    are 1 to 5 a token, of bytes in UTF-8 between 2.4 and 4.9."""
    return int(sum(len(text.encode(errors="replace")) for text in texts) / _BYTES_PER_TOKEN)


class Budget:
    """The money of one run, shared by all who ask. For a request under way the most it can cost is put aside, its
    longest reply included; while that could pass the limit, others wait until it is known what it came to."""

    def __init__(self, limit: float | None, totals: Totals) -> None:
        self._limit = limit
        self._totals = totals
        self._reserved = 0.0
        self._under_way = 0
        self._longest = 0  # tokens that a reply was seen to have: a server may not keep to the limit it was given
        self._settled = asyncio.Event()
        self._ended = asyncio.Event()
        self.stopping = ""

    async def reserve(self, member: Member, messages: Sequence[Mapping[str, str]]) -> float:
        """Put aside the most that a request can cost, as soon as there is enough."""
        self.check()
        if self._limit is None:
            return 0.0
        allowed = member.longest_reply
        if allowed is None:
            raise LannerError(
                "A limit on costs needs a limit on the length of replies.",
                next_step="Give --set max_tokens=2000 as well.",
            )
        while True:
            price = member.cost(most_tokens(messages), max(allowed, self._longest)) or 0.0
            if self._totals.cost + self._reserved + price <= self._limit:
                break
            if not self._under_way:
                self._totals.is_out_of_money = True
                self.stop(f"the next question could cost more than the limit of {self._limit:g}")
            self.check()
            self._settled.clear()
            await self._settled.wait()
            self.check()
        self._reserved += price
        self._under_way += 1
        return price

    def note_length(self, member: Member, tokens: int) -> None:
        """Put more aside from now on, where a reply was longer than it was allowed to be."""
        allowed = member.longest_reply
        if allowed is not None and tokens > allowed:
            self._totals.overlong += 1
            self._longest = max(self._longest, tokens)

    @contextmanager
    def holding(self, price: float) -> Iterator[None]:
        """While a request is under way, its price is put aside."""
        try:
            yield
        finally:
            if self._limit is not None:
                self._reserved -= price
                self._under_way -= 1
                self._settled.set()

    def stop(self, why: str) -> None:
        """Nothing new is asked from now on."""
        self.stopping = self._totals.stopped = why
        self._settled.set()
        self._ended.set()

    async def pause(self, seconds: float) -> None:
        """Wait, but no longer than until the run is ending."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), seconds)

    def check(self) -> None:
        if self.stopping:
            raise StoppedError(self.stopping)


# How many questions a server is asked at once and how fast: more while it keeps up, fewer when it complains.
#
# Additive increase, multiplicative decrease: doubling at first, then one more per round, halved when the server is
# overloaded (once per round, since a round's requests complain together). `Retry-After` stops everything until then.
# Requests and tokens per minute are buckets that fill as time goes by. `ServerState` is arithmetic, and `Gate` makes
# callers wait.


@dataclass(slots=True)
class Bucket:
    """An allowance that fills evenly: `per_minute` units, of which ten seconds' worth can be saved up."""

    per_minute: float
    level: float = field(init=False)
    filled_at: float | None = None

    def __post_init__(self) -> None:
        self.level = self.capacity

    @property
    def capacity(self) -> float:
        return max(1.0, self.per_minute / 6)

    def wait(self, amount: float, now: float) -> float:
        """Seconds until so much may be taken. More than the bucket holds is allowed when it is full."""
        self._fill(now)
        lacking = min(amount, self.capacity) - self.level
        return max(0.0, lacking * 60 / self.per_minute) if lacking > 1e-9 else 0.0

    def take(self, amount: float) -> None:
        self.level -= amount

    def _fill(self, now: float) -> None:
        if self.filled_at is not None:
            self.level = min(self.capacity, self.level + (now - self.filled_at) * self.per_minute / 60)
        self.filled_at = now


class ServerState:
    """The state of one server, as far as we can know it."""

    def __init__(
        self, ceiling: int = 64, *, start: int = 8, rpm: float | None = None, tpm: float | None = None
    ) -> None:
        self.ceiling = max(1, ceiling)
        self.limit = float(min(start, self.ceiling))
        self.in_flight = 0
        self._requests = Bucket(rpm) if rpm else None
        self._tokens = Bucket(tpm) if tpm else None
        self._doubling = True
        self._lowered_at = -math.inf
        self._paused_until = -math.inf

    def wait(self, now: float, tokens: int) -> float:
        """Seconds until one more request may start; infinite while as many as allowed are under way."""
        if self.in_flight >= int(self.limit):
            return math.inf
        waits = [self._paused_until - now, 0.0]
        if self._requests:
            waits.append(self._requests.wait(1, now))
        if self._tokens:
            waits.append(self._tokens.wait(tokens, now))
        return max(waits)

    def start(self, tokens: int) -> None:
        self.in_flight += 1
        if self._requests:
            self._requests.take(1)
        if self._tokens:
            self._tokens.take(tokens)

    def succeed(self, *, guessed: int = 0, used: int = 0) -> None:
        """A reply came: allow more. Tokens that were guessed are set right."""
        self.leave()
        self.limit = min(self.ceiling, self.limit + (1.0 if self._doubling else 1.0 / self.limit))
        if self._tokens and used:
            self._tokens.take(used - guessed)

    def overload(self, started_at: float, now: float, retry_after: float | None = None) -> None:
        """The server complained: allow fewer, unless this request began before we last did."""
        self.leave()
        self._doubling = False
        if started_at >= self._lowered_at:
            self.limit = max(1.0, self.limit / 2)
            self._lowered_at = now
        if retry_after:
            self._paused_until = max(self._paused_until, now + retry_after)

    def leave(self) -> None:
        self.in_flight -= 1


class Gate:
    """Lets callers in as the pace allows, in the order they came."""

    def __init__(self, pace: ServerState) -> None:
        self.pace = pace
        self.silences = 0  # requests in a row that got no reply at all
        self.reached = False  # whether the server was ever there
        self._waiting: deque[tuple[asyncio.Future[None], int]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    async def enter(self, tokens: int = 0) -> float:
        """Wait for a turn. The moment it began."""
        loop = asyncio.get_running_loop()
        if not self._waiting and self.pace.wait(loop.time(), tokens) <= 0:
            self.pace.start(tokens)
            return loop.time()
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append((turn, tokens))
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # let in and called off at the same moment
                self.pace.leave()
            self._admit()
            raise
        return loop.time()

    def turn_away(self, problem: Exception) -> None:
        """Let nobody in who still waits."""
        for turn, _ in self._waiting:
            if not turn.done():
                turn.set_exception(problem)

    def succeed(self, *, guessed: int = 0, used: int = 0) -> None:
        self.pace.succeed(guessed=guessed, used=used)
        self._admit()

    def overload(self, started_at: float, retry_after: float | None = None) -> None:
        self.pace.overload(started_at, asyncio.get_running_loop().time(), retry_after)
        self._admit()

    def leave(self) -> None:
        self.pace.leave()
        self._admit()

    def _admit(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            turn, tokens = self._waiting[0]
            if turn.done():
                self._waiting.popleft()
                continue
            wait = self.pace.wait(loop.time(), tokens)
            if wait > 0:
                if self._timer is not None:
                    self._timer.cancel()
                self._timer = loop.call_later(wait, self._admit) if math.isfinite(wait) else None
                return
            self._waiting.popleft()
            self.pace.start(tokens)
            turn.set_result(None)
