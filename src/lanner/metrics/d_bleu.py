"""d-BLEU: a document is one line, and matches may lie in other sentences, after Liu et al. 2020 (sacrebleu)."""

from __future__ import annotations

from typing import Any

from lanner.metrics import _surface
from lanner.metrics._rating import Languages, Metric
from lanner.metrics.bleu import OPTIONS

TITLE = "d-BLEU: each document as one line, after Liu et al. 2020 (sacrebleu)"
__all__ = ["OPTIONS", "TITLE", "make"]


def make(languages: Languages, **options: Any) -> Metric:
    """See `OPTIONS`."""
    return _surface.bleu(languages, options, whole=True)
