"""d-TER: a document is one line, so that what matches may lie in another sentence, negated (sacrebleu)."""

from __future__ import annotations

from typing import Any

from lanner.metrics import _surface
from lanner.metrics._rating import Languages, Metric
from lanner.metrics.ter import OPTIONS

TITLE = "d-TER: each document as one line, negated (sacrebleu)"
__all__ = ["OPTIONS", "TITLE", "make"]


def make(languages: Languages, **options: Any) -> Metric:
    """See `OPTIONS`."""
    return _surface.ter(languages, options, whole=True)
