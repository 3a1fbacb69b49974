"""Anthropic's Message Batches: the questions are part of the request, the answers a file of JSON lines.

A batch has no name of its own and tells the names of its questions only when it is over. So a run that begins while
batches are under way in the same workspace waits for them: one of them may be its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from lanner.judges.providers import Call, Endpoint, RefusedError, UnanswerableError
from lanner.judges.providers._batches import Batch, Batches, Question, Result, rows
from lanner.judges.providers._http import require
from lanner.judges.providers.anthropic import Messages

__all__ = ["MessageBatches", "connect", "require"]
_STATUSES = {"succeeded": 200, "canceled": 503, "expired": 503}
_ERRORS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}


def connect(endpoint: Endpoint) -> MessageBatches:
    """A connection to the server's batches."""
    return MessageBatches(Messages(endpoint))


class MessageBatches(Batches):
    """Message Batches."""

    most = 100_000
    largest = 250_000_000
    after = "after_id"

    def name_of(self, call: Call) -> str:
        """Only letters, digits, hyphens and underscores are allowed in a name."""
        return call.name.replace(".", "_").replace("~", "_t")

    async def create(self, questions: Sequence[Question]) -> Batch:
        requests = [{"custom_id": question.name, "params": question.body} for question in questions]
        return await self.connection.json("POST", "/messages/batches", {"requests": requests})

    async def look(self, batch: Batch) -> Batch:
        return await self.connection.json("GET", f"/messages/batches/{batch['id']}")

    def is_over(self, batch: Batch) -> bool:
        return batch.get("processing_status") == "ended"

    async def results(self, batch: Batch) -> Sequence[Result]:
        content = await self.connection.fetch("GET", f"/messages/batches/{batch['id']}/results")
        results = []
        for row in rows(content):
            result = row.get("result") or {}
            kind = str(result.get("type"))
            name = str(row.get("custom_id"))
            if kind == "errored":
                error = (result.get("error") or {}).get("error") or result.get("error") or {}
                results.append(Result(name, _ERRORS.get(str(error.get("type")), 500), {"error": error}))
            else:
                results.append(Result(name, _STATUSES.get(kind, 500), result.get("message") or {}))
        return results

    async def earlier(self, run: str) -> Sequence[tuple[Batch, Sequence[str]]]:
        batches = []
        for entry in await self.listed("/messages/batches"):
            batch: Batch = entry
            while not self.is_over(batch):
                await asyncio.sleep(self._between)
                batch = await self.look(batch)
            if not batch.get("results_url"):  # its answers are no longer kept
                continue
            try:
                names = [result.name for result in await self.results(batch) if result.status == 200]
            except (RefusedError, UnanswerableError):
                continue
            if any(name.startswith(run) for name in names):
                batches.append((batch, names))
        return batches
