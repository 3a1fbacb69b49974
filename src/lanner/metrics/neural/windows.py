"""A text with what precedes it, as token ids that fit into the encoder.

A text is a tuple of strings: the sentences before it, oldest first, and last the sentence that is scored. What does not
fit is taken from the left, so that the sentence itself stays whole (COMET cuts at the right, which with context cuts
what is scored). A sentence longer than the encoder is cut at its end, as COMET does. Both are counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Text = tuple[str, ...]
Tokens = Mapping[str, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Marks:
    """The encoder's own tokens: `between` separators stand between two texts that are read together, and `single` and
    `joint` tokens fit at most, marks included, in one text and in several."""

    begin: int
    end: int
    pad: int
    between: int
    single: int
    joint: int


@dataclass(frozen=True, slots=True)
class Window:
    """Token ids, begin and end included. Tokens 1 to `start` - 1 are context; `first` is the length of the first of
    several texts with its marks, for encoders that tell the first text from the rest."""

    ids: tuple[int, ...]
    start: int = 1
    first: int = 0


@dataclass(slots=True)
class Cuts:
    """How many windows lost context at the left, and how many sentences lost their own end."""

    trimmed: int = 0
    cut: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        notes = []
        if self.trimmed:
            notes.append(f"{self.trimmed:,} contexts were trimmed at their left to fit into the encoder.")
        if self.cut:
            notes.append(f"{self.cut:,} texts are longer than the encoder and were cut at their end.")
        return tuple(notes)


def single(text: Text, tokens: Tokens, marks: Marks, cuts: Cuts) -> Window:
    """One text on its own: begin, context, sentence, end, with an end mark after each sentence of the context."""
    context, own = _parts(text, tokens, marks)
    room = marks.single - 2
    head = own[:room]
    before = context[max(0, len(context) - (room - len(head))) :] if len(head) < room else []
    cuts.cut += len(head) < len(own)
    cuts.trimmed += len(before) < len(context)
    return Window((marks.begin, *before, *head, marks.end), start=1 + len(before))


def joint(texts: Sequence[Text], tokens: Tokens, marks: Marks, cuts: Cuts) -> Window:
    """Several texts read together: the hypothesis first. Contexts give way before any sentence is cut, the longest
    context first."""
    parts = [_parts(text, tokens, marks) for text in texts]
    own = [sentence[: marks.single - 2] for _, sentence in parts]
    room = marks.joint - 2 - marks.between * (len(texts) - 1) - sum(map(len, own))
    before = _trim([context for context, _ in parts], max(0, room))
    ids: list[int] = [marks.begin]
    for place, (context, sentence) in enumerate(zip(before, own, strict=True)):
        ids += [marks.end] * (marks.between if place else 0)
        ids += [*context, *sentence]
    ids.append(marks.end)
    cuts.trimmed += any(len(new) < len(old) for new, (old, _) in zip(before, parts, strict=True))
    cuts.cut += len(ids) > marks.joint or any(len(new) < len(old) for new, (_, old) in zip(own, parts, strict=True))
    return Window(tuple(ids[: marks.joint]), first=2 + len(before[0]) + len(own[0]))


def _parts(text: Text, tokens: Tokens, marks: Marks) -> tuple[list[int], list[int]]:
    context = [token for sentence in text[:-1] for token in (*tokens[sentence], marks.end)]
    return context, list(tokens[text[-1]])


def _trim(contexts: Sequence[list[int]], room: int) -> list[list[int]]:
    """Contexts that fit into `room` together: the largest common length that does, from the right of each."""
    lengths = sorted(map(len, contexts))
    longest, left = 0, room
    for place, length in enumerate(lengths):
        share = left // (len(lengths) - place)
        if length > share:
            longest = share
            break
        longest, left = length, left - length
    return [context[len(context) - min(len(context), longest) :] for context in contexts]


# Batches of texts of like length: little padding, and as many tokens as the device takes at once.

STEP = 8
"""Batches are padded to a multiple of this, for which matrix units and attention kernels are made."""


def padded(length: int) -> int:
    """The length that a text takes in a batch."""
    return -(-length // STEP) * STEP


def by_length(lengths: Sequence[int], tokens: int) -> list[list[int]]:
    """Places of `lengths` in batches, longest first, so that memory runs out at once or not at all. A batch has at
    most `tokens` tokens, padding included, and always at least one text."""
    order = sorted(range(len(lengths)), key=lambda place: (-lengths[place], place))
    batches: list[list[int]] = []
    room = 0
    for place in order:
        if room == 0:
            width = padded(lengths[place])
            room = max(1, tokens // max(1, width))
            batches.append([])
        batches[-1].append(place)
        room -= 1
    return batches
