"""The nouns of Lanner. Frozen, no I/O; everything else is built on these: texts, who judges them, what they are given,
what they answer, and what comes out.

What a protocol is made of is loaded when it is first used: files are read without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lanner.model.protocol import (
        Analysis,
        Choice,
        Condition,
        Context,
        Grid,
        Labels,
        Number,
        Object,
        Option,
        Promotion,
        Protocol,
        Question,
        Rank,
        Scale,
        Score,
        Spans,
        Stage,
        Text,
        Unit,
    )

__all__ = [
    "EQUAL",
    "JUDGE_GROUPS",
    "MARKED",
    "NOTHING",
    "SIDES",
    "TIES",
    "Analysis",
    "Campaign",
    "CampaignState",
    "Choice",
    "Condition",
    "Context",
    "Document",
    "Grid",
    "Interval",
    "Item",
    "Json",
    "Judge",
    "JudgeKind",
    "Judgement",
    "Labels",
    "Number",
    "Object",
    "Option",
    "Promotion",
    "Protocol",
    "Question",
    "Rank",
    "Result",
    "Role",
    "Scale",
    "Score",
    "Segment",
    "Signature",
    "Spans",
    "Stage",
    "Task",
    "Text",
    "Unit",
    "all_systems",
]

Json = Any  # a value made of None, bool, int, float, str, list and dict


@dataclass(frozen=True, slots=True)
class Segment:
    """One source unit (usually a sentence) with its references and its outputs by system.

    `judged` is False for text that is shown as context only; `flags` say why or note oddities of the source file.
    """

    id: str
    source: str
    outputs: Mapping[str, str] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)
    paragraph: int | None = None
    judged: bool = True
    flags: tuple[str, ...] = ()
    meta: Mapping[str, Json] = field(default_factory=dict)

    def text(self, name: str) -> str | None:
        """The output or reference of that name; people's references can be judged like any system."""
        return self.outputs.get(name, self.references.get(name))

    def is_judgeable(self, name: str) -> bool:
        """Whether a judge can be asked about this output. An empty one gives nothing to judge, unless the source is
        empty as well: segments known by their ids alone have no texts here and were judged elsewhere."""
        text = self.text(name)
        return self.judged and text is not None and bool(text.strip() or not self.source.strip())


@dataclass(frozen=True, slots=True)
class Document:
    """Ordered segments in one language pair: the unit that is assigned, shown whole, and resampled."""

    id: str
    segments: tuple[Segment, ...]
    source_language: str = "und"
    target_language: str = "und"
    domain: str = ""
    title: str = ""
    text_type: str = ""
    note: str = ""
    media: str = ""
    glossary: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, Json] = field(default_factory=dict)

    @property
    def language_pair(self) -> str:
        return f"{self.source_language}-{self.target_language}"

    @property
    def systems(self) -> tuple[str, ...]:
        """Systems that have an output for at least one segment, in order of appearance."""
        return tuple(dict.fromkeys(name for segment in self.segments for name in segment.outputs))

    def __iter__(self) -> Iterator[Segment]:
        return iter(self.segments)

    def segment(self, segment_id: str) -> Segment | None:
        return next((s for s in self.segments if s.id == segment_id), None)


def all_systems(documents: Iterable[Document]) -> tuple[str, ...]:
    """Every system that has an output, in order of appearance."""
    return tuple(dict.fromkeys(name for document in documents for name in document.systems))


class JudgeKind(StrEnum):
    """What a judge is. Simulated judges are called so wherever they appear."""

    PERSON = "person"
    MODEL = "model"
    METRIC = "metric"
    SIMULATED = "simulated"
    ADJUDICATED = "adjudicated"


MARKED, NOTHING, EQUAL = "@marked", "@nothing", "@equal"
"""Answers that no protocol names: a passage without a kind, no passage at all, neither of two preferred."""
SIDES = (("a", "b"), ("first", "second"), ("left", "right"), ("1", "2"))
"""How answers and columns name the first and the second of two outputs that are shown together."""
TIES = frozenset({"tie", "equal", "same", "none", "neither", "both", "no_preference"})
"""How answers say that neither of the two is preferred."""
JUDGE_GROUPS: Mapping[str, tuple[JudgeKind, ...]] = {
    "people": (JudgeKind.PERSON, JudgeKind.SIMULATED),
    "models": (JudgeKind.MODEL,),
    "metrics": (JudgeKind.METRIC,),
}
"""Kinds of judges whose answers may be pooled. Settled (adjudicated) answers are nobody's and belong to none."""


@dataclass(frozen=True, slots=True)
class Judge:
    """Who answers: a person, a model or a metric. One type on purpose, so that all can be compared."""

    id: str
    kind: JudgeKind = JudgeKind.PERSON
    name: str = ""
    attributes: Mapping[str, Json] = field(default_factory=dict)


class Role(StrEnum):
    """Why an item is in a task. Judges never see it."""

    MAIN = "main"
    REPEAT = "repeat"
    CONTROL = "control"
    TUTORIAL = "tutorial"
    CALIBRATION = "calibration"


@dataclass(frozen=True, slots=True)
class Item:
    """What one set of answers is about: a document or one of its segments, and the outputs shown, in shown order.

    `segment` is "" for the whole document and `document` is "" for the judge (questionnaires). `systems` is empty
    when the source alone is asked about. `texts` replaces what is shown for a system (control items). `expected` maps
    a question to a rule for its answer, with an explanation for judges in training; see `lanner.designs.controls`.
    """

    document: str
    segment: str = ""
    systems: tuple[str, ...] = ()
    role: Role = Role.MAIN
    texts: Mapping[str, str] = field(default_factory=dict)
    expected: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Task:
    """One sitting of one judge: one page of the protocol over items that belong together, in order."""

    id: int
    judge: str
    page: str
    items: tuple[Item, ...]
    position: int = 0
    finished_at: datetime | None = None


class CampaignState(StrEnum):
    """Where a campaign stands: a draft can be changed, an open one is frozen and takes answers."""

    DRAFT = "draft"
    OPEN = "open"
    PAUSED = "paused"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Campaign:
    """Documents, protocol, design and seed; frozen once opened."""

    id: int
    name: str
    title: str
    protocol_name: str
    protocol_hash: str
    state: CampaignState
    seed: int
    design: str = "full"
    settings: Mapping[str, Json] = field(default_factory=dict)
    created_at: datetime | None = None
    opened_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer to one question about one item. Append-only: a revision supersedes, nothing is overwritten.

    The key is campaign, judge, stage, question, document, segment, systems and role. `submission` is made by the
    client, so that sending twice stores once; `origin` is the file and line an import came from. `flags` are the rules
    an imported answer breaks, and what is unsure about any (`several_places`: words that are marked without their place
    stand in the text more than once); None as value means missing, with the reason among the flags.
    """

    judge: str
    stage: str
    question: str
    document: str
    segment: str
    systems: tuple[str, ...]
    value: Json
    role: Role = Role.MAIN
    submission: str = ""
    flags: tuple[str, ...] = ()
    elapsed_seconds: float | None = None
    active_seconds: float | None = None
    answered_at: datetime | None = None
    received_at: datetime | None = None
    task: int | None = None
    origin: str = ""
    id: int | None = None
    supersedes: int | None = None


# What comes out: a number with its interval, its n and the way it was made.


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

    @classmethod
    def together(cls, signatures: Sequence[Signature]) -> Signature:
        """One signature for numbers that stand side by side. Where they differ all values are listed, with "–" for a
        number that lacks the part."""

        def list_values(values: Iterable[str]) -> str:
            return " / ".join(dict.fromkeys(values))

        parts = [dict(signature.parts) for signature in signatures]
        names = dict.fromkeys(name for own in parts for name in own)
        return cls(
            list_values(signature.statistic for signature in signatures),
            list_values(signature.protocol for signature in signatures),
            tuple((name, list_values(own.get(name, "–") for own in parts)) for name in names),
            list_values(signature.version for signature in signatures),
        )


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


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'lanner.model' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module("lanner.model.protocol"), name)
    return value
