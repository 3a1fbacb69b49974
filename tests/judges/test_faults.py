"""What servers do wrong, and what becomes of it. The table in docs/faults.md is written by this test.

Each fault is committed by a real server over HTTP, once for each question or always. To write the table anew after a
change: LANNER_WRITE=1 pytest tests/judges/test_faults.py
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from lanner import campaign
from lanner.errors import LannerError
from lanner.judges import run as judge_runs
from lanner.judges.plan import Limits, Member, Plan, Totals
from lanner.judges.providers import Endpoint
from lanner.store import Store
from model_campaign import corpus, judge, opened, stored
from stub_providers import DIALECTS, Chat
from stub_server import Stub, completion, good

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"
ITEMS = 3
Body = dict[str, Any]


@dataclass(frozen=True)
class Fault:
    """What a server does, how often, and what is expected: requests in all, items stored, missing, left open; and the
    code of the reason in the ledger."""

    title: str
    answer: Callable[[Body], Any]
    always: bool
    requests: int
    stored: int
    missing: int
    left_open: int
    remark: str
    step: str = ""


def error(status: int, words: str, **headers: str) -> Callable[[Body], Any]:
    def answer(_body: Body) -> Any:
        return web.json_response({"error": {"message": words}}, status=status, headers=headers)

    return answer


def text(change: Callable[[str], str]) -> Callable[[Body], Any]:
    return lambda body: change(good(body))


def message(*, finish: str = "stop", content: str | None = None, **fields: Any) -> Callable[[Body], Any]:
    def answer(body: Body) -> Any:
        reply = completion(body, good(body) if content is None else content)
        reply["choices"][0]["finish_reason"] = finish
        reply["choices"][0]["message"] |= fields
        return reply

    return answer


def too_large(status: int) -> Callable[[Body], Any]:
    words = "'max_tokens' is too large: 2000. This model's maximum context length is 2048 tokens."
    return lambda body: error(status, words)(body) if body["max_tokens"] > 600 else good(body)


async def cut(body: Body) -> Any:
    async def answer(request: web.Request) -> web.StreamResponse:
        reply = web.StreamResponse(headers={"Content-Type": "application/json"})
        await reply.prepare(request)
        await reply.write(json.dumps(completion(body, good(body))).encode()[:40])
        assert request.transport is not None
        request.transport.close()
        return reply

    return answer


async def hang(_body: Body) -> Any:
    await asyncio.sleep(30)


def no_usage(body: Body) -> Any:
    return completion(body, good(body), usage=None)


def half_a_character(body: Body) -> Any:
    return completion(body, "No: \ud800")


def parts(body: Body) -> Any:
    reply = completion(body, "")
    reply["choices"][0]["message"]["content"] = [{"type": "text", "text": good(body)}]
    return reply


AGAIN = "Asked again with what was wrong, twice at most."
ONCE = "Stored as missing with the reason; paid once."
REPEATED = "Repeated until there is an answer, ever more slowly."
KEPT = "Taken off and counted."
MODERATED = "Your input was flagged by moderation"
FAULTS = [
    Fault("429 with Retry-After", error(429, "slow down", **{"Retry-After": "0"}), False, 6, 3, 0, 0, REPEATED),
    Fault(
        "429 with a date in an odd zone",
        error(429, "slow down", **{"Retry-After": "Mon, 16 Nov 2020 13:00:00 -0000"}),
        *(False, 6, 3, 0, 0, REPEATED),
    ),
    Fault("500", error(500, "broken"), False, 6, 3, 0, 0, REPEATED),
    Fault("Connection cut in the reply", cut, False, 6, 3, 0, 0, REPEATED),
    Fault("No chat in the reply", lambda _: web.Response(text="<html>proxy</html>"), False, 6, 3, 0, 0, REPEATED),
    Fault(
        "An error with status 200",
        lambda _: {"error": {"message": "upstream quota", "code": 502}},
        *(False, 6, 3, 0, 0, REPEATED),
    ),
    Fault(
        "400 or 422: max_tokens too large for one question",
        lambda body: too_large(400 + 22 * (body["max_tokens"] > 1000))(body),
        *(True, 9, 3, 0, 0, "The limit is halved for this question alone."),
    ),
    Fault(
        "400: text too long",
        error(400, "This model's maximum context length is 2048 tokens. Please reduce the length of the messages."),
        *(True, 3, 0, 3, 0, ONCE),
    ),
    Fault("403 on some texts", error(403, MODERATED), False, 3, 0, 0, 3, "Left open until any answer came."),
    Fault("Not JSON", text(lambda _: "The translation is good."), False, 6, 3, 0, 0, AGAIN, "json"),
    Fault("Not JSON, always", text(lambda _: "The translation is good."), True, 9, 0, 3, 0, AGAIN, "json"),
    Fault("JSON cut off, finish_reason stop", text(lambda reply: reply[:-4]), False, 6, 3, 0, 0, AGAIN, "json"),
    Fault("finish_reason length", message(finish="length", content='{"sco'), True, 3, 0, 3, 0, ONCE, "length"),
    Fault(
        "finish_reason length while thinking",
        message(finish="length", content="", reasoning_content="long thought"),
        *(True, 3, 0, 3, 0, ONCE, "length"),
    ),
    Fault("Refusal", message(content="", refusal="I'm sorry."), True, 3, 0, 3, 0, ONCE, "refusal"),
    Fault("Content filter", message(finish="content_filter", content=""), True, 3, 0, 3, 0, ONCE, "refusal"),
    Fault("Code fence with words around", text("Here it is:\n```json\n{}\n```\nBye.".format), True, 3, 3, 0, 0, KEPT),
    Fault("<think> … </think> before", text("<think>hm {{x}}</think>\n{}".format), True, 3, 3, 0, 0, KEPT),
    Fault("… </think> without its beginning", text("hm {{x}}\n</think>\n{}".format), True, 3, 3, 0, 0, KEPT),
    Fault("Reasoning in a field", message(reasoning_content="because"), True, 3, 3, 0, 0, "Kept in the ledger."),
    Fault("Content as a list of parts", parts, True, 3, 3, 0, 0, "Read as one text."),
    Fault("No usage", no_usage, True, 3, 3, 0, 0, "Tokens are counted here, the table says so, the cap acts."),
    Fault("Half a character in the reply", half_a_character, False, 6, 3, 0, 0, AGAIN, "json"),
    Fault("NUL in the reply", text(lambda _: "No.\x00"), False, 6, 3, 0, 0, AGAIN, "json"),
    Fault("Two values for one key", text(lambda _: '{"score": 3, "score": 70}'), False, 6, 3, 0, 0, AGAIN, "schema"),
    Fault("1e400 as a score", text(lambda _: '{"score": 1e400}'), False, 6, 3, 0, 0, AGAIN, "schema"),
    Fault("Byte order mark before the answer", text("\ufeff{}".format), True, 3, 3, 0, 0, KEPT),
]


def sentence(body: Body) -> str:
    """The sentence that is asked about, without those around it."""
    return str(body["messages"][-1]["content"]).partition(">>>")[2].partition("(context)")[0]


@pytest.fixture(scope="module")
def campaign_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the campaign, copied for each fault."""
    path = tmp_path_factory.mktemp("campaign") / "s.db"
    with Store.open(path) as store:
        opened(store, "da", corpus(1, ITEMS))
    return path


def run(path: Path, fault: Fault, dialect: Chat) -> tuple[Totals, Stub, int]:
    def answer(body: Body, turn: int) -> Any:
        first = turn == 0 and len(body["messages"]) == 2
        return fault.answer(body) if fault.always or first else good(body)

    stub = Stub(answer)
    with Store.open(path) as store:
        number = campaign.get(store, "c").id
        totals = judge(store, number, stub, limits=Limits(4, tries=3, backoff=0.0), timeout=10.0, dialect=dialect)
        return totals, stub, len({(entry.document, entry.segment) for entry in stored(store, number)})


def ledger(path: Path) -> list[sqlite3.Row]:
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    rows = connection.execute("SELECT * FROM ledger ORDER BY id").fetchall()
    connection.close()
    return rows


def line(fault: Fault) -> str:
    often = "always" if fault.always else "once each"
    counts = " | ".join(str(n) for n in (fault.requests, fault.stored, fault.missing, fault.left_open))
    return f"| {fault.title} | {often} | {counts} | {fault.remark} |"


HEAD = f"""# When servers fail

What a model's server did to {ITEMS} questions, how many requests that took, and what became of the items. Written by
`tests/judges/test_faults.py`, which makes every fault over HTTP in the form of each provider: OpenAI-compatible
servers, OpenAI Responses, Anthropic and Gemini. "Missing" has a reason in the ledger and is asked
again with `--set retry_missing=true`; "left open" is asked again by the same command.

| Fault | How often | Requests | Stored | Missing | Left open | What is done |
|---|---|---|---|---|---|---|
"""
TAIL = """
With a batch interface, a lost reply (to sending the batch, asking for its state, listing batches or fetching results)
does not send the questions again: the batch is looked for and waited for. What a batch had answered before it
expired is kept.

A whole run ends early, keeps everything so far and says what to do next, after:

- 401, 402 or 404, or an account without credit, whatever its status: nothing can be asked with this key, account or
  address.
- A redirect: it is not followed, since texts and key are for the server that was named; the message names the address.
- A server that asks to wait for more than an hour.
- Eight time-outs in a row without a byte in between (`--set timeout` seconds each, at the same time).
- Twenty questions to a model without one valid answer: the rest would fare no better. Other judges of the run go on.
- Eight items in a row for which the server had no answer however often it was asked.
- A cost limit that the next request could exceed, its longest reply included.

The first Ctrl+C (or SIGTERM) sends nothing more, waits for the replies under way, which are paid, and stores them; the
second ends at once. Batches are not waited for: they stay with the server, and the same command finds them.

`lanner judge` exits with 0 when every item has its answer, 3 when some are missing or left open, 2 when it could not
run, and 130 after Ctrl+C.
"""


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.provider)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.title)
def test_a_fault_has_the_end_that_the_table_says(
    tmp_path: Path, campaign_file: Path, fault: Fault, dialect: Chat
) -> None:
    totals, stub, items = run(Path(shutil.copyfile(campaign_file, tmp_path / "s.db")), fault, dialect)
    assert (len(stub.bodies), items, totals.missing, totals.failed) == (
        *(fault.requests, fault.stored, fault.missing, fault.left_open),
    )
    assert totals.items == items
    if fault.step:
        rows = ledger(tmp_path / "s.db")
        assert {json.loads(row["detail"]).get("step") for row in rows if row["outcome"] != "valid"} == {fault.step}
    for body in stub.bodies[1:]:
        assert "max_tokens" in body, "one complaint must not remove the limit for others"


def test_the_table_in_the_docs_is_this_one() -> None:
    page = HEAD + "\n".join(map(line, FAULTS)) + "\n" + TAIL
    if os.environ.get("LANNER_WRITE"):
        PAGE.write_text(page, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page


def test_a_server_that_hangs_is_given_up_after_one_round(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(4, 20))
        stub = Stub(lambda body, _turn: hang(body))
        with pytest.raises(LannerError, match="stopped answering"):
            judge(store, number, stub, limits=Limits(8, backoff=0.0, silences=8), timeout=0.2)
        assert len(stub.bodies) <= 16  # eight at once, and those that had begun when the eighth gave up


def test_a_server_that_is_not_there_is_said_to_be_out_of_reach(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # nobody listens
        endpoint = Endpoint(f"http://127.0.0.1:{closed.getsockname()[1]}/v1", family="default")
        with Store.open(tmp_path / "s.db") as store:
            number = opened(store, "da", corpus(2, 10))
            plans = [Plan("m", (Member("m", endpoint),))]
            judge_runs.participant(store, number, plans)
            with pytest.raises(LannerError, match="cannot be reached") as caught:
                asyncio.run(judge_runs.run(store, number, plans, limits=Limits(8, backoff=0.0)))
    assert "--base-url" in caught.value.next_step


def test_a_run_without_one_valid_answer_ends_early(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(10, 20))
        stub = Stub(lambda _body, _turn: "No.")
        totals = judge(store, number, stub, limits=Limits(8, backoff=0.0))
        assert "no valid answer" in totals.stopped
        assert 20 <= totals.missing <= 28
        stub.answer = lambda body, _turn: good(body)
        totals = judge(store, number, stub, limits=Limits(8, backoff=0.0, retry_missing=True))
        assert (totals.items, totals.missing, totals.stopped) == (200, 0, "")


def test_one_forbidden_text_is_missing_and_a_forbidden_server_ends_the_run(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(2, 20))
        stub = Stub(lambda body, _: error(403, MODERATED)(body) if "0.7 " in sentence(body) else good(body))
        totals = judge(store, number, stub, limits=Limits(1, backoff=0.0))
        assert (totals.items, totals.missing, totals.failed) == (39, 1, 0)
    with Store.open(tmp_path / "t.db") as store:
        number = opened(store, "da", corpus(2, 20))
        with pytest.raises(LannerError, match="403"):
            judge(store, number, Stub(lambda body, _: error(403, "no")(body)), limits=Limits(4, backoff=0.0))


def test_the_ledger_has_what_was_sent_and_what_came(tmp_path: Path) -> None:
    """A server that takes no temperature and no seed, and thinks aloud."""

    def answer(body: Body, _turn: int) -> Any:
        for name in ("temperature", "seed"):
            if name in body:
                return error(400, f"Unsupported value: '{name}' does not support 0 with this model.")(body)
        return message(reasoning_content="because of the verb")(body)

    with Store.open(tmp_path / "s.db") as store:
        number = opened(store, "da", corpus(1, 1))
        stub = Stub(answer)
        judge(store, number, stub, temperature=0.0)
    [row] = ledger(tmp_path / "s.db")
    detail = json.loads(row["detail"])
    sent = stub.bodies[-1]
    assert (row["temperature"], row["seed"]) == (None, None)
    assert detail["sent"] == {"model": "tiny", "max_tokens": 2000, "response_format": "json_schema"}
    assert detail["reasoning"] == "because of the verb"
    assert [entry[1] for entry in detail["messages"]] == [entry["content"] for entry in sent["messages"][1:]]
    assert detail["texts"][detail["system"]] == sent["messages"][0]["content"]
    assert detail["texts"][row["schema_hash"]] == sent["response_format"]["json_schema"]["schema"]
