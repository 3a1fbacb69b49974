"""What comes out: a number with its interval, its n and the way it was made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from lanner.model.texts import Json


@dataclass(frozen=True, slots=True)
class Signature:
    """How a number was made, as one printable line that another person can follow."""

    statistic: str
    protocol: str = ""
    parts: tuple[tuple[str, str], ...] = ()
    version: str = ""

    def __str__(self) -> str:
        fields = [self.statistic]
        if self.protocol:
            fields.append(self.protocol)
        fields += [f"{name} {value}" for name, value in self.parts]
        if self.version:
            fields.append(f"lanner {self.version}")
        return " · ".join(fields)


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval with the method and the unit of resampling that made it."""

    low: float
    high: float
    level: float = 0.95
    method: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """One statistic's outcome. `value` is None where it is undefined, and `notes` say why.

    `counts` holds n by kind (items, judges, documents, …); `rows` a table where the outcome is one.
    """

    name: str
    value: float | None
    interval: Interval | None = None
    p: float | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    missing: float = 0.0
    labels: Mapping[str, str] = field(default_factory=dict)
    rows: Sequence[Mapping[str, Json]] = ()
    notes: tuple[str, ...] = ()
    signature: Signature | None = None

    @property
    def low(self) -> float | None:
        return self.interval.low if self.interval else None

    @property
    def high(self) -> float | None:
        return self.interval.high if self.interval else None

    def row(self) -> dict[str, Json]:
        """One flat row for a table or the --json envelope."""
        return {
            **self.labels,
            "statistic": self.name,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "p": self.p,
            "n": self.counts.get("items"),
            **{f"n_{kind}": count for kind, count in self.counts.items() if kind != "items"},
            "missing": self.missing,
            "unit": self.interval.unit if self.interval else None,
            "method": self.interval.method if self.interval else None,
            "notes": list(self.notes),
            "signature": str(self.signature) if self.signature else None,
        }
