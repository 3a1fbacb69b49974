"""Anthropic's Message Batches: what a result means. Whole runs are in test_batches."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from lanner.judges.providers import Call
from lanner.judges.providers.anthropic_batch import MessageBatches


class Connection:
    """Gives what it has."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    async def fetch(self, _method: str, _path: str) -> bytes:
        return self.content


def test_each_result_has_the_status_that_it_means() -> None:
    results: list[dict[str, Any]] = [
        {"type": "succeeded", "message": {"content": []}},
        {"type": "errored", "error": {"type": "error", "error": {"type": "invalid_request_error", "message": "m"}}},
        {"type": "expired"},
    ]
    lines = [json.dumps({"custom_id": str(n), "result": result}) for n, result in enumerate(results)]
    batches = MessageBatches.__new__(MessageBatches)
    batches.connection = Connection("\n".join(lines).encode())  # type: ignore[assignment]
    read = asyncio.run(batches.results({"id": "b"}))
    assert [(result.name, result.status) for result in read] == [("0", 200), ("1", 400), ("2", 503)]


def test_a_name_has_only_letters_that_are_allowed() -> None:
    name = MessageBatches.name_of(MessageBatches.__new__(MessageBatches), Call("m", (), {}, name="ab12.cd-1~2"))
    assert name == "ab12_cd-1_t2"
