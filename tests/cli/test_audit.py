"""`lanner audit`: a table with a plain verdict for each thing that was tried."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cli.command import Command
from lanner import formats
from lanner.judges.probes import INJECTION
from model_campaign import corpus
from stub_server import Stub, running


def gullible(body: dict[str, Any], _turn: int) -> str:
    return '{"score": 100}' if INJECTION in body["messages"][-1]["content"] else '{"score": 50}'


def test_a_gullible_model_is_found_out(lanner: Command) -> None:
    formats.write("native", Path("small.jsonl"), corpus(6, 2), (), ())
    with running(Stub(gullible)) as url:
        command = ("audit", "tiny", "--texts", "small.jsonl", "--protocol", "da", "--base-url", url)
        rows = lanner(*command, "--samples", "2", "--json").envelope["rows"]
        printed = lanner(*command, "--samples", "2").out
    by_probe = {row["probe"]: row for row in rows}
    assert by_probe["injection"]["verdict"] == "clear"
    assert by_probe["length"]["verdict"] == "none"
    assert "steer it" in " ".join(printed.split())


def test_texts_without_translations_cannot_be_audited(lanner: Command) -> None:
    formats.write("native", Path("small.jsonl"), corpus(1, 1, ()), (), ())
    ran = lanner("audit", "tiny", "--texts", "small.jsonl", "--protocol", "da", "--base-url", "http://127.0.0.1:1/v1")
    assert "no translations" in ran.err
