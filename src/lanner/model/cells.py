"""Cells of tables that people open in spreadsheet programs, which run some texts as formulas.

Such a text is given an apostrophe in front, and so is a text that already has apostrophes there. Taking one off again
therefore gives exactly the text that was there.
"""

from __future__ import annotations

import re

_RUNS = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_KEPT = re.compile(r"'+[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


def guarded(text: str) -> str:
    """The text as a spreadsheet does not run it. Numbers stay numbers."""
    return f"'{text}" if _RUNS.match(text) and not _NUMBER.fullmatch(text) else text


def bare(text: str) -> str:
    """The text that was guarded."""
    return text[1:] if _KEPT.match(text) else text
