"""Taggers: what the words of a text are, for metrics of discourse. Ours is for English; others are entry points.

A tagger is `tag(text) -> list[Token]`, for one sentence. Outsiders register one for a language under the entry-point
group `lanner.taggers`, named by the language's code (`de`); it comes before ours of the same language.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import metadata

from lanner import registry
from lanner.errors import LannerError
from lanner.model import languages

GROUP = "lanner.taggers"
KINDS = ("noun", "name", "verb", "adjective", "adverb", "pronoun", "marker", "number", "function", "punctuation")


@dataclass(frozen=True, slots=True)
class Token:
    """A word as it is written, its dictionary form, what kind of word it is (one of `KINDS`), and `group`: the tense
    of a verb, the gender or person of a pronoun, the sense of a discourse marker; "" where there is none."""

    form: str
    lemma: str
    kind: str
    group: str = ""


Tagger = Callable[[str], list[Token]]


def known() -> dict[str, str]:
    """Languages that have a tagger, and whose it is."""
    return {"en": "lanner (english)"} | {point.name: point.value for point in metadata.entry_points(group=GROUP)}


@cache
def find(language: str) -> tuple[Tagger, str]:
    """The tagger of a language, and its name for a signature."""
    base = languages.normal(language).split("-")[0]
    for point in metadata.entry_points(group=GROUP, name=base):
        return point.load(), point.value
    if base == "en":
        return tag_english, f"english-{_ENGLISH_VERSION}"
    raise LannerError(
        f"There is no tagger for {base!r}; there is one for {', '.join(sorted(known()))}.",
        next_step=f"A package can bring one by the entry point {GROUP!r}. Consistency and repetition need none.",
    )


# A small tagger for English: lists of function words, pronouns, markers and verbs, and rules for all the rest.
#
# No weights, no downloads; the same text gives the same tags anywhere. It is not a parser: a word that may be a noun or
# a verb is told by what stands before it. Metrics compare counts of one system with counts of a reference, tagged
# alike.

_ENGLISH_VERSION = "1"
_WORD = re.compile(
    r"n't\b|['’](?:s|m|re|ve|ll|d)\b|\d+(?:[.,]\d+)*|[^\W\d_]+?(?=n't\b)|[^\W\d_]+(?:-[^\W\d_]+)*|[^\w\s]"
)
_ADJECTIVE = ("ous", "ful", "ive", "able", "ible", "less", "ical", "ish", "ial", "ual", "onal", "ic", "al")
_BE = {"am", "is", "are", "was", "were", "be", "been", "being", "'m", "'re"}
_HAVE = {"have", "has", "had", "having", "'ve"}
_SKIPPED = {"not", "n't", "never", "always", "also", "already", "just", "often", "still", "even", "only", "been"}


@dataclass(frozen=True)
class _Lists:
    """The listed words by what they are."""

    pronouns: dict[str, str]
    markers: dict[tuple[str, ...], str]
    function: frozenset[str]
    determiners: frozenset[str]
    auxiliaries: dict[str, str]
    adjectives: frozenset[str]
    nouns: frozenset[str]
    plurals: dict[str, str]
    past: dict[str, str]
    participles: dict[str, str]
    bases: frozenset[str]


@cache
def _lists() -> _Lists:
    read = registry.table("metrics.english")
    forms = [line.split() for line in read["verbs"]["irregular"]]
    return _Lists(
        pronouns={word: group for group, words in read["pronouns"].items() for word in words},
        markers={tuple(marker.split()): sense for sense, words in read["markers"].items() for marker in words},
        function=frozenset(word for words in read["function"].values() for word in words),
        determiners=frozenset(read["function"]["determiners"]),
        auxiliaries={word: tense for tense, words in read["auxiliaries"].items() for word in words},
        adjectives=frozenset(read["adjectives"]["words"]),
        nouns=frozenset(read["nouns"]["words"]),
        plurals=read["plurals"],
        past={past: base for base, past, _ in forms},
        participles={participle: base for base, _, participle in forms},
        bases=frozenset([base for base, _, _ in forms] + read["verbs"]["regular"]),
    )


def tag_english(text: str) -> list[Token]:
    """The words of a sentence with what they are."""
    forms = _WORD.findall(text)
    lower = [form.casefold().replace("’", "'") for form in forms]
    tokens: list[Token] = []
    lists = _lists()
    at = 0
    while at < len(forms):
        size = next((n for n in (4, 3, 2, 1) if tuple(lower[at : at + n]) in lists.markers), 0)
        if size:
            marker = tuple(lower[at : at + size])
            tokens.append(Token(" ".join(forms[at : at + size]), " ".join(marker), "marker", lists.markers[marker]))
            at += size
            continue
        tokens.append(_word(forms[at], lower[at], tokens, starts=_starts(tokens)))
        at += 1
    return tokens


def _starts(before: list[Token]) -> bool:
    return not any(token.kind != "punctuation" for token in before) or before[-1].form in {".", "!", "?", ":", "“", '"'}


def _word(form: str, word: str, before: list[Token], *, starts: bool) -> Token:
    lists = _lists()
    if not any(letter.isalnum() for letter in word):
        return Token(form, word, "punctuation")
    if word[0].isdigit():
        return Token(form, word, "number")
    if word in lists.pronouns:
        return Token(form, word, "pronoun", lists.pronouns[word])
    if word in lists.auxiliaries:
        group = lists.auxiliaries[word]
        return Token(form, word, "verb", "" if group == "plain" else group)
    if word in lists.function:
        return Token(form, word, "function")
    verb = _verb(form, word, before)
    if form[0].isupper() and (not starts or (verb is None and not _is_common(word))):
        return Token(form, form, "name")
    return verb or _open(form, word)


def _is_common(word: str) -> bool:
    """Whether a capital at the start of a sentence says nothing: most words there are no names."""
    lists = _lists()
    listed = word in lists.nouns or word in lists.adjectives or word in lists.plurals
    return listed or (len(word) > 3 and word.endswith(("s", "ing", "ed", "ly", "tion", "ment", "ness", *_ADJECTIVE)))


def _verb(form: str, word: str, before: list[Token]) -> Token | None:
    """A verb with its tense, if the word is one here."""
    lists = _lists()
    helper = next((t for t in reversed(before) if t.lemma not in _SKIPPED and t.kind != "adverb"), None)
    last = before[-1] if before else None
    auxiliary = helper.lemma.replace("’", "'") if helper and helper.kind == "verb" else ""
    if last and last.lemma in lists.determiners:
        return None
    participle = lists.participles.get(word) or (_stem(word, "ed") if _regular(word, "ed") else None)
    been = any(token.lemma == "been" for token in before[-3:])
    if participle and auxiliary in _HAVE:
        return Token(form, participle, "verb", "perfect passive" if been else "perfect")
    if participle and auxiliary in _BE:
        return Token(form, participle, "verb", "passive")
    if _regular(word, "ing"):
        return Token(form, _stem(word, "ing"), "verb", "progressive" if auxiliary in _BE or been else "gerund")
    if auxiliary and lists.auxiliaries.get(auxiliary) == "modal":
        return Token(form, word, "verb", "infinitive")
    if last and last.lemma == "to" and (word in lists.bases):
        return Token(form, word, "verb", "infinitive")
    subject = last is not None and last.kind in {"pronoun", "noun", "name", "adverb", "function"}
    if word in lists.past and (subject or word not in lists.bases):
        return Token(form, lists.past[word], "verb", "past")
    if participle and word not in lists.nouns:
        return Token(form, participle, "verb", "past")
    if word in lists.bases and last is not None and last.kind in {"pronoun", "noun", "name"}:
        return Token(form, word, "verb", "present")
    base = _singular(word)
    if base != word and base in lists.bases and last is not None and last.kind in {"pronoun", "noun", "name"}:
        return Token(form, base, "verb", "present")
    return None


def _regular(word: str, ending: str) -> bool:
    return word.endswith(ending) and len(word) > len(ending) + 2 and word not in _lists().nouns


def _stem(word: str, ending: str) -> str:
    """`stopped` is stop, `tried` try, `moved` move: the base among the known verbs if there is one."""
    stem = word[: -len(ending)]
    doubled = len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "lsz"
    choices = [stem, f"{stem}e", stem[:-1] if doubled else stem, f"{stem[:-1]}y" if stem.endswith("i") else stem]
    bases = [choice for choice in choices if choice in _lists().bases]
    return bases[0] if bases else choices[2] if doubled else choices[3]


def _open(form: str, word: str) -> Token:
    lists = _lists()
    if word not in lists.nouns:
        if word in lists.adjectives or (len(word) > 5 and word.endswith(_ADJECTIVE)):
            return Token(form, word, "adjective")
        if len(word) > 4 and word.endswith("ly"):
            return Token(form, word, "adverb")
    return Token(form, _singular(word), "noun")


def _singular(word: str) -> str:
    lists = _lists()
    if word in lists.plurals:
        return lists.plurals[word]
    if word in lists.nouns or not word.endswith("s") or word.endswith(("ss", "us", "is")) or len(word) < 4:
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "xes", "sses", "zes", "oes")):
        return word[:-2]
    return word[:-1]
