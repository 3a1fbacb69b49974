"""How fast a server is asked: arithmetic with moments that the test decides."""

from __future__ import annotations

import asyncio
import math

from lanner.judges.pace import Bucket, Gate, Pace


def rounds(pace: Pace, number: int) -> list[int]:
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
    assert rounds(Pace(64, start=8), 5) == [8, 16, 32, 64, 64]


def test_it_halves_once_a_round_and_then_grows_by_one() -> None:
    pace = Pace(64, start=32)
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
    pace = Pace(4, start=2)
    for moment in range(10):
        pace.start(0)
        pace.overload(started_at=float(moment), now=float(moment))
    assert pace.wait(10.0, 0) == 0


def test_retry_after_holds_everything_back_until_then() -> None:
    pace = Pace(8)
    pace.start(0)
    pace.overload(0.0, 1.0, retry_after=5.0)
    assert pace.wait(2.0, 0) == 4.0
    assert pace.wait(6.0, 0) == 0


def test_requests_per_minute() -> None:
    pace = Pace(1000, start=1000, rpm=60)
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
    pace = Pace(8, tpm=6000)
    pace.start(1000) if pace.wait(0.0, 1000) == 0 else None
    pace.succeed(guessed=1000, used=100)
    assert pace.wait(0.0, 900) == 0


def test_the_gate_lets_in_by_turn_and_survives_cancelling() -> None:
    async def go() -> list[int]:
        gate = Gate(Pace(2, start=2))
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
        gate = Gate(Pace(8, rpm=60_000))
        for _ in range(8):
            await gate.enter()
            gate.leave()
        gate.pace.start(0)
        gate.overload(asyncio.get_running_loop().time(), retry_after=0.01)
        await gate.enter()
        return gate.pace.in_flight

    assert asyncio.run(go()) == 1
