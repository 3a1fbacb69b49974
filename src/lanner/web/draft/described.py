"""A protocol's description as blocks of a page: what `describe` writes in Markdown, and nothing else of Markdown.

The blocks hold plain texts, which the template escapes: a protocol of somebody else's cannot bring markup along.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a list; those below another are `deeper`."""

    text: str
    deeper: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A heading ("h1" to "h3"), a paragraph ("p"), the name of a group ("group") or a list ("list")."""

    kind: str
    text: str = ""
    entries: tuple[Entry, ...] = ()


def blocks(description: str) -> list[Block]:
    """The description in its order. Lines that follow each other stay lines of their own."""
    made: list[Block] = []
    for block in _lines(description):
        if block.kind == "list" and made and made[-1].kind == "list":
            made[-1] = Block("list", entries=made[-1].entries + block.entries)
        else:
            made.append(block)
    return made


def _lines(description: str) -> Iterator[Block]:
    for line in description.splitlines():
        text = line.strip()
        hashes, _, heading = text.partition(" ")
        if hashes in ("#", "##", "###"):
            yield Block(f"h{len(hashes)}", heading)
        elif text.startswith("- "):
            yield Block("list", entries=(Entry(text[2:], deeper=line.startswith("  ")),))
        elif len(text) > 2 and text[0] == text[-1] == "*" and "*" not in text[1:-1]:
            yield Block("group", text[1:-1])
        elif text:
            yield Block("p", text)
