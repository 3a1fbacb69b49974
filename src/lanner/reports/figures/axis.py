"""A horizontal axis: round ticks, grid lines, and where a value stands."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from lanner.reports.svg import Drawing

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Axis:
    """Maps values from `low` to `high` onto pixels from `left` to `right`."""

    low: float
    high: float
    left: float
    right: float
    step: float

    def place(self, value: float) -> float:
        """The pixel of a value, kept inside the axis."""
        share = (value - self.low) / (self.high - self.low)
        return self.left + min(1.0, max(0.0, share)) * (self.right - self.left)

    @property
    def ticks(self) -> list[float]:
        number = round((self.high - self.low) / self.step)
        return [self.low + self.step * place for place in range(number + 1)]

    def draw(self, drawing: Drawing, top: float, bottom: float, *, unit: str = "", bounded: bool = False) -> None:
        """Grid lines with their numbers below; the line at zero stands out. `bounded` numbers have no leading zero."""
        digits = next((n for n in range(6) if abs(round(self.step, n) - self.step) < 1e-9), 6)
        for tick in self.ticks:
            x = self.place(tick)
            drawing.line(x, top, x, bottom, "ax0" if abs(tick) < 1e-9 and self.low < 0 else "gr")
            text = f"{abs(tick):.{digits}f}{unit}" if abs(tick) > 1e-9 else "0"
            text = text.removeprefix("0") if bounded and text.startswith("0.") else text
            drawing.text(x, bottom + 16, f"−{text}" if tick < -1e-9 else text, "tm", "middle")


def axis(values: Iterable[float], left: float, right: float, *, ticks: int = 4, include: float | None = 0.0) -> Axis:
    """An axis with round ends that holds all values, and `include` if given."""
    found = [value for value in values if math.isfinite(value)]
    if include is not None:
        found.append(include)
    low, high = (min(found), max(found)) if found else (0.0, 1.0)
    if high - low < 1e-9:
        low, high = low - 0.5, high + 0.5
    rough = (high - low) / ticks
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in _STEPS if power * factor >= rough - 1e-12)
    return Axis(math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step, left, right, step)
