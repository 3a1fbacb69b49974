"""A limit on what a run may cost, kept before it is passed: a request is sent only if it can surely be paid."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from lanner.errors import LannerError
from lanner.judges.plan import Member, Totals

_MESSAGE_OVERHEAD = 16  # tokens that a server may add to each message


class StoppedError(Exception):
    """The run is ending: nothing new is asked."""


def most_tokens(messages: Sequence[Mapping[str, str]]) -> int:
    """More tokens than these messages can have: no tokenizer makes more of a text than it has bytes."""
    return sum(len(message["content"].encode()) + _MESSAGE_OVERHEAD for message in messages)


class Budget:
    """The money of one run, shared by all who ask. For a request under way the most it can cost is put aside, its
    longest reply included; while that could pass the limit, others wait until it is known what it came to."""

    def __init__(self, limit: float | None, totals: Totals) -> None:
        self._limit = limit
        self._totals = totals
        self._reserved = 0.0
        self._under_way = 0
        self._settled = asyncio.Event()
        self.stopping = ""

    async def reserve(self, member: Member, messages: Sequence[Mapping[str, str]]) -> float:
        """Put aside the most that a request can cost, as soon as there is enough."""
        self.check()
        if self._limit is None:
            return 0.0
        if member.max_tokens is None:
            raise LannerError(
                "A limit on costs needs a limit on the length of replies.", next_step="Give --max-tokens as well."
            )
        price = member.cost(most_tokens(messages), member.max_tokens) or 0.0
        while self._totals.cost + self._reserved + price > self._limit:
            if not self._under_way:
                self.stop(f"the next question could cost more than the limit of {self._limit:g}")
            self.check()
            self._settled.clear()
            await self._settled.wait()
            self.check()
        self._reserved += price
        self._under_way += 1
        return price

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

    def check(self) -> None:
        if self.stopping:
            raise StoppedError(self.stopping)
