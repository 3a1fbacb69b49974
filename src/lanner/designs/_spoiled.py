"""The texts of a page's items, and their spoiled forms: one per item, the same for every judge."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from lanner.designs import expected, spoiling
from lanner.designs._placing import Key, key_of
from lanner.model import Document, Item, Role, Stage, Unit

KINDS = ("shuffled", "swapped", "degraded")


class Spoiled:
    """Spoils items of one page in one way. Which of several outputs is spoiled, and how, depends on the item and the
    seed alone, not on who sees it first."""

    def __init__(self, documents: Sequence[Document], stages: Sequence[Stage], kind: str, rng: Generator) -> None:
        self._documents = {document.id: document for document in documents}
        self._order = list(self._documents)
        self._whole = all(stage.unit is Unit.DOCUMENT for stage in stages)
        self._stages, self._kind = stages, kind
        self._seed = int(rng.integers(2**32))
        self._made: dict[tuple[Key, str], str] = {}

    def possible(self, key: Key) -> bool:
        """Whether the texts are long enough to become worse."""
        texts = [self._text(key, name) for name in key[2:]]
        if self._kind == "shuffled":
            return all(spoiling.can_be_shuffled(text, self._language(key)) for text in texts)
        return all(text.strip() for text in texts) and self._donor(key) is not None

    def item(self, item: Item) -> Item:
        """The item as a control: one output spoiled, and what is expected of a judge who reads it."""
        key, names = key_of(item), sorted(item.systems)
        dice = np.random.default_rng([self._seed, zlib.crc32("\x1f".join(key).encode())])
        system = names[int(dice.integers(len(names)))]
        if (key, system) not in self._made:
            self._made[key, system] = self._worse(key, system, dice)
        rules = expected.of_worse(self._stages) if self._kind == "degraded" and len(names) == 1 else {}
        rules = rules or expected.of_nonsense(self._stages, item.systems.index(system))
        texts = {**item.texts, system: self._made[key, system]}
        return replace(item, role=Role.CONTROL, texts=texts, expected=rules)

    def _worse(self, key: Key, system: str, dice: Generator) -> str:
        text, language = self._text(key, system), self._language(key)
        if self._kind == "shuffled":
            return spoiling.shuffled_words(text, dice, language)
        donor = self._donor(key)
        other = self._text(donor, system) if donor else ""
        return other if self._kind == "swapped" else spoiling.with_stretch_of(text, other, dice, language)

    def _text(self, key: Key, system: str) -> str:
        segments = [s for s in self._documents[key[0]].segments if key[1] in ("", s.id)]
        return "\n".join(s.text(system) or "" for s in segments)

    def _language(self, key: Key) -> str:
        return self._documents[key[0]].target_language

    def _donor(self, key: Key) -> Key | None:
        """A text of the same kind from elsewhere in the corpus: it fits the corpus, but not this place."""
        here = self._documents[key[0]]
        ids = [s.id for s in here.segments if s.judged]
        if not self._whole and len(ids) > 1:
            at = ids.index(key[1]) if key[1] in ids else 0
            return key[0], ids[(at + len(ids) // 2) % len(ids)]
        other = self._documents[self._order[(self._order.index(key[0]) + 1) % len(self._order)]]
        if other is here:
            return None
        return other.id, "" if self._whole else next((s.id for s in other.segments if s.judged), "")
