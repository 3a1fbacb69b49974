"""What a protocol says about ranking systems: by which questions or scores, and which end of each is better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lanner.errors import InputError
from lanner.model import Analysis, Protocol, Scale

RANKED = "ranking.systems"
"""What an analysis plan calls a ranking."""
ON_ITS_SCALE = ("value", "mean_of_each")
"""Rules whose scores are on the scale of their question."""
_OPTIONS = ("direction", "per_words", "pass_at_most")


def ranking_plans(protocol: Protocol | None) -> list[Analysis]:
    """The rankings in a protocol's analysis plan."""
    return [entry for entry in protocol.analyses if entry.statistic == RANKED] if protocol else []


def ranking_options(protocol: Protocol | None, of: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a ranking, with those that the score itself states and whether less of it is better."""
    score = next((score for score in protocol.scores if score.id == of), None) if protocol else None
    stated = {key: score.options[key] for key in _OPTIONS if key in score.options} if score else {}
    entry = protocol.find(score.question if score and score.rule in ON_ITS_SCALE else of) if protocol else None
    if entry and isinstance(entry[1], Scale) and entry[1].direction != "higher_is_better":
        stated.setdefault("direction", entry[1].direction)
    if (chosen := {**stated, **options}).get("direction") == "neutral":
        raise InputError(
            f"Neither end of {of} is better, so systems cannot be ranked by it.",
            next_step="Name another question, or say in the protocol which end is better: direction.",
        )
    return chosen
