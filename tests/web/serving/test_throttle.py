from __future__ import annotations

from lanner.web.serving.throttle import Throttle


def test_a_burst_then_one_at_a_time() -> None:
    throttle = Throttle(burst=3, seconds=10)
    assert [throttle.wait("a", 0.0) for _ in range(3)] == [0, 0, 0]
    assert throttle.wait("a", 0.0) == 10
    assert throttle.wait("a", 4.0) == 6
    assert throttle.wait("a", 10.0) == 0
    assert throttle.wait("a", 10.0) > 0


def test_keys_do_not_share() -> None:
    throttle = Throttle(burst=1, seconds=10)
    assert throttle.wait("a", 0.0) == 0
    assert throttle.wait("b", 0.0) == 0
    assert throttle.wait("a", 0.0) > 0


def test_success_starts_afresh() -> None:
    throttle = Throttle(burst=1, seconds=10)
    throttle.wait("a", 0.0)
    throttle.forget("a")
    assert throttle.wait("a", 0.0) == 0


def test_memory_is_bounded() -> None:
    throttle = Throttle(burst=1, seconds=10)
    for number in range(12_000):
        throttle.wait(str(number), 0.0)
    assert len(throttle._levels) <= 10_000
