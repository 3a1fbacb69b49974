"""How many examples a property test tries: a third in every run, all with LANNER_FUZZ=1 (`make soak`)."""

from __future__ import annotations

import os


def examples(count: int) -> int:
    return count if os.environ.get("LANNER_FUZZ") else max(6, count // 3)
