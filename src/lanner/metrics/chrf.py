"""chrF of sentences, summed over documents and systems (sacrebleu)."""

from __future__ import annotations

from typing import Any

from lanner.metrics import _surface
from lanner.metrics._rating import Languages, Metric

TITLE = "chrF of sentences, summed over documents and systems (sacrebleu)"
OPTIONS = {
    "word_order": "2 for chrF++ (0)",
    "char_order": "longest run of characters (6)",
    "beta": "weight of recall (2)",
    "lowercase": "yes to fold case",
}


def make(languages: Languages, **options: Any) -> Metric:
    """See `OPTIONS`."""
    return _surface.chrf(languages, options)
