"""How many questions a server is asked at once and how fast: more while it keeps up, fewer when it complains.

Additive increase, multiplicative decrease: doubling at first, then one more per round, halved when the server is
overloaded (once per round, since a round's requests complain together). `Retry-After` stops everything until then.
Requests and tokens per minute are buckets that fill as time goes by. `Pace` is arithmetic; `Gate` makes callers wait.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from dataclasses import dataclass, field


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


class Pace:
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

    def __init__(self, pace: Pace) -> None:
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
