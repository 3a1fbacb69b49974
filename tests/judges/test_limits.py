"""What models cost: by the table, by a file of one's own, never by guessing."""

from __future__ import annotations

import asyncio
import math
from datetime import date
from pathlib import Path

import pytest

from lanner.errors import LannerError
from lanner.judges.limits import (
    Bucket,
    Budget,
    Gate,
    ServerState,
    StoppedError,
    likely_tokens,
    most_tokens,
    price_of,
    read,
)
from lanner.judges.plan import Member, Totals
from lanner.judges.providers import Endpoint


def test_a_price_is_that_of_the_host_and_of_the_model_whatever_its_version() -> None:
    price = price_of("gpt-4o-mini-2024-07-18", "api.openai.com")
    assert price is not None
    assert price.at(batch=False) == (0.15, 0.60, 0.075)
    assert price.at(batch=True) == (0.075, 0.30, 0.0375)
    assert price_of("gpt-4o-mini", "127.0.0.1") is None
    assert price_of("gpt-4o-minimal", "api.openai.com") is None


def test_a_price_grows_old() -> None:
    price = price_of("gpt-5", "api.openai.com")
    assert price is not None
    assert not price.is_old(price.checked)
    assert price.is_old(date(price.checked.year + 1, price.checked.month, price.checked.day))


def test_a_file_of_ones_own_goes_before_the_shipped_one(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(
        '[[price]]\nhost = "api.openai.com"\nchecked = 2026-11-01\nmodels = [{ model = "o3", in = 1, out = 4 }]\n',
        encoding="utf-8",
    )
    price = price_of("o3", "api.openai.com", path)
    assert price is not None
    assert (price.at(batch=True), price.checked) == ((1.0, 4.0, None), date(2026, 11, 1))
    assert price_of("gpt-4o", "api.openai.com", path) is not None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("price = [", "not valid TOML"),
        ('[[price]]\nhost = "x"\nmodels = []', "checked is missing"),
        ('[[price]]\nhost = "x"\nchecked = "today"\nmodels = []', "must be a day"),
        ('[[price]]\nhost = "x"\nchecked = 2026-01-01\nmodels = [{ model = "a", in = -1, out = 1 }]', "not a price"),
        ('[[price]]\nhost = "x"\nchecked = 2026-01-01\nmodels = [{ model = "a", inn = 1, out = 1 }]', "in is missing"),
    ],
)
def test_a_file_that_is_wrong_says_where(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LannerError, match=words):
        read(path)


def test_cached_tokens_cost_their_own_price() -> None:
    member = Member("m", Endpoint("http://x/v1"), price_in=10.0, price_out=20.0, price_cached=1.0)
    assert member.cost(1_000_000, 500_000, 400_000) == pytest.approx(6.0 + 0.4 + 10.0)


CHEAP = Member("cheap", Endpoint("http://x/v1"), max_tokens=400, price_in=0.0, price_out=100.0)
QUESTION = [{"role": "user", "content": "How good is it?"}]


def spend(limit: float, cost: float, askers: int) -> tuple[Totals, int]:
    """Many ask at once, each request costing so much; what it came to and how often the limit ended it."""

    async def go() -> tuple[Totals, int]:
        totals = Totals()
        budget = Budget(limit, totals)

        async def one() -> None:
            with budget.holding(await budget.reserve(CHEAP, QUESTION)):
                await asyncio.sleep(0)
                totals.cost += cost
                totals.calls += 1

        results = await asyncio.gather(*(one() for _ in range(askers)), return_exceptions=True)
        assert all(result is None or isinstance(result, StoppedError) for result in results)
        return totals, sum(result is not None for result in results)

    return asyncio.run(go())


@pytest.mark.parametrize(("limit", "cost", "askers"), [(1.0, 0.04, 200), (1.0, 0.03, 200), (0.2, 0.001, 400)])
def test_the_limit_is_never_passed_and_used_up_to_the_last_request_that_surely_fits(
    limit: float, cost: float, askers: int
) -> None:
    totals, stopped = spend(limit, cost, askers)
    assert limit - 0.04 < totals.cost <= limit + 1e-9  # 400 tokens at 100 per million may cost 0.04
    assert totals.calls + stopped == askers
    assert f"limit of {limit:g}" in totals.stopped


def test_a_first_question_that_is_too_dear_is_not_asked() -> None:
    totals, stopped = spend(0.01, 0.001, 3)
    assert (totals.calls, stopped) == (0, 3)


def test_a_limit_needs_a_bound_on_replies() -> None:
    endless = Member("endless", Endpoint("http://x/v1"), max_tokens=None, price_in=1.0, price_out=1.0)
    with pytest.raises(LannerError, match="max_tokens"):
        asyncio.run(Budget(1.0, Totals()).reserve(endless, QUESTION))


@pytest.mark.parametrize("text", ["plain words", "동해물과 백두산이", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 👩‍👩‍👧", ""])
def test_no_text_has_more_tokens_than_bytes(text: str) -> None:
    assert most_tokens([{"role": "user", "content": text}]) >= len(text.encode())


def test_without_a_limit_nothing_waits_until_it_is_stopped() -> None:
    async def go() -> None:
        totals = Totals()
        budget = Budget(None, totals)
        assert await budget.reserve(CHEAP, QUESTION * 10**5) == 0.0
        budget.stop("wrong key")
        with pytest.raises(StoppedError, match="wrong key"):
            await budget.reserve(CHEAP, QUESTION)
        assert totals.stopped == "wrong key"

    asyncio.run(go())


def rounds(pace: ServerState, number: int) -> list[int]:
    """Send as many as allowed and let all succeed, so often; how many each time."""
    sent = []
    for _ in range(number):
        sent.append(0)
        while pace.wait(0.0, 0) == 0:
            pace.start(0)
            sent[-1] += 1
        for _ in range(sent[-1]):
            pace.succeed()
    return sent


def test_it_doubles_until_the_ceiling() -> None:
    assert rounds(ServerState(64, start=8), 5) == [8, 16, 32, 64, 64]


def test_it_halves_once_a_round_and_then_grows_by_one() -> None:
    pace = ServerState(64, start=32)
    for _ in range(32):
        pace.start(0)
    for _ in range(10):
        pace.overload(started_at=1.0, now=2.0)  # all began before the first complaint
    assert int(pace.limit) == 16
    for _ in range(22):
        pace.succeed()
    assert 17 <= pace.limit < 18
    pace.start(0)
    pace.overload(started_at=3.0, now=4.0)
    assert int(pace.limit) == 8
    assert pace.in_flight == 0


def test_it_never_stops_altogether() -> None:
    pace = ServerState(4, start=2)
    for moment in range(10):
        pace.start(0)
        pace.overload(started_at=float(moment), now=float(moment))
    assert pace.wait(10.0, 0) == 0


def test_retry_after_holds_everything_back_until_then() -> None:
    pace = ServerState(8)
    pace.start(0)
    pace.overload(0.0, 1.0, retry_after=5.0)
    assert pace.wait(2.0, 0) == 4.0
    assert pace.wait(6.0, 0) == 0


def test_requests_per_minute() -> None:
    pace = ServerState(1000, start=1000, rpm=60)
    for _ in range(10):  # ten seconds' worth may go at once
        assert pace.wait(0.0, 0) == 0
        pace.start(0)
    assert math.isclose(pace.wait(0.0, 0), 1.0)
    assert pace.wait(1.0, 0) == 0


def test_tokens_per_minute_are_set_right_by_what_was_used() -> None:
    bucket = Bucket(6000)
    assert bucket.wait(5000, 0.0) == 0  # more than it holds goes when it is full
    bucket.take(5000)
    assert math.isclose(bucket.wait(1000, 0.0), 50.0)
    pace = ServerState(8, tpm=6000)
    pace.start(1000) if pace.wait(0.0, 1000) == 0 else None
    pace.succeed(guessed=1000, used=100)
    assert pace.wait(0.0, 900) == 0


def test_the_gate_lets_in_by_turn_and_survives_cancelling() -> None:
    async def go() -> list[int]:
        gate = Gate(ServerState(2, start=2))
        order: list[int] = []

        async def one(number: int) -> None:
            await gate.enter()
            order.append(number)
            await asyncio.sleep(0)
            gate.succeed()

        tasks = [asyncio.create_task(one(number)) for number in range(6)]
        await asyncio.sleep(0)
        tasks[3].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert gate.pace.in_flight == 0
        return order

    assert asyncio.run(go()) == [0, 1, 2, 4, 5]


def test_the_gate_waits_for_its_time() -> None:
    async def go() -> int:
        gate = Gate(ServerState(8, rpm=60_000))
        for _ in range(8):
            await gate.enter()
            gate.leave()
        gate.pace.start(0)
        gate.overload(asyncio.get_running_loop().time(), retry_after=0.01)
        await gate.enter()
        return gate.pace.in_flight

    assert asyncio.run(go()) == 1


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("How well the translation conveys what the source says, sentence by sentence.", 15),
        ("Wie gut die Übersetzung wiedergibt, was der Ausgangstext sagt.", 20),
        ("번역이 원문의 내용을 얼마나 잘 전하는지를 문장마다 평가합니다.", 31),
        ("译文在多大程度上传达了原文的内容，逐句评价。", 23),
        ("訳文が原文の内容をどれだけよく伝えているかを一文ずつ評価します。", 33),
        ("مدى نقل الترجمة لما يقوله النص المصدر، جملة جملة.", 35),
    ],
)
def test_tokens_are_guessed_alike_in_every_script(text: str, tokens: int) -> None:
    """As many as cl100k_base makes of them; three characters a token were a third of that in Chinese."""
    assert 0.8 <= likely_tokens(text) / tokens <= 1.7
