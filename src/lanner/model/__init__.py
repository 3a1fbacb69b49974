"""The nouns of Lanner. Frozen, no I/O; everything else is built on these.

What a protocol is made of is loaded when it is first used: files are read without it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lanner.model.judging import (
    EQUAL,
    JUDGE_GROUPS,
    MARKED,
    NOTHING,
    SIDES,
    TIES,
    Campaign,
    CampaignState,
    Document,
    Item,
    Json,
    Judge,
    JudgeKind,
    Judgement,
    Role,
    Segment,
    Task,
)
from lanner.model.result import Interval, Result, Signature

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
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'lanner.model' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module("lanner.model.protocol"), name)
    return value
