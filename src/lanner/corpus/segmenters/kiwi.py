"""Korean by morphology: kiwipiepy, the optional extra `ko`. Slower than the rules, and better on loose spelling."""

from __future__ import annotations

from functools import cache
from typing import Any

from lanner.errors import MissingExtraError


@cache
def _kiwi() -> Any:
    try:
        from kiwipiepy import Kiwi
    except ImportError as error:
        raise MissingExtraError("The segmenter 'kiwi'", "ko") from error
    return Kiwi()


def cuts(text: str, _code: str) -> list[int]:
    """Where a new sentence begins."""
    return [sentence.start for sentence in _kiwi().split_into_sents(text)][1:]
