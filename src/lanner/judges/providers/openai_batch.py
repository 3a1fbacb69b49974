"""OpenAI's batch interface for chat completions: questions and answers are files of JSON lines."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_core import to_json

from lanner.judges.providers import Endpoint, RefusedError, UnanswerableError
from lanner.judges.providers._batches import MARK, Batch, Batches, Question, Result, rows
from lanner.judges.providers._http import require
from lanner.judges.providers.openai_compatible import Chat

__all__ = ["FileBatches", "connect", "require"]
_OVER = {"completed", "failed", "expired", "cancelled"}
_LOST = {"failed", "expired", "cancelled", "cancelling"}


def connect(endpoint: Endpoint) -> FileBatches:
    """A connection to the server's batches."""
    return FileBatches(Chat(endpoint))


class FileBatches(Batches):
    """Batches of files. The input file of a batch stays on the server, so its questions are known whoever sent it."""

    route = "/v1/chat/completions"

    async def create(self, questions: Sequence[Question]) -> Batch:
        lines = [
            to_json({"custom_id": question.name, "method": "POST", "url": self.route, "body": question.body})
            for question in questions
        ]
        file = await self.connection.upload(b"\n".join(lines) + b"\n")
        order = {
            "input_file_id": file,
            "endpoint": self.route,
            "completion_window": "24h",
            "metadata": {"made_by": MARK},
        }
        return await self.connection.json("POST", "/batches", order)

    async def look(self, batch: Batch) -> Batch:
        return await self.connection.json("GET", f"/batches/{batch['id']}")

    def is_over(self, batch: Batch) -> bool:
        return batch.get("status") in _OVER

    async def results(self, batch: Batch) -> Sequence[Result]:
        files = [str(batch[name]) for name in ("output_file_id", "error_file_id") if batch.get(name)]
        lines = [row for file in files for row in rows(await self.connection.content(file))]
        return [
            Result(
                str(row.get("custom_id")),
                int((row.get("response") or {}).get("status_code") or 0),
                (row.get("response") or {}).get("body") or row.get("error") or {},
            )
            for row in lines
        ]

    def problem(self, batch: Batch) -> str:
        status = batch.get("status")
        return "" if status == "completed" else f"the batch {batch.get('id')} is {status}"

    async def earlier(self, run: str) -> Sequence[tuple[Batch, Sequence[str]]]:
        batches = []
        for batch in await self.listed("/batches"):
            ours = (batch.get("metadata") or {}).get("made_by") == MARK and batch.get("endpoint") == self.route
            if not ours:
                continue
            try:
                names = await self._names(batch)
            except (RefusedError, UnanswerableError):  # its files are no longer kept
                continue
            if any(name.startswith(run) for name in names):
                batches.append((batch, names))
        return batches

    async def _names(self, batch: Batch) -> list[str]:
        """The questions that a batch has answered or will; of one that was given up those that it had answered."""
        if batch.get("status") in _LOST:
            return [result.name for result in await self.results(batch) if result.status == 200]
        return [str(row.get("custom_id")) for row in rows(await self.connection.content(str(batch["input_file_id"])))]
