"""How much a test tries: a small part in every run, everything with LANNER_FUZZ=1 (`make soak`)."""

from __future__ import annotations

import os

EVERYTHING = bool(os.environ.get("LANNER_FUZZ"))


def examples(count: int) -> int:
    """How many examples of `count` a property is tried on."""
    return count if EVERYTHING else max(5, count // 6)


def rounds(few: int, many: int) -> int:
    """How often something random is repeated: a simulated study, a run, a campaign."""
    return many if EVERYTHING else few
