"""Texts before anyone judges them: segments in documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Json = Any  # a value made of None, bool, int, float, str, list and dict


@dataclass(frozen=True, slots=True)
class Segment:
    """One source unit (usually a sentence) with its references and its outputs by system.

    `judged` is False for text that is shown as context only; `flags` say why or note oddities of the source file.
    """

    id: str
    source: str
    outputs: Mapping[str, str] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)
    paragraph: int | None = None
    judged: bool = True
    flags: tuple[str, ...] = ()
    meta: Mapping[str, Json] = field(default_factory=dict)

    def text(self, name: str) -> str | None:
        """The output or reference of that name; people's references can be judged like any system."""
        return self.outputs.get(name, self.references.get(name))

    def is_judgeable(self, name: str) -> bool:
        """Whether a judge can be asked about this output: an empty one gives nothing to judge. Segments known by their
        ids alone have no texts here at all, and were judged elsewhere."""
        text = self.text(name)
        return self.judged and text is not None and bool(text.strip() or not self.source.strip())


@dataclass(frozen=True, slots=True)
class Document:
    """Ordered segments in one language pair: the unit that is assigned, shown whole, and resampled."""

    id: str
    segments: tuple[Segment, ...]
    source_language: str = "und"
    target_language: str = "und"
    domain: str = ""
    title: str = ""
    text_type: str = ""
    note: str = ""
    media: str = ""
    glossary: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, Json] = field(default_factory=dict)

    @property
    def language_pair(self) -> str:
        return f"{self.source_language}-{self.target_language}"

    @property
    def systems(self) -> tuple[str, ...]:
        """Systems that have an output for at least one segment, in order of appearance."""
        return tuple(dict.fromkeys(name for segment in self.segments for name in segment.outputs))

    def __iter__(self) -> Iterator[Segment]:
        return iter(self.segments)

    def segment(self, segment_id: str) -> Segment | None:
        return next((s for s in self.segments if s.id == segment_id), None)
