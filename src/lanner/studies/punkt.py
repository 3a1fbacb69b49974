"""Where sentences end by Punkt (Kiss & Strunk 2006, Comput. Linguist. 32), as NLTK up to 3.9 carries it out.

Punkt itself has few rules; what it knows of words was learnt from a corpus. A full stop, question or exclamation mark
may end a sentence before white space or certain punctuation. A question or exclamation mark always does; a full stop
does unless it belongs to an abbreviation, an ellipsis, an initial or an ordinal number, where the next word decides:
how it is written where no sentence begins, and whether it is one that often begins sentences. Closing quotes and
brackets then go to the sentence before them.

The English model that NLTK offers may not be passed on (nobody has said under which licence it stands), so none is
kept here: `read` takes one from a folder of NLTK's data, and a study states the few entries that decide in its texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from pathlib import Path

_AFTER = r"""[)";}\]*:@'({\[!?]"""
_MAY_END = re.compile(rf"[.?!](?=(?P<after>{_AFTER}|\s+(?P<next>\S+)))")
_SEVERAL = r"-{2,}|\.{2,}|(?:\.\s){2,}\."
_TOKEN = re.compile(
    rf"""{_SEVERAL}|(?=[^("`{{\[:;&#*@)}}\]\-,])\S+?(?=\s|$|{_AFTER}|{_SEVERAL}|,(?=$|\s|{_AFTER}|{_SEVERAL}))|\S"""
)
_CLOSING = re.compile(r"""["')\]}]+?(?:\s+|(?=--)|$)""", re.MULTILINE)
_NUMBER = re.compile(r"-?[.,]?\d[\d,.-]*\.?")
_INITIAL = re.compile(r"[^\W\d]\.")

# How a word was written in the corpus: with a capital inside a sentence, with a capital at all, in lower case where a
# sentence begins, in lower case at all. The numbers are those of NLTK's files.
_CAPITAL_INSIDE, _CAPITAL, _LOWER_AT_START, _LOWER = 4, 14, 16, 112


@dataclass(frozen=True)
class Model:
    """What was learnt from a corpus: abbreviations, words that often begin a sentence, pairs of words around a full
    stop that ends no sentence, and how words were written."""

    abbreviations: frozenset[str]
    starters: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    written: Mapping[str, int]


def sentences(text: str, model: Model) -> list[str]:
    """The sentences of a text."""
    begin, pieces = 0, []
    for mark, context in _candidates(text):
        if any(token.ends for token in _mark_ends(context, model)[:-1]):  # the last one is the next sentence's
            pieces.append((begin, mark.end()))
            begin = mark.start("next") if mark["next"] else mark.end()
    pieces.append((begin, len(text.rstrip())))
    return list(_with_closing_marks(text, pieces))


def _candidates(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Marks that may end a sentence, with the word before and what follows. Of several in one word only the last."""
    marks = list(_MAY_END.finditer(text))
    for mark, later in zip_longest(marks, marks[1:]):
        if later is None or re.search(r"\s", text[mark.end() : later.start()]):
            before = re.search(r"\S*$", text[: mark.start()])
            yield mark, (before[0] if before else "") + mark[0] + mark["after"]


class _Token:
    """A word or mark. `ends` says whether a sentence ends with it, `short` whether it is an abbreviation."""

    def __init__(self, text: str, model: Model) -> None:
        lower = text.lower()
        self.written = text
        self.type = "##number##" if _NUMBER.fullmatch(lower) else lower
        self.stop = text.endswith(".")
        self.dots = text.startswith("..")
        bare = lower[:-1]
        self.ends = text in (".", "?", "!")
        self.short = False
        if self.stop and not self.ends and not text.endswith(".."):
            self.short = not model.abbreviations.isdisjoint((bare, bare.rsplit("-", 1)[-1]))
            self.ends = not self.short

    @property
    def word(self) -> str:
        """Without the full stop, if it has one."""
        return self.type[:-1] if len(self.type) > 1 and self.type.endswith(".") else self.type


def _mark_ends(context: str, model: Model) -> list[_Token]:
    tokens = [_Token(match[0], model) for match in _TOKEN.finditer(context)]
    for token, following in pairwise(tokens):
        if token.stop:
            _look_ahead(token, following, model)
    return tokens


def _look_ahead(token: _Token, following: _Token, model: Model) -> None:
    """What the next word says about a full stop."""
    capital = following.written[0].isupper()
    next_word = following.word if following.ends else following.type
    initial = _INITIAL.fullmatch(token.written) is not None
    if (token.word, next_word) in model.pairs:
        token.ends, token.short = False, True
    elif (token.short or token.dots) and not initial:
        if _starts(following, next_word, model) or (capital and next_word in model.starters):
            token.ends = True
    elif initial or token.type == "##number##":
        starts = _starts(following, next_word, model)
        if starts is False or (starts is None and initial and capital and not model.written.get(next_word, 0) & _LOWER):
            token.ends, token.short = False, True


def _starts(token: _Token, word: str, model: Model) -> bool | None:
    """Whether the way a word is written shows that a sentence begins with it; None if it does not tell."""
    if token.written in (";", ":", ",", ".", "!", "?"):
        return False
    count = model.written.get(word, 0)
    if token.written[0].isupper() and count & _LOWER and not count & _CAPITAL_INSIDE:
        return True
    if token.written[0].islower() and (count & _CAPITAL or not count & _LOWER_AT_START):
        return False
    return None


def _with_closing_marks(text: str, spans: list[tuple[int, int]]) -> Iterator[str]:
    """Sentences, each with the quotes and brackets that close it; what was nothing but those is no sentence."""
    position = 0
    for (start, stop), after in zip_longest(spans, spans[1:]):
        closing = _CLOSING.match(text[slice(*after)]) if after else None
        end = after[0] + len(closing[0].rstrip()) if after and closing else stop
        if text[start + position : end]:
            yield text[start + position : end]
        position = closing.end() if closing else 0


def read(folder: Path) -> Model:
    """The model in a folder of NLTK's data, `tokenizers/punkt_tab/english`."""
    lines = {file.name: file.read_text("utf-8").splitlines() for file in sorted(folder.iterdir())}
    pairs = [line.split("\t") for line in lines["collocations.tab"]]
    spellings = [line.split("\t") for line in lines["ortho_context.tab"]]
    return Model(
        frozenset(lines["abbrev_types.txt"]),
        frozenset(lines["sent_starters.txt"]),
        frozenset((one, other) for one, other in pairs),
        {word: int(number) for word, number in spellings},
    )
