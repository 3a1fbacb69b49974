"""BLEU of sentences, summed over documents and systems (sacrebleu)."""

from __future__ import annotations

from typing import Any

from lanner.metrics import _surface
from lanner.metrics._rating import Languages, Metric

TITLE = "BLEU of sentences, summed over documents and systems (sacrebleu)"
OPTIONS = {
    "tokenize": "sacrebleu's tokenizer (that of the target language)",
    "lowercase": "yes to fold case",
    "smooth_method": "exp, floor, add-k or none",
}


def make(languages: Languages, **options: Any) -> Metric:
    """See `OPTIONS`."""
    return _surface.bleu(languages, options)
