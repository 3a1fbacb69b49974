"""Texts, who judges them, what they are given, and what they answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

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
        """Whether a judge can be asked about this output: an empty one gives nothing to judge. Segments known by their
        ids alone have no texts here at all, and were judged elsewhere."""
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
    an imported answer breaks; None as value means missing, with the reason among the flags.
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
