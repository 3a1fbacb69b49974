"""Sentence segmenters, found by name: a file here, or another package's entry point `lanner.segmenters`.

Ours have `cuts(text, language)`, the offsets where sentences begin. An outsider's is any callable that takes a text and
gives its sentences, as most libraries do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from importlib import metadata

from lanner import registry
from lanner.errors import LannerError, check_known
from lanner.model import languages

GROUP = "lanner.segmenters"
DEFAULTS = {"en": "nupunkt"}
Segmenter = Callable[[str, str], Sequence[int]]


def names() -> tuple[str, ...]:
    """Every segmenter there is."""
    own = set(registry.names("corpus.segmenters"))
    return tuple(sorted(own | {point.name for point in metadata.entry_points(group=GROUP)}))


def default(language: str) -> str:
    """The segmenter for a language when nothing else is asked for."""
    return DEFAULTS.get(base(language), "rules")


def base(language: str) -> str:
    """The language itself, without script or region: `pt_BR`, `por` and `pt` are all `pt`."""
    return languages.normal(language).split("-")[0]


@cache
def find(name: str) -> Segmenter:
    """The segmenter of that name."""
    for point in metadata.entry_points(group=GROUP, name=name):
        return partial(_cuts_of_sentences, point.load(), name)
    check_known(name, names(), f"There is no segmenter called {name!r}.")
    cuts: Segmenter = registry.module("corpus.segmenters", name).cuts
    return cuts


def _cuts_of_sentences(sentences: Callable[[str], Iterable[str]], name: str, text: str, _language: str) -> list[int]:
    """Where the sentences that a foreign segmenter gives lie in the text; it may change white space, nothing else."""
    solid = [offset for offset, letter in enumerate(text) if not letter.isspace()]
    length, starts = 0, []
    for sentence in sentences(text):
        letters = "".join(sentence.split())
        if "".join(text[at] for at in solid[length : length + len(letters)]) != letters:
            raise LannerError(
                f"The segmenter {name!r} changed the text near {sentence[:40]!r}.",
                next_step="A segmenter must give back every character but white space.",
            )
        if letters:
            starts.append(solid[length])
        length += len(letters)
    if length != len(solid):
        raise LannerError(
            f"The segmenter {name!r} lost the end of a text: {text[solid[length] :][:40]!r}.",
            next_step="A segmenter must give back every character but white space.",
        )
    return starts[1:]
