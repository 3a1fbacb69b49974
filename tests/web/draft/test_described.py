from __future__ import annotations

from lanner import protocols
from lanner.protocols.describe import describe
from lanner.web.draft.described import Block, Entry, blocks


def test_headings_groups_lists_and_lines() -> None:
    text = "# Title\n\nA line.\nAnother.\n\n### Skills (skills)\n*Field*\n- one: first\n  - below\n*Tenor*\n- two\n"
    assert blocks(text) == [
        Block("h1", "Title"),
        Block("p", "A line."),
        Block("p", "Another."),
        Block("h3", "Skills (skills)"),
        Block("group", "Field"),
        Block("list", entries=(Entry("one: first"), Entry("below", deeper=True))),
        Block("group", "Tenor"),
        Block("list", entries=(Entry("two"),)),
    ]


def test_no_protocol_leaves_marks_of_markdown_on_the_page() -> None:
    for name in protocols.names():
        for block in blocks(describe(protocols.load(name))):
            for text in (block.text, *(entry.text for entry in block.entries)):
                assert not text.startswith(("#", "- ", "* ")), (name, text)
                assert "**" not in text
                assert not (text.startswith("*") and text.endswith("*")), (name, text)
