"""Batches of texts of like length: little padding, and as many tokens as the device takes at once."""

from __future__ import annotations

from collections.abc import Sequence

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
