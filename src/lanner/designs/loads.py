"""How the work of a campaign is spread over its judges, in words to read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lanner.designs._allocate import FAIR
from lanner.model import Document, Task
from lanner.protocols.scoring import word_count


@dataclass(frozen=True, slots=True)
class Loads:
    """Words that each judge has to read, each shown text once for every time it is shown."""

    words: dict[str, int]

    @property
    def mean(self) -> float:
        return sum(self.words.values()) / len(self.words) if self.words else 0.0

    @property
    def uneven(self) -> list[str]:
        """Judges with more than 1.2 times the mean, the most loaded first."""
        over = [judge for judge, words in self.words.items() if words > FAIR * self.mean]
        return sorted(over, key=lambda judge: -self.words[judge])


def loads(tasks: Iterable[Task], documents: Sequence[Document]) -> Loads:
    """The words of each judge's tasks. A document judged as a whole counts once for each output."""
    words: dict[tuple[str, str], int] = {}
    for document in documents:
        for segment in document:
            words[document.id, segment.id] = max(1, word_count(segment.source, document.source_language))
        words[document.id, ""] = sum(words[document.id, segment.id] for segment in document)
    found: dict[str, int] = {}
    for task in tasks:
        if task.judge:
            found[task.judge] = found.get(task.judge, 0) + sum(
                words.get((item.document, item.segment), 0) for item in task.items
            )
    return Loads(found)
