"""What goes in and out, as the API describes it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from lanner.protocols.answers import MOST_SECONDS

Name = Annotated[str, Field(min_length=1, max_length=200)]
Id = Annotated[str, Field(min_length=1, max_length=200)]


class Shape(BaseModel):
    """Nothing is left out in silence: a field that nobody knows is refused."""

    model_config = ConfigDict(extra="forbid")


class Problem(Shape):
    """What is wrong, where, and what to do next."""

    message: str
    where: str = ""
    next: str = ""
    reason: str = ""


class CampaignShape(Shape):
    """A campaign."""

    id: int
    name: str
    title: str
    protocol: str
    protocol_hash: str
    state: Literal["draft", "open", "paused", "closed"]
    design: str
    seed: int
    created_at: datetime
    opened_at: datetime | None


class CampaignList(Shape):
    """Campaigns, the newest first."""

    campaigns: list[CampaignShape]


class PartShape(Shape):
    """Items and how many of them are done: of the whole and of judges questionnaires too, of domains texts alone."""

    name: str
    items: int
    done: int
    tasks: int
    finished: int
    active_minutes: float


class ProgressShape(Shape):
    """How far a campaign is."""

    whole: PartShape
    judges: list[PartShape]
    domains: list[PartShape]
    free: int
    undrawn: int


class AgreementShape(Shape):
    """How far the judges of one group agree on one question; for a grid also the row on which they agree least."""

    question: str
    coefficient: str
    group: str
    value: float | None
    low: float | None
    high: float | None
    items: int
    documents: int
    judges: int
    weakest: str | None = None
    weakest_value: float | None = None
    aided: bool = False
    """Whether judges started from the same marks of a model, which makes them agree more."""
    unaided: float | None = None
    """The same on what was judged without these marks, and how many items that is."""
    unaided_items: int | None = None
    signature: str


class AgreementList(Shape):
    """Agreement on every question, on the rows that count."""

    agreement: list[AgreementShape]


class SegmentShape(Shape):
    """A sentence with its translations."""

    id: Id
    source: str
    outputs: dict[str, str] = Field(default_factory=dict)
    references: dict[str, str] = Field(default_factory=dict)
    paragraph: Annotated[int, Field(ge=0, lt=2**31)] | None = None


class DocumentShape(Shape):
    """A text."""

    id: Id
    segments: Annotated[list[SegmentShape], Field(min_length=1, max_length=5000)]
    source_language: Annotated[str, Field(max_length=40)] = "und"
    target_language: Annotated[str, Field(max_length=40)] = "und"
    domain: str = ""
    title: str = ""
    text_type: str = ""
    note: str = ""


class DocumentPage(Shape):
    """Some documents in order; `next` is where to go on, null at the end."""

    documents: list[DocumentShape]
    next: int | None


class JudgementShape(Shape):
    """An answer. Judges who are people go by a pseudonym unless the token has the scope `people`."""

    id: int
    judge: str
    stage: str
    question: str
    document: str
    segment: str
    systems: list[str]
    role: str
    value: Any
    flags: list[str]
    submission: str
    task: int | None
    supersedes: int | None
    elapsed_seconds: float | None
    active_seconds: float | None
    answered_at: datetime | None
    received_at: datetime | None


class JudgementPage(Shape):
    """Judgements in the order they came; ask again with `after` set to `next` for the rest and for news."""

    judgements: list[JudgementShape]
    next: int


class JudgeShape(Shape):
    """Someone who judges."""

    id: Id
    name: Annotated[str, Field(max_length=200)] = ""


class NewCampaign(Shape):
    """What a campaign is made of."""

    name: Name
    protocol: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_]*$", max_length=80)]
    documents: Annotated[list[DocumentShape], Field(min_length=1, max_length=10_000)]
    judges: Annotated[list[JudgeShape], Field(max_length=10_000)] = Field(default_factory=list)
    title: Annotated[str, Field(max_length=200)] = ""
    design: Annotated[str, Field(max_length=80)] = "full"
    options: Annotated[dict[str, bool | int | float | Annotated[str, Field(max_length=400)]], Field(max_length=20)] = (
        Field(default_factory=dict)
    )
    """Options of the design, such as the goal of an adaptive campaign."""
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0


class NewJudges(Shape):
    """Judges to add."""

    judges: Annotated[list[JudgeShape], Field(min_length=1, max_length=10_000)]


class Links(Shape):
    """The secret of each new judge, shown this once: their link is /j/SECRET."""

    secrets: dict[str, str]


class Move(Shape):
    """Where a campaign should go."""

    state: Literal["open", "paused", "closed"]


class TaskShape(Shape):
    """What one judge does in one sitting."""

    id: int
    judge: str
    page: str
    position: int
    items: int
    finished_at: datetime | None


class TaskList(Shape):
    """Tasks by judge, in order."""

    tasks: list[TaskShape]


class ItemShape(Shape):
    """What one set of answers is about: a document, or one of its segments, and the outputs in the order in which they
    are shown. `texts` are shown instead of those outputs of the document (control items). `missing` are the questions
    that still need an answer."""

    document: str
    segment: str
    systems: list[str]
    role: str
    texts: dict[str, str]
    missing: list[str]


class TaskContent(Shape):
    """A task with its items; the place of an item in this list is what answers name."""

    task: TaskShape
    items: list[ItemShape]


class ForJudge(Shape):
    """A judge, by the name that this token sees."""

    judge: Id


class NextTask(Shape):
    """The task a judge is to do next; null where there is none."""

    task: TaskShape | None


class NewAnswers(Shape):
    """Answers about one item of a task. The id is made by the client: sent twice, it is stored once."""

    submission: Annotated[str, Field(pattern=r"^[\x20-\x7e]{8,200}$")]
    task: Annotated[int, Field(ge=1, lt=2**63)]
    item: Annotated[int, Field(ge=0, lt=2**31)]
    answers: Annotated[dict[str, Any], Field(min_length=1)]
    elapsed: Annotated[float, Field(ge=0, lt=MOST_SECONDS)] | None = None
    active: Annotated[float, Field(ge=0, lt=MOST_SECONDS)] | None = None


class SavedShape(Shape):
    """What a save came to; it is on disk. `digests` names each stored answer by the SHA-256 of what was sent, as
    canonical JSON (RFC 8785)."""

    saved: dict[str, int]
    digests: dict[str, str]
    missing: list[str]
    repeated: bool
