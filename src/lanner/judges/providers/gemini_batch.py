"""Gemini's batch interface: the questions are part of the request, and so are the answers of the reply.

A batch is named after its run, so that a later run finds its own. Answers carry the name of their question; where the
server leaves it out they stand in the order of the questions, which only the run that sent them knows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from urllib.parse import quote

from lanner.judges.providers import Endpoint
from lanner.judges.providers._batches import MARK, PAGES, Batch, Batches, Question, Result
from lanner.judges.providers._http import require
from lanner.judges.providers.gemini import Gemini

__all__ = ["InlineBatches", "connect", "require"]
_OVER = ("SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED")
_CODES = {3: 400, 4: 504, 5: 404, 7: 403, 8: 429, 13: 500, 14: 503, 16: 401}
"""HTTP statuses by the numbers that Google gives to kinds of errors."""


def connect(endpoint: Endpoint) -> InlineBatches:
    """A connection to the server's batches."""
    return InlineBatches(Gemini(endpoint))


class InlineBatches(Batches):
    """Batches of inlined requests."""

    largest = 18_000_000

    def __init__(self, connection: Gemini, **more: float) -> None:
        super().__init__(connection, **more)
        self._orders: dict[str, list[str]] = {}

    async def create(self, questions: Sequence[Question]) -> Batch:
        names = [question.name for question in questions]
        requests = [{"request": question.body, "metadata": {"key": question.name}} for question in questions]
        order = {
            "batch": {
                "displayName": f"{MARK}-{names[0].partition('.')[0]}",
                "inputConfig": {"requests": {"requests": requests}},
            }
        }
        model = quote(questions[0].model.removeprefix("models/"), safe="")
        batch = await self.connection.json("POST", f"/models/{model}:batchGenerateContent", order)
        self._orders[str(batch["name"])] = names
        return batch

    async def look(self, batch: Batch) -> Batch:
        return await self.connection.json("GET", f"/{batch['name']}")

    def is_over(self, batch: Batch) -> bool:
        return bool(batch.get("done")) or _state(batch).endswith(_OVER)

    async def results(self, batch: Batch) -> Sequence[Result]:
        output = batch.get("response") or (batch.get("metadata") or {}).get("output") or {}
        inlined = output.get("inlinedResponses") or {}
        entries = inlined.get("inlinedResponses") or [] if isinstance(inlined, dict) else inlined
        order = self._orders.get(str(batch["name"]), [])
        results = []
        for place, entry in enumerate(entries):
            name = str((entry.get("metadata") or {}).get("key") or (order[place] if place < len(order) else ""))
            if "response" in entry:
                results.append(Result(name, 200, entry["response"]))
            else:
                error = entry.get("error") or {}
                results.append(Result(name, _CODES.get(int(error.get("code") or 0), 500), {"error": error}))
        return results

    def problem(self, batch: Batch) -> str:
        state = _state(batch)
        if batch.get("error") or not state.endswith("SUCCEEDED"):
            words = (batch.get("error") or {}).get("message") or state
            return f"the batch {batch['name']} failed: {words}"
        return ""

    async def listed(self, path: str) -> list[Batch]:
        batches: list[Batch] = []
        following = ""
        for _ in range(PAGES):
            page = await self.connection.json("GET", f"{path}?pageSize=100{following}")
            batches += page.get("operations") or page.get("batches") or ()
            if not page.get("nextPageToken"):
                break
            following = f"&pageToken={quote(str(page['nextPageToken']), safe='')}"
        return batches

    async def earlier(self, run: str) -> Sequence[tuple[Batch, Sequence[str]]]:
        batches = []
        for entry in await self.listed("/batches"):
            batch: Batch = entry
            name = (batch.get("metadata") or batch).get("displayName")
            if name != f"{MARK}-{run.partition('.')[0]}":
                continue
            while not self.is_over(batch):  # only the answers tell which questions they are to
                await asyncio.sleep(self._between)
                batch = await self.look(batch)
            names = [result.name for result in await self.results(await self.look(batch)) if result.status == 200]
            batches.append((await self.look(batch), [name for name in names if name]))
        return batches


def _state(batch: Batch) -> str:
    return str((batch.get("metadata") or batch).get("state") or "")
