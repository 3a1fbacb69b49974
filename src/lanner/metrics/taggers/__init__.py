"""Taggers: what the words of a text are, for metrics of discourse. Found by language: a file here, or an entry point.

A tagger is `tag(text) -> list[Token]`, for one sentence. Outsiders register one for a language under the entry-point
group `lanner.taggers`, named by the language's code (`de`); it comes before ours of the same language.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import metadata

from lanner import registry
from lanner.errors import LannerError
from lanner.model import languages

GROUP = "lanner.taggers"
PACKAGE = "metrics.taggers"
KINDS = ("noun", "name", "verb", "adjective", "adverb", "pronoun", "marker", "number", "function", "punctuation")


@dataclass(frozen=True, slots=True)
class Token:
    """A word as it is written, its dictionary form, what kind of word it is (one of `KINDS`), and `group`: the tense
    of a verb, the gender or person of a pronoun, the sense of a discourse marker; "" where there is none."""

    form: str
    lemma: str
    kind: str
    group: str = ""


Tagger = Callable[[str], list[Token]]


def known() -> dict[str, str]:
    """Languages that have a tagger, and whose it is."""
    own = {str(registry.module(PACKAGE, name).LANGUAGE): f"lanner ({name})" for name in registry.names(PACKAGE)}
    return own | {point.name: point.value for point in metadata.entry_points(group=GROUP)}


@cache
def find(language: str) -> tuple[Tagger, str]:
    """The tagger of a language, and its name for a signature."""
    base = languages.normal(language).split("-")[0]
    for point in metadata.entry_points(group=GROUP, name=base):
        return point.load(), point.value
    for name in registry.names(PACKAGE):
        module = registry.module(PACKAGE, name)
        if base == module.LANGUAGE:
            return module.tag, f"{name}-{module.VERSION}"
    raise LannerError(
        f"There is no tagger for {base!r}; there is one for {', '.join(sorted(known()))}.",
        next_step=f"A package can bring one by the entry point {GROUP!r}. Consistency and repetition need none.",
    )
