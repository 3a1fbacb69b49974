"""Gemini's batches: answers by name, or in the order of the questions. Whole runs are in test_batches."""

from __future__ import annotations

import asyncio
from typing import Any

from lanner.judges.providers.gemini_batch import InlineBatches


def made(order: dict[str, list[str]]) -> InlineBatches:
    batches = InlineBatches.__new__(InlineBatches)
    batches._orders = order
    return batches


def batch(*entries: dict[str, Any], state: str = "BATCH_STATE_SUCCEEDED") -> dict[str, Any]:
    inlined = {"inlinedResponses": {"inlinedResponses": list(entries)}}
    return {"name": "batches/1", "done": True, "metadata": {"state": state}, "response": inlined}


def test_answers_without_a_name_stand_in_the_order_of_their_questions() -> None:
    answers = batch({"response": {"a": 1}}, {"error": {"code": 8, "message": "m"}})
    results = asyncio.run(made({"batches/1": ["x", "y"]}).results(answers))
    assert [(result.name, result.status) for result in results] == [("x", 200), ("y", 429)]
    unnamed = asyncio.run(made({}).results(answers))
    assert [result.name for result in unnamed] == ["", ""]


def test_a_batch_that_failed_says_so() -> None:
    batches = made({})
    assert not batches.problem(batch())
    assert "BATCH_STATE_FAILED" in batches.problem(batch(state="BATCH_STATE_FAILED"))
    assert batches.is_over({"metadata": {"state": "JOB_STATE_EXPIRED"}})
    assert not batches.is_over({"metadata": {"state": "BATCH_STATE_PENDING"}})
