"""Options by any of their spellings, and lists of options as a reader sees them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from random import Random

from lanner.model import Json, Option
from lanner.protocols.wording import Wording

_CACHE_SIZE = 256
_IDS_BY_SPELLING: dict[int, tuple[tuple[Option, ...], dict[str, str]]] = {}
"""Option ids by spelling, keyed by the identity of the options, which are held here so that the identity stays theirs:
a file has millions of labels, and hashing the options for each of them takes longer than all the rest."""


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Spelling without case and punctuation, for comparing labels: "Local  contextual" is "local contextual"."""
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()


def resolve(spelling: str, options: Sequence[Option]) -> str | None:
    """The option meant by an id or alias in any capitals and punctuation, alone or after the name of its parent
    ("Accuracy/Omission")."""
    if not isinstance(options, tuple):
        return _ids_by_spelling(options).get(fold(spelling))
    cached_options, ids = _IDS_BY_SPELLING.get(id(options), ((), {}))
    if cached_options is not options:
        if len(_IDS_BY_SPELLING) >= _CACHE_SIZE:
            _IDS_BY_SPELLING.clear()
        ids = _ids_by_spelling(options)
        _IDS_BY_SPELLING[id(options)] = (options, ids)
    return ids.get(fold(spelling))


def _ids_by_spelling(options: Sequence[Option]) -> dict[str, str]:
    """Every spelling of every option; the first option that has it wins."""
    by_id = {option.id: option for option in options}
    ids: dict[str, str] = {}
    for option in options:
        names = _spellings(option)
        if option.parent in by_id:
            names |= {f"{parent} {name}" for parent in _spellings(by_id[option.parent]) for name in names}
        for name in names:
            ids.setdefault(name, option.id)
    return ids


def _spellings(option: Option) -> set[str]:
    return {fold(name) for name in (option.id, *option.aliases)}


def replace_alias(label: Json, options: Sequence[Option]) -> tuple[Json, int]:
    """The id that a label stands for, and 1 where it was spelled otherwise; what is unknown stays as it is."""
    if not isinstance(label, str) or any(option.id == label for option in options):
        return label, 0
    option_id = resolve(label, options)
    return (label, 0) if option_id is None else (option_id, 1)


def describe_options(
    question_id: str, options: Sequence[Option], wording: Wording, groups: Sequence[str] = ()
) -> Iterator[str]:
    """One line an option, in the order of the protocol's groups, under a line for each group."""
    rows = sorted(options, key=lambda o: groups.index(o.group) if o.group in groups else -1) if groups else options
    group = None
    for option in rows:
        if groups and option.group and option.group != group:
            group = option.group
            yield f"*{wording.group(group).label}*"
        words = wording.option(question_id, option.id)
        value = f" = {option.value:g}" if option.value is not None else ""
        indent = "  " if option.parent else ""
        ends = f" ({words.low} – {words.high})" if words.low or words.high else ""
        definition = f": {words.definition}" if words.definition else ""
        yield f"{indent}- {words.label}{value}{ends}{definition}"


def have_values(options: Sequence[Option]) -> bool:
    """Whether every option stands for a number."""
    return all(option.value is not None for option in options)


def pick_option(options: Sequence[Option], rng: Random, level: float | None) -> str:
    """One of the options: any of them, or, where a level between 0 and 1 is said, the one near it by value."""
    if level is None:
        return rng.choice(options).id
    by_value = sorted(options, key=lambda option: option.value if option.value is not None else 0.0)
    return by_value[round(level * (len(options) - 1))].id
