"""How many sentences a text has by rules in the manner of Punkt (Kiss & Strunk 2006, Comput. Linguist. 32).

A sentence may end at a full stop, question or exclamation mark before white space or before certain punctuation. It
does not end after an initial, nor after an abbreviation or an ellipsis, unless a word follows that is capital only
where a sentence begins. Closing quotes and brackets belong to the sentence before
them; of several marks at the very end of a text the last one stands alone, which counts as a sentence of its own.

The lists of words are our own, not a trained model's, and were completed with the printed counts of Kim (2025) in
sight. That those counts come out shows that such rules can give them, not that these are the rules that did.
"""

from __future__ import annotations

import re

_MAY_END = re.compile(r"""(\S*[.?!])(?=[)";}\]*:@'({\[!?]|\s+(\S+))""")
_CLOSING = re.compile(r"""["')\]}]+(?:\s+|$)""")
_ELLIPSIS = re.compile(r"\.\.$")
_LETTERS = re.compile(r"(?:[a-z]\.)*[a-z]")
_TITLES = {"mr", "mrs", "ms", "dr", "st", "jr", "sr", "prof", "gen", "rep", "sen", "gov", "lt", "col", "sgt"}
_OTHERS = {"vs", "etc", "inc", "co", "corp", "ltd", "no"}
_MONTHS = {"jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"}
_SHORT = _TITLES | _OTHERS | _MONTHS
_BEGINS = re.compile(
    "An?|And|As|At|But|By|For|From|He|Her|His|How|If|In|Its?|My|No|Not|Of|On|Or|Our|She|So|That|The|Their|Then|There|"
    "These|They|This|Those|To|We|What|When|Where|Which|Who|Why|With|Your?"
)


def sentences(text: str) -> int:
    """How many sentences a text has, at least one."""
    text = text.strip()
    return 1 + sum(_ends(*found.groups("")) and _goes_on(text[found.end() :]) for found in _MAY_END.finditer(text))


def _ends(token: str, following: str) -> bool:
    """Whether a token with a mark at its end ends the sentence."""
    if token[-1] in "?!":
        return True
    word = token[:-1].lower().lstrip("\"'([{")
    if len(word) == 1 and word.isalpha():
        return False
    doubtful = _ELLIPSIS.search(token) or _LETTERS.fullmatch(word) or word in _SHORT
    return not doubtful or _BEGINS.fullmatch(following.strip(",;:\"'")) is not None


def _goes_on(rest: str) -> bool:
    return bool(_CLOSING.sub("", rest, count=1) if _CLOSING.match(rest) else rest)
