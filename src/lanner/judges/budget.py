"""A limit on what a run may cost, kept before it is passed: a question is asked only if it can surely be paid."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from lanner.judges.plan import Member, Totals

_USUAL_REPLY = 400  # tokens of an answer, while none has come yet


class StoppedError(Exception):
    """The run is ending: nothing new is asked."""


class Budget:
    """The money of one run, shared by all who ask. What is under way is reckoned at the dearest price so far; while
    that could pass the limit, others wait until it is known what it came to."""

    def __init__(self, most: float | None, totals: Totals) -> None:
        self._most = most
        self._totals = totals
        self._reserved = 0.0
        self._under_way = 0
        self._dearest: dict[str, float] = {}
        self._settled = asyncio.Event()
        self.stopping = ""

    async def reserve(self, member: Member, tokens: int) -> float:
        """Put aside what a question with so many tokens may cost, as soon as there is enough."""
        self.check()
        if self._most is None:
            return 0.0
        while True:
            guess = member.cost(tokens, min(member.max_tokens or _USUAL_REPLY, _USUAL_REPLY)) or 0.0
            price = self._dearest.get(member.model, guess)
            if self._totals.cost + self._reserved + price <= self._most:
                self._reserved += price
                self._under_way += 1
                return price
            if not self._under_way:
                self.stop(f"the next question could cost more than the limit of {self._most:g}")
            self.check()
            self._settled.clear()
            await self._settled.wait()
            self.check()

    @contextmanager
    def holding(self, price: float) -> Iterator[None]:
        """While a question is under way, its price is put aside."""
        try:
            yield
        finally:
            if self._most is not None:
                self._reserved -= price
                self._under_way -= 1
                self._settled.set()

    def paid(self, member: Member, cost: float | None) -> None:
        """A reply came and cost so much."""
        if cost is not None:
            self._dearest[member.model] = max(cost, self._dearest.get(member.model, 0.0))

    def stop(self, why: str) -> None:
        """Nothing new is asked from now on."""
        self.stopping = self._totals.stopped = why
        self._settled.set()

    def check(self) -> None:
        if self.stopping:
            raise StoppedError(self.stopping)
