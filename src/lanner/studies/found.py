"""What a computation of a study gives: a number or words, with an interval and a remark where there are any."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """`recovers` marks an estimate whose interval must hold `truth`, which a simulation knows."""

    value: float | str | None
    low: float | None = None
    high: float | None = None
    detail: str = ""
    recovers: bool = False
    truth: float | None = None

    @staticmethod
    def of(value: Found | float | str | None) -> Found:
        return value if isinstance(value, Found) else Found(value)
