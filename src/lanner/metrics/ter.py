"""TER of sentences, negated so that higher is better (sacrebleu)."""

from __future__ import annotations

from typing import Any

from lanner.metrics import _surface
from lanner.metrics._rating import Languages, Metric

TITLE = "TER of sentences, negated so that higher is better (sacrebleu)"
OPTIONS = {
    "normalized": "yes to split punctuation",
    "no_punct": "yes to leave it out",
    "asian_support": "yes to split characters",
    "case_sensitive": "yes to keep case",
}


def make(languages: Languages, **options: Any) -> Metric:
    """See `OPTIONS`."""
    return _surface.ter(languages, options)
