"""What a computation of a study gives: a number or words, with an interval and a remark where there are any."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """`truth` is what a simulation knows: the interval around the value should hold it."""

    value: float | str | None
    low: float | None = None
    high: float | None = None
    detail: str = ""
    truth: float | None = None

    @staticmethod
    def of(value: Found | float | str | None) -> Found:
        return value if isinstance(value, Found) else Found(value)
