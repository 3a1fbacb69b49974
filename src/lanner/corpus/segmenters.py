"""Sentence segmenters: the offsets where the sentences of a text begin. Ours, and by name those of other packages."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import metadata
from typing import Any

from lanner import registry
from lanner.errors import LannerError, MissingExtraError, check_known
from lanner.model import languages

# Our own sentence splitter: punctuation of many scripts, closing quotes, emoji, and abbreviations as data.
#
# A sentence ends at a run of terminators with the closing quotes, brackets and emoji that belong to it. A full stop
# that is not certain (abbreviation, initial, ordinal, lower case after it) does not end one. Nothing is learnt: the
# languages' lists are in `languages.toml`, and a language without a list still gets the rules for its script.

EMOJI = (
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u2300-\u23ff\u2190-\u21ff\u200d\ufe0f\u20e3\U000e0020-\U000e007f]"
)
EMOTICON = r"(?:(?<=\s)[:;=xX][-'^o]?[)(DPp/\\|\]\[3*]+|(?<=\s)<3+|\^_*\^+)(?=\s|$)"
UNSPACED = "。！？｡।॥።፧။។៕։؟۔"  # end a sentence whatever follows: full width, dandas, Ethiopic, Burmese, Khmer, Arabic
SPACED = ".!?…‽⁇⁈⁉‼．"  # end one only before a space
CLOSERS = "\"'”’»›“‘«‹)]}）】」』〉》〕＂＇*_"
OPENERS = "\"'“‘”„‚«»‹›([{（【「『〈《〔＂＇¿¡—–-•*_~\u200f\u200e\u202b\u202a \u00a0\u202f"

_WORD = re.compile(r"[^\s\"'“”‘’«»„()\[\]{}/]+$")
_TWO_WORDS = re.compile(r"[^\s\"'“”‘’«»„()\[\]{}/]+\s[^\s\"'“”‘’«»„()\[\]{}/]+$")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
_ORDINAL = re.compile(r"\d{1,2}|[IVX]{1,5}")
_LIST_NUMBER = re.compile(r"(?:^|\n|[.!?]\s)\s*\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})$")
_IDEOGRAPHIC = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_BRACKETED = re.compile(r"「[^「」]*」|『[^『』]*』|（[^（）]*）")
_STARTS_UPPER = re.compile(r"[.!?]\s+[^\W\d_]")


def base(code: str) -> str:
    """The language itself, without script or region: `pt_BR`, `por` and `pt` are all `pt`."""
    return languages.normal(code).split("-")[0]


@dataclass(frozen=True, slots=True)
class Language:
    """The data of one language, compiled."""

    first: re.Pattern[str]
    end: re.Pattern[str]
    abbreviations: frozenset[str] = frozenset()
    may_end: frozenset[str] = frozenset()
    ordinals: bool = False
    clings: re.Pattern[str] | None = None
    endings: re.Pattern[str] | None = None
    weak: re.Pattern[str] | None = None
    starters: frozenset[str] = frozenset()
    nonfinal: frozenset[str] = frozenset()


@cache
def language(code: str) -> Language:
    """The data for a language code such as "pt" or "pt-BR"; a language we have no list for has the general rules."""
    tables = registry.table("corpus.languages")
    table = tables.get(base(code), {})
    table = tables.get(str(table.get("family", "")), table)

    def words(key: str) -> frozenset[str]:
        entries = table.get(key, ())
        return frozenset(entries) if isinstance(entries, list) else frozenset()

    def pattern(key: str, template: str) -> re.Pattern[str] | None:
        return re.compile(template % table[key]) if key in table else None

    more = str(table.get("terminators", ""))
    return Language(
        first=re.compile(f"[{_escaped_marks(more)}:;=xX<^]|{EMOJI}"),
        end=_end_pattern(more),
        abbreviations=words("abbreviations"),
        may_end=words("may_end"),
        ordinals=bool(table.get("ordinals", False)),
        clings=pattern("clings", "%s"),
        endings=pattern("endings", rf"(?<=\S)%s(?=\s)\s*(?!{EMOJI})"),
        weak=pattern("weak", r"%s\s*$"),
        starters=words("starters"),
        nonfinal=words("nonfinal"),
    )


def _escaped_marks(more: str) -> str:
    return re.escape(UNSPACED + SPACED + more)


def _end_pattern(more: str) -> re.Pattern[str]:
    marks = _escaped_marks(more)
    return re.compile(
        rf"(?P<term>[{marks}]+|{EMOTICON}|{EMOJI}+)"
        rf"(?P<close>[{re.escape(CLOSERS)}]*(?:\s»(?!\w))?)"
        rf"(?P<emoji>(?:\s?(?:{EMOJI}+|{EMOTICON}))*)"
        r"(?P<space>\s*)"
    )


def rule_cuts(text: str, code: str, *, sure: bool = False) -> list[int]:
    """Where a new sentence begins, as offsets into `text`; the first sentence's own beginning is not among them.

    With `sure`, an abbreviation that may or may not end a sentence ("U.S. Army", "in the U.S. He") never does.
    """
    data = language(code)
    inside = _inside_brackets(text)
    starts = [start for start, _ in inside]
    lower = _all_lower_case(text)
    places = set()
    for mark in _marks(text, data):
        end = mark.end()
        nearest = bisect_left(starts, end) - 1  # the last bracket that opens before this place
        is_inside = nearest >= 0 and end < inside[nearest][1]
        if end < len(text) and not is_inside and _ends(text, mark, data, lower, sure):
            places.add(end)
    if data.endings:
        places |= {m.end() for m in data.endings.finditer(text) if m.end() < len(text)}
    return sorted(places)


def _marks(text: str, data: Language) -> Iterator[re.Match[str]]:
    """Every end mark with what clings to it. Looking for its first character only is what makes this fast."""
    at = data.first.search(text)
    while at:
        mark = data.end.match(text, at.start())
        if mark:
            yield mark
        at = data.first.search(text, mark.end() if mark else at.end())


def _inside_brackets(text: str) -> list[tuple[int, int]]:
    """The stretches between East Asian quotation marks, which stay whole; other quotes do not pair reliably."""
    return [m.span() for m in _BRACKETED.finditer(text)] if "」" in text or "』" in text or "）" in text else []


def _ends(text: str, match: re.Match[str], data: Language, lower: bool, sure: bool) -> bool:
    term, after = match["term"], match.end()
    if data.clings and match["close"] and data.clings.match(text, after):
        return False
    if term[-1] in UNSPACED:
        return True
    if not match["space"]:
        meets = text[match.start() - 1 : match.start()] + text[after]
        return term[-1] in "!?" and len(_IDEOGRAPHIC.findall(meets)) == 2
    following = text[after : after + 20].lstrip(OPENERS)[:1]
    if not following:
        return False
    if term[-1] not in SPACED + ";;":  # emoji and emoticons end a sentence only where another clearly begins
        return following.isupper() or following == "@"
    if following.islower() and not (lower and set(term) <= set(".!?")):
        return False
    if set(term) == {"…"} and not following.isupper():  # where there is no case, mostly a hesitation
        return False
    return term != "." or not _abbreviates(text, match.start(), following, data, sure)


def _all_lower_case(text: str) -> bool:
    """Whether a text uses no capitals, as some people write: lower case after a stop then says nothing."""
    first = next((c for c in text if c.isalpha()), "")
    return first.islower() and not any(m[0][-1].isupper() for m in _STARTS_UPPER.finditer(text))


def _abbreviates(text: str, stop: int, following: str, data: Language, sure: bool) -> bool:
    """Whether the full stop at `stop` belongs to the word before it rather than to the sentence."""
    head = text[max(0, stop - 40) : stop]
    word = _WORD.search(head)
    if not word:
        return False
    two = _TWO_WORDS.search(head)
    shapes = [word[0], *([two[0]] if two else [])]
    if any(shape in data.may_end or shape.casefold() in data.may_end for shape in shapes):
        return sure or not following.isupper()
    if any(shape in data.abbreviations or shape.casefold() in data.abbreviations for shape in shapes):
        return True
    if _INITIALS.fullmatch(word[0]) and word[0].isupper() and word[0] != "I":
        return True
    if data.ordinals and _ORDINAL.fullmatch(word[0]):
        return True
    return bool(_LIST_NUMBER.search(head))


# English: nupunkt's learnt full stops and our rules together.
#
# Each catches what the other leaves: nupunkt knows abbreviations and ends sentences before lower case; the rules know
# emoji, tags, closing quotes and short words. On abbreviations that may end a sentence nupunkt decides.

_SPACE_AND_EMOJI = re.compile(rf"\s*(?:{EMOJI}+\s*)?")


def nupunkt_cuts(text: str, code: str) -> list[int]:
    """Where a new sentence begins; an emoji after a full stop belongs to the sentence before it."""
    if not language(code).first.search(text, 0, len(text) - 1):  # one sentence: most segments of most sets
        return []
    import nupunkt  # its model takes a while to load

    ends = [end for _, end in nupunkt.sent_spans(text)[:-1]]
    learnt = {match.end() for end in ends if (match := _SPACE_AND_EMOJI.match(text, end))}
    return sorted((learnt | set(rule_cuts(text, code, sure=True))) - {0, len(text)})


# Korean by morphology: kiwipiepy, the optional extra `ko`. Slower than the rules, and better on loose spelling.


@cache
def _kiwi() -> Any:
    try:
        from kiwipiepy import Kiwi
    except ImportError as error:
        raise MissingExtraError("The segmenter 'kiwi'", "ko") from error
    return Kiwi()


def kiwi_cuts(text: str, _code: str) -> list[int]:
    """Where a new sentence begins."""
    return [sentence.start for sentence in _kiwi().split_into_sents(text)][1:]


# Found by name. A segmenter of another package, under the entry point `lanner.segmenters`, is any callable that takes a
# text and gives its sentences, as most libraries do.

GROUP = "lanner.segmenters"
DEFAULTS = {"en": "nupunkt"}
Segmenter = Callable[[str, str], Sequence[int]]
_OWN: dict[str, Segmenter] = {"kiwi": kiwi_cuts, "nupunkt": nupunkt_cuts, "rules": rule_cuts}


def names() -> tuple[str, ...]:
    """Every segmenter there is."""
    return tuple(sorted({*_OWN, *(point.name for point in metadata.entry_points(group=GROUP))}))


def default(code: str) -> str:
    """The segmenter for a language when nothing else is asked for."""
    return DEFAULTS.get(base(code), "rules")


@cache
def find(name: str) -> Segmenter:
    """The segmenter of that name."""
    for point in metadata.entry_points(group=GROUP, name=name):
        return partial(_cuts_of_sentences, point.load(), name)
    check_known(name, names(), f"There is no segmenter called {name!r}.")
    return _OWN[name]


def _cuts_of_sentences(sentences: Callable[[str], Iterable[str]], name: str, text: str, _language: str) -> list[int]:
    """Where the sentences that a foreign segmenter gives lie in the text; it may change white space, nothing else."""
    solid = [offset for offset, letter in enumerate(text) if not letter.isspace()]
    length, starts = 0, []
    for sentence in sentences(text):
        letters = "".join(sentence.split())
        if "".join(text[at] for at in solid[length : length + len(letters)]) != letters:
            raise LannerError(
                f"The segmenter {name!r} changed the text near {sentence[:40]!r}.",
                next_step="A segmenter must give back every character but white space.",
            )
        if letters:
            starts.append(solid[length])
        length += len(letters)
    if length != len(solid):
        raise LannerError(
            f"The segmenter {name!r} lost the end of a text: {text[solid[length] :][:40]!r}.",
            next_step="A segmenter must give back every character but white space.",
        )
    return starts[1:]
