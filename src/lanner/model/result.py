"""What comes out: a number with its interval, its n and the way it was made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from lanner.model.judging import Json


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


@dataclass(frozen=True, slots=True, repr=False)
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

    def to_frame(self) -> Any:
        """The table of the outcome, or its one row, as a Polars frame."""
        import polars as pl  # heavy, and only needed by those who ask for a frame

        rows = [dict(row) for row in self.rows] or [self.row()]
        return pl.DataFrame(rows, infer_schema_length=None, strict=False)

    def __repr__(self) -> str:
        table = f"; {len(self.rows)} rows, see .to_frame()" if self.rows else ""
        return f"<Result {self._headline()}{table}>"

    def __str__(self) -> str:
        return "\n".join(filter(None, (self._headline(), *self.notes, str(self.signature or ""))))

    def _repr_html_(self) -> str:
        """For notebooks: the estimate in bold, the rest small, a table below where the outcome is one."""
        small = "<br>".join(escape(line) for line in (*self.notes, str(self.signature or "")) if line)
        table = self.to_frame()._repr_html_() if self.rows else ""
        return f"<b>{escape(self._headline())}</b><br><small>{small}</small>{table}"

    def _headline(self) -> str:
        about = ", ".join(self.labels.values())
        value = "not defined" if self.value is None else f"{self.value:.3f}"
        span = f" [{self.low:.3f}, {self.high:.3f}]" if self.interval else ""
        chance = f", p = {self.p:.3f}" if self.p is not None else ""
        counts = ", ".join(f"{number:,} {kind}" for kind, number in self.counts.items())
        return f"{self.name}{f' ({about})' if about else ''}: {value}{span}{chance}{f'; {counts}' if counts else ''}"
