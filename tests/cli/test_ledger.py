"""`lanner ledger`: what was sent, what came, and why items are missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.command import Command
from lanner import formats
from model_campaign import corpus
from stub_server import Stub, completion, good, running


@pytest.fixture
def stub(lanner: Command) -> Stub:
    """A run of three sentences, of which the model declines the second."""
    formats.write("native", Path("small.jsonl"), corpus(1, 3), (), ())

    def answer(body: dict[str, Any], _turn: int) -> Any:
        asked = body["messages"][1]["content"].partition(">>>")[2].partition("(context)")[0]
        if "0.1 " not in asked:
            return good(body)
        reply = completion(body, "")
        reply["choices"][0]["message"]["refusal"] = "I would rather not."
        return reply

    stub = Stub(answer)
    with running(stub) as url:
        ran = lanner("judge", "small.jsonl", "--protocol", "da", "--model", "tiny", "--base-url", url)
    assert ran.code == 3
    return stub


def test_missing_items_have_their_reason(lanner: Command, stub: Stub) -> None:
    [row] = lanner("ledger", "small-da", "tiny", "--missing", "--json").envelope["rows"]
    assert (row["segment"], row["outcome"], row["failed at"]) == ("1", "missing", "refusal")
    assert "I would rather not" in row["why"]


def test_the_request_stands_there_as_it_was_sent(lanner: Command, stub: Stub) -> None:
    rows = lanner("ledger", "small-da", "--full", "--json").envelope["rows"]
    requests = [[[message["role"], message["content"]] for message in body["messages"]] for body in stub.bodies]
    assert sorted(row["request"]["messages"] for row in rows) == sorted(requests)
    assert {row["request"]["settings"]["max_tokens"] for row in rows} == {2000}
    shown = lanner("ledger", "small-da", "--full", "--segment", "1").out
    assert "[refusal]" in shown and "I would rather not." in shown


def test_rows_that_are_left_out_are_counted_and_a_wrong_name_is_an_error(lanner: Command, stub: Stub) -> None:
    envelope = lanner("ledger", "small-da", "--limit", "1", "--json").envelope
    assert len(envelope["rows"]) == 1
    assert any(note.startswith("2 more rows") for note in envelope["notes"])
    assert "tiny" in lanner("ledger", "small-da", "tinny").err
