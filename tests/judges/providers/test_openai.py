"""OpenAI's interfaces: what a server understands, what it refuses, what it says about waiting; replies of Responses.
Batches are in test_openai_batch, whole runs in test_batches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from aiohttp import web

from judges.providers.test_http import ask as ask_as
from lanner.judges.providers import (
    Call,
    Endpoint,
    OverloadedError,
    RefusedError,
    Reply,
    ReplyToken,
    UnanswerableError,
    connect,
)
from lanner.judges.providers._http import _retry_after, family
from lanner.judges.providers._openai import Chat, ResponseBatches, Responses
from lanner.judges.schemas import without_keywords
from stub_providers import Responses as Server
from stub_server import Stub, completion, good, serving

SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer", "minimum": 0, "maximum": 100}},
    "required": ["score"],
    "additionalProperties": False,
}
CALL = Call("tiny", ({"role": "user", "content": "How good is it?"},), SCHEMA, 0.5, 7, 100)


def ask(stub: Stub, times: int = 1, **more: Any) -> list[Reply]:
    async def go() -> list[Reply]:
        async with serving(stub) as url:
            provider = connect(Endpoint(url, **more))
            try:
                return [await provider.ask(CALL) for _ in range(times)]
            finally:
                await provider.close()

    return asyncio.run(go())


def refusing(*words: str) -> Callable[[dict[str, Any], int], Any]:
    """A server that does not know these words of a request."""

    def answer(body: dict[str, Any], _: int) -> Any:
        known = {**body, **{f"type:{body.get('response_format', {}).get('type')}": True}}
        for word in words:
            if word in known:
                name = word.removeprefix("type:")
                return web.json_response({"error": {"message": f"Unsupported: {name}"}}, status=400)
        return good(body) if "type:json_schema" in known else '{"score": 1}'

    return answer


def test_a_reply_says_how_it_was_held_to_the_schema() -> None:
    [reply] = ask(Stub())
    assert (reply.model, reply.tokens_in, reply.tokens_out, reply.means, reply.finish) == (
        "tiny", 100, 20, "json_schema", "stop",
    )  # fmt: skip


def test_what_a_server_refuses_is_left_out_from_then_on() -> None:
    stub = Stub(refusing("type:json_schema", "seed", "temperature"))
    replies = ask(stub, times=2)
    assert [reply.means for reply in replies] == ["json_object", "json_object"]
    assert len(stub.bodies) == 5  # three refusals, once
    assert {"seed", "temperature"}.isdisjoint(stub.bodies[-1])


def test_questions_under_way_together_learn_what_one_of_them_was_refused_for() -> None:
    """All but the first were given up, as questions that the server would never answer."""
    stub = Stub(refusing("temperature", "max_tokens", "type:json_schema"), delay=0.01)

    async def go(**more: Any) -> list[Reply]:
        async with serving(stub) as url:
            provider = connect(Endpoint(url))
            try:
                return await asyncio.gather(*(provider.ask(CALL._replace(**more)) for _ in range(4)))
            finally:
                await provider.close()

    assert [reply.means for reply in asyncio.run(go())] == ["json_object"] * 4
    with pytest.raises(UnanswerableError, match="temperature"):  # nothing of the user's own is left out
        asyncio.run(go(extra={"temperature": 0.5}))


def test_what_one_model_does_not_take_another_of_its_server_still_gets() -> None:
    stub = Stub(lambda body, turn: refusing("temperature")(body, turn) if body["model"] == "thinking" else good(body))

    async def go() -> list[Reply]:
        async with serving(stub) as url:
            provider = connect(Endpoint(url))
            try:
                return [await provider.ask(CALL._replace(model=name)) for name in ("thinking", "plain", "thinking")]
            finally:
                await provider.close()

    assert [reply.sent.get("temperature") for reply in asyncio.run(go())] == [None, 0.5, None]
    assert len(stub.bodies) == 4


def test_the_other_name_of_the_length_limit_is_tried() -> None:
    stub = Stub(refusing("max_tokens"))
    ask(stub)
    assert stub.bodies[-1]["max_completion_tokens"] == 100


def test_a_server_that_knows_no_way_at_all_is_asked_plainly() -> None:
    stub = Stub(refusing("type:json_schema", "type:json_object"))
    assert ask(stub)[0].means == "plain"
    assert "response_format" not in stub.bodies[-1]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((status, UnanswerableError) for status in (400, 403, 413, 422)),
        *((status, RefusedError) for status in (401, 402, 404)),
        *((status, OverloadedError) for status in (429, 500, 529, 599)),
    ],
)
def test_every_status_has_its_meaning(status: int, kind: type[Exception]) -> None:
    stub = Stub(lambda _body, _turn: web.json_response({"error": {"message": "no"}}, status=status))
    with pytest.raises(kind):
        ask(stub)


def test_a_key_in_an_error_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-secret")
    stub = Stub(lambda _body, _turn: web.json_response({"error": {"message": "bad key sk-secret"}}, status=401))
    with pytest.raises(RefusedError) as caught:
        ask(stub, key_variable="MY_KEY")
    assert "sk-secret" not in str(caught.value)
    assert "MY_KEY" in str(caught.value)


def test_nobody_there_is_overload_until_tried_often_enough() -> None:
    async def go() -> None:
        provider = connect(Endpoint("http://127.0.0.1:9/v1", timeout=2))
        try:
            await provider.ask(CALL)
        finally:
            await provider.close()

    with pytest.raises(OverloadedError):
        asyncio.run(go())


def test_the_table_of_capabilities() -> None:
    assert family("api.openai.com").length == "max_completion_tokens"
    assert family("my.openai.azure.com").length == "max_completion_tokens"
    assert "grammar" in family("127.0.0.1", frozenset({"llamacpp"})).means
    assert family("127.0.0.1") == family("", named="default")


def test_words_a_server_does_not_know_are_left_out_but_not_fields_of_that_name() -> None:
    schema = {"type": "array", "uniqueItems": True, "items": {"properties": {"uniqueItems": {"maxLength": 3}}}}
    assert without_keywords(schema, frozenset({"uniqueItems", "maxLength"})) == {
        "type": "array", "items": {"properties": {"uniqueItems": {}}},
    }  # fmt: skip


def test_how_long_to_wait() -> None:
    assert _retry_after({"retry-after": "2.5"}) == 2.5
    assert _retry_after({"retry-after-ms": "1500"}) == 1.5
    assert _retry_after({"retry-after": "soon"}) is None
    assert _retry_after({}) is None
    date = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    assert 3500 < (_retry_after({"retry-after": date}) or 0) <= 3600


def reply_of(**data: Any) -> Any:
    return Responses.reply(Responses.__new__(Responses), data)


def test_a_reply_that_was_cut_off_says_so() -> None:
    reply = reply_of(output=[], status="incomplete", incomplete_details={"reason": "max_output_tokens"})
    assert reply.cut_off


THOUGHTS = {
    "type": "thinking",
    "thinking": [{"type": "text", "text": '{"score": 1}, or'}, {"type": "text", "text": " 2"}],
}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ([{"type": "text", "text": '{"score"'}, {"type": "text", "text": ": 7}"}], ('{"score": 7}', "", "")),
        ([{"text": '{"score": 7}'}], ('{"score": 7}', "", "")),
        ([THOUGHTS, {"type": "text", "text": '{"score": 7}'}], ('{"score": 7}', '{"score": 1}, or 2', "")),  # Mistral
        ([{"type": "reasoning", "text": "Hm"}, {"type": "output_text", "text": "7"}], ("7", "Hm", "")),
        ([{"type": "refusal", "refusal": "No."}], ("", "", "No.")),
        ([{"type": "text", "text": None}], ("", "", "")),
        ([], ("", "", "")),
    ],
)
def test_a_reply_in_parts_is_what_its_texts_say(content: list[Any], expected: tuple[str, str, str]) -> None:
    def answer(body: dict[str, Any], _turn: int) -> dict[str, Any]:
        return completion(body, content)  # type: ignore[arg-type]

    [reply] = ask(Stub(answer))
    assert (reply.text, reply.reasoning, reply.refusal) == expected


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens_details": {"cached_tokens": 60}},
        {"prompt_cache_hit_tokens": 60, "prompt_cache_miss_tokens": 40},  # DeepSeek
        {"cached_tokens": 60, "prompt_tokens_details": None},  # Moonshot
    ],
)
def test_cached_tokens_are_read_as_servers_tell_them(usage: dict[str, Any]) -> None:
    counts = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    [reply] = ask(Stub(lambda body, _turn: completion(body, '{"score": 7}') | {"usage": counts | usage}))
    assert (reply.tokens_in, reply.tokens_out, reply.cached_tokens) == (100, 20, 60)


def test_a_server_that_streams_unasked_is_asked_once() -> None:
    """Each reply is paid for, and none of them could be read."""
    stub = Stub(lambda body, _turn: web.Response(text=f"data: {completion(body, '7')}\n\ndata: [DONE]\n\n"))
    with pytest.raises(RefusedError, match="piece by piece") as caught:
        ask(stub)
    assert '{"stream": false}' in caught.value.next_step and sum(stub.asked.values()) == 1


def test_an_error_in_the_place_of_a_choice_is_asked_again_unless_it_was_paid() -> None:
    """As OpenRouter tells of a provider that failed while it was writing."""

    def answer(body: dict[str, Any], _turn: int) -> dict[str, Any]:
        said = completion(body, '{"sc')
        said["choices"][0] |= {"finish_reason": "error", "error": {"code": 502, "message": "upstream failed"}}
        return {name: value for name, value in said.items() if paid or name != "usage"}

    paid = False
    with pytest.raises(OverloadedError, match="upstream failed") as caught:
        ask(Stub(answer))
    assert caught.value.status == 502
    paid = True
    [reply] = ask(Stub(answer))
    assert (reply.text, reply.finish, reply.tokens_in, reply.tokens_out) == ('{"sc', "error", 100, 20)


def test_a_reply_without_choices_is_an_empty_one_where_it_was_paid() -> None:
    chat = Chat.__new__(Chat)
    paid = chat.reply({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 2}})
    assert (paid.text, paid.tokens_in, paid.tokens_out) == ("", 10, 2)
    with pytest.raises(IndexError):
        chat.reply({"choices": []})


def test_text_thoughts_and_probabilities_are_read() -> None:
    logprobs = [{"token": "3", "logprob": -0.5, "top_logprobs": [{"token": "4", "logprob": -1.0}]}]
    output = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "message", "content": [{"type": "output_text", "text": "3", "logprobs": logprobs}]},
    ]
    reply = reply_of(output=output, status="completed", usage={"input_tokens": 5, "output_tokens": 6})
    assert (reply.text, reply.reasoning, reply.tokens_in, reply.tokens_out) == ("3", "hm", 5, 6)
    assert reply.tokens == (ReplyToken("3", (("4", -1.0),)),)


def test_thinking_is_asked_for_and_no_seed_is_sent() -> None:
    reply, _ = ask_as(Server(), good, effort="high", seed=1)
    assert reply.sent["reasoning"] == {"effort": "high"}
    assert "seed" not in reply.sent
    assert reply.sent["text"] == "json_schema"


def test_a_batch_asks_the_interface_of_its_provider() -> None:
    async def go() -> None:
        batches = ResponseBatches.connect(Endpoint("http://127.0.0.1:1/v1", "openai_responses_batch"))
        assert isinstance(batches.connection, Responses)
        assert batches.route == "/v1/responses"
        await batches.close()

    asyncio.run(go())
