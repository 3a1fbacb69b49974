"""d-chrF: a document is one line, so that what matches may lie in another sentence (sacrebleu)."""

from __future__ import annotations

from typing import Any

from lanner.metrics import _surface
from lanner.metrics._rating import Languages, Metric
from lanner.metrics.chrf import OPTIONS

TITLE = "d-chrF: each document as one line (sacrebleu)"
__all__ = ["OPTIONS", "TITLE", "make"]


def make(languages: Languages, **options: Any) -> Metric:
    """See `OPTIONS`."""
    return _surface.chrf(languages, options, whole=True)
