"""Align two texts that say the same: choose the cuts of both at once.

The model is a chain of beads. Each border between beads is a pair of candidate cuts, one per text, and scores the
log-odds of both (`boundaries`), how well their marks agree (a question with a question), and how many anchors
(numbers, names, links, emoji found on both sides) it would tear apart. Each bead scores how well its two lengths
agree, after Gale and Church (1993): a normal density of the difference, its variance proportional to the length, with
the texts' own length ratio, which is known because the two are each other's translation.

Summing over all chains (forward-backward) gives each border its posterior probability; that is the confidence.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from lanner.corpus.segmenters import CLOSERS, EMOJI, OPENERS, Language, language

# Words that survive translation: numbers, links, tags, emoji and names, also across scripts.

_TOKEN = re.compile(rf"https?://\S+|www\.\S+|[@#]\w+|\d[\d.,:]*\d|\d|{EMOJI}+|[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_SOUNDS = str.maketrans(
    {
        **dict.fromkeys("aeiouyhw-'’", None),
        **dict.fromkeys("bpfv", "p"),
        **dict.fromkeys("gkcqx", "k"),
        **dict.fromkeys("dt", "t"),
        **dict.fromkeys("jzs", "s"),
        **dict.fromkeys("lr", "l"),
    }
)
_NAMED_SOUND = re.compile(r"(?:SYLLABLE|LETTER(?: SMALL)?) (\S+)$")
_ACROPHONIC = ("ARABIC", "HEBREW", "GREEK")  # scripts whose letters are named by words that begin with their sound
_SHORTEST_NAME = 3


@lru_cache(maxsize=65536)
def skeleton(word: str) -> str:
    """The consonants of a word in a few classes, whatever its script: Johnson and 존슨 are both "snsn".

    Unicode's own character names carry the sound of Hangul, kana, Cyrillic, Greek and many other letters.
    """
    return "".join(_sound(letter) for letter in unicodedata.normalize("NFKC", word)).lower().translate(_SOUNDS)


def _sound(letter: str) -> str:
    base = letter if "가" <= letter <= "힣" else unicodedata.normalize("NFD", letter)[0]
    if base.isascii():
        return base
    name = unicodedata.name(base, "")
    sound = _NAMED_SOUND.search(name)
    if not sound:
        return ""
    return sound[1][0] if name.startswith(_ACROPHONIC) else sound[1]


@lru_cache(maxsize=64)  # two texts are aligned, and then cut
def anchors(source: str, target: str) -> list[tuple[int, int, float]]:
    """Pairs of offsets where the same thing is written on both sides, with how sure that is (a name in another script
    counts half). What occurs more often on one side than on the other is left out."""
    ours, theirs = _tokens(source), _tokens(target)
    anchors = [
        (a, b, 1.0)
        for key in ours  # in the order of the text: sums of floats depend on order, and the bytes must not
        if key in theirs and len(ours[key]) == len(theirs[key])
        for a, b in zip(ours[key], theirs[key], strict=True)
    ]
    return anchors + _names(ours, theirs)


@lru_cache(maxsize=64)
def _tokens(text: str) -> dict[str, list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for match in _TOKEN.finditer(text):
        word = match[0]
        if word[0].isdigit():
            word = re.sub(r"[.,]", "", word)
        elif word[0].isalpha() and not (word[0].isupper() and len(word) > 1) and len(word) < 5 and word.isascii():
            continue  # short words in lower case mean different things in different languages
        places[word].append(match.start())
    return places


def _names(ours: dict[str, list[int]], theirs: dict[str, list[int]]) -> list[tuple[int, int, float]]:
    """Names written in another script: the skeleton of one begins the skeleton of the other (particles may follow)."""
    pairs = []
    for left, right, flip in ((ours, theirs, False), (theirs, ours, True)):
        latin = [(skeleton(word), at[0]) for word, at in left.items() if len(at) == 1 and word[0].isupper()]
        latin = [(bones, at) for bones, at in latin if len(bones) >= _SHORTEST_NAME]
        if not latin:
            continue
        other = [(skeleton(w), at[0]) for w, at in right.items() if len(at) == 1 and w[0].isalpha() and not w.isascii()]
        for bones, at in latin:
            hits = [place for sound, place in other if sound.startswith(bones)]
            if len(hits) == 1:
                pairs.append((hits[0], at, 0.5) if flip else (at, hits[0], 0.5))
    return pairs


# Places where a text may be cut, each with how likely a sentence border is there.
#
# A segmenter says yes or no. For alignment that is not enough: a headline without a full stop ends somewhere, and the
# other language often shows where. So every place between words is a candidate, with the log-odds of a border given
# what stands before and after it. The odds are rounded relative frequencies counted on the 298 sentences of the
# H-FALCON subset (English, Korean), which share no document with the evaluation set of the benchmarks.

Floats = NDArray[np.float64]

ENDS = ("word", "stop", "question", "exclamation", "ellipsis", "emoji", "colon", "comma", "dash", "close", "line")
_MARKS = {
    **dict.fromkeys(".。．｡।॥።။។៕։۔", "stop"),
    **dict.fromkeys("?？؟፧⁇⁈;", "question"),
    **dict.fromkeys("!！‼⁉‽", "exclamation"),
    **dict.fromkeys(":：", "colon"),
    **dict.fromkeys(",，、;；،؛", "comma"),
    **dict.fromkeys("-–—―~", "dash"),
    "…": "ellipsis",
}
_CUT = {"stop": 2.0, "question": 0.7, "exclamation": 0.6, "ellipsis": 0.7, "emoji": 2.5, "line": 6.0}
_UNCUT = {
    "stop": -2,
    "question": -2,
    "exclamation": -2,
    "ellipsis": -1.5,
    "emoji": -1.5,
    "colon": -3,
    "comma": -5,
    "dash": -4,
}
_BEFORE_CAPITAL = {"close": 0.0, "colon": -1.0, "comma": -4.2}
_CAPITAL, _IN_QUOTES = 0.6, -2.0
_QUOTES = re.compile(r"[\"“”„«»「」『』]")
_CLOSING_QUOTES = frozenset('"”»」』')
_LAST_EMOJI = re.compile(EMOJI + r"\s*$")
_FIRST_EMOJI = re.compile(EMOJI)
_PLACES = re.compile(
    r"(?<=\S)\s+(?=\S)|(?<=[。！？｡।॥。，、；：…」』”）!?])(?=[^\s。！？｡।॥，、；：…」』”’）!?.,;:)\]\"'])"
)


@dataclass(frozen=True, slots=True)
class Candidates:
    """A text's possible borders in order, its two ends included: offset, characters before it (spaces not counted),
    log-odds of a border, and what stands before it (an index into `ENDS`)."""

    text: str
    offsets: NDArray[np.int64]
    lengths: Floats
    strengths: Floats
    ends: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets)

    def at_least(self, odds: float) -> Candidates:
        """Only the candidates that are this likely, and the two ends."""
        return self.select([0, *(np.flatnonzero(self.strengths[1:-1] >= odds) + 1), len(self) - 1])

    def select(self, indices: Sequence[int]) -> Candidates:
        """Only these of the candidates."""
        rows = np.array(indices)
        return Candidates(self.text, self.offsets[rows], self.lengths[rows], self.strengths[rows], self.ends[rows])


def candidates(text: str, code: str, cuts: Sequence[int]) -> Candidates:
    """The candidates of `text` given where its segmenter cuts."""
    certain = set(cuts)
    data = language(code)
    places = sorted({m.end() for m in _PLACES.finditer(text)} | certain)
    inside_quotes = _places_in_quotes(text, places)
    strengths = [(place, *_strength(text, place, place in certain, place in inside_quotes, data)) for place in places]
    offsets = [0, *(place for place, _, _ in strengths), len(text)]
    solid = np.cumsum([0, *(not c.isspace() for c in text)])
    return Candidates(
        text,
        np.array(offsets),
        solid[offsets].astype(np.float64),
        np.array([0.0, *(strength for _, strength, _ in strengths), 0.0]),
        np.array([0, *(ENDS.index(end) for _, _, end in strengths), 0]),
    )


def _strength(text: str, place: int, cut: bool, quoted: bool, data: Language) -> tuple[float, str]:
    before, after = text[max(0, place - 24) : place], text[place : place + 24]
    end = ending(before)
    following = after.lstrip(OPENERS)[:1]
    if cut or end == "line":
        odds = 4.0 if after[0] == "@" and end != "line" else _CUT.get(end, 1.0)
        odds += _CAPITAL if following.isupper() and end == "stop" else 0.0
    else:
        odds = _UNCUT.get(end, -6.5 if end == "word" else -4.0)
        if _FIRST_EMOJI.match(after):
            odds = min(odds, -4.0)
        elif after[0] == "@":
            odds = max(odds, 0.5)
        elif following.isupper():
            odds = _before_capital(before, after, data) if end == "word" else _BEFORE_CAPITAL.get(end, odds)
        elif end == "word" and not following.islower():
            odds = -3.3 if data.weak and data.weak.search(before) else -5.0
    return (odds + _IN_QUOTES if quoted else odds), end


def _before_capital(before: str, after: str, data: Language) -> float:
    """A capital after a word without punctuation: a name most often, a new sentence if a small word begins with it."""
    last = before.rsplit(maxsplit=1)[-1].lstrip(OPENERS)
    first, *rest = after.lstrip(OPENERS).split()[:2]
    if last[:1] in "@#" or last.casefold() in data.nonfinal:
        return -6.0
    if first.rstrip(",") in data.starters:
        return -0.5
    names = last[:1].isupper() + bool(rest and rest[0][:1].isupper())
    return (-2.7, -3.2, -3.8)[names]


def _places_in_quotes(text: str, places: Sequence[int]) -> set[int]:
    """The places inside a quotation or just after one: what somebody says often stays one row with who says it."""
    inside, is_open, marks = set(), False, iter([*_QUOTES.finditer(text), None])
    mark = next(marks)
    for place in places:
        while mark and mark.start() < place:
            is_open = not is_open if mark[0] == '"' else mark[0] in "“«「『„"
            mark = next(marks)
        if is_open or text[:place].rstrip()[-1:] in _CLOSING_QUOTES:
            inside.add(place)
    return inside


def ending(before: str) -> str:
    """What kind of mark a stretch of text ends with, closing quotes and brackets aside."""
    bare = before.rstrip()
    if "\n" in before[len(bare) :]:
        return "line"
    if _LAST_EMOJI.search(bare):
        return "emoji"
    inner = bare.rstrip(CLOSERS)
    if inner.endswith(".."):
        return "ellipsis"
    return _MARKS.get(inner[-1:], "word" if inner == bare else "close")


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each kind of evidence counts."""

    border: float = 2.7
    length: float = 1.0
    variance: float = 6.8
    slack: float = 4.0
    marks: float = 1.0
    anchor: float = 1.0
    empty: float = -6.0
    short: float = -1.5


DEFAULT = Weights()
SHORT = 10  # characters: fewer hardly ever make a row of their own
LONGEST = 1200  # characters: no row is longer, unless its text has no place to cut at all
REACH, MARGIN = 5.0, 60.0  # how far from the diagonal to look: standard deviations, and characters on top


def _marks_table() -> Floats:
    """How much two ends speak for each other: the same mark on both sides is likely in a translation."""
    table = np.zeros((len(ENDS), len(ENDS)))
    index = ENDS.index
    for mark, other in (("word", -0.7), ("exclamation", -0.7), ("emoji", -0.7), ("question", -1.5)):
        table[index(mark), :] = table[:, index(mark)] = other
    np.fill_diagonal(table, 1.5)
    for mark in ("word", "stop"):
        table[index(mark), index(mark)] = 0.6
    return table


MARKS = _marks_table()


@dataclass(frozen=True, slots=True)
class Alignment:
    """The posterior probability of a border at every pair of candidate cuts."""

    source: Candidates
    target: Candidates
    posterior: Floats

    @property
    def source_borders(self) -> Floats:
        """The probability of the best border at each candidate of the source. A border whose place in the target is
        unknown is of no use, so this is the largest single probability and not their sum."""
        best: Floats = self.posterior.max(axis=1)
        return best

    def borders(self) -> list[tuple[int, int, float]]:
        """Offsets and confidence of the borders that are more likely than not. Two such borders never contradict each
        other: events that are each more likely than not must happen together sometimes."""
        pairs = np.argwhere(self.posterior > 0.5)[1:-1]
        return [
            (int(self.source.offsets[i]), int(self.target.offsets[j]), float(self.posterior[i, j])) for i, j in pairs
        ]


def align(source: Candidates, target: Candidates, weights: Weights = DEFAULT) -> Alignment:
    """Posterior probabilities of all borders between two texts."""
    border = _border_scores(source, target, weights)
    bead = _BeadScores(source, target, weights)
    forward = np.full(border.shape, -np.inf)
    backward = forward.copy()
    forward[0, 0] = backward[-1, -1] = 0.0
    for i in range(1, len(source)):
        here = bead.window(i)
        ways = [_log_sum(forward[h, bead.window(h), None] + bead(h, i)) for h in bead.starts(i)]
        forward[i, here] = border[i, here] + np.logaddexp.reduce(ways)
    for i in range(len(source) - 1, 0, -1):
        ahead = (backward + border)[i, bead.window(i)]
        for h in bead.starts(i):
            there = bead.window(h)
            backward[h, there] = np.logaddexp(backward[h, there], _log_sum((ahead + bead(h, i)).T))
    return Alignment(source, target, np.exp(forward + backward - forward[-1, -1]))


def project(source: Candidates, target: Candidates, weights: Weights = DEFAULT) -> list[int]:
    """The offset of the target's best cut for every cut of the source.

    All source candidates are taken as borders. A piece may come out empty where the target has nothing to give.
    """
    border = _border_scores(source, target, weights, edges=True)
    bead = _BeadScores(source, target, weights, empty=True)
    best = np.full(border.shape, -np.inf)
    best[0, 0] = 0.0
    came = np.zeros(border.shape, dtype=np.int64)
    for i in range(1, len(source)):
        before, here = bead.window(i - 1), bead.window(i)
        ways = best[i - 1, before, None] + bead(i - 1, i)
        came[i, here] = before.start + ways.argmax(axis=0)
        best[i, here] = border[i, here] + ways.max(axis=0)
    path = [len(target) - 1]
    for i in range(len(source) - 1, 0, -1):
        path.append(int(came[i, path[-1]]))
    return [int(target.offsets[j]) for j in path[-2:0:-1]]


def _border_scores(source: Candidates, target: Candidates, weights: Weights, *, edges: bool = False) -> Floats:
    table: Floats = (
        source.strengths[:, None]
        + target.strengths[None, :]
        + weights.border
        + weights.marks * MARKS[source.ends[:, None], target.ends[None, :]]
    )
    for at, there, sure in anchors(source.text, target.text):
        torn = (source.offsets > at)[:, None] != (target.offsets > there)[None, :]
        table -= weights.anchor * sure * torn
    table[0, :] = table[-1, :] = -np.inf
    if edges:
        table[1:-1, [0, -1]] = weights.empty
    else:
        table[:, 0] = table[:, -1] = -np.inf
    table[0, 0] = table[-1, -1] = 0.0
    return table


class _BeadScores:
    """Length agreement of the bead between two source candidates, for all pairs of target candidates in reach.

    The target's place for a source candidate is looked for near the diagonal only: the difference of two texts'
    lengths is a random walk that must come home, with variance x (1 - x / n) after x of n characters.
    """

    def __init__(self, source: Candidates, target: Candidates, weights: Weights, *, empty: bool = False) -> None:
        self.x, self.y = source.lengths, target.lengths
        self.weights = weights
        self.nothing = weights.empty if empty else -np.inf
        total, goal = max(self.x[-1], 1.0), max(self.y[-1], 1.0)
        self.ratio = goal / total
        mean = self.x * self.ratio
        reach = REACH * np.sqrt(weights.variance * mean * (1 - self.x / total)) + MARGIN
        nearest = np.searchsorted(self.y, mean)
        self.low = np.minimum(np.searchsorted(self.y, mean - reach), np.maximum(nearest - 1, 0))
        self.high = np.maximum(
            np.searchsorted(self.y, mean + reach, side="right"), np.minimum(nearest + 1, len(self.y))
        )
        self.low[0], self.high[0], self.low[-1], self.high[-1] = 0, 1, len(self.y) - 1, len(self.y)

    def window(self, i: int) -> slice:
        """The target candidates in reach of a source candidate."""
        return slice(int(self.low[i]), int(self.high[i]))

    def starts(self, end: int) -> list[int]:
        """Where a bead that ends at this source candidate may begin; the whole text is always one possible bead."""
        first = min(int(np.searchsorted(self.x, self.x[end] - LONGEST)), end - 1)
        whole = [0] if first > 0 and end == len(self.x) - 1 else []
        return [*whole, *range(first, end)]

    def __call__(self, start: int, end: int) -> Floats:
        length = float(self.x[end] - self.x[start])
        mean = length * self.ratio
        dy = self.y[None, self.window(end)] - self.y[self.window(start), None]
        variance = self.weights.variance * (mean + np.abs(dy)) / 2 + self.weights.slack
        density = -0.5 * ((dy - mean) ** 2 / variance + np.log(variance))
        order = np.where(dy > 0, 0.0, np.where(dy == 0, self.nothing, -np.inf))
        score: Floats = self.weights.length * density + order + (self.weights.short if length < SHORT else 0.0)
        return score


def _log_sum(terms: Floats) -> Floats:
    """Logarithm of the sum of exponentials over the first axis."""
    top = terms.max(axis=0)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        total: Floats = safe + np.log(np.exp(terms - safe).sum(axis=0))
    return total
